"""A live bot whose connections break before or after what they were for: all is done once, shown, and told rightly."""

import sqlite3
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, ExitStack
from typing import Literal

import pytest
import pytest_asyncio

from tests.live.conftest import Live, at_the_table, expect_nothing_wrong, open_discord, start_bot
from tests.live.discord_server import LittleDiscord
from tests.live.faults import CALLBACK, CHANNEL, FOLLOWUP, ORIGINAL, Fault
from tests.live.players import Player
from tests.live.process import BotProcess
from tests.live.world import Exchange, Json, Message

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


async def begin(live: Live, *, alone: bool = False) -> Message:
    """Open a battle of Ann against Ben, or against herself."""
    defender = live.ann if alone else live.ben
    begun = await live.ann.slash("aa battle", setup="60 inf vs 60 inf", attacker=live.ann, defender=defender)
    return begun.message


async def opened(live: Live, player: Player, message: Message, button: str) -> Exchange:
    """Press a button that opens a form."""
    pressed = await player.press(message, button, wait=False)
    await live.discord.until(lambda: pressed.response is not None)
    return pressed


async def refused(live: Live, pressed: Exchange) -> None:
    """Wait for the private answer to a press."""
    await live.discord.until(lambda: any(reply.private for reply in pressed.followups))


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
async def test_a_press(live: Live, method: str, route: str, when: When) -> None:
    panel = await begin(live)
    with breaks(live, method, route, when):
        pressed = await live.ann.press(panel, "Fight round 1")
    assert pressed.followups == []
    assert panel.text.startswith("### #1 Axis & Allies: round 1\n")
    await live.ann.press(panel, "Fight round 2")
    assert panel.text.startswith("### #1 Axis & Allies: round 2\n")
    assert live.discord.posted(live.channel) == [panel]


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
async def test_an_answer_at_once(live: Live, when: When) -> None:
    with breaks(live, "POST", CALLBACK, when):
        asked = await live.ann.slash("battle list")
    assert "No battle is open here" in asked.text
    assert asked.followups == []


@both
async def test_a_form(live: Live, when: When) -> None:
    asked = await live.ann.slash("aacalc", battle="6 tanks vs 10 inf")
    with breaks(live, "POST", CALLBACK, when):
        form = await opened(live, live.ann, asked.message, "Edit")
    with breaks(live, "POST", CALLBACK, when):
        await live.ann.submit(form, battle="7 tanks vs 10 inf")
    assert "7 tanks" in asked.text


@both
@pytest.mark.parametrize(("method", "route"), [("POST", CALLBACK), ("PATCH", ORIGINAL), ("PATCH", CHANNEL)])
async def test_a_command_that_changes_a_battle(live: Live, method: str, route: str, when: When) -> None:
    panel = await begin(live, alone=True)
    await live.ann.press(panel, "Fight round 1")
    with breaks(live, method, route, when):
        undone = await live.ann.slash("battle undo")
    assert undone.text == "↩️ #1: one step back."
    assert panel.text.startswith("### #1 Axis & Allies: before round 1\n")


async def test_a_command_that_is_delivered_again_after_its_acknowledgement_was_lost(live: Live) -> None:
    panel = await begin(live)
    with breaks(live, "POST", CALLBACK, "after"):
        pressed = await live.ann.press(panel, "Fight round 1", wait=False)
        await live.discord.send(pressed)
        await live.discord.until(lambda: pressed.ended)
    await live.discord.send(pressed)
    await live.ann.slash("battle list")
    assert pressed.followups == []
    assert panel.text.startswith("### #1 Axis & Allies: round 1\n")


@both
async def test_a_private_refusal(live: Live, when: When) -> None:
    panel = await begin(live)
    with breaks(live, "POST", FOLLOWUP, when):
        pressed = await live.discord.player("zoe", live.channel).press(panel, "Fight round 1")
        await live.discord.until(lambda: len(pressed.followups) == (1 if when == "before" else 2))
    assert all(reply.private and reply.text.startswith("⚠️ Only the attacker") for reply in pressed.followups)
    assert panel.text.startswith("### #1 Axis & Allies: before round 1\n")


