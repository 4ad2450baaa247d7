"""Threads, forum posts and events over the wire: without permissions, delivered twice, with restarts in between."""

import pytest
import pytest_asyncio

from tests.beacon import LittleBeacon
from tests.live.conftest import SETUP, Bots, Live
from tests.live.discord_server import LittleDiscord
from tests.live.places import (
    ACTIVE,
    ALL_OF_THREADS,
    COMPLETED,
    CREATE_EVENTS,
    CREATE_THREADS,
    FORUM,
    MANAGE_CHANNELS,
    MANAGE_MESSAGES,
    MANAGE_THREADS,
)
from tests.live.test_sealing import PROGRAM, kill, seals, start
from tests.live.wire import Fault
from tests.live.world import Channel, Exchange, Message

pytestmark = [pytest.mark.live, pytest.mark.asyncio(loop_scope="session")]


@pytest_asyncio.fixture(loop_scope="session")
async def place(discord: LittleDiscord) -> LittleDiscord:
    """Let the bot do everything about threads and events."""
    discord.app.permissions |= ALL_OF_THREADS | MANAGE_CHANNELS | CREATE_EVENTS
    discord.announce()
    return discord


async def opened(live: Live) -> tuple[Exchange, Channel, Message]:
    """Open a battle in a thread, and return the command, the thread and the panel in it."""
    command = await live.ann.slash("aa battle", setup=SETUP, attacker=live.ann, defender=live.ben, thread=True)
    await live.discord.until(lambda: live.discord.api.places.threads(live.channel))
    (thread,) = live.discord.api.places.threads(live.channel)
    await live.discord.until(lambda: live.discord.posted(thread))
    return command, thread, live.discord.posted(thread)[-1]


async def test_a_thread_from_its_opening_to_its_lock(bots: Bots, place: LittleDiscord) -> None:
    live = await bots.start(place)
    with place.api.faults.add(Fault("POST", "/threads$", reset="after")):  # it is sent again: there is one thread
        command, thread, panel = await opened(live)
    line, inside = command.message, live.ann.at(thread)
    assert thread.id == line.id
    assert panel.text.startswith("### #1 Axis & Allies: before round 1")
    await inside.press(panel, "Next round")
    await place.until(lambda: "#1 · round 1**\n" in line.text)
    assert "#1 Axis & Allies, at round 1" in (await inside.slash("battle list")).text
    thread.archived = True  # nothing happened for long, or somebody closed it
    assert "Only the player who made the last step" in (await live.ben.slash("battle undo", number=1)).text
    assert "waiting for" in (await live.ann.slash("battle undo", number=1)).text
    assert not thread.archived, "the question to Ben woke it up"
    thread.archived = True
    live.ann.user.permissions |= MANAGE_MESSAGES
    await live.ann.slash("battle clock", turn="24 h")
    assert not thread.archived, "the panel woke it up"
    assert "24 hours a turn" in panel.text or "1 day a turn" in panel.text
    await inside.press(panel, "Fight to the end")
    await place.until(lambda: thread.locked)
    assert (thread.archived, thread.name) == (True, "Axis & Allies #1 · over")
    assert len(thread.renamed) == 1
    assert "/battle verify number:1" in panel.text
    assert line.buttons[0] == "Rematch"
    assert line.files
    again = await live.ann.press(line, "Rematch")
    await place.until(lambda: len(place.api.places.threads(live.channel)) > 1)
    assert "#2 · before round 1" in again.text


async def test_a_bot_that_may_not_manage_threads_archives_them(bots: Bots, place: LittleDiscord) -> None:
    live = await bots.start(place)
    place.app.permissions &= ~MANAGE_THREADS
    _, thread, panel = await opened(live)
    await live.ann.at(thread).press(panel, "Fight to the end")
    await place.until(lambda: thread.archived)
    assert not thread.locked


async def test_a_thread_that_a_moderator_locked_gives_its_battle_back(bots: Bots, place: LittleDiscord) -> None:
    live = await bots.start(place)
    place.app.permissions &= ~MANAGE_THREADS
    command, thread, _ = await opened(live)
    thread.archived = thread.locked = True
    asked = await live.ann.slash("battle end", number=1)
    await live.ann.press(asked.message, "End it")
    assert command.message.text.startswith("### #1 Axis & Allies: ended, before round 1")


@pytest.mark.parametrize("told", [True, False], ids=["which Discord tells", "which is found out"])
async def test_without_the_permission_the_battle_is_in_the_channel(
    bots: Bots, place: LittleDiscord, *, told: bool
) -> None:
    live = await bots.start(place)
    creating = f"^/channels/{live.channel.id}/messages/[0-9]+/threads$"
    with place.api.faults.add(Fault("POST", creating, times=None, status=403, code=50013)):
        if told:
            place.app.permissions &= ~CREATE_THREADS
        command = await live.ann.slash("aa battle", setup=SETUP, attacker=live.ann, defender=live.ben, thread=True)
        await place.until(lambda: command.followups)
    assert command.message.text.startswith("### #1 Axis & Allies: before round 1")
    (why,) = command.followups
    assert why.private
    assert ("I need Create Public Threads in #" if told else "Discord won't let me open a thread in #") in why.text
    await live.ann.press(command.message, "Next round")
    assert place.posted(live.channel) == [command.message]


