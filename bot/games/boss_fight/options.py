"""Options of the commands: bosses by name, and decks as text, as a file, or saved."""

from collections.abc import Iterable, Sequence
from typing import Annotated

import discord
from discord import app_commands
from pydantic import BaseModel, ConfigDict

from bot.answers import UPLOADED
from bot.client import Client, Interaction
from bot.games.boss_fight.render.decks import deck_summary
from bot.games.boss_fight.repositories import BossRecordRepository, BossRepository, ForgedBoss, Home
from bot.rosters import RosterKind, roster_content, saved_roster
from bot.store.queries import UploadRepository
from bot.ui import MAX_ENTRY, none_called, shorten
from bot.ui.options import CompletedBy, Option, Options, choices_with, text_choices
from sim.boss_fight.form_text import completions, read_as
from sim.boss_fight.requests import DeckRequest
from sim.boss_fight.tables import KNOWN_BOSSES, known_boss
from sim.boss_fight.values import Boss
from sim.core import RuleError
from sim.core.names import name_key

KIND = RosterKind(
    name="boss",
    title="Boss fight deck",
    extension="csv",
    check=lambda content: DeckRequest(deck=content),
    summarize=deck_summary,
)

MAX_BOSS_NAME = 100
"""Characters of an option that names a boss."""


class DeckSource(BaseModel):
    """A deck as a stored query has it: the text, or the hash of the file's content."""

    model_config = ConfigDict(frozen=True)

    text: str | None = None
    sha256: Annotated[str | None, UPLOADED] = None

    @property
    def told(self) -> str | None:
        """How the text was read; None for a file, and if it was typed plainly."""
        return None if self.text is None else read_as(self.text)

    async def request(self, bot: Client) -> DeckRequest:
        """Return the request that reads it; RuleError if the file's content has been deleted."""
        file = None if self.sha256 is None else await bot.services[UploadRepository].read(self.sha256)
        return DeckRequest(deck=(self.text or "") if file is None else file)


def home_of(interaction: Interaction) -> Home:
    """Return the home of the bosses that the user can choose here."""
    return Home(interaction.guild_id, interaction.user.id)


async def find_boss(bot: Client, home: Home, typed: str) -> Boss:
    """Return the boss of that name, forged here or built in; RuleError with the nearest name if there is none."""
    # Forged ones first: they may be older than a built-in one of the same name.
    if (forged := await bot.services[BossRepository].find(home, typed)) is not None:
        return forged.boss
    if (known := known_boss(typed)) is not None:
        return known
    names = [boss.name for boss in await all_bosses(bot, home)]
    raise RuleError(f"{none_called('boss', typed, names)} /boss list shows them all.")


async def find_forged(bot: Client, home: Home, typed: str) -> ForgedBoss:
    """Return the boss of that name that was forged here; RuleError if there is none."""
    forged = await bot.services[BossRepository].find(home, typed)
    if forged is None:
        built_in = f"{shorten(typed, 80)} is built in and can't be changed."
        raise RuleError(built_in if known_boss(typed) else none_called("forged boss", typed, ()))
    return forged


async def all_bosses(bot: Client, home: Home) -> list[Boss]:
    """Return the ladder and the other built-in bosses, then those forged here."""
    return [*KNOWN_BOSSES, *(forged.boss for forged in await bot.services[BossRepository].at(home))]


def _boss_choices(bosses: Iterable[Boss], typed: str) -> Sequence[app_commands.Choice[str]]:
    key = name_key(typed)
    return [
        app_commands.Choice(name=f"{boss.name} (level {boss.level}, {boss.health:,} health)", value=boss.name)
        for boss in bosses
        if key in name_key(boss.name)
    ]


async def _any_boss(interaction: Interaction, typed: str) -> Sequence[app_commands.Choice[str]]:
    return _boss_choices(await all_bosses(interaction.client, home_of(interaction)), typed)


async def _forged_boss(interaction: Interaction, typed: str) -> Sequence[app_commands.Choice[str]]:
    forged = await interaction.client.services[BossRepository].at(home_of(interaction))
    return _boss_choices((each.boss for each in forged), typed)


async def _recorded_boss(interaction: Interaction, typed: str) -> Sequence[app_commands.Choice[str]]:
    if interaction.guild_id is None:
        return []
    bosses = await interaction.client.services[BossRecordRepository].bosses(interaction.guild_id)
    return choices_with((board.boss for board in bosses), typed)


async def _deck_text(_interaction: Interaction, typed: str) -> Sequence[app_commands.Choice[str]]:
    return text_choices(completions(typed))


BOSS_NAME = CompletedBy(MAX_BOSS_NAME, _any_boss)
"""The name of a boss, built in or forged here; the ladder comes first."""

FORGED_BOSS_NAME = CompletedBy(MAX_BOSS_NAME, _forged_boss)
"""The name of a boss that was forged here."""

RECORDED_BOSS_NAME = CompletedBy(MAX_BOSS_NAME, _recorded_boss)
"""The name of a boss with records in the server."""


class DeckOptions(Options):
    """A deck as text, as a file, or saved."""

    deck: Annotated[
        str | None,
        Option(
            "The deck as text, as in: hero: V, Epic, Fairy @Fire; attack: X, Sword", CompletedBy(MAX_ENTRY, _deck_text)
        ),
    ] = None
    deck_file: Annotated[discord.Attachment | None, Option("Or the deck as a CSV file")] = None
    deck_saved: Annotated[
        str | None, Option("Or a saved deck, or a published sheet's link", saved_roster(KIND.name))
    ] = None

    async def source(self, interaction: Interaction) -> DeckSource:
        """Return the one deck that was given; RuleError for none or several. Reading a file may take a while."""
        if sum(option is not None for option in (self.deck, self.deck_file, self.deck_saved)) != 1:
            raise RuleError("Give one deck: as text, as a file, or a saved one by its name.")
        if self.deck is not None:
            return DeckSource(text=self.deck)
        upload = await roster_content(interaction, KIND.name, self.deck_file, self.deck_saved, "deck")
        return DeckSource(sha256=interaction.client.services[UploadRepository].keep(upload.data))
