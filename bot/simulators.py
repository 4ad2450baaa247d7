"""What runs the jobs, as the settings say: worker processes on this machine, and a cluster if there is one."""

import logging
import ssl
from importlib.util import find_spec

from bot.config import Settings, SettingsError
from bot.logging_setup import event
from sim.jobs.discovery import packages
from sim.jobs.release import release
from sim.jobs.warm_up import PRELOAD, STOPGAP, warm_up
from sim.workers import PoolLimits, PoolSimulator
from sim.workers.cluster import ClusterSettings, ClusterSimulator, Reach
from sim.workers.dask_settings import SchedulerPlace, Tls

_log = logging.getLogger("fracas.cluster")


def limits_of(settings: Settings) -> PoolLimits:
    """Return the limits of jobs, the same for the bot and for a machine of the cluster."""
    return PoolLimits(
        workers=settings.workers,
        wall_seconds=settings.job_seconds,
        memory_bytes=settings.job_memory_mib << 20,
        cost_seconds=settings.job_seconds,
    )


def local_simulator(settings: Settings) -> PoolSimulator:
    """Return worker processes for jobs that may come from other machines."""
    return PoolSimulator(limits_of(settings), warm_up, STOPGAP, PRELOAD, packages())


def simulator_of(settings: Settings) -> PoolSimulator:
    """Return the bot's simulator; SettingsError if the cluster's settings can't be."""
    place = scheduler_place(settings)
    limits = limits_of(settings)
    if place is None:
        return PoolSimulator(limits, warm_up, STOPGAP, PRELOAD)
    cluster = ClusterSettings(place, release(), packages(), _ClusterLog())
    return ClusterSimulator(cluster, limits, warm_up, STOPGAP, PRELOAD)


def scheduler_place(settings: Settings) -> SchedulerPlace | None:
    """Return where the cluster's scheduler is, None without a cluster; SettingsError if the settings don't fit."""
    address = settings.cluster
    files = {
        "FRACAS_CLUSTER_CA": settings.cluster_ca,
        "FRACAS_CLUSTER_CERT": settings.cluster_cert,
        "FRACAS_CLUSTER_KEY": settings.cluster_key,
    }
    named = [name for name, file in files.items() if file is not None]
    if address is None:
        if named:
            raise SettingsError(f"{named[0]} is set, but FRACAS_CLUSTER isn't.")
        return None
    if find_spec("distributed") is None:
        raise SettingsError("FRACAS_CLUSTER needs the extra package: pip install 'fracas[cluster]'.")
    if not address.startswith("tls:"):
        if named:
            raise SettingsError(
                f"{named[0]} is set, but FRACAS_CLUSTER is {address!r}; with TLS it begins with tls://."
            )
        return SchedulerPlace(address)
    if settings.cluster_ca is None or settings.cluster_cert is None or settings.cluster_key is None:
        missing = next(name for name, file in files.items() if file is None)
        raise SettingsError(f"FRACAS_CLUSTER is {address!r}, so {missing} must name a PEM file.")
    tls = Tls(settings.cluster_ca, settings.cluster_cert, settings.cluster_key)
    _expect_usable(tls)
    return SchedulerPlace(address, tls)


def _expect_usable(tls: Tls) -> None:
    try:
        ssl.create_default_context(cafile=tls.authority)
    except OSError as error:
        raise SettingsError(f"FRACAS_CLUSTER_CA: {tls.authority} can't be used ({error.strerror or error}).") from None
    try:
        ssl.create_default_context().load_cert_chain(tls.certificate, tls.key)
    except OSError as error:
        files = f"{tls.certificate} with {tls.key}"
        raise SettingsError(f"FRACAS_CLUSTER_CERT: {files} can't be used ({error.strerror or error}).") from None


class _ClusterLog:
    """Logs what changes: whether the cluster is in reach, and each worker that can't be used, once."""

    def __init__(self) -> None:
        self._lost = False
        self._reached = False
        self._refused: set[tuple[str, str]] = set()

    def __call__(self, reach: Reach) -> None:
        if reach.processes and not self._reached:
            self._reached = True
            event(_log, "cluster_reached", processes=reach.processes)
        elif not reach.processes and (self._reached or not self._lost):
            self._reached, self._lost = False, True
            event(_log, "cluster_lost", level=logging.WARNING, reason=reach.why, instead="this machine's workers")
        for worker, other in sorted(set(reach.strangers) - self._refused):
            sentence = f"it runs {other or 'something else'}, this bot {release()}: install the same on both"
            event(_log, "cluster_worker_refused", level=logging.WARNING, worker=worker, reason=sentence)
        self._refused = set(reach.strangers)
