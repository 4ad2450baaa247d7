"""Fields of modals, and the values typed into them, read from the interaction so that modals survive a restart."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import discord

from bot.client import Interaction
from bot.discord_internals import attachment_of, user_of
from sim.core.errors import RuleError

OptionT = TypeVar("OptionT")

Fields = Sequence[discord.ui.Label[Any]]
"""The fields of a form, 1 to 5."""

_IN_SIGHT = 10
"""The most options of a group of buttons or boxes."""


def form_values(data: dict[str, Any]) -> dict[str, str]:
    """Return the value of each field in a submitted modal's data, at any depth; several with blanks between."""
    values: dict[str, str] = {}
    for child in (*data.get("components", ()), *filter(None, [data.get("component")])):
        if isinstance(child.get("value"), str):
            values[child["custom_id"]] = child["value"]
        elif isinstance(child.get("values"), list):
            values[child["custom_id"]] = " ".join(map(str, child["values"]))
        values |= form_values(child)
    return values


def form_file(interaction: Interaction, field_id: str) -> discord.Attachment | None:
    """Return the file uploaded in a field of the submitted modal, or None."""
    sent = _resolved(interaction, "attachments", field_id)
    return None if sent is None else attachment_of(interaction, sent)


def _resolved(interaction: Interaction, sort: str, field_id: str) -> Any:  # noqa: ANN401  # as it came
    data: dict[str, Any] = dict(interaction.data or {})
    return data.get("resolved", {}).get(sort, {}).get(form_values(data).get(field_id, ""))


def text_field(
    field_id: str, label: str, text: str | None, *, max_length: int, hint: str | None = None, long: bool = False
) -> discord.ui.Label[Any]:
    """Build a text field filled with `text`. It may be left empty; the handler reports what is missing."""
    style = discord.TextStyle.paragraph if long else discord.TextStyle.short
    entry: discord.ui.TextInput[Any] = discord.ui.TextInput(
        custom_id=field_id, style=style, default=text, required=False, max_length=max_length
    )
    return discord.ui.Label(text=label, description=hint, component=entry)


def choice_field(
    field_id: str,
    label: str,
    options: Mapping[str, str],
    chosen: str | None,
    *,
    hint: str | None = None,
    notes: Mapping[str, str] | None = None,
    most: int = 1,
) -> discord.ui.Label[Any]:
    """Build a choice among at most 25 `options` (value: text); `chosen` is preselected.

    `notes`: a line below some options, by their values. `most`: one must be chosen, or none up to more; then blanks
    part the values. All of few options are in sight, each a press away; a list is for more.
    """
    marked = [chosen] if most == 1 else (chosen or "").split()

    def offered(option: Callable[..., OptionT]) -> list[OptionT]:
        return [
            option(label=text, value=value, default=value in marked, description=(notes or {}).get(value))
            for value, text in options.items()
        ]

    entry: discord.ui.Item[Any]
    required, in_sight = most == 1, len(options) <= _IN_SIGHT
    counts: dict[str, Any] = {"required": required, "min_values": int(required), "max_values": most}
    if required and in_sight and len(options) > 1:
        entry = discord.ui.RadioGroup(custom_id=field_id, options=offered(discord.RadioGroupOption))
    elif not required and in_sight:
        entry = discord.ui.CheckboxGroup(custom_id=field_id, options=offered(discord.CheckboxGroupOption), **counts)
    else:
        entry = discord.ui.Select(custom_id=field_id, options=offered(discord.SelectOption), **counts)
    return discord.ui.Label(text=label, description=hint, component=entry)


def user_field(field_id: str, label: str) -> discord.ui.Label[Any]:
    """Build a list of the server's members, of which one is chosen."""
    entry: discord.ui.UserSelect[Any] = discord.ui.UserSelect(custom_id=field_id, required=True)
    return discord.ui.Label(text=label, component=entry)


def form_user(interaction: Interaction, field_id: str) -> discord.User:
    """Return the user chosen in a field of the submitted modal; RuleError if there is none."""
    if (sent := _resolved(interaction, "users", field_id)) is None:
        raise RuleError("Choose a player.")
    return user_of(interaction, sent)


def file_field(field_id: str, label: str, *, hint: str | None = None) -> discord.ui.Label[Any]:
    """Build an optional field for a file."""
    entry: discord.ui.FileUpload[Any] = discord.ui.FileUpload(custom_id=field_id, required=False, max_values=1)
    return discord.ui.Label(text=label, description=hint, component=entry)
