"""The exact distribution of a sum of dice, and where a result stands in it. For workers: it loads numpy.

Exact means: the dice's own distributions are convolved, whatever their number; no bell curve stands in for them. What
is less likely than 1e-40 of the likeliest sum is left out, and rounding costs less than 1e-9 of a chance.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import sqrt
from statistics import NormalDist
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from sim.core.luck import TIES, Bag, SeatLuck, Stroke, Throw, expected, number_of, poured, tie_of, variance

Chances: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Sums:
    """The chances of the sums from `least` on."""

    least: int
    chances: Chances

    @classmethod
    def of(cls, bag: Bag) -> "Sums":
        """Return the distribution of the sum of all dice."""
        total = _CERTAIN
        for die, count in bag:
            weights = np.array(die, dtype=np.float64)
            total = total.plus(_trimmed(0, weights / weights.sum()).times(count))
        return cls(total.least, total.chances / total.chances.sum())

    def plus(self, other: "Sums") -> "Sums":
        """Return the distribution of the sum of both."""
        return _trimmed(self.least + other.least, np.convolve(self.chances, other.chances))

    def times(self, count: int) -> "Sums":
        """Return the distribution of the sum of `count` independent copies."""
        if not count:
            return _CERTAIN
        half = self.times(count // 2)
        whole = half.plus(half)
        return whole.plus(self) if count % 2 else whole

    def at_most(self, value: int) -> float:
        """Return the chance of a sum up to `value`."""
        return float(min(1.0, self.chances[: max(0, value - self.least + 1)].sum()))

    def at_least(self, value: int) -> float:
        """Return the chance of a sum from `value` on."""
        return float(min(1.0, self.chances[max(0, value - self.least) :].sum()))

    def place(self, value: int, tie: int) -> float:
        """Return where a sum stands among all, from 0 (the worst luck) to 1; `tie`: below `TIES`.

        The chance of less, and of the chance of just as much the part that the tie says. So it is uniform for fair
        dice, however few; counting half of that chance instead would push small numbers of dice to the middle.
        """
        less = self.at_most(value - 1)
        return float(less + (self.at_most(value) - less) * (tie + 0.5) / TIES)


_CERTAIN = Sums(0, np.ones(1))


def _trimmed(least: int, chances: Chances) -> Sums:
    kept = np.flatnonzero(chances > 1e-40 * chances.max())
    return Sums(least + int(kept[0]), chances[kept[0] : kept[-1] + 1])


def seat_lucks(thrown: Sequence[tuple[int, Throw]], seed: bytes) -> list[SeatLuck]:
    """Return the luck of each seat and unit in a battle; `thrown`: throws with the rows that they happened in."""
    groups: dict[tuple[str, str], list[tuple[int, Throw]]] = {}
    for row, throw in thrown:
        groups.setdefault((throw.seat, throw.unit), []).append((row, throw))
    found = []
    for (seat, unit), throws in groups.items():
        dice = poured(throw.dice for _, throw in throws)
        moments: dict[tuple[int, str], list[Throw]] = {}
        for row, throw in throws:
            moments.setdefault((row, throw.moment), []).append(throw)
        if number_of(dice):
            strokes = [_strokes(row, together) for (row, _), together in moments.items()]
            luck = SeatLuck(
                seat=seat,
                unit=unit,
                dice=dice,
                rolled=sum(throw.rolled for _, throw in throws),
                best=min((lucky for lucky, _ in strokes), key=lambda stroke: stroke.odds),
                worst=min((unlucky for _, unlucky in strokes), key=lambda stroke: stroke.odds),
                tie=tie_of(seed, seat, unit),
                place=battle_place(throws, seed),
            )
            found.append(luck)
    return found


_BELL = NormalDist()


def battle_place(thrown: Sequence[tuple[int, Throw]], seed: bytes) -> float:
    """Return where a seat's throws stand among all battles, from 0 (the worst luck) to 1: uniform for fair dice.

    A battle ends when somebody is lucky, so its dice alone would say too much for the likely winner. Each throw counts
    by its normal score times its standard deviation, until their variance is twice that of the first round: of the
    throw that goes beyond it a part counts, and what a shorter battle leaves of it is drawn from its seed.
    """
    _, first = thrown[0]
    budget = left = 2 * variance(poured(_first_round(thrown))) or variance(poured(t.dice for _, t in thrown))
    total = 0.0
    for at, (row, throw) in enumerate(thrown):
        sums, most = _figured(throw.dice)
        spent = min(left, most)
        if spent:
            place = sums.place(throw.rolled, tie_of(seed, first.seat, f"{first.unit}/{row}/{at}"))
            total += sqrt(spent) * _score(place)
            left -= spent
    rest = tie_of(seed, first.seat, f"{first.unit}/{thrown[-1][0]}/rest")
    total += sqrt(left) * _score((rest + 0.5) / TIES)
    return _BELL.cdf(total / sqrt(budget))


@lru_cache(maxsize=64)
def _figured(bag: Bag) -> tuple[Sums, Fraction]:
    """Return the sums of some dice and their variance; a battle throws the same ones again and again."""
    return Sums.of(bag), variance(bag)


def _first_round(thrown: Sequence[tuple[int, Throw]]) -> Iterator[Bag]:
    """Yield what was thrown up to the end of the first round; fire before it, such as a bombardment, is part of it."""
    begun = None
    for row, throw in thrown:
        if begun not in {None, (row, throw.moment)}:
            return
        if "round" in throw.moment:
            begun = row, throw.moment
        yield throw.dice


def _score(place: float) -> float:
    return _BELL.inv_cdf(min(max(place, 1e-15), 1 - 1e-15))


def _strokes(row: int, throws: Sequence[Throw]) -> tuple[Stroke, Stroke]:
    """Return the luck of a moment, with the chance of this or better, and with that of this or worse."""
    dice, rolled = poured(throw.dice for throw in throws), sum(throw.rolled for throw in throws)
    sums = Sums.of(dice)
    lucky = Stroke(
        row=row,
        moment=throws[0].moment,
        dice=number_of(dice),
        expected=float(expected(dice)),
        rolled=rolled,
        odds=sums.at_least(rolled),
    )
    return lucky, lucky.model_copy(update={"odds": sums.at_most(rolled)})


def bars(sums: Sums, value: int) -> tuple[tuple[float, ...], int]:
    """Return how likely the sums around the middle are, in 48 groups at most, the highest 1; and where `value` is.

    The groups are of the same size and reach from `value` or four standard deviations below the mean to as far above.
    """
    values = sums.least + np.arange(len(sums.chances))
    middle = float((values * sums.chances).sum())
    reach = 4 * float(np.sqrt((sums.chances * (values - middle) ** 2).sum())) + 1
    low = min(value, max(sums.least, int(middle - reach)))
    high = max(value, min(int(values[-1]), int(middle + reach) + 1))
    step = -(-(high - low + 1) // 48)
    shown = np.zeros(-(-(high - low + 1) // step) * step)
    seen = (values >= low) & (values < low + len(shown))
    shown[values[seen] - low] = sums.chances[seen]
    heights = shown.reshape(-1, step).sum(axis=1)
    heights /= heights.max() or 1.0
    return tuple(float(min(1.0, height)) for height in heights), (value - low) // step
