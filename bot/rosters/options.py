"""How a command takes a roster: as an attached file, or by the name of a saved one."""

from collections.abc import Iterable, Sequence
from functools import partial

import discord
from discord import app_commands

from bot.client import Interaction
from bot.rosters.library import RosterLibrary, matching
from bot.store.rosters import RosterRepository
from bot.ui.options import CompletedBy, Upload, read_attachment, text_choices
from bot.ui.text import MAX_CHOICE, shorten
from sim.core.errors import RuleError
from sim.core.names import name_key

MAX_TYPED = 100
"""Characters of an option or a field that names a roster."""


async def saved_choices(interaction: Interaction, typed: str, kind: str | None) -> Sequence[app_commands.Choice[str]]:
    """Return choices for the user's own rosters, then for those shared here, by `#id`."""
    labels = await interaction.client.services[RosterLibrary].labels(interaction, typed, kind)
    return [app_commands.Choice(name=shorten(label, MAX_CHOICE), value=f"#{roster.id}") for roster, label in labels]


class SavedRoster(CompletedBy):
    """A saved roster that the user may use, of a kind or of any, by `#id` or by its name."""

    def __init__(self, kind: str | None = None) -> None:
        super().__init__(MAX_TYPED, partial(saved_choices, kind=kind))


async def own_names(interaction: Interaction, typed: str) -> Iterable[app_commands.Choice[str]]:
    """Offer the names under which a roster would get a new version."""
    own = await interaction.client.services[RosterRepository].own(interaction.user.id)
    return text_choices(roster.name for roster in matching(own, typed))


async def kind_titles(interaction: Interaction, typed: str) -> Iterable[app_commands.Choice[str]]:
    """Offer the kinds of rosters by their titles."""
    key = name_key(typed)
    return [
        app_commands.Choice(name=kind.title, value=kind.name)
        for kind in interaction.client.services[RosterLibrary].kinds
        if key in name_key(kind.title) or key in kind.name
    ]


async def roster_content(
    interaction: Interaction,
    kind: str,
    attachment: discord.Attachment | None,
    saved: str | None,
    option: str = "roster",
) -> Upload:
    """Return the roster of a kind that a player gave: the file in `option`, or the saved one in `<option>_saved`.

    Defer first: it may take a while. RuleError when neither or both were given, or the roster can't be read.
    """
    if attachment is not None and saved is not None:
        raise RuleError(f"Give {option} or {option}_saved, not both.")
    if attachment is not None:
        return await read_attachment(attachment)
    if saved is None:
        raise RuleError(f"Attach a file as {option}, or choose a saved roster as {option}_saved.")
    roster = await interaction.client.services[RosterLibrary].find(interaction, saved, kind)
    return Upload(roster.name, await interaction.client.services[RosterRepository].read(roster))
