"""Compiles the kernel of duels before a worker's first job."""

from sim.duel.critter import Critter
from sim.duel.requests import MIN_BATTLES, DuelOddsRequest


def warm_up() -> None:
    """Compile the kernel, or load it from its cache on disk; call it once in a worker's initializer.

    Takes some seconds without a cache, a fraction of a second with one.
    """
    first, second, third = (Critter(name=name, hp=1) for name in "ABC")
    DuelOddsRequest(group1=(first,), group2=(second,)).run()
    DuelOddsRequest(group1=(first, second), group2=(third,), battles=MIN_BATTLES).run()
