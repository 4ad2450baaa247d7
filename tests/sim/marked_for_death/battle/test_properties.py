"""What holds of every battle, whatever its rosters and dice."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.core.battle import REFEREE
from sim.core.dice import SeededDice
from sim.core.replay import verify
from sim.core.session import Session
from sim.marked_for_death.battle.runner import side_cards
from sim.marked_for_death.battle.values import Fought, NextRound, Run, Setup, Started, State, current_roster
from sim.marked_for_death.roster import Camp, Roster
from sim.marked_for_death.tables import read_roster, roster_csv
from tests.sim.marked_for_death.battle.builders import BATTLE, hp
from tests.sim.marked_for_death.builders import rosters

SETUPS = st.builds(Setup, heroes=rosters(), villains=rosters(), max_rounds=st.none() | st.integers(1, 5))
SEEDS = st.binary(min_size=1, max_size=4)


@given(SETUPS, SEEDS)
@settings(deadline=None)
def test_a_battle_ends_by_its_rules_and_its_journal_matches(setup: Setup, seed: bytes) -> None:
    play = Session(BATTLE, setup, seed)
    while play.outcome is None:
        play.act(Run(), REFEREE)
    outcome, stands = play.outcome, {camp: [combatant.stands for combatant in play.state.force(camp)] for camp in Camp}
    if outcome.winner is None:
        assert all(map(any, stands.values())) is (outcome.rounds == setup.max_rounds and any(map(any, stands.values())))
    else:
        assert any(stands[Camp(outcome.winner)])
        assert not any(stands[Camp(outcome.winner).other])
    play.end(REFEREE)
    assert verify(BATTLE, play.journal()).match


@given(SETUPS, SEEDS)
@settings(deadline=None)
def test_a_round_only_hurts_and_who_is_down_stays_out_of_it(setup: Setup, seed: bytes) -> None:
    states, fought = [BATTLE.begin(setup)], []
    while states[-1].ending is None and len(states) < 4:
        step = BATTLE.apply(states[-1], NextRound(), REFEREE, SeededDice(seed, len(states)))
        states.append(step.state)
        fought.append(next(event for event in step.events if isinstance(event, Fought)))
    for (before, after), event in zip(pairwise(states), fought, strict=True):
        for camp in Camp:
            hp_by_name = dict(event.fighters(camp))
            for old, new in zip(before.force(camp), after.force(camp), strict=True):
                assert (new.hp <= old.hp) if old.stands else (new == old)
                assert hp_by_name.get(old.fighter.name) == (old.hp if old.stands else None)
                assert new.fought == old.fought + old.stands


@pytest.mark.rest
@given(SETUPS, SEEDS)
@settings(deadline=None)
def test_every_fighter_attacks_as_often_as_its_aoe_says(setup: Setup, seed: bytes) -> None:
    state = BATTLE.begin(setup)
    if state.ending is not None:
        return
    fought = next(
        event
        for event in BATTLE.apply(state, NextRound(), REFEREE, SeededDice(seed)).events
        if isinstance(event, Fought)
    )
    for camp in Camp:
        made = [attack[0] for attack in fought.attacks(camp)]
        assert made == [
            at
            for at, combatant in enumerate(member for member in state.force(camp) if member.stands)
            for _ in range(combatant.fighter.aoe)
        ]


def reloaded(state: State) -> State:
    """Begin again from the files that a battle leaves."""

    def final(camp: Camp) -> Roster:
        return read_roster(roster_csv(current_roster(state, camp))).roster

    left = None if state.max_rounds is None else state.max_rounds - state.round
    return BATTLE.begin(Setup(heroes=final(Camp.HEROES), villains=final(Camp.VILLAINS), max_rounds=left))


@given(SETUPS, SEEDS, st.integers(1, 3))
@settings(max_examples=50, deadline=None)
def test_a_battle_goes_on_from_its_final_files_exactly_as_it_would_have(setup: Setup, seed: bytes, rounds: int) -> None:
    """The same dice from there on lead to the same rounds, the same fallen and the same end."""
    begun = BATTLE.begin(setup)
    if begun.ending is not None:
        return
    state = BATTLE.apply(begun, Run(rounds=rounds), REFEREE, SeededDice(seed)).state
    if state.ending is not None:
        return
    again = reloaded(state)
    for camp in Camp:
        assert side_cards(again, camp) == side_cards(state, camp)
    on, fresh = (BATTLE.apply(start, Run(), REFEREE, SeededDice(seed, 1)) for start in (state, again))
    assert (hp(on.state), on.state.winner) == (hp(fresh.state), fresh.state.winner)
    events = [event for event in fresh.events if not isinstance(event, Started)]
    assert len(on.events) == len(events)
