"""Decks as pages: stacks and traits, a deck against bosses, its best tokens, the best order of a party.

And the traits of the game with their figures, and an exchange step by step: modifiers, stacks, every product.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial

from bot.answers.document import EDIT, LINES_A_PAGE, Action, Document, Page, illustrated, line_pages, numbered
from bot.games.boss_fight import render as r
from bot.ui import Picture, code_block, plain, read_as_line, shorten
from sim.boss_fight.battle import DeckMember, Exchanged, Member, State, Struck
from sim.boss_fight.best_choices import BestOrderReport, BestOrderRequest, BestTokensReport
from sim.boss_fight.exchange import End, ExchangeReport, Stacks, TokenRow, element_modifiers
from sim.boss_fight.requests import DeckSheet, EveryBossReport
from sim.boss_fight.tables import STARTER_DECKS, TABLE, Kind
from sim.boss_fight.values import FIGURES, FLAGS, Deck, Token, Trait, points, readable
from sim.core import WIDTH, visible
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


def deck_document(sheet: DeckSheet, card: Picture, told: str | None = None) -> Document:
    """Return a deck's pages; `told`: how its text was read, None if it was typed plainly."""
    headline = next(_totals(sheet.deck)) + read_as_line(told)
    pages = [Page("The stacks", lambda: _stacks(sheet))]
    pages += line_pages("The tokens", map(_token_line, sheet.deck.tokens), headline)
    for token in sheet.deck.tokens:
        starts = range(0, len(token.traits), _TRAITS_A_PAGE)
        pages += numbered(token.name, [partial(_token_page, token, start) for start in starts])
    return Document(headline, r.BLUE, illustrated(pages, card), (EDIT,))


def _totals(deck: Deck) -> Iterator[str]:
    yield f"### 🃏 {quantity(len(deck.tokens), 'token')}, {quantity(deck.size, 'trait')}"
    health, physical, magical = (readable(deck.total(figure)) for figure in FIGURES)
    yield f"❤️ **{health}** health"
    yield f"⚔️ **{physical}** physical, **{magical}** magical damage"


def deck_summary(deck: Deck) -> str:
    """Return the totals of a saved deck."""
    return "\n".join(line.removeprefix("### ") for line in _totals(deck))


def _stacks(sheet: DeckSheet) -> Iterator[str]:
    yield "**What multiplies the damage you take**"
    physical, magical, _ = map(readable, sheet.elements[0].stacks)
    yield f"Physical × **{physical}**, or × 1 where the boss pierces"
    yield f"Magical × **{magical}**, or × 1 where the boss pierces"
    yield "**Against a boss of each element**: its magic on you; your damage if it doesn't resist"
    for row in sheet.elements:
        hits = row.to_boss
        dealt = f"{readable(hits.physical)} + {readable(hits.magical)} = **{readable(hits.total)}**"
        yield f"- {r.element_text(row.element)}: × **{readable(row.stacks.element)}**; {dealt}"


def _token_line(token: Token) -> str:
    health, physical, magical = (readable(token.total(figure)) for figure in FIGURES)
    return (
        f"**{plain(token.name, _MAX_NAME)}** {r.element_text(token.element)}, {quantity(len(token.traits), 'trait')}: "
        f"{health} health, {physical} physical, {magical} magical"
    )


def _token_page(token: Token, start: int) -> Iterator[str]:
    yield _token_line(token)
    for trait in token.traits[start : start + _TRAITS_A_PAGE]:
        yield f"- **{plain(trait.name, _MAX_NAME)}** {r.trait_text(trait)}"


def what_if_document(
    exchange: ExchangeReport, card: Picture, more: tuple[Action, ...] = (), told: str | None = None
) -> Document:
    """Return one exchange with its whole arithmetic, and how the fight would end; `told`: as of `deck_document`."""
    outlook = exchange.outlook
    headline = [
        f"### {_SIGNS[outlook.end]} {outlook.sentence}",
        r.boss_text(exchange.boss),
        *([f"🏅 Score {readable(exchange.score)}"] if exchange.score else []),
    ]
    pages = illustrated(arithmetic_pages(exchange), card)
    colour = _COLOURS.get(outlook.end, r.RED)
    return Document("\n".join(headline) + read_as_line(told), colour, pages, (EDIT, EVERY, *more))


