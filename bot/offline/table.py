"""The offline table: a local page where the real bot answers without Discord."""

import asyncio
import errno
import logging
import re
import socket
import time
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from discord import app_commands

from bot.app import Fracas
from bot.battles.watch import ReplaySite
from bot.cogs.tour import post_tour
from bot.offline.world import World, make_world, show_battles
from bot.replay_site.server import served

if TYPE_CHECKING:
    import simcord

PLAYERS: Final = ("Ann", "Ben", "Cleo")
MAX_PLAYERS = 25
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


async def serve(bot: Fracas, players: Sequence[str], port: int, stop: asyncio.Event, replay: Path) -> None:
    """Set the table, print its address alone on a line, and keep it until `stop` is set.

    `port` 0 takes any free one. `replay`: the folder of the site where battles are watched again, if it was built; it
    is served at /replay, on a port of its own. OfflineError when the extra isn't installed or the port is taken.
    """
    # The simulated Discord tries a client without intents first, which is none of ours to be warned of.
    logging.getLogger("discord.state").setLevel(logging.ERROR)
    try:
        import simcord  # noqa: PLC0415  # an extra: a live bot runs without it
        import simcord.preview  # noqa: PLC0415  # only this command needs it
    except ImportError as missing:
        raise OfflineError(
            "The offline table needs the extra packages: pip install '.[offline]' (or set DISCORD_TOKEN to go live)."
        ) from missing
    _expect_free(port)
    env = simcord.Env(bot, shard_count=bot.shard_count or 1, check_errors=False, settle_timeout=_SETTLE_SECONDS)
    set_clock(env)  # before the bot's loops start, or they would catch up with all the days since
    world = await make_world(bot, env, players)
    await env.start()
    try:
        async with AsyncExitStack() as stack:
            stack.enter_context(env.time_context())
            site = bot.services[ReplaySite]
            if site.address is None and (replay / "index.html").is_file():
                site.address = await stack.enter_async_context(served(replay))
            await _play(bot, env, world, port, stop)
    finally:
        await env.shutdown()


async def _play(bot: Fracas, env: "simcord.Env", world: World, port: int, stop: asyncio.Event) -> None:
    await bot.tree.sync()
    if bot.user is not None:
        await bot.user.edit(username="Fracas")
    add_listeners(bot, env)
    viewers = list(world.people.values())
    async with env.preview(world.channel, viewers=viewers, layout="channel", port=port) as preview:
        print(preview.url, flush=True)  # noqa: T201  # the address is what the command answers
        ends = [asyncio.ensure_future(preview.wait_closed()), asyncio.ensure_future(stop.wait())]
        clock = asyncio.ensure_future(_keep_clock(env))
        bot.dispatch("table_set", world.channel.id)
        await show_battles(bot, world.channel.id)
        await asyncio.wait([*ends, clock], return_when=asyncio.FIRST_COMPLETED)
        for task in (*ends, clock):
            task.cancel()


def set_clock(env: "simcord.Env") -> None:
    """Let the simulated Discord show what time it is; by itself its clock stands still, on a day long ago."""
    env.backend.advance_clock(max(0.0, time.time() - env.now().timestamp()))


async def _keep_clock(env: "simcord.Env") -> None:
    while True:
        await asyncio.sleep(1.0)
        set_clock(env)


def add_listeners(bot: Fracas, env: "simcord.Env") -> None:
    """Greet the players, and answer a command that was sent as a message: only here does the bot see messages."""

    async def explain(channel_id: int, text: str) -> None:
        await bot.get_partial_messageable(channel_id).send(how_to_type(text, bot.tree))

    async def greet(channel_id: int) -> None:
        await post_tour(bot, bot.get_partial_messageable(channel_id))

    def listen(name: str, message: Mapping[str, Any]) -> None:
        text = str(message.get("content", ""))
        if name == "MESSAGE_CREATE" and text.startswith("/") and not message["author"].get("bot"):
            bot.dispatch("pasted", int(message["channel_id"]), text)

    bot.add_listener(explain, "on_pasted")
    bot.add_listener(greet, "on_table_set")
    env.backend.subscribers.append(listen)


def how_to_type(text: str, tree: app_commands.CommandTree[Any]) -> str:
    """Return how to run a command that was sent as a message."""
    names = [found.qualified_name for found in tree.walk_commands() if isinstance(found, app_commands.Command)]
    typed = f"{text.removeprefix('/')} "
    name = max((name for name in names if typed.startswith(f"{name} ")), key=len, default=None)
    if name is None:
        return "That went out as a message, and there is no such command. Type `/help` and press Enter twice."
    steps = f"That went out as a message. Type `/{name}` and press Enter to pick the command"
    return f"{steps}, paste each option's text into its field, and press Enter to send."


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
