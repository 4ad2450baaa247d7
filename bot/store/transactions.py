"""The writes that make up a change of a battle, inside the caller's transaction; what is pending after it.

Pending are the panels that don't show a change yet, the reminders of turns, and the requests to undo a step.
"""

import json
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict, astuple, dataclass

from bot import store
from bot.store.battle import KEPT_EVERY, ROW_COLUMNS, Battle, Status, fetch_battles, read_battle
from bot.store.database import Connection, Repository, in_transaction
from sim.core.battle import REFEREE, Outcome, Seat
from sim.core.journal import MAX_ROWS, NOTES, Head, JournalRow, Kind
from sim.core.values import text_digest


@dataclass(frozen=True, slots=True)
class SeatChange:
    """A user takes a seat, which may be new, or the seat is removed.

    `here`: whether the seat exists afterwards; `user_id`: who holds it then, None for a user whose data was deleted;
    `agrees`: whether that one agrees that the battle is rated, where there are ladders.
    """

    seat: Seat
    user_id: int | None = None
    here: bool = True
    agrees: bool = True


HAS_LADDERS = "(SELECT count(*) FROM ladders WHERE guild_id = (SELECT guild_id FROM battles WHERE id = ?1))"
"""1 if the server of battle `?1` keeps ladders, else 0: who sits down there by an own press agrees to be rated."""


async def change_seats(conn: Connection, battle_id: int, seat_changes: Sequence[SeatChange]) -> None:
    """Apply the changes in order; a new seat comes last."""
    for change in seat_changes:
        await conn.drop("seats", battle_id=battle_id, seat=change.seat)
        if change.here:
            agreed = HAS_LADDERS if change.agrees else "0"
            await conn.execute(
                "INSERT INTO seats (battle_id, position, seat, user_id, is_bot, agreed)"  # noqa: S608  # a constant
                f" SELECT ?1, COALESCE(max(position) + 1, 0), ?2, ?3, 0, {agreed} FROM seats WHERE battle_id = ?1",
                [battle_id, change.seat, change.user_id],
            )


async def sit_down(conn: Connection, battle_id: int, seat: Seat, user_id: int) -> bool:
    """Give a free seat to a user and return whether that changed it; SeatTakenError, KeyError for an unknown seat."""
    rows = await conn.fetch_all("SELECT user_id, is_bot FROM seats WHERE battle_id = ? AND seat = ?", [battle_id, seat])
    if not rows:
        raise KeyError(seat)
    present = rows[0]["user_id"]
    if present == user_id:
        return False
    if present is not None or rows[0]["is_bot"]:
        raise store.SeatTakenError(seat, present)
    await conn.execute(
        f"UPDATE seats SET user_id = ?2, agreed = {HAS_LADDERS} WHERE battle_id = ?1 AND seat = ?3",  # noqa: S608  # a constant
        [battle_id, user_id, seat],
    )
    return True


async def fill_up(conn: Connection, battle_id: int, character: str, user_id: int) -> bool:
    """Give all free seats to the bot, but the first to a user without a fighter's seat; return whether any was free."""
    rows = await conn.fetch_all(
        "SELECT seat, user_id, is_bot FROM seats WHERE battle_id = ? AND seat <> ? ORDER BY position",
        [battle_id, REFEREE],
    )
    free = [row["seat"] for row in rows if row["user_id"] is None and not row["is_bot"]]
    if free and user_id not in {row["user_id"] for row in rows}:
        await sit_down(conn, battle_id, free[0], user_id)
        free = free[1:]
    for seat in free:
        await conn.change("seats", {"battle_id": battle_id, "seat": seat}, is_bot=1, character=character)
    return bool(free)


TransactionHook = Callable[[Connection], Awaitable[object]]
"""Writes a system's own data inside the same transaction."""

OpeningHook = Callable[[Connection, Battle], Awaitable[object]]
"""Writes more in the transaction that opens a battle."""


_KINDS = {
    *((Kind.STEP,), (Kind.UNDO,), (Kind.END,), (Kind.STEP, Kind.END)),
    *((Kind.CLOCK,), (Kind.CLOCK, Kind.STEP), (Kind.CLOCK, Kind.STEP, Kind.END)),
    *((Kind.SEATS,), (Kind.SEATS, Kind.STEP), (Kind.SEATS, Kind.STEP, Kind.END)),
    *((Kind.ROUND,), (Kind.CLOCK, Kind.ROUND), (Kind.BEACON,)),
}


