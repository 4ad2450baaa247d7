"""What `fracas check` asks Discord: the token, the servers, the commands. It opens no session."""

from collections.abc import Mapping
from typing import Any

import discord

from bot.app import Fracas
from bot.cli.findings import Finding, bad, note, ok
from bot.cli.options import CommandError
from bot.cli.sync import signed_in

RIGHTS = {"view_channel": "View Channels", "send_messages": "Send Messages", "attach_files": "Attach Files"}
"""What the bot needs in a server, with Discord's names."""

_PAGE = 200
_PRIVILEGED = {"members", "message_content", "presences"}


async def check_discord(token: str) -> list[Finding]:
    """Return what Discord says of the bot."""
    try:
        async with signed_in(token) as bot:
            return [
                ok("token", f"signed in as {bot.user}, application {bot.application_id}"),
                await _sessions(bot),
                await _commands(bot),
                *await _servers(bot),
            ]
    except CommandError as error:
        return [bad("token", str(error))]


async def _sessions(bot: Fracas) -> Finding:
    """Look at the intents, and at how often the bot may still connect today."""
    found = await bot.http.request(discord.http.Route("GET", "/gateway/bot"))
    left, shards = found["session_start_limit"]["remaining"], found["shards"]
    privileged = [name for name, wanted in bot.intents if wanted and name in _PRIVILEGED]
    if privileged:
        return bad("intents", f"{', '.join(privileged)} must be switched on in the developer portal, under Bot")
    if not left:
        return bad("intents", "the bot has connected too often today; wait for tomorrow and look why it restarts")
    return ok("intents", f"no privileged one is needed; shards advised: {shards}; starts left today: {left}")


async def _commands(bot: Fracas) -> Finding:
    """Compare the registered commands with those of this version."""
    there = {command.name for command in await bot.tree.fetch_commands()}
    here = {command.name for command in bot.tree.get_commands()}
    if not there:
        return bad("commands", "none are registered; run: fracas sync")
    if there != here:
        return bad("commands", f"not those of this version ({', '.join(sorted(there ^ here))}); run: fracas sync")
    return ok("commands", f"{len(there)} registered")


async def _servers(bot: Fracas) -> list[Finding]:
    """Look at the bot's rights in each server, as its roles give them; a channel may still take some away."""
    servers: list[Any] = []
    while page := await bot.http.get_guilds(_PAGE, after=int(servers[-1]["id"]) if servers else None):
        servers += page
        if len(page) < _PAGE:
            break
    if not servers:
        return [note("servers", "the bot is in none yet: README, Going live on Discord")]
    findings = [
        bad("servers", f"{server['name']} ({server['id']}): give the bot's role {', '.join(lacks)}")
        for server in servers
        if (lacks := _lacks(server))
    ]
    return findings or [ok("servers", f"the bot has its rights in all {len(servers)}")]


def _lacks(server: Mapping[str, Any]) -> list[str]:
    has = discord.Permissions(int(server["permissions"]))
    if has.administrator:
        return []
    return [name for flag, name in RIGHTS.items() if not getattr(has, flag)]
