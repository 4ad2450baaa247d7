"""What every position of a battle is worth under the best play from there: losses by hand, and retreats.

V is what the attacker gets: its chance to win, or the swing in IPC. Losses by hand are the best for every pair of
armies: the attacker chooses first, and the defender knows what. Source: .docs/rules/axis_allies.md, "The coach".
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from math import prod
from typing import Literal

import numpy as np
from typing_extensions import override

from sim.axis_allies.army import Army
from sim.axis_allies.casualties import CasualtyOrder
from sim.axis_allies.odds import layout
from sim.axis_allies.odds.army_graph import Armies, Chain, build_chain, build_graph, hit_groups, is_plain
from sim.axis_allies.odds.dice import FIRST, hit_distribution, reinforced
from sim.axis_allies.odds.fleets_by_hand import TOO_MANY, FleetsByHand, left_of, middle_of
from sim.axis_allies.odds.land import Backward, settled
from sim.axis_allies.odds.layout import AIR, GOES_ON, Floats, Ints, layout_of
from sim.axis_allies.odds.retreat_solver import swings
from sim.axis_allies.odds.tables import MAX_LAND_CELLS, BattleTables, LandTables
from sim.axis_allies.odds.terms import after_antiaircraft_fire, hits_of
from sim.axis_allies.question import BattleRequest, Terms
from sim.axis_allies.unit_stats import Weapon
from sim.core import TooMuchError
from sim.core.coach import SoFar
from sim.core.kernels import copy, inner, kernel
from sim.core.values import Side

Aim = Literal["chance", "ipc"]

MAX_SECONDS = 20.0
"""Maximum estimate for a calculation."""

MAX_CHOSEN = 20_000
"""The most armies that a side may be left with by choice."""


@dataclass(frozen=True)
class Positions:
    """The values of a battle's positions, by the numbers of both sides' armies.

    `by_hand`: the sides whose losses are chosen. `leave`: values of leaving after a round; `found`: the pass that finds
    the `value` of the best, and of one more round in any case; all the same once the battle is over.
    """

    terms: Terms
    by_hand: Collection[Side]
    tables: BattleTables
    leave: Floats
    found: Backward

    @classmethod
    def begin(cls, battle: BattleRequest, by_hand: Collection[Side], aim: Aim) -> "Positions":
        """Return the positions of a battle, not weighed yet; TooMuchError for one that is too large."""
        kept = battle.must_take and Side.ATTACKER not in by_hand  # who chooses has each kind in one slot
        terms = battle.model_copy(update={"must_take": kept}).terms()
        tables = _tables(terms, by_hand)
        if tables.over.size > MAX_LAND_CELLS or tables.backward_seconds > MAX_SECONDS:
            raise TooMuchError("These armies are too large for the coach.")
        if aim == "chance":
            here = tables.attacker
            rows = np.arange(len(here.counts))[:, np.newaxis]
            ends = here.won(tables.over, rows, must_take=battle.must_take).astype(np.float64)
            leave = np.zeros(ends.shape)
        else:
            leave, ends, _ = swings(tables, terms.attacker.ipc)
        return cls(terms, by_hand, tables, leave, tables.backward_pass(tables.over, leave, ends))

    def weigh(self, so_far: SoFar | None = None, seconds: float = MAX_SECONDS) -> SoFar | None:
        """Find out what they are worth for about so long; return how far that is, None for to the end."""
        tables, kept = self.tables, (self.found.value, self.found.goes_on, self.found.scratch)
        share, known = so_far or (0.0, ())
        for array, numbers in zip(kept, known, strict=False):
            array[:] = np.frombuffer(numbers).reshape(array.shape)
        until = min(1.0, share + seconds / max(tables.backward_seconds, seconds))
        before = np.cumsum(tables.weights)
        first, last = (int(np.searchsorted(before, (1.0 - at) * before[-1], "right")) for at in (until, share))
        tables.fill_in(self.found, (first, last), settle=True)
        return SoFar(until, tuple(array.tobytes() for array in kept)) if first else None

    @property
    def told(self) -> bool:
        """Whether what was hit doesn't tell what may be left, only the losses themselves do."""
        return not isinstance(self.tables, LandTables | HandTables | FleetsByHand)

    def armies(self, side: Side) -> Armies:
        """Return the armies that a side can come to."""
        return self.tables.attacker if side is Side.ATTACKER else self.tables.defender

    def number(self, side: Side, army: Army) -> int:
        """Return the number of an army."""
        armies = self.armies(side)
        return armies.numbers(np.array([armies.order.placed(army)]))[0]

    def after_hits(self, side: Side, at: int, hits: int = 0, submarines: int = 0, air: int = 0) -> Ints:
        """Return what may be left of an army; `submarines`, `air`: which of the hits are theirs."""
        if isinstance(self.tables, FleetsByHand):
            own = self.tables.sides[side is Side.DEFENDER]
            return left_of(own, at, submarines, air, hits - submarines - air)
        armies = self.armies(side)
        sizes = armies.sizes
        due = min(hits, int(sizes[at]))
        if side not in self.by_hand:
            return np.array([at + due])
        possible = (armies.counts <= armies.counts[at]).all(axis=1) & (sizes == sizes[at] - due)
        return np.flatnonzero(possible)

    def after_submarines(self, before: Mapping[Side, int], attackers: Ints, defenders: Ints) -> Floats:
        """Return what pairs of armies are worth once submarines have fired in a round that began with `before`."""
        if not isinstance(self.tables, FleetsByHand):
            raise TypeError("no losses are chosen beside submarines")
        attacker, defender = (before[side] for side in Side)
        return middle_of(*self.tables.sides, attacker, defender, attackers, defenders, self.found.value)

    def after_guns(self, hits: int) -> Ints:
        """Return what the attacker may choose to be left with after antiaircraft fire."""
        counts = self.tables.attacker.counts
        low = layout_of(self.terms.attacker).worth[AIR] == 0
        planes = counts[:, ~low].sum(axis=1)
        left = max(0, int(planes[0]) - hits)
        return np.flatnonzero((counts[:, low] == counts[0, low]).all(axis=1) & (planes == left))

    @property
    def guns_are_answered(self) -> bool:
        """Whether the attacker chooses what antiaircraft fire takes."""
        return Side.ATTACKER in self.by_hand and not self.terms.defender.arms.rules.planes_by_type

    def start(self) -> float:
        """Return what the battle is worth before anything happens."""
        if not self.guns_are_answered:
            armies, outcomes = self.tables.attacker, after_antiaircraft_fire(self.terms)
            return sum(chance * self.opening(armies.numbers(np.array([left.counts]))[0]) for chance, left in outcomes)
        gun = Weapon(self.terms.defender.arms.gun_hits)
        dice = sum(dice for dice, _ in self.terms.attacker.volleys_of(self.terms.guns, self.terms.defender))
        chances: list[float] = hits_of([gun] * dice, low_luck=self.terms.low_luck).tolist()
        left = (self.after_guns(hits).tolist() for hits in range(len(chances)))
        return sum(chance * max(map(self.opening, each)) for chance, each in zip(chances, left, strict=True))

    def opening(self, at: int) -> float:
        """Return what the attacker's army is worth before the first round, and before a bombardment."""
        ships, terms, value, goes_on = self.terms.bombardment, self.terms, self.found.value, self.found.goes_on
        if not ships or self.tables.over[at, 0] != layout.GOES_ON:
            return float(goes_on[at, 0])
        if not terms.joining:
            hits = hits_of(ships, low_luck=terms.low_luck)
            left = (self.after_hits(Side.DEFENDER, 0, number) for number in range(len(hits)))
            return float(sum(chance * goes_on[at, rest].min() for chance, rest in zip(hits, left, strict=True)))
        out, back = self._hits(Side.ATTACKER, at, ships), self._hits(Side.DEFENDER, 0)
        own = [self.after_hits(Side.ATTACKER, at, number) for number in range(len(back))]
        enemy = [self.after_hits(Side.DEFENDER, 0, number) for number in range(len(out))]
        return sum(
            back[taken] * out[given] * best(value[np.ix_(own[taken], enemy[given])])
            for taken in range(len(back))
            for given in range(len(out))
        )

    def _hits(self, side: Side, at: int, ships: tuple[Weapon, ...] = ()) -> list[float]:
        """Return the chances of the hits of one army, with ships that join it."""
        dice = self.armies(side).dice
        alone = reinforced(dice._replace(counts=dice.counts[at : at + 1]), FIRST, ships)
        chances: list[float] = hit_distribution(*alone, self.terms.low_luck)[0][0].tolist()
        return chances