@dataclass(frozen=True, slots=True)
class Commit:
    """A step, an undo, an end, a note, or what belongs together of it: the rows, the state, the outcome, seat changes.

    `state_json` is canonical. `hook` writes the system's own data.

    ValueError when the rows are others, don't follow each other, aren't sealed, or don't lead to the state.
    """

    rows: Sequence[JournalRow]
    state_json: str
    outcome: Outcome | None = None
    seat_changes: Sequence[SeatChange] = ()
    hook: TransactionHook | None = None

    def __post_init__(self) -> None:
        if (kinds := tuple(row.kind for row in self.rows)) not in _KINDS:
            raise ValueError(f"rows of the kinds {', '.join(kinds)} don't belong together")
        for before, row in zip(self.rows, self.rows[1:], strict=False):
            if (row.n, row.previous) != (before.n + 1, before.hash):
                raise ValueError(f"row {row.n} doesn't follow row {before.n}")
        for row in self.rows:
            if row.hash != row.seal():
                raise ValueError(f"row {row.n} isn't sealed")
        if self.rows[-1].state_hash != text_digest(self.state_json):
            raise ValueError(f"row {self.rows[-1].n} leads to another state")

    @property
    def status(self) -> Status:
        """The battle's status afterwards."""
        if self.rows[-1].kind is not Kind.END:
            return Status.OPEN
        return Status.ENDED if self.outcome is None else Status.FINISHED


def put_in_seat(
    battle_id: int, seat: Seat, user_id: int | None, *, is_bot: bool = False, left_at: int | None = None
) -> TransactionHook:
    """Return the write that gives a seat, free or taken, to a user, the bot or nobody.

    `left_at`: the last journal row whose dice count for the previous holder; None if there is no previous holder.
    """

    async def write(conn: Connection) -> None:
        if left_at is not None:
            await conn.execute(
                "INSERT INTO seats_left (battle_id, n, seat, user_id)"
                " SELECT battle_id, ?, seat, user_id FROM seats WHERE battle_id = ? AND seat = ?",
                [left_at, battle_id, seat],
            )
        news = {"user_id": user_id, "is_bot": is_bot, "agreed": 0, "character": None}
        await conn.change("seats", {"battle_id": battle_id, "seat": seat}, **news)

    return write


def make_referee(battle_id: int, user_id: int) -> TransactionHook:
    """Return the write that makes a user the referee of a battle without a seat for one."""
    return lambda conn: conn.put("referees", "battle_id", battle_id=battle_id, user_id=user_id)


def close_joining(battle_id: int, *, closed: bool) -> TransactionHook:
    """Return the write that lets people join a battle, or no more."""
    return lambda conn: conn.change("battles", {"id": battle_id}, joining_closed=closed)


HOUSE_SEAT: Seat = "house"
"""The seat in whose name the bot sets the clock from the start, writes of the beacon, and closes idle battles."""


def house_rows(battle: Battle, notes: Iterable[tuple[Kind, str]]) -> list[JournalRow]:
    """Return rows that the bot writes by itself after the last one: of their kinds, with their canonical actions."""
    rows: list[JournalRow] = []
    for kind, action_json in notes:
        rows.append(battle.next_row(kind, HOUSE_SEAT, after=rows[-1] if rows else None, action_json=action_json))
    return rows


async def apply_once(conn: Connection, interaction_id: int | None, now: int) -> None:
    """Mark an interaction as applied; AlreadyAppliedError if it already is. None does nothing."""
    if interaction_id is None:
        return
    if not await conn.add("applied_interactions", interaction_id=interaction_id, applied_at=now):
        raise store.AlreadyAppliedError(f"interaction {interaction_id} was applied before")


async def expect_open(conn: Connection, battle_id: int) -> int:
    """Return the version of an open battle; BattleGoneError, BattleOverError."""
    rows = await conn.fetch_all("SELECT version, status FROM battles WHERE id = ?", [battle_id])
    if not rows:
        raise store.BattleGoneError(battle_id)
    if rows[0]["status"] != Status.OPEN:
        raise store.BattleOverError(battle_id)
    return int(rows[0]["version"])


async def write_rows(conn: Connection, battle_id: int, expected_version: int, commit: Commit, now: int) -> None:
    """Write the rows, the state after them, and the mark that they are unpublished."""
    updated = await conn.fetch_all(
        "UPDATE battles SET version = ?, steps = steps + ?, state = ?, status = ?, outcome = ?, updated_at = ?"
        " WHERE id = ? AND version = ? AND status = ?"
        " RETURNING system, rules, setup, seed_hash, chain, branch",
        [
            *(commit.rows[-1].version, sum(row.kind is Kind.STEP for row in commit.rows), commit.state_json),
            *(commit.status, None if commit.outcome is None else commit.outcome.model_dump_json(), now),
            *(battle_id, expected_version, Status.OPEN),
        ],
    )
    if not updated:
        raise store.StaleError(battle_id, await expect_open(conn, battle_id))
    await _expect_chained(conn, battle_id, expected_version, commit.rows[0], Head(*updated[0]))
    last = commit.rows[-1].n
    if last > MAX_ROWS or (last == MAX_ROWS and commit.status is Status.OPEN):
        raise store.JournalFullError(battle_id)
    kept = commit.state_json if last % KEPT_EVERY == 0 else None
    await conn.execute_many(
        f"INSERT INTO journal (battle_id, created_at, state, {ROW_COLUMNS})"  # noqa: S608  # a constant
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [(battle_id, now, kept if row.n == last else None, *astuple(row)) for row in commit.rows],
    )
    await change_seats(conn, battle_id, commit.seat_changes)
    if commit.hook is not None:
        await commit.hook(conn)
    if all(row.kind in NOTES for row in commit.rows):  # the game stays as it was: what is asked is still to be answered
        await conn.change("undo_requests", {"battle_id": battle_id}, version=last)
    else:
        await conn.drop("undo_requests", battle_id=battle_id)
    await wind_clock(conn, battle_id, open_=commit.status is Status.OPEN)
    await mark_unpublished(conn, battle_id)


