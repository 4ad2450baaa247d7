"""Stores the channels with weekly challenges, the challenges, and what was tried."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from bot.store.battle import Battle, closed_battles
from bot.store.database import Connection, Parameters, Repository, Statements, Value, in_transaction
from bot.store.transactions import OpeningHook
from sim.core import RuleError
from sim.core.challenge import Score, best_of

KEPT_SECONDS = 366 * 24 * 60 * 60
LATE_SECONDS = 3 * 24 * 60 * 60
"""For so long after the end of a week its card is posted, such as by a bot that was away."""

SENDING_SECONDS = 60
"""For so long after a message was sent Discord knows it again by its nonce; later it isn't sent again."""

Message = Literal["post", "card"]
STANDS = "🗓️ This try counts for the week as it goes: no undo, and a rematch is only practice."
_OUT = -1
"""The points of a try that doesn't count."""


@dataclass(frozen=True, slots=True)
class Weekly:
    """A channel with a challenge each week; `system`: None for another kind each week; `next_at`: None once closed."""

    id: int
    guild_id: int
    channel_id: int
    system: str | None
    shared: bool
    next_at: int | None


@dataclass(frozen=True, slots=True)
class Challenge:
    """A week's challenge; `post_id`: the message that shows it, if there is one."""

    weekly: Weekly
    id: int
    week: str
    system: str
    setup_json: str
    ends_at: int
    post_id: int | None


@dataclass(frozen=True, slots=True)
class Try:
    """Somebody's try: the battle, its number in the channel, and what it achieved; None while it goes on.

    An answer to a question has no battle.
    """

    user_id: int
    battle_id: int | None
    number: int | None
    points: int | None
    rounds: int | None
    text: str | None

    @property
    def score(self) -> Score | None:
        """What it achieved; None while it goes on, and where it doesn't count."""
        if self.points is None or self.points == _OUT:
            return None
        return Score(points=self.points, rounds=self.rounds or 0, text=self.text or "")


@dataclass(frozen=True, slots=True)
class Standing:
    """Somebody's best try on a board; equals share a place."""

    place: int
    user_id: int
    score: Score


_CHALLENGES = (
    "SELECT weeklies.id, guild_id, channel_id, weeklies.system, shared, next_at,"
    " weekly_challenges.id, week, weekly_challenges.system, setup, ends_at, post_id"
    " FROM weekly_challenges JOIN weeklies ON weeklies.id = weekly_id"
)


