"""`/aacalc` as players use it: options, buttons, pages, forms, errors and files; and its limits.

A long search for the best orders of losses is done side by side, with the report of one job; a quick one is one job.
"""

import asyncio
from unittest.mock import AsyncMock, Mock

import pytest

from bot.games.axis_allies.cog import MAX_ROUNDS_PER_PAGE, CalcQuery
from bot.games.axis_allies.options import MAX_TYPED, answered
from bot.metrics import Metrics
from bot.result_cache import CachingSimulator, current_notice
from bot.store.queries import QueryRepository
from sim.axis_allies.answers import AdviceRequest, CalcFilesRequest, CalcRequest
from sim.axis_allies.battle import OpeningRequest, Setup
from sim.axis_allies.editions import EDITIONS
from sim.axis_allies.odds import SearchFirst
from sim.axis_allies.parse import parse_question
from sim.axis_allies.requests import RetreatRequest
from sim.core.values import Side
from sim.workers import InlineSimulator, Simulator
from sim.workers.pool import PoolSimulator
from sim.workers.queue import Caller, PoolLimits
from tests.bot.conftest import Table, answer, buttons_of, text_of


async def test_all_units_by_the_million_fit_a_message(table: Table) -> None:
    all_units = ", ".join(f"999999.999 {unit.plural}" for unit in EDITIONS["1941"].units)
    for rounds in (1, MAX_ROUNDS_PER_PAGE):
        message = await table.calc(f"{all_units} vs {all_units}"[:MAX_TYPED], rounds=rounds)
        pages = [text_of(message)]
        while "Next" in buttons_of(message):
            pages.append(text_of(await table.pressed(message, "▶️")))
        assert len(pages) > 2
        assert not any("…" in page for page in pages), "nothing had to be cut"


async def test_autocomplete_offers_my_last_twenty_battles_newest_first(table: Table) -> None:
    for count in range(1, 23):
        await table.aacalc(f"{count} tanks vs 1 inf")
    await table.aacalc("9 tanks vs 1 inf")
    await table.aacalc("9 tonks vs 1 inf")
    await table.restart()
    offered = await table.ann.autocomplete(table.channel, "aacalc", "battle", "")
    expected = [9, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 8, 7, 6, 5, 4, 3]
    assert [choice["value"] for choice in offered] == [f"{count} tanks vs 1 inf" for count in expected]
    found = await table.ann.autocomplete(table.channel, "aacalc", "battle", "22 t")
    assert [choice["value"] for choice in found] == ["22 tanks", "22 transports", "22 tanks vs 1 inf"]
    assert await table.ben.autocomplete(table.channel, "aacalc", "battle", "") == []
    await table.run("aa retreat", battle="2 tanks vs 10 inf", by=table.ben)
    for command in ("aacalc", "aa retreat", "aa luck"):
        offered = await table.ben.autocomplete(table.channel, command, "battle", "")
        assert [choice["value"] for choice in offered] == ["2 tanks vs 10 inf"]


class TestTightLimits:
    @pytest.fixture
    def simulator(self) -> Simulator:
        return InlineSimulator(PoolLimits(cost_seconds=1e-9))

    async def test_a_job_over_the_cost_limit_is_refused_in_a_sentence(self, table: Table) -> None:
        (reply,) = (await table.aacalc("6 tanks vs 10 inf")).followups
        assert reply.ephemeral
        assert text_of(reply).startswith("⚠️ ")
        assert "Fix it" in buttons_of(reply)


FLEETS = "1942: 3 sub, 2 dd, 1 cv, 2 ftr, 1 bb vs 3 sub, 2 dd, 1 cv, 2 ftr, 1 bb"
SEARCHED = parse_question(f"{FLEETS} | order smart")
QUICK = parse_question("1942: 2 sub, 2 dd, 2 ftr vs 2 sub, 1 dd, 2 ftr, 1 tr | order smart")
LIMITS = PoolLimits(wall_seconds=300.0)


@pytest.mark.parametrize("workers", [None, *(pytest.param(n, marks=pytest.mark.process) for n in (1, 2, 3))])
async def test_the_report_is_the_same_however_many_workers_search(workers: int | None) -> None:
    pool = InlineSimulator(LIMITS) if workers is None else PoolSimulator(PoolLimits(workers=workers, wall_seconds=300))
    request = CalcRequest.of(SEARCHED)
    bar = Mock(tell=AsyncMock(), clear=AsyncMock())
    current_notice.set(bar)
    try:
        report = await answered(CachingSimulator(pool, Metrics("1")), request, Caller(1, 1))
    finally:
        await pool.close()
    assert report == request.run()
    shares = [call.args[0] for call in bar.update.call_args_list]
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
    armies = {"attacker": SEARCHED.fields["attacker"], "defender": SEARCHED.fields["defender"]}
    retreat = AdviceRequest(question=RetreatRequest(**armies, defender_casualties="smart"))
    files = CalcFilesRequest(calc=CalcRequest.of(SEARCHED))
    opening = OpeningRequest(setup=Setup.of(SEARCHED, dict.fromkeys(Side)))
    for request in (retreat, files, opening):
        begun = SearchFirst(request).run()
        assert getattr(begun, "begun", None), request
        assert await answered(simulator, request, None) == request.run()


@pytest.mark.process
async def test_nobody_searches_on_once_nobody_waits() -> None:
    pool = PoolSimulator(LIMITS)
    try:
        simulator, caller = CachingSimulator(pool, Metrics("1")), Caller(1, 1)
        came = asyncio.Event()
        bar = Mock(tell=AsyncMock(), clear=AsyncMock())
        bar.update.side_effect = lambda *_: came.set()
        current_notice.set(bar)
        asked = asyncio.create_task(answered(simulator, CalcRequest.of(SEARCHED), caller))
        await came.wait()
        asked.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asked
        request = CalcRequest.of(QUICK)
        assert await answered(simulator, request, caller) == request.run()
        assert bar.update.call_count == 1
        assert not pool.queue.running
    finally:
        await pool.close()


BATTLE = "6 inf, 2 tanks vs 5 inf"


async def test_in_direct_messages_there_is_one_s_own_alone(table: Table) -> None:
    dana = table.env.create_user("dana")
    assert "Only a server" in text_of(answer(await dana.slash("aa edition", edition="1942", server=True)))
    assert "Your default: **1942 second edition**" in text_of(answer(await dana.slash("aa edition", edition="1942")))


async def test_what_was_stored_before_there_were_editions_stays_1941(table: Table) -> None:
    message = await table.calc(BATTLE)
    await table.run("aa edition", edition="1942")
    old = (
        '{"private": false, "battle": "6 tanks vs 10 inf", "rounds": 4, "casualties": "score", "take_territory": false}'
    )
    stored = await table.bot.services[QueryRepository].add("aa", table.ann.id, None, old)
    query = CalcQuery.model_validate_json(stored.request)
    assert query.question().edition == "1941"
    assert text_of(await table.pressed(message, "Swap sides")).splitlines()[1].startswith("-# 📖 1941")
