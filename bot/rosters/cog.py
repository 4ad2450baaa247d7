"""`/roster`: armies, fighters, decks saved under a name, to be used in place of a file."""

import io
import re
import unicodedata

import discord
from discord import app_commands
from discord.ext import commands

from bot.client import Client, Interaction
from bot.rosters.library import MOST_TYPED, RosterLibrary, fitting
from bot.rosters.render import list_text, roster_text, saved_text
from bot.store.guilds import KEPT_SECONDS
from bot.store.rosters import KEPT_VERSIONS, Roster
from bot.ui.attachments import Upload, read_attachment
from bot.ui.error_replies import error_text
from bot.ui.interactions import defer
from bot.ui.layout import text_view
from bot.ui.limits import LAYOUT_TEXT, MAX_CHOICES, MAX_ENTRY
from bot.ui.text import plain, shortened
from sim.core.errors import RuleError
from sim.core.names import MAX_NAME, name_key

Named = app_commands.Range[str, 1, MOST_TYPED]
_MOST_VERSION = 1_000_000
_WHICH = "The roster: yours, or one shared with this server"
_DAYS = KEPT_SECONDS // (24 * 60 * 60)


class RosterCommands(commands.Cog, name="Saved rosters"):
    """Rosters kept under a name."""

    roster = app_commands.Group(name="roster", description="Your saved armies and rosters, to use in place of a file")

    def __init__(self, bot: Client) -> None:
        self._bot = bot
        self._shelf = bot.services[RosterLibrary]

    @roster.command(
        description="Save a roster under a name; over an old one it is a new version",
        extras={"example": "/roster save name:Big fleet kind:aa text:2 battleships, 1 carrier, 2 fighters"},
    )
    @app_commands.describe(
        name="Its name; one that you have already gets a new version",
        kind="What it is",
        file="The roster as a file",
        text="The roster as text, in place of a file",
    )
    async def save(
        self,
        interaction: Interaction,
        name: app_commands.Range[str, 1, MAX_NAME],
        kind: app_commands.Range[str, 1, MOST_TYPED],
        file: discord.Attachment | None = None,
        text: app_commands.Range[str, 1, MAX_ENTRY] | None = None,
    ) -> None:
        """Check a roster and keep it."""
        known = self._shelf.kind(kind)
        await defer(interaction, private=True)
        data = await _given(file, text)
        summary = await self._shelf.summary(interaction, known.name, data)
        saved = await self._shelf.store.save(interaction.user.id, known.name, name, data)
        await _tell(interaction, saved_text(saved.roster, saved.before, known.title, summary))

    @roster.command(
        name="list", description="Your saved rosters, and those shared here", extras={"example": "/roster list"}
    )
    async def list_(self, interaction: Interaction) -> None:
        """List what can be used here."""
        await defer(interaction, private=True)
        usable = [(one, self._shelf.title(one)) for one in await self._shelf.usable(interaction)]
        own = [one for one in usable if one[0].owner_id == interaction.user.id]
        await _tell(interaction, list_text(own, usable[len(own) :]))

    @roster.command(
        description="What a saved roster holds, as a file, too", extras={"example": "/roster show name:Big fleet"}
    )
    @app_commands.describe(name=_WHICH, version=f"An older version; the last {KEPT_VERSIONS} are kept")
    async def show(
        self,
        interaction: Interaction,
        name: Named,
        version: app_commands.Range[int, 1, _MOST_VERSION] | None = None,
    ) -> None:
        """Show a version and send it."""
        await defer(interaction, private=True)
        roster = await self._shelf.find(interaction, name)
        data = await self._shelf.store.read(roster, version)
        versions = await self._shelf.store.versions(roster.id)
        shown = next((one for one in versions if one.number == version), roster.newest)
        view = text_view(
            [
                roster_text(
                    roster, shown, versions, self._shelf.title(roster), await self._summary(interaction, roster, data)
                )
            ]
        )
        file = discord.File(io.BytesIO(data), self._file_name(roster, shown.number))
        view.add_item(discord.ui.File(f"attachment://{file.filename}"))
        await interaction.edit_original_response(view=view, attachments=[file])

    @roster.command(
        description="Delete a saved roster with all its versions", extras={"example": "/roster delete name:Big fleet"}
    )
    @app_commands.describe(name=_WHICH)
    async def delete(self, interaction: Interaction, name: Named) -> None:
        """Delete a roster of one's own, or as a referee one that is shared here."""
        await defer(interaction, private=True)
        roster = await self._shelf.deletable(interaction, name)
        await self._shelf.store.delete(roster.id)
        await _tell(interaction, f"🗑️ **{plain(roster.name)}** is deleted.")

    @roster.command(
        description="Let everybody in this server use a saved roster, or no longer",
        extras={"example": "/roster share name:Big fleet"},
    )
    @app_commands.describe(name="Your roster", off="Take it back: only you can use it again")
    async def share(self, interaction: Interaction, name: Named, off: bool = False) -> None:
        """Share with the server, or take back."""
        await defer(interaction, private=True)
        roster = await self._shelf.own(interaction, name, "share")
        if not off and interaction.guild_id is None:
            raise RuleError("A roster is shared with a server; type this in one.")
        await self._shelf.store.share(roster.id, None if off else interaction.guild_id)
        if off:
            await _tell(interaction, f"🔒 Only you can use **{plain(roster.name)}** now.")
            return
        lines = [
            f"🤝 Everybody in this server can use **{plain(roster.name)}**; only you can change it.",
            f"-# A referee can delete it, and it goes {_DAYS} days after the server removes this bot.",
        ]
        if roster.guild_id not in {None, interaction.guild_id}:
            lines.append("-# The server that it was shared with before can't use it any more.")
        await _tell(interaction, "\n".join(lines))

    @save.autocomplete("kind")
    async def _complete_kind(self, _interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
        typed = name_key(current)
        return [
            app_commands.Choice(name=kind.title, value=kind.name)
            for kind in self._shelf.kinds
            if typed in name_key(kind.title) or typed in kind.name
        ][:MAX_CHOICES]

    @save.autocomplete("name")
    async def _complete_own(self, interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
        """Offer the names that would get a new version."""
        own = fitting(await self._shelf.store.own(interaction.user.id), current)
        names = list(dict.fromkeys(one.name for one in own))
        return [app_commands.Choice(name=name, value=name) for name in names[:MAX_CHOICES]]

    @show.autocomplete("name")
    @delete.autocomplete("name")
    @share.autocomplete("name")
    async def _complete_name(self, interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
        return await self._shelf.offered(interaction, current)

    def _file_name(self, roster: Roster, version: int) -> str:
        ascii_name = unicodedata.normalize("NFKD", roster.name).encode("ascii", "ignore").decode()
        stem = re.sub(r"[^A-Za-z0-9]+", "-", ascii_name).strip("-") or "roster"
        return f"{stem}-v{version}.{self._shelf.extension(roster)}"

    async def _summary(self, interaction: Interaction, roster: Roster, data: bytes) -> str:
        try:
            return await self._shelf.summary(interaction, roster.kind, data)
        except RuleError as error:
            return error_text(error)  # the rules have changed since it was saved: its content is still its owner's


async def _given(file: discord.Attachment | None, text: str | None) -> bytes:
    if (file is None) == (text is None):
        raise RuleError("Give the roster as a file or as text, one of the two.")
    upload = Upload("text", (text or "").encode()) if file is None else await read_attachment(file)
    return upload.data


async def _tell(interaction: Interaction, text: str) -> None:
    await interaction.edit_original_response(view=text_view([shortened(text, LAYOUT_TEXT)]))


async def setup(bot: Client) -> None:
    """Load the cog."""
    await bot.add_cog(RosterCommands(bot))
