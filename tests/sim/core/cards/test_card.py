from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.core.cards.card import Card, spread
from sim.core.cards.parts import Share, win_bar
from sim.core.cards.theme import BLUE, GROUND, NEUTRAL, ORANGE
from tests.sim.core.cards.looking import opened, share

WIDE = 744 / 800


def test_the_win_bar_is_divided_by_chance() -> None:
    card = Card(160)
    win_bar(card, 84, [Share(0.7, ORANGE), Share(0.1, NEUTRAL), Share(0.2, BLUE)])
    image = opened(card.png())
    assert share(image, ORANGE, row=107) == pytest.approx(0.7 * WIDE, abs=0.01)
    assert share(image, NEUTRAL, row=107) == pytest.approx(0.1 * WIDE, abs=0.01)
    assert share(image, BLUE, row=107) == pytest.approx(0.2 * WIDE, abs=0.01)
    assert share(image, GROUND) > 0.6


@given(st.lists(st.floats(0, 1), min_size=1, max_size=5).filter(lambda shares: sum(shares) > 0.01))
def test_parts_fill_a_bar_and_none_above_0_is_lost(shares: list[float]) -> None:
    total = sum(shares)
    placed = spread(700, [(chance / total, str(at)) for at, chance in enumerate(shares)])
    assert placed[0][0] == 0
    assert placed[-1][1] == 700
    assert all(before[1] == after[0] for before, after in pairwise(placed))
    shown = {color for start, end, color in placed if end > start}
    assert shown == {str(at) for at, chance in enumerate(shares) if chance / total > 1e-6}


def test_the_same_card_is_the_same_file() -> None:
    def drawn() -> bytes:
        card = Card(120)
        card.text(28, 58, "Round 3 → 4, 83.6%")
        return card.png()

    assert drawn() == drawn()