async def test_an_acknowledgement_that_hangs(live: Live) -> None:
    panel = await begin(live)
    with live.discord.api.faults.add(Fault("POST", CALLBACK, delay=6.0)):
        pressed = await live.ann.press(panel, "Fight round 1")
    assert pressed.answered_after is not None
    assert pressed.answered_after < 6
    assert panel.text.startswith("### #1 Axis & Allies: round 1\n")


async def test_an_outage_is_told_and_made_up_for_soon(live: Live) -> None:
    """The catch-up's own edits break once more, and are sent again."""
    panel, other = await begin(live), await begin(live)
    with breaks(live, "PATCH", f"{ORIGINAL}|{CHANNEL}", "before", times=None):
        for number, message in enumerate((panel, other), 1):
            pressed = await live.ann.press(message, "Fight round 1")
            (reply,) = pressed.followups
            assert reply.text == "⚠️ Done, but Discord doesn't let me show it just now: the panel follows soon."
            assert reply.private
            assert message.text.startswith(f"### #{number} Axis & Allies: before round 1\n")
    with (
        breaks(live, "PATCH", f"{CHANNEL}.*{panel.id}", "after"),
        breaks(live, "PATCH", f"{CHANNEL}.*{other.id}", "before"),
    ):
        await live.discord.until(lambda: other.text.startswith("### #2 Axis & Allies: round 1\n"))
        await live.discord.until(lambda: panel.text.startswith("### #1 Axis & Allies: round 1\n"))
    assert live.discord.posted(live.channel) == [panel, other]


async def test_a_new_panel(live: Live) -> None:
    """Nobody can look up whether a followup arrived: the catch-up posts one, and whoever finds another is led to it."""
    orphans: list[Message] = []
    for when in ("before", "after"):
        panel = await begin(live)
        panel.deleted = True
        fight = next(node["custom_id"] for node in panel.components if node.get("label") == "Fight round 1")
        with breaks(live, "POST", FOLLOWUP, when):
            pressed = await live.ann.press_id(panel, fight)
            await refused(live, pressed)
        assert "the panel follows soon" in pressed.text
        orphans += [message for message in pressed.followups if not message.private]
    (orphan,) = orphans
    await live.discord.until(lambda: len(live.discord.posted(live.channel)) == len(orphans) + 2)
    _, first, second = live.discord.posted(live.channel)
    assert first.text.startswith("### #1 Axis & Allies: round 1\n")
    assert second.text.startswith("### #2 Axis & Allies: round 1\n")
    await live.ann.press(orphan, "Fight round 2")
    assert "is in [a newer message](" in orphan.text
    assert second.text.startswith("### #2 Axis & Allies: round 2\n")


async def test_where_the_bot_is_no_member(live: Live) -> None:
    """What changes a battle shows it in its own answer."""
    elsewhere = live.discord.new_channel("elsewhere", reachable=False)
    ann = live.ann.at(elsewhere)
    begun = await ann.slash("aa battle", setup="60 inf vs 60 inf", attacker=ann, defender=ann)
    await ann.press(begun.message, "Fight round 1")
    assert begun.message.text.startswith("### #1 Axis & Allies: round 1\n")
    undone = await ann.slash("battle undo")
    await live.discord.until(lambda: undone.text.startswith("↩️ #1: one step back."))
    (panel,) = undone.followups
    assert not panel.private
    assert panel.text.startswith("### #1 Axis & Allies: before round 1\n")
    await ann.press(panel, "Fight round 1")
    assert panel.text.startswith("### #1 Axis & Allies: round 1\n")
    old = await ann.press(begun.message, "Fight round 2")
    assert "is in [a newer message](" in old.message.text


async def test_orders_where_the_bot_is_no_member(live: Live) -> None:
    elsewhere = live.discord.new_channel("elsewhere", reachable=False)
    ann, ben = live.ann.at(elsewhere), live.ben.at(elsewhere)
    begun = await ann.slash("mka new", size="10x10", seed=1)
    for player in (ann, ben):
        await player.submit(await opened(live, player, begun.message, "Join"))
    await ann.press(begun.message, "Begin")
    headline = begun.message.text.partition("\n")[0]
    (first,) = [player for player in (ann, ben) if player.user.name in headline]
    given = await first.slash("mka orders", orders="end")
    await live.discord.until(lambda: given.text.startswith("✅ Done. #1 is at round 1"))
    (panel,) = given.followups
    assert panel.text.startswith("### #1 Mad Killer Agents: round 1")
