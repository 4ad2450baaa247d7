"""Sets dask.distributed up on every machine of a cluster: where the scheduler is, and what dask may read.

dask pickles what it wraps around a job, and reading a pickle can run anything. Python tells of every name that a pickle
looks up; all but the one call that Fracas makes are refused here, no matter how dask reads it or who sends it. So a
stranger's pickle can neither name nor run a function of its own.
"""

import builtins
import sys
import threading
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from sim.workers.worker import ForeignTypeError

_CALLS_THAT_RUN_CODE = (
    *("run_function", "broadcast", "proxy", "register_scheduler_plugin", "register_worker_plugin"),
    *("register_nanny_plugin", "restart", "restart_workers", "terminate"),
    *("run", "run_coroutine", "actor_execute", "actor_attribute", "plugin-add", "upload_file", "feed"),
    *("dump_cluster_state_to_url", "workers_to_close", "adaptive_target", "benchmark_hardware", "benchmark_disk"),
    *("benchmark_memory", "benchmark_network", "plugin-remove", "unregister_scheduler_plugin"),
    *("unregister_worker_plugin", "unregister_nanny_plugin"),
)
"""Requests to a scheduler or a worker that Fracas never makes: they run code, write files, or take over the rest."""

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
    "bot.scale.cluster_worker": {"answer"},
}
"""What the versions of dask that Fracas works with send by themselves; `answer` is our call."""

_guarded = threading.local()


@dataclass(frozen=True, slots=True)
class Tls:
    """The files of TLS, all PEM: the authority that signs everybody's certificates, this machine's own, and its key."""

    authority: Path
    certificate: Path
    key: Path


@dataclass(frozen=True, slots=True)
class SchedulerPlace:
    """The scheduler's address, such as tcp://host:8786; tls:// with `tls`, and then nobody gets in without it."""

    address: str
    tls: Tls | None = None

    def security(self) -> Any:  # noqa: ANN401 - an extra's
        """Return dask's object for it; call `configure` before."""
        distributed: Any = import_module("distributed")
        if self.tls is None:
            return distributed.Security()
        files = {"cert": str(self.tls.certificate), "key": str(self.tls.key)}
        own = {f"tls_{role}_{kind}": file for role in ("client", "scheduler", "worker") for kind, file in files.items()}
        return distributed.Security(require_encryption=True, tls_ca_file=str(self.tls.authority), **own)


def configure() -> None:
    """Set dask for Fracas, in this process; before distributed is imported, because it sets up its log then."""
    import dask  # noqa: PLC0415 - an extra

    quiet = ("distributed", "distributed.client", "distributed.gc", "tornado", "tornado.application")
    dask.config.set(
        {
            "logging": dict.fromkeys(quiet, "critical"),  # what happens is told by us, once
            "distributed.comm.compression": None,
            "distributed.comm.timeouts.connect": "5s",
            "distributed.comm.timeouts.tcp": "15s",
            "distributed.scheduler.allowed-failures": 1,  # a job whose worker is lost gets another one once
            "distributed.scheduler.worker-ttl": "15s",
            "distributed.scheduler.active-memory-manager.start": False,
            "distributed.scheduler.blocked-handlers": _CALLS_THAT_RUN_CODE,
            "distributed.scheduler.http.routes": ["distributed.http.health"],
            "distributed.worker.blocked-handlers": _CALLS_THAT_RUN_CODE,
            "distributed.worker.http.routes": ["distributed.http.health"],
            "distributed.worker.profile.enabled": False,
        }
    )


def guard() -> None:
    """From now on, let this thread and those of dask read no other pickles, and no messages without a bound.

    Works after `configure`, for as long as the process lives.
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
        found = getattr(builtins, name, None) if module == builtins.__name__ else None
        is_error = isinstance(found, type) and issubclass(found, Exception)
        if name not in _NAMES.get(module, ()) and not is_error:
            raise ForeignTypeError(f"{module}.{name} is nothing that Fracas sends by dask")


def _bound_messages(tcp: Any, compression: Any) -> None:  # noqa: ANN401 - dask has few types
    """Read no message beyond its bound: the length that it gives counts before there is memory for it.

    Nor anything compressed, which grows; Fracas sends nothing so.
    """
    read: Callable[[Any, int], Awaitable[Any]] = tcp.read_bytes_rw
    if read.__module__ == __name__:
        return

    async def read_bounded(stream: Any, length: int) -> Any:  # noqa: ANN401 - as above
        if length > MOST_BYTES:
            raise OSError(f"a message of {length} bytes, more than {MOST_BYTES}")
        return await read(stream, length)

    tcp.read_bytes_rw = read_bounded
    known = compression.compressions
    known.update(dict.fromkeys(known, known[None]))


sys.addaudithook(_look)
