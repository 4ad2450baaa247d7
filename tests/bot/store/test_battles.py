"""Battles and their panels: alone, when many do something at once, and when the disk is full."""

import asyncio
import contextlib
import gc
import hashlib
from collections.abc import AsyncIterator
from dataclasses import replace
from functools import partial
from itertools import cycle, islice
from pathlib import Path

import pytest
from pydantic import ValidationError

from bot.config import Server
from bot.store import (
    DAY,
    OWN_WORK,
    AlreadyAppliedError,
    BattleGoneError,
    BattleOverError,
    DiskFullError,
    JournalFullError,
    SeatTakenError,
    StaleError,
)
from bot.store.battle import Battle, Place, Status
from bot.store.battles import BattleRepository
from bot.store.database import Database
from bot.store.sqlite import SqliteDatabase
from bot.store.threads import EventRepository, PlannedEvent
from bot.store.transactions import (
    Commit,
    PanelRepository,
    Reminder,
    SeatChange,
    TurnReminderRepository,
    UndoRequest,
    UndoRequestRepository,
)
from sim.core.journal import Kind, seal
from sim.core.values import canonical
from tests.bot.conftest import Clock
from tests.bot.store.databases import database, only_sqlite
from tests.bot.store.toy import advance, count, ended, expect_sound, opened, read, stepped, went_back

HIGHEST_ID = 2**63 - 1
NOW = 1_000 * DAY


async def test_a_battle_as_it_opens(battles: BattleRepository) -> None:
    battle = await opened(battles, goal=7, channel=HIGHEST_ID, guild=None, starter=3, attacker=3, bots=("defender",))
    assert (battle.number, battle.channel_id, battle.guild_id, battle.starter_id) == (1, HIGHEST_ID, None, 3)
    assert (battle.system, battle.rules, battle.setup) == ("adding", 1, {"total": 7})
    assert battle.state == {"goal": 7, "total": 0, "rolls": 0}
    assert (battle.version, battle.steps, battle.next_step) == (0, 0, 1)
    assert (battle.status, battle.outcome, battle.is_open) == (Status.OPEN, None, True)
    assert (battle.created_at, battle.updated_at) == (NOW, NOW)
    assert (battle.panel_id, battle.panels_retired) == (None, ())
    assert battle.places == (Place("attacker", 3), Place("defender", None, is_bot=True))
    assert [place.is_open for place in battle.places] == [False, False]
    assert battle.seats_of(3) == ("attacker",)
    assert (len(battle.seed), battle.seed_hash) == (32, hashlib.sha256(battle.seed).hexdigest())
    assert battle.revealed is None, "secret until the end"
    assert repr(battle.seed) not in repr(battle)
    assert await battles.journal(battle.id) == ()
    assert await battles.last_entry(battle.id) is None
    assert await battles.get(battle.id, OWN_WORK) == battle


async def test_what_no_journal_can_begin_with_opens_nothing(db: Database, battles: BattleRepository) -> None:
    with pytest.raises(ValidationError):
        await opened(battles, system="")
    assert await count(db, "battles") == 0


async def test_a_decided_battle_can_be_undone_until_it_is_closed(battles: BattleRepository) -> None:
    battle = await advance(battles, await opened(battles, goal=1))
    assert battle.is_open
    assert battle.outcome is not None
    battle = await went_back(battles, battle, 0)
    assert battle.outcome is None
    battle = await ended(battles, await advance(battles, battle))
    assert battle.status is Status.FINISHED
    await expect_sound(battles, battle.id)


async def test_a_battle_that_is_not_there(db: Database, battles: BattleRepository) -> None:
    battle = await opened(battles)
    entry, state, _ = stepped(battle, None)
    for attempt in (
        battles.commit(99, 0, 5, Commit([entry], canonical(state))),
        battles.take_seat(99, "attacker", 1, 5),
    ):
        with pytest.raises(BattleGoneError):
            await attempt
    with pytest.raises(BattleGoneError):
        async with battles.locked(99, OWN_WORK):
            pass
    assert await battles.get(99, OWN_WORK) is None
    assert await battles.journal(99) == ()
    await TurnReminderRepository(db).remind(99, Reminder("1", None))
    await EventRepository(db).put(PlannedEvent(99, None, 100, 10, 5000))
    assert await count(db, "reminders") == await count(db, "events") == 0


