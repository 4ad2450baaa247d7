"""Questions of Axis & Allies that ask for advice, `/aa need`, `retreat` and `luck`: options, forms and answers."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Annotated, Any, ClassVar, TypeVar

from discord import app_commands
from pydantic import Field

from bot.answers.document import EDIT, Document, Page
from bot.answers.handler import Entry, QueryHandler
from bot.games.axis_allies.options import (
    BATTLE,
    BATTLE_ENTRY,
    ArmyText,
    BattleField,
    CasualtiesField,
    EditionField,
    EditionQuery,
    OneBattleQuery,
    StopAfter,
    TakeTerritory,
    UnitNames,
    answered,
)
from bot.games.axis_allies.render import COLOURS, ICONS, counts_text, note_lines, order_lines, with_edition
from bot.ui.options import Option
from bot.ui.text import Picture, code_block
from sim.axis_allies.advice_reports import (
    Advice,
    BattleAdvice,
    LuckReport,
    PurchaseReport,
    RetreatReport,
    RoundAdvice,
    swing_text,
)
from sim.axis_allies.answers import AdviceRequest
from sim.axis_allies.army import Army, army_words
from sim.axis_allies.editions import DEFAULT
from sim.axis_allies.parse import parse_army, parse_question, without_edition
from sim.axis_allies.parse.words import MAX_TEXT
from sim.axis_allies.question import NEVER, Question, RoundLimit
from sim.axis_allies.requests import MAX_TERRITORY, LuckRequest, PurchaseRequest, RetreatRequest
from sim.core.cards.values import DrawnCard
from sim.core.errors import RuleError
from sim.core.numbers import percent, quantity
from sim.core.values import Side
from sim.workers import Caller

HUNDRED = 100

_NOBODY = frozenset({"", "0", "-", "none", "nothing", "nobody", "no one"})
_HAD_LEFT = "What the {} had left, such as: {} (usually nothing)"
_LUCKY = 0x40C057
_UNLUCKY = 0xFA5252
_MIDDLE = 50.0


def parse_optional_army(text: str | None, edition: str) -> Army:
    """Read an army that may be empty: no text, or a word for nobody. TextError as in `parse_army`."""
    if text is None or without_edition(text).casefold() in _NOBODY:
        return Army(edition=edition)
    return parse_army(text, edition)


def _one_battle(question: Question) -> dict[str, Any]:
    """Return the fields of a request about one battle to its end; RuleError for what it can't be asked."""
    if not question.one_battle or question.withdrawal != NEVER:
        raise RuleError("Here one attacker meets the defender: leave out waves, retreats and a counterattack.")
    return question.fields


E = TypeVar("E", bound=EditionQuery)


class AdviceHandler(QueryHandler[E, tuple[Any, DrawnCard]]):
    """Answers from one report, which is also the only file, `name`.json, and shows its card, `name`.png."""

    name: ClassVar[str]
    render: ClassVar[Callable[[Any, Picture], Document]]

    async def calculate(self, query: E, caller: Caller) -> tuple[Any, DrawnCard]:
        """Return the report and its card."""
        return await answered(self._bot.simulator, AdviceRequest(question=query.request()), caller)

    async def document(self, query: E, result: tuple[Any, DrawnCard], _caller: Caller) -> Document:
        """Render the report."""
        report, card = result
        document = type(self).render(report, Picture(f"{self.name}.png", card.data, card.alt))
        return with_edition(document, query.edition_line, query.saved_notes)

    async def files(self, _query: E, result: tuple[Any, DrawnCard], _caller: Caller) -> dict[str, bytes]:
        """Write the report."""
        return {f"{self.name}.json": result[0].model_dump_json(indent=1).encode()}


def _sides(report: BattleAdvice) -> Iterator[str]:
    for side in Side:
        yield f"{ICONS[side]} **{side.capitalize()}** {report.army_words(side)}"
    yield from order_lines(report.order_words())


