"""Short ways to say a live battle, and strategies that draw one."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from sim.axis_allies.army import Army, Group
from sim.axis_allies.battle import values as v
from sim.axis_allies.battle.rules import DiceBattle
from sim.axis_allies.casualties import Life, Slot
from sim.axis_allies.editions import DEFAULT, EDITIONS
from sim.axis_allies.parse import parse_question
from sim.axis_allies.unit_stats import stats_of
from sim.axis_allies.units import Category, Unit
from sim.core.battle import Step
from sim.core.dice import ScriptedDice
from sim.core.values import Side
from tests.sim.axis_allies.builders import piles, to_army

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
    for group in army.groups:
        if not army.book.units[group.unit].mark:
            left[group.unit] = int(group.count)
            if army.book.lives(group.unit):
                left[next(life for life in Life if life.unit is group.unit)] = int(group.lives)
    return left


def armies(edition: str = DEFAULT, units: Sequence[Unit] = (), most: int = 5) -> st.SearchStrategy[Army]:
    """Draw a small army of an edition, its ships whole or damaged, in any order."""
    return piles(most, edition, units).map(lambda pile: to_army(pile, edition))


POLICIES: tuple[v.CasualtyPolicy, ...] = ("score", "lives-first", v.MANUAL)


@st.composite
def setups(draw: st.DrawFn, policies: Sequence[v.CasualtyPolicy] = POLICIES) -> v.Setup:
    """Draw a small battle of any edition on land or at sea, with any ways to lose and any technologies."""
    edition = draw(st.sampled_from(list(EDITIONS)))
    book = EDITIONS[edition]
    fighting = {Category.AIR, draw(st.sampled_from((Category.LAND, Category.NAVAL)))}
    units = [unit for unit in book.units if unit.category in fighting]
    attacker = draw(armies(edition, [unit for unit in units if unit is not Unit.GUN]))
    defender = draw(armies(edition, units))
    if not counted(defender):
        defender = defender.with_groups((*defender.groups, Group(unit=Unit.INFANTRY, count=Fraction(2))))
    known = st.sets(st.sampled_from(list(book.technology))) if book.technology else st.just(set[str]())
    technology = {side: tuple(sorted(draw(known))) for side in Side}
    bombarding = stats_of(edition, Side.ATTACKER, technology[Side.ATTACKER]).bombarding
    ships = bombarding if attacker.has(Category.LAND) else ()
    bombards = draw(st.booleans())
    low_luck = "heavy-bombers" not in technology[Side.ATTACKER] and draw(st.booleans())
    return v.Setup(
        attacker=attacker,
        defender=defender,
        attacker_losses=draw(st.sampled_from(policies)),
        defender_losses=draw(st.sampled_from(policies)),
        bombard=draw(armies(edition, ships, 3)) if ships and bombards else Army(),
        landing=draw(st.none() | st.integers(0, 4)) if ships else None,
        attacker_technology=technology[Side.ATTACKER],
        defender_technology=technology[Side.DEFENDER],
        must_take=attacker.has(Category.LAND) and draw(st.booleans()),
        low_luck=low_luck,
        version=v.VERSION,
    )
