"""What workers side by side are worth: `python -m tests.bench.parts [QUESTION]`, by hand, on an idle machine.

Asks each long question of one worker and of two, in turn, and prints the least seconds of each and their ratio. The
reports must be the same. Each is asked once before, which compiles what it needs.
"""

import asyncio
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace

from bot.battles.journal import Replay
from bot.games.axis_allies.options import answered
from bot.metrics import Metrics
from bot.result_cache import CachingSimulator
from bot.store.battle import KEPT_EVERY
from bot.store.battles import BattleRepository
from sim.axis_allies.answers import CalcRequest
from sim.axis_allies.odds import Searches
from sim.axis_allies.parse import parse_question
from sim.core.battle import REFEREE
from sim.core.replay import Session
from sim.core.staged_job import P, S, StagedJob
from sim.core.values import canonical
from sim.duel.requests import DuelOddsRequest
from sim.mad_killer_agents.battle import Entrant, Setup, seat_of
from sim.mad_killer_agents.battle.rules import MapWar
from sim.mad_killer_agents.constants import AiKind
from sim.mad_killer_agents.simulate import SimulateRequest
from sim.mad_killer_agents.terrain import Drawing
from sim.marked_for_death.odds import OddsRequest, SensitivityRequest
from sim.workers.pool import PoolSimulator
from sim.workers.queue import PoolLimits
from tests.bot.store.databases import open_database
from tests.bot.store.toy import opened
from tests.sim.duel.builders import critter
from tests.sim.mad_killer_agents.builders import Begin, EndTurn
from tests.sim.marked_for_death.builders import legion

REPEATS = 3

TARGET = 0.6

FLEETS = "1942: 3 sub, 2 dd, 1 cv, 2 ftr, 1 bb vs 3 sub, 2 dd, 1 cv, 2 ftr, 1 bb | order smart"

Ask = Callable[[CachingSimulator], Awaitable[object]]


def in_parts(question: StagedJob[P, S]) -> Ask:
    """Return how to ask a question in parts."""
    return lambda simulator: simulator.in_parts(question, None)


def afresh(request: Searches[object]) -> Ask:
    """Return how to ask for an answer with the best orders of losses, none of it kept from before."""

    async def ask(simulator: CachingSimulator) -> object:
        simulator._results.clear()
        simulator._size = 0
        return await answered(simulator, request, None)

    return ask


async def verification(rounds: int) -> Ask:
    """Return how to verify a war of a person who only ends turns against three AIs."""
    players = (Entrant(name="Ann"), *(Entrant(name=f"AI {number}", ai=AiKind.MARSHAL) for number in range(3)))
    play = Session(MapWar(), Setup(drawing=Drawing(width=24, height=24), rounds=rounds, players=players), bytes(32))
    play.act(Begin(), REFEREE)
    while play.outcome is None:
        play.act(EndTurn(), seat_of(play.state.turn))
    rows = play.entries
    kept = range(KEPT_EVERY, len(rows), KEPT_EVERY)
    states = {version: canonical(play.system.states.write(play._states[version])) for version in kept}
    db = await open_database(":memory:")
    battle = replace(
        await opened(BattleRepository(db)),
        system=play.system.name,
        rules=play.system.rules,
        setup_json=play.head.setup_json,
        seed=play.seed,
        seed_hash=play.head.seed_hash,
        version=len(rows),
        outcome=play.outcome,
    )
    await db.close()
    return lambda simulator: Replay(simulator, battle, rows).verify(states)


async def questions() -> dict[str, Ask]:
    """Return the questions by name."""
    odds = OddsRequest(heroes=legion("h", 30), villains=legion("v", 30))
    groups = [tuple(critter(f"{side} {number}", 20) for number in range(20)) for side in ("Red", "Blue")]
    war = SimulateRequest(
        players=(AiKind.MARSHAL,) * 2, drawing=Drawing(width=16, height=16), rounds=30, games=20, seed=1
    )
    return {
        "odds, Marked for Death": in_parts(odds),
        "weights, Marked for Death": in_parts(SensitivityRequest(odds=odds)),
        "groups, duel": in_parts(DuelOddsRequest(group1=groups[0], group2=groups[1], battles=40_000)),
        "games, Mad Killer Agents": in_parts(war),
        "smart search, Axis & Allies": afresh(CalcRequest.of(parse_question(FLEETS))),
        "verification of 100 turns": await verification(100),
    }


async def least_seconds(ask: Ask, *simulators: CachingSimulator, expected: object = None) -> list[float]:
    """Return the least seconds that a question takes each, asked in turns, once for warmth.

    Ends the program unless all answers are the same, the `expected` one if that is known.
    """
    found: list[list[float]] = [[] for _ in simulators]
    reports = []
    for _ in range(1 + REPEATS):
        for simulator, seconds in zip(simulators, found, strict=True):
            began = time.perf_counter()
            reports.append(await ask(simulator))
            seconds.append(time.perf_counter() - began)
    if any(report != (expected or reports[0]) for report in reports):
        sys.exit("the reports differ")
    return [min(seconds[1:]) for seconds in found]


async def main(which: str) -> None:
    """Measure and print everything; takes some minutes."""
    print(
        f"{'seconds, least of ' + str(REPEATS):<30}{'1 worker':>10}{'2 workers':>10}{'ratio':>8}{'target':>8}",
        flush=True,
    )
    pools = [PoolSimulator(PoolLimits(workers=workers, wall_seconds=300.0)) for workers in (1, 2)]
    try:
        simulators = [CachingSimulator(pool, Metrics("bench")) for pool in pools]
        for name, ask in (await questions()).items():
            if which in name:
                one, two = await least_seconds(ask, *simulators)
                print(f"{name:<30}{one:>10.2f}{two:>10.2f}{two / one:>8.2f}{TARGET:>8.2f}", flush=True)
    finally:
        for pool in pools:
            await pool.close()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:] or [""]))
