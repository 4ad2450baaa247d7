"""A deck as pages: totals, stacks against each element, every token's traits."""

from collections.abc import Iterator
from functools import partial

from bot.answers.document import Action, Document, Page
from bot.games.boss_fight.render.signs import BLUE, element_text, flags_text
from bot.ui.text import counted, plain
from sim.boss_fight.exact import readable
from sim.boss_fight.reports import AgainstElement, DeckSheet
from sim.boss_fight.values import Deck, Token, Trait

_TRAITS_A_PAGE = 12
_TOKENS_LISTED = 15
_MOST_NAME = 40


def deck_book(sheet: DeckSheet, actions: tuple[Action, ...]) -> Document:
    """Return a deck's pages."""
    return Document("\n".join(totals(sheet)), BLUE, list(_leaves(sheet)), actions)


def totals(sheet: DeckSheet) -> Iterator[str]:
    """Sum a deck up in a few lines."""
    yield f"### 🃏 {counted(len(sheet.deck.tokens), 'token')}, {counted(sheet.deck.size, 'trait')}"
    yield f"❤️ **{sheet.health}** health"
    yield f"⚔️ **{sheet.physical_damage}** physical, **{sheet.magical_damage}** magical damage"


def deck_summary(sheet: DeckSheet) -> str:
    """Sum a saved deck up."""
    return "\n".join(line.removeprefix("### ") for line in totals(sheet))


def _leaves(sheet: DeckSheet) -> Iterator[Page]:
    yield Page("The stacks", lambda: "\n".join(_stacks(sheet)))
    tokens = sheet.deck.tokens
    for start in range(0, len(tokens), _TOKENS_LISTED):
        end = min(start + _TOKENS_LISTED, len(tokens))
        title = "The tokens" if len(tokens) <= _TOKENS_LISTED else f"Tokens {start + 1} to {end}"
        yield Page(title, partial(_tokens, sheet.deck, start, end))
    for token in tokens:
        for start in range(0, len(token.traits), _TRAITS_A_PAGE):
            part = "" if len(token.traits) <= _TRAITS_A_PAGE else f", from trait {start + 1}"
            yield Page(f"{token.name}{part}", partial(_token, token, start))


def _stacks(sheet: DeckSheet) -> Iterator[str]:
    yield "**What multiplies damage to the player**"
    yield f"Physical × **{readable(sheet.stacked_physical)}**, or × 1 where the boss pierces"
    yield f"Magical × **{readable(sheet.stacked_magical)}**, or × 1 where the boss pierces"
    yield "**Against a boss of each element**: magic on the player, damage to a boss that doesn't resist"
    for row in sheet.elements:
        yield f"- {element_text(row.element)}: × **{readable(row.stacked_element)}**; {_to_boss(row)}"


def _to_boss(row: AgainstElement) -> str:
    dealt = row.to_boss
    return f"{readable(dealt.physical)} + {readable(dealt.magical)} = **{readable(dealt.total)}**"


def _tokens(deck: Deck, start: int, end: int) -> str:
    return "\n".join(map(_token_line, deck.tokens[start:end]))


def _token_line(token: Token) -> str:
    health = sum(trait.health for trait in token.traits)
    damage = sum(trait.physical_damage for trait in token.traits), sum(trait.magical_damage for trait in token.traits)
    return (
        f"**{plain(token.name, _MOST_NAME)}** {element_text(token.element)}, {counted(len(token.traits), 'trait')}: "
        f"{health} health, {damage[0]} physical, {damage[1]} magical"
    )


def _token(token: Token, start: int) -> str:
    traits = token.traits[start : start + _TRAITS_A_PAGE]
    return "\n".join([_token_line(token), *(f"- {_trait(trait)}" for trait in traits)])


def _trait(trait: Trait) -> str:
    flags = flags_text(trait)
    figures = f"{trait.health} health, {trait.physical_damage} physical, {trait.magical_damage} magical"
    return f"**{plain(trait.name, _MOST_NAME)}** {figures}" + (f"; {flags}" if flags else "")
