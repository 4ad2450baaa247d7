"""Answers to `/aa need`, `/aa retreat` and `/aa luck`."""

from collections.abc import Iterator

from bot.answers.document import EDIT, Document, Page
from bot.games.axis_allies.render import COLOURS, ICONS, note_lines, order_lines
from bot.games.axis_allies.render.calc import counts_text
from bot.ui.layout import Picture
from bot.ui.text import code_block
from sim.axis_allies.advice_reports import (
    Advice,
    BattleAdvice,
    LuckReport,
    Purchase,
    PurchaseReport,
    RetreatReport,
    RoundAdvice,
    StateAdvice,
    swing_text,
)
from sim.axis_allies.army import army_words
from sim.axis_allies.editions import Edition
from sim.core.numbers import percent, quantity
from sim.core.values import Side

_LUCKY = 0x40C057
_UNLUCKY = 0xFA5252
_MIDDLE = 50.0


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
    lines = ["**Nearly as cheap**", *map(_purchase_text, report.others)] if report.others else []
    battles = quantity(report.battles, "battle")
    lines.append(
        f"-# Exact: nothing cheaper is enough. Checked everything up to {report.looked_up_to:,} IPC in {battles}."
    )
    return "\n".join(lines)


def _purchase_text(purchase: Purchase) -> str:
    return f"{purchase.ipc:,} IPC: {army_words(purchase.units)}, {percent(purchase.chance)}"


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
        yield _state_text(state, report.attacker.book)


def _state_text(state: StateAdvice, book: Edition) -> str:
    armies = (
        f"{ICONS[Side.ATTACKER]} {counts_text(state.attacker, book)} against "
        f"{ICONS[Side.DEFENDER]} {counts_text(state.defender, book)}"
    )
    sign = "⚔️" if state.advice is Advice.GO_ON else "🏳️"
    return f"{percent(state.p)} {armies}\n-# {sign} {state.advice}: {swing_text(state.swing_go_on)} IPC if you go on"


def luck_document(report: LuckReport, card: Picture) -> Document:
    """Return how lucky the attacker was."""
    colour = _LUCKY if report.attacker_luck > _MIDDLE else _UNLUCKY
    return Document("\n".join(_luck_headline(report)), colour, [Page("Luck", lambda: _luck_page(report), card)], [EDIT])


def _luck_headline(report: LuckReport) -> Iterator[str]:
    yield f"### 🍀 The attacker: {report.attacker_word}"
    for side, left in ((Side.ATTACKER, report.attacker_left), (Side.DEFENDER, report.defender_left)):
        yield f"{ICONS[side]} **{side.capitalize()}** {report.army_words(side)}"
        yield f"-# left: {army_words(left) or 'nobody'}"
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


def _sides(report: BattleAdvice) -> Iterator[str]:
    for side in Side:
        yield f"{ICONS[side]} **{side.capitalize()}** {report.army_words(side)}"
    yield from order_lines(report.order_words())
