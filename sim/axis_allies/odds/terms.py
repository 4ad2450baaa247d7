"""What the exact odds are asked: both sides, what happens before the first round, and when the battle is broken off."""

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from pydantic import Field

from sim.axis_allies.arms import Weapon
from sim.axis_allies.casualties import CasualtyOrder
from sim.axis_allies.odds.army_graph import Armies
from sim.axis_allies.odds.codes import Flags
from sim.core.values import Frozen


class Withdrawal(Frozen):
    """When the attacker leaves, after any round.

    `below`: with fewer units. `ipc_lost`: after losing more IPC. `only_air`: with nothing but planes left. `last_land`:
    with one land unit left. `defenders_below`: with fewer defenders left, as in a strafing attack.
    """

    below: Annotated[int, Field(ge=1)] | None = None
    ipc_lost: Annotated[int, Field(ge=0)] | None = None
    only_air: bool = False
    last_land: bool = False
    defenders_below: Annotated[int, Field(ge=1)] | None = None

    def leaves(self, attacker: Armies, ipc_before: int) -> Flags:
        """Return with which of its armies the attacker leaves; `ipc_before`: the price of its army in the beginning."""
        leaves = np.zeros(len(attacker.counts), np.bool_)
        if self.below is not None:
            leaves |= attacker.units < self.below
        if self.ipc_lost is not None:
            leaves |= ipc_before - attacker.ipc > self.ipc_lost
        if self.only_air:
            leaves |= attacker.land_units == 0
        if self.last_land:
            leaves |= attacker.land_units <= 1
        return leaves

    def stops(self, defender: Armies) -> Flags:
        """Return before which of the defender's armies the attacker leaves."""
        return defender.units < (self.defenders_below or 0)


NEVER = Withdrawal()
"""The attacker never leaves."""


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