class PurchaseQuery(EditionQuery):
    """Options of `/aa need`; `chance` in percent."""

    naming = ("attacker", "defender")

    attacker: Annotated[
        str,
        Option("The attacker so far, such as: 6 tanks, 2 inf (or: nobody)", ArmyText()),
        Entry("Attacker", MAX_TEXT, long=True),
    ]
    defender: Annotated[
        str,
        Option("The defender so far, such as: 10 inf, 1 ftr (or: nobody)", ArmyText()),
        Entry("Defender", MAX_TEXT, long=True),
    ]
    chance: Annotated[
        float,
        Field(gt=0, lt=HUNDRED),
        Option("The chance to win you want, in percent: 75", app_commands.Range[float, 0.1, 99.9]),
    ]
    side: Annotated[
        Side,
        Option("Whom to reinforce (usually the attacker)", choices={side.value: side.capitalize() for side in Side}),
    ] = Side.ATTACKER
    units: Annotated[
        str | None,
        Option("What you can buy, such as: inf, tank (usually every land or sea unit)", UnitNames()),
        Entry("Units to buy from", MAX_TEXT, "left empty: all units of its kind"),
    ] = None
    edition: EditionField = DEFAULT
    casualties: CasualtiesField = None
    take_territory: TakeTerritory = False

    def request(self) -> PurchaseRequest:
        """Read both armies and what may be bought; RuleError, TextError with the position."""
        edition = self.fitting
        return PurchaseRequest(
            attacker=parse_optional_army(self.attacker, edition),
            defender=parse_optional_army(self.defender, edition),
            chance=self.chance / HUNDRED,
            side=self.side,
            units=() if self.units is None else tuple(group.unit for group in parse_army(self.units, edition).groups),
            casualties=self.casualties,
            must_take=self.take_territory,
        )


def purchase_document(report: PurchaseReport, card: Picture) -> Document:
    """Return the cheapest purchase and alternatives."""
    lines = list(_purchase_headline(report))
    return Document(
        "\n".join(lines), COLOURS[report.side], [Page("Purchases", lambda: _purchase_page(report), card)], [EDIT]
    )


def _purchase_headline(report: PurchaseReport) -> Iterator[str]:
    if report.already:
        yield "### ✅ No reinforcement needed"
    else:
        yield f"### 🛒 {army_words(report.best.units)} for {report.best.ipc:,} IPC"
    wanted = f"{100 * report.wanted:g}%"
    wins = f"{report.side.capitalize()} wins {percent(report.best.chance)} of the time"
    yield f"{ICONS[report.side]} {wins}, wanted: {wanted}"
    yield from _sides(report)
    yield from note_lines(report.notes)


def _purchase_page(report: PurchaseReport) -> str:
    if report.already:
        return "-# Exact odds"
    lines = ["**Nearly as cheap**"] if report.others else []
    lines += [f"{each.ipc:,} IPC: {army_words(each.units)}, {percent(each.chance)}" for each in report.others]
    battles = quantity(report.battles, "battle")
    lines.append(
        f"-# Exact: nothing cheaper is enough. Checked everything up to {report.looked_up_to:,} IPC in {battles}."
    )
    return "\n".join(lines)


class PurchaseHandler(AdviceHandler[PurchaseQuery]):
    """Answers `/aa need`."""

    kind = "aa-need"
    query = PurchaseQuery
    name = "need"
    render = purchase_document


class RetreatQuery(OneBattleQuery):
    """Options of `/aa retreat`; `territory` in IPC."""

    battle: BattleField
    territory: Annotated[
        int,
        Field(ge=0, le=MAX_TERRITORY),
        Option("What the territory is worth to you, in IPC"),
    ] = 0
    edition: EditionField = DEFAULT
    casualties: CasualtiesField = None
    stop_after: StopAfter = None
    take_territory: TakeTerritory = False

    def request(self) -> RetreatRequest:
        """Read the battle; RuleError, TextError with every mistake and its position."""
        question = parse_question(self.battle, self.fitting).with_options(
            casualties=self.casualties, stop_after=self.stop_after, must_take=self.take_territory or None
        )
        return RetreatRequest(**_one_battle(question), territory=self.territory)


def retreat_document(report: RetreatReport, card: Picture) -> Document:
    """Return whether to attack, and whether to go on after each round and with the likeliest armies."""
    pages = [Page("Round by round", lambda: "\n".join(_round_lines(report)), card)]
    if report.states:
        pages.append(Page("After round 1", lambda: "\n".join(_state_lines(report))))
    colour = COLOURS[Side.ATTACKER if report.advice is Advice.GO_ON else Side.DEFENDER]
    return Document("\n".join(_retreat_headline(report)), colour, pages, [EDIT])


def _retreat_headline(report: RetreatReport) -> Iterator[str]:
    yield f"### {'⚔️' if report.advice is Advice.GO_ON else '🏳️'} {report.words()}"
    yield f"{report.worth_words()}."
    yield from _sides(report)
    bonus = f", plus {report.territory:,} for the territory" if report.territory else ""
    yield f"-# Net IPC: what the defender loses minus what the attacker loses{bonus}, on average"
    yield from note_lines(report.notes)


