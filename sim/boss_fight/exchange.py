"""One exchange between a boss and a deck, with everything needed to check it with a pencil.

Rules page "Boss against decks": damage to the boss is summed trait by trait; the modifiers of damage to the player are
multiplied over all traits of all tokens, the element's once for each trait of its token.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from itertools import product
from operator import attrgetter
from types import MappingProxyType
from typing import Annotated, NamedTuple

from pydantic import Field
from typing_extensions import override

from sim.boss_fight.exact import Exact
from sim.boss_fight.values import FLAGS, HALF, NONE, ONE, Boss, Deck, Element, Token, Trait
from sim.core.frozen import Frozen
from sim.core.request import Request


class Damage(Frozen):
    """Damage of one exchange, by kind."""

    physical: Exact
    magical: Exact

    @property
    def total(self) -> Fraction:
        """Both kinds together."""
        return self.physical + self.magical


class ElementModifiers(Frozen):
    """What a token's element does to magical damage; `distance` along the circle, None without one of the elements."""

    distance: Annotated[int, Field(ge=0, le=4)] | None
    on_boss: Exact
    on_player: Exact


_DOUBLINGS: Mapping[int | None, int | None] = MappingProxyType({None: 0, 0: None, 1: 1, 2: 0, 3: 0, 4: -1})
"""By distance along the circle: how often damage to the player is doubled and to the boss halved; None: it is 0."""


@cache
def element_modifiers(boss: Element | None, token: Element | None) -> ElementModifiers:
    """Return the element modifiers of a token against a boss."""
    distance = None if boss is None or token is None else token.steps_behind(boss)
    doublings = _DOUBLINGS[distance]
    if doublings is None:
        return ElementModifiers(distance=distance, on_boss=NONE, on_player=NONE)
    return ElementModifiers(distance=distance, on_boss=power_of_two(-doublings), on_player=power_of_two(doublings))


class TraitModifiers(Frozen):
    """What penetration and resistance make of the damage of one trait and of the boss: 1, or 1/2 where resisted."""

    boss_physical: Exact
    boss_magical: Exact
    player_physical: Exact
    player_magical: Exact


_Flags = tuple[bool, bool, bool, bool]
"""A trait's flags, in the order of `FLAGS`."""


@cache
def _modifier_table(boss: _Flags) -> Mapping[_Flags, "_Effect"]:
    """Return what each of the sixteen kinds of traits makes of damage, against a boss with these flags."""
    no_yes = (False, True)
    return {flags: _effect(boss, flags) for flags in product(no_yes, no_yes, no_yes, no_yes)}


class _Effect(NamedTuple):
    """The modifiers, and the same as whole numbers: halves of damage to the boss, powers of 1/2 for the player."""

    modifiers: TraitModifiers
    boss_physical: int
    boss_magical: int
    player_physical: int
    player_magical: int


def _effect(boss: _Flags, trait: _Flags) -> _Effect:
    (boss_pierces, boss_resists, boss_pierces_magic, boss_resists_magic) = boss
    (pierces, resists, pierces_magic, resists_magic) = trait
    halved = (
        boss_resists and not pierces,
        boss_resists_magic and not pierces_magic,
        resists and not boss_pierces,
        resists_magic and not boss_pierces_magic,
    )
    values = dict(zip(TraitModifiers.model_fields, (HALF if is_halved else ONE for is_halved in halved), strict=True))
    return _Effect(TraitModifiers(**values), 2 - halved[0], 2 - halved[1], int(halved[2]), int(halved[3]))


_flags: Callable[[Boss | Trait], _Flags] = attrgetter(*FLAGS)


def trait_modifiers(boss: Boss, trait: Trait) -> TraitModifiers:
    """Return the modifiers of a trait against a boss."""
    return _modifier_table(_flags(boss))[_flags(trait)].modifiers


