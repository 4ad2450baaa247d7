"""How players name bosses and give decks: as text, as a file, or by the name of a saved one."""

from typing import TYPE_CHECKING

import discord
from discord import app_commands
from pydantic import BaseModel, ConfigDict
from rapidfuzz import fuzz, process

from bot.render.boss_fight.deck import deck_summary
from bot.render.text import plain, shortened, utf16_length
from bot.store.bosses import Forged, Home
from bot.ui.rosters import RosterKind
from bot.ui.uploads import roster_content
from sim.boss_fight.bosses import KNOWN, known_boss
from sim.boss_fight.complete import completions
from sim.boss_fight.given import DeckRequest, DeckSheetRequest
from sim.boss_fight.values import Boss
from sim.core.cells import name_key
from sim.core.errors import RuleError

if TYPE_CHECKING:
    from bot.app import Fracas

KIND = RosterKind(
    name="boss",
    title="Boss fight deck",
    extension="csv",
    check=lambda content: DeckSheetRequest(deck=DeckRequest(data=content)),
    tell=deck_summary,
)

MOST_TEXT = 4000
"""Characters of a deck as an option or a form takes it; longer ones come as files."""

MOST_BOSS = 100
"""Characters of an option that names a boss."""

_MOST_CHOICES = 25
_CHOICE_LENGTH = 100
_NEAR_ENOUGH = 60  # of rapidfuzz's 100


class Source(BaseModel):
    """A deck as it was given, as it is kept: the text, or the hash of the file's content."""

    model_config = ConfigDict(frozen=True)

    text: str | None = None
    sha256: str | None = None

    async def request(self, bot: "Fracas") -> DeckRequest:
        """Return the job that reads it; RuleError when the content is no longer kept."""
        if self.sha256 is None:
            return DeckRequest(text=self.text or "")
        return DeckRequest(data=await bot.uploads.read(self.sha256))


async def given_deck(
    interaction: "discord.Interaction[Fracas]",
    text: str | None,
    file: discord.Attachment | None,
    saved: str | None,
) -> Source:
    """Return the deck that was given in one of three ways; RuleError for none or several. It may take a while."""
    if sum(one is not None for one in (text, file, saved)) != 1:
        raise RuleError("Give one deck: as text, as a file, or by the name of a saved one.")
    if text is not None:
        return Source(text=text)
    upload = await roster_content(interaction, KIND.name, file, saved, "deck")
    return Source(sha256=interaction.client.uploads.keep(upload.data))


def home_of(interaction: "discord.Interaction[Fracas]") -> Home:
    """Return where the bosses are that somebody can use here."""
    return Home(interaction.guild_id, interaction.user.id)


async def find_boss(bot: "Fracas", home: Home, typed: str) -> Boss:
    """Return the boss of that name, the game's own or one that was forged here; RuleError with the nearest name."""
    if (known := known_boss(typed)) is not None:
        return known
    if (forged := await bot.bosses.find(home, typed)) is not None:
        return forged.boss
    names = [boss.name for boss in await all_bosses(bot, home)]
    near = process.extractOne(
        name_key(typed), list(map(name_key, names)), scorer=fuzz.WRatio, score_cutoff=_NEAR_ENOUGH
    )
    hint = "" if near is None else f" Did you mean {plain(names[near[2]])}?"
    raise RuleError(f"There is no boss called {plain(typed)} here.{hint} /boss forge makes one.")


async def find_forged(bot: "Fracas", home: Home, typed: str) -> Forged:
    """Return the boss of that name that was forged here; RuleError when there is none."""
    forged = await bot.bosses.find(home, typed)
    if forged is None:
        own = "is the game's own and can't be changed" if known_boss(typed) else "was never forged here"
        raise RuleError(f"{plain(typed)} {own}.")
    return forged


async def all_bosses(bot: "Fracas", home: Home) -> list[Boss]:
    """Return the game's own bosses, then those that were forged here."""
    return [*KNOWN, *(one.boss for one in await bot.bosses.at(home))]


def fitting_names(names: list[str], typed: str) -> list[app_commands.Choice[str]]:
    """Return the names that hold what was typed, as choices."""
    key = name_key(typed)
    fitting = list(dict.fromkeys(name for name in names if key in name_key(name)))
    return [app_commands.Choice(name=name, value=name) for name in fitting[:_MOST_CHOICES]]


def deck_choices(current: str) -> list[app_commands.Choice[str]]:
    """Return how the deck's text can go on."""
    texts = [text for text in completions(current) if 0 < utf16_length(text) <= _CHOICE_LENGTH]
    return [app_commands.Choice(name=shortened(text, _CHOICE_LENGTH), value=text) for text in texts[:_MOST_CHOICES]]
