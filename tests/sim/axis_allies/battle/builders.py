"""Short ways to say a live battle, and strategies that draw one."""

from collections.abc import Sequence

from hypothesis import strategies as st

from sim.axis_allies.battle.rules import DiceBattle
from sim.axis_allies.battle.values import (
    MANUAL,
    Action,
    CasualtyPolicy,
    Event,
    Loss,
    Losses,
    Lost,
    PickLosses,
    Setup,
    State,
)
from sim.axis_allies.casualties import Slot
from sim.axis_allies.parse import parse_battle
from sim.core.battle import Step
from sim.core.dice import ScriptedDice
from sim.core.values import Side
from tests.sim.axis_allies.odds_builders import piles, to_army

BATTLE = DiceBattle()


def setup(battle: str, policy: CasualtyPolicy = "score", *, attacker: CasualtyPolicy | None = None) -> Setup:
    """Set up a battle such as "6 tanks vs 10 inf"."""
    armies = parse_battle(battle)
    return Setup(
        attacker=armies[Side.ATTACKER],
        defender=armies[Side.DEFENDER],
        attacker_losses=policy if attacker is None else attacker,
        defender_losses=policy,
    )


def begin(battle: str, policy: CasualtyPolicy = "score", *, attacker: CasualtyPolicy | None = None) -> State:
    """Begin such a battle."""
    return BATTLE.begin(setup(battle, policy, attacker=attacker))


def act(state: State, action: Action, seat: str, faces: Sequence[int] = ()) -> Step[State, Event]:
    """Apply an action with these dice, all of them and no more."""
    dice = ScriptedDice(faces)
    step = BATTLE.apply(state, action, seat, dice)
    assert dice.left == 0
    return step


def losses(**counts: int) -> Losses:
    """Name losses: `losses(tank=2, life=1)`."""
    slots: dict[str, Slot] = {"life": "battleship life"}
    return tuple(Loss.model_validate({"slot": slots.get(name, name), "count": count}) for name, count in counts.items())


def pick(side: Side, **counts: int) -> PickLosses:
    """Pick losses: `pick(Side.DEFENDER, tank=2)`."""
    return PickLosses(side=side, losses=losses(**counts))


def lost(events: Sequence[Event], side: Side) -> list[dict[str, int]]:
    """Return what a side lost, each time that it lost anything."""
    found = [event for event in events if isinstance(event, Lost) and event.side is side]
    return [{str(loss.slot): loss.count for loss in event.losses} for event in found]


@st.composite
def setups(draw: st.DrawFn, policy: Sequence[CasualtyPolicy] = ("score", "smart", "lives-first", MANUAL)) -> Setup:
    """Draw a small battle of any units, with any ways to lose."""
    return Setup(
        attacker=to_army(draw(piles(5))),
        defender=to_army(draw(piles(5))),
        attacker_losses=draw(st.sampled_from(policy)),
        defender_losses=draw(st.sampled_from(policy)),
    )
