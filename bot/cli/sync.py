"""`fracas sync [GUILD]`: registers the commands on Discord."""

import asyncio
from collections.abc import Sequence

import discord

from bot.cli.errors import CommandError
from bot.cli.options import parser_of
from bot.cli.session import signed_in
from bot.config import load_settings
from bot.logging_setup import configure

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
