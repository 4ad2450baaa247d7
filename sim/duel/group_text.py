"""Groups as text: `Brenna, 8 hp str +1, 3 x wolf 9 hp 1d6`."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from sim.core.errors import Faults, Problem, RuleError, Span, TextError, check_text
from sim.core.names import name_key, nearest
from sim.duel.critter import (
    LIMITS,
    MAX_GROUP,
    Critter,
    Group,
    fighter_name,
    modifier,
)
from sim.duel.damage import parse_damage
from sim.duel.monsters import company_text

MAX_TEXT = 400
"""Maximum length of a group's text."""

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


def parse_group(text: str, known: Mapping[str, Critter], nameless: str = "fighter") -> Group:
    """Parse fighters separated by commas: the name of a `known` one (by `name_key`), or statistics in any order.

    An ability with a sign is a modifier, without one a score. Fighters without a name are called `nameless`. TextError
    marks every mistake.
    """
    if len(text) > MAX_TEXT:
        raise RuleError(f"A group's text has at most {MAX_TEXT} characters, not {len(text):,}; use a file for more.")
    problems = Faults[Problem]()
    critters: list[Critter] = []
    for part in _PART.finditer(text):
        if part[0].strip():
            critters += _parse_fighters(part, known, nameless, problems)
    if not critters and not problems:
        problems.add(Problem(Span(len(text), len(text)), f"A fighter is missing. {_HOW}."))
    if len(critters) > MAX_GROUP:
        problems.add(
            Problem(Span(0, len(text)), f"These are {len(critters):,} fighters; at most {MAX_GROUP} can fight.")
        )
    check_text(text, problems)
    return tuple(critters)


def _parse_fighters(
    part: re.Match[str], known: Mapping[str, Critter], nameless: str, problems: Faults[Problem]
) -> list[Critter]:
    text, start = part[0], part.start()
    counted = _COUNT.match(text)
    count = int(counted["count"]) if counted else 1
    if counted and not 1 <= count <= MAX_GROUP:
        problems.add(Problem(_span(start, counted), f"Write 1 to {MAX_GROUP} of a kind."))
        return []
    rest = " " * counted.end() + text[counted.end() :] if counted else text
    if (critter := known.get(name_key(rest))) is not None:
        return [critter] * count
    problems_before = len(problems)
    values, unread = _parse_values(rest, start, problems)
    name = " ".join(unread.split())
    if "hp" not in values:
        problems.add(_unknown_fighter(rest, start, name, known))
    elif name:
        try:
            values["name"] = fighter_name(name)
        except RuleError as error:
            problems.add(Problem(_stripped_span(rest, start), str(error)))
    if len(problems) > problems_before:
        return []
    return [Critter.model_validate({"name": nameless} | values)] * count


def _parse_values(rest: str, start: int, problems: Faults[Problem]) -> tuple[dict[str, Any], str]:
    """Return a fighter's statistics, and the text with them blanked out."""
    values: dict[str, Any] = {}
    for pattern, stat in _STATS:
        for token in pattern.finditer(rest):
            if stat in values:
                problems.add(Problem(_span(start, token), "This is given twice."))
                continue
            try:
                values[stat] = _PARSERS.get(stat, _parse_number)(stat, token)
            except TextError as error:  # its span counts from the start of the dice
                problems.add(Problem(_span(start, token), error.problems[0].message))
            except RuleError as error:
                problems.add(Problem(_span(start, token), str(error)))
            values.setdefault(stat, 1)
        rest = pattern.sub(lambda token: " " * len(token[0]), rest)
    return values, rest


def _parse_number(stat: str, token: re.Match[str]) -> int:
    groups = token.groupdict()
    number = int((groups["number"] or groups.get("behind") or "").replace("\N{MINUS SIGN}", "-"))
    low, high = LIMITS[stat]
    if not low <= number <= high:
        raise RuleError(f"Allowed are {low} to {high:,}.")
    return number


def _parse_ability(_stat: str, token: re.Match[str]) -> int:
    number = int(token["number"].replace("\N{MINUS SIGN}", "-"))
    if token["number"][0].isdecimal() and number:
        low, high = LIMITS["score"]
        if not low <= number <= high:
            raise RuleError(f"An ability is {low} to {high}; write its modifier with a sign.")
        return modifier(number)
    low, high = LIMITS["modifier"]
    if not low <= number <= high:
        raise RuleError(f"A modifier is {low} to +{high}.")
    return number


_PARSERS: Mapping[str, Callable[[str, re.Match[str]], object]] = {
    "str_mod": _parse_ability,
    "dex_mod": _parse_ability,
    "damage": lambda _stat, token: parse_damage(token["dice"]),
}


def _unknown_fighter(rest: str, start: int, name: str, known: Mapping[str, Critter]) -> Problem:
    near = nearest(name_key(name), known, parts=True)
    why = (
        "You have no character of this name; a new fighter needs hit points." if name else "The hit points are missing."
    )
    return Problem(_stripped_span(rest, start), f"{why} {_HOW}.", None if near is None else near.name)


def _stripped_span(rest: str, start: int) -> Span:
    return Span(start + len(rest) - len(rest.lstrip()), start + len(rest.rstrip()))


def _span(start: int, token: re.Match[str]) -> Span:
    return Span(start + token.start(), start + token.end())


MAX_NAMES = 60
"""Characters of a group's name on a page."""


def group_names(group: Iterable[Critter]) -> Iterator[str]:
    """Yield each name once, with its number of fighters."""
    for name, count in Counter(critter.name for critter in group).items():
        yield name if count == 1 else f"{count} x {name}"


def group_name(group: Sequence[Critter], room: int) -> str:
    """Return the names of a group in at most `room` characters, or its first one's and how many more there are."""
    *others, last = group_names(group)
    names = company_text([critter.name for critter in group])
    if names is None:
        names = f"{', '.join(others)} and {last}" if others else last
    return names if len(names) <= room or len(group) == 1 else f"{group[0].name} and {len(group) - 1:,} more"
