from random import Random

import pytest

from sim.core.cards.draw import draw_campaign_chart
from sim.core.cards.theme import BLUE, LOST, ORANGE, TROUGH
from sim.core.cards.values import MAX_CHART_BATTLES, MAX_CHART_ROWS, CampaignChart, ChartRow, ChartSide
from tests.sim.core.cards.looking import opened, share

FOOT = 84 + 44 + 4 + 50 - 2
"""Just above the foot of the first row's columns."""


def row(*course: float | None, name: str = "Kakashi", figures: str = "3 kills · 25 damage") -> ChartRow:
    return ChartRow(name=name, figures=figures, course=course)


def card(*sides: ChartSide, battles: int = 3) -> CampaignChart:
    labels = tuple(str(number) for number in range(1, battles + 1))
    return CampaignChart(title="Siege of Konoha", aside=f"{battles} battles", battles=labels, sides=sides)


def test_columns_stand_for_what_was_left_after_each_battle() -> None:
    side = ChartSide(title="Heroes", rows=(row(1.0, 0.5, 0.0),))
    image = opened(draw_campaign_chart(card(side)).png())
    column = (58 - 6) / 800
    foot = [share(image, color, row=FOOT - 4) for color in (BLUE, LOST, TROUGH)]
    assert foot == pytest.approx([2 * column, column, 0], abs=0.003), "who fell is seen"
    top = [share(image, color, row=FOOT - 40) for color in (BLUE, LOST, TROUGH)]
    assert top == pytest.approx([column, 0, 2 * column], abs=0.003)


def test_a_battle_without_somebody_has_no_column() -> None:
    image = opened(draw_campaign_chart(card(ChartSide(title="Heroes", rows=(row(None, 0.5, 0.5),)))).png())
    shown = share(image, BLUE, row=FOOT - 4) + share(image, TROUGH, row=FOOT - 4)
    assert shown == pytest.approx(2 * 52 / 800, abs=0.003)


def test_the_longest_words_and_the_most_columns_have_room() -> None:
    choose = Random(1)
    rows = tuple(
        row(*(choose.random() for _ in range(MAX_CHART_BATTLES)), name=f"{at}{'W' * 50}", figures="9,999 kills · " * 4)
        for at in range(MAX_CHART_ROWS)
    )
    sides = (ChartSide(title=title, rows=rows, more=1000) for title in ("Heroes", "Villains"))
    image = opened(draw_campaign_chart(card(*sides, battles=MAX_CHART_BATTLES)).png())
    assert share(image, ORANGE) > 0.01


def test_the_picture_is_told_in_words() -> None:
    side = ChartSide(title="Heroes", rows=(row(0.5, 0.25), row(1.0, 0.0, name="Tom")))
    assert card(side, battles=2).alt() == (
        "Siege of Konoha, 2 battles. Kakashi: 3 kills · 25 damage, 25% left. Tom: 3 kills · 25 damage, fallen."
    )
