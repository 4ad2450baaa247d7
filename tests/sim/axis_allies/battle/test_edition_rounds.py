"""Rounds of the editions: pair bonuses, technologies, submarines, carriers, low luck, with dice that are known."""

from fractions import Fraction

import pytest

from sim.axis_allies.battle.requests import luck_request
from sim.axis_allies.battle.values import MANUAL, Fire, Fired, Hits, Lost, Moment, Phase, State
from sim.core.battle import IllegalActionError
from sim.core.errors import RuleError
from sim.core.values import Side
from tests.sim.axis_allies.battle.builders import BATTLE, act, begin, lost, pick, setup

A, D = Side.ATTACKER, Side.DEFENDER


def thrown(state: State, faces: list[int], side: Side = A) -> list[str]:
    """Return what a side throws in the next round, as the log has it."""
    step = act(state, Fire(), A, faces)
    lines = zip(step.events, BATTLE.lines(step.events), strict=True)
    return [line.strip() for event, line in lines if isinstance(event, Fired) and event.side is side]


@pytest.mark.parametrize(
    ("edition", "battle", "dice"),
    [
        ("1942", "3 inf, 2 art vs 1 inf", "2 infantry at 2 ⚅⚅; 1 infantry at 1 ⚅; 2 artillery at 2 ⚅⚅"),
        ("1940", "1 inf, 2 mech, 2 art vs 1 inf", "1 infantry at 2 ⚅; 1 mechanized infantry at 2 ⚅; 1 mechanized "),
        ("1940", "2 tac, 1 tank vs 1 inf", "1 tactical bomber at 4 ⚅; 1 tactical bomber at 3 ⚅; 1 tank at 3 ⚅"),
        ("1940", "2 inf, 1 art vs 1 inf | tech attacker: improved artillery", "2 infantry at 2 ⚅⚅; 1 artillery at 2 "),
        ("classic", "2 inf, 1 tank vs 1 inf", "2 infantry at 1 ⚅⚅; 1 tank at 3 ⚅"),
        ("1940", "1 ftr vs 1 inf | tech attacker: jets", "1 fighter at 4 ⚅"),
    ],
)
def test_dice_show_each_unit_with_its_value(edition: str, battle: str, dice: str) -> None:
    start = begin(battle, edition=edition)
    units = sum(int(group.count) for group in start.attacker.groups)
    assert thrown(start, [6] * (units + 1))[0].startswith(f"The attacker fires: {dice}")


def test_pair_bonuses_are_counted_afresh_and_are_the_attacker_s_alone() -> None:
    start = begin("1 inf, 1 art vs 1 inf, 1 art", edition="1942", attacker=MANUAL)
    assert thrown(start, [6] * 4, D) == ["The defender fires: 1 infantry at 2 ⚅; 1 artillery at 2 ⚅. No hits."]
    waiting = act(start, Fire(), A, [6, 6, 2, 6]).state
    later = act(waiting, pick(A, artillery=1), A).state
    assert thrown(later, [2, 6, 6]) == ["The attacker fires: 1 infantry at 1 ⚁. No hits."]


def test_heavy_bombers_throw_several_dice_or_take_the_best_of_two() -> None:
    classic = begin("1 bmr vs 5 inf | tech attacker: heavy bombers", edition="classic")
    assert thrown(classic, [4, 1, 6] + [6] * 5) == ["The attacker fires: 1 bomber at 4, three dice each ⚃⚀⚅. 2 hits."]
    best = begin("2 bmr vs 5 inf | tech attacker: heavy bombers", edition="anniversary")
    assert thrown(best, [6, 1, 5, 6] + [6] * 5) == ["The attacker fires: 2 bombers at 4, best of two ⚅⚀ ⚄⚅. 1 hit."]
    fire = act(best, Fire(), A, [6, 1, 5, 6] + [6] * 5).state.attacker_fire
    assert (fire.dice, fire.hits, fire.sixths, fire.variance * 9) == (4, 1, Fraction(32, 3), 64)
    state = act(best, Fire(), A, [6, 1, 5, 6] + [6] * 5).state
    assert BATTLE.states.read_json(BATTLE.states.write_json(state)) == state


def test_in_classic_the_attacker_s_submarines_always_strike_first_and_the_defender_s_never() -> None:
    start = begin("1 sub vs 1 sub", edition="classic")
    assert act(start, Fire(), A, [2]).state.winner is A
    step = act(start, Fire(), A, [6, 2])
    assert [event.surprise for event in step.events if isinstance(event, Fired)] == [True, False]


def test_in_revised_who_is_hit_by_submarines_beside_a_destroyer_still_fires() -> None:
    start = begin("2 sub vs 2 destroyers", edition="revised")
    step = act(start, Fire(), A, [2, 2, 3, 3])
    assert (step.state.ending, step.state.attacker.groups, step.state.defender.groups) == (
        "both sides are gone",
        (),
        (),
    )
    assert [event.moment for event in step.events if isinstance(event, Fired)] == [Moment.MARKED, None]
    without = act(begin("2 sub vs 2 transports", edition="revised"), Fire(), A, [2, 2])
    assert without.state.winner is A


