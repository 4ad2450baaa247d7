"""A battle as it is stored, the queries that read it, and its clock.

Of clocks is stored when the bot looks at them next, beside the bot's outages.
"""

import json
import re
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from pydantic import JsonValue

from bot.store import DAY, BattleGoneError, DamagedBattleError
from bot.store.database import (
    Connection,
    Database,
    Parameters,
    Repository,
    Row,
    Statements,
    cooperative,
    in_transaction,
    values_of,
)
from sim.core import RuleError
from sim.core.battle import CLOCK, REFEREE, Outcome, Seat
from sim.core.beacon import beacon, beacon_key
from sim.core.journal import Head, JournalRow, Kind, seal_row
from sim.core.seal import Seal
from sim.core.values import text_digest

KEPT_EVERY = 8
"""The state after each row with such a number is kept, so that a long battle can be verified in parts."""


class Status(StrEnum):
    """Whether a battle goes on."""

    OPEN = "open"
    FINISHED = "finished"
    """Closed with an outcome."""
    ENDED = "ended"
    """Closed without one."""


@dataclass(frozen=True, slots=True)
class Place:
    """A seat and who has it: a person, the bot, or nobody.

    `agreed`: the person agreed that the battle is rated. `emblem`: that the person chose, if any. `character`: whom the
    bot plays, if anyone was chosen.
    """

    seat: Seat
    user_id: int | None = None
    is_bot: bool = False
    agreed: bool = False
    emblem: str | None = None
    character: str | None = None

    @property
    def is_open(self) -> bool:
        """Whether anybody may take the seat."""
        return self.user_id is None and not self.is_bot

    def moved(self, seat: Seat) -> "Place":
        """Return a seat in another battle for the same holder, who has agreed to nothing there."""
        return Place(seat, self.user_id, self.is_bot, character=self.character)


