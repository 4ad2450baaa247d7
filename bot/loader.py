"""Loads the bot's own cogs and all games into the client, and names the game if one can't be loaded."""

import logging
from collections.abc import Awaitable, Callable, Iterator

import discord
from discord import app_commands

from bot.answers.handler import Handlers
from bot.battles.cog import BattleCommands
from bot.battles.presenter import Presenters
from bot.campaigns.cog import CampaignCommands
from bot.client import Client, NameTakenError
from bot.cogs.help import Help
from bot.cogs.plain_words import PlainWords
from bot.cogs.privacy import Privacy
from bot.game import Games, adds
from bot.logging_setup import event
from bot.rosters.cog import RosterCommands
from bot.rosters.library import RosterLibrary
from bot.stats.cog import StatsCommands
from bot.store.personal_data import PersonalDataRepository
from bot.weekly.cog import WeeklyCommands
from sim.core.game_rules import GameError
from sim.jobs.discovery import expect_one

_OWNER = "fracas (built in)"
_COGS_AFTER = (BattleCommands, RosterCommands, StatsCommands, CampaignCommands, WeeklyCommands, Privacy, PlainWords)

_log = logging.getLogger("fracas.app")


async def load(bot: Client, games: Games) -> None:
    """Load everything, in the order of `/help`.

    Raises `GameError` for a game that can't be set up, for two games that want the same name, and for a table of
    personal data that isn't there. A column with ids that no game declares, such as one that an uninstalled game left
    behind, is only logged.
    """
    owners: dict[str, object] = {}
    steps: list[tuple[object, Callable[[Client], Awaitable[None]]]] = [
        (_OWNER, adds(Help)),
        *((game, game.game.setup) for game in games),
        *((_OWNER, adds(cog)) for cog in _COGS_AFTER),
    ]
    for owner, setup in steps:
        try:
            await setup(bot)
        except Exception as error:
            event(_log, "game_not_loaded", level=logging.ERROR, exc_info=error, game=str(owner))
            if (shared := _shared_name(bot, error)) is not None:
                expect_one(owners.get(shared, owner), owner, shared)
            why = f"{type(error).__name__}: {error}"
            raise GameError(f"The game {owner} can't be set up ({why}); repair it or uninstall it.") from error
        for name in _names(bot):
            owners.setdefault(name, owner)
    personal_data = bot.services[PersonalDataRepository]
    if missing := await personal_data.missing():
        raise GameError(f"The registry of personal data names what the database doesn't have: {', '.join(missing)}.")
    if undeclared := await personal_data.undeclared():
        event(_log, "personal_data_undeclared", level=logging.WARNING, columns=undeclared)


def _names(bot: Client) -> Iterator[str]:
    """Yield the names that only one game may use, each as a phrase."""
    yield from (f"a command /{command.name}" for command in bot.tree.get_commands())
    yield from (f"a page {title!r} of /help" for title in bot.cogs)
    for registry in (bot.services[Handlers], bot.services[Presenters], bot.services[RosterLibrary]):
        yield from registry.names


def _shared_name(bot: Client, error: BaseException) -> str | None:
    """Return the name that caused the error because another game uses it; None for other errors."""
    if isinstance(error, NameTakenError):
        return error.name
    if isinstance(error, app_commands.CommandAlreadyRegistered):
        return f"a command /{error.name}"
    if isinstance(error, discord.ClientException):
        return next((f"a page {title!r} of /help" for title in bot.cogs if repr(title) in str(error)), None)
    return None
