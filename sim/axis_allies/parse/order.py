"""Casualty orders as text: `order: inf, tank, bb-life, last destroyer`, the same after "lose:", or a method's name."""

import re
from typing import get_args

from sim.axis_allies.casualties import LIFE_OF, Casualties, Last, Method, Place
from sim.axis_allies.parse.tokens import cleaned
from sim.axis_allies.units import WORDS, Unit, nearest_name
from sim.core.errors import Faults, Problem, Span, TextError, check_length, check_text

MAX_ORDER_TEXT = 300
"""Maximum code points of an order: room for all units by their full names."""

METHODS: tuple[Method, ...] = get_args(Method)

_PREFIX = re.compile(r"\s*(?:order|lose)\b[\s:]*", re.IGNORECASE)
_WORD = re.compile(r"[^\s,;>:]+")
_LIFE_WORDS = re.compile(r"(?:extra[ -])?(?:life|lives)")
_FILLERS = frozenset({"then", "and", "->", "-"})
_LASTS = {last.value: last for last in Last}
_MAX_WORDS = 4  # aircraft carrier extra life


def parse_casualties(text: str) -> Casualties:
    """Read a casualty method or an order of losses; TextError with every mistake and its position."""
    check_length(text, MAX_ORDER_TEXT)
    problems = Faults[Problem]()
    prefix = _PREFIX.match(text)
    casualties = read_casualties(text, Span(prefix.end() if prefix else 0, len(text)), problems)
    if prefix is None and len(text.split()) == 1 and problems:
        message = f"Choose losses by {', '.join(METHODS)}, or list them in order, as in: inf, tank, bb-life."
        raise TextError(text, (Problem(problems.told[0].span, message),))
    check_text(text, problems)
    return casualties


def read_casualties(text: str, span: Span, problems: Faults[Problem]) -> Casualties:
    """Read a method or an order in a part of a text; adds mistakes to `problems`."""
    plain = "-".join(text[span.start : span.end].casefold().split())
    for method in METHODS:
        if plain == method:
            return method
    words = [match for match in _WORD.finditer(cleaned(text), span.start, span.end) if match[0] not in _FILLERS]
    order: dict[Place, None] = {}
    at = 0
    while at < len(words):
        place, length = _place([word[0].casefold() for word in words[at : at + _MAX_WORDS]])
        marked = Span(words[at].start(), words[at + length - 1].end())
        if place is None:
            near = None if problems.full else nearest_name(words[at][0])
            problems.add(Problem(marked, "No unit has this name.", near))
        elif place in order:
            problems.add(Problem(marked, "Name each unit only once."))
        elif any(isinstance(last, Last) and last.unit is place for last in order):
            problems.add(Problem(marked, f"The last {place} goes after the others: name them before it."))
        else:
            order[place] = None
        at += length
    if not words:
        end = Span(span.end, span.end)
        problems.add(Problem(end, "List the units, first loss first, as in: order: inf, tank, bb-life"))
    return tuple(order)


def _place(words: list[str]) -> tuple[Place | None, int]:
    """Return the place at the start of `words` (None if there is none) and its number of words."""
    for length in range(len(words), 0, -1):
        name = " ".join(words[:length])
        if _LIFE_WORDS.fullmatch(name):
            return LIFE_OF[Unit.BATTLESHIP], length
        if name.startswith("last "):
            last = name.removeprefix("last ")
            unit = WORDS.get(last)
            found = _LASTS.get(name) or _LASTS.get(f"last {last if unit is None else unit.value}")
            if found is not None:
                return found, length
        for cut in re.finditer(r"[ -]", name):
            owner, rest = name[: cut.start()], name[cut.end() :]
            if (ship := WORDS.get(owner)) in LIFE_OF and _LIFE_WORDS.fullmatch(rest):
                return LIFE_OF[ship], length
        for form in (name, name.replace("-", " "), name.replace("_", " ")):
            if form in WORDS:
                return WORDS[form], length
    return None, 1


def order_text(casualties: Casualties) -> str:
    """Return text that `parse_casualties` reads as the same method or order."""
    return casualties if isinstance(casualties, str) else ", ".join(place.value for place in casualties)