class WeeklyRepository(Repository):
    """The weekly challenges; callers check the permissions."""

    @in_transaction
    async def open(
        self, conn: Connection, guild_id: int, channel_id: int, system: str | None, *, shared: bool, next_at: int
    ) -> Weekly:
        """Give a channel a challenge each week, or change which."""
        kept: dict[str, Value] = {"system": system, "shared": shared, "next_at": next_at}
        await conn.put("weeklies", "channel_id", guild_id=guild_id, channel_id=channel_id, **kept)
        (weekly,) = await conn.fetch(Weekly, "weeklies", "WHERE channel_id = ?", [channel_id])
        return weekly

    async def close(self, channel_id: int) -> bool:
        """End a channel's challenges; return whether there were any."""
        sql = "UPDATE weeklies SET next_at = NULL WHERE channel_id = ? AND next_at IS NOT NULL"
        return bool(await self._db.execute(sql, [channel_id]))

    async def due(self) -> list[Weekly]:
        """Return the channels in which something is to be posted."""
        which = "WHERE next_at <= ? ORDER BY next_at, id"
        return await self._db.fetch(Weekly, "weeklies", which, [self._now])

    async def plan(self, weekly: Weekly, next_at: int) -> None:
        """Note when something is to be posted next, unless the channel's challenges changed since they were read."""
        await self._db.change("weeklies", {"id": weekly.id, "next_at": weekly.next_at}, next_at=next_at)

    @in_transaction
    async def begin(
        self, conn: Connection, weekly: Weekly, week: str, system: str, setup_json: str, ends_at: int
    ) -> Challenge:
        """Store a week's challenge; one that there is stays. What is older than a year goes."""
        row: dict[str, Value] = {"week": week, "system": system, "setup": setup_json, "ends_at": ends_at}
        await conn.add("weekly_challenges", weekly_id=weekly.id, **row)
        sql = "DELETE FROM weekly_challenges WHERE weekly_id = ? AND ends_at < ?"
        await conn.execute(sql, [weekly.id, self._now - KEPT_SECONDS])
        (found,) = await _challenges(conn, "WHERE weekly_id = ? AND week = ?", [weekly.id, week])
        return found

    async def find(self, challenge_id: int, channel_id: int | None) -> Challenge | None:
        """Return a challenge of a channel."""
        where = "WHERE weekly_challenges.id = ? AND channel_id = ?"
        return next(iter(await _challenges(self._db, where, [challenge_id, channel_id])), None)

    async def latest(self, channel_id: int) -> Challenge | None:
        """Return a channel's newest challenge."""
        where = "WHERE channel_id = ? ORDER BY week DESC LIMIT 1"
        return next(iter(await _challenges(self._db, where, [channel_id])), None)

    async def unfinished(self, weekly: Weekly) -> list[Challenge]:
        """Return the challenges that have just ended and have no card yet, the oldest first."""
        now = self._now
        where = "WHERE weekly_id = ? AND ends_at <= ? AND ends_at > ? AND card_id IS NULL"
        return await _challenges(
            self._db,
            f"{where} AND (card_at IS NULL OR card_at > ?) ORDER BY week",
            [weekly.id, now, now - LATE_SECONDS, now - SENDING_SECONDS],
        )

    async def claim(self, challenge: Challenge, what: Message) -> bool:
        """Note that a message is being sent; False if it was sent before, perhaps by a bot that was killed then."""
        now = self._now
        return bool(
            await self._db.execute(
                f"UPDATE weekly_challenges SET {what}_at = coalesce({what}_at, ?) WHERE id = ?"  # noqa: S608  # one of two words
                f" AND {what}_id IS NULL AND ({what}_at IS NULL OR {what}_at > ?)",
                [now, challenge.id, now - SENDING_SECONDS],
            )
        )

    async def sent(self, challenge: Challenge, what: Message, message_id: int) -> None:
        """Note the message that was sent."""
        news = {f"{what}_at": self._now, f"{what}_id": message_id}
        await self._db.change("weekly_challenges", {"id": challenge.id}, **news)

    async def unclaim(self, challenge: Challenge, what: Message) -> None:
        """Note that a message wasn't sent."""
        await self._db.change("weekly_challenges", {"id": challenge.id, f"{what}_id": None}, **{f"{what}_at": None})

    def opening(self, challenge: Challenge, user_id: int, day: str) -> OpeningHook:
        """Return what counts a try with the battle that it opens; RuleError if somebody had one that day."""

        async def count(conn: Connection, battle: Battle) -> None:
            of = {"challenge_id": challenge.id, "user_id": user_id}
            if not await conn.add("weekly_tries", **of, day=day, battle_id=battle.id, number=battle.number):
                raise RuleError("You have had your try today.")
            await conn.change("battles", {"id": battle.id}, bond=STANDS)

        return count

    async def answer(self, challenge: Challenge, user_id: int, day: str, score: Score) -> bool:
        """Note what somebody's answer was worth; return whether it is their first one of that day, which stays."""
        of = {"challenge_id": challenge.id, "user_id": user_id}
        return await self._db.add("weekly_tries", **of, day=day, **score.model_dump())

    async def carry_over(self, challenge: Challenge, user_id: int, day: str) -> bool:
        """Let somebody's answer to the same question elsewhere stand here, too; return whether there was one."""
        sql = (
            "INSERT INTO weekly_tries (challenge_id, user_id, day, points, rounds, text)"
            " SELECT here.id, user_id, day, points, rounds, text FROM weekly_challenges AS here"
            " JOIN weekly_challenges AS there ON there.week = here.week AND there.system = here.system"
            " AND there.setup = here.setup JOIN weekly_tries ON challenge_id = there.id"
            " WHERE here.id = ? AND user_id = ? AND day = ? AND battle_id IS NULL LIMIT 1 ON CONFLICT DO NOTHING"
        )
        return bool(await self._db.execute(sql, [challenge.id, user_id, day]))

    async def had(self, challenge: Challenge, user_id: int, day: str) -> Try | None:
        """Return somebody's try of a day."""
        return await self._db.find(Try, "weekly_tries", challenge_id=challenge.id, user_id=user_id, day=day)

    async def of_battle(self, battle_id: int) -> tuple[Try, Challenge] | None:
        """Return the try that a battle is, and its challenge."""
        tries = await self._db.fetch(Try, "weekly_tries", "WHERE battle_id = ?", [battle_id])
        where = "WHERE weekly_challenges.id = (SELECT challenge_id FROM weekly_tries WHERE battle_id = ?)"
        challenges = await _challenges(self._db, where, [battle_id])
        return next(zip(tries, challenges, strict=False), None)  # either may be gone by now

    async def missing(self) -> list[int]:
        """Return the closed battles that are tries and have no score yet, the first to end first."""
        return await closed_battles(self._db, "id IN (SELECT battle_id FROM weekly_tries WHERE points IS NULL)")

    async def going_on(self, challenge: Challenge) -> list[int]:
        """Return the battles of tries that have no score yet."""
        sql = "SELECT battle_id FROM weekly_tries WHERE challenge_id = ? AND points IS NULL"
        return await self._db.fetch_column(int, sql, [challenge.id])

    async def score(self, battle_id: int, score: Score | None) -> None:
        """Note what a try achieved, None if it doesn't count; what was noted before stays."""
        news = {"points": _OUT, "rounds": 0, "text": ""} if score is None else score.model_dump()
        await self._db.change("weekly_tries", {"battle_id": battle_id, "points": None}, **news)

    async def board(self, challenge: Challenge, total: Callable[[Sequence[Score]], Score] = best_of) -> list[Standing]:
        """Return what each person's tries come to, by `total`, the best first."""
        tries: dict[int, list[Score]] = defaultdict(list)
        for one in await self._db.fetch(Try, "weekly_tries", "WHERE challenge_id = ?", [challenge.id]):
            if one.score is not None:
                tries[one.user_id].append(one.score)
        totals = {user_id: total(scores) for user_id, scores in tries.items()}
        ordered = sorted(totals.items(), key=lambda each: (each[1].rank, each[0]))
        ranks = [score.rank for _, score in ordered]
        return [Standing(bisect_left(ranks, score.rank) + 1, user_id, score) for user_id, score in ordered]


async def _challenges(source: Statements, where: str, parameters: Parameters) -> list[Challenge]:
    rows = await source.fetch_all(f"{_CHALLENGES} {where}", parameters)
    return [
        Challenge(Weekly(number, guild_id, channel_id, system, bool(shared), next_at), *rest)
        for number, guild_id, channel_id, system, shared, next_at, *rest in rows
    ]
