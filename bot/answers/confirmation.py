"""Asks before what can't be undone, privately; the buttons work for 15 minutes, after a restart, too."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from bot.answers.document import Action, action_buttons
from bot.answers.handler import FormHandler, Query
from bot.client import Client, Interaction, Named
from bot.store.queries import QueryRepository, StoredQuery
from bot.ui.error_replies import OUTDATED_BUTTON
from bot.ui.interactions import acknowledge, defer, edit_reply
from bot.ui.text import text_view
from sim.core.errors import RuleError

OPEN_SECONDS = 15 * 60
"""How long a question may be answered."""

_DOWNLOAD = Action("download", "Download first", "📄")
_KEEP = Action("keep", "Keep", "✖️")
_DO = "do"
_GONE = "This question has been answered, or is older than 15 minutes; please run the command again."


@dataclass(frozen=True, slots=True)
class Deed:
    """What can't be undone.

    `label`: of the button that does it. `do`: checks anew whether the user may, does it to what a name stands for, and
    answers the acknowledged press. `download`: sends the user what will be gone.
    """

    label: str
    do: Callable[[Interaction, str], Awaitable[None]]
    download: Callable[[Interaction], Awaitable[None]] | None = None


class Question(Query):
    """Whether to do a deed, to what."""

    deed: str
    name: str


class Confirmations(FormHandler[Question]):
    """Asks who gave a command whether to do it, and does it at their press, once."""

    kind = "confirmation"

    def __init__(self, bot: Client) -> None:
        super().__init__(bot)
        self._deeds: Named[Deed] = Named("a deed")

    def add(self, name: str, deed: Deed) -> None:
        """Register a deed; questions are stored with its name. NameTakenError if there already is one."""
        self._deeds[name] = deed

    async def ask(self, interaction: Interaction, deed: str, name: str, text: str) -> None:
        """Ask whether to do a deed to what `name` stands for; `text` says in sentences, as markdown, what is lost."""
        await defer(interaction, private=True)
        stored = await self.store(interaction, Question(deed=deed, name=name, private=True))
        known = self._deeds[deed]
        offered = () if known.download is None else (_DOWNLOAD,)
        actions = (*offered, Action(_DO, known.label, "🗑️", is_dangerous=True), _KEEP)
        view = text_view([f"{text} This can't be undone."], buttons=action_buttons(stored.id, actions))
        await interaction.edit_original_response(view=view)

    async def act(self, interaction: Interaction, stored: StoredQuery, action: str) -> None:
        """Do what was asked about, or not; RuleError when it is too late. A private query reaches nobody else."""
        query = self.read(stored)
        deed = self._deeds.get(query.deed)
        if deed is None:
            raise RuleError(OUTDATED_BUTTON)
        if self._bot.clock() - stored.created_at > OPEN_SECONDS:
            raise RuleError(_GONE)
        if action == _DOWNLOAD.action and deed.download is not None:
            await deed.download(interaction)
            return
        await acknowledge(interaction)
        if not await self._bot.services[QueryRepository].take(stored.id):
            raise RuleError(_GONE)
        if action == _DO:
            await deed.do(interaction, query.name)
        else:
            await edit_reply(interaction, "Nothing was changed.")
