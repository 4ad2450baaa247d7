"""A battle as text: `5@3 vs 2@1 city 2`, units at tile values, the attacker first."""

import re

from sim.core.errors import Problem, Span, TextError
from sim.mad_killer_agents.combat import Clash
from sim.mad_killer_agents.constants import HIGHEST, LOWEST

EXAMPLE = "5@3 vs 2@1 city 2"
MAX_TEXT = 200
MAX_UNITS = 100_000
"""The most units of a side that are worked out."""
MAX_CITY = 99

_VERSUS = frozenset({"vs", "vs.", "v", "versus", "against", ">"})
_TOKEN = re.compile(r"[^\s,;]+")
_SIDE = re.compile(r"(?P<units>[0-9]+)@(?P<tile>[0-9]+)", re.ASCII)


def parse_battle(text: str) -> Clash:
    """Read a battle; TextError with every mistake and its place.

    Behind the defender may stand `city` and its size, and anywhere the words `drill` (the attacker's) and `masonry`
    (the defender's). An undefended city has 0 units.
    """
    if len(text) > MAX_TEXT:
        message = f"The text is {len(text):,} characters long; at most {MAX_TEXT} are read."
        raise TextError(text, (Problem(Span(MAX_TEXT, MAX_TEXT + 1), message),))
    reader = _Reader(text)
    found = reader.read()
    if reader.problems:
        raise TextError(text, tuple(reader.problems))
    return found


def parse_side(text: str, *, city: bool = False) -> tuple[int, int]:
    """Read `5@3`: units and the value of their tile; 0 units in a `city` only. TextError for anything else."""
    reader = _Reader(text)
    read = reader.side((text, Span(0, len(text))), least=0 if city else 1)
    if reader.problems:
        raise TextError(text, tuple(reader.problems))
    return read


_Token = tuple[str, Span]


class _Reader:
    """Reads a battle; what is wrong is added to `problems`."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.problems: list[Problem] = []

    def read(self) -> Clash:
        tokens = [(match[0], Span(*match.span())) for match in _TOKEN.finditer(self.text)]
        words = [token[0].lower() for token in tokens]
        flags = {name: name in words for name in ("drill", "masonry")}
        plain = [token for token in tokens if token[0].lower() not in flags]
        city, plain = self._city(plain)
        sides = [token for token in plain if token[0].lower() not in _VERSUS]
        end = Span(len(self.text), len(self.text))
        if len(sides) < 2:  # noqa: PLR2004 - the two sides
            self.problems.append(Problem(end, f"Two armies are needed, as in: {EXAMPLE}"))
            return Clash(1, LOWEST, 1, LOWEST)
        self.problems += [Problem(span, "Only two armies can fight.") for _, span in sides[2:]]
        attackers, attacker_tile = self.side(sides[0])
        defenders, defender_tile = self.side(sides[1], least=0 if city else 1)
        return Clash(attackers, attacker_tile, defenders, defender_tile, city, **flags)

    def _city(self, tokens: list[_Token]) -> tuple[int, list[_Token]]:
        """Return the city's size, 0 without one, and the other tokens."""
        at = next((number for number, token in enumerate(tokens) if token[0].lower() == "city"), None)
        if at is None:
            return 0, tokens
        rest = tokens[:at] + tokens[at + 2 :]
        if at + 1 == len(tokens):
            self.problems.append(Problem(Span(len(self.text), len(self.text)), "How large is the city?"))
            return 0, rest
        return self._number(tokens[at + 1], "a city's size", 0, MAX_CITY), rest

    def side(self, token: _Token, least: int = 1) -> tuple[int, int]:
        text, span = token
        match = _SIDE.fullmatch(text)
        if match is None:
            message = f"An army is its units, @ and the value of its tile, such as 5@3, not {text[:20]!r}."
            self.problems.append(Problem(span, message))
            return 1, LOWEST
        start = span.start
        units = self._number((match["units"], _shifted(match, "units", start)), "an army's units", least, MAX_UNITS)
        tile = self._number((match["tile"], _shifted(match, "tile", start)), "a tile's value", LOWEST, HIGHEST)
        return units, tile

    def _number(self, token: _Token, what: str, least: int, most: int) -> int:
        text, span = token
        short = text.lstrip("0") or "0"
        if not (text.isascii() and text.isdecimal() and len(short) <= len(str(most)) and least <= int(short) <= most):
            message = f"For {what} a whole number from {least} to {most:,} is needed, not {text[:20]!r}."
            self.problems.append(Problem(span, message))
            return least or 1
        return int(short)


def _shifted(match: re.Match[str], group: str, by: int) -> Span:
    start, end = match.span(group)
    return Span(by + start, by + end)
