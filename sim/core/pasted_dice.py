"""Reads dice that were thrown elsewhere: lines of TripleA, and dice posts of forums, one player's throw after another.

A throw is told in one of three ways: hits and what was expected (`4/9 hits, expectedHits=3.50`), hits of dice that hit
at a value (`2/3@2`), or the faces themselves (`3@2: (1, 4, 6)`). What no such piece is in is passed over.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from sim.core.errors import RuleError
from sim.core.luck import Bag, bag_of, chance, poured

MAX_PASTED = 4_000
"""Characters of a pasted text."""

_DIE = 6
_MOST = 10_000
_NUMBER = r"(?<![\d.,/])(\d{1,9})"
_SUMMED = re.compile(
    _NUMBER + r"\s*/\s*(\d{1,9})\s*hits?\s*[,;]?\s*\(?(?:expected\s*hits\s*[=:]?\s*(\d{1,9}(?:[.,]\d+)?)"
    r"|(\d{1,9}(?:[.,]\d+)?)\s*expected(?:\s*hits)?)",
    re.IGNORECASE,
)
_COUNTED = re.compile(_NUMBER + r"\s*/\s*(\d{1,9})\s*(?:hits?\s*)?@\s*(\d{1,9})", re.IGNORECASE)
_FACES = re.compile(
    _NUMBER
    + r"\s*(?:dice\s*)?(?:@|at)\s*(\d{1,9})\s*(?:[:=]|->|→|rolled)?\s*[(\[]?\s*(\d+(?:\s*[,; ]\s*\d+)*)(?![\d@/])",
    re.IGNORECASE,
)
_GLUED = re.compile(r"(rolls:\s*(\d+)@.*?total hits:\s*\d*?)(?=\2@\d+:)", re.IGNORECASE | re.DOTALL)
"""A forum's total that is written without a blank before the dice: `Rolls: 3@1 2@3; Total Hits: 23@1: (4, 1, 6)…`."""
_SAYS = r"(?::|\s(?:rolls?|rolled|attacks?|defends?)\b)"
_WHO = re.compile(rf"^\W*([^\W\d][\w '.-]{{0,39}}?)\s*{_SAYS}", re.IGNORECASE)
_BREAK = re.compile(rf"\s(?!(?:dice)?rolls?:|hits:)(?=[^\W\d]\w*{_SAYS})", re.IGNORECASE)
"""Where a line may have ended: Discord makes blanks of the line ends in an option."""
_UNNAMED = {"rolls", "rolling", "dice", "dicerolls", "diceroll", "result", "results", "total hits", "hits"}
_NOBODY = "All dice"


@dataclass(frozen=True, slots=True)
class Pasted:
    """All dice of one player in a text, and how many hit; `alike`: of some only the sum was told."""

    name: str
    dice: Bag
    hits: int
    alike: bool


def read_dice(text: str) -> list[Pasted]:
    """Return each player's dice, in the order of the text; RuleError, with the place, if it has none or wrong ones."""
    if len(text) > MAX_PASTED:
        raise RuleError(f"Paste at most {MAX_PASTED:,} characters; these are {len(text):,}.")
    text = _GLUED.sub(r"\1 ", text)
    found: dict[str, Pasted] = {}
    name = _NOBODY
    what, lines = ("Line", text.splitlines()) if "\n" in text.strip() else ("Part", _BREAK.split(text))
    for number, line in enumerate(lines, start=1):
        who = _WHO.match(line)  # whose throws the line begins to tell, if it says so
        if who is not None and who[1].casefold() not in _UNNAMED and not who[1].isdecimal():
            name = who[1].strip()
        for dice, hits, alike in _throws(line, f"{what} {number}"):
            before = found.get(name, Pasted(name, (), 0, alike=False))
            total = poured([before.dice, dice])
            if sum(count for _, count in total) > _MOST:
                raise RuleError(f"{what} {number} goes beyond {_MOST:,} dice of one player.")
            found[name] = Pasted(name, total, before.hits + hits, before.alike or alike)
    if not found:
        raise RuleError(
            "No dice are in that text. Lines look like these: 4/9 hits, expectedHits=3.50; or 3@2: (1, 4, 6)"
        )
    return list(found.values())


def _throws(line: str, where: str) -> Iterator[tuple[Bag, int, bool]]:
    """Yield the dice of each piece of a line, how many hit, and whether only their sum is known."""
    for hits, dice, *means in _SUMMED.findall(line):
        told = "".join(means)
        yield _alike(int(dice), float(told.replace(",", ".")), told, where), _at_most(hits, int(dice), where), True
    for hits, dice, value in _COUNTED.findall(line):
        yield _dice(int(dice), value, where), _at_most(hits, int(dice), where), False
    for dice, value, faces in _FACES.findall(line):
        shown = list(map(int, re.findall(r"\d+", faces)))
        shown = list(map(int, "".join(map(str, shown)))) if len(shown) == 1 and int(dice) > 1 else shown
        bag = _dice(int(dice), value, where)
        if len(shown) != int(dice):
            raise RuleError(f"{where} has {dice}@{value}, but {len(shown)} faces.")
        if wrong := [face for face in shown if not 1 <= face <= _DIE]:
            raise RuleError(f"{where} has the face {wrong[0]}; dice show 1 to {_DIE}.")
        yield bag, sum(face <= int(value) for face in shown), False


def _at_most(hits: str, dice: int, where: str) -> int:
    if int(hits) > dice:
        raise RuleError(f"{where} has {hits} hits with only {dice} dice.")
    return int(hits)


def _dice(dice: int, value: str, where: str) -> Bag:
    if not 1 <= int(value) <= _DIE:
        raise RuleError(f"{where} has dice that hit at {value}; that is 1 to {_DIE}.")
    if not 1 <= dice <= _MOST:
        raise RuleError(f"{where} has {dice:,} dice; that is 1 to {_MOST:,}.")
    return bag_of({chance(int(value), _DIE): dice})


def _alike(dice: int, mean: float, told: str, where: str) -> Bag:
    """Return dice with this expected sum whose values differ by one at most: more than the sum nobody told."""
    points = round(_DIE * mean)
    if not 1 <= dice <= _MOST or not 0 <= points <= _DIE * dice:
        raise RuleError(f"{where} expects {told} hits of {dice:,} dice.")
    value, more = divmod(points, dice)
    return bag_of({chance(value, _DIE): dice - more} | ({chance(value + 1, _DIE): more} if more else {}))
