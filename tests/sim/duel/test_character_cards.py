"""The cards of characters."""

import pytest

from sim.core.cards.requests import draw_sheet
from sim.core.cards.values import MAX_SHEET_ROWS
from sim.duel.cards import character_card, characters_card
from sim.duel.critter import Abilities, Critter, Gender
from tests.sim.core.cards.looking import opened

SCORES = {"strength": 18, "intelligence": 9, "wisdom": 3, "dexterity": 10, "constitution": 13, "charisma": 6}
BRENNA = Critter(name="Brenna", gender=Gender.SHE, hp=6, armour_class=4, attacks=2, abilities=Abilities(**SCORES))


def test_a_character_shows_what_counts_and_its_abilities() -> None:
    card = character_card(BRENNA)
    assert card.alt() == (
        "Brenna. She, neutral. Hit points: 6. Armour class: 4. To hit AC 0: 19. Damage: 1d4 × 2. Strength: 18 +3. "
        "Intelligence: 9. Wisdom: 3 −3. Dexterity: 10. Constitution: 13 +1. Charisma: 6 −1."
    )
    assert [row.left for row in card.rows[:3]] == [1, 0.5, pytest.approx(1 / 6)]


def test_without_scores_the_modifiers_stand_alone() -> None:
    card = character_card(Critter(name="Ogre", hp=19, str_mod=2))
    assert [row.figures for row in card.rows[:2]] == ["+2", "0"]
    assert opened(draw_sheet(card).png()).height <= 720


@pytest.mark.parametrize("count", [2, 6, 7, 20])
def test_several_stand_side_by_side(count: int) -> None:
    critters = [BRENNA.model_copy(update={"name": f"{'W' * 38}{at}", "hp": at + 1}) for at in range(count)]
    card = characters_card(critters)
    assert (len(card.rows), card.more) == (min(count, MAX_SHEET_ROWS), max(0, count - MAX_SHEET_ROWS))
    assert card.rows[0].figures.startswith("1 HP · AC 4")
    assert opened(draw_sheet(card).png()).height <= 720


def test_one_alone_is_shown_with_its_abilities() -> None:
    assert characters_card([BRENNA]) == character_card(BRENNA)