@dataclass(frozen=True, slots=True)
class TokenRow:
    """What one token does in an exchange.

    `element`: its element's modifiers. `traits`: the modifiers of each trait, in order. `physical_quarters`,
    `magical_quarters`: its damage to the boss, times 4. `physical_halves`, `magical_halves`: how often its traits halve
    damage to the player; `doublings`: how often its element doubles it (halves it, below 0), None for "makes it 0".
    """

    element: ElementModifiers
    traits: tuple[TraitModifiers, ...]
    physical_quarters: int
    magical_quarters: int
    physical_halves: int
    magical_halves: int
    doublings: int | None

    @property
    def to_boss(self) -> Damage:
        """Its damage to the boss."""
        return Damage(physical=Fraction(self.physical_quarters, 4), magical=Fraction(self.magical_quarters, 4))

    @property
    def stacked_physical(self) -> Fraction:
        """The product of its traits' modifiers of physical damage to the player."""
        return power_of_two(-self.physical_halves)

    @property
    def stacked_magical(self) -> Fraction:
        """The same of magical damage."""
        return power_of_two(-self.magical_halves)

    @property
    def stacked_element(self) -> Fraction:
        """The element's modifier, once for each trait."""
        return NONE if self.doublings is None else power_of_two(self.doublings)


class ExchangeReport(Frozen):
    """An exchange: `tokens` row by row in the deck's order, and what comes of all of them.

    Leftovers may be below 0.
    """

    boss: Boss
    deck: Deck
    tokens: tuple[TokenRow, ...]
    player_health: int
    to_boss: Damage
    to_player: Damage
    stacked_physical: Exact
    stacked_magical: Exact
    stacked_element: Exact

    @cached_property
    def boss_left(self) -> Fraction:
        """The boss's health after the exchange."""
        return self.boss.health - self.to_boss.total

    @cached_property
    def player_left(self) -> Fraction:
        """The player's health after the exchange."""
        return self.player_health - self.to_player.total

    @property
    def score(self) -> Fraction:
        """The score as the game counts it."""
        return score(self.boss_left, self.player_left)


def score(boss_left: Fraction, player_left: Fraction) -> Fraction:
    """Return the score of an exchange by what it left of both: 0 unless the boss fell and the player lost no more than
    he had, else what was done beyond need and the health left, together.
    """  # noqa: D205 - one sentence, too long for a line
    return NONE if boss_left > 0 or player_left < 0 else player_left - boss_left


def exchange(boss: Boss, deck: Deck) -> ExchangeReport:
    """Work one exchange out, exactly."""
    effects = _modifier_table(_flags(boss))
    rows = tuple(_row(boss, token, effects) for token in deck.tokens)
    physical = power_of_two(-sum(row.physical_halves for row in rows))
    halves = sum(row.magical_halves for row in rows)
    doublings = [row.doublings for row in rows if row.doublings is not None]
    nothing = len(doublings) < len(rows)
    return ExchangeReport.model_construct(  # all of it is checked already, and a long deck's check takes its time
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
            magical=NONE if nothing else boss.magical_damage * power_of_two(sum(doublings) - halves),
        ),
        stacked_physical=physical,
        stacked_magical=power_of_two(-halves),
        stacked_element=NONE if nothing else power_of_two(sum(doublings)),
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
        # What an element takes from the player's side it gives to the boss's: the powers are opposite.
        0 if doubling is None else magical << (1 - doubling),
        halves,
        magical_halves,
        None if doubling is None else doubling * len(modifiers),
    )


def power_of_two(power: int) -> Fraction:
    """Return 2 to the power."""
    return Fraction(1 << power) if power >= 0 else Fraction(1, 1 << -power)


class ExchangeRequest(Request):
    """The question for one exchange, and the job that answers it."""

    boss: Boss
    deck: Deck

    @override
    def cost(self) -> float:
        return 0.01 + 1e-5 * self.deck.size

    def run(self) -> ExchangeReport:
        """Work the exchange out."""
        return exchange(self.boss, self.deck)
