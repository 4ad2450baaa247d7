"""Shows the progress of a long calculation, or what holds it up, while a player waits."""

import asyncio
import logging
import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import discord

from bot.client import Interaction
from bot.logging_setup import event
from bot.result_cache import current_notice
from bot.ui import plain_view, shorten

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


@dataclass(eq=False, slots=True)
class Bar:
    """A bar that is updated at most every `BETWEEN_SECONDS`, and first shown that long after the start.

    Quick answers, such as cached ones, never show a bar. It stands in the message that the answer will replace, or in a
    private one of its own while an older answer stays visible. Without `stays` there are only reasons to wait, each as
    long as its job, once the interaction has been acknowledged.
    """

    interaction: Interaction
    stays: bool = False
    last: float = 0.0
    """When it began or was updated, by the client's `monotonic`."""
    _message: discord.WebhookMessage | None = None
    _share: float | None = None
    _showing: asyncio.Task[None] | None = None
    _closed: bool = False

    def update(self, share: float, task: str) -> None:
        """Show the bar unless the last update was too recent or is still being sent."""
        if self.stays:
            self._share = share
            sending = self._showing is not None and not self._showing.done()
            if not sending and self.interaction.client.monotonic() - self.last >= BETWEEN_SECONDS:
                self._begin_showing(bar_text(share, task))

    async def tell(self, reason: str) -> None:
        """Show why the player waits, under the bar if there is one."""
        if self._showing is not None:
            await self._showing
        if not self._closed and self.interaction.response.is_done():
            await self._begin_showing(f"-# ⏳ {reason}" if self._share is None else bar_text(self._share, reason))

    async def clear(self) -> None:
        """Let what is being shown arrive; without `stays`, remove what the answer doesn't replace."""
        if self._showing is not None:
            await self._showing
        if self._message is not None and not self.stays:
            message, self._message = self._message, None
            try:
                await message.delete()
            except Exception as error:  # noqa: BLE001  # a bar that stays must not cost the answer
                event(_log, "bar_not_removed", level=logging.WARNING, error=str(error))

    async def close(self) -> None:
        """Stop updating, and remove a bar that the answer doesn't replace."""
        self._closed, self.stays = True, False
        await self.clear()

    def _begin_showing(self, text: str) -> asyncio.Task[None]:
        self.last = self.interaction.client.monotonic()
        self._showing = asyncio.create_task(self._show(text))
        return self._showing

    async def _show(self, text: str) -> None:
        """Show or update the bar, if that can be done."""
        view = plain_view(text)
        try:
            thinks = self.interaction.response.type is discord.InteractionResponseType.deferred_channel_message
            if thinks and not self.interaction.extras.get("answered"):
                await self.interaction.edit_original_response(view=view)
            elif self._message is None:
                self._message = await self.interaction.followup.send(view=view, ephemeral=True, wait=True)
            else:
                await self._message.edit(view=view)
        except Exception as error:  # noqa: BLE001  # as above
            event(_log, "bar_not_shown", level=logging.WARNING, error=str(error))


@asynccontextmanager
async def progress_bar(interaction: Interaction) -> AsyncIterator[Bar]:
    """Provide a bar while the answer to a deferred interaction is calculated."""
    bar = Bar(interaction, stays=True, last=interaction.client.monotonic())
    before = current_notice.set(bar)
    try:
        yield bar
    finally:
        current_notice.reset(before)
        await bar.close()
