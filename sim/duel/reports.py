"""Reports of the odds of a duel, whole and in batches, and the card of a whole one."""

import math
from collections.abc import Iterator, Sequence
from typing import Literal

from sim.core.cards import parts
from sim.core.cards.card import Card
from sim.core.cards.parts import LEAST, LEFT, RIGHT, Share, draw_left
from sim.core.cards.text import fit
from sim.core.cards.theme import BLUE, HEAD, INK, NEUTRAL, ORANGE, SOFT, TEXT
from sim.core.numbers import Interval, chance_interval, mean_interval, rounded_percent
from sim.core.values import Frozen, Number, Probability, Summed

MAX_LISTED_ROUNDS = 100
"""Rounds whose chances a report lists at most."""

_HEIGHT, _SMALL_HEIGHT = 560, 220
_NAME_ROOM = 330
_NUMBERS = "First", "Second"


class SideOdds(Frozen):
    """The odds of a side.

    `survivors[k]`: chance that k fighters survive. `mean_hp_left`: mean of the side's hit points at the end.
    `hp_left[h]`: chance of h hit points at the end, for one against one; else empty.
    """

    survivors: tuple[Probability, ...]
    mean_hp_left: float
    hp_left: tuple[Probability, ...] = ()


class Simulation(Frozen):
    """How odds were simulated; `intervals`: 95% intervals by name of the figure."""

    battles: int
    seed: int
    intervals: dict[str, Interval]


class DuelOdds(Frozen):
    """The odds of a duel.

    `p_never`: nobody left can hit the other side; `p_given_up`: simulated fights that took too long. With the chances
    of winning they add up to 1 - `lost_mass`. `rounds[n]`: chance that the fight ends in round n + 1;
    `rounds_beyond`: chance that it takes longer than listed there.
    """

    p_win_first: Probability
    p_win_second: Probability
    p_never: Probability
    p_given_up: Probability
    mean_rounds: float
    rounds: tuple[Probability, ...]
    rounds_beyond: Probability
    first: SideOdds
    second: SideOdds
    lost_mass: float
    method: Literal["exact", "simulated"]
    simulation: Simulation | None = None

    @property
    def sides(self) -> tuple[tuple[Probability, SideOdds], tuple[Probability, SideOdds]]:
        """Each side's chance to win, and its odds."""
        return (self.p_win_first, self.first), (self.p_win_second, self.second)


class Sums(Summed):
    """The sums of some whole numbers and of their squares, for a mean and its interval."""

    total: Number = 0
    squares: Number = 0

    def mean(self, count: int) -> float:
        """Return the mean of `count` values."""
        return self.total / count

    def interval(self, count: int) -> Interval:
        """Return the 95% interval of the mean, not below 0."""
        mean = self.mean(count)
        low, high = mean_interval(mean, math.sqrt(max(0.0, self.squares / count - mean * mean)), count)
        return max(0.0, low), high


class Tally(Summed):
    """The results of a batch of simulated fights; tallies of the same fight can be added.

    `ends`: numbers of fights won by the first, won by the second, never ending, given up. `lengths[n]`: fights of n + 1
    rounds. `survivors[side][k]`: fights after which k of the side were alive. `hp`: hit points left of each side.
    """

    battles: Number
    ends: tuple[Number, Number, Number, Number]
    rounds: Sums
    lengths: tuple[Number, ...]
    survivors: tuple[tuple[Number, ...], tuple[Number, ...]]
    hp: tuple[Sums, Sums]

    def odds(self, seed: int) -> DuelOdds:
        """Return the odds; `seed` is the simulation's."""
        battles = self.battles
        names = "p_win_first", "p_win_second", "p_never", "p_given_up"
        chances = {name: count / battles for name, count in zip(names, self.ends, strict=True)}
        listed_rounds = max((at + 1 for at, count in enumerate(self.lengths) if count), default=0)
        intervals = {name: chance_interval(chance, battles) for name, chance in chances.items()}
        intervals["mean_rounds"] = self.rounds.interval(battles)
        for name, hp in zip(("first.mean_hp_left", "second.mean_hp_left"), self.hp, strict=True):
            intervals[name] = hp.interval(battles)
        return DuelOdds(
            **chances,
            mean_rounds=self.rounds.mean(battles),
            rounds=tuple(count / battles for count in self.lengths[:listed_rounds]),
            rounds_beyond=max(0.0, (battles - sum(self.lengths)) / battles),
            first=self._side_odds(0),
            second=self._side_odds(1),
            lost_mass=0.0,
            method="simulated",
            simulation=Simulation(battles=battles, seed=seed, intervals=intervals),
        )

    def _side_odds(self, side: int) -> SideOdds:
        return SideOdds(
            survivors=tuple(count / self.battles for count in self.survivors[side]),
            mean_hp_left=self.hp[side].mean(self.battles),
        )


def odds_card(report: DuelOdds, names: Sequence[str]) -> Card:
    """Return the card: who wins how often, and the hit points of the winner, or its survivors if it is a group."""
    chances = [chance for chance, _ in report.sides]
    nobody = max(0.0, 1 - sum(chances))
    # A side may outlive a fight that nobody wins: then what is left doesn't add up to the chances.
    decided = nobody < LEAST
    card = Card(_HEIGHT if decided else _SMALL_HEIGHT)
    labels = [rounded_percent(chance, exact=report.method == "exact") for chance in (*chances, nobody)]
    at = max(range(3), key=lambda index: (*chances, nobody)[index])
    shown = [fit(name, HEAD, _NAME_ROOM, bold=True, instead=at) for name, at in zip(names, _NUMBERS, strict=True)]
    does = (*("win" if len(side.survivors[1:]) > 1 else "wins" for _, side in report.sides), "wins")[at]
    subject = f"{(*shown, 'Nobody')[at]} {does} "
    parts.headline(card, [(subject, INK), (labels[at], (BLUE, ORANGE, SOFT)[at]), (" of the time", INK)])
    # The headline has said whose chance is the best.
    first, second = (name if side == at else f"{name} {labels[side]}" for side, name in enumerate(shown))
    shares = [Share(chances[0], BLUE, first), Share(nobody, NEUTRAL), Share(chances[1], ORANGE, second)]
    parts.win_bar(card, parts.TOP, shares)
    card.text(LEFT, 196, " · ".join(_rest(report)), TEXT, SOFT)
    if decided:
        draw_left(card, 216, _left(report.first), nobody, _left(report.second), (BLUE, ORANGE))
        for name, (_, side), x, align in zip(shown, report.sides, (LEFT, RIGHT), ("left", "right"), strict=True):
            what = fit(f"{name}: {'hit points' if side.hp_left else 'fighters'} left", TEXT, 360)
            card.text(x, _HEIGHT - 22, what, TEXT, SOFT, align=align)
    return card


def _rest(report: DuelOdds) -> Iterator[str]:
    if report.p_never >= LEAST:
        yield f"stalemate {100 * report.p_never:.1f}%"
    if report.p_given_up >= LEAST:
        yield f"too long {100 * report.p_given_up:.1f}%"
    rounds = max(1, round(report.mean_rounds))
    yield f"about {rounds} {'round' if rounds == 1 else 'rounds'}"


def _left(side: SideOdds) -> list[tuple[int, int, float]]:
    return [(left, left, chance) for left, chance in enumerate(side.hp_left or side.survivors) if left]
