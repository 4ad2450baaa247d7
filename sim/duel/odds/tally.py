"""What simulated fights came to: counts that add up, batch by batch, and the odds that they tell."""

import math
from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from sim.core.frozen import Frozen
from sim.core.intervals import Interval, chance_interval, mean_interval
from sim.duel.odds.report import DuelOdds, SideOdds, Simulation

TOLD_ROUNDS = 100

Count = Annotated[int, Field(ge=0)]


class Sums(Frozen):
    """A sum of whole numbers and of their squares: enough for a mean and its interval."""

    total: Count = 0
    squares: Count = 0

    def __add__(self, other: "Sums") -> "Sums":
        return Sums(total=self.total + other.total, squares=self.squares + other.squares)

    def mean(self, number: int) -> float:
        """Return the mean of `number` values."""
        return self.total / number

    def interval(self, number: int) -> Interval:
        """Return the 95 % interval of that mean, not below 0."""
        mean = self.mean(number)
        low, high = mean_interval(mean, math.sqrt(max(0.0, self.squares / number - mean * mean)), number)
        return max(0.0, low), high


class Tally(Frozen):
    """The counts of `battles` fights; two tallies of the same fight add up.

    `ends`: won by the first, by the second, never ending, given up. `lengths[n]`: fights of n + 1 rounds, as far as
    they are told. `survivors`: for each side how often k were left. `hp`: hit points left of each side.
    """

    battles: Count
    ends: tuple[Count, Count, Count, Count]
    rounds: Sums
    lengths: tuple[Count, ...]
    survivors: tuple[tuple[Count, ...], tuple[Count, ...]]
    hp: tuple[Sums, Sums]

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(
            battles=self.battles + other.battles,
            ends=_added(self.ends, other.ends),
            rounds=self.rounds + other.rounds,
            lengths=_added(self.lengths, other.lengths),
            survivors=tuple(_added(here, there) for here, there in zip(self.survivors, other.survivors, strict=True)),
            hp=(self.hp[0] + other.hp[0], self.hp[1] + other.hp[1]),
        )

    def odds(self, seed: int) -> DuelOdds:
        """Return what the fights tell; `seed` is the one that they came from."""
        number = self.battles
        shares = [count / number for count in self.ends]
        listed_rounds = max((at + 1 for at, count in enumerate(self.lengths) if count), default=0)
        intervals = {
            name: chance_interval(share, number)
            for name, share in zip(("p_win_first", "p_win_second", "p_never", "p_given_up"), shares, strict=True)
        }
        intervals["mean_rounds"] = self.rounds.interval(number)
        for name, hp in zip(("first.mean_hp_left", "second.mean_hp_left"), self.hp, strict=True):
            intervals[name] = hp.interval(number)
        return DuelOdds(
            p_win_first=shares[0],
            p_win_second=shares[1],
            p_never=shares[2],
            p_given_up=shares[3],
            mean_rounds=self.rounds.mean(number),
            rounds=tuple(count / number for count in self.lengths[:listed_rounds]),
            rounds_beyond=max(0.0, (number - sum(self.lengths)) / number),
            first=self._side(0),
            second=self._side(1),
            lost_mass=0.0,
            method="simulated",
            simulation=Simulation(battles=number, seed=seed, intervals=intervals),
        )

    def _side(self, side: int) -> SideOdds:
        return SideOdds(
            survivors=tuple(count / self.battles for count in self.survivors[side]),
            mean_hp_left=self.hp[side].mean(self.battles),
        )


def _added(here: Sequence[int], there: Sequence[int]) -> tuple[int, ...]:
    return tuple(a + b for a, b in zip(here, there, strict=True))
