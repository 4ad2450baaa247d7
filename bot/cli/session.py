"""Signing in to Discord for a command, without the gateway and without the database."""

import contextlib
from collections.abc import AsyncIterator

import discord

from bot.app import Fracas
from bot.cli.errors import CommandError
from bot.game import Games
from bot.store.connecting import MEMORY
from bot.store.opening import open_database
from sim.workers import InlineSimulator


@contextlib.asynccontextmanager
async def signed_in(token: str) -> AsyncIterator[Fracas]:
    """Sign in; CommandError if Discord refuses the token, or can't be reached now or within the block."""
    games = Games.discover()
    db = await open_database(MEMORY, games=games.migrations)
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
