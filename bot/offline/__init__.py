"""The offline table: a local page where the real bot answers without Discord.

Its server, channel and people are the same at each start, with the panels of open battles.
"""

import asyncio
import errno
import logging
import re
import socket
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

import discord

from bot.app import Fracas
from bot.battles.publisher import ReplaySite
from bot.config import OperatorError
from bot.help import post_tour
from bot.offline.lines import Commands
from bot.replay_site import served
from bot.store.database import Connection, Repository, in_transaction
from bot.store.transactions import PanelRepository

if TYPE_CHECKING:
    import simcord

    from bot.offline.site import TablePreview

_WITH_REFEREE = 3
_BOT = "Fracas"

# Until 0.2.0 each start made a new server, with all of its ids in a row. A real server's is far from its members'.
_LATEST_TABLE = (
    "SELECT guild_id, channel_id FROM battles WHERE starter_id BETWEEN channel_id AND channel_id + ?"
    " AND channel_id BETWEEN guild_id AND guild_id + ? ORDER BY guild_id DESC, id DESC LIMIT 1"
)
_NEAR = 64


def referee_of(players: Sequence[str]) -> str | None:
    """Return who may manage messages, as a referee does: the last one where two others can fight."""
    return players[-1] if len(players) >= _WITH_REFEREE else None


async def make_world(
    bot: Fracas, env: "simcord.Env", players: Sequence[str]
) -> "tuple[simcord.ChannelHandle, dict[str, simcord.MemberActor]]":
    """Make the server, and return its channel and its players by name, each with the id of the last start or a new one.

    Before the bot starts: it would note that it has left a server that isn't there. What it couldn't show before is put
    off until the table is set.
    """
    unused = discord.utils.time_snowflake(env.now())
    server_id, channel_id, ids = await bot.services[OfflineIdRepository].take(players, unused)
    await bot.services[PanelRepository].forget_pending(channel_id)
    for number in (channel_id, *ids.values()):
        env.backend.reserve_id(number)
    guild = env.create_guild("Fracas", id=server_id)
    with _next_id(env, channel_id):
        # The page shows one channel, and no threads.
        no = discord.PermissionOverwrite(create_public_threads=False)
        channel = guild.create_text_channel("battles", overwrites={guild.default_role: no})
    people = {}
    for name, number in ids.items():
        with _next_id(env, number):
            # As Discord writes user names: lower case, without blanks.
            people[name] = env.create_user(re.sub(r"[^a-z0-9_.]", "_", name.casefold()), global_name=name)
    referee = guild.create_role("referee", permissions=discord.Permissions(manage_messages=True))
    roles = {referee_of(players): [referee]}
    return channel, {name: guild.add_member(user, roles=roles.get(name, [])) for name, user in people.items()}


@contextmanager
def _next_id(env: "simcord.Env", number: int) -> Iterator[None]:
    """Give the one thing that is made the id `number`: simcord lets one choose a server's alone."""
    vars(env.backend)["snowflake"] = [number].pop
    try:
        yield
    finally:
        del vars(env.backend)["snowflake"]


class OfflineIdRepository(Repository):
    """Gives out ids, once for each name."""

    @in_transaction
    async def take(self, conn: Connection, people: Sequence[str], unused: int) -> tuple[int, int, Mapping[str, int]]:
        """Return the ids of the server, the channel and the people by name; who is new gets one from `unused` on.

        A database from before ids were kept has those of its latest table, and its people in the order of `people`.
        """
        names = ["server", "channel", *(f"person {name.casefold()}" for name in people)]
        known = {row["name"]: int(row["id"]) for row in await conn.fetch_all("SELECT name, id FROM offline_ids")}
        made = dict(zip(names, range(unused, unused + len(names)), strict=True))
        if not known:
            for row in await conn.fetch_all(_LATEST_TABLE, [_NEAR, _NEAR]):
                first = row["channel_id"] + 2  # the referee's role is in between
                made = dict(zip(names, [*row, *range(first, first + len(people))], strict=True))
        new = [(name, number) for name, number in made.items() if name not in known]
        await conn.execute_many("INSERT INTO offline_ids (name, id) VALUES (?, ?)", new)
        server, channel, *numbers = ((made | known)[name] for name in names)
        return server, channel, dict(zip(people, numbers, strict=True))


