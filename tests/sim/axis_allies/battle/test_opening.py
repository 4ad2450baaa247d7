"""What happens before the first round, with dice that are known.

Source: .docs/rules/axis_allies.md, "Before the first round" and "Defenseless units".
"""

import pytest

from sim.axis_allies.battle.requests import luck_request
from sim.axis_allies.battle.values import (
    MANUAL,
    ChoiceDue,
    Ended,
    Fire,
    Fired,
    Hits,
    Lost,
    Moment,
    Phase,
    RoundBegan,
    State,
    TimeUp,
)
from sim.core.battle import IllegalActionError
from sim.core.errors import RuleError
from sim.core.values import Ending, Side
from tests.sim.axis_allies.battle.builders import BATTLE, act, begin, lost, pick, setup

A, D = Side.ATTACKER, Side.DEFENDER


def moments(state: State, faces: list[int]) -> list[Moment | None]:
    """Return why dice were thrown in the next round, and before it."""
    return [event.moment for event in act(state, Fire(), A, faces).events if isinstance(event, Fired)]


def test_each_gun_throws_three_dice_and_never_more_than_there_are_planes() -> None:
    step = act(begin("2 inf, 5 ftr vs 1 inf, 1 aa", edition="1942"), Fire(), A, [1, 6, 2] + [6] * 6 + [6])
    assert lost(step.events, A) == [{"fighter": 1}]
    assert [type(event) for event in step.events[:3]] == [Fired, Lost, RoundBegan]
    assert len(act(begin("2 ftr vs 1 inf, 9 aa", edition="1942"), Fire(), A, [1, 1]).events) > 0


def test_the_attacker_chooses_which_planes_fall_where_the_edition_has_it_so() -> None:
    start = begin("2 inf, 2 ftr, 1 bmr vs 3 inf, 1 aa", MANUAL, edition="1942")
    waiting = act(start, Fire(), A, [1, 5, 6])
    assert (waiting.state.phase, waiting.state.round) == (Phase.ANTIAIRCRAFT, 0)
    assert [event.hits for event in waiting.events if isinstance(event, ChoiceDue)] == [Hits(planes=1)]
    with pytest.raises(IllegalActionError, match="planes only"):
        act(waiting.state, pick(A, infantry=1), A)
    done = act(waiting.state, pick(A, bomber=1), A, [6] * 4 + [6] * 3)
    assert lost(done.events, A) == [{"bomber": 1}]
    assert (done.state.round, done.state.phase) == (1, Phase.READY)
    in_time = act(waiting.state, TimeUp(), "clock", [6] * 4 + [6] * 3)
    assert lost(in_time.events, A) == [{"fighter": 1}], "the edition's order"


@pytest.mark.parametrize("edition", ["revised", "anniversary", "1942-1"])
def test_by_type_every_plane_falls_by_its_own_die_and_nobody_chooses(edition: str) -> None:
    start = begin("1 inf, 2 ftr, 2 bmr vs 3 inf, 1 aa", MANUAL, edition=edition)
    step = act(start, Fire(), A, [6, 1, 1, 6] + [6] * 3 + [6] * 3)
    assert lost(step.events, A) == [{"fighter": 1, "bomber": 1}]
    assert step.state.round == 1


def test_a_mark_fires_at_every_plane_and_is_in_no_count() -> None:
    start = begin("1 inf, 4 ftr vs 3 inf, 5 aa", edition="classic")
    assert [str(group.unit) for group in start.defender.groups] == ["infantry"]
    step = act(start, Fire(), A, [1, 6, 6, 6] + [6] * 4 + [6] * 3)
    assert lost(step.events, A) == [{"fighter": 1}]
    over = act(step.state, Fire(), A, [1, 1, 1, 1] + [6] * 3).state
    assert (over.winner, over.defender.groups) == (A, ())
    with pytest.raises(RuleError, match="nothing to fight"):
        setup("1 inf vs 1 aa", edition="classic")


def test_radar_hits_on_two() -> None:
    start = begin("1 inf, 1 ftr vs 3 inf, 1 aa | tech defender: radar", edition="1940")
    assert lost(act(start, Fire(), A, [2, 6, 6, 6, 6]).events, A) == [{"fighter": 1}]


def test_planes_that_all_fall_end_the_battle_before_a_round() -> None:
    step = act(begin("1 ftr vs 1 inf, 1 aa", edition="1942"), Fire(), A, [1])
    assert (step.state.winner, step.state.round) == (D, 0)
    assert BATTLE.lines(step.events)[-1] == "The defender wins, with 1 infantry, 1 antiaircraft gun left."
    assert luck_request(step.state) is not None


def test_bombarding_ships_join_the_first_round_and_are_never_at_risk() -> None:
    start = begin("2 inf + 2 bb bombard vs 3 inf", edition="1942")
    step = act(start, Fire(), A, [6, 6, 4, 4, 1, 1, 1])
    assert lost(step.events, D) == [{"infantry": 2}]
    [fired] = [event for event in step.events if isinstance(event, Fired) and event.side is A]
    assert [(throw.count, throw.bombarding) for throw in fired.throws] == [(2, False), (2, True)]
    assert (step.state.winner, step.state.attacker_fire.dice) == (D, 4), "who is hit fires back"
    later = act(begin("2 inf + 2 bb bombard vs 3 inf", edition="1942"), Fire(), A, [6] * 7).state
    assert moments(later, [6] * 5) == [None, None], "ships bombard once"


