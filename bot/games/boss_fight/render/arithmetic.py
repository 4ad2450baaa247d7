"""An exchange step by step, to be checked by hand: modifiers, stacks, every product."""

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import partial

from bot.answers.document import LINES_A_PAGE, Action, Document, Page, numbered
from bot.games.boss_fight.render import BLUE, MAX_NAMES, MINUS, attack_text, element_text
from bot.ui.text import code_block, plain, shorten
from sim.boss_fight.battle.values import DeckMember, Exchanged, Member, State, Struck
from sim.boss_fight.exchange import ExchangeReport, Stacks, TokenRow
from sim.boss_fight.values import Token, readable
from sim.core.errors import visible
from sim.core.numbers import quantity

_TRAITS_A_PAGE = 8
_MAX_NAME = 40
_WIDTH = 28
"""Columns of a code block on a phone."""

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
    pages = [Page("The sums", lambda: "\n".join(_sum_lines(report, alone=alone)))]
    starts = range(0, len(report.tokens), LINES_A_PAGE)
    pages += numbered("The stacks", [partial(_stacks_page, report, start) for start in starts])
    for token, row in zip(report.deck.tokens, report.tokens, strict=True):
        starts = range(0, len(token.traits), _TRAITS_A_PAGE)
        pages += numbered(token.name, [partial(_token_page, report, token, row, start) for start in starts])
    return pages


def _sum_lines(report: ExchangeReport, *, alone: bool) -> Iterator[str]:
    boss, dealt, taken = report.boss, report.to_boss, report.to_player
    physical, magical, element = map(readable, report.stacks)
    yield "**Damage to the boss**, all tokens together"
    yield f"{readable(dealt.physical)} physical + {readable(dealt.magical)} magical = **{readable(dealt.total)}**"
    if alone:
        yield f"Its health: {readable(boss.health)} {MINUS} {readable(dealt.total)} = {_left_text(report.boss_left)}"
    yield "**Damage you take**"
    yield f"Physical: {readable(boss.physical_damage)} × {physical} = {readable(taken.physical)}"
    yield f"Magical: {readable(boss.magical_damage)} × {magical} × {element} = {readable(taken.magical)}"
    yield f"Together: {readable(taken.physical)} + {readable(taken.magical)} = **{readable(taken.total)}**"
    if alone:
        health = readable(report.player_health)
        yield f"Your health: {health} {MINUS} {readable(taken.total)} = {_left_text(report.player_left)}"
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
        f"**Score {readable(report.score)}** = {readable(report.to_boss.total)} {MINUS} {health} + "
        f"{readable(report.player_health)} {MINUS} {readable(report.to_player.total)}"
    )


def _stacks_page(report: ExchangeReport, start: int) -> str:
    end = start + LINES_A_PAGE
    lines = ["**What multiplies the damage you take**: physical · magical · element"]
    for token, row in zip(report.deck.tokens[start:end], report.tokens[start:end], strict=True):
        lines.append(f"{plain(token.name, _MAX_NAME)}: {_stacks_text(row.stacks)}")
    if end >= len(report.tokens):
        lines.append(f"**All multiplied**: {_stacks_text(report.stacks)}")
    return "\n".join(lines)


def _stacks_text(stacks: Stacks) -> str:
    return " · ".join(f"× {readable(stack)}" for stack in stacks)


def _token_page(report: ExchangeReport, token: Token, row: TokenRow, start: int) -> str:
    end = start + _TRAITS_A_PAGE
    why, against = _WHY[row.element.distance], element_text(report.boss.element)
    on_boss, on_player = readable(row.element.on_boss), readable(row.element.on_player)
    is_last, dealt, element = end >= len(token.traits), row.to_boss, row.element
    physical, magical, taken = [], [], []
    for trait, modifiers in zip(token.traits[start:end], row.traits[start:end], strict=True):
        on, product = modifiers.boss_physical, trait.physical_damage * modifiers.boss_physical
        physical.append((trait.name, f"{readable(trait.physical_damage)} × {readable(on)} = {readable(product)}"))
        factors: tuple[Fraction | int, ...] = (trait.magical_damage, modifiers.boss_magical, element.on_boss)
        magical.append((trait.name, f"{' × '.join(map(readable, factors))} = {readable(math.prod(factors))}"))
        every = (modifiers.player_physical, modifiers.player_magical, element.on_player)
        taken.append((trait.name, " · ".join(map(readable, every))))
    parts = [
        f"**{plain(token.name, _MAX_NAME)}**, {element_text(token.element)}, against {against}",
        f"-# {why}: magic on the boss × {on_boss}, on you × {on_player} for each trait",
        "**Physical to the boss**: damage × resistance",
        _table(physical, readable(dealt.physical) if is_last else None),
        "**Magical to the boss**: damage × resistance × element",
        _table(magical, readable(dealt.magical) if is_last else None),
        "**To you**: × physical · magical · element",
        _table(taken, None),
    ]
    if is_last:
        parts.append(f"**Stacked** over {quantity(len(token.traits), 'trait')}: {_stacks_text(row.stacks)}")
    return "\n".join(parts)


