"""The asynchronous way into the rules: `await simulator.run(job, caller)`."""

from sim.adapters.admission import Admission
from sim.adapters.base import (
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
from sim.adapters.inline import InlineSimulator
from sim.adapters.pool import PoolSimulator

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
