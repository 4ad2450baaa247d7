"""Campaigns: battles of a server that are linked, and what is left between them."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from pydantic import TypeAdapter

from bot.store.battles.battle import Battle
from bot.store.battles.transactions import OpeningHook, TransactionHook, apply_once
from bot.store.database import Connection, Parameters, Repository, Row
from sim.core.campaign import Deed, Veteran
from sim.core.errors import RuleError
from sim.core.names import name_key, normalize_name
from sim.core.numbers import quantity

MAX_OPEN = 20
"""Campaigns of a server that go on."""

MAX_KEPT = 100
"""Campaigns of a server in all; of those that ended, the oldest are dropped."""

MAX_BATTLES = 100
MAX_ROWS = 400
"""What happens in a campaign: its battles, and care in between."""

MAX_CHARACTERS = 8_000_000
"""Of all musters of a campaign."""

_VETERANS: TypeAdapter[tuple[Veteran, ...]] = TypeAdapter(tuple[Veteran, ...])
_DEEDS: TypeAdapter[tuple[Deed, ...]] = TypeAdapter(tuple[Deed, ...])


class CampaignChangedError(RuleError):
    """Somebody else changed the campaign at the same time."""

    def __init__(self) -> None:
        super().__init__("The campaign has just changed: look at /campaign show, then try again.")


@dataclass(frozen=True, slots=True)
class Campaign:
    """A campaign; `ended_at`: None while it goes on. `battles`: how many were opened."""

    id: int
    guild_id: int
    founder_id: int
    name: str
    system: str
    created_at: int
    ended_at: int | None
    battles: int

    @property
    def is_open(self) -> bool:
        """Whether it goes on."""
        return self.ended_at is None


@dataclass(frozen=True, slots=True)
class CampaignRow:
    """Something that happened: a battle, or care (`battle_id` is None).

    `text`: how it ended, or what care was given. `sums`: a sentence about both sides afterwards. `muster_json`: the
    sides afterwards, as they entered while the battle goes on. `at`: Unix seconds, None while it goes on. `seed`,
    `setup_json`: the battle's, once it is over.
    """

    n: int
    battle_id: int | None
    channel_id: int | None
    number: int | None
    panel_id: int | None
    text: str
    veterans: tuple[Veteran, ...]
    deeds: tuple[Deed, ...]
    at: int | None
    sums: str
    muster_json: str = field(repr=False)
    seed: str | None = field(default=None, repr=False)
    setup_json: str | None = field(default=None, repr=False)

    @property
    def is_battle(self) -> bool:
        """Whether this is a battle."""
        return self.battle_id is not None

    @property
    def is_open(self) -> bool:
        """Whether this is a battle that goes on."""
        return self.at is None


@dataclass(frozen=True, slots=True)
class Muster:
    """What is written of the sides: canonical JSON, their fighters, and a sentence about them."""

    muster_json: str = field(repr=False)
    veterans: Sequence[Veteran]
    sums: str = ""


_SELECT = (
    "SELECT id, guild_id, founder_id, name, system, created_at, ended_at,"
    " (SELECT count(*) FROM campaign_rows WHERE campaign_id = campaigns.id AND battle_id IS NOT NULL) AS battles"
    " FROM campaigns"
)
_SELECT_ROWS = (
    "SELECT n, battle_id, channel_id, number,"
    " COALESCE((SELECT panel_id FROM battles WHERE id = battle_id), panel_id) AS panel_id,"
    " seed, setup AS setup_json, text, muster AS muster_json, veterans, sums, deeds, at FROM campaign_rows"
)


class CampaignRepository(Repository):
    """The campaigns; `clock` tells Unix seconds. Callers check the permissions."""

    async def found(
        self,
        guild_id: int,
        founder_id: int,
        name: str,
        system: str,
        first: tuple[Battle, Muster] | None,
        interaction_id: int | None = None,
    ) -> Campaign:
        """Found a campaign, perhaps with a first battle and the sides that entered it.

        RuleError for a name that is none or is taken, for too many campaigns, for a battle of another one.
        """
        name = normalize_name(name)
        now = int(self._clock())

        async def write(conn: Connection) -> Campaign:
            await apply_once(conn, interaction_id, now)
            if await _fetch(conn, "WHERE guild_id = ? AND name_key = ?", [guild_id, name_key(name)]):
                raise RuleError(f"There is a campaign called {name} already.")
            if len(await _fetch(conn, "WHERE guild_id = ? AND ended_at IS NULL", [guild_id])) >= MAX_OPEN:
                raise RuleError(f"{MAX_OPEN} campaigns go on in this server, the most there can be: end one first.")
            (row,) = await conn.fetch_all(
                "INSERT INTO campaigns (guild_id, founder_id, name, name_key, system, created_at)"
                " VALUES (?, ?, ?, ?, ?, ?) RETURNING id",
                [guild_id, founder_id, name, name_key(name), system, now],
            )
            if first is not None:
                await self._link(conn, int(row[0]), 1, *first)
            await _drop_oldest(conn, guild_id)
            (campaign,) = await _fetch(conn, "WHERE id = ?", [row[0]])
            return campaign

        return await self._db.write(write)

    async def of_guild(self, guild_id: int) -> list[Campaign]:
        """Return a server's campaigns: those that go on, then the others, the newest first."""
        rows = await self._db.fetch_all(
            f"{_SELECT} WHERE guild_id = ? ORDER BY ended_at IS NOT NULL, created_at DESC, id DESC", [guild_id]
        )
        return [_campaign_of(row) for row in rows]

    async def of_battle(self, battle_id: int) -> tuple[Campaign, CampaignRow] | None:
        """Return the campaign of a battle and its row, if it is part of one."""
        row = await self._db.fetch_one("SELECT campaign_id, n FROM campaign_rows WHERE battle_id = ?", [battle_id])
        if row is None:
            return None
        campaign = await self._db.fetch_one(f"{_SELECT} WHERE id = ?", [row["campaign_id"]])
        if campaign is None:
            return None
        rows = await self._db.fetch_all(f"{_SELECT_ROWS} WHERE battle_id = ?", [battle_id])
        return _campaign_of(campaign), _row_of(rows[0])

    async def rows(self, campaign_id: int) -> list[CampaignRow]:
        """Return what happened in a campaign, in order."""
        rows = await self._db.fetch_all(f"{_SELECT_ROWS} WHERE campaign_id = ? ORDER BY n", [campaign_id])
        return [_row_of(row) for row in rows]

    def opening(self, campaign: Campaign, n: int, muster: Muster) -> OpeningHook:
        """Return what links a battle that is opened, as row `n`; it raises `CampaignChangedError` if there is one."""

        def of(battle: Battle) -> TransactionHook:
            async def link(conn: Connection) -> None:
                await _expect_open(conn, campaign.id, n)
                await self._link(conn, campaign.id, n, battle, muster)

            return link

        return of

    async def missing(self) -> list[int]:
        """Return the closed battles of campaigns whose end isn't taken up yet, the first to end first."""
        rows = await self._db.fetch_all(
            "SELECT battles.id FROM battles JOIN campaign_rows ON battle_id = battles.id"
            " WHERE battles.status <> 'open' AND at IS NULL ORDER BY battles.updated_at, battles.id"
        )
        return [row["id"] for row in rows]

    async def take_up(self, battle: Battle, text: str, muster: Muster, deeds: Sequence[Deed]) -> bool:
        """Take up a battle's end; the second time without effect. Return whether it was the first."""
        updated = await self._db.execute(
            "UPDATE campaign_rows SET text = ?, muster = ?, veterans = ?, sums = ?, deeds = ?, seed = ?,"
            " setup = ?, panel_id = ?, at = ? WHERE battle_id = ? AND at IS NULL",
            [
                *(text, muster.muster_json, _VETERANS.dump_json(tuple(muster.veterans)).decode()),
                muster.sums,
                *(_DEEDS.dump_json(tuple(deeds)).decode(), battle.seed.hex(), battle.setup_json),
                *(battle.panel_id, battle.updated_at, battle.id),
            ],
        )
        return updated > 0

    async def care(
        self, campaign: Campaign, n: int, text: str, muster: Muster, interaction_id: int | None = None
    ) -> None:
        """Write what care did, as row `n`; CampaignChangedError if there is one, RuleError if there are too many."""
        now = int(self._clock())

        async def write(conn: Connection) -> None:
            await apply_once(conn, interaction_id, now)
            await _expect_open(conn, campaign.id, n)
            await _insert(conn, [campaign.id, n, None, None, None, None, text], muster, now)

        await self._db.write(write)

    async def unlink(self, campaign: Campaign, battle_id: int) -> None:
        """Drop a battle that is deleted, though its end was never taken up."""
        await self._db.execute(
            "DELETE FROM campaign_rows WHERE campaign_id = ? AND battle_id = ? AND at IS NULL"
            " AND NOT EXISTS (SELECT 1 FROM battles WHERE id = ?)",
            [campaign.id, battle_id, battle_id],
        )

    async def end(self, campaign: Campaign) -> None:
        """End a campaign; it stays readable."""
        sql = "UPDATE campaigns SET ended_at = ? WHERE id = ? AND ended_at IS NULL"
        await self._db.execute(sql, [int(self._clock()), campaign.id])

    async def _link(self, conn: Connection, campaign_id: int, n: int, battle: Battle, muster: Muster) -> None:
        taken = list(await conn.fetch_all("SELECT 1 FROM campaign_rows WHERE battle_id = ?", [battle.id]))
        if taken:
            raise RuleError(f"#{battle.number} is part of another campaign.")
        values = [campaign_id, n, battle.id, battle.channel_id, battle.number, battle.panel_id, ""]
        await _insert(conn, values, muster, None)


