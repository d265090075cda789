"""A food delivery app: restaurants, baskets, orders and what becomes of them.

Covers: finding restaurants that deliver to an address, menus with options, one basket per restaurant, promo codes,
ordering with card, cash or an app wallet, the stages of an order by the clock, cancelling, tips, ratings, complaints
with their compensation. Does not cover: couriers' and kitchens' side, changing an address or an order, payment by card
beyond its choice, more than one user. Money is in USD, times are those of the city (offset 0).
"""

from datetime import timedelta

from proverl.world.domain import Server

from .seed import build
from .tools import addresses, after_delivery, baskets, orders, restaurants

server = Server(
    "food_delivery",
    package=__name__,
    category="Lifestyle",
    about="""A food delivery app: find restaurants that deliver to an address, put dishes with options into a basket per
        restaurant, order, follow the order from the kitchen to the door, tip, rate and complain.""",
    tools=[restaurants, baskets, addresses, orders, after_delivery],
    seed=build,
    discovery=[
        "search_restaurants",
        "get_restaurant_menu",
        "list_food_baskets",
        "list_dropoff_addresses",
        "list_food_orders",
        "track_food_order",
    ],
    opens=12,
    tick=timedelta(minutes=3),
)
