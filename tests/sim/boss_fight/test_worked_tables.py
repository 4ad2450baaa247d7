"""The tables of the game's own description, worked again: modifiers, stacks, and the fight that they lead to."""

from fractions import Fraction

import pytest

from sim.boss_fight.deck_text import parse_deck
from sim.boss_fight.exact import digits, readable
from sim.boss_fight.exchange import exchange
from sim.boss_fight.presets import known_boss
from sim.boss_fight.reports import ExchangeReport
from sim.boss_fight.values import Boss, Element
from tests.sim.boss_fight.builders import boss, deck, exactly, token, trait

HERO = "hero: V, Assassin, Elixir, Epic, Fair"
HALF, NONE = Fraction(1, 2), Fraction(0)


def inu_dogemon() -> Boss:
    found = known_boss("inu dogemon")
    assert found is not None
    return found


def five_tokens() -> ExchangeReport:
    """Against Axieom Asmodeus, who is Water: Fire, Air, none, Water of five traits each, Earth of six."""
    asmodeus = known_boss("Axieom Asmodeus")
    assert asmodeus is not None
    elements = (Element.FIRE, Element.AIR, None, Element.WATER, Element.EARTH)
    counts = (5, 5, 5, 5, 6)
    tokens = (
        token(*[trait(health=1)] * count, element=element) for element, count in zip(elements, counts, strict=True)
    )
    return exchange(asmodeus, deck(*tokens))


def test_the_circle_of_elements_makes_a_modifier_for_each_token() -> None:
    """Against Water: Fire gives way, Air and no element don't matter, Water meets itself, Earth has the advantage.

    | token | element | boss x | player x |
    | ----- | ------- | ------ | -------- |
    | 1     | Fire    | 1/2    | 2        |
    | 2     | Air     | 1      | 1        |
    | 3     | none    | 1      | 1        |
    | 4     | Water   | 0      | 0        |
    | 5     | Earth   | 2      | 1/2      |
    """
    rows = five_tokens().tokens
    assert [row.element.on_boss for row in rows] == [HALF, 1, 1, 0, 2]
    assert [row.element.on_player for row in rows] == [2, 1, 1, 0, HALF]


def test_an_elements_modifier_counts_once_for_each_trait() -> None:
    """Five traits of Fire against Water are 2^5 = 32, six of Earth (1/2)^6 = 0.015625; one 0 makes the deck's 0."""
    report = five_tokens()
    assert [digits(row.stacked_element) for row in report.tokens] == ["32", "1", "1", "0", "0.015625"]
    assert report.stacked_element == 0


@pytest.mark.parametrize(
    ("name", "physical", "magical"),
    [("V", 1, 1), ("Assassin", HALF, 1), ("Elixir", HALF, 1), ("Epic", HALF, HALF), ("Fairy", 1, 1)],
)
def test_resistance_halves_what_does_not_pierce(name: str, physical: Fraction, magical: Fraction) -> None:
    """Inu Dogemon pierces nothing and resists nothing: only the player's side is halved."""
    (modifiers,) = exchange(inu_dogemon(), parse_deck(f"hero: {name}")).tokens[0].traits
    assert (modifiers.boss_physical, modifiers.boss_magical) == exactly(1, 1)
    assert (modifiers.player_physical, modifiers.player_magical) == (physical, magical)


def test_modifiers_stack_by_multiplication_within_a_token() -> None:
    """1 x 1/2 x 1/2 x 1/2 x 1 = 0.125 of physical damage, one half of magical."""
    row = exchange(inu_dogemon(), parse_deck(HERO)).tokens[0]
    assert (readable(row.stacked_physical), readable(row.stacked_magical)) == ("0.125", "0.5")


def test_damage_to_the_boss_is_summed_trait_by_trait() -> None:
    """Assassin 1000, Epic 500, Fairy 1000 physical; Assassin 500 and Fairy 1000 magical: 2500 + 1500."""
    report = exchange(inu_dogemon(), parse_deck(HERO))
    assert (report.to_boss.physical, report.to_boss.magical) == exactly(2500, 1500)
    assert report.boss_left == 1000 - 4000


def test_the_final_sum_to_the_last_digit() -> None:
    """0.001953125 x 2000 + 0.0078125 x 1 x 0 = 3.90625; of 11800 health 11796.09375 are left."""
    resisting = trait(health=1000, flags="PR MR")
    report = exchange(
        boss(1000, 2000),
        deck(
            token(*[resisting] * 5),
            token(*[resisting] * 2, *[trait(health=1900, flags="PR")] * 2),
            token(trait(health=1000)),
        ),
    )
    assert (digits(report.stacked_physical), digits(report.stacked_magical)) == ("0.001953125", "0.0078125")
    assert report.player_health == 11800
    assert digits(report.to_player.total) == readable(report.to_player.total) == "3.90625"
    assert digits(report.player_left) == "11796.09375"
    assert readable(report.player_left) == "11,796.09375"
