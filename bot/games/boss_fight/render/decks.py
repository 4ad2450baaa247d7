"""Decks as pages: stacks and traits, a deck against bosses, its best tokens, the best order of a party.

And the traits of the game, with their figures.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from bot.answers.document import Action, Document, Page, illustrated, line_pages, numbered
from bot.games.boss_fight import render as r
from bot.games.boss_fight.render.arithmetic import arithmetic_pages
from bot.ui.text import Picture, plain, read_as_line
from sim.boss_fight.best_choices import BestOrderReport, BestOrderRequest, BestTokensReport
from sim.boss_fight.exchange import End, ExchangeReport, Outlook
from sim.boss_fight.requests import BossRow, DeckSheet, EveryBossReport
from sim.boss_fight.tables import STARTER_DECKS
from sim.boss_fight.traits import TABLE, Kind
from sim.boss_fight.values import FIGURES, FLAGS, Token, Trait, points, readable
from sim.core.numbers import quantity

_TRAITS_A_PAGE = 12
_MAX_NAME = 40

EVERY = Action("every", "Every boss", "👹")
BEST = Action("best", "Find the best five", "🖐️")

_SIGNS: Mapping[End, str] = {
    End.VICTORY: r.PARTY,
    End.BOTH: r.PARTY,
    End.DEFEAT: r.FALLEN,
    End.STALEMATE: r.DRAW,
    End.UNFIT: r.FALLEN,
}
_COLOURS: Mapping[End, int] = {End.VICTORY: r.BLUE, End.BOTH: r.BLUE, End.STALEMATE: r.GREY}


def deck_document(sheet: DeckSheet, card: Picture, actions: tuple[Action, ...], told: str | None = None) -> Document:
    """Return a deck's pages; `told`: how its text was read, None if it was typed plainly."""
    headline = next(_totals(sheet)) + read_as_line(told)
    return Document(headline, r.BLUE, illustrated(list(_deck_pages(sheet, headline)), card), actions)


def _totals(sheet: DeckSheet) -> Iterator[str]:
    yield f"### 🃏 {quantity(len(sheet.deck.tokens), 'token')}, {quantity(sheet.deck.size, 'trait')}"
    yield f"❤️ **{readable(sheet.health)}** health"
    yield f"⚔️ **{readable(sheet.physical_damage)}** physical, **{readable(sheet.magical_damage)}** magical damage"


def deck_summary(sheet: DeckSheet) -> str:
    """Return the totals of a saved deck."""
    return "\n".join(line.removeprefix("### ") for line in _totals(sheet))


def _deck_pages(sheet: DeckSheet, headline: str) -> Iterator[Page]:
    yield Page("The stacks", lambda: "\n".join(_stacks(sheet)))
    yield from line_pages("The tokens", map(_token_line, sheet.deck.tokens), headline)
    for token in sheet.deck.tokens:
        starts = range(0, len(token.traits), _TRAITS_A_PAGE)
        yield from numbered(token.name, [partial(_token_page, token, start) for start in starts])


def _stacks(sheet: DeckSheet) -> Iterator[str]:
    yield "**What multiplies the damage you take**"
    yield f"Physical × **{readable(sheet.stacked_physical)}**, or × 1 where the boss pierces"
    yield f"Magical × **{readable(sheet.stacked_magical)}**, or × 1 where the boss pierces"
    yield "**Against a boss of each element**: its magic on you; your damage if it doesn't resist"
    for row in sheet.elements:
        hits = row.to_boss
        dealt = f"{readable(hits.physical)} + {readable(hits.magical)} = **{readable(hits.total)}**"
        yield f"- {r.element_text(row.element)}: × **{readable(row.stacked_element)}**; {dealt}"


def _token_line(token: Token) -> str:
    health = sum(trait.health for trait in token.traits)
    damage = sum(trait.physical_damage for trait in token.traits), sum(trait.magical_damage for trait in token.traits)
    return (
        f"**{plain(token.name, _MAX_NAME)}** {r.element_text(token.element)}, {quantity(len(token.traits), 'trait')}: "
        f"{readable(health)} health, {readable(damage[0])} physical, {readable(damage[1])} magical"
    )


def _token_page(token: Token, start: int) -> str:
    traits = token.traits[start : start + _TRAITS_A_PAGE]
    lines = (f"- **{plain(trait.name, _MAX_NAME)}** {r.trait_text(trait)}" for trait in traits)
    return "\n".join([_token_line(token), *lines])


def what_if_document(
    exchange: ExchangeReport, card: Picture, actions: tuple[Action, ...], told: str | None = None
) -> Document:
    """Return one exchange with its whole arithmetic, and how the fight would end; `told`: as of `deck_document`."""
    outlook = exchange.outlook
    headline = [
        f"### {_outlook_text(outlook)}",
        r.boss_text(exchange.boss),
        *([f"🏅 Score {readable(exchange.score)}"] if exchange.score else []),
    ]
    pages = illustrated(arithmetic_pages(exchange), card)
    return Document("\n".join(headline) + read_as_line(told), _COLOURS.get(outlook.end, r.RED), pages, actions)


def _outlook_text(outlook: Outlook) -> str:
    """Return how a fight would end, and when."""
    return f"{_SIGNS[outlook.end]} {outlook.sentence}"


