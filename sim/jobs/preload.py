"""Loads what all workers share when it is imported: once, by the process that they are forked from.

That is the light part of every game's rules, and the heavy libraries: a worker that takes the place of one that was
stopped is ready in half a second instead of two. Kernels come later, because the stopgap's must not be compiled.
"""

import os
from importlib import import_module

from sim.jobs import games, systems

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # a process with threads should not fork; read when NumPy is imported

systems()
for _module in ("numba", "sim.core.cards.png", *(name for game in games() for name in game.rules.preload)):
    import_module(_module)
