"""A battle of two rosters in a channel. Here: setup, state, actions of the referee, events, a side as it stands now."""

from typing import Annotated, Literal

from pydantic import Field

from sim.core.values import Ending, Frozen, Number, Paused, is_unset
from sim.marked_for_death.roster import BASE_HP, MAX_BONUS, MAX_FIGHTERS, Camp, Fighter, Name, Roster, Sides
from sim.marked_for_death.stats import EXHAUSTION, FighterCard

MAX_ROUNDS = 1000
"""The highest round limit."""

FighterIndex = Annotated[int, Field(ge=0, lt=MAX_FIGHTERS)]
RoundCount = Annotated[int, Field(ge=1, le=MAX_ROUNDS)]

FighterHp = tuple[Name, int]
"""A fighter's name and HP."""


class Setup(Sides[Roster]):
    """The two rosters, and the round limit (None: until a side is gone); `led`: each side has a leader's seat."""

    max_rounds: RoundCount | None = None
    led: Annotated[bool, Field(exclude_if=is_unset)] = False


class Combatant(Frozen):
    """A fighter in a battle: its row, its current HP, and the rounds fought since the row was written."""

    fighter: Fighter
    hp: int
    fought: Number = 0

    @property
    def stands(self) -> bool:
        """Whether it still fights; otherwise it has fallen, or sat out from the start."""
        return self.hp > 0


Force = Annotated[tuple[Combatant, ...], Field(min_length=1, max_length=MAX_FIGHTERS)]
"""A side in the order of its file, including those who have fallen or sit out."""


class State(Sides[Force]):
    """The state of a battle; `round`: rounds fought; `ending` is None until it is over.

    `…_spare`: the rosters' `spare_buffs`. `led`: as in the setup.
    """

    heroes_spare: Number = 0
    villains_spare: Number = 0
    max_rounds: RoundCount | None = None
    led: Annotated[bool, Field(exclude_if=is_unset)] = False
    round: Number = 0
    ending: Ending | None = None
    winner: Camp | None = None

    def survivors(self, camp: Camp) -> tuple[FighterHp, ...]:
        """Return the names and HP of the living fighters of `camp`."""
        return tuple((combatant.fighter.name, combatant.hp) for combatant in self.side(camp) if combatant.stands)


class NextRound(Frozen):
    """Fight a round."""

    do: Literal["next-round"] = "next-round"


class Run(Frozen):
    """Fight `rounds` rounds, or to the end if None."""

    do: Literal["run"] = "run"
    rounds: RoundCount | None = None


class Reinforce(Frozen):
    """Replace a side by `roster`: its fighters have the HP and exhaustion of their rows; all others are gone."""

    do: Literal["reinforce"] = "reinforce"
    camp: Camp
    roster: Roster


class Amend(Frozen):
    """Replace the fighter called `replaces` by `fighter`, who may have another name.

    Without `replaces`, as in journals of earlier versions, replace the fighter of the same name, or add one.
    """

    do: Literal["amend"] = "amend"
    camp: Camp
    fighter: Fighter
    replaces: Name | None = None


class PullOut(Frozen):
    """Take a fighter out of the battle, alive; nobody linked to it falls."""

    do: Literal["pull-out"] = "pull-out"
    camp: Camp
    name: Name


Action = Annotated[NextRound | Run | Reinforce | Amend | PullOut, Field(discriminator="do")]

Attack = tuple[FighterIndex, FighterIndex, FighterIndex, Number, Number]
"""Attacker, drawn target, fighter struck (a bodyguard or the target), hits, blocks."""


class Started(Sides[tuple[FighterCard, ...]]):
    """The battle begins, with every fighter's numbers; those at 0 HP or less sit out."""

    event: Literal["sides"] = "sides"


class Fought(Sides[tuple[FighterHp, ...]]):
    """A round: the living fighters and their HP at its beginning, and every attack.

    Attacks hold indices into those lists: the attacker's in its own side's, the others in the other side's.
    """

    event: Literal["round"] = "round"
    number: Annotated[int, Field(ge=1)]
    by_heroes: tuple[Attack, ...]
    by_villains: tuple[Attack, ...]

    def attacks(self, camp: Camp) -> tuple[Attack, ...]:
        """Return the attacks that `camp` made."""
        return self.by_heroes if camp is Camp.HEROES else self.by_villains


class Fell(Frozen):
    """A fighter fell: `by` the attackers who wounded it in that round, or with the fighter it is `linked_to`."""

    event: Literal["fell"] = "fell"
    camp: Camp
    name: Name
    hp: int
    by: tuple[Name, ...] = ()
    linked_to: Name | None = None


class Changed(Frozen):
    """The referee changed a side; `changes`: a sentence for each difference."""

    event: Literal["changed"] = "changed"
    camp: Camp
    changes: tuple[str, ...]


class PulledOut(Frozen):
    """The referee took a fighter out of the battle; `led`: its leader did."""

    event: Literal["pulled-out"] = "pulled-out"
    camp: Camp
    name: Name
    hp: int
    led: Annotated[bool, Field(exclude_if=is_unset)] = False


class Ended(Sides[tuple[FighterHp, ...]]):
    """The battle is over; the sides are the survivors."""

    event: Literal["ended"] = "ended"
    ending: Ending
    winner: Camp | None
    rounds: Number


Event = Annotated[Started | Fought | Fell | Changed | PulledOut | Paused | Ended, Field(discriminator="event")]


FINAL_FILES = {Camp.HEROES: "Heroes-final.csv", Camp.VILLAINS: "Villains-final.csv"}


def current_fighter(combatant: Combatant) -> Fighter:
    """Return a fighter's row in the final file: current HP and exhaustion are bonuses."""
    fighter = combatant.fighter
    # A bonus that low makes no difference, and a file can't hold a lower one.
    to_defend = max(fighter.bonus_to_defend - EXHAUSTION * combatant.fought, -MAX_BONUS)
    return fighter.model_copy(update={"bonus_hp": combatant.hp - BASE_HP, "bonus_to_defend": to_defend})


def current_roster(state: State, camp: Camp) -> Roster:
    """Return a side as in its final file, including the fallen: a battle from there goes on as this one would."""
    fighters = tuple(current_fighter(combatant) for combatant in state.side(camp))
    return Roster(fighters=fighters, spare_buffs=getattr(state, f"{camp}_spare"))
