"""The numbers of the specification, and what each policy must score, as data.

Covers: the figures of the method (weights, counts, worked examples), and a table of policies by task shapes with the
terms and totals that each must get under both profiles. The table was computed by hand from the formulas, before and
without the code that it judges: fractions stand as they were worked out. tests/support/reward_shapes.py acts the
policies, tests/test_claims.py compares. Does not cover: figures that need a trained model.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil

F = Fraction

# Numbers of the method

WEIGHTS = {"validity": F(1, 2), "coverage": F(1, 2), "efficiency": F(15, 100), "name": F(1, 5), "argument": F(1, 10)}
GOAL_WEIGHT = F(13, 10)
ROBUST_NORMALISER = F(26, 10)
PAPER_MAXIMUM = F(13, 10)
ALPHA = BETA = F(1, 2)
LEVELS = (F(0), F(1, 3), F(2, 3), F(1))
WITHOUT_GOAL_AT_MOST = F(1, 2)

TOOLS_PER_SERVER = {
    "banking": 17,
    "trading": 13,
    "payments": 10,
    "calendar": 17,
    "email": 17,
    "filesystem": 40,
    "shopping": 23,
    "marketplace": 13,
    "retail_chain": 11,
    "travel_booking": 20,
    "maps": 16,
    "social_media": 15,
    "team_chat": 11,
    "iot_devices": 25,
    "vehicle": 20,
    "crm": 16,
    "issue_tracker": 20,
    "budget": 12,
    "food_delivery": 17,
    "video_meeting": 10,
}
SERVERS, TOOLS = 20, 343

# Worked examples of section 7: (what happens, its score in `paper`). Each is acted in tests/test_claims.py.

WORKED = {
    "3 calls, all right": F("1.3"),
    "3 calls, one easy read and then silence": F(1, 2) + F(1, 2) * F(1, 3) + F(1, 5) + F(1, 10),  # 0.967
    "3 calls, every value wrong and every call refused": F(1, 2) * F(2, 3) + F(1, 2) + F(1, 5),  # 1.033
    "3 calls, every value wrong and every call succeeding": F(1, 2) + F(1, 2) + F(1, 5),  # 1.200
    "20 calls of ground-truth names, the first three right": F("1.3") - F("0.15") * F(1, 2) * F(20 - 5, 5),  # 1.075
    "1 call, then 99 valid repeats": F("1.3") - F("0.15") * F(1, 2) * F(100 - 2, 2),  # -2.375
}
WORKED_ROUNDED = ("1.300", "0.967", "1.033", "1.200", "1.075", "-2.375")
GAP_IN_DEVIATIONS = "0.38"
"""Of 8 good rollouts (1.3) and 7 fair ones (0.967) beside one of -2.375: how far good is from fair, in deviations."""


@dataclass(frozen=True)
class Terms:
    """The six terms of a turn with steps."""

    validity: Fraction
    coverage: Fraction
    efficiency: Fraction
    name: Fraction
    argument: Fraction
    goal: Fraction

    @property
    def paper(self) -> Fraction:
        return sum((WEIGHTS[name] * getattr(self, name) for name in WEIGHTS), F(0))

    @property
    def robust(self) -> Fraction:
        return max(F(0), self.paper + GOAL_WEIGHT * self.goal) / ROBUST_NORMALISER


def T(v: object, c: object, e: object, n: object, a: object, g: object = 0) -> Terms:
    """Validity, coverage, efficiency, name, argument, goal; numbers or fractions as text."""
    return Terms(*(F(str(value)) for value in (v, c, e, n, a, g)))


def over(calls: int, budget: int) -> Fraction:
    """The efficiency of so many calls against a budget."""
    return -ALPHA * F(max(0, calls - budget), budget)


@dataclass(frozen=True)
class Row:
    """What one policy must get on one shape.

    `robust`: per turn its terms, or the abstention score of a turn without steps. `paper`: the terms over the
    conversation, or the abstention score where nothing is to be called. `success`: whether the task counts as done.
    """

    robust: tuple[Terms | Fraction, ...]
    paper: Terms | Fraction
    success: bool = False

    def total(self, weights: tuple[int, ...]) -> Fraction:
        """The robust score of the conversation: the mean over turns, weighted by their steps (at least 1)."""
        scores = [turn.robust if isinstance(turn, Terms) else turn for turn in self.robust]
        pairs = zip(weights, scores, strict=True)
        return sum((weight * score for weight, score in pairs), F(0)) / sum(weights)

    @property
    def paper_total(self) -> Fraction:
        return self.paper.paper if isinstance(self.paper, Terms) else self.paper


RIGHT = T(1, 1, 0, 1, 1, 1)  # 2.6 / 2.6 = 1
NOTHING = T(0, 0, 0, 0, 0, 0)
WRONG = T(1, 0, 0, 1, 0, 0)  # 0.7 / 2.6: all valid, all named, nothing else
REFUSED = T("2/3", 0, 0, 1, 0, 0)  # not succeeded, so not aligned
ALL, SOME = F(1), F(1, 2)

# The shapes. n steps, slack s = ceil(n / 2), budget B = n + s, and what the goal counts.
#
# write       n 3, s 2, B 5   look-up A, look-up P, transfer(A, P, amount); goal: 2 rows
# read        n 2, s 1, B 3   look-up A, terminal balance(A); goal: 1 read
# mixed       n 4, s 2, B 6   look-up A, add payee, transfer(A, the new payee, amount), terminal balance(A); the
#                             transfer must come before the balance (state); goal: 3 rows + 1 read
# multi-turn  turn 1: n 2, s 1, B 3: look-up A, transfer(A, payee said by the user, amount); goal: 2 rows
#             turn 2: n 1, s 1, B 2: freeze the card of A; goal: 1 row. paper: n_gt 3, B 5
# clarify     turn 1: no steps, the amount is missing; turn 2 as turn 1 of multi-turn. paper: n_gt 2, B 3
# missing     turn 1: no steps, there is no transfer tool, prefix look-up A; turn 2 brings it, and is as above
# irrelevant  one turn, nothing to call
#
# In all of them every argument compared is required, so m is the share of right arguments. The transfer has three, all
# other steps one, but for adding a payee, which has two.

SHAPES = {
    "write": (3,),
    "read": (2,),
    "mixed": (4,),
    "multi-turn": (2, 1),
    "clarify": (1, 2),
    "missing": (1, 2),
    "irrelevant": (1,),
}
"""Each shape's turns with their weights: max(1, n)."""

