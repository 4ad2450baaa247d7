"""`fracas sync [GUILD]`: signs in without the gateway and registers the commands on Discord."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence

import discord

from bot.app import Fracas
from bot.cli.main import CommandError, parser_of
from bot.config import load_settings
from bot.game import Games
from bot.logging_setup import configure
from bot.store.connecting import MEMORY
from bot.store.sqlite import SqliteDatabase
from sim.workers import InlineSimulator


@contextlib.asynccontextmanager
async def signed_in(token: str) -> AsyncIterator[Fracas]:
    """Sign in; CommandError if Discord refuses the token, or can't be reached now or within the block."""
    games = Games.discover()
    db = await SqliteDatabase.open(MEMORY, games.schemas)
    try:
        async with Fracas(simulator=InlineSimulator(), db=db, games=games) as bot:
            try:
                await bot.login(token)
                yield bot
            except discord.LoginFailure:
                raise CommandError("Discord refused the token; check DISCORD_TOKEN.") from None
            except (discord.HTTPException, OSError) as error:
                raise CommandError(f"Discord can't be reached: {error}") from error
    finally:
        await db.close()


EVERYWHERE = "global"


def main(argv: Sequence[str]) -> int:
    """Register the commands and say how many there are."""
    parser = parser_of("sync")
    parser.add_argument(
        "guild", nargs="?", default=EVERYWHERE, metavar="GUILD", help="a server's id: there, and at once"
    )
    where = parser.parse_args(argv).guild
    settings = load_settings()
    configure(settings)
    if settings.discord_token is None:
        raise CommandError("The commands are registered on Discord: set DISCORD_TOKEN first.")
    if where != EVERYWHERE and not (where.isascii() and where.isdecimal() and len(where) <= len(str(2**63))):
        raise CommandError(f"A server's id is a long number, not {where!r}.")
    count = asyncio.run(_register(settings.discord_token.get_secret_value(), where))
    print(f"{count} commands registered {'everywhere' if where == EVERYWHERE else f'in server {where}'}.")
    return 0


async def _register(token: str, where: str) -> int:
    async with signed_in(token) as bot:
        guild = None if where == EVERYWHERE else discord.Object(int(where))
        if guild is not None:
            bot.tree.copy_global_to(guild=guild)
        try:
            return len(await bot.tree.sync(guild=guild))
        except discord.Forbidden:
            raise CommandError(f"Discord doesn't let the bot register commands in server {where}.") from None
