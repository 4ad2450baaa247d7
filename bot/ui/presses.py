"""What every press, form and autocomplete has in common: who asks, the log line, the error path."""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import discord

from bot.logs import request_id
from sim.adapters import Caller

if TYPE_CHECKING:
    from bot.app import Fracas


def caller_of(interaction: "discord.Interaction[Fracas]") -> Caller:
    """Return who asks, for the fair queue."""
    return Caller(user=interaction.user.id, guild=interaction.guild_id)


async def defer(interaction: "discord.Interaction[Fracas]", *, private: bool) -> None:
    """Say that an answer follows in a message of its own; `private` is final, Discord lets nobody change it."""
    interaction.extras["private"] = private
    await interaction.response.defer(ephemeral=private, thinking=True)


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
