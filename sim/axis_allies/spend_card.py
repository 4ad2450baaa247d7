"""The card of a purchase for several fronts: what goes where, and how often each territory is taken."""

from collections.abc import Iterator

from typing_extensions import override

from sim.axis_allies.silhouettes import Lines
from sim.axis_allies.spending import Aim, FrontPlan, SpendReport
from sim.core.cards import parts
from sim.core.cards.card import Card
from sim.core.cards.draw import CardRequest
from sim.core.cards.parts import LEFT, LINE, RIGHT
from sim.core.cards.theme import HEAD, INK, NEUTRAL, ORANGE, SOFT, TEXT, TROUGH
from sim.core.numbers import percent

_NUMBER, _FIGURES, _BAR, _GAP = 56, 190, 16, 26


class SpendCardRequest(CardRequest):
    """Draws the card of a report: a row for each front, with what is sent there and the chance to take it."""

    max_seconds = 0.05

    report: SpendReport

    @override
    def draw(self) -> Card:
        report, best = self.report, self.report.best
        room = RIGHT - LEFT - _NUMBER - _FIGURES
        rows = [(each, Lines.of(each.units + each.planes, room, 2)) for each in best.purchases]
        heights = [LINE * max(1, len(lines.units)) + _BAR + _GAP for _, lines in rows]
        title, aside = f"Spend {best.ipc:,} of {report.budget:,} IPC", worth_words(report)
        top = parts.below(title, aside)
        card = Card(top + sum(heights) + 8, " ".join(plan_words(report)))
        parts.headline(card, [(title, INK)], aside)
        for (plan, lines), height in zip(rows, heights, strict=True):
            base = top + 36
            card.text(LEFT, base, f"{plan.front + 1}", HEAD, INK)
            lines.draw(card, LEFT + _NUMBER, base, ORANGE)
            if not (plan.units or plan.planes):
                card.text(LEFT + _NUMBER, base, report.words(plan), TEXT, SOFT)
            chance = percent(plan.p_takes) if plan.attacks else "-"
            card.text(RIGHT, base, chance, TEXT, ORANGE if plan.attacks else NEUTRAL, bold=True, align="right")
            foot = top + height - _GAP
            shares = [(plan.p_takes, ORANGE), (1 - plan.p_takes, TROUGH)]
            card.segments((LEFT + _NUMBER, foot - _BAR, RIGHT, foot), shares, radius=8)
            top += height
        return card


def worth_words(report: SpendReport) -> str:
    """Return what the best plan is worth: "worth 14.69 of 17 IPC"."""
    if report.aim is Aim.SWING:
        return f"worth {report.best.worth:,.2f} IPC"
    return f"worth {report.best.worth:,.2f} of {sum(front.value for front in report.fronts):,g} IPC"


def front_words(report: SpendReport, plan: FrontPlan) -> str:
    """Return what a plan does at a front as a sentence without its period."""
    takes = f"taken {percent(plan.p_takes)} of the time" if plan.attacks else "worth nothing now"
    return f"Front {plan.front + 1}: {report.words(plan)}, {takes}, gains {plan.gain:,.2f}"


def plan_words(report: SpendReport) -> Iterator[str]:
    """Yield what the best plan buys and what it does at each front, in sentences."""
    yield f"Buy {report.best.words()}."
    yield from (f"{front_words(report, each)}." for each in report.best.purchases)
