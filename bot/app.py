"""The composition root: builds the client and its services, loads the cogs and the games, and shuts down in order.

It names the game if one can't be loaded.
"""

import asyncio
import logging
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, TypeVar

import discord
from discord import app_commands
from discord.ext import tasks

from bot.answers import Queries
from bot.answers.items import ANSWER_ITEMS, Question, take_form
from bot.battles.cog import BattleCommands
from bot.battles.followers import EndedBattles, Followers
from bot.battles.maintenance import MaintenanceTasks
from bot.battles.presenter import Presenters
from bot.battles.publisher import ReplaySite
from bot.battles.sealing import SealService
from bot.beacon import BeaconClient
from bot.campaigns.cog import CampaignCommands
from bot.client import Client, NameTakenError, make_reliable
from bot.config import OFFLINE, Settings
from bot.games import Games, adds
from bot.help import Help, greet
from bot.logging_setup import event
from bot.metrics import Metrics
from bot.plain_words import PlainWords
from bot.privacy import Privacy
from bot.rosters import RosterLibrary, RosterRepository
from bot.rosters.cog import RosterCommands
from bot.rosters.sheets import SheetReader
from bot.stats.cog import StatsCommands
from bot.store import DAY, DiskFullError, UnavailableError
from bot.store.database import Database
from bot.store.personal_data import GuildRepository, PersonalDataRepository
from bot.store.personal_tables import HOUSE_TABLES
from bot.store.queries import QueryRepository, UploadRepository
from bot.ui import IconWriter
from bot.ui.emojis import Emojis
from bot.ui.error_replies import OUTDATED_BUTTON, refuse
from bot.ui.interactions import InFlight, Tree
from bot.weekly.cog import WeeklyCommands
from sim.core import RuleError
from sim.core.game_rules import GameError
from sim.jobs import expect_one
from sim.workers import Simulator

USUAL_SECONDS = 10 * 60
"""The pause between two flushes of the outbox."""

RETRY_SECONDS = 30
"""The pause after one that left something; it doubles with every such one, up to the usual one."""

FOREIGN_SECONDS = 5
"""How often a process that shares its database looks for what another one, perhaps dead by now, hasn't shown."""

AGAIN_SECONDS = 15 * 60
"""The pause after a retention that couldn't be applied because the database couldn't be used."""

TICK_SECONDS = 60.0
"""The longest time between two looks at the clocks of battles, while the database can be used."""

_OWNER = "fracas (built in)"

T = TypeVar("T")
_log = logging.getLogger("fracas.app")
_database_log = logging.getLogger("fracas.database")


def _longer(pause: float, first: float) -> float:
    """Return the pause after another round that left something: twice the last `pause`, 10 minutes at most."""
    return min(USUAL_SECONDS, 2 * pause or first)


