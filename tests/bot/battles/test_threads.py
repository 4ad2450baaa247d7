"""A battle's thread, and events in the calendar: opened and added, found from both sides, moved and ended with it."""

import asyncio
from datetime import UTC, datetime
from typing import Any
from unittest.mock import AsyncMock

import discord
import pytest
from simcord import ChannelHandle, MemberActor, ResponseMessage

from bot.app import Fracas
from bot.battles.events import EventService
from bot.battles.followers import Followers
from bot.battles.maintenance import MaintenanceTasks
from bot.battles.publisher import PanelPublisher
from bot.battles.threads import RENAME_SECONDS, ThreadService
from bot.client import UNKNOWN_MESSAGE
from bot.store.threads import EventRepository, ThreadRepository
from bot.store.transactions import PanelRepository
from bot.ui.interactions import show_view
from tests.bot.battles.fights import begin, begun, click_seen, end, seen, stored, stranger, told, unshown
from tests.bot.conftest import Table, answer, button, buttons_of, expect_in, posts, said
from tests.bot.test_delivery import refusal

LONG = "60 inf vs 60 inf"
NO_PERMISSION, MOST_EVENTS = 50013, 30038


def closed(table: Table, thread: ChannelHandle) -> tuple[bool, bool]:
    """Return whether a thread is archived, and locked."""
    state = table.env.backend.get_channel(thread.id).thread_metadata
    assert state is not None
    return state.archived, state.locked


async def opened(table: Table, **options: object) -> tuple[ChannelHandle, ResponseMessage]:
    """Open a battle in a thread of its own, and return the thread and its panel."""
    await begin(table, LONG, **{"thread": True} | options)
    await table.settled()
    thread = table.channel.threads[-1]
    return thread, posts(table, thread)[-1]


async def test_a_battle_in_its_thread_from_the_line_to_the_lock_and_the_rematch(table: Table) -> None:
    thread, panel = await opened(table)
    (line,) = posts(table, table.channel)
    assert thread.name == "Axis & Allies #1 · before round 1"
    expect_in(said(line), f"🧵 **{thread.name}**", "(attacker) v")
    assert buttons_of(line, house=True) == []
    await table.press(panel, "Next round")
    await table.settled()
    expect_in(said(line), "#1 · round 1")
    assert thread.name.endswith("before round 1"), "renamed too soon"
    table.clock.now += RENAME_SECONDS
    await table.press(panel, "Next round")
    await table.settled()
    assert thread.name == "Axis & Allies #1 · round 2"
    await table.fight_out(panel)
    assert (thread.name, closed(table, thread)) == ("Axis & Allies #1 · over", (True, True))
    expect_in(said(line), "wins after", "/battle verify number:1")
    assert line.attachments
    assert buttons_of(line, house=True)[:2] == ["Rematch", "Next chapter"]
    assert [said(one).splitlines()[0] for one in posts(table, thread)] == [said(panel).splitlines()[0]]
    await table.press(line, "Rematch")
    await table.settled()
    assert [one.name for one in table.channel.threads] == [thread.name, "Axis & Allies #2 · before round 1"]
    assert "open already" in said(await table.pressed(line, "Rematch", by=table.ben))


async def test_both_the_channel_and_the_thread_have_the_battle(table: Table) -> None:
    thread, panel = await opened(table)
    for place in (table.channel, thread):
        expect_in(
            said(answer(await table.ann.slash(place, "battle list"))), "#1 Axis & Allies", f"/{thread.id}/{panel.id}"
        )
        expect_in(said(answer(await table.ann.slash(place, "battle log", number=1))), "#1")
    expect_in(said(await table.run("battle waiting")), f"in {thread.mention}")
    assert "no battle #1" in said(
        answer(await table.ann.slash(table.ann.guild.create_text_channel("den"), "battle log", number=1))
    )
    inside = answer(await table.ann.slash(thread, "aa battle", setup=LONG))
    expect_in(said(inside), "### #2")
    assert (await stored(table, 2)).thread_id == thread.id
    asked = await table.run("battle show", number=1)
    expect_in(said(asked), thread.mention)
    assert [said(one)[:6] for one in posts(table, thread)][-1] == "### #1"
    await end(table, number=1)
    await table.settled()
    expect_in(said(posts(table, table.channel)[0]), "#1 Axis & Allies: ended, before round 1")
    assert closed(table, thread) == (False, False), "#2 goes on in it"


