"""Warming up workers before their first job, so that no player waits for imports or a compiler."""

import os
from importlib import import_module

from sim.jobs.discovery import games

PRELOAD = ("sim.jobs.preload",)
"""Modules imported by the process that workers are forked from."""


def warm_up() -> None:
    """Load the heavy libraries and make every kernel ready: compiled, or loaded from its cache on disk.

    Takes under a second with the cache, some twenty without it.
    """
    for game in games():
        for module in map(import_module, game.rules.warm_up):
            if hasattr(module, "warm_up"):
                module.warm_up()


def stopgap() -> None:
    """Load the heavy libraries with the compiler off: the kernels run as plain Python, slower but at once."""
    os.environ["NUMBA_DISABLE_JIT"] = "1"  # read when Numba is imported
