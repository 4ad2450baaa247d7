"""The war room, `/aa spend`: what to buy for several fronts at once."""

from collections.abc import Iterator
from typing import Annotated

from pydantic import Field

from bot.answers.document import EDIT, Document, Page
from bot.answers.handler import Entry
from bot.games.axis_allies.advice import AdviceHandler
from bot.games.axis_allies.options import ARMY, MAX_TYPED, UNITS, EditionField, EditionQuery
from bot.games.axis_allies.render import COLOURS, battle_line
from bot.ui.options import Option
from bot.ui.text import Picture
from sim.axis_allies.army import pictured, pictured_army
from sim.axis_allies.editions import DEFAULT
from sim.axis_allies.parse.fronts import EXAMPLE, read_fronts, read_planes, read_units
from sim.axis_allies.parse.words import MAX_TEXT
from sim.axis_allies.question import Wave
from sim.axis_allies.spend_card import SpendCardRequest, front_words
from sim.axis_allies.spending import MAX_BUDGET, Aim, SpendReport, SpendRequest
from sim.core.cards.values import DrawnCard
from sim.core.values import Side
from sim.workers import Caller

AIMS = {Aim.TERRITORY.value: "The territories", Aim.SWING.value: "The territories and the IPC that both sides lose"}


class SpendQuery(EditionQuery):
    """Options of `/aa spend`; `budget` in IPC."""

    naming = ("fronts",)

    budget: Annotated[int, Field(ge=0, le=MAX_BUDGET), Option("What you can spend, in IPC"), Entry("Budget in IPC")]
    fronts: Annotated[
        str,
        Option(f"Up to 8 battles with what each is worth: {EXAMPLE}", ARMY),
        Entry("Fronts, one a line", MAX_TEXT, f"such as: {EXAMPLE}", long=True),
    ]
    units: Annotated[
        str | None,
        Option("What you can buy, such as: inf, art, tank (usually every land unit)", UNITS),
        Entry("Units to buy from", MAX_TYPED, "left empty: all land units"),
    ] = None
    planes: Annotated[
        str | None,
        Option("Planes that reach several fronts, such as: 2 fighters: 1, 3; 1 bomber: all"),
        Entry("Planes that reach several fronts", MAX_TYPED, "such as: 2 fighters: 1, 3; 1 bomber: all"),
    ] = None
    aim: Annotated[Aim, Option("What counts (usually the territories)", choices=AIMS)] = Aim.TERRITORY
    edition: EditionField = DEFAULT

    def request(self) -> SpendRequest:
        """Read the fronts; RuleError that names the front."""
        fronts = read_fronts(self.fronts, self.fitting)
        edition = fronts[0].edition
        return SpendRequest(
            budget=self.budget,
            fronts=fronts,
            units=() if self.units is None else read_units([self.units], edition),
            planes=() if self.planes is None else tuple(read_planes(self.planes, edition, len(fronts))),
            aim=self.aim,
        )


def _front_lines(report: SpendReport) -> Iterator[str]:
    for number, front in enumerate(report.fronts, 1):
        wave = Wave(army=front.attacker, bombard=front.bombard)
        yield f"{number}. {battle_line([wave], front.defender)}, worth {front.value:,g}"


def _plan_lines(report: SpendReport) -> Iterator[str]:
    for plan in (report.best, *report.others):
        yield f"**{pictured(plan.words())}**"
        yield from (f"-# {pictured(front_words(report, each))}" for each in plan.purchases)


class SpendHandler(AdviceHandler[SpendQuery, SpendReport]):
    """Answers `/aa spend`."""

    kind = "aa-spend"

    def render(self, report: SpendReport, card: Picture) -> Document:
        """Return the best plan as a card, the next ones, and the fronts as they were understood."""
        pages = [
            Page("Best plan", lambda: "", card),
            Page("Plans", lambda: "\n".join(_plan_lines(report))),
            Page("Fronts", lambda: "\n".join(_front_lines(report))),
        ]
        words = pictured_army(report.best.bought()) or "Nothing to buy"
        return Document(f"🛒 **{words}**", COLOURS[Side.ATTACKER], pages, [EDIT])

    async def calculate(self, query: SpendQuery, caller: Caller) -> tuple[SpendReport, DrawnCard]:
        """Return the report, weighed front by front, and its card."""
        request = query.request()
        report = await self._bot.simulator.through(request, lambda: self._bot.simulator.in_parts(request, caller))
        return report, await self._bot.simulator.run(SpendCardRequest(report=report), caller)
