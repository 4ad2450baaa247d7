"""Finds when to retreat: the value of going on with each pair of armies, and advice for each round."""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from sim.axis_allies.advice_reports import Advice, PlanOdds, RetreatReport, RoundAdvice, StateAdvice
from sim.axis_allies.odds import layout
from sim.axis_allies.odds.army_graph import Armies
from sim.axis_allies.odds.engine import Line, lines
from sim.axis_allies.odds.layout import Codes, Flags, Floats, Pairs, unprotected
from sim.axis_allies.odds.summary import counts_by_unit
from sim.axis_allies.odds.tables import MAX_CELLS, BattleTables
from sim.axis_allies.odds.terms import DefenderDistribution
from sim.axis_allies.question import NEVER, BattleRequest, Terms
from sim.axis_allies.units import Category
from sim.core import RuleError, TooMuchError
from sim.core.numbers import probability

MAX_ADVICE_ROUNDS = 20
"""Maximum rounds with advice."""

MIN_P_ON = 1e-3
"""Advice ends once the chance that the battle goes on is this or less."""

MAX_STATES = 12
"""Maximum pairs of armies after the first round with advice."""

MAX_SECONDS = 5.0
"""Maximum estimate for a calculation."""

MAX_NUMBERS = 20_000_000
"""Maximum numbers kept for the rounds of a battle with a limit."""

_BETTER = 1e-9  # IPC: a smaller difference is none
_PASSES = 10  # most backward passes for each stage: two of swings, four of chances for each of two plans
_KEPT = 3  # tables of a stage that are kept
_REPORTED_CODES = (layout.ATTACKER, layout.DEFENDER, layout.TIE, layout.RETREAT)


@dataclass(frozen=True, slots=True)
class Stage:
    """Values of pairs of armies after a round: mean swings of the whole battle.

    `fight`: fighting to the end. `go`: fighting one more round in any case and choosing best after it. `best`: choosing
    best now, too. `chances`: for each plan (fight on, best) and each of `_REPORTED_CODES`, the chance of that ending.
    """

    fight: Floats
    go: Floats
    best: Floats
    chances: tuple[tuple[Floats, ...], ...]


@dataclass(frozen=True, slots=True)
class Planner:
    """Values of the pairs of armies that outcomes of the antiaircraft fire lead to.

    `first`: the pairs after the first round. `swing`: of the losses; `leave`: with what is left to later powers; `won`:
    whether the attacker won; `ends`: of the results.
    """

    tables: BattleTables
    first: Pairs
    swing: Floats
    leave: Floats
    won: Flags
    ends: Floats

    @classmethod
    def of(cls, terms: Terms, line: Line, territory: int, later: Floats | None, *, must_take: bool) -> "Planner":
        """Return the planner of a battle after antiaircraft fire; `territory`: its value in IPC.

        `later`: what each of the defender's armies is worth to later powers.
        """
        tables = line.tables
        if tables.over.size > MAX_CELLS:
            raise TooMuchError("These armies are too large for exact advice.")
        here, there = tables.attacker, tables.defender
        swing, ended, lost = swings(tables, terms.attacker.ipc)
        won = here.won(tables.over, np.arange(len(here.counts))[:, np.newaxis], must_take=must_take)
        left = np.zeros(len(there.counts)) if later is None else later
        stays = np.tile(left, (len(here.counts), 1))
        if later is not None:  # nobody meets what is lost without dice
            stays[lost] = left[there.numbers((there.counts - there.exposed)[lost.nonzero()[1]])]
        ends = ended + np.where(won, territory, stays)
        first = tables.first_round(line.start, terms.joining)
        return cls(tables, first, swing, swing + left, won, ends)

    def stage(self, after: Stage | None) -> Stage:
        """Return the stage a round before `after`; for None that of a battle without a limit."""
        over, never = self.tables.over, np.full(self.ends.shape, -np.inf)
        fight = self.tables.backward(over, never, self.ends, after.fight if after else None)[0]
        best, go = self.tables.backward(over, self.leave, self.ends, after.best if after else None)
        leaves = (over == layout.GOES_ON) & (go <= self.leave + _BETTER)
        to_the_end = best_plan = self._chances(over, np.zeros(over.shape), after.chances[0] if after else None)
        if leaves.any() or (after and after.chances[0] is not after.chances[1]):
            plan = np.where(leaves, layout.RETREAT, over).astype(np.int8)
            best_plan = self._chances(plan, leaves.astype(np.float64), after.chances[1] if after else None)
        return Stage(fight, go, best, (to_the_end, best_plan))

    def _chances(self, plan: Codes, leaves: Floats, after: tuple[Floats, ...] | None) -> tuple[Floats, ...]:
        """Return the chance of each of `_REPORTED_CODES` with a plan; `after`: a round later."""
        never = np.full(plan.shape, -np.inf)
        tables = []
        for at, code in enumerate(_REPORTED_CODES):
            ended = self._ended_by(code) + (leaves if code == layout.RETREAT else 0.0)
            later = after[at] if after else None
            possible = ended.any() or (later is not None and later.any())
            tables.append(self.tables.backward(plan, never, ended, later)[0] if possible else ended)
        return tuple(tables)

    def _ended_by(self, code: int) -> Floats:
        ended = self.won if code == layout.ATTACKER else self.tables.over == code
        return ended.astype(np.float64)

    def stages(self, limit: int | None) -> list[Stage]:
        """Return the stages after the first round, the second and so on, at most `MAX_ADVICE_ROUNDS`.

        Only the first has chances.
        """
        if limit is None:
            stage = self.stage(None)
            return [stage, *[replace(stage, chances=())] * (MAX_ADVICE_ROUNDS - 1)]
        chances = tuple(self._ended_by(code) for code in _REPORTED_CODES)
        stage = Stage(self.ends, np.full_like(self.ends, -np.inf), self.ends, (chances, chances))  # at the limit
        kept = deque([replace(stage, chances=())], MAX_ADVICE_ROUNDS)
        for _ in range(limit - 1):
            stage = self.stage(stage)
            kept.append(replace(stage, chances=()))
        return [stage, *list(reversed(kept))[1:]]


