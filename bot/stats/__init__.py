"""Tells what happened in battles that are over. Here: stores it, and which servers keep ladders."""

import logging
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bot.battles.followers import EndedListener
from bot.battles.journal import Replay
from bot.client import Client
from bot.logging_setup import event
from bot.store.battle import Battle, Status, closed_battles
from bot.store.battles import BattleRepository
from bot.store.database import Connection, Repository, in_transaction
from sim.core import TooMuchError
from sim.core.battle import Seat, Team
from sim.core.journal import Mismatch
from sim.core.luck import BAGS, SeatLuck, Stroke, Throw
from sim.jobs.luck import CountLuck, RankTeams, WeighTeams

KEPT_RESULTS = 10_000
"""How many of a server's battles are remembered, or of a channel's in direct messages; the newest."""

FOREVER = 1 << 53
_log = logging.getLogger("fracas.chronicle")


@dataclass(frozen=True, slots=True)
class Span:
    """Battles that ended from `start` to before `end`, in Unix seconds; of one server, or of all for None.

    `battle_id`: this battle alone, whenever it ended.
    """

    guild_id: int | None
    start: int = 0
    end: int = FOREVER
    battle_id: int | None = None

    @property
    def values(self) -> tuple[int | None, int, int]:
        """The parameters 1 to 3 of a query in the span."""
        return self.guild_id, self.start, self.end

    def dice_of(self, user_id: int | None) -> tuple[str, Sequence[int | None]]:
        """Return the condition for the dice of a person, or of all people, and its parameters; of a battle for all."""
        if self.battle_id is not None:
            return "r.id = ?1", [self.battle_id]
        return f"{_IN_SPAN} AND l.user_id = coalesce(?4, l.user_id)", [*self.values, user_id]


_IN_SPAN = "(r.guild_id = ?1 OR ?1 IS NULL) AND r.ended_at >= ?2 AND r.ended_at < ?3"


@dataclass(frozen=True, slots=True)
class Dice:
    """The dice of a seat that count the same, as they are kept: `bag` is JSON. `user_id`: None for the bot's.

    `place`: of the battle's throws; None in what earlier versions kept.
    """

    system: str
    seat: Seat
    unit: str
    user_id: int | None
    bag: str
    rolled: int
    tie: int
    place: float | None


@dataclass(frozen=True, slots=True)
class Moment:
    """An unlikely throw: in which battle it was, by whom, and what it was; `panel_id`: the message that shows it."""

    id: int
    guild_id: int | None
    channel_id: int
    number: int
    panel_id: int | None
    system: str
    user_id: int | None
    seat: Seat
    unit: str
    stroke: Stroke


@dataclass(frozen=True, slots=True)
class Tally:
    """In how many battles of a system somebody fought, and how many they won, shared first place in, or ran only.

    `alone`: those that they fought against themselves: neither won nor lost.
    """

    system: str
    fought: int
    won: int
    tied: int
    undecided: int
    alone: int
    refereed: int

    @property
    def decided(self) -> int:
        """How many were won, lost or tied."""
        return self.fought - self.undecided - self.alone


@dataclass(frozen=True, slots=True)
class Rival:
    """Somebody whom a person fought: how often, and how often the person came in before them or behind them."""

    user_id: int
    fought: int
    won: int
    lost: int


RatedGame = tuple[tuple[int, tuple[int | None, ...], float | None], ...]
"""The teams of a game: each its place, the people's ids, None for who is forgotten, and its chance before it began."""

SeatLucks = Mapping[int, Sequence[SeatLuck]]
"""What the seats' dice showed, by the row that gave the seat to somebody else; 0 for who had it at the end."""


