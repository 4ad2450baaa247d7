"""What follows a battle in the background, once its panel was shown: its thread, and its event in the calendar.

No player waits for it, and nothing is lost: what can't be done now is tried again with the next round of maintenance.
"""

import asyncio
import logging
from collections.abc import Collection
from typing import Protocol

from bot.client import UNDELIVERED, Client
from bot.logging_setup import event
from bot.store import OWN_WORK
from bot.store.battle import Battle
from bot.store.battles import BattleRepository
from bot.store.database import Database
from bot.store.errors import BattleError, UnavailableError
from sim.core.errors import RuleError

_log = logging.getLogger("fracas.display")

PATIENCE_SECONDS = 60
"""After so long a battle's followers are ended: a limit of Discord's must not hold them up."""


AT_ONCE = 5
"""Battles that are followed at the same time."""


class Follower(Protocol):
    """Brings something in Discord up to date with a battle; it may be called at any time and repeatedly."""

    async def missing(self) -> Collection[int]:
        """Return the ids of the battles that it follows."""

    async def follow(self, battle: Battle) -> None:
        """Do what is to be done, if anything."""


class Followers:
    """Calls the followers, one battle at a time in all processes."""

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
            task.add_done_callback(lambda _: self._work.pop(battle_id))

    async def retry(self) -> None:
        """Call the followers soon for all that they follow on this process's shards."""
        battles = self._bot.services[BattleRepository]
        for battle_id in {each for follower in self._followers for each in await follower.missing()}:
            battle = await battles.get(battle_id, OWN_WORK)
            if battle is not None and self._bot.serves(battle.guild_id or 0):
                self.wake(battle_id)

    async def settled(self) -> None:
        """Wait until all is done."""
        while self._work:
            await asyncio.wait([*self._work.values()])

    async def close(self) -> None:
        """Stop; what is left is done after the next start."""
        for task in [*self._work.values()]:
            task.cancel()
        await self.settled()

    async def _run(self, battle_id: int) -> None:
        while battle_id in self._again:
            self._again.discard(battle_id)
            for follower in self._followers:
                try:
                    async with (
                        self._few,
                        asyncio.timeout(PATIENCE_SECONDS),
                        self._bot.services[Database].alone(f"following {battle_id}", wait=True),
                    ):
                        battle = await self._bot.services[BattleRepository].get(battle_id, OWN_WORK)
                        if battle is not None:
                            await follower.follow(battle)
                except UnavailableError:
                    return
                except (*UNDELIVERED, BattleError, RuleError, TimeoutError) as error:
                    name = type(follower).__name__
                    event(
                        _log, "not_followed", level=logging.WARNING, follower=name, battle=battle_id, error=repr(error)
                    )
