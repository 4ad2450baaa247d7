"""Runs jobs inside a worker process.

Jobs and answers are pickled here: what can't be pickled fails one job, where pebble would give up the whole pool.
"""

import logging
import os
import pickle
import resource
import signal
import traceback
from collections.abc import Callable
from dataclasses import dataclass

from sim.core.errors import RuleError
from sim.workers.safe_pickle import Packages, dumps, loads

WarmUp = Callable[[], None]
"""A module-level function that a worker calls once before its first job."""

OUT_OF_MEMORY = 71
"""Exit status of a worker that ran out of memory."""

OVERRAN = -signal.SIGALRM
"""Exit status of a worker that ended itself because its job ran for too long."""

_GRACE_SECONDS = 1.0
"""How long past its limit a job may run before its worker gives up by itself."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Failure:
    """The error of a job and its traceback as text, because tracebacks can't be pickled."""

    error: Exception
    trace: str


def prepare(memory_bytes: int, warm_up: WarmUp | None) -> None:
    """Make this process a worker: deaf to Ctrl-C, limited in memory, and warm."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # pebble's handler runs between bytecodes; a long C call would hold up the end of the job, and the pool with it.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    limit = memory_bytes if hard == resource.RLIM_INFINITY else min(memory_bytes, hard)
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    if warm_up is not None:
        _warm(warm_up)


def _warm(warm_up: WarmUp) -> None:
    try:
        warm_up()
    except Exception:  # noqa: BLE001 - a worker that can't be warmed may still serve what needs no warming
        _log.exception("a worker's warm-up failed")


def idle() -> None:
    """Do nothing: the job that wakes a worker up."""


def work(payload: bytes, wall_seconds: float, packages: Packages | None = None) -> bytes:
    """Answer a job in a worker.

    A worker out of memory ends here, so that the next job finds a fresh one; so does one that is clearly over its time
    though nobody stopped it, because the program is gone.
    """
    signal.setitimer(signal.ITIMER_REAL, wall_seconds + _GRACE_SECONDS)  # SIGALRM ends a process, even in a C call
    try:
        return answer(payload, packages)
    except MemoryError:
        os._exit(OUT_OF_MEMORY)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def answer(payload: bytes, packages: Packages | None = None) -> bytes:
    """Run the pickled job and return its pickled report or failure; only MemoryError gets out.

    `packages`: of which the types may be that the job, its report and its errors are made of; None for any.
    """
    try:
        report = loads(payload, packages).run()
        return pickle.dumps((report, None))
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001 - raised again in the process that asked
        return failed(error, packages)


def failed(error: Exception, packages: Packages | None = None) -> bytes:
    """Return a failure as `answer` does."""
    trace = "".join(traceback.format_exception(error))
    return dumps((None, _Failure(_portable(error, packages), trace)))


def unpack(answered: bytes, packages: Packages | None = None) -> object:
    """Return the report in what `answer` returned, or raise what the job raised, the worker's traceback as a note."""
    report, failure = loads(answered, packages)
    if failure is None:
        return report
    if not isinstance(failure.error, RuleError):
        failure.error.add_note(f"In the worker:\n{failure.trace}")
    raise failure.error


def _portable(error: Exception, packages: Packages | None) -> Exception:
    """Return `error`, or a RuntimeError in its name when it doesn't survive pickling."""
    try:
        loads(dumps(error), packages)
    except Exception:  # noqa: BLE001 - any failure to travel means the same
        return RuntimeError(f"{type(error).__qualname__}: {error}")
    return error