@dataclass(frozen=True, slots=True)
class Battle:
    """A battle as it stood when it was read.

    `number`: its name within the channel, from 1. `guild_id`: None in direct messages. `starter_id`: None when
    forgotten. `rules`: the edition of the system's rules. `seed`: secret while the battle is open; show `revealed`.
    `version`: how many rows its journal has. `steps`: how many of them are steps. `revision`: counts everything that
    a panel shows. `setup_json`, `state_json`: canonical texts; large ones take long to parse. `last_hash`: the hash
    of the journal's last row. `created_at`, `updated_at`: Unix seconds. `panel_id`: the message with the buttons.
    `panels_retired`: older messages whose buttons still have to be removed. `moved`: the version since which nothing
    but notes came, so that buttons made for it still mean the same. `was_undone`: a step was taken back, so its dice
    were rolled again. `joining_closed`: nobody may join. `referee_id`: who was made the referee, where no seat is for
    one. `seated_at`: when somebody last took a free seat. `has_ladders`: its server keeps ladders (no branch has);
    `rates_sealed`: they count only battles whose dice were sealed. `chain`: of the beacon that has a part in the dice;
    None in form 1. `seal`: the round that was named, None before that. `seal_id`: the message that told of it in time.
    `bond`: of a battle in which no step is taken back, the sentence that says so. `thread_id`: the thread that shows
    it, None for the channel itself. `asks_thread`: its server asks about threads, and it has none. `has_event`: the end
    of its turn is among its server's events. `branch`: of one that goes on from another battle, where it begins, as
    canonical JSON, and `branch_of`: that battle's number in the channel.
    """

    id: int
    channel_id: int
    number: int
    guild_id: int | None
    starter_id: int | None
    system: str
    rules: int
    setup_json: str = field(repr=False)
    seed: bytes = field(repr=False)
    seed_hash: str
    version: int
    steps: int
    revision: int
    state_json: str = field(repr=False)
    status: Status
    outcome: Outcome | None
    created_at: int
    updated_at: int
    panel_id: int | None
    panels_retired: tuple[int, ...]
    places: tuple[Place, ...]
    last_hash: str | None
    moved: int
    was_undone: bool
    joining_closed: bool
    referee_id: int | None
    seated_at: int | None
    has_ladders: bool
    rates_sealed: bool
    chain: str | None
    seal: Seal | None
    seal_id: int | None
    bond: str | None = None
    branch: str | None = field(default=None, repr=False)
    branch_of: int | None = None
    thread_id: int | None = None
    asks_thread: bool = False
    has_event: bool = False

    @property
    def shown_in(self) -> int:
        """The thread or channel with its panel and all other messages about it."""
        return self.thread_id or self.channel_id

    @property
    def setup(self) -> JsonValue:
        """The setup; parsed at each call."""
        setup: JsonValue = json.loads(self.setup_json)
        return setup

    @property
    def state(self) -> JsonValue:
        """The state; parsed at each call."""
        state: JsonValue = json.loads(self.state_json)
        return state

    @property
    def is_open(self) -> bool:
        """Whether the battle goes on."""
        return self.status is Status.OPEN

    @property
    def revealed(self) -> bytes | None:
        """The seed, None as long as it is secret."""
        return None if self.is_open else self.seed

    @property
    def head(self) -> Head:
        """The journal's head."""
        return Head(self.system, self.rules, self.setup_json, self.seed_hash, self.chain, self.branch)

    @property
    def key(self) -> bytes | None:
        """What keys the dice of its steps; None while the beacon's signature is missing."""
        if self.chain is None:
            return self.seed
        if self.seal is None or self.seal.signature is None:
            return None
        return beacon_key(self.seal.hash, self.seed, self.seal.signature)

    @property
    def may_be_rated(self) -> bool:
        """Whether its dice allow that it counts for ladders: a seal that was missed does not."""
        return self.seal_id is not None or (self.chain is None and not self.rates_sealed)

    @property
    def previous_hash(self) -> str:
        """What the next row is chained to: the hash of the last one, of the head for the first."""
        return self.last_hash or self.head.hash

    def next_row(
        self,
        kind: Kind,
        seat: Seat,
        *,
        after: JournalRow | None = None,
        actor_id: int | None = None,
        state_hash: str | None = None,
        **rest: Any,  # noqa: ANN401  # as `seal_row` has it
    ) -> JournalRow:
        """Return a row behind the last one, or behind `after`; the state stays as it is without a `state_hash`."""
        previous, last = (self.previous_hash, self.version) if after is None else (after.hash, after.n)
        actor = None if actor_id is None else str(actor_id)
        state_hash = text_digest(self.state_json) if state_hash is None else state_hash
        return seal_row(previous, last + 1, kind=kind, seat=seat, actor=actor, state_hash=state_hash, **rest)

    @property
    def next_step(self) -> int:
        """The number of the next step: its dice are `SeededDice(key, next_step)`."""
        return self.steps + 1

    @property
    def holders(self) -> dict[Seat, int]:
        """The user ids of the people in the seats, by seat."""
        return {place.seat: place.user_id for place in self.places if place.user_id is not None}

    def seats_of(self, user_id: int) -> tuple[Seat, ...]:
        """Return the seats that a user holds."""
        return tuple(seat for seat, holder in self.holders.items() if holder == user_id)

    def has_part(self, user_id: int) -> bool:
        """Return whether a user fights in it, or opened it."""
        return user_id == self.starter_id or user_id in self.holders.values()

    @property
    def bots(self) -> tuple[Place, ...]:
        """The seats in which the bot plays a character."""
        return tuple(place for place in self.places if place.is_bot and place.character is not None)

    def place(self, seat: Seat) -> Place | None:
        """Return a seat and who has it; None if the battle has no such seat."""
        return next((place for place in self.places if place.seat == seat), None)

    @property
    def referee(self) -> int | None:
        """Who has the referee's role in this battle, by a seat or by hand-over; None for nobody in particular."""
        own = self.place(REFEREE)
        return self.referee_id if own is None else own.user_id


_BRANCHED = re.compile(r'\{"hash":"[0-9a-f]{64}","row":([0-9]+),')
"""How the canonical text of a branch begins: the state behind it may be long."""


def branch_text(battle: Battle) -> str | None:
    """Return what a battle goes on from, as plain text; None for most, which go on from nothing."""
    found = _BRANCHED.match(battle.branch or "")
    if found is None:
        return None
    return f"What if? Goes on from #{battle.branch_of} after row {found[1]}, with new dice; counts for nothing"


