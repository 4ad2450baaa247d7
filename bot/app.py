"""The client: wiring, one error handler, orderly shutdown."""

import logging
import secrets
import time
from collections.abc import Awaitable, Callable
from typing import Any, Literal

import discord
from discord import app_commands
from discord.ext import commands, tasks

from bot.answers.handler import QueryHandler, RejectedDraftError
from bot.answers.paginator import DYNAMIC_ITEMS
from bot.battles.battle_modal import BattleForms
from bot.battles.maintenance import MaintenanceTasks
from bot.battles.panel import BATTLE_ITEMS
from bot.battles.presenter import BattlePresenter
from bot.battles.publisher import PanelPublisher
from bot.battles.service import BattleService
from bot.games.boss_fight.bosses import BossRepository
from bot.games.boss_fight.records import BossRecordRepository
from bot.games.duel.characters import CharacterRepository
from bot.games.duel.duel_messages import DuelMessageRepository
from bot.health import Metrics
from bot.logging_setup import event, request_id
from bot.result_cache import CachingSimulator
from bot.rosters.library import RosterLibrary
from bot.store.battles.panels import PanelRepository
from bot.store.battles.repository import BattleRepository
from bot.store.battles.retention import Retention
from bot.store.battles.turn_reminders import TurnReminderRepository
from bot.store.battles.undo import UndoRequestRepository
from bot.store.database import Database
from bot.store.guild_presence import GuildPresenceRepository
from bot.store.guilds import GuildRepository
from bot.store.personal_data import PersonalDataRepository
from bot.store.queries import QueryRepository
from bot.store.recent_texts import RecentTextRepository
from bot.store.rosters import RosterRepository
from bot.store.scores import ScoreRepository
from bot.store.uploads import UploadRepository
from bot.ui.error_replies import tell_privately
from bot.ui.error_text import error_text
from bot.ui.modals import take_form
from sim import __version__
from sim.core.errors import RuleError
from sim.workers import Simulator

COGS = (
    "bot.cogs.help",
    "bot.games.axis_allies",
    "bot.games.marked_for_death",
    "bot.games.boss_fight",
    "bot.games.duel",
    "bot.games.mad_killer_agents",
    "bot.battles.cog",
    "bot.rosters.cog",
    "bot.cogs.privacy",
)

Result = Literal["ok", "refused", "failed"]

_log = logging.getLogger("fracas.app")

# What Discord says when an answer can't be delivered any more: unknown interaction, already acknowledged, expired
# token, message gone. The player has left or has been answered; nothing is to be told.
_UNDELIVERABLE = frozenset({10062, 40060, 50027, 10008})
# The interaction itself is too late, or was delivered twice and has been answered.
_LOST = frozenset({10062, 40060})


class Tree(app_commands.CommandTree["Fracas"]):
    """The commands: marks each with its request id, and hands every error to the one handler."""

    async def interaction_check(self, interaction: discord.Interaction["Fracas"], /) -> bool:
        """Note when the command came, for the log."""
        request_id.set(str(interaction.id))
        interaction.extras["began"] = time.perf_counter()
        return True

    async def on_error(
        self, interaction: discord.Interaction["Fracas"], error: app_commands.AppCommandError, /
    ) -> None:
        """Answer a command's error."""
        cause = error.original if isinstance(error, app_commands.CommandInvokeError) else error
        if interaction.type is discord.InteractionType.autocomplete:
            # Nobody can be told anything while typing; the list just stays empty.
            event(_log, "autocomplete_failed", level=logging.ERROR, exc_info=cause)
            return
        result = await self.client.refuse(interaction, cause)
        self.client.told("command", _command_name(interaction), result, interaction, _took(interaction))


