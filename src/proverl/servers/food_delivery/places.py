"""A city while it is being drawn: streets, restaurants with their menus, addresses.

Covers: what seed.py makes and history.py reads. Does not cover: the rows of a finished world (schema.sql).
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from random import Random
from typing import NamedTuple

from .menu import OptionGroup, Recipe


@dataclass
class Street:
    """Houses in a row: number n stands n steps from the start."""

    name: str
    postcode: str
    x: int
    y: int
    step_x: int
    step_y: int
    last_number: int
    flats_from: int

    def at(self, number: int) -> tuple[int, int]:
        """Where a house stands."""
        return self.x + number * self.step_x, self.y + number * self.step_y


@dataclass
class Option:
    """One option of a dish."""

    option_id: str
    name: str
    extra_cents: int
    sold_out: bool


@dataclass
class Choice:
    """One option group of a dish."""

    group: OptionGroup
    options: list[Option]


@dataclass
class Dish:
    """One dish of a menu."""

    dish_id: str
    recipe: Recipe
    cents: int
    sold_out: bool
    choices: list[Choice] = field(default_factory=list)


@dataclass
class Restaurant:
    """A restaurant with its menu."""

    restaurant_id: str
    name: str
    street: Street
    x: int
    y: int
    cuisine: str
    hours: tuple[int, int]
    minimum_cents: int
    fee_cents: int
    radius: int
    prep_minutes: int
    accepts_cash: bool
    dishes: list[Dish] = field(default_factory=list)


@dataclass
class Address:
    """A saved address."""

    address_id: str
    label: str
    x: int
    y: int
    complete: bool


@dataclass
class City:
    """All that history.py needs to know of a city."""

    restaurants: list[Restaurant]
    addresses: list[Address]

    def rides(self) -> list[Ride]:
        """All pairs of a restaurant and a complete address to which it delivers."""
        found = []
        for restaurant in self.restaurants:
            for address in self.addresses:
                metres = max(250, (abs(address.x - restaurant.x) + abs(address.y - restaurant.y) + 125) // 250 * 250)
                if address.complete and metres <= restaurant.radius:
                    found.append(Ride(restaurant, address, metres))
        return found


class Ride(NamedTuple):
    """A restaurant that delivers to an address, and how far it is; schema.sql has the same sum in the view `ride`."""

    restaurant: Restaurant
    address: Address
    metres: int


class Line(NamedTuple):
    """A dish with options, as baskets and orders hold it."""

    dish: Dish
    options: tuple[Option, ...]
    quantity: int

    @property
    def option_ids(self) -> str:
        """The options as the tables keep them."""
        return json.dumps(sorted(option.option_id for option in self.options))

    @property
    def unit_cents(self) -> int:
        """The price of one, with options."""
        return self.dish.cents + sum(option.extra_cents for option in self.options)

    @property
    def cents(self) -> int:
        """The price of the line."""
        return self.quantity * self.unit_cents


def draw_line(random: Random, dish: Dish, quantity: int) -> Line:
    """A dish with what it needs chosen, and perhaps more, all in stock."""
    options: list[Option] = []
    for choice in dish.choices:
        in_stock = [option for option in choice.options if not option.sold_out]
        number = choice.group.least or int(random.random() < 0.4)
        options.extend(random.sample(in_stock, min(number, len(in_stock))))
    return Line(dish, tuple(options), quantity)


def draw_lines(random: Random, restaurant: Restaurant, least_cents: int) -> list[Line]:
    """Lines of different dishes in stock that are worth at least so much together."""
    dishes = [dish for dish in restaurant.dishes if not dish.sold_out]
    random.shuffle(dishes)
    lines: list[Line] = []
    number = random.choice((1, 2, 2, 3))
    for dish in dishes:
        lines.append(draw_line(random, dish, random.choice((1, 1, 1, 2))))
        if len(lines) >= number and sum(line.cents for line in lines) >= least_cents:
            break
    return lines
