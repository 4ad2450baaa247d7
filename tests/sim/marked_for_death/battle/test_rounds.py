"""Rounds of a battle, and what holds of every battle, whatever its rosters and dice."""

from decimal import Decimal
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.core.battle import REFEREE
from sim.core.dice import SeededDice
from sim.core.replay import Session
from sim.core.values import Ending, Paused
from sim.marked_for_death.battle import Fell, Fought, NextRound, Run, Setup, Started, State, current_roster
from sim.marked_for_death.battle.runner import side_cards
from sim.marked_for_death.roster import Camp, Fighter, Roster
from sim.marked_for_death.stats import Roll
from sim.marked_for_death.tables import read_roster, roster_csv
from tests.sim.marked_for_death import builders as b

HEROES, VILLAINS = Camp.HEROES, Camp.VILLAINS


@pytest.mark.parametrize(
    ("orc", "faces", "left"),
    [
        (b.fighter("Orc"), [30, b.MISS, b.MISS, b.MISS], 1),
        (b.fighter("Orc"), [31, b.MISS, b.MISS, b.MISS], 2),
        (b.fighter("Orc", defend="-0.3"), [b.HIT, b.MISS, b.MISS], 1),
    ],
)
def test_a_die_succeeds_up_to_the_chance_and_none_is_thrown_without(orc: Fighter, faces: list[int], left: int) -> None:
    assert b.hp(b.fight(b.begin(b.DUMMY, b.roster(orc)), faces).state)["Orc"] == left


@pytest.mark.parametrize(
    ("chance", "die"),
    [("0.99", (100, 99)), ("0.3", (100, 30)), ("0.155", (1000, 155)), ("0.300001", (10**6, 300001)), ("0", (100, 0))],
)
def test_a_die_has_as_many_sides_as_the_chance_needs(chance: str, die: tuple[int, int]) -> None:
    assert Roll(1, Decimal(chance)).die == die


def test_everyone_alive_at_the_start_attacks_and_is_attacked_to_the_end_of_the_round() -> None:
    """Tom falls at the first blow, is struck again below 0, and takes the orc with him."""
    state = b.begin(b.roster(b.fighter("Tom", hp=1)), b.roster(b.fighter("Orc", hp=1), b.fighter("Elf", hp=1)))
    # Tom draws the orc; each villain has one target.
    step = b.fight(state, [1, b.HIT, b.MISS, b.HIT, b.MISS, b.HIT, b.MISS])
    assert b.hp(step.state) == {"Tom": -1, "Orc": 0, "Elf": 1}
    assert [(fall.name, fall.hp, fall.by) for fall in b.fallen(step)] == [
        ("Tom", -1, ("Orc", "Elf")),
        ("Orc", 0, ("Tom",)),
    ]
    assert (step.state.ending, step.state.winner) == (Ending.ANNIHILATION, VILLAINS)


def test_an_area_attack_repeats_nobody_until_all_have_been_drawn() -> None:
    state = b.begin(b.roster(b.fighter("Tom", aoe=5, hit="-1")), b.roster("A", "B", "C"))
    draws = [2, 1, 3, 1]  # B, A and then C, who is left; C, A of the fresh three
    misses = [b.MISS] * 2 * 5 + [b.MISS] * 2 * 3
    step = b.fight(state, draws + misses)
    assert [drawn for _, drawn, _ in b.attacks(step, HEROES)] == ["B", "A", "C", "C", "A"]


def test_a_living_bodyguard_steps_in_one_of_several_at_random_and_one_step_only() -> None:
    villains = b.roster(
        "Boss",
        b.fighter("Guard", bodyguard_for="boss"),
        b.fighter("Other", bodyguard_for="BOSS"),
        b.fighter("Squire", bodyguard_for="Guard"),
        b.fighter("Late", hp=0, bodyguard_for="Boss"),
    )
    state = b.begin(b.roster(b.fighter("Tom", aoe=2)), villains)
    draws = [1, 1, 1]  # Boss, and of her two living guards the first; then Guard, whose squire needs no die
    step = b.fight(state, [*draws, *[b.MISS] * 2 * 2, *[b.MISS] * 2 * 4])
    assert b.attacks(step, HEROES) == [("Tom", "Boss", "Guard"), ("Tom", "Guard", "Squire")]


def test_a_guard_who_falls_in_the_round_still_takes_every_blow_of_it() -> None:
    state = b.begin(b.roster("A", "B"), b.roster("Boss", b.fighter("Guard", hp=1, defend="-1", bodyguard_for="Boss")))
    step = b.fight(state, [1, 1, 1, 1, b.HIT, b.HIT, b.MISS, b.MISS, b.MISS, b.MISS])
    assert b.hp(step.state) == {"A": 2, "B": 2, "Boss": 2, "Guard": -1}
    step = b.fight(step.state, [1, *[b.MISS] * 6])
    assert {struck for _, _, struck in b.attacks(step, HEROES)} == {"Boss"}