PLAYERS: Final = ("Ann", "Ben", "Cleo")
MAX_PLAYERS = 25
_LOOPBACK = "127.0.0.1"
_NAME = re.compile(r"\w[\w .'-]{0,31}")
# A job may use its whole wall limit before the simulated Discord may call the bot stuck.
_SETTLE_SECONDS = 90.0


def parse_players(text: str) -> tuple[str, ...]:
    """Read `--players`: a number of players, or names separated by commas; OperatorError when it is neither."""
    if text.isascii() and text.isdecimal() and 1 <= int(text[:3]) <= MAX_PLAYERS:
        count = int(text)
        return (*PLAYERS, *(f"Player {number}" for number in range(len(PLAYERS) + 1, count + 1)))[:count]
    names = tuple(name.strip() for name in text.split(","))
    fine = all(_NAME.fullmatch(name) and not name.isdecimal() for name in names)
    if not fine or len({name.casefold() for name in names}) < len(names) or len(names) > MAX_PLAYERS:
        raise OperatorError(
            f"--players takes a number from 1 to {MAX_PLAYERS}, or different names separated by commas, not {text!r}."
        )
    return names


async def serve(
    bot: Fracas, players: Sequence[str], port: int, stop: asyncio.Event, replay: Path, key_file: Path
) -> None:
    """Set the table, print its address alone on a line, and keep it until `stop` is set.

    `port` 0 takes any free one. `replay`: the folder of the site where battles are watched again, if it was built; it
    is served at /replay, on a port of its own. `key_file` keeps the secret part of the address. OperatorError when the
    extra isn't installed or the port is taken.
    """
    # The simulated Discord tries a client without intents first, which is none of ours to be warned of.
    logging.getLogger("discord.state").setLevel(logging.ERROR)
    try:
        from bot.offline.site import TableEnv, TablePreview, read_key, set_clock  # noqa: PLC0415  # an extra: a live bot runs without
    except ImportError as missing:
        raise OperatorError(
            "The offline table needs the extra packages: pip install '.[offline]' (or set DISCORD_TOKEN to go live)."
        ) from missing
    _expect_free(port)
    env = TableEnv(bot, shard_count=bot.shard_count or 1, check_errors=False, settle_timeout=_SETTLE_SECONDS)
    set_clock(env)  # before the bot's loops start, or they would catch up with all the days since
    channel, members = await make_world(bot, env, players)
    await env.start()
    try:
        async with AsyncExitStack() as stack:
            stack.enter_context(env.time_context())
            site = bot.services[ReplaySite]
            if site.address is None and (replay / "index.html").is_file():
                site.address = await stack.enter_async_context(served(replay))
            key = await asyncio.to_thread(read_key, key_file)
            people = {name: member.id for name, member in members.items()}
            if bot.user is not None:
                people.setdefault(_BOT, bot.user.id)  # some options take the bot, too
            preview = TablePreview(
                env,
                channel,
                tuple(members.values()),
                port=port,
                key=key,
                commands=Commands.of(bot, people),
            )
            await _play(bot, channel.id, preview, stop)
    finally:
        await env.shutdown()


async def _play(bot: Fracas, channel_id: int, preview: "TablePreview", stop: asyncio.Event) -> None:
    await bot.tree.sync()
    if bot.user is not None:
        await bot.user.edit(username=_BOT)
    await post_tour(bot, bot.get_partial_messageable(channel_id))
    # The simulated Discord has kept no panels of battles that go on.
    await bot.services[PanelRepository].mark_pending(channel_id)
    bot.flush_outbox.restart()
    async with preview:
        print(preview.url, flush=True)  # noqa: T201  # the address is what the command answers
        endings = (preview.wait_closed(), stop.wait(), preview.keep_time(), preview.keep_current())
        tasks = [asyncio.ensure_future(ending) for ending in endings]
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in tasks:
            task.cancel()
        for task in done:
            task.result()  # what broke isn't kept secret


def _expect_free(port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((_LOOPBACK, port))
        except OSError as error:
            why = "is taken" if error.errno == errno.EADDRINUSE else f"can't be used ({error.strerror})"
            raise OperatorError(
                f"Port {port} {why}; choose another one with --port, or none for any free one."
            ) from None
