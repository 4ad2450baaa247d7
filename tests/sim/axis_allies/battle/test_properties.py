"""What holds for every battle of every edition, whatever is done in it.

What a seat may see: in the fog no army but its own, and no choice of losses before both are made. Under dice that show
every face, a battle's exact chances are those of the odds.
"""

import json
from collections import defaultdict
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.axis_allies import battle as v
from sim.axis_allies.army import Army
from sim.axis_allies.battle import Fire, Retreat, Setup, State
from sim.axis_allies.battle.runner import default_losses
from sim.axis_allies.editions import EDITIONS
from sim.axis_allies.parse import parse_question
from sim.axis_allies.question import Withdrawal
from sim.axis_allies.requests import MAX_OUTCOMES, OddsRequest
from sim.axis_allies.units import Category, Unit
from sim.core.battle import ANYONE, REFEREE
from sim.core.dice import Dice, SeededDice
from sim.core.values import Ending, Side
from tests.sim.axis_allies.battle.builders import BATTLE, act, armies, begin, counted, pick, setup, setups
from tests.sim.axis_allies.builders import named, pile
from tests.sim.axis_allies.enumerate_battle import leaves
from tests.sim.axis_allies.enumerate_losses import Rules, price
from tests.sim.branching import ends
from tests.sim.conftest import Terminal
from tests.tables import kept_table, kept_text


def default_action(state: v.State) -> tuple[v.Action, str]:
    """Return what goes on with a battle, losses by default."""
    choice = BATTLE.legal(state)[0]
    if choice.action is not None:
        return choice.action, choice.seats[0]
    side = Side(choice.seats[0])
    return v.PickLosses(side=side, losses=default_losses(state, side)), side


@given(setups([v.MANUAL]), st.binary(min_size=1, max_size=8))
def test_manual_losses_by_default_are_those_of_the_edition_s_order(start: v.Setup, seed: bytes) -> None:
    """The same dice in one stream: asked for its losses or not, a side comes to the same end."""
    ends = []
    for policy in (v.MANUAL, start.attacker.book.rules.casualties):
        state = BATTLE.begin(start.model_copy(update={"attacker_losses": policy, "defender_losses": policy}))
        dice = SeededDice(seed)
        while BATTLE.outcome(state) is None:
            action, seat = default_action(state)
            state = BATTLE.apply(state, action, seat, dice).state
        ends.append((state.attacker, state.defender, state.ending, state.winner, state.round))
    assert ends[0] == ends[1]


@given(setups(), st.binary(min_size=1, max_size=8))
def test_every_battle_ends_and_nobody_is_lost_but_by_hits_or_comes_back(start: v.Setup, seed: bytes) -> None:
    """Armies shrink by losses alone; all hits, as the dice show them, are losses or have no target; no mark counts."""
    state = BATTLE.begin(start)
    left = {side: counted(start.army(side).fighters) for side in Side}
    for number in count(1):
        if BATTLE.outcome(state) is not None:
            break
        action, seat = default_action(state)
        step = BATTLE.apply(state, action, seat, SeededDice(seed, number))
        for event in (event for event in step.events if isinstance(event, v.Fired)):
            shown = sum(throw.hits for throw in event.throws) + sum(total.hits for total in event.sums)
            assert event.hits.total == shown
            assert (bool(event.sums), bool(event.throws)) == (start.low_luck, not start.low_luck)
        due_before = {side: hits_due(state, side) for side in Side}
        state = step.state
        for side in Side:
            scored = sum(event.hits.total for event in step.events if isinstance(event, v.Fired) and event.side != side)
            all_lost = [event for event in step.events if isinstance(event, v.Lost) and event.side is side]
            by_hits = [event for event in all_lost if event.moment is not v.Moment.DEFENCELESS]
            taken = sum(event.wasted + sum(loss.count for loss in event.losses) for event in by_hits)
            assert due_before[side] + scored == taken + hits_due(state, side)
            for loss in (loss for event in all_lost for loss in event.losses):
                left[side][loss.slot] -= loss.count
            now = counted(state.army(side))
            assert {slot: now.get(slot, 0) for slot in left[side]} == left[side]
    assert (state.phase, state.pending, state.silent, state.running) == (v.Phase.OVER, (), (), False)


