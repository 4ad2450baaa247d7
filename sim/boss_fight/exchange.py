"""Exchanges between a boss and a deck, exactly, and their arithmetic as text.

Source: .docs/rules/boss_fight.md, "Modifiers" and "One exchange".

Damage to the boss is summed trait by trait. The modifiers of damage to the player are multiplied over all traits of all
tokens; a token's element counts once for each of its traits.
"""

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import cache
from itertools import product
from operator import attrgetter
from types import MappingProxyType
from typing import NamedTuple

from sim.boss_fight.exact import power_of_two, readable
from sim.boss_fight.reports import (
    AgainstElement,
    BossRow,
    Damage,
    DeckSheet,
    ElementModifiers,
    End,
    ExchangeReport,
    Outlook,
    TokenRow,
    TraitModifiers,
)
from sim.boss_fight.values import FLAGS, Boss, Deck, Element, Token, Trait

MAX_COUNTED = 10**15
"""Exchanges up to which their number is exact."""

_DOUBLINGS: Mapping[int | None, int | None] = MappingProxyType({None: 0, 0: None, 1: 1, 2: 0, 3: 0, 4: -1})
"""By distance along the circle: how often damage to the player is doubled and to the boss halved; None: it is 0."""


@cache
def element_modifiers(boss: Element | None, token: Element | None) -> ElementModifiers:
    """Return the element modifiers of a token against a boss."""
    distance = None if boss is None or token is None else token.steps_behind(boss)
    doublings = _DOUBLINGS[distance]
    if doublings is None:
        return ElementModifiers(distance=distance, on_boss=Fraction(0), on_player=Fraction(0))
    return ElementModifiers(distance=distance, on_boss=power_of_two(-doublings), on_player=power_of_two(doublings))


_Flags = tuple[bool, bool, bool, bool]
"""A trait's flags, in the order of `FLAGS`."""


class _Effect(NamedTuple):
    """The modifiers, and the same as whole numbers: halves of damage to the boss, powers of 1/2 for the player."""

    modifiers: TraitModifiers
    boss_physical: int
    boss_magical: int
    player_physical: int
    player_magical: int


@cache
def _effects(boss: _Flags) -> Mapping[_Flags, _Effect]:
    """Return the effect of each of the sixteen kinds of traits against a boss with these flags."""
    no_yes = (False, True)
    return {flags: _effect(boss, flags) for flags in product(no_yes, no_yes, no_yes, no_yes)}


def _effect(boss: _Flags, trait: _Flags) -> _Effect:
    (boss_pierces, boss_resists, boss_pierces_magic, boss_resists_magic) = boss
    (pierces, resists, pierces_magic, resists_magic) = trait
    halved = (
        boss_resists and not pierces,
        boss_resists_magic and not pierces_magic,
        resists and not boss_pierces,
        resists_magic and not boss_pierces_magic,
    )
    factors = (power_of_two(-is_halved) for is_halved in halved)
    modifiers = TraitModifiers(**dict(zip(TraitModifiers.model_fields, factors, strict=True)))
    return _Effect(modifiers, 2 - halved[0], 2 - halved[1], int(halved[2]), int(halved[3]))


_flags: Callable[[Boss | Trait], _Flags] = attrgetter(*FLAGS)


def exchange(boss: Boss, deck: Deck) -> ExchangeReport:
    """Return one exchange with every modifier, so that it can be checked by hand."""
    effects = _effects(_flags(boss))
    rows = tuple(_row(boss, token, effects) for token in deck.tokens)
    physical = power_of_two(-sum(row.physical_halves for row in rows))
    halves = sum(row.magical_halves for row in rows)
    doublings = [row.doublings for row in rows if row.doublings is not None]
    no_magic = len(doublings) < len(rows)
    return ExchangeReport.model_construct(  # every value is valid already, and validating a long deck takes time
        boss=boss,
        deck=deck,
        tokens=rows,
        player_health=deck.health,
        to_boss=Damage(
            physical=Fraction(sum(row.physical_quarters for row in rows), 4),
            magical=Fraction(sum(row.magical_quarters for row in rows), 4),
        ),
        to_player=Damage(
            physical=boss.physical_damage * physical,
            magical=Fraction(0) if no_magic else boss.magical_damage * power_of_two(sum(doublings) - halves),
        ),
        stacked_physical=physical,
        stacked_magical=power_of_two(-halves),
        stacked_element=Fraction(0) if no_magic else power_of_two(sum(doublings)),
    )


def _row(boss: Boss, token: Token, effects: Mapping[_Flags, _Effect]) -> TokenRow:
    element = element_modifiers(boss.element, token.element)
    physical = magical = halves = magical_halves = 0
    modifiers = []
    for trait in token.traits:
        effect = effects[_flags(trait)]
        modifiers.append(effect.modifiers)
        physical += trait.physical_damage * effect.boss_physical
        magical += trait.magical_damage * effect.boss_magical
        halves += effect.player_physical
        magical_halves += effect.player_magical
    doubling = _DOUBLINGS[element.distance]
    return TokenRow(
        element,
        tuple(modifiers),
        2 * physical,
        # An element that doubles damage to the player halves damage to the boss: the powers are opposite.
        0 if doubling is None else magical << (1 - doubling),
        halves,
        magical_halves,
        None if doubling is None else doubling * len(modifiers),
    )


