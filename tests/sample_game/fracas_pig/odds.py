"""The exact odds of one turn for a player who holds at a number of points."""

from fractions import Fraction
from functools import cache

from fracas_pig.rules import FACES


@cache
def bust_chance(hold_at: int) -> Fraction:
    """Return the chance that a 1 comes before the points of a turn are `hold_at` or more."""
    if hold_at <= 0:
        return Fraction(0)
    return Fraction(1, FACES) + sum((bust_chance(hold_at - face) for face in range(2, FACES + 1)), Fraction(0)) / FACES


def warm_up() -> None:
    """Fill the cache; a worker calls this before its first job."""
    for hold_at in range(101):
        bust_chance(hold_at)
