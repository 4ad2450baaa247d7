"""Handlers of duels' queries: odds, characters, messages, challenges."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import discord

from bot.answers.document import EDIT, EDIT_ACTION, FIX_ACTION, Action, Document, Page
from bot.answers.handler import FormHandler, Q, Query, QueryHandler, form
from bot.answers.paginator import action_row
from bot.battles.permissions import is_referee
from bot.battles.service import UnshownError
from bot.client import Client, Interaction
from bot.games.duel.characters import FIELD, CharacterService
from bot.games.duel.options import GROUP, Turns
from bot.games.duel.render import (
    COLOURS,
    KEEP,
    RESET,
    character_line,
    critter_line,
    odds_document,
    sheet,
    words_document,
)
from bot.games.duel.repositories import DuelMessageRepository
from bot.games.duel.start_battle import Seats, open_duel, words_here
from bot.store.chronicle import LadderRepository
from bot.store.queries import QueryRepository, StoredQuery
from bot.store.uploads import UploadRepository
from bot.ui.error_replies import OUTDATED_BUTTON, MarkdownError
from bot.ui.interactions import acknowledge, caller_of, defer, edit_reply, open_form
from bot.ui.layout import text_view
from bot.ui.modals import text_field
from bot.ui.options import Seed
from bot.ui.progress import NO_PROGRESS, Progress
from bot.ui.text import MAX_CHOICE, MAX_ENTRY, shorten
from sim.core.cards.requests import SheetCardRequest
from sim.core.errors import RuleError
from sim.core.names import name_key
from sim.core.numbers import quantity
from sim.duel.battle.values import GROUP_1, GROUP_2
from sim.duel.character_cards import character_card, characters_card
from sim.duel.critter import Critter
from sim.duel.group_text import MAX_NAMES, MAX_TEXT, group_name, parse_group
from sim.duel.phrases import NARRATED_WORDS
from sim.duel.reports import DuelOdds
from sim.duel.requests import DuelOddsRequest, GroupsRequest, OddsCardRequest
from sim.duel.tables import Roster, RosterSide, write_roster
from sim.duel.words import MAX_VARIANTS, Message, Words
from sim.workers import Caller

_ACCEPT = Action("accept", "Accept", "⚔️")
_DECLINE = Action("decline", "Decline", "🕊️")

_GONE = "This challenge has been answered, or is too old."
_HINTS = {
    Message.INITIATIVE: "$Name$0 acts, %d is the count",
    Message.ATTACK: "$Name$0 attacks $name$1; $heSheIt$0, $himHerIt$1, $hisHerIts$0",
    Message.HIT: "$Name$0 hits $name$1, %d is the damage",
    Message.MISS: "$Name$0 misses $name$1",
    Message.DEATH: "$Name$0 has slain $name$1",
}


class TypedQuery(Query):
    """Two groups as text; `known`: the user's own characters at that time."""

    first: str
    second: str
    known: tuple[Critter, ...] = ()
    seed: Seed

    def request(self) -> DuelOddsRequest:
        """Parse both groups; TextError or RuleError with every mistake."""
        known = {name_key(critter.name): critter for critter in self.known}
        return DuelOddsRequest(
            group1=parse_group(self.first, known, "First"),
            group2=parse_group(self.second, known, "Second"),
            seed=self.seed,
        )


class FilesQuery(Query):
    """Two groups in one or two uploads, by hash."""

    roster: str
    against: str | None = None
    seed: Seed

    def uploads(self) -> Sequence[str]:
        """Return the hashes of the uploads."""
        return tuple(dict.fromkeys(sha256 for sha256 in (self.roster, self.against) if sha256 is not None))


