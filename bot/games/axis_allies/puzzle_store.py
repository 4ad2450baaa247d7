"""Stores the puzzle of each day, those found in battles, who answered what, and the channels in which it is posted."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta

from bot.store.database import Connection, Repository, add
from bot.store.personal_data import PersonalTable
from bot.store.personal_tables import OF_BATTLE
from sim.axis_allies.battle.puzzles import Puzzle

PUZZLE_ANSWERS = PersonalTable(
    table="aa_puzzle_answers",
    user_column="user_id",
    guild_column="guild_id",
    label=("answer to a puzzle", "answers to puzzles"),
    kept="of Axis & Allies, for your streak and the board; until you delete them",
    order="day",
)
PUZZLE_CHANNELS = PersonalTable(
    table="aa_puzzle_channels", guild_column="guild_id", other_ids={"channel_id": "a channel"}
)

PUZZLE_FINDS = PersonalTable(
    table="aa_puzzle_finds",
    mentions=f"battle_id IN (SELECT id FROM battles WHERE starter_id = ?1 OR {OF_BATTLE})",  # noqa: S608  # constants
)

MOST_FINDS = 30
"""Puzzles of battles that wait for their days; no more are looked for meanwhile."""

_OFF = "off "
"""Stands before the day in `posted` of a channel where the posts were stopped: no day is later than that."""
_DUE = "(posted IS NULL OR posted < ?)"

_PEOPLE = (
    "SELECT starter_id AS user_id UNION SELECT user_id FROM seats WHERE battle_id = id"
    " UNION SELECT user_id FROM seats_left WHERE battle_id = id"
    " UNION SELECT CAST(actor AS BIGINT) FROM journal WHERE battle_id = id"
)
# A seat without an id that isn't the bot's may have been that of a person who is forgotten: nobody can ask them.
_ALLOWED = (
    "starter_id IN (SELECT user_id FROM people WHERE positions = 1)"  # noqa: S608  # constants
    f" AND NOT EXISTS (SELECT 1 FROM ({_PEOPLE}) AS involved WHERE user_id IS NOT NULL"
    " AND user_id NOT IN (SELECT user_id FROM people WHERE positions = 1))"
    " AND NOT EXISTS (SELECT 1 FROM seats WHERE battle_id = id AND user_id IS NULL AND is_bot = 0"
    " AND seat IN ('attacker', 'defender'))"
)
"""The condition that all people of a battle, who are known, allow puzzles now."""


@dataclass(frozen=True, slots=True)
class Streak:
    """How many days in a row somebody was right, up to now, and on how many days in all."""

    user_id: int
    days: int
    right: int


class PuzzleRepository(Repository):
    """The puzzles of days; a day is an ISO date in UTC."""

    async def puzzle(self, day: str) -> Puzzle | None:
        """Return the puzzle of a day, None if nobody has asked for it yet."""
        row = await self._db.fetch_one("SELECT puzzle FROM aa_puzzles WHERE day = ?", [day])
        return None if row is None else Puzzle.model_validate_json(row["puzzle"])

    async def keep(self, day: str, puzzle: Puzzle) -> None:
        """Keep the puzzle of a day; the first one stays."""
        await add(self._db, "aa_puzzles", day=day, puzzle=puzzle.model_dump_json())

    async def take(self, day: str) -> None:
        """Give a day the puzzle of a battle that has waited longest, if there is one and the day has none."""

        async def write(conn: Connection) -> None:
            rows = await conn.fetch_all(
                "SELECT id, puzzle FROM battles JOIN aa_puzzle_finds ON battle_id = id"  # noqa: S608  # constants
                f" WHERE puzzle IS NOT NULL AND {_ALLOWED} ORDER BY id LIMIT 1"
            )
            for row in rows:
                if await add(conn, "aa_puzzles", day=day, puzzle=row["puzzle"]):
                    await conn.execute("UPDATE aa_puzzle_finds SET puzzle = NULL WHERE battle_id = ?", [row["id"]])

        await self._db.write(write)

    async def unsearched(self, system: str) -> int | None:
        """Return the newest battle that is over and may be searched for a puzzle, None while enough wait."""
        row = await self._db.fetch_one(
            "SELECT id FROM battles WHERE system = ? AND status <> 'open' AND branch IS NULL"  # noqa: S608  # constants
            " AND NOT EXISTS (SELECT 1 FROM aa_puzzle_finds WHERE battle_id = id)"
            f" AND (SELECT count(*) FROM aa_puzzle_finds WHERE puzzle IS NOT NULL) < ? AND {_ALLOWED}"
            " ORDER BY id DESC LIMIT 1",
            [system, MOST_FINDS],
        )
        return None if row is None else row["id"]

    async def found(self, battle_id: int, puzzle: Puzzle | None) -> None:
        """Note what was found in a battle, unless somebody of it allows that no more."""
        await self._db.execute(
            "INSERT INTO aa_puzzle_finds (battle_id, puzzle)"  # noqa: S608  # constants
            f" SELECT id, CAST(? AS TEXT) FROM battles WHERE id = ? AND {_ALLOWED} ON CONFLICT (battle_id) DO NOTHING",
            [None if puzzle is None else puzzle.model_dump_json(), battle_id],
        )

    async def forget_withdrawn(self) -> None:
        """Delete what was found in battles of which somebody allows it no more."""
        allowed = f"SELECT id FROM battles WHERE id = battle_id AND {_ALLOWED}"  # noqa: S608  # constants
        await self._db.execute(f"DELETE FROM aa_puzzle_finds WHERE puzzle IS NOT NULL AND NOT EXISTS ({allowed})")  # noqa: S608  # as above

    async def answer(self, day: str, user_id: int, guild_id: int | None, choice: int, *, correct: bool) -> bool:
        """Keep somebody's answer; return whether it is their first one of that day, which stays."""
        answer = {"user_id": user_id, "guild_id": guild_id, "choice": choice, "correct": correct}
        return await add(self._db, "aa_puzzle_answers", day=day, **answer)

    async def answered(self, day: str, user_id: int) -> int | None:
        """Return what somebody chose on a day; None for nothing yet."""
        sql = "SELECT choice FROM aa_puzzle_answers WHERE day = ? AND user_id = ?"
        row = await self._db.fetch_one(sql, [day, user_id])
        return None if row is None else row["choice"]

    async def streak(self, user_id: int, today: str) -> Streak:
        """Return somebody's streak."""
        sql = "SELECT day, correct FROM aa_puzzle_answers WHERE user_id = ?"
        rows = await self._db.fetch_all(sql, [user_id])
        return _streak(user_id, {row["day"]: row["correct"] for row in rows}, today)

    async def board(self, guild_id: int, today: str) -> list[Streak]:
        """Return the streaks of all who were ever right in a server, the longest first."""
        sql = (
            "SELECT user_id, day, correct FROM aa_puzzle_answers WHERE user_id IN"
            " (SELECT user_id FROM aa_puzzle_answers WHERE guild_id = ? AND correct = 1)"
        )
        answers: dict[int, dict[str, int]] = defaultdict(dict)
        for row in await self._db.fetch_all(sql, [guild_id]):
            answers[row["user_id"]][row["day"]] = row["correct"]
        found = [_streak(user_id, own, today) for user_id, own in answers.items()]
        return sorted(found, key=lambda one: (-one.days, -one.right, one.user_id))

    async def open(self, channel_id: int, guild_id: int) -> None:
        """Post the puzzle in a channel each day."""
        await add(self._db, "aa_puzzle_channels", channel_id=channel_id, guild_id=guild_id)
        sql = "UPDATE aa_puzzle_channels SET posted = replace(posted, ?, '') WHERE channel_id = ?"
        await self._db.execute(sql, [_OFF, channel_id])

    async def close(self, channel_id: int) -> None:
        """Stop posting there; the last day is kept, so that switching on again doesn't post it twice."""
        sql = "UPDATE aa_puzzle_channels SET posted = ? || replace(coalesce(posted, ''), ?, '') WHERE channel_id = ?"
        await self._db.execute(sql, [_OFF, _OFF, channel_id])

    async def due(self, day: str) -> list[tuple[int, int]]:
        """Return the channels, each with its server, in which a day's puzzle wasn't posted yet."""
        sql = f"SELECT channel_id, guild_id FROM aa_puzzle_channels WHERE {_DUE} ORDER BY channel_id"  # noqa: S608  # constants
        return [(row["channel_id"], row["guild_id"]) for row in await self._db.fetch_all(sql, [day])]

    async def claim(self, channel_id: int, day: str) -> bool:
        """Note that a day's puzzle is being sent to a channel; False if it was before, or isn't wanted any more."""
        sql = f"UPDATE aa_puzzle_channels SET posted = ? WHERE channel_id = ? AND {_DUE}"  # noqa: S608  # constants
        return bool(await self._db.execute(sql, [day, channel_id, day]))

    async def unclaim(self, channel_id: int, day: str) -> None:
        """Note that it wasn't sent."""
        sql = "UPDATE aa_puzzle_channels SET posted = NULL WHERE channel_id = ? AND posted = ?"
        await self._db.execute(sql, [channel_id, day])


def _streak(user_id: int, answers: Mapping[str, int], today: str) -> Streak:
    """Return the streak of somebody who was right (1) or wrong (0) on these days; today's puzzle may be to come."""
    at, count = date.fromisoformat(today), 0
    if today not in answers:
        at -= timedelta(days=1)
    while answers.get((at - timedelta(days=count)).isoformat()):
        count += 1
    return Streak(user_id, count, sum(answers.values()))
