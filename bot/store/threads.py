"""What the bot keeps of a server for its battles: the threads that it opened, and the events of the calendar."""

import json
from contextlib import suppress
from dataclasses import asdict, astuple, dataclass, replace

from bot.store import DAY, ConstraintError
from bot.store.battle import Battle, Status, read_battle
from bot.store.database import Connection, Repository, in_transaction
from bot.store.transactions import apply_once, mark_unpublished


@dataclass(frozen=True, slots=True)
class BattleThread:
    """A thread that was opened for a battle, and the line about it in the channel.

    `line_id`: the line's message, None when it was deleted. `line`, `name`: hashes of what the line and the thread's
    name say. `named_at`: when the name was given, in Unix seconds. `closed`: at the end of the battle.
    """

    battle_id: int
    thread_id: int
    channel_id: int
    line_id: int | None
    line: str = ""
    name: str = ""
    named_at: int = 0
    closed: bool = False


class ThreadRepository(Repository):
    """The threads of battles; `clock` tells Unix seconds."""

    @in_transaction
    async def open(
        self, conn: Connection, thread: BattleThread, panel_id: int | None = None, interaction_id: int | None = None
    ) -> Battle:
        """Show a battle in a thread from now on, unless it is in one, and return it as it is then.

        `panel_id`: the panel if it is there already.

        Raises `AlreadyAppliedError`, `BattleGoneError`.
        """
        await apply_once(conn, interaction_id, self._now)
        moved = await conn.execute(
            "UPDATE battles SET thread_id = ?, panel_id = ?, panels_retired = '[]' WHERE id = ? AND thread_id IS NULL",
            [thread.thread_id, panel_id, thread.battle_id],
        )
        if moved:
            await conn.put("threads", "battle_id", **asdict(replace(thread, named_at=self._now)))
            await mark_unpublished(conn, thread.battle_id)
        return await read_battle(conn, thread.battle_id)

    @in_transaction
    async def leave(self, conn: Connection, thread_id: int) -> list[int]:
        """Show the battles of a thread that is gone in their channels again; return the ids of those that go on.

        The line about the thread becomes the panel of a battle that is over; else an older panel, whose place a link to
        the new one takes.
        """
        line_of = "SELECT line_id FROM threads WHERE battle_id = battles.id AND thread_id = ?1"
        sql = f"SELECT id, status, ({line_of}) FROM battles WHERE thread_id = ?1 ORDER BY id"  # noqa: S608  # a constant
        rows = await conn.fetch_all(sql, [thread_id])
        await conn.drop("threads", thread_id=thread_id)
        for battle_id, status, line in map(tuple, rows):
            panel_id, retired = (None, [line] if line else []) if status == Status.OPEN else (line, [])
            news = {"thread_id": None, "panel_id": panel_id, "panels_retired": json.dumps(retired)}
            await conn.change("battles", {"id": battle_id}, **news)
            if status == Status.OPEN:
                await mark_unpublished(conn, battle_id)
        return [row["id"] for row in rows if row["status"] == Status.OPEN]

    async def note(self, thread: BattleThread) -> None:
        """Note that Discord is asked for a thread, which has a negative id until it is open."""
        await self._db.put("threads", "battle_id", **asdict(thread))

    async def of(self, battle_id: int) -> BattleThread | None:
        """Return the thread that was opened for a battle."""
        return await self._db.find(BattleThread, "threads", battle_id=battle_id)

    async def put(self, thread: BattleThread) -> None:
        """Note what the line and the thread say now."""
        await self._db.execute(
            "UPDATE threads SET line_id = ?, line = ?, name = ?, named_at = ?, closed = ? WHERE battle_id = ?",
            [*astuple(thread)[3:-1], int(thread.closed), thread.battle_id],
        )

    async def unclosed(self) -> list[int]:
        """Return the battles whose threads aren't closed."""
        return await self._db.fetch_column(int, "SELECT battle_id FROM threads WHERE closed = 0")

    async def is_shared(self, thread_id: int, but: int) -> bool:
        """Return whether a battle other than `but` goes on in a thread."""
        sql = "SELECT 1 FROM battles WHERE thread_id = ? AND id <> ? AND status = 'open'"
        return await self._db.fetch_one(sql, [thread_id, but]) is not None


@dataclass(frozen=True, slots=True)
class PlannedEvent:
    """An event of a server's calendar: the end of a battle's turn, or the night of a campaign.

    `channel_id`: where it takes place. `starts_at`: Unix seconds. `event_id`: Discord's, None while there is none.
    """

    battle_id: int | None
    campaign_id: int | None
    guild_id: int
    channel_id: int
    starts_at: int
    event_id: int | None = None


class EventRepository(Repository):
    """The events that referees asked for, one for a battle or a campaign; `clock` tells Unix seconds."""

    async def put(self, planned: PlannedEvent) -> None:
        """Note an event, in place of the one before; not of a battle or a campaign that is deleted."""
        key = "battle_id" if planned.campaign_id is None else "campaign_id"
        with suppress(ConstraintError):
            await self._db.put("events", key, **asdict(planned))

    async def of(self, battle_id: int | None, campaign_id: int | None = None) -> PlannedEvent | None:
        """Return the event of a battle or of a campaign."""
        return await self._db.find(PlannedEvent, "events", battle_id=battle_id, campaign_id=campaign_id)

    async def of_battles(self) -> list[int]:
        """Return the battles that have an event."""
        return await self._db.fetch_column(int, "SELECT battle_id FROM events WHERE battle_id IS NOT NULL")

    async def past(self, founder_id: int = 0) -> list[PlannedEvent]:
        """Return the events of campaigns that have ended or that somebody founded, and the nights that are over."""
        over = "campaign_id IN (SELECT id FROM campaigns WHERE ended_at IS NOT NULL OR founder_id = ?) OR starts_at < ?"
        which = f"WHERE campaign_id IS NOT NULL AND ({over})"
        return await self._db.fetch(PlannedEvent, "events", which, [founder_id, self._now - DAY])

    async def forget(self, planned: PlannedEvent) -> None:
        """Forget an event."""
        await self._db.drop("events", battle_id=planned.battle_id, campaign_id=planned.campaign_id)
