"""The offline table: a local page where the real bot answers without Discord."""

import asyncio
import errno
import logging
import re
import socket
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bot.app import Fracas
from bot.battles.fairness import ReplaySite
from bot.cogs.pages import post_tour
from bot.offline.lines import Commands
from bot.offline.world import World, make_world, show_battles
from bot.replay_site.builder import served

if TYPE_CHECKING:
    import simcord

    from bot.offline.site import TablePreview

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


async def serve(
    bot: Fracas, players: Sequence[str], port: int, stop: asyncio.Event, replay: Path, key_file: Path
) -> None:
    """Set the table, print its address alone on a line, and keep it until `stop` is set.

    `port` 0 takes any free one. `replay`: the folder of the site where battles are watched again, if it was built; it
    is served at /replay, on a port of its own. `key_file` keeps the secret part of the address. OfflineError when the
    extra isn't installed or the port is taken.
    """
    # The simulated Discord tries a client without intents first, which is none of ours to be warned of.
    logging.getLogger("discord.state").setLevel(logging.ERROR)
    try:
        from bot.offline.site import TableEnv, TablePreview, read_key  # noqa: PLC0415  # an extra: a live bot runs without
    except ImportError as missing:
        raise OfflineError(
            "The offline table needs the extra packages: pip install '.[offline]' (or set DISCORD_TOKEN to go live)."
        ) from missing
    _expect_free(port)
    env = TableEnv(bot, shard_count=bot.shard_count or 1, check_errors=False, settle_timeout=_SETTLE_SECONDS)
    set_clock(env)  # before the bot's loops start, or they would catch up with all the days since
    world = await make_world(bot, env, players)
    await env.start()
    try:
        async with AsyncExitStack() as stack:
            stack.enter_context(env.time_context())
            site = bot.services[ReplaySite]
            if site.address is None and (replay / "index.html").is_file():
                site.address = await stack.enter_async_context(served(replay))
            key = await asyncio.to_thread(read_key, key_file)
            people = {name: person.id for name, person in world.people.items()}
            preview = TablePreview(
                env,
                world.channel,
                tuple(world.people.values()),
                port=port,
                key=key,
                commands=Commands.of(bot, people),
            )
            await _play(bot, env, world, preview, stop)
    finally:
        await env.shutdown()


async def _play(bot: Fracas, env: "simcord.Env", world: World, preview: "TablePreview", stop: asyncio.Event) -> None:
    await bot.tree.sync()
    if bot.user is not None:
        await bot.user.edit(username="Fracas")
    await post_tour(bot, bot.get_partial_messageable(world.channel.id))
    await show_battles(bot, world.channel.id)
    async with preview:
        print(preview.url, flush=True)  # noqa: T201  # the address is what the command answers
        endings = (preview.wait_closed(), stop.wait(), _keep_clock(env), preview.keep_current())
        tasks = [asyncio.ensure_future(ending) for ending in endings]
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in tasks:
            task.cancel()
        for task in done:
            task.result()  # what broke isn't kept secret


def set_clock(env: "simcord.Env") -> None:
    """Let the simulated Discord show what time it is; by itself its clock stands still, on a day long ago."""
    env.backend.advance_clock(max(0.0, time.time() - env.now().timestamp()))


async def _keep_clock(env: "simcord.Env") -> None:
    while True:
        await asyncio.sleep(1.0)
        set_clock(env)


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
