"""Stores what people chose for themselves: an emblem and a color, what they allow, and when they get their digest."""

import json
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass

from bot.store.database import Repository
from sim.core.cards.people import Crest


class PeopleRepository(Repository):
    """What people are known by."""

    async def chosen(self, user_ids: Collection[int]) -> Mapping[int, Crest]:
        """Return the crests of those among some people who chose one."""
        rows = await self._db.fetch_all(
            "SELECT user_id, emblem, color FROM people"
            " WHERE user_id IN (SELECT CAST(value AS BIGINT) FROM json_each(?))",
            [json.dumps([*user_ids])],
        )
        return {row["user_id"]: Crest.of(row["user_id"], row["emblem"], row["color"]) for row in rows}

    async def crest(self, user_id: int) -> Crest:
        """Return somebody's crest, chosen or not."""
        return (await self.chosen([user_id])).get(user_id) or Crest.of(user_id)

    async def allows_positions(self, user_id: int) -> bool:
        """Return whether positions of somebody's battles may be shown without names, as tasks for others."""
        return bool(await self._db.fetch_value(int, "SELECT positions FROM people WHERE user_id = ?", [user_id]))

    async def choose(self, user_id: int, crest: Crest, *, positions: bool) -> None:
        """Store somebody's crest, and whether they allow positions, in place of what was before."""
        allowed, color = int(positions), crest.color
        await self._db.put("people", "user_id", user_id=user_id, emblem=crest.emblem, color=color, positions=allowed)


@dataclass(frozen=True, slots=True)
class Digest:
    """When somebody gets the digest: at a minute of the day, on the wall clock of a zone.

    `next_at`: when the next one is due; None if they take no direct messages. `sent_at`: when the last one was sent.
    Without a zone it has ended, and is forgotten when it would be due: until then no second one is sent that day.
    """

    user_id: int
    minute: int
    zone: str
    next_at: int | None
    sent_at: int | None = None


_DUE_AT_ONCE = 100
_LONGEST_DAY = 25 * 60 * 60


class DigestRepository(Repository):
    """Who gets the digest, and when."""

    async def of(self, user_id: int) -> Digest | None:
        """Return somebody's choice; None if they get no digest."""
        return await self._db.find(Digest, "digests", user_id=user_id)

    async def due(self) -> list[Digest]:
        """Return those that are due, the longest overdue first."""
        which = "WHERE next_at <= ? ORDER BY next_at LIMIT ?"
        return await self._db.fetch(Digest, "digests", which, [self._now, _DUE_AT_ONCE])

    async def next_at(self) -> int | None:
        """Return when the next one is due, in Unix seconds; None for never."""
        return await self._db.fetch_value(int, "SELECT min(next_at) FROM digests")

    async def put(self, digest: Digest) -> None:
        """Store somebody's choice in place of the one before."""
        row = asdict(digest)
        del row["sent_at"]  # as it is, perhaps only just
        await self._db.put("digests", "user_id", **row)

    async def plan(self, digest: Digest, next_at: int, sent_at: int | None) -> bool:
        """Plan the next digest; return False if another process has, or the choice has changed since it was read."""
        read = {"user_id": digest.user_id, "next_at": digest.next_at}
        return await self._db.change("digests", read, next_at=next_at, sent_at=sent_at) > 0

    async def stop(self, user_id: int) -> None:
        """Send nothing more to somebody who takes no direct messages, until they choose again."""
        await self._db.change("digests", {"user_id": user_id}, next_at=None)

    async def forget(self, user_id: int) -> None:
        """Forget somebody's choice, at once if none was sent today."""
        ended = "UPDATE digests SET zone = '', next_at = sent_at + ?1 WHERE user_id = ?2 AND sent_at + ?1 > ?3"
        if not await self._db.execute(ended, [_LONGEST_DAY, user_id, self._now]):
            await self._db.drop("digests", user_id=user_id)
