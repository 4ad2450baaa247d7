"""Forms that survive a restart: a form's id names its calculation, its values are read from the interaction."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import discord

from bot.ui.pages import find
from bot.ui.presses import handled

if TYPE_CHECKING:
    from bot.app import Fracas

_FORM_ID = re.compile(r"m1:(?P<id>[\w-]{1,32}):(?P<action>[a-z]{1,20})")


def form(title: str, calculation_id: str, action: str, fields: Sequence[discord.ui.Label[Any]]) -> discord.ui.Modal:
    """Make a form whose values come back to the calculation's desk by the fields' ids, with the `action` it is for."""
    modal = discord.ui.Modal(title=title, custom_id=f"m1:{calculation_id}:{action}", timeout=None)
    for field in fields:
        modal.add_item(field)
    # Read from the interaction by `take_form`; a finished form isn't remembered, so it works after a restart as before.
    modal.stop()
    return modal


async def take_form(interaction: "discord.Interaction[Fracas]") -> bool:
    """Take a submitted form and return True, or False when the interaction isn't one of these forms."""
    data: dict[str, Any] = dict(interaction.data or {})
    found = _FORM_ID.fullmatch(str(data.get("custom_id", "")))
    if found is None:
        return False
    async with handled(interaction, "form"):
        calculation = await find(interaction, found["id"])
        desk = interaction.client.desks[calculation.kind]
        await desk.submit(interaction, calculation, found["action"], form_values(data))
    return True


def form_values(data: dict[str, Any]) -> dict[str, str]:
    """Return the text of every field in a submitted form's data, wherever it is nested."""
    values: dict[str, str] = {}
    for child in (*data.get("components", ()), *filter(None, [data.get("component")])):
        if isinstance(child.get("value"), str):
            values[child["custom_id"]] = child["value"]
        values |= form_values(child)
    return values


def text_field(
    field_id: str, label: str, text: str | None, *, most: int, hint: str | None = None, long: bool = False
) -> discord.ui.Label[Any]:
    """Make a text field of at most `most` characters, filled with `text`; an empty one gets our own sentence."""
    style = discord.TextStyle.paragraph if long else discord.TextStyle.short
    entry: discord.ui.TextInput[Any] = discord.ui.TextInput(
        custom_id=field_id, style=style, default=text, required=False, max_length=most
    )
    return discord.ui.Label(text=label, description=hint, component=entry)
