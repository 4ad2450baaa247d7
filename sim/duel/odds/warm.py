"""Compiling or loading the kernel of duels ahead of the first question."""

from sim.duel.critter import Critter
from sim.duel.odds.request import FEWEST_BATTLES, DuelOddsRequest


def warm_up() -> None:
    """Make the kernel ready, from its cache on disk where there is one; call it once in a worker's initializer.

    Takes some seconds where nothing is cached yet, a fraction of one otherwise.
    """
    first, second, third = (Critter(name=name, hp=1) for name in "ABC")
    DuelOddsRequest(group1=(first,), group2=(second,)).run()
    DuelOddsRequest(group1=(first, second), group2=(third,), battles=FEWEST_BATTLES).run()
