"""When the attacker leaves a battle.

Source: the rules page of all editions, section "End, winner, territory": all at once, after any round, the attacker
only.
"""

from typing import Annotated

from pydantic import Field

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

    @property
    def possible(self) -> bool:
        """Whether the attacker ever leaves."""
        return self != NEVER


NEVER = Withdrawal()
"""The attacker never leaves."""
