"""An update in place: what Numba compiled for an earlier release lies beside the sources and must not be touched."""

import inspect

from sim.axis_allies.odds import sea

# Kernels of 0.1.0 in the same file, by name and line, whose cached signatures name classes that have moved since.
COMPILED_BY_0_1_0 = {
    ("_answer", 246),
    ("_general", 79),
    ("_push", 149),
    ("_push_all", 139),
    ("_surprise", 221),
    ("_torpedoes", 101),
    ("_units", 213),
    ("_volley", 39),
    ("battle", 169),
    ("chance_of", 160),
    ("exchange", 129),
    ("no_losses", 33),
    ("one_round", 259),
    ("rounds", 267),
    ("strike", 119),
    ("strikers", 93),
}


def test_no_kernel_at_sea_takes_the_place_of_one_of_the_first_release() -> None:
    """Numba finds a kernel by its file, name and line, and fails to load one whose arguments' classes are gone."""
    kernels = {
        (name, inspect.getsourcelines(kernel.py_func)[1])
        for name, kernel in vars(sea).items()
        if hasattr(kernel, "py_func") and kernel.py_func.__module__ == sea.__name__
    }
    assert kernels
    assert not kernels & COMPILED_BY_0_1_0
