"""Short ways to say a live battle, and strategies that draw one."""

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from sim.axis_allies import battle as v
from sim.axis_allies.army import Army
from sim.axis_allies.battle.rules import DiceBattle
from sim.axis_allies.casualties import LIFE_OF, Life, Slot
from sim.axis_allies.editions import DEFAULT
from sim.axis_allies.parse import parse_question
from sim.axis_allies.units import Unit
from sim.core.battle import Step
from sim.core.dice import ScriptedDice
from sim.core.values import Side
from tests.sim.axis_allies.builders import asked, battles, pile, piles, to_army

BATTLE = DiceBattle()


def setup(
    battle: str,
    policy: v.CasualtyPolicy | None = None,
    *,
    attacker: v.CasualtyPolicy | None = None,
    edition: str = DEFAULT,
    **terms: Any,  # noqa: ANN401  # any field of a setup
) -> v.Setup:
    """Set up a battle such as "6 tanks vs 10 inf" or "2 inf + 1 bb bombard vs 2 inf | tech attacker: jets"."""
    policies = {Side.ATTACKER: policy if attacker is None else attacker, Side.DEFENDER: policy}
    found = v.Setup.of(parse_question(battle, edition), policies)
    return v.Setup.model_validate({**dict(found), **terms})


def begin(battle: str, policy: v.CasualtyPolicy | None = None, **terms: Any) -> v.State:  # noqa: ANN401  # of `setup`
    """Begin such a battle."""
    return BATTLE.begin(setup(battle, policy, **terms))


def act(state: v.State, action: v.Action, seat: str, faces: Sequence[int] = ()) -> Step[v.State, v.Event]:
    """Apply an action with these dice, all of them and no more."""
    dice = ScriptedDice(faces)
    step = BATTLE.apply(state, action, seat, dice)
    assert dice.left == 0
    return step


def losses(**counts: int) -> v.Losses:
    """Name losses: `losses(tank=2, life=1)`."""
    slots: dict[str, Slot] = {"life": Life.BATTLESHIP, "carrier": Unit.CARRIER, "gun": Unit.GUN}
    return tuple(
        v.Loss.model_validate({"slot": slots.get(name, name), "count": count}) for name, count in counts.items()
    )


def pick(side: Side, **counts: int) -> v.PickLosses:
    """Pick losses: `pick(Side.DEFENDER, tank=2)`."""
    return v.PickLosses(side=side, losses=losses(**counts))


def lost(events: Sequence[v.Event], side: Side) -> list[dict[str, int]]:
    """Return what a side lost, each time that it lost anything."""
    found = [event for event in events if isinstance(event, v.Lost) and event.side is side]
    return [{str(loss.slot): loss.count for loss in event.losses} for event in found]


def counted(army: Army) -> dict[Slot, int]:
    """Return what of an army hits can take, marks left out."""
    left: dict[Slot, int] = {}
    for unit, count, lives in pile(army):
        left[unit] = count
        if army.book.lives(unit):
            left[LIFE_OF[unit]] = lives
    return left


def armies(edition: str = DEFAULT, units: Sequence[Unit] = (), most: int = 5) -> st.SearchStrategy[Army]:
    """Draw a small army of an edition, its ships whole or damaged, in any order."""
    return piles(most, edition, units).map(lambda pile: to_army(pile, edition))


POLICIES: tuple[v.CasualtyPolicy, ...] = ("score", "lives-first", v.MANUAL)


@st.composite
def setups(draw: st.DrawFn, policies: Sequence[v.CasualtyPolicy] = POLICIES) -> v.Setup:
    """Draw a small battle of any edition on land or at sea, with any ways to lose and any technologies."""
    losses = {f"{side}_losses": draw(st.sampled_from(policies)) for side in Side}
    return v.Setup(**asked(draw(battles())), **losses, version=v.VERSION)
