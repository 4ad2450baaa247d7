"""The tables of duels: players' characters, reworded messages, scores of dungeons."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from bot.store.database import Connection, Repository, Value, in_transaction
from bot.store.personal_data import PersonalTable
from bot.store.personal_tables import columns
from sim.core import RuleError
from sim.core.names import name_key
from sim.core.values import canonical
from sim.duel.critter import Critter

MAX_CHARACTERS = 20
"""Maximum number of characters per user."""

MAX_SCORES = 100
"""Maximum number of scores of a server, or of a user in direct messages, per system."""

CHARACTERS = PersonalTable(
    table="characters",
    user_column="owner_id",
    label=("character", "characters"),
    kept="of duels; until you dismiss them",
    exported=columns("name", "sheet", "created_at", json=("sheet",)),
    order="id DESC",
)
DUEL_WORDS = PersonalTable(
    table="duel_words",
    user_column="user_id",
    guild_column="guild_id",
    label=("message", "messages"),
    kept="of duels, reworded by you; until you reset them",
    deleted=("message of duels", "messages of duels"),
    key="words",
    exported=columns("message", "texts", json=("texts",)),
)
SCORES = PersonalTable(
    table="scores",
    user_column="user_id",
    batch_key="id",
    guild_column="guild_id",
    label=("score", "scores"),
    kept="in lists of the best; as long as they stay there",
    exported=columns("system", "guild_id", "name", "points", "told", "created_at"),
    order="id",
)

# The scores of a server, or of a user's direct messages, best first.
_BEST = (
    "WHERE system = ?1 AND CASE WHEN ?2 IS NULL THEN guild_id IS NULL AND user_id = ?3"
    " ELSE guild_id = ?2 END ORDER BY points DESC, id"
)
_DROP = f"DELETE FROM scores WHERE id IN (SELECT id FROM scores {_BEST} LIMIT 1000000 OFFSET ?4)"  # noqa: S608  # a constant


@dataclass(frozen=True, slots=True)
class Character:
    """A stored character."""

    id: int
    critter: Critter

    @property
    def name(self) -> str:
        """Its name."""
        return self.critter.name


class CharacterRepository(Repository):
    """Players' characters."""

    @in_transaction
    async def add(self, conn: Connection, owner_id: int, critter: Critter) -> Character:
        """Add a character; RuleError if the owner has one of that name, or the maximum number."""
        row = {**_columns(critter), "created_at": self._now}
        known = await conn.fetch_column(str, "SELECT name_key FROM characters WHERE owner_id = ?", [owner_id])
        if row["name_key"] in known:
            raise RuleError(
                "You already have a character of this name: choose another, or let it go in /duel characters."
            )
        if len(known) >= MAX_CHARACTERS:
            raise RuleError(
                f"You have {MAX_CHARACTERS} characters, the most you can keep: let one go in /duel characters."
            )
        return Character(await conn.numbered("characters", owner_id=owner_id, **row), critter)

    async def own(self, owner_id: int) -> list[Character]:
        """Return a user's characters, newest first."""
        rows = await self._db.fetch_all(
            "SELECT id, sheet FROM characters WHERE owner_id = ? ORDER BY id DESC", [owner_id]
        )
        return [Character(row["id"], Critter.model_validate_json(row["sheet"])) for row in rows]

    async def replace(self, owner_id: int, character_id: int, critter: Critter) -> bool:
        """Make another one of a user's character; return whether there was one."""
        which = {"id": character_id, "owner_id": owner_id}
        return await self._db.change("characters", which, **_columns(critter)) > 0

    async def delete(self, owner_id: int, character_id: int) -> bool:
        """Delete a user's character; return whether there was one."""
        return await self._db.drop("characters", id=character_id, owner_id=owner_id) > 0


def _columns(critter: Critter) -> dict[str, Value]:
    sheet = canonical(critter.model_dump(mode="json"))
    return {"name": critter.name, "name_key": name_key(critter.name), "sheet": sheet}


class DuelMessageRepository(Repository):
    """Reworded messages of a server, or of a user if `guild_id` is None."""

    async def get(self, guild_id: int | None, user_id: int) -> dict[str, list[str]]:
        """Return the texts of each reworded message by its name."""
        ((column, scope_id),) = _scope(guild_id, user_id).items()
        rows = await self._db.fetch_all(f"SELECT message, texts FROM duel_words WHERE {column} = ?", [scope_id])  # noqa: S608  # one of two constant columns
        return {row["message"]: json.loads(row["texts"]) for row in rows}

    @in_transaction
    async def put(
        self, conn: Connection, guild_id: int | None, user_id: int, words: Mapping[str, Sequence[str]]
    ) -> None:
        """Replace all reworded messages with these."""
        scope = _scope(guild_id, user_id)
        await conn.drop("duel_words", **scope)
        for message, texts in words.items():
            await conn.add("duel_words", **scope, message=message, texts=json.dumps(list(texts), ensure_ascii=False))


def _scope(guild_id: int | None, user_id: int) -> dict[str, int]:
    return {"user_id": user_id} if guild_id is None else {"guild_id": guild_id}


@dataclass(frozen=True, slots=True)
class ScoreEntry:
    """A hero's score; `told`: how it was earned."""

    user_id: int
    name: str
    points: int
    told: str


class ScoreRepository(Repository):
    """The lists of the best scores."""

    async def best(self, system: str, guild_id: int | None, user_id: int, limit: int) -> list[ScoreEntry]:
        """Return at most `limit` scores of a server, or of the user's direct messages, best first."""
        return await self._db.fetch(ScoreEntry, "scores", f"{_BEST} LIMIT ?4", [system, guild_id, user_id, limit])


async def write_scores(conn: Connection, battle_id: int, entries: Sequence[ScoreEntry], now: int) -> None:
    """Add a battle's scores, in the transaction that closes it; delete the lowest ones above the maximum number."""
    ((system, guild_id),) = await conn.fetch_all("SELECT system, guild_id FROM battles WHERE id = ?", [battle_id])
    for entry in entries:
        await conn.add("scores", system=system, guild_id=guild_id, created_at=now, **asdict(entry))
        await conn.execute(_DROP, [system, guild_id, entry.user_id, MAX_SCORES])
