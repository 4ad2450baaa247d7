"""The client of the public beacon against hosts on this machine that are away, slow, or lie."""

import asyncio
import json
import logging
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Any

import pytest
from aiohttp import web
from prometheus_client import generate_latest
from pydantic import SecretStr

import bot.beacon
from bot.beacon import BeaconClient
from bot.cli import check
from bot.config import Settings
from bot.metrics import Metrics
from bot.result_cache import CachingSimulator
from sim.core.beacon import BEACONS
from sim.workers import InlineSimulator
from tests.beacon import CHAIN, host_of, sign
from tests.bot.test_result_cache import settle

ROUND = 500
Answer = Callable[[web.Request], Awaitable[web.StreamResponse]]


def body(number: int = ROUND, **more: object) -> bytes:
    return json.dumps({"round": number, "randomness": "00", "signature": sign(number)} | more).encode()


def says(data: bytes, status: int = 200, **headers: str) -> Answer:
    """Return a host that answers with this."""

    async def answer(_request: web.Request) -> web.StreamResponse:
        return web.Response(status=status, body=data, headers=headers)

    return answer


async def drips(request: web.Request) -> web.StreamResponse:
    """Answer a byte at a time, and never to the end."""
    response = web.StreamResponse()
    await response.prepare(request)
    while True:
        await response.write(b" ")
        await asyncio.sleep(0.05)


