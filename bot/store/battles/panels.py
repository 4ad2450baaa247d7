"""The messages that show battles or remind players of their turns, and the changes that aren't published yet."""

import json
from dataclasses import dataclass

from bot.store.battles.battle import Battle, fetch_battles, read_battle
from bot.store.database import Connection, Repository


class PanelRepository(Repository):
    """Which message shows a battle, and which battles have unpublished changes."""

    async def set_panel(self, battle_id: int, message_id: int | None) -> Battle:
        """Make a message the battle's panel, or none; the one before retires until `mark_cleared`.

        Raises `BattleGoneError`.
        """

        async def body(conn: Connection) -> Battle:
            battle = await read_battle(conn, battle_id)
            before = () if battle.panel_id is None else (battle.panel_id,)
            retired = [each for each in battle.panels_retired + before if each != message_id]
            await conn.execute(
                "UPDATE battles SET panel_id = ?, panels_retired = ? WHERE id = ?",
                [message_id, json.dumps(retired), battle_id],
            )
            return await read_battle(conn, battle_id)

        return await self._db.write(body)

    async def mark_cleared(self, battle_id: int, message_id: int) -> None:
        """Note that a retired panel has no buttons any more, or is gone itself."""

        async def body(conn: Connection) -> None:
            retired = [each for each in (await read_battle(conn, battle_id)).panels_retired if each != message_id]
            await conn.execute("UPDATE battles SET panels_retired = ? WHERE id = ?", [json.dumps(retired), battle_id])

        await self._db.write(body)

    async def mark_published(self, battle: Battle) -> None:
        """Note that `battle` was published as it was read; what changed since is still pending."""
        sql = "DELETE FROM outbox WHERE battle_id = ? AND revision <= ?"
        await self._db.execute(sql, [battle.id, battle.revision])

    async def mark_pending(self, channel_id: int) -> None:
        """Note that a channel's open battles are to be shown, whatever was shown before."""
        await self._db.execute(
            "INSERT INTO outbox (battle_id, revision) SELECT id, revision FROM battles"
            " WHERE channel_id = ? AND status = 'open' ON CONFLICT (battle_id) DO NOTHING",
            [channel_id],
        )

    async def forget_pending(self, channel_id: int) -> None:
        """Note that nothing of a channel's battles is to be shown."""
        sql = "DELETE FROM outbox WHERE battle_id IN (SELECT id FROM battles WHERE channel_id = ?)"
        await self._db.execute(sql, [channel_id])

    async def pending_revisions(self) -> dict[int, int]:
        """Return the ids of the battles with unpublished changes, and their revisions."""
        rows = await self._db.fetch_all("SELECT battle_id, revision FROM outbox")
        return {row["battle_id"]: row["revision"] for row in rows}

    async def pending(self) -> list[Battle]:
        """Return the battles with unpublished changes, ordered by id."""
        return await fetch_battles(self._db, "WHERE id IN (SELECT battle_id FROM outbox) ORDER BY id")


@dataclass(frozen=True, slots=True)
class Reminder:
    """The turn and the message that reminded of it; None if no message was needed.

    `warned_for`: when the turn was to end of whose end the players were warned, in Unix seconds; None before that.
    """

    turn: str
    message_id: int | None
    warned_for: int | None = None


class TurnReminderRepository(Repository):
    """The last reminder of each battle."""

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
