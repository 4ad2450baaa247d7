"""Setup, state, actions and events of a live battle with dice."""

from enum import StrEnum
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from sim.axis_allies.army import Army
from sim.axis_allies.casualties import Casualties, CasualtyOrder, Slot
from sim.axis_allies.units import Unit
from sim.core.errors import RuleError
from sim.core.values import Ending, Frozen, Number, Paused, Side

MAX_HITS = 500
"""Maximum hits of a side's army, units and lives: a live battle shows every die."""

MANUAL: Literal["manual"] = "manual"
CasualtyPolicy = Casualties | Literal["manual"]
"""How a side chooses its losses; "manual" asks its player if there is a choice."""

Face = Annotated[int, Field(ge=1, le=6)]


class Hits(Frozen):
    """Hits by group, in the order in which they are placed.

    `submarines`: never on air. `air`: of aircraft without an own destroyer, never on submarines. `rest`: all others.
    """

    submarines: Number = 0
    air: Number = 0
    rest: Number = 0

    @property
    def total(self) -> int:
        """Number of hits of all groups."""
        return self.submarines + self.air + self.rest


class Loss(Frozen):
    """`count` units of one type, or lives of battleships; at least 1."""

    slot: Slot
    count: Annotated[int, Field(ge=1, le=MAX_HITS)]


Losses = Annotated[tuple[Loss, ...], Field(max_length=len(Unit) + 1)]


class Setup(Frozen):
    """Both armies and the terms. RuleError for an empty army, for one too large to show, and for fractions of units.

    `fog`: only its own side sees an army until the end.
    """

    attacker: Army
    defender: Army
    attacker_losses: CasualtyPolicy = "score"
    defender_losses: CasualtyPolicy = "score"
    fog: bool = False

    @model_validator(mode="after")
    def _sensible(self) -> Self:
        for side in Side:
            hits = self.casualty_order(side).hits
            if not hits:
                raise RuleError(f"The {side} has no units.")
            if hits > MAX_HITS:
                raise RuleError(
                    f"The {side} takes {hits:,} hits, too many to show every die; at most {MAX_HITS} fight live."
                )
        return self

    def army(self, side: Side) -> Army:
        """Return the army of `side` at the start."""
        return self.attacker if side is Side.ATTACKER else self.defender

    def casualty_policy(self, side: Side) -> CasualtyPolicy:
        """Return how `side` chooses its losses."""
        return self.attacker_losses if side is Side.ATTACKER else self.defender_losses

    def casualties_of(self, side: Side) -> Casualties:
        """Return how `side` loses units without a choice of its player: by score if its losses are manual."""
        policy = self.casualty_policy(side)
        return "score" if policy == MANUAL else policy

    def casualty_order(self, side: Side) -> CasualtyOrder:
        """Return the starting army of `side` in casualty order."""
        return CasualtyOrder.of(self.army(side), side, self.casualties_of(side), self.army(side.other))


class Phase(StrEnum):
    """What a battle is waiting for."""

    READY = "ready"
    """The next round."""
    STRIKE = "losses of the surprise strikes"
    FIRE = "losses of the general fire"
    OVER = "over"


class Pending(Frozen):
    """Hits on `side`. `asked`: its player chooses the losses; `picked`: the choice, empty if hidden."""

    side: Side
    hits: Hits
    asked: bool
    picked: Losses | None = None

    @property
    def awaited(self) -> bool:
        """Whether the player still has to choose."""
        return self.asked and self.picked is None


class Tally(Frozen):
    """A side's dice so far, exactly, as a measure of luck.

    `sixths`: 6 times the expected number of hits; `variance`: 36 times its variance.
    """

    dice: Number = 0
    hits: Number = 0
    sixths: Number = 0
    variance: Number = 0


class State(Frozen):
    """State of a battle.

    `round`: rounds begun. `pending`: hits of this round that are not placed yet. `silent`: sides whose submarines have
    struck by surprise in this round. `running`: the battle runs on to its end. `ending`: None until then. `hidden`:
    sides whose army is removed from this view of the state; never stored.
    """

    setup: Setup
    attacker: Army
    defender: Army
    round: Number = 0
    phase: Phase = Phase.READY
    pending: Annotated[tuple[Pending, ...], Field(max_length=2)] = ()
    silent: Annotated[tuple[Side, ...], Field(max_length=2)] = ()
    running: bool = False
    attacker_fire: Tally = Tally()
    defender_fire: Tally = Tally()
    ending: Ending | None = None
    winner: Side | None = None
    hidden: tuple[Side, ...] = Field(default=(), exclude=True)

    def army(self, side: Side) -> Army:
        """Return the army of `side` now."""
        return self.attacker if side is Side.ATTACKER else self.defender

    def due(self, side: Side) -> Pending | None:
        """Return the pending hits on `side`, if any."""
        return next((pending for pending in self.pending if pending.side is side), None)


class Fire(Frozen):
    """Fight the next round."""

    do: Literal["fire"] = "fire"


class Retreat(Frozen):
    """The attacker leaves, after any round."""

    do: Literal["retreat"] = "retreat"


class RunOut(Frozen):
    """Fight to the end."""

    do: Literal["run-out"] = "run-out"


class PickLosses(Frozen):
    """A side chooses its losses."""

    do: Literal["pick-losses"] = "pick-losses"
    side: Side
    losses: Losses


class TimeUp(Frozen):
    """Sides that have not chosen lose by score."""

    do: Literal["time-up"] = "time-up"


Action = Annotated[Fire | Retreat | RunOut | PickLosses | TimeUp, Field(discriminator="do")]


class RoundBegan(Frozen):
    """A round began with these armies."""

    event: Literal["round"] = "round"
    number: Annotated[int, Field(ge=1)]
    attacker: Army
    defender: Army


class Throw(Frozen):
    """The dice of all units of one type; a face at or under `score` hits."""

    unit: Unit
    score: Face
    faces: tuple[Face, ...]

    @property
    def units(self) -> str:
        """Text of the units: `2 tanks`."""
        count = len(self.faces)
        return f"{count} {self.unit.value if count == 1 else self.unit.stats.plural}"

    @property
    def hits(self) -> int:
        """Number of dice that hit."""
        return sum(face <= self.score for face in self.faces)


class Fired(Frozen):
    """A side threw its dice."""

    event: Literal["fired"] = "fired"
    side: Side
    surprise: bool
    throws: tuple[Throw, ...]
    hits: Hits


class ChoiceDue(Frozen):
    """A side has to choose its losses to these hits."""

    event: Literal["asked"] = "asked"
    side: Side
    hits: Hits


class Picked(Frozen):
    """A side has chosen, or its time was up; the choice is hidden until both sides have chosen."""

    event: Literal["picked"] = "picked"
    side: Side
    in_time: bool


class Lost(Frozen):
    """Losses of a side; `wasted`: hits without a legal target.

    `hidden`: number of losses in a view that hides which; never stored.
    """

    event: Literal["lost"] = "lost"
    side: Side
    surprise: bool
    losses: Losses
    wasted: Number
    hidden: Number | None = Field(default=None, exclude=True)


class Ended(Frozen):
    """The battle is over, with these armies left."""

    event: Literal["ended"] = "ended"
    ending: Ending
    winner: Side | None
    rounds: Number
    attacker: Army
    defender: Army


Event = Annotated[RoundBegan | Fired | ChoiceDue | Picked | Lost | Paused | Ended, Field(discriminator="event")]
