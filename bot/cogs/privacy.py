"""`/privacy`: what is kept about a player, as a summary, as a file, and its deletion."""

import io
import json
import zipfile

import discord
from discord import app_commands
from discord.ext import commands
from pydantic import JsonValue

from bot.battles.publisher import PanelPublisher
from bot.client import Client, Interaction
from bot.games.boss_fight.repositories import BossRecordRepository, BossRepository
from bot.games.duel.characters import CharacterRepository
from bot.games.duel.duel_messages import DuelMessageRepository
from bot.store.battles.retention import Retention
from bot.store.personal_data import PersonalDataRepository
from bot.store.queries import QueryRepository
from bot.store.recent_texts import RecentTextRepository
from bot.store.rosters import RosterRepository
from bot.store.scores import ScoreRepository
from bot.ui.interactions import defer
from bot.ui.layout import text_view
from bot.ui.text import counted


class Privacy(commands.Cog, name="Your data"):
    """What the bot knows of a person."""

    privacy = app_commands.Group(name="privacy", description="What this bot keeps about you")

    def __init__(self, bot: Client) -> None:
        self._bot = bot

    @privacy.command(description="What is kept about you, and for how long", extras={"example": "/privacy show"})
    async def show(self, interaction: Interaction) -> None:
        """Tell what is kept."""
        await defer(interaction, private=True)
        kept = await self._kept(interaction.user.id)
        files = await self._bot.services[PersonalDataRepository].uploads(interaction.user.id)
        lines = [
            "### What is kept about you",
            f"- {counted(len(kept['recent_texts']), 'text')} sent lately, to offer them again; the last 20 of a kind",
            f"- {counted(len(kept['calculations']), 'calculation')} with your id, to turn their pages; 90 days",
            f"- {counted(len(kept['battles']), 'battle')} with your id: seats and who acted; 90 days after their end",
            f"- {counted(len(kept['rosters']), 'roster')} that you saved; until you delete them",
            f"- {counted(len(kept['bosses']), 'boss', 'bosses')} that you forged; until you delete them",
            f"- {counted(len(kept['boss_records']), 'record')} against bosses; until you delete what is kept",
            f"- {counted(len(files), 'file')} behind calculations and rosters; as long as these",
            f"- {counted(len(kept['characters']), 'character')} of duels; until you dismiss them",
            f"- {counted(len(kept['scores']), 'score')} in lists of the best; as long as they are among these",
            f"- {counted(len(kept['words']), 'message')} of duels, reworded by you; until you reset them",
            "-# What fighters are called stays in the logs of their battles, without your id, as long as these.",
            "-# `/privacy export` sends all of it as a file. `/privacy delete` deletes it at once.",
        ]
        await interaction.edit_original_response(view=text_view(["\n".join(lines)]))

    @privacy.command(description="Everything that is kept about you, as a file", extras={"example": "/privacy export"})
    async def export(self, interaction: Interaction) -> None:
        """Send the file."""
        await defer(interaction, private=True)
        kept = {"user_id": str(interaction.user.id), **await self._kept(interaction.user.id)}
        data = json.dumps(kept, ensure_ascii=False, indent=1).encode()
        files = [discord.File(io.BytesIO(data), "about-you.json")]
        uploads = {
            f"{name}.txt": upload
            for name, upload in (await self._bot.services[PersonalDataRepository].uploads(interaction.user.id)).items()
        }
        if uploads := uploads | await self._bot.services[BossRepository].pictures_of(interaction.user.id):
            files.append(discord.File(io.BytesIO(_packed(uploads)), "your-files.zip"))
        await interaction.followup.send("Everything that is kept about you.", files=files, ephemeral=True)

    @privacy.command(
        description="Delete what is kept about you; your seats in battles become free",
        extras={"example": "/privacy delete"},
    )
    async def delete(self, interaction: Interaction) -> None:
        """Delete it everywhere; panels lose the name, too."""
        await defer(interaction, private=True)
        user_id = interaction.user.id
        battles = await self._bot.services[Retention].forget_person(user_id)
        texts = await self._bot.services[RecentTextRepository].forget(user_id)
        queries = await self._bot.services[QueryRepository].forget_asker(user_id)
        rosters = await self._bot.services[RosterRepository].forget_owner(user_id)
        of_games = (
            (await self._bot.services[BossRepository].forget_maker(user_id), "forged boss", "forged bosses"),
            (await self._bot.services[BossRecordRepository].forget_person(user_id), "record", "records"),
            (await self._bot.services[CharacterRepository].forget_owner(user_id), "character", "characters"),
            (await self._bot.services[ScoreRepository].forget_person(user_id), "score", "scores"),
            (
                await self._bot.services[DuelMessageRepository].forget_person(user_id),
                "message of duels",
                "messages of duels",
            ),
        )
        await self._bot.services[PanelPublisher].pending()
        parts = [
            counted(texts, "text"),
            counted(queries, "calculation"),
            counted(rosters, "saved roster"),
            *(counted(number, singular, plural) for number, singular, plural in of_games if number),
            f"your part in {counted(len(battles), 'battle')}",
        ]
        text = f"🗑️ Deleted: {', '.join(parts)}. The battles themselves go on and can still be verified."
        await interaction.edit_original_response(view=text_view([text]))

    async def _kept(self, user_id: int) -> dict[str, list[JsonValue]]:
        return {
            "recent_texts": await self._bot.services[PersonalDataRepository].recent_texts(user_id),
            "calculations": await self._bot.services[PersonalDataRepository].calculations(user_id),
            "battles": await self._bot.services[Retention].about_person(user_id),
            "rosters": await self._bot.services[RosterRepository].about_person(user_id),
            "bosses": await self._bot.services[BossRepository].about_person(user_id),
            "boss_records": await self._bot.services[BossRecordRepository].about_person(user_id),
            "characters": await self._bot.services[CharacterRepository].about_person(user_id),
            "scores": await self._bot.services[ScoreRepository].about_person(user_id),
            "words": await self._bot.services[DuelMessageRepository].about_person(user_id),
        }


def _packed(files: dict[str, bytes]) -> bytes:
    """Pack files by their names, as the export names them; uncompressed, which costs no time."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name), data)
    return packed.getvalue()


async def setup(bot: Client) -> None:
    """Load the cog."""
    await bot.add_cog(Privacy(bot))
