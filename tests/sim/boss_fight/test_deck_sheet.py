from fractions import Fraction

from sim.boss_fight.deck_text import parse_deck
from sim.boss_fight.exchange import deck_sheet, exchange, transcript
from sim.boss_fight.reports import DeckSheet
from sim.boss_fight.values import Element
from tests.sim.boss_fight.builders import boss, deck, exactly, token, trait

HALF = Fraction(1, 2)


def test_a_deck_at_a_glance() -> None:
    found = deck_sheet(parse_deck("hero: V, Assassin, Elixir, Epic, Fairy @Fire; attack: X, Sword @Earth"))
    assert (found.health, found.physical_damage, found.magical_damage) == (4000, 3600, 1500)
    assert (found.stacked_physical, found.stacked_magical) == exactly("1/8", "1/2")
    stacks = {element.element: (element.stacked_element, element.to_boss.total) for element in found.elements}
    assert stacks == {
        None: exactly(1, 5100),
        Element.WATER: exactly(2**5 * HALF**2, 3600 + 750),
        Element.FIRE: exactly(0, 3600),
        Element.AIR: exactly(HALF**5, 3600 + 3000),
        Element.LIGHTNING: exactly(2**2, 5100),
        Element.EARTH: exactly(0, 5100),
    }
    assert DeckSheet.model_validate_json(found.model_dump_json()) == found


def test_an_exchange_can_be_checked_with_a_pencil() -> None:
    report = exchange(
        boss(100, 40, 8, "PR", Element.WATER),
        deck(
            token(trait(10, 20, 30, "PP", name="Fang"), trait(5, 7, flags="PR MR", name="Hide"), element=Element.EARTH)
        ),
    )
    assert transcript(report).splitlines() == [
        "Troll (Water) against 1 token",
        "",
        "token 1 (Earth)",
        (
            "  Fang: to the boss 20 x 1 = 20 physical, 30 x 1 x 2 = 60 magical; "
            "to the player x 1 physical, x 1 magical, x 0.5 element"
        ),
        (
            "  Hide: to the boss 7 x 0.5 = 3.5 physical, 0 x 1 x 2 = 0 magical; "
            "to the player x 0.5 physical, x 0.5 magical, x 0.5 element"
        ),
        "  to the boss: 23.5 physical, 60 magical",
        "  stacked: x 0.5 physical, x 0.5 magical, x 0.25 element",
        "",
        "Damage to the boss: 23.5 physical + 60 magical = 83.5",
        "Boss's health: 100 - 83.5 = 16.5",
        "Stacked over all tokens: x 0.5 physical, x 0.5 magical, x 0.25 element",
        "Damage to the player: 40 x 0.5 + 8 x 0.5 x 0.25 = 20 + 1 = 21",
        "Player's health: 15 - 21 = -6",
        "Score: 0",
    ]
