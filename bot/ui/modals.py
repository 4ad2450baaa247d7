"""Forms that survive a restart: a form's id names its calculation, its values are read from the interaction."""

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import discord

from bot.answers.paginator import find
from bot.ui.interactions import handled

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
    """Return the text of every field in a submitted form's data, wherever it is nested; of a list what was chosen.

    Where nothing was chosen, that is "".
    """
    values: dict[str, str] = {}
    for child in (*data.get("components", ()), *filter(None, [data.get("component")])):
        if isinstance(child.get("value"), str):
            values[child["custom_id"]] = child["value"]
        elif isinstance(child.get("values"), list):
            values[child["custom_id"]] = str(child["values"][0]) if child["values"] else ""
        values |= form_values(child)
    return values


def form_file(interaction: "discord.Interaction[Fracas]", field_id: str) -> discord.Attachment | None:
    """Return the file uploaded into a field of the submitted form, None where there is none."""
    data: dict[str, Any] = dict(interaction.data or {})
    sent = data.get("resolved", {}).get("attachments", {}).get(form_values(data).get(field_id, ""))
    # discord.py hands attachments out through a Modal object only; a form that works after a restart has none.
    return None if sent is None else discord.Attachment(data=sent, state=interaction._state)  # noqa: SLF001  # see above


def text_field(
    field_id: str, label: str, text: str | None, *, most: int, hint: str | None = None, long: bool = False
) -> discord.ui.Label[Any]:
    """Make a text field of at most `most` characters, filled with `text`; an empty one gets our own sentence."""
    style = discord.TextStyle.paragraph if long else discord.TextStyle.short
    entry: discord.ui.TextInput[Any] = discord.ui.TextInput(
        custom_id=field_id, style=style, default=text, required=False, max_length=most
    )
    return discord.ui.Label(text=label, description=hint, component=entry)


def choice_field(
    field_id: str,
    label: str,
    options: Mapping[str, str],
    chosen: str | None,
    *,
    hint: str | None = None,
    required: bool = True,
) -> discord.ui.Label[Any]:
    """Make a list of at most 25 `options` (value: text), one to be chosen; `chosen` stands there at first."""
    choices = [
        discord.SelectOption(label=text, value=value, default=value == chosen) for value, text in options.items()
    ]
    entry: discord.ui.Select[Any] = discord.ui.Select(
        custom_id=field_id, options=choices, required=required, min_values=int(required)
    )
    return discord.ui.Label(text=label, description=hint, component=entry)


def file_field(field_id: str, label: str, *, hint: str | None = None) -> discord.ui.Label[Any]:
    """Make a field for one file, which may be left empty."""
    entry: discord.ui.FileUpload[Any] = discord.ui.FileUpload(custom_id=field_id, required=False, max_values=1)
    return discord.ui.Label(text=label, description=hint, component=entry)
