"""The card of a purchase for several fronts: what goes where, and how often each territory is taken."""

from collections.abc import Iterator

from typing_extensions import override

from sim.axis_allies.choices import Choice, draw_choices
from sim.axis_allies.spending import Aim, FrontPlan, SpendReport
from sim.core.cards.card import Card
from sim.core.cards.draw import CardRequest
from sim.core.numbers import percent


class SpendCardRequest(CardRequest):
    """Draws the card of a report: a row for each front, with what is sent there and the chance to take it."""

    max_seconds = 0.05

    report: SpendReport

    @override
    def draw(self) -> Card:
        report, best = self.report, self.report.best
        choices = [
            Choice(
                sign=f"{plan.front + 1}",
                words=report.words(plan),
                units=plan.units + plan.planes,
                figure=percent(plan.p_takes) if plan.attacks else "-",
                share=plan.p_takes,
                good=plan.attacks,
            )
            for plan in best.purchases
        ]
        title = f"Spend {best.ipc:,} of {report.budget:,} IPC"
        return draw_choices(title, worth_words(report), " ".join(plan_words(report)), choices)


def worth_words(report: SpendReport) -> str:
    """Return what the best plan is worth: "worth 14.69 of 17 IPC"."""
    if report.aim is Aim.SWING:
        return f"worth {report.best.worth:,.2f} IPC"
    return f"worth {report.best.worth:,.2f} of {sum(front.value for front in report.fronts):,g} IPC"


def front_words(report: SpendReport, plan: FrontPlan) -> str:
    """Return what a plan does at a front as a sentence without its period."""
    done = "won" if report.fronts[plan.front].at_sea else "taken"
    takes = f"{done} {percent(plan.p_takes)} of the time" if plan.attacks else "worth nothing now"
    return f"Front {plan.front + 1}: {report.words(plan)}, {takes}, gains {plan.gain:,.2f}"


def plan_words(report: SpendReport) -> Iterator[str]:
    """Yield what the best plan buys and what it does at each front, in sentences."""
    yield f"Buy {report.best.words()}."
    yield from (f"{front_words(report, each)}." for each in report.best.purchases)
