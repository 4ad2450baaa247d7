"""The exact odds of one turn for a player who holds at a number of points."""

from fractions import Fraction
from functools import cache
from typing import Annotated

from pydantic import Field

from fracas_pig.rules import FACES
from sim.core.values import Frozen

MOST = 100
"""The most points that anybody holds at."""


@cache
def bust_chance(hold_at: int) -> Fraction:
    """Return the chance that a 1 comes before the points of a turn are `hold_at` or more."""
    if hold_at <= 0:
        return Fraction(0)
    return Fraction(1, FACES) + sum((bust_chance(hold_at - face) for face in range(2, FACES + 1)), Fraction(0)) / FACES


class Chance(Frozen):
    """A job for a worker: the chance that a turn is lost."""

    hold_at: Annotated[int, Field(ge=1, le=MOST)]

    def cost(self) -> float:
        """Return the seconds that it takes at most."""
        return 0.01

    def run(self) -> Fraction:
        """Work it out."""
        return bust_chance(self.hold_at)


def warm_up() -> None:
    """Fill the cache; a worker calls this before its first job."""
    for hold_at in range(MOST + 1):
        bust_chance(hold_at)
