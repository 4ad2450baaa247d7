"""Coaches live battles: what each fire, each choice of losses and each retreat was worth.

Source: .docs/rules/axis_allies.md, "The coach".
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, cast

from sim.axis_allies import battle as v
from sim.axis_allies.army import Army
from sim.axis_allies.battle.losses import loss_text, remove_losses
from sim.axis_allies.casualties import Slot
from sim.core import RuleError
from sim.core.coach import CoachReport, CoachRow, CoachRules, CoachStep, SoFar
from sim.core.names import listed
from sim.core.numbers import quantity
from sim.core.values import Ending, Side

if TYPE_CHECKING:
    from sim.axis_allies.odds.positions import Aim, Positions

_SECONDS, _MOST_SECONDS, _PART = 0.2, 20.0, 0.7
_EQUAL = 1e-12
_FIRES = {
    v.Phase.ANTIAIRCRAFT: v.Moment.ANTIAIRCRAFT,
    v.Phase.BOMBARDMENT: v.Moment.BOMBARDMENT,
    v.Phase.STRIKE: v.Moment.MARKED,
    v.Phase.FIRE: None,
}
"""What was fired last when losses are chosen."""


class BattleCoach(CoachRules[v.Setup, v.State, v.Action, v.Event]):
    """The coach of live battles. V is the attacker's: its chance to win, or the swing in IPC."""

    aims = MappingProxyType({"chance": "the chance to win", "ipc": "IPC destroyed minus IPC lost"})
    sides = tuple(side.value for side in Side)

    def seconds(self, setup: v.Setup) -> float:
        """Return the most seconds; RuleError for battles of the first version, whose hits fell in groups."""
        if setup.version == 1:
            raise RuleError("This battle was fought by earlier rules, which the coach doesn't know.")
        return _MOST_SECONDS if _by_hand(setup) else min(_MOST_SECONDS, _SECONDS + setup.battle.estimate_seconds())

    def knows(self, state: v.State) -> bool:
        """Return whether it was fought by today's rules."""
        return state.setup.version > 1

    def report(
        self,
        start: v.State,
        steps: Sequence[CoachStep[v.Action, v.Event]],
        aim: str,
        so_far: SoFar | None = None,
    ) -> CoachReport | SoFar:
        """Return what each fire and each choice was worth to the attacker."""
        from sim.axis_allies.odds.positions import Positions  # noqa: PLC0415

        setup = start.setup
        self.seconds(setup)
        positions = Positions.begin(setup.battle, _by_hand(setup), cast("Aim", aim))
        if (found := positions.weigh(so_far, _PART)) is not None:
            return found
        walk = _Walk(start, positions)
        before = walk.now
        rows = [row for step in steps for event in step.events for row in walk.after(step.row, event)]
        rows += walk.settle()
        chance = aim == "chance"
        scale = {"aim": aim, "unit": "" if chance else "IPC", "seat": Side.ATTACKER.value, "total": float(chance)}
        return CoachReport.of(before, rows, **scale)


def _by_hand(setup: v.Setup) -> list[Side]:
    return [side for side in Side if setup.casualty_policy(side) == v.MANUAL]


