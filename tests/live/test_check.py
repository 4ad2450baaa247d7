"""`fracas check` against Discord: what it says of token, commands and servers, and what to do."""

import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.live.conftest import open_discord, start_bot
from tests.live.discord_server import LittleDiscord
from tests.live.faults import Fault
from tests.live.world import Json

pytestmark = [pytest.mark.live, pytest.mark.asyncio(loop_scope="session")]

ALL = str(1 << 10 | 1 << 11 | 1 << 15)
NO_FILES = str(1 << 10 | 1 << 11)
ADMINISTRATOR = str(1 << 3)


@pytest_asyncio.fixture(loop_scope="session")
async def discord(registered: dict[str, list[Json]]) -> AsyncIterator[LittleDiscord]:
    async with contextlib.AsyncExitStack() as stack:
        yield await open_discord(stack, dict(registered))


async def checked(discord: LittleDiscord, folder: Path) -> tuple[int, list[str]]:
    """Return how the command ended, and the lines about Discord."""
    async with contextlib.AsyncExitStack() as stack:
        command = await start_bot(stack, discord, folder, "check", wait=False)
        status = await command.ended()
        assert "Traceback" not in command.err, command.err
        assert not discord.api.violations
        about = ("token", "intents", "commands", "servers")
        return status, [line for line in command.out.splitlines() if line[6:].startswith(about)]


async def test_all_in_place(discord: LittleDiscord, tmp_path: Path) -> None:
    discord.api.servers = [{"id": str(number), "name": "x", "permissions": ALL} for number in range(1, 451)]
    discord.api.servers[7]["permissions"] = ADMINISTRATOR
    _, (token, intents, commands, servers) = await checked(discord, tmp_path)
    assert token.startswith("ok    token     signed in as ")
    assert intents == "ok    intents   no privileged one is needed; shards advised: 1; starts left today: 1000"
    assert commands == f"ok    commands  {len(discord.api.commands[''])} registered"
    assert servers == "ok    servers   the bot has its rights in all 450"


async def test_what_is_missing_is_named_with_what_to_do(discord: LittleDiscord, tmp_path: Path) -> None:
    discord.api.commands = {"": discord.api.commands[""][1:]}
    discord.api.servers = [
        {"id": "1", "name": "fine", "permissions": ALL},
        {"id": "2", "name": "no\nfiles", "permissions": NO_FILES},
        {"id": "3", "name": "nothing", "permissions": "0"},
    ]
    status, (_, _, commands, files, nothing) = await checked(discord, tmp_path)
    assert status == 1
    assert commands.startswith("bad   commands  not those of this version (")
    assert commands.endswith("); run: fracas sync")
    assert files == "bad   servers   no?files (2): give the bot's role Attach Files"
    assert nothing == "bad   servers   nothing (3): give the bot's role View Channels, Send Messages, Attach Files"


async def test_before_the_first_sync_and_the_first_server(discord: LittleDiscord, tmp_path: Path) -> None:
    discord.api.commands = {}
    status, (_, _, commands, servers) = await checked(discord, tmp_path)
    assert status == 1
    assert commands == "bad   commands  none are registered; run: fracas sync"
    assert servers == "note  servers   the bot is in none yet: README, Going live on Discord"


async def test_a_token_that_is_refused(discord: LittleDiscord, tmp_path: Path) -> None:
    with discord.api.faults.add(Fault("GET", "/users/@me", times=9, status=401)):
        status, lines = await checked(discord, tmp_path)
    assert (status, lines) == (1, ["bad   token     Discord refused the token; check DISCORD_TOKEN."])
