"""How players name bosses and give decks: as text, as a file, or by the name of a saved one."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import discord
from discord import app_commands
from pydantic import BaseModel, ConfigDict

from bot.client import Client, Interaction
from bot.games.boss_fight.bosses import BossRepository, Draft, Forged, Home
from bot.games.boss_fight.records import BossRecordRepository
from bot.games.boss_fight.render.deck import deck_summary
from bot.rosters.library import RosterKind
from bot.rosters.options import roster_content
from bot.store.uploads import UploadRepository
from bot.ui.limits import MAX_CHOICE, MAX_ENTRY
from bot.ui.text import did_you_mean, plain, utf16_length
from bot.ui.transformers import CompletedOption, text_choices
from sim.boss_fight.deck_text import completions
from sim.boss_fight.requests import DeckRequest, DeckSheetRequest
from sim.boss_fight.values import KNOWN_BOSSES, Boss, known_boss
from sim.core.errors import RuleError
from sim.core.names import name_key

KIND = RosterKind(
    name="boss",
    title="Boss fight deck",
    extension="csv",
    check=lambda content: DeckSheetRequest(deck=DeckRequest(data=content)),
    summarize=deck_summary,
)

MOST_BOSS = 100
"""Characters of an option that names a boss."""


class Source(BaseModel):
    """A deck as it was given, as it is kept: the text, or the hash of the file's content."""

    model_config = ConfigDict(frozen=True)

    text: str | None = None
    sha256: str | None = None

    async def request(self, bot: Client) -> DeckRequest:
        """Return the job that reads it; RuleError when the content is no longer kept."""
        if self.sha256 is None:
            return DeckRequest(text=self.text or "")
        return DeckRequest(data=await bot.services[UploadRepository].read(self.sha256))


async def given_deck(
    interaction: Interaction,
    text: str | None,
    file: discord.Attachment | None,
    saved: str | None,
) -> Source:
    """Return the deck that was given in one of three ways; RuleError for none or several. It may take a while."""
    if sum(source is not None for source in (text, file, saved)) != 1:
        raise RuleError("Give one deck: as text, as a file, or by the name of a saved one.")
    if text is not None:
        return Source(text=text)
    upload = await roster_content(interaction, KIND.name, file, saved, "deck")
    return Source(sha256=interaction.client.services[UploadRepository].keep(upload.data))


@dataclass(frozen=True, slots=True)
class ForgedBoss:
    """A boss that somebody made, as it is kept and as it fights."""

    kept: Forged
    boss: Boss


_MOMENTS = ("entry", "half", "fall")


def draft_of(boss: Boss) -> Draft:
    """Return a boss as it is kept."""
    data = boss.model_dump(mode="json", exclude={"name"})
    words = {moment: data.pop(moment) for moment in _MOMENTS}
    return Draft(boss.name, data, words)


def _boss_of(forged: Forged) -> ForgedBoss:
    draft = forged.draft
    parts = [part for part in (draft.figures, draft.words) if isinstance(part, dict)]
    return ForgedBoss(forged, Boss.model_validate({"name": draft.name, **parts[0], **parts[1]}))


async def forged_at(bot: Client, home: Home) -> list[ForgedBoss]:
    """Return the bosses that were forged there, by name."""
    return [_boss_of(forged) for forged in await bot.services[BossRepository].at(home)]


async def forged_named(bot: Client, home: Home, name: str) -> ForgedBoss | None:
    """Return the forged boss of that name; None when there is none."""
    found = await bot.services[BossRepository].find(home, name)
    return None if found is None else _boss_of(found)


def home_of(interaction: Interaction) -> Home:
    """Return where the bosses are that somebody can use here."""
    return Home(interaction.guild_id, interaction.user.id)


async def find_boss(bot: Client, home: Home, typed: str) -> Boss:
    """Return the boss of that name, the game's own or one that was forged here; RuleError with the nearest name."""
    if (known := known_boss(typed)) is not None:
        return known
    if (forged := await forged_named(bot, home, typed)) is not None:
        return forged.boss
    names = [boss.name for boss in await all_bosses(bot, home)]
    raise RuleError(f"There is no boss called {plain(typed)} here.{did_you_mean(typed, names)} /boss forge makes one.")


async def find_forged(bot: Client, home: Home, typed: str) -> ForgedBoss:
    """Return the boss of that name that was forged here; RuleError when there is none."""
    forged = await forged_named(bot, home, typed)
    if forged is None:
        own = "is the game's own and can't be changed" if known_boss(typed) else "was never forged here"
        raise RuleError(f"{plain(typed)} {own}.")
    return forged


async def all_bosses(bot: Client, home: Home) -> list[Boss]:
    """Return the game's own bosses, then those that were forged here."""
    return [*KNOWN_BOSSES, *(forged_boss.boss for forged_boss in await forged_at(bot, home))]


class BossName(CompletedOption):
    """The name of a boss: one of the game's, or one that was forged here."""

    def __init__(self) -> None:
        super().__init__(MOST_BOSS)

    async def complete(self, interaction: Interaction, typed: str) -> Iterable[app_commands.Choice[str]]:
        """Offer the names that hold what was typed."""
        key = name_key(typed)
        return text_choices(name for name in await self.names(interaction) if key in name_key(name))

    async def names(self, interaction: Interaction) -> Sequence[str]:
        """Return the names to choose from."""
        return [boss.name for boss in await all_bosses(interaction.client, home_of(interaction))]


class ForgedBossName(BossName):
    """The name of a boss that was forged here."""

    async def names(self, interaction: Interaction) -> Sequence[str]:
        """Return the names to choose from."""
        return [forged.boss.name for forged in await forged_at(interaction.client, home_of(interaction))]


class RecordedBossName(BossName):
    """The name of a boss against which there are records in the server."""

    async def names(self, interaction: Interaction) -> Sequence[str]:
        """Return the names to choose from."""
        if interaction.guild_id is None:
            return []
        bosses = await interaction.client.services[BossRecordRepository].bosses(interaction.guild_id)
        return [name for name, _ in bosses]


class DeckText(CompletedOption):
    """A deck as text."""

    def __init__(self) -> None:
        super().__init__(MAX_ENTRY)

    async def complete(self, _interaction: Interaction, typed: str) -> Iterable[app_commands.Choice[str]]:
        """Offer how the text can go on."""
        return text_choices(text for text in completions(typed) if 0 < utf16_length(text) <= MAX_CHOICE)
