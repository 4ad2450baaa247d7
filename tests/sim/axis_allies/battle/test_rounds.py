"""Rounds with dice that are known (.docs/rules/axis_allies.md, "The dice battle"), and their luck.

The dice that count for luck are those of the battle's own tally, in every edition and with every kind of dice.
"""

import random
from fractions import Fraction

import pytest

from sim.axis_allies.battle.cards import luck_request
from sim.axis_allies.battle.values import ChoiceDue, Ended, Fire, Fired, Hits, Phase, Retreat, RunOut, TimeUp
from sim.axis_allies.requests import LuckRequest
from sim.core import luck
from sim.core.dice import SeededDice
from sim.core.errors import RuleError
from sim.core.luck import Bag, Throw, chance, poured
from sim.core.luck_odds import Sums
from sim.core.values import Ending, Paused, Side
from tests.sim.axis_allies.battle.builders import BATTLE, act, begin, lost, pick
from tests.sim.axis_allies.builders import rows
from tests.tables import kept_table, kept_text

A, D = Side.ATTACKER, Side.DEFENDER


@pytest.mark.parametrize(("battle", "faces", "attacker", "defender", "end"), rows(kept_text(__file__, "rounds")))
def test_a_round_that_nobody_chooses_in(battle: str, faces: str, attacker: str, defender: str, end: str) -> None:
    """`faces`: all dice of the round and of what comes before it, in order."""
    step = act(begin(battle), Fire(), A, [int(face) for face in faces.split() if face != "-"])
    for side, expected in ((A, attacker), (D, defender)):
        each = (", ".join(f"{count} {slot}" for slot, count in losses.items()) for losses in lost(step.events, side))
        assert "; ".join(told or "nothing" for told in each) == expected.strip("-"), side
    state = step.state
    if state.winner is not None:
        assert f"{state.winner} in round {state.round}" == end
    else:
        assert end == (f"round {state.round}" if state.ending is None else state.ending)


def test_hits_are_sorted_by_what_they_may_fall_on() -> None:
    step = act(begin("2 subs, 1 fighter, 1 destroyer vs 9 transports, 1 destroyer"), Fire(), A, [1, 2, 3, 1, 6])
    assert next(event.hits for event in step.events if isinstance(event, Fired)) == Hits(submarines=2, rest=2)
    step = act(begin("1 fighter, 1 carrier vs 1 transport, 1 sub"), Fire(), A, [6, 3, 1])
    assert [event.hits for event in step.events if isinstance(event, Fired)][1] == Hits(air=1, rest=1)
    assert lost(step.events, D) == [{"submarine": 1, "transport": 1}]


def test_a_battle_that_can_come_to_nothing_is_over() -> None:
    over = begin("3 transports vs 1 transport")
    assert (over.phase, over.ending, BATTLE.legal(over)) == (Phase.OVER, Ending.STALEMATE, ())
    step = act(begin("1 transport, 1 inf vs 1 transport"), Fire(), A, [6])
    assert step.state.ending is None


def test_the_attacker_retreats_after_a_round_and_not_before() -> None:
    start = begin("2 tanks vs 2 tanks")
    with pytest.raises(RuleError, match="only after the first round"):
        act(start, Retreat(), A)
    after = act(start, Fire(), A, [6, 6, 6, 6]).state
    with pytest.raises(RuleError, match="Only the attacker may"):
        act(after, Retreat(), D)
    step = act(after, Retreat(), A)
    outcome = BATTLE.outcome(step.state)
    assert outcome is not None
    assert (outcome.ending, outcome.winner, outcome.rounds) == (Ending.RETREAT, None, 1)
    assert [type(event) for event in step.events] == [Ended]


def test_running_out_fights_to_the_end() -> None:
    step = act(begin("1 tank vs 1 tank"), RunOut(), "referee", [6, 6, 6, 6, 1, 6])
    assert (step.state.winner, step.state.round, step.state.running) == (A, 3, False)


def test_running_out_pauses_after_a_hundred_rounds() -> None:
    step = act(begin("1 inf vs 1 transport"), RunOut(), A, [6] * 100)
    assert (step.events[-1], step.state.phase, step.state.running) == (Paused(rounds=100), Phase.READY, False)
    assert act(step.state, RunOut(), A, [1]).state.winner is A


def test_manual_losses_wait_hidden_until_both_have_chosen() -> None:
    start = begin("1 inf, 1 tank vs 1 inf, 1 tank", "manual")
    fired = act(start, Fire(), A, [1, 6, 1, 6])
    assert [event.side for event in fired.events if isinstance(event, ChoiceDue)] == [A, D]
    assert [choice.name for choice in BATTLE.legal(fired.state)] == ["pick-attacker", "pick-defender", "time-up"]
    first = act(fired.state, pick(D, tank=1), D)
    assert lost(first.events, D) == []
    assert not any("tank" in line for line in BATTLE.lines(first.events))
    assert first.state.defender == start.defender
    with pytest.raises(RuleError, match="already chosen"):
        act(first.state, pick(D, infantry=1), D)
    second = act(first.state, pick(A, infantry=1), A)
    assert (lost(second.events, A), lost(second.events, D)) == ([{"infantry": 1}], [{"tank": 1}])
    assert second.state.phase is Phase.READY


def test_a_round_pauses_twice_where_a_strike_leaves_a_choice() -> None:
    start = begin("1 sub, 1 destroyer vs 1 carrier, 1 transport", "manual", attacker="score")
    strike = act(start, Fire(), A, [1])
    assert strike.state.phase is Phase.STRIKE
    # The transport chosen, the carrier fires; and what it hits is lost by score.
    done = act(strike.state, pick(D, transport=1), D, [6, 2])
    assert (lost(done.events, D), lost(done.events, A)) == ([{"transport": 1}], [{"submarine": 1}])
    start = begin("1 sub, 1 destroyer vs 2 battleships (2 hits), 2 transports", "manual", attacker="score")
    strike = act(start, Fire(), A, [1])
    general = act(strike.state, pick(D, battleship=1), D, [2, 6])
    assert general.state.phase is Phase.FIRE
    assert act(general.state, pick(D, transport=1), D).state.phase is Phase.READY


