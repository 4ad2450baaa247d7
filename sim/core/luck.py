"""Counts what dice owe to luck: which dice were thrown by whom, what they showed, and how that adds up.

Games tell it by an optional part of their rules, `ThrowsDice`. Every throw counts, undone ones too: otherwise bad luck
could be taken back.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping
from fractions import Fraction
from math import gcd
from typing import Annotated, Protocol, runtime_checkable

from pydantic import Field, TypeAdapter

from sim.core.battle import EventT_contra, Seat, StateT_contra
from sim.core.values import Frozen

TIES = 1 << 32
"""How many equally likely places a tie is broken into."""

MAX_FACES = 4_096

Weight = Annotated[int, Field(ge=0)]

Die = Annotated[tuple[Weight, ...], Field(min_length=1, max_length=MAX_FACES)]
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