class OddsHandler(QueryHandler[Q]):
    """Shows the odds of two groups, simulated in several jobs unless they are exact."""

    @abstractmethod
    async def build_request(self, query: Q, caller: Caller) -> DuelOddsRequest:
        """Return the request of the query; RuleError or TextError if it can't be read."""

    async def check(self, query: Q, caller: Caller) -> None:
        """Read the groups."""
        await self.build_request(query, caller)

    async def build_document(self, query: Q, caller: Caller, progress: Progress) -> Document:
        """Return the pages of the odds."""
        request = await self.build_request(query, caller)
        report = await self._odds(request, caller, progress)
        chart = await self._chart(request, report, caller)
        return odds_document(report, (request.group1, request.group2), chart, (EDIT,) if self.has_form else ())

    async def build_files(self, query: Q, caller: Caller) -> dict[str, bytes]:
        """Return the report and the chart."""
        request = await self.build_request(query, caller)
        report = await self._odds(request, caller)
        chart = await self._chart(request, report, caller)
        return {"odds.json": report.model_dump_json(indent=1).encode(), "odds.png": chart}

    async def _chart(self, request: DuelOddsRequest, report: DuelOdds, caller: Caller) -> bytes:
        # The request is the key: a simulated report isn't hashable.
        names = group_name(request.group1, MAX_NAMES), group_name(request.group2, MAX_NAMES)
        job = OddsCardRequest(report=report, names=names)
        return await self._bot.simulator.through(("duel-card", request), lambda: self._bot.simulator.once(job, caller))

    async def _odds(self, request: DuelOddsRequest, caller: Caller, progress: Progress = NO_PROGRESS) -> DuelOdds:
        if request.is_exact:
            return await self._bot.simulator.run(request, caller)

        async def simulate() -> DuelOdds:
            return await self._bot.simulator.in_parts(request, caller, progress.update)

        return await self._bot.simulator.through(("duel-odds", request), simulate)


class TypedOddsHandler(OddsHandler[TypedQuery]):
    """Shows the odds of groups as text."""

    kind = "duel-odds"
    query = TypedQuery

    async def build_request(self, query: TypedQuery, _caller: Caller) -> DuelOddsRequest:
        """Parse both groups."""
        return query.request()

    def fields(self, query: TypedQuery) -> Sequence[discord.ui.Label[Any]]:
        """Return a field for each group."""
        return [
            text_field("first", "First group", query.first, max_length=MAX_TEXT, hint=GROUP, long=True),
            text_field("second", "Second group", query.second, max_length=MAX_TEXT, hint=GROUP, long=True),
        ]

    def apply_form(self, query: TypedQuery, values: dict[str, str]) -> TypedQuery:
        """Return the query with the groups from the form."""
        return query.model_copy(update={"first": values.get("first", ""), "second": values.get("second", "")})


class FilesOddsHandler(OddsHandler[FilesQuery]):
    """Shows the odds of groups from files. It has no form: other files need a new command."""

    kind = "duel-file-odds"
    query = FilesQuery
    checks_slowly = True
    has_form = False

    async def build_request(self, query: FilesQuery, caller: Caller) -> DuelOddsRequest:
        """Read the files."""
        read = self._bot.services[UploadRepository].read
        against = None if query.against is None else await read(query.against)
        files = GroupsRequest(data=await read(query.roster), against=against)
        first, second = await self._bot.simulator.run(files, caller)
        return DuelOddsRequest(group1=first, group2=second, seed=query.seed)


class CharactersQuery(Query):
    """A player's characters, or only the one called `name`."""

    owner_id: int
    name: str | None = None


class CharactersHandler(QueryHandler[CharactersQuery]):
    """Shows a player's present characters."""

    kind = "duel-characters"
    query = CharactersQuery
    has_form = False

    def __init__(self, bot: Client, characters: CharacterService) -> None:
        super().__init__(bot)
        self._characters = characters

    async def check(self, query: CharactersQuery, _caller: Caller) -> None:
        """Raise RuleError if there are none."""
        await self._critters(query)

    async def build_document(self, query: CharactersQuery, caller: Caller, _progress: Progress) -> Document:
        """Return a page for all characters, and a sheet for each."""
        critters = await self._critters(query)
        headline = f"### 🧍 {quantity(len(critters), 'character')} of <@{query.owner_id}>"
        card = await self.draw(SheetCardRequest(card=characters_card(critters)), "characters.png", caller)
        if len(critters) == 1:
            pages = [Page(shorten(critters[0].name, MAX_CHOICE), partial(character_line, critters[0]), card)]
        else:
            everybody = "\n".join(f"- {critter_line(critter)}" for critter in critters)
            pages = [Page("All of them", lambda: everybody, card)]
            pages += [Page(shorten(critter.name, MAX_CHOICE), partial(sheet, critter)) for critter in critters]
        return Document(headline, COLOURS[GROUP_1], pages)

    async def build_files(self, query: CharactersQuery, _caller: Caller) -> dict[str, bytes]:
        """Return a roster that `/duel groups` accepts."""
        side = RosterSide(name=GROUP_1, critters=tuple(await self._critters(query)))
        return {"Characters.csv": write_roster(Roster(sides=(side,)))}

    async def _critters(self, query: CharactersQuery) -> list[Critter]:
        if query.name is not None:
            return [(await self._characters.find(query.owner_id, query.name)).critter]
        critters = [character.critter for character in await self._characters.own(query.owner_id)]
        if not critters:
            raise RuleError("There is no character yet; /duel roll makes one.")
        return critters


