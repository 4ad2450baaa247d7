"""How kernels are compiled: functions of numbers and arrays that Numba turns into machine code.

Most of the time of compiling a small function goes into what lets others than kernels call it, so `inner` leaves that
out. LLVM puts one function into another where that pays; Numba's own `inline` compiles a copy for each call.
"""

from numba import njit

kernel = njit(cache=True, no_cfunc_wrapper=True)
"""Decorates a kernel that Python calls; it is kept on disk, with all that it calls."""

inner = njit(no_cfunc_wrapper=True, no_cpython_wrapper=True)
"""Decorates a function that kernels alone call. Compiled, it ends the process if Python calls it."""

woven = njit(no_cfunc_wrapper=True, no_cpython_wrapper=True, forceinline=True)
"""Decorates an inner function that LLVM puts into its callers, however long it is."""
