"""Questions in plain words: in a message that mentions the bot, and through the menu of any message.

A game says with its `PlainLine` what it can answer. Discord hands over what a message says only if it mentions the bot
or is a direct one; so the intents for messages aren't privileged.
"""

import asyncio
import logging
import re
import time
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, cast

import discord
from discord.ext import commands

from bot.client import UNDELIVERED, Client, Interaction
from bot.games import Games, PlainLine
from bot.logging_setup import event, request_id
from bot.metrics import Result
from bot.store.battles import ServerHoursRepository
from bot.store.queries import MessageRepository
from bot.ui import View, plain_sentence, plain_view
from bot.ui.error_replies import error_text
from bot.ui.interactions import edit_message, record_result
from sim.core import RuleError, TextError

FOLLOWED_SECONDS = 60
"""How long after a message was written its edits are followed."""

MAX_FOLLOWED = 1000
MAX_TEXT, MAX_READ = 300, 900
"""Characters of a text that is read, and of all texts of a message: words that no game knows take time to look up."""

_MAX_SENTENCE = 200
_DEFENDS = re.compile(r"\b(?:def|hold|held|surviv)", re.IGNORECASE)  # before a number, it turns the sides around
_NO_WORDS = re.compile(r"<(?:@[!&]?|#|a?:\w+:|t:)\d+(?::\w)?>|https?://\S+")
"""Mentions, emojis, times and links: the numbers in them are no units."""

_log = logging.getLogger("fracas.app")


@dataclass(frozen=True, slots=True)
class Sender:
    """Who asks by a message, and where."""

    client: Client
    user: discord.User | discord.Member
    guild_id: int | None
    channel_id: int


@dataclass(slots=True)
class _Asked:
    """A message to the bot: what it asked last, and the reply, if there is one. `is_closed`: edits change nothing."""

    text: str | None = None
    reply: discord.Message | None = None
    is_hint: bool = False
    is_closed: bool = False
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


class PlainWords(commands.Cog, name="Plain words"):
    """Answers what is no command."""

    def __init__(self, bot: Client) -> None:
        self._bot = bot
        found = (loaded.game.plain_line for loaded in bot.services[Games])
        self._lines = [plain for plain in found if plain is not None]
        self._asked: OrderedDict[int, _Asked] = OrderedDict()
        self._running: set[asyncio.Task[Any]] = set()
        self._silent: set[int] = set()
        if self._lines:
            bot.add_menu("Odds of this", "who wins the battle it describes; only you see the answer", self._odds)

    async def cog_unload(self) -> None:
        """Answer nothing more."""
        for task in self._running:
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)

    async def _odds(self, interaction: Interaction, message: discord.Message) -> None:
        plain, text = self._expect(_texts(message), "in this message")
        query = await plain.query(interaction, text)
        await query.model_copy(update={"private": True}).ask(interaction)

    @commands.Cog.listener()
    async def on_heard_edit(self, message: discord.Message) -> None:
        """Let the answer follow an edit; links that Discord unfolds are none."""
        edited = message.edited_at
        if edited is not None and (edited - message.created_at).total_seconds() <= FOLLOWED_SECONDS:
            await self.hear(message)

    @commands.Cog.listener("on_heard")
    async def hear(self, message: discord.Message) -> None:
        """Answer a message to the bot."""
        text = self._addressed(message)
        if text is None:
            return
        asked = self._asked.setdefault(message.id, _Asked())
        if len(self._asked) > MAX_FOLLOWED:
            self._asked.popitem(last=False)
        task = cast("asyncio.Task[Any]", asyncio.current_task())
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        async with asked.lock:
            if not asked.is_closed and text != asked.text:
                await self._answer(message, text, asked)

    def _addressed(self, message: discord.Message) -> str | None:
        """Return what a message says to the bot, None if it says nothing to it; a reply to it needn't mean it."""
        me = self._bot.user
        if me is None or not self._lines or message.author.bot or message.webhook_id is not None:
            return None
        text, mentions = re.subn(rf"<@!?{me.id}>", " ", message.content)
        text = text.strip()
        if mentions or (message.guild is None and self._find([text]) is not None):
            return text
        return None

    async def _answer(self, message: discord.Message, text: str, asked: _Asked) -> None:
        request_id.set(str(message.id))
        began, is_first, asked.text = time.perf_counter(), asked.text is None, text
        guild_id = None if message.guild is None else message.guild.id
        if is_first:
            if guild_id is not None:
                asked.is_closed = not (await self._bot.services[ServerHoursRepository].get(guild_id)).mentions
            if asked.is_closed or not await self._bot.services[MessageRepository].take(message.id):
                asked.is_closed = True
                return
        sender = Sender(self._bot, message.author, guild_id, message.channel.id)
        result: Result = "ok"
        try:
            plain, line = self._expect(_texts(message), "in that")
            query = await plain.query(sender, line)
            view = await query.answer(sender)
        except RuleError as error:
            result = "refused"
            if not is_first and (asked.reply is None or asked.is_hint):
                return  # it was said once
            view = plain_view(_hint(error))
        asked.is_hint = result == "refused"
        await self._post(message, asked, view)
        record_result(sender, "command", "mention", result, time.perf_counter() - began)

    async def _post(self, message: discord.Message, asked: _Asked, view: View) -> None:
        """Reply, or change the reply; where the bot may not write, be silent, and log that once."""
        try:
            if asked.reply is not None:
                await edit_message(asked.reply, view)
            else:
                asked.reply = await message.reply(view=view, files=view.files, nonce=message.id, mention_author=False)
        except discord.Forbidden as error:
            asked.is_closed = True
            if message.channel.id not in self._silent:
                self._silent.add(message.channel.id)
                event(_log, "mention_not_answered", level=logging.WARNING, channel=message.channel.id, error=str(error))
        except UNDELIVERED as error:  # such as a message that was deleted meanwhile
            asked.is_closed = True
            event(_log, "undelivered", level=logging.WARNING, error=str(error))

    def _expect(self, texts: Iterable[str], where: str) -> tuple[PlainLine, str]:
        found = self._find(_candidates(texts))
        if found is None:
            raise RuleError(f"I don't see a battle {where}. This is one: {self._lines[0].example}")
        return found

    def _find(self, texts: Iterable[str]) -> tuple[PlainLine, str] | None:
        """Return the first text that a game reads as a battle, with its reader."""
        left = MAX_READ
        for text in dict.fromkeys(texts):
            if len(text) > MAX_TEXT:
                continue
            left -= len(text)
            if left < 0:
                return None
            for plain in self._lines:
                if text and plain.reads(text):
                    return plain, text
        return None


