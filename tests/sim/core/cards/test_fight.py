import pytest

from sim.core.cards.draw import draw_fight
from sim.core.cards.theme import GOOD, LOST, LOW, ORANGE, TROUGH
from sim.core.cards.values import FightCard, FightSide, HealthRow
from tests.sim.core.cards.looking import opened, share

FIRST_BAR = 84 + 43
HALF = 352 / 800


def card(*rows: HealthRow, chance: float | None = None) -> FightCard:
    other = FightSide(
        name="Villains", rows=(HealthRow.of("Haku", 8, 8),), chance=None if chance is None else 1 - chance
    )
    return FightCard(title="Round 3", left=FightSide(name="Heroes", rows=rows, chance=chance), right=other)


def test_a_bar_shows_what_is_left_and_what_was_lost() -> None:
    image = opened(draw_fight(card(HealthRow.of("Naruto", 6, 10, 2))).png())
    assert share(image, GOOD, row=FIRST_BAR) == pytest.approx(HALF * 1.6, abs=0.02)
    assert share(image, LOST, row=FIRST_BAR) == pytest.approx(HALF * 0.2, abs=0.01)
    assert share(image, TROUGH, row=FIRST_BAR) == pytest.approx(HALF * 0.2, abs=0.01)


def test_few_hit_points_have_a_color_of_their_own() -> None:
    assert share(opened(draw_fight(card(HealthRow.of("Kakashi", 2, 12))).png()), LOW) > 0


def test_whoever_is_out_shows_what_happened_not_a_number_below_0() -> None:
    row = HealthRow.of("Haku", -4100, 8, 3, "fell to Kakashi")
    assert (row.gone, row.left, row.figures) == (True, 0, "fell to Kakashi")


def test_the_picture_is_told_in_words() -> None:
    drawn = card(HealthRow.of("Naruto", 6, 10), HealthRow.of("Sakura", 0, 3, note="fell to Haku"), chance=0.25)
    assert drawn.alt() == (
        "Round 3. Heroes: 25.0% to win. Villains: 75.0% to win. Naruto 6 / 10. Sakura fell to Haku. Haku 8 / 8."
    )


@pytest.mark.parametrize("count", [0, 1, 8])
def test_any_number_of_rows_has_room(count: int) -> None:
    rows = tuple(HealthRow.of("W" * 40, count, 8, 1) for _ in range(count))
    side = FightSide(name="Party", rows=rows, chance=0.5, more=492)
    for drawn in (FightCard(title="T" * 90, left=side), FightCard(title="T", left=side, right=side, aside="a" * 90)):
        assert opened(draw_fight(drawn).png()).height <= 720


def test_one_big_foe_stands_above_the_party() -> None:
    foe = HealthRow.of("Troll", 600, 1000)
    image = opened(draw_fight(FightCard(title="Troll", foe=foe, left=FightSide(name="Party", rows=()))).png())
    assert share(image, ORANGE, row=80 + 43) == pytest.approx(0.6 * 744 / 800, abs=0.01)


def test_the_last_card_has_notes_and_the_course_of_the_chances() -> None:
    course = ((0.6, 0.4), (0.1, 0.8), (0.0, 1.0))
    fight = card(HealthRow.of("Naruto", 0, 10)).model_copy(
        update={"course": course, "notes": ("Most takedowns: Haku (3)",)}
    )
    drawn = draw_fight(fight)
    assert drawn.alt.endswith("Haku 8 / 8. Most takedowns: Haku (3). Round 1 decided it.")
    plain = opened(draw_fight(card(HealthRow.of("Naruto", 0, 10))).png())
    assert share(opened(drawn.png()), ORANGE) > share(plain, ORANGE) == 0


def test_a_simulated_chance_is_never_certain() -> None:
    fight = card(HealthRow.of("Naruto", 6, 10), chance=1.0).model_copy(update={"rough": True})
    assert "Heroes: >99% to win. Villains: <1% to win." in fight.alt()
