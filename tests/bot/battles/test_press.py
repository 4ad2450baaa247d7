"""What a press costs the bot's process: rows read, states validated, work that is left to workers and threads."""

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from bot.battles.ended import EndedBattles
from bot.battles.maintenance import MaintenanceTasks
from bot.battles.presenter import StateReader
from bot.store import OWN_WORK
from bot.store.battles.repository import BattleRepository
from bot.store.database import Database
from bot.store.sqlite import SqliteDatabase
from sim.core.battle import Codec
from sim.workers import worker
from tests.bot.battles.fights import begin, click_seen, seen, stored
from tests.bot.conftest import Table, button, text_of
from tests.bot.games.mad_killer_agents.wars import begin_game, press_turn, turn_message
from tests.bot.games.marked_for_death.test_mfd_battle import start

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


async def test_a_press_reads_the_battle_twice_and_validates_one_state(table: Table, validated: list[str]) -> None:
    panel = await begin(table)
    validated.clear()
    async with reads_of_battles(table.bot.services[BattleRepository]._db) as statements:
        await table.press(panel, "Fight round 1")
    assert text_of(panel).startswith("### #1 Axis & Allies: round 1\n")
    assert len(statements) == 2
    assert validated == [(await stored(table)).state_json]


async def test_the_press_that_decides_a_battle_reads_no_more(
    table: Table, validated: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What listens to ended battles reads afterwards, while nobody waits."""
    monkeypatch.setattr(EndedBattles, "wake", lambda _: None)
    panel = await start(table)
    validated.clear()
    async with reads_of_battles(table.bot.services[BattleRepository]._db) as statements:
        await table.press(panel, "Fight to the end")
    assert not (await stored(table)).is_open
    assert len(statements) == 2
    assert validated == [(await stored(table)).state_json]


async def test_after_a_restart_the_state_before_is_validated_once_more(table: Table, validated: list[str]) -> None:
    panel = await begin(table)
    before = await stored(table)
    await table.bot.services[MaintenanceTasks].tick()  # or the start looks at its clock
    await table.restart()
    validated.clear()
    async with reads_of_battles(table.bot.services[BattleRepository]._db) as statements:
        await table.press(panel, "Fight round 1")
    assert len(statements) == 2
    assert validated == [before.state_json, (await stored(table)).state_json]


async def test_people_who_come_with_a_step_cost_no_further_reading(table: Table, validated: list[str]) -> None:
    panel = await begin_game(table)
    mine = await turn_message(table, panel)
    validated.clear()
    await press_turn(table, mine, "pass")
    assert validated == [(await stored(table)).state_json]


async def test_who_waits_for_another_press_reads_the_battle_again(table: Table) -> None:
    panel = await begin(table)
    fight = button(panel, "Fight round 1")
    async with reads_of_battles(table.bot.services[BattleRepository]._db) as statements:
        await click_seen(table, seen(table, panel), (table.ann, fight), (table.ann, fight))
    assert (await stored(table)).version == 1
    assert len(statements) > 2


async def test_the_known_battle_is_taken_unless_somebody_else_has_it(table: Table) -> None:
    await begin(table)
    battles = table.bot.services[BattleRepository]
    known = await stored(table)
    async with battles.locked(known.id, OWN_WORK, known) as battle:
        assert battle is known

    async def wait() -> None:
        async with battles.locked(known.id, OWN_WORK, known) as battle:
            assert battle is not known
            assert battle == known

    async with battles.locked(known.id, OWN_WORK):
        waiting = asyncio.create_task(wait())
        await asyncio.sleep(0)
    await waiting


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
