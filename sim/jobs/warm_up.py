"""Warming up workers before their first job, so that no player waits for imports or a compiler.

Stands apart from `kernel_cache`, which commands of the terminal load: they need no workers.
"""

import os
from collections.abc import Iterator
from importlib import import_module
from importlib.util import resolve_name

from sim.jobs import games, kernel_cache
from sim.workers.pool import Stopgap


def preload() -> tuple[str, ...]:
    """Return the modules imported by the process that workers are forked from.

    That is the light part of every game's rules, and the heavy libraries: a worker that takes the place of one that was
    stopped is ready in half a second instead of two. Kernels come later, because the stopgap's must not be compiled.
    """
    rules = (resolve_name(place.partition(":")[0], game.home) for game in games() for place in game.rules.systems)
    return ("numba", "sim.core.cards.png", *rules, *(module for game in games() for module in game.rules.preload))


def warm_up() -> None:
    """Load the heavy libraries and make every kernel ready: compiled, or loaded from its cache on disk.

    Takes a second or two with the cache, a minute and more without it.
    """
    for _game in warm_ups():
        pass


def warm_ups() -> Iterator[str]:
    """Do what `warm_up` does, and yield the name of each game that has something to make ready when it is."""
    # The release of so large a block tells the C library to keep as much memory for the next tables. Else it returns
    # each table to the system, and to get it anew takes a seventh of the time of a battle at sea.
    bytearray(8 << 20)
    for game in games():
        for module in map(import_module, game.rules.warm_up):
            if hasattr(module, "warm_up"):
                module.warm_up()
        if game.rules.warm_up:
            yield game.name


def rehearse() -> None:
    """Compile every kernel into the cache, and leave the processor to those who answer players meanwhile."""
    os.nice(10)
    warm_up()
    kernel_cache.mark_complete()


def warm_up_uncompiled() -> None:
    """Load the heavy libraries with the compiler off: the kernels run as plain Python, slower but at once."""
    os.environ["NUMBA_DISABLE_JIT"] = "1"
    import_module("numba").config.reload_config()  # the process that this one comes from has imported it already
    warm_up()


STOPGAP = Stopgap(warm_up_uncompiled, rehearse, is_needed=lambda: not kernel_cache.is_complete())
"""Answers players in plain Python while kernels are compiled."""
