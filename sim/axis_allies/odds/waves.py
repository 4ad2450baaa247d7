"""Exact odds of several attackers one after another, and of a counterattack.

What a wave leaves of the defender, as a distribution over its armies, is what the next wave meets. The attacker's
losses add up over the waves and depend on each other through the defender, so with each of its armies goes not only
its chance, but also that chance times the losses so far, and times their square.

Source: .docs/rules/axis_allies.md, "Low luck, waves, counterattacks".
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sim.axis_allies.army import Army, battle_notes
from sim.axis_allies.odds import FoundOrders, layout
from sim.axis_allies.odds.army_graph import Armies, build_chain
from sim.axis_allies.odds.engine import NO_COURSE, Solution, solve
from sim.axis_allies.odds.layout import IPC, LAND, Flags, Floats, Ints, Pairs
from sim.axis_allies.odds.summary import FIELDS, ends, every_chance
from sim.axis_allies.odds.terms import DefenderDistribution, impossible_outcomes
from sim.axis_allies.odds_report import OutcomeName, unit_key
from sim.axis_allies.question import Question, Terms, Wave
from sim.axis_allies.reports import WaveOdds, WaveReport
from sim.axis_allies.units import Category, Unit
from sim.core.numbers import probability

_POWERS = 3
"""Moments of the attacker's losses that are kept: their powers 0, 1 and 2."""


@dataclass(frozen=True, slots=True)
class Survivors:
    """What is left of the defender: `armies`, counts by slot.

    `moments[n, i]`: the chance of army i times the n-th power of the IPC that the attacker has lost; `moments[0]` are
    the chances.
    """

    armies: Ints
    moments: Floats

    def once(self) -> "Survivors":
        """Return the same with each army once."""
        armies, where = np.unique(self.armies, axis=0, return_inverse=True)
        sums = np.zeros((len(armies), _POWERS))
        np.add.at(sums, where.ravel(), self.moments.T)
        return Survivors(armies, sums.T)

    def chosen(self, flags: Flags) -> "Survivors":
        """Return some of the armies."""
        return Survivors(self.armies[flags], self.moments[:, flags])


@dataclass(frozen=True, slots=True)
class Fought:
    """A wave and what became of it: `fought` are the battles, with no ends if there is surely none.

    `walked_in`: the chance that nobody was left, and the wave has the territory without a fight. `won_before`: the
    chance that earlier waves have won with planes alone, and the territory is still to be taken.
    """

    terms: Terms
    fought: Solution
    walked_in: float = 0.0
    won_before: float = 0.0

    @property
    def army(self) -> Armies:
        """The army as it came."""
        order = self.terms.attacker
        return Armies(order, np.array([order.counts], dtype=np.int64))

    @property
    def walkers(self) -> float:
        """The chance that land units walk in."""
        return self.walked_in + self.won_before if self.army.totals[LAND][0] else 0.0

    @property
    def p_fights(self) -> float:
        """The chance that it meets a defender."""
        return float(self.fought.ends.chances.sum())

    def chance(self, ending: int) -> float:
        """Return the chance that it fights with this ending, one of the codes."""
        return self.fought.ends.sum_of(ending)

    def left(self, *, taking: bool = False) -> Floats:
        """Return the chance that each of its armies is what a fight leaves; or a victory that takes the territory."""
        rows, _, chances, _ = self.fought.ends
        if taking:
            chances = chances * self.fought.won(must_take=True)
        left: Floats = np.bincount(rows, chances, minlength=len(self.fought.sides[0].counts)).astype(np.float64)
        return left

    @property
    def p_wins(self) -> float:
        """The chance that the attacker wins with it."""
        return self.walked_in + self.chance(layout.ATTACKER)

    @property
    def p_takes(self) -> float:
        """The chance that it takes the territory."""
        return self.walkers + float(self.left(taking=True).sum())


class Campaign(NamedTuple):
    """All waves, and what is left of the defender in the end."""

    waves: tuple[Fought, ...]
    left: Survivors


