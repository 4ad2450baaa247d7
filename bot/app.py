"""The composition root: builds the client and its services, loads the cogs and the games, and shuts down in order."""

import asyncio
import logging
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

import discord
from discord.ext import tasks

from bot.answers.confirmation import Confirmations
from bot.answers.handler import Handlers
from bot.answers.items import ANSWER_ITEMS, take_form
from bot.battles.followers import Followers
from bot.battles.maintenance import MaintenanceTasks
from bot.battles.presenter import Presenters
from bot.battles.publisher import EndedBattles, ReplaySite
from bot.battles.sealing import SealService
from bot.beacon import BeaconClient
from bot.client import Client, Policies, make_reliable
from bot.cogs.help import greet
from bot.game import Games
from bot.loader import load
from bot.logging_setup import event
from bot.metrics import Metrics
from bot.rosters.library import RosterRepository
from bot.rosters.sheets import SheetReader
from bot.store.copies import MigrationCopies
from bot.store.database import Database
from bot.store.errors import DiskFullError, UnavailableError
from bot.store.personal_data import GuildRepository, PersonalDataRepository
from bot.store.personal_tables import HOUSE_TABLES
from bot.store.queries import QueryRepository, UploadRepository
from bot.ui.emojis import Emojis
from bot.ui.error_replies import OUTDATED_BUTTON, refuse
from bot.ui.interactions import InFlight, Tree
from sim.core.errors import RuleError
from sim.workers import Simulator

RETRY_SECONDS = 30
"""The pause after a flush of the outbox that left something; it doubles with every such one, up to the usual one."""

USUAL_TICKS = 20
"""The usual pause, in units of that: 10 minutes."""

FOREIGN_SECONDS = 5
"""How often a process that shares its database looks for what another one, perhaps dead by now, hasn't shown."""

MAX_FOREIGN_TICKS = 120
"""The longest pause of that, in units of the usual one: 10 minutes."""

AGAIN_HOURS = 0.25
"""The pause after a retention that couldn't be applied because the database couldn't be used."""

TICK_SECONDS = 60.0
"""The longest time between two looks at the clocks of battles, while the database can be used."""

T = TypeVar("T")
_log = logging.getLogger("fracas.app")
_database_log = logging.getLogger("fracas.database")


class Pauses:
    """Counts the ticks of a loop from one round of work to the next: `usual` ones, or more and more after a failure.

    After a round that left something these are 1, 2, 4 and so on, `longest` at most.
    """

    def __init__(self, usual: int, longest: int) -> None:
        self._usual = usual
        self._longest = longest
        self.hurry()

    def hurry(self) -> None:
        """Let the next round come at the next tick."""
        self._left, self._retry = 1, 0

    def hurry_unless_retrying(self) -> None:
        """Let the next round come at the next tick, unless it is a retry that has to wait."""
        if not self._retry:
            self._left = 1

    def is_due(self) -> bool:
        """Count a tick and return whether the next round comes now."""
        self._left -= 1
        return self._left <= 0

    def ends(self, *, nothing_left: bool) -> None:
        """Note the end of a round."""
        self._retry = 0 if nothing_left else min(self._longest, 2 * self._retry or 1)
        self._left = self._retry or self._usual


