"""Remembers each ended battle: its teams and their places, and what everybody's dice showed."""

import logging
from collections.abc import Sequence

from bot.battles.verification import replay_battle
from bot.client import Client
from bot.logging_setup import event
from bot.store.battles.battle import Battle
from bot.store.battles.repository import BattleRepository
from bot.store.chronicle import ChronicleRepository
from sim.core.errors import TooMuchError
from sim.core.luck import SeatLuck
from sim.core.replay import Mismatch
from sim.core.standings import Team
from sim.jobs.luck import CountLuck, RankTeams

_log = logging.getLogger("fracas.chronicle")


class Chronicler:
    """Listens to ended battles."""

    def __init__(self, bot: Client) -> None:
        self._bot = bot
        self._chronicle = bot.services[ChronicleRepository]

    async def missing(self) -> list[int]:
        """Return the closed battles that aren't remembered yet."""
        return await self._chronicle.missing()

    async def ended(self, battle: Battle) -> None:
        """Remember a battle; one transaction, the second time without effect."""
        await self._chronicle.record(battle, await self.teams(battle), await self.lucks(battle))

    async def teams(self, battle: Battle) -> Sequence[Team]:
        """Return the teams of a battle and their places; none if it ended undecided."""
        if battle.outcome is None:
            return ()
        seats = tuple(place.seat for place in battle.places)
        job = RankTeams(system=battle.system, state_json=battle.state_json, seats=seats)
        return await self._bot.simulator.once(job)

    async def lucks(self, battle: Battle) -> Sequence[SeatLuck]:
        """Go through a battle again and count its dice; none if that is too much, or comes out otherwise."""
        rows = await self._bot.services[BattleRepository].journal_rows(battle.id)
        if not rows:
            return ()
        try:
            found = await replay_battle(self._bot.simulator, battle, rows, None, dice=True)
            if not isinstance(found, Mismatch):
                return await self._bot.simulator.once(CountLuck(found.thrown, battle.seed)) if found.thrown else ()
            why = found.sentence
        except TooMuchError as error:
            why = str(error)
        event(_log, "luck_unknown", level=logging.WARNING, battle=battle.id, error=why)
        return ()
