"""Questions of Axis & Allies for advice, `/aa need`, `retreat`, `luck`, `spend`: options, forms and answers."""

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated, Any

from discord import app_commands
from pydantic import Field

from bot.answers import Answer, PagedQuery, json_of
from bot.answers.document import EDIT, Document, Page
from bot.client import Client
from bot.games.axis_allies import options as o
from bot.games.axis_allies import render as r
from bot.ui import Picture, code_block
from bot.ui.options import Entry, Option
from sim.axis_allies import advice_reports as a
from sim.axis_allies import spending as s
from sim.axis_allies.answers import AdviceRequest
from sim.axis_allies.army import Army, pictured, pictured_army
from sim.axis_allies.cards import SHOWN
from sim.axis_allies.editions import DEFAULT
from sim.axis_allies.odds import Searches
from sim.axis_allies.parse import parse_army, parse_question, without_edition
from sim.axis_allies.parse.words import MAX_TEXT
from sim.axis_allies.question import MAX_ROUNDS, NEVER, RoundLimit, Wave
from sim.axis_allies.requests import MAX_TERRITORY, LuckRequest, PurchaseRequest, RetreatRequest
from sim.axis_allies.spending import front_words, spend_card
from sim.core import RuleError
from sim.core.cards.values import DrawnCard
from sim.core.numbers import percent, quantity
from sim.core.values import Side
from sim.workers.queue import Caller

HUNDRED = 100

_NOBODY = frozenset({"", "0", "-", "none", "nothing", "nobody", "no one"})
_MIDDLE = 50.0


def _so_far(side: str, example: str) -> tuple[Option, Entry]:
    told = f"The {side} so far, such as: {example} (or: nobody)"
    return Option(told, o.ARMY), Entry(side.capitalize(), MAX_TEXT, long=True)


def _left(side: str, example: str) -> tuple[Option, Entry]:
    told = f"What the {side} had left, such as: {example} (usually nothing)"
    return Option(told, o.ARMY), Entry(f"What the {side} had left", MAX_TEXT, "left empty: nothing")


def parse_optional_army(text: str | None, edition: str) -> Army:
    """Read an army that may be empty: no text, or a word for nobody. TextError as in `parse_army`."""
    if text is None or without_edition(text).casefold() in _NOBODY:
        return Army(edition=edition)
    return parse_army(text, edition)


class AdviceQuery(PagedQuery, o.EditionQuery):
    """Is answered from one report, the only file, and its card; the command below `/aa` names both."""

    async def advise(self, bot: Client, caller: Caller) -> tuple[Any, DrawnCard]:
        """Return the report, that of the question, and its card."""
        request: Searches[Any] = AdviceRequest(question=self.request())
        found: tuple[Any, DrawnCard] = await o.answered(bot.simulator, request, caller)
        return found

    @abstractmethod
    def render(self, report: Any, card: Picture) -> Document:  # noqa: ANN401  # of the question's own type
        """Return the answer without its edition."""

    async def build(self, bot: Client, caller: Caller) -> Answer:
        """Render the report."""
        name = self.stored_as.removeprefix("aa-")
        report, card = await self.advise(bot, caller)
        document = self.render(report, Picture.of(f"{name}.png", card))
        first, *others = document.pages
        foot = [self.edition_line, *r.note_lines(self.saved_notes)]
        told = replace(first, written=lambda: filter(None, [first.text(), *foot]))
        return Answer(replace(document, pages=[told, *others]), lambda: {f"{name}.json": json_of(report)})


def _line(report: a.BattleAdvice) -> str:
    return r.battle_line([Wave(army=report.attacker, bombard=report.bombard)], report.defender)


def _foot(report: a.BattleAdvice) -> Iterator[str]:
    """Yield what to know besides the picture."""
    yield from (f"{r.FOUND} {order}" for order in report.order_words())
    yield from r.note_lines(report.notes)


