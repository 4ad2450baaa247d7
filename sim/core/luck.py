"""Counts what dice owe to luck: which dice were thrown by whom, what they showed, and how that adds up.

Games tell it by an optional part of their rules, `ThrowsDice`. Every throw counts, undone ones too: otherwise bad luck
could be taken back.

Dice thrown elsewhere are read from pasted text: lines of TripleA, and dice posts of forums.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import gcd
from typing import Annotated, Protocol, runtime_checkable

from pydantic import Field, TypeAdapter

from sim.core import RuleError
from sim.core.battle import EventT_contra, Seat, StateT_contra
from sim.core.values import Frozen, Number

TIES = 1 << 32
"""How many equally likely places a tie is broken into."""

MAX_FACES = 4_096

Die = Annotated[tuple[Number, ...], Field(min_length=1, max_length=MAX_FACES)]
"""A die by the weights of the values 0, 1, 2, …: (5, 1) succeeds with 1 in 6, (0, 1, 1, 1, 1) is a d4."""

Bag = tuple[tuple[Die, Annotated[int, Field(ge=1)]], ...]
"""Dice, each kind once with how many were thrown of it."""

BAGS: TypeAdapter[Bag] = TypeAdapter(Bag)


def chance(successes: int, cases: int) -> Die:
    """Return a die that succeeds in `successes` of `cases` equally likely cases."""
    shared = gcd(successes, cases) or 1
    return (cases - successes) // shared, successes // shared


class Throw(Frozen):
    """Dice that a seat threw at once, all before anybody knew what the others show.

    `unit`: what their values count, in the plural: "hits". `moment`: when it was, such as "round 2"; throws of a moment
    are told of together. `rolled`: the sum of their values.
    """

    seat: Seat
    unit: str
    moment: str
    dice: Bag
    rolled: int


@runtime_checkable
class ThrowsDice(Protocol[StateT_contra, EventT_contra]):
    """Implemented by rules with dice whose values are good for their thrower."""

    def throws(self, state: StateT_contra, events: tuple[EventT_contra, ...]) -> Iterable[Throw]:
        """Return what was thrown in a step from `state` with these events, in order."""


class Stroke(Frozen):
    """A moment's luck: its row of the journal, when, how many dice, what was expected, and what they showed.

    `odds`: the chance of this or better for a lucky one, of this or worse for an unlucky one.
    """

    row: int
    moment: str
    dice: int
    expected: float
    rolled: int
    odds: float


class SeatLuck(Frozen):
    """All dice of a seat in a battle that count the same, and what they showed.

    `best`, `worst`: the moments that were the least likely. `tie`: where the battle's seed breaks a tie, below `TIES`.
    `place`: where this stands among all battles, from 0 (the worst luck) to 1; None in battles of earlier versions.
    """

    seat: Seat
    unit: str
    dice: Bag
    rolled: int
    best: Stroke
    worst: Stroke
    tie: Annotated[int, Field(ge=0, lt=TIES)]
    place: Annotated[float | None, Field(ge=0, le=1)] = None


def bag_of(counts: Mapping[Die, int]) -> Bag:
    """Return dice in the order of their weights."""
    return tuple(sorted((die, count) for die, count in counts.items() if count))


def poured(bags: Iterable[Bag]) -> Bag:
    """Return the dice of several bags as one."""
    counts: Counter[Die] = Counter()
    for bag in bags:
        counts.update(dict(bag))
    return bag_of(counts)


def expected(bag: Bag) -> Fraction:
    """Return the expected sum, exactly."""
    return sum((count * mean(die) for die, count in bag), Fraction(0))


def mean(die: Die) -> Fraction:
    """Return a die's mean, exactly."""
    return Fraction(sum(value * weight for value, weight in enumerate(die)), sum(die))


def variance(bag: Bag) -> Fraction:
    """Return the variance of the sum, exactly."""
    squares = ((n, sum(value**2 * weight for value, weight in enumerate(die)), die) for die, n in bag)
    return sum((n * (Fraction(square, sum(die)) - mean(die) ** 2) for n, square, die in squares), Fraction(0))


def number_of(bag: Bag) -> int:
    """Return how many dice there are, without those that always show the same."""
    return sum(count for die, count in bag if sum(map(bool, die)) > 1)