async def wind_clock(conn: Connection, battle_id: int, *, open_: bool = True, seated_at: int | None = None) -> None:
    """Have the bot look at a battle's clock as soon as possible, or never again at that of a closed one."""
    seated = {} if seated_at is None else {"seated_at": seated_at}
    await conn.put("clocks", "battle_id", battle_id=battle_id, next_at=0 if open_ else None, **seated)


async def mark_unpublished(conn: Connection, battle_id: int) -> None:
    """Raise the battle's revision and mark it as unpublished."""
    sql = "UPDATE battles SET revision = revision + 1 WHERE id = ? RETURNING revision"
    for revision in await conn.fetch_column(int, sql, [battle_id]):
        await conn.put("outbox", "battle_id", battle_id=battle_id, revision=revision)


async def _expect_chained(conn: Connection, battle_id: int, version: int, row: JournalRow, head: Head) -> None:
    sql = "SELECT hash FROM journal WHERE battle_id = ? AND n = ?"
    before = await conn.fetch_value(str, sql, [battle_id, version]) or head.hash
    if row.n != version + 1 or row.previous != before:
        raise ValueError(f"row {row.n} doesn't follow version {version} of battle {battle_id}")


class PanelRepository(Repository):
    """Which message shows a battle, and which battles have unpublished changes."""

    @in_transaction
    async def set_panel(self, conn: Connection, battle_id: int, message_id: int | None) -> Battle:
        """Make a message the battle's panel, or none; the one before retires until `mark_cleared`.

        Raises `BattleGoneError`.
        """
        battle = await read_battle(conn, battle_id)
        before = () if battle.panel_id is None else (battle.panel_id,)
        retired = [each for each in battle.panels_retired + before if each != message_id]
        await conn.change("battles", {"id": battle_id}, panel_id=message_id, panels_retired=json.dumps(retired))
        return await read_battle(conn, battle_id)

    async def set_seal(self, battle_id: int, message_id: int) -> None:
        """Note the message that told of the battle's round in time."""
        await self._db.change("battles", {"id": battle_id}, seal_id=message_id)

    @in_transaction
    async def mark_cleared(self, conn: Connection, battle_id: int, message_id: int) -> None:
        """Note that a retired panel has no buttons any more, or is gone itself."""
        retired = [each for each in (await read_battle(conn, battle_id)).panels_retired if each != message_id]
        await conn.change("battles", {"id": battle_id}, panels_retired=json.dumps(retired))

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
        return await self._db.find(Reminder, "reminders", battle_id=battle_id)

    async def remind(self, battle_id: int, reminder: Reminder | None) -> None:
        """Store the last reminder, or delete it; does nothing if the battle is gone."""
        if reminder is None:
            await self._db.drop("reminders", battle_id=battle_id)
            return
        with suppress(store.ConstraintError):
            await self._db.put("reminders", "battle_id", battle_id=battle_id, **asdict(reminder))


@dataclass(frozen=True, slots=True)
class UndoRequest:
    """A request to undo the step that led to `version`; `created_at` is in Unix seconds."""

    battle_id: int
    version: int
    user_id: int
    created_at: int


class UndoRequestRepository(Repository):
    """At most one request for each battle, void once the battle moves on."""

    @in_transaction
    async def ask(
        self,
        conn: Connection,
        battle_id: int,
        expected_version: int,
        user_id: int,
        interaction_id: int | None = None,
    ) -> None:
        """Store a request; an earlier one for this version, by any user, stays.

        Raises `AlreadyAppliedError`, `BattleGoneError`, `BattleOverError`, `StaleError`.
        """
        await apply_once(conn, interaction_id, self._now)
        version = await expect_open(conn, battle_id)
        if version != expected_version:
            raise store.StaleError(battle_id, version)
        if await conn.add("undo_requests", **asdict(UndoRequest(battle_id, version, user_id, self._now))):
            await mark_unpublished(conn, battle_id)

    async def pending(self, battle_id: int) -> UndoRequest | None:
        """Return a battle's current request, or None."""
        return await self._db.find(UndoRequest, "undo_requests", battle_id=battle_id)

    @in_transaction
    async def withdraw(self, conn: Connection, battle_id: int) -> None:
        """Delete the request, if there is one."""
        if await conn.drop("undo_requests", battle_id=battle_id):
            await mark_unpublished(conn, battle_id)
