"""Does what clocks ask for when its time has come: warnings, turns whose time is up, the question to the referee."""

import asyncio
import logging

from bot.battles.clock import nobody_there
from bot.battles.clocks import ClockService, Waiting
from bot.battles.notes import AskReferee, Away, PauseClock
from bot.battles.presenter import AnyPresenter, Presenters
from bot.battles.reminders import TurnReminders
from bot.battles.service import BattleService
from bot.battles.timetable import TimeUp
from bot.client import Client
from bot.delivery import UNDELIVERED
from bot.logging_setup import event
from bot.store.battles.battle import Battle
from bot.store.battles.clocks import ClockRepository
from bot.store.battles.repository import BattleRepository
from bot.store.errors import BattleError
from sim.core.errors import RuleError

AGAIN_SECONDS = 60
"""After how many seconds the bot tries again what failed."""

_log = logging.getLogger("fracas.keeper")


class Timekeeper:
    """Looks at the clocks that are due; it may be called at any time and repeatedly."""

    def __init__(self, bot: Client) -> None:
        self._bot = bot
        self._repository = bot.services[ClockRepository]
        self._clocks = bot.services[ClockService]
        self._reminders = bot.services[TurnReminders]
        self._service = bot.services[BattleService]
        self._lock = asyncio.Lock()

    async def run(self) -> int:
        """Do what is due in all battles; return how many turns were timed out."""
        async with self._lock:  # who comes second finds nothing more to do
            return await self._run()

    async def _run(self) -> int:
        called = 0
        plans: list[tuple[Battle, int | None]] = []
        for battle in await self._repository.due():
            try:
                await self._bot.services[BattleRepository].expect_sealed(battle)
                timed_out, next_at = await self._look(battle)
                called += timed_out
            except (*UNDELIVERED, BattleError, RuleError) as error:
                event(_log, "time_not_called", level=logging.WARNING, battle=battle.id, error=str(error))
                next_at = int(self._bot.clock()) + AGAIN_SECONDS
            plans.append((battle, next_at))
        await self._repository.plan(plans)  # of a battle that has changed meanwhile nothing: it is looked at again
        return called

    async def next_at(self) -> int | None:
        """Return when something is due next, in Unix seconds; None for never."""
        return await self._repository.next_at()

    async def _look(self, battle: Battle) -> tuple[bool, int | None]:
        """Do what is due in a battle; return whether a turn was timed out, and when something is due next."""
        presenter = self._bot.services[Presenters].of(battle.system)
        state = await presenter.read_state(battle)
        if presenter.is_due(battle, state):
            return await self._act(battle, presenter, state, None), None
        waiting = await self._clocks.waiting(battle, presenter, state)
        now = int(self._bot.clock())
        acts_at = None if waiting is None else waiting.clock.acts_at
        if waiting is None or acts_at is None:
            return False, None
        if waiting.clock.timetable.time_up is not TimeUp.ASK:
            last_move = await self._repository.last_move(battle.id)
            if nobody_there(await self._clocks.notes(battle), last_move, waiting.awaited.seats):
                return await self._service.time_out(battle, PauseClock(at=now, absent=True)), None
        if acts_at <= now:
            return await self._act(battle, presenter, state, waiting), None
        warns_at = waiting.clock.warns_at if waiting.is_shown else None
        due = waiting.clock.due_at
        if warns_at is not None and due is not None and warns_at <= now < due:
            await self._reminders.warn(battle, waiting.awaited, waiting.turn, waiting.user_ids, due)
        return False, acts_at if warns_at is None or warns_at <= now else warns_at

    async def _act(self, battle: Battle, presenter: AnyPresenter, state: object, waiting: Waiting | None) -> bool:
        """Let the clock do what it may, or ask the referee; `waiting`: None if the battle waits for nobody."""
        time_up = TimeUp.PLAY if waiting is None else waiting.clock.timetable.time_up
        legal = presenter.clock_action(battle, state, time_up)
        now = int(self._bot.clock())
        if waiting is None:
            return legal is not None and await self._service.time_out(battle, None, legal.action)
        if legal is not None:
            away = Away(at=now, seats=waiting.awaited.seats, passed=time_up is TimeUp.PASS)
            return await self._service.time_out(battle, away, legal.action)
        asked = await self._service.time_out(battle, AskReferee(at=now))
        if asked:
            await self._reminders.ask(battle, waiting.awaited, waiting.turn)
        return asked
