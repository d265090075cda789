"""The one import of a domain: everything that the code of a server may use.

    from proverl.world.domain import SECRET, Day, Entity, Money, World, refuse, tool

Covers: tools, marks and types of their arguments and results, the World that a body gets, the Builder that a seed gets,
checks of money and time, refusals. Does not cover: sessions, the wire and the laws, which a domain never sees.
"""

from pydantic import Field
from typing_extensions import TypedDict

from .builder import Builder
from .marks import COMPARABLE, FREE, SECRET, Day, Entity, Flag, Moment, Money, Text
from .refusals import refuse
from .server import Server
from .state import Row
from .tools import tool
from .values import cents, check_day, check_moment, check_period, day, days, dollars, iso
from .world import Condition, Page, World, folded, phrase, shown, words

__all__ = [
    "COMPARABLE",
    "FREE",
    "SECRET",
    "Builder",
    "Condition",
    "Day",
    "Entity",
    "Field",
    "Flag",
    "Moment",
    "Money",
    "Page",
    "Row",
    "Server",
    "Text",
    "TypedDict",
    "World",
    "cents",
    "check_day",
    "check_moment",
    "check_period",
    "day",
    "days",
    "dollars",
    "folded",
    "iso",
    "phrase",
    "refuse",
    "shown",
    "tool",
    "words",
]
