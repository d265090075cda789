"""The city: streets, restaurants with their menus, the user's addresses, what is sold out today.

Covers: all that the user finds there. Does not cover: what the user has ordered (history.py) and is about to order
(wishes.py).
"""

from __future__ import annotations

import json

from proverl.world.domain import Builder, Row, folded

from ..results import DISH, OPTION, RESTAURANT
from ..tools.addresses import add_dropoff_address
from .names import draw_recipes, draw_restaurants, draw_streets, menu, words
from .rows import City, Recipe, Ride
from .wishes import Wishes

INNER_RADIUS = 1500
OUTER_RING = (3400, 4200)


def draw_city(world: Builder) -> City:
    """Streets around the centre and a few far out, restaurants and menus; all of it in stock."""
    random = world.random
    names = words()["streets"]
    inner = []
    for name in draw_streets(random, "stems", "kinds", 30):
        x, y = (random.randrange(-INNER_RADIUS, INNER_RADIUS + 1) for _ in range(2))
        inner.append(_street(world, name, random.choice(names["postcodes"]), x, y))
    outer = []
    for name in draw_streets(random, "outer_stems", "outer_kinds", 6):
        along, away = random.randrange(-800, 801), random.choice((-1, 1)) * random.randrange(*OUTER_RING)
        x, y = random.sample((along, away), 2)
        outer.append(_street(world, name, random.choice(names["outer_postcodes"]), x, y))
    city = City(inner, outer)
    world.insert_all("street", inner + outer)
    _draw_restaurants(world, city)
    _draw_menus(world, city)
    _draw_options(world, city)
    return city


