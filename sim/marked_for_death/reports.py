"""Typed results: a check, a whole battle, the changes to a roster, the odds, and who matters most."""

from typing import Any, Literal, Self

from sim.core.numbers import ROUNDING, Interval, rounded_percent
from sim.core.values import Ending, Frozen, Probability
from sim.marked_for_death.battle import Fell, FighterHp
from sim.marked_for_death.roster import Camp, Fighter, Name, Roster, Sides
from sim.marked_for_death.stats import FighterCard
from sim.marked_for_death.tables import CheckedRoster
from sim.marked_for_death.tokens import TokenCard


class CheckReport(CheckedRoster):
    """A checked roster, with a card for every fighter."""

    cards: tuple[FighterCard, ...]


class ReadReport(Sides[CheckedRoster]):
    """Both rosters of a battle."""


class ChangeReport(CheckedRoster):
    """A changed roster; `changes` has a sentence for each difference."""

    changes: tuple[str, ...]


class SideReport(Frozen):
    """A side: its fighters at the start, the survivors, the final roster, and warnings."""

    cards: tuple[FighterCard, ...]
    survivors: tuple[FighterHp, ...]
    final: Roster
    warnings: tuple[str, ...]

    @property
    def sat_out(self) -> tuple[Name, ...]:
        """Who had no HP at the start."""
        return tuple(card.name for card in self.cards if card.hp <= 0)


class RunReport(Sides[SideReport]):
    """A battle from its start to its end.

    `stopped`: why the battle was cut short; None if it was decided or reached the round limit of the request.
    `fallen`: in the order of the log, each with its round. `opening`, `rounds` (one tuple per round) and `closing` make
    up the log. `card`: what a picture of its end shows.
    """

    winner: Camp | None
    ending: Ending
    seed: int
    stopped: str | None
    fallen: tuple[tuple[int, Fell], ...]
    opening: tuple[str, ...]
    rounds: tuple[tuple[str, ...], ...]
    closing: str
    card: TokenCard

    def log(self) -> list[str]:
        """Return the whole log."""
        return [*self.opening, *(line for lines in self.rounds for line in lines), self.closing]


class FighterOdds(Frozen):
    """The odds of one fighter.

    `hp`: at the start; a fighter without HP `sits_out`, and counts as fallen but never falls first. `mean_hp`: the mean
    HP when the battle is over or reaches its limit; the fallen count as 0. `p_falls_first`: the chance to fall, also by
    a link, in the first round in which anybody falls; several may. `intervals`: 95% intervals by name of the figure.
    """

    camp: Camp
    name: str
    hp: int
    sits_out: bool
    p_survives: Probability
    mean_hp: float
    p_falls_first: Probability
    intervals: dict[str, Interval] | None = None

    @classmethod
    def of(cls, camp: Camp, fighter: Fighter, **figures: Any) -> Self:  # noqa: ANN401 - the other fields, validated
        """Return the odds of `fighter` with these `figures`."""
        return cls(camp=camp, name=fighter.name, hp=fighter.hp, sits_out=fighter.hp <= 0, **figures)


class Simulation(Frozen):
    """The simulation behind the odds: `battles`, from `seed`.

    `settled`: every chance of an ending and of survival is known to half a point; otherwise the simulation reached its
    limit of work or of battles. `cut_off`: the share of battles given up because they took too long; they count as
    undecided. `intervals`: 95% intervals by name of the figure.
    """

    battles: int
    seed: int
    settled: bool
    cut_off: Probability
    intervals: dict[str, Interval]


EndName = Literal["heroes", "villains", "both fall", "undecided"]
"""How a battle may end."""

_SUBJECTS: dict[EndName, str] = {
    "heroes": "Heroes win",
    "villains": "Villains win",
    "both fall": "Both sides fall",
    "undecided": "Undecided",
}


class OddsReport(Frozen):
    """The odds of a battle; its JSON form has the same names.

    `p_heroes`, `p_villains`, `p_both_fall` (nobody wins) and `p_undecided` (both sides survive `max_rounds`) add up to
    1. `mean_rounds`: rounds fought. `fighters`: heroes first, each side in the order of its roster. `method`: "exact",
    to ten digits, or "simulated"; then `simulation` is set, and every figure has its interval.
    """

    p_heroes: Probability
    p_villains: Probability
    p_both_fall: Probability
    p_undecided: Probability
    mean_rounds: float
    max_rounds: int | None
    fighters: tuple[FighterOdds, ...]
    method: Literal["exact", "simulated"]
    simulation: Simulation | None = None

    def side(self, camp: Camp) -> tuple[FighterOdds, ...]:
        """Return the fighters of one side."""
        return tuple(fighter for fighter in self.fighters if fighter.camp is camp)

    @property
    def ends(self) -> dict[EndName, float]:
        """The chances of all ends that can happen; a simulation that never saw one may have missed it."""
        chances: dict[EndName, float] = {"heroes": self.p_heroes, "villains": self.p_villains}
        chances |= {"both fall": self.p_both_fall, "undecided": self.p_undecided}
        missable = self.method == "simulated"
        return {
            name: chance
            for name, chance in chances.items()
            if chance > ROUNDING or (missable and (name != "undecided" or self.max_rounds is not None))
        }

    @property
    def likeliest(self) -> EndName:
        """The likeliest end."""
        chances = self.ends
        return max(chances, key=lambda name: chances[name])

    def percent(self, chance: float) -> str:
        """Return one of the report's chances as text, no more exact than it is."""
        return rounded_percent(chance, exact=self.method == "exact")

    def headline(self) -> str:
        """Return the likeliest end as a sentence for players."""
        end = self.likeliest
        return f"{_SUBJECTS[end]} {self.percent(self.ends[end])} of the time"


class Weight(Frozen):
    """What a fighter's presence is worth: its side's chance to win with it, without it, and the difference.

    `gain`: the difference, positive if the fighter helps its side; `interval`: its 95% interval.
    """

    camp: Camp
    name: str
    p_with: Probability
    p_without: Probability
    gain: float
    interval: Interval


class SensitivityReport(Frozen):
    """Who matters most, that fighter first.

    `skipped`: how many fighters were not left out, for they seem to weigh little. `battles`: fought with each line-up,
    from `seed`. `cut_off`: how many of all battles were given up as endless.
    """

    weights: tuple[Weight, ...]
    skipped: int
    battles: int
    seed: int
    cut_off: int
