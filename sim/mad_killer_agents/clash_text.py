"""A battle as text: `5@3 vs 2@1 city 2`, units at tile values, attacker first; read as players type it, and written.

Source: .docs/rules/mad_killer_agents.md, "A battle as text".
"""

import re
from itertools import compress

from sim.core.errors import Faults, Problem, Span, Token, check_length, check_text
from sim.core.plainer import HEADINGS, VERSUS, Habits
from sim.core.values import Side
from sim.mad_killer_agents.combat import MAX_CITY, MAX_UNITS, Clash
from sim.mad_killer_agents.constants import MAX_VALUE, MIN_VALUE, MOUNTAIN, Technology

BATTLE_EXAMPLE = "5@3 vs 2@1 city 2"
MAX_BATTLE_TEXT = 200

_TECHS = (Technology.DRILL, Technology.MASONRY, Technology.MOUNTAINEERING)
_CITY = "city"
_KNOWLEDGE = rf"(?:{'|'.join(_TECHS)})"
_VALUE = r"(?:tile\s+values?|tiles?|tv|value)"
# 5 units on TV 3, 5 at 3, 5 (TV 3); not the end of 5@3 on 2@1
_UNITS = r"(?<![@0-9.,])([0-9]+)\s*(?:units?|u|men)?"
_STANDING = rf"(?:(?:on|at|@)\s*(?:an?\s+|the\s+)?{_VALUE}?|{_VALUE})"
_HABITS = Habits(
    r"mka(?:\s+battle\b(?!:))?(?:\s+battle:)?",
    (rf"([0-9]+)\s*@\s*(?:{_VALUE}\s*)?([0-9]+)", r"\1@\2"),
    (r"(?<![@0-9])([0-9]{1,3}),([0-9]{3})(?=\s*@)", r"\1\2"),
    (rf"{_UNITS}\s*[(\[]?\s*{_STANDING}\s*:?\s*(?:of\s+)?([0-9]+)(?![0-9@])(?:\s*[)\]])?", r"\1@\2"),
    (rf"\b({_KNOWLEDGE}|{_CITY})\s*[:=]\s*(?:true|yes|on)\b", r"\1"),
    (rf"\b(?:{_KNOWLEDGE}|{_CITY})\s*[:=]\s*(?:false|no|off|none)\b", ""),
    (rf"\b(?:no|without)\s+{_KNOWLEDGE}(?:\s*(?:and|or|nor|&)\s*{_KNOWLEDGE})*", ""),
    (rf"\b(?:no|without(?:\s+an?)?)\s+{_CITY}\b", ""),
    (rf"\bsize[\s-]*([0-9]+)\s+{_CITY}\b", rf"{_CITY} \1"),
    numbers=True,
)
_VERBS = frozenset({"attack", "attacks", "attacking", "on", "into", "to"})
_FILLERS = frozenset({"and", "with", "plus", "the", "a", "an", "in", "of", "size", "has", "have", "knows", "know"})
_LETTERS = {"a": Side.ATTACKER, "d": Side.DEFENDER}
_DROPPED = VERSUS | _FILLERS | {":"}
_TOKEN = re.compile(
    r"[0-9]+@[0-9]+(?![0-9@]|\.[0-9])|v\.s\.|v/s|[^\W\d_]+\.?|:"
    r"|[-=]*[>\u2192\u27a1\u2694\U0001f19a]\ufe0f?|(?<=\w)[-/\u2013\u2014](?=\w)|(?<!\S)[-/\u2013\u2014](?!\S)"
    r"|[^\s,;:=()\[\]+&|]+",
    re.IGNORECASE,
)
_SIGN = re.compile(r"[-=]*[>\u2192\u27a1\u2694\U0001f19a]\ufe0f?|[-/\u2013\u2014]")
_SIDE = re.compile(r"(?P<units>[0-9]+)@(?P<tile>[0-9]+)", re.ASCII)
_WORDS = re.compile(r"[^\s,;]+")


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
    words = [battle] if city is None else [battle, f"{_CITY} {city}"]
    return " ".join(words + list(compress(_TECHS, (drill, masonry, mountaineering))))


def battle_text(clash: Clash) -> str:
    """Return one line that `parse_battle` reads as the same battle."""
    sides = f"{clash.attackers}@{clash.attacker_tile} vs {clash.defenders}@{clash.defender_tile}"
    climbing = MOUNTAIN in {clash.attacker_tile, clash.defender_tile}
    return add_options(sides, clash.city or None, drill=clash.drill, masonry=clash.masonry, mountaineering=climbing)


def read_as(text: str, clash: Clash) -> str | None:
    """Return how a text was read as a battle, in one line as it is typed plainly; None for a text that is as plain."""
    told = battle_text(clash)
    asides = VERSUS | {Technology.MOUNTAINEERING}
    plain = ([word for word in _WORDS.findall(one.casefold()) if word not in asides] for one in (text, told))
    return None if sorted(next(plain)) == sorted(next(plain)) else told


