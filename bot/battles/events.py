"""Events in a server's calendar that a referee asks for: the end of a battle's turn, the night of a campaign.

They move and end with the battle or the campaign. Before one is added, the bot looks for it among its own: so there is
one, also after a restart in between.
"""

import logging
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import discord

from bot.battles.clocks import waiting_in
from bot.battles.followers import Follower
from bot.battles.presenter import Presenters
from bot.client import Client, Interaction, undelivered
from bot.store.battle import Battle
from bot.store.database import Database
from bot.store.threads import EventRepository, PlannedEvent
from bot.ui import harmless, shorten
from sim.core import RuleError

_log = logging.getLogger("fracas.display")

MAX_EVENT_NAME = 100
_TURN = "It moves with the clock of the battle.", 60 * 60
_NIGHT = "The next battle of the campaign.", 4 * 60 * 60
"""What the event of a turn's end says, and that of a campaign's night, and how many seconds they last."""

_MAX_REASON = 100
_GOING_ON = (discord.EventStatus.scheduled, discord.EventStatus.active)


class EventService(Follower):
    """Adds, moves and ends events, and follows the battles that have one."""

    def __init__(self, bot: Client) -> None:
        self._bot = bot
        self._events = bot.services[EventRepository]

    async def add_turn(self, interaction: Interaction, battle: Battle) -> None:
        """Add the end of a battle's turn; RuleError where no turn ends, or without the permission."""
        guild_id = _expect_allowed(interaction)
        due = await self._due(battle)
        if due is None:
            raise RuleError(f"No turn of #{battle.number} ends by the clock now: `/battle clock` sets it.")
        wish = PlannedEvent(battle.id, None, guild_id, battle.shown_in, due)
        await self._add(wish, self._name(battle), f"following {battle.id}")

    async def add_night(self, interaction: Interaction, campaign_id: int, name: str, at: int) -> None:
        """Add the night of a campaign at that time, in Unix seconds, or move it; RuleError."""
        guild_id = _expect_allowed(interaction)
        if at <= self._bot.clock():
            raise RuleError("That time has passed: choose a later one.")
        title = shorten(harmless(f"{name}: campaign night"), MAX_EVENT_NAME)
        wish = PlannedEvent(None, campaign_id, guild_id, interaction.channel_id or 0, at)
        await self._add(wish, title, f"night {campaign_id}")

    async def drop(self, planned: PlannedEvent | None) -> None:
        """End an event, if there is one, and forget it; RuleError if Discord refuses."""
        if planned is not None:
            async with self._explained():
                await self._end(planned)
            await self._events.forget(planned)

    async def drop_past(self, founder_id: int = 0) -> None:
        """End the events of campaigns that are over, or somebody's own; the next maintenance tries again what fails."""
        for planned in await self._events.past(founder_id):
            if self._bot.serves(planned.guild_id):
                with undelivered(_log, "event_not_ended", RuleError):
                    await self.drop(planned)

    async def missing(self) -> list[int]:
        """Return the battles that have an event; end those of campaigns that are over."""
        await self.drop_past()
        return await self._events.of_battles()

    async def follow(self, battle: Battle) -> None:
        """Move or end a battle's event."""
        planned = await self._events.of(battle.id)
        if planned is None:
            return
        if not battle.is_open:
            await self.drop(planned)
            return
        due = await self._due(battle)
        if due is not None:
            wish = replace(planned, channel_id=battle.shown_in, starts_at=due)
            await self._bring(planned, wish, self._name(battle))
        elif planned.event_id is not None:  # the clock is stopped
            await self._end(planned)
            await self._events.put(replace(planned, event_id=None))

    async def _due(self, battle: Battle) -> int | None:
        """Return when the turn of a battle ends, in Unix seconds; None for never."""
        at = await self._bot.services[Presenters].position(battle)
        waiting = await waiting_in(self._bot, at)
        return None if waiting is None or not waiting.is_shown else waiting.clock.due_at

    def _name(self, battle: Battle) -> str:
        title = self._bot.services[Presenters].of(battle.system).title
        return shorten(f"{title} #{battle.number}: this turn ends", MAX_EVENT_NAME)

    async def _add(self, wish: PlannedEvent, name: str, turn: str) -> None:
        """Add an event, or move the one that there is; RuleError if Discord refuses, and a new one is forgotten."""
        async with self._explained(), self._bot.services[Database].alone(turn, wait=True):
            known = await self._events.of(wish.battle_id, wish.campaign_id)
            if known is None:
                await self._events.put(wish)
            try:
                await self._bring(known or wish, wish, name, anew=True)
            except discord.HTTPException as error:
                if known is None and not isinstance(error, discord.DiscordServerError):
                    await self._events.forget(wish)
                raise

    async def _bring(self, planned: PlannedEvent, wish: PlannedEvent, name: str, *, anew: bool = False) -> None:
        """Bring an event to the time and channel of a wish: move it, add it, or add the next one.

        What a moderator took away stays away, unless it is wished `anew`.
        """
        guild, now = self._bot.get_guild(planned.guild_id), self._bot.clock()
        if guild is None or wish.starts_at <= now:
            return
        old, where = (f"https://discord.com/channels/{guild.id}/{one.channel_id}" for one in (planned, wish))
        found = await self._find(guild, planned, name, {old, where})
        if found is None and not anew and planned.event_id is not None and planned.starts_at > now:
            await self._events.forget(planned)
            return
        text, seconds = _TURN if wish.campaign_id is None else _NIGHT
        start = datetime.fromtimestamp(wish.starts_at, UTC)
        end = start + timedelta(seconds=seconds)
        if found is not None and found.status is discord.EventStatus.active and found.start_time != start:
            await found.end()
            found = None
        if found is None:
            found = await guild.create_scheduled_event(
                name=name,
                description=text,
                start_time=start,
                end_time=end,
                location=where,
                entity_type=discord.EntityType.external,
                privacy_level=discord.PrivacyLevel.guild_only,
            )
        elif (found.start_time, old) != (start, where):
            await found.edit(start_time=start, end_time=end, location=where)
        if (brought := replace(wish, event_id=found.id)) != planned:
            await self._events.put(brought)

    async def _find(
        self, guild: discord.Guild, planned: PlannedEvent, name: str, places: Collection[str | None]
    ) -> discord.ScheduledEvent | None:
        """Return an event that goes on, by its id or, if the bot was ended before it noted that, by what it says."""
        if planned.event_id is not None:
            return await _fetch(guild, planned.event_id)
        for one in await guild.fetch_scheduled_events(with_counts=False):
            ours = self._bot.user is not None and one.creator_id == self._bot.user.id
            if ours and one.status in _GOING_ON and one.name == name and one.location in places:
                return one
        return None

    async def _end(self, planned: PlannedEvent) -> None:
        guild = self._bot.get_guild(planned.guild_id)
        if guild is None or planned.event_id is None:
            return
        found = await _fetch(guild, planned.event_id)
        if found is not None:
            await (found.end() if found.status is discord.EventStatus.active else found.delete())

    @asynccontextmanager
    async def _explained(self) -> AsyncIterator[None]:
        try:
            yield
        except discord.HTTPException as error:
            raise RuleError(f"Discord won't take the event: {shorten(str(error), _MAX_REASON)}") from error


def _expect_allowed(interaction: Interaction) -> int:
    """Return the server; RuleError where the bot may not add events."""
    if interaction.guild_id is None or interaction.guild is None or interaction.guild.me is None:
        raise RuleError("Events belong to a server that I am a member of.")
    if not interaction.app_permissions.create_events:
        raise RuleError("To add an event to this server, I need the permission Create Events.")
    return interaction.guild_id


async def _fetch(guild: discord.Guild, event_id: int) -> discord.ScheduledEvent | None:
    """Return an event that goes on; None if it is over or gone."""
    try:
        found = await guild.fetch_scheduled_event(event_id, with_counts=False)
    except discord.NotFound:
        return None
    return found if found.status in _GOING_ON else None
