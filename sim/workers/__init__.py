"""Runs jobs of the rules from asynchronous code: `await simulator.run(job, caller)`."""

from sim.workers.inline import InlineSimulator
from sim.workers.limits import (
    BusyError,
    Caller,
    ClosedError,
    CostError,
    Job,
    MemoryLimitError,
    OverrunError,
    PoolLimits,
    Scope,
    Simulator,
    WorkerLostError,
)
from sim.workers.pool import PoolSimulator
from sim.workers.queue import Admission

__all__ = [
    "Admission",
    "BusyError",
    "Caller",
    "ClosedError",
    "CostError",
    "InlineSimulator",
    "Job",
    "MemoryLimitError",
    "OverrunError",
    "PoolLimits",
    "PoolSimulator",
    "Scope",
    "Simulator",
    "WorkerLostError",
]
