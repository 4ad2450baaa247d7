"""`fracas` without a command: the bot, live with DISCORD_TOKEN, the offline table without; and what prepares it.

That is `fracas sync`, `fracas replay-site DIR` and `fracas warm`.
"""

import argparse
import asyncio
import contextlib
import gc
import logging
import os
import sys
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import discord

from bot.app import Fracas
from bot.backups import Backups, back_up
from bot.battles.presenter import game_titles
from bot.cli import COMMANDS, CommandParser, add_database, stop_at_signals
from bot.cli import main as fracas
from bot.config import OperatorError, Settings, load_settings
from bot.games import Games
from bot.health import health_server, watched
from bot.listening import BACKUP, STATUS, control_socket
from bot.logging_setup import configure, errors_reported, event
from bot.metrics import Metrics
from bot.offline import PLAYERS, parse_players, serve
from bot.replay_site import HASHES, build, fetch, read_parts
from bot.resources import open_database, simulator_of
from bot.store import StoreError
from bot.store.connecting import MEMORY
from bot.store.copies import close_to_others, open_to_others
from bot.store.database import Database
from bot.store.sqlite import SqliteDatabase
from bot.ui.emojis import Emojis
from bot.ui.interactions import InFlight
from sim.jobs import kernel_cache
from sim.jobs.release import VersionAction, version
from sim.jobs.warm_up import warm_ups
from sim.workers import InlineSimulator

# With large battles in memory, a full collection blocks the event loop for 0.1 s; by default, reading one such battle
# triggers one.
GC_THRESHOLDS = (20_000, 20, 50)
DRAIN_SECONDS = 3.0
"""How long running jobs may go on after SIGTERM."""

AWAY_SECONDS = 0.5
"""The same while Discord can't be reached: hardly anybody could be answered."""

EVERYWHERE = "global"
_HIGHEST_PORT = 65535
_log = logging.getLogger("fracas.main")


def main(parser: CommandParser) -> int:
    """Run the bot until SIGINT or SIGTERM."""
    _add_arguments(parser)
    arguments = parser.parse_args()
    if arguments.sync is not None:
        return fracas(["sync", arguments.sync])
    settings = load_settings()
    configure(settings)
    kernel_cache.use_kernel_cache()
    dsn = None if settings.sentry_dsn is None else settings.sentry_dsn.get_secret_value()
    with errors_reported(dsn, version()):
        asyncio.run(_run(settings, arguments))
    return 0


def _add_arguments(parser: CommandParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.description = "Fracas fights battles: on Discord with DISCORD_TOKEN set, else at a table on this machine."
    commands = "\n".join(f"  {name:<11} {says}" for name, (says, _) in COMMANDS.items())
    parser.epilog = f"commands (fracas COMMAND --help tells more):\n{commands}"
    parser.add_argument("--version", action=VersionAction)
    add_database(parser)
    offline = parser.add_argument_group("offline table")
    offline.add_argument("--port", type=_port, default=0, metavar="N", help="the page's port (default: any free one)")
    offline.add_argument(
        "--players",
        default=",".join(PLAYERS),
        metavar="NAMES",
        help=f"names or a number (default: {','.join(PLAYERS)})",
    )
    offline.add_argument(
        "--replay",
        type=Path,
        default=Path("replay-site"),
        metavar="DIR",
        help="the site that fracas replay-site built, to watch battles again (default: replay-site)",
    )
    live = parser.add_argument_group("live")
    live.add_argument(
        "--sync",
        nargs="?",
        const=EVERYWHERE,
        metavar="GUILD",
        help="the same as fracas sync [GUILD]",
    )


def _port(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) < len("100000") and int(text) <= _HIGHEST_PORT):
        raise argparse.ArgumentTypeError(f"a port is a number from 0 to {_HIGHEST_PORT}, not {text!r}")
    return int(text)


async def _run(settings: Settings, arguments: argparse.Namespace) -> None:
    token = None if settings.discord_token is None else settings.discord_token.get_secret_value()
    players = parse_players(arguments.players)
    gc.set_threshold(*GC_THRESHOLDS)
    stop = stop_at_signals()
    async with open_bot(settings.model_copy(update={"db": arguments.db or settings.db})) as bot:
        if token is None:
            await serve(bot, players, arguments.port, stop, arguments.replay, cache_folder().with_name("table-key"))
        else:
            await _live(bot, token, stop)


