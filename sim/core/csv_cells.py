"""Numbers in the cells of a spreadsheet, as people type them."""

import re
from decimal import Decimal

MAX_DIGITS = 15
"""Digits of a number before the point, and behind it: what a spreadsheet keeps exactly, and far more than any rule."""

_MAX_QUOTED = 30  # characters of a wrong cell that a message repeats

_WHOLE = re.compile(r"(?P<sign>[+-]?)(?P<digits>[0-9]+)(?:\.0)?")  # 5000.0 is how some programs write 5000
_DECIMAL = re.compile(r"(?P<sign>[+-]?)(?P<whole>[0-9]*)(?:(?P<point>[.,])(?P<rest>[0-9]*))?")
_THOUSANDS = re.compile(r"[+-]?[1-9][0-9]{0,2}(?:[.,' ][0-9]{3})+")
_MINUS = str.maketrans("\N{MINUS SIGN}", "-")


def read_whole(text: str) -> int:
    """Return a whole number written in plain digits, a sign before it or not; ValueError with what is wrong.

    The error is a part of a sentence without its full stop: `'1.5' is not a whole number`.
    """
    plain = _plain(text)
    found = _WHOLE.fullmatch(plain)
    if found is None:
        if _THOUSANDS.fullmatch(plain):
            raise ValueError(f"{quote(text)} has a thousands separator: write {re.sub(r'[^0-9+-]', '', plain)}")
        raise ValueError(f"{quote(text)} is not a whole number")
    return int(f"{found['sign']}{_check_digits(text, found['digits'])}")


def read_decimal(text: str, decimal_comma: bool = False) -> Decimal:
    """Return a number such as 0.15, -3 or .5 exactly; ValueError with what is wrong, as `read_whole` has it.

    0,15 is read, too. What could be thousands, such as 1,500, is read as 1.5 only where `decimal_comma` says that the
    whole table writes commas. Exponents, percentages, NaN and infinities are refused.
    """
    plain = _plain(text)
    found = _DECIMAL.fullmatch(plain)
    if found is None or not (found["whole"] or found["rest"]):
        if plain.endswith("%"):
            raise ValueError(f"{quote(text)} is a percentage: write 0.15 for 15%")
        raise ValueError(f"{quote(text)} is not a number such as 0.15")
    if found["point"] == "," and not decimal_comma and _THOUSANDS.fullmatch(plain):
        bare, point = plain.replace(",", ""), plain.replace(",", ".")
        raise ValueError(f"{quote(text)} can mean {bare} or {point}: write it without a comma")
    whole, rest = _check_digits(text, found["whole"] or "0"), (found["rest"] or "").rstrip("0")
    value = Decimal(f"{found['sign']}{whole}.{_check_digits(text, rest)}")
    return value or Decimal(0)  # never minus nothing


def quote(text: str) -> str:
    """Return a cell's text in quotes for a message, cut where it is long, nothing hidden in it."""
    return repr(text if len(text) <= _MAX_QUOTED else f"{text[: _MAX_QUOTED - 1]}…")


def _plain(text: str) -> str:
    return text.strip().translate(_MINUS)


def _check_digits(text: str, digits: str) -> str:
    if len(digits.lstrip("0")) > MAX_DIGITS:
        raise ValueError(f"{quote(text)} has more than {MAX_DIGITS} digits")
    return digits