class WordsQuery(Query):
    """The messages of a server, or of a user if `guild_id` is None; `typed`: a draft of them by name."""

    guild_id: int | None
    user_id: int
    typed: dict[str, str] | None = None


class WordsHandler(QueryHandler[WordsQuery]):
    """Shows messages and lets referees change them."""

    kind = "duel-words"
    query = WordsQuery

    async def check(self, query: WordsQuery, _caller: Caller) -> None:
        """Raise TextError or RuleError if a message of the draft is invalid."""
        if query.typed is not None:
            _parse_words(query.typed)

    async def build_document(self, query: WordsQuery, _caller: Caller, _progress: Progress) -> Document:
        """Return the pages of the messages."""
        words = await self._words(query)
        replaced = frozenset(map(Message, _replaced(words)))
        where = "here" if query.guild_id is not None else "in your direct messages"
        return words_document(words, replaced, where, draft=query.typed is not None)

    async def build_files(self, query: WordsQuery, _caller: Caller) -> dict[str, bytes]:
        """Return the messages as JSON."""
        return {"words.json": (await self._words(query)).model_dump_json(indent=1).encode()}

    async def act(self, interaction: Interaction, stored: StoredQuery, action: str) -> None:
        """Open the form, store the draft, or preview the standard texts as one."""
        query = self._read_allowed(interaction, stored)
        if action in {EDIT_ACTION, FIX_ACTION}:
            draft = query.model_copy(update={"typed": query.typed or _form_texts(await self._words(query))})
            stored_draft = await self.store(interaction, draft)
            modal = form("What duels say", stored_draft.id, action, self.fields(draft))
            await open_form(interaction, modal)
            return
        if action == RESET.action:
            await self.replace(interaction, stored, query.model_copy(update={"typed": {}}))
            return
        if action != KEEP.action:
            raise RuleError(OUTDATED_BUTTON)
        texts = _replaced(_parse_words(query.typed or {}))
        await self._bot.services[DuelMessageRepository].put(query.guild_id, query.user_id, texts)
        await self.replace(interaction, stored, query.model_copy(update={"typed": None}))

    async def submit(self, interaction: Interaction, stored: StoredQuery, action: str, values: dict[str, str]) -> None:
        """Preview the draft."""
        self._read_allowed(interaction, stored)
        await super().submit(interaction, stored, action, values)

    def fields(self, query: WordsQuery) -> Sequence[discord.ui.Label[Any]]:
        """Return a field for each message with one text per line."""
        typed = query.typed or {}
        return [
            text_field(
                message.value,
                f"{message.capitalize()}: one text per line",
                typed.get(message.value),
                max_length=MAX_ENTRY,
                hint=_HINTS[message],
                long=True,
            )
            for message in Message
        ]

    def apply_form(self, query: WordsQuery, values: dict[str, str]) -> WordsQuery:
        """Return the query with a draft from the form."""
        return query.model_copy(update={"typed": {message.value: values.get(message.value, "") for message in Message}})

    async def _words(self, query: WordsQuery) -> Words:
        if query.typed is not None:
            return _parse_words(query.typed)
        return NARRATED_WORDS.replace(
            await self._bot.services[DuelMessageRepository].get(query.guild_id, query.user_id)
        )

    def _read_allowed(self, interaction: Interaction, stored: StoredQuery) -> WordsQuery:
        """Return the query; RuleError unless the user may change its messages here."""
        query = self.read(stored)
        if query.guild_id is None:
            if interaction.user.id != query.user_id:
                raise RuleError("These are somebody else's words; /duel words shows yours.")
        elif interaction.guild_id != query.guild_id or not is_referee(interaction):
            raise RuleError("Only members who can manage messages may change this server's words.")
        return query