def swings(tables: BattleTables, ipc_before: int) -> tuple[Floats, Floats, Flags]:
    """Return the swing of each pair of armies: what the defender has lost minus what the attacker, of `ipc_before`.

    Then the same at the end of the battle, when units are lost without dice, too; and the pairs in which the defender
    loses such units.
    """
    here, there = sides = tables.attacker, tables.defender
    own, enemy = (side.totals[layout.IPC] for side in sides)
    swing = ((own[:, np.newaxis] - ipc_before) - (enemy - enemy[0])).astype(np.float64)
    rows, columns = np.indices(swing.shape, dtype=np.int64).reshape(2, -1)
    flags = unprotected(here.totals, there.totals, rows, columns, tables.over.ravel())
    alone, enemy_alone = (lost.reshape(swing.shape) for lost in flags)
    lost_own, lost_enemy = (side.exposed @ side.layout.worth[layout.IPC] for side in sides)
    return swing, swing + (lost_enemy * enemy_alone - lost_own[:, np.newaxis] * alone), enemy_alone


_Course = tuple[Planner, list[Stage]]
"""What antiaircraft fire may lead to, and the stages after each round."""


def worth_to_later(battles: Sequence[BattleRequest], territory: int) -> Floats | None:
    """Return what each of the defender's armies is worth to the powers that attack after another one, None for none.

    `battles`: the first attacker's and theirs, in their order, against the whole defender; each power attacks, goes on
    and retreats as is best for all of them. An emptied territory is taken by the first one that has land units.
    TooMuchError where there are too many armies.
    """
    every = [battle.terms() for battle in battles]
    waves = tuple(terms.attacker for terms in every)
    later: Floats | None = None
    for battle, alone in zip(battles[:0:-1], every[:0:-1], strict=True):
        terms = alone._replace(waves=waves)
        armies = BattleTables.of(terms, [terms.attacker]).defender
        next_power = np.zeros(len(armies.counts)) if later is None else later
        ipc, later = armies.totals[layout.IPC], next_power.copy()
        seconds, empty = 0.0, armies.totals[layout.UNITS] == 0
        for at in np.flatnonzero(~empty).tolist():
            met = DefenderDistribution(armies.counts[at : at + 1], np.ones(1))
            worth = float(ipc[at] - ipc[0])  # what is lost by then is lost in any case
            for line in lines(terms, met):
                seconds += line.tables.backward_seconds
                if seconds * len(armies.counts) > MAX_SECONDS * (at + 1):
                    raise TooMuchError("These armies are too large for exact advice on waves.")
                planner = Planner.of(terms, line, territory, next_power, must_take=battle.must_take)
                best, _ = planner.tables.backward(planner.tables.over, planner.leave, planner.ends, None)
                worth += _mean(planner.first, best)
            later[at] = max(later[at], worth)
        if battle.attacker.has(Category.LAND):
            later[empty] = territory
    return later


def retreat_report(battle: BattleRequest, territory: int, later: Sequence[BattleRequest] = ()) -> RetreatReport:
    """Return when to retreat; `territory`: its value in IPC. `later`: the battles of the powers that attack then."""
    terms, stop_after = battle.terms()._replace(stop_after=None, withdrawal=NEVER), battle.stop_after
    terms = terms._replace(waves=tuple(each.terms().attacker for each in (battle, *later)))
    left = worth_to_later((battle, *later), territory)
    if not (terms.attacker.hits and terms.defender.hits):
        raise RuleError("A side has no units: there is no battle to retreat from.")
    planners = [Planner.of(terms, line, territory, left, must_take=battle.must_take) for line in lines(terms)]
    starts = [(each, each.tables.attacker.firsts) for each in planners]
    if all((each.tables.over[at, 0] == layout.STALEMATE).all() and not each.ends[at, 0].any() for each, at in starts):
        raise RuleError("Neither side can hit the other: there is nothing to retreat from.")
    _require_feasible(planners, stop_after)
    courses: list[_Course] = []
    swings, chances = np.zeros(2), np.zeros((2, len(_REPORTED_CODES)))
    for planner in planners:
        stages = planner.stages(stop_after)
        after = stages[0]
        swings += [_mean(planner.first, worth) for worth in (after.fight, after.best)]
        chances += [[_mean(planner.first, table) for table in plan] for plan in after.chances]
        stages[0] = replace(after, chances=())
        courses.append((planner, stages))
    fight, go = (swings - (0.0 if left is None else left[0])).tolist()
    best = _plan(go, chances[1]) if go > _BETTER else _NO_ATTACK
    start = RoundAdvice(0, 1.0, fight, best.swing, go, float(go > _BETTER), _advice(go))
    return RetreatReport(
        **battle.subject,
        territory=territory,
        fight_on=_plan(fight, chances[0]),
        best=best,
        rounds=(start, *_rounds(courses, stop_after)),
        states=_states(courses) if stop_after != 1 else (),
    )


