"""What a worker does before its first job, so that no player waits for imports or a compiler."""

import os

import sim.axis_allies.export
import sim.duel.gather
import sim.duel.odds
import sim.mad_killer_agents.simulate
import sim.marked_for_death.run  # noqa: F401  # the light part of the rules, loaded once for all workers


def warm_up() -> None:
    """Load the heavy libraries and make every kernel ready: compiled, or loaded from its cache on disk.

    Takes under a second with the cache, some twenty without it.
    """
    # Not at the top: the process that starts the workers has no use for them.
    import sim.axis_allies.chart  # noqa: PLC0415
    import sim.axis_allies.odds.warm  # noqa: PLC0415
    import sim.boss_fight.pictures  # noqa: PLC0415
    import sim.duel.odds.warm  # noqa: PLC0415
    import sim.mad_killer_agents.picture.warm  # noqa: PLC0415
    import sim.marked_for_death.odds.chart  # noqa: PLC0415
    import sim.marked_for_death.odds.warm  # noqa: PLC0415

    sim.axis_allies.odds.warm.warm_up()
    sim.mad_killer_agents.picture.warm.warm_up()
    sim.marked_for_death.odds.warm.warm_up()
    sim.duel.odds.warm.warm_up()


def stopgap() -> None:
    """Load the heavy libraries with the compiler off: the kernels run as plain Python, slower but at once."""
    os.environ["NUMBA_DISABLE_JIT"] = "1"  # read when Numba is imported
