"""Closes battles in which nothing happens, and forgets those that ended long ago."""

from contextlib import suppress

from bot.store.battle import Battle, fetch_battles, read_battle, read_battles
from bot.store.battles import HOUSE_SEAT, expect_sealed
from bot.store.database import Connection, Repository
from bot.store.errors import DamagedBattleError
from bot.store.transactions import Commit, write_rows
from sim.core.journal import Kind

DAY = 24 * 60 * 60
KEPT_SECONDS = 90 * DAY
IDLE_SECONDS = 30 * DAY


class Retention(Repository):
    """Closes and forgets battles; `clock` tells Unix seconds."""

    async def idle(self) -> list[Battle]:
        """Return the open battles that haven't changed for 30 days."""
        which = "WHERE status = 'open' AND updated_at < ? ORDER BY id"
        return await fetch_battles(self._db, which, [self._before(IDLE_SECONDS)])

    async def close_idle(self) -> list[Battle]:
        """Close the idle battles and return them, their seeds revealed; a damaged one stays as it is."""
        closed = []
        # One transaction each, so that players don't wait for all of them.
        for battle in await self.idle():
            with suppress(DamagedBattleError):
                await expect_sealed(self._db, battle)
                closed += await self._close_if_idle(battle.id, self._before(IDLE_SECONDS))
        return closed

    async def forget_finished(self) -> int:
        """Delete the battles closed more than 90 days ago and return their number."""
        where = "status <> 'open' AND updated_at < ?"
        return await self._db.delete_where("battles", "id", where, [self._before(KEPT_SECONDS)])

    async def forget_interactions(self) -> int:
        """Forget which interactions were applied; Discord delivers none again after its token's 15 minutes."""
        return await self._db.delete_where(
            "applied_interactions", "interaction_id", "applied_at < ?", [self._before(DAY)]
        )

    def _before(self, seconds: int) -> int:
        return int(self._clock()) - seconds

    async def _close_if_idle(self, battle_id: int, before: int) -> list[Battle]:
        now = int(self._clock())

        async def close(conn: Connection) -> list[Battle]:
            # Checked again: it may have changed since.
            which = "WHERE id = ? AND status = 'open' AND updated_at < ?"
            closed = []
            for battle in await read_battles(conn, which, [battle_id, before]):
                row = battle.next_row(Kind.END, HOUSE_SEAT)
                await write_rows(conn, battle_id, battle.version, Commit([row], battle.state_json, battle.outcome), now)
                closed.append(await read_battle(conn, battle_id))
            return closed

        return await self._db.write(close)
