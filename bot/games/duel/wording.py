"""`/duel words`: the messages of a server, changed in a form, heard before they count."""

from collections.abc import Mapping, Sequence
from typing import Any

import discord

from bot.answers.document import EDIT_ACTION, FIX_ACTION, Document
from bot.answers.handler import QueryHandler, form
from bot.answers.query import Query
from bot.battles.permissions import is_referee
from bot.client import Interaction
from bot.games.duel.duel_messages import DuelMessageRepository
from bot.games.duel.render.words import KEEP, RESET, words_book
from bot.store.queries import StoredQuery
from bot.ui.limits import MAX_ENTRY
from bot.ui.modals import text_field
from bot.ui.progress import Progress
from sim.core.errors import RuleError
from sim.duel.phrases import NARRATED_WORDS
from sim.duel.words import MAX_VARIANTS as MOST_TEXTS
from sim.duel.words import Message, Words
from sim.workers import Caller

_HINTS = {
    Message.INITIATIVE: "$Name$0 acts, %d is the count",
    Message.ATTACK: "$Name$0 attacks $name$1; $heSheIt$0, $himHerIt$1, $hisHerIts$0",
    Message.HIT: "$Name$0 hits $name$1, %d is the damage",
    Message.MISS: "$Name$0 misses $name$1",
    Message.DEATH: "$Name$0 has slain $name$1",
}


class WordsQuery(Query):
    """Whose messages, and those that were typed and aren't kept yet, by name; None shows the present ones.

    `guild_id` is None for a person's own.
    """

    guild_id: int | None
    user_id: int
    typed: dict[str, str] | None = None


class WordsHandler(QueryHandler[WordsQuery]):
    """Shows messages and lets a referee change them."""

    kind = "duel-words"
    query = WordsQuery

    async def check(self, query: WordsQuery, _caller: Caller) -> None:
        """Read every message; TextError with the place of a bad one."""
        if query.typed is not None:
            read_words(query.typed)

    async def build_document(self, query: WordsQuery, _caller: Caller, _progress: Progress) -> Document:
        """Return the messages' pages."""
        words = await self._words(query)
        replaced = frozenset(
            message for message in Message if words.variants(message) != NARRATED_WORDS.variants(message)
        )
        where = "here" if query.guild_id is not None else "in your direct messages"
        return words_book(words, replaced, where, draft=query.typed is not None)

    async def build_files(self, query: WordsQuery, _caller: Caller) -> dict[str, bytes]:
        """Return the messages as JSON."""
        return {"words.json": (await self._words(query)).model_dump_json(indent=1).encode()}

    async def act(self, interaction: Interaction, stored: StoredQuery, action: str) -> None:
        """Open the form, keep what was typed, or go back to the rules' own."""
        query = self._expect_right(interaction, stored)
        if action in {EDIT_ACTION, FIX_ACTION}:
            filled = query.model_copy(update={"typed": query.typed or as_typed(await self._words(query))})
            kept = await self.store(interaction, filled)
            await interaction.response.send_modal(form("The words of duels", kept.id, action, self.fields(filled)))
            return
        if action not in {KEEP.action, RESET.action}:
            raise RuleError("This button is of an older version; please run the command again.")
        texts = _changed(read_words(query.typed or {})) if action == KEEP.action else {}
        await self._bot.services[DuelMessageRepository].put(query.guild_id, query.user_id, texts)
        await self.replace(interaction, stored, query.model_copy(update={"typed": None}))

    async def submit(self, interaction: Interaction, stored: StoredQuery, action: str, values: dict[str, str]) -> None:
        """Show how what was typed would sound."""
        self._expect_right(interaction, stored)
        await super().submit(interaction, stored, action, values)

    def fields(self, query: WordsQuery) -> Sequence[discord.ui.Label[Any]]:
        """Return a field for each message, a line for each of its texts."""
        typed = query.typed or {}
        return [
            text_field(
                message.value,
                f"{message.capitalize()}: a line for each text",
                typed.get(message.value),
                max_length=MAX_ENTRY,
                hint=_HINTS[message],
                long=True,
            )
            for message in Message
        ]

    def apply_form(self, query: WordsQuery, values: dict[str, str]) -> WordsQuery:
        """Return the question with what was typed."""
        return query.model_copy(update={"typed": {message.value: values.get(message.value, "") for message in Message}})

    async def _words(self, query: WordsQuery) -> Words:
        if query.typed is not None:
            return read_words(query.typed)
        return NARRATED_WORDS.replace(
            await self._bot.services[DuelMessageRepository].get(query.guild_id, query.user_id)
        )

    def _expect_right(self, interaction: Interaction, stored: StoredQuery) -> WordsQuery:
        """Return the question; RuleError unless the user may change its messages here."""
        query = self.read(stored)
        if query.guild_id is None:
            if interaction.user.id != query.user_id:
                raise RuleError("These are somebody else's words; /duel words shows yours.")
        elif interaction.guild_id != query.guild_id or not is_referee(interaction):
            raise RuleError("Only somebody who may manage messages can change the words of a server.")
        return query


def as_typed(words: Words) -> dict[str, str]:
    """Return words as the form has them."""
    return {message.value: "\n".join(words.variants(message)) for message in Message}


def read_words(typed: Mapping[str, str]) -> Words:
    """Return words from the form; a message that was left empty is as the rules have it. TextError, RuleError."""
    texts = {
        message.value: [line.strip() for line in typed.get(message, "").splitlines() if line.strip()]
        for message in Message
    }
    for message, found in texts.items():
        if len(found) > MOST_TEXTS:
            raise RuleError(f"{message.capitalize()}: at most {MOST_TEXTS} texts, a line each, not {len(found)}.")
    return NARRATED_WORDS.replace({message: found for message, found in texts.items() if found})


def _changed(words: Words) -> dict[str, Sequence[str]]:
    return {
        message.value: words.variants(message)
        for message in Message
        if words.variants(message) != NARRATED_WORDS.variants(message)
    }
