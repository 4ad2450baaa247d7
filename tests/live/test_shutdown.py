"""SIGTERM: whoever was being answered is answered, or reads that the bot restarts; nothing is lost."""

import asyncio
import time

import pytest

from tests.live.conftest import Bots, Live
from tests.live.faults import CHANNEL, ORIGINAL, Fault
from tests.live.world import Exchange

pytestmark = [pytest.mark.live, pytest.mark.asyncio(loop_scope="session")]

RESTARTS = "The bot is restarting. Please try again in a minute."
BUSY_MACHINE = 2
"""By how much a machine that does other things may miss a limit in seconds."""


async def warm(bots: Bots) -> Live:
    """Start a bot, and wait until it has answered something."""
    live = await bots.start(FRACAS_WORKERS="1")
    await live.ann.slash("aacalc", battle="3 inf vs 2 inf")
    return live


async def terminated(live: Live) -> None:
    """Send SIGTERM, and wait until the bot stops taking interactions."""
    live.bot.terminate()
    await asyncio.sleep(0.5)
    assert live.bot.running, "it waits for what is being answered"


async def test_a_job_that_ends_in_time_is_answered_and_nothing_new_is_taken(bots: Bots) -> None:
    live = await warm(bots)
    async with live.bot.workers_held():
        asked = await live.ann.slash("aacalc", battle="4 inf vs 2 inf", wait=False)
        await live.discord.until(lambda: asked.thinking)
        await terminated(live)
        late = await live.ben.slash("aacalc", battle="5 inf vs 2 inf")
        assert late.text == f"⚠️ {RESTARTS}"
        assert late.message.private
        assert not asked.ended
    assert await live.bot.ended() == 0
    assert "4 infantry" in asked.text
    assert asked.followups == []


async def test_who_would_wait_for_longer_reads_that_the_bot_restarts(bots: Bots) -> None:
    live = await warm(bots)
    begun = await live.ann.slash("aa battle", setup="60 inf vs 60 inf", attacker=live.ann, defender=live.ben)
    calculated = await live.ben.slash("aacalc", battle="3 inf vs 2 inf")
    opened = await live.ben.press(calculated.message, "Edit")
    async with live.bot.workers_held():
        command = await live.ann.slash("aacalc", battle="4 inf vs 2 inf", wait=False)
        press = await live.ann.press(begun.message, "Fight round 1", wait=False)
        form = await live.ben.submit(opened, battle="5 inf vs 2 inf", wait=False)
        private = await live.discord.player("zoe", live.channel).slash(
            "aacalc", battle="6 inf vs 2 inf", private=True, wait=False
        )
        asked = [command, press, form, private]
        await live.discord.until(lambda: all(one.response is not None for one in asked))
        began = time.monotonic()
        live.bot.terminate()
        await live.discord.until(lambda: all(RESTARTS in one.text for one in asked))
        assert 3 <= time.monotonic() - began < 5 * BUSY_MACHINE
    assert await live.bot.ended() == 0
    assert "before round 1" in begun.message.text
    assert visible(command) == visible(press) == visible(form) == []
    assert [one.message.private for one in (private,)] == [True]
    again = await bots.start(live.discord)
    assert "✅ Match" in (await again.ann.at(live.channel).slash("battle verify", number=1)).text


def visible(exchange: Exchange) -> list[str]:
    """Return what others read of the bot's excuse: nothing."""
    everything = (*exchange.followups, *([exchange.original] if exchange.original is not None else []))
    shown = [message for message in everything if not (message.private or message.deleted)]
    return [message.text for message in shown if RESTARTS in message.text]


async def test_a_step_that_was_not_shown_waits_for_the_next_start(bots: Bots) -> None:
    live = await warm(bots)
    begun = await live.ann.slash("aa battle", setup="60 inf vs 60 inf", attacker=live.ann, defender=live.ben)
    faults = live.discord.api.faults
    with (
        faults.add(Fault("PATCH", ORIGINAL, times=None, delay=60)) as original,
        faults.add(Fault("PATCH", CHANNEL, times=None, delay=60)),
    ):
        await live.ann.press(begun.message, "Fight round 1", wait=False)
        await live.discord.until(lambda: original.hits)
        assert await live.bot.stop() == 0
    assert "before round 1" in begun.message.text
    await bots.start(live.discord)
    await live.discord.until(lambda: begun.message.text.startswith("### #1 Axis & Allies: round 1\n"))
