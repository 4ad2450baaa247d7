"""The digest: one direct message a day about the battles that wait for somebody, for who wants it."""

import asyncio

import discord
import pytest
from simcord import MemberActor
from simcord.backend.models.channel import Overwrite
from simcord.enums import OverwriteType

from bot.battles.timetable import next_daily
from bot.battles.waiting import Digests
from bot.store.people import DigestRepository
from tests.bot.battles.fights import begin, tick
from tests.bot.conftest import Table, answer, expect_in, text_of

pytestmark = pytest.mark.usefixtures("fixed_dice")

HOUR, DAY = 3600, 24 * 3600
NOON = 1_800_000_000 + 4 * HOUR
"""Four hours after tests begin, 12:00 UTC."""


async def wanted(table: Table, hour: str = "12:00", zone: str = "UTC") -> str:
    """Have Ann choose an hour, and return the answer."""
    return text_of(await table.run("battle waiting", daily=hour, zone=zone))


async def sent(table: Table, at: float) -> list[discord.Message]:
    """Let the bot look at its clocks at a time, and return all direct messages to Ann so far."""
    table.clock.now = at
    await tick(table)
    return list(table.ann.user.dm_channel.history())


async def test_it_comes_once_a_day_when_something_waits(table: Table) -> None:
    expect_in(await wanted(table), "at **12:00** (UTC)", f"next <t:{NOON}:R>", "`/battle waiting daily:none`")
    assert await tick(table) == 4 * HOUR
    assert not await sent(table, NOON), "nothing waits"
    panel = await begin(table)
    assert not await sent(table, NOON + HOUR), "today's is over"
    assert len(await sent(table, NOON + DAY)) == 1
    await table.restart()
    (message,) = await sent(table, NOON + 2 * DAY - 1)
    link = f"[#1](https://discord.com/channels/{table.ann.guild.id}/{table.channel.id}/{panel.id})"
    expect_in(str(message.components), "A battle waits for you", f"{link} Axis & Allies", f"in <#{table.channel.id}>")
    assert len(await sent(table, NOON + 2 * DAY)) == 2


async def test_two_processes_send_one(table: Table) -> None:
    await wanted(table)
    await begin(table)
    table.clock.now = NOON
    await asyncio.gather(*(Digests(table.bot).run() for _ in range(3)))
    assert len(table.ann.user.dm_channel.history()) == 1


async def test_another_hour_brings_no_second_one_that_day_and_one_after_an_outage_is_late(table: Table) -> None:
    await begin(table)
    await wanted(table)
    await sent(table, NOON + 8 * HOUR)
    await wanted(table, "none")
    expect_in(text_of(await table.run("battle waiting", zone="UTC")), "Once a day as a direct message")
    expect_in(await wanted(table, "21:00"), f"next <t:{NOON + DAY + 9 * HOUR}:R>")
    assert len(await sent(table, NOON + DAY)) == 1


async def test_without_a_zone_it_keeps_to_the_one_before_or_to_the_server_s(table: Table, judge: MemberActor) -> None:
    expect_in(text_of(await table.run("battle waiting", zone="UTC")), "Once a day as a direct message")
    await table.run("battle settings", by=judge, zone="Asia/Tokyo")
    expect_in(text_of(await table.run("battle waiting", daily="12:00")), "at **12:00** (Asia/Tokyo)")
    await wanted(table, zone="Europe/Berlin")
    for told in (await table.run("battle waiting", daily="8 pm"), await table.run("battle waiting")):
        expect_in(text_of(told), "at **20:00** (Europe/Berlin)")


def test_an_hour_of_a_zone_keeps_to_summer_time() -> None:
    saturday = 1_806_169_600 + 2 * HOUR
    before, after = (next_daily("Europe/Berlin", 8 * 60, at, None) for at in (saturday - DAY, saturday + DAY))
    assert (after - before) % DAY == DAY - HOUR


async def test_its_button_ends_it_and_so_does_the_command(table: Table) -> None:
    await wanted(table, zone="Europe/Berlin")
    await begin(table)
    (message,) = await sent(table, NOON)
    told = await table.ann.user.click(message, custom_id="w1:off")
    expect_in(text_of(answer(told)), "You get no more of these")
    assert len(await sent(table, NOON + 2 * DAY)) == 1
    assert await table.bot.services[DigestRepository].of(table.ann.id) is None, "forgotten by then"
    await wanted(table)
    expect_in(await wanted(table, "none"), "You get no daily message")
    assert len(await sent(table, NOON + 3 * DAY)) == 1


async def test_closed_direct_messages_stop_it_with_a_word(table: Table) -> None:
    await wanted(table)
    await begin(table)
    table.env.inject_error("POST", f"/channels/{table.ann.user.dm_channel.id}/messages", status=403, code=50007)
    assert not await sent(table, NOON)
    assert not await sent(table, NOON + DAY)
    word = "📭 Your daily message has stopped: Discord doesn't let me write to you."
    expect_in(text_of(await table.run("battle waiting")), word)
    assert word not in text_of(await table.run("battle waiting", by=table.ben))
    await wanted(table)
    assert len(await sent(table, NOON + 2 * DAY)) == 1


@pytest.mark.parametrize("gone", ["channel", "server"])
async def test_it_tells_nothing_of_channels_that_one_no_longer_sees(table: Table, gone: str) -> None:
    await wanted(table)
    await begin(table)
    if gone == "server":
        table.ann.guild.remove_member(table.ann)
    else:
        hidden = Overwrite(table.ann.guild.default_role.id, OverwriteType.ROLE, deny=1 << 10)
        table.env.backend.set_overwrite(table.channel.id, hidden)
    await table.env.settle()
    assert not await sent(table, NOON)