def test_marked_losses_wait_for_their_owner_s_choice_and_fire_afterwards() -> None:
    start = begin("2 sub vs 1 destroyer, 1 bb, 1 transport", MANUAL, edition="revised", attacker="lives-first")
    waiting = act(start, Fire(), A, [2, 6])
    assert waiting.state.phase is Phase.STRIKE
    done = act(waiting.state, pick(D, destroyer=1), D, [3, 6, 6])
    assert [event.moment for event in done.events if isinstance(event, Lost) and event.side is D] == [Moment.MARKED]
    assert lost(done.events, A) == [{"submarine": 1}]
    assert (done.state.attacker_fires, done.state.defender_fires) == (None, None)


def test_air_hits_submarines_by_itself_until_anniversary() -> None:
    for edition, faces in (("classic", [3, 6, 6]), ("revised", [6, 3, 6])):
        assert lost(act(begin("1 ftr, 1 bb vs 1 sub", edition=edition), Fire(), A, faces).events, D)
    assert lost(act(begin("1 ftr, 1 bb vs 1 sub", edition="1942"), Fire(), A, [6, 3, 6]).events, D) == [{}]


def test_carriers_of_1940_take_two_hits() -> None:
    start = begin("3 ftr vs 1 carrier", edition="1940")
    step = act(start, Fire(), A, [3, 6, 6, 6])
    assert lost(step.events, D) == [{"aircraft carrier life": 1}]
    assert BATTLE.lines(step.events)[-1] == "  The defender loses 1 aircraft carrier hit point."
    assert act(step.state, Fire(), A, [3, 6, 6, 6]).state.winner is A
    manual = act(begin("3 ftr vs 1 carrier, 1 destroyer", MANUAL, edition="1940"), Fire(), A, [3, 6, 6, 6, 6]).state
    with pytest.raises(IllegalActionError, match="damage it before you lose it"):
        act(manual, pick(D, carrier=1), D)


def test_low_luck_adds_up_the_scores_of_a_group() -> None:
    start = begin("3 inf, 1 art, 1 tank vs 4 inf, 1 tank | low luck", edition="1942")
    # 1 at 2, 2 at 1, 2, 3: 9 points; the defender's 11.
    step = act(start, Fire(), A, [3, 6])
    assert [event.hits for event in step.events if isinstance(event, Fired)] == [Hits(rest=2), Hits(rest=1)]
    attack = "1 infantry at 2 + 2 infantry at 1 + 1 artillery at 2 + 1 tank at 3 = 9 points"
    assert BATTLE.lines(step.events)[1:3] == [
        f"  The attacker fires: {attack}: 1 sure hit, a hit on 1–3 ⚂. 2 hits.",
        "  The defender fires: 4 infantry at 2 + 1 tank at 3 = 11 points: 1 sure hit, a hit on 1–5 ⚅. 1 hit.",
    ]
    fire = step.state.attacker_fire
    assert (fire.dice, fire.hits, fire.sixths, fire.variance) == (1, 2, 9, 9)
    request = luck_request(step.state)
    assert request is not None
    assert request.low_luck


def test_low_luck_throws_no_die_for_nothing() -> None:
    step = act(begin("2 tanks vs 3 inf | low luck", edition="1942"), Fire(), A)
    assert [event.hits.total for event in step.events if isinstance(event, Fired)] == [1, 1]


def test_groups_of_low_luck_at_sea_and_against_planes() -> None:
    start = begin("2 sub, 1 ftr, 1 cru vs 1 sub, 1 destroyer, 1 ftr | low luck", edition="1942")
    fired = [event for event in act(start, Fire(), A, [6, 6, 6, 6]).events if isinstance(event, Fired)]
    sums = [[[str(share.unit) for share in total.shares] for total in event.sums] for event in fired]
    # A strike by itself, submarines before an enemy plane, and planes without a destroyer before an enemy submarine.
    assert sums == [[["submarine"]], [["submarine"], ["fighter"], ["cruiser"]], [["destroyer", "fighter"]]]
    planes = act(begin("1 inf, 2 ftr, 1 bmr vs 2 inf, 1 aa | low luck", edition="revised"), Fire(), A, [2, 6, 6, 6])
    assert lost(planes.events, A)[0] == {"fighter": 1}
    assert len([total for event in planes.events if isinstance(event, Fired) for total in event.sums]) == 4


def test_the_last_land_unit_goes_last_where_a_territory_must_be_taken() -> None:
    start = begin("1 inf, 1 ftr vs 2 inf | take territory", edition="1942")
    assert lost(act(start, Fire(), A, [6, 6, 1, 6]).events, A) == [{"fighter": 1}]


def test_technologies_that_an_edition_lacks_are_refused() -> None:
    with pytest.raises(RuleError, match="technology"):
        setup("1 ftr vs 1 inf", edition="1942", attacker_technology=("jets",))
