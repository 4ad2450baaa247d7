"""Answers: a stored query becomes a paged document that works after a restart.

Here: queries, what players ask, a class for each kind; buttons and forms depend on no game. Each field of a query says
how a command and a form take it, and how it is stored; its methods what is done with it, also after a restart.
"""

import io
import operator
from abc import abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, ClassVar, Self, TypeVar

import discord
from pydantic import BaseModel, Field

from bot.answers import document as d
from bot.client import Asker, Client, Interaction, Named, mark_answered
from bot.store.database import cooperative
from bot.store.queries import QueryRepository, RecentTextRepository, StoredQuery
from bot.ui import LAYOUT_TEXT, View, code_block, plain_view, utf16_length
from bot.ui import options as o
from bot.ui.error_replies import OUTDATED_BUTTON, RefusedError
from bot.ui.interactions import caller_of, defer, defer_in_place, open_form, show_view
from bot.ui.progress import progress_bar
from sim.core import RuleError
from sim.core.cards.stickers import without_icons
from sim.core.staged_job import Job
from sim.workers.queue import Caller

UPLOADED = "uploaded"
"""Marks a field that names an upload by its hash, or several."""


class Query(o.Options):
    """What a player asked, as typed. It is stored as JSON, so a new field needs a default.

    A field that a command takes carries an `Option`, one that the form takes an `Entry`, or a dictionary of entries if
    it is one of texts, in the order of the fields.
    `stored_as` names its kind in the database and nowhere else. `has_form`: whether a rejection, and an answer in
    pages, offers its form; without one, a rejected query isn't stored. `private`: whether its asker alone sees the
    answer. `channel_id`: where it was asked, None before it is stored. `entered`: what was typed into its form and
    can't be read, by the fields' ids, to be fixed there.
    """

    stored_as: ClassVar[str]
    has_form: ClassVar[bool] = True
    form_title: ClassVar[str] = "Edit and run again"
    form_action: ClassVar[str] = d.EDIT_ACTION

    private: o.Private = False
    channel_id: int | None = None
    entered: dict[str, str] = Field(default_factory=dict, exclude_if=operator.not_)

    def request(self) -> Job[Any] | None:
        """Read everything typed, if anything is; RuleError with all that is wrong, TextError with its place."""
        return None

    def uploads(self) -> Sequence[str]:
        """Return the hashes in the fields marked `UPLOADED`, also of what it holds; they are kept as long as it is."""
        return tuple(dict.fromkeys(_uploads(self)))

    @property
    def recent_text(self) -> str | None:
        """The text to offer this player again, if any."""
        return None

    def fields(self) -> o.Fields:
        """Return the form's fields (at most 5), filled with what was typed."""
        fields = []
        for name, entry in self._entries():
            value = getattr(self, name)
            if isinstance(entry, dict):
                fields += o.entry_fields(entry, (value or {}) | self.entered)
            elif value is not None or not entry.if_given:
                fields.append(entry.field(name, self.entered.get(entry.id or name, value)))
        return fields

    def filled(self, values: o.Typed) -> Self:
        """Return the query with the form's values, by the fields' ids; RuleError for what isn't a number.

        What isn't among them stays: a form that an earlier version opened may lack it, and so do choices not made.
        """
        changes: dict[str, object] = {"entered": {}}
        for name, entry in self._entries():
            if isinstance(entry, dict):
                known = {**dict.fromkeys(entry, ""), **(getattr(self, name) or {}), **values}
                changes[name] = {key: known[key] for key, each in entry.items() if not each.is_file}
            elif (typed := values.get(entry.id or name)) is None or entry.is_file:
                continue
            elif entry.choices is not None and typed in entry.choices:
                changes[name] = type(getattr(self, name))(typed)
            elif entry.choices is None:
                changes[name] = entry.read(name, typed, type(self).model_fields[name])
        return self.model_copy(update=changes)

    async def written_out(self, _asker: Asker) -> Self:
        """Return the query with what its form's texts stand for; RuleError for what can't be used here."""
        return self

    async def act(self, interaction: Interaction, stored: StoredQuery, action: str) -> None:  # noqa: ARG002  # one form
        """Do what a button asks for, by default open the form as it was filled; the interaction is unanswered."""
        await self.send_form(interaction, stored)

    async def submit(self, interaction: Interaction, stored: StoredQuery, action: str, values: o.Typed) -> None:  # noqa: ARG002  # there is no form
        """Take the submitted form, opened for `action`."""
        raise RuleError(OUTDATED_BUTTON)

    async def read_form(self, interaction: Interaction, values: o.Typed) -> Self:
        """Return the query with its form's values; of what can't be read, the reply offers the form as typed."""
        async with self.model_copy(update={"entered": values}).fixable(interaction):
            return await self.filled(values).written_out(interaction)

    async def layout(self, _interaction: Interaction) -> tuple[str, o.Fields]:
        """Return the form's title and its fields, filled with what was typed."""
        return self.form_title, self.fields()

    async def send_form(
        self, interaction: Interaction, kept: StoredQuery | None = None, action: str | None = None
    ) -> None:
        """Open the form, filled with the query, which is stored unless it is `kept`; the interaction is unanswered."""
        title, fields = await self.layout(interaction)  # before it is stored: it may refuse
        kept = kept or await self.store(interaction)
        await open_form(interaction, d.form(title, kept.id, action or self.form_action, fields))

    async def store(self, asker: Asker) -> StoredQuery:
        """Store the query for its asker and their channel, from where alone it is found again."""
        stored = self.model_copy(update={"channel_id": asker.channel_id}).model_dump_json()
        queries = asker.client.services[QueryRepository]
        return await queries.add(self.stored_as, asker.user.id, asker.guild_id, stored, self.uploads())

    @asynccontextmanager
    async def fixable(self, interaction: Interaction, kept: StoredQuery | None = None) -> AsyncIterator[None]:
        """Offer the form if the block rejects the query, by a RuleError; the query is stored unless it is `kept`."""
        try:
            yield
        except RuleError as error:
            if not self.has_form:
                raise
            kept = kept or await self.store(interaction)
            raise RefusedError(error, d.action_buttons(kept.id, (d.FIX,))) from error

    @classmethod
    def _entries(cls) -> Sequence[tuple[str, o.Entry | dict[str, o.Entry]]]:
        return [
            (name, entry)
            for name, field in cls.model_fields.items()
            for entry in field.metadata
            if isinstance(entry, o.Entry | dict)
        ]


