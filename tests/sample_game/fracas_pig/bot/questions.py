"""The question of `/pig chance`: its option, its form and its answer."""

from fractions import Fraction
from typing import Annotated

from bot.answers.document import EDIT, Document, Page
from bot.answers.handler import Entry, Query, QueryHandler
from bot.ui.options import Option
from fracas_pig.odds import MOST, Chance, HoldAt
from sim.workers.queue import Caller


class ChanceQuery(Query):
    """Asks how likely a turn that holds at so many points is lost."""

    hold_at: Annotated[HoldAt, Option("Points to hold at (usually 20)"), Entry("Hold at", hint=f"1 to {MOST}")] = 20

    def request(self) -> Chance:
        """Return the job that works it out."""
        return Chance(hold_at=self.hold_at)


class ChanceHandler(QueryHandler[ChanceQuery, Fraction]):
    """Answers `/pig chance`."""

    kind = "pig-chance"

    async def document(self, query: ChanceQuery, chance: Fraction, _caller: Caller) -> Document:
        """Return the chance."""
        text = f"Who holds at {query.hold_at} loses the turn to a 1 so often."
        return Document(f"### 🐷 {float(chance):.1%}", 0xF783AC, [Page("The chance", lambda: text)], [EDIT])

    async def files(self, _query: ChanceQuery, chance: Fraction, _caller: Caller) -> dict[str, bytes]:
        """Return the exact chance."""
        return {"chance.txt": str(chance).encode()}
