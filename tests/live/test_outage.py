"""Discord can't be reached: the bot says so, tries again, never gives up by itself, and ends when it is told to."""

import asyncio
import time

import pytest

from tests.live.conftest import Bots, Live
from tests.live.discord_server import PATIENCE
from tests.live.faults import ANY, Fault
from tests.live.gateway import AUTHENTICATION_FAILED, GOING_AWAY, INTENTS_REFUSED
from tests.live.health import page, port_of_its_own, until_ready

pytestmark = [pytest.mark.live, pytest.mark.asyncio(loop_scope="session")]

ENDS_WITHIN = 3.0
BUSY_MACHINE = 2
"""By how much a machine that does other things may miss a limit in seconds."""


async def expect_quick_end(live: Live) -> None:
    """Send SIGTERM and check that the bot ends in order, and soon."""
    began = time.monotonic()
    assert await live.bot.stop() == 0, live.bot.err
    assert time.monotonic() - began < ENDS_WITHIN * BUSY_MACHINE


async def attempts(live: Live, count: int) -> None:
    """Wait until the log tells of so many failed attempts."""
    async with asyncio.timeout(PATIENCE):
        while len(live.bot.events("discord_unreachable")) < count:
            await asyncio.sleep(0.1)
            assert live.bot.running, live.bot.err


async def test_an_outage_is_reported_and_over_when_discord_is_back(bots: Bots) -> None:
    port = port_of_its_own()
    live = await bots.start(FRACAS_HEALTH_PORT=str(port))
    await until_ready(port)
    async with live.discord.unreachable():
        live.discord.gateway.forget()
        await attempts(live, 3)
        status, body = await page(port, "/readyz")
        assert (status, body["status"], body["discord"], body["database"]) == (503, "failing", False, True)
        status, body = await page(port, "/healthz")
        assert (status, body["status"]) == (200, "ok"), "starting anew wouldn't help"
    await live.discord.until(lambda: live.discord.gateway.connected)
    assert "3 infantry" in (await live.ann.slash("aacalc", battle="3 inf vs 2 inf")).text
    assert (await page(port, "/readyz"))[0] == 200
    (back,) = live.bot.events("discord_reached")
    assert back["away"] >= 3
    assert [line["pause"] for line in live.bot.events("discord_unreachable")][:3] == [1, 2, 4]
    assert live.discord.gateway.identified == 2, "the session was too old to be resumed"


async def test_sigterm_in_an_outage_does_not_wait_for_the_next_attempt(bots: Bots) -> None:
    live = await bots.start()
    async with live.discord.unreachable():
        await attempts(live, 4)  # the next one is 8 s away
        await expect_quick_end(live)


async def test_sigterm_with_somebody_waiting_in_an_outage(bots: Bots) -> None:
    live = await bots.start()
    await live.ann.slash("aacalc", battle="3 inf vs 2 inf")
    async with live.bot.workers_held():
        asked = await live.ann.slash("aacalc", battle="4 inf vs 2 inf", wait=False)
        await live.discord.until(lambda: asked.thinking)
        async with live.discord.unreachable():
            await attempts(live, 1)
            live.bot.terminate()
            await asyncio.sleep(1)
    assert await live.bot.ended(ENDS_WITHIN * BUSY_MACHINE) == 0


async def test_sigterm_when_the_gateway_is_silent(bots: Bots) -> None:
    live = await bots.start()
    live.discord.gateway.freeze()
    with live.discord.api.faults.add(Fault("", ANY, times=None, delay=60)):
        await expect_quick_end(live)


async def test_a_gateway_that_accepts_and_closes_is_not_asked_without_a_pause(bots: Bots) -> None:
    discord = await bots.discord()
    discord.gateway.closing = GOING_AWAY
    live = await bots.start(discord, wait=False)
    await attempts(live, 3)
    assert discord.gateway.refused <= 4
    discord.gateway.closing = None
    await discord.until(lambda: discord.gateway.connected)
    assert await live.bot.stop() == 0


async def test_signing_in_waits_for_discord(bots: Bots) -> None:
    discord = await bots.discord()
    discord.gateway.refusing = 503
    with discord.api.faults.add(Fault("GET", "/users/@me", times=2, status=503)) as fault:
        live = await bots.start(discord, wait=False)
        await attempts(live, 3)
    assert fault.hits == 2
    discord.gateway.refusing = None
    await discord.until(lambda: discord.gateway.connected)
    assert "3 infantry" in (await live.ann.slash("aacalc", battle="3 inf vs 2 inf")).text
    assert await live.bot.stop() == 0


async def test_sigterm_before_discord_could_be_reached_at_all(bots: Bots) -> None:
    discord = await bots.discord()
    async with discord.unreachable():
        live = await bots.start(discord, wait=False)
        await attempts(live, 3)
        await expect_quick_end(live)


async def test_a_wrong_token_ends_the_start_with_a_sentence(bots: Bots) -> None:
    live = await bots.start(wait=False, DISCORD_TOKEN="a.wrong.token")  # noqa: S106  # nobody's
    with live.discord.api.faults.add(Fault("GET", "/users/@me", times=None, status=401)):
        assert await live.bot.ended() == 1
    assert "fracas: Discord refused the token; check DISCORD_TOKEN." in live.bot.err
    assert [line["level"] for line in live.new_trouble] == ["RAW"]


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        (AUTHENTICATION_FAILED, "fracas: Discord refused the connection: "),
        (INTENTS_REFUSED, "fracas: Discord refused the connection's intents."),
    ],
)
async def test_a_connection_that_is_refused_for_good_ends_the_bot_with_a_sentence(
    bots: Bots, code: int, sentence: str
) -> None:
    live = await bots.start()
    live.discord.gateway.closing = code
    live.discord.gateway.drop()
    assert await live.bot.ended() == 1
    assert sentence in live.bot.err
    assert [line["level"] for line in live.new_trouble] == ["RAW"]
