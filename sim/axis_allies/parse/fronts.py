"""Fronts, planes and units to buy for the war room, as texts. Source: .docs/rules/axis_allies.md, "The war room"."""

import re
from collections.abc import Iterator, Sequence

from sim.axis_allies.army import Army
from sim.axis_allies.casualties import Casualties
from sim.axis_allies.parse import named_edition, parse_army, parse_question, without_edition
from sim.axis_allies.spending import MAX_FRONTS, MAX_PLANES, Front, Planes
from sim.axis_allies.units import Unit
from sim.core.errors import RuleError

EXAMPLE = "3 inf vs 2 inf worth 5; 2 inf, 1 tank vs 4 inf worth 8"

_WORTH_WORD = re.compile(r"=|\bworth\b|\bfor\b", re.IGNORECASE)
_WORTH = re.compile(
    rf"(?:{_WORTH_WORD.pattern})\s*([0-9]{{1,6}}(?:\.[0-9]{{1,3}})?)\s*(?:ipcs?)?\s*$", re.IGNORECASE | re.ASCII
)
_NOBODY = re.compile(r"\s*(?:nobody|no one|nothing|none|0|-)?\s*(?:vs?\.?|against|versus)\s+", re.IGNORECASE)
_REACH = re.compile(r"\s*(?:[:@=]|\breach(?:es)?\b|\bto\b)\s*", re.IGNORECASE)
_NUMBERS = re.compile(r"[0-9]{1,3}", re.ASCII)


def read_front(
    text: str, value: float, number: int, edition: str | None = None, casualties: Casualties | None = None
) -> Front:
    """Read a front's battle, in which the attacker may be nobody; RuleError that names the front."""
    try:
        bare, edition = without_edition(text), named_edition(text) or edition
        alone = _NOBODY.match(bare)
        question = parse_question(f"1 inf vs {bare[alone.end() :]}" if alone else text, edition=edition)
        question = question.with_options(casualties=casualties)
        attacker = Army(edition=question.edition) if alone else question.waves[0].army
        return Front.of(question, attacker, value)
    except RuleError as error:
        raise RuleError(f"Front {number}: {error}") from None


def read_fronts(text: str, edition: str | None = None) -> tuple[Front, ...]:
    """Read fronts, each a line or up to a semicolon, with "worth 5" at its end; RuleError that names the front."""
    found = [part for part in re.split(r"[;\n]", text) if part.strip()]
    if not 1 <= len(found) <= MAX_FRONTS:
        raise RuleError(f"Name 1 to {MAX_FRONTS} fronts, such as: {EXAMPLE}")
    fronts: list[Front] = []
    for number, part in enumerate(found, 1):
        worth = _WORTH.search(part)
        if worth is None:
            battle = _WORTH_WORD.split(part)[0].strip()
            raise RuleError(f"Front {number}: say what its territory is worth, such as: {battle} worth 5")
        known = edition or (fronts[0].edition if fronts else None)
        fronts.append(read_front(part[: worth.start()], float(worth[1]), number, known))
    return tuple(fronts)


def read_planes(text: str, edition: str, fronts: int) -> Iterator[Planes]:
    """Yield the planes of a text such as "2 fighters: 1, 3; 1 bomber: all"; RuleError for what reaches nothing."""
    for part in re.split(r"[;\n]", text):
        if not part.strip():
            continue
        units, reach = (*_REACH.split(part, maxsplit=1), "")[:2]
        every = reach.strip().casefold() in {"all", "every", "any", "each"}
        numbers = range(1, fronts + 1) if every else [int(each) for each in _NUMBERS.findall(reach)]
        if not numbers:
            raise RuleError(f'"{part.strip()}": say which fronts they reach, such as 2 fighters: 1, 3')
        for group in parse_army(units, edition).groups:
            where = tuple(dict.fromkeys(number - 1 for number in numbers))
            if group.count > MAX_PLANES or group.count.denominator > 1:
                raise RuleError(
                    f'"{part.strip()}": at most {MAX_PLANES} whole planes of a type can reach several fronts.'
                )
            yield Planes(unit=group.unit, count=int(group.count), fronts=where)


def read_units(names: Sequence[str], edition: str) -> tuple[Unit, ...]:
    """Read the names of units to buy; TextError for one that isn't known."""
    return tuple(group.unit for name in names for group in parse_army(name, edition).groups)