# One statement for battle, seats and last row: between several, somebody could change them.
_SELECT = (
    "SELECT battles.*, (SELECT json_group_array(json_array(seat, user_id, is_bot, agreed, emblem, character))"
    " FROM (SELECT seat, seats.user_id, is_bot, agreed, emblem, character FROM seats LEFT JOIN people USING (user_id)"
    " WHERE battle_id = battles.id ORDER BY position)) AS places,"
    " (SELECT hash FROM journal WHERE battle_id = battles.id AND n = battles.version) AS last_hash,"
    " coalesce((SELECT n FROM journal WHERE battle_id = battles.id AND kind IN ('step', 'undo', 'end')"
    " ORDER BY n DESC LIMIT 1), 0) AS moved,"
    " EXISTS (SELECT 1 FROM journal WHERE battle_id = battles.id AND kind = 'undo') AS was_undone,"
    " (SELECT user_id FROM referees WHERE battle_id = battles.id) AS referee_id,"
    " (SELECT seated_at FROM clocks WHERE battle_id = battles.id) AS seated_at,"
    " EXISTS (SELECT 1 FROM ladders WHERE guild_id = battles.guild_id) AS has_ladders,"
    " EXISTS (SELECT 1 FROM ladders WHERE guild_id = battles.guild_id AND sealed = 1) AS rates_sealed,"
    " thread_id IS NULL AND EXISTS (SELECT 1 FROM server_hours WHERE guild_id = battles.guild_id AND threads = 'ask')"
    " AS asks_thread, EXISTS (SELECT 1 FROM events WHERE battle_id = battles.id) AS has_event,"
    " CASE WHEN chain IS NOT NULL THEN (SELECT json_group_array(json_array(action, hash)) FROM"
    " (SELECT action, hash FROM journal WHERE battle_id = battles.id AND kind IN ('round', 'beacon') ORDER BY n)"
    " ) END AS seal"
    " FROM battles"
)
ROW_COLUMNS = "n, kind, seat, version, state_hash, previous, hash, actor, action, events, back_to"
"""As the fields of `JournalRow`."""


async def fetch_battles(db: Database, which: str, parameters: Parameters = ()) -> list[Battle]:
    """Return the committed battles that `which`, a fixed "WHERE ... ORDER BY ...", selects; none that can't be read."""
    found = []
    for row in await db.fetch_all(f"{_SELECT} {which}", parameters):
        with suppress(DamagedBattleError):
            found.append(_battle_of(row))
    return found


async def closed_battles(db: Database, where: str) -> list[int]:
    """Return the ids of the closed battles that a fixed condition selects, the first to end first."""
    sql = f"SELECT id FROM battles WHERE status <> 'open' AND {where} ORDER BY updated_at, id"  # noqa: S608  # the callers' own words
    return await db.fetch_column(int, sql)


async def read_battles(source: Statements, which: str, parameters: Parameters = ()) -> list[Battle]:
    """Return the battles that `which` selects, as they stand inside a transaction, or committed; DamagedBattleError."""
    return [_battle_of(row) for row in await source.fetch_all(f"{_SELECT} {which}", parameters)]


async def read_battle(conn: Connection, battle_id: int) -> Battle:
    """Return a battle as it stands inside a transaction; BattleGoneError when there is none."""
    battles = await read_battles(conn, "WHERE id = ?", [battle_id])
    if not battles:
        raise BattleGoneError(battle_id)
    return battles[0]


async def fetch_rows(db: Database, battle_id: int, which: str = "", parameters: Parameters = ()) -> list[JournalRow]:
    """Return the committed rows of a battle's journal that `which`, a fixed "AND ...", selects, in order."""
    sql = f"SELECT {ROW_COLUMNS} FROM journal WHERE battle_id = ? {which} ORDER BY n"  # noqa: S608  # the callers' own words
    rows = await db.fetch_all(sql, [battle_id, *parameters])
    return [JournalRow(n, Kind(kind), *texts) async for n, kind, *texts in cooperative(rows)]


def _battle_of(row: Row) -> Battle:
    """Return the battle of a row of the selection; DamagedBattleError if it can't be one."""
    fields = values_of(Battle, row)
    outcome = fields["outcome"]
    try:
        places = [
            Place(seat, user_id, bool(is_bot), bool(agreed), emblem, character)
            for seat, user_id, is_bot, agreed, emblem, character in json.loads(fields["places"] or "[]")
        ]
        fields |= {
            "setup_json": fields.pop("setup"),
            "state_json": fields.pop("state"),
            "status": Status(fields["status"]),
            "outcome": None if outcome is None else Outcome.model_validate_json(outcome),
            "panels_retired": tuple(json.loads(fields["panels_retired"])),
            "places": tuple(places),
            "has_ladders": fields["has_ladders"] and fields["branch"] is None,
            "seal": _seal_of(fields["chain"], json.loads(fields["seal"] or "[]")),
        }
    except (ValueError, TypeError, LookupError, RuleError) as error:
        raise DamagedBattleError(row["id"], row["number"], str(error)) from error
    return Battle(**fields)


def _seal_of(chain: str | None, rows: Sequence[tuple[str, str]]) -> Seal | None:
    """Return the seal of the rows about the beacon, the one with the round first; ValueError for what can't be one."""
    if chain is None or not rows:
        return None
    ((named, sealed), *signed) = rows
    signature = json.loads(signed[0][0])["signature"] if signed else None
    return Seal(beacon(chain), json.loads(named)["round"], sealed, signature)


_CLOCKS_AT_ONCE = 200
"""Battles that one round looks at."""

OUTAGE_SECONDS = 2 * 60
"""A shorter time without a sign of life is no outage."""