def _form_texts(words: Words) -> dict[str, str]:
    return {message.value: "\n".join(words.variants(message)) for message in Message}


def _parse_words(typed: Mapping[str, str]) -> Words:
    """Return the words of the form; an empty message has its standard texts."""
    texts = {
        message.value: [line.strip() for line in typed.get(message, "").splitlines() if line.strip()]
        for message in Message
    }
    for message, variants in texts.items():
        if len(variants) > MAX_VARIANTS:
            raise RuleError(f"{message.capitalize()}: at most {MAX_VARIANTS} texts, one per line, not {len(variants)}.")
    return NARRATED_WORDS.replace({message: variants for message, variants in texts.items() if variants})


def _replaced(words: Words) -> dict[str, Sequence[str]]:
    return {
        message.value: words.variants(message)
        for message in Message
        if words.variants(message) != NARRATED_WORDS.variants(message)
    }


class ChallengeQuery(Query):
    """A challenge; `character`: the challenger's at that time. `rated`: whether it says that the duel is rated."""

    challenger_id: int
    opponent_id: int
    character: Critter
    turns: Turns = "duellists"
    rated: bool = False


class ChallengeHandler(FormHandler[ChallengeQuery]):
    """Posts challenges and handles the answers: an accepted one becomes a battle's panel."""

    kind = "duel-challenge"
    query = ChallengeQuery

    def __init__(self, bot: Client, characters: CharacterService) -> None:
        super().__init__(bot)
        self._characters = characters

    async def ask(self, interaction: Interaction, query: ChallengeQuery) -> None:
        """Post the challenge in the channel."""
        await defer(interaction, private=False)
        rated = await self._bot.services[LadderRepository].is_open(interaction.guild_id)
        stored = await self.store(interaction, query.model_copy(update={"rated": rated}))
        lines = [
            f"### ⚔️ <@{query.challenger_id}> challenges <@{query.opponent_id}> to a duel",
            f"-# Only <@{query.opponent_id}> can answer.",
            *(["-# 🪜 Rated"] if rated else []),
        ]
        sheet = SheetCardRequest(card=character_card(query.character))
        card = await self.draw(sheet, "character.png", caller_of(interaction))
        view = text_view(["\n".join(lines)], picture=card)
        view.add_item(action_row(stored.id, (_ACCEPT, _DECLINE)))
        await interaction.edit_original_response(view=view, attachments=[card.file()])

    async def act(self, interaction: Interaction, stored: StoredQuery, action: str) -> None:
        """Let the opponent select a character, or decline."""
        query = self._read_challenge(interaction, stored)
        if action == _ACCEPT.action:
            field = await self._characters.select_field(interaction.user.id, None)
            await open_form(interaction, form("Accept the duel", stored.id, _ACCEPT.action, [field]))
        else:
            await acknowledge(interaction)
            if not await self._bot.services[QueryRepository].take(stored.id):
                raise RuleError(_GONE)
            text = f"🕊️ <@{query.opponent_id}> declines the duel with <@{query.challenger_id}>."
            await edit_reply(interaction, text)

    async def submit(self, interaction: Interaction, stored: StoredQuery, _action: str, values: dict[str, str]) -> None:
        """Start the duel in the challenge's message, once."""
        query = self._read_challenge(interaction, stored)
        await acknowledge(interaction)
        opponent = await self._characters.read_selection(interaction, values.get(FIELD, ""), (query.character,))
        words = await words_here(interaction)
        seats = Seats({GROUP_1: query.challenger_id, GROUP_2: query.opponent_id})
        if not await self._bot.services[QueryRepository].take(stored.id):
            raise RuleError(_GONE)
        try:
            groups = (query.character,), (opponent,)
            agreed = (query.challenger_id,) if query.rated else ()
            await open_duel(interaction, groups, words, query.turns, seats, agreed=agreed)
        except UnshownError:
            raise  # the duel has started: don't let the challenge be accepted again
        except RuleError:
            await self._bot.services[QueryRepository].put_back(stored)
            raise

    def _read_challenge(self, interaction: Interaction, stored: StoredQuery) -> ChallengeQuery:
        """Return the challenge; RuleError unless the user is the opponent."""
        query = self.read(stored)
        if interaction.user.id != query.opponent_id:
            raise MarkdownError(f"Only <@{query.opponent_id}> can answer this challenge.")
        return query
