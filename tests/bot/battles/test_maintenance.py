"""What happens without being asked, and what a referee changes.

Idle battles are closed, old ones forgotten, listeners hear of ended ones; presses come late, time is lost, people are
forgotten. What everybody sees of clocks and seats is in the snapshots. The digest comes to who wants it: one direct
message a day about the battles that wait for them.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from itertools import product
from unittest.mock import AsyncMock

import discord
import pytest
from simcord import MemberActor
from simcord.backend.models.channel import Overwrite
from simcord.enums import OverwriteType

from bot.app import TICK_SECONDS
from bot.battles import BattleService
from bot.battles.followers import EndedBattles, EndedListener
from bot.battles.maintenance import AGAIN_SECONDS, MaintenanceTasks
from bot.battles.publisher import PanelPublisher
from bot.battles.waiting import send_digests
from bot.store.battle import Battle
from bot.store.battles import BattleRepository
from bot.store.database import Database
from bot.store.people import DigestRepository
from sim.core import RuleError
from sim.core.journal import Kind
from tests.bot.battles.fights import (
    begin,
    begun,
    click_seen,
    end,
    errors,
    kinds,
    seen,
    set_clock,
    steps_after,
    stored,
    stranger,
    tick,
    unshown,
    write,
)
from tests.bot.breaks import Wire
from tests.bot.conftest import Table, answer, button, buttons_of, expect_in, text_of

pytestmark = pytest.mark.usefixtures("fixed_dice")


async def test_a_press_from_before_the_clock_counts_and_one_that_stopped_by_itself_goes_on_once(
    table: Table, judge: MemberActor
) -> None:
    panel = await begin(table, "20 inf vs 20 inf")
    old, custom_id = seen(table, panel), button(panel, "Next round")
    await set_clock(table, judge, turn="1 h")
    await click_seen(table, old, (table.ann, custom_id))
    assert (await stored(table)).steps == 1
    await steps_after(table, 3600)
    await tick(table)
    old, custom_id = seen(table, panel), button(panel, "Go on")
    await click_seen(table, old, (table.ben, custom_id), (table.ann, custom_id))
    assert await kinds(table) == [Kind.CLOCK, Kind.STEP, Kind.CLOCK, Kind.STEP, Kind.CLOCK, Kind.CLOCK]


async def test_the_bot_looks_at_clocks_at_the_second_when_they_are_due_and_where_that_fails_a_minute_later(
    table: Table, judge: MemberActor, monkeypatch: pytest.MonkeyPatch
) -> None:
    await begin(table)
    await table.bot.tick()
    assert table.bot.tick.seconds == TICK_SECONDS
    await set_clock(table, judge, turn="1 min")
    table.clock.now += 48
    await table.bot.tick()
    assert table.bot.tick.seconds == 12
    table.clock.now += 12
    busy = AsyncMock(side_effect=RuleError("All workers are busy."))
    with monkeypatch.context() as patched:
        patched.setattr(table.bot.services[BattleService], "time_out", busy)
        assert await tick(table) == AGAIN_SECONDS
    await table.bot.tick()
    assert (await stored(table)).steps == 0
    table.clock.now += AGAIN_SECONDS
    await table.bot.tick()
    assert (await stored(table)).steps == 1


async def test_the_time_in_which_the_bot_was_down_or_discord_out_of_reach_is_given_back(
    table: Table, judge: MemberActor, monkeypatch: pytest.MonkeyPatch
) -> None:
    panel = await begin(table)
    await set_clock(table, judge, turn="2 h")
    due = int(table.clock.now) + 2 * 3600
    table.clock.now += 3600
    await table.restart(away=3 * 3600)
    await table.bot.services[MaintenanceTasks].catch_up()
    expect_in(text_of(panel), f"⏰ Time is up <t:{due + 3 * 3600}:R>", "The bot was away for 3 hours of this turn")
    with monkeypatch.context() as patched:
        patched.setattr(type(table.bot), "connected", False)
        for _ in range(2):
            assert await steps_after(table, 3600) == 0
    await table.bot.services[MaintenanceTasks].catch_up()
    due += 5 * 3600
    expect_in(text_of(panel), f"⏰ Time is up <t:{due}:R>", "The bot was away for 5 hours of this turn")
    assert await steps_after(table, due - table.clock.now) == 1
    assert "The bot was away" not in text_of(panel), "the next turn has all its time"


async def test_channels_that_the_asker_can_not_see_are_left_out(table: Table) -> None:
    guild = table.ann.guild
    hidden = guild.create_text_channel(
        "hidden", overwrites={guild.default_role: discord.PermissionOverwrite(view_channel=False)}
    )
    judge = stranger(table, administrator=True)
    await judge.slash(hidden, "aa battle", setup="6 tanks vs 10 inf", attacker=judge, defender=table.ann)
    assert str(hidden.id) in text_of(await table.run("battle waiting", by=judge))
    listed = text_of(await table.run("battle waiting"))
    assert listed.startswith("No battle is waiting here. `/battle list` shows those of this channel.\n")


@pytest.mark.parametrize("breaks", [False, True])
async def test_a_log_that_can_not_be_posted_keeps_nothing_else_from_being_done(
    table: Table, wire: Wire, caplog: pytest.LogCaptureFixture, breaks: bool
) -> None:
    """Nor is one posted twice that may have arrived: the connection breaks, also at the first panel."""
    await begun(table)
    second = await begun(table)
    table.clock.pass_days(31)
    if breaks:
        wire.cut("PATCH", "/channels/*", times=5)
        wire.cut("POST", "/channels/*/messages")
    else:
        table.env.inject_error("POST", "/channels/*/messages", status=403, code=50001, times=1)
    await table.bot.services[MaintenanceTasks].clear()
    assert [(await stored(table, number)).status for number in (1, 2)] == ["ended", "ended"]
    assert buttons_of(second) == []
    assert table.channel.last_message is not None
    assert table.channel.last_message.content.startswith("#2 ")
    assert (await unshown(table), errors(caplog)) == ([1], [])


async def test_what_is_due_is_done_at_the_start(table: Table) -> None:
    await begun(table)
    table.clock.pass_days(31)
    await table.restart()
    await table.env.settle()
    assert (await stored(table)).status == "ended"


async def test_a_server_that_removed_the_bot_while_it_was_away_is_forgotten_and_none_where_it_was_never_a_member(
    table: Table,
) -> None:
    """People may use it there as an app of their own."""
    for _ in range(2):
        await begun(table)
    await write(table, "UPDATE battles SET guild_id = 6 WHERE number = 2")
    await table.bot.services[MaintenanceTasks].clear()
    guild_id = table.ann.guild.id
    emit = table.env.backend.emit
    table.env.backend.emit = lambda *_: None  # type: ignore[method-assign]  # the bot hears nothing of it
    table.env.backend.remove_guild(guild_id)
    table.env.backend.emit = emit  # type: ignore[method-assign]  # as it was
    await table.restart()
    await table.env.settle()
    assert not list(table.bot.guilds)
    table.clock.pass_days(31)
    await table.bot.services[MaintenanceTasks].clear()
    kept = await table.bot.services[Database].fetch_all("SELECT number FROM battles")
    assert [row["number"] for row in kept] == [2]


@pytest.mark.parametrize("while_away", [True, False])
async def test_a_server_that_has_the_bot_again_is_not_forgotten(table: Table, while_away: bool) -> None:
    await begun(table)
    guild = table.bot.guilds[0]
    await table.bot.on_guild_remove(guild)
    if while_away:
        await table.restart()  # it is among the servers of the start
        await table.env.settle()
    else:
        await table.bot.on_guild_join(guild)
        assert await table.bot.services[Database].fetch_all("SELECT * FROM guilds_left") == []
    table.clock.pass_days(31)
    await table.bot.services[MaintenanceTasks].clear()
    assert await table.bot.services[BattleRepository].by_number(table.channel.id, 1) is not None


async def test_a_failing_round_of_keeping_does_not_end_the_rounds(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    failing = AsyncMock(side_effect=OSError("the disk is full"))
    monkeypatch.setattr(table.bot.services[PanelPublisher], "pending", failing)
    await table.bot.flush_outbox()
    failing.assert_awaited_once()
    assert table.bot.flush_outbox.is_running()


@dataclass(eq=False)
class Listener(EndedListener):
    """Knows which battles there are to hear of, and notes which it heard of; it fails as often as it is told to."""

    closed: Callable[[], Awaitable[list[int]]]
    heard: list[Battle] = field(default_factory=list)
    failures: int = 0

    async def missing(self) -> list[int]:
        known = {battle.id for battle in self.heard}
        return [battle_id for battle_id in await self.closed() if battle_id not in known]

    async def ended(self, battle: Battle) -> None:
        if self.failures:
            self.failures -= 1
            raise ValueError("this battle is too much for me")
        self.heard.append(battle)


def listen(table: Table) -> Listener:
    async def closed() -> list[int]:
        rows = await table.bot.services[Database].fetch_all("SELECT id FROM battles WHERE status <> 'open'")
        return [row["id"] for row in rows]

    listener = Listener(closed)
    table.bot.services[EndedBattles].add(listener)
    return listener


async def test_a_listener_hears_of_each_end_once_whatever_another_one_does(table: Table) -> None:
    """By its last step, by a person, by the bot."""
    failing, listener = listen(table), listen(table)
    failing.failures = 1
    panel = await begin(table)
    assert listener.heard == []
    await table.fight_out(panel)
    assert (await stored(table)).status == "finished"
    assert "wins after" in text_of(panel)
    assert (len(failing.heard), len(listener.heard)) == (0, 1)
    await table.bot.services[MaintenanceTasks].catch_up()
    await table.settled()
    assert len(failing.heard) == 1
    await begin(table)
    await end(table)
    await begin(table)
    table.clock.pass_days(31)
    await table.bot.services[MaintenanceTasks].clear()
    await table.settled()
    assert [(battle.number, battle.is_open) for battle in listener.heard] == [(1, False), (2, False), (3, False)]


async def test_who_wakes_it_as_its_work_ends_is_heard(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    ended, loop = table.bot.services[EndedBattles], asyncio.get_running_loop()
    follow = AsyncMock(side_effect=(loop.call_soon(what, 1) for what in (ended.wake, int)))
    monkeypatch.setattr(listen(table), "follow", follow)
    await begin(table)
    ended.wake(1)
    await table.settled()
    assert follow.await_count == 2


async def test_a_battle_is_told_of_though_its_channel_is_out_of_reach(table: Table) -> None:
    listener = listen(table)
    panel = await begin(table)
    for method, path in product(("PATCH", "POST"), ("/webhooks/*", "/channels/*")):
        table.env.inject_error(method, path, status=403, code=50001, times=3)
    await table.fight_out(panel)
    assert [battle.number for battle in listener.heard] == [1]


HOUR, DAY = 3600, 24 * 3600
NOON = 1_800_000_000 + 4 * HOUR
"""Four hours after tests begin, 12:00 UTC."""


async def digest(table: Table, hour: str = "12:00", zone: str = "UTC") -> str:
    """Have Ann choose an hour, and return the answer."""
    return text_of(await table.run("battle waiting", daily=hour, zone=zone))


async def sent(table: Table, at: float) -> list[discord.Message]:
    """Let the bot look at its clocks at a time, and return all direct messages to Ann so far."""
    table.clock.now = at
    await tick(table)
    return list(table.ann.user.dm_channel.history())


async def test_it_comes_once_a_day_when_something_waits(table: Table) -> None:
    expect_in(await digest(table), "at **12:00** (UTC)", f"next <t:{NOON}:R>", "`/battle waiting daily:none`")
    assert await tick(table) == 4 * HOUR
    assert not await sent(table, NOON), "nothing waits"
    panel = await begin(table)
    assert not await sent(table, NOON + HOUR), "today's is over"
    table.clock.now = NOON + DAY
    await asyncio.gather(*(send_digests(table.bot) for _ in range(3)))  # as of several processes
    assert len(table.ann.user.dm_channel.history()) == 1
    await table.restart()
    (message,) = await sent(table, NOON + 2 * DAY - 1)
    link = f"[#1](https://discord.com/channels/{table.ann.guild.id}/{table.channel.id}/{panel.id})"
    expect_in(str(message.components), "A battle waits for you", f"{link} Axis & Allies", f"in <#{table.channel.id}>")
    assert len(await sent(table, NOON + 2 * DAY)) == 2


async def test_another_hour_brings_no_second_one_that_day_and_one_after_an_outage_is_late(table: Table) -> None:
    await begin(table)
    await digest(table)
    await sent(table, NOON + 8 * HOUR)
    await digest(table, "none")
    expect_in(text_of(await table.run("battle waiting", zone="UTC")), "Once a day as a direct message")
    expect_in(await digest(table, "21:00"), f"next <t:{NOON + DAY + 9 * HOUR}:R>")
    assert len(await sent(table, NOON + DAY)) == 1


async def test_without_a_zone_it_keeps_to_the_one_before_or_to_the_server_s(table: Table, judge: MemberActor) -> None:
    await table.run("battle settings", by=judge, zone="Asia/Tokyo")
    expect_in(text_of(await table.run("battle waiting", daily="12:00")), "at **12:00** (Asia/Tokyo)")
    await digest(table, zone="Europe/Berlin")
    for told in (await table.run("battle waiting", daily="8 pm"), await table.run("battle waiting")):
        expect_in(text_of(told), "at **20:00** (Europe/Berlin)", f"next <t:{NOON + 7 * HOUR}:R>")


async def test_its_button_ends_it_and_so_does_the_command(table: Table) -> None:
    await digest(table, zone="Europe/Berlin")
    await begin(table)
    (message,) = await sent(table, NOON)
    told = await table.ann.user.click(message, custom_id="w1:off")
    expect_in(text_of(answer(told)), "You get no more of these")
    assert len(await sent(table, NOON + 2 * DAY)) == 1
    assert await table.bot.services[DigestRepository].of(table.ann.id) is None, "forgotten by then"
    await digest(table)
    expect_in(await digest(table, "none"), "You get no daily message")
    assert len(await sent(table, NOON + 3 * DAY)) == 1


async def test_closed_direct_messages_stop_it_with_a_word(table: Table) -> None:
    await digest(table)
    await begin(table)
    table.env.inject_error("POST", f"/channels/{table.ann.user.dm_channel.id}/messages", status=403, code=50007)
    assert not await sent(table, NOON)
    assert not await sent(table, NOON + DAY)
    word = "📭 Your daily message has stopped: Discord doesn't let me write to you."
    expect_in(text_of(await table.run("battle waiting")), word)
    assert word not in text_of(await table.run("battle waiting", by=table.ben))
    await digest(table)
    assert len(await sent(table, NOON + 2 * DAY)) == 1


@pytest.mark.parametrize("gone", ["channel", "server"])
async def test_it_tells_nothing_of_channels_that_one_no_longer_sees(table: Table, gone: str) -> None:
    await digest(table)
    await begin(table)
    if gone == "server":
        table.ann.guild.remove_member(table.ann)
    else:
        hidden = Overwrite(table.ann.guild.default_role.id, OverwriteType.ROLE, deny=1 << 10)
        table.env.backend.set_overwrite(table.channel.id, hidden)
    await table.env.settle()
    assert not await sent(table, NOON)
