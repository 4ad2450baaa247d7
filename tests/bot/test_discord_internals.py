"""What Fracas takes from the private parts of discord.py: each of these tests fails when the library changes there."""

import asyncio
import inspect
import re
from collections.abc import Awaitable, Callable
from types import SimpleNamespace
from typing import Any

import discord
import pytest
from discord.ext import commands
from discord.http import HTTPClient
from discord.webhook.async_ import AsyncWebhookAdapter, async_context

from bot.discord_internals import OwnShardsBot, attachment_of, matches, send_through, user_of


class Again(discord.ui.DynamicItem[discord.ui.Button[Any]], template=r"again:(?P<number>[0-9]+)"):
    """A button that works after a restart."""


@pytest.fixture
def bot() -> OwnShardsBot:
    return OwnShardsBot(command_prefix=commands.when_mentioned, intents=discord.Intents.none())


async def test_discord_py_finds_our_shards_and_closes_them(bot: OwnShardsBot) -> None:
    closed: list[int] = []

    class Shard:
        ws = SimpleNamespace(latency=0.25)

        async def close(self) -> None:
            closed.append(1)

    bot.use_shards({0: Shard(), 2: Shard()}, 4)
    assert (bot.shard_count, bot.latencies) == (4, [(0, 0.25), (2, 0.25)])
    async with bot:
        pass
    assert closed == [1, 1]


async def test_a_server_that_is_not_listed_any_more_is_left(bot: OwnShardsBot) -> None:
    state: Any = bot._connection
    left: list[int] = []
    state.dispatch = lambda name, *found: left.extend(each.id for each in found if name == "guild_remove")
    bot.use_shards({0: SimpleNamespace()}, 1)
    for number in (1, 2):
        state._add_guild(discord.Guild(data={"id": str(number)}, state=state))  # type: ignore[typeddict-item]  # enough
    ready = {"shard": [0, 1], "guilds": [{"id": "2", "unavailable": True}]}
    state.parse_ready({**ready, "user": USER, "application": {"id": "9", "flags": 0}})
    assert left == [1]
    assert [guild.id for guild in bot.guilds] == [2]


USER = {"id": "7", "username": "Fracas", "discriminator": "0", "avatar": None}


async def test_requests_and_answers_go_through_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[str] = []

    def told(name: str) -> Callable[..., Awaitable[Any]]:
        async def send(own: Callable[..., Awaitable[Any]], *_: object, **__: object) -> list[Any]:
            sent.append(f"{name} by {own.__name__}")
            return []

        return send

    adapter: Any = AsyncWebhookAdapter()  # type: ignore[no-untyped-call]  # discord.py's
    monkeypatch.setattr("discord.webhook.async_.async_context", SimpleNamespace(get=lambda: adapter))
    monkeypatch.setattr("bot.discord_internals.async_context", SimpleNamespace(get=lambda: adapter))
    for _ in range(2):  # the second client takes the place of the first
        http = HTTPClient(asyncio.get_running_loop())
        send_through(http, told("request"), told("answer"))
    await http.get_guilds(1)
    params: Any = SimpleNamespace(multipart=None, files=None, payload=None)
    await adapter.create_interaction_response(1, "token", session=None, params=params)
    assert sent == ["request by request", "answer by request"]


def test_both_are_sent_as_before() -> None:
    assert [*inspect.signature(HTTPClient.request).parameters][:3] == ["self", "route", "files"]
    assert [*inspect.signature(AsyncWebhookAdapter.request).parameters][:3] == ["self", "route", "session"]
    assert isinstance(async_context.get(), AsyncWebhookAdapter)


def test_the_template_of_a_persistent_item() -> None:
    assert isinstance(Again.__discord_ui_compiled_template__, re.Pattern)
    assert matches([Again], "again:12")
    assert not matches([Again], "again:12x")


def test_what_came_with_a_form(bot: OwnShardsBot) -> None:
    press: Any = SimpleNamespace(_state=bot._connection)
    assert "_state" in discord.Interaction.__slots__
    file = attachment_of(press, {"id": "3", "filename": "a.csv", "size": 1, "url": "u", "proxy_url": "p"})
    assert (file.id, file.filename) == (3, "a.csv")
    assert user_of(press, USER).id == 7