@pytest.mark.parametrize("flaw", ["state", "seal", "order", "chain", "kind", "closing", "two ends"])
async def test_rows_that_do_not_fit_are_not_written(db: Database, battles: BattleRepository, flaw: str) -> None:
    battle, other = await opened(battles), await opened(battles)
    entry, state, _ = stepped(battle, None)
    end = partial(seal, battle.head, kind=Kind.END, seat="attacker", state=state)
    rows = {
        "state": [entry],
        "seal": [replace(entry, events_json="[]")],
        "order": [seal(battle.head, entry, seat="attacker", state=state)],
        "chain": [stepped(other, None)[0]],
        "kind": [entry, seal(battle.head, entry, seat="attacker", state=state)],
        "closing": [entry, end(None)],
        "two ends": [end(entry), end(end(entry))],
    }[flaw]
    led_to = {"state": battle.state, "chain": stepped(other, None)[1]}.get(flaw, state)
    with pytest.raises(ValueError, match="row"):
        await battles.commit(battle.id, 0, 5, Commit(rows, canonical(led_to)))
    assert await battles.get(battle.id, OWN_WORK) == battle
    assert await count(db, "journal") == await count(db, "applied_interactions") == 0


async def test_a_full_journal_has_room_for_its_end(battles: BattleRepository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.store.transactions.MAX_ROWS", 3)
    battle = await opened(battles)
    for _ in range(2):
        battle = await advance(battles, battle)
    with pytest.raises(JournalFullError):
        await advance(battles, battle, 5)
    with pytest.raises(JournalFullError):
        await went_back(battles, battle, 0)
    assert (await ended(battles, battle)).version == 3


async def test_a_seat_of_the_bot_and_one_that_is_not_there_are_not_taken(battles: BattleRepository) -> None:
    battle = await opened(battles, bots=("defender",))
    assert await battles.take_seat(battle.id, "attacker", 1) == await battles.take_seat(battle.id, "attacker", 1)
    with pytest.raises(SeatTakenError) as caught:
        await battles.take_seat(battle.id, "defender", 2)
    assert caught.value.user_id is None
    with pytest.raises(KeyError):
        await battles.take_seat(battle.id, "referee", 2)
    assert battle.version == 0  # buttons stay good


async def test_people_come_and_go_with_the_step_that_says_so(battles: BattleRepository) -> None:
    battle = await opened(battles, attacker=1)
    come = SeatChange("member-1", 7), SeatChange("member-2", 8)
    row, state, _ = stepped(battle, None)
    await battles.commit(battle.id, 0, 5, Commit([row], canonical(state), seat_changes=come))
    battle = await read(battles, battle.id)
    assert [(place.seat, place.user_id) for place in battle.places][2:] == [("member-1", 7), ("member-2", 8)]
    with pytest.raises(StaleError):
        await battles.commit(battle.id, 0, 6, Commit([row], canonical(state), seat_changes=come))
    assert battle.seats_of(7) == ("member-1",)
    entry, state, _ = stepped(battle, row)
    gone = SeatChange("member-1", here=False), SeatChange("member-2", None)
    await battles.commit(battle.id, 1, 6, Commit([entry], canonical(state), seat_changes=gone))
    battle = await read(battles, battle.id)
    assert [(place.seat, place.user_id) for place in battle.places] == [
        ("attacker", 1),
        ("defender", None),
        ("member-2", None),
    ]


@pytest.fixture
async def sharers(place: Path | Server, battles: BattleRepository) -> AsyncIterator[list[BattleRepository]]:
    """Return the battles as those see them who share the database: one process with a file, two with a server."""
    if isinstance(place, Path):
        yield [battles]
    else:
        async with database(place) as other:
            yield [battles, BattleRepository(other)]


async def test_many_open_at_once_in_one_channel(sharers: list[BattleRepository]) -> None:
    made = await asyncio.gather(*(opened(battles) for battles in islice(cycle(sharers), 50)))
    assert sorted(battle.number for battle in made) == list(range(1, 51))


async def test_an_interaction_counts_once_and_one_of_many_gets_the_seat(sharers: list[BattleRepository]) -> None:
    battle = await opened(sharers[0])
    clicks = [advance(battles, battle, 5) for battles in islice(cycle(sharers), 10)]
    results = await asyncio.gather(*clicks, return_exceptions=True)
    assert sorted(type(result).__name__ for result in results) == ["AlreadyAppliedError"] * 9 + ["Battle"]
    takes = [each.take_seat(battle.id, "attacker", user) for user, each in enumerate(islice(cycle(sharers), 20), 1)]
    results = await asyncio.gather(*takes, return_exceptions=True)
    assert sum(isinstance(result, SeatTakenError) for result in results) == 19


async def test_a_lock_lets_everyone_read_what_the_one_before_wrote(battles: BattleRepository) -> None:
    made = [await opened(battles) for _ in range(5)]

    async def click(battle_id: int) -> None:
        async with battles.locked(battle_id, OWN_WORK) as battle:
            await advance(battles, battle)

    await asyncio.gather(*(click(battle.id) for battle in made for _ in range(10)))
    first, second, *_ = made = [await expect_sound(battles, battle.id) for battle in made]
    assert {battle.version for battle in made} == {10}

    async def wait() -> Battle:
        async with battles.locked(first.id, OWN_WORK, first) as battle:
            return battle

    async with battles.locked(first.id, OWN_WORK, first) as known, battles.locked(second.id, OWN_WORK):
        assert known is first, "the known battle is taken"
        waiters = [asyncio.create_task(wait()) for _ in range(2)]
        await asyncio.sleep(0.01)
        assert not any(waiter.done() for waiter in waiters)
        waiters[0].cancel()
    read_again = await waiters[1]
    assert read_again == first
    assert read_again is not first, "somebody else had it meanwhile"
    del waiters
    gc.collect()
    assert len(battles._locks) == 0


@only_sqlite
async def test_a_full_disk_stores_nothing_of_a_step_and_all_of_it_later(
    db: SqliteDatabase, battles: BattleRepository
) -> None:
    battle = await opened(battles)

    async def pragma(text: str) -> int:
        (row,) = await db._conn.execute_fetchall(f"PRAGMA {text}")
        return int(row[0])

    await pragma(f"max_page_count = {await pragma('page_count') + 3}")
    interaction = 1
    with contextlib.suppress(DiskFullError):
        while interaction < 1000:
            battle = await advance(battles, battle, interaction)
            interaction += 1
    assert 1 < interaction < 1000  # there was some room at first
    for _ in range(3):
        with pytest.raises(DiskFullError, match="has no room left on its disk"):
            await advance(battles, battle, interaction)
        assert not db._conn.in_transaction
        assert await battles.get(battle.id, OWN_WORK) == battle
        assert await count(db, "applied_interactions") == interaction - 1 == battle.version
    await expect_sound(battles, battle.id)
    await pragma("max_page_count = 1000000")
    assert (await advance(battles, battle, interaction)).version == interaction
    await expect_sound(battles, battle.id)


@pytest.fixture
def panels(db: Database) -> PanelRepository:
    return PanelRepository(db)


@pytest.fixture
def requests(db: Database, clock: Clock) -> UndoRequestRepository:
    return UndoRequestRepository(db, clock)


async def test_panels_retire_in_order_until_their_buttons_are_gone(
    battles: BattleRepository, panels: PanelRepository
) -> None:
    battle = await opened(battles)
    await panels.mark_published(battle)
    for message in (11, 12, 12, 13, None):
        battle = await panels.set_panel(battle.id, message)
    assert (battle.panel_id, battle.panels_retired) == (None, (11, 12, 13))
    await panels.mark_cleared(battle.id, 12)
    await panels.mark_cleared(battle.id, 99)
    battle = await panels.set_panel(battle.id, 11)
    assert (battle.panel_id, battle.panels_retired) == (11, (13,))
    assert await battles.get(battle.id, OWN_WORK) == battle
    assert await panels.pending() == []
    with pytest.raises(BattleGoneError):
        await panels.set_panel(99, 1)
    with pytest.raises(BattleGoneError):
        await panels.mark_cleared(99, 1)


async def test_an_undo_is_asked_for_once_at_a_version_while_nothing_has_gone_on(
    battles: BattleRepository, panels: PanelRepository, requests: UndoRequestRepository
) -> None:
    battle = await advance(battles, await opened(battles))
    await panels.mark_published(battle)
    with pytest.raises(StaleError):
        await requests.ask(battle.id, 0, 7, 20)
    with pytest.raises(BattleGoneError):
        await requests.ask(99, 0, 7, 20)
    assert await requests.pending(battle.id) is None
    await requests.ask(battle.id, 1, 7, 20)
    request = await requests.pending(battle.id)
    assert request == UndoRequest(battle.id, version=1, user_id=7, created_at=NOW)
    assert [each.id for each in await panels.pending()] == [battle.id]
    await requests.ask(battle.id, 1, 8, 21)
    assert await requests.pending(battle.id) == request
    with pytest.raises(AlreadyAppliedError):
        await requests.ask(battle.id, 1, 7, 20)
    await requests.withdraw(battle.id)
    assert await requests.pending(battle.id) is None
    battle = await ended(battles, battle)
    with pytest.raises(BattleOverError):
        await requests.ask(battle.id, 2, 7, 22)
    assert await requests.pending(battle.id) is None
