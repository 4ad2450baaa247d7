"""What the odds of a duel say."""

from typing import Annotated, Literal

from pydantic import Field

from sim.core.frozen import Frozen
from sim.core.intervals import Interval

Chance = Annotated[float, Field(ge=0, le=1)]


class SideOdds(Frozen):
    """What becomes of a side.

    `survivors[k]`: chance that k of it are alive at the end. `mean_hp_left`: hit points of all of them together, 0 for
    the dead. `hp_left[h]`: chance of h hit points at the end, told where one fights one; else empty.
    """

    survivors: tuple[Chance, ...]
    mean_hp_left: float
    hp_left: tuple[Chance, ...] = ()


class Simulation(Frozen):
    """How odds were simulated; `intervals`: 95 % intervals by the name of the figure."""

    battles: int
    seed: int
    intervals: dict[str, Interval]


class DuelOdds(Frozen):
    """The odds of a duel; its JSON form has the same names.

    `p_win_first`, `p_win_second`; `p_never`: those who are left can't hit each other; `p_given_up`: simulated fights
    that went on for too long to follow. They add up to 1 but for `lost_mass`. `mean_rounds`, and `rounds[n]`: chance
    that it ends in round n + 1, as far as that is worth telling; `rounds_beyond`: the chance that it takes longer.
    """

    p_win_first: Chance
    p_win_second: Chance
    p_never: Chance
    p_given_up: Chance
    mean_rounds: float
    rounds: tuple[Chance, ...]
    rounds_beyond: Chance
    first: SideOdds
    second: SideOdds
    lost_mass: float
    method: Literal["exact", "simulated"]
    simulation: Simulation | None = None