def every_boss_document(report: EveryBossReport, card: Picture, told: str | None) -> Document:
    """Return what a deck does against every boss."""
    headline = f"### 🃏 One deck against {quantity(len(report.rows), 'boss', 'bosses')}: {report.beaten} would fall"
    headline += read_as_line(told)
    lines = []
    for row in report.rows:
        boss, score = row.boss, f", score {points(row.score)}" if row.score > 0 else ""
        deals = f"deals {points(row.to_boss.total)} of {points(boss.health)}"
        takes = f"takes {points(row.to_player.total)} of {points(row.player_health)}"
        ending = f"{_SIGNS[row.outlook.end]} {row.outlook.sentence}"
        lines.append(f"{r.BOSS} **{plain(boss.name)}** level {boss.level}: {ending}")
        lines.append(f"-# {deals}, {takes}{score}")
    pages = illustrated(line_pages("Bosses", lines, headline), card)
    return Document(headline, r.BLUE if report.beaten else r.RED, pages, (EDIT,))


def best_tokens_document(report: BestTokensReport, of: int, card: Picture, told: str | None) -> Document:
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
    colour = r.BLUE if exchange.score > 0 else r.GREY
    return Document("\n".join(headline) + read_as_line(told), colour, pages, (EDIT, EVERY))


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


def traits_document() -> Document:
    """Return a page of ready decks, then the traits of each kind."""
    headline = "### 🃏 Decks and traits\n-# A deck is one or more tokens: `kind: trait, trait @Element; kind: trait`"
    ready = [f"**{deck.name}** {deck.line}\n`{deck.text}`" for deck in STARTER_DECKS]
    ready.append("-# Copy one and change it, or press Join and pick it.")
    pages = [Page("Ready decks", ready)]
    for kind in Kind:
        parts: list[tuple[list[str], list[str]]] = []  # the groups of a page and their lines, as many as fit
        for group in dict.fromkeys(row.group for row in TABLE if row.kind is kind):
            traits = [row.trait for row in TABLE if row.kind is kind and row.group == group]
            lines = list(_group_lines(group, traits))
            if not parts or len(parts[-1][1]) + len(lines) > _LINES_A_PAGE:
                parts.append(([], []))
            parts[-1][0].append(group)
            parts[-1][1].extend(lines)
        name = kind.value.capitalize()
        pages += [Page(f"{name}: {', '.join(groups)}", [f"**{name} tokens**", *lines]) for groups, lines in parts]
    return Document(headline, r.BLUE, pages)


def _group_lines(group: str, traits: Sequence[Trait]) -> Iterator[str]:
    """Return a group's traits: in one line if they differ in one figure alone, else a line each."""
    used = [name for name in FIGURES if any(getattr(trait, name) for trait in traits)]
    plain_ones = not any(getattr(trait, flag) for trait in traits for flag in FLAGS)
    title = f"**{group.capitalize()}**"
    if len(used) == 1 and plain_ones:
        figures = (f"{plain(trait.name)} {getattr(trait, used[0]):,}" for trait in traits)
        yield f"{title}, {used[0].removesuffix('_damage')}: {' · '.join(figures)}"
        return
    yield title
    for trait in traits:
        yield f"- {plain(trait.name)}: {r.trait_text(trait)}"


_PRODUCTS_A_PAGE = 8

_WHY = {
    None: "one side has no element",
    0: "the same element",
    1: "the boss has the advantage",
    2: "neither has an advantage",
    3: "neither has an advantage",
    4: "the token has the advantage",
}


def arithmetic_pages(report: ExchangeReport, *, alone: bool = True) -> list[Page]:
    """Return the sums, the stacks token by token, then every token trait by trait.

    `alone`: the exchange is the whole fight; the sums include the health left and the score.
    """
    pages = [Page("The sums", lambda: _sum_lines(report, alone=alone))]
    starts = range(0, len(report.tokens), LINES_A_PAGE)
    pages += numbered("The stacks", [partial(_stacks_page, report, start) for start in starts])
    for token, row in zip(report.deck.tokens, report.tokens, strict=True):
        starts = range(0, len(token.traits), _PRODUCTS_A_PAGE)
        pages += numbered(token.name, [partial(_products_page, report, token, row, start) for start in starts])
    return pages


