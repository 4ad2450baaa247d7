"""`/boss list`, and who leads against each boss."""

from dataclasses import dataclass

from bot.answers.document import Document
from bot.answers.handler import QueryHandler
from bot.answers.query import Query
from bot.client import Client
from bot.games.boss_fight.bosses import BossRepository, Home
from bot.games.boss_fight.given import forged_at, forged_named
from bot.games.boss_fight.records import BossRecordRepository
from bot.games.boss_fight.render.bosses import bosses_book, leaders_text
from bot.ui.progress import Progress
from sim.boss_fight.csv_files import write_bosses
from sim.boss_fight.values import KNOWN_BOSSES, Boss
from sim.core.errors import RuleError
from sim.workers import Caller

_MOST_LEADERS = 15


class ListQuery(Query):
    """Where the bosses are at home; `name`: the one to show with its picture."""

    guild_id: int | None
    user_id: int
    name: str | None = None


@dataclass(frozen=True, slots=True)
class ListedBoss:
    """A boss as the list has it."""

    boss: Boss
    maker_id: int | None
    portrait: bytes | None


class ListHandler(QueryHandler[ListQuery]):
    """Answers `/boss list`."""

    kind = "boss-list"
    query = ListQuery
    has_form = False

    async def check(self, _query: ListQuery, _caller: Caller) -> None:
        """Nothing is typed but a name, which was looked up."""

    async def build_document(self, query: ListQuery, _caller: Caller, _progress: Progress) -> Document:
        """Return the bosses' pages."""
        return bosses_book(await self._listed(query))

    async def build_files(self, query: ListQuery, _caller: Caller) -> dict[str, bytes]:
        """Return the bosses as a CSV file, which /boss forge reads."""
        return {"bosses.csv": write_bosses(tuple(listing.boss for listing in await self._listed(query)))}

    async def _listed(self, query: ListQuery) -> list[ListedBoss]:
        home = Home(query.guild_id, query.user_id)
        if query.name is None:
            forged = await forged_at(self._bot, home)
            own = [ListedBoss(boss, None, None) for boss in KNOWN_BOSSES]
            return [*own, *(ListedBoss(forged_boss.boss, forged_boss.kept.maker_id, None) for forged_boss in forged)]
        found = await forged_named(self._bot, home, query.name)
        if found is None:
            known = [boss for boss in KNOWN_BOSSES if boss.name == query.name]
            if not known:
                raise RuleError("This boss is no longer there.")
            return [ListedBoss(known[0], None, None)]
        return [
            ListedBoss(found.boss, found.kept.maker_id, await self._bot.services[BossRepository].picture(found.kept))
        ]


async def leaders(bot: Client, guild_id: int) -> str:
    """Return who leads against each boss in a server."""
    records = bot.services[BossRecordRepository]
    bosses = await records.bosses(guild_id)
    listed = [
        (
            name,
            times,
            await records.best(guild_id, name, times, "score", 1),
            await records.best(guild_id, name, times, "damage", 1),
        )
        for name, times in bosses[:_MOST_LEADERS]
    ]
    return leaders_text(listed, len(bosses) - len(listed))
