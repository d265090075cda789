"""A city with its restaurants and menus, drawn from a seed.

Covers: streets, restaurants, dishes and options, addresses. Does not cover: what the user has ordered (history.py)
and is about to order (wishes.py).

Near-duplicates on purpose: chains whose branches share name and menu, restaurants and streets with similar names,
dishes of one name at many restaurants, addresses with similar labels.
"""

from __future__ import annotations

import json
from random import Random

from ...world.world import Builder
from . import city as names
from .history import fill_history
from .menu import GROUPS, RECIPES, OptionGroup, Recipe
from .places import Address, Choice, City, Dish, Option, Restaurant, Street
from .wishes import draw_wishes, insert_baskets, insert_promos

INNER_RADIUS = 1500
OUTER_RING = (3400, 4200)


def build(world: Builder) -> None:
    """A city, its restaurants and menus, the user's addresses, and what the user did so far."""
    inner, outer = _streets(world)
    restaurants = _restaurants(world, inner, outer)
    _menus(world, restaurants)
    addresses = _addresses(world, inner, outer)
    city = City(restaurants, addresses)
    wishes = draw_wishes(world, city)
    codes = insert_promos(world, city, wishes)
    insert_baskets(world, wishes, codes.usable)
    fill_history(world, city, codes.spent)


def _streets(world: Builder) -> tuple[list[Street], list[Street]]:
    """Streets around the centre, and a few far out; they lie elsewhere in each world."""
    random = world.random
    inner = [
        _street(random, name, postcode, *(random.randrange(-INNER_RADIUS, INNER_RADIUS + 1) for _ in range(2)))
        for name, postcode in names.STREETS.items()
    ]
    outer = []
    for name, postcode in names.OUTER_STREETS.items():
        along, away = random.randrange(-800, 801), random.choice((-1, 1)) * random.randrange(*OUTER_RING)
        outer.append(_street(random, name, postcode, *random.sample((along, away), 2)))
    world.insert_all(
        "street",
        [
            {
                "street_name": street.name,
                "postcode": street.postcode,
                "x": street.x,
                "y": street.y,
                "step_x": street.step_x,
                "step_y": street.step_y,
                "last_number": street.last_number,
                "flats_from": street.flats_from,
            }
            for street in inner + outer
        ],
    )
    return inner, outer


