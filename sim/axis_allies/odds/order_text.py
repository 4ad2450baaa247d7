"""Casualty methods as players write them: `smart`, or `order: inf, tank, bb-life`, the first to go first."""

import re
from typing import get_args

from sim.axis_allies.odds.orders import LIFE, Casualties, Method, Slot
from sim.axis_allies.units import WORDS, Unit, nearest_name
from sim.core.errors import Problem, Span, TextError

MAX_TEXT = 300
"""Code points of the longest order taken: room for all units by their full names."""

METHODS: tuple[Method, ...] = get_args(Method)

_PREFIX = re.compile(r"\s*order\s*:?\s*", re.IGNORECASE)
_WORD = re.compile(r"[^\s,;>:]+")
_LIFE = re.compile(r"(?:extra[ -])?(?:life|lives)")
_FILLERS = frozenset({"then", "and", "->", "-"})


def parse_casualties(text: str) -> Casualties:
    """Read a method's name or an order of losses; TextError with every mistake and its place."""
    if len(text) > MAX_TEXT:
        message = f"The text is {len(text):,} characters long; at most {MAX_TEXT} are read."
        raise TextError(text, (Problem(Span(MAX_TEXT, MAX_TEXT + 1), message),))
    plain = text.strip().casefold()
    for method in METHODS:
        if plain.replace(" ", "-") == method:
            return method
    prefix = _PREFIX.match(text)
    words = [match for match in _WORD.finditer(text, prefix.end() if prefix else 0) if match[0] not in _FILLERS]
    order: list[Slot] = []
    problems: list[Problem] = []
    at = 0
    while at < len(words):
        slot, length = _slot([word[0].casefold() for word in words[at : at + 3]])
        span = Span(words[at].start(), words[at + length - 1].end())
        if slot is None:
            problems.append(Problem(span, "No unit has this name.", nearest_name(words[at][0])))
        elif slot in order:
            problems.append(Problem(span, "An order of losses names each unit once."))
        else:
            order.append(slot)
        at += length
    if prefix is None and len(words) == 1 and problems:
        message = f"Losses are chosen by {', '.join(METHODS)}, or in an order such as: inf, tank, bb-life."
        raise TextError(text, (Problem(problems[0].span, message),))
    if not words:
        end = Span(len(text), len(text))
        problems.append(
            Problem(end, "Name the units from the first to go to the last, as in: order: inf, tank, bb-life")
        )
    if problems:
        raise TextError(text, tuple(problems))
    return tuple(order)


def _slot(words: list[str]) -> tuple[Slot | None, int]:
    """Read one slot at the start of `words`; returns it, None for none, and how many words it takes."""
    for length in range(len(words), 0, -1):
        name = " ".join(words[:length])
        if _LIFE.fullmatch(name):
            return LIFE, length
        for cut in re.finditer(r"[ -]", name):
            owner, rest = name[: cut.start()], name[cut.end() :]
            if WORDS.get(owner) is Unit.BATTLESHIP and _LIFE.fullmatch(rest):
                return LIFE, length
        for form in (name, name.replace("-", " ")):
            if form in WORDS:
                return WORDS[form], length
    return None, 1
