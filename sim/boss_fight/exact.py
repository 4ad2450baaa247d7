"""Exact figures: whole numbers times powers of two, as JSON and as text for readers.

Every modifier of the game is 0 or a power of two, so every figure keeps this form, no matter how many are stacked.
"""

import re
from decimal import ROUND_HALF_UP, Context, Decimal
from fractions import Fraction
from typing import Annotated

from pydantic import BeforeValidator, PlainSerializer, WithJsonSchema

from sim.core.numbers import decimal_text, round_half_away

_FORM = re.compile(r"(?P<factor>-?[0-9]{1,40})(?:(?P<sign>[/*])2\^(?P<power>[1-9][0-9]{0,5}))?", re.ASCII)
_MAX_DIGITS = 12
"""Characters of the longest figure that is shown digit by digit."""

_EVERY_DIGIT = Context(prec=450_000, Emax=1_000_000, Emin=-1_000_000)  # more digits than any deck can produce
_COARSE = Context(prec=30, Emax=1_000_000, Emin=-1_000_000)


def _read(value: object) -> object:
    if isinstance(value, Fraction):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return Fraction(value)
    found = _FORM.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        raise ValueError("an exact figure is a whole number, optionally times or divided by a power of two: 125/2^5")
    power = int(found["power"] or 0)
    return int(found["factor"]) * power_of_two(-power if found["sign"] == "/" else power)


def power_of_two(power: int) -> Fraction:
    """Return 2 to the power."""
    return Fraction(1 << power) if power >= 0 else Fraction(1, 1 << -power)


def write_exact(value: Fraction) -> str:
    """Return `value` as "125/2^5" or "3*2^40"; ValueError if it needs more than 40 digits and a power of two."""
    factor, power = value.numerator, 1 - value.denominator.bit_length()
    if value.denominator != 1 << -power:
        raise ValueError("only powers of two may divide an exact figure")
    if not power and abs(factor) >= 1 << 64:
        power = (factor & -factor).bit_length() - 1
        factor >>= power
    if abs(factor) >= 10**40:
        raise ValueError("the figure has too many digits")
    return f"{factor}{'*' if power > 0 else '/'}2^{abs(power)}" if power else str(factor)


Exact = Annotated[
    Fraction, BeforeValidator(_read), PlainSerializer(write_exact, return_type=str), WithJsonSchema({"type": "string"})
]
"""A figure that keeps every bit: `125/2^5` in JSON."""


def digits(value: Fraction) -> str:
    """Return every digit of an exact figure, as JSON writes numbers; an exponent marks those far from 1."""
    if value.denominator == 1 and abs(value.numerator) < 1 << 64:
        return str(value.numerator)
    return str(_quotient(value, _EVERY_DIGIT)).replace("E", "e")


def readable(value: Fraction | int) -> str:
    """Return `value` for a reader: every digit of a short figure, two or more significant ones of a long figure.

    3.90625 is shown in full; longer figures as in 11,796.1, 3.9, 0.0012 and 1.2e-30. Only 0 is "0".
    """
    return _grouped(short(Fraction(value)))


def points(value: Fraction | int) -> str:
    """Return hit points or damage for a reader as whole points, such as 4,521; "<1" for less than one but some."""
    exact = Fraction(value)
    return "<1" if 0 < exact < 1 else readable(round_half_away(exact, 0))


def short(value: Fraction) -> str:
    """Return `value` as `readable` does, without commas: the form that is stored."""
    size = abs(value)
    if size.denominator <= 1 << _MAX_DIGITS and size < 10**_MAX_DIGITS:
        text = decimal_text(value, size.denominator.bit_length() - 1)
        if len(text) <= _MAX_DIGITS:
            return text
    if Fraction(1, 1000) <= size < 10**_MAX_DIGITS:
        places = 1 if size >= 1 else 2 - _quotient(size, _COARSE).adjusted() - 1
        return decimal_text(value, places)
    coarse = _quotient(value, Context(prec=2, rounding=ROUND_HALF_UP, Emax=1_000_000, Emin=-1_000_000))
    return f"{coarse:e}".replace(".0e", "e").replace("e+", "e")


def _grouped(text: str) -> str:
    if "e" in text:
        return text
    whole, point, decimals = text.partition(".")
    sign = "-" if whole.startswith("-") else ""
    return f"{sign}{int(whole.removeprefix('-')):,}{point}{decimals}"


def _quotient(value: Fraction, context: Context) -> Decimal:
    return context.divide(Decimal(value.numerator), Decimal(value.denominator))