def best(values: Floats) -> float:
    """Return the value of choices, the attacker's in rows and then the defender's in columns."""
    return float(values.min(axis=1).max())


def _tables(terms: Terms, by_hand: Collection[Side]) -> BattleTables:
    """Return the tables of a battle; TooMuchError for one that is too large, or that choices have no tables for."""
    attackers = [left for _, left in after_antiaircraft_fire(terms)]
    if not is_plain(terms.attacker, terms.defender):
        if not by_hand:
            return BattleTables.of(terms, attackers)
        sides = terms.attacker, terms.defender
        fleets = (
            _chosen_armies(own) if side in by_hand else build_graph(own, hit_groups(enemy), low_luck=terms.low_luck)
            for side, own, enemy in zip(Side, sides, reversed(sides), strict=True)
        )
        return FleetsByHand(*fleets, low_luck=terms.low_luck)
    here, there = (
        _chosen_armies(orders[0]) if side in by_hand else build_chain(*orders, low_luck=terms.low_luck)
        for side, orders in zip(Side, (attackers, [terms.defender]), strict=True)
    )
    if isinstance(here, Chain) and isinstance(there, Chain):
        return LandTables(here, there)
    return HandTables(here, there, low_luck=terms.low_luck)


def _chosen_armies(order: CasualtyOrder) -> Armies:
    """Return every army that a side's choices may leave, the largest first; TooMuchError for too many."""
    sizes = [count + 1 for count in order.counts]
    if prod(sizes) > MAX_CHOSEN:
        raise TooMuchError(TOO_MANY)
    counts = np.indices(sizes, dtype=np.int64).reshape(len(sizes), -1).T
    for ship, life in enumerate(layout_of(order).lives.tolist()):
        if life >= 0:
            counts = counts[counts[:, life] <= counts[:, ship]]
    return Armies(order, counts[np.argsort(-counts.sum(axis=1), kind="stable")])


