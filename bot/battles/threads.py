"""Threads of battles: opened with a battle or by a press, kept up to date in the background, closed at its end.

The channel goes on numbering the battle and has a line about it, from which the thread is started; where the server
chose a forum, its thread is a post there. The line's message and its thread have the same id, so that a thread whose
opening was cut short counts as deleted: then the battle is shown in the channel. A thread is noted before it is asked
for, with a negative id; a post whose making was cut short is looked for by its name.
"""

import asyncio
import hashlib
import inspect
import logging
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import wraps
from typing import Annotated, Any, Final, TypeAlias, cast

import discord

from bot.battles.followers import Follower
from bot.battles.panel import seat_or_referee
from bot.battles.presenter import Position, Presenters
from bot.battles.publisher import PanelPublisher, lacks_access
from bot.client import UNDELIVERED, UNKNOWN_CHANNEL, UNKNOWN_MESSAGE, UNREACHABLE, Client, Interaction, undelivered
from bot.logging_setup import event
from bot.store import OWN_WORK
from bot.store.battle import Battle
from bot.store.battles import BattleRepository, ServerHoursRepository
from bot.store.database import Database
from bot.store.threads import BattleThread, ThreadRepository
from bot.ui import LAYOUT_TEXT, harmless, plain, plain_sentence, shorten, text_view
from bot.ui.error_replies import OUTDATED_BUTTON, MarkdownError
from bot.ui.interactions import acknowledge, channel_of, edit_message, origin_of, reply, show_view
from bot.ui.options import CallbackT, Option, with_options
from sim.core import RuleError

_log = logging.getLogger("fracas.display")

MAX_THREAD_NAME = 100
KEPT_MINUTES: Final = 10080  # a week
"""For how long Discord lists a thread in which nothing happens."""
RENAME_SECONDS = 10 * 60
"""Seconds between two names of a thread: Discord takes two in that time, and the second is kept for the end."""
PATIENCE_SECONDS = 5
"""Discord may hold up a third name for minutes."""
OPEN, OVER = "open", "over"
"""The tags of a forum's posts."""

_MAX_REASON, _MAX_TAGS, _MAX_FORUM_TAGS = 100, 5, 20
_HAS_THREAD: Final = 160004
_WISH = "thread"
_OF_CHANNEL = {
    "create_public_threads": "Create Public Threads",
    "send_messages_in_threads": "Send Messages in Threads",
    "read_message_history": "Read Message History",
}
_OF_FORUM = {
    "view_channel": "View Channel",
    "send_messages": "Create Posts",
    "send_messages_in_threads": "Send Messages in Posts",
}

Site: TypeAlias = discord.TextChannel | discord.ForumChannel
"""Where a thread is opened."""


def opens_battle(callback: CallbackT) -> CallbackT:
    """Make a command's options as `with_options` does, and offer with them whether its battle gets a thread.

    Must be the innermost decorator.
    """

    @wraps(callback)
    async def with_thread(cog: object, interaction: Interaction, *, thread: bool | None = None, **options: Any) -> None:  # noqa: ANN401  # of all kinds
        wish_thread(interaction, wanted=thread)
        await callback(cog, interaction, **options)

    text = "Fight in a thread of its own (default: as this server likes it, see /battle settings)"
    taken: Any = Annotated[bool | None, Option(text)]
    wish = inspect.Parameter(_WISH, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=taken)
    signature = inspect.signature(callback)
    vars(with_thread)["__signature__"] = signature.replace(parameters=[*signature.parameters.values(), wish])
    return with_options(cast("CallbackT", with_thread))


def wish_thread(interaction: Interaction, *, wanted: bool | None) -> None:
    """Note whether the battle that an interaction opens gets a thread; None: as the server likes it."""
    interaction.extras[_WISH] = wanted


def wished_thread(interaction: Interaction) -> bool | None:
    """Return whether the battle that an interaction opens gets a thread, as far as that was said."""
    return cast("bool | None", interaction.extras.get(_WISH))