async def _insert(conn: Connection, values: Sequence[int | str | None], muster: Muster, at: int | None) -> None:
    await conn.execute(
        "INSERT INTO campaign_rows (campaign_id, n, battle_id, channel_id, number, panel_id, text, muster, veterans,"
        " sums, deeds, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '[]', ?)",
        [*values, muster.muster_json, _VETERANS.dump_json(tuple(muster.veterans)).decode(), muster.sums, at],
    )


async def _expect_open(conn: Connection, campaign_id: int, n: int) -> None:
    """Raise CampaignChangedError unless `n` is the next row of a campaign that goes on; RuleError for too many."""
    (row,) = await conn.fetch_all(
        "SELECT count(*) AS rows, COALESCE(max(n), 0) AS last, COALESCE(sum(length(muster)), 0) AS characters,"
        " count(battle_id) AS battles, count(*) - count(at) AS going_on FROM campaign_rows WHERE campaign_id = ?",
        [campaign_id],
    )
    going_on = list(await conn.fetch_all("SELECT 1 FROM campaigns WHERE id = ? AND ended_at IS NULL", [campaign_id]))
    if not going_on or row["last"] != n - 1 or row["going_on"]:
        raise CampaignChangedError
    if row["battles"] >= MAX_BATTLES:
        raise RuleError(f"This campaign has {quantity(MAX_BATTLES, 'battle')}, the most there can be: found a new one.")
    if row["rows"] >= MAX_ROWS or row["characters"] >= MAX_CHARACTERS:
        raise RuleError("This campaign has grown too large to go on: found a new one from its last battle.")


async def _drop_oldest(conn: Connection, guild_id: int) -> None:
    await conn.execute(
        "DELETE FROM campaigns WHERE id IN (SELECT id FROM campaigns WHERE guild_id = ? AND ended_at IS NOT NULL"
        " ORDER BY ended_at DESC, id DESC LIMIT ? OFFSET ?)",
        [guild_id, MAX_KEPT, MAX_KEPT - MAX_OPEN],
    )


async def _fetch(conn: Connection, which: str, parameters: Parameters) -> list[Campaign]:
    return [_campaign_of(row) for row in await conn.fetch_all(f"{_SELECT} {which}", parameters)]


def _campaign_of(row: Row) -> Campaign:
    return Campaign(**dict(row))


def _row_of(row: Row) -> CampaignRow:
    fields = dict(row)
    fields["veterans"] = _VETERANS.validate_json(fields["veterans"])
    fields["deeds"] = _DEEDS.validate_json(fields["deeds"])
    return CampaignRow(**fields)
