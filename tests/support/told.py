"""The numbers that a text names, in digits or in words up to ten."""

from __future__ import annotations

import re

NUMBER = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?(?![\w])")
WORDS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10}


def told(text: str) -> set[float]:
    """The numbers that a text names."""
    found = {float(number.replace(",", "")) for number in NUMBER.findall(text)}
    return found | {float(WORDS[word]) for word in re.findall(r"[a-z]+", text.lower()) if word in WORDS}
