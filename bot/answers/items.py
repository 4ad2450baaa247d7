"""The buttons, jump list and forms of answers; their custom ids keep them working after a restart."""

import re
from typing import Any

from bot.answers.document import FILES, SHARE
from bot.answers.handler import Handlers
from bot.answers.outside import FORMATS
from bot.client import Interaction
from bot.store.queries import QueryRepository, StoredQuery
from bot.ui.interactions import PersistentButton, PersistentSelect, defer, defer_in_place, origin_of, press_boundary
from bot.ui.modals import form_values
from sim.core.errors import RuleError

_ID = r"(?P<id>[\w-]{1,32})"
_FORM_ID = re.compile(rf"m1:{_ID}:(?P<action>[a-z]{{1,20}})")
_MAX_DIGITS = 6


class PageTurn(PersistentButton, template=rf"p1:{_ID}:[a-z]+:(?P<page>[0-9]{{1,{_MAX_DIGITS}}})"):
    """First, back, next or last."""

    kind = "turn"

    async def pressed(self, interaction: Interaction) -> None:
        """Turn to the page."""
        await _turn_to(interaction, self.match["id"], int(self.match["page"]))


class PageJump(PersistentSelect, template=rf"j1:{_ID}"):
    """The jump list."""

    kind = "jump"

    async def pressed(self, interaction: Interaction) -> None:
        """Jump to the chosen page."""
        digits = self.chosen
        number = int(digits) if digits.isascii() and digits.isdecimal() and len(digits) <= _MAX_DIGITS else 0
        await _turn_to(interaction, self.match["id"], number)


class ActionButton(PersistentButton, template=rf"a1:{_ID}:(?P<action>(?P<what>[a-z]{{1,20}})(?::[0-9]{{1,18}})?)"):
    """Files, share, and the actions that a handler adds."""

    kind = "{what}"

    async def pressed(self, interaction: Interaction) -> None:
        """Do the action."""
        if (copied := FORMATS.get(self.match["action"])) or self.match["action"] == FILES.action:
            await defer(interaction, private=True)
        stored = await find_stored(interaction, self.match["id"])
        handlers = interaction.client.services[Handlers]
        if self.match["action"] == FILES.action:
            await handlers.query_handler(stored.kind).send_files(interaction, stored)
        elif copied is not None:
            await handlers.query_handler(stored.kind).copy(interaction, stored, copied)
        elif self.match["action"] == SHARE.action:
            await defer(interaction, private=False)
            await handlers.query_handler(stored.kind).share(interaction, stored)
        else:
            await handlers.of(stored.kind).act(interaction, stored, self.match["action"])


async def _turn_to(interaction: Interaction, query_id: str, number: int) -> None:
    stored = await find_stored(interaction, query_id)
    handler = interaction.client.services[Handlers].query_handler(stored.kind)
    private = await defer_in_place(interaction, stored.asker_id)
    await handler.show(interaction, stored, number, private=private)


async def take_form(interaction: Interaction) -> bool:
    """Take a submitted form; return False if the interaction isn't one of these forms."""
    data: dict[str, Any] = dict(interaction.data or {})
    match = _FORM_ID.fullmatch(str(data.get("custom_id", "")))
    if match is None:
        return False
    async with press_boundary(interaction, "form"):
        stored = await find_stored(interaction, match["id"])
        handler = interaction.client.services[Handlers].of(stored.kind)
        await handler.submit(interaction, stored, match["action"], form_values(data))
    return True


async def find_stored(interaction: Interaction, query_id: str) -> StoredQuery:
    """Return the stored query behind a button or a form; RuleError if there is none for this user here."""
    stored = await interaction.client.services[QueryRepository].get(query_id, origin_of(interaction))
    if stored is None:
        raise RuleError("This answer is too old to continue; please run the command again.")
    return stored


ANSWER_ITEMS = (PageTurn, PageJump, ActionButton)
