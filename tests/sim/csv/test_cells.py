"""Numbers as people type them, names as people see them."""

import re
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.csv.table import MAX_DIGITS, read_decimal, read_whole


@pytest.mark.parametrize(
    ("text", "value"),
    [("0", 0), ("7001", 7001), ("+5", 5), ("-1", -1), ("−1", -1), ("007", 7), (" 5 ", 5), ("5000.0", 5000), ("-0", 0)],
)
def test_whole_numbers(text: str, value: int) -> None:
    assert read_whole(text) == value


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "'' is not a whole number"),
        ("1.5", "'1.5' is not a whole number"),
        ("1e3", "'1e3' is not a whole number"),
        ("１２", "'１２' is not a whole number"),
        ("1_0", "'1_0' is not a whole number"),
        ("٣", "'٣' is not a whole number"),
        ("--1", "'--1' is not a whole number"),
        ("13,000", "'13,000' has a thousands separator: write 13000"),
        ("-13.000.000", "'-13.000.000' has a thousands separator: write -13000000"),
        ("13 000", "'13 000' has a thousands separator: write 13000"),
        ("9" * (MAX_DIGITS + 1), "'9999999999999999' has more than 15 digits"),
        ("x" * 100, f"'{'x' * 29}…' is not a whole number"),
    ],
)
def test_what_is_no_whole_number_is_told(text: str, told: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(told)}$"):
        read_whole(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *(("0.15", "0.15"), (".5", "0.5"), ("5.", "5"), ("-.25", "-0.25"), ("−0.1", "-0.1"), ("+3", "3")),
        *(("0,15", "0.15"), ("-,5", "-0.5"), ("0,150", "0.15"), ("1,5", "1.5"), ("0000.10", "0.1")),
    ],
)
def test_decimals_with_a_point_or_a_comma(text: str, value: str) -> None:
    assert read_decimal(text) == Decimal(value)
    assert read_decimal(text, decimal_comma=True) == Decimal(value)


def test_what_could_be_thousands_is_read_only_where_the_table_writes_decimal_commas() -> None:
    assert read_decimal("1,500", decimal_comma=True) == Decimal("1.5")
    with pytest.raises(ValueError, match=r"'1,500' can mean 1500 or 1\.500: write it without a comma"):
        read_decimal("1,500")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        *((text, f"{text!r} is not a number such as 0.15") for text in ("", ".", "-", "1e-3", "nan", "inf", "0.1.2")),
        *((text, f"{text!r} is not a number such as 0.15") for text in ("１", "0x1", "1_0", "Infinity", "1/2")),
        ("15%", "'15%' is a percentage: write 0.15 for 15%"),
        ("0." + "1" * 16, "'0.1111111111111111' has more than 15 digits"),
        ("1" * 16, "'1111111111111111' has more than 15 digits"),
    ],
)
def test_what_is_no_decimal_is_told(text: str, told: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(told)}$"):
        read_decimal(text)


def test_nothing_has_no_sign() -> None:
    assert str(read_decimal("-0")) == "0"


@given(st.decimals(-1_000_000, 1_000_000, places=6))
def test_every_decimal_reads_back(value: Decimal) -> None:
    assert read_decimal(f"{value:f}") == value
    assert read_decimal(f"{value:f}".replace(".", ","), decimal_comma=True) == value
