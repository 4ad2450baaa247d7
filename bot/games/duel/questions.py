"""Questions of duels, `/duel odds` and `words`: their options, forms and answers; the options of rosters and words."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Annotated, ClassVar

import discord
from discord import app_commands

from bot.answers import UPLOADED, Answer, Changes, PagedQuery, json_of
from bot.answers.document import EDIT, EDIT_ACTION, FIX_ACTION, Action
from bot.battles.panel import is_referee
from bot.client import Client, Interaction
from bot.games.duel.render import KEEP, RESET, odds_document, roster_summary, words_document
from bot.games.duel.repositories import DuelMessageRepository
from bot.rosters import RosterKind, roster_content, saved_roster
from bot.store.queries import StoredQuery, UploadRepository
from bot.ui import MAX_ENTRY
from bot.ui.interactions import caller_of
from bot.ui.options import Entry, Option, Options, Seed, Typed
from sim.core import RuleError
from sim.core.names import name_key
from sim.duel.critter import Critter
from sim.duel.group_text import MAX_GROUP_TEXT, group_text, parse_group, read_as
from sim.duel.requests import DuelOddsRequest, OddsCardRequest, RosterRequest
from sim.duel.tables import MAX_NAMES, group_name
from sim.duel.words import MAX_TEMPLATE, MAX_VARIANTS, NARRATED_WORDS, Message, Words
from sim.workers.queue import Caller

ROSTER_KIND = RosterKind(
    name="duel",
    title="Duel roster",
    extension="csv",
    check=lambda content: RosterRequest(data=content),
    summarize=roster_summary,
)

_GROUP = "your characters, monsters or figures: 3 orcs, 8 hp str +1 ac 4 1d6"
_GroupText = app_commands.Range[str, 1, MAX_GROUP_TEXT]
FirstGroup = Annotated[str | None, Option(f"First: {_GROUP}", _GroupText)]
SecondGroup = Annotated[str | None, Option(f"Second: {_GROUP}", _GroupText)]

_say = partial(Option, takes=app_commands.Range[str, 1, MAX_TEMPLATE])
_SAVED = Option("Or a saved roster by its name, or a published sheet's link", saved_roster(ROSTER_KIND.name))
_HINTS = {
    Message.INITIATIVE: "$Name$0 acts, %d is the count",
    Message.ATTACK: "$Name$0 attacks $name$1; $heSheIt$0, $himHerIt$1, $hisHerIts$0",
    Message.HIT: "$Name$0 hits $name$1, %d is the damage",
    Message.MISS: "$Name$0 misses $name$1",
    Message.DEATH: "$Name$0 has slain $name$1",
}


class MessageOptions(Options):
    """Messages of one fight that replace those of the server."""

    initiative: Annotated[str | None, _say("This fight's initiative message, with $Name$0 and %d")] = None
    attack: Annotated[str | None, _say("This fight's attack message, such as: $Name$0 swings at $name$1!")] = None
    hit: Annotated[str | None, _say("This fight's hit message, with %d for the damage")] = None
    miss: Annotated[str | None, _say("This fight's miss message")] = None
    death: Annotated[str | None, _say("This fight's death message, about $name$1")] = None

    def texts(self) -> dict[str, tuple[str]]:
        """Return the given messages by their names."""
        given = {message.value: getattr(self, message.value) for message in Message}
        return {name: (text,) for name, text in given.items() if text is not None}


class GroupOptions(Options):
    """Two groups in one roster or in one each, as files or saved rosters."""

    roster: Annotated[
        discord.Attachment | None, Option("Both groups as a CSV file (name, side, hp, …), or the first one")
    ] = None
    against: Annotated[discord.Attachment | None, Option("The second group, if it has its own CSV file")] = None
    roster_saved: Annotated[str | None, _SAVED] = None
    against_saved: Annotated[str | None, _SAVED] = None

    async def rosters(self, interaction: Interaction) -> tuple[bytes, bytes | None]:
        """Return the rosters, None without a second one; RuleError if one can't be read.

        Needs a deferred interaction.
        """
        first = await roster_content(interaction, ROSTER_KIND.name, self.roster, self.roster_saved)
        if self.against is None and self.against_saved is None:
            return first.data, None
        given = self.against, self.against_saved
        return first.data, (await roster_content(interaction, ROSTER_KIND.name, *given, "against")).data


async def _odds(
    bot: Client, caller: Caller, request: DuelOddsRequest, actions: Sequence[Action] = (), told: str | None = None
) -> Answer:
    """Return the odds, simulated in several jobs unless they are exact, with the report and the chart as files.

    `told`: how the groups were read; None if both are typed plainly.
    """
    simulator, groups = bot.simulator, (request.group1, request.group2)
    report = await (simulator.run if request.is_exact else simulator.in_parts)(request, caller)
    job = OddsCardRequest(report=report, names=(group_name(groups[0], MAX_NAMES), group_name(groups[1], MAX_NAMES)))
    # The request is the key: a simulated report isn't hashable.
    chart = await simulator.through(("duel-card", request), lambda: simulator.once(job, caller))
    document = odds_document(report, groups, chart, actions, told)
    return Answer(document, lambda: {"odds.json": json_of(report), "odds.png": chart})


class TypedQuery(PagedQuery):
    """Asks for the odds of two groups as text; `known`: the user's own characters at that time."""

    stored_as = "duel-odds"

    seed: Seed
    first: Annotated[str, Entry("First group", MAX_GROUP_TEXT, _GROUP, long=True)]
    second: Annotated[str, Entry("Second group", MAX_GROUP_TEXT, _GROUP, long=True)]
    known: tuple[Critter, ...] = ()

    def request(self) -> DuelOddsRequest:
        """Parse both groups; TextError or RuleError with every mistake."""
        known = {name_key(critter.name): critter for critter in self.known}
        return DuelOddsRequest(
            group1=parse_group(self.first, known, "First"),
            group2=parse_group(self.second, known, "Second"),
            seed=self.seed,
        )

    async def build(self, bot: Client, caller: Caller) -> Answer:
        """Return the odds, and how the groups were read unless both are typed plainly."""
        request, known = self.request(), {name_key(critter.name): critter for critter in self.known}
        named, told = {"First": self.first, "Second": self.second}, None
        if any(read_as(text, known, name) is not None for name, text in named.items()):
            groups = (parse_group(text, known, name) for name, text in named.items())
            told = " vs ".join(group_text(group, known, name) for group, name in zip(groups, named, strict=True))
        return await _odds(bot, caller, request, (EDIT,), told)