def _mean(pairs: Pairs, worth: Floats) -> float:
    """Return what pairs of armies are worth on average."""
    return float(pairs.chances @ worth[pairs.rows, pairs.columns])


def _require_feasible(planners: Sequence[Planner], limit: int | None) -> None:
    if sum(each.tables.backward_seconds for each in planners) * _PASSES * (limit or 1) > MAX_SECONDS:
        raise TooMuchError("These armies are too large for exact advice.")
    if limit is not None:
        kept = min(limit, MAX_ADVICE_ROUNDS) * _KEPT
        if kept * sum(each.ends.size for each in planners) > MAX_NUMBERS:
            raise TooMuchError("These armies are too large for advice on a battle with a round limit.")


_NO_ATTACK = PlanOdds(swing=0.0, p_attacker=0.0, p_defender=0.0, p_tie=0.0, p_retreat=1.0, p_none=0.0)


def _plan(swing: float, chances: Floats) -> PlanOdds:
    names = ("p_attacker", "p_defender", "p_tie", "p_retreat")
    p = dict(zip(names, map(probability, chances.tolist()), strict=True))
    return PlanOdds(swing=swing, p_none=probability(1.0 - float(chances.sum())), **p)


def _advice(swing: float) -> Advice:
    return Advice.GO_ON if swing > _BETTER else Advice.RETREAT


def _rounds(courses: Sequence[_Course], limit: int | None) -> Iterator[RoundAdvice]:
    """Yield the advice after each round, as long as the battle goes on."""
    every = [planner.first for planner, _ in courses]
    for number in range(1, min(limit or MAX_ADVICE_ROUNDS + 1, MAX_ADVICE_ROUNDS + 1)):
        p_on, sums = 0.0, np.zeros(4)
        for pairs, (planner, stages) in zip(every, courses, strict=True):
            stage = stages[number - 1]
            on = Pairs(*(field[pairs.codes == layout.GOES_ON] for field in pairs))
            p_on += float(on.chances.sum())
            fight, best, go = (table - planner.leave for table in (stage.fight, stage.best, stage.go))
            better = (stage.go > planner.leave + _BETTER).astype(np.float64)
            sums += [_mean(on, fight), _mean(on, best), _mean(on, go), _mean(on, better)]
        if p_on <= MIN_P_ON:
            return
        fights, chooses, goes, p_better = (sums / p_on).tolist()
        yield RoundAdvice(number, probability(p_on), fights, chooses, goes, probability(p_better), _advice(goes))
        every = [planner.tables.one_round(pairs) for pairs, (planner, _) in zip(every, courses, strict=True)]


def _states(courses: Sequence[_Course]) -> tuple[StateAdvice, ...]:
    """Return the likeliest pairs after the first round; antiaircraft fire and battle may lead to the same one."""
    sides = [planner.tables.attacker for planner, _ in courses]
    armies, numbers = np.unique(np.concatenate([side.counts for side in sides]), axis=0, return_inverse=True)
    attackers, defenders = Armies(sides[0].order, armies), courses[0][0].tables.defender
    chances, swing, fight, go = np.zeros((4, len(armies), len(defenders.counts)))
    parts = np.split(numbers, np.cumsum([len(side.counts) for side in sides])[:-1])
    for (planner, (stage, *_)), at in zip(courses, parts, strict=True):
        on = planner.first.codes == layout.GOES_ON
        np.add.at(chances, (at[planner.first.rows[on]], planner.first.columns[on]), planner.first.chances[on])
        swing[at], fight[at], go[at] = planner.swing, stage.fight - planner.leave, stage.go - planner.leave
    likeliest = np.argsort(-chances, axis=None, kind="stable")[:MAX_STATES]
    likeliest = likeliest[chances.ravel()[likeliest] > 0]
    found = []
    for a, d in zip(*(axis.tolist() for axis in np.unravel_index(likeliest, chances.shape)), strict=True):
        ours, theirs = counts_by_unit(attackers, a), counts_by_unit(defenders, d)
        p, so_far, fights, goes = (float(table[a, d]) for table in (chances, swing, fight, go))
        found.append(StateAdvice(ours, theirs, probability(p), so_far, fights, goes, _advice(goes)))
    return tuple(found)