def fight_waves(waves: Sequence[Terms]) -> Campaign:
    """Fight one wave after another; TooMuchError if that would take too much time or memory.

    The defender's army and order are the same in all of them.
    """
    attackers = tuple(terms.attacker for terms in waves)
    start = np.array([waves[0].defender.counts], dtype=np.int64)
    left = Survivors(start, np.array([[1.0], [0.0], [0.0]]))
    ended: list[Survivors] = []
    fought: list[Fought] = []
    for alone in waves:
        terms = alone._replace(waves=attackers)
        nobody = left.armies.sum(axis=1) == 0
        walked_in = left.chosen(nobody)
        met = left.chosen(~nobody)
        # The fight is linear in the chances that it starts with, so it may start with moments as well.
        parts = [
            solve(terms, DefenderDistribution(met.armies, moment), course=False) if moment.any() else _unfought(terms)
            for moment in met.moments
        ]
        won, left = _after(terms, parts)
        ended += [walked_in, won]
        untaken = math.fsum(earlier.p_wins - earlier.p_takes for earlier in fought)
        fought.append(Fought(terms, parts[0], float(walked_in.moments[0].sum()), max(0.0, untaken)))
    ended.append(left)
    every = Survivors(
        np.concatenate([each.armies for each in ended]), np.concatenate([each.moments for each in ended], axis=1)
    )
    return Campaign(tuple(fought), every.once())


def _unfought(terms: Terms) -> Solution:
    sides = terms.attacker, terms.defender
    attacker, defender = (Armies(order, np.array([order.counts], dtype=np.int64)) for order in sides)
    nothing = Pairs(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0), np.zeros(0, np.int8))
    return Solution(terms, (attacker, defender), nothing, 0.0, NO_COURSE)


def _after(terms: Terms, parts: Sequence[Solution]) -> tuple[Survivors, Survivors]:
    """Return the defender after a wave: where the attacker has won, and what the next wave meets.

    `parts[n]`: results of the battle that began with the n-th moments.
    """
    armies, moments, won = [], [], []
    for power, part in enumerate(parts):
        rows, columns, chances, codes = part.ends
        lost = (terms.attacker.ipc - part.sides[0].totals[IPC])[rows]
        raised = [math.comb(n, power) * lost ** max(0, n - power) * chances for n in range(_POWERS)]
        armies.append(part.sides[1].counts[columns])
        moments.append(np.array(raised))
        won.append(codes == layout.ATTACKER)
    every, which = Survivors(np.concatenate(armies), np.concatenate(moments, axis=1)), np.concatenate(won)
    return every.chosen(which), every.chosen(~which).once()


def holders(campaign: Campaign) -> dict[Army, float]:
    """Return the land units that may have taken the territory, with their chances; planes have left."""
    found: dict[Army, float] = {}
    for wave in campaign.waves:
        groups = (wave.fought.sides[0], wave.left(taking=True)), (wave.army, np.array([wave.walkers]))
        for armies, chances in groups:
            for at in np.flatnonzero(chances):
                land = {
                    slot: int(counts[at])
                    for slot, counts in armies.kinds.items()
                    if isinstance(slot, Unit) and slot.category is Category.LAND
                }
                army = Army.of(dict(sorted(land.items())), armies.order.arms.edition.name)
                found[army] = found.get(army, 0.0) + float(chances[at])
    return found


def p_taken_back(holding: Mapping[Army, float], counterattack: Callable[[Army], Terms]) -> float:
    """Return the chance that the counterattack takes the territory back with a land unit.

    `counterattack`: what is asked about a battle for it against these land units.
    """
    waiting = dict(holding)
    taken = 0.0
    while waiting:
        terms = counterattack(max(waiting, key=Army.size))
        chain = {tuple(counts) for counts in build_chain(terms.defender).counts.tolist()}
        # Most of the smaller armies are what losses would leave of the largest: one battle begins with all of them.
        placed = {army: terms.defender.placed(army) for army in waiting}
        among = {army: counts for army, counts in placed.items() if counts in chain and army.size() == sum(counts)}
        chances = np.array([waiting.pop(army) for army in among])
        met = DefenderDistribution(np.array(list(among.values()), dtype=np.int64), chances)
        taken += Fought(terms, solve(terms, met, course=False)).p_takes
    return taken


