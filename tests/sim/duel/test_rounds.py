"""Rounds of two groups (.docs/rules/duel.md, "Initiative" and "A round"), with known dice."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.core.battle import IllegalActionError
from sim.core.dice import SeededDice
from sim.core.errors import RuleError
from sim.core.values import Ending, Paused
from sim.duel.battle.values import Continue, Ended, Passed, RoundBegan, Run, Setup, State, Struck, Wavered
from sim.duel.cards import duel_card
from sim.duel.monsters import MONSTERS_BY_NAME
from sim.duel.phrases import NARRATED_WORDS
from sim.duel.requests import EncounterRequest
from sim.duel.tables import example, read_roster, write_roster
from tests.sim.duel.builders import (
    DUEL,
    KnownDice,
    KnownFight,
    act,
    critter,
    first_round,
    known_fights,
    outcome_of,
    setup,
    setups,
)


@pytest.mark.parametrize("fight", known_fights(), ids=lambda fight: f"{len(fight.sides[0])}v{len(fight.sides[1])}")
def test_known_dice_give_known_stories(fight: KnownFight) -> None:
    dice = KnownDice(fight.throws)
    step = DUEL.apply(DUEL.begin(setup(*fight.sides)), Run(), "referee", dice)
    assert dice.is_used()
    assert DUEL.lines(step.events) == fight.story
    outcome = outcome_of(DUEL, step.state)
    assert (outcome.winner, outcome.rounds) == (f"group-{fight.won_by}", fight.after)


@pytest.mark.parametrize("fight", known_fights()[:3])
def test_page_by_page_is_the_same_story(fight: KnownFight) -> None:
    dice = KnownDice(fight.throws)
    state = DUEL.begin(setup(*fight.sides))
    lines: list[str] = []
    while DUEL.outcome(state) is None:
        step = DUEL.apply(state, Continue(), "group-2", dice)
        state = step.state
        lines += DUEL.lines(step.events)
    assert (lines, dice.is_used()) == (fight.story, True)


CONAN, GRENDEL = critter("Conan"), critter("Grendel")


def test_the_highest_initiative_acts_first() -> None:
    """d6 + Dexterity modifier; a die, even a d1, breaks each tie."""
    for faces, order in (([5, 3, 1, 1], ((1, 6), (0, 5))), ([6, 3, 2, 1], ((1, 6), (0, 6)))):
        began = first_round([CONAN], [critter("Quick", dex_mod=3)], [*faces, 1, 1, 1, 1]).events[1]
        assert isinstance(began, RoundBegan)
        assert began.order == order


def test_a_killed_fighter_draws_but_does_not_strike() -> None:
    """The dead of either group draw a target from group 1."""
    weak = [critter("A", 1), critter("B", 9)]
    # Grendel kills A; in A's turn a die draws the one fighter left in group 1.
    step = first_round(weak, [GRENDEL], [1, 2, 6, 1, 1, 1, 1, 14, 1, 1, 1, 1])
    assert [type(event) for event in step.events][2:] == [Struck, Struck, Passed]
    assert step.state.hp == (0, 9, 5)
    assert DUEL.outcome(step.state) is None


def test_the_turn_passes_when_nobody_is_left_to_strike() -> None:
    step = first_round([critter("A", 1)], [GRENDEL, critter("B")], [1, 6, 5, 1, 1, 1, 1, 20, 4])
    assert [type(event) for event in step.events][2:] == [Struck, Passed, Passed, Ended]
    assert DUEL.lines(step.events)[-2:] == ["", ""]


def test_14_hits_and_13_does_not() -> None:
    for roll, strength, hits in ((14, 0, True), (13, 0, False), (13, 1, True), (20, -7, False), (20, -6, True)):
        fighter = critter("Conan", str_mod=strength)
        dice = [6, 1, 1, 1, 1, roll, *([2] if hits else []), 1, 1]
        blow = first_round([fighter], [GRENDEL], dice).events[2]
        assert isinstance(blow, Struck)
        assert (blow.damage, blow.left) == ((2, 3) if hits else (0, 5))


def test_everybody_may_have_own_figures() -> None:
    """The needed roll is to-hit - armour class; damage dice are rolled one by one; each attack draws its target."""
    hydra = critter("hydra", 30, to_hit=15, damage="2d6+1", attacks=3, proper=False)
    targets = [critter("A", 20, armour_class=7), critter("B", 4, armour_class=2)]
    # Hydra: A hit by 8 for 2+3+1; B missed by 12, then hit by 13 and dead.
    dice = [6, 1, 2, 1, 1, 1, 1, 8, 2, 3, 2, 12, 2, 13, 1, 2, 1, 1, 1]
    step = first_round([hydra], targets, dice)
    blows = [(blow.target, blow.damage, blow.again) for blow in step.events if isinstance(blow, Struck)]
    assert blows == [(1, 6, False), (2, 0, True), (2, 4, True), (0, 0, False)]
    assert step.state.hp == (30, 14, 0)
    assert "The hydra attacks A!" in DUEL.lines(step.events)


def test_attacks_stop_when_nobody_is_left() -> None:
    step = first_round([critter("A", attacks=3)], [critter("B", 1)], [6, 1, 1, 1, 1, 15, 1, 1])
    assert outcome_of(DUEL, step.state).winner == "group-1"


def test_a_hopeless_fight_is_refused() -> None:
    ghost = critter("Ghost", armour_class=-9, str_mod=-10)
    with pytest.raises(RuleError, match="This fight would never end"):
        DUEL.begin(setup([CONAN], [ghost]))


def test_a_fight_that_becomes_hopeless_is_over() -> None:
    """Nobody wins if the only fighter who could hit the ghost is dead, and the ghost can't hit the others."""
    ghost = critter("Ghost", armour_class=-9, to_hit=19)
    priest, knight = critter("Priest", 1, to_hit=11), critter("Knight", armour_class=-9)
    # The ghost acts first and kills the priest, who draws; the knight misses.
    step = first_round([priest, knight], [ghost], [1, 2, 6, 1, 1, 1, 1, 20, 1, 1, 20, 1])
    outcome = outcome_of(DUEL, step.state)
    assert (outcome.ending, outcome.winner) == (Ending.STALEMATE, None)
    assert DUEL.lines(step.events)[-1].startswith("Stalemate: neither side")


