"""What a player can order; compact, since a journal keeps every one."""

from typing import Annotated, Literal

from pydantic import Field

from sim.core.frozen import Frozen
from sim.mad_killer_agents.constants import Technology

Tile = Annotated[int, Field(ge=0, strict=True)]
Units = Annotated[int, Field(ge=1, le=10**12, strict=True)]


class _Way(Frozen):
    """From a tile to a neighbour. `units`: how many go; None for all that stand there."""

    at: Tile
    to: Tile
    units: Units | None = None


class Move(_Way):
    """Go, or split off and go."""

    do: Literal["move"] = "move"


class March(_Way):
    """Go by forced march: half a point, at a loss."""

    do: Literal["march"] = "march"


class Attack(_Way):
    """Attack an enemy's army or city."""

    do: Literal["attack"] = "attack"


class _Here(Frozen):
    """By the army on a tile."""

    at: Tile


class Found(_Here):
    """Found a city."""

    do: Literal["found"] = "found"


class Grow(_Here):
    """Let the city that the army stands in grow by 1."""

    do: Literal["grow"] = "grow"


class Lower(_Here):
    """Take 1 from the value of the army's tile."""

    do: Literal["lower"] = "lower"


class Raise(_Here):
    """Add 1 to the value of the army's tile."""

    do: Literal["raise"] = "raise"


class Discover(_Here):
    """Discover a technology."""

    do: Literal["discover"] = "discover"
    tech: Technology


class Pass(_Here):
    """Give up the army's movement points for this turn."""

    do: Literal["pass"] = "pass"


Order = Annotated[Move | March | Attack | Found | Grow | Lower | Raise | Discover | Pass, Field(discriminator="do")]
