import pytest

from sim.core.numbers import chance_interval, mean_interval


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
