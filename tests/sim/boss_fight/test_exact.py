from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from sim.boss_fight.exact import Exact, digits, points, readable, short

ADAPTER: TypeAdapter[Fraction] = TypeAdapter(Exact)

dyadic = st.builds(lambda factor, power: Fraction(factor) * Fraction(2) ** power, st.integers(), st.integers(-900, 900))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(0), "0"),
        (Fraction(-5000), "-5,000"),
        (Fraction(125, 32), "3.90625"),
        (Fraction("11796.09375"), "11,796.09375"),
        (Fraction("17675.1455078125"), "17,675.1"),
        (Fraction("-17675.1455078125"), "-17,675.1"),
        (Fraction(1, 1024), "0.0009765625"),
        (Fraction(5, 4096), "0.0012"),
        (Fraction(3, 2**13), "3.7e-4"),
        (Fraction(1, 2**100), "7.9e-31"),
        (Fraction(-1, 2**100), "-7.9e-31"),
        (Fraction(1, 2**32000), "1.1e-9633"),
        (Fraction(10**11), "100,000,000,000"),
        (Fraction(10**12), "1e12"),
        (Fraction(2) ** 200, "1.6e60"),
        (1 - Fraction(1, 2**70), "1"),
    ],
)
def test_a_figure_for_a_reader(value: Fraction, text: str) -> None:
    assert readable(value) == text


@given(dyadic)
def test_a_figure_for_a_reader_is_short_near_and_never_0_when_it_is_not(value: Fraction) -> None:
    text = readable(value)
    assert text.replace(",", "") == short(value)
    text = short(value)
    assert len(text) <= 15
    assert (Fraction(text) == 0) is (value == 0)
    assert abs(Fraction(text) - value) <= abs(value) / 15


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction("4520.833984375"), "4,521"),
        (Fraction(6000), "6,000"),
        (6000, "6,000"),
        (Fraction(1, 2), "<1"),
        (Fraction(3, 2), "2"),
        (0, "0"),
        (Fraction(2) ** 200, "1.6e60"),
    ],
)
def test_points_of_one_kind_look_alike(value: Fraction | int, text: str) -> None:
    assert points(value) == text


@given(dyadic)
def test_every_digit_is_there(value: Fraction) -> None:
    assert Fraction(digits(value)) == value


@given(st.integers(-(10**30), 10**30), st.integers(-3000, 3000))
def test_json_keeps_every_bit(factor: int, power: int) -> None:
    value = Fraction(factor) * Fraction(2) ** power
    text = ADAPTER.dump_json(value)
    assert ADAPTER.validate_json(text) == value
    assert len(text) < 50


def test_json_reads_like_the_figure() -> None:
    assert [ADAPTER.dump_python(value) for value in (Fraction(125, 32), Fraction(7), Fraction(2) ** 99)] == [
        "125/2^5",
        "7",
        "1*2^99",
    ]


@pytest.mark.parametrize(
    "text", ["1e5", "1/3", "1/2^9999999", "１", "1_0", "nan", "", "1*2^0", "9" * 41, 1.5, None, True, "1/2^-3"]
)
def test_what_is_no_exact_figure_is_refused(text: object) -> None:
    with pytest.raises(ValidationError):
        ADAPTER.validate_python(text)


@pytest.mark.parametrize("value", [Fraction(1, 3), 1 + Fraction(1, 2**200)])
def test_what_cannot_be_kept_is_not_rounded(value: Fraction) -> None:
    with pytest.raises(ValueError, match=r"exact figure|too many digits"):
        ADAPTER.dump_python(value)
