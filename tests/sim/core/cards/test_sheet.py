import pytest

from sim.core.cards.draw import draw_sheet
from sim.core.cards.theme import BLUE, ORANGE, TILE, TROUGH
from sim.core.cards.values import MAX_SHEET_ROWS, MAX_WIDE_ROWS, Fact, HealthRow, SheetCard
from tests.sim.core.cards.looking import opened, share

FIRST_BAR = 80 + 43
FACTS = 92 + 16
WIDE, HALF = 744 / 800, 352 / 800


def test_bars_are_as_long_as_their_share() -> None:
    rows = (HealthRow(name="Strength", left=0.75, figures="13"), HealthRow(name="Charisma", left=0.5, figures="9"))
    image = opened(draw_sheet(SheetCard(title="Brenna", rows=rows, wide=True)).png())
    assert share(image, BLUE, row=FIRST_BAR) == pytest.approx(0.75 * WIDE, abs=0.01)
    assert share(image, TROUGH, row=FIRST_BAR) == pytest.approx(0.25 * WIDE, abs=0.01)
    image = opened(draw_sheet(SheetCard(title="Brenna", rows=rows, wide=False, color="orange")).png())
    assert share(image, ORANGE, row=FIRST_BAR) == pytest.approx(1.25 * HALF, abs=0.01), "side by side"


def test_facts_stand_in_boxes_above_the_rows() -> None:
    facts = (Fact(label="Hit points", figure="6"), Fact(label="Armour class", figure="5"))
    rows = (HealthRow(name="Strength", left=1, figures="18"),)
    image = opened(draw_sheet(SheetCard(title="Brenna", facts=facts, rows=rows, wide=True)).png())
    assert share(image, TILE, row=90) == pytest.approx((744 - 14) / 800, abs=0.03)
    assert share(image, BLUE, row=FIRST_BAR + FACTS) == pytest.approx(WIDE, abs=0.01)


@pytest.mark.parametrize(("count", "wide"), [(0, True), (MAX_WIDE_ROWS, True), (MAX_SHEET_ROWS, False)])
def test_the_longest_words_have_room(count: int, wide: bool) -> None:
    rows = tuple(HealthRow(name="W" * 40, left=1, figures="9" * 90) for _ in range(count))
    facts = tuple(Fact(label="M" * 40, figure="9" * 40) for _ in range(4))
    sheet = SheetCard(
        title="T" * 90, aside="a" * 30, facts=facts, rows=rows, wide=wide, more=488, color="blue", note="n" * 120
    )
    assert opened(draw_sheet(sheet).png()).height <= 720


def test_the_picture_is_told_in_words() -> None:
    sheet = SheetCard(
        title="Heroes.csv",
        aside="no warnings",
        facts=(Fact(label="Fighters", figure="3"),),
        rows=(HealthRow(name="Tom", left=1, figures="2 HP"),),
        wide=True,
        more=2,
        note="Fit to fight",
    )
    assert sheet.alt() == "Heroes.csv. No warnings. Fighters: 3. Tom: 2 HP. And 2 more. Fit to fight."