class PurchaseQuery(AdviceQuery):
    """Options of `/aa need`; `chance` in percent."""

    stored_as = "aa-need"
    naming = ("attacker", "defender")

    attacker: Annotated[str, *_so_far("attacker", "6 tanks, 2 inf")]
    defender: Annotated[str, *_so_far("defender", "10 inf, 1 ftr")]
    chance: Annotated[
        float,
        Field(gt=0, lt=HUNDRED),
        Option("Your target odds of winning, in percent: 75", app_commands.Range[float, 0.1, 99.9]),
    ]
    side: Annotated[
        Side,
        Option("Whom to reinforce (usually the attacker)", choices={side.value: side.capitalize() for side in Side}),
    ] = Side.ATTACKER
    units: Annotated[
        str | None,
        Option("What you can buy, such as: inf, tank (usually every land or sea unit)", o.UNITS),
        Entry("Units to buy from", MAX_TEXT, "left empty: all units of its kind"),
    ] = None
    edition: o.EditionField = DEFAULT
    casualties: o.CasualtiesField = None
    take_territory: o.TakeTerritory = False

    def request(self) -> PurchaseRequest:
        """Read both armies and what may be bought; RuleError, TextError with the position."""
        edition = self.fitting
        return PurchaseRequest(
            attacker=parse_optional_army(self.attacker, edition),
            defender=parse_optional_army(self.defender, edition),
            chance=self.chance / HUNDRED,
            side=self.side,
            units=() if self.units is None else s.read_units([self.units], edition),
            casualties=self.casualties,
            must_take=self.take_territory,
        )

    def render(self, report: a.PurchaseReport, card: Picture) -> Document:
        """Return the cheapest purchase and alternatives, all of them on the card."""
        others = report.others[SHOWN:]
        lines = [*_foot(report)]
        lines += [f"Or {pictured_army(each.units)} for {each.ipc:,} IPC: {percent(each.chance)}" for each in others]
        if not report.already:
            battles = quantity(report.battles, "battle")
            lines.append(f"-# Nothing cheaper is enough: {battles} checked, all up to {report.looked_up_to:,} IPC.")
        pages = [Page("Purchases", lines, card)]
        return Document(_line(report), r.COLOURS[report.side], pages, [EDIT])


def _round_lines(report: a.RetreatReport) -> Iterator[str]:
    bonus = f", plus {report.territory:,} for the territory" if report.territory else ""
    yield f"{report.worth_words()}."
    yield "**Net IPC still to come**"
    rows = ["after     still  to the  best", "round       on     end  plan   then"]
    for round_ in report.rounds:
        goes_on = round_.advice is a.Advice.GO_ON
        word = ("go on" if goes_on else "pull out") if round_.number else "attack" if goes_on else "stay out"
        on = "<1%" if round_.p_on < 0.01 else f"{100 * round_.p_on:.0f}%"  # noqa: PLR2004  # what a whole percent shows
        swings = f"{a.swing_text(round_.swing_fight_on):>7} {a.swing_text(round_.swing_best):>6}"
        rows.append(f"{round_.number or 'start':<7} {on:>5} {swings} {word}")
    yield code_block("\n".join(rows))
    yield f"-# Net IPC: the defender's losses minus the attacker's{bonus}, on average."


def _state_lines(report: a.RetreatReport) -> Iterator[str]:
    yield "**The likeliest armies after round 1**"
    words = {a.Advice.GO_ON: "Go on: that", a.Advice.RETREAT: "Pull out: going on"}
    for state in report.states:
        left = {Side.ATTACKER: state.attacker, Side.DEFENDER: state.defender}
        armies = (f"{r.ICONS[side]} {r.counts_text(counts, report.attacker.book)}" for side, counts in left.items())
        yield f"{percent(state.p)} {' against '.join(armies)}"
        sign = "⚔️" if state.advice is a.Advice.GO_ON else "🏳️"
        yield f"-# {sign} {words[state.advice]} is worth {a.swing_text(state.swing_go_on)} IPC"


class RetreatQuery(AdviceQuery, o.OneBattleQuery):
    """Options of `/aa retreat`; `territory` in IPC."""

    stored_as = "aa-retreat"

    battle: Annotated[
        str,
        Option("Attacker vs defender; the next power's wave counts, too: 6 inf then 2 tanks vs 8 inf", o.BATTLES),
        o.BATTLE_ENTRY,
    ]
    territory: Annotated[int, Field(ge=0, le=MAX_TERRITORY), Option("What the territory is worth to you, in IPC")] = 0
    edition: o.EditionField = DEFAULT
    casualties: o.CasualtiesField = None
    stop_after: Annotated[RoundLimit | None, Option(f"Stop after this many rounds (1 to {MAX_ROUNDS})")] = None
    take_territory: o.TakeTerritory = False

    def request(self) -> RetreatRequest:
        """Read the battle; RuleError, TextError with every mistake and its position."""
        question = parse_question(self.battle, self.fitting).with_options(
            casualties=self.casualties, stop_after=self.stop_after, must_take=self.take_territory or None
        )
        return RetreatRequest.of(question, self.territory)

    def render(self, report: a.RetreatReport, card: Picture) -> Document:
        """Return whether to attack, and whether to go on after each round and with the likeliest armies."""
        pages = [
            Page("Advice", lambda: [f"**{report.words()}.**", *_foot(report)], card),
            Page("Round by round", lambda: _round_lines(report)),
        ]
        if report.states:
            pages.append(Page("After round 1", lambda: _state_lines(report)))
        colour = r.COLOURS[Side.ATTACKER if report.advice is a.Advice.GO_ON else Side.DEFENDER]
        return Document(_line(report), colour, pages, [EDIT])


