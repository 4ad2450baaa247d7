"""The composition root: builds the client and its services, loads the cogs and the games, and shuts down in order."""

import logging
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

import discord
from discord import app_commands
from discord.ext import tasks

from bot.answers.confirmation import Confirmations
from bot.answers.handler import Handlers
from bot.answers.items import ANSWER_ITEMS, take_form
from bot.battles.battle_modal import BattleForms
from bot.battles.clock.service import ClockService, TurnReminders
from bot.battles.consent import ConsentService, RematchService
from bot.battles.ended import EndedBattles
from bot.battles.fairness import ReplaySite
from bot.battles.items import BATTLE_ITEMS
from bot.battles.maintenance import MaintenanceTasks, Timekeeper
from bot.battles.presenter import Presenters
from bot.battles.publisher import PanelPublisher
from bot.battles.referee import TableForms
from bot.battles.service import BattleService
from bot.battles.table_service import TableService
from bot.client import Client, Policies
from bot.cogs.pages import greet
from bot.delivery import make_reliable
from bot.game import Games
from bot.loader import load
from bot.logging_setup import event, request_id
from bot.metrics import Metrics
from bot.outage import log_database
from bot.result_cache import current_notice
from bot.rosters.library import RosterLibrary
from bot.store.battles.clocks import ClockRepository, ServerHoursRepository
from bot.store.battles.panels import PanelRepository, TurnReminderRepository
from bot.store.battles.repository import BattleRepository, Retention, UndoRequestRepository
from bot.store.campaigns import CampaignRepository
from bot.store.chronicle import ChronicleRepository, LadderRepository
from bot.store.copies import MigrationCopies
from bot.store.database import Database
from bot.store.errors import UnavailableError
from bot.store.guilds import GuildPresenceRepository, GuildRepository
from bot.store.personal_data import PersonalDataRepository
from bot.store.personal_tables import HOUSE_TABLES
from bot.store.queries import QueryRepository, RecentTextRepository, UploadRepository
from bot.store.rosters import RosterRepository
from bot.ui.error_replies import OUTDATED_BUTTON, refuse
from bot.ui.interactions import InFlight, record_result
from bot.ui.progress import WaitNotice
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

REPOSITORIES = (
    *(RecentTextRepository, BattleRepository, PanelRepository, UndoRequestRepository, Retention),
    *(TurnReminderRepository, ClockRepository, ServerHoursRepository, ChronicleRepository, CampaignRepository),
    *(LadderRepository, GuildPresenceRepository),
)
"""Those that need nothing but the database and the clock."""

SERVICES = (
    *(RosterLibrary, TurnReminders, ClockService, EndedBattles, PanelPublisher, BattleService, ConsentService),
    *(RematchService, TableService, Timekeeper, MaintenanceTasks),
)
"""What the features add; each takes the client, and what it was added after."""

T = TypeVar("T")
_log = logging.getLogger("fracas.app")


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


class Tree(app_commands.CommandTree["Fracas"]):
    """The command tree: sets the request id, and replies to errors."""

    async def interaction_check(self, interaction: discord.Interaction["Fracas"], /) -> bool:
        """Take each command once, and store its start time for the log."""
        request_id.set(str(interaction.id))
        interaction.extras["began"] = time.perf_counter()
        current_notice.set(WaitNotice(interaction))
        return await interaction.client.services[InFlight].take(interaction)

    async def on_error(
        self, interaction: discord.Interaction["Fracas"], error: app_commands.AppCommandError, /
    ) -> None:
        """Reply to a command's error."""
        cause = error.original if isinstance(error, app_commands.CommandInvokeError) else error
        if interaction.type is discord.InteractionType.autocomplete:
            # There is no reply to autocompletion; the list stays empty.
            event(_log, "autocomplete_failed", level=logging.ERROR, exc_info=cause)
            return
        result = await refuse(interaction, cause)
        record_result(interaction, "command", _command_name(interaction), result, _seconds(interaction))


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
        self.services.add(Games.discover() if games is None else games)
        self.services.add(MigrationCopies(db.path, clock=clock) if copies is None else copies)
        self.services.add(policies or Policies())
        self.services.add(ReplaySite(replay_url))
        self._add_repositories(db)
        services = self.services
        services.add(InFlight())
        services.add(Handlers())
        services[Handlers].add(services.add(Confirmations(self)))
        services.add(Presenters())
        for service in SERVICES:
            services.add(service(self))
        for forms in (BattleForms(self), TableForms(self)):
            services[Handlers].add(services.add(forms))
        self._outbox_pauses = Pauses(USUAL_TICKS, USUAL_TICKS)
        self._foreign_pauses = Pauses(1, MAX_FOREIGN_TICKS)
        db.availability.listen(self._database_changed)

    def _add_repositories(self, db: Database) -> None:
        clock = self.clock
        uploads = UploadRepository(db)
        personal_data = PersonalDataRepository(db, (*HOUSE_TABLES, *self.services[Games].personal_data))
        self.services.add(db, Database)
        for repository in (
            uploads,
            QueryRepository(db, clock, uploads),
            RosterRepository(db, uploads, clock),
            personal_data,
            GuildRepository(db, personal_data, clock),
            *(repository(db, clock) for repository in REPOSITORIES),
        ):
            self.services.add(repository)

    async def setup_hook(self) -> None:
        """Load the cogs and register the buttons that work after a restart."""
        make_reliable(self.http, self.services[InFlight].__contains__)
        await load(self, self.services[Games])
        self.add_items(*ANSWER_ITEMS, *BATTLE_ITEMS)
        self.forget.start()
        self.flush_outbox.start()
        self.tick.start()
        if self.services[Database].is_shared:
            self.flush_foreign_panels.start()

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
        log_database(trouble, away)
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
        self.services[EndedBattles].close()
        await super().close()

    async def on_guild_remove(self, guild: discord.Guild) -> None:
        """Note that a server removed the bot; its data is deleted later."""
        await self.services[MaintenanceTasks].note_left(guild.id)

    async def on_guild_join(self, guild: discord.Guild) -> None:
        """Note that a server added the bot, perhaps again; greet it the first time."""
        if await self.services[MaintenanceTasks].note_joined(guild.id):
            await greet(self, guild)

    async def on_interaction(self, interaction: discord.Interaction[Any]) -> None:
        """Answer what discord.py leaves unanswered: forms, and buttons of old versions."""
        form = interaction.type is discord.InteractionType.modal_submit
        if not form and (interaction.type is not discord.InteractionType.component or self.has_item(interaction)):
            return
        if await self.services[InFlight].take(interaction) and not (form and await take_form(interaction)):
            await refuse(interaction, RuleError(OUTDATED_BUTTON))

    async def on_app_command_completion(
        self, interaction: discord.Interaction[Any], _command: app_commands.Command[Any, ..., Any]
    ) -> None:
        """Log a successful command."""
        request_id.set(str(interaction.id))
        record_result(interaction, "command", _command_name(interaction), "ok", _seconds(interaction))


def _command_name(interaction: discord.Interaction[Any]) -> str:
    return "unknown" if interaction.command is None else interaction.command.qualified_name


def _seconds(interaction: discord.Interaction[Any]) -> float:
    return time.perf_counter() - float(interaction.extras.get("began", time.perf_counter()))
