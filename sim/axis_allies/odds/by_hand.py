"""What a battle is worth if losses are chosen by hand: the best for every pair of armies.

Only where any hit may take any unit. The attacker chooses first, and the defender knows what: see
.docs/rules/axis_allies.md, "The coach".
"""

from math import prod

import numpy as np
from typing_extensions import override

from sim.axis_allies.casualties import CasualtyOrder
from sim.axis_allies.odds.army_graph import Armies, Chain
from sim.axis_allies.odds.dice import hit_distribution
from sim.axis_allies.odds.land import settled
from sim.axis_allies.odds.layout import GOES_ON, Codes, Floats, Ints, layout_of
from sim.axis_allies.odds.tables import Backward, BattleTables
from sim.core.errors import TooMuchError
from sim.core.kernels import copy, inner, kernel

MAX_ARMIES = 20_000
"""The most armies that a side may be left with by choice."""

TOO_MANY = "These armies are too large to weigh losses that are chosen by hand."


def chosen_armies(order: CasualtyOrder) -> Armies:
    """Return every army that a side's choices may leave, the largest first; TooMuchError for too many."""
    sizes = [count + 1 for count in order.counts]
    if prod(sizes) > MAX_ARMIES:
        raise TooMuchError(TOO_MANY)
    counts = np.indices(sizes, dtype=np.int64).reshape(len(sizes), -1).T
    for ship, life in enumerate(layout_of(order).lives.tolist()):
        if life >= 0:
            counts = counts[counts[:, life] <= counts[:, ship]]
    return Armies(order, counts[np.argsort(-counts.sum(axis=1), kind="stable")])


def sizes_of(armies: Armies) -> Ints:
    """Return how many hits each army takes."""
    if isinstance(armies, Chain):
        return np.concatenate([np.arange(many - 1, -1, -1) for many in np.diff(armies.bounds)])
    sizes: Ints = armies.counts.sum(axis=1)
    return sizes


def _after_a_hit(armies: Armies) -> Ints:
    """Return what each army may be after a hit, a column for each choice; -1 where there is none."""
    if isinstance(armies, Chain):
        return np.where(sizes_of(armies) > 0, np.arange(1, len(armies.counts) + 1), -1)[:, np.newaxis]
    number = {army: at for at, army in enumerate(map(tuple, armies.counts.tolist()))}
    after = [
        [number.get((*army[:at], left - 1, *army[at + 1 :]), -1) for at, left in enumerate(army)] for army in number
    ]
    return np.array(after, dtype=np.int64).reshape(armies.counts.shape)


class HandTables(BattleTables):
    """A battle in which a side chooses its losses, or both do, and any hit may take any unit."""

    step_seconds = 0.8e-9

    def __init__(self, here: Armies, there: Armies, *, low_luck: bool) -> None:
        super().__init__(here, there)
        self._sides = here, there
        self._hits: list[Floats] = [hit_distribution(*side.dice, low_luck)[0] for side in self._sides]
        self._after = _after_a_hit(here), _after_a_hit(there)

    @property
    @override
    def backward_seconds(self) -> float:
        choices = sum(side.counts.shape[1] for side in self._sides)
        here, there = self._hits
        return float(self.over.size * here.shape[1] * there.shape[1] * choices) * self.step_seconds

    @property
    @override
    def weights(self) -> Ints:
        return sizes_of(self._sides[1]) + 1

    @override
    def scratch(self) -> Floats:
        there = self._after[1]
        around = int((there.max(axis=1) - np.arange(len(there))).max())  # a hit leads no further
        return np.zeros((max(1, around) + 1, self.over.shape[0], self._hits[0].shape[1]))

    @override
    def fill_in(self, found: Backward, span: tuple[int, int], *, settle: bool) -> None:
        over, floor, _, table, goes_on, placed = found
        (out, back), (here, there), (own, enemy) = self._hits, self._after, map(sizes_of, self._sides)
        best_by_hand(out, back, here, there, own, enemy, over, floor, table, goes_on, placed, span)


@kernel
def best_by_hand(
    out: Floats,
    back: Floats,
    here: Ints,
    there: Ints,
    own_size: Ints,
    enemy_size: Ints,
    over: Codes,
    floor: Floats,
    value: Floats,
    goes_on: Floats,
    placed: Floats,
    span: tuple[int, int],
) -> None:
    """Fill in `value`, and `goes_on` of fighting a round, where the battle goes on, for some of the defender's armies.

    `out[a, h]`, `back[d, g]`: chances of hits of both sides. `here`, `there`: what each army may be after a hit, -1 for
    no choice; `own_size`, `enemy_size`: the hits that it takes. `floor`: values of leaving. `placed`: of the latest of
    the defender's armies, by the hits that it still has to place.
    """
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
