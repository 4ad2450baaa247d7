"""Rounds with dice that are known (.docs/rules/axis_allies.md, "The dice battle"), and their luck.

The dice that count for luck are those of the battle's own tally, in every edition and with every kind of dice.
"""

from fractions import Fraction

import pytest

from sim.axis_allies import battle as v
from sim.axis_allies.battle import ChoiceDue, Ended, Fire, Phase, Retreat, RunOut, TimeUp
from sim.axis_allies.battle.cards import luck_request
from sim.axis_allies.requests import LuckRequest
from sim.core import RuleError, luck
from sim.core.battle import IllegalActionError
from sim.core.dice import SeededDice
from sim.core.luck import Bag, Throw, chance, poured
from sim.core.values import Ending, Paused, Side
from tests.sim.axis_allies.battle.builders import BATTLE, act, begin, lost, pick, setup
from tests.tables import kept_table

A, D = Side.ATTACKER, Side.DEFENDER


@pytest.mark.parametrize(("battle", "faces", "attacker", "defender", "end"), kept_table(__file__, "rounds"))
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
    with pytest.raises(RuleError, match="The defender has no losses to choose now"):
        act(done.state, pick(D, tank=1), D)


def test_a_side_without_a_choice_is_not_asked() -> None:
    step = act(begin("2 inf vs 1 tank", "manual"), Fire(), A, [6, 6, 3])
    assert (step.state.phase, lost(step.events, A)) == (Phase.READY, [{"infantry": 1}])


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


@pytest.mark.parametrize(("battle", "faces", "log"), kept_table(__file__, "logs"))
def test_the_log_reads_like_a_battle(battle: str, faces: str, log: list[str]) -> None:
    assert BATTLE.lines(act(begin(battle), Fire(), A, [int(face) for face in faces.split()]).events) == log


def test_dice_that_show_the_same_are_counted() -> None:
    many = act(begin("30 inf vs 60 inf"), Fire(), A, [1] * 10 + [4] * 20 + [6] * 60)
    assert BATTLE.lines(many.events)[1] == "  The attacker fires: 30 infantry at 1 ⚀ (1) ×10, ⚃ (4) ×20. 10 hits."


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


def test_the_attacker_chooses_which_planes_fall_where_the_edition_has_it_so() -> None:
    start = begin("2 inf, 2 ftr, 1 bmr vs 3 inf, 1 aa", v.MANUAL, edition="1942")
    waiting = act(start, v.Fire(), A, [1, 5, 6])
    assert (waiting.state.phase, waiting.state.round) == (v.Phase.ANTIAIRCRAFT, 0)
    assert [event.hits for event in waiting.events if isinstance(event, v.ChoiceDue)] == [v.Hits(planes=1)]
    with pytest.raises(IllegalActionError, match="planes only"):
        act(waiting.state, pick(A, infantry=1), A)
    done = act(waiting.state, pick(A, bomber=1), A, [6] * 4 + [6] * 3)
    assert lost(done.events, A) == [{"bomber": 1}]
    assert (done.state.round, done.state.phase) == (1, v.Phase.READY)
    in_time = act(waiting.state, v.TimeUp(), "clock", [6] * 4 + [6] * 3)
    assert lost(in_time.events, A) == [{"fighter": 1}], "the edition's order"


@pytest.mark.parametrize("edition", ["revised", "anniversary", "1942-1"])
def test_by_type_every_plane_falls_by_its_own_die_and_nobody_chooses(edition: str) -> None:
    start = begin("1 inf, 2 ftr, 2 bmr vs 3 inf, 1 aa", v.MANUAL, edition=edition)
    step = act(start, v.Fire(), A, [6, 1, 1, 6] + [6] * 3 + [6] * 3)
    assert lost(step.events, A) == [{"fighter": 1, "bomber": 1}]
    assert step.state.round == 1


def test_ships_bombard_once() -> None:
    start = begin("2 inf + 2 bb bombard vs 3 inf", edition="1942")
    assert act(act(start, v.Fire(), A, [6] * 7).state, v.Fire(), A, [6] * 5).state.round == 2


