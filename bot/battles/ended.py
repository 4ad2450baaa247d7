"""Who listens to ended battles hears of each one, however it ended and whatever broke meanwhile."""

import asyncio
import logging
from collections.abc import Sequence
from typing import Protocol

from bot.client import Client
from bot.logging_setup import event
from bot.store import OWN_WORK
from bot.store.battles.battle import Battle
from bot.store.battles.repository import BattleRepository
from bot.store.errors import UnavailableError

_log = logging.getLogger("fracas.ended")


class EndedListener(Protocol):
    """Does something about each ended battle, such as counting who won.

    It keeps in a table of its own which battles it has dealt with, and writes what it finds out in the same
    transaction: so nothing is lost or done twice when the bot is killed in between.
    """

    async def missing(self) -> Sequence[int]:
        """Return the ids of the closed battles that aren't dealt with yet, the first to end first; it is cheap."""
        ...

    async def ended(self, battle: Battle) -> None:
        """Deal with a closed battle, once: the same battle again changes nothing."""
        ...


class EndedBattles:
    """The listeners. They are called in the background, so that no player waits for them."""

    def __init__(self, bot: Client) -> None:
        self._battles = bot.services[BattleRepository]
        self._listeners: list[EndedListener] = []
        self._failed: set[tuple[EndedListener, int]] = set()  # not to be tried at every end of a battle
        self._work: asyncio.Task[None] | None = None
        self._again = False

    def add(self, listener: EndedListener) -> None:
        """Call a listener from now on."""
        self._listeners.append(listener)

    def wake(self) -> None:
        """Note that a battle was closed and published: its listeners are called soon."""
        self._again = True
        if self._listeners and (self._work is None or self._work.done()):
            self._work = asyncio.create_task(self._call_all())

    def retry(self) -> None:
        """Call the listeners soon for all that they miss, also for what failed before."""
        self._failed.clear()
        self.wake()

    async def settled(self) -> None:
        """Wait until the listeners have heard of every battle so far."""
        while self._work is not None and not self._work.done():
            await asyncio.shield(self._work)

    def close(self) -> None:
        """Stop; what is left is done after the next start."""
        if self._work is not None:
            self._work.cancel()

    async def _call_all(self) -> None:
        while self._again:
            self._again = False
            for listener in self._listeners:
                try:
                    missing = await listener.missing()
                except UnavailableError:
                    return  # `retry` comes when the database can be used again
                except Exception as error:  # noqa: BLE001  # no listener may hurt the others
                    event(_log, "listener_failed", level=logging.ERROR, exc_info=error, listener=_name(listener))
                    continue
                for battle_id in missing:
                    if (listener, battle_id) not in self._failed:
                        await self._call(listener, battle_id)

    async def _call(self, listener: EndedListener, battle_id: int) -> None:
        try:
            battle = await self._battles.get(battle_id, OWN_WORK)
            if battle is not None:
                await listener.ended(battle)
        except UnavailableError:
            self._failed.add((listener, battle_id))
        except Exception as error:  # noqa: BLE001  # a failing listener never hurts the battle
            self._failed.add((listener, battle_id))
            name = _name(listener)
            event(_log, "listener_failed", level=logging.ERROR, exc_info=error, listener=name, battle=battle_id)


def _name(listener: EndedListener) -> str:
    return type(listener).__name__
