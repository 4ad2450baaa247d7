"""What every press, form and autocomplete has in common: who asks, the log line, the error path."""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import discord

from bot.logging_setup import request_id
from sim.core.errors import RuleError
from sim.workers import Caller

if TYPE_CHECKING:
    from bot.app import Fracas


def caller_of(interaction: "discord.Interaction[Fracas]") -> Caller:
    """Return who asks, for the fair queue."""
    return Caller(user=interaction.user.id, guild=interaction.guild_id)


def channel_of(interaction: "discord.Interaction[Fracas]") -> int:
    """Return where the interaction came from; RuleError where that is no channel."""
    if interaction.channel_id is None:
        raise RuleError("Battles are fought in channels.")
    return interaction.channel_id


async def defer(interaction: "discord.Interaction[Fracas]", *, private: bool) -> None:
    """Say that an answer follows in a message of its own; `private` is final, Discord lets nobody change it."""
    interaction.extras["private"] = private
    await interaction.response.defer(ephemeral=private, thinking=True)


async def defer_once(interaction: "discord.Interaction[Fracas]", *, private: bool) -> None:
    """Defer as `defer` does, unless whoever came before has done so."""
    if not interaction.response.is_done():
        await defer(interaction, private=private)


@asynccontextmanager
async def handled(interaction: "discord.Interaction[Fracas]", kind: str) -> AsyncIterator[None]:
    """Log and count a press of `kind`; whatever goes wrong inside is answered by the bot's one error handler."""
    request_id.set(str(interaction.id))
    began = time.perf_counter()
    try:
        yield
    except Exception as error:  # noqa: BLE001  # the boundary: nothing behind it could answer the player
        result = await interaction.client.refuse(interaction, error)
    else:
        result = "ok"
    interaction.client.told("click", kind, result, interaction, time.perf_counter() - began)


_TOO_LATE, _ACKNOWLEDGED = 10062, 40060


async def acknowledged(interaction: "discord.Interaction[Fracas]") -> bool:
    """Acknowledge a press whose message will be edited; return whether it is for this caller to act on.

    False when it was acknowledged before: Discord delivered it twice, and the other delivery acts. A press that Discord
    no longer waits for is acted on all the same; its player just can't be told anything.
    """
    try:
        await interaction.response.defer()
    except discord.HTTPException as error:
        if error.code not in {_TOO_LATE, _ACKNOWLEDGED}:
            raise
        return error.code == _TOO_LATE
    return True
