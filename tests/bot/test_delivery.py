"""What is sent again when the connection breaks, and what Fracas takes from the private parts of discord.py.

Each of the tests of those fails when the library changes there.
"""

import asyncio
import inspect
import io
import re
from collections.abc import Awaitable, Callable, Sequence
from types import SimpleNamespace
from typing import Any

import aiohttp
import discord
import pytest
from discord.ext import commands
from discord.http import HTTPClient, Route
from discord.webhook.async_ import AsyncWebhookAdapter, async_context

from bot import client as delivery
from bot.client import ATTEMPT_SECONDS, PAUSES, UnreachableError, make_reliable
from bot.discord_internals import OwnShardsBot, attachment_of, matches, send_through, user_of
from tests.bot.test_beacon import Slept

TOKEN_SECONDS = 15 * 60
EDIT = Route("PATCH", "/channels/{channel_id}/messages/{message_id}", channel_id=1, message_id=2)
POST = Route("POST", "/channels/{channel_id}/messages", channel_id=1)
TOKEN: Any = {"webhook_id": 7, "webhook_token": "t"}
FOLLOWUP = Route("POST", "/webhooks/{webhook_id}/{webhook_token}", **TOKEN)
ORIGINAL = Route("PATCH", "/webhooks/{webhook_id}/{webhook_token}/messages/@original", **TOKEN)
CALLBACK = Route("POST", "/interactions/{webhook_id}/{webhook_token}/callback", **TOKEN)
REFUSED = aiohttp.ClientConnectorError(SimpleNamespace(host="discord", port=443, ssl=True), OSError(111, "refused"))  # type: ignore[arg-type]  # only what its text needs
BREAKS = (ConnectionResetError(104, "reset"), aiohttp.ServerDisconnectedError(), TimeoutError(), REFUSED)


class Server:
    """Answers requests with what is in `answers`, one after the other: an exception is raised, None never comes."""

    def __init__(self, *answers: object) -> None:
        self.answers = list(answers)
        self.bodies: list[bytes] = []
        self.looks: list[object] = []

    async def send(self, *_: object, files: Sequence[discord.File] | None = None, **options: object) -> object:
        """Read the files to their end, as discord.py does, and answer."""
        self.looks.append(options.get("json"))
        self.bodies += [file.fp.read() for file in files or ()]
        answer = self.answers.pop(0)
        if answer is None:
            await asyncio.Event().wait()
        if isinstance(answer, Exception):
            raise answer
        return answer


@pytest.fixture
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Return the pauses that were made, none of which takes time."""
    monkeypatch.setattr(delivery, "asyncio", slept := Slept())
    return slept.pauses


async def send(server: Server, route: Route, files: Sequence[discord.File] | None = None) -> object:
    if route.webhook_id is None:
        return await delivery._request(server.send, route, files=files)
    session: Any = None
    return await delivery._answer({7}.__contains__, server.send, route, session, files=files)


@pytest.mark.parametrize("broken", BREAKS, ids=repr)
@pytest.mark.parametrize("route", [EDIT, POST, ORIGINAL, CALLBACK], ids=lambda route: route.key)
async def test_what_does_nothing_twice_is_sent_again(slept: list[float], route: Route, broken: Exception) -> None:
    server = Server(broken, broken, "done")
    assert await send(server, route, [discord.File(io.BytesIO(b"picture"), "a.png")]) == "done"
    assert server.bodies == [b"picture"] * 3, "from its beginning"
    assert slept == list(PAUSES[:2])


@pytest.mark.usefixtures("slept")
@pytest.mark.parametrize("broken", BREAKS, ids=repr)
async def test_a_followup_is_sent_again_only_if_it_never_left(broken: Exception) -> None:
    server = Server(broken, "done")
    if broken is REFUSED:
        assert await send(server, FOLLOWUP) == "done"
    else:
        with pytest.raises(UnreachableError):
            await send(server, FOLLOWUP)
        assert server.answers == ["done"]


async def test_it_gives_up_well_before_an_interaction_ends(slept: list[float]) -> None:
    with pytest.raises(UnreachableError):
        await send(Server(*[TimeoutError()] * (len(PAUSES) + 1)), EDIT)
    assert slept == list(PAUSES)
    assert sum(PAUSES) + (len(PAUSES) + 1) * ATTEMPT_SECONDS < TOKEN_SECONDS / 4


async def test_an_attempt_that_hangs_is_given_up(monkeypatch: pytest.MonkeyPatch, slept: list[float]) -> None:
    monkeypatch.setattr(delivery, "CALLBACK_SECONDS", 0.01)
    assert await send(Server(None, "done"), CALLBACK) == "done"
    assert len(slept) == 1


def refusal(status: int, code: int, why: str = "") -> discord.HTTPException:
    response: Any = SimpleNamespace(status=status, reason="")
    return discord.HTTPException(response, {"code": code, "message": why})


async def test_what_has_an_emoji_that_discord_refuses_goes_without(monkeypatch: pytest.MonkeyPatch) -> None:
    own: list[Any] = []
    monkeypatch.setattr(delivery, "send_through", lambda _, *sends: own.extend(sends))
    http: Any = None
    make_reliable(
        http, {7}.__contains__, lambda given: given | {"json": "dressed"}, lambda given: given | {"json": "plain"}
    )
    for route, by, session in ((EDIT, own[0], []), (CALLBACK, own[1], [None])):
        server = Server(refusal(400, 50035, "In components.0.emoji.id: Invalid emoji"), refusal(400, 50035, "Another"))
        with pytest.raises(discord.HTTPException, match="Another"):
            await by(server.send, route, *session, files=[discord.File(io.BytesIO(b"picture"), "a.png")])
        assert (server.looks, server.bodies) == (["dressed", "plain"], [b"picture"] * 2)


@pytest.mark.usefixtures("slept")
@pytest.mark.parametrize("before", [[], [ConnectionResetError()]], ids=["by discord.py", "here"])
async def test_what_discord_took_counts_though_its_answer_was_lost(before: list[Exception]) -> None:
    """It refuses the repetition with 40060, whoever repeated it."""
    assert await send(Server(*before, refusal(400, 40060)), CALLBACK) == {"interaction": {"id": 7}}


@pytest.mark.parametrize("code", [40060, 10062])
async def test_a_refusal_is_not_repeated(code: int) -> None:
    other = Route("POST", CALLBACK.path, **TOKEN | {"webhook_id": 8})
    with pytest.raises(discord.HTTPException) as refused:
        await send(Server(refusal(400, code), "done"), other if code == 40060 else CALLBACK)
    assert refused.value.code == code


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
    for _ in range(2):  # the second client takes the place of the first: a thousand must not wrap each other
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
