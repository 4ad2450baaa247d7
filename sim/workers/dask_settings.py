"""Where the cluster's scheduler is, who may take part, and how dask.distributed is set: the same on every machine."""

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

_QUIET = ("distributed", "distributed.client", "distributed.gc", "tornado", "tornado.application")

_CALLS_THAT_RUN_CODE = (
    *("run_function", "broadcast", "proxy", "register_scheduler_plugin", "register_worker_plugin"),
    *("register_nanny_plugin", "restart", "restart_workers", "terminate"),
    *("run", "run_coroutine", "actor_execute", "actor_attribute", "plugin-add", "upload_file", "feed"),
    *("dump_cluster_state_to_url", "workers_to_close", "adaptive_target", "benchmark_hardware", "benchmark_disk"),
    *("benchmark_memory", "benchmark_network", "plugin-remove", "unregister_scheduler_plugin"),
    *("unregister_worker_plugin", "unregister_nanny_plugin"),
)
"""Requests to a scheduler or a worker that Fracas never makes: they run code, write files, or take over the rest."""


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

    dask.config.set(
        {
            "logging": dict.fromkeys(_QUIET, "critical"),  # what happens is told by us, once
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