@dataclass
class Host:
    """A host on this machine; `answers`: what it says to one request after another, the last one for ever."""

    address: str = ""
    answers: list[Answer] = field(default_factory=lambda: [says(body())])
    asked: list[web.Request] = field(default_factory=list)

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Answer a request."""
        self.asked.append(request)
        return await self.answers[min(len(self.asked), len(self.answers)) - 1](request)


@pytest.fixture
async def hosts() -> AsyncIterator[list[Host]]:
    """Run two hosts."""
    hosts = [Host(), Host()]
    async with AsyncExitStack() as stack:
        for host in hosts:
            host.address = await stack.enter_async_context(host_of(host.handle))
        yield hosts


class Slept:
    """asyncio, but nobody sleeps; `pauses`: for how long they wanted to."""

    def __init__(self) -> None:
        self.pauses: list[float] = []

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  # whatever asyncio has
        return getattr(asyncio, name)

    async def sleep(self, seconds: float) -> None:
        """Let the others go on."""
        self.pauses.append(seconds)
        await asyncio.sleep(0)


@pytest.fixture
def slept(monkeypatch: pytest.MonkeyPatch) -> Slept:
    """Let the client's pauses pass at once, but no host be too slow for a busy machine, and know the tests' chain."""
    monkeypatch.setitem(BEACONS, CHAIN.chain, CHAIN)
    monkeypatch.setattr(BeaconClient, "beacon", CHAIN)
    monkeypatch.setattr(bot.beacon, "asyncio", slept := Slept())
    monkeypatch.setattr(bot.beacon, "_HOST_SECONDS", 3600.0)
    return slept


def client_of(hosts: list[Host], metrics: Metrics, now: float) -> BeaconClient:
    simulator = CachingSimulator(InlineSimulator(), metrics)
    return BeaconClient([host.address for host in hosts], simulator, metrics, lambda: now)


async def test_all_who_wait_for_a_round_share_one_request_a_second_after_it_is_due(
    hosts: list[Host], slept: Slept
) -> None:
    client = client_of(hosts, Metrics("1"), CHAIN.due(ROUND) - 5)
    waiting = [asyncio.ensure_future(client.signature(CHAIN, ROUND)) for _ in range(3)]
    await asyncio.sleep(0)
    waiting[0].cancel()
    assert await asyncio.gather(*waiting[1:]) == [sign(ROUND)] * 2
    assert slept.pauses == [6.0]
    assert ([request.path for request in hosts[0].asked], hosts[1].asked) == ([f"/{CHAIN.chain}/public/{ROUND}"], [])


@pytest.mark.usefixtures("slept")
async def test_nobody_is_asked_for_a_round_that_nobody_waits_for_any_more(hosts: list[Host]) -> None:
    hosts[0].answers = hosts[1].answers = [says(b"", 404)]
    client = client_of(hosts, metrics := Metrics("1"), CHAIN.due(ROUND) + 1)
    waiting = [asyncio.ensure_future(client.signature(CHAIN, ROUND)) for _ in range(2)]
    await settle()
    for one in waiting:
        assert b"fracas_beacon_rounds 1.0" in generate_latest(metrics.registry)
        one.cancel()
        await settle()
    assert b"fracas_beacon_rounds 0.0" in generate_latest(metrics.registry)


async def test_battles_do_without_until_a_round_has_come(hosts: list[Host], slept: Slept) -> None:
    client = client_of(hosts, Metrics("1"), CHAIN.due(ROUND) + 2 * CHAIN.period)
    hosts[0].answers = [says(b"", 503)]
    hosts[1].answers = [says(b"", 503), says(body())]
    without = client_of([], Metrics("1"), 0)
    chains = [client.chain, without.chain]
    await asyncio.gather(client.start(), without.start())
    assert [*chains, client.chain, without.chain] == [None, None, CHAIN.chain, None]
    assert (client.newest, len(slept.pauses)) == (ROUND, 2)


LIES: dict[str, Answer] = {
    "a server's error": says(b"", 500),
    "a redirect to the round": says(b"", 302, Location="/elsewhere"),
    "another round": says(body(ROUND + 1)),
    "another round's signature": says(body(signature=sign(ROUND + 1))),
    "capitals": says(body(signature=sign(ROUND).upper())),
    "a point outside the group": says(body(signature="9438" + "0" * 92)),
    "no JSON": says(b"<html>"),
    "another shape": says(b"[1]"),
    "deep nesting": says(b"[" * 2000),
    "too much": says(body() + b" " * 3000),
}


@pytest.mark.parametrize("lie", LIES.values(), ids=LIES)
async def test_a_host_that_lies_is_passed_over(hosts: list[Host], slept: Slept, lie: Answer) -> None:
    hosts[0].answers = [lie]
    assert await client_of(hosts, Metrics("1"), CHAIN.due(ROUND) + 1).signature(CHAIN, ROUND) == sign(ROUND)
    assert (len(hosts[0].asked), len(hosts[1].asked), slept.pauses) == (1, 1, [0.0])


@pytest.mark.usefixtures("slept")
async def test_a_host_that_never_comes_to_its_end_is_passed_over(
    hosts: list[Host], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bot.beacon, "_HOST_SECONDS", 0.3)
    hosts[0].answers = [drips]
    assert await client_of(hosts, Metrics("1"), CHAIN.due(ROUND) + 1).signature(CHAIN, ROUND) == sign(ROUND)


async def test_an_outage_is_told_once_and_waited_for(
    hosts: list[Host], slept: Slept, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    down = says(b"", 503, **{"Set-Cookie": "who=you"})
    metrics = Metrics("1")
    client = client_of(hosts, metrics, CHAIN.due(ROUND) + 1)

    async def up(request: web.Request) -> web.StreamResponse:
        assert "fracas_beacon_rounds 1.0" in generate_latest(metrics.registry).decode()
        return await says(body())(request)

    hosts[0].answers = hosts[1].answers = [down] * 9 + [up]
    assert await client.signature(CHAIN, ROUND) == sign(ROUND)
    assert slept.pauses == [0.0, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0, 60.0]
    told = [record.getMessage().split()[0] for record in caplog.records if record.name == "fracas.beacon"]
    assert told == ["beacon_unreachable", "beacon_reached"]
    assert not any("Cookie" in request.headers for host in hosts for request in host.asked)
    assert "fracas_beacon_rounds 0.0" in generate_latest(metrics.registry).decode()


@pytest.mark.usefixtures("slept")
async def test_fracas_check_asks_for_a_round(hosts: list[Host], monkeypatch: pytest.MonkeyPatch) -> None:
    async def asked(request: web.Request) -> web.StreamResponse:
        return await says(body(int(request.path.rpartition("/")[2])))(request)

    settings = Settings(discord_token=SecretStr("secret"), beacon=tuple(host.address for host in hosts))
    hosts[0].answers, hosts[1].answers = [says(b"", 503)], [asked]
    monkeypatch.setattr(check, "_BEACON_SECONDS", 3600.0)
    (found,) = await check._beacon(settings)
    assert re.fullmatch(r"round [0-9]+ of the tests' beacon is there", found.text)
    monkeypatch.setattr(check, "_BEACON_SECONDS", 0.2)
    hosts[1].answers = hosts[0].answers
    (found,) = await check._beacon(settings)
    assert found.text.startswith(f"no round comes from {hosts[0].address}, {hosts[1].address}: ")
    assert await check._beacon(Settings(discord_token=SecretStr("secret"), beacon=())) == []
