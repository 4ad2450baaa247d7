"""Campaigns: battles of a server that are linked, and what is left between them."""

from dataclasses import dataclass, field

from pydantic import TypeAdapter

from bot.store.battle import Battle, closed_battles
from bot.store.database import Connection, Repository, Row, Value, in_transaction
from bot.store.transactions import OpeningHook, apply_once
from sim.core import RuleError
from sim.core.battle import Seat
from sim.core.campaign import Deed, ForcesReport, Veteran
from sim.core.names import name_key, normalize_name
from sim.core.numbers import quantity
from sim.jobs.campaign import Taken

MAX_OPEN = 20
"""Campaigns of a server that go on."""

MAX_KEPT = 100
"""Campaigns of a server in all; of those that ended, the oldest are dropped."""

MAX_BATTLES = 100
MAX_ROWS = 400
"""What happens in a campaign: its battles, and adjustments in between."""

MAX_CHARACTERS = 8_000_000
"""Of all forces of a campaign."""

_VETERANS: TypeAdapter[tuple[Veteran, ...]] = TypeAdapter(tuple[Veteran, ...])
_DEEDS: TypeAdapter[tuple[Deed, ...]] = TypeAdapter(tuple[Deed, ...])


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
    """Something that happened: a battle, or an adjustment (`battle_id` is None).

    `text`: how it ended, or what was given. `forces`: the sides afterwards, as they entered while the battle goes on.
    `at`: Unix seconds, None while it goes on. `seed`, `setup_json`: the battle's, once it is over. `winner`: the side
    that won it.
    """

    n: int
    battle_id: int | None
    channel_id: int | None
    number: int | None
    panel_id: int | None
    text: str
    forces: ForcesReport
    deeds: tuple[Deed, ...]
    at: int | None
    seed: str | None = field(default=None, repr=False)
    setup_json: str | None = field(default=None, repr=False)
    winner: str | None = None

    @property
    def is_battle(self) -> bool:
        """Whether this is a battle."""
        return self.battle_id is not None

    @property
    def is_open(self) -> bool:
        """Whether this is a battle that goes on."""
        return self.at is None

    @property
    def best(self) -> Deed | None:
        """What was done by who did most; None if nobody did anything."""
        best = max(self.deeds, key=lambda deed: (deed.damage, deed.kills), default=None)
        return best if best is not None and best.damage + best.kills else None

    @property
    def fallen(self) -> dict[tuple[str, str], Veteran]:
        """Who is down afterwards, by side and name."""
        return {(one.side, one.name): one for one in self.forces.veterans if one.fallen}


_CAMPAIGNS = (
    "(SELECT campaigns.*, (SELECT count(battle_id) FROM campaign_rows WHERE campaign_id = campaigns.id) AS battles"
    " FROM campaigns) AS counted"
)
_SELECT_ROWS = (
    "SELECT n, battle_id, number,"
    " COALESCE((SELECT COALESCE(thread_id, channel_id) FROM battles WHERE id = battle_id), channel_id) AS channel_id,"
    " COALESCE((SELECT panel_id FROM battles WHERE id = battle_id), panel_id) AS panel_id,"
    " seed, setup AS setup_json, text, muster, veterans, sums, deeds, at, winner FROM campaign_rows"
)