class Fracas(Client):
    """The bot: the client with all services, cogs and games; `games` are discovered by default."""

    def __init__(
        self,
        *,
        simulator: Simulator,
        db: Database,
        games: Games | None = None,
        settings: Settings = OFFLINE,
        metrics: Metrics | None = None,
        clock: Callable[[], float] = time.time,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(
            simulator=simulator,
            settings=settings,
            metrics=metrics,
            identifying=lambda: db.alone("identify", wait=True),
            clock=clock,
            monotonic=monotonic,
            tree_cls=Tree,
        )
        games = Games.discover() if games is None else games
        uploads = UploadRepository(db)
        personal_data = PersonalDataRepository(db, (*HOUSE_TABLES, *games.personal_data))
        self.services[Database] = db
        self.services.add(games, ReplaySite(settings.replay_url), InFlight(), uploads, personal_data)
        self.services.add(QueryRepository(db, clock, uploads), RosterRepository(db, uploads, clock))
        self.services.add(BeaconClient(settings.beacon_hosts, self.simulator, self.metrics, clock))
        self.services.add(SheetReader(settings.sheet_hosts))
        self.services[Queries].add(Question)
        self._starting: asyncio.Future[list[None]] | None = None
        self._outbox_retry = self._foreign_retry = 0.0
        db.availability.listener = self._database_changed

    async def setup_hook(self) -> None:
        """Load the cogs and register the buttons that work after a restart."""
        make_reliable(self.http, self.services[InFlight].__contains__, self.services[Emojis].dress, IconWriter().dress)
        await load(self, self.services[Games])
        self.add_items(*ANSWER_ITEMS)
        self.forget.start()
        self.flush_outbox.start()
        self.tick.start()
        # What battles and texts may have: neither waits for the other.
        parts = self.services[Emojis].read(), self.services[BeaconClient].start()
        self._starting = asyncio.gather(*map(self.run_safely, parts))
        if self.services[Database].is_shared:
            self.flush_foreign_panels.start()

    @tasks.loop(seconds=DAY)
    async def forget(self) -> None:
        """Apply the retention, once a day and at every start; sooner again where the database can't be used."""
        await self.run_safely(self._forget())
        is_well = self.services[Database].availability.trouble is None
        self.forget.change_interval(seconds=DAY if is_well else AGAIN_SECONDS)

    async def _forget(self) -> None:
        event(_log, "forgotten", calculations=await self.services[QueryRepository].forget_old())
        await self.wait_until_ready()
        await self.services[MaintenanceTasks].clear()

    @tasks.loop(seconds=USUAL_SECONDS)
    async def flush_outbox(self) -> None:
        """Publish what is pending, read emojis, at every start and every 10 minutes; sooner what couldn't be shown."""
        await self.wait_until_ready()
        done = await self.run_safely(self.services[MaintenanceTasks].catch_up())
        await self.run_safely(self.services[Emojis].read())
        self._outbox_retry = 0.0 if done else _longer(self._outbox_retry, RETRY_SECONDS)
        self.flush_outbox.change_interval(seconds=self._outbox_retry or USUAL_SECONDS)

    async def on_panel_pending(self) -> None:
        """Flush the outbox soon, because a player has been told that a change will be shown soon."""
        if not self._outbox_retry:
            self.flush_outbox.change_interval(seconds=RETRY_SECONDS)

    @tasks.loop(seconds=TICK_SECONDS)
    async def tick(self) -> None:
        """Do what the clocks of battles ask for, and sleep until they ask again, a minute at most."""
        await self.wait_until_ready()
        later = await self.run_safely(self.services[MaintenanceTasks].tick())
        longest = TICK_SECONDS if self.services[Database].availability.trouble is None else FOREIGN_SECONDS
        self.tick.change_interval(seconds=longest if later is None else min(longest, max(1.0, later)))

    @tasks.loop(seconds=FOREIGN_SECONDS)
    async def flush_foreign_panels(self) -> None:
        """Publish what another process left; less and less often while something can't be shown."""
        await self.wait_until_ready()
        done = await self.run_safely(self.services[MaintenanceTasks].take_over())
        self._foreign_retry = 0.0 if done else _longer(self._foreign_retry, FOREIGN_SECONDS)
        self.flush_foreign_panels.change_interval(seconds=self._foreign_retry or FOREIGN_SECONDS)

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
        """Log once that the database can't be used, with None, or that it can again, `away` seconds later."""
        is_full = isinstance(trouble, DiskFullError)
        if away is None:
            name, level = ("disk_full", logging.ERROR) if is_full else ("database_lost", logging.WARNING)
            event(_database_log, name, level=level, reason=str(trouble))
            return
        event(_database_log, "disk_has_room" if is_full else "database_reached", away=away)
        self._outbox_retry = self._foreign_retry = 0.0
        self.flush_outbox.change_interval(seconds=RETRY_SECONDS)
        self.flush_foreign_panels.change_interval(seconds=FOREIGN_SECONDS)

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
        await self.services[EndedBattles].close()
        await self.services[Followers].close()
        await self.services[SealService].close()
        await super().close()

    async def on_guild_remove(self, guild: discord.Guild) -> None:
        """Note that a server removed the bot; its data is deleted later."""
        await self.services[GuildRepository].left(guild.id)

    async def on_guild_join(self, guild: discord.Guild) -> None:
        """Note that a server added the bot, perhaps again; greet it the first time."""
        if await self.services[GuildRepository].joined(guild.id):
            await greet(self, guild)

    async def on_unanswered(self, interaction: discord.Interaction[Any]) -> None:
        """Answer a form, and say that a button is of an old version."""
        form = interaction.type is discord.InteractionType.modal_submit
        if await self.services[InFlight].take(interaction) and not (form and await take_form(interaction)):
            await refuse(interaction, RuleError(OUTDATED_BUTTON))


async def load(bot: Client, games: Games) -> None:
    """Load everything, in the order of `/help`.

    Raises `GameError` for a game that can't be set up, for two games that want the same name, and for a table of
    personal data that isn't there. A column with ids that no game declares, such as one that an uninstalled game left
    behind, is only logged.
    """
    cogs = (BattleCommands, RosterCommands, StatsCommands, CampaignCommands, WeeklyCommands, Privacy, PlainWords)
    owners: dict[str, object] = {}
    steps: list[tuple[object, Callable[[Client], Awaitable[None]]]] = [
        (_OWNER, adds(Help)),
        *((game, game.game.setup) for game in games),
        *((_OWNER, adds(cog)) for cog in cogs),
    ]
    for owner, setup in steps:
        try:
            await setup(bot)
        except Exception as error:
            event(_log, "game_not_loaded", level=logging.ERROR, exc_info=error, game=str(owner))
            if (shared := _shared_name(bot, error)) is not None:
                expect_one(owners.get(shared, owner), owner, shared)
            why = f"{type(error).__name__}: {error}"
            raise GameError(f"The game {owner} can't be set up ({why}); repair it or uninstall it.") from error
        for name in _names(bot):
            owners.setdefault(name, owner)
    personal_data = bot.services[PersonalDataRepository]
    if missing := await personal_data.missing():
        raise GameError(f"The registry of personal data names what the database doesn't have: {', '.join(missing)}.")
    if undeclared := await personal_data.undeclared():
        event(_log, "personal_data_undeclared", level=logging.WARNING, columns=undeclared)


def _names(bot: Client) -> Iterator[str]:
    """Yield the names that only one game may use, each as a phrase."""
    yield from (f"a command /{command.name}" for command in bot.tree.get_commands())
    yield from (f"a page {title!r} of /help" for title in bot.cogs)
    for registry in (bot.services[Queries], bot.services[Presenters], bot.services[RosterLibrary]):
        yield from registry.names


def _shared_name(bot: Client, error: BaseException) -> str | None:
    """Return the name that caused the error because another game uses it; None for other errors."""
    if isinstance(error, NameTakenError):
        return error.name
    if isinstance(error, app_commands.CommandAlreadyRegistered):
        return f"a command /{error.name}"
    if isinstance(error, discord.ClientException):
        return next((f"a page {title!r} of /help" for title in bot.cogs if repr(title) in str(error)), None)
    return None
