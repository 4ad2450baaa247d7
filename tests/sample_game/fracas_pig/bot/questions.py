"""The question of `/pig chance`: its option, its form and its answer."""

from typing import Annotated

from bot.answers import Answer, PagedQuery
from bot.answers.document import EDIT, Document, Page
from bot.client import Client
from bot.ui.options import Entry, Option
from fracas_pig.odds import MOST, Chance, HoldAt
from sim.workers.queue import Caller


class ChanceQuery(PagedQuery):
    """Asks how likely a turn that holds at so many points is lost."""

    stored_as = "pig-chance"

    hold_at: Annotated[HoldAt, Option("Points to hold at (usually 20)"), Entry("Hold at", hint=f"1 to {MOST}")] = 20

    def request(self) -> Chance:
        """Return the job that works it out."""
        return Chance(hold_at=self.hold_at)

    async def build(self, bot: Client, caller: Caller) -> Answer:
        """Return the chance, exactly as a file."""
        chance = await bot.simulator.run(self.request(), caller)
        text = f"Who holds at {self.hold_at} loses the turn to a 1 so often."
        document = Document(f"### 🐷 {float(chance):.1%}", 0xF783AC, [Page("The chance", lambda: text)], [EDIT])
        return Answer(document, lambda: {"chance.txt": str(chance).encode()})
