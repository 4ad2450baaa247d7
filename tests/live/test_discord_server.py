"""The small Discord keeps Discord's rules, or the tests that rely on it would show nothing."""

from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest
import pytest_asyncio

from tests.live import rest
from tests.live.discord_server import LittleDiscord
from tests.live.wire import CALLBACK, Fault
from tests.live.world import COMMAND, DEFERRED, EPHEMERAL, MESSAGE, Exchange, Json

pytestmark = [pytest.mark.live, pytest.mark.asyncio(loop_scope="session")]

QUIET: Json = {"allowed_mentions": {"parse": []}}


class Client:
    """Sends requests as the bot does."""

    def __init__(self, discord: LittleDiscord, session: aiohttp.ClientSession) -> None:
        self.discord = discord
        self._session = session

    def asked(self) -> Exchange:
        """Let somebody ask something."""
        player = self.discord.player("ann")
        exchange = Exchange(COMMAND, player.user, player.channel, {})
        self.discord.api.began(exchange)
        return exchange

    async def send(self, method: str, path: str, body: Json | None = None) -> tuple[int, Any]:
        """Return the status, and the code of an error or else the body."""
        address = self.discord.addresses[0] + path
        async with self._session.request(method, address, json=body) as response:
            answer: Any = None if response.status == 204 else await response.json()
            return response.status, answer["code"] if response.status >= 400 else answer

    async def answer(self, exchange: Exchange, kind: int, data: Json | None = None) -> tuple[int, Any]:
        body: Json = {"type": kind} | ({} if data is None else {"data": data})
        return await self.send("POST", f"/interactions/{exchange.id}/{exchange.token}/callback", body)

    def webhook(self, exchange: Exchange) -> str:
        return f"/webhooks/{self.discord.app.id}/{exchange.token}"


@pytest_asyncio.fixture(loop_scope="session")
async def client() -> AsyncIterator[Client]:
    discord = LittleDiscord()
    await discord.start()
    async with aiohttp.ClientSession() as session:
        yield Client(discord, session)
    await discord.close()


async def test_an_interaction_is_acknowledged_once_and_within_three_seconds(client: Client) -> None:
    asked = client.asked()
    assert await client.answer(asked, DEFERRED) == (204, None)
    assert await client.answer(asked, DEFERRED) == (400, rest.ACKNOWLEDGED)
    asked = client.asked()
    client.discord.api.skew += 3.1
    assert await client.answer(asked, DEFERRED) == (404, rest.UNKNOWN_INTERACTION)


async def test_a_token_lasts_fifteen_minutes(client: Client) -> None:
    asked = client.asked()
    edit = ("PATCH", client.webhook(asked) + "/messages/@original", {"content": "x"} | QUIET)
    assert await client.send(*edit) == (404, rest.UNKNOWN_WEBHOOK)
    await client.answer(asked, DEFERRED)
    assert (await client.send(*edit))[0] == 200
    client.discord.api.skew += 900.1
    assert await client.send(*edit) == (401, rest.TOKEN_EXPIRED)


async def test_the_first_followup_after_a_defer_edits_the_message_that_says_the_bot_thinks(client: Client) -> None:
    asked = client.asked()
    await client.answer(asked, DEFERRED, {"flags": EPHEMERAL})
    for text in ("one", "two"):
        await client.send("POST", client.webhook(asked), {"content": text} | QUIET)
    assert (asked.message.text, asked.message.private) == ("one", True)
    assert [message.text for message in asked.followups] == ["two"]


async def test_only_the_token_reaches_a_private_message_and_any_message_where_the_bot_is_no_member(
    client: Client,
) -> None:
    asked = client.asked()
    await client.answer(asked, MESSAGE, {"content": "x", "flags": EPHEMERAL} | QUIET)
    place = f"/channels/{asked.channel.id}/messages/{asked.message.id}"
    assert await client.send("PATCH", place, {"content": "y"} | QUIET) == (404, rest.UNKNOWN_MESSAGE)
    asked = client.asked()
    asked.channel.reachable = False
    post = await client.send("POST", f"/channels/{asked.channel.id}/messages", {"content": "x"} | QUIET)
    assert post == (403, rest.NO_ACCESS)
    assert (await client.answer(asked, MESSAGE, {"content": "x"} | QUIET))[0] == 204


@pytest.mark.parametrize(
    "data",
    [
        {"content": "x" * 2001},
        {"content": "😀" * 1001},
        {"content": "@everyone", "allowed_mentions": None},
        {"components": [{"type": 10, "content": "x"}]},
        {"components": [{"type": 10, "content": "x"}] * 41, "flags": 32768},
        {"components": [{"type": 10, "content": "x" * 2001}] * 2, "flags": 32768},
        {"components": [{"type": 1, "components": [{"type": 2, "style": 1, "label": "x" * 81, "custom_id": "x"}]}]},
        {"components": [{"type": 1, "components": [{"type": 2, "style": 1, "label": "x", "custom_id": "x"}] * 2}]},
        {"content": "x", "attachments": [{"id": "0", "filename": "a.txt"}]},
        {"components": [{"type": 12, "items": [{"media": {"url": "attachment://a.png"}}]}], "flags": 32768},
    ],
)
async def test_a_body_that_breaks_a_limit_is_refused_and_remembered(client: Client, data: Json) -> None:
    asked = client.asked()
    assert await client.answer(asked, MESSAGE, QUIET | data) == (400, rest.INVALID_BODY)
    assert asked.response is None
    assert len(client.discord.api.violations) == 1


async def test_an_unknown_route_is_remembered_and_a_reset_comes_before_or_after_the_effect(client: Client) -> None:
    assert await client.send("GET", "/users/1") == (404, 0)
    assert client.discord.api.violations == ["no such route: GET /users/1"]
    for when, effect in (("before", False), ("after", True)):
        asked = client.asked()
        with client.discord.api.faults.add(Fault("POST", CALLBACK, reset=when)) as fault:  # type: ignore[arg-type]
            with pytest.raises(aiohttp.ClientOSError):
                await client.answer(asked, DEFERRED)
            assert (await client.answer(asked, DEFERRED))[0] == (400 if effect else 204)
        assert fault.hits == 1
