"""Morale, an option of B/X duels: who has less than 2d6 show flees when the first, or half, of a group are slain."""

import pytest

from sim.core.dice import SeededDice
from sim.core.values import Ending
from sim.duel.battle.values import Continue, Run, State, Wavered
from sim.duel.cards import duel_card
from sim.duel.monsters import MONSTERS_BY_NAME
from sim.duel.requests import EncounterRequest
from sim.duel.tables import EXAMPLE, read_roster, write_roster
from tests.sim.duel.builders import DUEL, act, critter, setup

HERO = critter("Ann", 20, str_mod=10)
# Ann acts first and kills the first of three; the other two miss, the dead one draws from group 1.
ROUND = [6, 1, 1, 1, 1, 3, 2, 1, 1, 20, 4, 1, 1, 1, 1, 1]


def begin(*morale: int | None, on: bool = True) -> State:
    gang = [critter(f"goblin {number}", 4, proper=False, morale=value) for number, value in enumerate(morale, start=1)]
    return DUEL.begin(setup([HERO], gang, morale=on))


def test_those_with_less_flee_and_the_others_fight_on() -> None:
    step = act(begin(7, 7, 12), Continue(), [*ROUND, 4, 4])
    [wavered] = [event for event in step.events if isinstance(event, Wavered)]
    assert (wavered.group, wavered.roll, wavered.fled) == (2, 8, (2,))
    assert step.state.living == ((0,), (3,))
    assert step.state.ending is None
    assert DUEL.lines(step.events)[-1] == "Group 2 tests its morale: 2d6 show 8. The goblin 2 turns and runs!"
    right = duel_card(step.state, [step.events], None).right
    assert right is not None
    assert [row.figures for row in right.rows] == ["fell to Ann", "fled", "4 / 4"]


def test_a_group_that_flees_has_lost() -> None:
    step = act(begin(7, 7, 7), Continue(), [*ROUND, 4, 4])
    assert DUEL.lines(step.events)[-1].endswith("The goblin 2 and the goblin 3 turn and run!")
    outcome = DUEL.outcome(step.state)
    assert outcome is not None
    assert (outcome.ending, outcome.winner) == (Ending.ANNIHILATION, "group-1")


def test_a_roll_of_no_more_than_the_morale_holds_them() -> None:
    step = act(begin(8, 8, 8), Continue(), [*ROUND, 4, 4])
    assert step.state.living == ((0,), (2, 3))
    assert DUEL.lines(step.events)[-1].endswith("Nobody runs!")
    assert step.state.tested == (0, 1)


@pytest.mark.parametrize("state", [begin(2, 2, 2, on=False), begin(None, None, None)])
def test_nobody_tests_without_the_option_or_without_a_morale(state: State) -> None:
    step = act(state, Continue(), ROUND)
    assert (step.state.fled, step.state.tested) == ((), ())


def test_a_group_tests_at_most_twice() -> None:
    state, tests = begin(*[11] * 9), 0
    state = state.model_copy(update={"hp": (500, *state.hp[1:])})
    for number in range(100):
        step = DUEL.apply(state, Run(), "referee", SeededDice(b"morale", number))
        found = [event for event in step.events if isinstance(event, Wavered)]
        assert len([event for event in found if event.group == 2]) <= 2
        tests = max(tests, len(found))
    assert tests == 2


def test_monsters_bring_their_morale_and_files_may_have_one() -> None:
    met = EncounterRequest(seed=b"x", level=1, party=4).run()
    assert {creature.morale for creature in met.critters} == {MONSTERS_BY_NAME[met.kind].morale}
    assert read_roster(write_roster(EXAMPLE)) == EXAMPLE
    [side] = read_roster(b"name,hp,morale\nAnn,5,\nBo,5,7\n").sides
    assert [creature.morale for creature in side.critters] == [None, 7]