class LuckQuery(AdviceQuery, o.OneBattleQuery):
    """Options of `/aa luck`."""

    stored_as = "aa-luck"
    others = ("attacker_left", "defender_left")

    battle: Annotated[
        str,
        Option("The armies before the battle, such as: 6 tanks, 2 inf vs 10 inf, 1 ftr", o.BATTLES),
        o.BATTLE_ENTRY,
    ]
    attacker_left: Annotated[str | None, *_left("attacker", "2 tanks")] = None
    defender_left: Annotated[str | None, *_left("defender", "3 inf")] = None
    edition: o.EditionField = DEFAULT
    casualties: o.CasualtiesField = None
    stop_after: Annotated[RoundLimit | None, Option("If the battle stopped early: after how many rounds")] = None

    def request(self) -> LuckRequest:
        """Read the battle and what was left; RuleError, TextError with every mistake and its position."""
        question = parse_question(self.battle, self.fitting).with_options(
            casualties=self.casualties, stop_after=self.stop_after
        )
        if not question.one_battle or question.withdrawal != NEVER:
            raise RuleError("Here one attacker meets the defender: leave out waves, retreats and a counterattack.")
        left = {"attacker_left": self.attacker_left, "defender_left": self.defender_left}
        return LuckRequest(
            **question.fields,
            **{name: parse_optional_army(text, question.edition) for name, text in left.items()},
        )

    def render(self, report: a.LuckReport, card: Picture) -> Document:
        """Return how lucky the attacker was."""
        colour = r.COLOURS[Side.ATTACKER if report.attacker_luck > _MIDDLE else Side.DEFENDER]
        chances = {
            "This result or better": report.p_as_good,
            "This result or worse": report.p_as_bad,
            "Exactly these armies left": report.p_exactly,
        }
        lines = [
            f"**Attacker's luck: {report.attacker_luck:.1f} of 100.** 50 is average.",
            *(f"{what}: {percent(chance, certain=chance >= 1)}" for what, chance in chances.items()),
            "-# Results compare by net IPC: the defender's losses minus the attacker's.",
        ]
        pages = [Page("Luck", lambda: _foot(report), card), Page("In numbers", lines)]
        return Document(_line(report), colour, pages, [EDIT])


_AIMS = {
    s.Aim.TERRITORY.value: "The territories",
    s.Aim.SWING.value: "The territories and the IPC that both sides lose",
}


class SpendQuery(AdviceQuery):
    """Options of `/aa spend`; `budget` in IPC."""

    stored_as = "aa-spend"
    naming = ("fronts",)

    budget: Annotated[int, Field(ge=0, le=s.MAX_BUDGET), Option("What you can spend, in IPC"), Entry("Budget in IPC")]
    fronts: Annotated[
        str,
        Option(f"Up to 8 battles with what each is worth: {s.FRONTS_EXAMPLE}", o.ARMY),
        Entry("Fronts, one a line", MAX_TEXT, f"such as: {s.FRONTS_EXAMPLE}", long=True),
    ]
    units: Annotated[
        str | None,
        Option("What you can buy, such as: inf, art, tank (usually every land unit)", o.UNITS),
        Entry("Units to buy from", o.MAX_TYPED, "left empty: all land units"),
    ] = None
    planes: Annotated[
        str | None,
        Option("Planes that reach several fronts, such as: 2 fighters: 1, 3; 1 bomber: all"),
        Entry("Planes that reach several fronts", o.MAX_TYPED, "such as: 2 fighters: 1, 3; 1 bomber: all"),
    ] = None
    aim: Annotated[s.Aim, Option("What counts (usually the territories)", choices=_AIMS)] = s.Aim.TERRITORY
    edition: o.EditionField = DEFAULT

    def request(self) -> s.SpendRequest:
        """Read the fronts; RuleError that names the front."""
        fronts = s.read_fronts(self.fronts, self.fitting)
        edition = fronts[0].edition
        return s.SpendRequest(
            budget=self.budget,
            fronts=fronts,
            units=() if self.units is None else s.read_units([self.units], edition),
            planes=() if self.planes is None else tuple(s.read_planes(self.planes, edition, len(fronts))),
            aim=self.aim,
        )

    def render(self, report: s.SpendReport, card: Picture) -> Document:
        """Return the best plan as a card, the next ones, and the fronts as they were understood."""
        plans, fronts = [], []
        for plan in (report.best, *report.others):
            plans.append(f"**{pictured(plan.words())}**")
            plans += [f"-# {pictured(front_words(report, each))}" for each in plan.purchases]
        for number, front in enumerate(report.fronts, 1):
            wave = Wave(army=front.attacker, bombard=front.bombard)
            fronts.append(f"{number}. {r.battle_line([wave], front.defender)}, worth {front.value:,g}")
        pages = [Page("Best plan", lambda: "", card), Page("Plans", plans), Page("Fronts", fronts)]
        words = pictured_army(report.best.bought()) or "Nothing to buy"
        return Document(f"🛒 **{words}**", r.COLOURS[Side.ATTACKER], pages, [EDIT])

    async def advise(self, bot: Client, caller: Caller) -> tuple[s.SpendReport, DrawnCard]:
        """Return the report, weighed front by front, and its card."""
        request = self.request()
        report = await bot.simulator.in_parts(request, caller)
        return report, await bot.simulator.run(spend_card(report), caller)