def _sum_lines(report: ExchangeReport, *, alone: bool) -> Iterator[str]:
    boss, dealt, taken = report.boss, report.to_boss, report.to_player
    physical, magical, element = map(readable, report.stacks)
    yield "**Damage to the boss**, all tokens together"
    yield f"{readable(dealt.physical)} physical + {readable(dealt.magical)} magical = **{readable(dealt.total)}**"
    if alone:
        yield f"Its health: {readable(boss.health)} {r.MINUS} {readable(dealt.total)} = {_left_text(report.boss_left)}"
    yield "**Damage you take**"
    yield f"Physical: {readable(boss.physical_damage)} × {physical} = {readable(taken.physical)}"
    yield f"Magical: {readable(boss.magical_damage)} × {magical} × {element} = {readable(taken.magical)}"
    yield f"Together: {readable(taken.physical)} + {readable(taken.magical)} = **{readable(taken.total)}**"
    if alone:
        health = readable(report.player_health)
        yield f"Your health: {health} {r.MINUS} {readable(taken.total)} = {_left_text(report.player_left)}"
        yield _score_text(report)


def _left_text(left: Fraction) -> str:
    """Return the health that is left; what is 0 or less is a fall."""
    return f"**{readable(left)}**" if left > 0 else "**down**"


def _score_text(report: ExchangeReport) -> str:
    if report.boss_left > 0:
        return "**No score**: the boss is still standing"
    if report.player_left < 0:
        return "**No score**: you took more damage than you have health"
    health = readable(report.boss.health)
    return (
        f"**Score {readable(report.score)}** = {readable(report.to_boss.total)} {r.MINUS} {health} + "
        f"{readable(report.player_health)} {r.MINUS} {readable(report.to_player.total)}"
    )


def _stacks_page(report: ExchangeReport, start: int) -> Iterator[str]:
    end = start + LINES_A_PAGE
    yield "**What multiplies the damage you take**: physical · magical · element"
    for token, row in zip(report.deck.tokens[start:end], report.tokens[start:end], strict=True):
        yield f"{plain(token.name, _MAX_NAME)}: {_stacks_text(row.stacks)}"
    if end >= len(report.tokens):
        yield f"**All multiplied**: {_stacks_text(report.stacks)}"


def _stacks_text(stacks: Stacks) -> str:
    return " · ".join(f"× {readable(stack)}" for stack in stacks)


def _products_page(report: ExchangeReport, token: Token, row: TokenRow, start: int) -> Iterator[str]:
    end = start + _PRODUCTS_A_PAGE
    why, against = _WHY[row.distance], r.element_text(report.boss.element)
    on_boss, on_player = element_modifiers(row.distance)
    is_last, dealt = end >= len(token.traits), row.to_boss
    physical, magical, taken = [], [], []
    for trait, modifiers in zip(token.traits[start:end], row.traits[start:end], strict=True):
        on, product = modifiers.boss_physical, trait.physical_damage * modifiers.boss_physical
        physical.append((trait.name, f"{readable(trait.physical_damage)} × {readable(on)} = {readable(product)}"))
        factors: tuple[Fraction | int, ...] = (trait.magical_damage, modifiers.boss_magical, on_boss)
        magical.append((trait.name, f"{' × '.join(map(readable, factors))} = {readable(math.prod(factors))}"))
        every = (modifiers.player_physical, modifiers.player_magical, on_player)
        taken.append((trait.name, " · ".join(map(readable, every))))
    yield f"**{plain(token.name, _MAX_NAME)}**, {r.element_text(token.element)}, against {against}"
    yield f"-# {why}: magic on the boss × {readable(on_boss)}, on you × {readable(on_player)} for each trait"
    yield "**Physical to the boss**: damage × resistance"
    yield _table(physical, readable(dealt.physical) if is_last else None)
    yield "**Magical to the boss**: damage × resistance × element"
    yield _table(magical, readable(dealt.magical) if is_last else None)
    yield "**To you**: × physical · magical · element"
    yield _table(taken, None)
    if is_last:
        yield f"**Stacked** over {quantity(len(token.traits), 'trait')}: {_stacks_text(row.stacks)}"


