"""`/duel characters`: a player's own, as sheets and as a roster's file."""

from functools import partial

from bot.answers.document import Document, Page
from bot.answers.handler import QueryHandler
from bot.answers.query import Query
from bot.client import Client
from bot.games.duel.people import People
from bot.games.duel.render.sheet import line, sheet
from bot.ui.limits import MAX_CHOICE
from bot.ui.progress import Progress
from bot.ui.text import counted, shortened
from sim.core.errors import RuleError
from sim.duel.battle.values import GROUP_1
from sim.duel.critter import Critter
from sim.duel.roster import Roster, RosterSide, write_roster
from sim.workers import Caller

_COLOUR = 0x4DABF7


class CharactersQuery(Query):
    """Whose characters; where `name` is given, one of them alone."""

    owner_id: int
    name: str | None = None


class CharactersHandler(QueryHandler[CharactersQuery]):
    """Answers `/duel characters`: who is kept now, not who was when it was asked."""

    kind = "duel-characters"
    query = CharactersQuery
    has_form = False

    def __init__(self, bot: Client, people: People) -> None:
        super().__init__(bot)
        self._people = people

    async def check(self, query: CharactersQuery, _caller: Caller) -> None:
        """Look whether there is anybody."""
        await self._critters(query)

    async def build_document(self, query: CharactersQuery, _caller: Caller, _progress: Progress) -> Document:
        """Return a page with all of them, and a sheet each."""
        critters = await self._critters(query)
        pages = [Page(shortened(critter.name, MAX_CHOICE), partial(sheet, critter)) for critter in critters]
        headline = f"### 🧍 {counted(len(critters), 'character')} of <@{query.owner_id}>"
        if len(critters) > 1:
            everybody = "\n".join(f"- {line(critter)}" for critter in critters)
            pages.insert(0, Page("All of them", lambda: everybody))
        return Document(headline, _COLOUR, pages)

    async def build_files(self, query: CharactersQuery, _caller: Caller) -> dict[str, bytes]:
        """Return a roster of them, such as `/duel groups` takes."""
        side = RosterSide(name=GROUP_1, critters=tuple(await self._critters(query)))
        return {"Characters.csv": write_roster(Roster(sides=(side,)))}

    async def _critters(self, query: CharactersQuery) -> list[Critter]:
        if query.name is not None:
            return [(await self._people.find(query.owner_id, query.name))[1]]
        found = [critter for _, critter in await self._people.own(query.owner_id)]
        if not found:
            raise RuleError("There is no character yet; /duel roll makes one.")
        return found