class _Walk:
    """Follows a battle from event to event; `now`: V here."""

    def __init__(self, start: v.State, positions: "Positions") -> None:
        self._positions = positions
        self._armies: dict[Side, Army] = {side: start.army(side).fighters for side in Side}
        self._round = start.round
        self._fire: v.Moment | None = None
        """What was fired last: antiaircraft guns, a bombardment, submarines that go first, or else a round."""
        self._row: int | None = None  # None: nothing was fired since the last position
        self._hits: dict[Side, Counter[str]] = {side: Counter() for side in Side}
        self._lost: dict[Side, Counter[Slot]] = {}
        self._picked: dict[Side, tuple[int, str]] = {}
        self._chosen: dict[Side, Army] = {}
        """What is left after losses that were chosen before the start."""
        if start.pending:
            self._fire, self._row = _FIRES[start.phase], 0
            for due in start.pending:
                self._took(due.side, due.hits)
                if due.picked is not None:
                    self._chosen[due.side] = remove_losses(self._armies[due.side], due.picked)
            self.now = float(self._values(self._armies)[1].min(axis=1).max())
        else:
            self.now = float(positions.found.value[self._at]) if start.round else positions.start()

    def after(self, row: int, event: v.Event) -> Iterator[CoachRow]:
        """Yield what an event shows to be over."""
        match event:
            case v.Fired():
                fire = self._fire_of(event)
                if fire is not self._fire:
                    yield from self.settle()
                self._fire, self._row = fire, row
                self._took(event.side.other, event.hits)
            case v.Lost(moment=v.Moment.DEFENCELESS):
                yield from self.settle()
            case v.Lost():
                self._lost.setdefault(event.side, Counter()).update({loss.slot: loss.count for loss in event.losses})
            case v.Picked():
                self._picked[event.side] = row, "" if event.in_time else ", as time was up"
            case v.RoundBegan():
                yield from self.settle()
                if event.number > 1:
                    at = self._at
                    yield from self._stay_or_leave(row, self._positions.found.goes_on[at], "going on", "retreating")
                self._round = event.number
            case v.Ended():
                yield from self.settle()
                if event.ending is Ending.RETREAT:
                    yield from self._stay_or_leave(row, self._positions.leave[self._at], "retreating", "going on")

    def _took(self, side: Side, hits: v.Hits) -> None:
        self._hits[side].update(hits=hits.total, submarines=hits.submarines, air=hits.air)

    def _fire_of(self, event: v.Fired) -> v.Moment | None:
        fire = v.Moment.MARKED if event.surprise else event.moment
        return None if fire is v.Moment.MARKED and self._positions.told else fire

    @property
    def _at(self) -> tuple[int, int]:
        attacker, defender = (self._positions.number(side, self._armies[side]) for side in Side)
        return attacker, defender

    def _stay_or_leave(self, row: int, after: float, words: str, other: str) -> Iterator[CoachRow]:
        """Yield what it was worth to retreat or not to, unless going on was right."""
        better = other if self.now - after > _EQUAL else ""
        if better or words == "retreating":
            seat = Side.ATTACKER.value
            yield self._moved(row, "choice", after, seat=seat, words=words, instead=better)
        self.now = float(after)

    def settle(self) -> Iterator[CoachRow]:
        """Yield what the last fire was worth, and the choices of losses."""
        if self._row is None:
            return
        before = self._armies
        if whole := all(side in self._lost for side, hits in self._hits.items() if hits.total()):
            for side, lost in self._lost.items():
                losses = tuple(v.Loss(slot=slot, count=count) for slot, count in lost.items())
                self._armies = self._armies | {side: remove_losses(before[side], losses)}
        (attackers, defenders), values = self._values(before)
        kept = values.min(axis=1)
        yield self._moved(self._row, "roll", kept.max(), words=self._roll_words())
        if whole:
            own, enemy = self._at
            at = _place(attackers, own)
            yield from self._choice(Side.ATTACKER, attackers, attackers[kept.argmax()], kept[at])
            last = values[at, _place(defenders, enemy)]
            yield from self._choice(Side.DEFENDER, defenders, defenders[values[at].argmin()], last)
        self._row, self._hits, self._lost = None, {side: Counter() for side in Side}, {}
        self._picked, self._chosen = {}, {}

    def _values(self, before: Mapping[Side, Army]) -> tuple[Sequence[Any], Any]:
        """Return what both sides may choose to be left with, and what each pair is worth."""
        import numpy as np  # noqa: PLC0415

        positions, own, enemy = self._positions, *self._at
        found, options = positions.found, [np.array([own]), np.array([enemy])]
        if self._fire is v.Moment.ANTIAIRCRAFT:
            if positions.guns_are_answered:
                options[0] = positions.after_guns(self._hits[Side.ATTACKER]["hits"])
            values = np.array([[positions.opening(at)] for at in options[0].tolist()])
        elif positions.told:
            values = found.value[own : own + 1, enemy : enemy + 1]
        else:
            numbers = {side: positions.number(side, before[side]) for side in Side}
            options = [positions.after_hits(side, at, **self._hits[side]) for side, at in numbers.items()]
            table = found.goes_on if self._fire is v.Moment.BOMBARDMENT else found.value
            marked = self._fire is v.Moment.MARKED
            values = positions.after_submarines(numbers, *options) if marked else table[np.ix_(*options)]
        for axis, side in enumerate(Side):
            if side in self._chosen:
                at = _place(options[axis], self._positions.number(side, self._chosen[side]))
                options[axis], values = options[axis][at : at + 1], values.take([at], axis)
        return options, values

    def _choice(self, side: Side, options: Sequence[int], best: int, after: float) -> Iterator[CoachRow]:
        """Yield what a side's choice of losses was worth, if it had one; `best`: the army it had best kept."""
        if len(options) == 1:
            return
        chosen, kept = self._positions.number(side, self._armies[side]), self._positions.armies(side).kinds
        kinds = {slot: (int(left[chosen]), int(left[best])) for slot, left in kept.items()}
        instead = ""
        if abs(after - self.now) > _EQUAL:
            lost = {slot: there - here for slot, (here, there) in kinds.items() if here < there}
            instead = _loss_words({slot: here - there for slot, (here, there) in kinds.items() if here > there})
        else:
            lost = dict(self._lost[side])
        row, note = self._picked.get(side, (self._row or 0, ""))
        words = f"losing {_loss_words(lost)}{note}"
        yield self._moved(row, "choice", after, seat=side.value, words=words, instead=instead)

    def _roll_words(self) -> str:
        if self._fire in {v.Moment.ANTIAIRCRAFT, v.Moment.BOMBARDMENT}:
            return quantity(sum(hits["hits"] for hits in self._hits.values()), "hit")
        return ", ".join(f"{side} {quantity(self._hits[side.other]['hits'], 'hit')}" for side in Side)

    def _moved(self, row: int, kind: Any, after: float, **more: str) -> CoachRow:  # noqa: ANN401 - a literal
        moment = f"round {self._round}" if self._fire in {None, v.Moment.MARKED} else self._fire.value
        before, self.now = self.now, float(after)
        return CoachRow(row=row, kind=kind, moment=moment, before=before, after=self.now, **more)


def _place(options: Any, number: int) -> int:  # noqa: ANN401 - an array
    """Return where a choice is among the options; where there is one, nothing was chosen."""
    return 0 if len(options) == 1 else int((options == number).nonzero()[0][0])


def _loss_words(lost: Mapping[Slot, int]) -> str:
    return listed([loss_text(slot, count) for slot, count in lost.items()])
