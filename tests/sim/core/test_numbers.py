import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.core.numbers import NOISE, chance_interval, decimal_text, mean_interval, percent, probability, round_half_away
from tests.tables import table


@pytest.mark.parametrize(
    ("value", "text"),
    table(__file__, "decimals"),
)
def test_three_decimals_halves_away_from_zero(value: str, text: str) -> None:
    assert decimal_text(Fraction(value)) == text


def test_no_decimals_leave_no_point() -> None:
    assert decimal_text(Fraction(5, 2), 0) == "3"


@given(st.fractions(), st.integers(0, 6))
def test_shown_number_is_within_half_a_unit(value: Fraction, places: int) -> None:
    assert abs(Fraction(decimal_text(value, places)) - value) <= Fraction(1, 2 * 10**places)
    assert Fraction(decimal_text(value, places)) == round_half_away(value, places)


@pytest.mark.parametrize(
    ("chance", "certain", "text"),
    table(__file__, "unlikely"),
)
def test_the_merely_unlikely_is_never_nought(chance: float, certain: bool, text: str) -> None:
    assert percent(chance, certain=certain) == text.replace(" ", "\N{NO-BREAK SPACE}")


@pytest.mark.parametrize(
    ("computed", "clipped"), [(0.25, 0.25), (1 + 1e-14, 1.0), (-1e-14, 0.0), (1 + 0.9 * NOISE, 1.0), (1.0, 1.0)]
)
def test_the_rounding_of_a_probability_is_clipped(computed: float, clipped: float) -> None:
    assert probability(computed) == clipped


@pytest.mark.parametrize("wrong", [1.0000001, -0.0000001, math.inf, math.nan])
def test_what_is_off_by_more_is_a_mistake_of_ours(wrong: float) -> None:
    with pytest.raises(ArithmeticError):
        probability(wrong)


def test_the_score_interval_of_ten_in_hundred() -> None:
    """Wilson 1927, as tables of statistics print it for 10 of 100: 5.52% to 17.44%."""
    assert chance_interval(0.1, 100) == pytest.approx((0.0552, 0.1744), abs=5e-5)


def test_what_never_or_always_happened_keeps_its_end() -> None:
    low, high = chance_interval(0.0, 1000)
    assert low == 0.0
    assert 0.0 < high < 0.005
    other_low, other_high = chance_interval(1.0, 1000)
    assert other_low == pytest.approx(1 - high)
    assert other_high == 1.0


def test_a_mean_is_sure_to_two_standard_errors() -> None:
    assert mean_interval(10.0, 5.0, 100) == pytest.approx((10 - 0.98, 10 + 0.98), abs=1e-4)
