"""What-ifs as pages: a deck against a boss or against all, the best tokens, the best order."""

from collections.abc import Iterator, Mapping
from functools import partial

from bot.answers.document import Action, Document, Page, room
from bot.answers.lines import split_lines
from bot.games.boss_fight.render.arithmetic import arithmetic
from bot.games.boss_fight.render.signs import BLUE, BOSS, DRAW, FALLEN, GREY, PARTY, RED, boss_text
from bot.ui.text import counted, plain
from sim.boss_fight.exact import readable
from sim.boss_fight.reports import (
    BestOrderReport,
    BestTokensReport,
    BossRow,
    End,
    EveryBossReport,
    Outlook,
    WhatIfReport,
)
from sim.boss_fight.requests import BestOrderRequest

EVERY = Action("every", "Every boss", "👹")
BEST = Action("best", "Best five", "🖐️")

_SIGNS: Mapping[End, str] = {
    End.VICTORY: PARTY,
    End.BOTH: PARTY,
    End.DEFEAT: FALLEN,
    End.STALEMATE: DRAW,
    End.UNFIT: FALLEN,
}
_COLOURS: Mapping[End, int] = {End.VICTORY: BLUE, End.BOTH: BLUE, End.STALEMATE: GREY}


def what_if_book(report: WhatIfReport, actions: tuple[Action, ...]) -> Document:
    """Return one exchange and how it would go on, with its whole arithmetic."""
    exchange, outlook = report.exchange, report.outlook
    dealt, taken = readable(exchange.to_boss.total), readable(exchange.to_player.total)
    headline = [
        f"### {outlook_text(outlook)}",
        boss_text(exchange.boss),
        f"⚔️ One exchange deals **{dealt}** and takes **{taken}**",
        f"❤️ Left: the boss {readable(exchange.boss_left)}, the player {readable(exchange.player_left)}",
        f"🏅 Score {readable(exchange.score)}",
    ]
    return Document("\n".join(headline), _COLOURS.get(outlook.end, RED), arithmetic(exchange), actions)


def outlook_text(outlook: Outlook) -> str:
    """Return how a fight would end, and when."""
    sign = _SIGNS[outlook.end]
    ending = f"{outlook.end[:1].upper()}{outlook.end[1:]}"
    if not outlook.about or outlook.end is End.UNFIT:
        return f"{sign} {ending}"
    noun = "exchange" if outlook.exchanges == 1 else "exchanges"
    return f"{sign} {ending} after {outlook.about} {noun}"


def every_boss_book(report: EveryBossReport, actions: tuple[Action, ...]) -> Document:
    """Return what a deck does against every boss, the most it can do first."""
    won = sum(row.outlook.end in {End.VICTORY, End.BOTH} for row in report.rows)
    headline = f"### 🃏 One deck against {counted(len(report.rows), 'boss', 'bosses')}: {won} would fall"
    lines = [line for row in report.rows for line in _row(row)]
    return Document(headline, BLUE if won else RED, _paged(headline, "Bosses", lines), actions)


def _row(row: BossRow) -> Iterator[str]:
    yield f"{BOSS} **{plain(row.boss.name)}** level {row.boss.level}: {outlook_text(row.outlook)}"
    score = f", score {readable(row.score)}" if row.score > 0 else ""
    yield (
        f"-# deals {readable(row.to_boss.total)} of {row.boss.health}, takes {readable(row.to_player.total)} "
        f"of {row.player_health}{score}"
    )


def best_tokens_book(report: BestTokensReport, of: int, actions: tuple[Action, ...]) -> Document:
    """Return the best few of a set of `of` tokens, and their exchange."""
    exchange = report.exchange
    names = [f"**{plain(token.name)}**" for token in exchange.deck.tokens]
    dealt, taken = readable(exchange.to_boss.total), readable(exchange.to_player.total)
    headline = [
        f"### 🖐️ The best {len(names)} of {counted(of, 'token')}",
        boss_text(exchange.boss),
        " · ".join(names),
        f"🏅 Score **{readable(exchange.score)}**: deals {dealt}, takes {taken} of {exchange.player_health}",
        f"-# Exact: of {report.choices:,} choices none is better; {report.branches:,} branches had to be looked at.",
    ]
    return Document("\n".join(headline), BLUE if exchange.score > 0 else GREY, arithmetic(exchange), actions)


def best_order_book(request: BestOrderRequest, report: BestOrderReport) -> Document:
    """Return in which order a party should step."""
    times = f" × {request.times}" if request.times > 1 else ""
    headline = [f"### {_order_ending(report)}", f"{boss_text(request.boss)}{times}"]
    lines = [
        f"{number}. **{plain(place.name)}**{'' if place.stands else f' {FALLEN} falls'}"
        for number, place in enumerate(report.order, start=1)
    ]
    if report.winner != "party":
        lines.append("-# Every order comes to the same.")
    else:
        lines.append("-# Best: the fewest exchanges, then the most who stand, then the most health left.")
    return Document("\n".join(headline), BLUE if report.winner == "party" else RED, _paged("", "The order", lines))


def _order_ending(report: BestOrderReport) -> str:
    if report.winner is None:
        return f"{DRAW} A stalemate, in whatever order"
    who = f"{PARTY} The party wins" if report.winner == "party" else f"{BOSS} The boss wins"
    if report.rounds is None or report.exchanges is None:
        return f"{who}, after more exchanges than can be counted"
    survivors = f", {report.standing} standing" if report.winner == "party" else ""
    return f"{who} after {counted(report.exchanges, 'exchange')} in {counted(report.rounds, 'round')}{survivors}"


def _paged(headline: str, title: str, lines: list[str]) -> list[Page]:
    parts = split_lines(lines, room(headline) - 200)
    return [
        Page(title if len(parts) == 1 else f"{title}, page {number}", partial("\n".join, part))
        for number, (_, part) in enumerate(parts, start=1)
    ]
