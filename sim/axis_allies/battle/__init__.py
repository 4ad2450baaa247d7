"""A live battle with dice: its setup, state, actions and events, and the search for orders before it opens."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator
from typing_extensions import override

from sim.axis_allies.army import Army, TwoArmies
from sim.axis_allies.battle.dice import Flag, Sum, Tally, Throw
from sim.axis_allies.casualties import Casualties, CasualtyOrder, Life, Slot
from sim.axis_allies.odds import FoundOrders, OrderSearch, SearchingRequest, WrappingRequest, found_by
from sim.axis_allies.question import NEVER, Question, RoundLimit, Technologies, Withdrawal
from sim.axis_allies.unit_stats import UnitStats, stats_of
from sim.axis_allies.units import Unit
from sim.core import RuleError
from sim.core.staged_job import answer
from sim.core.values import Ending, Frozen, Number, Paused, Side, is_none, is_one, is_unset

MAX_HITS = 500
"""Maximum hits of a side's army, units and lives, and maximum ships that bombard: a live battle shows every die."""

MANUAL: Literal["manual"] = "manual"
CasualtyPolicy = Casualties | Literal["manual"]
"""How a side chooses its losses; "manual" asks its player if there is a choice."""

VERSION = 2
"""The version of these rules that new battles are fought by."""


class Hits(Frozen):
    """Hits by what they may fall on.

    `submarines`: never on air. `air`: of aircraft without an own destroyer, never on submarines. `planes`: of
    antiaircraft guns, on air only. `rest`: all others.
    """

    submarines: Number = 0
    air: Number = 0
    rest: Number = 0
    planes: Annotated[Number, Field(exclude_if=is_unset)] = 0

    @property
    def total(self) -> int:
        """Number of hits of all groups."""
        return self.submarines + self.air + self.rest + self.planes


class Loss(Frozen):
    """`count` units of one type, or lives of ships; at least 1. A ship that is lost whole takes its life with it."""

    slot: Slot
    count: Annotated[int, Field(ge=1, le=MAX_HITS)]


Losses = Annotated[tuple[Loss, ...], Field(max_length=len(Unit) + len(Life))]


class Setup(TwoArmies):
    """Both armies and the terms. RuleError for an empty army, for one too large to show, and as `BattleRequest.check`.

    `fog`: only its own side sees an army until the end. `bombard`, `landing`, `must_take`, `low_luck`, technologies: as
    in `BattleRequest`. `version`: of these rules; the first one placed hits in groups (`losses`).
    """

    attacker_losses: CasualtyPolicy = "score"
    defender_losses: CasualtyPolicy = "score"
    fog: bool = False
    bombard: Annotated[Army, Field(exclude_if=Army().__eq__)] = Army()
    landing: Annotated[Number | None, Field(exclude_if=is_none)] = None
    attacker_technology: Annotated[Technologies, Field(exclude_if=is_unset)] = ()
    defender_technology: Annotated[Technologies, Field(exclude_if=is_unset)] = ()
    must_take: Flag = False
    low_luck: Flag = False
    version: Annotated[int, Field(ge=1, le=VERSION, strict=True, exclude_if=is_one)] = 1

    @model_validator(mode="after")
    def _sensible(self) -> Self:
        for side in Side:
            if not self.army(side):
                raise RuleError(f"The {side} has no units.")
        self.battle.check()
        for side in Side:
            hits = self.casualty_order(side).hits
            if hits > MAX_HITS:
                raise RuleError(
                    f"The {side} takes {hits:,} hits, too many to show every die; at most {MAX_HITS} fight live."
                )
        if (ships := int(self.bombard.size())) > MAX_HITS:
            raise RuleError(f"{ships:,} ships bombard, too many to show every die; at most {MAX_HITS} may.")
        return self

    @classmethod
    def of(cls, question: Question, policies: Mapping[Side, CasualtyPolicy | None], *, fog: bool = False) -> Self:
        """Return the setup of a question as typed; RuleError for what can't be fought live.

        `policies`: how both sides choose their losses, None as the question or else the edition says.
        """
        if not question.one_battle:
            raise RuleError("A live battle has one attacker and no counterattack: fight the next one when it is over.")
        if question.stop_after is not None or question.withdrawal.possible:
            raise RuleError("In a live battle the attacker may retreat after any round: leave rounds and retreats out.")
        usual = question.book.rules.casualties
        shared = {name: value for name, value in question.fields.items() if name in cls.model_fields}
        return cls(
            **shared,
            attacker_losses=policies[Side.ATTACKER] or question.attacker_casualties or usual,
            defender_losses=policies[Side.DEFENDER] or question.defender_casualties or usual,
            fog=fog,
            version=VERSION,
        )

    @property
    def fields(self) -> dict[str, Any]:
        """The fields of a request about this battle."""
        shared = {name: value for name, value in self if name in SearchingRequest.model_fields}
        return shared | {f"{side}_casualties": self.casualties_of(side) for side in Side}

    def casualty_policy(self, side: Side) -> CasualtyPolicy:
        """Return how `side` chooses its losses."""
        policy: CasualtyPolicy = getattr(self, f"{side}_losses")
        return policy

    def casualties_of(self, side: Side) -> Casualties:
        """Return how `side` loses units without its player's choice: in the edition's order if losses are manual.

        In battles of the first version, "smart" was a formula.
        """
        policy = self.casualty_policy(side)
        if policy == MANUAL:
            return self.army(side).book.rules.casualties
        return "formula" if policy == "smart" and self.version == 1 else policy

    @property
    def battle(self) -> SearchingRequest:
        """The battle from its start, for what is calculated about it."""
        return SearchingRequest(**self.fields)

    def with_found(self, found: FoundOrders) -> Self:
        """Return the setup with the best orders in place of smart and thrifty losses.

        They are kept with the battle, so that it is replayed with them.
        """
        return self.model_copy(update={f"{each.side}_losses": each.order for each in found})

    def renewed(self, *, swap: bool) -> Self:
        """Return the setup for a battle by today's rules; `swap`: the players change sides.

        A method goes with its player, an explicit order stays with its army.
        """
        orders = [
            self.casualty_order(side).written if self.casualties_of(side) == "formula" else self.casualty_policy(side)
            for side in Side
        ]
        if swap and all(isinstance(order, str) for order in orders):
            orders.reverse()
        return self.model_copy(
            update={"version": VERSION, "attacker_losses": orders[0], "defender_losses": orders[1]},
        )

    def casualty_order(self, side: Side) -> CasualtyOrder:
        """Return the starting army of `side` in casualty order."""
        return self.battle.casualty_order(side)

    def stats(self, side: Side) -> UnitStats:
        """Return what the units of `side` can do."""
        return stats_of(self.army(side).edition, side, getattr(self, f"{side}_technology"))


