"""95 % confidence intervals of chances and means estimated from simulated battles."""

import math

Interval = tuple[float, float]
"""The lower and the upper end."""

_Z = 1.959963984540054  # standard errors of a 95 % interval


def chance_interval(chance: float, battles: int) -> Interval:
    """Return the 95 % score interval of a chance seen as `chance` (0 to 1) in `battles` (1 or more); within 0 and 1."""
    centre = (chance + _Z**2 / (2 * battles)) / (1 + _Z**2 / battles)
    spread = math.sqrt(chance * (1 - chance) / battles + _Z**2 / (4 * battles * battles))
    half = _Z / (1 + _Z**2 / battles) * spread
    # Where no battle, or every battle, came out so, only rounding keeps the interval's end from 0 or 1.
    return (max(0.0, centre - half) if chance > 0 else 0.0), (min(1.0, centre + half) if chance < 1 else 1.0)


def mean_interval(mean: float, deviation: float, battles: int) -> Interval:
    """Return the 95 % interval of a mean over `battles` (1 or more) whose standard deviation is `deviation`."""
    half = _Z * deviation / math.sqrt(battles)
    return mean - half, mean + half
