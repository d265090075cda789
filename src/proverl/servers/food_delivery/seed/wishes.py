"""What the user is about to order: two open baskets, and the promo codes of the season.

Covers: a basket that can be ordered, one below its minimum, and codes of every kind. Does not cover: orders placed
already (history.py), and what is sold out (city.py).
"""

from __future__ import annotations

from datetime import timedelta
from typing import NamedTuple

from proverl.world.domain import Builder, Row, day, days

from ..tools.baskets import add_dish_to_basket, apply_meal_promo
from .names import draw_codes, words
from .rows import City, Line, worth


class Wishes(NamedTuple):
    """The two baskets: rows of their restaurants, and lines."""

    ready: Row
    ready_lines: list[Line]
    short: Row
    short_line: Line


class Promos(NamedTuple):
    """The codes that other parts of a world need: two of past orders with their minimums, one for the ready basket."""

    spent: list[tuple[str, int]]
    usable: str


def draw_wishes(world: Builder, city: City) -> Wishes:
    """Two baskets at restaurants with different names that are open for an hour yet and deliver to most addresses.

    Where too few restaurants reach so many addresses, one address fewer is enough.
    """
    noon = world.opening.hour * 60
    reach = [ride.restaurant["restaurant_id"] for ride in city.rides]
    most = min(3, len({ride.address_id for ride in city.rides}) - 1)
    for enough in range(most, 0, -1):
        fit = [
            row
            for row in city.restaurants
            if row["open_from"] <= noon <= row["open_until"] - 60 and reach.count(row["restaurant_id"]) >= enough
        ]
        wishes = _wishes_at(world, city, fit)
        if wishes is not None:
            return wishes
    raise AssertionError("no restaurant for a basket below the minimum order")


def _wishes_at(world: Builder, city: City, fit: list[Row]) -> Wishes | None:
    """Two baskets at some of these restaurants; None if no second one has a dish below a minimum of 15 dollars."""
    random = world.random
    if not fit:
        return None
    ready = random.choice(fit)
    lines = city.draw_lines(world, ready, ready["minimum_cents"] + random.randrange(0, 900))
    for short in random.sample(fit, len(fit)):
        line = city.draw_line(world, random.choice(city.dishes[short["restaurant_id"]]), 1)
        if short["name"] != ready["name"] and line.cents < short["minimum_cents"] >= 1500:
            return Wishes(ready, lines, short, line)
    return None


def draw_promos(world: Builder, city: City, wishes: Wishes) -> Promos:
    """12 to 14 codes of every kind; the two on posters work on the ready basket."""
    random, subtotal = world.random, worth(wishes.ready_lines)
    lapsed, running, coming = (-90, -3), (-30, 21), (5, 40)
    other = random.choice(
        [row for row in city.restaurants if row["name"] not in (wishes.ready["name"], wishes.short["name"])]
    )
    low = min(subtotal, 1000)
    # (span in days from today, minimum in cents, restaurant, only for a first order)
    kinds: list[tuple[tuple[int, int], int, Row | None, bool]] = [
        (running, 1000, None, False),
        (running, 1000, None, False),
        (lapsed, low, None, False),
        (lapsed, 2000, None, False),
        (coming, low, None, False),
        (running, low, None, True),
        (running, 1500, wishes.ready, False),
        (running, low, other, False),
        (running, 6500, None, False),
        (running, max(4500, subtotal + 500), None, False),
    ]
    for _ in range(random.randrange(3)):
        kinds.append((running, random.choice((1500, 2500, 3000)), None, random.random() < 0.3))
    kinds += [(running, low, None, False)] * 2
    codes = draw_codes(random, len(kinds))
    for (code, percent, off), (span, minimum, restaurant, first) in zip(codes, kinds, strict=True):
        shift = random.randrange(-2, 3)
        world.insert(
            "promo",
            code=code,
            percent=percent,
            off_cents=off,
            minimum_cents=minimum,
            valid_from=day(world.opening + days(span[0] + shift)),
            valid_until=day(world.opening + days(span[1] + shift)),
            restaurant_id=restaurant and restaurant["restaurant_id"],
            first_order=first,
        )
    return Promos([(code, kinds[place][1]) for place, (code, *_) in enumerate(codes[:2])], codes[-2][0])


def plan_baskets(world: Builder, wishes: Wishes, code: str) -> None:
    """Both baskets, filled in the last minute; some worlds have a code on the ready one."""
    random = world.random
    moment = world.opening - timedelta(seconds=random.randrange(20, 59))
    world.plan(moment, _fill, wishes.ready_lines, code if random.random() < 0.25 else None)
    world.plan(moment, _fill, [wishes.short_line], None)


def _fill(world: Builder, lines: list[Line], code: str | None) -> None:
    basket_id = fill_basket(world, lines)
    if code is not None:
        apply_meal_promo(world, basket_id, code)


def fill_basket(world: Builder, lines: list[Line]) -> str:
    """Put lines of one restaurant into its basket; returns the basket's id."""
    random, basket_id = world.random, ""
    for line in lines:
        note = random.choice(words()["kitchen_notes"]) if random.random() < 0.2 else None
        basket_id = add_dish_to_basket(world, line.dish_id, line.quantity, line.option_ids, note)["basket_id"]
    return basket_id