def wave_report(
    question: Question,
    campaign: Campaign,
    found: Sequence[FoundOrders],
    back: FoundOrders,
    p_lost: float,
    notes: Iterable[str] = (),
) -> WaveReport:
    """Summarize what became of waves.

    `found`, `back`: the orders found for each of them and for the counterattack; `p_lost`: the chance that this takes
    the territory back. `notes`: besides those on the armies.
    """
    waves, defender, must_take = question.waves, question.defender, question.must_take
    fought = [each.fought for each in campaign.waves if each.p_fights]
    p_takes = math.fsum(each.p_takes for each in campaign.waves)
    by_code = [campaign.waves[-1].chance(code) for code in range(layout.ROUND_LIMIT + 1)]
    by_code[layout.ATTACKER] = math.fsum(each.p_wins for each in campaign.waves)
    p = ends(by_code, p_takes, must_take=must_take)
    every = all(every_chance(solution.terms, solution.ends.chances) for solution in fought)
    never = [name for name, field in FIELDS if p[field] == 0.0]
    ruled_out = _impossible(campaign, must_take=must_take)
    defenders, chances = Armies(campaign.waves[0].terms.defender, campaign.left.armies), campaign.left.moments[0]
    lost = defenders.order.ipc - defenders.totals[IPC]
    def_ipc_lost = float(chances @ lost)
    _, att_ipc_lost, square = campaign.left.moments.sum(axis=1).tolist()
    return WaveReport(
        **p,
        exp_rounds=math.fsum(solution.mean_rounds for solution in fought),
        lost_mass=abs(1.0 - float(chances.sum())),
        impossible=tuple(name for name in never if every or name in ruled_out),
        every_chance=every,
        waves=tuple(_wave_odds(*each) for each in zip(waves, campaign.waves, found, strict=True)),
        defender=defender,
        counter=question.counter,
        p_holds=None if question.counter is None else probability(p_takes - p_lost),
        def_left=_means(defenders, chances),
        att_ipc_lost=att_ipc_lost,
        att_ipc_lost_sd=math.sqrt(max(0.0, square - att_ipc_lost * att_ipc_lost)),
        def_ipc_lost=def_ipc_lost,
        def_ipc_lost_sd=math.sqrt(max(0.0, float(chances @ (lost - def_ipc_lost) ** 2))),
        must_take=must_take,
        notes=tuple(dict.fromkeys((*(n for wave in waves for n in battle_notes(wave.army, defender)), *notes))),
        counter_orders=back,
    )


def _impossible(campaign: Campaign, *, must_take: bool) -> set[OutcomeName]:
    """Return the outcomes that no wave can produce by itself; what planes win is taken by later land units."""
    last = max((at for at, wave in enumerate(campaign.waves) if wave.army.totals[LAND][0]), default=-1)
    ruled_out = [
        impossible_outcomes(wave.terms, must_take=must_take and at >= last) for at, wave in enumerate(campaign.waves)
    ]
    return {name for name in ruled_out[0] if all(name in each for each in ruled_out)}


def _wave_odds(wave: Wave, fought: Fought, found: FoundOrders) -> WaveOdds:
    army, armies, chances = fought.army, fought.fought.sides[0], fought.left()
    unhurt = _means(army, np.array([1.0 - fought.p_fights]))
    left = {unit: unhurt.get(unit, 0.0) + mean for unit, mean in _means(armies, chances).items()}
    ipc_lost = float(chances @ (army.order.ipc - armies.totals[IPC]))
    p_fights, p_wins, p_takes = map(probability, (fought.p_fights, fought.p_wins, fought.p_takes))
    return WaveOdds(wave, p_fights, p_wins, p_takes, left, ipc_lost, found)


def _means(armies: Armies, chances: Floats) -> dict[str, float]:
    """Return the mean counts of armies by `unit_key`."""
    return {unit_key(slot): float(chances @ counts) for slot, counts in armies.kinds.items()}
