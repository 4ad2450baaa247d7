"""Battles in channels: their states, seats and journals, what servers set for them, when they are closed and forgotten.

The seals are hashes that show whether the rows are still what was written.
"""

import asyncio
import json
import math
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict, dataclass
from weakref import WeakValueDictionary

from bot.store import DAY, OWN_WORK, BattleGoneError, DamagedBattleError, Origin
from bot.store import transactions as t
from bot.store.battle import KEPT_EVERY, Battle, Place, fetch_battles, fetch_rows, read_battle, read_battles
from bot.store.database import (
    Connection,
    Database,
    Parameters,
    Repository,
    Value,
    cooperative,
    in_transaction,
    off_loop,
)
from sim.core.battle import Seat
from sim.core.journal import HEADS, JournalRow, Kind, active_numbers, seed_hash
from sim.core.values import text_digest

SEED_BYTES = 32
_MAX_STATES = 64
"""The most states that are read at once."""

_HERE = "(channel_id = ?1 OR thread_id = ?1)"


class BattleRepository(Repository):
    """The battles; `clock` tells Unix seconds.

    Methods that change a battle for a player apply an interaction's id once; the second time they raise
    `AlreadyAppliedError`. A method that raises has changed nothing.
    """

    def __init__(self, db: Database, clock: Callable[[], float] = time.time) -> None:
        super().__init__(db, clock)
        self._checked: set[int] = set()
        self._locks: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()

    @asynccontextmanager
    async def locked(self, battle_id: int, origin: Origin, known: Battle | None = None) -> AsyncIterator[Battle]:
        """Lock a battle from reading it to committing a change; yields the current battle, found as by `get`.

        `known`: the battle if it was just read; it is read again only if the lock is held. Only callers of this method
        exclude each other. Raises `BattleGoneError`.
        """
        lock = self._locks.setdefault(battle_id, asyncio.Lock())  # dropped when nobody holds or awaits it
        if lock.locked():
            known = None
        async with lock:
            battle = await self.get(battle_id, origin) if known is None else known
            if battle is None:
                raise BattleGoneError(battle_id)
            yield battle

    @in_transaction
    async def open(
        self,
        conn: Connection,
        *,
        system: str,
        rules: int,
        setup_json: str,
        state_json: str,
        channel_id: int,
        thread_id: int | None = None,
        guild_id: int | None,
        starter_id: int,
        places: Sequence[Place],
        interaction_id: int | None = None,
        answer_id: int | None = None,
        seed: bytes | None = None,
        chain: str | None = None,
        notes: Sequence[tuple[Kind, str]] = (),
        hook: t.OpeningHook | None = None,
        branch: str | None = None,
    ) -> Battle:
        """Open a battle: draw its seed where none is given, give it the channel's next number, mark it as unpublished.

        `setup_json` and `state_json` (how it begins) are canonical. `places` are the seats in order; its starter agrees
        that it is rated. `chain`: of the beacon that has a part in the dice. `notes`: the first rows of the journal,
        kinds and canonical actions. `hook` writes more in the same transaction. `thread_id`: the thread that shows it,
        if any. `branch`: where it goes on from, as canonical JSON. `answer_id`: what is to show it; if cut short, an
        older panel.

        Raises `pydantic.ValidationError` for what can't head a journal.
        """
        now = self._now
        seed = secrets.token_bytes(SEED_BYTES) if seed is None else seed
        # The setup has no part in what is checked here.
        head = HEADS.validate_python({"system": system, "rules": rules, "setup": None, "seed_hash": seed_hash(seed)})
        await t.apply_once(conn, interaction_id, now)
        (counted,) = await conn.fetch_all(
            "INSERT INTO battle_numbers (channel_id, guild_id, last) VALUES (?, ?, 1)"
            " ON CONFLICT (channel_id) DO UPDATE SET last = battle_numbers.last + 1 RETURNING last",
            [channel_id, guild_id],
        )
        where = {"channel_id": channel_id, "guild_id": guild_id, "thread_id": thread_id, "number": counted["last"]}
        what: dict[str, Value] = {"system": system, "rules": rules, "setup": setup_json, "state": state_json}
        dice = {"branch": branch, "seed": seed, "seed_hash": head.seed_hash, "chain": chain}
        shown = json.dumps([] if answer_id is None else [answer_id])
        who = {"starter_id": starter_id, "created_at": now, "updated_at": now}
        battle_id = await conn.numbered("battles", **where, **what, **dice, **who, panels_retired=shown)
        await conn.execute_many(
            "INSERT INTO seats (battle_id, position, seat, user_id, is_bot, agreed, character)"  # noqa: S608  # a constant
            f" VALUES (?1, ?2, ?3, ?4, ?5, ?6 * {t.HAS_LADDERS}, ?7)",
            [
                (
                    *(battle_id, position, place.seat, place.user_id, place.is_bot),
                    *(int(place.agreed or place.user_id == starter_id), place.character),
                )
                for position, place in enumerate(places)
            ],
        )
        await t.mark_unpublished(conn, battle_id)
        battle = await read_battle(conn, battle_id)
        if rows := t.house_rows(battle, notes):
            await t.write_rows(conn, battle_id, 0, t.Commit(rows, state_json), now)
            battle = await read_battle(conn, battle_id)
        else:
            await t.wind_clock(conn, battle_id)
        if hook is not None:
            await hook(conn, battle)
        return battle

    async def seats_left(self, battle_id: int) -> list[tuple[int, Seat]]:
        """Return which seats changed hands, each with the journal's row that gave it to somebody else, in order."""
        rows = await self._db.fetch_all("SELECT n, seat FROM seats_left WHERE battle_id = ? ORDER BY n", [battle_id])
        return [(row["n"], row["seat"]) for row in rows]

    async def get(self, battle_id: int, origin: Origin) -> Battle | None:
        """Return the battle if it is one of the channel that asks; None if it isn't, or isn't kept; DamagedBattleError.

        A battle with a thread is one of both: of the channel that gave it its number, and of the thread. Any other
        thread is a channel of its own.
        """
        if origin is OWN_WORK:
            return await self._find("WHERE id = ?", [battle_id])
        return await self._find(f"WHERE id = ?2 AND {_HERE}", [origin.channel_id, battle_id])

    async def by_number(self, channel_id: int, number: int) -> Battle | None:
        """Return the battle with this number in a channel; DamagedBattleError."""
        return await self._find(f"WHERE {_HERE} AND number = ?2", [channel_id, number])

    async def expect_sealed(self, battle: Battle) -> None:
        """Check the seals of an open battle, once after the start: DamagedBattleError unless they are whole.

        `get`, `by_number` and `locked` do; the lists don't, as one damaged battle mustn't spoil them.
        """
        if battle.is_open and battle.id not in self._checked:
            await expect_sealed(self._db, battle)
            self._checked.add(battle.id)

    async def _find(self, which: str, parameters: Parameters) -> Battle | None:
        for battle in await read_battles(self._db, which, parameters):
            await self.expect_sealed(battle)
            return battle
        return None

    async def open_in(self, channel_id: int) -> list[Battle]:
        """Return the battles that go on in a channel, the oldest first."""
        return await fetch_battles(self._db, f"WHERE {_HERE} AND status = 'open' ORDER BY number", [channel_id])

    async def open_in_server(self, guild_id: int, limit: int) -> list[Battle]:
        """Return the `limit` battles of a server that people last did something in and that go on."""
        where = "WHERE guild_id = ? AND status = 'open' ORDER BY updated_at DESC, id DESC LIMIT ?"
        return await fetch_battles(self._db, where, [guild_id, limit])

    async def open_of(self, user_id: int, systems: Sequence[str] = ()) -> list[Battle]:
        """Return the battles that go on and in which a user has a seat or gave one up, the oldest first.

        `systems`: those to look for, all of them by default.
        """
        where = (
            "WHERE status = 'open' AND id IN (SELECT battle_id FROM seats WHERE user_id = ?1"
            " UNION SELECT battle_id FROM seats_left WHERE user_id = ?1)"
            " AND (?2 = '[]' OR system IN (SELECT value FROM json_each(?2))) ORDER BY id"
        )
        return await fetch_battles(self._db, where, [user_id, json.dumps(list(systems))])

    async def opened_by(self, user_id: int, limit: int) -> list[str]:
        """Return the systems of the `limit` battles that a user opened last."""
        sql = "SELECT system FROM battles WHERE starter_id = ? ORDER BY id DESC LIMIT ?"
        return await self._db.fetch_column(str, sql, [user_id, limit])

    async def home_of(self, channel_id: int) -> int:
        """Return the channel that numbers the battles of a channel: itself, unless it is the thread of one."""
        sql = "SELECT min(channel_id) FROM battles WHERE thread_id = ?"
        home = await self._db.fetch_value(int, sql, [channel_id])
        return channel_id if home is None else home

    async def latest_in(self, channel_id: int, limit: int, *, over: bool = False) -> list[Battle]:
        """Return the `limit` newest battles of a channel, open or closed, or only closed ones, newest first."""
        where = f"WHERE {_HERE} AND status <> ?3 ORDER BY number DESC LIMIT ?2"
        return await fetch_battles(self._db, where, [channel_id, limit, "open" if over else ""])

    async def journal(self, battle_id: int) -> tuple[JournalRow, ...]:
        """Return every row of a battle's journal, in order."""
        return tuple(await fetch_rows(self._db, battle_id))

    async def states(self, battle_id: int, last: int) -> dict[int, str]:
        """Return states as canonical JSON by version, evenly spaced ones of those that were kept up to `last`."""
        spacing = KEPT_EVERY * max(1, math.ceil(last / KEPT_EVERY / _MAX_STATES))
        rows = await self._db.fetch_all(
            "SELECT n, state FROM journal WHERE battle_id = ? AND n <= ? AND n % ? = 0 AND state IS NOT NULL",
            [battle_id, last, spacing],
        )
        return {row["n"]: row["state"] for row in rows}

    async def notes(self, battle_id: int) -> list[JournalRow]:
        """Return the rows about the clock and the seats, in order; quick even for a long journal."""
        return await fetch_rows(self._db, battle_id, "AND kind IN ('clock', 'seats')")

    async def latest_steps(self, battle_id: int, limit: int | None = None) -> tuple[JournalRow, ...]:
        """Return the last `limit` steps that weren't undone, in order; quick even for a long journal."""
        sql = "SELECT kind, back_to FROM journal WHERE battle_id = ? ORDER BY n"
        rows = await self._db.fetch_all(sql, [battle_id])
        steps = active_numbers((Kind(row["kind"]), row["back_to"]) for row in rows)
        wanted = json.dumps(steps[-(limit or len(steps)) :])
        return tuple(
            await fetch_rows(self._db, battle_id, "AND n IN (SELECT CAST(value AS BIGINT) FROM json_each(?))", [wanted])
        )

    async def last_entry(self, battle_id: int) -> JournalRow | None:
        """Return the last row; None if there is none yet."""
        rows = await fetch_rows(
            self._db, battle_id, "AND n = (SELECT max(n) FROM journal WHERE battle_id = ?)", [battle_id]
        )
        return rows[0] if rows else None

    @in_transaction
    async def commit(
        self, conn: Connection, battle_id: int, expected_version: int, interaction_id: int | None, commit: t.Commit
    ) -> None:
        """Write rows in one transaction, with the state after them and the mark that it is unpublished.

        A battle that they close reveals its seed: finished with an outcome, ended without.
        Raises `AlreadyAppliedError`, `BattleGoneError`, `BattleOverError`, `StaleError`, `JournalFullError`, in this
        order of precedence, and ValueError for rows that don't fit the battle.
        """
        await t.apply_once(conn, interaction_id, self._now)
        await t.write_rows(conn, battle_id, expected_version, commit, self._now)

    async def take_seat(self, battle_id: int, seat: Seat, user_id: int, interaction_id: int | None = None) -> Battle:
        """Give a user a seat; nothing changes if they already hold it.

        Raises `AlreadyAppliedError`, `BattleGoneError`, `BattleOverError`, `SeatTakenError`, and KeyError for a seat
        that the battle doesn't have.
        """
        return await self._seat(battle_id, interaction_id, lambda conn: t.sit_down(conn, battle_id, seat, user_id))

    async def seat_bot(self, battle_id: int, character: str, user_id: int, interaction_id: int | None = None) -> Battle:
        """Give all free seats to a character of the bot, but the first to a user who has none.

        Raises `AlreadyAppliedError`, `BattleGoneError`, `BattleOverError`.
        """
        return await self._seat(battle_id, interaction_id, lambda conn: t.fill_up(conn, battle_id, character, user_id))

    async def agree(self, battle_id: int, user_id: int, interaction_id: int | None = None) -> Battle:
        """Note that somebody agrees that the battle is rated; nothing changes where it has begun, or without ladders.

        Raises `AlreadyAppliedError`, `BattleGoneError`, `BattleOverError`.
        """
        begun = "EXISTS (SELECT 1 FROM battles WHERE id = ?1 AND steps > 0)"
        sql = (
            f"UPDATE seats SET agreed = {t.HAS_LADDERS}"  # noqa: S608  # constants
            f" WHERE battle_id = ?1 AND user_id = ?2 AND agreed = 0 AND NOT {begun}"
        )
        return await self._seat(battle_id, interaction_id, lambda conn: conn.execute(sql, [battle_id, user_id]))

    async def waiting_for_beacon(self) -> list[Battle]:
        """Return the open battles that have named a round of the beacon whose signature they don't have yet."""
        # 'beacon' comes before 'round', and there is none of it without a round.
        first = "SELECT min(kind) FROM journal WHERE battle_id = battles.id AND kind IN ('round', 'beacon')"
        where = f"WHERE status = 'open' AND chain IS NOT NULL AND ({first}) = 'round' ORDER BY id"
        return await fetch_battles(self._db, where)

    @in_transaction
    async def _seat(
        self, conn: Connection, battle_id: int, interaction_id: int | None, move: Callable[[Connection], Awaitable[int]]
    ) -> Battle:
        now = self._now
        await t.apply_once(conn, interaction_id, now)
        await t.expect_open(conn, battle_id)
        if await move(conn):
            await conn.change("battles", {"id": battle_id}, updated_at=now)
            await t.wind_clock(conn, battle_id, seated_at=now)
            await t.mark_unpublished(conn, battle_id)
        return await read_battle(conn, battle_id)