@pytest.mark.parametrize("tags", [["open", "over"], []], ids=["that the bot makes", "that it may not make"])
async def test_a_post_of_a_forum_and_its_tags(bots: Bots, place: LittleDiscord, tags: list[str]) -> None:
    if not tags:
        place.app.permissions &= ~MANAGE_CHANNELS
    forum = place.new_channel("wars", kind=FORUM)
    place.announce()
    live = await bots.start(place)
    live.ann.user.permissions |= MANAGE_MESSAGES
    await live.ann.slash("battle settings", threads="always", forum=forum)
    line = (await live.ann.slash("aa battle", setup=SETUP, attacker=live.ann, defender=live.ben)).message
    (post,) = place.api.places.threads(forum)
    (panel,) = place.posted(post)
    await place.until(lambda: f"<#{post.id}>\n" in line.text)
    names = {tag["id"]: tag["name"] for tag in forum.tags}
    assert [names[tag] for tag in post.applied] == tags[:1]
    await live.ann.at(post).press(panel, "Fight to the end")
    await place.until(lambda: post.locked)
    names = {tag["id"]: tag["name"] for tag in forum.tags}
    assert [names[tag] for tag in post.applied] == tags[1:]


STARTING, POSTING = "discord.message:PartialMessage.create_thread", "discord.channel:ForumChannel.create_thread"


@pytest.mark.parametrize("moment", [f"before {STARTING}", f"after {STARTING}", f"before {POSTING}", f"after {POSTING}"])
async def test_a_bot_that_was_killed_while_it_opened_a_thread(
    bots: Bots, place: LittleDiscord, beacon: LittleBeacon, moment: str
) -> None:
    forum = place.new_channel("wars", kind=FORUM)
    place.announce()
    live = await start(bots, beacon, discord=place, stop=moment)
    if POSTING in moment:
        live.ann.user.permissions |= MANAGE_MESSAGES
        await live.ann.slash("battle settings", forum=forum)
    await live.ann.slash("aa battle", setup=SETUP, attacker=live.ann, thread=True, wait=False)
    await live.bot.stopped()
    await kill(bots)
    await start(bots, beacon, discord=place)
    threads = place.api.places.threads(forum if POSTING in moment else live.channel)
    where = threads[0] if moment.startswith("after") else live.channel
    if moment == f"after {POSTING}":  # which the bot had not noted
        await place.until(lambda: f"<#{where.id}>\n" in place.posted(live.channel)[-1].text)
        assert not place.posted(live.channel)[-1].buttons
    await place.until(lambda: any(message.buttons for message in place.posted(where)))
    (panel,) = (message for message in place.posted(where) if message.buttons)
    await live.ben.at(where).press(panel, "Join as defender")
    await place.until(lambda: seals(place, where))  # sealed dice belong there, too
    await place.until(lambda: "[Sealed](" in panel.text)
    await live.ann.at(where).press(panel, "Next round")
    assert panel.text.startswith("### #1 Axis & Allies: round 1")


async def planned(live: Live) -> tuple[Message, Exchange]:
    """Begin a battle with a clock, and put the end of its turn in the calendar; return the referee's buttons."""
    live.ann.user.permissions |= MANAGE_MESSAGES
    panel = await live.begin()
    await live.ann.press(panel, "Next round")
    clock = await live.ann.slash("battle clock", turn="24 h")
    return clock.message, await live.ann.press(clock.message, "Add to the calendar", wait=False)


async def test_an_event_moves_and_ends_with_its_turn(bots: Bots, place: LittleDiscord) -> None:
    live, events = await bots.start(place), place.api.places.events
    place.app.permissions &= ~CREATE_EVENTS
    clock, refused = await planned(live)
    await place.until(lambda: refused.ended)
    assert "I need the permission Create Events." in refused.text
    place.app.permissions |= CREATE_EVENTS
    press = await live.ann.press(clock, "Add to the calendar", wait=False)
    await place.send(press)  # a second time
    await place.until(lambda: press.ended)
    ((_, event),) = events.items()
    before = event["scheduled_start_time"]
    opened = await live.ann.press(clock, "Extend this turn")
    await live.ann.submit(opened, time="6 h")
    await place.until(lambda: event["scheduled_start_time"] > before)
    event["status"] = ACTIVE
    await live.ann.press(place.posted(live.channel)[0], "Next round")
    await place.until(lambda: event["status"] == COMPLETED and len(events) == 2)
    await live.ann.press(place.posted(live.channel)[0], "Fight to the end")
    await place.until(lambda: [one["status"] for one in events.values()] == [COMPLETED])


async def test_a_bot_that_was_killed_when_discord_had_taken_the_event(bots: Bots, place: LittleDiscord) -> None:
    stop = "after discord.guild:Guild.create_scheduled_event"
    live = await bots.start(place, PROGRAM=PROGRAM, STOP=stop, LEAD="20")
    await planned(live)
    await live.bot.stopped()
    await kill(bots)
    known = len(place.api.requests)
    live = await bots.start(place)
    await live.ann.at(bots.started[0].channel).slash("battle clock", number=1)
    await place.until(lambda: any(one.path.endswith("/scheduled-events") for one in place.api.requests[known:]))
    await live.bot.stop()
    assert len(place.api.places.events) == 1
