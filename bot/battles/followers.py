"""What follows a battle in the background, once its panel was shown: its thread, its event in the calendar, its end.

No player waits for it, and nothing is lost: what can't be done now is tried again with the next round of maintenance.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Iterator
from contextlib import contextmanager
from typing import ClassVar

from bot.client import UNDELIVERED, Client
from bot.logging_setup import event
from bot.store import OWN_WORK, BattleError, UnavailableError
from bot.store.battle import Battle
from bot.store.battles import BattleRepository
from bot.store.database import Database
from sim.core import RuleError

_log = logging.getLogger("fracas.display")

AT_ONCE = 5
"""Battles that are followed at the same time."""


class Follower:
    """Brings something up to date with a battle; it may be called at any time and repeatedly.

    `missing`: returns the ids of the battles it follows. `patience`: the seconds it may take, or None for no limit; one
    that waits for Discord must not hold up the others.
    """

    missing: Callable[[], Awaitable[Collection[int]]]
    patience: ClassVar[float | None] = 60

    async def follow(self, battle: Battle) -> None:
        """Do what is to be done, if anything."""


class EndedListener(Follower):
    """Does something about each ended battle, such as counting who won.

    It keeps in a table of its own which battles it has dealt with, and writes what it finds out in the same
    transaction: so nothing is lost or done twice when the bot is killed in between. `missing`: returns the ids of those
    that it hasn't dealt with yet; it is cheap.
    """

    patience = None

    async def ended(self, battle: Battle) -> None:
        """Deal with a closed battle, once: the same battle again changes nothing."""

    async def follow(self, battle: Battle) -> None:
        """Deal with a battle if it has ended."""
        if not battle.is_open and battle.id in await self.missing():
            await self.ended(battle)


class Followers:
    """Calls the followers of a battle, one at a time in all processes."""

    work: ClassVar[str] = "following"

    def __init__(self, bot: Client) -> None:
        self._bot = bot
        self._followers: list[Follower] = []
        self._again: set[int] = set()
        self._work: dict[int, asyncio.Task[None]] = {}
        self._few = asyncio.Semaphore(AT_ONCE)

    def add(self, *followers: Follower) -> None:
        """Call these followers from now on."""
        self._followers += followers

    def wake(self, battle_id: int) -> None:
        """Call the followers of a battle soon."""
        self._again.add(battle_id)
        if battle_id not in self._work:
            task = self._work[battle_id] = asyncio.create_task(self._run(battle_id))
            task.add_done_callback(lambda _: self._done(battle_id))

    def _done(self, battle_id: int) -> None:
        del self._work[battle_id]
        if battle_id in self._again:  # woken as the task ended
            self.wake(battle_id)

    async def retry(self) -> None:
        """Call the followers soon for all that they follow on this process's shards."""
        found = set[int]()
        for follower in self._followers:
            with _told(follower):
                found.update(await follower.missing())
        for battle_id in sorted(found):
            battle = await self._bot.services[BattleRepository].get(battle_id, OWN_WORK)
            if battle is not None and self._bot.serves(battle.guild_id or 0):
                self.wake(battle_id)

    async def settled(self) -> None:
        """Wait until all is done."""
        while self._work:
            await asyncio.wait([*self._work.values()])

    async def close(self) -> None:
        """Stop; what is left is done after the next start."""
        self._again.clear()
        for task in [*self._work.values()]:
            task.cancel()
        await self.settled()

    async def _run(self, battle_id: int) -> None:
        while battle_id in self._again:
            self._again.discard(battle_id)
            for follower in self._followers:
                with _told(follower, battle_id):
                    async with (
                        self._few,
                        asyncio.timeout(follower.patience),
                        self._bot.services[Database].alone(f"{self.work} {battle_id}", wait=True),
                    ):
                        battle = await self._bot.services[BattleRepository].get(battle_id, OWN_WORK)
                        if battle is not None:
                            await follower.follow(battle)


class EndedBattles(Followers):
    """Calls the listeners to ended battles; apart from what waits for Discord, as players may wait for these."""

    work = "ended"


@contextmanager
def _told(follower: Follower, battle: int | None = None) -> Iterator[None]:
    """Log what breaks in a follower: it hurts neither the battle nor the others."""
    name = type(follower).__name__
    try:
        yield
    except UnavailableError:
        pass  # which is told once
    except (*UNDELIVERED, BattleError, RuleError, TimeoutError) as error:
        event(_log, "not_followed", level=logging.WARNING, follower=name, battle=battle, error=repr(error))
    except Exception as error:  # noqa: BLE001  # as above
        log = logging.getLogger("fracas.ended")
        event(log, "listener_failed", level=logging.ERROR, exc_info=error, listener=name, battle=battle)