_ROWS_AT_ONCE = 200


async def expect_sealed(db: Database, battle: Battle) -> None:
    """Raise DamagedBattleError unless seed, setup, journal and state of a battle fit its seals.

    Nothing seals the setup and the state of a battle without steps, nor seats, persons, messages and times.
    """
    try:
        flaw = await _flaw(db, battle)
    except ValueError as error:  # a text that can't be one of ours
        flaw = str(error)
    if flaw is not None:
        raise DamagedBattleError(battle.id, battle.number, flaw)


async def _flaw(db: Database, battle: Battle) -> str | None:
    if seed_hash(battle.seed) != battle.seed_hash:
        return "the seed"
    before, steps = battle.head.hash, 0
    last = None
    for start in range(0, battle.version, _ROWS_AT_ONCE):
        end = min(start + _ROWS_AT_ONCE, battle.version)
        rows = await fetch_rows(db, battle.id, "AND n > ? AND n <= ?", [start, end])
        async for row in cooperative(rows):
            number = 1 if last is None else last.n + 1
            follows = (row.n, row.version, row.previous) == (number, number, before)
            if not follows or not await off_loop(len(row.action_json) + len(row.events_json), row.is_sealed):
                return f"row {number} of the journal"
            steps += row.kind is Kind.STEP
            before, last = row.hash, row
    if (battle.version, battle.steps) != (0 if last is None else last.n, steps):
        return "the number of rows"
    state_hash = text_digest(battle.state_json)  # ValueError also where no row seals it
    if last is not None and last.state_hash != state_hash:
        return "the state"
    return None


