import asyncio
import gc
import random

import pytest

from bot.store.battles.panels import PanelRepository
from bot.store.battles.repository import BattleRepository
from bot.store.database import Database
from bot.store.errors import StaleError
from tests.bot.store.toy import advance, expect_sound, opened

pytestmark = pytest.mark.torture

CANCELLATIONS = 10_000
AT_ONCE = 10
BATTLES = 5
WAVES_A_BATTLE = 100  # short journals keep the test quick


class Players:
    """They click, and are cancelled wherever they happen to be; what came of each click is noted."""

    def __init__(self, db: Database) -> None:
        self._battles, self._panels = BattleRepository(db), PanelRepository(db)
        self._choose = random.Random(20261120)
        self._ids: list[int] = []
        self._clicks = 0
        self.finished: set[int] = set()
        self.stale: set[int] = set()
        self.cancelled: set[int] = set()

    async def new_battles(self) -> None:
        """Check the battles so far, and go on with others."""
        for battle_id in self._ids:
            await expect_sound(self._battles, battle_id)
        self._ids = [(await opened(self._battles)).id for _ in range(BATTLES)]

    async def wave(self) -> None:
        """Click at once, and cancel each click some turns of the loop, or milliseconds, after the one before."""
        numbers = range(self._clicks, self._clicks + AT_ONCE)
        self._clicks += AT_ONCE
        tasks = [asyncio.create_task(self._click(self._choose.choice(self._ids), number)) for number in numbers]
        for task in tasks:
            for _ in range(self._choose.randrange(12)):
                await asyncio.sleep(0)
            if self._choose.random() < 0.5:
                await asyncio.sleep(self._choose.uniform(0, 0.004))
            task.cancel()
        for number, result in zip(numbers, await asyncio.gather(*tasks, return_exceptions=True), strict=True):
            if isinstance(result, asyncio.CancelledError):
                self.cancelled.add(number)
            elif isinstance(result, StaleError):
                self.stale.add(number)
            else:
                assert result is None

    def locks(self) -> int:
        gc.collect()  # of the tracebacks
        return len(self._battles._locks)

    async def _click(self, battle_id: int, number: int) -> None:
        if number % 2:  # half of them in turn, half of them not
            async with self._battles.locked(battle_id) as battle:
                after = await advance(self._battles, battle, number, tag=number)
        else:
            seen = await self._battles.get(battle_id)
            assert seen is not None
            after = await advance(self._battles, seen, number, tag=number)
        self.finished.add(number)  # from here on the player may be told
        await self._panels.mark_published(after)


async def test_cancelled_ten_thousand_times_at_any_moment(db: Database) -> None:
    """What a player is told was applied is applied, nothing is applied twice, and no transaction stays open."""
    players = Players(db)
    waves = 0
    while len(players.cancelled) < CANCELLATIONS:
        if waves % WAVES_A_BATTLE == 0:
            await players.new_battles()
        waves += 1
        await players.wave()
        assert not db._conn.in_transaction
    await players.new_battles()

    tags = [row[0] for row in await db.fetch_all("SELECT action ->> 'tag' FROM journal")]
    applied = {row[0] for row in await db.fetch_all("SELECT interaction_id FROM applied_interactions")}
    assert len(tags) == len(applied)
    assert set(tags) == applied
    assert players.finished <= applied
    assert not players.stale & applied
    assert players.cancelled & applied - players.finished  # some were met in the middle of their transaction
    assert players.cancelled - applied  # and some before it
    assert players.locks() == 0
