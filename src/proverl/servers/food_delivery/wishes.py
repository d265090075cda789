"""What the user of a new world is about to order: two open baskets, and the promo codes of the season.

Covers: a basket that can be ordered, one below its minimum (in some worlds with something sold out in it), and codes
of every kind. Does not cover: orders placed already (history.py).
"""

from __future__ import annotations

from datetime import timedelta
from random import Random
from typing import NamedTuple

from ...world.state import Row
from ...world.values import day
from ...world.world import Builder
from . import city as names
from .lifecycle import MINUTE, minute_of_day, seconds
from .places import City, Line, Restaurant, draw_line, draw_lines


class Wishes(NamedTuple):
    """The two baskets."""

    ready: Restaurant
    ready_lines: list[Line]
    short: Restaurant
    short_lines: list[Line]

    @property
    def subtotal(self) -> int:
        """What the ready basket is worth in cents."""
        return sum(line.cents for line in self.ready_lines)


def draw_wishes(world: Builder, city: City) -> Wishes:
    """Two baskets at restaurants with different names that are open for an hour yet and deliver to three addresses."""
    random = world.random
    minute = minute_of_day(seconds(world.now))
    rides = city.rides()
    fit = [
        restaurant
        for restaurant in city.restaurants
        if restaurant.hours[0] <= minute and restaurant.hours[1] >= minute + 60
        if sum(ride.restaurant is restaurant for ride in rides) >= min(3, sum(a.complete for a in city.addresses) - 1)
    ]
    ready = random.choice(fit)
    short, line = _short(random, [place for place in fit if place.name != ready.name])
    ready_lines = draw_lines(random, ready, ready.minimum_cents + random.randrange(0, 900))
    return Wishes(ready, ready_lines, short, [line])


def _short(random: Random, restaurants: list[Restaurant]) -> tuple[Restaurant, Line]:
    """A restaurant, and one dish of it that is worth less than its minimum order."""
    for restaurant in random.sample(restaurants, len(restaurants)):
        for dish in random.sample(restaurant.dishes, len(restaurant.dishes)):
            line = draw_line(random, dish, 1)
            if restaurant.minimum_cents >= 1500 and not dish.sold_out and line.cents < restaurant.minimum_cents:
                return restaurant, line
    raise AssertionError("no restaurant for a basket below the minimum order")


def insert_baskets(world: Builder, wishes: Wishes, promo_code: str) -> None:
    """Both baskets; some worlds have a code on the ready one, and something sold out in the other."""
    random = world.random
    code = promo_code if random.random() < 0.25 else None
    _insert_basket(world, wishes.ready, wishes.ready_lines, code)
    _insert_basket(world, wishes.short, wishes.short_lines, None)
    line = wishes.short_lines[0]
    chance = random.random()
    if chance < 0.25:
        world.run("UPDATE dish SET sold_out = 1 WHERE dish_id = ?", line.dish.dish_id)
    elif chance < 0.5:
        for choice in line.dish.choices:
            chosen = [option for option in choice.options if option in line.options]
            left = [option for option in choice.options if option not in line.options and not option.sold_out]
            if chosen and len(left) >= choice.group.least:
                world.run("UPDATE dish_option SET sold_out = 1 WHERE option_id = ?", chosen[0].option_id)
                break


def _insert_basket(world: Builder, restaurant: Restaurant, lines: list[Line], code: str | None) -> None:
    random = world.random
    basket_id = world.new_id("bsk")
    world.insert(
        "basket",
        basket_id=basket_id,
        restaurant_id=restaurant.restaurant_id,
        state="open",
        promo_code=code,
        updated_at=seconds(world.now) - random.randrange(5, 1400) * MINUTE,
    )
    for line in lines:
        world.insert(
            "basket_line",
            basket_line_id=world.new_id("line"),
            basket_id=basket_id,
            dish_id=line.dish.dish_id,
            option_ids=line.option_ids,
            quantity=line.quantity,
            unit_cents=line.unit_cents,
            note=random.choice(names.KITCHEN_NOTES) if random.random() < 0.2 else None,
        )


class Codes(NamedTuple):
    """The codes that other parts of a world need: two of past orders, and one for the ready basket."""

    spent: list[Row]
    usable: str


def insert_promos(world: Builder, city: City, wishes: Wishes) -> Codes:
    """12 to 14 codes of every kind; the two on posters work on the ready basket."""
    random = world.random
    lapsed, running, coming = (-90, -3), (-30, 21), (5, 40)
    other = random.choice([r for r in city.restaurants if r.name not in (wishes.ready.name, wishes.short.name)])
    low = min(wishes.subtotal, 1000)
    # (span in days from today, minimum in cents, restaurant, only for a first order)
    kinds: list[tuple[tuple[int, int], int, Restaurant | None, bool]] = [
        (lapsed, low, None, False),
        (lapsed, 2000, None, False),
        (coming, low, None, False),
        (running, 1000, None, False),
        (running, 1000, None, False),
        (running, low, None, True),
        (running, 1500, wishes.ready, False),
        (running, low, other, False),
        (running, 6500, None, False),
        (running, max(4500, wishes.subtotal + 500), None, False),
        (running, low, None, False),
        (running, low, None, False),
    ]
    kinds += [
        (running, random.choice((1500, 2500, 3000)), None, random.random() < 0.3) for _ in range(random.randrange(3))
    ]
    codes = random.sample(_codes(names.PERCENT_CODES, names.AMOUNT_CODES), len(kinds))
    codes[10] = random.choice(_codes((names.POSTER_PERCENT_CODE,), ()))
    codes[11] = random.choice(_codes((), (names.POSTER_AMOUNT_CODE,)))
    rows = []
    for (code, percent, off), (span, minimum, restaurant, first) in zip(codes, kinds, strict=True):
        shift = random.randrange(-2, 3)
        rows.append(
            {
                "code": code,
                "percent": percent,
                "off_cents": off,
                "minimum_cents": minimum,
                "valid_from": day(world.now + timedelta(days=span[0] + shift)),
                "valid_until": day(world.now + timedelta(days=span[1] + shift)),
                "restaurant_id": restaurant.restaurant_id if restaurant else None,
                "first_order": first,
            }
        )
    world.insert_all("promo", rows)
    usable = codes[10][0]
    return Codes(rows[3:5], usable)


def _codes(percents: tuple[str, ...], amounts: tuple[str, ...]) -> list[tuple[str, int, int]]:
    """(code, percent, cents) of all codes with these stems; a code gives the same in every world."""
    percent = {f"{stem}{value}": (value, 0) for stem in percents for value in (10, 15, 20, 25)}
    amount = {f"{stem}{value}": (0, 100 * value) for stem in amounts for value in (3, 4, 5, 6)}
    return [(code, *gives) for code, gives in (percent | amount).items()]