@dataclass(frozen=True, slots=True)
class ServerHours:
    """A server's time zone, its dice and its quiet hours, in minutes after midnight; None without any.

    `quiet_rule`: "skip" if they don't count, "wait" if turns only never end in them. `beacon`: whether a public beacon
    has a part in the dice of its new battles. `threads`: whether those get threads, "never", "ask" or "always"; as
    posts of the forum `forum_id`, if there is one. `mentions`: whether messages that mention the bot are answered.
    """

    zone: str = "UTC"
    quiet_from: int | None = None
    quiet_to: int | None = None
    quiet_rule: str = "skip"
    beacon: bool = True
    threads: str = "never"
    forum_id: int | None = None
    mentions: bool = True


class ServerHoursRepository(Repository):
    """The hours of servers that have set them."""

    async def get(self, guild_id: int | None) -> ServerHours:
        """Return a server's hours, those of UTC without quiet ones where none are set."""
        return await self._db.find(ServerHours, "server_hours", guild_id=guild_id) or ServerHours()

    async def put(self, guild_id: int, hours: ServerHours) -> None:
        """Set a server's hours."""
        await self._db.put("server_hours", "guild_id", guild_id=guild_id, **asdict(hours))


KEPT_SECONDS = 90 * DAY
IDLE_SECONDS = 30 * DAY