class StatsRepository(Repository):
    """The remembered battles."""

    async def missing(self) -> list[int]:
        """Return the closed battles that aren't recorded yet, the first to end first."""
        remembered = "EXISTS (SELECT 1 FROM chronicled WHERE battle_id = battles.id)"
        return await closed_battles(self._db, f"branch IS NULL AND NOT {remembered}")

    @in_transaction
    async def record(self, conn: Connection, battle: Battle, teams: Sequence[Team], lucks: SeatLucks) -> None:
        """Remember a closed battle; does nothing for one that is remembered, or gone."""
        noted = await conn.execute(
            "INSERT INTO chronicled (battle_id) SELECT id FROM battles WHERE id = ? ON CONFLICT DO NOTHING",
            [battle.id],
        )
        # As the seats are now: somebody may have been forgotten since the battle was read.
        rows = await conn.fetch_all(
            "SELECT 0 AS n, seat, user_id, position FROM seats WHERE battle_id = ?1 UNION ALL"
            " SELECT n, seat, user_id, 0 AS position FROM seats_left WHERE battle_id = ?1 ORDER BY n, position",
            [battle.id],
        )
        holders = {(row["n"], row["seat"]): row["user_id"] for row in rows if row["user_id"] is not None}
        if noted and holders:
            people = {seat: user_id for (left_at, seat), user_id in holders.items() if left_at == 0}
            await _write_result(conn, battle, people, teams)
            await _write_luck(conn, battle, holders, lucks)
            await _forget_oldest(conn, battle)

    async def dice(self, span: Span, user_id: int | None = None) -> list[Dice]:
        """Return the dice of a person in a span, or of all people; of a battle those of every seat."""
        which, parameters = span.dice_of(user_id)
        rows = await self._db.fetch_all(
            "SELECT r.system, l.seat, l.unit, l.user_id, l.dice AS bag, l.rolled, l.tie, l.place FROM dice_luck AS l"  # noqa: S608  # constants
            f" JOIN results AS r ON r.id = l.battle_id WHERE {which}"
            " ORDER BY r.ended_at, r.id, l.seat, l.unit, l.left_at",
            parameters,
        )
        return [Dice(**dict(row)) for row in rows]

    async def moments(self, span: Span, user_id: int | None = None) -> list[Moment]:
        """Return the luckiest and the unluckiest throw of a person in a span, or of all people; none without dice."""
        which, parameters = span.dice_of(user_id)
        found = []
        for what in ("best", "worst"):
            row = await self._db.fetch_one(
                f"SELECT r.id, r.guild_id, r.channel_id, r.number, r.panel_id, r.system, l.user_id, l.seat, l.unit,"  # noqa: S608  # constants
                f" l.{what} AS stroke FROM dice_luck AS l JOIN results AS r ON r.id = l.battle_id WHERE {which}"
                f" ORDER BY l.{what}_odds, r.ended_at, r.id, l.seat, l.unit, l.left_at LIMIT 1",
                parameters,
            )
            if row is not None:
                found.append(Moment(**dict(row) | {"stroke": Stroke.model_validate_json(row["stroke"])}))
        return found

    async def tallies(self, span: Span, user_id: int) -> list[Tally]:
        """Return what a person played in a span, the most played system first."""
        rows = await self._db.fetch_all(
            "SELECT system, count(fights) AS fought,"  # noqa: S608  # constants
            " count(CASE WHEN teams = 1 AND place = 1 AND shared = 0 THEN 1 END) AS won,"
            " count(CASE WHEN teams = 1 AND place = 1 AND shared > 0 THEN 1 END) AS tied,"
            " count(CASE WHEN teams = 0 THEN fights END) AS undecided, count(CASE WHEN teams > 1 THEN 1 END) AS alone,"
            " count(*) - count(fights) AS refereed"
            " FROM (SELECT system, min(place) AS place, count(DISTINCT team) AS teams, max(fights) AS fights,"
            " max(shared) AS shared FROM (SELECT r.id, r.system, s.place, s.team,"
            " CASE WHEN s.seat <> 'referee' THEN 1 END AS fights, (SELECT count(*) FROM result_seats AS o"
            " WHERE o.battle_id = r.id AND o.place = 1 AND o.team <> s.team) AS shared"
            f" FROM results AS r JOIN result_seats AS s ON s.battle_id = r.id WHERE {_IN_SPAN} AND s.user_id = ?4)"
            " AS seats GROUP BY id, system) AS own GROUP BY system ORDER BY fought DESC, system",
            [*span.values, user_id],
        )
        return [Tally(**dict(row)) for row in rows]

    async def rivals(self, span: Span, user_id: int, limit: int) -> list[Rival]:
        """Return whom a person fought most often in a span."""
        rows = await self._db.fetch_all(
            "SELECT o.user_id, count(*) AS fought, count(CASE WHEN s.place < o.place THEN 1 END) AS won,"  # noqa: S608  # constants
            " count(CASE WHEN s.place > o.place THEN 1 END) AS lost"
            " FROM results AS r JOIN result_seats AS s ON s.battle_id = r.id"
            " JOIN result_seats AS o ON o.battle_id = r.id AND o.team <> s.team AND o.user_id <> s.user_id"
            f" WHERE {_IN_SPAN} AND s.user_id = ?4 GROUP BY o.user_id ORDER BY fought DESC, o.user_id LIMIT ?5",
            [*span.values, user_id, limit],
        )
        return [Rival(**dict(row)) for row in rows]

    async def rated_games(self, span: Span, system: str) -> list[RatedGame]:
        """Return the games of a system that count for ladders, in the order of their ends."""
        rows = await self._db.fetch_all(
            "SELECT r.id, s.team, s.place, s.user_id, s.chance"  # noqa: S608  # a constant
            " FROM results AS r JOIN result_seats AS s ON s.battle_id = r.id"
            f" WHERE {_IN_SPAN} AND r.system = ?4 AND r.rated = 1 AND s.team IS NOT NULL"
            " ORDER BY r.ended_at, r.id, s.team, s.seat",
            [*span.values, system],
        )
        games: dict[int, dict[int, tuple[int, list[int | None], float | None]]] = {}
        for row in rows:
            team = games.setdefault(row["id"], {}).setdefault(row["team"], (row["place"], [], row["chance"]))
            team[1].append(row["user_id"])
        return [
            tuple((place, tuple(people), chance) for place, people, chance in teams.values())
            for teams in games.values()
        ]

    async def rated_systems(self, guild_id: int) -> list[str]:
        """Return the systems of which a server remembers games that count, by name."""
        sql = "SELECT DISTINCT system FROM results WHERE guild_id = ? AND rated = 1 ORDER BY system"
        return await self._db.fetch_column(str, sql, [guild_id])


