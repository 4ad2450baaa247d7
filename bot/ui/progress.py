"""Shows the progress of a long calculation, or what holds it up, while a player waits."""

import asyncio
import logging
import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import discord

from bot.client import Interaction
from bot.logging_setup import event
from bot.result_cache import current_notice
from bot.ui.text import plain_view, shorten

BETWEEN_SECONDS = 2.0
"""The minimum time before the first bar and between updates."""

_MAX_TASK = 200
_CELLS = 10
_log = logging.getLogger("fracas.progress")


def bar_text(share: float, task: str) -> str:
    """Return the bar, such as `▰▰▰▰▱▱▱▱▱▱ 45%`, with the task under it; nan counts as 0%."""
    share = 0.0 if math.isnan(share) else min(1.0, max(0.0, share))
    full = int(share * _CELLS)
    return f"{'▰' * full}{'▱' * (_CELLS - full)} {int(share * 100)}%\n-# {shorten(task, _MAX_TASK)}"


class Bar:
    """A bar that is updated at most every `BETWEEN_SECONDS`, and first shown that long after the start.

    Quick answers, such as cached ones, never show a bar. It stands in the message that the answer will replace, or in a
    private one of its own while an older answer stays visible. Without `stays` there are only reasons to wait, each as
    long as its job, once the interaction has been acknowledged.
    """

    def __init__(self, interaction: Interaction, *, stays: bool = False) -> None:
        self._interaction = interaction
        self._stays = stays
        self._message: discord.WebhookMessage | None = None
        self._clock = interaction.client.monotonic
        self._last = self._clock()
        self._share: float | None = None
        self._showing: asyncio.Task[None] | None = None
        self._closed = False

    def update(self, share: float, task: str) -> None:
        """Show the bar unless the last update was too recent or is still being sent."""
        if self._stays:
            self._share = share
            sending = self._showing is not None and not self._showing.done()
            if not sending and self._clock() - self._last >= BETWEEN_SECONDS:
                self._begin_showing(bar_text(share, task))

    async def tell(self, reason: str) -> None:
        """Show why the player waits, under the bar if there is one."""
        if self._showing is not None:
            await self._showing
        if not self._closed and self._interaction.response.is_done():
            await self._begin_showing(f"-# ⏳ {reason}" if self._share is None else bar_text(self._share, reason))

    async def clear(self) -> None:
        """Let what is being shown arrive; without `stays`, remove what the answer doesn't replace."""
        if self._showing is not None:
            await self._showing
        if self._message is not None and not self._stays:
            message, self._message = self._message, None
            try:
                await message.delete()
            except Exception as error:  # noqa: BLE001  # a bar that stays must not cost the answer
                event(_log, "bar_not_removed", level=logging.WARNING, error=str(error))

    async def close(self) -> None:
        """Stop updating, and remove a bar that the answer doesn't replace."""
        self._closed, self._stays = True, False
        await self.clear()

    def _begin_showing(self, text: str) -> asyncio.Task[None]:
        self._last = self._clock()
        self._showing = asyncio.create_task(self._show(text))
        return self._showing

    async def _show(self, text: str) -> None:
        """Show or update the bar, if that can be done."""
        view = plain_view(text)
        try:
            thinks = self._interaction.response.type is discord.InteractionResponseType.deferred_channel_message
            if thinks and not self._interaction.extras.get("answered"):
                await self._interaction.edit_original_response(view=view)
            elif self._message is None:
                self._message = await self._interaction.followup.send(view=view, ephemeral=True, wait=True)
            else:
                await self._message.edit(view=view)
        except Exception as error:  # noqa: BLE001  # as above
            event(_log, "bar_not_shown", level=logging.WARNING, error=str(error))


@asynccontextmanager
async def progress_bar(interaction: Interaction) -> AsyncIterator[Bar]:
    """Provide a bar while the answer to a deferred interaction is calculated."""
    bar = Bar(interaction, stays=True)
    before = current_notice.set(bar)
    try:
        yield bar
    finally:
        current_notice.reset(before)
        await bar.close()
