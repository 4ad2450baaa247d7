"""Rounds with dice that are known (.docs/rules/axis_allies.md, "The dice battle")."""

import pytest

from sim.axis_allies.battle.requests import luck_request
from sim.axis_allies.battle.values import ChoiceDue, Ended, Fire, Fired, Hits, Phase, Retreat, RunOut, TimeUp
from sim.axis_allies.requests import LuckRequest
from sim.core.errors import RuleError
from sim.core.values import Ending, Paused, Side
from tests.sim.axis_allies.battle.builders import BATTLE, act, begin, lost, pick, setup

A, D = Side.ATTACKER, Side.DEFENDER


def test_a_die_at_or_under_the_score_hits_and_both_sides_fire_at_once() -> None:
    """Who is lost in a round has fired in it."""
    step = act(begin("1 tank vs 1 inf"), Fire(), A, [3, 2])
    assert [event.hits.total for event in step.events if isinstance(event, Fired)] == [1, 1]
    assert BATTLE.outcome(step.state) is not None
    assert (step.state.ending, step.state.winner) == (Ending.MUTUAL, None)
    step = act(begin("1 tank vs 1 inf"), Fire(), A, [4, 3])
    assert (step.state.ending, lost(step.events, A), lost(step.events, D)) == (None, [], [])


def test_submarines_strike_first_where_no_destroyer_stands() -> None:
    """What they sink never fires; having struck, they are silent in the general fire."""
    step = act(begin("2 subs vs 1 carrier"), Fire(), A, [2, 6])
    assert (step.state.winner, step.state.round) == (A, 1)
    # Nobody is left to fire at: the destroyer throws no die.
    assert act(begin("2 subs, 1 destroyer vs 1 carrier"), Fire(), A, [2, 6]).state.winner is A
    step = act(begin("2 subs vs 1 carrier, 1 destroyer"), Fire(), A, [2, 6, 3, 1])
    assert (lost(step.events, A), lost(step.events, D)) == ([{"submarine": 1}], [{"destroyer": 1}])


def test_both_strike_from_the_armies_as_the_round_begins() -> None:
    """A submarine that is sunk by a strike has struck itself; nobody is left for the general fire."""
    step = act(begin("1 sub vs 1 sub"), Fire(), A, [2, 1])
    assert (step.state.ending, [event.surprise for event in step.events if isinstance(event, Fired)]) == (
        Ending.MUTUAL,
        [True, True],
    )


def test_a_strike_that_sinks_the_last_destroyer_frees_no_submarine_in_that_round() -> None:
    """Surprise is settled as the round begins, and so the defender's submarine fires with all the others."""
    step = act(begin("1 sub, 1 destroyer vs 1 sub, 1 destroyer"), Fire(), A, [1, 6, 6, 6])
    assert not any(event.surprise for event in step.events if isinstance(event, Fired))
    assert lost(step.events, D) == [{"submarine": 1}]


def test_hits_of_submarines_never_fall_on_aircraft() -> None:
    step = act(begin("1 sub, 1 inf vs 1 fighter"), Fire(), A, [1, 6, 6])
    [event] = [event for event in step.events if event.event == "lost"]
    assert (event.losses, event.wasted) == ((), 1)
    # The fighter can't hit the submarine either without a destroyer: nothing can happen here any more.
    assert begin("1 sub vs 1 fighter").ending is Ending.STALEMATE


def test_aircraft_hit_submarines_beside_a_destroyer_only() -> None:
    step = act(begin("1 fighter, 1 inf vs 1 sub"), Fire(), A, [6, 3, 6])
    assert lost(step.events, D) == [{}]
    step = act(begin("1 fighter, 1 destroyer vs 1 sub"), Fire(), A, [3, 6, 6])
    assert lost(step.events, D) == [{"submarine": 1}]


def test_hits_are_sorted_by_what_they_may_fall_on() -> None:
    step = act(begin("2 subs, 1 fighter, 1 destroyer vs 9 transports, 1 destroyer"), Fire(), A, [1, 2, 3, 1, 6])
    assert next(event.hits for event in step.events if isinstance(event, Fired)) == Hits(submarines=2, rest=2)
    step = act(begin("1 fighter, 1 carrier vs 1 transport, 1 sub"), Fire(), A, [6, 3, 1])
    assert [event.hits for event in step.events if isinstance(event, Fired)][1] == Hits(air=1, rest=1)
    assert lost(step.events, D) == [{"submarine": 1, "transport": 1}]


def test_battleships_take_their_lives_first_and_transports_go_last() -> None:
    step = act(begin("1 battleship, 1 transport vs 3 infantry"), Fire(), A, [6, 1, 1, 6])
    assert lost(step.events, A) == [{"battleship": 1, "battleship life": 1}]
    assert step.state.attacker.groups[0].unit == "transport"
    step = act(begin("1 battleship, 1 inf vs 2 infantry", "lives-first"), Fire(), A, [6, 6, 1, 6])
    assert lost(step.events, A) == [{"battleship life": 1}]


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


@pytest.mark.parametrize(
    ("battle", "message"),
    [
        ("501 inf vs 1 inf", "at most 500 fight live"),
        ("1 inf vs 251 battleships", "takes 502 hits"),
        ("2.5 inf vs 1 inf", "whole units"),
    ],
)
def test_armies_that_cannot_fight_live_are_refused(battle: str, message: str) -> None:
    with pytest.raises(RuleError, match=message):
        setup(battle)


def test_the_log_reads_like_a_battle() -> None:
    step = act(begin("2 tanks, 1 bb vs 1 inf"), Fire(), A, [3, 6, 5, 2])
    assert BATTLE.lines(step.events) == [
        "Round 1: 2 tanks, 1 battleship against 1 infantry",
        "  The attacker fires: 2 tanks at 3 ⚂⚅; 1 battleship at 4 ⚄. 1 hit.",
        "  The defender fires: 1 infantry at 2 ⚁. 1 hit.",
        "  The attacker loses 1 tank.",
        "  The defender loses 1 infantry.",
        "The attacker wins after 1 round, with 1 tank, 1 battleship left.",
    ]
    many = act(begin("30 inf vs 60 inf"), Fire(), A, [1] * 10 + [4] * 20 + [6] * 60)
    assert BATTLE.lines(many.events)[1] == "  The attacker fires: 30 infantry at 1 ⚀×10 ⚃×20. 10 hits."