class _Reader:
    """Reads a battle and collects its `problems`."""

    def __init__(self, text: str, *, climbing: bool) -> None:
        self.text = text
        self.climbing = climbing
        self.problems = Faults[Problem]()

    def read(self) -> Clash:
        tokens = [Token(match[0], Span(*match.span())) for match in _TOKEN.finditer(_HABITS.cleaned(self.text))]
        known = {token.word for token in tokens}.intersection(_TECHS)
        self.climbing |= Technology.MOUNTAINEERING in known
        city, plain = self._city([token for token in tokens if token.word not in known])
        sides, owners = self._sides(plain)
        if len(sides) < len(Side):
            if not self.problems:
                self.problems.add(Problem(self.end, f"Write two armies, as in: {BATTLE_EXAMPLE}"))
            return Clash(1, MIN_VALUE, 1, MIN_VALUE)
        third = f"Only two armies can fight, as in: {BATTLE_EXAMPLE}"
        self.problems.extend(Problem(token.span, third) for token in sides[2:])
        if owners[0] is not None and owners[0] is owners[1]:
            self.problems.add(Problem(sides[1].span, f"The {owners[0]} is there twice, not as in: {BATTLE_EXAMPLE}"))
        if owners[0] is Side.DEFENDER or owners[1] is Side.ATTACKER:
            sides.reverse()
        attackers, attacker_tile = self._side(sides[0])
        defenders, defender_tile = self._side(sides[1], minimum=0 if city else 1)
        drill, masonry = Technology.DRILL in known, Technology.MASONRY in known
        return Clash(attackers, attacker_tile, defenders, defender_tile, city, drill, masonry)

    @property
    def end(self) -> Span:
        """The empty span at the end of the text, where something is missing."""
        return Span(len(self.text), len(self.text))

    def _sides(self, tokens: list[Token]) -> tuple[list[Token], list[Side | None]]:
        """Return the armies, and whose each one is by a heading before it."""
        sides: list[Token] = []
        owners: list[Side | None] = []
        owner: Side | None = None
        for at, token in enumerate(tokens):
            colon = at + 1 < len(tokens) and tokens[at + 1].text == ":"
            heading = (_LETTERS | HEADINGS if colon else HEADINGS).get(token.word)
            ahead = tokens[at + 1 + colon] if at + 1 + colon < len(tokens) else None
            heads = heading is not None and ahead is not None and _SIDE.fullmatch(ahead.text) is not None
            # Without a colon it may also belong to the army before it, unless that one has its own.
            if heads and (colon or (token.word not in _VERBS and (not owners or owners[0] is not None))):
                owner = heading
            elif _SIDE.fullmatch(token.text):
                sides.append(token)
                owners.append(owner)
                owner = None
            elif not self._means_nothing(token, len(sides)):
                message = f"Write an army as units@tile value, not {token.text[:20]!r}, as in: {BATTLE_EXAMPLE}"
                self.problems.add(Problem(token.span, message))
        return sides, owners

    def _means_nothing(self, token: Token, sides: int) -> bool:
        """Return whether a word or sign says nothing behind so many armies; a verb does between two."""
        if token.word in _VERBS:
            return sides == 1
        return token.word in _DROPPED or _SIGN.fullmatch(token.text) is not None

    def _city(self, tokens: list[Token]) -> tuple[int, list[Token]]:
        """Return the city's size, 0 for none, and the other tokens."""
        at = next((number for number, token in enumerate(tokens) if token.word == _CITY), None)
        if at is None:
            return 0, tokens
        end = at + 1
        while end < len(tokens) and tokens[end].word in {":", "of", "size"}:
            end += 1
        rest = tokens[:at] + tokens[end + 1 :]
        if end == len(tokens):
            self.problems.add(Problem(self.end, f"How large is the city? Put its size after it: {BATTLE_EXAMPLE}"))
            return 0, rest
        return self._number(tokens[end], "The city's size", 0, MAX_CITY), rest

    def _side(self, token: Token, minimum: int = 1) -> tuple[int, int]:
        units_text, tile_text = token.text.split("@")
        at = token.span.start + len(units_text)
        units = self._number(Token(units_text, Span(token.span.start, at)), "The number of units", minimum, MAX_UNITS)
        value = Token(tile_text, Span(at + 1, token.span.end))
        tile = self._number(value, "The tile value", MIN_VALUE, MAX_VALUE)
        if tile == MOUNTAIN and not self.climbing:
            short = token.text[:20]
            message = f"{short} is on a mountain; armies there need Mountaineering: say mountaineering if they know it."
            self.problems.add(Problem(value.span, message))
        return units, tile

    def _number(self, token: Token, what: str, minimum: int, maximum: int) -> int:
        short = token.text.lstrip("0") or "0"
        plain = short.isascii() and short.isdecimal() and len(short) <= len(str(maximum))
        if not (plain and minimum <= int(short) <= maximum):
            message = f"{what} must be a whole number from {minimum} to {maximum:,}, not {token.text[:20]!r}."
            self.problems.add(Problem(token.span, message))
            return minimum or 1
        return int(short)
