"""What a press costs the bot's process: rows read, states validated, work that is left to workers and threads.

Long loops leave others their turn, and nothing asks for more of a long journal than it shows.
"""

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import NoReturn

import pytest

from bot.battles.followers import Followers
from bot.battles.presenter import StateReader
from bot.store import database as pace
from bot.store.battles import BattleRepository
from bot.store.database import Database, cooperative
from bot.store.sqlite import SqliteDatabase
from sim.core.battle import Codec
from sim.workers import worker
from tests.bench.ways import ways
from tests.bot.battles.fights import files_of, stored
from tests.bot.conftest import Table, answer, text_of
from tests.bot.games.mad_killer_agents.wars import begin_game, orders, press_turn, turn_message
from tests.bot.games.marked_for_death.test_mfd import start

pytestmark = pytest.mark.usefixtures("fixed_dice")


@asynccontextmanager
async def reads_of_battles(db: Database) -> AsyncIterator[list[str]]:
    """Collect every statement that reads the battles' rows."""
    statements: list[str] = []

    def trace(sql: str) -> None:
        if sql.startswith("SELECT") and "FROM battles" in sql:
            statements.append(sql)

    assert isinstance(db, SqliteDatabase)
    for conn in (db._conn, *db._idle):
        await conn.set_trace_callback(trace)
    yield statements
    for conn in (db._conn, *db._idle):
        await conn.set_trace_callback(lambda _sql: None)


@pytest.fixture
def validated(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Collect the states that the bot's own process validates; what a worker does is its own."""
    states: list[str] = []
    in_worker = False
    read_json, answer = Codec.read_json, worker.answer

    def watched_read(codec: Codec[object], text: str) -> object:
        if not in_worker:
            states.append(text)
        return read_json(codec, text)

    def watched_answer(payload: bytes) -> bytes:
        nonlocal in_worker
        in_worker = True
        try:
            return answer(payload)
        finally:
            in_worker = False

    monkeypatch.setattr(Codec, "read_json", watched_read)
    monkeypatch.setattr(worker, "answer", watched_answer)
    return states


async def test_the_press_that_decides_a_battle_reads_no_more(
    table: Table, validated: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What listens to ended battles reads afterwards, while nobody waits."""
    monkeypatch.setattr(Followers, "wake", lambda *_: None)
    panel = await start(table)
    validated.clear()
    async with reads_of_battles(table.bot.services[BattleRepository]._db) as statements:
        await table.press(panel, "Fight to the end")
    assert not (await stored(table)).is_open
    assert len(statements) == 2
    assert validated == [(await stored(table)).state_json]


@pytest.mark.parametrize(("length", "in_thread"), [(100_000, False), (100_001, True)])
async def test_a_large_state_is_read_beside_the_event_loop(length: int, in_thread: bool) -> None:
    threads = []

    class Watched(Codec[str]):
        def read_json(self, text: str) -> str:
            threads.append(threading.current_thread())
            return super().read_json(text)

    text = f'"{"x" * (length - 2)}"'
    reader = StateReader(Watched(str))
    assert await reader.read(text) is await reader.read(text)
    (thread,) = threads
    assert (thread is not threading.main_thread()) is in_thread


async def test_the_oldest_states_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.battles.presenter.MAX_CHARACTERS", 10)
    reader: StateReader[list[int]] = StateReader(Codec(list[int]))
    first, second = await reader.read("[1,2]"), await reader.read("[3,4]")
    assert await reader.read("[1,2]") is first
    assert await reader.read("[5,6]") == [5, 6]
    assert await reader.read("[1,2]") is first
    assert await reader.read("[3,4]") is not second
    assert await reader.read(f"[{'7' * 20}]") == [int("7" * 20)]


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


async def test_a_turn_reads_no_more_of_the_journal_than_the_panel_shows_and_validates_one_state(
    table: Table, validated: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    panel = await begin_game(table)
    forbid(monkeypatch, "journal")
    mine = await turn_message(table, panel)
    validated.clear()
    await press_turn(table, mine, "pass")
    assert validated == [(await stored(table)).state_json]
    assert "stays" in text_of(panel)
    await press_turn(table, mine, "end-turn")
    assert "ben" in text_of(panel).splitlines()[0]
    monkeypatch.undo()
    battles, battle = table.bot.services[BattleRepository], await stored(table)
    assert await battles.latest_steps(battle.id, 2) == tuple((await battles.journal(battle.id))[-2:])


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


async def test_the_ways_through_the_bot_are_short(table: Table) -> None:
    """Files of bot/, and how often the battle is read and the text parsed; `python -m tests.bench.ways` lists them."""
    found = await ways(table)
    assert {name: len(way.files) for name, way in found.items()} == {
        "/aacalc": 16,
        "a press": 20,
        "/campaign next": 24,
    }
    assert found["/aacalc"].calls["parsed"] <= 1
    assert found["a press"].calls["battle read"] <= 3
    assert found["a press"].calls["rows of battles read"] <= 2
    assert found["a press"].calls["action resolved"] == 1
