"""The message to a server that has just added the bot: the games to choose from."""

import logging

import discord

from bot.client import Client
from bot.cogs.pages import tiles_picture, tiles_view
from bot.delivery import UNDELIVERED
from bot.logging_setup import event

_log = logging.getLogger("fracas.app")


async def greet(bot: Client, guild: discord.Guild) -> None:
    """Post the games in a new server's channel for such messages, if there is one and the bot may write there."""
    channel = guild.system_channel
    if channel is None:
        return
    may = channel.permissions_for(guild.me)
    if may.view_channel and may.send_messages:
        await post_tour(bot, channel, pictured=may.attach_files)


async def post_tour(bot: Client, channel: discord.abc.Messageable, *, pictured: bool = True) -> None:
    """Post the games; a failure is only logged, since nobody has asked."""
    picture = await tiles_picture(bot) if pictured else None
    files = [] if picture is None else [picture.file()]
    try:
        await channel.send(view=tiles_view(bot, picture), files=files)
    except UNDELIVERED as error:
        event(_log, "tour_not_posted", level=logging.WARNING, error=str(error))
