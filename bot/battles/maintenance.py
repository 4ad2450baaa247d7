"""Scheduled maintenance: flush the outbox, time out turns, close idle battles, apply retention."""

import asyncio
import io
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import discord

from bot.battles import BattleService
from bot.battles.clocks import ask_referee, clock_action, nobody_there, notes_of, waiting_in, warn
from bot.battles.followers import EndedBattles, Followers
from bot.battles.journal import battle_files
from bot.battles.presenter import Presenters
from bot.battles.publisher import PanelPublisher, ReplaySite, lacks_access
from bot.battles.sealing import SealService
from bot.battles.timetable import Away, HasTurns, PauseClock, PlainNote, TimeUp
from bot.battles.waiting import send_digests
from bot.client import UNDELIVERED, UNKNOWN_CHANNEL, Client, Named, undelivered
from bot.logging_setup import event
from bot.store import DAY, BattleError, UnavailableError
from bot.store.battle import Battle, ClockRepository
from bot.store.battles import BattleRepository, Retention
from bot.store.copies import forget_copies
from bot.store.database import Database
from bot.store.people import DigestRepository
from bot.store.personal_data import GuildRepository, PersonalDataRepository
from bot.store.transactions import PanelRepository
from sim.core import RuleError

_log = logging.getLogger("fracas.keeper")

AGAIN_SECONDS = 60
"""After how many seconds the bot tries again what failed."""


Chore = Callable[[], Awaitable[object]]


class Chores(Named[Chore]):
    """What features do once a minute at least, by name, in one process at a time; each may be repeated."""

    sort = "a chore"

    def __init__(self, bot: Client) -> None:
        super().__init__()
        self._db = bot.services[Database]

    async def run(self) -> None:
        """Do all of them; what one breaks hurts no other."""
        for name, chore in self.items():
            try:
                async with self._db.alone(name, wait=False) as ours:
                    if ours:
                        await chore()
            except UnavailableError:
                return  # which is told once
            except Exception as error:  # noqa: BLE001  # no chore may hurt the others
                event(_log, "chore_failed", level=logging.ERROR, exc_info=error, chore=name)


@asynccontextmanager
async def claimed(unclaim: Chore, close: Chore) -> AsyncIterator[None]:
    """Unclaim what the block failed to send, if the bot may write there; close a channel that is gone."""
    try:
        yield
    except UNDELIVERED as error:
        if not lacks_access(error):
            await unclaim()
        elif isinstance(error, discord.HTTPException) and error.code == UNKNOWN_CHANNEL:
            await close()
        raise


