"""A deck at a glance: totals, and what its stacks make of damage, boss element by boss element."""

from sim.boss_fight.exact import Exact
from sim.boss_fight.exchange import Damage, exchange, power_of_two
from sim.boss_fight.values import Boss, Deck, Element
from sim.core.frozen import Frozen


class AgainstElement(Frozen):
    """A deck against bosses of one element (None: without one) that neither pierce nor resist.

    `stacked_element`: what magical damage to the player is multiplied by; `to_boss`: the deck's damage to the boss.
    """

    element: Element | None
    stacked_element: Exact
    to_boss: Damage


class DeckSheet(Frozen):
    """Totals of a deck, before any modifier, and its stacks.

    `stacked_physical`, `stacked_magical`: what damage to the player is multiplied by where the boss doesn't pierce; 1
    where it does.
    """

    deck: Deck
    health: int
    physical_damage: int
    magical_damage: int
    stacked_physical: Exact
    stacked_magical: Exact
    elements: tuple[AgainstElement, ...]


def sheet(deck: Deck) -> DeckSheet:
    """Work the sheet of a deck out."""
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