def _street(world: Builder, name: str, postcode: str, x: int, y: int) -> Row:
    random = world.random
    step_x, step_y = random.choice(((8, 0), (-8, 0), (0, 8), (0, -8), (6, 4), (-5, 6)))
    last = random.randrange(30, 91)
    return {
        "street_name": name,
        "postcode": postcode,
        "x": x,
        "y": y,
        "step_x": step_x,
        "step_y": step_y,
        "last_number": last,
        "flats_from": random.randrange(last // 3, last),
    }


# Restaurants


def _draw_restaurants(world: Builder, city: City) -> None:
    """Single restaurants and branches of chains, mostly in the centre; a few open only in the evening or morning."""
    random = world.random
    fresh = draw_restaurants(random)
    cuisines = sorted(fresh)
    places: list[tuple[str, str, Row]] = []
    for cuisine in random.sample(cuisines, random.randrange(4, 7)):
        chain = next(fresh[cuisine])
        places += [(chain, cuisine, street) for street in random.sample(city.inner, random.randrange(2, 5))]
    for number in range(random.randrange(62, 79) - len(places)):
        cuisine = cuisines[number % len(cuisines)]
        street = random.choice(city.outer if random.random() < 0.05 else city.inner)
        places.append((next(fresh[cuisine]), cuisine, street))
    random.shuffle(places)
    city.restaurants = [_restaurant(world, *place) for place in places]


def _restaurant(world: Builder, name: str, cuisine: str, street: Row) -> Row:
    random = world.random
    number = random.randrange(1, street["last_number"] + 1)
    opens, closes = random.choice(words()["closed_hours" if random.random() < 0.15 else "open_hours"])
    ratings = random.randrange(12, 900)
    return {
        "restaurant_id": world.new_id(RESTAURANT),
        "name": name,
        "street": street["street_name"],
        "x": street["x"] + number * street["step_x"],
        "y": street["y"] + number * street["step_y"],
        "cuisine": cuisine,
        "stars": round(ratings * random.uniform(3.3, 4.9)),
        "ratings": ratings,
        "open_from": opens,
        "open_until": closes,
        "minimum_cents": random.choice((1000, 1200, 1500, 1500, 1800, 2000, 2000, 2500, 3000, 3500)),
        "fee_cents": random.choice((0, 99, 149, 199, 249, 299, 349, 399, 490, 590)),
        "radius": random.choice((1750, 2000, 2250, 2500, 2750, 3000, 3250, 3500)),
        "prep_minutes": random.randrange(10, 23),
        "accepts_cash": random.random() < 0.6,
    }


def _draw_menus(world: Builder, city: City) -> None:
    """A menu for each restaurant, alike in all branches of a chain; each has its own level of prices."""
    random = world.random
    share, rest = divmod(random.randrange(740, 961), len(city.restaurants))
    recipes = {cuisine: draw_recipes(random, cuisine) for cuisine in menu()["dishes"]}
    shared: dict[str, list[tuple[Recipe, int]]] = {}
    for number, restaurant in enumerate(city.restaurants):
        name, pool = restaurant["name"], recipes[restaurant["cuisine"]]
        if name not in shared:
            size = share + (number < rest) + random.choice((-1, 0, 0, 1))
            level = random.uniform(0.88, 1.18)
            chosen = [pool[place] for place in sorted(random.sample(range(len(pool)), size))]
            shared[name] = [(recipe, round(recipe.cents * level / 10) * 10) for recipe in chosen]
        restaurant["searched"] = folded(name, *(recipe.name for recipe, _ in shared[name]))
        city.dishes[restaurant["restaurant_id"]] = [
            {
                "dish_id": world.new_id(DISH),
                "restaurant_id": restaurant["restaurant_id"],
                "position": position,
                "section": recipe.section,
                "name": recipe.name,
                "price_cents": cents,
                "diet": recipe.diet,
                "allergens": json.dumps(recipe.allergens),
                "sold_out": 0,
                "groups": recipe.groups,
            }
            for position, (recipe, cents) in enumerate(shared[name])
        ]
    world.insert_all("restaurant", city.restaurants)


def _draw_options(world: Builder, city: City) -> None:
    """Give options to dishes in random order until the world has enough of them; store the dishes."""
    random = world.random
    wanted = random.randrange(650, 860)
    dishes = [dish for served in city.dishes.values() for dish in served]
    drawn = [(dish["dish_id"], list(dish.pop("groups"))) for dish in dishes]
    for dish_id, names in random.sample(drawn, len(drawn)):
        if not names:
            continue
        if random.random() < 0.7:
            names = [random.choice(names)]
        groups = [menu()["groups"][name] for name in names]
        wanted -= sum(len(group["options"]) for group in groups)
        if wanted < 0:
            break
        city.groups[dish_id] = [
            {
                "dish_id": dish_id,
                "position": place,
                "group_name": group["name"],
                "least": group["least"],
                "most": group["most"],
            }
            for place, group in enumerate(groups)
        ]
        city.options[dish_id] = [
            {
                "option_id": world.new_id(OPTION),
                "dish_id": dish_id,
                "group_position": place,
                "position": number,
                "name": name,
                "extra_cents": extra,
                "sold_out": 0,
            }
            for place, group in enumerate(groups)
            for number, (name, extra) in enumerate(group["options"])
        ]
    world.insert_all("dish", dishes)
    world.insert_all("option_group", (group for groups in city.groups.values() for group in groups))
    world.insert_all("dish_option", (option for options in city.options.values() for option in options))


def sell_out(world: Builder, city: City, wishes: Wishes) -> None:
    """Take some dishes and options out of stock today; the ready basket stays whole, the short one does not always.

    Enough options of a required group stay.
    """
    random = world.random
    kept = {dish_id for line in wishes.ready_lines for dish_id in (line.dish_id, *line.option_ids)}
    doomed = {random.choice((wishes.short_line.dish_id, *wishes.short_line.option_ids, "", ""))} - kept
    gone: list[str] = []
    for dish_id in sorted(dish["dish_id"] for served in city.dishes.values() for dish in served):
        if dish_id not in kept and (dish_id in doomed or random.random() < 0.05):
            gone.append(dish_id)
        for group in city.groups.get(dish_id, []):
            left = [row["option_id"] for row in city.options[dish_id] if row["group_position"] == group["position"]]
            for option_id in sorted(left, key=lambda one: one not in doomed):
                chosen = option_id in doomed or random.random() < 0.06
                if chosen and option_id not in kept and len(left) > group["least"]:
                    left.remove(option_id)
                    gone.append(option_id)
    ids = json.dumps(gone)
    world.run("UPDATE dish SET sold_out = 1 WHERE dish_id IN (SELECT value FROM json_each(?))", ids)
    world.run("UPDATE dish_option SET sold_out = 1 WHERE option_id IN (SELECT value FROM json_each(?))", ids)


# Addresses


def save_addresses(world: Builder, city: City) -> None:
    """Home and work, two with similar labels, one far out, one a flat without a unit number."""
    random, known = world.random, words()["addresses"]
    labels = ["home", "work", *random.choice(known["similar"])]
    streets = random.sample(city.inner, len(labels))
    bare = 2  # the flat without a unit is one of the similar two
    if random.random() < 0.6:
        labels.append(random.choice(known["far"]))
        streets.append(random.choice(city.outer))
        bare = random.randrange(2, 4)
    else:
        streets[3] = random.choice(city.outer)
    if random.random() < 0.5:
        labels.append("friend")
        streets.append(random.choice(city.inner))
    for number, (label, street) in enumerate(zip(labels, streets, strict=True)):
        last, flats = street["last_number"], street["flats_from"]
        house = random.randrange(flats if number == bare else 1, last + 1)
        unit = f"{random.randrange(1, 9)}{random.choice(('', '', 'A', 'B'))}" if house >= flats else None
        saved = world.ago(days=200 - number, hour=19, minute=random.randrange(60), second=random.randrange(60))
        world.plan(
            saved,
            add_dropoff_address,
            label,
            f"{house} {street['street_name']}",
            street["postcode"],
            None if number == bare else unit,
            random.choice(known["instructions"]) if random.random() < 0.5 else None,
        )
    world.happen()
    by_id = {restaurant["restaurant_id"]: restaurant for restaurant in city.restaurants}
    sql = """
        SELECT restaurant_id, dropoff_address_id, delivery_minutes
        FROM ride JOIN dropoff_address_now USING (dropoff_address_id) WHERE in_reach AND complete
        ORDER BY restaurant_id, dropoff_address_id
    """
    city.rides = [
        Ride(by_id[row["restaurant_id"]], row["dropoff_address_id"], row["delivery_minutes"]) for row in world.all(sql)
    ]