_IDLE = "WHERE status = 'open' AND updated_at < ?"


class Retention(Repository):
    """Closes battles in which nothing happens, and forgets those that ended long ago; `clock` tells Unix seconds."""

    async def idle(self) -> list[Battle]:
        """Return the open battles that haven't changed for 30 days."""
        return await fetch_battles(self._db, f"{_IDLE} ORDER BY id", [self._now - IDLE_SECONDS])

    async def close_idle(self) -> list[Battle]:
        """Close the idle battles and return them, their seeds revealed; a damaged one stays as it is."""
        closed: list[Battle] = []
        # One transaction each, so that players don't wait for all of them.
        for battle in await self.idle():
            with suppress(DamagedBattleError):
                await expect_sealed(self._db, battle)
                closed += await self._close_if_idle(battle.id)
        return closed

    async def forget_finished(self) -> int:
        """Delete the battles closed more than 90 days ago and return their number."""
        where = "status <> 'open' AND updated_at < ?"
        return await self._db.delete_where("battles", "id", where, [self._now - KEPT_SECONDS])

    async def forget_interactions(self) -> int:
        """Forget which interactions were applied; Discord delivers none again after its token's 15 minutes."""
        return await self._db.delete_where(
            "applied_interactions", "interaction_id", "applied_at < ?", [self._now - DAY]
        )

    @in_transaction
    async def _close_if_idle(self, conn: Connection, battle_id: int) -> list[Battle]:
        # Checked again: it may have changed since.
        found = await read_battles(conn, f"{_IDLE} AND id = ?", [self._now - IDLE_SECONDS, battle_id])
        for battle in found:
            commit = t.Commit([battle.next_row(Kind.END, t.HOUSE_SEAT)], battle.state_json, battle.outcome)
            await t.write_rows(conn, battle_id, battle.version, commit, self._now)
        return [await read_battle(conn, battle.id) for battle in found]
