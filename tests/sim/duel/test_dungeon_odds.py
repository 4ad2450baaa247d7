"""How often a party comes through a dungeon."""

import pytest

from sim.core.dice import SeededDice
from sim.duel.critter import RULES_VERSION, Critter, roll_critter
from sim.duel.dungeon.values import Enter, Phase, Run, Setup
from tests.sim.duel.test_dungeon import DUNGEON

DUNGEONS = 600


def party(seed: bytes) -> tuple[Critter, ...]:
    """Roll four heroes of level 1."""
    heroes: list[Critter] = []
    for number in range(4):
        heroes.append(roll_critter(SeededDice(seed, number), taken=[hero.name for hero in heroes]))
    return tuple(heroes)


def comes_through(seed: bytes, edition: int) -> bool:
    """Play a dungeon of four rooms of level 1 to its end; nobody ever goes home."""
    state = DUNGEON.begin(Setup(rooms=4, level=1, heroes=party(seed), edition=edition))
    step = 10
    while state.ending is None:
        action = Run() if state.phase is Phase.FIGHT else Enter()
        state = DUNGEON.step(state, action, "referee", SeededDice(seed, step)).state
        step += 1
    return bool(state.alive)


def share(edition: int, dungeons: int) -> float:
    """Return the share of dungeons that the heroes win."""
    return sum(comes_through(number.to_bytes(4, "big"), edition) for number in range(dungeons)) / dungeons


@pytest.mark.statistics
def test_four_heroes_of_level_1_come_through_four_rooms_in_more_than_half_of_the_dungeons() -> None:
    assert 0.54 < share(RULES_VERSION, DUNGEONS) < 0.70
    assert share(1, DUNGEONS) < 0.52, "packs were as large as the party"
