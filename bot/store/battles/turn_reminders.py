"""Which messages remind the players of their turns."""

from dataclasses import dataclass

from bot.store.database import Connection, Database


@dataclass(frozen=True, slots=True)
class Reminder:
    """The turn and the message that reminded of it; None if no message was needed.

    `warned_for`: when the turn was to end of whose end the players were warned, in Unix seconds; None before that.
    """

    turn: str
    message_id: int | None
    warned_for: int | None = None


class TurnReminderRepository:
    """The last reminder of each battle."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def reminder(self, battle_id: int) -> Reminder | None:
        """Return the last reminder, or None."""
        row = await self._db.fetch_one("SELECT * FROM reminders WHERE battle_id = ?", [battle_id])
        return None if row is None else Reminder(row["turn"], row["message_id"], row["warned_for"])

    async def remind(self, battle_id: int, reminder: Reminder | None) -> None:
        """Store the last reminder, or delete it; does nothing if the battle is gone."""

        async def write(conn: Connection) -> None:
            await conn.execute("DELETE FROM reminders WHERE battle_id = ?", [battle_id])
            if reminder is not None:
                await conn.execute(
                    "INSERT INTO reminders (battle_id, turn, message_id, warned_for)"
                    " SELECT id, ?, ?, ? FROM battles WHERE id = ?",
                    [reminder.turn, reminder.message_id, reminder.warned_for, battle_id],
                )

        await self._db.write(write)
