"""`fracas check`: whether everything is in place; a line for each thing, and what to do where something isn't."""

import asyncio
import os
import shlex
import shutil
import sqlite3
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import discord

from bot.app import Fracas
from bot.beacon import BeaconClient
from bot.cli import FAILED, CommandParser, add_database
from bot.cli.run import signed_in
from bot.config import OperatorError, Server, Settings, SettingsError, load_settings
from bot.games import Games
from bot.listening import STATUS, ask
from bot.metrics import Metrics
from bot.resources import look_at
from bot.result_cache import CachingSimulator
from bot.store import StoreError
from bot.store.copies import open_to_others, unused
from bot.store.migrate import inspect
from bot.ui.emojis import Emojis
from sim.jobs import kernel_cache
from sim.jobs.release import release
from sim.workers import InlineSimulator


@dataclass(frozen=True, slots=True)
class Finding:
    """How one thing stands, and, where it isn't in place, what to do; only what is bad keeps something from working."""

    grade: str
    thing: str
    text: str

    def __str__(self) -> str:
        text = "".join(character if character.isprintable() else "?" for character in self.text)  # servers' names
        return f"{self.grade:<4}  {self.thing:<9} {text}"


ok, note, bad = (partial(Finding, grade) for grade in ("ok", "note", "bad"))
"""Take the thing and the text: it is in place, it is worth knowing, it must be mended and how."""

RIGHTS = {"view_channel": "View Channels", "send_messages": "Send Messages", "attach_files": "Attach Files"}
"""What the bot needs in a server, with Discord's names."""

_PAGE = 200
_BEACON_SECONDS = 15.0


async def check_discord(token: str) -> list[Finding]:
    """Return what Discord says of the bot."""
    try:
        async with signed_in(token) as bot:
            return [
                ok("token", f"signed in as {bot.user}, application {bot.application_id}"),
                await _sessions(bot),
                await _commands(bot),
                await _emojis(bot),
                *await _servers(bot),
            ]
    except OperatorError as error:
        return [bad("token", str(error))]


async def _sessions(bot: Fracas) -> Finding:
    """Look at the intents, and at how often the bot may still connect today."""
    found = await bot.http.request(discord.http.Route("GET", "/gateway/bot"))
    left, shards = found["session_start_limit"]["remaining"], found["shards"]
    privileged = [
        name for name, wanted in bot.intents if wanted and name in {"members", "message_content", "presences"}
    ]
    if privileged:
        return bad("intents", f"{', '.join(privileged)} must be switched on in the developer portal, under Bot")
    if not left:
        return bad("intents", "the bot has connected too often today; wait for tomorrow and look why it restarts")
    return ok("intents", f"no privileged one is needed; shards advised: {shards}; starts left today: {left}")


async def _commands(bot: Fracas) -> Finding:
    there = {command.name for command in await bot.tree.fetch_commands()}
    here = {command.name for command in bot.tree.get_commands()}
    if not there:
        return bad("commands", "none are registered; run: fracas sync")
    if there != here:
        return bad("commands", f"not those of this version ({', '.join(sorted(there ^ here))}); run: fracas sync")
    return ok("commands", f"{len(there)} registered")


async def _emojis(bot: Fracas) -> Finding:
    wanted = bot.services[Games].emojis
    missing = len(await bot.services[Emojis].missing(wanted))
    if missing:
        return note("emojis", f"{missing} of {len(wanted)} are missing or old, texts do without; run: fracas sync")
    return ok("emojis", f"{len(wanted)} are there")


async def _servers(bot: Fracas) -> list[Finding]:
    """Look at the bot's rights in each server, as its roles give them; a channel may still take some away."""
    servers: list[Any] = []
    while page := await bot.http.get_guilds(_PAGE, after=int(servers[-1]["id"]) if servers else None):
        servers += page
        if len(page) < _PAGE:
            break
    if not servers:
        return [note("servers", "the bot is in none yet: README, Going live on Discord")]
    findings = []
    for server in servers:
        has = discord.Permissions(int(server["permissions"]))
        lacks = [name for flag, name in RIGHTS.items() if not (has.administrator or getattr(has, flag))]
        if lacks:
            findings.append(
                bad("servers", f"{server['name']} ({server['id']}): give the bot's role {', '.join(lacks)}")
            )
    return findings or [ok("servers", f"the bot has its rights in all {len(servers)}")]


LITESTREAM_FROM = (3, 51, 3)
"""The first SQLite in which a second program, such as Litestream, can't corrupt a write-ahead log."""

ROOM_BYTES = 200_000_000
"""The free space for less than which there is a warning; and a deletion or a backup needs as much as the database."""


def main(parser: CommandParser) -> int:
    """Print what is found; return 1 if something must be mended."""
    add_database(parser)
    arguments = parser.parse_args()
    try:
        settings = load_settings()
    except SettingsError as error:
        findings = [bad("settings", str(error))]
    else:
        source = "the environment and .env" if Path(".env").exists() else "the environment"
        findings = [ok("settings", f"from {source}"), *asyncio.run(_check(settings, arguments.db or settings.db))]
    print(*findings, sep="\n")
    return FAILED if any(finding.grade == "bad" for finding in findings) else 0