class MaintenanceTasks:
    """Scheduled jobs; each may run at any time and be repeated.

    Where several processes share a database, one of them does a job at a time; when it dies, the next one to come does.
    """

    def __init__(self, bot: Client) -> None:
        self._bot = bot
        self._db = bot.services[Database]
        self._pending: dict[int, int] = {}
        self._publisher = bot.services[PanelPublisher]
        self._retention = bot.services[Retention]
        self._clocks = bot.services[ClockRepository]
        self._was_away = True
        self._guilds = bot.services[GuildRepository]

    async def catch_up(self) -> bool:
        """Publish all that is pending, and time out overdue turns; return whether nothing is left.

        Followers also get the battles that they missed.
        """
        await self._bot.services[SealService].resume()  # at once: a seal can only be posted in time
        reached = await self._is_reached()  # before the outbox: it may find panels to show
        published = failed = 0
        if not self._db.is_shared:  # else `take_over` does it
            published, failed = await self._publisher.pending()
        called = await self._run_clocks() if reached else 0
        for followers in (EndedBattles, Followers):
            await self._bot.services[followers].retry()
        if published or called:
            event(_log, "caught_up", shown=published, called=called)
        return not failed

    async def take_over(self) -> bool:
        """Publish what was pending at the last call, too: who committed it may be dead.

        Returns whether nothing is left that couldn't be shown. A process that can't draw yet leaves it to the others.
        """
        before, self._pending = self._pending, await self._bot.services[PanelRepository].pending_revisions()
        left = {battle for battle, revision in self._pending.items() if before.get(battle) == revision}
        if not left or not await self._bot.simulator.is_ready():
            return True
        async with self._db.alone("outbox", wait=False) as ours:
            published, failed = await self._publisher.pending(left) if ours else (0, 0)
        if published:
            event(_log, "taken_over", shown=published)
        return not failed

    async def tick(self) -> float | None:
        """Do what the clocks of battles ask for, and send digests.

        Return how many seconds later there is more to do, None for never.
        """
        if await self._is_reached():
            await self._run_clocks()
            await self._bot.services[Chores].run()
            await send_digests(self._bot)
        times = await self._clocks.next_at(), await self._bot.services[DigestRepository].next_at()
        next_at = min((time for time in times if time is not None), default=None)
        return None if next_at is None else max(0.0, next_at - self._bot.clock())

    async def clear(self) -> None:
        """Close idle battles and post their logs; delete what is past its retention; complete deletions."""
        now = {guild.id for guild in self._bot.guilds}  # servers may have removed or added the bot while it was offline
        await self._guilds.compare(now, self._bot.serves)
        async with self._db.alone("retention", wait=True):
            before = self._bot.clock() - self._bot.settings.copy_days * DAY
            copies = await asyncio.to_thread(forget_copies, self._db.path, before)
            closed = await self._retention.close_idle()
            for battle in closed:
                with undelivered(_log, "log_not_posted", BattleError, RuleError, battle=battle.id):
                    await self._post_log(battle)  # before its thread is locked, which the panel's end brings about
                    await self._publisher.refresh(battle.id)
            event(
                _log,
                "cleared",
                closed=len(closed),
                battles=await self._retention.forget_finished(),
                interactions=await self._retention.forget_interactions(),
                servers=await self._guilds.forget_left(self._bot.services[PersonalDataRepository]),
                copies=copies,
            )
            await self._db.scrub()

    async def _is_reached(self) -> bool:
        """Return whether players can reach the bot, and note it; when they can again, clocks get the time back."""
        if not (self._bot.connected or self._bot.reaches_discord):
            self._was_away = True
            return False
        away = await self._clocks.sign_of_life(back=self._was_away)
        self._was_away = False
        if away:
            event(_log, "time_given_back", seconds=away)
            self._bot.dispatch("panel_pending")
        return True

    async def _run_clocks(self) -> int:
        """Do what the clocks of battles ask for, and return how many turns were timed out.

        Callers take turns, so a second one finds nothing left to do.
        """
        called = 0
        plans: list[tuple[Battle, int | None]] = []
        async with self._db.alone("clock", wait=False) as ours:
            for battle in await self._clocks.due() if ours else ():
                try:
                    timed_out, next_at = await self._look(battle)
                    called += timed_out
                except (*UNDELIVERED, BattleError, RuleError) as error:
                    event(_log, "time_not_called", level=logging.WARNING, battle=battle.id, error=str(error))
                    next_at = int(self._bot.clock()) + AGAIN_SECONDS
                plans.append((battle, next_at))
            await self._clocks.plan(plans)  # of a battle that has changed meanwhile nothing: it is looked at again
        return called

    async def _look(self, battle: Battle) -> tuple[bool, int | None]:
        """Do what is due in a battle; return whether a turn was timed out, and when something is due next."""
        service, now = self._bot.services[BattleService], int(self._bot.clock())
        at = await service.position(battle)
        if isinstance(at.presenter, HasTurns) and at.presenter.is_due(battle, at.state):
            legal = clock_action(at, TimeUp.PLAY)
            return legal is not None and await service.time_out(battle, None, legal.action), None
        waiting = await waiting_in(self._bot, at)
        if waiting is None or (acts_at := waiting.clock.acts_at) is None:
            return False, None
        seats, time_up = waiting.awaited.seats, waiting.clock.timetable.time_up
        if time_up is not TimeUp.ASK:
            last_move = await self._clocks.last_move(battle.id)
            if nobody_there(await notes_of(self._bot, battle), last_move, seats):
                return await service.time_out(battle, PauseClock(at=now, absent=True)), None
        if acts_at <= now:
            if (legal := clock_action(at, time_up)) is not None:
                away = Away(at=now, seats=seats, passed=time_up is TimeUp.PASS)
                return await service.time_out(battle, away, legal.action), None
            if asked := await service.time_out(battle, PlainNote(do="ask", at=now)):
                await ask_referee(self._bot, battle, waiting)
            return asked, None
        due, warns_at = waiting.clock.due_at, waiting.clock.warns_at if waiting.is_shown else None
        if warns_at is not None and due is not None and warns_at <= now < due:
            await warn(self._bot, battle, waiting, due)
        return False, acts_at if warns_at is None or warns_at <= now else warns_at

    async def _post_log(self, battle: Battle) -> None:
        at = await self._bot.services[Presenters].position(battle)
        battles = self._bot.services[BattleRepository]
        files = await battle_files(at, await battles.journal(battle.id))
        attached = [discord.File(io.BytesIO(data), name) for name, data in files.items()]
        channel = self._bot.get_partial_messageable(battle.shown_in, guild_id=battle.guild_id)
        text = f"#{battle.number} {at.presenter.title} was closed after 30 days without a move. Here is its log."
        watch = await self._bot.services[ReplaySite].line(battle, battles)
        await channel.send(f"{text}\n{watch}".strip(), files=attached, suppress_embeds=True)
