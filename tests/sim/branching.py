"""Plays a game under dice that fall in every way: the exact chances of what its rules do, whatever they are.

What was thrown or simulated is held against such chances by its standard error.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator
from fractions import Fraction
from typing import Self, TypeVar

from sim.core.dice import Dice

FAR = 4.5
"""Standard errors that none of some hundred figures is off by, their seeds being fixed."""

T = TypeVar("T")
K = TypeVar("K", bound=Hashable)


def near(seen: float, true: float, count: float, spread: float | None = None) -> bool:
    """Tell whether a mean of so many is near what is true; `spread`: of one of them, that of a chance by default."""
    deviation = math.sqrt(true * (1 - true)) if spread is None else spread
    return abs(seen - true) <= FAR * deviation / math.sqrt(count) + 1e-9


class _ForkError(Exception):
    """The path ends at a fork; `chances`: of each way from there."""

    def __init__(self, chances: tuple[Fraction, ...]) -> None:
        super().__init__(chances)
        self.chances = chances


class FaceDice:
    """Dice that go a prepared way through every fork; each face is a way."""

    def __init__(self, ways: tuple[int, ...]) -> None:
        self._left = list(reversed(ways))

    def roll(self, sides: int) -> int:
        """Return the face of the way."""
        return 1 + self.fork((Fraction(1, sides),) * sides)

    def fork(self, chances: tuple[Fraction, ...]) -> int:
        """Return which way to go."""
        if not self._left:
            raise _ForkError(chances)
        return self._left.pop()


class _ThrownDie(int):
    """A die whose face nobody has seen: it forks where it is asked, once, whether it shows at most a number."""

    def __new__(cls, dice: FaceDice, sides: int) -> Self:
        """Throw it; a rule that takes it for a number finds the chances wrong, for no die shows this one."""
        die = super().__new__(cls, -sides)
        die.dice = dice
        return die

    dice: FaceDice

    def __le__(self, most: int) -> bool:
        chance = Fraction(most, -int(self))
        return self.dice.fork((chance, 1 - chance)) == 0


class LimitDice(FaceDice):
    """Dice with two ways each, for rules that only ask whether a die shows at most a number."""

    def roll(self, sides: int) -> int:
        """Return a die to compare."""
        return _ThrownDie(self, sides)


def branches(play: Callable[[Dice], T], dice: type[FaceDice] = FaceDice) -> Iterator[tuple[Fraction, T]]:
    """Yield what `play` returns for every way in which its dice can fall, with the chance of each."""
    waiting: list[tuple[tuple[int, ...], Fraction]] = [((), Fraction(1))]
    while waiting:
        ways, p = waiting.pop()
        try:
            yield p, play(dice(ways))
        except _ForkError as fork:
            waiting += (((*ways, way), p * chance) for way, chance in enumerate(fork.chances))


def ends(
    start: T,
    play: Callable[[T, Dice], T],
    *,
    key: Callable[[T], K],
    is_over: Callable[[T], bool],
    dice: type[FaceDice] = FaceDice,
) -> dict[K, Fraction]:
    """Return the chance of each end, by its key, of a game whose rounds lead forward or leave all as it was.

    `key`: what of a state decides how the game goes on.
    """
    known: dict[K, dict[K, Fraction]] = {}

    def solve(state: T) -> dict[K, Fraction]:
        here = key(state)
        if is_over(state):
            return {here: Fraction(1)}
        if here not in known:
            after: dict[K, Fraction] = defaultdict(Fraction)
            states: dict[K, T] = {}
            for p, later in branches(lambda thrown: play(state, thrown), dice):
                after[key(later)] += p
                states[key(later)] = later
            moves = 1 - after.pop(here, Fraction(0))
            found: dict[K, Fraction] = defaultdict(Fraction)
            for there, p in after.items():
                for end, q in solve(states[there]).items():
                    found[end] += p / moves * q
            known[here] = found
        return known[here]

    return solve(start)
