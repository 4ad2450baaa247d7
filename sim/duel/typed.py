"""Fighters as people type them: `Brenna, 8 hp str +1, 3 x wolf 9 hp 1d6`."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from sim.core.errors import Problem, RuleError, Span, TextError
from sim.core.names import name_key
from sim.core.suggestions import nearest
from sim.duel.battle.values import MAX_GROUP, Group
from sim.duel.critter import (
    LEAST_ARMOUR,
    LEAST_SCORE,
    LEAST_TO_HIT,
    MAX_ATTACKS,
    MAX_HP,
    MAX_MODIFIER,
    MOST_ARMOUR,
    MOST_SCORE,
    MOST_TO_HIT,
    Critter,
    modifier,
)
from sim.duel.damage import parse_damage
from sim.duel.names import fighter_name

MAX_TEXT = 400
"""Characters of a group."""

_HOW = "Write a fighter as: 8 hp str +1 ac 4 1d6"

_PART = re.compile(r"[^,;\n]+")
_COUNT = re.compile(r"\s*(?P<count>[0-9]{1,6})\s*[x×*]\s+", re.ASCII)
_NUMBER = r"(?P<number>[+\-\u2212]?[0-9]{1,6})"
_STATS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(rf"(?<!\S)(?:{pattern})(?!\S)", re.ASCII | re.IGNORECASE), stat)
    for pattern, stat in (
        (rf"{_NUMBER}\s*hp|hp\s*(?P<behind>[0-9]{{1,6}})", "hp"),
        (rf"str(?:ength)?\s*{_NUMBER}", "str_mod"),
        (rf"dex(?:terity)?\s*{_NUMBER}", "dex_mod"),
        (rf"ac\s*{_NUMBER}", "armour_class"),
        (rf"(?:to-hit|thac0)\s*{_NUMBER}", "to_hit"),
        (rf"{_NUMBER}\s*attacks?|attacks\s*(?P<behind>[0-9]{{1,6}})", "attacks"),
        (r"(?P<dice>[0-9]*d[0-9]\S*)", "damage"),
    )
)
_RANGES: Mapping[str, tuple[int, int]] = {
    "hp": (1, MAX_HP),
    "armour_class": (LEAST_ARMOUR, MOST_ARMOUR),
    "to_hit": (LEAST_TO_HIT, MOST_TO_HIT),
    "attacks": (1, MAX_ATTACKS),
}
_ABILITIES = frozenset({"str_mod", "dex_mod"})


def parse_group(text: str, known: Mapping[str, Critter], nameless: str = "fighter") -> Group:
    """Read fighters, parted by commas: those that are `known` by their `name_key`, or what they have, in any order.

    A signed ability is its modifier, another one its score; who has no name is called `nameless`. TextError with every
    mistake and its place.
    """
    if len(text) > MAX_TEXT:
        raise RuleError(f"A group has at most {MAX_TEXT} characters, not {len(text):,}; a file may have more.")
    problems: list[Problem] = []
    critters: list[Critter] = []
    for part in _PART.finditer(text):
        if part[0].strip():
            critters += _fighters(part, known, nameless, problems)
    if not critters and not problems:
        problems.append(Problem(Span(len(text), len(text)), f"A fighter is missing. {_HOW}."))
    if len(critters) > MAX_GROUP:
        problems.append(Problem(Span(0, len(text)), f"There are {len(critters):,}; at most {MAX_GROUP} fight."))
    if problems:
        raise TextError(text, tuple(problems))
    return tuple(critters)


def _fighters(
    part: re.Match[str], known: Mapping[str, Critter], nameless: str, problems: list[Problem]
) -> list[Critter]:
    text, start = part[0], part.start()
    counted = _COUNT.match(text)
    count = int(counted["count"]) if counted else 1
    if counted and not 1 <= count <= MAX_GROUP:
        problems.append(Problem(_span(start, counted), f"There are 1 to {MAX_GROUP} of a kind."))
        return []
    rest = " " * counted.end() + text[counted.end() :] if counted else text
    if (critter := known.get(name_key(rest))) is not None:
        return [critter] * count
    found = len(problems)
    values, left = _values(rest, start, problems)
    name = " ".join(left.split())
    if "hp" not in values:
        problems.append(_unknown(rest, start, name, known))
    elif name:
        try:
            values["name"] = fighter_name(name)
        except RuleError as error:
            problems.append(Problem(_whole(rest, start), str(error)))
    if len(problems) > found:
        return []
    return [Critter.model_validate({"name": nameless} | values)] * count


def _values(rest: str, start: int, problems: list[Problem]) -> tuple[dict[str, Any], str]:
    """Return what is said of a fighter, and the text with that blanked out."""
    values: dict[str, Any] = {}
    for pattern, stat in _STATS:
        for token in pattern.finditer(rest):
            if stat in values:
                problems.append(Problem(_span(start, token), "This is said twice."))
                continue
            try:
                values[stat] = _READERS.get(stat, _whole_number)(stat, token)
            except TextError as error:  # its place is in the dice alone
                problems.append(Problem(_span(start, token), error.problems[0].message))
            except RuleError as error:
                problems.append(Problem(_span(start, token), str(error)))
            values.setdefault(stat, 1)
        rest = pattern.sub(lambda token: " " * len(token[0]), rest)
    return values, rest


def _whole_number(stat: str, token: re.Match[str]) -> int:
    groups = token.groupdict()
    number = int((groups["number"] or groups.get("behind") or "").replace("\N{MINUS SIGN}", "-"))
    least, most = _RANGES[stat]
    if not least <= number <= most:
        raise RuleError(f"{least} to {most:,} are allowed.")
    return number


def _ability(_stat: str, token: re.Match[str]) -> int:
    number = int(token["number"].replace("\N{MINUS SIGN}", "-"))
    if token["number"][0].isdecimal() and number:
        if not LEAST_SCORE <= number <= MOST_SCORE:
            raise RuleError(f"An ability is {LEAST_SCORE} to {MOST_SCORE}; write its modifier with a sign.")
        return modifier(number)
    if abs(number) > MAX_MODIFIER:
        raise RuleError(f"A modifier is -{MAX_MODIFIER} to +{MAX_MODIFIER}.")
    return number


def _dice(_stat: str, token: re.Match[str]) -> object:
    return parse_damage(token["dice"])


_READERS: Mapping[str, Callable[[str, re.Match[str]], object]] = {
    **dict.fromkeys(_ABILITIES, _ability),
    "damage": _dice,
}


def _unknown(rest: str, start: int, name: str, known: Mapping[str, Critter]) -> Problem:
    near = nearest(name_key(name), known, parts=True)
    said = "You have no character of this name, and no hit points are told." if name else "The hit points are missing."
    return Problem(_whole(rest, start), f"{said} {_HOW}.", None if near is None else near.name)


def _whole(rest: str, start: int) -> Span:
    return Span(start + len(rest) - len(rest.lstrip()), start + len(rest.rstrip()))


def _span(start: int, token: re.Match[str]) -> Span:
    return Span(start + token.start(), start + token.end())


def names_of(group: Group) -> Iterator[str]:
    """Yield every fighter's name once, with how many there are of it."""
    counts: dict[str, int] = {}
    for critter in group:
        counts[critter.name] = counts.get(critter.name, 0) + 1
    for name, count in counts.items():
        yield name if count == 1 else f"{count} x {name}"
