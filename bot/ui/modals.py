"""Forms: their fields, and what was typed into them, read from the interaction so that they survive a restart."""

from collections.abc import Mapping
from typing import Any

import discord

from bot.client import Interaction


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


def form_file(interaction: Interaction, field_id: str) -> discord.Attachment | None:
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
