"""`/roster`: armies, fighters, decks saved under a name, to be used in place of a file."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Annotated

import discord
from discord import app_commands
from discord.ext import commands
from pydantic import Field

from bot.answers.items import Confirmations, Deed
from bot.client import Client, Interaction
from bot.rosters import (
    KEPT_VERSIONS,
    MAX_TYPED,
    Roster,
    RosterLibrary,
    RosterRepository,
    Version,
    kind_titles,
    own_names,
    saved_roster,
)
from bot.rosters.sheets import SheetReader, is_link
from bot.store.personal_data import KEPT_SECONDS
from bot.ui import LAYOUT_TEXT, MAX_ENTRY, fitting, plain, shorten, text_view, utf16_length
from bot.ui.error_replies import error_text
from bot.ui.interactions import defer, edit_reply, show_view
from bot.ui.options import CompletedBy, Option, as_typed, read_attachment, slash
from sim.core import RuleError
from sim.core.names import MAX_NAME
from sim.core.numbers import quantity

_MAX_VERSION = 1_000_000
_DELETE = "roster-delete"
RosterName = Annotated[str, Option("The roster: yours, or one shared with this server", saved_roster())]
_DAYS = KEPT_SECONDS // (24 * 60 * 60)
MAX_SUMMARY = 2000
"""Units of a roster's own summary."""

_RESERVE = 100


class RosterCommands(commands.Cog, name="Saved rosters"):
    """Rosters kept under a name."""

    roster = app_commands.Group(name="roster", description="Your saved armies and rosters, to use in place of a file")

    def __init__(self, bot: Client) -> None:
        self._bot = bot
        self._library = bot.services[RosterLibrary]
        self._rosters = bot.services[RosterRepository]
        bot.services[Confirmations][_DELETE] = Deed("Delete", self._delete)

    @slash(
        roster,
        as_typed,
        example="/roster save name:Big fleet kind:aa text:2 battleships, 1 carrier, 2 fighters",
        more=f"The last {KEPT_VERSIONS} versions are kept. A saved army is suggested while you type a battle, and"
        " `saved:name` stands for it anywhere in one.",
    )
    async def save(
        self,
        interaction: Interaction,
        name: Annotated[
            str, Option("Its name; a name you already use gets a new version", CompletedBy(MAX_NAME, own_names))
        ],
        kind: Annotated[str, Option("What it is", CompletedBy(MAX_TYPED, kind_titles))],
        file: Annotated[discord.Attachment | None, Option("The roster as a file")] = None,
        text: Annotated[
            str | None,
            Option(
                "The roster as text, or a published sheet's link, in place of a file",
                app_commands.Range[str, 1, MAX_ENTRY],
            ),
        ] = None,
    ) -> None:
        """Save a roster under a name; a name you already use gets a new version."""
        known = self._library.find_kind(kind)
        await defer(interaction, private=True)
        if (file is None) == (text is None):
            raise RuleError("Give the roster as a file or as text, one of the two.")
        if file is not None:
            data = (await read_attachment(file)).data
        elif is_link(typed := text or ""):
            data = (await self._bot.services[SheetReader].read(typed)).data
        else:
            data = typed.encode()
        data = data if known.complete is None else await known.complete(interaction, data)
        summary = await self._library.summarize(interaction, known.name, data)
        roster, before = await self._rosters.save(interaction.user.id, known.name, name, data)
        await edit_reply(interaction, saved_text(roster, before, known.title, summary))

    @slash(roster, name="list")
    async def list_(self, interaction: Interaction) -> None:
        """Your saved rosters, and those shared here."""
        await defer(interaction, private=True)
        usable = [(roster, self._library.title(roster)) for roster in await self._library.list_usable(interaction)]
        own = [(roster, title) for roster, title in usable if roster.owner_id == interaction.user.id]
        await edit_reply(interaction, list_text(own, usable[len(own) :]))

    @slash(roster, as_typed, example="/roster show name:Big fleet")
    async def show(
        self,
        interaction: Interaction,
        name: RosterName,
        version: Annotated[
            int | None,
            Field(ge=1, le=_MAX_VERSION),
            Option(f"An older version; the last {KEPT_VERSIONS} are kept"),
        ] = None,
    ) -> None:
        """What is in a saved roster, also as a file."""
        await defer(interaction, private=True)
        roster = await self._library.find(interaction, name)
        data = await self._rosters.read(roster, version)
        versions = await self._rosters.versions(roster.id)
        chosen = next((kept for kept in versions if kept.number == version), roster.newest)
        try:
            summary = await self._library.summarize(interaction, roster.kind, data)
        except RuleError as error:
            summary = error_text(error)  # the rules have changed since it was saved: its content is still its owner's
        view = text_view([roster_text(roster, chosen, versions, self._library.title(roster), summary)])
        ascii_name = unicodedata.normalize("NFKD", roster.name).encode("ascii", "ignore").decode()
        stem = re.sub(r"[^A-Za-z0-9]+", "-", ascii_name).strip("-") or "roster"
        extension = self._library[roster.kind].extension if roster.kind in self._library else "txt"
        view.add_file(f"{stem}-v{chosen.number}.{extension}", data)
        await show_view(interaction, view)

    @slash(roster, as_typed, example="/roster delete name:Big fleet")
    async def delete(self, interaction: Interaction, name: RosterName) -> None:
        """Delete a saved roster with all its versions."""
        await defer(interaction, private=True)
        roster = await self._library.find_deletable(interaction, name)
        versions = quantity(len(await self._rosters.versions(roster.id)), "version")
        text = f"This deletes the {self._library.title(roster)} **{plain(roster.name)}** ({versions})."
        await self._bot.services[Confirmations].ask(interaction, _DELETE, f"#{roster.id}", text)

    async def _delete(self, interaction: Interaction, name: str) -> None:
        roster = await self._library.find_deletable(interaction, name)
        await self._rosters.delete(roster.id)
        await edit_reply(interaction, f"🗑️ **{plain(roster.name)}** is deleted.")

    @slash(roster, as_typed, example="/roster share name:Big fleet")
    async def share(
        self,
        interaction: Interaction,
        name: Annotated[str, Option("Your roster", saved_roster())],
        off: Annotated[bool, Option("Stop sharing it: only you can use it")] = False,
    ) -> None:
        """Share a saved roster with this server, or stop sharing it."""
        await defer(interaction, private=True)
        roster = await self._library.find(interaction, name)
        if roster.owner_id != interaction.user.id:
            raise RuleError(f"Only its owner can share {roster.name}.")
        if not off and interaction.guild_id is None:
            raise RuleError("Rosters are shared with a server; use this in one.")
        await self._rosters.share(roster.id, None if off else interaction.guild_id)
        if off:
            await edit_reply(interaction, f"🔒 Only you can use **{plain(roster.name)}** now.")
            return
        lines = [
            f"🤝 Everyone in this server can use **{plain(roster.name)}**; only you can change it.",
            f"-# A referee can delete it, and it is deleted {_DAYS} days after the server removes this bot.",
        ]
        if roster.guild_id not in {None, interaction.guild_id}:
            lines.append("-# The server it was shared with can't use it any more.")
        await edit_reply(interaction, "\n".join(lines))


