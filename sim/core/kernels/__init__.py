"""Compiles kernels: functions of numbers and arrays that Numba turns into machine code.

Half the time of compiling a small function goes into what lets others than kernels call it, so `inner` leaves that out.
What takes many arrays and is called often is `woven`: a call would count their references, and take twice the time.
Numba's own `inline` is as fast, but compiles a copy for each call: what has one is called `once`.

Even woven in, a function counts the references to its arrays if it returns from within a loop, or reads them in one
branch only. In a hot loop that is up to half of the time, so what runs there has one way through to its end.
"""

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

from numba import njit
from numpy.typing import NDArray

F = TypeVar("F", bound=Callable[..., object])


class _Decorator(Protocol):
    def __call__(self, function: F, /) -> F: ...


_FROM_PYTHON: dict[str, Any] = {"no_cfunc_wrapper": True}  # Numba's types know neither of these options
_FROM_KERNELS: dict[str, Any] = _FROM_PYTHON | {"no_cpython_wrapper": True}

kernel: _Decorator = njit(cache=True, **_FROM_PYTHON)
"""Decorates a kernel that Python calls; it is kept on disk, with all that it calls."""

inner: _Decorator = njit(**_FROM_KERNELS)
"""Decorates a function that kernels alone call. Compiled, it ends the process if Python calls it."""

woven: _Decorator = njit(forceinline=True, **_FROM_KERNELS)
"""Decorates an inner function that LLVM puts into its callers, however long it is."""

once: _Decorator = njit(inline="always", **_FROM_KERNELS)
"""Decorates an inner function that is called in one place: it is compiled there, and nowhere else."""


@inner
def copy(source: NDArray[Any], target: NDArray[Any]) -> None:
    """Copy a row into another one.

    Numba's assignment to a slice can also say that the shapes differ; to compile that takes seconds.
    """
    for at in range(len(source)):
        target[at] = source[at]