def hits_due(state: v.State, side: Side) -> int:
    return sum(due.hits.total for due in state.pending if due.side is side)


SEATS = (*map(str, Side), ANYONE, REFEREE)


def in_fog(battle: str, edition: str = "1941") -> v.State:
    return BATTLE.begin(setup(battle, edition=edition).model_copy(update={"fog": True}))


def test_in_the_fog_a_side_sees_its_own_army_and_dice_and_the_public_and_the_referee_numbers_alone() -> None:
    step = act(in_fog("2 tanks vs 3 inf"), v.Fire(), "attacker", (3, 4, 2, 3, 6))
    view = BATTLE.visible_state(step.state, "attacker")
    assert view.attacker == step.state.attacker
    assert (view.defender, view.setup.defender, view.hidden) == (Army(), Army(), (Side.DEFENDER,))
    for seat, lines in (("attacker", "own_lines"), (ANYONE, "public_lines"), (REFEREE, "public_lines")):
        seen = BATTLE.lines(BATTLE.visible_events(step.state, step.events, seat))
        assert seen == kept_table(__file__, lines), seat
    assert BATTLE.hidden_rows(step.state, [v.Fire()]) is None
    stored = json.dumps([BATTLE.states.write(step.state), *map(BATTLE.events.write, step.events)])
    assert "hidden" not in stored, "no field of a view"


@given(st.data())
def test_what_differs_only_in_what_is_hidden_looks_the_same(data: st.DataObject) -> None:
    """The defender's army, dice and order of losses are others: neither the attacker nor the public can tell."""
    edition = data.draw(st.sampled_from(["1941", "1940"]))
    units = [unit for unit in EDITIONS[edition].units if unit.category is not Category.LAND]
    own, army, other = (data.draw(armies(edition, units, most=3)) for _ in range(3))
    state = BATTLE.begin(v.Setup(attacker=own, defender=army, fog=True, version=v.VERSION))
    state = state.model_copy(update={"phase": v.Phase.READY, "ending": None, "winner": None})
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
    while state.round < 3 and state.phase is not v.Phase.OVER:
        step = BATTLE.apply(state, v.Fire(), "attacker", SeededDice(seed.to_bytes(8, "big"), state.round))
        state = step.state
        for seat in SEATS if state.phase is not v.Phase.OVER else ():
            events = BATTLE.visible_events(state, step.events, seat)
            values = [BATTLE.states.write(BATTLE.visible_state(state, seat)), *map(BATTLE.events.write, events)]
            text = json.dumps(values).replace('"submarines": ', "") + str(BATTLE.lines(events))  # the field of hits
            names = {group.unit for side in Side if side != seat for group in state.setup.army(side).groups}
            assert not [unit for unit in names if f'"{unit}"' in text or unit.plural in text]


def test_a_choice_that_is_hidden_is_known_to_be_made() -> None:
    state = act(begin("1 tank, 1 inf vs 1 tank, 1 inf", v.MANUAL), v.Fire(), "attacker", (1, 6, 1, 6)).state
    choice = pick(Side.ATTACKER, tank=1)
    chosen = act(state, choice, "attacker").state
    assert BATTLE.hidden_rows(chosen, [choice, v.Fire()]) == 1
    assert [due.awaited for due in BATTLE.visible_state(chosen, "defender").pending] == [False, True]


def test_antiaircraft_fire_and_bombardment_tell_nothing_of_the_other_army_in_the_fog() -> None:
    """The number of dice is that of the planes, by type their names; the ships are the attacker's to know."""
    state = in_fog("1 inf, 2 ftr + 1 bb bombard vs 3 inf, 1 aa", "revised")
    step = act(state, v.Fire(), "attacker", [1, 6, 4] + [6] * 4)
    assert BATTLE.lines(BATTLE.visible_events(step.state, step.events, "defender"))[:5] == kept_table(
        __file__, "fog_lines"
    )
    view = BATTLE.visible_state(step.state, "defender")
    assert (view.setup.bombard, view.attacker.edition, view.attacker.groups) == (Army(), "revised", ())