def _table(rows: Sequence[tuple[str, str]], total: str | None) -> str:
    """Return a code block of names and figures that fits on a phone; `total`: its last line, if any."""
    lines = [line for name, figures in rows for line in _cells(visible(name), figures)]
    if total is not None:
        lines += ["─" * _WIDTH, *_cells("together", total)]
    return code_block("\n".join(lines))


def _cells(name: str, figures: str) -> list[str]:
    if len(name) + 1 + len(figures) <= _WIDTH:
        return [f"{name}{figures:>{_WIDTH - len(name)}}"]
    product, equals, result = figures.rpartition(" = ")
    parts = [figures] if len(figures) <= _WIDTH or not equals else [product, f"= {result}"]
    return [shorten(name, _WIDTH), *(f"{part:>{_WIDTH}}" for part in parts)]


def _blow_lines(last: Exchanged | Struck) -> Iterator[str]:
    dealt, taken = last.to_boss.total, last.to_player.total
    yield f"**Exchange {last.hits} of {plain(last.name)}**, the last of the fight"
    yield f"The boss: {readable(last.boss_left + dealt)} {MINUS} {readable(dealt)} = {_left_text(last.boss_left)}"
    yield f"The member: {readable(last.left + taken)} {MINUS} {readable(taken)} = {_left_text(last.left)}"
    if last.score:
        over = readable(-last.boss_left)
        yield f"Score: {over} damage too much + {readable(last.left)} health = **{readable(last.score)}**"


def _fight_lines(state: State, member: DeckMember) -> Iterator[str]:
    dealt, taken = member.to_boss.total, member.to_player.total
    yield f"**{plain(member.name)} so far**: {quantity(member.hits, 'exchange')}, all the same"
    yield f"Health: {readable(member.health)} {MINUS} {member.hits} × {readable(taken)} = {_left_text(member.left)}"
    yield f"Dealt: {member.hits} × {readable(dealt)} = **{readable(member.dealt)}**"
    yield "**The boss's health**"
    times = f"{readable(state.setup.boss.health)} × {state.setup.times} = " if state.setup.times > 1 else ""
    yield f"{times}{readable(state.setup.health)} at the start"
    for other in state.members:
        if other.hits and isinstance(other, DeckMember):
            yield f"{MINUS} {other.hits} × {readable(other.to_boss.total)} by {plain(other.name)}"
    yield f"= {_left_text(state.boss_left)}"


def arithmetic_document(
    number: int, state: State, member: Member, report: ExchangeReport, actions: tuple[Action, ...]
) -> Document:
    """Return a member's exchanges in battle `#number` with all their arithmetic."""
    dealt, taken = readable(report.to_boss.total), readable(report.to_player.total)
    headline = [f"### 🧮 #{number}: {plain(member.name)} against {plain(state.setup.boss.name)}"]
    if isinstance(state.last, Struck):
        tokens = plain(", ".join(state.last.tokens), MAX_NAMES)
        headline.append(f"{tokens} against {attack_text(state, state.last.attack)}")
        headline.append(f"⚔️ Deals **{dealt}**, takes **{taken}**")
    else:
        headline += [
            f"⚔️ Each exchange deals **{dealt}** and takes **{taken}**",
            "-# Neither boss nor deck changes, so all exchanges of a member are the same.",
        ]
    so_far = [] if state.last is None or state.last.seat != member.seat else [*_blow_lines(state.last)]
    so_far += _fight_lines(state, member) if isinstance(member, DeckMember) else ()
    pages = [Page("The fight so far", partial("\n".join, so_far)), *arithmetic_pages(report, alone=False)]
    return Document("\n".join(headline), BLUE, pages, actions)