def _round_lines(report: RetreatReport) -> Iterator[str]:
    yield "**After each round**: chance that it goes on, net IPC to come by fighting to the end and by the best plan"
    rows = [" #    on    end   best do"]
    rows += [_round_row(round_) for round_ in report.rounds]
    yield code_block("\n".join(rows))
    yield "-# 0 is before the battle. “go” or “flee”: what is better if you know only the round."


def _round_row(round_: RoundAdvice) -> str:
    word = "go" if round_.advice is Advice.GO_ON else "flee"
    on = "<1%" if round_.p_on < 0.01 else f"{100 * round_.p_on:.0f}%"  # noqa: PLR2004  # what a whole percent shows
    return (
        f"{round_.number:>2} {on:>5} {swing_text(round_.swing_fight_on):>6} {swing_text(round_.swing_best):>6} {word}"
    )


def _state_lines(report: RetreatReport) -> Iterator[str]:
    yield "**The likeliest armies after round 1**"
    for state in report.states:
        left = {Side.ATTACKER: state.attacker, Side.DEFENDER: state.defender}
        armies = (f"{ICONS[side]} {counts_text(counts, report.attacker.book)}" for side, counts in left.items())
        yield f"{percent(state.p)} {' against '.join(armies)}"
        sign = "⚔️" if state.advice is Advice.GO_ON else "🏳️"
        yield f"-# {sign} {state.advice}: {swing_text(state.swing_go_on)} IPC if you go on"


class RetreatHandler(AdviceHandler[RetreatQuery]):
    """Answers `/aa retreat`."""

    kind = "aa-retreat"
    query = RetreatQuery
    name = "retreat"
    render = retreat_document


class LuckQuery(OneBattleQuery):
    """Options of `/aa luck`."""

    others = ("attacker_left", "defender_left")

    battle: Annotated[
        str,
        replace(BATTLE, description="The armies before the battle, such as: 6 tanks, 2 inf vs 10 inf, 1 ftr"),
        BATTLE_ENTRY,
    ]
    attacker_left: Annotated[
        str | None,
        Option(_HAD_LEFT.format("attacker", "2 tanks"), ArmyText()),
        Entry("What the attacker had left", MAX_TEXT, "left empty: nothing"),
    ] = None
    defender_left: Annotated[
        str | None,
        Option(_HAD_LEFT.format("defender", "3 inf"), ArmyText()),
        Entry("What the defender had left", MAX_TEXT, "left empty: nothing"),
    ] = None
    edition: EditionField = DEFAULT
    casualties: CasualtiesField = None
    stop_after: Annotated[RoundLimit | None, Option("If the battle stopped early: after how many rounds")] = None

    def request(self) -> LuckRequest:
        """Read the battle and what was left; RuleError, TextError with every mistake and its position."""
        question = parse_question(self.battle, self.fitting).with_options(
            casualties=self.casualties, stop_after=self.stop_after
        )
        left = {"attacker_left": self.attacker_left, "defender_left": self.defender_left}
        return LuckRequest(
            **_one_battle(question),
            **{name: parse_optional_army(text, question.edition) for name, text in left.items()},
        )


def luck_document(report: LuckReport, card: Picture) -> Document:
    """Return how lucky the attacker was."""
    colour = _LUCKY if report.attacker_luck > _MIDDLE else _UNLUCKY
    return Document("\n".join(_luck_headline(report)), colour, [Page("Luck", lambda: _luck_page(report), card)], [EDIT])


def _luck_headline(report: LuckReport) -> Iterator[str]:
    yield f"### 🍀 The attacker: {report.attacker_word}"
    for side in Side:
        yield f"{ICONS[side]} **{side.capitalize()}** {report.army_words(side)}"
        yield f"-# left: {army_words(report.left(side)) or 'nobody'}"
    yield from order_lines(report.order_words())
    yield from note_lines(report.notes)


def _luck_page(report: LuckReport) -> str:
    return "\n".join(
        [
            f"As good or better: {percent(report.p_as_good, certain=report.p_as_good >= 1)}",
            f"As bad or worse: {percent(report.p_as_bad, certain=report.p_as_bad >= 1)}",
            f"Exactly these armies: {percent(report.p_exactly, certain=report.p_exactly >= 1)}",
            "-# Net IPC: the defender's losses minus the attacker's. 50 of 100 is the middle of all battles.",
        ]
    )


class LuckHandler(AdviceHandler[LuckQuery]):
    """Answers `/aa luck`."""

    kind = "aa-luck"
    query = LuckQuery
    name = "luck"
    render = luck_document
