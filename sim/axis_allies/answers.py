"""The answers to `/aacalc` and to the questions of `/aa`, with their cards and files, and what a file of army text is.

`answering` says which request answers a typed question.
"""

from typing import Self

from typing_extensions import override

from sim.axis_allies import requests as r
from sim.axis_allies.advice_reports import LuckReport, PurchaseReport, RetreatReport
from sim.axis_allies.army import Army
from sim.axis_allies.average import AverageRequest
from sim.axis_allies.cards import luck_card, need_card, odds_card, retreat_card
from sim.axis_allies.editions import DEFAULT, EditionName
from sim.axis_allies.odds import WrappingRequest
from sim.axis_allies.odds_report import OddsReport
from sim.axis_allies.parse import decode_text, fitting_edition, is_battle, parse_army, parse_question
from sim.axis_allies.parse.words import MAX_TEXT
from sim.axis_allies.question import MAX_SEARCH_SECONDS, Question
from sim.axis_allies.reports import CalcReport, battle_table, outcomes_table, transcript
from sim.axis_allies.waves import WaveCardRequest, WaveRequest
from sim.core import check_length
from sim.core.cards.values import Chances, DrawnCard
from sim.core.values import Request

SMART_GAIN = 0.005
"""Minimum change of a side's chance for which smart casualties are worth a line."""

_COMPARISON = 0.25  # of the time to search for orders, where nobody asked for them


class CalcRequest(WrappingRequest):
    """The answer to `/aacalc`: the average battle if the edition has one; the odds unless fractions rule them out."""

    asked = "odds"

    average: AverageRequest | None = None
    odds: r.OddsRequest | None = None

    @classmethod
    def of(cls, question: Question) -> Self:
        """Return the request for a battle; RuleError for what it can't be asked.

        Fractions of units have no dice, so that only the average battle is left of them.
        """
        fields = question.fields
        average = AverageRequest(**fields) if question.book.average else None
        if average is not None and not average.whole and not question.low_luck:
            return cls(average=average)
        return cls(average=average, odds=r.OddsRequest(**fields))

    @override
    def cost(self) -> float:
        average = 0.0 if self.average is None else self.average.cost()
        if self.odds is None:
            return average
        if self.odds.searched:  # once for both, and there is nothing to compare
            average -= 0.0 if self.average is None else self.average.search_seconds
            return average + self.odds.cost() + r.DRAWING_SECONDS
        return average + 2 * self.odds.cost() + _COMPARISON * MAX_SEARCH_SECONDS + r.DRAWING_SECONDS

    def run(self) -> CalcReport:
        """Calculate everything; TooMuchError if the average battle has no end."""
        if self.odds is None:
            return CalcReport(average=None if self.average is None else self.average.run())
        odds = self.odds.run(course=True)
        average = None if self.average is None else self.average.with_found(odds.found_orders).run()
        card = odds_card(odds, self.odds.bombard).drawn()
        return CalcReport(average=average, odds=odds, smart=self._smart(self.odds, odds), card=card)

    def _smart(self, request: r.OddsRequest, odds: OddsReport) -> Chances | None:
        """Compare with smart casualties if every order can be tried soon; a simulation is too coarse for that."""
        if odds.method == "simulated" or request.searched:
            return None
        update = {"casualties": "smart", "attacker_casualties": None, "defender_casualties": None}
        battle, found = request.model_copy(update=update).resolved(_COMPARISON)
        if not all(order.complete and order.settled for order in found):
            return None
        smart = battle.run()
        gains = (smart.p_attacker - odds.p_attacker, smart.p_defender - odds.p_defender)
        if smart.method == "simulated" or max(map(abs, gains)) < SMART_GAIN:
            return None
        return smart.p_attacker, smart.p_defender


class CalcFilesRequest(WrappingRequest):
    """The files of an answer to `/aacalc`."""

    asked = "calc"

    calc: CalcRequest

    @override
    def cost(self) -> float:
        return self.calc.cost()

    def run(self) -> dict[str, bytes]:
        """Return the files by name, all UTF-8.

        The average battle, if there is one, is `battle.txt`, `battle.csv` and `battle.json`; the odds, if there are
        any, are `odds.csv` (the likeliest results) and `odds.json` (the report).
        """
        battle: dict[str, str] = {}
        odds: dict[str, str] = {}
        average = self.calc.average
        if self.calc.odds is not None:
            chances = self.calc.odds.model_copy(update={"outcomes": r.MAX_OUTCOMES}).run(course=True)
            odds = {"odds.csv": outcomes_table(chances), "odds.json": chances.model_dump_json(indent=1) + "\n"}
            average = None if average is None else average.with_found(chances.found_orders)
        if average is not None:
            report = average.run()
            battle = {
                "battle.txt": transcript(report),
                "battle.csv": battle_table(report),
                "battle.json": report.model_dump_json(indent=1) + "\n",
            }
        return {name: text.encode() for name, text in (battle | odds).items()}


class AdviceRequest(WrappingRequest):
    """The answer to `/aa need`, `/aa retreat` or `/aa luck`: the report of `question` and its card."""

    asked = "question"

    question: r.PurchaseRequest | r.RetreatRequest | r.LuckRequest

    @override
    def cost(self) -> float:
        return self.question.cost() + r.DRAWING_SECONDS

    def run(self) -> tuple[PurchaseReport | RetreatReport | LuckReport, DrawnCard]:
        """Return the report, with the errors of the question, and the card."""
        match report := self.question.run():
            case PurchaseReport():
                return report, need_card(report).drawn()
            case RetreatReport():
                return report, retreat_card(report).drawn()
            case LuckReport():
                return report, luck_card(report).drawn()


class CheckRequest(Request):
    """Checks a file that should be army text in UTF-8: one army, or a battle with everything that is asked about it.

    `edition`: the one that is tried first where the text names none; then the nearest one that has its units.
    """

    max_seconds = 0.05

    content: bytes
    edition: EditionName = DEFAULT

    def run(self) -> tuple[Army, ...]:
        """Read the army, or the attacker's and the defender's.

        RuleError if the file is not text, TextError with every mistake and its position.
        """
        text = decode_text(self.content)
        check_length(text, MAX_TEXT)
        edition = fitting_edition(text, self.edition)
        if not is_battle(text):
            return (parse_army(text, edition),)
        question = parse_question(text, edition)
        attackers = (army for wave in question.waves for army in (wave.army, wave.bombard))
        return sum(attackers, Army()), question.defender


def answering(question: Question) -> CalcRequest | WaveCardRequest:
    """Return the request that answers a question; RuleError for what it can't be asked."""
    if question.one_battle:
        return CalcRequest.of(question)
    return WaveCardRequest(waves=WaveRequest(question=question))
