"""Reports the bot's state to the health pages, the metrics and the service manager.

systemd's `Type=notify` and `WatchdogSec=` hear that the bot is up and that its event loop turns. Without NOTIFY_SOCKET
in the environment, as outside systemd, nothing is told.
"""

import asyncio
import contextlib
import logging
import os
import socket
from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path

from bot.app import Fracas
from bot.config import Settings
from bot.health import HealthServer
from bot.logging_setup import event
from bot.store.database import Database
from bot.store.errors import DatabaseLostError, DiskFullError
from bot.store.transactions import PanelRepository
from sim.jobs.release import version
from sim.workers import Simulator

_log = logging.getLogger("fracas.watchdog")
_MICROSECONDS = 1_000_000
_BEATS = 3
"""Messages in the time that the watchdog allows for one."""


def health_server(bot: Fracas, simulator: Simulator, settings: Settings) -> HealthServer:
    """Make the server of a bot's health pages."""
    db = bot.services[Database]
    waiting: dict[int, float] = {}
    """The battles with changes that no panel shows yet: when they were first seen so."""

    def is_lost() -> bool:
        return isinstance(db.availability.trouble, DatabaseLostError)

    def is_full() -> bool:
        return isinstance(db.availability.trouble, DiskFullError)

    bot.metrics.unavailable.labels("lost").set_function(is_lost)
    bot.metrics.unavailable.labels("full").set_function(is_full)

    async def connected() -> bool:
        return bot.connected

    async def database() -> bool:
        return not is_lost() and await db.answers()  # the bot looks every few seconds whether it is back

    async def disk() -> bool:
        return not is_full()

    async def measure() -> bool:
        if db.path is not None:
            log = db.path.with_name(f"{db.path.name}-wal")
            for name, file in {"database": db.path, "wal": log}.items():
                bot.metrics.database.labels(name).set(await asyncio.to_thread(_size, file))
        if not is_lost():
            now, pending = bot.monotonic(), await bot.services[PanelRepository].pending_revisions()
            since = {battle: waiting.get(battle, now) for battle in pending}
            waiting.clear()
            waiting.update(since)
            bot.metrics.outbox.set(len(waiting))
            bot.metrics.outbox_age.set(now - min(waiting.values(), default=now))
        return True

    checks = {"discord": connected, "database": database, "disk": disk, "workers": simulator.is_ready}
    return HealthServer(
        settings.health_port,
        bot.metrics,
        version=version(),
        checks=checks,
        measure=measure,
        host=settings.health_host,
    )


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except FileNotFoundError:  # there is no log before the first write
        return 0


@contextlib.asynccontextmanager
async def watched(environment: Mapping[str, str] = os.environ) -> AsyncIterator[None]:
    """Say that the bot is ready, then within the block that it lives, and at the end that it stops.

    WATCHDOG_USEC: how long the manager waits for a sign of life before it starts the bot anew. The signs come from the
    event loop: one that hangs gives none.
    """
    address = environment.get("NOTIFY_SOCKET")
    if not address:
        yield
        return
    if address.startswith("@"):
        address = f"\0{address[1:]}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as ours:
        ours.settimeout(0)

        def tell(message: bytes) -> None:
            try:
                ours.sendto(message, address)
            except OSError as error:  # the manager is busy, or starts anew itself
                event(_log, "watchdog_unheard", level=logging.WARNING, reason=str(error))

        tell(b"READY=1")
        seconds = int(environment.get("WATCHDOG_USEC", "0")) / _MICROSECONDS
        beating = asyncio.create_task(_beat(tell, seconds))
        try:
            yield
        finally:
            beating.cancel()
            await asyncio.wait({beating})
            tell(b"STOPPING=1")


async def _beat(tell: Callable[[bytes], None], seconds: float) -> None:
    while seconds:
        tell(b"WATCHDOG=1")
        await asyncio.sleep(seconds / _BEATS)