B1 = over(40, 3)  # of the two-step turn
TABLE: dict[str, dict[str, Row]] = {}

TABLE["ground truth"] = {
    "write": Row((RIGHT,), RIGHT, True),
    "read": Row((RIGHT,), RIGHT, True),
    "mixed": Row((RIGHT,), RIGHT, True),
    "multi-turn": Row((RIGHT, RIGHT), RIGHT, True),
    "clarify": Row((ALL, RIGHT), RIGHT, True),
    "missing": Row((ALL, RIGHT), RIGHT, True),
    "irrelevant": Row((ALL,), ALL, True),
}
TABLE["silent"] = {  # no call, no text
    "write": Row((NOTHING,), NOTHING),
    "read": Row((NOTHING,), NOTHING),
    "mixed": Row((NOTHING,), NOTHING),
    "multi-turn": Row((NOTHING, NOTHING), NOTHING),
    "clarify": Row((F(0), NOTHING), NOTHING),
    "missing": Row((F(0), NOTHING), NOTHING),
    "irrelevant": Row((F(0),), ALL),  # paper: no call is all that counts
}
TABLE["text only"] = {  # "I am sorry, I cannot do that." in every turn
    "write": Row((NOTHING,), NOTHING),
    "read": Row((NOTHING,), NOTHING),
    "mixed": Row((NOTHING,), NOTHING),
    "multi-turn": Row((NOTHING, NOTHING), NOTHING),
    "clarify": Row((SOME, NOTHING), NOTHING),  # other text
    "missing": Row((SOME, NOTHING), NOTHING),  # a refusal that does not name what is missing
    "irrelevant": Row((ALL,), ALL, True),
}
TABLE["first call"] = {  # the first call of each turn, then a closing text
    "write": Row((T("1/3", "1/3", 0, "1/3", "1/3", 0),), T(1, "1/3", 0, 1, 1)),  # 1/6 and 0.967
    "read": Row((T("1/2", "1/2", 0, "1/2", "1/2", 0),), T(1, "1/2", 0, 1, 1)),
    "mixed": Row((T("1/4", "1/4", 0, "1/4", "1/4", 0),), T(1, "1/4", 0, 1, 1)),
    # turn 2 has one call, which is all of it
    "multi-turn": Row((T("1/2", "1/2", 0, "1/2", "1/2", 0), RIGHT), T(1, "2/3", 0, 1, 1)),
    "clarify": Row((ALL, T("1/2", "1/2", 0, "1/2", "1/2", 0)), T(1, "1/2", 0, 1, 1)),
    "missing": Row((ALL, T("1/2", "1/2", 0, "1/2", "1/2", 0)), T(1, "1/2", 0, 1, 1)),
}
TABLE["wrong values"] = {  # all succeed: every row changed lies beyond the goal
    "write": Row((WRONG,), T(1, 1, 0, 1, 0)),  # 7/26 and 1.200
    "read": Row((WRONG,), T(1, 1, 0, 1, 0)),
    "mixed": Row((WRONG,), T(1, 1, 0, 1, 0)),
    "multi-turn": Row((WRONG, WRONG), T(1, 1, 0, 1, 0)),
    "clarify": Row((ALL, WRONG), T(1, 1, 0, 1, 0)),
    "missing": Row((ALL, WRONG), T(1, 1, 0, 1, 0)),
}
TABLE["wrong values, refused"] = {
    "write": Row((REFUSED,), T("2/3", 1, 0, 1, 0)),  # 8/39 and 1.033
    "read": Row((REFUSED,), T("2/3", 1, 0, 1, 0)),
    "mixed": Row((REFUSED,), T("2/3", 1, 0, 1, 0)),
    "multi-turn": Row((REFUSED, REFUSED), T("2/3", 1, 0, 1, 0)),
    "clarify": Row((ALL, REFUSED), T("2/3", 1, 0, 1, 0)),
    "missing": Row((ALL, REFUSED), T("2/3", 1, 0, 1, 0)),
}
TABLE["last value wrong"] = {  # one value of the last call of each turn, which succeeds
    # m of the transfer 2/3, its two rows beyond: (0 - 2) / 2
    "write": Row((T(1, "8/9", 0, 1, "8/9", 0),), T(1, 1, 0, 1, "8/9")),
    "read": Row((T(1, "1/2", 0, 1, "1/2", 0),), T(1, 1, 0, 1, "1/2")),
    "mixed": Row((T(1, "3/4", 0, 1, "3/4", "3/4"),), T(1, 1, 0, 1, "3/4")),
    # turn 1: (1 + 2/3) / 2; turn 2: the card of another account; paper: (1 + 2/3 + 0) / 3
    "multi-turn": Row((T(1, "5/6", 0, 1, "5/6", 0), WRONG), T(1, 1, 0, 1, "5/9")),
    "clarify": Row((ALL, T(1, "5/6", 0, 1, "5/6", 0)), T(1, 1, 0, 1, "5/6")),
    "missing": Row((ALL, T(1, "5/6", 0, 1, "5/6", 0)), T(1, 1, 0, 1, "5/6")),
}
TABLE["spam"] = {  # the right calls, then the first again up to 40 calls in the first turn with steps
    "write": Row((T(1, 1, over(40, 5), F(3, 38), 1, 1),), T(1, 1, over(40, 5), 1, 1)),
    "read": Row((T(1, 1, B1, F(2, 39), 1, 1),), T(1, 1, B1, 1, 1)),
    "mixed": Row((T(1, 1, over(40, 6), F(4, 38), 1, 1),), T(1, 1, over(40, 6), 1, 1)),
    "multi-turn": Row((T(1, 1, B1, F(2, 39), 1, 1), RIGHT), T(1, 1, over(41, 5), 1, 1)),
    "clarify": Row((ALL, T(1, 1, B1, F(2, 39), 1, 1)), T(1, 1, B1, 1, 1)),
    "missing": Row((ALL, T(1, 1, B1, F(2, 39), 1, 1)), T(1, 1, B1, 1, 1)),
}
for shape in ("write", "read", "mixed", "multi-turn", "clarify", "missing"):  # it ends well: the goal is reached
    row = TABLE["spam"][shape]
    TABLE["spam"][shape] = Row(row.robust, row.paper, True)

