"""Which losses a player may choose: held against placing every hit one by one in every way."""

from collections.abc import Iterator
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.axis_allies.army import Army
from sim.axis_allies.battle.losses import HitPlacement, remove_losses
from sim.axis_allies.battle.rules import default_losses
from sim.axis_allies.battle.values import Hits, Loss, Losses, Pending, Phase, Setup, State
from sim.axis_allies.casualties import LIFE, Slot
from sim.axis_allies.units import Unit
from sim.core.battle import IllegalActionError
from sim.core.errors import RuleError
from sim.core.values import Side
from tests.sim.axis_allies.battle.builders import begin, losses, setups
from tests.sim.axis_allies.odds_builders import piles, to_army

Left = tuple[tuple[Slot, int], ...]

some_hits = st.builds(Hits, submarines=st.integers(0, 3), air=st.integers(0, 3), rest=st.integers(0, 2))


def placement(army: Army) -> HitPlacement:
    setup = Setup(attacker=army, defender=army)
    return HitPlacement.of(setup.casualty_order(Side.DEFENDER), army)


def one_by_one(left: dict[Slot, int], hits: Hits) -> set[Left]:
    """Return all that hits, placed one at a time on any legal target, can leave."""
    shooters = [(Unit.SUBMARINE, hits.submarines), (Unit.FIGHTER, hits.air), (Unit.INFANTRY, hits.rest)]
    found = {tuple(left.items())}
    for shooter, count in shooters:
        for _ in range(count):
            found = {end for start in found for end in one_hit(dict(start), shooter)}
    return found


def one_hit(left: dict[Slot, int], shooter: Unit) -> Iterator[Left]:
    hit = False
    for slot, count in left.items():
        unit = Unit.BATTLESHIP if slot == LIFE else Unit(slot)
        whole = slot == Unit.BATTLESHIP and count == left[LIFE]
        if count and not whole and shooter.can_hit(unit, own_destroyer=False):
            hit = True
            yield tuple((left | {slot: count - 1}).items())
    if not hit:
        yield tuple(left.items())


def counted(army: Army) -> dict[Slot, int]:
    left: dict[Slot, int] = {group.unit: int(group.count) for group in army.groups}
    return left | {LIFE: int(sum(group.lives for group in army.groups))}


@given(piles(4).map(to_army), some_hits)
def test_exactly_what_hits_one_by_one_can_come_to_may_be_chosen(army: Army, hits: Hits) -> None:
    left = counted(army)
    possible = one_by_one(left, hits)
    side = placement(army)
    for lost in product(*(range(count + 1) for count in left.values())):
        chosen: Losses = tuple(Loss(slot=slot, count=n) for slot, n in zip(left, lost, strict=True) if n)
        after_it = tuple((slot, left[slot] - n) for slot, n in zip(left, lost, strict=True))
        if after_it in possible:
            assert set(side.by_choice(hits, chosen)) == set(chosen)
        else:
            with pytest.raises(IllegalActionError):
                side.by_choice(hits, chosen)


@given(piles(5).map(to_army), some_hits)
def test_a_player_is_asked_exactly_when_there_is_a_choice(army: Army, hits: Hits) -> None:
    assert placement(army).has_choice(hits) is (len(one_by_one(counted(army), hits)) > 1)


@given(setups(), some_hits)
def test_the_method_s_losses_may_be_chosen(setup: Setup, hits: Hits) -> None:
    for side in Side:
        here = HitPlacement.of(setup.casualty_order(side), setup.army(side))
        lost = here.by_method(hits)
        assert here.by_choice(hits, lost) == lost
        assert (
            counted(remove_losses(setup.army(side), lost)).items()
            >= {
                slot: count - sum(loss.count for loss in lost if loss.slot == slot)
                for slot, count in counted(setup.army(side)).items()
                if count > sum(loss.count for loss in lost if loss.slot == slot)
            }.items()
        )


@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        (losses(tank=3), "You can't lose 3 tanks: you have only 2."),
        (losses(bomber=1), "You can't lose 1 bomber: you have none."),
        (losses(tank=1), "You must take 2 losses, not 1."),
        (losses(tank=1) * 2, "Name each unit only once"),
        (losses(battleship=1, tank=1), "An undamaged battleship takes a hit first"),
        (losses(fighter=2), "submarines never hit aircraft"),
    ],
)
def test_a_wrong_choice_is_told_what_is_wrong(chosen: Losses, message: str) -> None:
    army = begin("2 tanks, 1 battleship, 2 fighters vs 1 inf").attacker
    with pytest.raises(IllegalActionError, match=message):
        placement(army).by_choice(Hits(submarines=1, rest=1), chosen)


def test_the_default_is_known_only_while_losses_are_due() -> None:
    state = begin("1 inf vs 1 inf, 1 tank", "manual")
    with pytest.raises(RuleError, match="no losses to choose"):
        default_losses(state, Side.DEFENDER)
    pending = Pending(side=Side.DEFENDER, hits=Hits(rest=1), asked=True)
    due = State(
        setup=state.setup, attacker=state.attacker, defender=state.defender, phase=Phase.FIRE, pending=(pending,)
    )
    assert default_losses(due, Side.DEFENDER) == losses(infantry=1)
