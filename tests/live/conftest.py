"""A bot that all tests of one process share, and bots of their own for those that stop theirs."""

import contextlib
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import pytest
import pytest_asyncio

from tests.beacon import LittleBeacon, little_beacon
from tests.bot.conftest import server  # noqa: F401  # a fixture
from tests.live.discord_server import LittleDiscord
from tests.live.process import BotProcess
from tests.live.world import Channel, Json, Message, Player

BUSY_MACHINE = 2
"""By how much a machine that does other things may miss a limit in seconds."""

ANSWER_SECONDS = 15.0
"""How long an interaction waits where a test doesn't say; more than Discord's 3 s, for busy machines."""

SETUP = "60 inf vs 60 inf"
"""A battle that lasts for some rounds."""


@dataclass
class Live:
    """A bot, its Discord, and two players in a channel of their own."""

    discord: LittleDiscord
    bot: BotProcess
    channel: Channel
    ann: Player
    ben: Player
    known: int = field(default=0)

    async def begin(self) -> Message:
        """Open a battle of Ann against Ben that lasts for some rounds, and return its panel."""
        return (await self.ann.slash("aa battle", setup=SETUP, attacker=self.ann, defender=self.ben)).message

    async def expect_answer(self) -> None:
        """Check that the bot answers."""
        assert "3 infantry" in (await self.ann.slash("aacalc", battle="3 inf vs 2 inf")).text

    @property
    def new_trouble(self) -> list[Json]:
        """What the log told since the test began that nobody may cause; told once."""
        told = self.bot.trouble[self.known :]
        self.known += len(told)
        return told


_names = count(1)


def at_the_table(discord: LittleDiscord, bot: BotProcess, guild: int = 0) -> Live:
    """Give a test its channel and its players; `guild`: the place of its server in `guild_ids`."""
    number = next(_names)
    channel = discord.new_channel(f"battles-{number}", server=guild)
    ann, ben = (discord.player(f"{name}{number}", channel) for name in ("ann", "ben"))
    return Live(discord, bot, channel, ann, ben, len(bot.trouble))


def expect_nothing_wrong(live: Live) -> None:
    """Check that the bot kept every limit and logged no error."""
    violations = [*live.discord.api.violations, *live.discord.gateway.violations]
    live.discord.api.violations.clear()
    assert not violations, "\n".join(violations)
    assert not live.new_trouble


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def registered(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Json]]:
    """Return the commands as `--sync` registers them."""
    async with contextlib.AsyncExitStack() as stack:
        discord = await open_discord(stack, {})
        syncing = await run_command(discord, tmp_path_factory.mktemp("sync"), "--sync")
        assert await syncing.ended() == 0, syncing.err
        assert not syncing.trouble
        return discord.api.commands


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def shared(
    registered: dict[str, list[Json]], tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[tuple[LittleDiscord, BotProcess]]:
    """Run one bot for all tests that leave it running."""
    async with contextlib.AsyncExitStack() as stack:
        discord = await open_discord(stack, registered)
        bot = await start_bot(stack, discord, tmp_path_factory.mktemp("shared"))
        yield discord, bot
        assert await bot.stop() == 0, bot.err


async def open_discord(
    stack: contextlib.AsyncExitStack, commands: dict[str, list[Json]], shards: int = 1
) -> LittleDiscord:
    """Open a Discord where these commands are registered."""
    discord = LittleDiscord(answer_seconds=ANSWER_SECONDS, shards=shards)
    discord.api.commands = commands
    await discord.start()
    stack.push_async_callback(discord.close)
    return discord


async def start_bot(
    stack: contextlib.AsyncExitStack,
    discord: LittleDiscord,
    folder: Path,
    *,
    wait: bool = True,
    settings: Mapping[str, str] | None = None,
) -> BotProcess:
    """Start a bot and, with `wait`, go on when it has signed in; `settings`: environment variables."""
    bot = await BotProcess.start(discord, folder, settings=settings or {})
    stack.push_async_callback(bot.kill)
    if wait:
        await bot.signed_in(discord)
    return bot


async def run_command(discord: LittleDiscord, folder: Path, *arguments: str) -> BotProcess:
    """Run a command beside the bot to its end, which breaks no rule of Discord's."""
    command = await BotProcess.start(discord, folder, *arguments)
    try:
        await command.ended()
    finally:
        await command.kill()
    assert "Traceback" not in command.err, command.err
    assert not discord.api.violations
    return command


@pytest_asyncio.fixture(loop_scope="session")
async def live(shared: tuple[LittleDiscord, BotProcess]) -> AsyncIterator[Live]:
    """Give a test the shared bot, connected whatever the last test did; check afterwards that nothing went wrong."""
    await shared[1].signed_in(shared[0])
    table = at_the_table(*shared)
    yield table
    assert table.bot.running, table.bot.err
    expect_nothing_wrong(table)


class Bots:
    """Starts bots that a test may stop; all that one test starts share a folder, and so a database."""

    def __init__(self, stack: contextlib.AsyncExitStack, commands: dict[str, list[Json]], folder: Path) -> None:
        self._stack = stack
        self._commands = commands
        self._folder = folder
        self.started: list[Live] = []

    async def discord(self, *, shards: int = 1) -> LittleDiscord:
        """Open a Discord."""
        return await open_discord(self._stack, self._commands, shards)

    async def start(self, discord: LittleDiscord | None = None, *, wait: bool = True, **settings: str) -> Live:
        """Start a bot; with `wait`, go on when it has signed in. `settings`: environment variables."""
        discord = discord or await self.discord()
        bot = await start_bot(self._stack, discord, self._folder, wait=wait, settings=settings)
        self.started.append(at_the_table(discord, bot))
        return self.started[-1]


@pytest_asyncio.fixture(loop_scope="session")
async def beacon() -> AsyncIterator[LittleBeacon]:
    """Start a beacon."""
    async with little_beacon() as beacon:
        yield beacon


@pytest_asyncio.fixture(loop_scope="session")
async def bots(registered: dict[str, list[Json]], tmp_path: Path) -> AsyncIterator[Bots]:
    """Give a test bots of its own, and check afterwards that nothing went wrong with them."""
    async with contextlib.AsyncExitStack() as stack:
        bots = Bots(stack, registered, tmp_path)
        yield bots
        for table in bots.started:
            expect_nothing_wrong(table)


@pytest_asyncio.fixture(loop_scope="session")
async def discord(bots: Bots) -> LittleDiscord:
    """Open a Discord for such a bot, so that things may go wrong in it before the bot comes."""
    return await bots.discord()