class Fracas(Client):
    """The bot: the client with all services, cogs and games; `games` are discovered by default."""

    def __init__(
        self,
        *,
        simulator: Simulator,
        db: Database,
        games: Games | None = None,
        copies: MigrationCopies | None = None,
        metrics: Metrics | None = None,
        policies: Policies | None = None,
        replay_url: str | None = None,
        beacon_hosts: Sequence[str] = (),
        sheet_hosts: Sequence[str] = (),
        shards: int | None = 1,
        shard_ids: Sequence[int] | None = None,
        clock: Callable[[], float] = time.time,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(
            simulator=simulator,
            metrics=metrics,
            shards=shards,
            shard_ids=shard_ids,
            identifying=lambda: db.alone("identify", wait=True),
            clock=clock,
            monotonic=monotonic,
            tree_cls=Tree,
        )
        games = Games.discover() if games is None else games
        uploads = UploadRepository(db)
        personal_data = PersonalDataRepository(db, (*HOUSE_TABLES, *games.personal_data))
        self.services.add(db, Database)
        for service in (
            *(games, policies or Policies(), ReplaySite(replay_url), InFlight(), Handlers(), Presenters()),
            *(MigrationCopies(db.path, clock=clock) if copies is None else copies, uploads, personal_data),
            *(QueryRepository(db, clock, uploads), RosterRepository(db, uploads, clock)),
            GuildRepository(db, personal_data, clock),
            *(BeaconClient(beacon_hosts, self.simulator, self.metrics, clock), SheetReader(sheet_hosts)),
        ):
            self.services.add(service)
        self.services[Handlers].add(self.services[Confirmations])
        self._starting: asyncio.Task[None] | None = None
        self._outbox_pauses = Pauses(USUAL_TICKS, USUAL_TICKS)
        self._foreign_pauses = Pauses(1, MAX_FOREIGN_TICKS)
        db.availability.listen(self._database_changed)

    async def setup_hook(self) -> None:
        """Load the cogs and register the buttons that work after a restart."""
        make_reliable(self.http, self.services[InFlight].__contains__, self.services[Emojis].dress)
        await load(self, self.services[Games])
        self.add_items(*ANSWER_ITEMS)
        self.forget.start()
        self.flush_outbox.start()
        self.tick.start()
        self._starting = asyncio.create_task(self._start())
        if self.services[Database].is_shared:
            self.flush_foreign_panels.start()

    async def _start(self) -> None:
        """Learn what battles and texts may have; neither waits for the other."""
        parts = self.services[Emojis].read(), self.services[BeaconClient].start()
        await asyncio.gather(*map(self.run_safely, parts))

    @tasks.loop(hours=24)
    async def forget(self) -> None:
        """Apply the retention, once a day and at every start; sooner again where the database can't be used."""
        await self.run_safely(self._forget())
        hours = 24.0 if self.services[Database].availability.trouble is None else AGAIN_HOURS
        if hours != self.forget.hours:
            self.forget.change_interval(hours=hours)

    async def _forget(self) -> None:
        event(_log, "forgotten", calculations=await self.services[QueryRepository].forget_older_than())
        await self.wait_until_ready()
        await self.services[MaintenanceTasks].clear()

    @tasks.loop(seconds=RETRY_SECONDS)
    async def flush_outbox(self) -> None:
        """Publish pending changes, at every start and every 10 minutes; sooner again what couldn't be shown."""
        await self.wait_until_ready()
        if self._outbox_pauses.is_due():
            done = await self.run_safely(self.services[MaintenanceTasks].catch_up())
            self._outbox_pauses.ends(nothing_left=bool(done))

    async def on_panel_pending(self) -> None:
        """Flush the outbox at the next tick, because a player has been told that a change will be shown soon."""
        self._outbox_pauses.hurry_unless_retrying()

    @tasks.loop(seconds=TICK_SECONDS)
    async def tick(self) -> None:
        """Do what the clocks of battles ask for, and sleep until they ask again, a minute at most."""
        await self.wait_until_ready()
        later = await self.run_safely(self.services[MaintenanceTasks].tick())
        longest = TICK_SECONDS if self.services[Database].availability.trouble is None else FOREIGN_SECONDS
        seconds = longest if later is None else min(longest, max(1.0, later))
        if seconds != self.tick.seconds:
            self.tick.change_interval(seconds=seconds)

    @tasks.loop(seconds=FOREIGN_SECONDS)
    async def flush_foreign_panels(self) -> None:
        """Publish what another process left; less and less often while something can't be shown."""
        await self.wait_until_ready()
        if self._foreign_pauses.is_due():
            done = await self.run_safely(self.services[MaintenanceTasks].take_over())
            self._foreign_pauses.ends(nothing_left=bool(done))

    async def run_safely(self, work: Awaitable[T]) -> T | None:
        """Do work of a loop, and log what breaks; return None then."""
        try:
            return await work
        except UnavailableError:
            return None  # which is told once
        except Exception as error:  # noqa: BLE001  # an error would end the loop for good
            event(_log, "keeping_failed", level=logging.ERROR, exc_info=error)
            return None

    def _database_changed(self, trouble: UnavailableError, away: int | None) -> None:
        _log_database(trouble, away)
        if away is not None:
            self._outbox_pauses.hurry()
            self._foreign_pauses.hurry()

    async def on_error(self, event_method: str, /, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401  # discord.py's
        """Log what broke in an event's handler, but for what the database's outage breaks."""
        if not isinstance(sys.exception(), UnavailableError):
            await super().on_error(event_method, *args, **kwargs)

    async def close(self) -> None:
        """Stop the loops and disconnect from Discord."""
        for loop in (self.forget, self.flush_outbox, self.tick, self.flush_foreign_panels):
            loop.cancel()
        if self._starting is not None:
            self._starting.cancel()
        self.services[EndedBattles].close()
        await self.services[Followers].close()
        await self.services[SealService].close()
        await super().close()

    async def on_guild_remove(self, guild: discord.Guild) -> None:
        """Note that a server removed the bot; its data is deleted later."""
        await self.services[MaintenanceTasks].note_left(guild.id)

    async def on_guild_join(self, guild: discord.Guild) -> None:
        """Note that a server added the bot, perhaps again; greet it the first time."""
        if await self.services[MaintenanceTasks].note_joined(guild.id):
            await greet(self, guild)

    async def answer_rest(self, interaction: discord.Interaction[Any]) -> None:
        """Answer a form, and say that a button is of an old version."""
        form = interaction.type is discord.InteractionType.modal_submit
        if await self.services[InFlight].take(interaction) and not (form and await take_form(interaction)):
            await refuse(interaction, RuleError(OUTDATED_BUTTON))


def _log_database(trouble: UnavailableError, away: int | None) -> None:
    """Log once that the database can't be used, with None, or that it can again, `away` seconds later."""
    if isinstance(trouble, DiskFullError):
        if away is None:
            event(_database_log, "disk_full", level=logging.ERROR, reason=str(trouble))
        else:
            event(_database_log, "disk_has_room", away=away)
    elif away is None:
        event(_database_log, "database_lost", level=logging.WARNING, reason=str(trouble))
    else:
        event(_database_log, "database_reached", away=away)