class OpeningRequest(WrappingRequest):
    """Finds the best orders for smart and thrifty losses.

    `stop_after`, `withdrawal`: of the odds that were told with the same orders; the battle itself has no such end.
    """

    asked = "setup"

    setup: Setup
    stop_after: RoundLimit | None = None
    withdrawal: Withdrawal = NEVER

    @property
    @override
    def search(self) -> OrderSearch:
        ends = {"stop_after": self.stop_after, "withdrawal": self.withdrawal}
        return OrderSearch(self.setup.battle.model_copy(update=ends))

    @property
    def needed(self) -> bool:
        """Whether there is anything to find."""
        return self.setup.battle.search_seconds > 0

    @override
    def cost(self) -> float:
        return 0.01 + self.setup.battle.search_seconds

    def run(self) -> Setup:
        """Return the setup with the orders found."""
        return self.setup.with_found(found_by(answer(self.search)))


class Phase(StrEnum):
    """What a battle is waiting for."""

    READY = "ready"
    """The next round."""
    ANTIAIRCRAFT = "losses of the antiaircraft fire"
    BOMBARDMENT = "losses of the bombardment"
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


class State(TwoArmies):
    """State of a battle.

    `round`: rounds begun. `pending`: hits of this round that are not placed yet. `silent`: sides whose submarines have
    struck by surprise in this round. `running`: the battle runs on to its end. `ending`: None until then.
    `attacker_fires`, `defender_fires`: the army as it still fires in this round, if marked losses do. `hidden`: sides
    whose army is removed from this view of the state; never stored.
    """

    setup: Setup
    round: Number = 0
    phase: Phase = Phase.READY
    pending: Annotated[tuple[Pending, ...], Field(max_length=2)] = ()
    silent: Annotated[tuple[Side, ...], Field(max_length=2)] = ()
    running: bool = False
    attacker_fire: Tally = Tally()
    defender_fire: Tally = Tally()
    ending: Ending | None = None
    winner: Side | None = None
    attacker_fires: Annotated[Army | None, Field(exclude_if=is_none)] = None
    defender_fires: Annotated[Army | None, Field(exclude_if=is_none)] = None
    hidden: tuple[Side, ...] = Field(default=(), exclude=True)

    def shooters(self, side: Side) -> Army:
        """Return the units of `side` that may fire: what it has, and marked losses."""
        marked: Army | None = getattr(self, f"{side}_fires")
        return self.army(side) if marked is None else marked

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
    """Sides that have not chosen lose in their casualty order."""

    do: Literal["time-up"] = "time-up"


Action = Annotated[Fire | Retreat | RunOut | PickLosses | TimeUp, Field(discriminator="do")]


class RoundBegan(TwoArmies):
    """A round began with these armies."""

    event: Literal["round"] = "round"
    number: Annotated[int, Field(ge=1)]


class Moment(StrEnum):
    """Why dice are thrown, or units lost, other than in a round's fire."""

    ANTIAIRCRAFT = "antiaircraft fire"
    BOMBARDMENT = "bombardment"
    """That nobody fires back at; others join the dice of the first round."""
    MARKED = "marked"
    """By submarines that fire first without surprise: who is lost still fires in this round."""
    DEFENCELESS = "defenceless"
    """Nothing is left of an army but units that are lost without dice."""


class Fired(Frozen):
    """A side threw its dice; with low luck there are `sums` in place of `throws`."""

    event: Literal["fired"] = "fired"
    side: Side
    surprise: bool
    throws: tuple[Throw, ...]
    hits: Hits
    sums: Annotated[tuple[Sum, ...], Field(exclude_if=is_unset)] = ()
    moment: Annotated[Moment | None, Field(exclude_if=is_none)] = None


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
    moment: Annotated[Moment | None, Field(exclude_if=is_none)] = None
    hidden: Number | None = Field(default=None, exclude=True)


class Ended(TwoArmies):
    """The battle is over, with these armies left."""

    event: Literal["ended"] = "ended"
    ending: Ending
    winner: Side | None
    rounds: Number


Event = Annotated[RoundBegan | Fired | ChoiceDue | Picked | Lost | Paused | Ended, Field(discriminator="event")]
