"""A battle as it is stored, the queries that read it, and the check of its seals.

The seals are hashes that show whether its rows are still what was written.
"""

import json
import math
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum

from pydantic import JsonValue

from bot.cooperative import cooperative, off_loop
from bot.store.database import Connection, Database, Parameters, Row
from bot.store.errors import BattleGoneError, DamagedBattleError
from sim.core.battle import REFEREE, Outcome, Seat
from sim.core.canonical_json import text_digest
from sim.core.journal import Entry, Head, HeadRow, JournalRow, Kind, active_steps, seal_row, seed_hash

KEPT_EVERY = 8
"""The state after each row with such a number is kept, so that a long battle can be verified in parts."""

_MAX_STATES = 64
"""The most states that are read at once."""


class Status(StrEnum):
    """Whether a battle goes on."""

    OPEN = "open"
    FINISHED = "finished"
    """Closed with an outcome."""
    ENDED = "ended"
    """Closed without one."""


@dataclass(frozen=True, slots=True)
class Place:
    """A seat and who has it: a person, the bot, or nobody; `agreed`: the person agreed that the battle is rated."""

    seat: Seat
    user_id: int | None = None
    is_bot: bool = False
    agreed: bool = False

    @property
    def is_open(self) -> bool:
        """Whether anybody may take the seat."""
        return self.user_id is None and not self.is_bot


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
    one. `seated_at`: when somebody last took a free seat. `has_ladders`: its server keeps ladders.
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
        """The journal's head; parsed at each call."""
        return self.head_row.parse()

    @property
    def head_row(self) -> HeadRow:
        """The journal's head, its setup as text."""
        return HeadRow(self.system, self.rules, self.setup_json, self.seed_hash)

    @property
    def previous_hash(self) -> str:
        """What the next row is chained to: the hash of the last one, of the head for the first."""
        return self.last_hash or self.head_row.hash

    @property
    def next_step(self) -> int:
        """The number of the next step, which keys its dice: `SeededDice(seed, next_step)`."""
        return self.steps + 1

    def seats_of(self, user_id: int) -> tuple[Seat, ...]:
        """Return the seats that a user holds."""
        return tuple(place.seat for place in self.places if place.user_id == user_id)

    def place(self, seat: Seat) -> Place | None:
        """Return a seat and who has it; None if the battle has no such seat."""
        return next((place for place in self.places if place.seat == seat), None)

    @property
    def referee(self) -> int | None:
        """Who has the referee's role in this battle, by a seat or by hand-over; None for nobody in particular."""
        own = self.place(REFEREE)
        return self.referee_id if own is None else own.user_id


def closing_row(battle: Battle, seat: Seat, actor: str | None = None) -> JournalRow:
    """Return the row that closes a battle as it stands."""
    state_hash = text_digest(battle.state_json)
    number = battle.version + 1
    return seal_row(battle.previous_hash, number, kind=Kind.END, seat=seat, actor=actor, state_hash=state_hash)


# One statement for battle, seats and last row: between several, somebody could change them.
_SELECT = (
    "SELECT battles.*, (SELECT json_group_array(json_array(seat, user_id, is_bot, agreed))"
    " FROM (SELECT seat, user_id, is_bot, agreed FROM seats WHERE battle_id = battles.id ORDER BY position)) AS places,"
    " (SELECT hash FROM journal WHERE battle_id = battles.id AND n = battles.version) AS last_hash,"
    " coalesce((SELECT n FROM journal WHERE battle_id = battles.id AND kind NOT IN ('clock', 'seats')"
    " ORDER BY n DESC LIMIT 1), 0) AS moved,"
    " EXISTS (SELECT 1 FROM journal WHERE battle_id = battles.id AND kind = 'undo') AS was_undone,"
    " (SELECT user_id FROM referees WHERE battle_id = battles.id) AS referee_id,"
    " (SELECT seated_at FROM clocks WHERE battle_id = battles.id) AS seated_at,"
    " EXISTS (SELECT 1 FROM ladders WHERE guild_id = battles.guild_id) AS has_ladders"
    " FROM battles"
)
_SELECT_ENTRIES = (
    "SELECT n, kind, seat, actor, action, events, version, back_to, state_hash, previous, hash FROM journal"
    " WHERE battle_id = ?"
)
_SELECT_LAST_ENTRY = f"{_SELECT_ENTRIES} ORDER BY n DESC LIMIT 1"


async def fetch_battle(db: Database, which: str, parameters: Parameters) -> Battle | None:
    """Return the committed battle that `which`, a fixed "WHERE ...", selects; None if there is none."""
    row = await db.fetch_one(f"{_SELECT} {which}", parameters)
    return None if row is None else _battle_of(row)


async def fetch_battles(db: Database, which: str, parameters: Parameters = ()) -> list[Battle]:
    """Return the committed battles that `which`, a fixed "WHERE ... ORDER BY ...", selects; none that can't be read."""
    found = []
    for row in await db.fetch_all(f"{_SELECT} {which}", parameters):
        with suppress(DamagedBattleError):
            found.append(_battle_of(row))
    return found


async def read_battles(conn: Connection, which: str, parameters: Parameters = ()) -> list[Battle]:
    """Return the battles that `which` selects, as they stand inside a transaction."""
    return [_battle_of(row) for row in await conn.fetch_all(f"{_SELECT} {which}", parameters)]


