"""What B/X duels cost: `python -m tests.bench.duel`, by hand, on an idle machine.

Prints each figure beside what the project asks for: milliseconds, the least and the median of many repeats.
"""

import resource
import time
from collections.abc import Callable, Iterator
from itertools import count, product
from statistics import median

from sim.duel.battle.rules import Duel
from sim.duel.battle.values import Run, Setup
from sim.duel.critter import RULES_VERSION, Critter
from sim.duel.phrases import NARRATED_WORDS
from sim.duel.requests import DuelOddsRequest, warm_up
from sim.duel.simulated_odds import simulate
from sim.duel.words import DEFAULT_WORDS, Words
from sim.jobs.battle import Advance

SECONDS = 1.0
"""Time to spend on repeats of one measurement."""

GROUP = 50
DUELS = 10_000
MOST_HP = 50


def row(name: str, what: Callable[[], object], target: float | None) -> None:
    """Measure and print one line; `target` in milliseconds."""
    spent = []
    end = time.perf_counter() + SECONDS
    while time.perf_counter() < end:
        start = time.perf_counter()
        what()
        spent.append(1e3 * (time.perf_counter() - start))
    target_text = "" if target is None else f"{target:g}"
    print(f"{name:<58}{min(spent):>10.3f}{median(spent):>10.3f}{target_text:>9}")


def fighter(name: str, hp: int, **values: object) -> Critter:
    """Make a fighter with the rules' defaults."""
    return Critter.model_validate({"name": name, "hp": hp, **values})


def group_fight(words: Words, hp: int) -> Callable[[], object]:
    """Return the whole job of a group fight, as a worker does it, each time with other dice."""
    groups = [tuple(fighter(f"{side}{number}", hp) for number in range(GROUP)) for side in ("Red ", "Blue ")]
    rules = Duel()
    state = rules.begin(
        Setup(group1=groups[0], group2=groups[1], words=words, narrated=words.has_variants, edition=RULES_VERSION)
    )
    numbers = count(1)
    return lambda: Advance.of(rules, state, Run(), "referee", b"bench", next(numbers)).run()


def exact(**values: object) -> Callable[[], object]:
    """Return the exact odds of two who have the most hit points that are asked for."""
    conan, grendel = (fighter(name, MOST_HP, **values) for name in ("Conan", "Grendel"))
    return DuelOddsRequest(group1=(conan,), group2=(grendel,)).run


def kinds() -> Iterator[tuple[str, dict[str, object]]]:
    """Give fighters from the plainest to those whose fights last longest."""
    for strength, damage, attacks in product((0, -6), ("1d4", "1d1", "20d100"), (1, 10)):
        yield (
            f"{strength:+d}, {damage}, attacks {attacks}",
            {
                "str_mod": strength,
                "damage": damage,
                "attacks": attacks,
            },
        )


def main() -> None:
    """Measure and print everything; takes about half a minute."""
    start = time.perf_counter()
    warm_up()
    print(f"Kernel ready after {time.perf_counter() - start:.2f} s.\n")
    print(f"{'':<58}{'least':>10}{'median':>10}{'target':>9}")
    for hp in (5, 20):
        row(f"{GROUP} v {GROUP}, {hp} hit points, told, as JSON", group_fight(DEFAULT_WORDS, hp), 200)
        row(f"{GROUP} v {GROUP}, {hp} hit points, narrated, as JSON", group_fight(NARRATED_WORDS, hp), 200)
    conan, grendel = fighter("Conan", 8), fighter("Grendel", 8)
    row(f"{DUELS:,} duels 1 v 1, simulated", lambda: simulate((conan,), (grendel,), DUELS, 0, 0), 1_000)
    for name, values in kinds():
        row(f"exact odds, {MOST_HP} hit points, Strength {name}", exact(**values), 50)
    print(f"\nMost memory resident: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB.")


if __name__ == "__main__":
    main()
