"""What a change of a battle writes, piece by piece, inside the transaction of whoever calls."""

import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

import aiosqlite
from pydantic import JsonValue

from bot.store.battles.battle import Battle, Status, read_battle
from bot.store.battles.seats import SeatChange, move_people
from bot.store.errors import AlreadyAppliedError, BattleGoneError, BattleOverError, JournalFullError, StaleError
from sim.core.battle import Outcome
from sim.core.canonical_json import canonical, digest
from sim.core.journal import MAX_ROWS, Entry, Kind

TransactionHook = Callable[[aiosqlite.Connection], Awaitable[None]]
"""What a system writes of its own, inside the same transaction."""


@dataclass(frozen=True, slots=True)
class Commit:
    """Rows of the journal, one after the other, the state and the outcome after the last of them, and who moves.

    `also`: what else is written with them.

    ValueError when the rows don't follow each other, aren't sealed, or don't lead to the state.
    """

    entries: Sequence[Entry]
    state: JsonValue
    outcome: Outcome | None
    moves: Sequence[SeatChange] = ()
    also: TransactionHook | None = None

    def __post_init__(self) -> None:
        for before, entry in zip(self.entries, self.entries[1:], strict=False):
            if (entry.n, entry.previous) != (before.n + 1, before.hash):
                raise ValueError(f"row {entry.n} doesn't follow row {before.n}")
        for entry in self.entries:
            if entry.version != entry.n or entry.hash != entry.seal():
                raise ValueError(f"row {entry.n} isn't sealed")
        if self.entries[-1].state_hash != digest(self.state):
            raise ValueError(f"row {self.entries[-1].n} leads to another state")

    @property
    def status(self) -> Status:
        """How the battle goes on."""
        if self.entries[-1].kind is not Kind.END:
            return Status.OPEN
        return Status.ENDED if self.outcome is None else Status.FINISHED


async def apply_once(conn: aiosqlite.Connection, interaction_id: int | None, now: int) -> None:
    """Note that an interaction is applied; AlreadyAppliedError when it was before. None is no interaction at all."""
    if interaction_id is None:
        return
    noted = await conn.execute(
        "INSERT INTO applied_interactions (interaction_id, applied_at) VALUES (?, ?) ON CONFLICT DO NOTHING",
        [interaction_id, now],
    )
    if noted.rowcount == 0:
        raise AlreadyAppliedError(interaction_id)


async def expect_open(conn: aiosqlite.Connection, battle_id: int) -> int:
    """Return the version of a battle; BattleGoneError, BattleOverError."""
    rows = list(await conn.execute_fetchall("SELECT version, status FROM battles WHERE id = ?", [battle_id]))
    if not rows:
        raise BattleGoneError(battle_id)
    if rows[0]["status"] != Status.OPEN:
        raise BattleOverError(battle_id)
    return int(rows[0]["version"])


async def write_rows(
    conn: aiosqlite.Connection, battle_id: int, expected_version: int, commit: Commit, now: int
) -> Battle:
    """Write the rows, the state after them, and the mark that they are to be shown."""
    version = await expect_open(conn, battle_id)
    if version != expected_version:
        raise StaleError(battle_id, version)
    await _expect_chained(conn, battle_id, version, commit.entries[0])
    if commit.entries[-1].n >= MAX_ROWS and commit.status is Status.OPEN:
        raise JournalFullError(battle_id)
    await conn.executemany(
        "INSERT INTO journal (battle_id, n, kind, seat, actor, action, events, version, back_to, state_hash, previous,"
        " hash, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [_row(battle_id, entry, now) for entry in commit.entries],
    )
    await conn.execute(
        "UPDATE battles SET version = ?, steps = steps + ?, state = ?, status = ?, outcome = ?, updated_at = ?"
        " WHERE id = ?",
        [
            commit.entries[-1].version,
            sum(entry.kind is Kind.STEP for entry in commit.entries),
            canonical(commit.state),
            commit.status,
            None if commit.outcome is None else commit.outcome.model_dump_json(),
            now,
            battle_id,
        ],
    )
    await move_people(conn, battle_id, commit.moves)
    if commit.also is not None:
        await commit.also(conn)
    await conn.execute("DELETE FROM undo_requests WHERE battle_id = ?", [battle_id])
    await mark_unshown(conn, battle_id)
    return await read_battle(conn, battle_id)


async def mark_unshown(conn: aiosqlite.Connection, battle_id: int) -> None:
    """Count a change that a panel shows, and note that it is to be shown."""
    await conn.execute("UPDATE battles SET revision = revision + 1 WHERE id = ?", [battle_id])
    await conn.execute(
        "INSERT INTO outbox (battle_id, revision) SELECT id, revision FROM battles WHERE id = ?"
        " ON CONFLICT (battle_id) DO UPDATE SET revision = excluded.revision",
        [battle_id],
    )


async def _expect_chained(conn: aiosqlite.Connection, battle_id: int, version: int, entry: Entry) -> None:
    rows = list(
        await conn.execute_fetchall("SELECT hash FROM journal WHERE battle_id = ? AND n = ?", [battle_id, version])
    )
    before = rows[0]["hash"] if rows else (await read_battle(conn, battle_id)).head.hash
    if entry.n != version + 1 or entry.previous != before:
        raise ValueError(f"row {entry.n} doesn't follow version {version} of battle {battle_id}")


def _row(battle_id: int, entry: Entry, now: int) -> tuple[str | int | None, ...]:
    return (
        battle_id,
        entry.n,
        entry.kind,
        entry.seat,
        entry.actor,
        json.dumps(entry.action),
        json.dumps(entry.events),
        entry.version,
        entry.back_to,
        entry.state_hash,
        entry.previous,
        entry.hash,
        now,
    )
