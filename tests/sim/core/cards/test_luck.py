import pytest

from sim.core.cards.draw import draw_luck
from sim.core.cards.theme import BLUE, ORANGE, TROUGH
from sim.core.cards.values import MAX_LUCK_ROWS, LuckCard, LuckRow
from tests.sim.core.cards.looking import opened, share

BASE = 84 + 66 + 84 - 2
"""Just above the foot of the first row's bars."""


def row(bars: tuple[float, ...], at: int, name: str = "Attacker") -> LuckRow:
    return LuckRow(name=name, figures="13 hits with 28 dice, 10.0 expected", place="luckier than 93%", bars=bars, at=at)


def test_the_result_stands_between_what_it_exceeds_and_what_would_have_been_better() -> None:
    image = opened(draw_luck(LuckCard(title="Luck", rows=(row((0.2, 1.0, 0.5, 0.1), 2),))).png())
    widths = [share(image, color, row=BASE - 4) for color in (BLUE, ORANGE, TROUGH)]
    assert widths == pytest.approx([2 * 184 / 800, 184 / 800, 184 / 800], abs=0.01)


@pytest.mark.parametrize("count", [1, MAX_LUCK_ROWS])
def test_the_longest_words_and_the_most_bars_have_room(count: int) -> None:
    rows = tuple(row((0.5,) * 100, 99, "W" * 60) for _ in range(count))
    assert opened(draw_luck(LuckCard(title="T" * 90, aside="a" * 20, rows=rows)).png()).height <= 820


def test_the_picture_is_told_in_words() -> None:
    card = LuckCard(title="Ann's luck", aside="Q1 2027", rows=(row((1.0,), 0),))
    assert card.alt() == ("Ann's luck. Q1 2027. Attacker: 13 hits with 28 dice, 10.0 expected; luckier than 93%.")