class CampaignRepository(Repository):
    """The campaigns; `clock` tells Unix seconds. Callers check the permissions."""

    @in_transaction
    async def found(
        self,
        conn: Connection,
        guild_id: int,
        founder_id: int,
        name: str,
        system: str,
        first: tuple[Battle, ForcesReport] | None,
        interaction_id: int | None = None,
    ) -> Campaign:
        """Found a campaign, perhaps with a first battle and the sides that entered it.

        RuleError for a name that is none or is taken, for too many campaigns, for a battle of another one.
        """
        name = normalize_name(name)
        await apply_once(conn, interaction_id, self._now)
        before = await conn.fetch(Campaign, _CAMPAIGNS, "WHERE guild_id = ?", [guild_id])
        if name_key(name) in {name_key(one.name) for one in before}:
            raise RuleError(f"There is a campaign called {name} already.")
        if sum(one.is_open for one in before) >= MAX_OPEN:
            raise RuleError(f"{MAX_OPEN} campaigns are open in this server, the most allowed: end one first.")
        who = {"guild_id": guild_id, "founder_id": founder_id, "created_at": self._now}
        named = {"name": name, "name_key": name_key(name), "system": system}
        campaign_id = await conn.numbered("campaigns", **who, **named)
        if first is not None:
            await self._link(conn, campaign_id, 1, *first)
        await conn.execute(
            "DELETE FROM campaigns WHERE id IN (SELECT id FROM campaigns WHERE guild_id = ?"
            " AND ended_at IS NOT NULL ORDER BY ended_at DESC, id DESC LIMIT ? OFFSET ?)",
            [guild_id, MAX_KEPT, MAX_KEPT - MAX_OPEN],
        )
        (campaign,) = await conn.fetch(Campaign, _CAMPAIGNS, "WHERE id = ?", [campaign_id])
        return campaign

    async def of_guild(self, guild_id: int) -> list[Campaign]:
        """Return a server's campaigns: those that go on, then the others, the newest first."""
        which = "WHERE guild_id = ? ORDER BY ended_at IS NOT NULL, created_at DESC, id DESC"
        return await self._db.fetch(Campaign, _CAMPAIGNS, which, [guild_id])

    async def with_battle(self, battle_id: int) -> Campaign | None:
        """Return the campaign that a battle is part of."""
        which = "WHERE id = (SELECT campaign_id FROM campaign_rows WHERE battle_id = ?)"
        return next(iter(await self._db.fetch(Campaign, _CAMPAIGNS, which, [battle_id])), None)

    async def row_of(self, battle_id: int) -> CampaignRow | None:
        """Return the row of a battle, if it is part of a campaign."""
        row = await self._db.fetch_one(f"{_SELECT_ROWS} WHERE battle_id = ?", [battle_id])
        return None if row is None else _row_of(row)

    async def rows(self, campaign_id: int) -> list[CampaignRow]:
        """Return what happened in a campaign, in order."""
        rows = await self._db.fetch_all(f"{_SELECT_ROWS} WHERE campaign_id = ? ORDER BY n", [campaign_id])
        return [_row_of(row) for row in rows]

    async def holders(self, campaign_id: int) -> dict[tuple[int, Seat], int]:
        """Return who has which seat of a campaign's battles, by battle and seat; of those that are still kept."""
        sql = (
            "SELECT seats.battle_id, seat, user_id FROM seats JOIN campaign_rows USING (battle_id)"
            " WHERE campaign_id = ? AND user_id IS NOT NULL"
        )
        rows = await self._db.fetch_all(sql, [campaign_id])
        return {(row["battle_id"], row["seat"]): row["user_id"] for row in rows}

    def opening(self, campaign: Campaign, n: int, forces: ForcesReport) -> OpeningHook:
        """Return what links a battle that is opened, as row `n`; RuleError if there is one."""

        async def link(conn: Connection, battle: Battle) -> None:
            await _expect_open(conn, campaign.id, n)
            await self._link(conn, campaign.id, n, battle, forces)

        return link

    async def missing(self) -> list[int]:
        """Return the closed battles of campaigns whose end isn't taken up yet, the first to end first."""
        return await closed_battles(self._db, "id IN (SELECT battle_id FROM campaign_rows WHERE at IS NULL)")

    async def take_up(self, battle: Battle, text: str, taken: Taken) -> None:
        """Take up a battle's end; the second time without effect."""
        ended = {"at": battle.updated_at, "winner": None if battle.outcome is None else battle.outcome.winner}
        where = {"channel_id": battle.shown_in, "panel_id": battle.panel_id}
        whole = {"seed": battle.seed.hex(), "setup": battle.setup_json}
        told = {"text": text, "deeds": _DEEDS.dump_json(taken.deeds).decode(), **_columns(taken)}
        await self._db.change("campaign_rows", {"battle_id": battle.id, "at": None}, **told, **whole, **where, **ended)

    @in_transaction
    async def adjust(
        self,
        conn: Connection,
        campaign: Campaign,
        n: int,
        text: str,
        forces: ForcesReport,
        interaction_id: int | None = None,
    ) -> None:
        """Write an adjustment as row `n`; RuleError if there is one, or too many."""
        await apply_once(conn, interaction_id, self._now)
        await _expect_open(conn, campaign.id, n)
        await _add(conn, campaign.id, n, text, forces, at=self._now)

    async def unlink(self, campaign: Campaign, battle_id: int) -> None:
        """Drop a battle that is deleted, though its end was never taken up."""
        await self._db.execute(
            "DELETE FROM campaign_rows WHERE campaign_id = ? AND battle_id = ? AND at IS NULL"
            " AND NOT EXISTS (SELECT 1 FROM battles WHERE id = ?)",
            [campaign.id, battle_id, battle_id],
        )

    async def end(self, campaign: Campaign) -> None:
        """End a campaign; it stays readable."""
        await self._db.change("campaigns", {"id": campaign.id, "ended_at": None}, ended_at=self._now)

    async def _link(self, conn: Connection, campaign_id: int, n: int, battle: Battle, forces: ForcesReport) -> None:
        shown = {"channel_id": battle.channel_id, "number": battle.number, "panel_id": battle.panel_id}
        if not await _add(conn, campaign_id, n, "", forces, battle_id=battle.id, **shown):
            raise RuleError(f"#{battle.number} is part of another campaign.")


