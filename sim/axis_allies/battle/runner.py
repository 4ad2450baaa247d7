"""One step of a dice battle, worked out: volleys, losses, and what follows until somebody has to decide."""

from sim.axis_allies.army import Army
from sim.axis_allies.battle.losses import HitPlacement, after
from sim.axis_allies.battle.values import (
    MANUAL,
    Asked,
    Ended,
    Event,
    Fired,
    Hits,
    Lost,
    Paused,
    Pending,
    Phase,
    RoundBegan,
    Setup,
    State,
    Tally,
    Throw,
)
from sim.axis_allies.fire import can_harm, firing, strikers
from sim.axis_allies.odds.orders import HitGroup, hit_group
from sim.axis_allies.units import Unit
from sim.core.dice import Dice
from sim.core.outcomes import Ending, Side

ROUNDS_AT_ONCE = 100
"""Rounds after which running on pauses: only transports in great numbers, or two that hardly hit, last longer."""

_DIE = 6


def initial_state(setup: Setup) -> State:
    """Return the state before the first round, already over when neither side can hurt the other."""
    state = State(setup=setup, attacker=setup.attacker, defender=setup.defender)
    ending, winner = _ending(state.attacker, state.defender)
    return state.model_copy(update={"ending": ending, "winner": winner, "phase": _phase(ending)})


class StepRunner:
    """A battle under way: `state` changes as the rules demand, `events` tell of it.

    Surprise strikes are thrown by the armies as the round begins, general fire by what they leave. Losses of both sides
    leave at the same time, once both are settled; until then the course stands still.
    """

    def __init__(self, state: State, dice: Dice) -> None:
        self.state = state
        self.events: list[Event] = []
        self._dice = dice

    def fire(self) -> None:
        """Fight the next round, as far as nobody has to choose losses."""
        state = self.state
        self._set(round=state.round + 1)
        began = RoundBegan(number=self.state.round, attacker=state.attacker, defender=state.defender)
        self.events.append(began)
        striking = strikers({side: {group.unit for group in state.army(side).groups} for side in Side})
        self._set(silent=striking)
        scored = {side: self._volley(side, surprise=True) for side in striking}
        self._open(Phase.STRIKE, scored)
        self.settle()

    def run(self) -> None:
        """Fight round after round until the end, a choice of losses, or too many rounds at once."""
        self._set(running=True)
        rounds = 0
        while self.state.phase is Phase.READY and rounds < ROUNDS_AT_ONCE:
            self.fire()
            rounds += 1
        if self.state.phase is Phase.READY:
            self.events.append(Paused(rounds=rounds))
        if self.state.phase in {Phase.READY, Phase.OVER}:
            self._set(running=False)

    def settle(self) -> None:
        """Take the losses once no choice is awaited, and go on to the end of the round."""
        while self.state.phase in {Phase.STRIKE, Phase.FIRE}:
            if any(pending.awaited for pending in self.state.pending):
                return
            phase = self.state.phase
            self._take()
            if phase is Phase.FIRE:
                self.close()
            else:
                self._general_fire()

    def close(self, ending: Ending | None = None) -> None:
        """End the round, and the battle if it is over or ends by a decision."""
        winner = None
        if ending is None:
            ending, winner = _ending(self.state.attacker, self.state.defender)
        self._set(phase=_phase(ending), silent=(), ending=ending, winner=winner)
        if ending is not None:
            state = self.state
            self.events.append(
                Ended(
                    ending=ending, winner=winner, rounds=state.round, attacker=state.attacker, defender=state.defender
                )
            )

    def _general_fire(self) -> None:
        both_stand = self.state.attacker and self.state.defender
        scored = {side: self._volley(side, surprise=False) for side in Side} if both_stand else {}
        self._open(Phase.FIRE, scored)

    def _volley(self, side: Side, *, surprise: bool) -> Hits:
        """Throw for every unit that fires, type by type in the order typed."""
        army = self.state.army(side)
        throws = []
        units = (group.unit for group in army.groups)
        for unit in firing(units, side, surprise=surprise, struck=side in self.state.silent):
            faces = tuple(self._dice.roll(_DIE) for _ in range(int(army.count(unit))))
            throws.append(Throw(unit=unit, score=unit.score(side), faces=faces))
        hits = _sorted_hits(throws, free_air=army.count(Unit.DESTROYER) > 0)
        if throws:
            self.events.append(Fired(side=side, surprise=surprise, throws=tuple(throws), hits=hits))
            self._add_up(side, throws)
        return hits

    def _add_up(self, side: Side, throws: list[Throw]) -> None:
        name = f"{side}_fire"
        tally: Tally = getattr(self.state, name)
        dice = [(len(throw.faces), throw.score) for throw in throws]
        more = Tally(
            dice=tally.dice + sum(count for count, _ in dice),
            hits=tally.hits + sum(throw.hits for throw in throws),
            sixths=tally.sixths + sum(count * score for count, score in dice),
            variance=tally.variance + sum(count * score * (_DIE - score) for count, score in dice),
        )
        self._set(**{name: more})

    def _open(self, phase: Phase, scored: dict[Side, Hits]) -> None:
        """Let the hits that both sides scored wait for their losses."""
        pending = []
        for side in Side:
            hits = scored.get(side.other, Hits())
            if hits.total:
                manual = self.state.setup.losing(side) == MANUAL
                has_choice = manual and self._placement(side).has_choice(hits)
                pending.append(Pending(side=side, hits=hits, asked=has_choice))
                if has_choice:
                    self.events.append(Asked(side=side, hits=hits))
        self._set(phase=phase, pending=tuple(pending))

    def _take(self) -> None:
        surprise = self.state.phase is Phase.STRIKE
        armies: dict[str, Army] = {}
        for pending in self.state.pending:
            losses = self._placement(pending.side).by_method(pending.hits) if pending.picked is None else pending.picked
            wasted = pending.hits.total - sum(loss.count for loss in losses)
            self.events.append(Lost(side=pending.side, surprise=surprise, losses=losses, wasted=wasted))
            armies[pending.side.value] = after(self.state.army(pending.side), losses)
        self._set(pending=(), **armies)

    def _placement(self, side: Side) -> HitPlacement:
        return placement(self.state, side)

    def _set(self, **values: object) -> None:
        self.state = self.state.model_copy(update=values)


def placement(state: State, side: Side) -> HitPlacement:
    """Return what `side` has left, ready to lose."""
    return HitPlacement.of(state.setup.muster(side), state.army(side))


def _sorted_hits(throws: list[Throw], *, free_air: bool) -> Hits:
    by_group = dict.fromkeys(HitGroup, 0)
    for throw in throws:
        group = hit_group(throw.unit)
        by_group[HitGroup.REST if group is HitGroup.AIR and free_air else group] += throw.hits
    return Hits(submarines=by_group[HitGroup.SUBMARINES], air=by_group[HitGroup.AIR], rest=by_group[HitGroup.REST])


def _ending(attacker: Army, defender: Army) -> tuple[Ending | None, Side | None]:
    if not (attacker or defender):
        return Ending.MUTUAL, None
    if not (attacker and defender):
        return Ending.ANNIHILATION, Side.ATTACKER if attacker else Side.DEFENDER
    harm = can_harm(attacker, Side.ATTACKER, defender) or can_harm(defender, Side.DEFENDER, attacker)
    return (None if harm else Ending.STALEMATE), None


def _phase(ending: Ending | None) -> Phase:
    return Phase.READY if ending is None else Phase.OVER
