"""Runs jobs of the rules from asynchronous code: `await simulator.run(job, caller)`."""

from sim.core.staged_job import Job
from sim.workers.limits import (
    BusyError,
    Caller,
    ClosedError,
    CostError,
    MemoryLimitError,
    OverrunError,
    PoolLimits,
    Scope,
    StartingError,
    Wait,
    WorkerLostError,
)
from sim.workers.pool import PoolSimulator, Stopgap
from sim.workers.queue import Queue
from sim.workers.simulator import InlineSimulator, Simulator

__all__ = [
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
    "Queue",
    "Scope",
    "Simulator",
    "StartingError",
    "Stopgap",
    "Wait",
    "WorkerLostError",
]
