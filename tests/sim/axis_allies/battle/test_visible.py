"""What a seat may see: in the fog no army but its own, and no choice of losses before both are made."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.__main__ import main
from sim.axis_allies.army import Army
from sim.axis_allies.battle.values import MANUAL, VERSION, Fire, Loss, Phase, PickLosses, Retreat, RunOut, Setup, State
from sim.axis_allies.editions import EDITIONS
from sim.axis_allies.units import Category, Unit
from sim.core.battle import ANYONE, REFEREE, HiddenInformation
from sim.core.dice import SeededDice
from sim.core.values import Side
from tests.sim.axis_allies.battle.builders import BATTLE, act, armies, begin, setup

SEATS = (*map(str, Side), ANYONE, REFEREE)


def in_fog(battle: str, edition: str = "1941") -> State:
    return BATTLE.begin(setup(battle, edition=edition).model_copy(update={"fog": True}))


def test_without_fog_nothing_is_taken_away() -> None:
    step = act(begin("2 tanks vs 2 inf"), Fire(), "attacker", (6,) * 4)
    assert BATTLE.visible_state(step.state, ANYONE) == step.state
    assert BATTLE.visible_events(step.state, step.events, ANYONE) == step.events
    assert BATTLE.hidden_rows(step.state, [Fire()]) == 0


def test_a_side_sees_its_own_army_and_dice() -> None:
    step = act(in_fog("2 tanks vs 3 inf"), Fire(), "attacker", (3, 4, 2, 3, 6))
    view = BATTLE.visible_state(step.state, "attacker")
    assert view.attacker == step.state.attacker
    assert (view.defender, view.setup.defender, view.hidden) == (Army(), Army(), (Side.DEFENDER,))
    assert BATTLE.lines(BATTLE.visible_events(step.state, step.events, "attacker")) == [
        "Round 1: 2 tanks against an army in the fog",
        "  The attacker fires: 2 tanks at 3 ⚂⚃. 1 hit.",
        "  The defender fires: 1 hit.",
        "  The attacker loses 1 tank.",
        "  The defender takes 1 hit.",
    ]


def test_the_public_and_the_referee_see_numbers_alone() -> None:
    step = act(in_fog("2 tanks vs 3 inf"), Fire(), "attacker", (3, 4, 2, 3, 6))
    for seat in (ANYONE, REFEREE):
        assert BATTLE.lines(BATTLE.visible_events(step.state, step.events, seat)) == [
            "Round 1",
            "  The attacker fires: 1 hit.",
            "  The defender fires: 1 hit.",
            "  The attacker takes 1 hit.",
            "  The defender takes 1 hit.",
        ]
    assert BATTLE.hidden_rows(step.state, [Fire()]) is None


@given(st.data())
def test_what_differs_only_in_what_is_hidden_looks_the_same(data: st.DataObject) -> None:
    """The defender's army, dice and order of losses are others: neither the attacker nor the public can tell."""
    edition = data.draw(st.sampled_from(["1941", "1940"]))
    units = [unit for unit in EDITIONS[edition].units if unit.category is not Category.LAND]
    own, army, other = (data.draw(armies(edition, units, most=3)) for _ in range(3))
    state = BATTLE.begin(Setup(attacker=own, defender=army, fog=True, version=VERSION))
    state = state.model_copy(update={"phase": Phase.READY, "ending": None, "winner": None})
    setup = state.setup.model_copy(
        update={"defender": other, "defender_losses": (Unit.TANK,), "defender_technology": ("super-subs",)}
    )
    tally = state.defender_fire.model_copy(update={"dice": 3, "sixths": 4})
    different = state.model_copy(update={"setup": setup, "defender": other, "defender_fire": tally})
    for seat in ("attacker", ANYONE, REFEREE):
        assert BATTLE.visible_state(state, seat) == BATTLE.visible_state(different, seat)
    assert BATTLE.visible_state(state, "defender") != BATTLE.visible_state(different, "defender")


