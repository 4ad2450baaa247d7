"""A battle as text: `5@3 vs 2@1 city 2`, units at tile values, attacker first; and how to split best, in words."""

import re
from itertools import compress, groupby
from typing import NamedTuple

from sim.core.errors import Faults, Problem, Span, check_length, check_text
from sim.core.numbers import quantity
from sim.mad_killer_agents.combat import Clash, Result, Split, is_better
from sim.mad_killer_agents.constants import MAX_VALUE, MIN_VALUE, MOUNTAIN, Technology

EXAMPLE = "5@3 vs 2@1 city 2"
MAX_BATTLE_TEXT = 200
MAX_UNITS = 100_000
"""Units of one side."""
MAX_CITY = 99

_MAX_PARTS = 12  # runs of equal parts that are told
_TECHS = (Technology.DRILL, Technology.MASONRY, Technology.MOUNTAINEERING)
_VERSUS = frozenset({"vs", "vs.", "v", "versus", "against", ">"})
_TOKEN = re.compile(r"[^\s,;]+")
_SIDE = re.compile(r"(?P<units>[0-9]+)@(?P<tile>[0-9]+)", re.ASCII)


def parse_battle(text: str, *, climbing: bool = False) -> Clash:
    """Return the battle in a text; TextError with every mistake and its span.

    `city` and its size may follow the defender, who may then have 0 units. The words `drill` (the attacker's),
    `masonry` (the defender's) and `mountaineering` may appear anywhere; without the last one or `climbing`, nobody can
    be on a mountain.
    """
    check_length(text, MAX_BATTLE_TEXT)
    reader = _Reader(text, climbing=climbing)
    found = reader.read()
    check_text(text, reader.problems)
    return found


def add_options(battle: str, city: int | None, *, drill: bool, masonry: bool, mountaineering: bool) -> str:
    """Return the text of a battle with a city's size (None for no city) and technologies added to it."""
    words = [battle] if city is None else [battle, f"city {city}"]
    return " ".join(words + list(compress(_TECHS, (drill, masonry, mountaineering))))


class SplitAdvice(NamedTuple):
    """How to split, such as "2 + 8 x 1"; what comes of it; and who need not fight, None if all fight."""

    parts: str
    outcome: str
    idle: str | None


def split_advice(clash: Clash, result: Result, split: Split) -> SplitAdvice | None:
    """Return how to split best, in words; None if an attack by all at once, with this result, is as good."""
    if not is_better(clash, result, split):
        return None
    end = "tile taken" if split.taken else f"{quantity(split.defenders_left, 'defender')} left"
    city = f", city {split.city_left}" if split.city_left else ""
    idle = clash.attackers - sum(split.parts)
    return SplitAdvice(
        _parts_text(split),
        f"{split.lost:,} lost, {f'{split.left:,} left' if split.left else 'none left'}; {end}{city}",
        f"{quantity(idle, 'unit')} can stay out of it." if idle else None,
    )


def _parts_text(split: Split) -> str:
    """Return the parts, with runs of equal ones together."""
    runs = [(part, len(list(equal))) for part, equal in groupby(split.parts)]
    texts = [f"{part:,}" if times == 1 else f"{times:,} x {part:,}" for part, times in runs]
    more = len(texts) - _MAX_PARTS
    return " + ".join(texts[:_MAX_PARTS]) + (f" + {quantity(more, 'more run')}" if more > 0 else "")


_Token = tuple[str, Span]


class _Reader:
    """Reads a battle and collects its `problems`."""

    def __init__(self, text: str, *, climbing: bool) -> None:
        self.text = text
        self.climbing = climbing
        self.problems = Faults[Problem]()

    def read(self) -> Clash:
        tokens = [(match[0], Span(*match.span())) for match in _TOKEN.finditer(self.text)]
        known = {token[0].lower() for token in tokens}.intersection(_TECHS)
        self.climbing |= Technology.MOUNTAINEERING in known
        plain = [token for token in tokens if token[0].lower() not in known]
        city, plain = self._city(plain)
        sides = [token for token in plain if token[0].lower() not in _VERSUS]
        end = Span(len(self.text), len(self.text))
        if len(sides) < 2:  # noqa: PLR2004 - the two sides
            self.problems.add(Problem(end, f"Write two armies, as in: {EXAMPLE}"))
            return Clash(1, MIN_VALUE, 1, MIN_VALUE)
        self.problems.extend(Problem(span, "Only two armies can fight.") for _, span in sides[2:])
        attackers, attacker_tile = self.side(sides[0])
        defenders, defender_tile = self.side(sides[1], minimum=0 if city else 1)
        drill, masonry = Technology.DRILL in known, Technology.MASONRY in known
        return Clash(attackers, attacker_tile, defenders, defender_tile, city, drill, masonry)

    def _city(self, tokens: list[_Token]) -> tuple[int, list[_Token]]:
        """Return the city's size, 0 for none, and the other tokens."""
        at = next((number for number, token in enumerate(tokens) if token[0].lower() == "city"), None)
        if at is None:
            return 0, tokens
        rest = tokens[:at] + tokens[at + 2 :]
        if at + 1 == len(tokens):
            self.problems.add(Problem(Span(len(self.text), len(self.text)), "How large is the city?"))
            return 0, rest
        return self._number(tokens[at + 1], "The city's size", 0, MAX_CITY), rest

    def side(self, token: _Token, minimum: int = 1) -> tuple[int, int]:
        text, span = token
        match = _SIDE.fullmatch(text)
        if match is None:
            message = f"Write an army as units@tile value, such as 5@3, not {text[:20]!r}."
            self.problems.add(Problem(span, message))
            return 1, MIN_VALUE
        start = span.start
        units = self._number(
            (match["units"], _group_span(match, "units", start)), "The number of units", minimum, MAX_UNITS
        )
        at = _group_span(match, "tile", start)
        tile = self._number((match["tile"], at), "The tile value", MIN_VALUE, MAX_VALUE)
        if tile == MOUNTAIN and not self.climbing:
            message = (
                f"{text[:20]} is on a mountain; armies there need Mountaineering: say mountaineering if they know it."
            )
            self.problems.add(Problem(at, message))
        return units, tile

    def _number(self, token: _Token, what: str, minimum: int, maximum: int) -> int:
        text, span = token
        short = text.lstrip("0") or "0"
        if not (
            text.isascii() and text.isdecimal() and len(short) <= len(str(maximum)) and minimum <= int(short) <= maximum
        ):
            message = f"{what} must be a whole number from {minimum} to {maximum:,}, not {text[:20]!r}."
            self.problems.add(Problem(span, message))
            return minimum or 1
        return int(short)


def _group_span(match: re.Match[str], group: str, offset: int) -> Span:
    start, end = match.span(group)
    return Span(offset + start, offset + end)