@pytest.mark.parametrize(("edition", "dice"), [("1942", 1), ("anniversary", 1), ("revised", 3), ("classic", 3)])
def test_at_most_one_ship_for_each_landed_unit_where_the_edition_has_it_so(edition: str, dice: int) -> None:
    start = begin("1 inf + 3 bb bombard vs 3 inf", edition=edition)
    assert sum(count for _, count in start.setup.ships) == dice


def test_the_best_ships_bombard_for_the_units_that_land() -> None:
    text = "3 inf + 2 cru bombard, 1 bb bombard vs 3 inf"
    assert [(str(unit), count) for unit, count in setup(text, edition="1942", landing=2).ships] == [
        ("battleship", 1),
        ("cruiser", 1),
    ]
    assert setup(text, edition="1942", landing=0).ships == ()


def test_in_revised_who_is_bombarded_does_not_fire() -> None:
    start = begin("1 inf + 1 bb bombard vs 1 inf", edition="revised")
    step = act(start, Fire(), A, [4])
    assert (step.state.winner, step.state.round) == (A, 1), "a bombardment is round 1 even if it ends the battle"
    waiting = act(begin("1 inf + 2 bb bombard vs 1 inf, 1 art, 1 tank", MANUAL, edition="revised"), Fire(), A, [4, 5])
    assert waiting.state.phase is Phase.BOMBARDMENT
    done = act(waiting.state, pick(D, tank=1), D, [6, 6, 6])
    assert lost(done.events, D) == [{"tank": 1}]
    [general] = [event for event in done.events if isinstance(event, Fired) and event.side is D]
    assert [str(throw.unit) for throw in general.throws] == ["infantry", "artillery"]


def test_antiaircraft_fire_comes_before_the_bombardment() -> None:
    start = begin("1 inf, 1 ftr + 1 bb bombard vs 2 inf, 1 aa", edition="revised")
    assert moments(start, [6] * 6) == [Moment.ANTIAIRCRAFT, Moment.BOMBARDMENT, None, None]


def test_transports_alone_leave_without_dice_and_without_a_round() -> None:
    step = act(begin("1 destroyer vs 2 transports", edition="1942"), Fire(), A)
    assert (step.state.winner, step.state.round, lost(step.events, D)) == (A, 0, [{"transport": 2}])
    assert [type(event) for event in step.events] == [Lost, Ended]
    after = act(begin("1 destroyer vs 1 sub, 2 transports", edition="1942"), Fire(), A, [1, 6])
    assert (after.state.winner, after.state.round) == (A, 1)
    attacker = act(begin("2 transports vs 1 destroyer", edition="1942"), Fire(), A)
    assert (attacker.state.winner, attacker.state.round) == (D, 0)


@pytest.mark.parametrize("edition", ["1941", "classic", "revised"])
def test_transports_fight_on_in_other_editions(edition: str) -> None:
    step = act(begin("1 bb vs 1 transport", edition=edition), Fire(), A, [6] * (1 if edition == "1941" else 2))
    assert step.state.phase is Phase.READY


def test_transports_beside_submarines_sink_under_planes_alone() -> None:
    step = act(begin("2 ftr vs 1 sub, 3 transports", edition="1942"), Fire(), A)
    assert (step.state.ending, step.state.winner) == (Ending.STALEMATE, None)
    assert [str(group.unit) for group in step.state.defender.groups] == ["submarine"]


def test_guns_alone_fire_first_and_then_leave() -> None:
    step = act(begin("1 inf, 2 ftr vs 2 aa", edition="1942"), Fire(), A, [1, 6])
    assert (lost(step.events, A), lost(step.events, D)) == ([{"fighter": 1}], [{"antiaircraft gun": 2}])
    assert (step.state.winner, step.state.round) == (A, 0)


def test_the_log_of_what_comes_before_the_first_round() -> None:
    start = begin("1 inf, 1 ftr, 1 bmr + 1 bb bombard vs 2 inf, 1 aa", edition="revised")
    assert BATTLE.lines(act(start, Fire(), A, [1, 6, 4, 6, 6, 6]).events) == [
        "Antiaircraft fire, hits on 1: 1 fighter ⚀; 1 bomber ⚅. 1 hit.",
        "The attacker loses 1 fighter.",
        "Round 1: 1 infantry, 1 bomber against 2 infantry",
        "  The attacker bombards, and who is hit does not fire: 1 battleship bombarding at 4 ⚃. 1 hit.",
        "  The defender loses 1 infantry.",
        "  The attacker fires: 1 infantry at 1 ⚅; 1 bomber at 4 ⚅. No hits.",
        "  The defender fires: 1 infantry at 2 ⚅. No hits.",
    ]
    assert BATTLE.lines(act(begin("2 ftr vs 1 aa", edition="1942"), Fire(), A, [6, 6]).events) == [
        "Antiaircraft fire, hits on 1: 2 dice ⚅⚅. No hits.",
        "The defender loses 1 antiaircraft gun, defenceless.",
        "The attacker wins, with 2 fighters left.",
    ]


@pytest.mark.parametrize(
    ("battle", "message"),
    [
        ("2 inf then 1 tank vs 2 inf", "one attacker"),
        ("2 inf vs 2 inf | rounds 3", "leave rounds and retreats out"),
        ("1 inf, 1 bmr vs 1 inf | tech attacker: heavy bombers | low luck", "best of two"),
        ("1 inf + 501 bb bombard vs 1 inf", "at most 500 may"),
    ],
)
def test_what_cannot_be_fought_live_is_refused(battle: str, message: str) -> None:
    with pytest.raises(RuleError, match=message):
        setup(battle, edition="1940")
