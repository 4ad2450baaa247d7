"""How far a long calculation is, told while it goes on: a bar that its answer, or what went wrong, replaces."""

import asyncio
import logging
import time
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Protocol

import discord

from bot.logging_setup import event
from bot.ui.text import shortened

if TYPE_CHECKING:
    from bot.app import Fracas

BETWEEN_SECONDS = 2.0
"""Between the beginning, or a bar, and the next bar."""

MOST_DOING = 200
_CELLS = 10
_log = logging.getLogger("fracas.progress")


class Progress(Protocol):
    """What a desk tells while it works something out in several jobs."""

    def at(self, share: float, doing: str) -> None:
        """Tell that `share` (0 to 1) is done and, in a few words of markdown, what is being done; never waits."""
        ...


class Silent:
    """Tells nobody."""

    def at(self, share: float, doing: str) -> None:
        """Tell nobody."""


SILENT = Silent()


def bar_text(share: float, doing: str) -> str:
    """Return the bar, such as `▰▰▰▰▱▱▱▱▱▱ 45 %`, and under it what is being done."""
    share = min(1.0, max(0.0, share)) if share == share else 0.0  # noqa: PLR0124  # nan is nothing done
    full = int(share * _CELLS)
    return f"{'▰' * full}{'▱' * (_CELLS - full)} {int(share * 100)} %\n-# {shortened(doing, MOST_DOING)}"


class Bar(ABC):
    """A bar that is shown at most once in `BETWEEN_SECONDS`, for the first time that long after the beginning.

    `clock` tells seconds. A quick answer, such as a remembered one, never has a bar.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._last = clock()
        self._showing: asyncio.Task[None] | None = None
        self._over = False

    def at(self, share: float, doing: str) -> None:
        """Show the bar unless one was shown a moment ago or is still on its way."""
        now = self._clock()
        on_its_way = self._showing is not None and not self._showing.done()
        if self._over or on_its_way or now - self._last < BETWEEN_SECONDS:
            return
        self._last = now
        self._showing = asyncio.create_task(self._try(bar_text(share, doing)))

    async def close(self) -> None:
        """Show nothing more; when this returns, whatever comes next stands in the bar's place."""
        self._over = True
        if self._showing is not None:
            await self._showing
            try:
                await self._remove()
            except Exception as error:  # noqa: BLE001  # likewise
                event(_log, "bar_not_removed", level=logging.WARNING, error=str(error))

    async def _try(self, text: str) -> None:
        try:
            await self._show(text)
        except Exception as error:  # noqa: BLE001  # the answer is what counts, whatever becomes of the bar
            event(_log, "bar_not_shown", level=logging.WARNING, error=str(error))

    @abstractmethod
    async def _show(self, text: str) -> None:
        """Show the bar, or its next state."""

    @abstractmethod
    async def _remove(self) -> None:
        """Take the bar away, where nothing takes its place."""


class _Thinking(Bar):
    """Stands where the deferred answer will stand."""

    def __init__(self, interaction: "discord.Interaction[Fracas]") -> None:
        super().__init__(interaction.client.monotonic)
        self._interaction = interaction

    async def _show(self, text: str) -> None:
        await self._interaction.edit_original_response(view=_view(text))

    async def _remove(self) -> None:
        """Do nothing: the answer, or what went wrong, takes its place."""


class _Beside(Bar):
    """Stands in a private message beside an older answer, which stays as it is until there is a new one."""

    def __init__(self, interaction: "discord.Interaction[Fracas]") -> None:
        super().__init__(interaction.client.monotonic)
        self._interaction = interaction
        self._message: discord.WebhookMessage | None = None

    async def _show(self, text: str) -> None:
        if self._message is None:
            self._message = await self._interaction.followup.send(view=_view(text), ephemeral=True, wait=True)
        else:
            await self._message.edit(view=_view(text))

    async def _remove(self) -> None:
        if self._message is not None:
            await self._message.delete()


@asynccontextmanager
async def shown_progress(interaction: "discord.Interaction[Fracas]") -> AsyncIterator[Bar]:
    """Have a bar while the deferred interaction's answer is worked out; it is gone, or about to be replaced, after."""
    thinks = interaction.response.type is discord.InteractionResponseType.deferred_channel_message
    bar = _Thinking(interaction) if thinks else _Beside(interaction)
    try:
        yield bar
    finally:
        await bar.close()


def _view(text: str) -> discord.ui.LayoutView:
    view: discord.ui.LayoutView = discord.ui.LayoutView(timeout=None)
    view.add_item(discord.ui.TextDisplay(text))
    view.stop()
    return view