async def read_battle(conn: Connection, battle_id: int) -> Battle:
    """Return a battle as it stands inside a transaction; BattleGoneError when there is none."""
    battles = await read_battles(conn, "WHERE id = ?", [battle_id])
    if not battles:
        raise BattleGoneError(battle_id)
    return battles[0]


async def fetch_journal(db: Database, battle_id: int) -> tuple[JournalRow, ...]:
    """Return the committed rows of a battle's journal, in order."""
    rows = await db.fetch_all(f"{_SELECT_ENTRIES} ORDER BY n", [battle_id])
    return tuple([_row_of(row) async for row in cooperative(rows)])


async def fetch_states(db: Database, battle_id: int, last: int) -> dict[int, str]:
    """Return states that were kept, by version, up to `last`: all of them, or evenly spaced ones if they are many."""
    spacing = KEPT_EVERY * max(1, math.ceil(last / KEPT_EVERY / _MAX_STATES))
    rows = await db.fetch_all(
        "SELECT n, state FROM journal WHERE battle_id = ? AND n <= ? AND n % ? = 0 AND state IS NOT NULL",
        [battle_id, last, spacing],
    )
    return {row["n"]: row["state"] for row in rows}


async def fetch_notes(db: Database, battle_id: int) -> list[JournalRow]:
    """Return the committed rows about a battle's clock and seats, in order; the others aren't read."""
    rows = await db.fetch_all(f"{_SELECT_ENTRIES} AND kind IN ('clock', 'seats') ORDER BY n", [battle_id])
    return list(map(_row_of, rows))


async def fetch_rows(db: Database, battle_id: int, start: int, end: int) -> list[JournalRow]:
    """Return the committed rows after the first `start`, up to number `end`, in order."""
    rows = await db.fetch_all(f"{_SELECT_ENTRIES} AND n > ? AND n <= ? ORDER BY n", [battle_id, start, end])
    return list(map(_row_of, rows))


async def fetch_latest_steps(db: Database, battle_id: int, limit: int | None) -> tuple[JournalRow, ...]:
    """Return the last `limit` committed steps that weren't undone, in order; the other rows aren't read."""
    rows = await db.fetch_all("SELECT n, kind, back_to FROM journal WHERE battle_id = ? ORDER BY n", [battle_id])
    steps = active_steps([_Outline(row["n"], Kind(row["kind"]), row["back_to"]) for row in rows])
    wanted = [step.n for step in steps[-(limit or len(steps)) :]]
    which = "n IN (SELECT CAST(value AS BIGINT) FROM json_each(?)) ORDER BY n"
    found = await db.fetch_all(f"{_SELECT_ENTRIES} AND {which}", [battle_id, json.dumps(wanted)])
    return tuple(map(_row_of, found))


@dataclass(frozen=True, slots=True)
class _Outline:
    """The fields of a row that decide which steps are active."""

    n: int
    kind: Kind
    back_to: int | None


async def fetch_last_entry(db: Database, battle_id: int) -> Entry | None:
    """Return the last committed row of a battle's journal; None when there is none yet."""
    row = await db.fetch_one(_SELECT_LAST_ENTRY, [battle_id])
    return None if row is None else _row_of(row).parse()


def _battle_of(row: Row) -> Battle:
    """Return the battle of a row of the selection; DamagedBattleError if it can't be one."""
    fields = dict(row)
    outcome = fields["outcome"]
    try:
        places = [
            Place(seat, user_id, bool(is_bot), bool(agreed))
            for seat, user_id, is_bot, agreed in json.loads(fields["places"] or "[]")
        ]
        fields |= {
            "setup_json": fields.pop("setup"),
            "state_json": fields.pop("state"),
            "status": Status(fields["status"]),
            "outcome": None if outcome is None else Outcome.model_validate_json(outcome),
            "panels_retired": tuple(json.loads(fields["panels_retired"])),
            "places": tuple(places),
            "was_undone": bool(fields["was_undone"]),
            "joining_closed": bool(fields["joining_closed"]),
            "has_ladders": bool(fields["has_ladders"]),
        }
    except (ValueError, TypeError) as error:
        raise DamagedBattleError(row["id"], row["number"], str(error)) from error
    return Battle(**fields)


def _row_of(row: Row) -> JournalRow:
    """Return the journal's row of a row of the selection, its action and events as text."""
    n, kind, *fields = row
    return JournalRow(n, Kind(kind), *fields)


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
    before, steps = battle.head_row.hash, 0
    last = None
    for start in range(0, battle.version, _ROWS_AT_ONCE):
        rows = await fetch_rows(db, battle.id, start, min(start + _ROWS_AT_ONCE, battle.version))
        async for row in cooperative(rows):
            number = 1 if last is None else last.n + 1
            if (row.n, row.version, row.previous) != (number, number, before) or not await _is_sealed(row):
                return f"row {number} of the journal"
            steps += row.kind is Kind.STEP
            before, last = row.hash, row
    if (battle.version, battle.steps) != (0 if last is None else last.n, steps):
        return "the number of rows"
    state_hash = text_digest(battle.state_json)  # ValueError also where no row seals it
    if last is not None and last.state_hash != state_hash:
        return "the state"
    return None


async def _is_sealed(row: JournalRow) -> bool:
    if row.hash == row.seal():
        return True
    # The first version sealed the canonical texts and stored others.
    entry = await off_loop(len(row.action_json) + len(row.events_json), row.parse)
    return entry.hash == entry.seal()