def _table(rows: Sequence[tuple[str, str]], total: str | None) -> str:
    """Return a code block of names and figures that fits on a phone; `total`: its last line, if any."""
    lines = [line for name, figures in rows for line in _cells(visible(name), figures)]
    if total is not None:
        lines += ["─" * WIDTH, *_cells("together", total)]
    return code_block("\n".join(lines))


def _cells(name: str, figures: str) -> list[str]:
    if len(name) + 1 + len(figures) <= WIDTH:
        return [f"{name}{figures:>{WIDTH - len(name)}}"]
    product, equals, result = figures.rpartition(" = ")
    parts = [figures] if len(figures) <= WIDTH or not equals else [product, f"= {result}"]
    return [shorten(name, WIDTH), *(f"{part:>{WIDTH}}" for part in parts)]


def _blow_lines(last: Exchanged | Struck, boss: str) -> Iterator[str]:
    dealt, taken = last.to_boss.total, last.to_player.total
    yield f"**{plain(last.name)}'s latest exchange**, number {last.hits}"
    yield f"{boss}: {readable(last.boss_left + dealt)} {r.MINUS} {readable(dealt)} = {_left_text(last.boss_left)}"
    yield f"{plain(last.name)}: {readable(last.left + taken)} {r.MINUS} {readable(taken)} = {_left_text(last.left)}"
    if last.score:
        over = readable(-last.boss_left)
        yield f"Score: {over} extra damage + {readable(last.left)} health = **{readable(last.score)}**"


def _fight_lines(state: State, member: DeckMember) -> Iterator[str]:
    dealt, taken = member.to_boss.total, member.to_player.total
    yield f"**{plain(member.name)} so far**: {quantity(member.hits, 'exchange')}, all the same"
    yield f"Health: {readable(member.health)} {r.MINUS} {member.hits} × {readable(taken)} = {_left_text(member.left)}"
    yield f"Dealt: {member.hits} × {readable(dealt)} = **{readable(member.dealt)}**"
    yield "**The boss's health**"
    times = f"{readable(state.setup.boss.health)} × {state.setup.times} = " if state.setup.times > 1 else ""
    yield f"{times}{readable(state.setup.health)} at the start"
    for other in state.members:
        if other.hits and isinstance(other, DeckMember):
            yield f"{r.MINUS} {other.hits} × {readable(other.to_boss.total)} by {plain(other.name)}"
    yield f"= {_left_text(state.boss_left)}"


def arithmetic_document(
    number: int, state: State, member: Member, report: ExchangeReport, actions: tuple[Action, ...]
) -> Document:
    """Return a member's exchanges in battle `#number` with all their arithmetic."""
    dealt, taken = readable(report.to_boss.total), readable(report.to_player.total)
    last, boss = state.last, plain(state.setup.boss.name)
    headline = [f"### 🧮 #{number}: {plain(member.name)} against {boss}"]
    if isinstance(last, Struck):
        tokens = plain(", ".join(last.tokens), r.MAX_NAMES)
        headline.append(f"{tokens} against {r.attack_text(state, last.attack)}")
        headline.append(f"⚔️ Deals **{dealt}**, takes **{taken}**")
    else:
        headline += [
            f"⚔️ Each exchange deals **{dealt}** and takes **{taken}**",
            "-# Neither boss nor deck changes, so all exchanges of a member are the same.",
        ]
    so_far = [] if last is None or last.seat != member.seat else [*_blow_lines(last, boss)]
    so_far += _fight_lines(state, member) if isinstance(member, DeckMember) else ()
    pages = [Page("The fight so far", so_far), *arithmetic_pages(report, alone=False)]
    return Document("\n".join(headline), r.BLUE, pages, actions)
