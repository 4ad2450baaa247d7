"""The values of a live dice battle: how it is set up, how it stands, what players do, what happens."""

from enum import StrEnum
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from sim.axis_allies.army import Army
from sim.axis_allies.odds.orders import Casualties, Muster, Slot
from sim.axis_allies.units import Unit
from sim.core.errors import RuleError
from sim.core.frozen import Frozen
from sim.core.outcomes import Ending, Side

MAX_HITS = 500
"""How many hits a side may take in all, units and extra lives: every die of a live battle is shown."""

MANUAL: Literal["manual"] = "manual"
Losing = Casualties | Literal["manual"]
"""How a side chooses its losses; "manual" asks its player whenever there is a choice."""

Number = Annotated[int, Field(ge=0)]
Face = Annotated[int, Field(ge=1, le=6)]


class Hits(Frozen):
    """Hits by what they may fall on: submarines' (never on air), air's without an own destroyer (never on submarines),
    all others'. In the order in which they are placed.
    """  # noqa: D205 - one sentence, too long for a line

    submarines: Number = 0
    air: Number = 0
    rest: Number = 0

    @property
    def total(self) -> int:
        """All of them."""
        return self.submarines + self.air + self.rest


class Loss(Frozen):
    """`count` units of one type, or extra lives of battleships, 1 or more."""

    slot: Slot
    count: Annotated[int, Field(ge=1, le=MAX_HITS)]


Losses = Annotated[tuple[Loss, ...], Field(max_length=len(Unit) + 1)]


class Setup(Frozen):
    """Who fights, and how. RuleError for an empty army, one too large to show, and fractions of units.

    `fog`: each army is visible to its own side alone until the end.
    """

    attacker: Army
    defender: Army
    attacker_losses: Losing = "score"
    defender_losses: Losing = "score"
    fog: bool = False

    @model_validator(mode="after")
    def _sensible(self) -> Self:
        for side in Side:
            hits = self.muster(side).hits
            if not hits:
                raise RuleError(f"The {side} has no units.")
            if hits > MAX_HITS:
                raise RuleError(
                    f"The {side} takes {hits:,} hits, too many to show every die; at most {MAX_HITS} fight live."
                )
        return self

    def army(self, side: Side) -> Army:
        """Return the army that `side` begins with."""
        return self.attacker if side is Side.ATTACKER else self.defender

    def losing(self, side: Side) -> Losing:
        """Return how `side` chooses its losses."""
        return self.attacker_losses if side is Side.ATTACKER else self.defender_losses

    def muster(self, side: Side) -> Muster:
        """Return the army that `side` begins with in the order of its losses, by score where they are manual."""
        losing = self.losing(side)
        return Muster.of(self.army(side), side, "score" if losing == MANUAL else losing, self.army(side.other))


class Phase(StrEnum):
    """What a battle waits for."""

    READY = "ready"
    """The next round."""
    STRIKE = "losses of the surprise strikes"
    FIRE = "losses of the general fire"
    OVER = "over"


class Pending(Frozen):
    """Hits that `side` has to place. `asked`: its player chooses; `picked`: the choice, empty if hidden."""

    side: Side
    hits: Hits
    asked: bool
    picked: Losses | None = None

    @property
    def awaited(self) -> bool:
        """Whether the player's choice is still to come."""
        return self.asked and self.picked is None


class Tally(Frozen):
    """What a side threw so far, to tell luck by, exactly.

    `sixths`: 6 times the hits to expect of these dice; `variance`: 36 times the variance of their number.
    """

    dice: Number = 0
    hits: Number = 0
    sixths: Number = 0
    variance: Number = 0


class State(Frozen):
    """How a battle stands.

    `round`: rounds begun. `pending`: hits of this round that are not placed yet. `silent`: sides whose submarines have
    struck by surprise in this round. `running`: rounds follow each other until the end. `ending` is None until then.
    `hidden`: sides whose army is taken out of this view of the state (see visible.py); never stored.
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
        """Return what `side` has now."""
        return self.attacker if side is Side.ATTACKER else self.defender

    def due(self, side: Side) -> Pending | None:
        """Return the hits that `side` has to place, if any."""
        return next((pending for pending in self.pending if pending.side is side), None)


class Fire(Frozen):
    """Fight the next round."""

    do: Literal["fire"] = "fire"


class Retreat(Frozen):
    """The attacker leaves, after any round."""

    do: Literal["retreat"] = "retreat"


class RunOut(Frozen):
    """Fight round after round, to the end."""

    do: Literal["run-out"] = "run-out"


class PickLosses(Frozen):
    """A side chooses what it loses."""

    do: Literal["pick-losses"] = "pick-losses"
    side: Side
    losses: Losses


class TimeUp(Frozen):
    """Whoever has not chosen its losses by now loses by score."""

    do: Literal["time-up"] = "time-up"


Action = Annotated[Fire | Retreat | RunOut | PickLosses | TimeUp, Field(discriminator="do")]


class RoundBegan(Frozen):
    """A round began between these armies."""

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
        """Who throws, as players read it: `2 tanks`."""
        count = len(self.faces)
        return f"{count} {self.unit.value if count == 1 else self.unit.stats.plural}"

    @property
    def hits(self) -> int:
        """How many of the dice hit."""
        return sum(face <= self.score for face in self.faces)


class Fired(Frozen):
    """A side threw its dice."""

    event: Literal["fired"] = "fired"
    side: Side
    surprise: bool
    throws: tuple[Throw, ...]
    hits: Hits


class Asked(Frozen):
    """A side has to choose what it loses to these hits."""

    event: Literal["asked"] = "asked"
    side: Side
    hits: Hits


class Picked(Frozen):
    """A side has chosen, or its time was up; what, stays hidden until both sides have."""

    event: Literal["picked"] = "picked"
    side: Side
    in_time: bool


class Lost(Frozen):
    """What a side lost; `wasted`: hits that found nothing that they could fall on.

    `hidden`: how many losses there are, in a view that doesn't tell which; never stored.
    """

    event: Literal["lost"] = "lost"
    side: Side
    surprise: bool
    losses: Losses
    wasted: Number
    hidden: Number | None = Field(default=None, exclude=True)


class Paused(Frozen):
    """Running on stopped after many rounds; it may go on."""

    event: Literal["paused"] = "paused"
    rounds: Number


class Ended(Frozen):
    """The battle is over; what is left of both armies."""

    event: Literal["ended"] = "ended"
    ending: Ending
    winner: Side | None
    rounds: Number
    attacker: Army
    defender: Army


Event = Annotated[RoundBegan | Fired | Asked | Picked | Lost | Paused | Ended, Field(discriminator="event")]
