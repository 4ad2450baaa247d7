"""The values of a battle: how it is set up, how it stands, what the referee does, what happens."""

from typing import Annotated, Literal

from pydantic import Field

from sim.core.frozen import Frozen
from sim.core.outcomes import Ending
from sim.marked_for_death.roster import MAX_FIGHTERS, Camp, Fighter, Name, Roster
from sim.marked_for_death.stats import Card

MAX_ROUNDS = 1000
"""The highest round limit."""

Number = Annotated[int, Field(ge=0)]
Place = Annotated[int, Field(ge=0, lt=MAX_FIGHTERS)]
RoundCount = Annotated[int, Field(ge=1, le=MAX_ROUNDS)]


class Setup(Frozen):
    """Who fights, and for how many rounds at most (None: until a side is gone)."""

    heroes: Roster
    villains: Roster
    max_rounds: RoundCount | None = None

    def roster(self, camp: Camp) -> Roster:
        """Return the roster of `camp`."""
        return self.heroes if camp is Camp.HEROES else self.villains


class Combatant(Frozen):
    """A fighter in a battle: its row, its HP now, the rounds that it has fought since the row was written."""

    fighter: Fighter
    hp: int
    fought: Number = 0

    @property
    def stands(self) -> bool:
        """Whether it fights on; who doesn't has fallen, or sat out from the start."""
        return self.hp > 0


Force = Annotated[tuple[Combatant, ...], Field(min_length=1, max_length=MAX_FIGHTERS)]
"""A side in the order of its file, the fallen and who sits out included."""


class State(Frozen):
    """How a battle stands; `round`: rounds fought, `ending` is None until it is over.

    `…_spare`: the rosters' `spare_buffs`.
    """

    heroes: Force
    villains: Force
    heroes_spare: Number = 0
    villains_spare: Number = 0
    max_rounds: RoundCount | None = None
    round: Number = 0
    ending: Ending | None = None
    winner: Camp | None = None

    def force(self, camp: Camp) -> tuple[Combatant, ...]:
        """Return the side `camp`."""
        return self.heroes if camp is Camp.HEROES else self.villains

    def spare_buffs(self, camp: Camp) -> int:
        """Return how many groups of buff columns the file of `camp` had that nobody filled."""
        return self.heroes_spare if camp is Camp.HEROES else self.villains_spare


class NextRound(Frozen):
    """Fight a round."""

    do: Literal["next-round"] = "next-round"


class Run(Frozen):
    """Fight so many rounds, or to the end where `rounds` is None."""

    do: Literal["run"] = "run"
    rounds: RoundCount | None = None


class Reinforce(Frozen):
    """Take `roster` for a side: who is in it fights on as it says there, HP, exhaustion and all; who isn't is gone."""

    do: Literal["reinforce"] = "reinforce"
    camp: Camp
    roster: Roster


class Amend(Frozen):
    """Take `fighter` for the one of its name, or as a new one."""

    do: Literal["amend"] = "amend"
    camp: Camp
    fighter: Fighter


class PullOut(Frozen):
    """Take a fighter out of the battle, alive; nobody falls by it."""

    do: Literal["pull-out"] = "pull-out"
    camp: Camp
    name: Name


Action = Annotated[NextRound | Run | Reinforce | Amend | PullOut, Field(discriminator="do")]

Attack = tuple[Place, Place, Place, Number, Number]
"""Who attacked, who was drawn, who was struck (a bodyguard, or the one drawn), hits, blocks."""

FighterHp = tuple[Name, int]
"""A fighter's name and HP."""


class Mustered(Frozen):
    """The battle begins: every fighter as it stands; those at 0 HP or less sit out."""

    event: Literal["sides"] = "sides"
    heroes: tuple[Card, ...]
    villains: tuple[Card, ...]


class Fought(Frozen):
    """A round: who stood when it began, with how many HP, and every attack.

    Attacks name fighters by their place among those: the attacker in its own side's list, the others in the other's.
    """

    event: Literal["round"] = "round"
    number: Annotated[int, Field(ge=1)]
    heroes: tuple[FighterHp, ...]
    villains: tuple[FighterHp, ...]
    by_heroes: tuple[Attack, ...]
    by_villains: tuple[Attack, ...]

    def fighters(self, camp: Camp) -> tuple[FighterHp, ...]:
        """Return who stood in `camp`."""
        return self.heroes if camp is Camp.HEROES else self.villains

    def attacks(self, camp: Camp) -> tuple[Attack, ...]:
        """Return the attacks that `camp` made."""
        return self.by_heroes if camp is Camp.HEROES else self.by_villains


class Fell(Frozen):
    """A fighter fell, in a round: by the hands of those who wounded it then, or with the one it is linked to."""

    event: Literal["fell"] = "fell"
    camp: Camp
    name: Name
    hp: int
    by: tuple[Name, ...] = ()
    linked_to: Name | None = None


class Changed(Frozen):
    """The referee changed a side; `changes`: a sentence for each thing that is different now."""

    event: Literal["changed"] = "changed"
    camp: Camp
    changes: tuple[str, ...]


class PulledOut(Frozen):
    """The referee took a fighter out of the battle."""

    event: Literal["pulled-out"] = "pulled-out"
    camp: Camp
    name: Name
    hp: int


class Paused(Frozen):
    """A run of rounds is over, or was stopped because much has happened; the battle may go on."""

    event: Literal["paused"] = "paused"
    rounds: Number


class Ended(Frozen):
    """The battle is over; who stands."""

    event: Literal["ended"] = "ended"
    ending: Ending
    winner: Camp | None
    rounds: Number
    heroes: tuple[FighterHp, ...]
    villains: tuple[FighterHp, ...]


Event = Annotated[Mustered | Fought | Fell | Changed | PulledOut | Paused | Ended, Field(discriminator="event")]
