"""The battle that is fought with dice, under dice that show every face: its exact chances are those of the odds."""

from collections import defaultdict

import pytest

from sim.axis_allies.army import Army
from sim.axis_allies.battle.rules import DiceBattle
from sim.axis_allies.battle.values import Fire, Retreat, Setup, State
from sim.axis_allies.odds_report import unit_key
from sim.axis_allies.parse import parse_question
from sim.axis_allies.question import Withdrawal
from sim.axis_allies.requests import MAX_OUTCOMES, OddsRequest
from sim.axis_allies.units import Category
from sim.core.dice import Dice
from sim.core.values import Ending, Side
from tests.sim.axis_allies.battle.builders import counted
from tests.sim.branching import ends
from tests.tables import kept_text

pytestmark = pytest.mark.statistics

BATTLES = kept_text(__file__, "battles")
"""Every edition; strikes, guns, bombardment, lives, transports, carriers, technologies, low luck, retreats."""

DICE = DiceBattle()


def left(army: Army) -> tuple[tuple[str, int], ...]:
    """Return what hits can take of an army, as a report names it."""
    return tuple(sorted((unit_key(slot), count) for slot, count in counted(army).items() if count))


def wants_to_leave(withdrawal: Withdrawal, state: State) -> bool:
    """Return whether the attacker leaves after a round (.docs/rules/axis_allies.md, "End, winner, territory")."""
    here, there = state.attacker, state.defender
    air = here.with_groups(group for group in here.groups if group.unit.category is Category.AIR).size()
    return (
        (withdrawal.below is not None and here.size() < withdrawal.below)
        or (withdrawal.only_air and here.size() == air)
        or (withdrawal.defenders_below is not None and there.size() < withdrawal.defenders_below)
        or (withdrawal.ipc_lost is not None and price(state.setup.attacker) - price(here) > withdrawal.ipc_lost)
    )


def price(army: Army) -> int:
    return sum(int(group.count) * army.book.cost(group.unit) for group in army.groups)


@pytest.mark.parametrize("text", BATTLES.strip().splitlines())
def test_what_is_played_is_what_the_odds_say(text: str) -> None:
    question = parse_question(text)
    withdrawal = question.withdrawal
    fought = question.model_copy(update={"withdrawal": Withdrawal()})

    def play(state: State, dice: Dice) -> State:
        state = DICE.apply(state, Fire(), Side.ATTACKER, dice).state
        if state.ending not in {None, Ending.STALEMATE} or not wants_to_leave(withdrawal, state):
            return state
        if state.ending is Ending.STALEMATE:  # who wanted to leave has
            return state.model_copy(update={"ending": Ending.RETREAT})
        return DICE.apply(state, Retreat(), Side.ATTACKER, dice).state

    played = ends(
        DICE.begin(Setup.of(fought, {Side.ATTACKER: None, Side.DEFENDER: None})),
        play,
        key=lambda state: (left(state.attacker), left(state.defender), state.ending, state.round > 0),
        is_over=lambda state: state.ending is not None,
    )
    report = OddsRequest.model_validate({**question.fields, "outcomes": MAX_OUTCOMES}).run()
    figured = {
        (tuple(sorted(row.attacker.items())), tuple(sorted(row.defender.items())), row.ending): row.p
        for row in report.outcomes
    }
    chances: dict[tuple[object, ...], float] = defaultdict(float)
    for (*end, _), p in played.items():
        chances[tuple(end)] += float(p)
    assert chances == pytest.approx(figured, abs=1e-12)
