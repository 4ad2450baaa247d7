"""A live bot whose connection breaks, is told to connect again, or delivers twice; or that can't reach Discord at all.

It says so, tries again, never gives up by itself, and ends when it is told to; of three shards, one may be lost.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Literal

import pytest

from tests.live.conftest import BUSY_MACHINE, Bots, Live, at_the_table
from tests.live.discord_server import PATIENCE, LittleDiscord
from tests.live.process import metric, page, port_of_its_own, until_ready
from tests.live.wire import ANY, AUTHENTICATION_FAILED, CALLBACK, GOING_AWAY, INTENTS_REFUSED, ORIGINAL, Fault, Gateway
from tests.sim.workers.waiting import until

pytestmark = [pytest.mark.live, pytest.mark.asyncio(loop_scope="session")]


ORDERS = {
    "7": (Gateway.reconnect, 1, 0),
    "9": (partial(Gateway.invalidate, resumable=True), 1, 0),
    "9 of a dead session": (partial(Gateway.invalidate, resumable=False), 0, 1),
}


@pytest.mark.parametrize(("order", "resumes", "identifies"), ORDERS.values(), ids=ORDERS)
async def test_an_order_resumes_a_session_that_lives_or_begins_a_new_one(
    live: Live, order: Callable[[Gateway], Awaitable[None]], resumes: int, identifies: int
) -> None:
    gateway = live.discord.gateway
    resumed, identified = gateway.resumed, gateway.identified
    await order(gateway)
    await live.discord.until(lambda: (gateway.resumed, gateway.identified) != (resumed, identified))
    await live.expect_answer()
    assert (gateway.resumed, gateway.identified) == (resumed + resumes, identified + identifies)


ENDS_WITHIN = 3.0


async def expect_quick_end(live: Live) -> None:
    """Send SIGTERM and check that the bot ends in order, and soon."""
    began = time.monotonic()
    assert await live.bot.stop() == 0, live.bot.err
    assert time.monotonic() - began < ENDS_WITHIN * BUSY_MACHINE


async def attempts(live: Live, count: int) -> None:
    """Wait until the log tells of so many failed attempts."""
    await until(lambda: len(live.bot.events("discord_unreachable")) >= count, 0.1, PATIENCE)


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
    await live.expect_answer()
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


async def test_a_gateway_that_accepts_and_closes_is_not_asked_without_a_pause(
    bots: Bots, discord: LittleDiscord
) -> None:
    discord.gateway.closing = GOING_AWAY
    live = await bots.start(discord, wait=False)
    await attempts(live, 3)
    assert discord.gateway.refused <= 4
    discord.gateway.closing = None
    await discord.until(lambda: discord.gateway.connected)
    assert await live.bot.stop() == 0


async def test_signing_in_the_advice_and_the_connection_are_waited_for(bots: Bots, discord: LittleDiscord) -> None:
    discord.gateway.refusing = 503
    faults = [Fault("GET", "/users/@me", times=2, status=503), Fault("GET", "/gateway/bot", status=503)]
    with discord.api.faults.add(faults[0]), discord.api.faults.add(faults[1]):
        live = await bots.start(discord, wait=False)
        await attempts(live, 4)
    assert [fault.hits for fault in faults] == [2, 1]
    discord.gateway.refusing = None
    await discord.until(lambda: discord.gateway.connected)
    await live.expect_answer()
    assert await live.bot.stop() == 0


async def test_sigterm_before_discord_could_be_reached_at_all(bots: Bots, discord: LittleDiscord) -> None:
    async with discord.unreachable():
        live = await bots.start(discord, wait=False)
        await attempts(live, 3)
        await expect_quick_end(live)


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


SHARDS = 3
LOST = 1


async def test_as_many_shards_as_the_setting_says_share_the_servers(bots: Bots) -> None:
    discord = await bots.discord(shards=SHARDS)
    discord.api.shards = 1
    port = port_of_its_own()
    live = await bots.start(discord, FRACAS_HEALTH_PORT=str(port), FRACAS_SHARDS=str(SHARDS))
    assert discord.gateway.shards == SHARDS
    await until_ready(port)
    assert f"In {SHARDS} servers" in (await live.ann.slash("about")).text


async def test_one_shard_of_those_advised_is_lost_and_resumed_while_the_others_go_on(bots: Bots) -> None:
    discord = await bots.discord(shards=SHARDS)
    gateway = discord.gateway
    port = port_of_its_own()
    live = await bots.start(discord, FRACAS_HEALTH_PORT=str(port))
    await until_ready(port)
    assert gateway.shards == SHARDS
    tables = {gateway.shard_of(guild): at_the_table(discord, live.bot, n) for n, guild in enumerate(discord.guild_ids)}
    panels = {shard: await table.begin() for shard, table in tables.items()}

    gateway.refusing = 503
    gateway.drop(LOST)
    await until_ready(port, 503)
    status, ready = await page(port, "/readyz")
    assert (status, ready["discord"], ready["database"], ready["workers"]) == (503, False, True, True)
    assert (await page(port, "/healthz"))[0] == 200
    connected = [await metric(port, f'fracas_shard_connected{{shard="{shard}"}}') for shard in range(SHARDS)]
    assert connected == [float(shard != LOST) for shard in range(SHARDS)]
    for shard in set(tables) - {LOST}:
        await tables[shard].ann.press(panels[shard], "Next round")
        assert panels[shard].text.startswith("### #1 Axis & Allies: round 1\n")
    waiting = await tables[LOST].ann.press(panels[LOST], "Next round", wait=False)
    assert waiting.response is None

    resumed, identified = gateway.resumed, gateway.identified
    gateway.refusing = None
    await discord.until(lambda: gateway.connected and waiting.ended)
    assert (gateway.resumed, gateway.identified) == (resumed + 1, identified)
    assert panels[LOST].text.startswith("### #1 Axis & Allies: round 1\n")
    await until_ready(port)
    reconnects = [
        await metric(port, f'fracas_shard_reconnects_total{{how="resumed",shard="{shard}"}}') for shard in range(SHARDS)
    ]
    assert reconnects == [float(shard == LOST) for shard in range(SHARDS)]
    assert {line["shard"] for line in live.bot.events("discord_unreachable")} == {LOST}
    assert await live.bot.stop() == 0


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize(("method", "route"), [("POST", CALLBACK), ("PATCH", ORIGINAL)])
async def test_an_answer_with_a_picture_comes_whole_though_its_connection_breaks(
    live: Live, method: str, route: str, when: Literal["before", "after"]
) -> None:
    with live.discord.api.faults.add(Fault(method, route, reset=when)) as fault:
        asked = await live.ann.slash("aacalc", battle="30 inf, 6 tanks vs 40 inf")
    assert fault.hits == 1
    assert "30 infantry, 6 tanks" in asked.text
    (picture,) = asked.message.files
    assert picture.data.startswith(b"\x89PNG")
    assert picture.data.rstrip().endswith(b"IEND\xaeB`\x82"), "the whole of it, though it was sent twice"
    assert live.discord.posted(live.channel) == [asked.message]
