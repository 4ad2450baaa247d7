"""What can't happen at all, told apart from what is merely unlikely.

Figures can't tell that by themselves: chances too small to follow are dropped, so a computed 0 may stand for 1e-30.
"""

from collections.abc import Set as AbstractSet

from sim.axis_allies.army import Army
from sim.axis_allies.units import Category, Unit
from sim.core.outcomes import Side

OUTCOMES = ("attacker", "defender", "tie", "nobody")


def can_win(winner: Army, side: Side, loser: Army, rounds: int | None) -> bool:
    """Tell whether `winner` could win if every die fell its way, within `rounds` where there is a limit.

    It could when some unit of its whole army can hit each kind of unit of the other, and when it has shots enough.
    """
    guns = [group for group in winner.groups if group.unit.score(side)]
    destroyer = winner.count(Unit.DESTROYER) > 0
    reached = all(
        any(gun.unit.can_hit(target.unit, own_destroyer=destroyer) for gun in guns) for target in loser.groups
    )
    shots = sum(gun.count for gun in guns) * (rounds or 1)
    return reached and (rounds is None or shots >= sum(group.count + group.lives for group in loser.groups))


def can_stall(army: Army, other: Army) -> bool:
    """Tell whether the two armies could come to a point where neither can hit the other, with fighters left on both."""
    if army.count(Unit.TRANSPORT) and other.count(Unit.TRANSPORT):
        return True
    return any(
        below.count(Unit.SUBMARINE) and above.has(Category.AIR) for below, above in ((army, other), (other, army))
    )


def impossible(attacker: Army, defender: Army, stop_after: int | None, *, breaks_off: bool) -> AbstractSet[str]:
    """Return those of `OUTCOMES` that can't happen whatever the dice say.

    `breaks_off`: the attacker may retreat, or fail to take a territory. What is not named here may be possible.
    """
    wins = {
        "attacker": can_win(attacker, Side.ATTACKER, defender, stop_after),
        "defender": can_win(defender, Side.DEFENDER, attacker, stop_after),
    }
    possible = {
        **wins,
        "tie": all(wins.values()),
        "nobody": breaks_off or stop_after is not None or can_stall(attacker, defender),
    }
    return {name for name in OUTCOMES if not possible[name]}
