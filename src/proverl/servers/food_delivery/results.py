"""What the tools of the food delivery app take and give: entities, enumerations, and a TypedDict for each result.

Amounts are US dollars outside and cents inside.
"""

from __future__ import annotations

from typing import Annotated, Literal

from proverl.world.domain import COMPARABLE, Entity, Flag, Moment, Money, Text, TypedDict

RESTAURANT = Entity("restaurant", "rst", "search_restaurants", view="restaurant_now", order="rating DESC, name, street")
OFFER = Entity("offer", table="restaurant", view="offer", key="restaurant_id", order=RESTAURANT.order)
"""What a search goes through: a restaurant once for no address, and once for each address that it delivers to."""
DISH = Entity("dish", "dish", "get_restaurant_menu", view="dish_now", order="restaurant_id, position")
OPTION = Entity(
    "dish_option",
    "opt",
    "get_dish_options",
    view="dish_option_now",
    key="option_id",
    order="dish_id, group_position, position",
    noun="option",
)
BASKET = Entity("basket", "bsk", "list_food_baskets", view="basket_now")
LINE = Entity(
    "line",
    "line",
    "list_food_baskets",
    table="basket_line",
    view="basket_line_now",
    key="basket_line_id",
    noun="basket line",
)
ADDRESS = Entity(
    "address",
    "drp",
    "list_dropoff_addresses",
    table="dropoff_address",
    view="dropoff_address_now",
    key="dropoff_address_id",
)
ORDER = Entity(
    "order", "ford", "list_food_orders", table="food_order", view="food_order_now", order="placed_at DESC, order_id"
)
CASE = Entity("case", "case", table="problem_case")

RestaurantId = Annotated[str, RESTAURANT]
DishId = Annotated[str, DISH]
OptionId = Annotated[str, OPTION]
BasketId = Annotated[str, BASKET]
LineId = Annotated[str, LINE]
AddressId = Annotated[str, ADDRESS]
OrderId = Annotated[str, ORDER]
CaseId = Annotated[str, CASE]

Cuisine = Literal["italian", "indian", "japanese", "mexican", "thai", "burgers", "bakery", "vegan"]
Diet = Literal["vegetarian", "vegan"]
PayWith = Literal["card", "cash", "wallet"]
Problem = Literal["missing", "wrong", "cold", "spilled", "late"]
Stage = Literal["placed", "confirmed", "preparing", "riding", "delivered", "cancelled"]

Number = Annotated[int, COMPARABLE]
Rating = Annotated[float, COMPARABLE]


class Restaurant(TypedDict):
    """One hit of a search; `delivery_minutes` is null without an address."""

    restaurant_id: RestaurantId
    name: str
    street: str
    cuisine: Cuisine
    rating: Rating
    open_now: Flag
    open_until: str
    minimum_order: Money
    delivery_fee: Money
    delivery_minutes: Number | None
    accepts_cash: Flag


class RestaurantPage(TypedDict):
    """The answer of search_restaurants: `count` matches in all, of which this page shows some."""

    count: int
    restaurants: list[Restaurant]


class Dish(TypedDict):
    """One dish of a menu."""

    dish_id: DishId
    name: str
    section: str
    price: Money
    diet: Literal["none", "vegetarian", "vegan"]
    allergens: list[str]
    sold_out: Flag
    has_options: Flag
    has_required_options: Flag


class Menu(TypedDict):
    """The answer of get_restaurant_menu."""

    restaurant_id: RestaurantId
    name: str
    open_now: Flag
    minimum_order: Money
    count: int
    dishes: list[Dish]


class DishOption(TypedDict):
    """One option of a group."""

    option_id: OptionId
    name: str
    extra_price: Money
    sold_out: Flag


class OptionGroup(TypedDict):
    """A choice that comes with a dish."""

    group_name: str
    required: Flag
    min_choices: int
    max_choices: int
    options: list[DishOption]


class DishOptions(TypedDict):
    """The answer of get_dish_options."""

    dish_id: DishId
    name: str
    price: Money
    group_count: int
    option_groups: list[OptionGroup]


class BasketLine(TypedDict):
    """One line of a basket; `sold_out` if the dish or one of its options is."""

    basket_line_id: LineId
    dish_id: DishId
    dish_name: str
    option_names: list[str]
    quantity: Number
    line_price: Money
    sold_out: Flag