class ThreadService(Follower):
    """Opens the threads of battles, and follows the battles in them."""

    def __init__(self, bot: Client) -> None:
        self._bot = bot
        self._threads = bot.services[ThreadRepository]
        self.missing = self._threads.unclosed
        self._battles = bot.services[BattleRepository]
        self._publisher = bot.services[PanelPublisher]
        self.namer: Callable[[Battle], Awaitable[str | None]] | None = None
        """Names what a battle is part of, in place of its game."""
        bot.add_listener(self._deleted, "on_raw_thread_delete")

    async def site(self, interaction: Interaction) -> tuple[Site | None, str]:
        """Return where the battle that an interaction opens gets a thread, and why there is none though it is wanted.

        A server that always wants threads wants them where there can be some, and none inside of others.
        """
        hours = await self._bot.services[ServerHoursRepository].get(interaction.guild_id)
        wanted = wished_thread(interaction)
        if wanted is None:
            wanted = hours.threads == "always" and isinstance(interaction.channel, discord.TextChannel)
        try:
            return (_site(interaction, hours.forum_id) if wanted else None), ""
        except RuleError as error:
            return None, str(error)

    async def open(
        self, interaction: Interaction, battle: Battle, site: Site, interaction_id: int | None = None
    ) -> tuple[Battle, str]:
        """Open a battle's thread, and make the answer, or the pressed panel, the line about it.

        Return the battle as it is then, and why it has no thread. The panel is still to be shown. `interaction_id`: if
        that alone is what it does.
        """
        name = await self._name(await self._bot.services[Presenters].position(battle))
        head = f"🧵 **{plain(name)}**"
        kept = BattleThread(battle.id, -battle.id, channel_of(interaction), None, name=_digest(name))
        try:
            await self._threads.note(kept)
            if isinstance(site, discord.ForumChannel):
                thread_id, panel_id = await self._post(battle, site, name)
                kept = replace(kept, thread_id=thread_id)
                battle = await self._threads.open(kept, panel_id, interaction_id)
                with undelivered(_log, "not_answered"):  # only now: a post's buttons are pressed as soon as it is there
                    line = await show_view(interaction, text_view([f"{head}: <#{thread_id}>"]))
                    await self._threads.put(replace(kept, line_id=line.id, named_at=int(self._bot.clock())))
            else:
                line = await show_view(interaction, text_view([head]))
                kept = replace(kept, thread_id=line.id, line_id=line.id)
                battle = await self._threads.open(kept, None, interaction_id)
                await site.get_partial_message(line.id).create_thread(name=name, auto_archive_duration=KEPT_MINUTES)
        except UNDELIVERED as error:
            if getattr(error, "code", None) == _HAS_THREAD:  # sent again after Discord had done it
                return battle, ""
            event(_log, "no_thread", level=logging.WARNING, battle=battle.id, error=str(error))
            if battle.thread_id is not None or not isinstance(error, UNREACHABLE):  # else Discord may have made a post
                await self._threads.leave(battle.thread_id or -battle.id)
            why = f"Discord won't let me open a thread in #{site.name}: {shorten(str(error), _MAX_REASON)}"
            return await self._battles.get(battle.id, OWN_WORK) or battle, why
        return battle, ""

    async def move(self, interaction: Interaction, battle_id: int) -> None:
        """Move a battle from its channel into a thread, at a press by one of its people or a referee."""
        hours = await self._bot.services[ServerHoursRepository].get(interaction.guild_id)
        async with self._bot.services[Database].alone(f"thread {battle_id}", wait=True):
            battle = await self._battles.get(battle_id, origin_of(interaction))
            if battle is None or not battle.is_open:
                raise RuleError(OUTDATED_BUTTON)
            if battle.thread_id is not None:
                raise MarkdownError(f"#{battle.number} is in its thread already: <#{battle.thread_id}>.")
            if interaction.user.id != battle.starter_id:
                seat_or_referee(battle, interaction)
            site = _site(interaction, hours.forum_id)
            await acknowledge(interaction)
            battle, why = await self.open(interaction, battle, site, interaction.id)
        await self._publisher.refresh(battle.id, interaction if why else None)
        if why:
            raise RuleError(why)

    async def tell(self, interaction: Interaction, why: str) -> None:
        """Tell the user why a battle has no thread, if there is anything to tell."""
        if why:
            with undelivered(_log, "not_answered"):
                await reply(interaction, text_view([f"🧵 {plain_sentence(why, LAYOUT_TEXT)}"]))

    async def follow(self, battle: Battle) -> None:
        """Bring the line in the channel up to date, rename the thread, or close it."""
        kept = await self._threads.of(battle.id)
        if kept is None:
            return
        if kept.thread_id < 0:
            await self._take_up(battle, kept)
            return
        at = await self._bot.services[Presenters].position(battle)
        name = await self._name(at)
        kept = await self._write_line(at, kept, name)
        try:
            if kept.closed:
                return
            if battle.is_open:
                await self._rename(kept, name)
            elif not await self._threads.is_shared(kept.thread_id, battle.id):
                await self._close(kept, name)
        except discord.HTTPException as error:
            if error.code == UNKNOWN_CHANNEL:
                await self._leave(kept.thread_id)
            elif lacks_access(error):  # else tried until the battle is forgotten
                await self._threads.put(replace(kept, closed=True))
            else:
                raise

    async def _take_up(self, battle: Battle, kept: BattleThread) -> None:
        """Show a battle in the post that Discord made for it while the bot was down, or as the connection broke."""
        guild, me = self._bot.get_guild(battle.guild_id or 0), self._bot.user
        if guild is None or me is None:
            return  # the next maintenance asks again
        for post in await guild.active_threads():
            ours = post.owner_id == me.id and isinstance(post.parent, discord.ForumChannel)
            if ours and _digest(post.name) == kept.name and not await self._threads.is_shared(post.id, battle.id):
                # Its first message has the id of the post.
                await self._threads.open(replace(kept, thread_id=post.id, line_id=battle.panel_id), post.id)
                await self._publisher.pending([battle.id])
                return
        await self._leave(kept.thread_id)
        if battle.panel_id is not None:
            await self._publisher.refresh(battle.id)  # the line may have taken the panel's place already

    async def _post(self, battle: Battle, forum: discord.ForumChannel, name: str) -> tuple[int, int | None]:
        """Open a forum's post that shows a battle, and return its id and that of the panel."""
        panel = await self._publisher.render(battle, None)
        post = await forum.create_thread(
            name=name,
            auto_archive_duration=KEPT_MINUTES,
            view=panel.view,
            files=panel.view.files,
            applied_tags=await _tags(forum, OPEN),
            allowed_mentions=discord.AllowedMentions.none(),
        )
        return post.thread.id, post.message.id

    async def _write_line(self, at: Position[Any], kept: BattleThread, name: str) -> BattleThread:
        """Say in the channel how the battle stands; at its end with the card and the buttons, which threads lock."""
        if kept.line_id is None:
            return kept
        battle = at.battle
        # The thread that is started from the line hangs below it.
        link = "" if kept.thread_id == kept.line_id else f": <#{kept.thread_id}>"
        head = f"🧵 **{plain(name)}**{link}"
        text = f"{head}\n{at.fighters}"
        said, view = _digest(f"{battle.status}{text}"), text_view([text])
        if said == kept.line:
            return kept
        if not battle.is_open:
            view = (await self._publisher.render(battle, None, [head] if link else [])).view
        channel = self._bot.get_partial_messageable(kept.channel_id, guild_id=battle.guild_id)
        message = channel.get_partial_message(kept.line_id)
        kept = replace(kept, line=said)
        try:
            await edit_message(message, view)
        except discord.HTTPException as error:
            if error.code not in {UNKNOWN_CHANNEL, UNKNOWN_MESSAGE} and not lacks_access(error):
                raise
            kept = replace(kept, line_id=None)
        await self._threads.put(kept)
        return kept

    async def _rename(self, kept: BattleThread, name: str, thread: discord.Thread | None = None) -> None:
        """Name a thread anew, unless that was done lately; Discord may refuse, and the name stays as it is."""
        now = int(self._bot.clock())
        if _digest(name) == kept.name or (thread is None and now - kept.named_at < RENAME_SECONDS):
            return
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                await (thread or await self._thread(kept.thread_id)).edit(name=name)
        except (*UNDELIVERED, TimeoutError) as error:
            event(_log, "not_renamed", level=logging.WARNING, battle=kept.battle_id, error=repr(error))
            if isinstance(error, discord.HTTPException) and error.code == UNKNOWN_CHANNEL:
                raise
        await self._threads.put(replace(kept, name=_digest(name), named_at=now))

    async def _close(self, kept: BattleThread, name: str) -> None:
        """Archive a thread, and lock it where the bot may manage threads; a forum's post gets its tag."""
        thread = await self._thread(kept.thread_id)
        if thread.archived:
            await thread.edit(archived=False)
        await self._rename(kept, name, thread)
        tags: dict[str, Any] = {}
        if isinstance(thread.parent, discord.ForumChannel):
            others = [tag for tag in thread.applied_tags if tag.name.casefold() != OPEN]
            tags["applied_tags"] = [*others, *await _tags(thread.parent, OVER)][:_MAX_TAGS]
        try:
            await thread.edit(archived=True, locked=True, **tags)
        except discord.Forbidden:
            await thread.edit(archived=True)
        closed = await self._threads.of(kept.battle_id)
        await self._threads.put(replace(closed or kept, closed=True))

    async def _thread(self, thread_id: int) -> discord.Thread:
        """Return a thread as it is: what is known of it is old where it was archived meanwhile."""
        return cast("discord.Thread", await self._bot.fetch_channel(thread_id))

    async def _leave(self, thread_id: int) -> None:
        """Show the battles of a thread that is gone in their channels."""
        await self._publisher.pending(await self._threads.leave(thread_id))

    async def _deleted(self, payload: discord.RawThreadDeleteEvent) -> None:
        await self._leave(payload.thread_id)

    async def _name(self, at: Position[Any]) -> str:
        title = (await self.namer(at.battle) if self.namer else None) or at.presenter.title
        state = at.progress.removeprefix("at ")
        return shorten(harmless(f"{title} #{at.battle.number} · {state}"), MAX_THREAD_NAME)