async def _check(settings: Settings, database: Path | Server) -> list[Finding]:
    token, findings = settings.discord_token, []
    if token is None:
        findings.append(note("token", "DISCORD_TOKEN is not set: the bot opens its offline table"))
    else:
        findings += await check_discord(token.get_secret_value())
    findings.append(await _database(database))
    if isinstance(database, Path):
        is_safe = sqlite3.sqlite_version_info >= LITESTREAM_FROM
        advice = "Litestream may be used" if is_safe else "never run Litestream with it (from 3.51.3 on it is safe)"
        findings.append((ok if is_safe else note)("sqlite", f"{sqlite3.sqlite_version}: {advice}"))
        if opened := await asyncio.to_thread(open_to_others, database, settings.backup_dir):
            names = " ".join(shlex.quote(str(file)) for file in opened)
            findings.append(
                note("private", f"others may read the seeds of open battles; start the bot, or: chmod 600 {names}")
            )
    findings.append(_kernels())
    if isinstance(database, Path):
        findings += _room(database, settings.backup_dir)
    return [*findings, *await _cluster(settings), *await _beacon(settings)]


async def _beacon(settings: Settings) -> list[Finding]:
    """Ask for the newest round of the beacon, if there should be one."""
    if not (hosts := settings.beacon_hosts):
        return []
    client = BeaconClient(hosts, CachingSimulator(InlineSimulator(), Metrics("")), Metrics(""), time.time)
    number = client.newest
    try:
        async with asyncio.timeout(_BEACON_SECONDS):
            await client.signature(client.beacon, number)
    except TimeoutError:
        why = f"no round comes from {', '.join(hosts)}"
        return [note("beacon", f"{why}: until one does, nobody can check that the host didn't choose the dice")]
    return [ok("beacon", f"round {number} of {client.beacon.name} is there")]


async def _cluster(settings: Settings) -> list[Finding]:
    """Look at the cluster, if there should be one; without it the bot's own workers do everything."""
    if not settings.has_cluster:
        return []
    from bot.scale import cluster  # noqa: PLC0415  # loaded only where it is set

    try:
        place = cluster.scheduler_place(settings)
    except SettingsError as error:
        return [bad("cluster", str(error))]
    reach = await cluster.look_at(place, release())
    other = [
        note("cluster", f"{worker} runs {what or 'something else'}, not {release()}: install the same on both")
        for worker, what in reach.strangers
    ]
    found = note("cluster", f"{place.address} has nobody to work for this bot ({reach.why}); it works alone")
    if reach.processes:
        many = "process" if reach.processes == 1 else "processes"
        found = ok("cluster", f"{place.address} has {reach.processes} {many} for this bot")
    return [*other, found]


async def _database(database: Path | Server) -> Finding:
    """Look through the database, and change nothing; a file that a bot uses was looked through when that started."""
    schemas = Games.discover().schemas
    try:
        if isinstance(database, Server):
            version, found = await look_at(database)
            where, backups = f"{database}, PostgreSQL {version}", "; back it up with pg_dump"
        elif await asyncio.to_thread(_can_be_made, database):
            return note("database", f"{database} will be made by the first start")
        elif running := await ask(database, STATUS):
            return ok("database", f"{database} is {running}")
        else:
            async with unused(database):
                found = await asyncio.to_thread(inspect, database)
            where, backups = f"{database} is whole", ""
        found.expect_not_newer(database, schemas)
    except StoreError as error:
        return bad("database", str(error))
    if found.is_older_than(schemas):
        return note("database", f"{where}; the next start brings it from schema {found.version} up to date")
    return ok("database", f"{where} (schema {found.version}){backups}")


def _can_be_made(database: Path) -> bool:
    return not database.exists() and database.parent.is_dir() and os.access(database.parent, os.W_OK | os.X_OK)


def _kernels() -> Finding:
    folder = kernel_cache.use_kernel_cache()
    if folder is None:
        return bad("kernels", "can be kept nowhere; let NUMBA_CACHE_DIR name a folder open to writing")
    if not kernel_cache.is_complete():
        return bad("kernels", f"not compiled in {folder}; run: fracas warm")
    return ok("kernels", f"compiled in {folder}")


def _room(database: Path, backups: Path | None) -> list[Finding]:
    """Look at the free space where the database is, and where backups go."""
    size = database.stat().st_size if database.exists() else 0
    findings = []
    for thing, folder in (("space", database.absolute().parent), ("backups", backups)):
        if folder is None:
            findings.append(note(thing, "none by themselves; FRACAS_BACKUP_DIR names a folder for them"))
        elif not folder.is_dir() or not os.access(folder, os.W_OK | os.X_OK):
            findings.append(bad(thing, f"{folder} is no folder open to writing; make it, for the bot's user"))
        else:
            free = shutil.disk_usage(folder).free
            text = f"{free / 1e9:.1f} GB free in {folder}"
            enough = free >= ROOM_BYTES + 2 * size
            findings.append(ok(thing, text) if enough else bad(thing, f"only {text}; make room"))
    return findings
