"""The interactions that are being handled: each once, and none left unanswered when the bot stops."""

import asyncio
import logging
from collections.abc import Collection
from typing import Any, cast

import aiohttp
import discord

from bot.client import Interaction
from bot.logging_setup import event
from bot.ui.error_replies import refuse
from sim.core.errors import RuleError
from sim.workers import ClosedError

MAX_REMEMBERED = 10_000
"""Ids of interactions that are remembered after they were handled; Discord repeats one within minutes, if at all."""

TELL_SECONDS = 1.0
"""How long the players whose interactions were ended wait for the sentence that says so."""

_DONE = "It is done. The bot is restarting and will show it in a minute."

_log = logging.getLogger("fracas.app")


class InFlight:
    """Takes each interaction once, and knows which ones are being handled, each by one task."""

    def __init__(self) -> None:
        self._handling: dict[int, tuple[Interaction, asyncio.Task[Any]]] = {}
        self._refusing: set[asyncio.Task[Any]] = set()
        self._taken: dict[int, None] = {}  # in order of arrival
        self._draining = False

    def __contains__(self, interaction_id: int) -> bool:
        """Return whether an interaction is being handled now."""
        return interaction_id in self._handling

    async def take(self, interaction: Interaction) -> bool:
        """Take an interaction for the current task, which handles it until it ends.

        False: the task must do nothing, because Discord delivered the interaction before, or because the bot is
        stopping, which the player has been told.
        """
        if interaction.id in self._taken:
            event(_log, "delivered_again", level=logging.WARNING, interaction=interaction.id)
            return False
        self._taken[interaction.id] = None
        if len(self._taken) > MAX_REMEMBERED:
            del self._taken[next(iter(self._taken))]
        task = cast("asyncio.Task[Any]", asyncio.current_task())
        if self._draining:
            self._refusing.add(task)
            task.add_done_callback(self._refusing.discard)
            await self._tell(interaction)
            return False
        self._handling[interaction.id] = (interaction, task)
        task.add_done_callback(lambda _: self._handling.pop(interaction.id))
        return True

    async def drain(self, seconds: float) -> None:
        """Take nothing new, and let what is being handled go on for `seconds`; then end it and tell its players."""
        self._draining = True
        running = len(self._handling)
        await _ended([task for _, task in self._handling.values()], seconds)
        late = [(interaction, task) for interaction, task in self._handling.values() if not task.done()]
        for _, task in late:
            task.cancel()
        await _ended([task for _, task in late], TELL_SECONDS)
        await asyncio.gather(*(self._tell(interaction) for interaction, _ in late))
        await _ended(self._refusing, TELL_SECONDS)
        event(_log, "drained", running=running, ended=len(late))

    async def _tell(self, interaction: Interaction) -> None:
        """Tell a player that the bot is stopping, and whether what was asked for is done (`extras["done"]`)."""
        if interaction.type is discord.InteractionType.autocomplete:
            return  # a list has no room for a sentence
        try:
            async with asyncio.timeout(TELL_SECONDS):
                await refuse(interaction, RuleError(_DONE) if interaction.extras.get("done") else ClosedError())
        except (TimeoutError, aiohttp.ClientError, OSError) as error:
            event(_log, "undelivered", level=logging.WARNING, interaction=interaction.id, error=repr(error))


async def _ended(tasks: Collection[asyncio.Task[Any]], seconds: float) -> None:
    if tasks:
        await asyncio.wait(tasks, timeout=seconds)