def is_rated(battle: Battle, people: dict[Seat, int], teams: Sequence[Team]) -> bool:
    """Return whether a battle counts for ladders.

    It was decided by the rules, its dice were sealed if they had to be, each person agreed, no step was taken back and
    no seat taken over, and people fought people: each team is theirs alone, and nobody is in two of them.
    """
    if not battle.may_be_rated:
        return False
    if battle.status is not Status.FINISHED or battle.was_undone or len(teams) < 2:  # noqa: PLR2004  # against each other
        return False
    if not {seat for team in teams for seat in team.seats} <= {place.seat for place in battle.places if place.agreed}:
        return False
    sides = [{people.get(seat) for seat in team.seats} for team in teams]
    apart = sum(map(len, sides)) == len(set().union(*sides))
    return apart and not any(None in side or not side for side in sides)


async def _write_result(conn: Connection, battle: Battle, people: dict[Seat, int], teams: Sequence[Team]) -> None:
    where = {"guild_id": battle.guild_id, "channel_id": battle.shown_in, "panel_id": battle.panel_id}
    what = {"id": battle.id, "number": battle.number, "ended_at": battle.updated_at}
    rated = is_rated(battle, people, teams)
    await conn.add("results", **what, **where, system=battle.system, rated=rated)
    fighting = {seat: (at, team.place, team.chance) for at, team in enumerate(teams, start=1) for seat in team.seats}
    for seat in dict.fromkeys((*people, *fighting)):
        at, place, chance = fighting.get(seat, (None, None, None))
        who = {"battle_id": battle.id, "user_id": people.get(seat)}
        await conn.add("result_seats", **who, seat=seat, team=at, place=place, chance=chance)


