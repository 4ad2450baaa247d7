"""The option that names a game of which a server keeps a ladder."""

from collections.abc import Iterable, Mapping

from discord import app_commands

from bot.battles.presenter import Presenters
from bot.client import Client, Interaction
from bot.store.chronicle import ChronicleRepository
from bot.ui.options import CompletedOption
from bot.ui.text import did_you_mean
from sim.core.errors import RuleError
from sim.core.names import name_key

MAX_GAME = 60


def game_titles(bot: Client) -> Mapping[str, str]:
    """Return the titles of all games' battles by their systems."""
    return {presenter.system.name: presenter.title for presenter in bot.services[Presenters].all}


async def ranked_games(interaction: Interaction) -> Mapping[str, str]:
    """Return the games of which the server remembers results that count: titles by system."""
    if interaction.guild_id is None:
        return {}
    titles = game_titles(interaction.client)
    systems = await interaction.client.services[ChronicleRepository].rated_systems(interaction.guild_id)
    return {system: titles.get(system, system) for system in systems}


def find_game(titles: Mapping[str, str], typed: str) -> str:
    """Return the system of the game with this title; RuleError if there is none."""
    key = name_key(typed)
    found = next((system for system, title in titles.items() if key in {name_key(title), name_key(system)}), None)
    if found is None:
        raise RuleError(f"No game here is called that.{did_you_mean(typed, titles.values())}")
    return found


class RankedGame(CompletedOption):
    """A game with results that count in this server."""

    def __init__(self) -> None:
        super().__init__(MAX_GAME)

    async def complete(self, interaction: Interaction, typed: str) -> Iterable[app_commands.Choice[str]]:
        """Offer the games whose titles contain what was typed."""
        key = typed.strip().casefold()
        titles = (await ranked_games(interaction)).values()
        return [app_commands.Choice(name=title, value=title) for title in titles if key in title.casefold()]
