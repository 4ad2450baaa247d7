"""A battle's thread: opened with it or by a press, named, found from both sides, closed; what is missing, and deletion."""

import discord
import pytest
from simcord import ChannelHandle, MemberActor, ResponseMessage

from bot.battles.followers import Followers
from bot.battles.threads import RENAME_SECONDS
from tests.bot.battles.fights import begin, end, stored
from tests.bot.conftest import Table, answer, buttons_of, expect_in, said, text_of


async def settled(table: Table) -> None:
    await table.bot.services[Followers].settled()


def manager(table: Table) -> MemberActor:
    """Let somebody come who may manage messages."""
    role = table.ann.guild.create_role("manager", permissions=discord.Permissions(manage_messages=True))
    return table.ann.guild.add_member(table.env.create_user("max"), roles=[role])


async def opened(table: Table, **options: object) -> ChannelHandle:
    """Open a battle in a thread of its own, and return the thread."""
    await begin(table, "60 inf vs 60 inf", **{"thread": True} | options)
    await settled(table)
    return table.channel.threads[-1]


def posts(table: Table, channel: ChannelHandle) -> list[ResponseMessage]:
    """Return what everybody sees in a channel."""
    backend = table.env.backend
    return [ResponseMessage(table.env, backend.get_message(channel.id, one.id)) for one in channel.history()]


async def test_a_thread(table: Table) -> None:
    thread = await opened(table)
    print(thread.name, [said(m) for m in posts(table, table.channel)], [said(m) for m in posts(table, thread)])
    panel = posts(table, thread)[-1]
    await table.press(panel, "Next round")
    table.clock.now += RENAME_SECONDS
    await table.press(panel, "Next round")
    await settled(table)
    print(thread.name, [said(m) for m in posts(table, table.channel)])
    print(said(await table.run("battle list")))
    print(said(answer(await table.ann.slash(thread, "battle list"))))
    await table.press(panel, "Fight to the end")
    await settled(table)
    print(thread.name, thread._channel.thread_metadata, [said(m) for m in posts(table, table.channel)])
    print(buttons_of(posts(table, table.channel)[-1], house=True))
    assert 0
