"""When to retreat: the value of going on with each pair of armies, and advice for each round."""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from sim.axis_allies.advice_reports import Advice, PlanOdds, RetreatReport, RoundAdvice, StateAdvice
from sim.axis_allies.army import battle_notes
from sim.axis_allies.odds import codes
from sim.axis_allies.odds.base_request import BattleRequest
from sim.axis_allies.odds.codes import Flags, Floats
from sim.axis_allies.odds.summary import counts_by_unit
from sim.axis_allies.odds.value_tables import BattleTables
from sim.core.errors import RuleError, TooMuchError
from sim.core.numbers import probability
from sim.core.values import Side

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
_PASSES = 10  # backward passes for each stage: two of swings, four of chances for each of two plans
_KEPT = 3  # tables of a stage that are kept
_REPORTED_CODES = (codes.ATTACKER, codes.DEFENDER, codes.TIE, codes.RETREAT)


@dataclass(frozen=True, slots=True)
class Stage:
    """Values of pairs of armies before a round: mean swings of the whole battle.

    `fight`: fighting to the end. `go`: fighting this round and choosing best after it. `best`: choosing best now, too.
    `chances`: for each plan (fight on, best) and each of `_REPORTED_CODES`, the chance of that ending.
    """

    fight: Floats
    go: Floats
    best: Floats
    chances: tuple[tuple[Floats, ...], ...]


@dataclass(frozen=True, slots=True)
class Planner:
    """Values of pairs of armies; `swing`: of the losses, `won`: whether the attacker won, `ends`: of the results."""

    tables: BattleTables
    swing: Floats
    won: Flags
    ends: Floats

    @classmethod
    def of(cls, battle: BattleRequest, territory: int) -> "Planner":
        """Return the planner of a battle; `territory`: its value in IPC."""
        tables = BattleTables.of(battle.casualty_order(Side.ATTACKER), battle.casualty_order(Side.DEFENDER))
        swing = tables.swing().astype(np.float64)
        won = tables.won(must_take=battle.must_take)
        return cls(tables, swing, won, swing + territory * won)

    def last(self) -> Stage:
        """Return the stage at the round limit, after the last round."""
        none = np.zeros(self.ends.shape)
        chances = tuple(self._ended_by(code) for code in _REPORTED_CODES)
        return Stage(self.ends, np.full_like(none, -np.inf), self.ends, (chances, chances))

    def stage(self, after: Stage | None) -> Stage:
        """Return the stage a round before `after`; for None that of a battle without a limit."""
        over, never = self.tables.over, np.full(self.ends.shape, -np.inf)
        fight = self.tables.backward(over, never, self.ends, after.fight if after else None)[0]
        best, go = self.tables.backward(over, self.swing, self.ends, after.best if after else None)
        leaves = (over == codes.GOES_ON) & ~self.better(go)
        plans = over, np.where(leaves, codes.RETREAT, over).astype(np.int8)
        chances = tuple(
            tuple(
                self.tables.backward(
                    plan,
                    never,
                    self._ended_by(code) + (leaves if code == codes.RETREAT else 0.0),
                    after.chances[which][at] if after else None,
                )[0]
                for at, code in enumerate(_REPORTED_CODES)
            )
            for which, plan in enumerate(plans)
        )
        return Stage(fight, go, best, chances)

    def better(self, go: Floats) -> Flags:
        """Return with which pairs going on is better than a retreat."""
        flags: Flags = go > self.swing + _BETTER
        return flags

    def _ended_by(self, code: int) -> Floats:
        ended = self.won if code == codes.ATTACKER else self.tables.over == code
        return ended.astype(np.float64)

    def stages(self, limit: int | None) -> list[Stage]:
        """Return the stages before the first round, after it and so on, at most `MAX_ADVICE_ROUNDS` + 1."""
        if limit is None:
            _require_feasible(self.tables.seconds * _PASSES)
            return [self.stage(None)] * (MAX_ADVICE_ROUNDS + 1)
        kept_rounds = min(limit, MAX_ADVICE_ROUNDS + 1)
        _require_feasible(self.tables.seconds * _PASSES * limit)
        if kept_rounds * self.ends.size * _KEPT > MAX_NUMBERS:
            raise TooMuchError("These armies are too large for advice on a battle with a round limit.")
        kept: deque[Stage] = deque(maxlen=kept_rounds)
        stage = self.last()
        for _ in range(limit):
            stage = self.stage(stage)
            kept.append(replace(stage, chances=()))
        return [stage, *list(reversed(kept))[1:]]


