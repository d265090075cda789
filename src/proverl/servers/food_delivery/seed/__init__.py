"""A delivery city and what one user did in it, drawn from a seed.

Covers: the order in which a world is made. Streets, restaurants and their menus are drawn (city.py), all else is booked
by calling the tools at moments of the past: addresses (city.py), orders and what became of them (history.py), two open
baskets (wishes.py). So no world breaks a rule of the tools.

Near-duplicates on purpose: chains whose branches share name and menu, restaurants, streets and dishes with similar
names, dishes of one name at many restaurants, addresses with similar labels.
"""

from proverl.world.domain import Builder

from .city import draw_city, save_addresses, sell_out
from .history import plan_orders
from .names import words
from .wishes import draw_promos, draw_wishes, plan_baskets


def build(world: Builder) -> None:
    """Make the world of a seed."""
    random = world.random
    city = draw_city(world)
    opening = random.randrange(1500, 5000) * 10
    world.insert("account", account_id=1, wallet_cents=opening, opening_cents=opening)
    couriers = random.sample(words()["couriers"], random.randrange(8, 13))
    world.insert_all("courier", [{"courier_id": number, "name": name} for number, name in enumerate(couriers, 1)])
    save_addresses(world, city)
    wishes = draw_wishes(world, city)
    promos = draw_promos(world, city, wishes)
    plan_orders(world, city, promos.spent)
    plan_baskets(world, wishes, promos.usable)
    world.happen()
    assert not world.dropped, f"the rules refused what should have happened: {dict(world.dropped)}"
    sell_out(world, city, wishes)
