"""A bot on three shards: battles on each, and one shard's connection is lost while the others go on."""

import asyncio

import pytest

from tests.live.conftest import Bots, Live, at_the_table
from tests.live.faults import Fault
from tests.live.health import metric, page, port_of_its_own, until_ready
from tests.live.world import Message

pytestmark = [pytest.mark.live, pytest.mark.asyncio(loop_scope="session")]

SHARDS = 3
LOST = 1


async def begin(table: Live) -> Message:
    """Begin a battle in a table's channel."""
    setup = "60 inf vs 60 inf"
    return (await table.ann.slash("aa battle", setup=setup, attacker=table.ann, defender=table.ben)).message


@pytest.mark.parametrize("told", [True, False], ids=["FRACAS_SHARDS", "advised"])
async def test_three_shards_share_the_servers(bots: Bots, *, told: bool) -> None:
    discord = await bots.discord(shards=SHARDS)
    if told:
        discord.api.shards = 1
    port = port_of_its_own()
    shards = str(SHARDS) if told else ""
    live = await bots.start(discord, FRACAS_HEALTH_PORT=str(port), FRACAS_SHARDS=shards)
    assert discord.gateway.shards == SHARDS
    await until_ready(port)
    assert {discord.gateway.shard_of(guild) for guild in discord.guild_ids} == set(range(SHARDS))
    about = await live.ann.slash("about")
    assert f"In {SHARDS} servers" in about.text


async def test_one_shard_is_lost_and_resumed_while_the_others_go_on(bots: Bots) -> None:
    discord = await bots.discord(shards=SHARDS)
    gateway = discord.gateway
    port = port_of_its_own()
    live = await bots.start(discord, FRACAS_HEALTH_PORT=str(port))
    await until_ready(port)
    tables = {gateway.shard_of(guild): at_the_table(discord, live.bot, n) for n, guild in enumerate(discord.guild_ids)}
    panels = {shard: await begin(table) for shard, table in tables.items()}

    gateway.refusing = 503
    gateway.drop(LOST)
    async with asyncio.timeout(60):
        while (await page(port, "/readyz"))[0] == 200:  # noqa: ASYNC110 - another process
            await asyncio.sleep(0.1)
    status, ready = await page(port, "/readyz")
    assert (status, ready["discord"], ready["database"], ready["workers"]) == (503, False, True, True)
    assert (await page(port, "/healthz"))[0] == 200
    connected = [await metric(port, f'fracas_shard_connected{{shard="{shard}"}}') for shard in range(SHARDS)]
    assert connected == [float(shard != LOST) for shard in range(SHARDS)]
    for shard in set(tables) - {LOST}:
        await tables[shard].ann.press(panels[shard], "Fight round 1")
        assert panels[shard].text.startswith("### #1 Axis & Allies: round 1\n")
    waiting = await tables[LOST].ann.press(panels[LOST], "Fight round 1", wait=False)
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


async def test_a_server_that_removed_the_bot_while_a_shard_was_away_is_forgotten(bots: Bots) -> None:
    discord = await bots.discord(shards=SHARDS)
    gateway = discord.gateway
    live = await bots.start(discord)
    gone = next(guild for guild in discord.guild_ids if gateway.shard_of(guild) == LOST)
    assert f"In {SHARDS} servers" in (await live.ann.slash("about")).text
    gateway.ready["guilds"] = [guild for guild in gateway.ready["guilds"] if guild["id"] != str(gone)]
    gateway.opening = [(name, guild) for name, guild in gateway.opening if guild["id"] != str(gone)]
    gateway.forget()
    identified = gateway.identified
    gateway.drop(LOST)
    await discord.until(lambda: gateway.identified > identified and gateway.connected)
    assert f"In {SHARDS - 1} servers" in (await live.ann.slash("about")).text


async def test_the_advice_is_waited_for(bots: Bots) -> None:
    discord = await bots.discord()
    with discord.api.faults.add(Fault("GET", "/gateway/bot", times=12, reset="before")):
        live = await bots.start(discord, wait=False)
        await discord.until(lambda: discord.gateway.connected)
    assert live.bot.events("discord_unreachable")
    assert await live.bot.stop() == 0
