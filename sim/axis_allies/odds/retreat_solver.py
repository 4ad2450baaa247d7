"""When to retreat: the worth of going on with each pair of armies, and what follows for each round."""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from sim.axis_allies.average import notes
from sim.axis_allies.odds import codes
from sim.axis_allies.odds.arrays import Flags, Floats
from sim.axis_allies.odds.base_request import BattleRequest
from sim.axis_allies.odds.reports import Advice, PlanOdds, RetreatReport, RoundAdvice, StateAdvice
from sim.axis_allies.odds.summary import named_counts
from sim.axis_allies.odds.value_tables import Board
from sim.core.errors import RuleError, TooMuchError
from sim.core.outcomes import Side

MOST_ROUNDS = 20
"""The most rounds that advice is given for."""

REST = 1e-3
"""No advice is given once the chance that the battle goes on is this or less."""

MOST_STATES = 12
"""The most pairs of armies after the first round that advice is given for."""

MOST_SECONDS = 5.0
"""The longest calculation that is begun, by estimate."""

MOST_NUMBERS = 20_000_000
"""The most numbers that are kept for the rounds of a battle with a limit."""

_BETTER = 1e-9  # IPC under which two ways are as good as each other
_PASSES = 10  # backward passes for each stage: two of swings, four of chances for each of two plans
_KEPT = 3  # tables of a stage that are kept


@dataclass(frozen=True, slots=True)
class Stage:
    """What pairs of armies are worth before a round: swings of the whole battle.

    `fight`: fighting to the end. `go`: fighting this round, and doing what is best after it. `best`: doing what is best
    now too. `chances`: for each plan (fight on, best) and each code of `_TOLD`, the chance of that end.
    """

    fight: Floats
    go: Floats
    best: Floats
    chances: tuple[tuple[Floats, ...], ...]


_TOLD = (codes.ATTACKER, codes.DEFENDER, codes.TIE, codes.RETREAT)


@dataclass(frozen=True, slots=True)
class Planner:
    """A board with what its ends are worth; `swing`: what the losses are worth, `won`: where the attacker has won."""

    board: Board
    swing: Floats
    won: Flags
    ends: Floats

    @classmethod
    def of(cls, battle: BattleRequest, territory: int) -> "Planner":
        """Lay out a battle in which taking the territory is worth so many IPC."""
        board = Board.of(battle.muster(Side.ATTACKER), battle.muster(Side.DEFENDER))
        swing = board.swing().astype(np.float64)
        won = board.won(must_take=battle.must_take)
        return cls(board, swing, won, swing + territory * won)

    def last(self) -> Stage:
        """Return the stage at the round limit: nothing is fought any more."""
        none = np.zeros(self.ends.shape)
        chances = tuple(self._told(code) for code in _TOLD)
        return Stage(self.ends, np.full_like(none, -np.inf), self.ends, (chances, chances))

    def stage(self, after: Stage | None) -> Stage:
        """Return the stage a round before `after`, or the one of a battle without a limit."""
        over, never = self.board.over, np.full(self.ends.shape, -np.inf)
        fight = self.board.backward(over, never, self.ends, after.fight if after else None)[0]
        best, go = self.board.backward(over, self.swing, self.ends, after.best if after else None)
        leaves = (over == codes.GOES_ON) & ~self.better(go)
        plans = over, np.where(leaves, codes.RETREAT, over).astype(np.int8)
        chances = tuple(
            tuple(
                self.board.backward(
                    plan,
                    never,
                    self._told(code) + (leaves if code == codes.RETREAT else 0.0),
                    after.chances[which][at] if after else None,
                )[0]
                for at, code in enumerate(_TOLD)
            )
            for which, plan in enumerate(plans)
        )
        return Stage(fight, go, best, chances)

    def better(self, go: Floats) -> Flags:
        """Tell where going on is better than a retreat."""
        flags: Flags = go > self.swing + _BETTER
        return flags

    def _told(self, code: int) -> Floats:
        where = self.won if code == codes.ATTACKER else self.board.over == code
        return where.astype(np.float64)

    def stages(self, limit: int | None) -> list[Stage]:
        """Return the stages before the first round, after it and so on, as many as advice may be given for."""
        if limit is None:
            _admit(self.board.seconds * _PASSES)
            return [self.stage(None)] * (MOST_ROUNDS + 1)
        kept_rounds = min(limit, MOST_ROUNDS + 1)
        _admit(self.board.seconds * _PASSES * limit)
        if kept_rounds * self.ends.size * _KEPT > MOST_NUMBERS:
            raise TooMuchError("These armies are too large for advice on a battle with a round limit.")
        kept: deque[Stage] = deque(maxlen=kept_rounds)
        stage = self.last()
        for _ in range(limit):
            stage = self.stage(stage)
            kept.append(replace(stage, chances=()))
        return [stage, *list(reversed(kept))[1:]]