async def _add(conn: Connection, campaign_id: int, n: int, text: str, forces: ForcesReport, **row: Value) -> bool:
    """Add a row to a campaign; return False for a battle that is a row already."""
    row |= {"campaign_id": campaign_id, "n": n, "text": text, "deeds": "[]"}
    return await conn.add("campaign_rows", **_columns(forces), **row)


def _columns(forces: ForcesReport) -> dict[str, str]:
    veterans = _VETERANS.dump_json(forces.veterans).decode()
    return {"muster": forces.forces_json, "veterans": veterans, "sums": forces.summary}


async def _expect_open(conn: Connection, campaign_id: int, n: int) -> None:
    """Raise RuleError unless `n` is the next row of a campaign that goes on, and for too many."""
    (row,) = await conn.fetch_all(
        "SELECT count(*) AS rows, COALESCE(max(n), 0) AS last, COALESCE(sum(length(muster)), 0) AS characters,"
        " count(battle_id) AS battles, count(*) - count(at) AS going_on FROM campaign_rows WHERE campaign_id = ?",
        [campaign_id],
    )
    going_on = await conn.fetch_all("SELECT 1 FROM campaigns WHERE id = ? AND ended_at IS NULL", [campaign_id])
    if not going_on or row["last"] != n - 1 or row["going_on"]:
        raise RuleError("The campaign has just changed: look at /campaign show, then try again.")
    if row["battles"] >= MAX_BATTLES:
        raise RuleError(f"This campaign has {quantity(MAX_BATTLES, 'battle')}, the most allowed: found a new one.")
    if row["rows"] >= MAX_ROWS or row["characters"] >= MAX_CHARACTERS:
        raise RuleError("This campaign has grown too large to go on: found a new one from its last battle.")


def _row_of(row: Row) -> CampaignRow:
    fields = dict(row)
    veterans = _VETERANS.validate_json(fields.pop("veterans"))
    forces = ForcesReport(forces_json=fields.pop("muster"), veterans=veterans, summary=fields.pop("sums"))
    return CampaignRow(**fields | {"forces": forces, "deeds": _DEEDS.validate_json(fields["deeds"])})