def _uploads(value: object, *, marked: bool = False) -> Iterator[str]:
    if isinstance(value, BaseModel):
        for name, field in type(value).model_fields.items():
            yield from _uploads(getattr(value, name), marked=UPLOADED in field.metadata)
    elif isinstance(value, tuple):
        for each in value:
            yield from _uploads(each, marked=marked)
    elif marked and isinstance(value, str):
        yield value


Changes = Mapping[str, Mapping[str, object] | Callable[[Any], Any]]
"""What an action changes: the values of fields, or a query into the one it asks for; RuleError if it can't be."""


Q = TypeVar("Q", bound=Query)


def reseeded(query: Q) -> Q:
    """Return the same question with another seed."""
    return query.model_copy(update={"seed": o.new_seed()})


@dataclass(frozen=True, slots=True)
class Answer:
    """A paged document, its files by name, made when they are wanted, and the address of a page that answers the same.

    `link` has at most `MAX_BUTTON_LINK` characters.
    """

    document: d.Document
    files: Callable[[], Mapping[str, bytes] | Awaitable[Mapping[str, bytes]]]
    link: str | None = None


def json_of(report: BaseModel) -> bytes:
    """Return a report as a JSON file."""
    return report.model_dump_json(indent=1).encode()


class PagedQuery(Query):
    """A query that is answered with a paged document and files.

    `checks_slowly`: whether `check` runs jobs or reads uploads; then the answer is deferred first. `changes`: how the
    document's actions change it.
    """

    checks_slowly: ClassVar[bool] = False
    changes: ClassVar[Changes] = {}

    @abstractmethod
    async def build(self, bot: Client, caller: Caller) -> Answer:
        """Return the answer, for each page anew, so what takes long is cached; RuleError, TextError with its place."""

    async def check(self, bot: Client, caller: Caller) -> object:
        """Find what is wrong before it is answered: in what was typed, or if slowly, by building the answer.

        What is read for that may be returned, for `build`.
        """
        return await self.build(bot, caller) if self.checks_slowly else self.request()

    async def ask(self, interaction: Interaction) -> None:
        """Answer a new query in a new message; the interaction may be deferred already, as before a file is read."""
        if self.checks_slowly:
            await defer(interaction, private=self.private)
        await self._check(interaction)
        await defer(interaction, private=self.private)
        await self._answer(interaction, private=self.private)

    async def act(self, interaction: Interaction, stored: StoredQuery, action: str) -> None:
        """Open the form, or apply one of the document's actions."""
        if self.has_form and action in {d.EDIT_ACTION, d.FIX_ACTION}:
            await self.send_form(interaction, stored, action)
        elif (change := self.changes.get(action)) is not None:
            changed = change(self) if callable(change) else self.model_copy(update=dict(change))
            await changed.replace(interaction, stored)
        else:
            raise RuleError(OUTDATED_BUTTON)

    async def submit(self, interaction: Interaction, stored: StoredQuery, action: str, values: o.Typed) -> None:
        """Take the form: edit an answer in place, or answer a fixed query in a new message."""
        query = await self.read_form(interaction, values)
        if action == d.EDIT_ACTION:
            await query.replace(interaction, stored)
        else:
            await query.ask(interaction)

    async def replace(self, interaction: Interaction, older: StoredQuery) -> None:
        """Answer the query in place of an older one; the interaction is unanswered."""
        if not self.checks_slowly:
            await self._check(interaction)
        private = await defer_in_place(interaction, older.asker_id)
        if self.checks_slowly:
            await self._check(interaction)
        await self._answer(interaction, private=private)

    async def show(self, interaction: Interaction, stored: StoredQuery, number: int | None, *, private: bool) -> None:
        """Answer the deferred interaction with a page, from 0; None: the one it opens at. A bar shows until then."""
        share = private and interaction.user.id == stored.asker_id
        async with progress_bar(interaction):
            view = await self._page(interaction, stored, number, share=share)
        await show_view(interaction, view)  # it drops the pictures of other pages

    async def answer(self, asker: Asker) -> View:
        """Return the answer to a new query that came in a message, for everybody; RuleError."""
        await self.check(asker.client, caller_of(asker))
        answer = await self._page(asker, await self.store(asker), None, share=False)
        await self._remember(asker)
        return answer

    async def _page(self, asker: Asker, stored: StoredQuery, number: int | None, *, share: bool) -> View:
        query = asker.client.services[Queries].read_paged(stored)  # so that a first answer is built as after a restart
        document = (await query.build(asker.client, caller_of(asker))).document
        number = min(document.opens if number is None else number, len(document.pages) - 1)
        return d.answer_view(document, number, stored.id, share=share)

    async def share(self, interaction: Interaction) -> None:
        """Answer the deferred interaction for everybody, with a query of its own: a private one is its asker's."""
        query = self.model_copy(update={"private": False})
        await query.show(interaction, await query.store(interaction), 0, private=False)

    async def send_files(self, interaction: Interaction, stored: StoredQuery) -> None:
        """Send the answer's files to the user alone, in a follow-up to the deferred interaction."""
        mark_answered(interaction)  # files are no edit: why they take long is a message of its own, which goes again
        answer = await self.build(interaction.client, caller_of(interaction))
        made = answer.files()
        files = await made if isinstance(made, Awaitable) else made
        fitting = {name: data for name, data in files.items() if len(data) <= interaction.filesize_limit}
        text = "The whole answer as files."
        if len(fitting) < len(files):
            text = f"Too large to upload here: {', '.join(name for name in files if name not in fitting)}."
        attached = [discord.File(io.BytesIO(data), name) for name, data in fitting.items()]
        view = discord.ui.View(timeout=None)
        for button in d.action_buttons(
            stored.id, [d.Action(name, each.label, "📋") for name, each in d.FORMATS.items()]
        ):
            view.add_item(button)
        if answer.link is not None:
            view.add_item(discord.ui.Button(label="Open in a browser", url=answer.link))
        view.stop()
        await interaction.followup.send(text, files=attached, view=view, ephemeral=True)

    async def send_copy(self, interaction: Interaction, to: d.Format) -> None:
        """Answer the deferred interaction with the whole answer, in private: as a file, and if it fits to be copied."""
        answer = await self.build(interaction.client, caller_of(interaction))
        pages = [page.text() async for page in cooperative(answer.document.pages)]
        text = to.write(without_icons("\n".join([answer.document.headline, "", *pages])))
        block = code_block(text)
        fits = utf16_length(block) <= LAYOUT_TEXT and "```" not in text
        view = plain_view(block if fits else "This is too long to copy from a message; here it is as a file.")
        view.add_file(f"answer.{to.ending}", text.encode())
        await show_view(interaction, view)

    async def _check(self, interaction: Interaction) -> None:
        """Check the query, before deferring if that is quick, so that a rejection is private; store a rejected one."""
        async with self.fixable(interaction):
            await self.check(interaction.client, caller_of(interaction))

    async def _answer(self, interaction: Interaction, *, private: bool) -> None:
        query = self.model_copy(update={"private": private})
        stored = await query.store(interaction)
        async with query.fixable(interaction, stored):
            await query.show(interaction, stored, None, private=private)
        await self._remember(interaction)

    async def _remember(self, asker: Asker) -> None:
        if (text := self.recent_text) is not None:
            await asker.client.services[RecentTextRepository].remember(asker.user.id, self.stored_as, text)


class Queries(Named[type[Query]]):
    """All kinds of queries, by the names under which they are stored."""

    sort = "a kind of query"

    def add(self, *kinds: type[Query]) -> None:
        """Register kinds; NameTakenError for a name that is taken."""
        for kind in kinds:
            self[kind.stored_as] = kind

    def read(self, stored: StoredQuery) -> Query:
        """Return the query of a row; RuleError if this version has none of its kind."""
        if stored.kind not in self:
            raise RuleError(OUTDATED_BUTTON)
        return self[stored.kind].model_validate_json(stored.request)

    def read_paged(self, stored: StoredQuery) -> PagedQuery:
        """Return the query of a row if it is answered with pages; RuleError otherwise."""
        query = self.read(stored)
        if not isinstance(query, PagedQuery):
            raise RuleError(OUTDATED_BUTTON)
        return query
