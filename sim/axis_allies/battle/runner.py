"""Runs a step of a dice battle: what comes before the first round, volleys, losses, up to the next decision."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from sim.axis_allies import battle as v
from sim.axis_allies.army import Army
from sim.axis_allies.battle.dice import Share, Volley
from sim.axis_allies.battle.losses import HitPlacement, remove_losses
from sim.axis_allies.unit_stats import HitGroup, UnitStats, Weapon, can_harm, defenceless, may_fall_on, strikers
from sim.axis_allies.units import Category, Unit
from sim.core import RuleError
from sim.core.battle import StepRunner
from sim.core.values import Ending, Paused, Side

ROUNDS_AT_ONCE = 100
"""Rounds after which a run pauses: only many transports, or armies that hardly hit, last longer."""

LOSSES_DUE = frozenset({v.Phase.ANTIAIRCRAFT, v.Phase.BOMBARDMENT, v.Phase.STRIKE, v.Phase.FIRE})
"""Phases in which hits wait for their losses."""


class DiceRunner(StepRunner[v.State, v.Event]):
    """Runs a step of a battle.

    Before the first round antiaircraft guns and ships fire. Then the armies as the round begins throw the surprise
    strikes; what they leave throws the general fire. Both sides' losses are removed at the same time, once both are
    chosen; until then the battle waits.
    """

    def fire(self) -> None:
        """Fight the next round, and what comes before the first, until a side has to choose losses."""
        if self.state.round:
            self._begin_round()
            self._strike()
        else:
            self._fire_at_planes()
        self.settle()

    def run(self) -> None:
        """Fight until the end, a choice of losses, or `ROUNDS_AT_ONCE` rounds."""
        self.change(running=True)
        while self.state.phase is v.Phase.READY and len(self.rounds) < ROUNDS_AT_ONCE:
            self.fire()
            self.rounds.append(self.state)
        if self.state.phase is v.Phase.READY:
            self.events.append(Paused(rounds=len(self.rounds)))
        if self.state.phase in {v.Phase.READY, v.Phase.OVER}:
            self.change(running=False)

    def pick(self, side: Side, losses: v.Losses) -> None:
        """Take a side's choice of losses."""
        self._keep(side, losses, in_time=True)
        self._go_on()

    def call_time(self) -> None:
        """Choose the losses of the sides that haven't."""
        for pending in self.state.pending:
            if pending.awaited:
                self._keep(pending.side, default_losses(self.state, pending.side), in_time=False)
        self._go_on()

    def _keep(self, side: Side, losses: v.Losses, *, in_time: bool) -> None:
        """Keep a choice until all sides have chosen."""
        pending = tuple(
            due.model_copy(update={"picked": placement(self.state, side).by_choice(due.hits, losses)})
            if due.side is side
            else due
            for due in self.state.pending
        )
        self.change(pending=pending)
        self.events.append(v.Picked(side=side, in_time=in_time))

    def _go_on(self) -> None:
        self.settle()
        if self.state.running and self.state.phase in {v.Phase.READY, v.Phase.OVER}:
            self.run()

    def settle(self) -> None:
        """Remove the losses once all are chosen, and go on to the end of the round."""
        while self.state.phase in LOSSES_DUE:
            if any(pending.awaited for pending in self.state.pending):
                return
            phase = self.state.phase
            self._remove_losses()
            if phase is v.Phase.ANTIAIRCRAFT:
                self._bombard()
            elif phase is v.Phase.BOMBARDMENT:
                self._strike()
            elif phase is v.Phase.STRIKE:
                state = self.state
                sides = [side for side in Side if state.shooters(side) and state.army(side.other)]
                self._add_pending(v.Phase.FIRE, {side: self._volley(side, surprise=False) for side in sides})
            else:
                self._remove_defenceless()
                self.close()

    def close(self, ending: Ending | None = None) -> None:
        """End the round, and the battle if it is over or a player ends it."""
        winner = None
        if ending is None:
            ending, winner = ending_of(self.state)
        phase = v.Phase.READY if ending is None else v.Phase.OVER
        self.change(phase=phase, silent=(), ending=ending, winner=winner, attacker_fires=None, defender_fires=None)
        if ending is not None:
            self.events.append(v.Ended(ending=ending, winner=winner, rounds=self.state.round, **self.state.armies))

    def _begin_round(self) -> None:
        self.change(round=self.state.round + 1)
        self.events.append(v.RoundBegan(number=self.state.round, **self.state.armies))

    def _fire_at_planes(self) -> None:
        """Throw the antiaircraft fire, by type of plane where the edition throws it so."""
        setup, every = self.state.setup, self.state.attacker.groups
        stats, guns, fire = setup.stats(Side.DEFENDER), int(setup.defender.count(Unit.GUN)), []
        planes = [(group.unit, int(group.count)) for group in every if guns and group.unit.category is Category.AIR]
        gun = Weapon(stats.gun_hits)
        if stats.rules.planes_by_type:
            fire = [Share.of(Unit.GUN, gun, count, target=plane) for plane, count in planes]
        elif planes:
            fire = [Share.of(Unit.GUN, gun, stats.rules.gun_dice(guns, sum(count for _, count in planes)))]
        volley = Volley.of(fire, lambda each: each.target, self.dice, low_luck=setup.low_luck)
        hits = v.Hits(planes=sum(volley.hits.values()))
        self._report(Side.DEFENDER, volley, hits, moment=v.Moment.ANTIAIRCRAFT)
        fallen = tuple(v.Loss(slot=plane, count=count) for plane, count in volley.hits.items() if plane and count)
        self._add_pending(v.Phase.ANTIAIRCRAFT, {Side.DEFENDER: hits}, fallen or None)

    def _bombard(self) -> None:
        """Throw the dice of ships that nobody fires back at, or begin the first round."""
        setup = self.state.setup
        ships = _bombardment(setup)
        if ships and self.state.attacker and not setup.stats(Side.ATTACKER).rules.bombarded_fire_back:
            self._begin_round()
            volley = Volley.of(ships, lambda _: None, self.dice, low_luck=setup.low_luck)
            hits = v.Hits(rest=sum(volley.hits.values()))
            self._report(Side.ATTACKER, volley, hits, moment=v.Moment.BOMBARDMENT)
            self._add_pending(v.Phase.BOMBARDMENT, {Side.ATTACKER: hits})
            return
        self._remove_defenceless()
        if ending_of(self.state)[0] is not None:
            self.close()
            return
        self._begin_round()
        self._strike()

    def _strike(self) -> None:
        """Throw the dice of submarines that fire before all others."""
        state = self.state
        stats = {side: state.setup.stats(side) for side in Side}
        striking = strikers({side: army.units for side, army in state.armies.items()}, stats)
        self.change(silent=striking)
        self._add_pending(v.Phase.STRIKE, {side: self._volley(side, surprise=True) for side in striking})

    def _volley(self, side: Side, *, surprise: bool) -> v.Hits:
        """Throw for every unit that fires, by type in the order typed, and for ships that join the first round."""
        state, stats = self.state, self.state.setup.stats(side)
        army, target = state.shooters(side), state.army(side.other)
        units = _general_fire(army, stats, surprise=surprise, struck=side in state.silent)
        if side is Side.ATTACKER and state.round == 1 and not surprise and stats.rules.bombarded_fire_back:
            units += _bombardment(state.setup)

        def group_of(each: Share) -> HitGroup:
            group = stats.group(each.unit, own_destroyer=Unit.DESTROYER in army.units)
            # With low luck a group with the same targets as the rest adds up with it, unless it fires by itself.
            adds_up = state.setup.low_luck and not surprise
            return HitGroup.REST if adds_up and all(may_fall_on(group, one.unit) for one in target.groups) else group

        volley = Volley.of(units, group_of, self.dice, low_luck=state.setup.low_luck)
        hits = v.Hits(**{group.name.lower(): number for group, number in volley.hits.items()})
        moment = v.Moment.MARKED if surprise and self._is_marked(side.other) else None
        self._report(side, volley, hits, surprise=surprise and moment is None, moment=moment)
        return hits

    def _is_marked(self, side: Side) -> bool:
        """Return whether what `side` loses to submarines still fires."""
        return self.state.setup.stats(side).rules.marked_losses and self.state.army(side).count(Unit.DESTROYER) > 0

    def _report(
        self, side: Side, volley: Volley[Any], hits: v.Hits, *, surprise: bool = False, moment: v.Moment | None = None
    ) -> None:
        """Add the event of a volley, unless nobody fired, and its dice to the tally."""
        if not (volley.throws or volley.sums):
            return
        self.events.append(
            v.Fired(side=side, surprise=surprise, throws=volley.throws, hits=hits, sums=volley.sums, moment=moment)
        )
        name = f"{side}_fire"
        self.change(**{name: getattr(self.state, name) + volley.tally})

    def _add_pending(self, phase: v.Phase, scored: Mapping[Side, v.Hits], fallen: v.Losses | None = None) -> None:
        """Add both sides' hits to the pending ones; `fallen`: losses that the dice have decided."""
        pending = []
        for side in Side:
            hits = scored.get(side.other, v.Hits())
            if hits.total:
                manual = self.state.setup.casualty_policy(side) == v.MANUAL and fallen is None
                has_choice = manual and placement(self.state, side).has_choice(hits)
                pending.append(v.Pending(side=side, hits=hits, asked=has_choice, picked=fallen))
                if has_choice:
                    self.events.append(v.ChoiceDue(side=side, hits=hits))
        self.change(phase=phase, pending=tuple(pending))

    def _remove_losses(self) -> None:
        surprise = self.state.phase is v.Phase.STRIKE
        moments = {v.Phase.ANTIAIRCRAFT: v.Moment.ANTIAIRCRAFT, v.Phase.BOMBARDMENT: v.Moment.BOMBARDMENT}
        update: dict[str, Army] = {}
        for pending in self.state.pending:
            side = pending.side
            losses = placement(self.state, side).by_method(pending.hits) if pending.picked is None else pending.picked
            wasted = pending.hits.total - sum(loss.count for loss in losses)
            moment = moments.get(self.state.phase)
            if surprise and self._is_marked(side):
                moment = v.Moment.MARKED
                update[f"{side}_fires"] = self.state.army(side)
            self.events.append(
                v.Lost(side=side, surprise=surprise and moment is None, losses=losses, wasted=wasted, moment=moment)
            )
            update[side.value] = remove_losses(self.state.army(side), losses)
        self.change(pending=(), **update)

    def _remove_defenceless(self) -> None:
        """Remove the units that are lost without dice."""
        for side in Side:
            army, enemy = self.state.army(side), self.state.army(side.other)
            stats, enemy_stats = self.state.setup.stats(side), self.state.setup.stats(side.other)
            exposed = defenceless(army.units, stats, enemy.units, enemy_stats)
            losses = tuple(v.Loss(slot=unit, count=int(army.count(unit))) for unit in exposed)
            if losses:
                self.events.append(
                    v.Lost(side=side, surprise=False, losses=losses, wasted=0, moment=v.Moment.DEFENCELESS)
                )
                self.change(**{side.value: remove_losses(army, losses)})


