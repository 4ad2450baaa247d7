"""Runs jobs inside a worker process.

Jobs and answers are pickled here: what can't be pickled fails one job, where pebble would give up the whole pool.
Pickles from other machines may name our own types and a few plain ones, nothing else.
"""

import builtins
import io
import logging
import os
import pickle
import re
import resource
import signal
import traceback
from collections.abc import Callable, Sequence
from enum import Enum
from fractions import Fraction
from importlib import import_module
from operator import attrgetter
from pathlib import PosixPath
from typing import Any

from typing_extensions import override

from sim.core import RuleError

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # a process with threads should not fork; read when NumPy is imported

Packages = Sequence[str]
"""The packages whose types may travel."""

_PLAIN = {
    "builtins": {"complex", "frozenset", "set"},
    "collections": {"Counter", "OrderedDict", "defaultdict", "deque"},
    "datetime": {"date", "datetime", "timedelta"},
    "decimal": {"Decimal"},
    PosixPath.__module__: {"PosixPath"},  # not the same in every version of Python
}


class ForeignTypeError(pickle.UnpicklingError):
    """A pickle that names something that isn't ours."""


class _SafeUnpickler(pickle.Unpickler):
    """Finds classes of values of some packages where they are defined, built-in exceptions, and plain containers.

    A function is never found, nor a class that does things, so a pickle can call nothing but the making of a value; and
    none that is larger than its pickle.
    """

    def __init__(self, data: bytes, packages: Packages) -> None:
        super().__init__(io.BytesIO(data))
        self._packages = packages

    @override
    def find_class(self, module_name: str, global_name: str, /) -> Any:
        if global_name in _PLAIN.get(module_name, ()):
            return getattr(import_module(module_name), global_name)
        if (module_name, global_name) == (Fraction.__module__, Fraction.__name__):
            return _fraction
        if module_name == builtins.__name__:
            found = getattr(builtins, global_name, None)
            if isinstance(found, type) and issubclass(found, Exception):
                return found
        elif any(f"{module_name}.".startswith(f"{package}.") for package in self._packages):
            found = attrgetter(global_name)(import_module(module_name))
            # What a module has imported is not its own.
            if _is_value(found) and (found.__module__, found.__qualname__) == (module_name, global_name):
                return found
        raise ForeignTypeError(f"{module_name}.{global_name} is no type of ours")


def _is_value(found: object) -> bool:
    """Return whether this is a class of what requests and reports are made of: frozen, or an error."""
    if not isinstance(found, type):
        return False
    if issubclass(found, Exception | Enum | tuple):
        return True
    parameters = getattr(found, "__dataclass_params__", None)
    frozen = parameters.frozen if parameters else getattr(found, "model_config", {}).get("frozen")
    return bool(frozen)


def _fraction(numerator: Any, denominator: int | None = None) -> Fraction:  # noqa: ANN401 - as the pickle has it
    """Make a fraction of what one is pickled as; "1e999999999" would be one, too."""
    if isinstance(numerator, str) and not re.fullmatch(r"-?[0-9]+(/[0-9]+)?", numerator):
        raise ForeignTypeError("this is no fraction")
    return Fraction(numerator, denominator)


def loads(data: bytes, packages: Packages | None) -> Any:  # noqa: ANN401 - whatever was pickled
    """Return the pickled value; ForeignTypeError if it names what isn't ours. None: written by our own process."""
    if packages is None:
        return pickle.loads(data)  # noqa: S301 - as said
    return _SafeUnpickler(data, packages).load()


def dumps(value: object) -> bytes:
    """Pickle a value as Python does by itself; a library in this process may have taught `pickle` another way."""
    buffer = io.BytesIO()
    pickler = pickle.Pickler(buffer)
    pickler.dispatch_table = {}
    pickler.dump(value)
    return buffer.getvalue()


WarmUp = Callable[[], None]
"""A module-level function that a worker calls once before its first job."""

OUT_OF_MEMORY = 71
"""Exit status of a worker that ran out of memory."""

OVERRAN = -signal.SIGALRM
"""Exit status of a worker that ended itself because its job ran for too long."""

_GRACE_SECONDS = 1.0
"""How long past its limit a job may run before its worker gives up by itself."""

_log = logging.getLogger(__name__)


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
        return pickle.dumps((loads(payload, packages).run(), None, ""))
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001 - raised again in the process that asked
        return failed(error, packages)


def failed(error: Exception, packages: Packages | None) -> bytes:
    """Return a failure as `answer` does: the error, and its traceback as text, because tracebacks can't be pickled.

    For an error that doesn't survive pickling, a RuntimeError goes in its name.
    """
    trace = "".join(traceback.format_exception(error))
    try:
        loads(dumps(error), packages)
    except Exception:  # noqa: BLE001 - any failure to travel means the same
        error = RuntimeError(f"{type(error).__qualname__}: {error}")
    return dumps((None, error, trace))


def unpack(answered: bytes, packages: Packages | None = None) -> object:
    """Return the report in what `answer` returned, or raise what the job raised, the worker's traceback as a note."""
    report, error, trace = loads(answered, packages)
    if error is None:
        return report
    if not isinstance(error, RuleError):
        error.add_note(f"In the worker:\n{trace}")
    raise error
