"""`/duel characters`: a player's own, as sheets and as a roster's file."""

from functools import partial
from typing import TYPE_CHECKING

from bot.answers.document import Document, Page
from bot.answers.handler import QueryHandler, Query
from bot.games.duel.people import People
from bot.games.duel.render.sheet import line, sheet
from bot.ui.progress import Progress
from bot.ui.text import counted, shortened
from sim.core.errors import RuleError
from sim.duel.battle import GROUP_1
from sim.duel.critter import Critter
from sim.duel.roster import Roster, RosterSide, write_roster
from sim.workers import Caller

if TYPE_CHECKING:
    from bot.app import Fracas

_COLOUR = 0x4DABF7
_MOST_TITLE = 100


class CharactersQuery(Query):
    """Whose characters; where `name` is given, one of them alone."""

    owner_id: int
    name: str | None = None


class CharactersHandler(QueryHandler[CharactersQuery]):
    """Answers `/duel characters`: who is kept now, not who was when it was asked."""

    kind = "duel-characters"
    question = CharactersQuery
    has_form = False

    def __init__(self, bot: "Fracas", people: People) -> None:
        super().__init__(bot)
        self._people = people

    async def check(self, question: CharactersQuery, _caller: Caller) -> None:
        """Look whether there is anybody."""
        await self._critters(question)

    async def work_out(self, question: CharactersQuery, _caller: Caller, _progress: Progress) -> Document:
        """Return a page with all of them, and a sheet each."""
        critters = await self._critters(question)
        leaves = [Page(shortened(one.name, _MOST_TITLE), partial(sheet, one)) for one in critters]
        headline = f"### 🧍 {counted(len(critters), 'character')} of <@{question.owner_id}>"
        if len(critters) > 1:
            everybody = "\n".join(f"- {line(one)}" for one in critters)
            leaves.insert(0, Page("All of them", lambda: everybody))
        return Document(headline, _COLOUR, leaves)

    async def write(self, question: CharactersQuery, _caller: Caller) -> dict[str, bytes]:
        """Return a roster of them, such as `/duel groups` takes."""
        side = RosterSide(name=GROUP_1, critters=tuple(await self._critters(question)))
        return {"Characters.csv": write_roster(Roster(sides=(side,)))}

    async def _critters(self, question: CharactersQuery) -> list[Critter]:
        if question.name is not None:
            return [(await self._people.find(question.owner_id, question.name))[1]]
        found = [critter for _, critter in await self._people.own(question.owner_id)]
        if not found:
            raise RuleError("There is no character yet; /duel roll makes one.")
        return found