def saved_text(roster: Roster, before: Version | None, title: str, summary: str) -> str:
    """Say what saving has done; `before` is the version that was the newest, None for a new roster."""
    name, newest = plain(roster.name), roster.newest
    if before is None:
        head = f"💾 Saved **{name}**, {title}, {quantity(newest.size, 'byte')}"
    elif before.number == newest.number:
        head = f"💾 **{name}** stays as it is: version {newest.number} is the same"
    else:
        change = newest.size - before.size
        than = f"{quantity(abs(change), 'byte')} {'more' if change > 0 else 'less'} than before"
        size = than if change else "the same size"
        head = f"💾 **{name}** is version {newest.number} now: {quantity(newest.size, 'byte')}, {size}"
    return "\n".join([head, shorten(summary, MAX_SUMMARY)])


def roster_text(roster: Roster, version: Version, versions: Sequence[Version], title: str, summary: str) -> str:
    """Describe a version of a roster, and list the versions there are."""
    shared = "" if roster.guild_id is None else ", shared with a server"
    head = [
        f"### {plain(roster.name)}",
        f"-# {title} of <@{roster.owner_id}>{shared}, version {version.number}",
        shorten(summary, MAX_SUMMARY),
        "**Versions**",
    ]
    lines = [f"{each.number}. <t:{each.created_at}:f>, {quantity(each.size, 'byte')}" for each in versions]
    return "\n".join([*head, *whole_lines(lines, LAYOUT_TEXT - utf16_length("\n".join(head)))])


def list_text(own: Sequence[tuple[Roster, str]], shared: Sequence[tuple[Roster, str]]) -> str:
    """List rosters with the titles of their kinds."""
    if not own and not shared:
        return "No roster is saved yet. `/roster save` keeps one under a name."
    lines = [f"### {quantity(len(own), 'saved roster')} of yours"] if own else []
    lines += [_line(roster, title, owner="") for roster, title in own]
    lines += ["### Shared with this server"] if shared else []
    lines += [_line(roster, title, owner=f", of <@{roster.owner_id}>") for roster, title in shared]
    return "\n".join(whole_lines(lines, LAYOUT_TEXT))


def whole_lines(lines: Iterable[str], limit: int) -> list[str]:
    """Return as many lines as fit into `limit` units, and how many are missing."""
    kept = fitting(every := [*lines], limit - _RESERVE)
    more = len(every) - len(kept)
    return [*kept, *([f"-# … and {quantity(more, 'more line')}"] if more else [])]


def _line(roster: Roster, title: str, owner: str) -> str:
    shared = " 🤝" if roster.guild_id is not None and not owner else ""
    return (
        f"- **{plain(roster.name)}**{shared} {title}, v{roster.newest.number} <t:{roster.newest.created_at}:R>{owner}"
    )
