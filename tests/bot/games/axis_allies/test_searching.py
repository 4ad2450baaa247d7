"""A long search for the best orders of losses: side by side, with the report of one job; a quick one is one job."""

import asyncio
from unittest.mock import AsyncMock

import pytest

from bot.games.axis_allies.questions import answered
from bot.metrics import Metrics
from bot.result_cache import CachingSimulator
from sim.axis_allies.battle.requests import OpeningRequest
from sim.axis_allies.battle.values import Setup
from sim.axis_allies.calc_requests import CalcFilesRequest, CalcRequest
from sim.axis_allies.odds.order_search import SearchFirst
from sim.axis_allies.parse import parse_question
from sim.axis_allies.requests import AdviceRequest, RetreatRequest
from sim.core.values import Side
from sim.workers import Caller, InlineSimulator, PoolLimits, PoolSimulator

FLEETS = "1942: 3 sub, 2 dd, 1 cv, 2 ftr, 1 bb vs 3 sub, 2 dd, 1 cv, 2 ftr, 1 bb"
LONG = parse_question(f"{FLEETS} | order smart")
QUICK = parse_question("1942: 2 sub, 2 dd, 2 ftr vs 2 sub, 1 dd, 2 ftr, 1 tr | order smart")
LIMITS = PoolLimits(wall_seconds=300.0)


@pytest.mark.parametrize("workers", [None, *(pytest.param(n, marks=pytest.mark.process) for n in (1, 2, 3))])
async def test_the_report_is_the_same_however_many_workers_search(workers: int | None) -> None:
    pool = InlineSimulator(LIMITS) if workers is None else PoolSimulator(PoolLimits(workers=workers, wall_seconds=300))
    request = CalcRequest.of(LONG)
    shares: list[float] = []
    try:
        simulator = CachingSimulator(pool, Metrics("1"))
        report = await answered(simulator, request, Caller(1, 1), lambda share, _: shares.append(share))
    finally:
        await pool.close()
    assert report == request.run()
    assert shares, "not side by side"
    assert shares == sorted(shares)


async def test_a_quick_search_is_one_job(monkeypatch: pytest.MonkeyPatch) -> None:
    pool = InlineSimulator(LIMITS)
    run = AsyncMock(wraps=pool.run)
    monkeypatch.setattr(pool, "run", run)
    request = CalcRequest.of(QUICK)
    assert await answered(CachingSimulator(pool, Metrics("1")), request, Caller(1, 1)) == request.run()
    assert [call.args[0] for call in run.await_args_list] == [SearchFirst(request)]


@pytest.mark.rest
async def test_whatever_needs_the_orders_has_them_searched_first() -> None:
    simulator = CachingSimulator(InlineSimulator(LIMITS), Metrics("1"))
    armies = {"attacker": LONG.fields["attacker"], "defender": LONG.fields["defender"]}
    retreat = AdviceRequest(question=RetreatRequest(**armies, defender_casualties="smart"))
    files = CalcFilesRequest(calc=CalcRequest.of(LONG))
    opening = OpeningRequest(setup=Setup.of(LONG, dict.fromkeys(Side)))
    for request in (retreat, files, opening):
        begun = SearchFirst(request).run()
        assert getattr(begun, "begun", None), request
        assert await answered(simulator, request, None) == request.run()


@pytest.mark.process
async def test_nobody_searches_on_once_nobody_waits() -> None:
    pool = PoolSimulator(LIMITS)
    try:
        simulator, caller = CachingSimulator(pool, Metrics("1")), Caller(1, 1)
        came, shares = asyncio.Event(), []

        def hear(share: float, _task: str) -> None:
            shares.append(share)
            came.set()

        asked = asyncio.create_task(answered(simulator, CalcRequest.of(LONG), caller, hear))
        await came.wait()
        asked.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asked
        request = CalcRequest.of(QUICK)
        assert await answered(simulator, request, caller) == request.run()
        assert len(shares) == 1
        assert not pool.queue.running
    finally:
        await pool.close()
