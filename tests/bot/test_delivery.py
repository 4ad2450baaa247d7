"""What is sent again when the connection breaks, what isn't, and how long that may take."""

import asyncio
import io
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import aiohttp
import discord
import pytest
from discord.http import HTTPClient, Route
from discord.webhook.async_ import async_context

from bot import delivery
from bot.delivery import ATTEMPT_SECONDS, PAUSES, UnreachableError, make_reliable

TOKEN_SECONDS = 15 * 60
EDIT = Route("PATCH", "/channels/{channel_id}/messages/{message_id}", channel_id=1, message_id=2)
POST = Route("POST", "/channels/{channel_id}/messages", channel_id=1)
FOLLOWUP = Route("POST", "/webhooks/{webhook_id}/{webhook_token}", webhook_id=1, webhook_token="t")  # noqa: S106  # no one's
ORIGINAL = Route(
    "PATCH",
    "/webhooks/{webhook_id}/{webhook_token}/messages/{message_id}",
    webhook_id=1,
    webhook_token="t",  # noqa: S106  # no one's
    message_id="@original",
)
CALLBACK = Route(
    "POST",
    "/interactions/{webhook_id}/{webhook_token}/callback",
    webhook_id=7,
    webhook_token="t",  # noqa: S106  # no one's
)
REFUSED = aiohttp.ClientConnectorError(SimpleNamespace(host="discord", port=443, ssl=True), OSError(111, "refused"))  # type: ignore[arg-type]  # only what its text needs
BREAKS = (ConnectionResetError(104, "reset"), aiohttp.ServerDisconnectedError(), TimeoutError(), REFUSED)


class Server:
    """Answers requests with what is in `answers`, one after the other: an exception is raised."""

    def __init__(self, *answers: object) -> None:
        self.answers = list(answers)
        self.bodies: list[bytes] = []

    async def send(self, *_: object, files: Sequence[discord.File] | None = None, **__: object) -> object:
        """Read the files to their end, as discord.py does, and answer."""
        self.bodies += [file.fp.read() for file in files or ()]
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


@pytest.fixture
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Return the pauses that were made, none of which takes time."""
    pauses: list[float] = []

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)

    monkeypatch.setattr(delivery, "asyncio", SimpleNamespace(sleep=sleep, timeout=asyncio.timeout))
    return pauses


async def send(server: Server, route: Route, files: Sequence[discord.File] | None = None) -> object:
    if route.webhook_id is None:
        return await delivery._request(server.send, route, files=files)
    session: Any = None
    return await delivery._answer({7}.__contains__, server.send, route, session, files=files)


@pytest.mark.parametrize("broken", BREAKS, ids=repr)
@pytest.mark.parametrize("route", [EDIT, POST, ORIGINAL, CALLBACK], ids=lambda route: route.key)
async def test_what_does_nothing_twice_is_sent_again(slept: list[float], route: Route, broken: Exception) -> None:
    assert await send(Server(broken, broken, "done"), route) == "done"
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
    calls = 0

    async def hang(*_: object, **__: object) -> str:
        nonlocal calls
        calls += 1
        if calls == 1:
            await asyncio.sleep(60)
        return "done"

    session: Any = None
    assert await delivery._answer({7}.__contains__, hang, CALLBACK, session) == "done"
    assert len(slept) == 1


@pytest.mark.parametrize("route", [EDIT, ORIGINAL], ids=lambda route: route.key)
async def test_a_file_is_sent_again_from_its_beginning(slept: list[float], route: Route) -> None:
    server = Server(ConnectionResetError(), "done")
    await send(server, route, [discord.File(io.BytesIO(b"picture"), "a.png")])
    assert server.bodies == [b"picture"] * 2
    assert len(slept) == 1


def refusal(status: int, code: int) -> discord.HTTPException:
    response: Any = SimpleNamespace(status=status, reason="")
    return discord.HTTPException(response, {"code": code, "message": ""})


@pytest.mark.usefixtures("slept")
@pytest.mark.parametrize("before", [[], [ConnectionResetError()]], ids=["by discord.py", "here"])
async def test_what_discord_took_counts_though_its_answer_was_lost(before: list[Exception]) -> None:
    """It refuses the repetition with 40060, whoever repeated it."""
    assert await send(Server(*before, refusal(400, 40060)), CALLBACK) == {"interaction": {"id": 7}}


@pytest.mark.parametrize("code", [40060, 10062])
async def test_a_refusal_is_not_repeated(code: int) -> None:
    other = Route("POST", CALLBACK.path, webhook_id=8, webhook_token="t")  # noqa: S106  # no one's
    with pytest.raises(discord.HTTPException) as refused:
        await send(Server(refusal(400, code), "done"), other if code == 40060 else CALLBACK)
    assert refused.value.code == code


async def test_another_client_of_the_process_takes_the_place_of_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """What sends answers belongs to the process: a thousand clients must not wrap each other."""
    answers = async_context.get()
    monkeypatch.setattr(answers, "request", answers.request)  # put back at the end
    http = HTTPClient(asyncio.get_running_loop())
    make_reliable(http, lambda _: True)
    first = vars(answers)["request"].args[-1]
    make_reliable(http, lambda _: True)
    assert vars(answers)["request"].args[-1] == first