@contextlib.asynccontextmanager
async def open_bot(settings: Settings) -> AsyncIterator[Fracas]:
    """Open what the bot needs, and close it in reverse order."""
    metrics, place = Metrics(version()), settings.db
    if settings.shard_ids is not None and isinstance(place, Path):
        raise OperatorError(f"FRACAS_SHARD_IDS: processes can share a database on PostgreSQL, but no file ({place}).")
    async with contextlib.AsyncExitStack() as stack:
        games = Games.discover()
        db = await open_database(place, games.schemas)
        stack.push_async_callback(db.close)
        stack.push_async_callback(_end, asyncio.create_task(_tell_damage(db)))
        for update in db.updates:
            event(_log, "migrated", game=update.game, before=update.before, now=update.now, copy=str(update.copy))
        if isinstance(place, Path):
            await asyncio.to_thread(_keep_private, place, settings.backup_dir)
            await _start_backups(stack, settings, db, place, metrics)
        elif settings.backup_dir is not None:
            event(_log, "no_backups", level=logging.WARNING, reason="FRACAS_BACKUP_DIR is for files; use pg_dump")
        simulator = simulator_of(settings)
        stack.push_async_callback(simulator.close)
        await simulator.start()
        bot = Fracas(simulator=simulator, db=db, games=games, settings=settings, metrics=metrics)
        if settings.health_port is not None:
            server = health_server(bot, settings.health_port, settings.health_host)
            try:
                await stack.enter_async_context(server.listening())
            except OSError as error:
                where = f"port {server.port} of {server.host}"
                raise OperatorError(f"FRACAS_HEALTH_PORT: {where} can't be used ({error.strerror}).") from None
        event(_log, "started", version=version(), db=str(place))
        async with watched():
            yield bot
            event(_log, "stopping")


def _keep_private(database: Path, backups: Path | None) -> None:
    """Take from other users what an earlier version, or somebody by hand, has left open to them."""
    found = open_to_others(database, backups)
    left = close_to_others(found)
    if closed := [file for file in found if file not in left]:
        event(_log, "made_private", level=logging.WARNING, files=", ".join(map(str, closed)))
    if left:
        event(_log, "not_private", level=logging.WARNING, files=", ".join(map(str, left)))


async def _start_backups(
    stack: contextlib.AsyncExitStack, settings: Settings, db: Database, path: Path, metrics: Metrics
) -> None:
    """Make backups when they are due, and whenever `fracas backup` asks for one."""

    async def answer_status(_: str) -> str:
        return f"in use by Fracas {version()}, process {os.getpid()}"

    commands = {BACKUP: lambda file: back_up(db, Path(file)), STATUS: answer_status}
    await stack.enter_async_context(control_socket(path, commands))
    if settings.backup_dir is not None:
        backups = Backups(db, settings.backup_dir, settings.backup_hours, made=metrics.backup.set)
        stack.push_async_callback(_end, asyncio.create_task(backups.run()))


async def _tell_damage(db: Database) -> None:
    try:
        await db.checked()
    except StoreError as error:
        event(_log, "database_damaged", level=logging.ERROR, error=str(error))


async def _end(task: "asyncio.Task[None]") -> None:
    task.cancel()
    await asyncio.wait({task})


async def _live(bot: Fracas, token: str, stop: asyncio.Event) -> None:
    stopping = asyncio.create_task(stop.wait())
    try:
        async with bot:  # it can be closed then, even before it has signed in
            running = asyncio.create_task(bot.start(token))
            await asyncio.wait({running, stopping}, return_when=asyncio.FIRST_COMPLETED)
            if stop.is_set():
                await bot.services[InFlight].drain(DRAIN_SECONDS if bot.reaches_discord else AWAY_SECONDS)
                running.cancel()  # it may be waiting before it tries to connect again
                await asyncio.wait({running})
        if not running.cancelled():
            with _failures_told("Discord refused the connection"):
                await running
    finally:
        stopping.cancel()


@contextlib.contextmanager
def _failures_told(otherwise: str) -> Iterator[None]:
    """Raise OperatorError for what discord.py raises in the block; `otherwise`: how its own words are introduced."""
    try:
        yield
    except discord.LoginFailure:
        raise OperatorError("Discord refused the token; check DISCORD_TOKEN.") from None
    except discord.PrivilegedIntentsRequired:
        raise OperatorError("Discord refused the connection's intents.") from None
    except (discord.HTTPException, discord.ConnectionClosed, OSError) as error:
        raise OperatorError(f"{otherwise}: {error}") from error