class FilesQuery(PagedQuery):
    """Asks for the odds of two groups in one or two uploads, by hash. No form: other files need a new command."""

    stored_as = "duel-file-odds"
    checks_slowly = True
    has_form = False

    seed: Seed
    roster: Annotated[str, UPLOADED]
    against: Annotated[str | None, UPLOADED] = None

    async def build(self, bot: Client, caller: Caller) -> Answer:
        """Return the odds."""
        return await _odds(bot, caller, await self.check(bot, caller))

    async def check(self, bot: Client, caller: Caller) -> DuelOddsRequest:
        """Read the files; the odds may take long."""
        read = bot.services[UploadRepository].read
        against = None if self.against is None else await read(self.against)
        files = RosterRequest(data=await read(self.roster), against=against)
        first, second = (await bot.simulator.run(files, caller)).groups()
        return DuelOddsRequest(group1=first, group2=second, seed=self.seed)


class WordsQuery(PagedQuery):
    """The messages of a server, or of a user if `guild_id` is None; `typed`: a draft of them by name."""

    stored_as = "duel-words"
    form_title = "What duels say"
    changes: ClassVar[Changes] = {RESET.action: {"typed": {}}}

    guild_id: int | None
    user_id: int
    typed: Annotated[
        dict[str, str] | None,
        {
            message.value: Entry(f"{message.capitalize()}: one text per line", MAX_ENTRY, hint, long=True)
            for message, hint in _HINTS.items()
        },
    ] = None

    async def build(self, bot: Client, caller: Caller) -> Answer:
        """Return the pages of the messages, which are the file, too."""
        words = await self.check(bot, caller)
        replaced = frozenset(map(Message, _replaced(words)))
        where = "here" if self.guild_id is not None else "in your direct messages"
        document = words_document(words, replaced, where, draft=self.typed is not None)
        return Answer(document, lambda: {"words.json": json_of(words)})

    async def check(self, bot: Client, _caller: Caller) -> Words:
        """Return the messages of the draft, or those that are kept; TextError or RuleError for an invalid one."""
        if self.typed is not None:
            return _parse_words(self.typed)
        return NARRATED_WORDS.replace(await bot.services[DuelMessageRepository].get(self.guild_id, self.user_id))

    async def act(self, interaction: Interaction, stored: StoredQuery, action: str) -> None:
        """Open the form, store the draft, or preview the standard texts as one."""
        self._expect_allowed(interaction)
        if action in {EDIT_ACTION, FIX_ACTION}:
            words = None if self.typed else await self.check(interaction.client, caller_of(interaction))
            typed = self.typed if words is None else {name: "\n".join(texts) for name, texts in words}
            await self.model_copy(update={"typed": typed}).send_form(interaction, action=action)
        elif action == KEEP.action:
            texts = _replaced(_parse_words(self.typed or {}))
            await interaction.client.services[DuelMessageRepository].put(self.guild_id, self.user_id, texts)
            await self.model_copy(update={"typed": None}).replace(interaction, stored)
        else:
            await super().act(interaction, stored, action)

    async def submit(self, interaction: Interaction, stored: StoredQuery, action: str, values: Typed) -> None:
        """Preview the draft."""
        self._expect_allowed(interaction)
        await super().submit(interaction, stored, action, values)

    def _expect_allowed(self, interaction: Interaction) -> None:
        """Raise RuleError unless the user may change these messages here."""
        if self.guild_id is None:
            if interaction.user.id != self.user_id:
                raise RuleError("These are another player's words; /duel words shows yours.")
        elif interaction.guild_id != self.guild_id or not is_referee(interaction):
            raise RuleError("Only a mod can change this server's words.")


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
    return {name: texts for name, texts in words if texts != getattr(NARRATED_WORDS, name)}