def tie_of(seed: bytes, seat: Seat, unit: str) -> int:
    """Return where a battle breaks a seat's tie: uniform, and nobody can choose it, as the seed is secret."""
    return int.from_bytes(hashlib.sha256(seed + f"/luck/{seat}/{unit}".encode()).digest()[:4], "big")


def shared_tie(ties: Iterable[int]) -> int:
    """Return where the luck of several battles breaks a tie; uniform as each of them is."""
    return sum(ties) % TIES


MAX_PASTED = 4_000
"""Characters of a pasted text."""

_DIE = 6
_MOST = 10_000
_NUMBER = r"(?<![\d.,/])(\d{1,9})"
_HITS_OF = _NUMBER + r"\s*(?:hits?\s*)?(?:/|(?:out\s+)?of)\s*(\d{1,9})\s*(?:(?:hits?|dice)\s*)?"
_SUMMED = re.compile(
    _HITS_OF + r"[,;/]?\s*\(?(?:exp(?:ected)?(?:\s*hits)?\s*[=:]?\s*(\d{1,9}(?:[.,]\d+)?)|(\d{1,9}(?:[.,]\d+)?)\s*exp)",
    re.IGNORECASE,
)
_TIME = r"\d+:\d"
_COUNTED = re.compile(_HITS_OF + rf"(?:@|at\s+(?!{_TIME}))\s*(\d{{1,9}})", re.IGNORECASE)
_NEEDING = rf"(?:@|\b(?:at|needing|hitting\s+on)\s+(?!{_TIME}))"
_FACES = re.compile(
    _NUMBER
    + rf"\s*(?:x\s*)?(?:d6\s*(?:<=|≤|t)|(?:(?:d6|[^\W\d]{{1,20}})\s*){{0,2}}?{_NEEDING})\s*(\d{{1,9}})"
    + r"(?:'?s\b|\])?(?:\s*or\s+(?:less|lower|under))?(?:\s*=?\s*\(?\d{1,9}\s*hits?\b\)?)?"
    + r"\s*(?:[:=]|->|→|rolled)?\s*[(\[]?\s*(\d+(?:(?:\s*(?:[,;]|\]\s*\[|\band\b)\s*|\s+|[-|])\d+)*)"
    + rf"(?!\d|\s*(?:/|d6\b|(?:[^\W\d]{{1,20}}\s*){{0,2}}{_NEEDING}))",
    re.IGNORECASE,
)
"""Dice with what they hit on and show: `3@2: (1, 4, 6)`, `3x inf at 1 or less: 2 4 1`, `3d6<=2 (1 hit): 1-4-6`."""
_PIPS = {ord(pips): f" {face} " for face, pips in enumerate("⚀⚁⚂⚃⚄⚅", start=1)}
_GLUED = re.compile(r"(rolls:\s*(\d+)@.{0,200}?total hits:\s*\d*?)(?=\2@\d+:)", re.IGNORECASE | re.DOTALL)
"""A forum's total that is written without a blank before the dice: `Rolls: 3@1 2@3; Total Hits: 23@1: (4, 1, 6)…`."""
_SAYS = r"(?::|\s(?:rolls?|rolled|attacks?|defends?)\b)"
_WHO = re.compile(rf"^\W*([^\W\d][\w '.-]{{0,39}}?)\s*(?:\([^\d()]*\))?\s*{_SAYS}", re.IGNORECASE)
_SAID = r"(?:(?:dice)?rolls?|hits|expected|attacks?|defends?|less|lower|under|t\d):"
_BREAK = re.compile(rf"\s(?!{_SAID})(?=[^\W\d]\w*{_SAYS})", re.IGNORECASE)
"""Where a line may have ended: Discord makes blanks of the line ends in an option."""
_UNNAMED = {"rolls", "rolling", "dice", "dicerolls", "diceroll", "result", "results", "total hits", "hits"}


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
    text = _GLUED.sub(r"\1 ", text.translate(_PIPS))
    found: dict[str, Pasted] = {}
    name = "All dice"
    what, lines = ("Line", text.splitlines()) if "\n" in text.strip() else ("Part", _BREAK.split(text))
    for number, line in enumerate(lines, start=1):
        who = _WHO.match(line)  # whose throws the line begins to tell, if it says so
        if who is not None and who[1].casefold() not in _UNNAMED and not re.search(r"\d ", who[1]):
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