@contextlib.asynccontextmanager
async def signed_in(token: str) -> AsyncIterator[Fracas]:
    """Sign in; OperatorError if Discord refuses the token, or can't be reached now or within the block."""
    games = Games.discover()
    db = await SqliteDatabase.open(MEMORY, games.schemas)
    try:
        async with Fracas(simulator=InlineSimulator(), db=db, games=games) as bot:
            with _failures_told("Discord can't be reached"):
                await bot.login(token)
                yield bot
    finally:
        await db.close()


def sync(parser: CommandParser) -> None:
    """Register commands and upload emojis on Discord, without the gateway; say how many there are."""
    parser.add_argument(
        "guild", nargs="?", default=EVERYWHERE, metavar="GUILD", help="a server's id: there, and at once"
    )
    where = parser.parse_args().guild
    settings = load_settings()
    configure(settings)
    if settings.discord_token is None:
        raise OperatorError("The commands are registered on Discord: set DISCORD_TOKEN first.")
    if where != EVERYWHERE and not (where.isascii() and where.isdecimal() and len(where) <= len(str(2**63))):
        raise OperatorError(f"A server's id is a long number, not {where!r}.")
    asyncio.run(_register(settings.discord_token.get_secret_value(), where))


async def _register(token: str, where: str) -> None:
    async with signed_in(token) as bot:
        guild = None if where == EVERYWHERE else discord.Object(int(where))
        if guild is not None:
            bot.tree.copy_global_to(guild=guild)
        try:
            count = len(await bot.tree.sync(guild=guild))
        except discord.Forbidden:
            raise OperatorError(f"Discord doesn't let the bot register commands in server {where}.") from None
        print(f"{count} commands registered {'everywhere' if guild is None else f'in server {where}'}.", flush=True)
        print(await bot.services[Emojis].upload(bot.services[Games].emojis))


def build_site(parser: CommandParser) -> None:
    """Build the site where you can watch a battle and check its dice, and say where it is and how large."""
    parser.add_argument("folder", type=Path, metavar="DIR", help="where to put the site")
    parser.add_argument(
        "--cache", type=Path, metavar="FOLDER", help="where to keep Python for browsers (default: the user's cache)"
    )
    parser.add_argument("--from", dest="given", type=Path, metavar="FOLDER", help="take its files here, fetch nothing")
    arguments = parser.parse_args()
    Games.discover()
    cache = arguments.given or arguments.cache or cache_folder()
    try:
        if arguments.given is None:
            fetch(cache)
        site = build(arguments.folder, read_parts(cache), game_titles())
    except OSError as error:
        raise OperatorError(f"{error.filename or arguments.folder} can't be written: {error.strerror}.") from None
    size = sum(map(len, site.values())) / 1e6
    print(f"{arguments.folder}: {len(site)} files, {size:.1f} MB; {HASHES} lists their SHA-256.")
    print(f"Open {arguments.folder / 'index.html'}, or put the folder on any web server.")


def cache_folder() -> Path:
    """Return where the user's programs keep what they can fetch again."""
    if sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "fracas" / "replay-site"


def compile_kernels(parser: CommandParser) -> None:
    """Compile every kernel into its folder on disk; say where that is, and how long each game takes."""
    parser.parse_args()
    folder = kernel_cache.use_kernel_cache()
    if folder is None:
        raise OperatorError("Compiled kernels can be kept nowhere; let NUMBA_CACHE_DIR name a folder open to writing.")
    if kernel_cache.is_complete():
        print(f"Nothing to compile: the kernels are in {folder}")
        return
    print(f"Compiling the kernels of the games, which takes a minute or so, into {folder}", flush=True)
    began = before = time.monotonic()
    for game in warm_ups():
        now = time.monotonic()
        print(f"{game}: {now - before:.1f} s", flush=True)
        before = now
    kernel_cache.mark_complete()
    size = sum(file.stat().st_size for file in folder.rglob("*"))
    print(f"Compiled in {time.monotonic() - began:.0f} s; {size / 1e6:.0f} MB.")