def _require_feasible(seconds: float) -> None:
    if seconds > MAX_SECONDS:
        raise TooMuchError("These armies are too large for exact advice.")


def retreat_report(battle: BattleRequest, stop_after: int | None, territory: int) -> RetreatReport:
    """Return when to retreat; `stop_after`: round limit of the battle, `territory`: its value in IPC."""
    planner = Planner.of(battle, territory)
    code = planner.tables.over[0, 0]
    if code == codes.STALEMATE:
        raise RuleError("Neither side can hit the other: there is nothing to retreat from.")
    if code != codes.GOES_ON:
        raise RuleError("A side has no units: there is no battle to retreat from.")
    stages = planner.stages(stop_after)
    masses = list(_masses(planner.tables, len(stages)))
    first = stages[0]
    plans = [
        _plan(swing, tuple(float(chance[0, 0]) for chance in chances))
        for swing, chances in zip((float(first.fight[0, 0]), float(first.best[0, 0])), first.chances, strict=True)
    ]
    return RetreatReport(
        attacker=battle.attacker,
        defender=battle.defender,
        territory=territory,
        fight_on=plans[0],
        best=plans[1],
        rounds=tuple(
            _round(planner, number, mass, stage)
            for number, (mass, stage) in enumerate(zip(masses, stages, strict=False))
        ),
        states=_states(planner, masses[1], stages[1]) if len(masses) > 1 else (),
        notes=battle_notes(battle.attacker, battle.defender),
    )


def _masses(tables: BattleTables, limit: int) -> Iterator[Floats]:
    """Yield the chances of all pairs of armies before each round, at most `limit` times."""
    mass = tables.start()
    on = tables.over == codes.GOES_ON
    for _ in range(limit):
        if mass[on].sum() <= MIN_P_ON:
            break
        yield mass
        mass = tables.forward(mass)


def _plan(swing: float, chances: tuple[float, ...]) -> PlanOdds:
    names = ("p_attacker", "p_defender", "p_tie", "p_retreat")
    p = dict(zip(names, map(probability, chances), strict=True))
    return PlanOdds(swing=swing, p_none=probability(1.0 - sum(chances)), **p)


def _advice(swing: float) -> Advice:
    return Advice.GO_ON if swing > _BETTER else Advice.RETREAT


def _round(planner: Planner, number: int, mass: Floats, stage: Stage) -> RoundAdvice:
    on = planner.tables.over == codes.GOES_ON
    p_on = float(mass[on].sum())
    shares = mass[on] / p_on
    fight, best, go = (float(shares @ (table - planner.swing)[on]) for table in (stage.fight, stage.best, stage.go))
    return RoundAdvice(
        number=number,
        p_on=probability(p_on),
        swing_fight_on=fight,
        swing_best=best,
        swing_go_on=go,
        p_go_on_better=probability(float(shares @ planner.better(stage.go)[on])),
        advice=_advice(go),
    )


def _states(planner: Planner, mass: Floats, stage: Stage) -> tuple[StateAdvice, ...]:
    tables = planner.tables
    chances = np.where(tables.over == codes.GOES_ON, mass, 0.0).ravel()
    likeliest = np.argsort(-chances, kind="stable")[:MAX_STATES]
    rows, columns = np.unravel_index(likeliest[chances[likeliest] > 0], tables.over.shape)
    return tuple(
        StateAdvice(
            attacker=counts_by_unit(tables.attacker.order, tables.attacker.counts[a]),
            defender=counts_by_unit(tables.defender.order, tables.defender.counts[d]),
            p=probability(float(mass[a, d])),
            swing_so_far=float(planner.swing[a, d]),
            swing_fight_on=float((stage.fight - planner.swing)[a, d]),
            swing_go_on=float((stage.go - planner.swing)[a, d]),
            advice=_advice(float((stage.go - planner.swing)[a, d])),
        )
        for a, d in zip(rows.tolist(), columns.tolist(), strict=True)
    )
