"""Runs a step of a dice battle: volleys, losses, and everything up to the next decision."""

from sim.axis_allies.army import Army
from sim.axis_allies.battle.losses import HitPlacement, remove_losses
from sim.axis_allies.battle.values import (
    MANUAL,
    ChoiceDue,
    Ended,
    Event,
    Fired,
    Hits,
    Lost,
    Pending,
    Phase,
    RoundBegan,
    Setup,
    State,
    Tally,
    Throw,
)
from sim.axis_allies.casualties import HitGroup, can_harm, firing, hit_group, strikers
from sim.axis_allies.units import Unit
from sim.core.dice import Dice
from sim.core.values import Ending, Paused, Side

ROUNDS_AT_ONCE = 100
"""Rounds after which a run pauses: only many transports, or armies that hardly hit, last longer."""

_DIE = 6


def initial_state(setup: Setup) -> State:
    """Return the state before the first round, already over if neither side can hurt the other."""
    state = State(setup=setup, attacker=setup.attacker, defender=setup.defender)
    ending, winner = _ending(state.attacker, state.defender)
    return state.model_copy(update={"ending": ending, "winner": winner, "phase": _phase(ending)})


class StepRunner:
    """Runs a battle: changes `state` by the rules and collects `events`.

    The armies as the round begins throw the surprise strikes; what they leave throws the general fire. Both sides'
    losses are removed at the same time, once both are chosen; until then the battle waits.
    """

    def __init__(self, state: State, dice: Dice) -> None:
        self.state = state
        self.events: list[Event] = []
        self._dice = dice

    def fire(self) -> None:
        """Fight the next round until a side has to choose losses."""
        state = self.state
        self._set(round=state.round + 1)
        began = RoundBegan(number=self.state.round, attacker=state.attacker, defender=state.defender)
        self.events.append(began)
        striking = strikers({side: {group.unit for group in state.army(side).groups} for side in Side})
        self._set(silent=striking)
        scored = {side: self._volley(side, surprise=True) for side in striking}
        self._add_pending(Phase.STRIKE, scored)
        self.settle()

    def run(self) -> None:
        """Fight until the end, a choice of losses, or `ROUNDS_AT_ONCE` rounds."""
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
        """Remove the losses once all are chosen, and go on to the end of the round."""
        while self.state.phase in {Phase.STRIKE, Phase.FIRE}:
            if any(pending.awaited for pending in self.state.pending):
                return
            phase = self.state.phase
            self._remove_losses()
            if phase is Phase.FIRE:
                self.close()
            else:
                self._general_fire()

    def close(self, ending: Ending | None = None) -> None:
        """End the round, and the battle if it is over or a player ends it."""
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
        both_left = self.state.attacker and self.state.defender
        scored = {side: self._volley(side, surprise=False) for side in Side} if both_left else {}
        self._add_pending(Phase.FIRE, scored)

    def _volley(self, side: Side, *, surprise: bool) -> Hits:
        """Throw for every unit that fires, by type in the order typed."""
        army = self.state.army(side)
        throws = []
        units = (group.unit for group in army.groups)
        for unit in firing(units, side, surprise=surprise, struck=side in self.state.silent):
            faces = tuple(self._dice.roll(_DIE) for _ in range(int(army.count(unit))))
            throws.append(Throw(unit=unit, score=unit.score(side), faces=faces))
        hits = _sorted_hits(throws, free_air=army.count(Unit.DESTROYER) > 0)
        if throws:
            self.events.append(Fired(side=side, surprise=surprise, throws=tuple(throws), hits=hits))
            self._add_to_tally(side, throws)
        return hits

    def _add_to_tally(self, side: Side, throws: list[Throw]) -> None:
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

    def _add_pending(self, phase: Phase, scored: dict[Side, Hits]) -> None:
        """Add both sides' hits to the pending ones."""
        pending = []
        for side in Side:
            hits = scored.get(side.other, Hits())
            if hits.total:
                manual = self.state.setup.casualty_policy(side) == MANUAL
                has_choice = manual and self._placement(side).has_choice(hits)
                pending.append(Pending(side=side, hits=hits, asked=has_choice))
                if has_choice:
                    self.events.append(ChoiceDue(side=side, hits=hits))
        self._set(phase=phase, pending=tuple(pending))

    def _remove_losses(self) -> None:
        surprise = self.state.phase is Phase.STRIKE
        armies: dict[str, Army] = {}
        for pending in self.state.pending:
            losses = self._placement(pending.side).by_method(pending.hits) if pending.picked is None else pending.picked
            wasted = pending.hits.total - sum(loss.count for loss in losses)
            self.events.append(Lost(side=pending.side, surprise=surprise, losses=losses, wasted=wasted))
            armies[pending.side.value] = remove_losses(self.state.army(pending.side), losses)
        self._set(pending=(), **armies)

    def _placement(self, side: Side) -> HitPlacement:
        return placement(self.state, side)

    def _set(self, **values: object) -> None:
        self.state = self.state.model_copy(update=values)


def placement(state: State, side: Side) -> HitPlacement:
    """Return the placement of hits on what `side` has left."""
    return HitPlacement.of(state.setup.casualty_order(side), state.army(side))


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
