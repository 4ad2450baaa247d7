"""`/privacy`: what is kept about a player, as a summary, as a file, and its deletion."""

import asyncio
import io
import json
import math
from collections.abc import Mapping, Sequence
from functools import partial

import discord
from discord import app_commands
from discord.ext import commands
from pydantic import JsonValue

from bot.answers.items import Confirmations, Deed
from bot.battles.events import EventService
from bot.battles.publisher import PanelPublisher
from bot.client import Client, Interaction
from bot.store.database import cooperative
from bot.store.personal_data import PersonalDataRepository, PersonalTable
from bot.ui import text_view, zipped
from bot.ui.interactions import defer, edit_reply
from bot.ui.options import run, slash
from sim.core import RuleError
from sim.core.names import listed
from sim.core.numbers import quantity

_DELETE = "privacy-delete"
PAUSE_SECONDS = 600.0
"""How long a person waits between two deletions."""


class Privacy(commands.Cog, name="Your data"):
    """What the bot knows of a person."""

    privacy = app_commands.Group(name="privacy", description="What this bot keeps about you")

    def __init__(self, bot: Client) -> None:
        self._bot = bot
        self._personal_data = bot.services[PersonalDataRepository]
        download = partial(run, Privacy.export, self)
        bot.services[Confirmations][_DELETE] = Deed("Delete it all", self._delete, download)
        self._deleted: dict[int, float] = {}

    @slash(privacy)
    async def show(self, interaction: Interaction) -> None:
        """What is kept about you, and for how long."""
        await defer(interaction, private=True)
        settings = self._bot.settings
        days = quantity(settings.copy_days, "day")
        found = await self._personal_data.summary(interaction.user.id)
        nothing = [table.label[1] for table, number in found if not number]
        lines = [
            "### What is kept about you",
            *(f"- {quantity(number, *table.label)} {table.kept}" for table, number in found if number),
            *([f"-# None of these: {', '.join(nothing)}."] if nothing else []),
            "-# Fighters' names stay in the logs of their battles, without your id, as long as the logs are kept.",
            "-# `/privacy export` sends all of it as a file. `/privacy delete` deletes it.",
            f"-# A copy of everything is made before an update of the database; it is deleted after {days}.",
        ]
        if settings.backup_days is not None:
            days = quantity(settings.backup_days, "day")
            lines.append(f"-# Backups are made of everything; what is deleted is in them for {days}.")
        await interaction.edit_original_response(view=text_view(["\n".join(lines)]))

    @slash(privacy)
    async def export(self, interaction: Interaction) -> None:
        """Everything that is kept about you, as a file."""
        await defer(interaction, private=True)
        user_id = interaction.user.id
        data = await as_json(user_id, await self._personal_data.export(user_id))
        files = [discord.File(io.BytesIO(data), "about-you.json")]
        if packed := await self._personal_data.files(user_id):
            files.append(discord.File(io.BytesIO(await asyncio.to_thread(zipped, packed)), "your-files.zip"))
        await interaction.followup.send("Everything that is kept about you.", files=files, ephemeral=True)

    @slash(privacy)
    async def delete(self, interaction: Interaction) -> None:
        """Delete what is kept about you; your seats in battles become free."""
        await defer(interaction, private=True)
        kept = _deletion_text(await self._personal_data.summary(interaction.user.id))
        text = f"This deletes {kept}. The battles themselves go on, with your seats free."
        await self._bot.services[Confirmations].ask(interaction, _DELETE, "", text)

    async def _delete(self, interaction: Interaction, _name: str) -> None:
        """Delete it everywhere, which rewrites much of the database, so not too often; panels lose the name, too."""
        now, user_id = self._bot.monotonic(), interaction.user.id
        self._deleted = {user: at for user, at in self._deleted.items() if now - at < PAUSE_SECONDS}
        if user_id in self._deleted:
            minutes = math.ceil((self._deleted[user_id] + PAUSE_SECONDS - now) / 60)
            raise RuleError(f"Your data was deleted just now; you can delete again in {quantity(minutes, 'minute')}.")
        self._deleted[user_id] = now
        await self._bot.services[EventService].drop_past(user_id)
        deleted = _deletion_text(await self._personal_data.forget_person(user_id))
        text = f"🗑️ Deleted: {deleted}. The battles themselves go on and can still be verified."
        await edit_reply(interaction, text)
        await self._bot.services[PanelPublisher].pending()


async def as_json(user_id: int, kept: Mapping[str, Sequence[JsonValue]]) -> bytes:
    """Return an export as JSON, a line for each row; others have their turns between the rows."""
    parts = [f'{{\n"user_id": "{user_id}"']
    for table, rows in kept.items():
        lines = [json.dumps(row, ensure_ascii=False) async for row in cooperative(rows)]
        entries = ",\n".join(lines)
        parts.append(f"{json.dumps(table)}: [\n{entries}\n]" if lines else f"{json.dumps(table)}: []")
    return (",\n".join(parts) + "\n}\n").encode()


def _deletion_text(found: Sequence[tuple[PersonalTable, int]]) -> str:
    """Return how many rows are deleted; rows of several people stay, without the player's part."""
    parts = []
    for table, number in sorted(found, key=lambda kept: kept[0].cleared):
        if table.is_deletable and number:
            rows = quantity(number, *(table.deleted or table.label))
            parts.append(f"your part in {rows}" if table.cleared else rows)
    return listed(parts) if parts else "all that is kept about you"
