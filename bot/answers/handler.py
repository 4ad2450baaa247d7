"""A desk answers one kind of question; the pager and the buttons know desks, not rule systems."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

import discord
from pydantic import BaseModel, ConfigDict

from bot.answers.document import Document
from bot.answers.paginator import defer_in_place, send_files, show
from bot.store.queries import StoredQuery
from bot.ui.interactions import caller_of, defer_once
from bot.ui.modals import form
from bot.ui.progress import SILENT, Progress
from sim.core.errors import RuleError
from sim.workers import Caller, Job

if TYPE_CHECKING:
    from bot.app import Fracas

EDIT = "edit"
"""The action of the button that opens the form under an answer."""

FIX_ACTION = "mend"
"""The action of the button that opens the form under a refusal."""


class RejectedDraftError(Exception):
    """A question that was refused but kept, so that its player can mend it in a form instead of typing it again."""

    def __init__(self, error: RuleError, calculation_id: str) -> None:
        super().__init__(error, calculation_id)
        self.error = error
        self.calculation_id = calculation_id


class Query(BaseModel):
    """What a player asked, as typed. Kept in the database: a field that is added needs a default."""

    model_config = ConfigDict(frozen=True)

    private: bool = False

    def request(self) -> Job[Any]:
        """Read everything typed; RuleError with all that is wrong, TextError with its place."""
        raise NotImplementedError

    def uploads(self) -> Sequence[str]:
        """Return the hashes of the contents that the question names; they are kept as long as it is."""
        return ()


Q = TypeVar("Q", bound=Query)


class QueryHandler(ABC, Generic[Q]):
    """Answers one kind of question, today or after a restart from what is stored.

    `kind` names the desk in the database and nowhere else. `checks_slowly`: whether `check` asks the simulator or reads
    uploads; then the answer is deferred before. `has_form`: whether there is a form (`fields`, `edited`), under answers
    and under refusals; a refused question without one isn't kept.
    """

    kind: ClassVar[str]
    question: type[Q]
    checks_slowly: ClassVar[bool] = False
    has_form: ClassVar[bool] = True

    def __init__(self, bot: "Fracas") -> None:
        self._bot = bot

    async def check(self, question: Q, _caller: Caller) -> None:
        """Read everything typed; RuleError with all that is wrong, TextError with its place."""
        question.request()

    @abstractmethod
    async def work_out(self, question: Q, caller: Caller, progress: Progress) -> Document:
        """Answer, telling `progress` how far it is where that takes several jobs; RuleError when it can't be done."""

    @abstractmethod
    async def write(self, question: Q, caller: Caller) -> dict[str, bytes]:
        """Return the answer's files by name; RuleError when it can't be done."""

    def fields(self, _question: Q) -> Sequence[discord.ui.Label[Any]]:
        """Return the form's fields (at most 5), filled with what was typed."""
        raise RuleError("There is nothing to edit here.")

    def edited(self, _question: Q, _values: dict[str, str]) -> Q:
        """Return the question with what was typed into the form, by the fields' ids."""
        raise RuleError("There is nothing to edit here.")

    def changed(self, _question: Q, _action: str) -> Q | None:
        """Return the question that one of the book's own actions leads to; None for an unknown action."""
        return None

    def typed(self, _question: Q) -> str | None:
        """Return the text to offer this player again, if any."""
        return None

    async def book(self, request: str, caller: Caller, progress: Progress = SILENT) -> Document:
        """Answer a stored question."""
        return await self.work_out(self.question.model_validate_json(request), caller, progress)

    async def files(self, request: str, caller: Caller) -> dict[str, bytes]:
        """Write the files of a stored question."""
        return await self.write(self.question.model_validate_json(request), caller)

    async def ask(self, interaction: "discord.Interaction[Fracas]", question: Q) -> None:
        """Answer a new question in a new message, private if it asks so; a long log's files come along.

        The interaction may be deferred already, as it must be before a file is read.
        """
        if self.checks_slowly:
            await defer_once(interaction, private=question.private)
        await self._check(interaction, question)
        await defer_once(interaction, private=question.private)
        calculation, book = await self._answer(interaction, question, private=question.private)
        if book.long:
            await send_files(interaction, calculation, private=question.private)

    async def act(self, interaction: "discord.Interaction[Fracas]", calculation: StoredQuery, action: str) -> None:
        """Open the form, or do what one of the book's own actions asks for; the interaction is unanswered."""
        question = self.question.model_validate_json(calculation.request)
        if action in {EDIT, FIX_ACTION}:
            shown = form("Edit and run again", calculation.id, action, self.fields(question))
            await interaction.response.send_modal(shown)
        elif (other := self.changed(question, action)) is not None:
            await self._replace(interaction, calculation, other)
        else:
            raise RuleError("This button is of an older version; please run the command again.")

    async def submit(
        self, interaction: "discord.Interaction[Fracas]", calculation: StoredQuery, action: str, values: dict[str, str]
    ) -> None:
        """Take the form: an edited answer changes in place, a mended question gets an answer of its own."""
        question = self.edited(self.question.model_validate_json(calculation.request), values)
        if action == EDIT:
            await self._replace(interaction, calculation, question)
        else:
            await self.ask(interaction, question)

    async def _replace(self, interaction: "discord.Interaction[Fracas]", calculation: StoredQuery, question: Q) -> None:
        if not self.checks_slowly:
            await self._check(interaction, question)
        private = await defer_in_place(interaction, calculation.asker_id)
        if self.checks_slowly:
            await self._check(interaction, question)
        await self._answer(interaction, question, private=private)

    async def _check(self, interaction: "discord.Interaction[Fracas]", question: Q) -> None:
        """Read the question, where that is quick while a refusal can still be private; a bad one is kept to mend."""
        try:
            await self.check(question, caller_of(interaction))
        except RuleError as error:
            if not self.has_form:
                raise
            raise RejectedDraftError(error, (await self._keep(interaction, question)).id) from error

    async def _answer(
        self, interaction: "discord.Interaction[Fracas]", question: Q, *, private: bool
    ) -> tuple[StoredQuery, Document]:
        calculation = await self._keep(interaction, question)
        try:
            book = await show(interaction, calculation, None, private=private)
        except RuleError as error:
            if not self.has_form:
                raise
            raise RejectedDraftError(error, calculation.id) from error
        if (typed := self.typed(question)) is not None:
            await self._bot.recent.remember(interaction.user.id, self.kind, typed)
        return calculation, book

    async def _keep(self, interaction: "discord.Interaction[Fracas]", question: Q) -> StoredQuery:
        return await self._bot.calculations.add(
            self.kind, interaction.user.id, interaction.guild_id, question.model_dump_json(), question.uploads()
        )