@given(st.integers(0, 1 << 32), st.sampled_from(["3 tanks, 2 sub vs 4 fighter, 2 bb", "2 tanks, 2 inf vs 3 bomber"]))
def test_nothing_in_a_view_names_what_is_hidden(seed: int, battle: str) -> None:
    state = in_fog(battle)
    while state.round < 3 and state.phase is not Phase.OVER:
        step = BATTLE.apply(state, Fire(), "attacker", SeededDice(seed.to_bytes(8, "big"), state.round))
        state = step.state
        for seat in SEATS if state.phase is not Phase.OVER else ():
            events = BATTLE.visible_events(state, step.events, seat)
            values = [BATTLE.states.write(BATTLE.visible_state(state, seat)), *map(BATTLE.events.write, events)]
            text = json.dumps(values).replace('"submarines": ', "") + str(BATTLE.lines(events))  # the field of hits
            names = {group.unit for side in Side if side != seat for group in state.setup.army(side).groups}
            assert not [unit for unit in names if f'"{unit}"' in text or unit.plural in text]


def test_a_choice_is_hidden_until_both_have_chosen() -> None:
    state = act(begin("2 tanks, 2 inf vs 2 tanks, 2 inf", MANUAL), Fire(), "attacker", (1, 6, 1, 6, 1, 6, 1, 6)).state
    views: list[dict[str, State]] = []
    for slot in (Unit.TANK, Unit.INFANTRY):
        pick = PickLosses(side=Side.ATTACKER, losses=(Loss(slot=slot, count=2),))
        chosen = act(state, pick, "attacker").state
        assert BATTLE.hidden_rows(chosen, [pick, Fire()]) == 1
        views.append({seat: BATTLE.visible_state(chosen, seat) for seat in SEATS})
    for seat in ("defender", ANYONE, REFEREE):
        assert views[0][seat] == views[1][seat]
        assert [due.awaited for due in views[0][seat].pending] == [False, True]
    assert views[0]["attacker"] != views[1]["attacker"]


def test_antiaircraft_fire_and_bombardment_tell_nothing_of_the_other_army_in_the_fog() -> None:
    """The number of dice is that of the planes, by type their names; the ships are the attacker's to know."""
    state = in_fog("1 inf, 2 ftr + 1 bb bombard vs 3 inf, 1 aa", "revised")
    step = act(state, Fire(), "attacker", [1, 6, 4] + [6] * 4)
    assert BATTLE.lines(BATTLE.visible_events(step.state, step.events, "defender"))[:5] == [
        "Antiaircraft fire: 1 hit.",
        "The attacker takes 1 hit.",
        "Round 1: an army in the fog against 3 infantry",
        "  The attacker bombards, and who is hit does not fire: 1 hit.",
        "  The defender loses 1 infantry.",
    ]
    view = BATTLE.visible_state(step.state, "defender")
    assert (view.setup.bombard, view.attacker.edition, view.attacker.groups) == (Army(), "revised", ())


def test_the_sums_of_low_luck_are_hidden_in_the_fog() -> None:
    """Which groups add up depends on what the other army has."""
    state = in_fog("2 sub, 1 cru vs 1 sub, 1 destroyer, 1 ftr | low luck", "1942")
    step = act(state, Fire(), "attacker", [6, 6, 6])
    assert "  The attacker fires: no hits." in BATTLE.lines(BATTLE.visible_events(step.state, step.events, "attacker"))


@pytest.mark.parametrize("action", [RunOut(), Retreat()])
def test_all_is_visible_at_the_end(action: RunOut | Retreat) -> None:
    state = act(in_fog("2 tanks vs 3 inf"), Fire(), "attacker", (3, 4, 2, 3, 6)).state
    step = BATTLE.apply(state, action, "attacker", SeededDice(b"end"))
    assert BATTLE.visible_state(step.state, ANYONE) == step.state
    assert BATTLE.visible_events(step.state, step.events, ANYONE) == step.events
    assert BATTLE.hidden_rows(step.state, [action]) == 0


def test_what_is_stored_has_no_field_of_a_view() -> None:
    step = act(in_fog("2 tanks vs 3 inf"), Fire(), "attacker", (3, 4, 2, 3, 6))
    assert "hidden" not in json.dumps([BATTLE.states.write(step.state), *map(BATTLE.events.write, step.events)])
    assert isinstance(BATTLE, HiddenInformation)


def test_the_terminal_shows_what_a_seat_sees(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["aa-battle", "-a", "6 tanks", "-d", "10 inf", "--seed", "5", "--seat", "defender"]) == 0
    lines = capsys.readouterr().out.splitlines()
    last = max(number for number, line in enumerate(lines) if line.startswith("Round"))
    assert lines[0] == "Round 1: an army in the fog against 10 infantry"
    assert last > 0
    assert not any("tank" in line for line in lines[:last])
    assert "tank" in lines[last]