def _hint(error: RuleError) -> str:
    """Return one sentence about what can't be answered: the nearest reading where every word has one."""
    if not isinstance(error, TextError):
        return error_text(error)
    meant = error.text
    for problem in reversed(error.problems):
        if problem.suggestion is None or error.more:
            return f"⚠️ {plain_sentence(error.sentences[0], _MAX_SENTENCE)}"
        meant = f"{meant[: problem.span.start]}{problem.suggestion}{meant[problem.span.end :]}"
    return f"🤔 Did you mean {plain_sentence(meant, _MAX_SENTENCE)}? Edit your message, and I'll answer."


def _texts(message: discord.Message) -> Iterator[str]:
    """Yield what a message may have a battle in: its text, its pictures' descriptions, what it forwards."""
    parts: list[discord.Message | discord.MessageSnapshot] = [message, *message.message_snapshots]
    for part in parts:
        yield part.content
        yield from (picture.description or "" for picture in part.attachments)
        yield from _shown(part.components)


def _shown(components: Iterable[Any]) -> Iterator[str]:
    """Yield the texts and the descriptions of pictures in a layout."""
    for each in components:
        match each:
            case discord.TextDisplay():
                # Without the emojis and signs that decorate it.
                yield re.sub(r"[^\w\s.,:;|+&()>/'-]", " ", _NO_WORDS.sub(" ", each.content))
            case discord.MediaGalleryComponent():
                yield from (item.description or "" for item in each.items)
            case _:
                yield from _shown(getattr(each, "children", ()))


def _candidates(texts: Iterable[str]) -> Iterator[str]:
    """Yield texts whole, then their lines, each also from its first number on: "What about 6 tanks vs 10 inf?"."""
    for written in texts:
        text = _NO_WORDS.sub(" ", written)
        for part in (text, *text.splitlines()):
            yield part.strip()
            if (number := re.search(r"\d", part)) is not None and not _DEFENDS.search(part[: number.start()]):
                yield part[number.start() :].strip()
