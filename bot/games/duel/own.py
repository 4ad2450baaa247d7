"""The commands about a player's own: `/duel roll`, `characters`, `dismiss`; `/duel words`, `top`."""

from discord import app_commands
from discord.ext import commands

from bot.client import Client, Interaction
from bot.games.duel.characters import CharacterRepository
from bot.games.duel.group import KEPT, Named, Own, duel
from bot.games.duel.keeping import CharactersHandler, CharactersQuery
from bot.games.duel.people import People
from bot.games.duel.render.sheet import sheet
from bot.games.duel.render.top import top_text
from bot.games.duel.scores import ScoreRepository
from bot.games.duel.wording import WordsHandler, WordsQuery
from bot.ui.interactions import defer, edit_reply
from bot.ui.limits import MAX_CHOICES
from bot.ui.option_groups import PRIVATE
from bot.ui.text import plain
from sim.duel.critter import Alignment
from sim.duel.dungeon import Dungeon
from sim.duel.names import Gender


class CharacterCommands(commands.Cog):
    """What players keep: characters, words, places in the list of the best."""

    _bot: Client
    _people: People
    _characters: CharactersHandler
    _words: WordsHandler

    @duel.command(
        description=f"Roll a character and keep it ({KEPT}): 3d6 for each ability, d8 hit points",
        extras={"example": "/duel roll"},
    )
    @app_commands.describe(
        name="Its name (usually one of the table)",
        gender="Its pronoun (usually by chance)",
        alignment="What it stands for (usually by chance)",
        private=PRIVATE,
    )
    @app_commands.choices(
        gender=[app_commands.Choice(name=gender.value, value=gender.value) for gender in Gender],
        alignment=[app_commands.Choice(name=alignment.value, value=alignment.value) for alignment in Alignment],
    )
    async def roll(
        self,
        interaction: Interaction,
        name: Named | None = None,
        gender: str | None = None,
        alignment: str | None = None,
        private: bool = False,
    ) -> None:
        """Roll a character."""
        await defer(interaction, private=private)
        critter = await self._people.roll(
            interaction,
            name,
            None if gender is None else Gender(gender),
            None if alignment is None else Alignment(alignment),
        )
        hint = "-# Yours now: `/duel challenge`, `/duel encounter` and `/duel dungeon` take it along."
        await edit_reply(interaction, f"### 🎲 A new character\n{sheet(critter)}\n{hint}")

    @duel.command(
        description="Your characters, each with its sheet, and as a roster's file",
        extras={"example": "/duel characters"},
    )
    @app_commands.describe(character="Show this one alone", private=PRIVATE)
    async def characters(self, interaction: Interaction, character: Own | None = None, private: bool = False) -> None:
        """Show the characters."""
        query = CharactersQuery(owner_id=interaction.user.id, name=character, private=private)
        await self._characters.ask(interaction, query)

    @duel.command(
        description="Let one of your characters go for good", extras={"example": "/duel dismiss character:Brenna"}
    )
    @app_commands.describe(character="Who goes")
    async def dismiss(self, interaction: Interaction, character: Own) -> None:
        """Delete a character."""
        await defer(interaction, private=True)
        kept, _ = await self._people.find(interaction.user.id, character)
        await self._bot.services[CharacterRepository].delete(interaction.user.id, kept.id)
        await edit_reply(interaction, f"👋 **{plain(kept.name)}** goes home.")

    @duel.command(
        description="What duels say here; a referee changes every message in a form and hears it before",
        extras={"example": "/duel words"},
    )
    @app_commands.describe(private=PRIVATE)
    async def words(self, interaction: Interaction, private: bool = False) -> None:
        """Show the messages."""
        query = WordsQuery(guild_id=interaction.guild_id, user_id=interaction.user.id, private=private)
        await self._words.ask(interaction, query)

    @duel.command(
        description="The heroes who brought the most experience out of dungeons here", extras={"example": "/duel top"}
    )
    @app_commands.describe(private=PRIVATE)
    async def top(self, interaction: Interaction, private: bool = False) -> None:
        """Show the list of the best."""
        await defer(interaction, private=private)
        guild_id = interaction.guild_id
        scores = await self._bot.services[ScoreRepository].best(
            Dungeon.name, guild_id, interaction.user.id, MAX_CHOICES
        )
        text = top_text(scores, "here" if guild_id is not None else "in your direct messages")
        await edit_reply(interaction, text)