class Basket(TypedDict):
    """An open basket; fee and total are null without an address, or with one that is too far away."""

    basket_id: BasketId
    restaurant_id: RestaurantId
    restaurant_name: str
    street: str
    lines: list[BasketLine]
    subtotal: Money
    discount: Money
    delivery_fee: Money | None
    total: Money | None
    minimum_order: Money
    missing_to_minimum: Money
    promo_code: str | None
    usable_promo_codes: list[str]


class BasketList(TypedDict):
    """The answer of list_food_baskets."""

    count: int
    wallet_balance: Money
    baskets: list[Basket]


class DropoffAddress(TypedDict):
    """A saved address; `deliverable` says whether the restaurant's delivery area reaches it, null without one."""

    dropoff_address_id: AddressId
    label: str
    street: str
    unit: str | None
    postcode: str
    instructions: Text | None
    complete: Flag
    deliverable: Flag | None


class AddressList(TypedDict):
    """The answer of list_dropoff_addresses."""

    count: int
    addresses: list[DropoffAddress]


class FoodOrder(TypedDict):
    """One order of the list; `delivered_at` is null until it is delivered."""

    order_id: OrderId
    restaurant_id: RestaurantId
    restaurant_name: str
    street: str
    placed_at: Moment
    stage: Stage
    total: Money
    tip: Money
    delivered_at: Moment | None
    can_tip: Flag
    can_rate: Flag
    can_report: Flag


class FoodOrderPage(TypedDict):
    """The answer of list_food_orders: `count` matches in all, of which this page shows some."""

    count: int
    orders: list[FoodOrder]


class OrderLine(TypedDict):
    """One line of an order."""

    dish_id: DishId
    dish_name: str
    option_names: list[str]
    quantity: Number
    line_price: Money


class TrackedOrder(TypedDict):
    """The answer of track_food_order: the courier shows while riding and after; the fee while it can be cancelled."""

    order_id: OrderId
    restaurant_id: RestaurantId
    restaurant_name: str
    street: str
    stage: Stage
    stage_since: Moment
    arrives_at: Moment | None
    promised_at: Moment
    courier_name: str | None
    courier_distance_km: float | None
    total: Money
    tip: Money
    pay_with: PayWith
    cancel_fee_now: Money | None
    free_cancel_until: Moment | None
    lines: list[OrderLine]


class AddedDish(TypedDict):
    """The answer of add_dish_to_basket: `quantity` and `line_price` are those of the whole line."""

    basket_id: BasketId
    basket_line_id: LineId
    dish_name: str
    quantity: Number
    line_price: Money
    subtotal: Money
    missing_to_minimum: Money


class ChangedLine(TypedDict):
    """The answer of change_basket_dish."""

    basket_id: BasketId
    basket_line_id: LineId
    quantity: Number
    line_price: Money
    subtotal: Money
    missing_to_minimum: Money
    promo_dropped: Flag


class DiscardedBasket(TypedDict):
    """The answer of discard_food_basket."""

    basket_id: BasketId
    restaurant_name: str
    discarded_line_count: int
    remaining_basket_count: int


class AppliedPromo(TypedDict):
    """The answer of apply_meal_promo."""

    basket_id: BasketId
    promo_code: str
    discount: Money
    subtotal_after_discount: Money


class SavedAddress(TypedDict):
    """The answer of add_dropoff_address: `restaurant_count` counts the restaurants whose delivery area reaches it."""

    dropoff_address_id: AddressId
    label: str
    complete: Flag
    restaurant_count: int


class PlacedOrder(TypedDict):
    """The answer of place_food_order."""

    order_id: OrderId
    restaurant_name: str
    stage: Stage
    total: Money
    tip: Money
    arrives_at: Moment
    free_cancel_until: Moment


class CancelledOrder(TypedDict):
    """The answer of cancel_food_order."""

    order_id: OrderId
    stage: Stage
    fee_charged: Money
    refund_amount: Money


class Tipped(TypedDict):
    """The answer of tip_food_courier: `courier_name` is null until someone rides."""

    order_id: OrderId
    courier_name: str | None
    tip: Money
    total: Money


class Rated(TypedDict):
    """The answer of rate_food_order: `restaurant_rating` is the restaurant's new average."""

    order_id: OrderId
    restaurant_name: str
    restaurant_stars: int
    restaurant_rating: Rating


class ProblemCase(TypedDict):
    """The answer of report_food_problem."""

    case_id: CaseId
    order_id: OrderId
    compensation: Money
    wallet_balance: Money
