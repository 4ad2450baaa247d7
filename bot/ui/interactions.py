"""What every press, form and autocomplete has in common: who asks, the log line, the error path."""

import logging
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Literal

import discord

from bot.client import Interaction
from bot.health import Result
from bot.logging_setup import event, request_id
from bot.ui.error_replies import refuse
from sim.core.errors import RuleError
from sim.workers import Caller

_log = logging.getLogger("fracas.app")


def caller_of(interaction: Interaction) -> Caller:
    """Return who asks, for the fair queue."""
    return Caller(user=interaction.user.id, guild=interaction.guild_id)


def channel_of(interaction: Interaction) -> int:
    """Return where the interaction came from; RuleError where that is no channel."""
    if interaction.channel_id is None:
        raise RuleError("Battles are fought in channels.")
    return interaction.channel_id


async def defer(interaction: Interaction, *, private: bool) -> None:
    """Say that an answer follows in a message of its own; `private` is final, Discord lets nobody change it."""
    interaction.extras["private"] = private
    await interaction.response.defer(ephemeral=private, thinking=True)


async def defer_once(interaction: Interaction, *, private: bool) -> None:
    """Defer as `defer` does, unless whoever came before has done so."""
    if not interaction.response.is_done():
        await defer(interaction, private=private)


async def defer_in_place(interaction: Interaction, asker_id: int) -> bool:
    """Defer a press: the pressed message is edited if it is the presser's, else a private copy follows.

    Return whether what follows is private.
    """
    private = is_private(interaction)
    if private or interaction.user.id == asker_id:
        await interaction.response.defer()
        return private
    await defer(interaction, private=True)
    return True


def is_private(interaction: Interaction) -> bool:
    """Return whether only the user sees the pressed message."""
    return interaction.message is not None and interaction.message.flags.ephemeral


@asynccontextmanager
async def handled(interaction: Interaction, kind: str) -> AsyncIterator[None]:
    """Log and count a press of `kind`; whatever goes wrong inside is answered by the bot's one error handler."""
    request_id.set(str(interaction.id))
    began = time.perf_counter()
    result: Result = "ok"
    try:
        yield
    except Exception as error:  # noqa: BLE001  # the boundary: nothing behind it could answer the player
        result = await refuse(interaction, error)
    record_result(interaction, "click", kind, result, time.perf_counter() - began)


def record_result(
    interaction: Interaction, what: Literal["command", "click"], name: str, result: Result, seconds: float
) -> None:
    """Log and count an interaction that has been answered."""
    metrics = interaction.client.metrics
    count = metrics.command if what == "command" else metrics.click
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


_TOO_LATE, _ACKNOWLEDGED = 10062, 40060


async def acknowledged(interaction: Interaction) -> bool:
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
