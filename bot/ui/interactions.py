"""Handles interactions: each is acknowledged and answered once, also while the bot stops; buttons outlive a restart."""

import asyncio
import logging
import re
import time
from abc import abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Sequence
from contextlib import asynccontextmanager
from contextvars import Context, copy_context
from types import new_class
from typing import Any, ClassVar, Generic, Literal, Self, TypeVar, cast

import aiohttp
import discord
from discord import app_commands

from bot.client import UNKNOWN_INTERACTION, UNREACHABLE, Asker, Client, Interaction, mark_answered, mark_done
from bot.logging_setup import event, request_id
from bot.metrics import Result
from bot.result_cache import current_notice
from bot.store import Origin
from bot.ui import LAYOUT_TEXT, View, shorten, text_view
from bot.ui.error_replies import refuse
from bot.ui.progress import Bar
from sim.core import RuleError
from sim.workers.queue import Caller, ClosedError

_log = logging.getLogger("fracas.app")


def caller_of(asker: Asker) -> Caller:
    """Return the user and the server, for the fair queue."""
    return Caller(user=asker.user.id, guild=asker.guild_id)


def origin_of(asker: Asker) -> Origin:
    """Return where somebody asks, which decides what the ids they send reach."""
    return Origin(asker.user.id, asker.channel_id, asker.guild_id)


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
        taken = await interaction.response.defer(ephemeral=private, thinking=True)
        interaction.extras["answer_id"] = None if taken is None else taken.message_id
    elif _LATE in interaction.extras:
        raise RuleError(_AGAIN)


async def open_form(interaction: Interaction, modal: discord.ui.Modal) -> None:
    """Open a form, which only a first answer can; RuleError if the press had to be acknowledged meanwhile."""
    if not await _is_unanswered(interaction):
        raise RuleError(_AGAIN)
    await interaction.response.send_modal(modal)


async def reply(interaction: Interaction, view: discord.ui.LayoutView) -> None:
    """Answer a press or a command with a private message."""
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
    current_notice.set(Bar(interaction))
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


def record_result(asker: Asker, what: Literal["command", "click"], name: str, result: Result, seconds: float) -> None:
    """Log and count an answered interaction or message."""
    asker.client.metrics.answered(what, name, result, seconds)
    event(
        _log,
        what,
        name=name,
        result=result,
        user=asker.user.id,
        guild=asker.guild_id,
        ms=round(seconds * 1000),
    )


class Tree(app_commands.CommandTree[Client]):
    """The command tree: takes each command once, logs and counts it, and replies to errors."""

    def __init__(self, client: Client) -> None:
        super().__init__(client)
        client.add_listener(self._completed, "on_app_command_completion")

    async def interaction_check(self, interaction: Interaction, /) -> bool:
        """Take each command once, and store its start time for the log."""
        request_id.set(str(interaction.id))
        interaction.extras["began"] = time.perf_counter()
        current_notice.set(Bar(interaction))
        return await interaction.client.services[InFlight].take(interaction)

    async def on_error(self, interaction: Interaction, error: app_commands.AppCommandError, /) -> None:
        """Reply to a command's error."""
        cause = error.original if isinstance(error, app_commands.CommandInvokeError) else error
        if interaction.type is discord.InteractionType.autocomplete:
            # There is no reply to autocompletion; the list stays empty.
            event(_log, "autocomplete_failed", level=logging.ERROR, exc_info=cause)
            return
        self._record(interaction, await refuse(interaction, cause))

    async def _completed(self, interaction: Interaction, _command: object) -> None:
        request_id.set(str(interaction.id))
        self._record(interaction, "ok")

    @staticmethod
    def _record(interaction: Interaction, result: Result) -> None:
        name = "unknown" if interaction.command is None else interaction.command.qualified_name
        now = time.perf_counter()
        record_result(interaction, "command", name, result, now - float(interaction.extras.get("began", now)))


async def edit_reply(interaction: Interaction, text: str, buttons: Sequence[discord.ui.Button[Any]] = ()) -> None:
    """Replace the deferred answer and its pictures by a text, shortened to fit, which says what was done."""
    mark_done(interaction)
    await show_view(interaction, text_view([shorten(text, LAYOUT_TEXT)], buttons=buttons))


async def show_view(interaction: Interaction, view: View) -> discord.InteractionMessage:
    """Replace the deferred answer and its pictures by a view with its own."""
    message = await interaction.edit_original_response(view=view, attachments=view.files)
    mark_answered(interaction)
    return message


async def edit_message(message: discord.Message | discord.PartialMessage, view: View) -> None:
    """Replace a message and its pictures by a view; edits ignore the client's default, by which nobody is pinged."""
    await message.edit(view=view, attachments=view.files, allowed_mentions=discord.AllowedMentions.none())


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
        if error.code != UNKNOWN_INTERACTION:
            raise


ItemT = TypeVar("ItemT", bound=discord.ui.Button[Any] | discord.ui.Select[Any] | discord.ui.ChannelSelect[Any])


class PersistentItem(discord.ui.DynamicItem[ItemT], Generic[ItemT], template=r"(?!)"):
    """An item that is fully described by its custom id; `match` has the id's parts.

    A subclass defines `template`, `pressed`, and `kind`, its label in the metrics: "{what}" is that part of the id.
    `matching` makes one of a function.
    """

    kind: ClassVar[str]

    @classmethod
    def matching(
        cls, template: str, kind: str
    ) -> Callable[[Callable[[Self, Interaction], Awaitable[None]]], type[Self]]:
        """Return a decorator that makes the item whose presses a function handles, as `pressed` does."""

        def made(pressed: Callable[[Self, Interaction], Awaitable[None]]) -> type[Self]:
            own = {"kind": kind, "pressed": pressed, "__module__": pressed.__module__, "__doc__": pressed.__doc__}
            item = new_class(pressed.__name__, (cls,), {"template": template}, lambda names: names.update(own))
            return cast("type[Self]", item)

        return made

    def __init__(self, item: ItemT, match: re.Match[str]) -> None:
        super().__init__(item)
        self.match = match

    @classmethod
    async def from_custom_id(
        cls, _interaction: discord.Interaction[Any], item: discord.ui.Item[Any], match: re.Match[str], /
    ) -> Self:
        """Build the pressed item."""
        return cls(cast("ItemT", item), match)

    async def interaction_check(self, interaction: discord.Interaction[Any], /) -> bool:
        """Take each press once."""
        in_flight: InFlight = interaction.client.services[InFlight]
        return await in_flight.take(interaction)

    async def callback(self, interaction: discord.Interaction[Any]) -> None:
        """Log and count the press, and reply to errors."""
        async with press_boundary(interaction, self.kind.format(**self.match.groupdict())):
            await self.pressed(interaction)

    @abstractmethod
    async def pressed(self, interaction: Interaction) -> None:
        """Handle the press; the interaction is unanswered."""


class PersistentButton(PersistentItem[discord.ui.Button[Any]], template=r"(?!)"):
    """A button that works after a restart."""


class PersistentSelect(PersistentItem[discord.ui.Select[Any]], template=r"(?!)"):
    """A select that works after a restart."""

    @property
    def chosen(self) -> str:
        """The chosen value, empty for none; it may be any text."""
        return "".join(self.item.values[:1])


MAX_REMEMBERED = 10_000
"""Ids of interactions that are remembered after they were handled; Discord repeats one within minutes, if at all."""

TELL_SECONDS = 1.0
"""How long the players whose interactions were ended wait for the sentence that says so."""

_DONE = "It is done. The bot is restarting and will show it in a minute."


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
