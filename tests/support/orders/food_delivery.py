"""The checks of the food delivery tools in order, from the catalogue of the domain.

Where the catalogue is silent: an amount or a moment that is wrong by itself comes first, then what does not exist, then
states. Too many options of one group (invalid_argument) can be counted only once all options are known to be the
dish's own, and come before stock. A tip that the order's way of paying cannot bear comes last, as in ordering.
"""

from support.orders import Apart

ORDER = {
    "search_restaurants": "invalid_argument address_not_found",
    "get_restaurant_menu": "restaurant_not_found",
    "get_dish_options": "dish_not_found",
    "list_food_baskets": "address_not_found",
    "list_dropoff_addresses": "restaurant_not_found",
    "list_food_orders": "invalid_dates",
    "track_food_order": "order_not_found",
    "add_dish_to_basket": "dish_not_found dish_option_not_found dish_sold_out required_option_missing "
    "option_not_for_dish invalid_argument option_sold_out quantity_limit basket_limit_reached",
    "change_basket_dish": "line_not_found dish_option_not_found dish_sold_out required_option_missing "
    "option_not_for_dish invalid_argument option_sold_out quantity_limit",
    "discard_food_basket": "basket_not_found basket_already_ordered",
    "apply_meal_promo": "basket_not_found promo_not_found promo_expired promo_already_used promo_wrong_restaurant "
    "below_promo_minimum",
    "add_dropoff_address": "duplicate_label outside_service_area invalid_postcode address_limit_reached",
    "place_food_order": "invalid_argument basket_not_found address_not_found below_minimum_order restaurant_closed "
    "out_of_delivery_area address_incomplete dish_sold_out payment_not_possible",
    "cancel_food_order": "invalid_argument order_not_found already_cancelled already_on_the_way already_delivered "
    "cancel_fee_applies",
    "tip_food_courier": "invalid_argument order_not_found order_cancelled tip_window_closed tip_not_raised "
    "tip_too_high payment_not_possible",
    "rate_food_order": "order_not_found not_delivered already_rated rating_window_closed stars_out_of_range",
    "report_food_problem": "order_not_found dish_not_found not_delivered report_window_closed already_reported "
    "dish_needed dish_not_in_order problem_not_accepted",
}

APART = [
    Apart(
        "add_dish_to_basket",
        "dish_not_found",
        "invalid_argument",
        "a dish that does not exist has no group of options to take too many from",
    ),
    Apart(
        "apply_meal_promo",
        "promo_not_found",
        "promo_expired promo_already_used promo_wrong_restaurant below_promo_minimum",
        "a code that does not exist has no dates, orders, restaurant or minimum",
    ),
    Apart(
        "apply_meal_promo",
        "promo_expired",
        "promo_already_used promo_wrong_restaurant",
        "in every world the codes that are used or of one restaurant run for weeks yet, and no session lasts so long",
    ),
    Apart(
        "cancel_food_order",
        "already_cancelled",
        "already_on_the_way already_delivered cancel_fee_applies",
        "an order is in one stage, and a cancelled one has no fee any more",
    ),
    Apart(
        "cancel_food_order",
        "already_on_the_way already_delivered",
        "already_on_the_way already_delivered cancel_fee_applies",
        "an order is in one stage, and there is a fee only until the courier has it",
    ),
    Apart(
        "tip_food_courier",
        "order_cancelled",
        "tip_window_closed",
        "a cancelled order has no delivery from which the window counts",
    ),
    Apart(
        "tip_food_courier",
        "tip_not_raised",
        "tip_too_high payment_not_possible",
        "a tip that is not above the present one is within the limit too, and costs nothing more",
    ),
    Apart(
        "rate_food_order",
        "not_delivered",
        "already_rated rating_window_closed",
        "only delivered orders are rated, and the window counts from delivery",
    ),
    Apart(
        "report_food_problem",
        "not_delivered",
        "report_window_closed already_reported",
        "only delivered orders are reported, and the window counts from delivery",
    ),
    Apart(
        "report_food_problem",
        "dish_needed",
        "dish_not_found dish_not_in_order",
        "one is about a call without dishes, the others about a dish of the call",
    ),
    Apart(
        "report_food_problem",
        "dish_needed",
        "problem_not_accepted",
        "the problem late needs no dish, and only that one can be not accepted",
    ),
]
