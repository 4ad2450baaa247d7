"""Opens what the settings name: the database, and what runs the jobs.

What needs more than one machine is in `bot.scale`, and loaded only where it is set.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bot.config import Server, Settings
from bot.store import StoreError
from bot.store.database import Database
from bot.store.migrate import Contents, Schema
from bot.store.sqlite import SqliteDatabase
from sim.jobs import packages
from sim.jobs.release import release
from sim.jobs.warm_up import STOPGAP, preload, warm_up
from sim.workers.pool import PoolSimulator
from sim.workers.queue import PoolLimits

if TYPE_CHECKING:
    from bot.scale.postgres import PostgresDatabase


async def open_database(place: Path | str | Server, schemas: Sequence[Schema]) -> Database:
    """Open or create the database at a file, ":memory:" or a server, and migrate it to the current schemas.

    Raises `StoreError` when it can't be opened and written, is damaged, is no database or another program's, is a file
    that is open already, comes from a newer version, or can't be migrated. No connection is left open then.
    """
    if not isinstance(place, Server):
        return await SqliteDatabase.open(place, schemas)
    return await _postgres().open(place.url, str(place), schemas)


async def look_at(server: Server) -> tuple[str, Contents]:
    """Return the version of PostgreSQL, and what is in the database, without changing it; StoreError."""
    return await _postgres().look_at(server.url, str(server))


def _postgres() -> "type[PostgresDatabase]":
    try:
        from bot.scale.postgres import PostgresDatabase  # noqa: PLC0415  # asyncpg is in an extra
    except ImportError:
        raise StoreError("PostgreSQL needs the extra postgres: pip install 'fracas[postgres]'.") from None
    return PostgresDatabase


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
    return PoolSimulator(limits_of(settings), warm_up, STOPGAP, preload(), packages())


def simulator_of(settings: Settings) -> PoolSimulator:
    """Return the bot's simulator; SettingsError if the cluster's settings can't be."""
    limits = limits_of(settings)
    if not settings.has_cluster:
        return PoolSimulator(limits, warm_up, STOPGAP, preload())
    from bot.scale.cluster import ClusterLog, ClusterSimulator, scheduler_place  # noqa: PLC0415  # loaded only where it is set

    place = scheduler_place(settings)
    return ClusterSimulator(place, release(), packages(), ClusterLog(), limits, warm_up, STOPGAP, preload())
