"""The question of `/pig chance`: its option, its form and its answer."""

from typing import Annotated

from discord import app_commands

from bot.answers.document import EDIT, Document, Page
from bot.answers.handler import Entry, Query, QueryHandler
from bot.ui.options import Option
from bot.ui.progress import Progress
from fracas_pig.odds import MOST, Chance
from sim.workers import Caller


class ChanceQuery(Query):
    """Asks how likely a turn that holds at so many points is lost."""

    hold_at: Annotated[
        int,
        Option("The points that you hold at (usually 20)", app_commands.Range[int, 1, MOST]),
        Entry("Hold at", hint=f"1 to {MOST}", limits=(1, MOST)),
    ] = 20

    def request(self) -> Chance:
        """Return the job that works it out."""
        return Chance(hold_at=self.hold_at)


class ChanceHandler(QueryHandler[ChanceQuery]):
    """Answers `/pig chance`."""

    kind = "pig-chance"
    query = ChanceQuery

    async def build_document(self, query: ChanceQuery, caller: Caller, _progress: Progress) -> Document:
        """Return the chance."""
        chance = await self._bot.simulator.run(query.request(), caller)
        text = f"Who holds at {query.hold_at} loses the turn to a 1 so often."
        return Document(f"### 🐷 {float(chance):.1%}", 0xF783AC, [Page("The chance", lambda: text)], [EDIT])

    async def build_files(self, query: ChanceQuery, caller: Caller) -> dict[str, bytes]:
        """Return the exact chance."""
        return {"chance.txt": str(await self._bot.simulator.run(query.request(), caller)).encode()}
