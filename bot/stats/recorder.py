"""Remembers each ended battle: its teams and their places, and what everybody's dice showed."""

import logging
from collections import defaultdict
from collections.abc import Iterable, Sequence

from bot.battles.verification import replay_battle
from bot.client import Client
from bot.logging_setup import event
from bot.store.battles.battle import Battle
from bot.store.battles.repository import BattleRepository
from bot.store.chronicle import ChronicleRepository, SeatLucks, is_rated
from sim.core.battle import Seat
from sim.core.errors import TooMuchError
from sim.core.luck import Throw
from sim.core.replay import Mismatch
from sim.core.standings import Team
from sim.jobs.luck import CountLuck, RankTeams, WeighTeams

_log = logging.getLogger("fracas.chronicle")


class BattleRecorder:
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
        """Return the teams of a battle and their places, of a rated one with their chances; none if it is undecided."""
        if battle.outcome is None:
            return ()
        seats = tuple(place.seat for place in battle.places)
        job = RankTeams(system=battle.system, state_json=battle.state_json, seats=seats)
        teams = await self._bot.simulator.once(job)
        people = {place.seat: place.user_id for place in battle.places if place.user_id is not None}
        if not is_rated(battle, people, teams):
            return teams
        try:
            weigh = WeighTeams(system=battle.system, setup_json=battle.setup_json, teams=teams)
            return await self._bot.simulator.once(weigh)
        except TooMuchError as error:
            event(_log, "chances_unknown", level=logging.WARNING, battle=battle.id, error=str(error))
            return teams

    async def lucks(self, battle: Battle) -> SeatLucks:
        """Go through a battle again and count each holder's dice; none if that is too much, or comes out otherwise."""
        rows = await self._bot.services[BattleRepository].journal_rows(battle.id)
        if not rows:
            return {}
        left = await self._bot.services[BattleRepository].seats_left(battle.id)
        try:
            found = await replay_battle(self._bot.simulator, battle, rows, None, dice=True)
            if not isinstance(found, Mismatch):
                return {
                    left_at: await self._bot.simulator.once(CountLuck(thrown, battle.seed))
                    for left_at, thrown in _by_holder(found.thrown, left).items()
                }
            why = found.sentence
        except TooMuchError as error:
            why = str(error)
        event(_log, "luck_unknown", level=logging.WARNING, battle=battle.id, error=why)
        return {}


def _by_holder(
    thrown: Iterable[tuple[int, Throw]], left: Sequence[tuple[int, Seat]]
) -> dict[int, list[tuple[int, Throw]]]:
    """Return what was thrown until each row at which the thrower's seat changed hands, in order; the rest under 0."""
    parts = defaultdict(list)
    for row, throw in thrown:
        parts[next((n for n, seat in left if seat == throw.seat and n > row), 0)].append((row, throw))
    return parts
