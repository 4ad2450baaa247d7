"""The average battle: no dice, every unit scores count x score / 6 hits, fractions kept exactly.

Source: the rules page of Axis & Allies 1941, section "The average battle".
"""

from collections.abc import Iterator
from enum import StrEnum
from fractions import Fraction
from typing import Annotated, Literal, Self

from pydantic import Field
from typing_extensions import override

from sim.axis_allies.army import NOTHING, Army, Group
from sim.axis_allies.fire import firing, strikers
from sim.axis_allies.units import Category, Unit
from sim.core.errors import TooMuchError
from sim.core.frozen import Frozen
from sim.core.outcomes import Ending, Side
from sim.core.request import Request

MAX_ROUNDS = 1_000
"""The longest battle that is worked out; only harmless transports in great numbers last longer."""

_DIE = 6
_SECONDS_PER_ROUND = 200e-6  # measured for full armies; a rough upper figure


class Note(StrEnum):
    """Something that a reader of the report should be told."""

    LAND_AT_SEA = "land units take no part in naval battles"


class Hit(Frozen):
    """Hits of one firing type on one target type.

    `amount`: how many, more than 0. `on` is None for ineffective hits: those without a legal target.
    """

    by: Unit
    on: Unit | None
    amount: Fraction


class Volley(Frozen):
    """One side's fire, either by surprise or in general; `hits` in the order placed."""

    side: Side
    surprise: bool
    hits: tuple[Hit, ...]

    @property
    def effective(self) -> Fraction:
        """Hits that took a unit or a life."""
        return sum((hit.amount for hit in self.hits if hit.on is not None), Fraction(0))

    @property
    def ineffective(self) -> Fraction:
        """Hits that found no legal target."""
        return sum((hit.amount for hit in self.hits if hit.on is None), Fraction(0))


class Round(Frozen):
    """One round: the armies as it begins, then the volleys in the order fired.

    A surprise volley is there only for a side that may strike by surprise; both general volleys always are.
    """

    number: int
    attacker: Army
    defender: Army
    volleys: tuple[Volley, ...]

    def army(self, side: Side) -> Army:
        """Return the army of `side` as the round begins."""
        return self.attacker if side is Side.ATTACKER else self.defender

    def volley(self, side: Side, *, surprise: bool = False) -> Volley | None:
        """Return the volley of `side`; None when it has no surprise strike."""
        return next((volley for volley in self.volleys if volley.side is side and volley.surprise is surprise), None)


class AverageReport(Frozen):
    """The average battle, worked out.

    Its JSON form (`battle.json`): `attacker` and `defender` are the armies at the start, `attacker_left` and
    `defender_left` at the end; an army is `{"groups": [{"unit", "count", "lives"}]}` in the order typed, `lives` the
    hits that the group still absorbs. `rounds` is a list of `{"number", "attacker", "defender", "volleys"}` with the
    armies as the round begins and volleys `{"side", "surprise", "hits"}`, each hit `{"by", "on", "amount"}` (`on`
    null when ineffective). `winner` is "attacker", "defender" or null, `ending` says why the battle ended, `notes`
    what a reader should know. All amounts are exact fractions as text: "3", "11/4".
    """

    attacker: Army
    defender: Army
    rounds: tuple[Round, ...]
    attacker_left: Army
    defender_left: Army
    winner: Side | None
    ending: Ending
    notes: tuple[Note, ...] = ()

    def army(self, side: Side) -> Army:
        """Return the army of `side` before the battle."""
        return self.attacker if side is Side.ATTACKER else self.defender

    def left(self, side: Side) -> Army:
        """Return the army of `side` after the battle."""
        return self.attacker_left if side is Side.ATTACKER else self.defender_left

    def ipc_lost(self, side: Side) -> Fraction:
        """Return what `side` lost, in IPC."""
        return self.army(side).ipc - self.left(side).ipc


class AverageRequest(Request):
    """A question for the average battle, and the job that answers it.

    `casualties`: how losses are chosen; `stop_after`: stop undecided after that many rounds (1 to `MAX_ROUNDS`).
    """

    attacker: Army
    defender: Army
    casualties: Literal["score"] = "score"
    stop_after: Annotated[int, Field(ge=1, le=MAX_ROUNDS)] | None = None

    @override
    def cost(self) -> float:
        return (self.stop_after or MAX_ROUNDS) * _SECONDS_PER_ROUND

    def run(self) -> AverageReport:
        """Fight the battle; TooMuchError after `MAX_ROUNDS` rounds without an end."""
        return fight(self.attacker, self.defender, self.stop_after)

    @classmethod
    def of(cls, armies: dict[Side, Army], stop_after: int | None = None) -> Self:
        """Make the request for the armies of both sides."""
        return cls(attacker=armies[Side.ATTACKER], defender=armies[Side.DEFENDER], stop_after=stop_after)