TABLE["reversed"] = {  # each turn's calls in reversed order, ids guessed where they can be
    # the transfer (or balance) came before its look-ups: o = 0, and they still count; the goal is reached
    "write": Row((T(1, "2/3", 0, 1, 1, 1),), T(1, "2/3", 0, 1, 1), True),
    "read": Row((T(1, "1/2", 0, 1, 1, 1),), T(1, "1/2", 0, 1, 1), True),
    # the transfer to a payee who is not there yet is refused: 11/12 valid, not aligned; rows: the payee only; the old
    # balance was read. paper aligns the refused call as well (out of order: o = 0)
    "mixed": Row((T("11/12", "1/2", 0, 1, "3/4", "1/4"),), T("11/12", "1/2", 0, 1, 1)),
    "multi-turn": Row((T(1, "1/2", 0, 1, 1, 1), RIGHT), T(1, "2/3", 0, 1, 1), True),
    "clarify": Row((ALL, T(1, "1/2", 0, 1, 1, 1)), T(1, "1/2", 0, 1, 1), True),
    "missing": Row((ALL, T(1, "1/2", 0, 1, 1, 1)), T(1, "1/2", 0, 1, 1), True),
}
TABLE["skipped look-ups"] = {  # right calls from guessed ids: a skipped look-up costs its own step, not the next
    "write": Row((T("1/3", "1/3", 0, "1/3", "1/3", 1),), T(1, 0, 0, 1, 1), True),
    "read": Row((T("1/2", "1/2", 0, "1/2", "1/2", 1),), T(1, 0, 0, 1, 1), True),
    # paper: only adding the payee has no unmatched predecessor
    "mixed": Row((T("3/4", "3/4", 0, "3/4", "3/4", 1),), T(1, "1/4", 0, 1, 1), True),
    "multi-turn": Row((T("1/2", "1/2", 0, "1/2", "1/2", 1), RIGHT), T(1, 0, 0, 1, 1), True),
    "clarify": Row((ALL, T("1/2", "1/2", 0, "1/2", "1/2", 1)), T(1, 0, 0, 1, 1), True),
    "missing": Row((ALL, T("1/2", "1/2", 0, "1/2", "1/2", 1)), T(1, 0, 0, 1, 1), True),
}
TABLE["look-up by another read"] = {  # one search shows account and payee, instead of the look-ups
    "write": Row((RIGHT,), T(1, 0, 0, "1/2", 1), True),
    "read": Row((RIGHT,), T(1, 0, 0, "1/2", 1), True),
    "mixed": Row((RIGHT,), T(1, "1/4", 0, "3/4", 1), True),
    "multi-turn": Row((RIGHT, RIGHT), T(1, 0, 0, "2/3", 1), True),
    "clarify": Row((ALL, RIGHT), T(1, 0, 0, "1/2", 1), True),
    "missing": Row((ALL, RIGHT), T(1, 0, 0, "1/2", 1), True),
}
TABLE["refusal, then recovery"] = {  # the last call of each turn first with one wrong value, refused
    # robust: a third of a call. paper: the refused call is the earliest with the name and keys, its value is wrong
    "write": Row((T("8/9", 1, 0, 1, 1, 1),), T("11/12", 1, 0, 1, "8/9"), True),
    "read": Row((T("5/6", 1, 0, 1, 1, 1),), T("8/9", 1, 0, 1, "1/2"), True),
    "mixed": Row((T("11/12", 1, 0, 1, 1, 1),), T("14/15", 1, 0, 1, "3/4"), True),
    "multi-turn": Row(
        (T("5/6", 1, 0, 1, 1, 1), T("2/3", 1, 0, 1, 1, 1)), T("13/15", 1, 0, 1, "5/9"), True
    ),  # paper: (1 + 2/3 + 1 + 2/3 + 1) / 5 and (1 + 2/3 + 0) / 3
    "clarify": Row((ALL, T("5/6", 1, 0, 1, 1, 1)), T("8/9", 1, 0, 1, "5/6"), True),
    "missing": Row((ALL, T("5/6", 1, 0, 1, 1, 1)), T("8/9", 1, 0, 1, "5/6"), True),
}
for policy in ("unreadable call, then recovery", "unknown tool, then recovery"):
    TABLE[policy] = {  # a call of level 0 before the last of each turn: costs a whole call
        "write": Row((T("2/3", 1, 0, 1, 1, 1),), T("3/4", 1, 0, "3/4", 1), True),
        "read": Row((T("1/2", 1, 0, 1, 1, 1),), T("2/3", 1, 0, "2/3", 1), True),
        "mixed": Row((T("3/4", 1, 0, 1, 1, 1),), T("4/5", 1, 0, "4/5", 1), True),
        "multi-turn": Row((T("1/2", 1, 0, 1, 1, 1), T(0, 1, 0, 1, 1, 1)), T("3/5", 1, 0, "3/5", 1), True),
        "clarify": Row((ALL, T("1/2", 1, 0, 1, 1, 1)), T("2/3", 1, 0, "2/3", 1), True),
        "missing": Row((ALL, T("1/2", 1, 0, 1, 1, 1)), T("2/3", 1, 0, "2/3", 1), True),
    }
