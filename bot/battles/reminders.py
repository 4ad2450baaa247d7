"""The one message of a battle that mentions people: whose turn it is, whose time runs out, whom the clock asks."""

from collections.abc import Sequence

import discord

from bot.battles.clock import Awaited
from bot.client import Client
from bot.store.battles.battle import Battle
from bot.store.battles.panels import Reminder, TurnReminderRepository
from bot.store.battles.repository import BattleRepository
from sim.core.journal import Kind

_GONE = frozenset({10003, 10008})


class TurnReminders:
    """Posts the reminders, each once, and deletes the one before."""

    def __init__(self, bot: Client) -> None:
        self._bot = bot
        self._reminders = bot.services[TurnReminderRepository]

    async def turn(self, battle: Battle, awaited: Awaited | None, turn: str, user_ids: Sequence[int]) -> None:
        """Remind people that it is their turn, once; nobody of a step that led to it by their own hand.

        Posts nothing if it is nobody's turn. Raises `discord.HTTPException` if posting fails; the reminder is not
        posted later then.
        """
        before = await self._reminders.reminder(battle.id)
        now = None if awaited is None or not user_ids else turn
        if (None if before is None else before.turn) == now:
            return
        await self._reminders.remind(battle.id, None if now is None else Reminder(now, None))
        await self._delete(battle, before)
        if awaited is None or now is None:
            return
        told = [user_id for user_id in user_ids if not await self._acted(battle, user_id)]
        if told:
            text = f"▶️ {_mentions(told)} your turn in {battle_link(battle)}, {awaited.where}."
            await self._post(battle, Reminder(now, None), text, told)

    async def warn(self, battle: Battle, awaited: Awaited, turn: str, user_ids: Sequence[int], due: int) -> None:
        """Warn people that their time is up soon, once for each time at which it is."""
        before = await self._reminders.reminder(battle.id)
        if before is not None and (before.turn, before.warned_for) == (turn, due):
            return
        reminder = Reminder(turn, None, due)
        await self._reminders.remind(battle.id, reminder)
        await self._delete(battle, before)
        who = f"{_mentions(user_ids)} your" if user_ids else "The"
        text = f"⏳ {who} turn in {battle_link(battle)}, {awaited.where}, ends <t:{due}:R>."
        await self._post(battle, reminder, text, user_ids)

    async def ask(self, battle: Battle, awaited: Awaited, turn: str) -> None:
        """Tell the referee that the time of a turn is up."""
        referees = [] if battle.referee is None else [battle.referee]
        await self._delete(battle, await self._reminders.reminder(battle.id))
        reminder = Reminder(turn, None)
        await self._reminders.remind(battle.id, reminder)
        who = f"{_mentions(referees)} time" if referees else "Time"
        text = (
            f"⏰ {who} is up in {battle_link(battle)}, {awaited.where}."
            f" The referee decides: `/battle referee number:{battle.number}`"
        )
        await self._post(battle, reminder, text, referees)

    async def _post(self, battle: Battle, reminder: Reminder, text: str, user_ids: Sequence[int]) -> None:
        channel = self._bot.get_partial_messageable(battle.channel_id, guild_id=battle.guild_id)
        users = [discord.Object(user_id) for user_id in user_ids]
        allowed = discord.AllowedMentions(everyone=False, roles=False, replied_user=False, users=users)
        message = await channel.send(text, allowed_mentions=allowed)
        posted = Reminder(reminder.turn, message.id, reminder.warned_for)
        await self._reminders.remind(battle.id, posted)

    async def _delete(self, battle: Battle, reminder: Reminder | None) -> None:
        if reminder is None or reminder.message_id is None:
            return
        channel = self._bot.get_partial_messageable(battle.channel_id, guild_id=battle.guild_id)
        try:
            await channel.get_partial_message(reminder.message_id).delete()
        except discord.HTTPException as error:
            if error.code not in _GONE:
                raise

    async def _acted(self, battle: Battle, user_id: int) -> bool:
        last = await self._bot.services[BattleRepository].last_entry(battle.id)
        return last is not None and last.kind is not Kind.SEATS and last.actor == str(user_id)


def battle_link(battle: Battle) -> str:
    """Return a battle's number, linked to its panel if it has one."""
    if battle.panel_id is None:
        return f"#{battle.number}"
    server = battle.guild_id or "@me"
    return f"[#{battle.number}](https://discord.com/channels/{server}/{battle.channel_id}/{battle.panel_id})"


def _mentions(user_ids: Sequence[int]) -> str:
    return " ".join(f"<@{user_id}>" for user_id in user_ids)
