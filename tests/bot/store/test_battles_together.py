"""Battles when many do something at once, and when the disk is full."""

import asyncio
import contextlib
import gc
import random

import pytest

from bot.store import OWN_WORK
from bot.store.battles.repository import BattleRepository
from bot.store.errors import DiskFullError, SeatTakenError, StaleError
from bot.store.sqlite import SqliteDatabase
from tests.bot.store.databases import only_sqlite
from tests.bot.store.toy import advance, count, expect_sound, opened


async def test_many_open_at_once_in_one_channel(battles: BattleRepository) -> None:
    made = await asyncio.gather(*(opened(battles) for _ in range(50)))
    assert sorted(battle.number for battle in made) == list(range(1, 51))


async def test_an_interaction_delivered_twice_at_the_same_time(battles: BattleRepository) -> None:
    battle = await opened(battles)
    results = await asyncio.gather(*(advance(battles, battle, 5) for _ in range(10)), return_exceptions=True)
    assert sorted(type(result).__name__ for result in results) == ["AlreadyAppliedError"] * 9 + ["Battle"]


async def test_one_of_many_gets_the_seat(battles: BattleRepository) -> None:
    battle = await opened(battles)
    results = await asyncio.gather(
        *(battles.take_seat(battle.id, "attacker", user) for user in range(1, 21)), return_exceptions=True
    )
    assert sum(isinstance(result, SeatTakenError) for result in results) == 19


@pytest.mark.rest
async def test_fifty_clickers_over_five_battles(battles: BattleRepository) -> None:
    """Each round everyone clicks the version that they see; one of ten is applied, nine learn the present version."""
    made = [await opened(battles) for _ in range(5)]
    order = random.Random(20261120)
    interaction = 0
    for version in range(1, 21):
        clicks = [battle for battle in made for _ in range(10)]
        order.shuffle(clicks)
        first = interaction
        interaction += len(clicks)
        results = await asyncio.gather(
            *(advance(battles, battle, first + number, tag=number) for number, battle in enumerate(clicks)),
            return_exceptions=True,
        )
        for battle in made:
            own = [result for result, clicked in zip(results, clicks, strict=True) if clicked.id == battle.id]
            stale = [result for result in own if isinstance(result, StaleError)]
            assert {error.version for error in stale} == {version}
            assert len(stale) == 9
        made = [await expect_sound(battles, battle.id) for battle in made]
        assert {battle.version for battle in made} == {version}


async def test_a_lock_lets_everyone_read_what_the_one_before_wrote(battles: BattleRepository) -> None:
    made = [await opened(battles) for _ in range(5)]

    async def click(battle_id: int) -> None:
        async with battles.locked(battle_id, OWN_WORK) as battle:
            await advance(battles, battle)

    await asyncio.gather(*(click(battle.id) for battle in made for _ in range(10)))
    assert {(await expect_sound(battles, battle.id)).version for battle in made} == {10}
    gc.collect()
    assert len(battles._locks) == 0


async def test_locks_of_different_battles_do_not_wait_for_each_other(battles: BattleRepository) -> None:
    first, second = await opened(battles), await opened(battles)
    async with battles.locked(first.id, OWN_WORK), battles.locked(second.id, OWN_WORK):
        waiter = asyncio.create_task(battles.locked(first.id, OWN_WORK).__aenter__())
        await asyncio.sleep(0.01)
        assert not waiter.done()
        waiter.cancel()
        await asyncio.gather(waiter, return_exceptions=True)
    async with battles.locked(first.id, OWN_WORK) as battle:
        assert battle == first
    del waiter
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