@pytest.mark.parametrize(("new", "wish", "threads"), [("always", None, 1), ("always", False, 0), ("ask", None, 0)])
async def test_a_server_chooses(table: Table, new: str, wish: bool | None, threads: int) -> None:
    await table.run("battle settings", by=stranger(table, manage_messages=True), threads=new)
    panel = await begin(table, LONG, **({} if wish is None else {"thread": wish}))
    assert len(table.channel.threads) == threads
    assert ("Move to a thread" in buttons_of(panel)) == (new == "ask")


async def test_a_press_moves_a_battle_once(table: Table) -> None:
    judge = stranger(table, manage_messages=True)
    await table.run("battle settings", by=judge, threads="ask")
    panel = await begin(table, LONG)
    await table.run("battle clock", by=judge, turn="24 h")
    await table.press(await table.run("battle clock", by=judge), "Add to the calendar", by=judge)
    assert "Only players in" in said(await table.pressed(panel, "Move to a thread", by=stranger(table)))
    press, before = button(panel, "Move to a thread"), seen(table, panel)
    await click_seen(table, before, (table.ben, press), twice=True)
    await table.settled()
    (thread,) = table.channel.threads
    (again,) = await click_seen(table, before, (table.ann, press))
    assert told(again) == f"⚠️ #1 is in its thread already: {thread.mention}."
    (event,) = events(table)
    assert event.entity_metadata["location"].endswith(f"/{thread.id}")
    assert said(panel).startswith("🧵 **Axis & Allies #1")
    (moved,) = posts(table, thread)
    assert "Move to a thread" not in buttons_of(moved)
    await table.press(moved, "Next round")
    expect_in(said(moved), "round 1")