_OUTAGES_KEPT_SECONDS = 90 * DAY
"""For how long outages are kept: longer than any turn lasts."""

_TURN = (
    "SELECT n, created_at FROM journal WHERE battle_id = ?1 AND (kind IN ('undo', 'beacon') OR (kind = 'step' AND ("
    "CAST(?2 AS TEXT) IS NULL OR n = (SELECT min(n) FROM journal WHERE battle_id = ?1 AND kind = 'step')"
    " OR (json(action) ->> 'do' = ?3 AND seat = ?4)"
    " OR EXISTS (SELECT 1 FROM json_each(events) WHERE json(value) ->> 'event' IN"
    " (SELECT value FROM json_each(?2))))))"
    " ORDER BY n DESC LIMIT 1"
)


class ClockRepository(Repository):
    """The clocks of open battles; `clock` returns Unix seconds."""

    async def due(self) -> list[Battle]:
        """Return the open battles whose clock is to be looked at now, the longest overdue first."""
        which = (
            "WHERE status = 'open' AND id IN (SELECT battle_id FROM clocks WHERE next_at <= ? ORDER BY next_at LIMIT ?)"
            " ORDER BY id"
        )
        return await fetch_battles(self._db, which, [self._now, _CLOCKS_AT_ONCE])

    async def next_at(self) -> int | None:
        """Return when the next clock is to be looked at that isn't yet, in Unix seconds; None for never."""
        return await self._db.fetch_value(int, "SELECT min(next_at) FROM clocks WHERE next_at > ?", [self._now])

    async def plan(self, plans: Sequence[tuple[Battle, int | None]]) -> None:
        """Look at the clock of each battle next at that time, unless something has happened since it was read."""
        sql = (
            "UPDATE clocks SET next_at = ? WHERE battle_id = ?"
            " AND EXISTS (SELECT 1 FROM battles WHERE id = ? AND revision = ?)"
        )
        if rows := [(next_at, battle.id, battle.id, battle.revision) for battle, next_at in plans]:
            await self._db.write(lambda conn: conn.execute_many(sql, rows))

    async def turn_began(
        self, battle: Battle, events: Collection[str] | None, action: tuple[str, Seat] | None
    ) -> tuple[int, int]:
        """Return the row of the journal with which a battle's turn began, 0 for none, and when, in Unix seconds.

        That is the first step, the last undo, or the last step that begins turns. Before the first step, when the
        beacon's round came: nobody could do anything before.
        Every step does if `events` is None, else one with such an event, or with this `action` of this seat. In a
        battle whose seats were free, never before the last of them was taken.
        """
        named = None if events is None else json.dumps(sorted(events))
        row = await self._db.fetch_one(_TURN, [battle.id, named, *(action or ("", ""))])
        n, began = (0, battle.created_at) if row is None else (row["n"], row["created_at"])
        return n, max(began, battle.seated_at or 0)

    async def last_move(self, battle_id: int) -> int:
        """Return the journal's last row in which a person did something in the game, 0 for none."""
        sql = "SELECT max(n) FROM journal WHERE battle_id = ? AND kind IN ('step', 'undo') AND seat <> ?"
        return await self._db.fetch_value(int, sql, [battle_id, CLOCK]) or 0

    @in_transaction
    async def sign_of_life(self, conn: Connection, *, back: bool) -> int:
        """Note that players can reach the bot now; return how many seconds they couldn't.

        `back`: whether they could at the last sign, or the time since then was an outage. After one, the panels with
        a running clock are to be shown again. Of processes that share a database any one's sign counts for all.
        """
        now = self._now
        since = await conn.fetch_column(int, "SELECT began FROM outages WHERE ended IS NULL")
        began = max(since, default=now)
        if since and not (back and now - began > OUTAGE_SECONDS):
            await conn.change("outages", {"ended": None}, began=now)
            return 0
        await conn.change("outages", {"ended": None}, ended=now)
        await conn.execute("DELETE FROM outages WHERE ended < ?", [now - _OUTAGES_KEPT_SECONDS])
        await conn.add("outages", began=now)
        if since:  # the panels with a running clock are shown again
            await conn.execute(
                "INSERT INTO outbox (battle_id, revision) SELECT id, revision FROM battles JOIN clocks"
                " ON battle_id = id WHERE status = 'open' AND next_at IS NOT NULL ON CONFLICT (battle_id) DO NOTHING"
            )
        return now - began

    async def outages(self, since: int) -> list[tuple[int, int]]:
        """Return from when to when the bot couldn't be reached, of the outages that ended after `since`, in order."""
        rows = await self._db.fetch_all("SELECT began, ended FROM outages WHERE ended > ? ORDER BY began", [since])
        return [(row["began"], row["ended"]) for row in rows]
