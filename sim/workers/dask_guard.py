"""What dask may read on any machine of a cluster: the one call that Fracas makes, whoever sends it.

dask pickles what it wraps around a job, and reading a pickle can run anything. Python tells of every name that a pickle
looks up; here all others are refused, by whatever way dask reads it. So what a stranger sends can't name, and not run,
a function of its own.
"""

import builtins
import sys
import threading
from collections.abc import Awaitable, Callable
from importlib import import_module
from typing import Any

from sim.workers.safe_pickle import ForeignTypeError

MOST_BYTES = 64 << 20
"""The most that is taken of a message at once; a job or a report that is larger stays on its machine."""

_NAMES = {
    "builtins": {"bytes", "int"},
    "collections": {"defaultdict", "deque"},
    "dask._expr": {"Expr._reconstruct", "LLGExpr"},
    "dask._task_spec": {"Task"},
    "distributed.core": {"Status"},
    "distributed.scheduler": {"KilledWorker", "WorkerState"},
    "distributed.shuffle._worker_plugin": {"ShuffleWorkerPlugin"},
    "sim.workers.cluster_worker": {"answer"},
}
"""What the versions of dask that Fracas works with send by themselves; `answer` is our call."""

_guarded = threading.local()


def guard() -> None:
    """From now on, let this thread and those of dask read no other pickles, and no messages without a bound.

    Works after `dask_settings.configure`, for as long as the process lives.
    """
    import_module("dask.delayed")  # reads pickles of its own
    _bound_messages(import_module("distributed.comm.tcp"), import_module("distributed.protocol.compression"))
    _guarded.is_here = True


def _look(event: str, arguments: tuple[Any, ...]) -> None:
    """Refuse a name; an audit hook."""
    if event == "pickle.find_class" and (
        hasattr(_guarded, "is_here") or threading.current_thread().name.startswith("Dask")
    ):
        module, name = arguments
        if name not in _NAMES.get(module, ()) and not (module == builtins.__name__ and _is_error(name)):
            raise ForeignTypeError(f"{module}.{name} is nothing that Fracas sends by dask")


def _is_error(name: str) -> bool:
    found = getattr(builtins, name, None)
    return isinstance(found, type) and issubclass(found, Exception)


def _bound_messages(tcp: Any, compression: Any) -> None:  # noqa: ANN401 - dask has few types
    """Read no message beyond its bound: the length that it gives counts before there is memory for it.

    Nor anything compressed, which grows; Fracas sends nothing so.
    """
    read: Callable[[Any, int], Awaitable[Any]] = tcp.read_bytes_rw
    if read.__module__ == __name__:
        return

    async def read_bounded(stream: Any, length: int) -> Any:  # noqa: ANN401 - likewise
        if length > MOST_BYTES:
            raise OSError(f"a message of {length} bytes, more than {MOST_BYTES}")
        return await read(stream, length)

    tcp.read_bytes_rw = read_bounded
    known = compression.compressions
    known.update(dict.fromkeys(known, known[None]))


sys.addaudithook(_look)