def test_who_is_linked_falls_too_on_and_on_and_nobody_twice() -> None:
    """The dragon falls; its summoner with it, at 0 HP; her clone with her; the elf has gone under by a blow."""
    villains = b.roster(
        b.fighter("Dragon", hp=1, defend="-1", linked_to="Summoner"),
        b.fighter("Summoner", hp=5, linked_to="dragon"),
        b.fighter("Clone", linked_to="Summoner"),
        b.fighter("Elf", hp=1, defend="-1", linked_to="Dragon"),
        b.fighter("Orc", linked_to="Nobody"),
    )
    heroes = b.roster(b.fighter("Tom", xp=3000), b.fighter("Bo", xp=2000))
    step = b.fight(b.begin(heroes, villains), [1, 4, 1, 1, 1, 1, 1, *[b.HIT] * 5, *[b.MISS] * 20])
    assert [(fall.name, fall.hp, fall.by, fall.linked_to) for fall in b.fallen(step)] == [
        ("Dragon", -2, ("Tom",), None),
        ("Elf", -1, ("Bo",), None),
        ("Summoner", 0, (), "Dragon"),
        ("Clone", 0, (), "Summoner"),
    ]
    assert b.hp(step.state)["Orc"] == 2
    assert "  Summoner falls with Dragon" in b.BATTLE.lines(step.events)


def test_links_bind_only_who_falls_in_the_battle() -> None:
    state = b.begin(b.roster(b.fighter("Dragon", hp=0), b.fighter("Tom", linked_to="Dragon")), b.DUMMY)
    step = b.fight(state, [b.MISS] * 4)
    assert b.hp(step.state) == {"Dragon": 0, "Tom": 2, "Dummy": 2}
    assert not b.fallen(step)


def test_links_do_not_cross_sides() -> None:
    step = b.fight(
        b.begin(b.roster("A"), b.roster(b.fighter("B", linked_to="A"), "C")),
        [1, b.MISS, b.MISS, b.HIT, b.MISS, b.HIT, b.MISS],
    )
    assert [fall.name for fall in b.fallen(step)] == ["A"]


def test_each_fighter_tires_by_the_rounds_that_it_fought() -> None:
    state = b.begin(b.roster("Tom", b.fighter("Late", hp=0)), b.DUMMY)
    for _ in range(2):
        state = b.fight(state, [b.MISS] * 4).state
    assert [card.to_defend for card in side_cards(state.heroes)] == [Decimal("0.1"), Decimal("0.3")]
    # After three rounds nothing is blocked any more: no dice are thrown for it.
    state = b.fight(state, [b.MISS] * 4).state
    assert b.fight(state, [b.MISS, b.MISS]).state.round == 4


def test_who_starts_without_hp_sits_out() -> None:
    step = b.fight(b.begin(b.roster("Tom", b.fighter("Ann", hp=-2)), b.DUMMY), [b.MISS] * 4)
    assert b.attacks(step, HEROES) == [("Tom", "Dummy", "Dummy")]
    assert next(line for line in b.BATTLE.lines(step.events) if "sits out" in line).startswith("  Ann: HP(-2), ")


@pytest.mark.parametrize(
    ("heroes", "villains", "ending", "winner"),
    [(0, 2, Ending.ANNIHILATION, VILLAINS), (1, 0, Ending.ANNIHILATION, HEROES), (0, -1, Ending.MUTUAL, None)],
)
def test_a_battle_with_nobody_on_a_side_is_over_before_it_begins(
    heroes: int, villains: int, ending: Ending, winner: Camp | None
) -> None:
    state = b.begin(b.crowd(1, hp=heroes), b.crowd(2, hp=villains))
    assert (state.ending, state.winner, b.BATTLE.legal(state)) == (ending, winner, ())


def test_the_round_limit_ends_the_battle_undecided_unless_the_last_round_decides() -> None:
    step = b.act(b.begin(b.crowd(1), b.crowd(1), max_rounds=2), Run(), [b.MISS] * 8)
    assert (step.state.round, step.state.ending, step.state.winner) == (2, Ending.ROUND_LIMIT, None)
    assert b.BATTLE.lines(step.events)[-1] == "Undecided after 2 rounds, the limit: 1 hero and 1 villain stand"

    step = b.fight(b.begin(b.crowd(1), b.crowd(1, hp=1), max_rounds=1), [b.HIT, b.MISS, b.MISS, b.MISS])
    assert step.state.ending is Ending.ANNIHILATION


