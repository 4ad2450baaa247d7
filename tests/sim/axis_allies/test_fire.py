"""One law of the round: the same units fire in the same phase, whether on average or with dice."""

from hypothesis import given
from hypothesis import strategies as st

from sim.axis_allies.army import Army
from sim.axis_allies.battle.rules import DiceBattle
from sim.axis_allies.battle.values import Fire, Fired, Setup
from sim.axis_allies.casualties import firing, strikers
from sim.axis_allies.requests import AverageRequest
from sim.axis_allies.units import Unit
from sim.core.dice import SeededDice
from sim.core.outcomes import Side


def test_submarines_strike_where_no_destroyer_watches() -> None:
    """Each side for itself, by the armies as the round begins."""
    subs, watched = {Unit.SUBMARINE}, {Unit.SUBMARINE, Unit.DESTROYER}
    assert strikers({Side.ATTACKER: subs, Side.DEFENDER: subs}) == (Side.ATTACKER, Side.DEFENDER)
    assert strikers({Side.ATTACKER: subs, Side.DEFENDER: watched}) == (Side.DEFENDER,)
    assert strikers({Side.ATTACKER: watched, Side.DEFENDER: watched}) == ()


def test_what_has_struck_is_silent_and_transports_always_are() -> None:
    fleet = (Unit.TRANSPORT, Unit.SUBMARINE, Unit.FIGHTER)
    assert list(firing(fleet, Side.ATTACKER, surprise=True, struck=False)) == [Unit.SUBMARINE]
    assert list(firing(fleet, Side.ATTACKER, surprise=False, struck=True)) == [Unit.FIGHTER]
    assert list(firing(fleet, Side.ATTACKER, surprise=False, struck=False)) == [Unit.SUBMARINE, Unit.FIGHTER]


small = st.lists(st.sampled_from(Unit), min_size=1, max_size=6).map(
    lambda units: Army.of({unit: units.count(unit) for unit in units})
)


@given(small, small, st.binary(max_size=8))
def test_the_first_phase_is_fired_by_the_same_units_on_average_and_with_dice(
    attacker: Army, defender: Army, seed: bytes
) -> None:
    system = DiceBattle()
    state = system.begin(Setup(attacker=attacker, defender=defender))
    if system.outcome(state) is not None:
        return
    events = system.apply(state, Fire(), "attacker", SeededDice(seed, 1)).events
    thrown = [event for event in events if isinstance(event, Fired)]
    average = AverageRequest(attacker=attacker, defender=defender, stop_after=1).run().rounds[0]
    assert {fired.side for fired in thrown if fired.surprise} == {
        volley.side for volley in average.volleys if volley.surprise
    }
    for fired in thrown:
        if fired.surprise:
            assert [throw.unit for throw in fired.throws] == [Unit.SUBMARINE]
        else:
            assert not ({fired.side} & {other.side for other in thrown if other.surprise}) or Unit.SUBMARINE not in {
                throw.unit for throw in fired.throws
            }
