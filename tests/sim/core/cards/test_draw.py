"""The kinds of cards that several games have."""

import pytest

from sim.core.cards.draw import FightCard, SheetCard, draw_fight, draw_luck
from sim.core.cards.parts import TOP
from sim.core.cards.theme import BLUE, INK, NEUTRAL, ORANGE, TILE, TROUGH
from sim.core.cards.values import (
    MAX_LUCK_ROWS,
    MAX_ROWS,
    MAX_SHEET_ROWS,
    MAX_WIDE_ROWS,
    Fact,
    FightSide,
    HealthRow,
    LuckCard,
    LuckRow,
)
from tests.sim.core.cards.looking import opened, share

FIGHT_BAR = TOP + 46 + 13
HALF = 352 / 800


def fight_card(*rows: HealthRow, chance: float | None = None) -> FightCard:
    other = FightSide(
        name="Villains", rows=(HealthRow.of("Haku", 8, 8),), chance=None if chance is None else 1 - chance
    )
    return FightCard(title="Round 3", left=FightSide(name="Heroes", rows=rows, chance=chance), right=other)


def test_a_bar_shows_what_is_left_and_what_was_lost() -> None:
    image = opened(draw_fight(fight_card(HealthRow.of("Naruto", 6, 10, 2))).png())
    stripes = HALF * 0.2 / 2
    assert share(image, BLUE, row=FIGHT_BAR) == pytest.approx(HALF * 0.6 + stripes, abs=0.02)
    assert share(image, TROUGH, row=FIGHT_BAR) == pytest.approx(HALF * 0.2 + stripes, abs=0.02)
    assert share(image, ORANGE, row=FIGHT_BAR) == pytest.approx(HALF, abs=0.01), "the other side"


def test_whoever_is_out_shows_what_happened_not_a_number_below_0() -> None:
    row = HealthRow.of("Haku", -4100, 8, 3, "fell to Kakashi")
    assert (row.gone, row.left, row.figures) == (True, 0, "fell to Kakashi")


@pytest.mark.parametrize("count", [0, 1, MAX_ROWS])
def test_any_number_of_rows_has_room(count: int) -> None:
    rows = tuple(HealthRow.of("W" * 40, count, 8, 1) for _ in range(count))
    side = FightSide(name="Party", rows=rows, chance=0.5, more=492)
    for drawn in (FightCard(title="T" * 90, left=side), FightCard(title="T", left=side, right=side, aside="a" * 90)):
        assert opened(draw_fight(drawn).png()).height <= 1100


def test_one_big_foe_stands_above_the_party() -> None:
    foe = HealthRow.of("Troll", 600, 1000)
    image = opened(draw_fight(FightCard(title="Troll", foe=foe, left=FightSide(name="Party", rows=()))).png())
    assert share(image, ORANGE, row=TOP + 46 + 13) == pytest.approx(0.6 * 744 / 800, abs=0.01)


def test_a_simulated_chance_is_never_certain() -> None:
    fight = fight_card(HealthRow.of("Naruto", 6, 10), chance=1.0).model_copy(update={"rough": True})
    assert "Heroes: >99% to win. Villains: <1% to win." in fight.alt()


SHEET_BAR = TOP + 46 + 13
FACTS = 122 + 14
WIDE = 744 / 800


def test_bars_of_a_sheet_are_as_long_as_their_share() -> None:
    rows = (HealthRow(name="Strength", left=0.75, figures="13"), HealthRow(name="Charisma", left=0.5, figures="9"))
    image = opened(SheetCard(title="Brenna", rows=rows, wide=True).draw().png())
    assert share(image, BLUE, row=SHEET_BAR) == pytest.approx(0.75 * WIDE, abs=0.01)
    assert share(image, TROUGH, row=SHEET_BAR) == pytest.approx(0.25 * WIDE, abs=0.01)
    image = opened(SheetCard(title="Brenna", rows=rows, wide=False, color="orange").draw().png())
    assert share(image, ORANGE, row=SHEET_BAR) == pytest.approx(1.25 * HALF, abs=0.01), "side by side"


def test_facts_stand_in_boxes_above_the_rows() -> None:
    facts = (Fact(label="Hit points", figure="6"), Fact(label="Armor class", figure="5"))
    rows = (HealthRow(name="Strength", left=1, figures="18"),)
    image = opened(SheetCard(title="Brenna", facts=facts, rows=rows, wide=True).draw().png())
    assert share(image, TILE, row=TOP + 12) == pytest.approx((744 - 14) / 800, abs=0.03)
    assert share(image, BLUE, row=SHEET_BAR + FACTS) == pytest.approx(WIDE, abs=0.01)


@pytest.mark.parametrize(("count", "wide"), [(0, True), (MAX_WIDE_ROWS, True), (MAX_SHEET_ROWS, False)])
def test_the_longest_words_of_a_sheet_have_room(count: int, wide: bool) -> None:
    rows = tuple(HealthRow(name="W" * 40, left=1, figures="9" * 90) for _ in range(count))
    facts = tuple(Fact(label="M" * 40, figure="9" * 40) for _ in range(4))
    sheet = SheetCard(
        title="T" * 90, aside="a" * 30, facts=facts, rows=rows, wide=wide, more=488, color="blue", note="n" * 120
    )
    assert opened(sheet.draw().png()).height <= 1500


LUCK_FOOT = TOP + 102 + 84 - 2
"""Just above the foot of the first row's bars."""


def luck_row(bars: tuple[float, ...], at: int, name: str = "Attacker") -> LuckRow:
    return LuckRow(name=name, figures="13 hits with 28 dice, 10.0 expected", place="luckier than 93%", bars=bars, at=at)


def test_the_result_stands_between_what_it_exceeds_and_what_would_have_been_better() -> None:
    image = opened(draw_luck(LuckCard(title="Luck", rows=(luck_row((0.2, 1.0, 0.5, 0.1), 2),))).png())
    widths = [share(image, color, row=LUCK_FOOT - 4) for color in (NEUTRAL, INK, TROUGH)]
    assert widths == pytest.approx([2 * 184 / 800, 184 / 800, 184 / 800], abs=0.01)


@pytest.mark.parametrize("count", [1, MAX_LUCK_ROWS])
def test_the_longest_words_and_the_most_bars_have_room(count: int) -> None:
    rows = tuple(luck_row((0.5,) * 100, 99, "W" * 60) for _ in range(count))
    assert opened(draw_luck(LuckCard(title="T" * 90, aside="a" * 20, rows=rows)).png()).height <= 1010