def test_in_revised_who_is_bombarded_does_not_fire() -> None:
    waiting = act(
        begin("1 inf + 2 bb bombard vs 1 inf, 1 art, 1 tank", v.MANUAL, edition="revised"), v.Fire(), A, [4, 5]
    )
    assert waiting.state.phase is v.Phase.BOMBARDMENT
    done = act(waiting.state, pick(D, tank=1), D, [6, 6, 6])
    assert lost(done.events, D) == [{"tank": 1}]
    [general] = [event for event in done.events if isinstance(event, v.Fired) and event.side is D]
    assert [str(throw.unit) for throw in general.throws] == ["infantry", "artillery"]


@pytest.mark.parametrize(("battle", "message"), kept_table(__file__, "refused"))
def test_what_cannot_be_fought_live_is_refused(battle: str, message: str) -> None:
    with pytest.raises(RuleError, match=message):
        setup(battle, edition="1940")


def test_pair_bonuses_are_counted_afresh() -> None:
    start = begin("1 inf, 1 art vs 1 inf, 1 art", edition="1942", attacker=v.MANUAL)
    waiting = act(start, v.Fire(), A, [6, 6, 2, 6]).state
    later = act(waiting, pick(A, artillery=1), A).state
    lines = BATTLE.lines(act(later, v.Fire(), A, [2, 6, 6]).events)
    assert lines[1] == "  The attacker fires: 1 infantry at 1 ⚁ (2). No hits."


def test_the_better_of_two_dice_counts_as_one() -> None:
    best = begin("2 bmr vs 5 inf | tech attacker: heavy bombers", edition="anniversary")
    state = act(best, v.Fire(), A, [6, 1, 5, 6] + [6] * 5).state
    fire = state.attacker_fire
    assert (fire.dice, fire.hits, fire.sixths, fire.variance * 9) == (4, 1, Fraction(32, 3), 64)
    assert BATTLE.states.read_json(BATTLE.states.write_json(state)) == state


def test_marked_losses_wait_for_their_owner_s_choice_and_fire_afterwards() -> None:
    start = begin("2 sub vs 1 destroyer, 1 bb, 1 transport", v.MANUAL, edition="revised", attacker="lives-first")
    waiting = act(start, v.Fire(), A, [2, 6])
    assert waiting.state.phase is v.Phase.STRIKE
    done = act(waiting.state, pick(D, destroyer=1), D, [3, 6, 6])
    assert [event.moment for event in done.events if isinstance(event, v.Lost) and event.side is D] == [v.Moment.MARKED]
    assert lost(done.events, A) == [{"submarine": 1}]
    assert (done.state.attacker_fires, done.state.defender_fires) == (None, None)


def test_low_luck_adds_up_the_scores_of_a_group() -> None:
    start = begin("3 inf, 1 art, 1 tank vs 4 inf, 1 tank | low luck", edition="1942")
    # 1 at 2, 2 at 1, 2, 3: 9 points; the defender's 11.
    step = act(start, v.Fire(), A, [3, 6])
    assert [event.hits for event in step.events if isinstance(event, v.Fired)] == [v.Hits(rest=2), v.Hits(rest=1)]
    fire = step.state.attacker_fire
    assert (fire.dice, fire.hits, fire.sixths, fire.variance) == (1, 2, 9, 9)
    request = luck_request(step.state)
    assert request is not None
    assert request.low_luck


def test_groups_of_low_luck_at_sea_and_against_planes() -> None:
    start = begin("2 sub, 1 ftr, 1 cru vs 1 sub, 1 destroyer, 1 ftr | low luck", edition="1942")
    fired = [event for event in act(start, v.Fire(), A, [6, 6, 6, 6]).events if isinstance(event, v.Fired)]
    sums = [[[str(share.unit) for share in total.shares] for total in event.sums] for event in fired]
    # A strike by itself, submarines before an enemy plane, and planes without a destroyer before an enemy submarine.
    assert sums == [[["submarine"]], [["submarine"], ["fighter"], ["cruiser"]], [["destroyer", "fighter"]]]
    planes = act(begin("1 inf, 2 ftr, 1 bmr vs 2 inf, 1 aa | low luck", edition="revised"), v.Fire(), A, [2, 6, 6, 6])
    assert lost(planes.events, A)[0] == {"fighter": 1}
    assert len([total for event in planes.events if isinstance(event, v.Fired) for total in event.sums]) == 4


def test_technologies_that_an_edition_lacks_are_refused() -> None:
    with pytest.raises(RuleError, match="technology"):
        setup("1 ftr vs 1 inf", edition="1942", attacker_technology=("jets",))
