"""Simulated battles: their counts, and when there are enough of them.

Counts and estimated work alone decide, never a clock, so the same request gives the same odds everywhere.

Who moves the odds is found by the same battles with and without each fighter. Each has its own random words in every
round of every battle (see `simulate`), so most battles go the same, and the differences come from that fighter alone.
Estimating only the difference, from pairs of battles, takes far fewer of them than two separate odds would.
"""

import math
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import Self

from sim.core.numbers import Interval, chance_interval
from sim.core.values import Summed
from sim.marked_for_death.odds.lineup import EXHAUSTION_PER_ROUND, Lineup, Soldier, buffed, to_hit

MAX_BATTLES = 1_000_000
"""The most battles that a request may ask for."""

PRECISION = 0.005
"""A chance is settled once its 95% interval reaches no further than this either way."""

MIN_BATTLES = 1_000
"""The fewest battles for anything to count as settled."""

MAX_BATCH = 50_000
"""The most battles in one batch."""

BATCH_WORK = 1_000_000_000
"""Work after which a batch ends: estimated nanoseconds, somewhat more than measured."""

MAX_BATTLE_WORK = BATCH_WORK // 2
"""Work after which a battle is given up as endless."""

MAX_WORK = 30_000_000_000
"""Work after which a simulation ends, settled or not."""

MAX_WEIGHING = 10_000_000_000
"""The same for one that finds out who matters most."""

MAX_LEFT_OUT = 40
"""The most fighters of both sides together to leave out in turn."""

_WEIGHT_PRECISION = 0.01  # how far the 95% interval of a difference may reach either way
_Z = 1.96
_PSEUDO = 0.5  # battles added to each kind of pair, so that an interval of few differences isn't too short
_STEEP = (1.96 / PRECISION) ** 2  # battles per unit of a chance's variance
_SPARE = 1.03  # a few battles more than seem needed, so that one more batch is enough
_ROUND_SECONDS = 4e-7  # per attack or fighter, upper bound


class BatchCounts(Summed):
    """Base of counts over the battles numbered `first` to `first + battles - 1`.

    `work`: the estimated nanoseconds of the battles, the same on every machine.
    """

    first: int = 0
    battles: int
    work: int

    def __add__(self, after: Self) -> Self:
        """Add the battles that come right after these; ValueError for any others."""
        if after.first != self.first + self.battles:
            raise ValueError("only battles that follow on each other add up")
        return super().__add__(after.model_copy(update={"first": 0}))

    @property
    @abstractmethod
    def settled(self) -> bool:
        """Whether the battles are enough."""

    @property
    def needed(self) -> int:
        """About how many battles will be, as far as the counts tell."""
        return MAX_BATTLES


class Tally(BatchCounts):
    """The counts of simulated battles.

    Battles won by each side, with `nobody` left, `undecided` at the round limit, and `cut_off` after too many rounds.
    `rounds`, `rounds_squared`: sums. By fighter, heroes first: battles survived, sums of the HP left and of its square
    (0 for the fallen), and battles in which the fighter was among the first to fall.
    """

    heroes: int
    villains: int
    nobody: int
    undecided: int
    cut_off: int
    rounds: int
    rounds_squared: int
    survived: tuple[int, ...]
    hp_left: tuple[int, ...]
    hp_squared: tuple[int, ...]
    fell_first: tuple[int, ...]

    def chances(self) -> Iterator[float]:
        """Yield the chances of the four endings, then everybody's to survive."""
        for count in (self.heroes, self.villains, self.nobody, self.undecided + self.cut_off, *self.survived):
            yield count / self.battles

    @property
    def settled(self) -> bool:
        """Whether all these chances are known to half a point."""
        intervals = (chance_interval(chance, self.battles) for chance in self.chances())
        return self.battles >= MIN_BATTLES and all((high - low) / 2 <= PRECISION for low, high in intervals)

    @property
    def needed(self) -> int:
        """About how many battles will settle everything."""
        steepest = max(p * (1 - p) for p in self.chances())
        return max(MIN_BATTLES, math.ceil(_SPARE * _STEEP * steepest))


class SensitivityTally(BatchCounts):
    """The counts of battles fought with everybody and without each fighter left out.

    `heroes`, `villains`: won with everybody. `lost`, `gained`: for each fighter left out, the battles that its side won
    only with it, and only without it. `cut_off`: battles given up, with any line-up; nobody has won them.
    """

    heroes: int
    villains: int
    lost: tuple[int, ...]
    gained: tuple[int, ...]
    cut_off: int

    @property
    def settled(self) -> bool:
        """Whether every difference is known to a point."""
        intervals = (paired_interval(*pair, self.battles) for pair in zip(self.lost, self.gained, strict=True))
        return self.battles >= MIN_BATTLES and all((high - low) / 2 <= _WEIGHT_PRECISION for low, high in intervals)


def paired_interval(lost: int, gained: int, battles: int) -> Interval:
    """Return the 95% interval of the difference of two chances seen in the same battles (Agresti and Min, 2005).

    `lost`: pairs in which only the first came true, `gained`: only the second, of `battles` pairs.
    """
    n = battles + 4 * _PSEUDO
    losses, gains = lost + _PSEUDO, gained + _PSEUDO
    gain = (losses - gains) / n
    half = _Z * math.sqrt(losses + gains - (losses - gains) ** 2 / n) / n
    return max(-1.0, gain - half), min(1.0, gain + half)


def left_out(soldiers: Sequence[Soldier]) -> tuple[int, ...]:
    """Return the numbers of the fighters to leave out in turn: those that seem to weigh most.

    A fighter weighs its dice for every opponent that it attacks, and the dice of those it buffs, guards or takes along.
    """
    weights = [soldier.dice * soldier.aoe for soldier in soldiers]
    for at, soldier in enumerate(soldiers):
        touched = {boon.to for boon in soldier.boons} | {soldier.guarded} - {-1}
        weights[at] += sum(soldiers[friend].dice for friend in touched - {at})
        if soldier.linked_to >= 0:
            weights[soldier.linked_to] += soldier.dice
    present = [at for at, soldier in enumerate(soldiers) if soldier.hp > 0]
    return tuple(sorted(sorted(present, key=lambda at: -weights[at])[:MAX_LEFT_OUT]))


def seconds(lineup: Lineup, most_battles: int) -> float:
    """Return a rough upper bound of the seconds of a whole simulation, from both sides' dice and HP."""
    soldiers, heroes = lineup.soldiers, lineup.heroes
    present = [at for at, soldier in enumerate(soldiers) if soldier.hp > 0]
    raw = buffed(soldiers, present)
    sides = [at for at in present if at < heroes], [at for at in present if at >= heroes]
    rested = max((raw[at][1] / EXHAUSTION_PER_ROUND for at in present), default=0.0)  # rounds until nobody can block
    rounds = math.inf
    for own, foes in (sides, sides[::-1]):
        hits = sum(soldiers[at].dice * soldiers[at].aoe * to_hit(raw[at][0]) / 1e6 for at in own)
        if hits > 0:
            rounds = min(rounds, max(0.0, rested) + 4 + 2 * sum(soldiers[at].hp for at in foes) / hits)
    rounds = min(rounds, lineup.max_rounds or math.inf)
    throws = sum(1 + soldiers[at].aoe for at in present)
    battles = min(most_battles, _STEEP / 4)
    return min(MAX_WORK / 1e9, 0.1 + battles * rounds * throws * _ROUND_SECONDS)