def test_names_must_differ() -> None:
    with pytest.raises(RuleError, match="Two fighters are called CONAN"):
        setup([CONAN], [critter("CONAN")])


def test_a_very_long_fight_pauses() -> None:
    tough = [critter(name, 1000, str_mod=-6) for name in ("A", "B")]
    step = DUEL.apply(DUEL.begin(setup(tough[:1], tough[1:])), Run(), "group-1", SeededDice(b"long"))
    assert isinstance(step.events[-1], Paused)
    assert DUEL.lines(step.events)[-1] == "After 200 rounds the fight goes on."
    assert DUEL.outcome(step.state) is None


def test_who_may_turn_the_page() -> None:
    duellists, anybody = (DUEL.begin(setup([CONAN], [GRENDEL], press=press)) for press in ("duellists", "anyone"))
    with pytest.raises(IllegalActionError, match="Only the fighters"):
        DUEL.apply(duellists, Continue(), "anyone", SeededDice(b""))
    for seat in DUEL.seats:
        assert DUEL.apply(anybody, Continue(), seat, SeededDice(b"")).state.round == 1
    over = DUEL.apply(duellists, Run(), "group-1", SeededDice(b"")).state
    with pytest.raises(IllegalActionError, match="is over"):
        DUEL.apply(over, Continue(), "group-1", SeededDice(b""))


def test_a_step_stays_small_enough_to_keep() -> None:
    """A run pauses after about 1,500 events."""
    groups = (tuple(critter(f"{side}{number}", 40) for number in range(50)) for side in "AB")
    start = DUEL.begin(Setup(group1=next(groups), group2=next(groups)))
    step = DUEL.apply(start, Run(), "group-1", SeededDice(b"small"))
    assert isinstance(step.events[-1], Paused)
    assert 1500 <= len(step.events) < 1500 + 110


@settings(deadline=None)
@given(st.one_of(setups(), setups(narrated=True, words=NARRATED_WORDS)), st.binary(max_size=8), st.booleans())
def test_every_fight_comes_to_an_end(start: Setup, seed: bytes, at_once: bool) -> None:
    """Hit points never rise or fall below 0, and exactly one group is left."""
    state = DUEL.begin(start)
    action = Run() if at_once else Continue()
    number = 0
    while DUEL.outcome(state) is None:
        number += 1
        before = state
        step = DUEL.apply(state, action, "group-1", SeededDice(seed, number))
        state = step.state
        assert all(0 <= now <= was for now, was in zip(state.hp, before.hp, strict=True))
        assert DUEL.lines(step.events)
        assert 0 < DUEL.cost(before, action) < 4
    assert sum(map(bool, state.living)) == 1
    assert DUEL.legal(state) == ()


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
    outcome = outcome_of(DUEL, step.state)
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
    assert write_roster(read_roster(example())) == example()
    [side] = read_roster(b"name,hp,morale\nAnn,5,\nBo,5,7\n").sides
    assert [creature.morale for creature in side.critters] == [None, 7]