async def _write_luck(
    conn: Connection, battle: Battle, holders: Mapping[tuple[int, Seat], int], lucks: SeatLucks
) -> None:
    for left_at, found in lucks.items():
        for luck in found:
            whose = {"battle_id": battle.id, "left_at": left_at, "user_id": holders.get((left_at, luck.seat))}
            bag = {"seat": luck.seat, "unit": luck.unit, "dice": BAGS.dump_json(luck.dice).decode()}
            strokes = {"best": luck.best.model_dump_json(), "worst": luck.worst.model_dump_json()}
            odds = {"best_odds": luck.best.odds, "worst_odds": luck.worst.odds, "place": luck.place}
            await conn.add("dice_luck", **whose, **bag, **strokes, **odds, rolled=luck.rolled, tie=luck.tie)


async def _forget_oldest(conn: Connection, battle: Battle) -> None:
    where, owner = ("guild_id = ?1", battle.guild_id)
    if owner is None:
        where, owner = ("guild_id IS NULL AND channel_id = ?1", battle.channel_id)
    await conn.execute(
        f"DELETE FROM results WHERE {where} AND id <"  # noqa: S608  # constants
        f" (SELECT id FROM results WHERE {where} ORDER BY id DESC LIMIT 1 OFFSET ?2)",
        [owner, KEPT_RESULTS - 1],
    )


class LadderRepository(Repository):
    """The servers that keep ladders."""

    async def is_open(self, guild_id: int | None) -> bool:
        """Return whether a server keeps ladders; there are none in direct messages (None)."""
        return await self._db.fetch_one("SELECT 1 FROM ladders WHERE guild_id = ?", [guild_id]) is not None

    async def set_open(self, guild_id: int, *, is_open: bool, sealed: bool = False) -> None:
        """Open a server's ladders, for all battles or for those with `sealed` dice alone; or close them."""
        if is_open:
            await self._db.put("ladders", "guild_id", guild_id=guild_id, sealed=sealed)
        else:
            await self._db.drop("ladders", guild_id=guild_id)


class BattleRecorder(EndedListener):
    """Listens to ended battles, and remembers each."""

    def __init__(self, bot: Client) -> None:
        self._bot = bot
        self._stats = bot.services[StatsRepository]
        self.missing = self._stats.missing

    async def ended(self, battle: Battle) -> None:
        """Remember a battle; one transaction, the second time without effect."""
        await self._stats.record(battle, await self.teams(battle), await self.lucks(battle))

    async def teams(self, battle: Battle) -> Sequence[Team]:
        """Return the teams of a battle and their places, of a rated one with their chances; none if it is undecided."""
        if battle.outcome is None:
            return ()
        seats = tuple(place.seat for place in battle.places)
        job = RankTeams(system=battle.system, state_json=battle.state_json, seats=seats)
        teams = await self._bot.simulator.once(job)
        if not is_rated(battle, battle.holders, teams):
            return teams
        try:
            weigh = WeighTeams(system=battle.system, setup_json=battle.setup_json, teams=teams)
            return await self._bot.simulator.once(weigh)
        except TooMuchError as error:
            event(_log, "chances_unknown", level=logging.WARNING, battle=battle.id, error=str(error))
            return teams

    async def lucks(self, battle: Battle) -> SeatLucks:
        """Go through a battle again and count each holder's dice; none if that is too much, or comes out otherwise."""
        rows = await self._bot.services[BattleRepository].journal(battle.id)
        if not rows:
            return {}
        left = await self._bot.services[BattleRepository].seats_left(battle.id)
        # What was thrown until each row at which the thrower's seat changed hands, in order; the rest under 0.
        parts: dict[int, list[tuple[int, Throw]]] = defaultdict(list)
        try:
            found = await Replay(self._bot.simulator, battle, rows).run(dice=True)
            if not isinstance(found, Mismatch):
                for row, throw in found.thrown:
                    until = next((n for n, seat in left if seat == throw.seat and n > row), 0)
                    parts[until].append((row, throw))
                count = self._bot.simulator.once
                return {until: await count(CountLuck(thrown, battle.seed)) for until, thrown in parts.items()}
            why = found.sentence
        except TooMuchError as error:
            why = str(error)
        event(_log, "luck_unknown", level=logging.WARNING, battle=battle.id, error=why)
        return {}
