"""Tests and benchmarks; all use the cache of compiled kernels that the bot uses."""

from sim.jobs.kernel_cache import use_kernel_cache

use_kernel_cache()
