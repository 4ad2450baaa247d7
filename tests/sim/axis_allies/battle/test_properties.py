"""What holds for every battle of every edition, whatever is done in it; and that they come out as the odds say."""

import math
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.axis_allies.battle.rules import default_losses
from sim.axis_allies.battle.values import (
    MANUAL,
    Action,
    CasualtyPolicy,
    Fire,
    Fired,
    Loss,
    Lost,
    Moment,
    Phase,
    PickLosses,
    Retreat,
    RunOut,
    Setup,
    State,
    TimeUp,
)
from sim.axis_allies.requests import OddsRequest
from sim.core.battle import IllegalActionError
from sim.core.dice import SeededDice
from sim.core.values import Ending, Side
from tests.sim.axis_allies.battle.builders import BATTLE, counted, setup, setups

actions: st.SearchStrategy[Action] = st.one_of(
    st.sampled_from([Fire(), Fire(), Fire(), RunOut(), Retreat(), TimeUp()]),
    st.builds(PickLosses, side=st.sampled_from(Side), losses=st.just(())),
    st.builds(
        PickLosses,
        side=st.sampled_from(Side),
        losses=st.lists(
            st.builds(Loss, slot=st.sampled_from(["tank", "submarine", "fighter"]), count=st.integers(1, 3)), max_size=2
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
        assert len(BATTLE.lines(step.events)) == len(step.events)


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
def test_manual_losses_by_default_are_those_of_the_edition_s_order(start: Setup, seed: bytes) -> None:
    """The same dice in one stream: asked for its losses or not, a side comes to the same end."""
    ends = []
    for policy in (MANUAL, start.attacker.book.rules.casualties):
        state = BATTLE.begin(start.model_copy(update={"attacker_losses": policy, "defender_losses": policy}))
        dice = OneStream(seed)
        while BATTLE.outcome(state) is None:
            action, seat = default_action(state)
            state = BATTLE.apply(state, action, seat, dice).state
        ends.append((state.attacker, state.defender, state.ending, state.winner, state.round))
    assert ends[0] == ends[1]


@given(setups(), st.binary(min_size=1, max_size=8))
def test_nobody_is_lost_but_by_hits_and_nobody_comes_back(start: Setup, seed: bytes) -> None:
    """Armies shrink by their losses alone; losses and hits without a target are all hits; marks are in no count."""
    state = BATTLE.begin(start)
    left = {side: counted(start.army(side).fighters) for side in Side}
    for number in count(1):
        if BATTLE.outcome(state) is not None:
            break
        action, seat = default_action(state)
        step = BATTLE.apply(state, action, seat, SeededDice(seed, number))
        due_before = {side: hits_due(state, side) for side in Side}
        state = step.state
        for side in Side:
            scored = sum(event.hits.total for event in step.events if isinstance(event, Fired) and event.side != side)
            all_lost = [event for event in step.events if isinstance(event, Lost) and event.side is side]
            by_hits = [event for event in all_lost if event.moment is not Moment.DEFENCELESS]
            taken = sum(event.wasted + sum(loss.count for loss in event.losses) for event in by_hits)
            assert due_before[side] + scored == taken + hits_due(state, side)
            for loss in (loss for event in all_lost for loss in event.losses):
                left[side][loss.slot] -= loss.count
            now = counted(state.army(side))
            assert {slot: now.get(slot, 0) for slot in left[side]} == left[side]


def hits_due(state: State, side: Side) -> int:
    return sum(due.hits.total for due in state.pending if due.side is side)


@given(setups(["lives-first"]), st.binary(min_size=1, max_size=8))
def test_hits_are_those_of_the_dice_shown(start: Setup, seed: bytes) -> None:
    step = BATTLE.step(BATTLE.begin(start), RunOut(), "attacker", SeededDice(seed))
    for event in (event for event in step.events if isinstance(event, Fired)):
        assert event.hits.total == sum(throw.hits for throw in event.throws) + sum(total.hits for total in event.sums)
        assert (bool(event.sums), bool(event.throws)) == (start.low_luck, not start.low_luck)
    for tally in (step.state.attacker_fire, step.state.defender_fire):
        assert tally.variance >= 0


BATTLES = 2_000


@pytest.mark.statistics
@pytest.mark.parametrize(
    ("edition", "battle", "policy"),
    [
        ("1941", "3 inf, 2 tanks vs 4 inf, 1 tank", "score"),
        ("1941", "2 inf, 1 fighter, 1 bomber vs 3 inf, 1 fighter", "lives-first"),
        ("1941", "2 subs, 1 destroyer, 1 fighter, 1 bb vs 2 subs, 1 carrier, 2 fighters, 1 transport", "score"),
        ("1941", "2 bb, 1 transport vs 1 bb, 2 fighters, 1 destroyer", "lives-first"),
        ("1941", "1 sub, 2 bombers vs 2 subs, 2 fighters", "score"),
        ("classic", "3 inf, 2 fighters, 1 bomber + 1 bb bombard vs 4 inf, 1 aa | tech attacker: heavy bombers", None),
        ("classic", "2 subs, 1 fighter, 1 bb vs 2 subs, 1 carrier, 1 transport | tech defender: jets", None),
        ("revised", "3 inf, 1 art, 2 fighters, 1 bomber + 2 bb bombard vs 5 inf, 1 art, 1 aa", None),
        ("revised", "2 subs, 1 bb vs 2 subs, 1 destroyer, 1 transport", None),
        ("revised", "2 subs, 2 destroyers vs 1 sub, 1 carrier, 1 bb", None),
        ("anniversary", "2 inf, 1 art, 2 bombers vs 4 inf, 1 aa | tech attacker: heavy bombers; defender: radar", None),
        ("1942-1", "2 subs, 1 fighter vs 1 destroyer, 2 transports", None),
        ("1942", "4 inf, 2 art, 2 fighters + 1 bb bombard, 1 cruiser bombard vs 4 inf, 1 art, 1 aa, 1 fighter", None),
        ("1942", "4 inf, 2 art, 2 fighters + 1 bb bombard vs 4 inf, 1 art, 1 aa, 1 fighter | low luck", None),
        ("1942", "2 subs, 2 bombers, 2 fighters vs 1 bb, 1 sub, 2 destroyers", None),
        ("1942", "2 subs, 2 fighters, 1 destroyer vs 2 subs, 1 carrier, 1 fighter | low luck", None),
        ("1942", "2 fighters vs 1 sub, 1 destroyer, 2 transports", None),
        ("1940", "3 inf, 2 mech, 2 art, 1 tank, 2 tac vs 5 inf, 1 aa, 1 tac | tech attacker: improved mech", None),
        ("1940", "1 carrier, 1 tac, 1 fighter, 1 cruiser vs 1 carrier, 1 fighter, 1 destroyer", None),
        ("1940", "2 inf, 1 tank, 1 fighter vs 3 inf | take territory", None),
    ],
)
def test_battles_come_out_as_the_exact_odds_say(edition: str, battle: str, policy: CasualtyPolicy | None) -> None:
    """Every figure of many battles is within 4 standard errors of the exact one."""
    start = setup(battle, policy, edition=edition)
    odds = OddsRequest(**start.fields).run()
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
