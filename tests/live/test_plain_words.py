"""Messages to the bot, and the menus of messages and people, over the wire."""

import asyncio
import contextlib
from pathlib import Path

import pytest

from tests.live.conftest import Bots, Live, open_discord, start_bot
from tests.live.wire import CHANNEL, Fault
from tests.live.world import Channel, Json, Message

pytestmark = [pytest.mark.live, pytest.mark.asyncio(loop_scope="session")]

BATTLE = "6 tanks vs 10 inf"


def me(live: Live) -> str:
    return f"<@{live.discord.app.id}>"


async def replies(live: Live, message: Message, count: int = 1) -> list[Message]:
    """Wait until so many replies to a message are there, and return them."""

    def found() -> list[Message]:
        return [one for one in live.discord.posted(message.channel) if one.replies_to == message.id]

    await live.discord.until(lambda: len(found()) >= count)
    return found()


async def settled(live: Live) -> None:
    """Wait until the bot has dealt with all that it was told."""
    await live.ann.slash("about")


async def test_a_mention_is_answered_in_a_reply(live: Live) -> None:
    asked = await live.ann.say(f"{me(live)} so, what about {BATTLE}?")
    (reply,) = await replies(live, asked)
    assert "6 tanks" in reply.text
    assert reply.files, "with its picture"
    turned = await live.ann.press(reply, "▶️")
    assert turned.message is reply
