"""What holds for every battle, whatever is done in it; and that battles come out as the exact odds say."""

import math
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.axis_allies.battle.rules import default_losses
from sim.axis_allies.battle.values import (
    MANUAL,
    Action,
    Fire,
    Loss,
    Phase,
    PickLosses,
    Retreat,
    RunOut,
    Setup,
    State,
    TimeUp,
)
from sim.axis_allies.casualties import Casualties
from sim.axis_allies.requests import OddsRequest
from sim.core.battle import IllegalActionError
from sim.core.dice import SeededDice
from sim.core.values import Ending, Side
from tests.sim.axis_allies.battle.builders import BATTLE, setup, setups

actions: st.SearchStrategy[Action] = st.one_of(
    st.sampled_from([Fire(), Fire(), Fire(), RunOut(), Retreat(), TimeUp()]),
    st.builds(PickLosses, side=st.sampled_from(Side), losses=st.just(())),
    st.builds(
        PickLosses,
        side=st.sampled_from(Side),
        losses=st.lists(
            st.builds(Loss, slot=st.sampled_from(["tank", "submarine"]), count=st.integers(1, 3)), max_size=2
        ),
    ),
)


def default_action(state: State) -> tuple[Action, str]:
    """Return what goes on with a battle, losses by default."""
    choice = BATTLE.legal(state)[0]
    if choice.action is not None:
        return choice.action, choice.seats[0]
    side = Side(choice.seats[0])
    return PickLosses(side=side, losses=default_losses(state, side)), side


@given(setups(), st.binary(min_size=1, max_size=8), st.lists(st.tuples(actions, st.sampled_from(BATTLE.seats))))
def test_any_actions_are_legal_or_change_nothing(start: Setup, seed: bytes, tries: list[tuple[Action, str]]) -> None:
    state = BATTLE.begin(start)
    for number, (action, seat) in enumerate(tries):
        before = BATTLE.states.write(state)
        may = {(choice.action, legal_seat) for choice in BATTLE.legal(state) for legal_seat in choice.seats}
        try:
            step = BATTLE.apply(state, action, seat, SeededDice(seed, number))
        except IllegalActionError:
            assert (action, seat) not in may
            assert BATTLE.states.write(state) == before
            continue
        assert (action, seat) in may or isinstance(action, PickLosses)
        assert BATTLE.states.write(state) == before
        state = step.state
        assert BATTLE.states.read(BATTLE.states.write(state)) == state
        assert BATTLE.actions.read(BATTLE.actions.write(action)) == action
        for event in step.events:
            assert BATTLE.events.read(BATTLE.events.write(event)) == event
        assert len(BATTLE.lines(step.events)) == len(step.events)
        assert (BATTLE.outcome(state) is None) is bool(BATTLE.legal(state))
        names = [choice.name for choice in BATTLE.legal(state)]
        assert len(set(names)) == len(names)


@given(setups(), st.binary(min_size=1, max_size=8))
def test_every_battle_can_be_fought_to_its_end(start: Setup, seed: bytes) -> None:
    state = BATTLE.begin(start)
    for number in count(1):
        if BATTLE.outcome(state) is not None:
            break
        action, seat = default_action(state)
        state = BATTLE.apply(state, action, seat, SeededDice(seed, number)).state
    assert state.phase is Phase.OVER
    assert (state.pending, state.silent, state.running) == ((), (), False)


class OneStream:
    """Dice that go on from step to step."""

    def __init__(self, seed: bytes) -> None:
        self._dice = SeededDice(seed)

    def roll(self, sides: int) -> int:
        return self._dice.roll(sides)


@given(setups([MANUAL]), st.binary(min_size=1, max_size=8))
def test_manual_losses_by_default_are_those_by_score(start: Setup, seed: bytes) -> None:
    """The same dice in one stream: asked for its losses or not, a side comes to the same end."""
    ends = []
    for policy in (MANUAL, "score"):
        state = BATTLE.begin(start.model_copy(update={"attacker_losses": policy, "defender_losses": policy}))
        dice = OneStream(seed)
        while BATTLE.outcome(state) is None:
            action, seat = default_action(state)
            state = BATTLE.apply(state, action, seat, dice).state
        ends.append((state.attacker, state.defender, state.ending, state.winner, state.round))
    assert ends[0] == ends[1]


BATTLES = 4_000


@pytest.mark.statistics
@pytest.mark.parametrize(
    ("battle", "policy"),
    [
        ("3 inf, 2 tanks vs 4 inf, 1 tank", "score"),
        ("2 inf, 1 fighter, 1 bomber vs 3 inf, 1 fighter", "smart"),
        ("2 subs, 1 destroyer, 1 fighter, 1 bb vs 2 subs, 1 carrier, 2 fighters, 1 transport", "score"),
        ("2 subs, 2 fighters, 1 destroyer vs 2 subs, 1 bb, 1 destroyer, 1 fighter", "smart"),
        ("2 bb, 1 transport vs 1 bb, 2 fighters, 1 destroyer", "lives-first"),
        ("1 sub, 2 bombers vs 2 subs, 2 fighters", "score"),
    ],
)
def test_battles_come_out_as_the_exact_odds_say(battle: str, policy: Casualties) -> None:
    """Every figure of many battles is within 4 standard errors of the exact one."""
    start = setup(battle, policy)
    odds = OddsRequest(attacker=start.attacker, defender=start.defender, casualties=policy).run()
    assert odds.method == "exact"
    ended, lost = [], []
    for number in range(BATTLES):
        state = BATTLE.apply(BATTLE.begin(start), RunOut(), "attacker", SeededDice(b"odds", number)).state
        outcome = BATTLE.outcome(state)
        assert outcome is not None
        ended.append((Ending(outcome.ending).name, outcome.winner, outcome.rounds))
        lost.append(tuple(float(start.army(side).ipc - state.army(side).ipc) for side in Side))
    shares = {
        "attacker": odds.p_attacker,
        "defender": odds.p_defender,
    }
    for winner, chance in shares.items():
        won = sum(result[1] == winner for result in ended) / BATTLES
        assert abs(won - chance) <= 4 * math.sqrt(chance * (1 - chance) / BATTLES), winner
    for ending, chance in (("MUTUAL", odds.p_tie), ("STALEMATE", odds.p_stalemate)):
        share = sum(result[0] == ending for result in ended) / BATTLES
        assert abs(share - chance) <= 4 * math.sqrt(chance * (1 - chance) / BATTLES), ending
    samples = [[losses[0] for losses in lost], [losses[1] for losses in lost], [float(result[2]) for result in ended]]
    for values, mean in zip(samples, (odds.att_ipc_lost, odds.def_ipc_lost, odds.exp_rounds), strict=True):
        here = sum(values) / BATTLES
        spread = math.sqrt(sum((value - here) ** 2 for value in values) / BATTLES)
        assert abs(here - mean) <= 4 * spread / math.sqrt(BATTLES)


def test_the_odds_tell_wrong_rules_from_right_ones() -> None:
    """The bound above is narrow enough to notice another way to lose units."""
    first, second = (
        OddsRequest(attacker=start.attacker, defender=start.defender, casualties=policy).run().p_attacker
        for policy in ("score", "lives-first")
        for start in (setup("2 bb, 1 transport vs 1 bb, 2 fighters, 1 destroyer"),)
    )
    assert abs(first - second) > 4 * math.sqrt(0.25 / BATTLES)
