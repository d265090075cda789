"""What the parts of the seed hand to each other while a world is being made.

Covers: drawn records, and lines of dishes drawn from a menu. Rows are those of schema.sql, by column name.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from proverl.world.domain import Builder, Row


class Recipe(NamedTuple):
    """A dish that restaurants of one cuisine may serve; `groups` names the option groups it may come with."""

    section: str
    name: str
    cents: int
    diet: str
    allergens: tuple[str, ...]
    groups: tuple[str, ...]


class Ride(NamedTuple):
    """A restaurant that delivers to a complete address, and how many minutes that takes."""

    restaurant: Row
    address_id: str
    minutes: int


class Line(NamedTuple):
    """A dish with options, as baskets and orders hold it; `cents` is the price of the line."""

    dish_id: str
    option_ids: list[str]
    quantity: int
    cents: int


@dataclass
class City:
    """Rows of a world that is being made: dishes by restaurant, option groups and options by dish."""

    inner: list[Row]
    outer: list[Row]
    restaurants: list[Row] = field(default_factory=list)
    dishes: dict[str, list[Row]] = field(default_factory=dict)
    groups: dict[str, list[Row]] = field(default_factory=dict)
    options: dict[str, list[Row]] = field(default_factory=dict)
    rides: list[Ride] = field(default_factory=list)

    def draw_line(self, world: Builder, dish: Row, quantity: int) -> Line:
        """A dish with what it needs chosen, and perhaps more."""
        random, dish_id = world.random, dish["dish_id"]
        chosen: list[Row] = []
        for group in self.groups.get(dish_id, []):
            own = [row for row in self.options[dish_id] if row["group_position"] == group["position"]]
            chosen += random.sample(own, group["least"] or int(random.random() < 0.4))
        unit = dish["price_cents"] + sum(row["extra_cents"] for row in chosen)
        return Line(dish_id, [row["option_id"] for row in chosen], quantity, quantity * unit)

    def draw_lines(self, world: Builder, restaurant: Row, least: int) -> list[Line]:
        """Lines of different dishes that are worth at least so many cents together."""
        random, lines = world.random, list[Line]()
        number = random.choice((1, 2, 2, 3))
        dishes = self.dishes[restaurant["restaurant_id"]]
        for dish in random.sample(dishes, len(dishes)):
            lines.append(self.draw_line(world, dish, random.choice((1, 1, 1, 2))))
            if len(lines) >= number and worth(lines) >= least:
                break
        return lines


def worth(lines: list[Line]) -> int:
    """What lines cost together, in cents."""
    return sum(line.cents for line in lines)
