"""What the exact odds are asked: both sides, what happens before the first round, and when the battle is broken off."""

from dataclasses import dataclass

import numpy as np

from sim.axis_allies.arms import Weapon
from sim.axis_allies.casualties import CasualtyOrder
from sim.axis_allies.odds.army_graph import Armies
from sim.axis_allies.odds.layout import Flags, Floats, Ints
from sim.axis_allies.withdrawal import NEVER, Withdrawal


@dataclass(frozen=True, slots=True)
class Terms:
    """Both sides, what happens before the first round, and when the battle is broken off.

    `guns`: antiaircraft guns that fire at the attacker's planes. `bombardment`: the ships' dice, already limited.
    `stop_after`: rounds, None for no limit. `low_luck`: six points of value are a hit, one die decides on the rest.
    """

    attacker: CasualtyOrder
    defender: CasualtyOrder
    guns: int = 0
    bombardment: tuple[Weapon, ...] = ()
    stop_after: int | None = None
    withdrawal: Withdrawal = NEVER
    low_luck: bool = False


@dataclass(frozen=True, slots=True)
class Met:
    """What an attacker meets: `armies` that the defender may have left, counts by slot, and their `chances`.

    `enemies`: all attackers that the defender meets in turn, this one included.
    """

    armies: Ints
    chances: Floats
    enemies: tuple[CasualtyOrder, ...]


def leaving(withdrawal: Withdrawal, attacker: Armies, ipc_before: int) -> Flags:
    """Return with which of its armies the attacker leaves; `ipc_before`: the price of its army in the beginning."""
    leaves = np.zeros(len(attacker.counts), np.bool_)
    if withdrawal.below is not None:
        leaves |= attacker.units < withdrawal.below
    if withdrawal.ipc_lost is not None:
        leaves |= ipc_before - attacker.ipc > withdrawal.ipc_lost
    if withdrawal.only_air:
        leaves |= attacker.planes == attacker.units
    if withdrawal.last_land:
        leaves |= attacker.land_units <= 1
    return leaves


def strafed(withdrawal: Withdrawal, defender: Armies) -> Flags:
    """Return before which of the defender's armies the attacker leaves."""
    if withdrawal.defenders_below is None:
        return np.zeros(len(defender.counts), np.bool_)
    enough: Flags = defender.units < withdrawal.defenders_below
    return enough
