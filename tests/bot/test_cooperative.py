"""Long loops leave others their turn, and nothing asks for more of a long journal than it shows."""

import asyncio
from typing import NoReturn

import pytest

from bot import cooperative as pace
from bot.cooperative import cooperative
from bot.store.battles.repository import BattleRepository
from sim.core.journal import JournalRow
from tests.bot.battles.fights import end, files_of, stored
from tests.bot.conftest import Table, answer, text_of
from tests.bot.games.mad_killer_agents.wars import begin_game, orders, press_turn, turn_message

pytestmark = pytest.mark.usefixtures("fixed_dice")


def forbid(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    def read(*_: object) -> NoReturn:
        raise AssertionError("read more than is shown")

    monkeypatch.setattr(BattleRepository, name, read)


async def ticked(count: int) -> list[int]:
    """Return how often another task had its turn before each of some items."""
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            ticks += 1
            await asyncio.sleep(0)

    other = asyncio.create_task(tick())
    seen = [ticks async for _ in cooperative(range(count))]
    other.cancel()
    return seen


async def test_others_go_on_between_items_that_take_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pace, "BREAK_SECONDS", 0.0)
    assert await ticked(4) == [0, 1, 2, 3]
    monkeypatch.setattr(pace, "BREAK_SECONDS", 1000.0)
    assert await ticked(4) == [0, 0, 0, 0]
    assert [item async for item in cooperative("abc")] == list("abc")


async def test_a_turn_reads_no_more_of_the_journal_than_the_panel_shows(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    panel = await begin_game(table)
    forbid(monkeypatch, "journal")
    mine = await turn_message(table, panel)
    await press_turn(table, mine, "pass")
    assert "stays" in text_of(panel)
    await press_turn(table, mine, "end-turn")
    assert "ben" in text_of(panel).splitlines()[0]


async def test_what_was_taken_back_is_no_latest_step(table: Table) -> None:
    await begin_game(table)
    battle = await stored(table)
    before = await table.bot.services[BattleRepository].latest_steps(battle.id, 10)
    assert before == tuple(map(JournalRow.of, await table.bot.services[BattleRepository].journal(battle.id)))
    await orders(table, "end", table.ann)
    (last,) = await table.bot.services[BattleRepository].latest_steps(battle.id, 1)
    assert last.n == len(before) + 1
    await end(table)
    assert (await table.bot.services[BattleRepository].latest_steps(battle.id, 1)) == (last,)
    assert await table.bot.services[BattleRepository].latest_steps(battle.id, 10) == (*before, last)


async def test_pages_of_a_log_are_turned_without_reading_it_again(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    await begin_game(table)
    for _ in range(12):
        await orders(table, "end", table.ann)
        await orders(table, "end", table.ben)
    await files_of(table)
    log = answer(await table.ann.slash(table.channel, "battle log"))
    forbid(monkeypatch, "journal")
    first = text_of(log)
    await table.press(log, "▶️")
    assert text_of(log) != first