def _admit(seconds: float) -> None:
    if seconds > MOST_SECONDS:
        raise TooMuchError("These armies are too large for exact advice.")


def report(battle: BattleRequest, stop_after: int | None, territory: int) -> RetreatReport:
    """Return when to retreat from a battle, broken off after so many rounds, for so many IPC beside the losses."""
    planner = Planner.of(battle, territory)
    code = planner.board.over[0, 0]
    if code == codes.STALEMATE:
        raise RuleError("Neither side can ever hit the other: there is nothing to retreat from.")
    if code != codes.GOES_ON:
        raise RuleError("A side has no units: there is no battle to retreat from.")
    stages = planner.stages(stop_after)
    masses = list(_masses(planner.board, len(stages)))
    first = stages[0]
    plans = [
        _plan(worth, tuple(float(chance[0, 0]) for chance in chances))
        for worth, chances in zip((float(first.fight[0, 0]), float(first.best[0, 0])), first.chances, strict=True)
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
        notes=notes(battle.attacker, battle.defender),
    )


def _masses(board: Board, most: int) -> Iterator[Floats]:
    """Yield the chances of all pairs of armies before each round that may begin."""
    mass = board.start()
    on = board.over == codes.GOES_ON
    for _ in range(most):
        if mass[on].sum() <= REST:
            break
        yield mass
        mass = board.forward(mass)


def _plan(swing: float, chances: tuple[float, ...]) -> PlanOdds:
    names = ("p_attacker", "p_defender", "p_tie", "p_retreat")
    return PlanOdds(swing=swing, p_none=max(0.0, 1.0 - sum(chances)), **dict(zip(names, chances, strict=True)))


def _advice(swing: float) -> Advice:
    return Advice.GO_ON if swing > _BETTER else Advice.RETREAT


def _round(planner: Planner, number: int, mass: Floats, stage: Stage) -> RoundAdvice:
    on = planner.board.over == codes.GOES_ON
    p_on = float(mass[on].sum())
    shares = mass[on] / p_on
    fight, best, go = (float(shares @ (table - planner.swing)[on]) for table in (stage.fight, stage.best, stage.go))
    return RoundAdvice(
        number=number,
        p_on=p_on,
        swing_fight_on=fight,
        swing_best=best,
        swing_go_on=go,
        p_go_on_better=float(shares @ planner.better(stage.go)[on]),
        advice=_advice(go),
    )


def _states(planner: Planner, mass: Floats, stage: Stage) -> tuple[StateAdvice, ...]:
    board = planner.board
    chances = np.where(board.over == codes.GOES_ON, mass, 0.0).ravel()
    likeliest = np.argsort(-chances, kind="stable")[:MOST_STATES]
    rows, columns = np.unravel_index(likeliest[chances[likeliest] > 0], board.over.shape)
    return tuple(
        StateAdvice(
            attacker=named_counts(board.attacker.muster, board.attacker.counts[a]),
            defender=named_counts(board.defender.muster, board.defender.counts[d]),
            p=float(mass[a, d]),
            swing_so_far=float(planner.swing[a, d]),
            swing_fight_on=float((stage.fight - planner.swing)[a, d]),
            swing_go_on=float((stage.go - planner.swing)[a, d]),
            advice=_advice(float((stage.go - planner.swing)[a, d])),
        )
        for a, d in zip(rows.tolist(), columns.tolist(), strict=True)
    )