class _Force:
    """An army under fire: exact counts and lives that change as hits are placed."""

    def __init__(self, army: Army, side: Side) -> None:
        self.side = side
        self.counts = {group.unit: group.count for group in army.groups}
        self.lives = {group.unit: group.lives for group in army.groups}
        # Lowest own score first, then the cheapest, then the first typed; transports last whatever their score.
        self.order = sorted(self.counts, key=lambda unit: (unit is Unit.TRANSPORT, unit.score(side), unit.cost))

    def army(self) -> Army:
        return Army(
            groups=tuple(Group(unit=unit, count=count, lives=self.lives[unit]) for unit, count in self.counts.items())
        )

    def take(self, unit: Unit, hits: Fraction) -> Fraction:
        """Take up to `hits` on `unit`, lives before units; return how many found something to hit."""
        on_lives = min(hits, self.lives[unit])
        on_units = min(hits - on_lives, self.counts[unit])
        self.lives[unit] -= on_lives
        self.counts[unit] -= on_units
        if self.counts[unit] <= NOTHING:
            del self.counts[unit], self.lives[unit]
        return on_lives + on_units

    def place(self, by: Unit, hits: Fraction, *, own_destroyer: bool) -> Iterator[Hit]:
        """Place the hits of one firing type; what is left when nobody stands any more is not counted at all."""
        for unit in self.order:
            if not hits:
                return
            if unit in self.counts and by.can_hit(unit, own_destroyer=own_destroyer):
                taken = self.take(unit, hits)
                hits -= taken
                yield Hit(by=by, on=unit, amount=taken)
        if hits and self.counts:
            yield Hit(by=by, on=None, amount=hits)


def _fire(shooter: dict[Unit, Fraction], target: _Force, *, surprise: bool, struck: bool) -> Volley:
    """Fire the types of `shooter`, numbers as given, one after the other at `target`."""
    side = target.side.other
    destroyer = Unit.DESTROYER in shooter
    hits: list[Hit] = []
    for unit in firing(shooter, side, surprise=surprise, struck=struck):
        hits.extend(target.place(unit, shooter[unit] * unit.score(side) / _DIE, own_destroyer=destroyer))
    return Volley(side=side, surprise=surprise, hits=tuple(hits))


def _play_round(number: int, forces: dict[Side, _Force]) -> Round:
    attacker, defender = forces[Side.ATTACKER], forces[Side.DEFENDER]
    start = {side: dict(force.counts) for side, force in forces.items()}
    armies = {side: force.army() for side, force in forces.items()}
    striking = strikers(start)
    # Both strikes come from the armies as the round begins: submarines just sunk still strike.
    volleys = [_fire(start[side], forces[side.other], surprise=True, struck=False) for side in striking]
    # The defender answers with what survived the strikes, untouched by the attacker's general fire.
    answering = dict(defender.counts)
    volleys.append(_fire(attacker.counts, defender, surprise=False, struck=Side.ATTACKER in striking))
    volleys.append(_fire(answering, attacker, surprise=False, struck=Side.DEFENDER in striking))
    return Round(number=number, attacker=armies[Side.ATTACKER], defender=armies[Side.DEFENDER], volleys=tuple(volleys))


def fight(attacker: Army, defender: Army, stop_after: int | None = None) -> AverageReport:
    """Fight until a side is gone, no hit takes effect, or `stop_after` rounds are over.

    TooMuchError after `MAX_ROUNDS` rounds without an end.
    """
    forces = {Side.ATTACKER: _Force(attacker, Side.ATTACKER), Side.DEFENDER: _Force(defender, Side.DEFENDER)}
    rounds: list[Round] = []
    ending = None
    while ending is None:
        if len(rounds) == MAX_ROUNDS:
            raise TooMuchError(
                f"This battle goes on for more than {MAX_ROUNDS:,} rounds; say with stop_after when to stop."
            )
        rounds.append(_play_round(len(rounds) + 1, forces))
        ending = _ending(rounds[-1], forces)
        if ending is None and len(rounds) == stop_after:
            ending = Ending.ROUND_LIMIT
    survivors = [side for side, force in forces.items() if force.counts]
    return AverageReport(
        attacker=attacker,
        defender=defender,
        rounds=tuple(rounds),
        attacker_left=forces[Side.ATTACKER].army(),
        defender_left=forces[Side.DEFENDER].army(),
        winner=survivors[0] if len(survivors) == 1 else None,
        ending=ending,
        notes=notes(attacker, defender),
    )


def _ending(last: Round, forces: dict[Side, _Force]) -> Ending | None:
    survivors = sum(bool(force.counts) for force in forces.values())
    if survivors == 0:
        return Ending.MUTUAL
    if survivors == 1:
        return Ending.ANNIHILATION
    return None if any(volley.effective for volley in last.volleys) else Ending.STALEMATE


def notes(attacker: Army, defender: Army) -> tuple[Note, ...]:
    """Return what a reader should be told of these two armies."""
    both = (attacker, defender)
    land, naval = (any(army.has(category) for army in both) for category in (Category.LAND, Category.NAVAL))
    return (Note.LAND_AT_SEA,) if land and naval else ()