def test_the_sums_of_low_luck_are_hidden_in_the_fog() -> None:
    """Which groups add up depends on what the other army has."""
    state = in_fog("2 sub, 1 cru vs 1 sub, 1 destroyer, 1 ftr | low luck", "1942")
    step = act(state, v.Fire(), "attacker", [6, 6, 6])
    assert "  The attacker fires: no hits." in BATTLE.lines(BATTLE.visible_events(step.state, step.events, "attacker"))


FOUGHT = act(in_fog("2 tanks vs 3 inf"), v.Fire(), "attacker", (3, 4, 2, 3, 6)).state


@pytest.mark.parametrize(
    ("state", "action"), [(begin("2 tanks vs 2 inf"), v.Fire()), (FOUGHT, v.RunOut()), (FOUGHT, v.Retreat())]
)
def test_all_is_visible_without_fog_and_at_the_end(state: v.State, action: v.Action) -> None:
    step = BATTLE.apply(state, action, "attacker", SeededDice(b"end"))
    assert BATTLE.visible_state(step.state, ANYONE) == step.state
    assert BATTLE.visible_events(step.state, step.events, ANYONE) == step.events
    assert BATTLE.hidden_rows(step.state, [action]) == 0


def test_the_terminal_shows_what_a_seat_sees(terminal: Terminal) -> None:
    lines = terminal("aa-battle", "-a", "6 tanks", "-d", "10 inf", "--seed", "5", "--seat", "defender").out.splitlines()
    last = max(number for number, line in enumerate(lines) if line.startswith("Round"))
    assert lines[0] == "Round 1: an army in the fog against 10 infantry"
    assert last > 0
    assert not any("tank" in line for line in lines[:last])
    assert "tank" in lines[last]


BATTLES = kept_text(__file__, "battles")
"""Every edition; strikes, guns, bombardment, lives, transports, carriers, technologies, low luck, retreats."""


@pytest.mark.statistics
@pytest.mark.parametrize("text", BATTLES.strip().splitlines())
def test_what_is_played_is_what_the_odds_say(text: str) -> None:
    question = parse_question(text)
    paid = price(pile(question.armies[Side.ATTACKER]), question.edition)
    rules = Rules(edition=question.edition, withdrawal=question.withdrawal, paid=paid)
    fought = question.model_copy(update={"withdrawal": Withdrawal()})

    def play(state: State, dice: Dice) -> State:
        state = BATTLE.apply(state, Fire(), Side.ATTACKER, dice).state
        if state.ending not in {None, Ending.STALEMATE} or not leaves(
            (pile(state.attacker), pile(state.defender)), rules
        ):
            return state
        if state.ending is Ending.STALEMATE:  # who wanted to leave has
            return state.model_copy(update={"ending": Ending.RETREAT})
        return BATTLE.apply(state, Retreat(), Side.ATTACKER, dice).state

    played = ends(
        BATTLE.begin(Setup.of(fought, {Side.ATTACKER: None, Side.DEFENDER: None})),
        play,
        key=lambda state: (named(pile(state.attacker)), named(pile(state.defender)), state.ending, state.round > 0),
        is_over=lambda state: state.ending is not None,
    )
    report = OddsRequest.model_validate({**question.fields, "outcomes": MAX_OUTCOMES}).run()
    figured = {
        (frozenset(row.attacker.items()), frozenset(row.defender.items()), row.ending): row.p for row in report.outcomes
    }
    chances: dict[tuple[object, ...], float] = defaultdict(float)
    for (*end, _), p in played.items():
        chances[tuple(end)] += float(p)
    assert chances == pytest.approx(figured, abs=1e-12)