def test_running_to_the_end_pauses_when_much_has_happened_and_goes_on_after() -> None:
    step = b.act(b.begin(b.crowd(1), b.crowd(1)), Run(rounds=2), [b.MISS] * 8)
    assert (step.state.round, step.events[-1]) == (2, Paused(rounds=2))
    state = b.begin(b.crowd(1, hp=500), b.crowd(1, hp=500))
    step = b.BATTLE.apply(state, Run(), REFEREE, SeededDice(b"x"))
    assert (step.state.round, step.events[-1]) == (100, Paused(rounds=100))
    assert b.BATTLE.apply(step.state, Run(), REFEREE, SeededDice(b"x", 1)).state.round == 200


def test_two_who_take_down_each_other_leave_nobody() -> None:
    step = b.fight(b.begin(b.crowd(1, hp=1), b.crowd(1, hp=1)), [b.HIT, b.MISS, b.HIT, b.MISS])
    assert (step.state.ending, step.state.winner) == (Ending.MUTUAL, None)
    assert b.BATTLE.lines(step.events)[-1] == "Both sides are gone after 1 round: nobody wins"


def test_a_large_round_stays_small() -> None:
    step = b.BATTLE.apply(b.begin(b.crowd(200), b.crowd(200)), NextRound(), REFEREE, SeededDice(b"x"))
    written = [str(b.BATTLE.events.write(event)) for event in step.events if not isinstance(event, Fell)]
    assert len(written[1]) < 20_000


SETUPS = st.builds(Setup, heroes=b.rosters(), villains=b.rosters(), max_rounds=st.none() | st.integers(1, 5))
SEEDS = st.binary(min_size=1, max_size=4)


@given(SETUPS, SEEDS)
@settings(deadline=None)
def test_a_battle_ends_by_its_rules(setup: Setup, seed: bytes) -> None:
    play = Session(b.BATTLE, setup, seed)
    while play.outcome is None:
        play.act(Run(), REFEREE)
    outcome, stands = play.outcome, {camp: [combatant.stands for combatant in play.state.side(camp)] for camp in Camp}
    if outcome.winner is None:
        assert all(map(any, stands.values())) is (outcome.rounds == setup.max_rounds and any(map(any, stands.values())))
    else:
        assert any(stands[Camp(outcome.winner)])
        assert not any(stands[Camp(outcome.winner).other])


@given(SETUPS, SEEDS)
@settings(deadline=None)
def test_a_round_only_hurts_and_who_is_down_stays_out_of_it(setup: Setup, seed: bytes) -> None:
    states, fought = [b.BATTLE.begin(setup)], []
    while states[-1].ending is None and len(states) < 4:
        step = b.BATTLE.apply(states[-1], NextRound(), REFEREE, SeededDice(seed, len(states)))
        states.append(step.state)
        fought.append(next(event for event in step.events if isinstance(event, Fought)))
    for (before, after), event in zip(pairwise(states), fought, strict=True):
        for camp in Camp:
            hp_by_name = dict(event.side(camp))
            standing = enumerate(member.fighter for member in before.side(camp) if member.stands)
            assert [attack[0] for attack in event.attacks(camp)] == [at for at, one in standing for _ in range(one.aoe)]
            for old, new in zip(before.side(camp), after.side(camp), strict=True):
                assert (new.hp <= old.hp) if old.stands else (new == old)
                assert hp_by_name.get(old.fighter.name) == (old.hp if old.stands else None)
                assert new.fought == old.fought + old.stands


def reloaded(state: State) -> State:
    """Begin again from the files that a battle leaves."""

    def final(camp: Camp) -> Roster:
        return read_roster(roster_csv(current_roster(state, camp))).roster

    left = None if state.max_rounds is None else state.max_rounds - state.round
    return b.BATTLE.begin(Setup(heroes=final(Camp.HEROES), villains=final(Camp.VILLAINS), max_rounds=left))


@given(SETUPS, SEEDS, st.integers(1, 3))
@settings(max_examples=50, deadline=None)
def test_a_battle_goes_on_from_its_final_files_exactly_as_it_would_have(setup: Setup, seed: bytes, rounds: int) -> None:
    """The same dice from there on lead to the same rounds, the same fallen and the same end."""
    begun = b.BATTLE.begin(setup)
    if begun.ending is not None:
        return
    state = b.BATTLE.apply(begun, Run(rounds=rounds), REFEREE, SeededDice(seed)).state
    if state.ending is not None:
        return
    again = reloaded(state)
    for camp in Camp:
        assert side_cards(again.side(camp)) == side_cards(state.side(camp))
    on, fresh = (b.BATTLE.apply(start, Run(), REFEREE, SeededDice(seed, 1)) for start in (state, again))
    assert (b.hp(on.state), on.state.winner) == (b.hp(fresh.state), fresh.state.winner)
    events = [event for event in fresh.events if not isinstance(event, Started)]
    assert len(on.events) == len(events)