def _street(random: Random, name: str, postcode: str, x: int, y: int) -> Street:
    step = random.choice(((8, 0), (-8, 0), (0, 8), (0, -8), (6, 4), (-5, 6)))
    last = random.randrange(30, 91)
    return Street(name, postcode, x, y, *step, last, random.randrange(last // 3, last))


def _restaurants(world: Builder, inner: list[Street], outer: list[Street]) -> list[Restaurant]:
    """Single restaurants and branches of chains, mostly in the centre; a few open only in the evening or morning."""
    random = world.random
    total = random.randrange(62, 79)
    chains = random.sample(sorted(names.CHAINS), random.randrange(4, 7))
    places: list[tuple[str, str, Street]] = []
    for chain in chains:
        for street in random.sample(inner, random.randrange(2, 5)):
            places.append((chain, names.CHAINS[chain], street))
    singles = [(name, cuisine) for cuisine, pool in names.RESTAURANTS.items() for name in pool]
    for name, cuisine in random.sample(singles, total - len(places)):
        places.append((name, cuisine, random.choice(outer if random.random() < 0.05 else inner)))
    random.shuffle(places)
    restaurants = [_restaurant(world, *place) for place in places]
    world.insert_all("restaurant", [_restaurant_row(random, restaurant) for restaurant in restaurants])
    return restaurants


def _restaurant(world: Builder, name: str, cuisine: str, street: Street) -> Restaurant:
    random = world.random
    hours = random.choice(names.CLOSED_HOURS if random.random() < 0.15 else names.OPEN_HOURS)
    return Restaurant(
        world.new_id("rst"),
        name,
        street,
        *street.at(random.randrange(1, street.last_number + 1)),
        cuisine,
        hours,
        minimum_cents=random.choice((1000, 1200, 1500, 1500, 1800, 2000, 2000, 2500, 3000, 3500)),
        fee_cents=random.choice((0, 99, 149, 199, 249, 299, 349, 399, 490, 590)),
        radius=random.choice((1750, 2000, 2250, 2500, 2750, 3000, 3250, 3500)),
        prep_minutes=random.randrange(10, 23),
        accepts_cash=random.random() < 0.6,
    )


def _restaurant_row(random: Random, restaurant: Restaurant) -> dict[str, object]:
    ratings = random.randrange(12, 900)
    return {
        "restaurant_id": restaurant.restaurant_id,
        "name": restaurant.name,
        "street": restaurant.street.name,
        "x": restaurant.x,
        "y": restaurant.y,
        "cuisine": restaurant.cuisine,
        "stars": round(ratings * random.uniform(3.3, 4.9)),
        "ratings": ratings,
        "open_from": restaurant.hours[0],
        "open_until": restaurant.hours[1],
        "minimum_cents": restaurant.minimum_cents,
        "fee_cents": restaurant.fee_cents,
        "radius": restaurant.radius,
        "prep_minutes": restaurant.prep_minutes,
        "accepts_cash": restaurant.accepts_cash,
    }


def _menus(world: Builder, restaurants: list[Restaurant]) -> None:
    """A menu for each restaurant, alike in all branches of a chain, and options for a part of the dishes."""
    random = world.random
    share, rest = divmod(random.randrange(740, 961), len(restaurants))
    shared: dict[str, list[tuple[Recipe, int]]] = {}
    for number, restaurant in enumerate(restaurants):
        if restaurant.name not in shared:
            size = share + (number < rest) + random.choice((-1, 0, 0, 1))
            shared[restaurant.name] = _menu(random, restaurant.cuisine, size)
        for recipe, price in shared[restaurant.name]:
            restaurant.dishes.append(Dish(world.new_id("dish"), recipe, price, random.random() < 0.05))
    _choose_options(world, restaurants)
    _insert_menus(world, restaurants)


def _menu(random: Random, cuisine: str, size: int) -> list[tuple[Recipe, int]]:
    """Some dishes of a cuisine in the order of the menu, at the price level of one restaurant."""
    recipes = RECIPES[cuisine]
    level = random.uniform(0.88, 1.18)
    chosen = sorted(random.sample(range(len(recipes)), size))
    return [(recipes[place], round(recipes[place].cents * level / 10) * 10) for place in chosen]


def _choose_options(world: Builder, restaurants: list[Restaurant]) -> None:
    """Give options to dishes in random order until the world has enough of them."""
    random = world.random
    wanted = random.randrange(650, 860)
    with_groups = [dish for restaurant in restaurants for dish in restaurant.dishes if dish.recipe.groups]
    random.shuffle(with_groups)
    for dish in with_groups:
        groups = [GROUPS[name] for name in dish.recipe.groups.split()]
        if random.random() < 0.7:
            groups = [random.choice(groups)]
        size = sum(len(group.options) for group in groups)
        if wanted < size:
            break
        wanted -= size
        dish.choices = [_choice(world, group) for group in groups]


def _choice(world: Builder, group: OptionGroup) -> Choice:
    """The options of a group; enough of a required one stay in stock."""
    options = [Option(world.new_id("opt"), name, extra, world.random.random() < 0.06) for name, extra in group.options]
    while sum(not option.sold_out for option in options) < group.least:
        next(option for option in options if option.sold_out).sold_out = False
    return Choice(group, options)


def _insert_menus(world: Builder, restaurants: list[Restaurant]) -> None:
    dishes, groups, options = [], [], []
    for restaurant in restaurants:
        for position, dish in enumerate(restaurant.dishes):
            recipe = dish.recipe
            dishes.append(
                {
                    "dish_id": dish.dish_id,
                    "restaurant_id": restaurant.restaurant_id,
                    "position": position,
                    "section": recipe.section,
                    "name": recipe.name,
                    "price_cents": dish.cents,
                    "diet": recipe.diet,
                    "allergens": json.dumps(recipe.allergens.split()),
                    "sold_out": dish.sold_out,
                }
            )
            for place, choice in enumerate(dish.choices):
                groups.append(
                    {
                        "dish_id": dish.dish_id,
                        "position": place,
                        "group_name": choice.group.name,
                        "least": choice.group.least,
                        "most": choice.group.most,
                    }
                )
                for number, option in enumerate(choice.options):
                    options.append(
                        {
                            "option_id": option.option_id,
                            "dish_id": dish.dish_id,
                            "group_position": place,
                            "position": number,
                            "name": option.name,
                            "extra_cents": option.extra_cents,
                            "sold_out": option.sold_out,
                        }
                    )
    world.insert_all("dish", dishes)
    world.insert_all("option_group", groups)
    world.insert_all("dish_option", options)


def _addresses(world: Builder, inner: list[Street], outer: list[Street]) -> list[Address]:
    """Home and work, two with similar labels, one far out, one a flat without a unit number."""
    random = world.random
    similar = random.choice(names.SIMILAR_LABELS)
    labels = ["home", "work", *similar]
    streets = random.sample(inner, len(labels))
    if random.random() < 0.6:
        labels.append(random.choice(names.FAR_LABELS))
        streets.append(random.choice(outer))
        bare = random.randrange(2, 4)  # the flat without a unit is one of the similar two
    else:
        bare = 2
        streets[3] = random.choice(outer)
    if random.random() < 0.5:
        labels.append("friend")
        streets.append(random.choice(inner))
    addresses = []
    for number, (label, street) in enumerate(zip(labels, streets, strict=True)):
        addresses.append(_address(world, label, street, number == bare))
    return addresses


def _address(world: Builder, label: str, street: Street, bare: bool) -> Address:
    random = world.random
    low, high = (street.flats_from, street.last_number) if bare else (1, street.last_number)
    house = random.randrange(low, high + 1)
    is_flat = house >= street.flats_from
    unit = f"{random.randrange(1, 9)}{random.choice(('', '', 'A', 'B'))}" if is_flat and not bare else None
    x, y = street.at(house)
    address = Address(world.new_id("drp"), label, x, y, not bare)
    world.insert(
        "dropoff_address",
        dropoff_address_id=address.address_id,
        label=label,
        street=f"{house} {street.name}",
        unit=unit,
        postcode=street.postcode,
        instructions=random.choice(names.INSTRUCTIONS) if random.random() < 0.5 else None,
        is_flat=is_flat,
        x=x,
        y=y,
    )
    return address
