"""The exact odds of one turn for a player who holds at a number of points."""

from fractions import Fraction
from functools import cache
from typing import Annotated

from pydantic import Field

from fracas_pig.rules import FACES
from sim.core.values import Request

MOST = 100
"""The most points that anybody holds at."""

HoldAt = Annotated[int, Field(ge=1, le=MOST)]


@cache
def bust_chance(hold_at: int) -> Fraction:
    """Return the chance that a 1 comes before the points of a turn are `hold_at` or more."""
    if hold_at <= 0:
        return Fraction(0)
    return Fraction(1, FACES) + sum((bust_chance(hold_at - face) for face in range(2, FACES + 1)), Fraction(0)) / FACES


class Chance(Request):
    """A job for a worker: the chance that a turn is lost."""

    max_seconds = 0.01

    hold_at: HoldAt

    def run(self) -> Fraction:
        """Work it out."""
        return bust_chance(self.hold_at)


def warm_up() -> None:
    """Fill the cache; a worker calls this before its first job."""
    for hold_at in range(MOST + 1):
        bust_chance(hold_at)
