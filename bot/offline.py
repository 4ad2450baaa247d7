"""The offline table: a local page where the real bot answers without Discord."""

import asyncio
import errno
import logging
import re
import socket
from collections.abc import Sequence
from typing import Final

import discord

from bot.app import Fracas

PLAYERS: Final = ("Ann", "Ben", "Cleo")
MAX_PLAYERS = 25
_WITH_REFEREE = 3
_LOOPBACK = "127.0.0.1"
_NAME = re.compile(r"\w[\w .'-]{0,31}")
# A job may use its whole wall limit before the simulated Discord may call the bot stuck.
_SETTLE_SECONDS = 90.0


class OfflineError(Exception):
    """The table can't be set; `str(error)` is one plain sentence for the operator."""


def parse_players(text: str) -> tuple[str, ...]:
    """Read `--players`: a number of players, or names parted by commas; OfflineError when it is neither."""
    if text.isascii() and text.isdecimal() and 1 <= int(text[:3]) <= MAX_PLAYERS:
        count = int(text)
        return (*PLAYERS, *(f"Player {number}" for number in range(len(PLAYERS) + 1, count + 1)))[:count]
    names = tuple(name.strip() for name in text.split(","))
    fine = all(_NAME.fullmatch(name) and not name.isdecimal() for name in names)
    if not fine or len({name.casefold() for name in names}) < len(names) or len(names) > MAX_PLAYERS:
        raise OfflineError(
            f"--players takes a number from 1 to {MAX_PLAYERS}, or different names parted by commas, not {text!r}."
        )
    return names


def referee_of(players: Sequence[str]) -> str | None:
    """Return who may manage messages, as a referee does: the last one where two others can fight."""
    return players[-1] if len(players) >= _WITH_REFEREE else None


async def serve(bot: Fracas, players: Sequence[str], port: int, stop: asyncio.Event) -> None:
    """Set the table, print its address alone on a line, and keep it until `stop` is set.

    `port` 0 takes any free one. OfflineError when the extra isn't installed or the port is taken.
    """
    # The simulated Discord tries a client without intents first, which is none of ours to be warned of.
    logging.getLogger("discord.state").setLevel(logging.ERROR)
    try:
        import simcord  # noqa: PLC0415  # an extra: a live bot runs without it
        import simcord.preview  # noqa: PLC0415  # likewise
    except ImportError as missing:
        raise OfflineError(
            "The offline table needs the extra packages: pip install '.[offline]' (or set DISCORD_TOKEN to go live)."
        ) from missing
    _expect_free(port)
    async with simcord.run(bot, check_errors=False, settle_timeout=_SETTLE_SECONDS) as env:
        await bot.tree.sync()
        if bot.user is not None:
            await bot.user.edit(username="Fracas")
        guild = env.create_guild("Fracas")
        channel = guild.create_text_channel("battles")
        referee = guild.create_role("referee", permissions=discord.Permissions(manage_messages=True))
        viewers = [
            guild.add_member(
                env.create_user(_user_name(name), global_name=name),
                roles=[referee] if name == referee_of(players) else [],
            )
            for name in players
        ]
        async with env.preview(channel, viewers=viewers, layout="channel", port=port) as preview:
            print(preview.url, flush=True)  # noqa: T201  # the address is what the command answers
            closed = asyncio.ensure_future(preview.wait_closed())
            stopped = asyncio.ensure_future(stop.wait())
            await asyncio.wait({closed, stopped}, return_when=asyncio.FIRST_COMPLETED)
            closed.cancel()
            stopped.cancel()


def _user_name(name: str) -> str:
    """Return the name as Discord writes user names: lower case, without blanks."""
    return re.sub(r"[^a-z0-9_.]", "_", name.casefold())


def _expect_free(port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((_LOOPBACK, port))
        except OSError as error:
            why = "is taken" if error.errno == errno.EADDRINUSE else f"can't be used ({error.strerror})"
            raise OfflineError(
                f"Port {port} {why}; choose another one with --port, or none for any free one."
            ) from None
