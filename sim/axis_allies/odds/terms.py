"""What the terms of a battle come to: dice before the first round, what makes the attacker leave, impossible outcomes.

Numbers can't tell impossible from unlikely: negligible chances are dropped, so a computed 0 may stand for 1e-30.

Source: .docs/rules/axis_allies.md, "Before the first round".
"""

from collections.abc import Collection, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from math import prod

from sim.axis_allies.casualties import CasualtyOrder
from sim.axis_allies.odds.army_graph import Armies
from sim.axis_allies.odds.dice import FIRST, dice_of_weapons, hit_distribution
from sim.axis_allies.odds.layout import AIR, IPC, LAND, UNITS, Floats, Ints, layout_of, standing
from sim.axis_allies.odds_report import OutcomeName
from sim.axis_allies.question import Terms, Withdrawal
from sim.axis_allies.unit_stats import Weapon
from sim.axis_allies.units import Unit
from sim.core import TooMuchError

MAX_DICE = 2_000
"""Maximum number of dice of a bombardment in an exact calculation."""

MAX_LINES = 2_000
"""Maximum number of armies that antiaircraft fire may leave in an exact calculation."""


@dataclass(frozen=True, slots=True)
class DefenderDistribution:
    """What an attacker meets: `armies` that the defender may have left, counts by slot, and their `chances`."""

    armies: Ints
    chances: Floats


def standings(withdrawal: Withdrawal, attacker: Armies, defender: Armies, ipc_before: int) -> tuple[Ints, Ints]:
    """Return both sides' standings, see `layout`, with what makes the attacker leave.

    `ipc_before`: the price of its army in the beginning.
    """
    units, air, land, ipc = (attacker.totals[row] for row in (UNITS, AIR, LAND, IPC))
    leaves = withdrawal.leaves(units, air, land, ipc_before - ipc)
    stops = defender.totals[UNITS] < (withdrawal.defenders_below or 0)
    return (
        standing(attacker.dice.counts, attacker.totals, leaves),
        standing(defender.dice.counts, defender.totals, stops),
    )


def hits_of(dice: Sequence[Weapon], *, low_luck: bool) -> Floats:
    """Return the chance of each number of hits of some dice, thrown together; TooMuchError for too many dice."""
    if len(dice) > MAX_DICE:
        raise TooMuchError("These armies are too large for exact odds.")
    table, *_ = hit_distribution(*dice_of_weapons(dice, FIRST, 1), low_luck)
    chances: Floats = table[0]
    return chances


def after_antiaircraft_fire(terms: Terms, guns: int | None = None) -> Iterator[tuple[float, CasualtyOrder]]:
    """Yield what antiaircraft fire may leave of the attacker, with its chance; TooMuchError for too many armies.

    `guns`: fewer of them than the terms have.
    """
    volleys = terms.attacker.volleys_of(terms.guns if guns is None else guns, terms.defender)
    if prod(dice + 1 for dice, _ in volleys) > MAX_LINES:
        raise TooMuchError("These armies are too large for exact odds.")
    gun = Weapon(terms.defender.arms.gun_hits)
    fires = [hits_of([gun] * dice, low_luck=terms.low_luck).tolist() for dice, _ in volleys]
    for chance, counts in terms.attacker.shot_at(volleys, fires):
        yield chance, terms.attacker.with_counts(counts)


OUTCOMES: tuple[OutcomeName, ...] = ("attacker", "defender", "tie", "nobody")


def can_win(winner: CasualtyOrder, loser: CasualtyOrder, rounds: int | None) -> bool:
    """Return whether `winner` wins with the best possible dice, within `rounds` if there is a limit.

    It does if its army can hit each kind of the other's units and has enough shots.
    """
    fires = layout_of(winner).fires
    if not all(fires & targets for targets in layout_of(loser).targets.tolist()):
        return False
    return rounds is None or winner.shooters * rounds >= loser.hits


def can_stall(army: CasualtyOrder, other: CasualtyOrder) -> bool:
    """Return whether the battle can come to a point where both have units left and neither can hit the other."""
    if Unit.TRANSPORT in army.slots and Unit.TRANSPORT in other.slots:
        return True
    return any(
        Unit.SUBMARINE in below.slots and layout_of(above).worth[AIR].any()
        for below, above in ((army, other), (other, army))
    )


def impossible_outcomes(
    terms: Terms, *, must_take: bool, among: Collection[OutcomeName] = OUTCOMES
) -> AbstractSet[OutcomeName]:
    """Return the outcomes that no dice can produce; the others may be possible.

    `must_take`: the attacker wins only with a land unit left. `among`: those that are looked at.
    """
    attacker, defender, rounds = terms.attacker, terms.defender, terms.stop_after

    def possible(name: OutcomeName) -> bool:
        if name == "nobody":
            # The last land unit is lost last, unless submarines' hits have to spare planes; then a battle can stall.
            untaken = must_take and not layout_of(attacker).worth[LAND].any()
            return terms.withdrawal.possible or untaken or rounds is not None or can_stall(attacker, defender)
        return (name == "defender" or can_win(attacker, defender, rounds)) and (
            name == "attacker" or can_win(defender, attacker, rounds)
        )

    return {name for name in among if not possible(name)}
