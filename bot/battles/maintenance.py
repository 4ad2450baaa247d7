"""What the bot does without being asked: shows what was stored but not shown, calls the time, closes, forgets."""

import io
import logging
from typing import TYPE_CHECKING

import discord

from bot.battles.log_export import battle_files
from bot.battles.presenter import BattlePresenter
from bot.logging_setup import event
from bot.store.battles.battle import Battle
from bot.store.battles.retention import Retention
from bot.store.errors import BattleError
from bot.store.guild_presence import GuildPresenceRepository
from bot.store.guilds import GuildRepository
from sim.core.errors import RuleError

if TYPE_CHECKING:
    from bot.app import Fracas
    from bot.battles.service import BattleService

QUICK_SECONDS = 600
"""Where the clock may decide earlier than this, the time is looked at every minute."""

_log = logging.getLogger("fracas.keeper")


class MaintenanceTasks:
    """Keeps the battles in order; each of these may run at any time, and again."""

    def __init__(
        self,
        bot: "Fracas",
        arena: "BattleService",
        retention: Retention,
        guilds: GuildRepository,
        presence: GuildPresenceRepository,
    ) -> None:
        self._bot = bot
        self._arena = arena
        self._retention = retention
        self._guilds = guilds
        self._presence = presence

    async def catch_up(self) -> None:
        """Show everything that isn't shown yet, and decide where somebody's time is up."""
        shown = await self._arena.display.pending()
        called = sum([await self._call_times(face) for face in self._bot.faces])
        if shown or called:
            event(_log, "caught_up", shown=shown, called=called)

    async def tick(self) -> None:
        """Decide where the time of quick players is up."""
        for face in self._bot.faces:
            if face.clock_seconds < QUICK_SECONDS:
                await self._call_times(face)

    async def clear(self) -> None:
        """Close idle battles and post their logs; forget what was promised to be forgotten."""
        await self._compare_servers()
        closed = await self._retention.close_idle()
        for battle in closed:
            try:
                await self._arena.display.refresh(battle.id)
                await self._post_log(battle)
            except (discord.HTTPException, BattleError, RuleError) as error:
                event(_log, "log_not_posted", level=logging.WARNING, battle=battle.id, error=str(error))
        event(
            _log,
            "cleared",
            closed=len(closed),
            battles=await self._retention.forget_finished_older_than(),
            interactions=await self._retention.forget_interactions_older_than(),
            servers=await self._guilds.forget_left(),
        )

    async def left(self, guild_id: int) -> None:
        """Note that a server removed the bot."""
        await self._guilds.mark_left(guild_id)

    async def joined(self, guild_id: int) -> None:
        """Note that a server has the bot again."""
        await self._guilds.mark_back(guild_id)

    async def _call_times(self, face: BattlePresenter) -> int:
        called = 0
        for battle in await self._retention.idle_since(face.clock_seconds, face.system.name):
            due_at = await face.due_at(battle)
            if due_at is None or self._bot.clock() < due_at:
                continue
            try:
                called += await self._arena.call_time(battle)
            except (discord.HTTPException, BattleError, RuleError) as error:
                event(_log, "time_not_called", level=logging.WARNING, battle=battle.id, error=str(error))
        return called

    async def _compare_servers(self) -> None:
        """Note which servers removed the bot, or have it again, since it last looked; it may have been away."""
        now = {guild.id for guild in self._bot.guilds}
        for guild_id in await self._presence.compare(now):
            await self._guilds.mark_left(guild_id)
        for guild_id in now:
            await self._guilds.mark_back(guild_id)

    async def _post_log(self, battle: Battle) -> None:
        face = self._bot.face(battle.system)
        files = await battle_files(face, battle, await self._bot.battles.journal(battle.id))
        attached = [discord.File(io.BytesIO(data), name) for name, data in files.items()]
        channel = self._bot.get_partial_messageable(battle.channel_id, guild_id=battle.guild_id)
        text = f"#{battle.number} {face.title} was closed: nobody went on with it for 30 days. This is its log."
        await channel.send(text, files=attached)