TABLE["bad arguments, then recovery"] = {  # the last call of each turn first without its first argument: level 1/3
    "write": Row((T("7/9", 1, 0, 1, 1, 1),), T("5/6", 1, 0, 1, 1), True),
    "read": Row((T("2/3", 1, 0, 1, 1, 1),), T("7/9", 1, 0, 1, 1), True),
    "mixed": Row((T("5/6", 1, 0, 1, 1, 1),), T("13/15", 1, 0, 1, 1), True),
    "multi-turn": Row((T("2/3", 1, 0, 1, 1, 1), T("1/3", 1, 0, 1, 1, 1)), T("11/15", 1, 0, 1, 1), True),
    "clarify": Row((ALL, T("2/3", 1, 0, 1, 1, 1)), T("7/9", 1, 0, 1, 1), True),
    "missing": Row((ALL, T("2/3", 1, 0, 1, 1, 1)), T("7/9", 1, 0, 1, 1), True),
}
TABLE["two reads more"] = {  # two valid reads of another name at the end of each turn with steps
    "write": Row((RIGHT,), T(1, 1, 0, "3/5", 1), True),  # 5 calls are the budget
    "read": Row((T(1, 1, "-1/6", "2/3", 1, 1),), T(1, 1, "-1/6", "1/2", 1), True),
    "mixed": Row((RIGHT,), T(1, 1, 0, "2/3", 1), True),
    "multi-turn": Row((T(1, 1, "-1/6", "2/3", 1, 1), T(1, 1, "-1/4", "1/2", 1, 1)), T(1, 1, "-1/5", "3/7", 1), True),
    "clarify": Row((ALL, T(1, 1, "-1/6", "2/3", 1, 1)), T(1, 1, "-1/6", "1/2", 1), True),
    "missing": Row((ALL, T(1, 1, "-1/6", "2/3", 1, 1)), T(1, 1, "-1/6", "1/2", 1), True),
}
TABLE["last call twice"] = {
    # a second transfer: one of two rows made (the balance is another), two beyond: (1 - 2) / 2
    "write": Row((T(1, 1, 0, 1, 1, 0),), RIGHT),
    "read": Row((RIGHT,), RIGHT, True),
    "mixed": Row((RIGHT,), RIGHT, True),
    # the second freeze is refused: a third of a call
    "multi-turn": Row((T(1, 1, 0, 1, 1, 0), T("2/3", 1, 0, 1, 1, 1)), T("14/15", 1, 0, 1, 1)),
    "clarify": Row((ALL, T(1, 1, 0, 1, 1, 0)), RIGHT),
    "missing": Row((ALL, T(1, 1, 0, 1, 1, 0)), RIGHT),
}
TABLE["transfer twice"] = {  # payee and first transfer made, balance read; second transfer and wrong balance beyond
    "mixed": Row((T(1, 1, 0, 1, 1, "1/4"),), RIGHT),  # (2 + 1 - 2) / 4
}
TABLE["write beyond the goal"] = {  # another row changed in the first turn with steps
    "write": Row((T(1, 1, 0, 1, 1, "1/2"),), T(1, 1, 0, "3/4", 1)),
    "read": Row((T(1, 1, 0, 1, 1, 0),), T(1, 1, 0, "2/3", 1)),
    "mixed": Row((T(1, 1, 0, 1, 1, "3/4"),), T(1, 1, 0, "4/5", 1)),
    "multi-turn": Row((T(1, 1, 0, 1, 1, "1/2"), RIGHT), T(1, 1, 0, "3/4", 1)),
    "clarify": Row((ALL, T(1, 1, 0, 1, 1, "1/2")), T(1, 1, 0, "2/3", 1)),
    "missing": Row((ALL, T(1, 1, 0, 1, 1, "1/2")), T(1, 1, 0, "2/3", 1)),
}
TABLE["no closing text"] = {  # right calls: the score does not fall, but the task does not count as done
    "write": Row((RIGHT,), RIGHT),
    "read": Row((RIGHT,), RIGHT),
    "mixed": Row((RIGHT,), RIGHT),
    "multi-turn": Row((RIGHT, RIGHT), RIGHT),
    "clarify": Row((F(0), RIGHT), RIGHT),
    "missing": Row((F(0), RIGHT), RIGHT),
    "irrelevant": Row((F(0),), ALL),
}
TABLE["parallel guess"] = {  # right calls in one generation: the ids cannot have come from the look-ups
    "write": Row((T(1, "2/3", 0, 1, 1, 1),), RIGHT, True),
    "read": Row((T(1, "1/2", 0, 1, 1, 1),), RIGHT, True),
    "multi-turn": Row((T(1, "1/2", 0, 1, 1, 1), RIGHT), RIGHT, True),
}
TABLE["stops after the first turn"] = {  # turns never reached score 0
    "multi-turn": Row((RIGHT, NOTHING), T(1, "2/3", 0, 1, 1)),
    "clarify": Row((ALL, NOTHING), NOTHING),
    "missing": Row((ALL, NOTHING), NOTHING),
}
TABLE["second turn's call in the first"] = {  # turn 1: 3 calls, its two rows made, the card beyond; turn 2: only text
    "multi-turn": Row((T(1, 1, 0, 1, 1, "1/2"), NOTHING), RIGHT),
}
TABLE["first turn's calls in the second"] = {  # turn 1: only text. Its steps stay open and are aligned late
    # turn 1: no call of its own, rows late; turn 2: 3 calls against a budget of 2, late rows are not beyond
    "multi-turn": Row((T(0, 1, 0, 0, 1, 0), T(1, 1, "-1/4", "1/2", 1, 1)), RIGHT),
}
TABLE["acts instead of asking"] = {  # turn 1: look-up and a transfer of a made-up amount; turn 2: the right calls
    # turn 2: the balance is another than it should be: one of two rows made, one beyond
    "clarify": Row((F(0), T(1, 1, 0, 1, 1, 0)), T(1, 1, "-1/6", 1, "5/6")),
}
TABLE["asks for the wrong slot"] = {"clarify": Row((SOME, RIGHT), RIGHT)}
TABLE["asks for everything"] = {"clarify": Row((SOME, RIGHT), RIGHT)}  # names the missing slot and two that are not
TABLE["reads, then asks"] = {"clarify": Row((F(3, 4), RIGHT), RIGHT)}  # paper: 3 calls, in budget, all named
TABLE["reads twice, then asks"] = {"clarify": Row((F(0), RIGHT), T(1, 1, "-1/6", 1, 1))}
TABLE["reads, then does not ask"] = {"clarify": Row((F(0), RIGHT), RIGHT)}
TABLE["prefix, then refuses"] = {"missing": Row((ALL, RIGHT), RIGHT, True)}
TABLE["calls the hidden tool"] = {  # level 0; in paper it comes before its predecessor, so the later call is aligned
    "missing": Row((F(0), RIGHT), T("2/3", 1, 0, 1, 1)),
}
TABLE["claims to have done it"] = {"missing": Row((SOME, RIGHT), RIGHT)}  # names the function, refuses nothing
TABLE["extra call in a turn without steps"] = {  # one read of another name, then the right text
    "clarify": Row((F(3, 4), RIGHT), T(1, 1, 0, "2/3", 1)),
    "missing": Row((F(0), RIGHT), T(1, 1, 0, "2/3", 1)),
    "irrelevant": Row((F(0),), F(0)),
}

EQUAL_TO_GROUND_TRUTH = {
    "look-up by another read",
    "two reads more",  # within the slack
    "last call twice",  # a read
    "no closing text",
    "prefix, then refuses",
    "text only",  # where nothing is to be called
}
"""The policies that may score 1 in `robust` somewhere; every other one stays below the ground truth everywhere."""


def budget(steps: int) -> int:
    """B = n + ceil(n / 2)."""
    return steps + ceil(steps * BETA)
