"""When the bot looks at a battle's clock next, when turns began, the bot's outages, and the hours of servers."""

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from bot.store.battles.battle import Battle, fetch_battles
from bot.store.database import Connection, Repository
from sim.core.battle import CLOCK, Seat

_AT_ONCE = 200
"""Battles that one round looks at."""

OUTAGE_SECONDS = 2 * 60
"""A shorter time without a sign of life is no outage."""

_KEPT_SECONDS = 90 * 24 * 60 * 60
"""For how long outages are kept: longer than any turn lasts."""

_STEP = "SELECT n, created_at FROM journal WHERE battle_id = ? AND kind IN ('step', 'undo') ORDER BY n DESC LIMIT 1"
_EVENT = (
    "SELECT n, created_at FROM journal WHERE battle_id = ?1 AND (kind = 'undo' OR (kind = 'step' AND ("
    "n = (SELECT min(n) FROM journal WHERE battle_id = ?1 AND kind = 'step')"
    " OR (json(action) ->> 'do' = ?3 AND seat = ?4)"
    " OR EXISTS (SELECT 1 FROM json_each(events) WHERE json(value) ->> 'event' IN"
    " (SELECT value FROM json_each(?2))))))"
    " ORDER BY n DESC LIMIT 1"
)
_SHOW_CLOCKS = (
    "INSERT INTO outbox (battle_id, revision) SELECT id, revision FROM battles JOIN clocks ON battle_id = id"
    " WHERE status = 'open' AND next_at IS NOT NULL ON CONFLICT (battle_id) DO NOTHING"
)


@dataclass(frozen=True, slots=True)
class Beginning:
    """The row of the journal with which a turn began, 0 for none, and when, in Unix seconds."""

    row: int
    at: int


class ClockRepository(Repository):
    """The clocks of open battles; `clock` returns Unix seconds."""

    async def due(self) -> list[Battle]:
        """Return the open battles whose clock is to be looked at now, the longest overdue first."""
        which = (
            "WHERE status = 'open' AND id IN (SELECT battle_id FROM clocks WHERE next_at <= ? ORDER BY next_at LIMIT ?)"
            " ORDER BY id"
        )
        return await fetch_battles(self._db, which, [int(self._clock()), _AT_ONCE])

    async def next_at(self) -> int | None:
        """Return when the next clock is to be looked at that isn't yet, in Unix seconds; None for never."""
        row = await self._db.fetch_one(
            "SELECT min(next_at) AS next_at FROM clocks WHERE next_at > ?", [int(self._clock())]
        )
        return None if row is None else row["next_at"]

    async def plan(self, plans: Sequence[tuple[Battle, int | None]]) -> None:
        """Look at the clock of each battle next at that time, unless something has happened since it was read."""

        async def write(conn: Connection) -> None:
            for battle, next_at in plans:
                await conn.execute(
                    "UPDATE clocks SET next_at = ? WHERE battle_id = ?"
                    " AND EXISTS (SELECT 1 FROM battles WHERE id = ? AND revision = ?)",
                    [next_at, battle.id, battle.id, battle.revision],
                )

        if plans:
            await self._db.write(write)

    async def turn_began(
        self, battle: Battle, events: Collection[str] | None, action: tuple[str, Seat] | None
    ) -> Beginning:
        """Return when a battle's turn began: with the first step, the last undo, or the last step that begins turns.

        Every step does if `events` is None, else one with such an event, or with this `action` of this seat. In a
        battle whose seats were free, never before the last of them was taken.
        """
        if events is None:
            row = await self._db.fetch_one(_STEP, [battle.id])
        else:
            do, seat = action or ("", "")
            row = await self._db.fetch_one(_EVENT, [battle.id, json.dumps(sorted(events)), do, seat])
        found = Beginning(0, battle.created_at) if row is None else Beginning(row["n"], row["created_at"])
        return Beginning(found.row, max(found.at, battle.seated_at or 0))

    async def last_move(self, battle_id: int) -> int:
        """Return the journal's last row in which a person did something in the game, 0 for none."""
        row = await self._db.fetch_one(
            "SELECT max(n) AS n FROM journal WHERE battle_id = ? AND kind IN ('step', 'undo') AND seat <> ?",
            [battle_id, CLOCK],
        )
        return 0 if row is None else row["n"] or 0

    async def sign_of_life(self, *, back: bool) -> int:
        """Note that players can reach the bot now; return how many seconds they couldn't.

        `back`: whether they could at the last sign, or the time since then was an outage. After one, the panels with
        a running clock are to be shown again. Of processes that share a database any one's sign counts for all.
        """
        now = int(self._clock())

        async def write(conn: Connection) -> int:
            rows = await conn.fetch_all("SELECT began FROM outages WHERE ended IS NULL")
            began = max((row["began"] for row in rows), default=now)
            if rows and not (back and now - began > OUTAGE_SECONDS):
                await conn.execute("UPDATE outages SET began = ? WHERE ended IS NULL", [now])
                return 0
            await conn.execute("UPDATE outages SET ended = ? WHERE ended IS NULL", [now])
            await conn.execute("DELETE FROM outages WHERE ended < ?", [now - _KEPT_SECONDS])
            await conn.execute("INSERT INTO outages (began, ended) VALUES (?, NULL)", [now])
            if rows:
                await conn.execute(_SHOW_CLOCKS)
            return now - began

        return await self._db.write(write)

    async def outages(self, since: int) -> list[tuple[int, int]]:
        """Return from when to when the bot couldn't be reached, of the outages that ended after `since`, in order."""
        rows = await self._db.fetch_all("SELECT began, ended FROM outages WHERE ended > ? ORDER BY began", [since])
        return [(row["began"], row["ended"]) for row in rows]


@dataclass(frozen=True, slots=True)
class ServerHours:
    """A server's time zone and its quiet hours, in minutes after midnight; None without any.

    `quiet_rule`: "skip" if they don't count, "wait" if turns only never end in them.
    """

    zone: str = "UTC"
    quiet_from: int | None = None
    quiet_to: int | None = None
    quiet_rule: str = "skip"


class ServerHoursRepository(Repository):
    """The hours of servers that have set them."""

    async def get(self, guild_id: int | None) -> ServerHours:
        """Return a server's hours, those of UTC without quiet ones where none are set."""
        columns = "zone, quiet_from, quiet_to, quiet_rule"
        row = await self._db.fetch_one(f"SELECT {columns} FROM server_hours WHERE guild_id = ?", [guild_id])  # noqa: S608  # constants
        return ServerHours() if row is None else ServerHours(*row)

    async def put(self, guild_id: int, hours: ServerHours) -> None:
        """Set a server's hours."""
        await self._db.execute(
            "INSERT INTO server_hours (guild_id, zone, quiet_from, quiet_to, quiet_rule) VALUES (?, ?, ?, ?, ?)"
            " ON CONFLICT (guild_id) DO UPDATE SET zone = excluded.zone, quiet_from = excluded.quiet_from,"
            " quiet_to = excluded.quiet_to, quiet_rule = excluded.quiet_rule",
            [guild_id, hours.zone, hours.quiet_from, hours.quiet_to, hours.quiet_rule],
        )