def every_boss_document(
    report: EveryBossReport, card: Picture, actions: tuple[Action, ...], told: str | None
) -> Document:
    """Return what a deck does against every boss."""
    headline = f"### 🃏 One deck against {quantity(len(report.rows), 'boss', 'bosses')}: {report.beaten} would fall"
    headline += read_as_line(told)
    lines = [line for row in report.rows for line in _boss_lines(row)]
    pages = illustrated(line_pages("Bosses", lines, headline), card)
    return Document(headline, r.BLUE if report.beaten else r.RED, pages, actions)


def _boss_lines(row: BossRow) -> Iterator[str]:
    yield f"{r.BOSS} **{plain(row.boss.name)}** level {row.boss.level}: {_outlook_text(row.outlook)}"
    score = f", score {points(row.score)}" if row.score > 0 else ""
    yield (
        f"-# deals {points(row.to_boss.total)} of {points(row.boss.health)}, takes {points(row.to_player.total)} "
        f"of {points(row.player_health)}{score}"
    )


def best_tokens_document(
    report: BestTokensReport, of: int, card: Picture, actions: tuple[Action, ...], told: str | None
) -> Document:
    """Return the best few of `of` tokens, and their exchange."""
    exchange = report.exchange
    names = [f"**{plain(token.name)}**" for token in exchange.deck.tokens]
    headline = [
        f"### 🖐️ The best {len(names)} of {quantity(of, 'token')}",
        r.boss_text(exchange.boss),
        " · ".join(names),
        f"🏅 Score **{readable(exchange.score)}**",
        f"-# Exact: no other choice of {report.choices:,} is better ({report.branches:,} branches searched)",
    ]
    pages = illustrated(arithmetic_pages(exchange), card)
    return Document("\n".join(headline) + read_as_line(told), r.BLUE if exchange.score > 0 else r.GREY, pages, actions)


def best_order_document(request: BestOrderRequest, report: BestOrderReport, card: Picture) -> Document:
    """Return the best order of a party."""
    times = f" × {request.times}" if request.times > 1 else ""
    headline = f"### {_order_ending(report)}\n{r.boss_text(request.boss)}{times}"
    lines = [
        f"{number}. **{plain(entry.name)}**{'' if entry.stands else f' {r.FALLEN} falls'}"
        for number, entry in enumerate(report.order, start=1)
    ]
    best = "Best means the fewest exchanges, then the most survivors, then the most health left."
    lines.append(f"-# {best if report.winner == 'party' else 'The order makes no difference.'}")
    pages = illustrated(line_pages("The order", lines, headline), card)
    return Document(headline, r.BLUE if report.winner == "party" else r.RED, pages)


def _order_ending(report: BestOrderReport) -> str:
    if report.winner is None:
        return f"{r.DRAW} Stalemate in every order"
    who = f"{r.PARTY} The party wins" if report.winner == "party" else f"{r.BOSS} The boss wins"
    if report.rounds is None or report.exchanges is None:
        return f"{who} after more exchanges than I can count"
    survivors = f", {report.standing} left standing" if report.winner == "party" else ""
    return f"{who} after {quantity(report.exchanges, 'exchange')} in {quantity(report.rounds, 'round')}{survivors}"


_LINES_A_PAGE = 24
_FIGURE_NAMES = {"health": "health", "physical_damage": "physical", "magical_damage": "magical"}


def traits_document() -> Document:
    """Return a page of ready decks, then the traits of each kind."""
    headline = "### 🃏 Decks and traits\n-# A deck is one or more tokens: `kind: trait, trait @Element; kind: trait`"
    ready = [f"**{deck.name}** {deck.line}\n`{deck.text}`" for deck in STARTER_DECKS]
    ready.append("-# Copy one and change it, or press Join and pick it.")
    pages = [Page("Ready decks", partial("\n".join, ready))]
    return Document(headline, r.BLUE, [*pages, *(page for kind in Kind for page in _kind_pages(kind))])


def _kind_pages(kind: Kind) -> list[Page]:
    """Return the groups of a kind, as many on a page as fit."""
    parts: list[tuple[list[str], list[str]]] = []
    for group in dict.fromkeys(row.group for row in TABLE if row.kind is kind):
        traits = [row.trait for row in TABLE if row.kind is kind and row.group == group]
        lines = list(_group_lines(group, traits))
        if not parts or len(parts[-1][1]) + len(lines) > _LINES_A_PAGE:
            parts.append(([], []))
        parts[-1][0].append(group)
        parts[-1][1].extend(lines)
    name = kind.value.capitalize()
    return [
        Page(f"{name}: {', '.join(groups)}", partial("\n".join, [f"**{name} tokens**", *lines]))
        for groups, lines in parts
    ]


def _group_lines(group: str, traits: Sequence[Trait]) -> Iterator[str]:
    """Return a group's traits: in one line if they differ in one figure alone, else a line each."""
    used = [name for name in FIGURES if any(getattr(trait, name) for trait in traits)]
    plain_ones = not any(getattr(trait, flag) for trait in traits for flag in FLAGS)
    title = f"**{group.capitalize()}**"
    if len(used) == 1 and plain_ones:
        figures = (f"{plain(trait.name)} {getattr(trait, used[0]):,}" for trait in traits)
        yield f"{title}, {_FIGURE_NAMES[used[0]]}: {' · '.join(figures)}"
        return
    yield title
    for trait in traits:
        yield f"- {plain(trait.name)}: {r.trait_text(trait)}"