def _general_fire(army: Army, stats: UnitStats, *, surprise: bool, struck: bool) -> list[Share]:
    """Return what of an army fires, by type in the order typed; units with a pair bonus go before their like."""
    counts = {group.unit: int(group.count) for group in army.groups}
    alike: Counter[tuple[Unit, Weapon]] = Counter()
    for unit, weapon, count in stats.dice(counts, surprise=surprise, struck=struck):
        alike[unit, weapon] += count
    found = [Share.of(unit, weapon, count) for (unit, weapon), count in alike.items()]
    return sorted(found, key=lambda share: army.units.index(share.unit))


def _bombardment(setup: v.Setup) -> list[Share]:
    """Return the ships that bombard."""
    weapons = setup.stats(Side.ATTACKER).weapons
    return [Share.of(unit, weapons[unit], count, bombarding=True) for unit, count in setup.battle.ships_for()]


def placement(state: v.State, side: Side) -> HitPlacement:
    """Return the placement of hits on what `side` has left."""
    order = state.setup.casualty_order(side)
    return HitPlacement(order.with_counts(order.placed(state.army(side))), in_groups=state.setup.version == 1)


def default_losses(state: v.State, side: Side) -> v.Losses:
    """Return the losses of `side` if it doesn't choose; RuleError if it has no hits to place."""
    due = state.due(side)
    if due is None:
        raise RuleError(f"The {side} has no losses to choose now.")
    return placement(state, side).by_method(due.hits)


def ending_of(state: v.State) -> tuple[Ending | None, Side | None]:
    """Return how the battle is over, and who has won; None while it goes on."""
    attacker, defender = state.attacker, state.defender
    if not (attacker or defender):
        return Ending.MUTUAL, None
    if not (attacker and defender):
        return Ending.ANNIHILATION, Side.ATTACKER if attacker else Side.DEFENDER
    harm = any(can_harm(state.army(side).units, state.setup.stats(side), state.army(side.other).units) for side in Side)
    return (None if harm else Ending.STALEMATE), None
