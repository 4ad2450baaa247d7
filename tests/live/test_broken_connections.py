"""A live bot whose connections break before or after what they were for: all is done once, shown, and told rightly."""

import sqlite3
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, ExitStack
from typing import Literal

import pytest
import pytest_asyncio

from tests.live.conftest import Live, at_the_table, expect_nothing_wrong, open_discord, start_bot
from tests.live.discord_server import LittleDiscord
from tests.live.process import BotProcess
from tests.live.wire import CALLBACK, ORIGINAL, Fault
from tests.live.world import Exchange, Json, Message, Player

pytestmark = [pytest.mark.live, pytest.mark.asyncio(loop_scope="session")]

When = Literal["before", "after"]
both = pytest.mark.parametrize("when", ["before", "after"])


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def a_bot(
    registered: dict[str, list[Json]], tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[tuple[LittleDiscord, BotProcess]]:
    """Run a bot for these tests, and check at its end that nothing waits to be shown."""
    folder = tmp_path_factory.mktemp("broken")
    async with AsyncExitStack() as stack:
        discord = await open_discord(stack, registered)
        bot = await start_bot(stack, discord, folder)
        yield discord, bot
        assert await bot.stop() == 0, bot.err
    with sqlite3.connect(folder / "fracas.db") as connection:
        assert connection.execute("SELECT * FROM outbox").fetchall() == []


@pytest_asyncio.fixture(loop_scope="session")
async def live(a_bot: tuple[LittleDiscord, BotProcess]) -> AsyncIterator[Live]:
    table = at_the_table(*a_bot)
    yield table
    expect_nothing_wrong(table)


async def opened(live: Live, player: Player, message: Message, button: str) -> Exchange:
    """Press a button that opens a form."""
    pressed = await player.press(message, button, wait=False)
    await live.discord.until(lambda: pressed.response is not None)
    return pressed


def breaks(live: Live, method: str, route: str, when: When, times: int | None = 1) -> ExitStack:
    """Let the connection break at requests like this within the block; once, it must."""
    stack = ExitStack()
    fault = stack.enter_context(live.discord.api.faults.add(Fault(method, route, times=times, reset=when)))
    if times is not None:
        stack.callback(lambda: _expect_hits(fault, times))
    return stack


def _expect_hits(fault: Fault, times: int) -> None:
    assert fault.hits == times


@both
@pytest.mark.parametrize(("method", "route"), [("POST", CALLBACK), ("PATCH", ORIGINAL)])
async def test_an_answer_with_a_picture(live: Live, method: str, route: str, when: When) -> None:
    with breaks(live, method, route, when):
        asked = await live.ann.slash("aacalc", battle="30 inf, 6 tanks vs 40 inf")
    assert "30 infantry, 6 tanks" in asked.text
    (picture,) = asked.message.files
    assert picture.data.startswith(b"\x89PNG")
    assert picture.data.rstrip().endswith(b"IEND\xaeB`\x82"), "the whole of it, though it was sent twice"
    assert live.discord.posted(live.channel) == [asked.message]


@both
async def test_a_form(live: Live, when: When) -> None:
    asked = await live.ann.slash("aacalc", battle="6 tanks vs 10 inf")
    with breaks(live, "POST", CALLBACK, when):
        form = await opened(live, live.ann, asked.message, "Edit")
    with breaks(live, "POST", CALLBACK, when):
        await live.ann.submit(form, battle="7 tanks vs 10 inf")
    assert "7 tanks" in asked.text


async def test_a_command_that_is_delivered_again_after_its_acknowledgement_was_lost(live: Live) -> None:
    panel = await live.begin()
    with breaks(live, "POST", CALLBACK, "after"):
        pressed = await live.ann.press(panel, "Next round", wait=False)
        await live.discord.send(pressed)
        await live.discord.until(lambda: pressed.ended)
    await live.discord.send(pressed)
    await live.ann.slash("battle list")
    assert pressed.followups == []
    assert panel.text.startswith("### #1 Axis & Allies: round 1\n")


async def test_an_acknowledgement_that_hangs(live: Live) -> None:
    panel = await live.begin()
    with live.discord.api.faults.add(Fault("POST", CALLBACK, delay=6.0)):
        pressed = await live.ann.press(panel, "Next round")
    assert pressed.answered_after is not None
    assert pressed.answered_after < 6
    assert panel.text.startswith("### #1 Axis & Allies: round 1\n")
