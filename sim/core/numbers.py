"""Exact numbers and chances as text, and 95% confidence intervals of simulated chances and means."""

import math
from decimal import Decimal
from fractions import Fraction

ROUNDING = 1e-12
"""The largest chance, or rest to certainty, that rounding alone may make."""

NOISE = 1e-9
"""How far rounding may carry a computed probability past 0 or 1.

A sum of a million terms, or a distribution followed for 100,000 rounds, drifts by less than 1e-10.
"""

_SMALLEST_SHOWN = 0.001
"""The least chance that one decimal of a percent tells from nothing."""


def probability(computed: float) -> float:
    """Return a computed probability within 0 and 1, its rounding clipped.

    ArithmeticError if it is off by more than `NOISE`, or no number: then the calculation is wrong.
    """
    if 0.0 < computed <= 1.0:
        return computed
    if not -NOISE <= computed <= 1 + NOISE:
        raise ArithmeticError(f"{computed} is no probability")
    return 0.0 if computed <= 0.0 else 1.0


def round_half_away(value: Fraction, places: int = 3) -> Fraction:
    """Return `value` rounded to `places` decimals (0 or more), halves away from zero."""
    scale = 10**places
    scaled = abs(value) * scale
    whole = (2 * scaled.numerator + scaled.denominator) // (2 * scaled.denominator)
    return Fraction(whole if value >= 0 else -whole, scale)


def decimal_text(value: Fraction, places: int = 3) -> str:
    """Return `value` with at most `places` decimals, halves away from zero, trailing zeros dropped.

    Zero never carries a sign: -1/10000 to 3 places is "0".
    """
    if value.denominator == 1:
        return str(value.numerator)
    short = round_half_away(value, places)
    whole, rest = divmod(abs(short) * 10**places, 10**places)
    sign = "-" if short < 0 else ""
    decimals = f"{int(rest):0{places}d}".rstrip("0") if places else ""
    return f"{sign}{int(whole)}.{decimals}" if decimals else f"{sign}{int(whole)}"


def amount(value: Fraction | float, places: int = 3) -> str:
    """Return `value` as `decimal_text` does, with commas between the thousands: 4,520.5."""
    return grouped(decimal_text(Fraction(value), places))


def grouped(text: str) -> str:
    """Return a decimal number with commas between the thousands."""
    return f"{Decimal(text):,f}"


def quantity(number: int, singular: str, plural: str | None = None) -> str:
    """Return `1 round`, `3 rounds`, `1,000 rounds`."""
    return f"{number:,} {singular if number == 1 else plural or f'{singular}s'}"


def about_rounds(mean: float) -> str:
    """Return a mean number of rounds for players, "about 2.7 rounds"; "" if there is nothing to fight."""
    rounds = amount(mean, 1)
    return "" if rounds == "0" else f"about {rounds} {'round' if rounds == '1' else 'rounds'}"


def exact_text(value: Fraction) -> str:
    """Return every digit of `value`; ValueError when its decimals never end."""
    for places in range(value.denominator.bit_length()):
        if 10**places % value.denominator == 0:
            return decimal_text(value, places)
    raise ValueError(f"{value} has no finite decimal form")


def percent(chance: float, *, certain: bool = False) -> str:
    """Return a chance (0 to 1) with one decimal: `7.6%`.

    What is merely unlikely never reads 0%, nor the merely likely 100%: these are `<0.1%` and `>99.9%`. 0% stands
    for an exact 0 alone, 100% for what the caller knows to be `certain`.
    """
    if certain:
        figure = "100"
    elif chance <= 0:
        figure = "0"
    elif chance < _SMALLEST_SHOWN:
        figure = "<0.1"
    elif chance > 1 - _SMALLEST_SHOWN:
        figure = ">99.9"
    else:
        figure = f"{100 * chance:.1f}"
    return f"{figure}%"


def rounded_percent(chance: float, *, exact: bool) -> str:
    """Return a chance that rounding may have changed as `percent` does.

    Where it isn't `exact`, but simulated for instance, what never came up may still happen: it is never 0% or 100%.
    """
    if exact:
        return percent(chance if chance > ROUNDING else 0, certain=chance > 1 - ROUNDING)
    return percent(min(max(chance, ROUNDING), 1 - ROUNDING))


def percent_range(interval: tuple[float, float]) -> str:
    """Return an interval of chances, such as `7.1 to 8.2%`."""
    low, high = interval
    return f"{100 * low:.1f} to {100 * high:.1f}%"


Interval = tuple[float, float]
"""The lower and the upper end."""

_Z = 1.959963984540054  # standard errors of a 95% interval


def chance_interval(chance: float, battles: int) -> Interval:
    """Return the 95% score interval of a chance seen as `chance` (0 to 1) in `battles` (1 or more); within 0 and 1."""
    centre = (chance + _Z**2 / (2 * battles)) / (1 + _Z**2 / battles)
    spread = math.sqrt(chance * (1 - chance) / battles + _Z**2 / (4 * battles * battles))
    half = _Z / (1 + _Z**2 / battles) * spread
    # Where no battle, or every battle, came out so, only rounding keeps the interval's end from 0 or 1.
    return (max(0.0, centre - half) if chance > 0 else 0.0), (min(1.0, centre + half) if chance < 1 else 1.0)


def mean_interval(mean: float, deviation: float, battles: int) -> Interval:
    """Return the 95% interval of a mean over `battles` (1 or more) whose standard deviation is `deviation`."""
    half = _Z * deviation / math.sqrt(battles)
    return mean - half, mean + half
