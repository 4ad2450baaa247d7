"""Stores the emblem and the color that people chose for themselves."""

import json
from collections.abc import Collection, Mapping

from bot.store.database import Repository
from sim.core.cards.emblems import Crest


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

    async def choose(self, user_id: int, crest: Crest) -> None:
        """Store somebody's crest in place of the one before."""
        await self._db.execute(
            "INSERT INTO people (user_id, emblem, color) VALUES (?, ?, ?)"
            " ON CONFLICT (user_id) DO UPDATE SET emblem = excluded.emblem, color = excluded.color",
            [user_id, crest.emblem, crest.color],
        )