def _after_a_hit(armies: Armies) -> Ints:
    """Return what each army may be after a hit, a column for each choice; -1 where there is none."""
    if isinstance(armies, Chain):
        return np.where(armies.sizes > 0, np.arange(1, len(armies.counts) + 1), -1)[:, np.newaxis]
    number = {army: at for at, army in enumerate(map(tuple, armies.counts.tolist()))}
    after = [
        [number.get((*army[:at], left - 1, *army[at + 1 :]), -1) for at, left in enumerate(army)] for army in number
    ]
    return np.array(after, dtype=np.int64).reshape(armies.counts.shape)


HandSide = tuple[Floats, Ints, Ints]
"""A side for the kernel: the chances of each army's hits, what it may be after a hit (-1: no choice), its size."""


class HandTables(BattleTables):
    """A battle in which a side chooses its losses, or both do, and any hit may take any unit."""

    step_seconds = 0.8e-9

    def __init__(self, here: Armies, there: Armies, *, low_luck: bool) -> None:
        super().__init__(here, there)
        hits = [hit_distribution(*side.dice, low_luck)[0] for side in (here, there)]
        self._sides: tuple[HandSide, HandSide] = (
            (hits[0], _after_a_hit(here), here.sizes),
            (hits[1], _after_a_hit(there), there.sizes),
        )

    @property
    @override
    def backward_seconds(self) -> float:
        choices = self.attacker.counts.shape[1] + self.defender.counts.shape[1]
        (here, *_), (there, *_) = self._sides
        return float(self.over.size * here.shape[1] * there.shape[1] * choices) * self.step_seconds

    @property
    @override
    def weights(self) -> Ints:
        return self.defender.sizes + 1

    @override
    def scratch(self) -> Floats:
        (out, *_), (_, there, _) = self._sides
        around = int((there.max(axis=1) - np.arange(len(there))).max())  # a hit leads no further
        return np.zeros((max(1, around) + 1, self.over.shape[0], out.shape[1]))

    @override
    def fill_in(self, found: Backward, span: tuple[int, int], *, settle: bool) -> None:
        best_by_hand(*self._sides, found, span)


@kernel
def best_by_hand(attacker: HandSide, defender: HandSide, found: Backward, span: tuple[int, int]) -> None:
    """Fill in a pass where the battle goes on, for some of the defender's armies.

    Its `scratch`: of the latest of the defender's armies, by the hits that it still has to place.
    """
    (out, here, own_size), (back, there, enemy_size) = attacker, defender
    over, floor, _, value, goes_on, placed = found
    attackers, most_out, most_back = len(value), out.shape[1] - 1, back.shape[1] - 1
    chosen = np.zeros((attackers, most_back + 1, most_out + 1))  # both have, with the defender at hand
    for d in range(span[1] - 1, span[0] - 1, -1):
        for a in range(attackers - 1, -1, -1):
            taken, given = min(most_back, own_size[a]), min(most_out, enemy_size[d])
            for hits in range(1, given + 1):
                chosen[a, 0, hits] = _least(placed[:, a], there[d], hits - 1)
            for hits in range(1, taken + 1):
                _take(chosen, here[a], chosen[a, hits], hits - 1, given)
            if over[a, d] == GOES_ON:
                total = _mean(out[a], back[d], chosen[a], taken, given)
                goes_on[a, d] = settled(total, back[d, 0] * out[a, 0], floor[a, d])
                value[a, d] = max(goes_on[a, d], floor[a, d])
            chosen[a, 0, 0] = value[a, d]
            copy(chosen[a, 0], placed[d % len(placed), a])


@inner
def _least(placed: Floats, choices: Ints, hits: int) -> float:
    """Return the value of the defender's best choice, with `hits` left after it."""
    least = np.inf
    for army in choices:
        if army >= 0:
            least = min(least, placed[army % len(placed), hits])
    return float(least)


@inner
def _take(chosen: Floats, choices: Ints, values: Floats, hits: int, given: int) -> None:
    """Fill in the values of the attacker's best choice, with `hits` left after it and up to `given` for the enemy."""
    for enemy_hits in range(given + 1):
        most = -np.inf
        for army in choices:
            if army >= 0:
                most = max(most, chosen[army, hits, enemy_hits])
        values[enemy_hits] = most


@inner
def _mean(out: Floats, back: Floats, values: Floats, taken: int, given: int) -> float:
    """Return the mean of what hits lead to, without the case that nobody hits; further hits change nothing."""
    total = 0.0
    for own in range(len(back)):
        for enemy in range(0 if own else 1, len(out)):
            total += back[own] * out[enemy] * values[min(own, taken), min(enemy, given)]
    return total
