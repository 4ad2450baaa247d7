"""When turns began, and which messages remind the players."""

import json
from collections.abc import Collection
from dataclasses import dataclass

from bot.store.database import Connection, Database
from sim.core.battle import Seat

_BEGAN = (
    "SELECT created_at FROM journal WHERE battle_id = ?1 AND (kind = 'undo'"
    " OR (json(action) ->> 'do' = ?3 AND seat = ?4)"
    " OR EXISTS (SELECT 1 FROM json_each(events) WHERE json(value) ->> 'event' = ?2))"
    " ORDER BY n DESC LIMIT 1"
)


_LAST = (
    "SELECT created_at FROM journal WHERE battle_id = ?1 AND (n = 1 OR kind = 'undo'"
    " OR EXISTS (SELECT 1 FROM json_each(events) WHERE json(value) ->> 'event' IN"
    " (SELECT value FROM json_each(?2))))"
    " ORDER BY n DESC LIMIT 1"
)


@dataclass(frozen=True, slots=True)
class Reminder:
    """The turn and the message that reminded of it; None if no message was needed."""

    turn: str
    message_id: int | None


class TurnReminderRepository:
    """The last reminder of each battle, and the times of turns in its journal."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def began_at(self, battle_id: int, event: str, action: str, seat: Seat) -> int | None:
        """Return when the current turn began, in Unix seconds: the last `event`, undo, or `action` by `seat`.

        None before the first one.
        """
        row = await self._db.fetch_one(_BEGAN, [battle_id, event, action, seat])
        return None if row is None else row["created_at"]

    async def last_at(self, battle_id: int, events: Collection[str]) -> int | None:
        """Return the time of the last of these `events` or undo, else of the first row, in Unix seconds.

        None in an empty journal.
        """
        row = await self._db.fetch_one(_LAST, [battle_id, json.dumps(sorted(events))])
        return None if row is None else row["created_at"]

    async def reminder(self, battle_id: int) -> Reminder | None:
        """Return the last reminder, or None."""
        row = await self._db.fetch_one("SELECT turn, message_id FROM reminders WHERE battle_id = ?", [battle_id])
        return None if row is None else Reminder(row["turn"], row["message_id"])

    async def remind(self, battle_id: int, reminder: Reminder | None) -> None:
        """Store the last reminder, or delete it; does nothing if the battle is gone."""

        async def write(conn: Connection) -> None:
            await conn.execute("DELETE FROM reminders WHERE battle_id = ?", [battle_id])
            if reminder is not None:
                await conn.execute(
                    "INSERT INTO reminders (battle_id, turn, message_id) SELECT id, ?, ? FROM battles WHERE id = ?",
                    [reminder.turn, reminder.message_id, battle_id],
                )

        await self._db.write(write)
