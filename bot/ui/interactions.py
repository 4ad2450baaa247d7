"""Helpers for handling interactions: the caller, deferring, logging, errors."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import Context, copy_context
from typing import Literal

import discord

from bot.client import Interaction
from bot.delivery import UNREACHABLE
from bot.logging_setup import event, request_id
from bot.metrics import Result
from bot.result_cache import current_notice
from bot.store import Origin
from bot.ui.error_replies import mark_done, refuse
from bot.ui.layout import text_view
from bot.ui.progress import WaitNotice
from bot.ui.text import LAYOUT_TEXT, shorten
from sim.core.errors import RuleError
from sim.workers import Caller

_log = logging.getLogger("fracas.app")


def caller_of(interaction: Interaction) -> Caller:
    """Return the user and the server, for the fair queue."""
    return Caller(user=interaction.user.id, guild=interaction.guild_id)


def origin_of(interaction: Interaction) -> Origin:
    """Return where the interaction comes from, which decides what its ids reach."""
    return Origin(interaction.user.id, interaction.channel_id, interaction.guild_id)


def channel_of(interaction: Interaction) -> int:
    """Return the channel of the interaction; RuleError if it has none."""
    if interaction.channel_id is None:
        raise RuleError("Battles are fought in channels.")
    return interaction.channel_id


async def defer(interaction: Interaction, *, private: bool) -> None:
    """Defer with a new message, unless that was done; whether it is `private` can't be changed later.

    RuleError if the press had to be acknowledged meanwhile.
    """
    if await _is_unanswered(interaction):
        interaction.extras["private"] = private
        await interaction.response.defer(ephemeral=private, thinking=True)
    elif _LATE in interaction.extras:
        raise RuleError(_AGAIN)


async def open_form(interaction: Interaction, modal: discord.ui.Modal) -> None:
    """Open a form, which only a first answer can; RuleError if the press had to be acknowledged meanwhile."""
    if not await _is_unanswered(interaction):
        raise RuleError(_AGAIN)
    await interaction.response.send_modal(modal)


async def reply(interaction: Interaction, view: discord.ui.LayoutView) -> None:
    """Answer a press with a private message."""
    if await _is_unanswered(interaction):
        await interaction.response.send_message(view=view, ephemeral=True)
    else:
        await interaction.followup.send(view=view, ephemeral=True)


async def defer_in_place(interaction: Interaction, asker_id: int) -> bool:
    """Defer a press and return whether the answer is private.

    The user who asked gets the message edited in place; others get a private copy.
    """
    private = is_private(interaction)
    if private or interaction.user.id == asker_id:
        if await _is_unanswered(interaction):
            await interaction.response.defer()
        return private
    await defer(interaction, private=True)
    return True


def is_private(interaction: Interaction) -> bool:
    """Return whether only the user sees the pressed message."""
    return interaction.message is not None and interaction.message.flags.ephemeral


@asynccontextmanager
async def press_boundary(interaction: Interaction, kind: str) -> AsyncIterator[None]:
    """Handle a press of `kind`: log it, count it, and reply to errors.

    A press that isn't answered soon, such as when the database is slow, is acknowledged, and goes on.
    """
    request_id.set(str(interaction.id))
    current_notice.set(WaitNotice(interaction))
    began = time.perf_counter()
    result: Result = "ok"
    later = asyncio.get_running_loop().call_later
    # In a context of its own: under simcord the context decides which clock runs.
    timer = Context().run(later, PATIENCE, _acknowledge_late, interaction, copy_context())
    interaction.extras[_TIMER] = timer
    try:
        yield
    except Exception as error:  # noqa: BLE001  # the outermost handler: every error gets a reply
        await _is_unanswered(interaction)
        result = await refuse(interaction, error)
    finally:
        timer.cancel()
    record_result(interaction, "click", kind, result, time.perf_counter() - began)


def record_result(
    interaction: Interaction, what: Literal["command", "click"], name: str, result: Result, seconds: float
) -> None:
    """Log and count an answered interaction."""
    metrics = interaction.client.metrics
    count = metrics.command if what == "command" else metrics.click
    count(name, result, seconds)
    event(
        _log,
        what,
        name=name,
        result=result,
        user=interaction.user.id,
        guild=interaction.guild_id,
        ms=round(seconds * 1000),
    )


async def edit_reply(interaction: Interaction, text: str) -> None:
    """Replace the deferred answer and its pictures by a text, shortened to fit, which says what was done."""
    mark_done(interaction)
    await interaction.edit_original_response(view=text_view([shorten(text, LAYOUT_TEXT)]), attachments=[])


_TOO_LATE = 10062

PATIENCE = 1.0
"""Seconds after which a press is acknowledged if it isn't answered; Discord waits for three."""

_TIMER, _LATE = "timer", "late"
_AGAIN = "Sorry, that took too long to open. Please press it again."


def _acknowledge_late(interaction: Interaction, context: Context) -> None:
    if not interaction.response.is_done():
        interaction.extras[_LATE] = context.run(asyncio.create_task, _acknowledge(interaction))


async def _is_unanswered(interaction: Interaction) -> bool:
    """Return whether the first answer to an interaction is still to be given; from now on only the caller gives it."""
    if (timer := interaction.extras.get(_TIMER)) is not None:
        timer.cancel()
    if (late := interaction.extras.get(_LATE)) is not None:
        await asyncio.wait({late})
    return not interaction.response.is_done()


async def acknowledge(interaction: Interaction) -> None:
    """Acknowledge a press whose message will be edited.

    A press that Discord no longer waits for, or whose acknowledgement may be lost, is handled all the same.
    """
    if await _is_unanswered(interaction):
        await _acknowledge(interaction)
    interaction.extras.pop(_LATE, None)


async def _acknowledge(interaction: Interaction) -> None:
    try:
        await interaction.response.defer()
    except UNREACHABLE as error:
        event(_log, "not_acknowledged", level=logging.WARNING, error=str(error))
    except discord.HTTPException as error:
        if error.code != _TOO_LATE:
            raise