def test_who_has_not_chosen_in_time_loses_by_score() -> None:
    fired = act(begin("1 inf, 1 tank vs 1 inf, 1 tank", "manual"), Fire(), A, [1, 6, 1, 6])
    first = act(fired.state, pick(D, tank=1), D)
    done = act(first.state, TimeUp(), "clock")
    assert (lost(done.events, A), lost(done.events, D)) == ([{"infantry": 1}], [{"tank": 1}])
    with pytest.raises(RuleError, match="Nobody has losses to choose"):
        act(done.state, TimeUp(), "clock")


def test_running_out_goes_on_after_losses_are_chosen() -> None:
    step = act(begin("1 inf vs 1 inf, 1 tank", "manual"), RunOut(), A, [6, 6, 6, 1, 6, 6])
    assert (step.state.round, step.state.running) == (2, True)
    done = act(step.state, pick(D, infantry=1), D, [6, 6, 6, 3])
    assert (done.state.winner, done.state.round) == (D, 4)


def test_a_side_without_a_choice_is_not_asked() -> None:
    step = act(begin("2 inf vs 1 tank", "manual"), Fire(), A, [6, 6, 3])
    assert (step.state.phase, lost(step.events, A)) == (Phase.READY, [{"infantry": 1}])


def test_the_tally_tells_luck_by_exact_sums() -> None:
    state = act(begin("1 inf, 1 tank vs 2 bombers"), Fire(), A, [1, 6, 6, 6]).state
    fire = state.attacker_fire
    assert (fire.dice, fire.hits, fire.sixths, fire.variance) == (2, 1, 1 + 3, 1 * 5 + 3 * 3)


def test_the_luck_of_a_battle_can_be_asked_for_after_a_round() -> None:
    start = begin("6 tanks vs 10 inf")
    assert luck_request(start) is None
    after = act(start, Fire(), A, [1, 1, 1, 1, 6, 6] + [6] * 10).state
    request = luck_request(after)
    assert isinstance(request, LuckRequest)
    assert request.stop_after == 1
    assert request.defender_left.ipc == 18
    over = act(after, RunOut(), A, [1] * 6 + [6] * 6).state
    final = luck_request(over)
    assert final is not None
    assert final.stop_after is None


def test_the_log_reads_like_a_battle() -> None:
    step = act(begin("2 tanks, 1 bb vs 1 inf"), Fire(), A, [3, 6, 5, 2])
    assert BATTLE.lines(step.events) == kept_table(__file__, "log")
    many = act(begin("30 inf vs 60 inf"), Fire(), A, [1] * 10 + [4] * 20 + [6] * 60)
    assert BATTLE.lines(many.events)[1] == "  The attacker fires: 30 infantry at 1 ⚀ (1) ×10, ⚃ (4) ×20. 10 hits."


BATTLES = 600

SETUPS = kept_table(__file__, "setups")


def thrown(setup: str, edition: str, seed: bytes) -> tuple[list[Throw], object]:
    state = begin(setup, edition=edition)
    step = BATTLE.apply(state, RunOut(), "attacker", SeededDice(seed, 1))
    return list(BATTLE.throws(state, step.events)), step.state


def variance(bag: Bag) -> Fraction:
    chances = [(count, Fraction(die[-1], sum(die))) for die, count in bag]
    return sum((count * chance * (1 - chance) for count, chance in chances), Fraction(0))


@pytest.mark.parametrize(("edition", "setup"), SETUPS)
def test_dice_are_those_of_the_tally(edition: str, setup: str) -> None:
    for number in range(20):
        throws, after = thrown(setup, edition, bytes([number]))
        for side in Side:
            tally = getattr(after, f"{side}_fire")
            bag = poured(throw.dice for throw in throws if throw.seat == side)
            assert sum(throw.rolled for throw in throws if throw.seat == side) == tally.hits
            assert (6 * luck.expected(bag), 36 * variance(bag)) == (tally.sixths, tally.variance)


def test_moments_are_rounds_and_what_comes_before_them() -> None:
    throws, _ = thrown("6 inf, 2 ftr + 2 bb bombard vs 5 inf, 2 aa", "1942", b"moments")
    moments = list(dict.fromkeys(throw.moment for throw in throws))
    assert moments[0] == "antiaircraft fire"
    assert "round 1" in moments
    guns = next(throw for throw in throws if throw.moment == "antiaircraft fire")
    assert (guns.seat, guns.dice) == ("defender", ((chance(1, 6), 2),))


@pytest.mark.statistics
def test_who_rolls_well_ends_a_battle_sooner_which_shifts_a_single_one_by_a_few_points() -> None:
    """The odds are those of the dice thrown, as if their number had been fixed; the battle's end depends on them."""
    dice = random.Random("the luck of one battle")
    places = []
    for _ in range(BATTLES):
        throws, _state = thrown("6 inf 2 tanks vs 5 inf", "1941", dice.randbytes(8))
        own = [throw for throw in throws if throw.seat == "attacker"]
        sums = Sums.of(poured(throw.dice for throw in own))
        places.append(sums.place(sum(throw.rolled for throw in own), dice.getrandbits(32)))
    places.sort()
    apart = max(abs(place - (at + 0.5) / BATTLES) for at, place in enumerate(places))
    assert apart < 0.1
    assert abs(sum(places) / BATTLES - 0.5) < 0.05
