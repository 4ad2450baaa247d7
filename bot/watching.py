"""What the health pages and the metrics ask of the running bot."""

import asyncio
from pathlib import Path

from bot.app import Fracas
from bot.config import Settings
from bot.health import HealthServer
from bot.store.battles.panels import PanelRepository
from bot.store.database import Database
from bot.store.errors import DatabaseLostError, DiskFullError
from sim.jobs.release import version
from sim.workers import Simulator


def health_server(bot: Fracas, simulator: Simulator, settings: Settings) -> HealthServer:
    """Make the server of a bot's health pages."""
    db = bot.services[Database]
    outbox = OutboxAge(bot)

    def is_lost() -> bool:
        return isinstance(db.availability.trouble, DatabaseLostError)

    def is_full() -> bool:
        return isinstance(db.availability.trouble, DiskFullError)

    bot.metrics.unavailable_from("lost", is_lost)
    bot.metrics.unavailable_from("full", is_full)

    async def connected() -> bool:
        return bot.connected

    async def database() -> bool:
        return not is_lost() and await db.answers()  # the bot looks every few seconds whether it is back

    async def disk() -> bool:
        return not is_full()

    async def measure() -> bool:
        if db.path is not None:
            bot.metrics.database("database", await asyncio.to_thread(_size, db.path))
            bot.metrics.database("wal", await asyncio.to_thread(_size, db.path.with_name(f"{db.path.name}-wal")))
        if not is_lost():
            await outbox.measure()
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


class OutboxAge:
    """Measures for how long battles have waited to be shown: from when they were first seen waiting."""

    def __init__(self, bot: Fracas) -> None:
        self._bot = bot
        self._since: dict[int, float] = {}

    async def measure(self) -> None:
        """Note how many wait, and for how long the oldest has."""
        now = self._bot.monotonic()
        waiting = await self._bot.services[PanelRepository].pending_revisions()
        self._since = {battle: self._since.get(battle, now) for battle in waiting}
        self._bot.metrics.outbox(len(waiting), now - min(self._since.values(), default=now))


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except FileNotFoundError:  # there is no log before the first write
        return 0
