"""The message that reminds the player on turn: one per game, replaced when the turn changes."""

import discord

from bot.client import Client
from bot.store.battles.battle import Battle
from bot.store.battles.repository import BattleRepository
from bot.store.battles.turn_reminders import Reminder, TurnReminderRepository

_GONE = frozenset({10003, 10008})


async def remind(bot: Client, battle: Battle, turn: str | None, user_id: int | None, where: str) -> None:
    """Remind `user_id` of `turn` once, and delete the reminder of the turn before.

    Posts nothing if there is no turn or user, or if the last step was the user's own. Raises `discord.HTTPException` if
    posting fails; the reminder is not posted later then.
    """
    before = await bot.services[TurnReminderRepository].reminder(battle.id)
    new_turn = None if turn is None or user_id is None else turn
    if (None if before is None else before.turn) == new_turn:
        return
    await bot.services[TurnReminderRepository].remind(battle.id, None if new_turn is None else Reminder(new_turn, None))
    channel = bot.get_partial_messageable(battle.channel_id, guild_id=battle.guild_id)
    if before is not None and before.message_id is not None:
        await _delete(channel.get_partial_message(before.message_id))
    if new_turn is None or user_id is None or await _acted(bot, battle, user_id):
        return
    message = await channel.send(
        f"▶️ <@{user_id}> your turn in {_link(battle)}, {where}.",
        allowed_mentions=discord.AllowedMentions(
            everyone=False, roles=False, replied_user=False, users=[discord.Object(user_id)]
        ),
    )
    await bot.services[TurnReminderRepository].remind(battle.id, Reminder(new_turn, message.id))


async def _delete(message: discord.PartialMessage) -> None:
    try:
        await message.delete()
    except discord.HTTPException as error:
        if error.code not in _GONE:
            raise


async def _acted(bot: Client, battle: Battle, user_id: int) -> bool:
    last = await bot.services[BattleRepository].last_entry(battle.id)
    return last is not None and last.actor == str(user_id)


def _link(battle: Battle) -> str:
    if battle.panel_id is None:
        return f"#{battle.number}"
    server = battle.guild_id or "@me"
    return f"[#{battle.number}](https://discord.com/channels/{server}/{battle.channel_id}/{battle.panel_id})"
