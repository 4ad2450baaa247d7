"""The buttons, jump list and forms of answers, and the buttons that ask before what can't be undone.

Their custom ids keep them working after a restart; what asks does so privately, and works for 15 minutes.
"""

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from bot.answers import Queries, Query
from bot.answers.document import FILES, FORMATS, SHARE, Action, action_buttons
from bot.client import Interaction, Named
from bot.store.queries import QueryRepository, StoredQuery
from bot.ui import interactions as ui
from bot.ui import text_view
from bot.ui.error_replies import OUTDATED_BUTTON
from bot.ui.options import form_values
from sim.core import RuleError

_ID = r"(?P<id>[\w-]{1,32})"
_FORM_ID = re.compile(rf"m1:{_ID}:(?P<action>[a-z]{{1,20}})")
_MAX_DIGITS = 6


@ui.PersistentButton.matching(rf"p1:{_ID}:[a-z]+:(?P<page>[0-9]{{1,{_MAX_DIGITS}}})", "turn")
async def turn_button(button: ui.PersistentButton, interaction: Interaction) -> None:
    """Turn to the page: back or next."""
    await _turn_to(interaction, button.match["id"], int(button.match["page"]))


@ui.PersistentSelect.matching(rf"j1:{_ID}", "jump")
async def jump_list(menu: ui.PersistentSelect, interaction: Interaction) -> None:
    """Jump to the chosen page."""
    digits = menu.chosen
    number = int(digits) if digits.isascii() and digits.isdecimal() and len(digits) <= _MAX_DIGITS else 0
    await _turn_to(interaction, menu.match["id"], number)


@ui.PersistentButton.matching(rf"a1:{_ID}:(?P<action>(?P<what>[a-z]{{1,20}})(?::[0-9]{{1,18}})?)", "{what}")
async def action_button(button: ui.PersistentButton, interaction: Interaction) -> None:
    """Send the files, share the answer, or do what a query adds."""
    action, kinds = button.match["action"], interaction.client.services[Queries]
    if (copied := FORMATS.get(action)) or action == FILES.action:
        await ui.defer(interaction, private=True)
    stored = await find_stored(interaction, button.match["id"])
    if action == FILES.action:
        await kinds.read_paged(stored).send_files(interaction, stored)
    elif copied is not None:
        await kinds.read_paged(stored).send_copy(interaction, copied)
    elif action == SHARE.action:
        await ui.defer(interaction, private=False)
        await kinds.read_paged(stored).share(interaction)
    else:
        await kinds.read(stored).act(interaction, stored, action)


async def _turn_to(interaction: Interaction, query_id: str, number: int) -> None:
    stored = await find_stored(interaction, query_id)
    query = interaction.client.services[Queries].read_paged(stored)
    private = await ui.defer_in_place(interaction, stored.asker_id)
    await query.show(interaction, stored, number, private=private)


async def take_form(interaction: Interaction) -> bool:
    """Take a submitted form; return False if the interaction isn't one of these forms."""
    data: dict[str, Any] = dict(interaction.data or {})
    match = _FORM_ID.fullmatch(str(data.get("custom_id", "")))
    if match is None:
        return False
    async with ui.press_boundary(interaction, "form"):
        stored = await find_stored(interaction, match["id"])
        query = interaction.client.services[Queries].read(stored)
        await query.submit(interaction, stored, match["action"], form_values(data))
    return True


async def find_stored(interaction: Interaction, query_id: str) -> StoredQuery:
    """Return the stored query behind a button or a form; RuleError if there is none for this user here."""
    stored = await interaction.client.services[QueryRepository].get(query_id, ui.origin_of(interaction))
    if stored is None:
        raise RuleError("This answer is too old to continue; please run the command again.")
    return stored


ANSWER_ITEMS = (turn_button, jump_list, action_button)


OPEN_SECONDS = 15 * 60
"""How long a question may be answered."""

_DOWNLOAD = Action("download", "Download first", "📄")
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


class Confirmations(Named[Deed]):
    """All deeds by the names that stored questions have for them; asks whoever gave a command to confirm one."""

    sort = "a deed"

    async def ask(self, interaction: Interaction, deed: str, name: str, text: str) -> None:
        """Ask whether to do a deed to what `name` stands for; `text` says in sentences, as markdown, what is lost."""
        await ui.defer(interaction, private=True)
        stored = await Question(deed=deed, name=name, private=True).store(interaction)
        known = self[deed]
        offered = () if known.download is None else (_DOWNLOAD,)
        actions = (*offered, Action(_DO, known.label, "🗑️", is_dangerous=True), Action("keep", "Keep", "✖️"))
        view = text_view([f"{text} This can't be undone."], buttons=action_buttons(stored.id, actions))
        await interaction.edit_original_response(view=view)


class Question(Query):
    """Asks whether to do a deed, and to what; a second press does it, once."""

    stored_as = "confirmation"

    deed: str
    name: str

    async def act(self, interaction: Interaction, stored: StoredQuery, action: str) -> None:
        """Do what was asked about, or not; RuleError when it is too late. A private query reaches nobody else."""
        services = interaction.client.services
        deed = services[Confirmations].get(self.deed)
        if deed is None:
            raise RuleError(OUTDATED_BUTTON)
        if interaction.client.clock() - stored.created_at > OPEN_SECONDS:
            raise RuleError(_GONE)
        if action == _DOWNLOAD.action and deed.download is not None:
            await deed.download(interaction)
            return
        await ui.acknowledge(interaction)
        if not await services[QueryRepository].take(stored.id):
            raise RuleError(_GONE)
        if action == _DO:
            await deed.do(interaction, self.name)
        else:
            await ui.edit_reply(interaction, "Nothing was changed.")
