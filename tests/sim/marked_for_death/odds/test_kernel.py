"""Who steps in: a living guard, however many have fallen."""

from collections import Counter

import numpy as np

from sim.marked_for_death.odds.kernel import _guard, new_field, set_up
from sim.marked_for_death.odds.lineup import line_up
from sim.marked_for_death.odds.simulate import fighter_arrays
from tests.sim.marked_for_death.odds.builders import fighter, side

GUARDS = 40


def test_the_last_of_many_guards_share_the_attacks() -> None:
    heroes = side(fighter("King"), *(fighter(f"g{at}", bodyguard_for="King") for at in range(GUARDS)))
    fighters, field = fighter_arrays(line_up(heroes, side(fighter("V"))), GUARDS + 1), new_field(GUARDS + 2)
    set_up(fighters, field)
    field.alive[1:] = 0
    field.alive[[7, 30]] = 1
    field.living_guards[0] = 2
    streams = np.array([1], np.uint64)
    seen = Counter(_guard(fighters, field, streams, 0) for _ in range(2_000))
    assert set(seen) == {7, 30}
    assert abs(seen[7] - 1_000) < 4.5 * 2_000**0.5 / 2