async def test_a_move_cut_short_gives_the_panel_back(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    await table.run("battle settings", by=stranger(table, manage_messages=True), threads="ask")
    panel = await begin(table, LONG)
    before = said(panel), buttons_of(panel)
    with monkeypatch.context() as patch:
        patch.setattr(ThreadRepository, "open", AsyncMock(side_effect=asyncio.CancelledError))  # the bot is killed
        await table.ben.click(panel, custom_id=button(panel, "Move to a thread"))
    assert buttons_of(panel) == []
    await table.restart()
    await table.bot.services[MaintenanceTasks].catch_up()
    await table.settled()
    assert (said(panel), buttons_of(panel)) == before


@pytest.mark.parametrize("in_thread", [True, False])
async def test_a_battle_whose_opening_is_cut_short_has_one_panel(
    table: Table, monkeypatch: pytest.MonkeyPatch, in_thread: bool
) -> None:
    with monkeypatch.context() as patch:
        noting = ThreadRepository if in_thread else PanelRepository
        patch.setattr(noting, "open" if in_thread else "set_panel", AsyncMock(side_effect=asyncio.CancelledError))
        await table.ann.slash(table.channel, "aa battle", setup=LONG, thread=in_thread)
    await table.restart()
    await table.bot.services[MaintenanceTasks].catch_up()
    await table.settled()
    line, panel = posts(table)
    assert (await unshown(table), (await stored(table)).panel_id) == ([], panel.id)
    expect_in(said(line), "The panel of #1 Axis & Allies is in [a newer message]", f"/{panel.id})")


async def test_who_follows_while_a_thread_opens_posts_no_second_panel(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def slow(*shown: Any) -> Any:  # noqa: ANN401  # as there
        line = await show_view(*shown)
        await table.bot.services[ThreadService].follow(await stored(table))
        return line

    monkeypatch.setattr("bot.battles.threads.show_view", slow)
    thread, _ = await opened(table)
    assert [len(posts(table, place)) for place in (table.channel, thread)] == [1, 1]


async def test_a_thread_that_somebody_deletes_gives_its_battle_back(table: Table) -> None:
    thread, _ = await opened(table)
    table.env.backend.delete_channel(thread.id)
    await table.env.settle()
    line, panel = posts(table, table.channel)
    expect_in(said(panel), "### #1")
    expect_in(said(line), "is in [a newer message]")
    await table.press(panel, "Next round")
    expect_in(said(panel), "round 1")


async def test_after_the_end_a_deleted_thread_leaves_the_line(table: Table) -> None:
    thread, panel = await opened(table)
    await table.fight_out(panel)
    (line,) = posts(table, table.channel)
    assert f"<@{table.ben.id}>" in said(line)
    await table.surely("privacy delete", by=table.ben)
    await table.bot.services[PanelPublisher].pending()
    await table.settled()
    assert f"<@{table.ben.id}>" not in said(line) + said(panel)
    table.env.backend.delete_channel(thread.id)
    await table.env.settle()
    await table.run("battle show", number=1)
    assert (await stored(table)).thread_id is None
    assert posts(table, table.channel)[0].id == line.id


async def test_a_thread_that_was_deleted_while_the_bot_was_away_is_no_place(table: Table) -> None:
    table.bot.remove_listener(table.bot.services[ThreadService]._deleted, "on_raw_thread_delete")
    for _ in range(2):
        thread, _ = await opened(table)
        table.env.backend.delete_channel(thread.id)
    assert said(await table.run("battle show", number=1)) == f"🧵 #1: {table.channel.mention}"
    await end(table, number=2)
    shown = [said(one).split("\n")[0] for one in posts(table, table.channel)]
    assert shown[1] == "### #2 Axis & Allies: ended, before round 1", "the line"
    assert len(shown) == 4


async def test_a_thread_that_cant_be_closed_is_let_go(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    _, panel = await opened(table)
    monkeypatch.setattr(discord.Thread, "edit", AsyncMock(side_effect=refusal(403, NO_PERMISSION)))
    await table.fight_out(panel)
    assert await table.bot.services[ThreadRepository].unclosed() == []


async def test_after_a_restart_a_thread_is_closed_that_was_to_be(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    thread, panel = await opened(table)
    with monkeypatch.context() as patch:
        patch.setattr(Followers, "wake", lambda *_: None)
        await table.press(panel, "Fight to the end")
    await table.restart()
    await table.bot.services[MaintenanceTasks].catch_up()
    await table.settled()
    assert closed(table, thread) == (True, True)


async def test_a_forums_post_is_known_before_the_channel_is_told(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """And nobody else shows its battle before: a panel in the channel would take the buttons from the one there."""
    forum, create = table.ann.guild.create_forum_channel("wars"), discord.ForumChannel.create_thread

    async def flushed_before(place: discord.ForumChannel, **options: Any) -> object:  # noqa: ANN401  # discord.py's
        await table.bot.services[PanelPublisher].pending()
        return await create(place, **options)

    told = await table.run("battle settings", by=stranger(table, manage_messages=True), threads="always", forum=forum)
    expect_in(said(told), f"a post of {forum.mention}")
    monkeypatch.setattr(discord.ForumChannel, "create_thread", flushed_before)
    monkeypatch.setattr("bot.battles.threads.show_view", AsyncMock(side_effect=refusal(404, UNKNOWN_MESSAGE)))
    await table.ann.slash(table.channel, "aa battle", setup=LONG, attacker=table.ann, defender=table.ben)
    assert posts(table, table.channel) == []
    (panel,) = posts(table, forum.threads[0])
    await table.press(panel, "Fight to the end")
    expect_in(said(panel), "wins after")
    assert "No battle is open here" in said(answer(await table.ann.slash(forum.threads[0], "battle list")))


async def test_two_who_press_at_once_make_one_post_and_one_event(table: Table) -> None:
    forum, judge = table.ann.guild.create_forum_channel("wars"), stranger(table, manage_messages=True)
    await table.run("battle settings", by=judge, threads="ask", forum=forum)
    panel = await begin(table, LONG)
    await table.run("battle clock", by=judge, turn="24 h")
    clock = await table.run("battle clock", by=judge)
    for shown, name in ((clock, "Add to the calendar"), (panel, "Move to a thread")):
        press = button(shown, name)
        await click_seen(table, seen(table, shown), (judge, press), (judge, press))
        await table.settled()
    assert (len(events(table)), len(forum.threads)) == (1, 1)


HOUR, DAY = 3600, 86400


def events(table: Table) -> list[Any]:
    """Return the server's events."""
    return list(table.env.backend.get_guild(table.ann.guild.id).scheduled_events.values())


def starts(table: Table) -> list[float]:
    """Return how many hours from the beginning of the test the events start."""
    times = [datetime.fromisoformat(one.scheduled_start_time).timestamp() for one in events(table)]
    return [(at - 1_800_000_000) / HOUR for at in times]


async def added(table: Table) -> MemberActor:
    """Begin a battle whose turns last a day, and put the end of the turn in the calendar; return the referee."""
    judge = stranger(table, manage_messages=True)
    await begun(table, LONG)
    await table.run("battle clock", by=judge, turn="24 h")
    shown = await table.run("battle clock", by=judge)
    expect_in(said(await table.pressed(shown, "Add to the calendar", by=judge)), "moves with the clock")
    return judge


async def test_a_turns_end_moves_and_ends_with_the_battle(table: Table) -> None:
    judge = await added(table)
    (event,) = events(table)
    assert starts(table) == [24]
    assert event.name == "Axis & Allies #1: this turn ends"
    assert event.entity_metadata == {
        "location": f"https://discord.com/channels/{table.ann.guild.id}/{table.channel.id}"
    }
    clock = await table.run("battle clock", by=judge)
    await table.filled(clock, "Extend this turn", {"time": "6 h"}, by=judge)
    await table.settled()
    assert starts(table) == [30]
    await table.press(clock, "Stop the clock", by=judge)
    await table.settled()
    assert events(table) == []
    table.clock.now += HOUR
    await table.press(await table.run("battle clock", by=judge), "Restart the clock", by=judge)
    await table.settled()
    assert starts(table) == [31]
    await end(table, by=judge)
    await table.settled()
    assert events(table) == []
    assert await table.bot.services[EventRepository].of_battles() == []


async def test_what_a_moderator_took_away_stays_away(table: Table) -> None:
    judge = await added(table)
    (event,) = events(table)
    table.env.backend.delete_scheduled_event(table.ann.guild.id, event.id)
    clock = await table.run("battle clock", by=judge)
    await table.filled(clock, "Extend this turn", {"time": "6 h"}, by=judge)
    await table.settled()
    assert events(table) == []
    for press, number in (("Add to the calendar", 1), ("Take off the calendar", 0)):
        await table.press(await table.run("battle clock", by=judge), press, by=judge)
        assert len(events(table)) == number, "unless it is wished anew"


async def test_a_refused_event_is_forgotten(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(discord.Guild, "create_scheduled_event", AsyncMock(side_effect=refusal(400, MOST_EVENTS)))
    with pytest.raises(AssertionError, match="Discord won't take the event"):
        await added(table)
    assert await table.bot.services[EventRepository].of_battles() == []


async def test_the_thread_and_the_night_of_a_campaign(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    await begin(table, LONG)
    await end(table)
    await table.run("campaign new", name="Siege of Konoha", battle=1)
    await table.run("campaign next", thread=True)
    (thread,) = table.channel.threads
    assert thread.name == "Siege of Konoha #2 · before round 1"
    expect_in(said(await table.run("campaign show")), f"/{thread.id}/{posts(table, thread)[-1].id}")
    now = datetime.fromtimestamp(table.clock.now, UTC)
    later = f"{(now.hour + 2) % 24}:00"
    expect_in(said(await table.run("campaign night", hour=later)), "Siege of Konoha**: <t:")
    assert [one.name for one in events(table)] == ["Siege of Konoha: campaign night"]
    for taken_away in (True, False):
        await table.run("campaign night", hour="20:00", days=3)
        (event,) = events(table)
        if taken_away:  # by a moderator
            table.env.backend.delete_scheduled_event(table.ann.guild.id, event.id)
    day = datetime.fromtimestamp(table.clock.now + 3 * DAY, UTC).date().isoformat()
    assert event.scheduled_start_time.startswith(f"{day}T20:00")
    asked = await table.pressed(await table.run("campaign show"), "End it")
    with monkeypatch.context() as patch:
        patch.setattr(Fracas, "serves", lambda *_: False)  # another process has the server
        await table.press(asked, "End it")
    assert events(table) == [event]
    await table.run("campaign new", name="Vale", game="Axis & Allies")
    await table.run("campaign night", hour="21:00")
    await table.bot.services[EventService].drop_past()
    assert [one.name for one in events(table)] == ["Vale: campaign night"]
    await table.surely("privacy delete")
    assert events(table) == []