def _site(interaction: Interaction, forum_id: int | None) -> Site:
    """Return where a thread can be opened for an interaction; RuleError with what is missing for that."""
    guild, here = interaction.guild, interaction.channel
    if guild is None or guild.me is None:
        raise RuleError("I can open threads only in servers that I am a member of.")
    site = here if forum_id is None else guild.get_channel(forum_id)
    if forum_id is None and isinstance(here, discord.Thread):
        site = here.parent if isinstance(here.parent, discord.ForumChannel) else None  # a post beside this one
    if not isinstance(site, discord.TextChannel | discord.ForumChannel):
        what = "here" if forum_id is None else "in the forum of `/battle settings`: it is gone"
        raise RuleError(f"No thread can be opened {what}.")
    allowed = interaction.app_permissions if site.id == interaction.channel_id else site.permissions_for(guild.me)
    needed = _OF_FORUM if isinstance(site, discord.ForumChannel) else _OF_CHANNEL
    lacking = [label for flag, label in needed.items() if not getattr(allowed, flag)]
    if lacking:
        raise RuleError(f"For a thread I need {' and '.join(lacking)} in #{site.name}.")
    return site


async def _tags(forum: discord.ForumChannel, name: str) -> list[discord.ForumTag]:
    """Return a forum's tag of that name, made if the bot may manage channels; none where it may not."""
    found = [tag for tag in forum.available_tags if tag.name.casefold() == name]
    has_room = len(forum.available_tags) < _MAX_FORUM_TAGS
    if not found and has_room and forum.permissions_for(forum.guild.me).manage_channels:
        found = [await forum.create_tag(name=name)]
    return found[:1]


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
