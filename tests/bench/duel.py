"""The rows of B/X duels: fights of groups, simulated and exact odds."""

from collections.abc import Callable, Iterator
from itertools import count, product

from sim.duel.battle import Run, Setup
from sim.duel.battle.rules import Duel
from sim.duel.critter import RULES_VERSION
from sim.duel.requests import DuelOddsRequest
from sim.duel.simulate import simulate
from sim.duel.words import DEFAULT_WORDS, NARRATED_WORDS, Words
from tests.bench.rows import Row
from tests.conformance.example import job_of
from tests.sim.duel.builders import critter

GROUP = 50
DUELS = 10_000
MOST_HP = 50


def group_fight(words: Words, hp: int) -> Callable[[], object]:
    """Return the whole job of a group fight, as a worker does it, each time with other dice."""
    groups = [tuple(critter(f"{side}{number}", hp) for number in range(GROUP)) for side in ("Red ", "Blue ")]
    rules = Duel()
    state = rules.begin(
        Setup(group1=groups[0], group2=groups[1], words=words, narrated=words.has_variants, edition=RULES_VERSION)
    )
    numbers = count(1)
    return lambda: job_of(rules, state, Run(), "referee", b"bench", next(numbers)).run()


def exact(**values: object) -> Callable[[], object]:
    """Return the exact odds of two who have the most hit points that are asked for."""
    conan, grendel = (critter(name, MOST_HP, **values) for name in ("Conan", "Grendel"))
    return DuelOddsRequest(group1=(conan,), group2=(grendel,)).run


def rows() -> Iterator[Row]:
    """Yield the rows; the exact odds from the plainest fighters to those whose fights last longest."""
    for hp in (5, 20):
        yield Row(f"{GROUP} v {GROUP}, {hp} hit points, told, as JSON", group_fight(DEFAULT_WORDS, hp), 200)
        yield Row(f"{GROUP} v {GROUP}, {hp} hit points, narrated, as JSON", group_fight(NARRATED_WORDS, hp), 200)
    conan, grendel = critter("Conan", 8), critter("Grendel", 8)
    yield Row(f"{DUELS:,} duels 1 v 1, simulated", lambda: simulate((conan,), (grendel,), DUELS, 0, 0), 1_000)
    for strength, damage, attacks in product((0, -6), ("1d4", "1d1", "20d100"), (1, 10)):
        name = f"exact odds, {MOST_HP} hit points, Strength {strength:+d}, {damage}, attacks {attacks}"
        yield Row(name, exact(str_mod=strength, damage=damage, attacks=attacks), 50)