class Fracas(commands.Bot):
    """The bot. Its services outlive it: whoever opened them closes them after it."""

    def __init__(
        self,
        *,
        simulator: Simulator,
        db: Database,
        metrics: Metrics | None = None,
        clock: Callable[[], float] = time.time,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        discord.VoiceClient.warn_nacl = discord.VoiceClient.warn_dave = False  # no voice here, nothing to warn of
        intents = discord.Intents.none()
        intents.guilds = True
        super().__init__(
            command_prefix=commands.when_mentioned,
            help_command=None,
            intents=intents,
            tree_cls=Tree,
            allowed_mentions=discord.AllowedMentions.none(),
            allowed_contexts=app_commands.AppCommandContext(guild=True, dm_channel=True, private_channel=True),
            allowed_installs=app_commands.AppInstallationType(guild=True, user=True),
            max_messages=None,
        )
        self.clock = clock
        self.metrics = metrics or Metrics(__version__)
        self.monotonic = monotonic
        self.simulator = CachingSimulator(simulator, self.metrics)
        self.uploads = UploadRepository(db)
        self.calculations = QueryRepository(db, clock, self.uploads)
        self.rosters = RosterLibrary(RosterRepository(db, self.uploads, clock))
        self.bosses = BossRepository(db)
        self.boss_records = BossRecordRepository(db)
        self.characters = CharacterRepository(db, clock)
        self.duel_words = DuelMessageRepository(db)
        self.scores = ScoreRepository(db, clock)
        self.recent = RecentTextRepository(db)
        self.personal = PersonalDataRepository(db)
        self.battles = BattleRepository(db, clock)
        self.undo = UndoRequestRepository(db, clock)
        self.retention = Retention(db, clock)
        self.turns = TurnReminderRepository(db)
        self.arena = BattleService(self, self.battles, PanelPublisher(self, PanelRepository(db), self.undo))
        self.keeper = MaintenanceTasks(
            self, self.arena, self.retention, GuildRepository(db, clock), GuildPresenceRepository(db)
        )
        self.desks: dict[str, QueryHandler[Any]] = {}
        self.battle_forms = BattleForms(self)
        self.add_desk(self.battle_forms)
        self._faces: dict[str, BattlePresenter] = {}
        self._items: list[type[discord.ui.DynamicItem[Any]]] = []
        self.metrics.latency_from(lambda: self.latency)
        self.started_at = time.perf_counter()

    async def setup_hook(self) -> None:
        """Load the cogs and register the buttons that work after a restart."""
        for cog in COGS:
            await self.load_extension(cog)
        self.add_items(*DYNAMIC_ITEMS, *BATTLE_ITEMS)
        self.forget.start()
        self.catch_up.start()
        self.tick.start()

    @tasks.loop(hours=24)
    async def forget(self) -> None:
        """Forget what is older than is promised, once a day and at every start."""
        event(_log, "forgotten", calculations=await self.calculations.forget_older_than())
        await self.wait_until_ready()
        await self._keep(self.keeper.clear())

    @tasks.loop(minutes=10)
    async def catch_up(self) -> None:
        """Show what isn't shown yet, at every start and now and then."""
        await self.wait_until_ready()
        await self._keep(self.keeper.catch_up())

    @tasks.loop(minutes=1)
    async def tick(self) -> None:
        """Look at the clock of quick battles."""
        await self.wait_until_ready()
        await self._keep(self.keeper.tick())

    async def _keep(self, work: Awaitable[None]) -> None:
        try:
            await work
        except Exception as error:  # noqa: BLE001  # the loop would end for good: next time it may go well
            event(_log, "keeping_failed", level=logging.ERROR, exc_info=error)

    async def close(self) -> None:
        """End the connection to Discord and everything of the client's own."""
        self.forget.cancel()
        self.catch_up.cancel()
        self.tick.cancel()
        await super().close()

    async def on_guild_remove(self, guild: discord.Guild) -> None:
        """Note that a server removed the bot: it is forgotten a while later."""
        await self.keeper.left(guild.id)

    async def on_guild_join(self, guild: discord.Guild) -> None:
        """Note that a server has the bot, perhaps again."""
        await self.keeper.joined(guild.id)

    def add_items(self, *items: type[discord.ui.DynamicItem[Any]]) -> None:
        """Register buttons and lists that are found again by their ids."""
        self.add_dynamic_items(*items)
        self._items.extend(items)

    def add_face(self, face: BattlePresenter) -> None:
        """Let `face` show the battles of its system."""
        if face.system.name in self._faces:
            raise ValueError(f"two faces of the system {face.system.name!r}")
        self._faces[face.system.name] = face

    def face(self, system: str) -> BattlePresenter:
        """Return the face of a system; RuleError when this version has none."""
        if system not in self._faces:
            raise RuleError("This version of the bot doesn't know this battle's rules.")
        return self._faces[system]

    @property
    def faces(self) -> tuple[BattlePresenter, ...]:
        """Every system's face."""
        return tuple(self._faces.values())

    def knows(self, custom_id: str) -> bool:
        """Tell whether some registered button or list has ids like this."""
        return any(item.__discord_ui_compiled_template__.fullmatch(custom_id) for item in self._items)

    def add_desk(self, desk: QueryHandler[Any]) -> None:
        """Let `desk` answer for its kind of calculation."""
        if desk.kind in self.desks:
            raise ValueError(f"two desks of the kind {desk.kind!r}")
        self.desks[desk.kind] = desk

    async def on_interaction(self, interaction: discord.Interaction["Fracas"]) -> None:
        """Answer what discord.py leaves unanswered: forms, and buttons of versions long gone."""
        if interaction.type is discord.InteractionType.modal_submit:
            known = await take_form(interaction)
        elif interaction.type is discord.InteractionType.component:
            known = self.knows(str(dict(interaction.data or {}).get("custom_id", "")))
        else:
            return
        if not known:
            await self.refuse(
                interaction, RuleError("This button is of an older version; please run the command again.")
            )

    async def on_app_command_completion(
        self, interaction: discord.Interaction["Fracas"], _command: app_commands.Command[Any, ..., Any]
    ) -> None:
        """Log a command that went well."""
        request_id.set(str(interaction.id))
        self.told("command", _command_name(interaction), "ok", interaction, _took(interaction))

    async def refuse(self, interaction: discord.Interaction["Fracas"], error: Exception) -> Result:
        """Tell the player privately what went wrong; return whether it was refused or failed.

        Expected errors carry the player's sentence. Anything else becomes a short reference for the player and the full
        trace in the log.
        """
        result: Result = "failed"
        if isinstance(error, discord.HTTPException) and error.code in _LOST:
            event(_log, "undelivered", level=logging.WARNING, code=error.code)
            return result
        draft = None
        if isinstance(error, RejectedDraftError):
            draft = error.calculation_id
            error = error.error
        if isinstance(error, RuleError):
            text, result = error_text(error), "refused"
        elif isinstance(error, app_commands.CommandSignatureMismatch | app_commands.CommandNotFound):
            text = "⚠️ This command has just changed; please try again in a minute."
            event(_log, "commands_out_of_date", level=logging.WARNING, error=str(error))
        else:
            reference = secrets.token_hex(3)
            text = f"⚠️ Something went wrong on our side. If it happens again, tell whoever runs this bot: `{reference}`"
            event(_log, "failed", level=logging.ERROR, exc_info=error, reference=reference)
        try:
            await tell_privately(interaction, text, draft)
        except discord.HTTPException as undelivered:
            level = logging.WARNING if undelivered.code in _UNDELIVERABLE else logging.ERROR
            event(_log, "undelivered", level=level, code=undelivered.code, exc_info=undelivered)
        return result

    def told(
        self,
        what: Literal["command", "click"],
        name: str,
        result: Result,
        interaction: discord.Interaction["Fracas"],
        seconds: float,
    ) -> None:
        """Log and count an interaction that has been answered."""
        count = self.metrics.command if what == "command" else self.metrics.click
        count(name, result)
        event(
            _log,
            what,
            name=name,
            result=result,
            user=interaction.user.id,
            guild=interaction.guild_id,
            ms=round(seconds * 1000),
        )


def _command_name(interaction: discord.Interaction[Fracas]) -> str:
    return "unknown" if interaction.command is None else interaction.command.qualified_name


def _took(interaction: discord.Interaction[Fracas]) -> float:
    return time.perf_counter() - float(interaction.extras.get("began", time.perf_counter()))