def deck_sheet(deck: Deck) -> DeckSheet:
    """Return the totals of a deck, and its stacks against bosses of each element."""
    traits = [trait for token in deck.tokens for trait in token.traits]
    return DeckSheet.model_construct(
        deck=deck,
        health=deck.health,
        physical_damage=sum(trait.physical_damage for trait in traits),
        magical_damage=sum(trait.magical_damage for trait in traits),
        stacked_physical=power_of_two(-sum(trait.physical_resistance for trait in traits)),
        stacked_magical=power_of_two(-sum(trait.magical_resistance for trait in traits)),
        elements=tuple(_against(deck, element) for element in (None, *Element)),
    )


def _against(deck: Deck, element: Element | None) -> AgainstElement:
    report = exchange(Boss(name="Anyone", element=element, health=1), deck)
    return AgainstElement(element=element, stacked_element=report.stacked_element, to_boss=report.to_boss)


def boss_row(boss: Boss, deck: Deck) -> BossRow:
    """Return what a boss and a deck do to each other, and how their fight ends."""
    report = exchange(boss, deck)
    return BossRow(
        boss=boss,
        player_health=report.player_health,
        to_boss=report.to_boss,
        to_player=report.to_player,
        outlook=outlook(report),
    )


def outlook(report: ExchangeReport) -> Outlook:
    """Return how the fight ends: every exchange deals the same damage."""
    if report.player_health <= 0:
        return Outlook(end=End.UNFIT, exchanges=0, about="0")
    boss_falls = exchanges_to_fall(report.boss.health, report.to_boss.total)
    player_falls = exchanges_to_fall(report.player_health, report.to_player.total)
    if boss_falls is not None and (player_falls is None or boss_falls <= player_falls):
        end, count = End.VICTORY if boss_falls != player_falls else End.BOTH, boss_falls
    elif player_falls is not None:
        end, count = End.DEFEAT, player_falls
    else:
        return Outlook(end=End.STALEMATE, exchanges=None, about="")
    if count > MAX_COUNTED:
        return Outlook(end=end, exchanges=None, about=readable(Fraction(count)))
    return Outlook(end=end, exchanges=count, about=f"{count:,}")


def exchanges_to_fall(health: int | Fraction, damage: Fraction) -> int | None:
    """Return the number of hits of `damage` after which no `health` is left; None for never."""
    return -(-health // damage) if damage else None


def transcript(report: ExchangeReport) -> str:
    """Return the whole arithmetic, token by token, then both sides; it ends with a newline."""
    lines = [
        f"{report.boss.name} ({report.boss.element or 'no element'}) against {_counted(len(report.tokens), 'token')}"
    ]
    for token, row in zip(report.deck.tokens, report.tokens, strict=True):
        lines += _token_lines(token, row)
    lines += [*_boss_lines(report), *_player_lines(report), f"Score: {readable(report.score)}"]
    return "".join(f"{line}\n" for line in lines)


def _token_lines(token: Token, row: TokenRow) -> Iterator[str]:
    yield ""
    yield f"{token.name} ({token.element or 'no element'})"
    element = readable(row.element.on_boss)
    for trait, modifiers in zip(token.traits, row.traits, strict=True):
        physical = trait.physical_damage * modifiers.boss_physical
        magical = trait.magical_damage * modifiers.boss_magical * row.element.on_boss
        yield (
            f"  {trait.name}: to the boss {readable(trait.physical_damage)} x {readable(modifiers.boss_physical)} = "
            f"{readable(physical)} physical, {readable(trait.magical_damage)} x {readable(modifiers.boss_magical)} x "
            f"{element} = {readable(magical)} magical; to the player x {readable(modifiers.player_physical)} physical, "
            f"x {readable(modifiers.player_magical)} magical, x {readable(row.element.on_player)} element"
        )
    yield f"  to the boss: {readable(row.to_boss.physical)} physical, {readable(row.to_boss.magical)} magical"
    yield (
        f"  stacked: x {readable(row.stacked_physical)} physical, x {readable(row.stacked_magical)} magical, "
        f"x {readable(row.stacked_element)} element"
    )


def _boss_lines(report: ExchangeReport) -> Iterator[str]:
    damage = report.to_boss
    yield ""
    yield (
        f"Damage to the boss: {readable(damage.physical)} physical + {readable(damage.magical)} magical = "
        f"{readable(damage.total)}"
    )
    yield f"Boss's health: {readable(report.boss.health)} - {readable(damage.total)} = {readable(report.boss_left)}"


def _player_lines(report: ExchangeReport) -> Iterator[str]:
    boss, damage = report.boss, report.to_player
    stacks = (report.stacked_physical, report.stacked_magical, report.stacked_element)
    physical, magical, element = map(readable, stacks)
    yield f"Stacked over all tokens: x {physical} physical, x {magical} magical, x {element} element"
    yield (
        f"Damage to the player: {readable(boss.physical_damage)} x {physical} + {readable(boss.magical_damage)} x "
        f"{magical} x {element} = {_sum(damage.physical, damage.magical)}"
    )
    left = readable(report.player_left)
    yield f"Player's health: {readable(report.player_health)} - {readable(damage.total)} = {left}"


def _sum(physical: Fraction, magical: Fraction) -> str:
    if not magical or not physical:
        return readable(physical + magical)
    return f"{readable(physical)} + {readable(magical)} = {readable(physical + magical)}"


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
