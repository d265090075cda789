"""What the tools of the food delivery app return.

Covers: the shape of every result. Money is in USD, moments are ISO 8601 with offset. Does not cover: how results come
about (tools/).
"""

from __future__ import annotations

from typing import Annotated, Literal

from typing_extensions import TypedDict

from ...world.server import Ref

RestaurantId = Annotated[str, Ref("restaurant")]
DishId = Annotated[str, Ref("dish")]
OptionId = Annotated[str, Ref("dish_option")]
BasketId = Annotated[str, Ref("basket")]
LineId = Annotated[str, Ref("basket_line")]
AddressId = Annotated[str, Ref("dropoff_address")]
OrderId = Annotated[str, Ref("food_order")]

Cuisine = Literal["italian", "indian", "japanese", "mexican", "thai", "burgers", "bakery", "vegan"]
Stage = Literal["placed", "confirmed", "preparing", "riding", "delivered", "cancelled"]
PayWith = Literal["card", "cash", "wallet"]


class Restaurant(TypedDict):
    """One hit of a search; `delivery_minutes` is null without an address."""

    restaurant_id: RestaurantId
    name: str
    street: str
    cuisine: Cuisine
    rating: float
    open_now: bool
    open_until: str
    minimum_order: float
    delivery_fee: float
    delivery_minutes: int | None
    accepts_cash: bool


class RestaurantPage(TypedDict):
    """search_restaurants"""

    count: int
    restaurants: list[Restaurant]


class Dish(TypedDict):
    """One dish of a menu."""

    dish_id: DishId
    name: str
    section: str
    price: float
    diet: Literal["none", "vegetarian", "vegan"]
    allergens: list[str]
    sold_out: bool
    has_options: bool
    has_required_options: bool


class Menu(TypedDict):
    """get_restaurant_menu"""

    restaurant_id: RestaurantId
    name: str
    open_now: bool
    minimum_order: float
    count: int
    dishes: list[Dish]


class DishOption(TypedDict):
    """One option of a group."""

    option_id: OptionId
    name: str
    extra_price: float
    sold_out: bool


class OptionGroup(TypedDict):
    """A choice that comes with a dish."""

    group_name: str
    required: bool
    min_choices: int
    max_choices: int
    options: list[DishOption]


class DishOptions(TypedDict):
    """get_dish_options"""

    dish_id: DishId
    name: str
    price: float
    group_count: int
    option_groups: list[OptionGroup]


class BasketLine(TypedDict):
    """One line of a basket; `sold_out` if the dish or one of its options is."""

    basket_line_id: LineId
    dish_id: DishId
    dish_name: str
    option_names: list[str]
    quantity: int
    line_price: float
    sold_out: bool


class Basket(TypedDict):
    """An open basket; fee and total are null without an address, or with one that is too far away."""

    basket_id: BasketId
    restaurant_id: RestaurantId
    restaurant_name: str
    street: str
    lines: list[BasketLine]
    subtotal: float
    discount: float
    delivery_fee: float | None
    total: float | None
    minimum_order: float
    missing_to_minimum: float
    promo_code: str | None
    usable_promo_codes: list[str]


class BasketList(TypedDict):
    """list_food_baskets"""

    count: int
    wallet_balance: float
    baskets: list[Basket]


class DropoffAddress(TypedDict):
    """A saved address; `deliverable` is null unless a restaurant was given."""

    dropoff_address_id: AddressId
    label: str
    street: str
    unit: str | None
    postcode: str
    instructions: str | None
    complete: bool
    deliverable: bool | None


class AddressList(TypedDict):
    """list_dropoff_addresses"""

    count: int
    addresses: list[DropoffAddress]


class FoodOrder(TypedDict):
    """One order of the list; `delivered_at` is null until it is delivered."""

    order_id: OrderId
    restaurant_id: RestaurantId
    restaurant_name: str
    street: str
    placed_at: str
    stage: Stage
    total: float
    tip: float
    delivered_at: str | None
    can_tip: bool
    can_rate: bool
    can_report: bool


class FoodOrderPage(TypedDict):
    """list_food_orders"""

    count: int
    orders: list[FoodOrder]


class OrderLine(TypedDict):
    """One line of an order."""

    dish_id: DishId
    dish_name: str
    option_names: list[str]
    quantity: int
    line_price: float


class TrackedOrder(TypedDict):
    """track_food_order: the courier shows while riding and after; the fee while the order can be cancelled."""

    order_id: OrderId
    restaurant_id: RestaurantId
    restaurant_name: str
    street: str
    stage: Stage
    stage_since: str
    arrives_at: str | None
    promised_at: str
    courier_name: str | None
    courier_distance_km: float | None
    total: float
    tip: float
    pay_with: PayWith
    cancel_fee_now: float | None
    free_cancel_until: str | None
    lines: list[OrderLine]


class AddedDish(TypedDict):
    """add_dish_to_basket: `quantity` and `line_price` are those of the whole line."""

    basket_id: BasketId
    basket_line_id: LineId
    dish_name: str
    quantity: int
    line_price: float
    subtotal: float
    missing_to_minimum: float


class ChangedLine(TypedDict):
    """change_basket_dish"""

    basket_id: BasketId
    basket_line_id: LineId
    quantity: int
    line_price: float
    subtotal: float
    missing_to_minimum: float
    promo_dropped: bool


class DiscardedBasket(TypedDict):
    """discard_food_basket"""

    basket_id: BasketId
    restaurant_name: str
    discarded_line_count: int
    remaining_basket_count: int


class AppliedPromo(TypedDict):
    """apply_meal_promo"""

    basket_id: BasketId
    promo_code: str
    discount: float
    subtotal_after_discount: float


class SavedAddress(TypedDict):
    """add_dropoff_address: `restaurant_count` counts the restaurants that deliver there."""

    dropoff_address_id: AddressId
    label: str
    complete: bool
    restaurant_count: int


class PlacedOrder(TypedDict):
    """place_food_order"""

    order_id: OrderId
    restaurant_name: str
    stage: Stage
    total: float
    tip: float
    arrives_at: str
    free_cancel_until: str


class CancelledOrder(TypedDict):
    """cancel_food_order"""

    order_id: OrderId
    stage: Stage
    fee_charged: float
    refund_amount: float


class Tipped(TypedDict):
    """tip_food_courier: `courier_name` is null until someone rides."""

    order_id: OrderId
    courier_name: str | None
    tip: float
    total: float


class Rated(TypedDict):
    """rate_food_order: `restaurant_rating` is the restaurant's new average."""

    order_id: OrderId
    restaurant_name: str
    restaurant_stars: int
    restaurant_rating: float


class ProblemCase(TypedDict):
    """report_food_problem"""

    case_id: str
    order_id: OrderId
    compensation: float
    wallet_balance: float
