"""A bot that all tests of one process share, and bots of their own for those that stop theirs."""

import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import pytest
import pytest_asyncio

from tests.live.discord_server import LittleDiscord
from tests.live.players import Player
from tests.live.process import BotProcess
from tests.live.world import Channel, Json

ANSWER_SECONDS = 15.0
"""How long an interaction waits where a test doesn't say; more than Discord's 3 s, for busy machines."""


@dataclass
class Live:
    """A bot, its Discord, and two players in a channel of their own."""

    discord: LittleDiscord
    bot: BotProcess
    channel: Channel
    ann: Player
    ben: Player
    known: int = field(default=0)

    @property
    def new_trouble(self) -> list[Json]:
        """What the log told since the test began that nobody may cause; told once."""
        told = self.bot.trouble[self.known :]
        self.known += len(told)
        return told


_names = count(1)


def at_the_table(discord: LittleDiscord, bot: BotProcess) -> Live:
    """Give a test its channel and its players."""
    number = next(_names)
    channel = discord.new_channel(f"battles-{number}")
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
    discord = LittleDiscord()
    await discord.start()
    bot = await BotProcess.start(discord, tmp_path_factory.mktemp("sync"), "--sync", wait=False)
    try:
        assert await bot.ended() == 0, bot.err
        assert not discord.api.violations
        assert not bot.trouble
        return discord.api.commands
    finally:
        await bot.kill()
        await discord.close()


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def shared(
    registered: dict[str, list[Json]], tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[tuple[LittleDiscord, BotProcess]]:
    """Run one bot for all tests that leave it running."""
    async with running(registered, tmp_path_factory.mktemp("shared")) as (discord, bot):
        yield discord, bot
        assert await bot.stop() == 0, bot.err


@contextlib.asynccontextmanager
async def running(
    registered: dict[str, list[Json]], folder: Path, **environment: str
) -> AsyncIterator[tuple[LittleDiscord, BotProcess]]:
    """Run a bot with a Discord of its own."""
    discord = LittleDiscord(answer_seconds=ANSWER_SECONDS)
    discord.api.commands = registered
    await discord.start()
    bot = await BotProcess.start(discord, folder, settings=environment)
    try:
        yield discord, bot
    finally:
        await bot.kill()
        await discord.close()


@pytest_asyncio.fixture(loop_scope="session")
async def live(shared: tuple[LittleDiscord, BotProcess]) -> AsyncIterator[Live]:
    """Give a test the shared bot, and check afterwards that nothing went wrong."""
    table = at_the_table(*shared)
    yield table
    assert table.bot.running, table.bot.err
    expect_nothing_wrong(table)


NewBot = Callable[..., Awaitable[Live]]


@pytest_asyncio.fixture(loop_scope="session")
async def new_bot(registered: dict[str, list[Json]], tmp_path: Path) -> AsyncIterator[NewBot]:
    """Return a function that starts a bot which a test may stop; keyword arguments are environment variables."""
    async with contextlib.AsyncExitStack() as stack:
        started: list[Live] = []

        async def start(**environment: str) -> Live:
            folder = tmp_path / str(len(started))
            folder.mkdir()
            discord, bot = await stack.enter_async_context(running(registered, folder, **environment))
            started.append(at_the_table(discord, bot))
            return started[-1]

        yield start
        for table in started:
            expect_nothing_wrong(table)
