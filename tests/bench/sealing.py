"""How long players wait for sealed dice: `python -m tests.bench.sealing [RUNS]`, by hand, on an idle machine.

The bot as a process, Discord and a beacon on loopback, lead and period as they are. For each run prints the seconds
from the press that takes the last seat until the panel shows the first roll, for which a player presses at once. The
runs begin all over the period. Each request to Discord takes `WAY_SECONDS` longer, in place of the net.
"""

import asyncio
import contextlib
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from statistics import median

from sim.core.beacon import QUICKNET
from sim.core.seal import LEAD_SECONDS
from tests.beacon import CHAIN, little_beacon
from tests.live.conftest import Live, at_the_table, open_discord, run_command, start_bot
from tests.live.discord_server import LittleDiscord
from tests.live.process import BotProcess
from tests.live.wire import Fault

RUNS = 12
LIMIT = 8.0
WAY_SECONDS = 0.1
STUCK_SECONDS = 60.0
START_SECONDS = 180.0


async def boss_fight(live: Live, begins: float) -> float:
    """Join alone, and strike as soon as the panel has the button; return the seconds."""
    panel = (await live.ann.slash("boss start")).message
    await asyncio.sleep((begins - time.time()) % QUICKNET.period)
    began = time.monotonic()
    await live.ann.press(panel, "Join", wait=False)
    await live.discord.until(lambda: "Strike with the best" in panel.buttons)
    await live.ann.press(panel, "Strike with the best", wait=False)
    await live.discord.until(lambda: "⚔️ **" in panel.text)
    return time.monotonic() - began


async def battle(live: Live, begins: float) -> float:
    """Join as the second, and press for the first round, which is taken when the dice are there; return the seconds."""
    panel = (await live.ann.slash("aa battle", setup="60 inf vs 60 inf", attacker=live.ann)).message
    await asyncio.sleep((begins - time.time()) % QUICKNET.period)
    began = time.monotonic()
    await live.ben.press(panel, "Join as defender", wait=False)
    await live.discord.until(lambda: "The dice come" in panel.text)
    await live.ann.press(panel, "Next round", wait=False)
    await live.discord.until(lambda: "Axis & Allies: round 1\n" in panel.text)
    return time.monotonic() - began


async def main(runs: int) -> bool:
    """Print the table; return whether nobody waited for longer than the limit."""
    chain = replace(CHAIN, period=QUICKNET.period)
    async with contextlib.AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        beacon = await stack.enter_async_context(little_beacon(chain))
        discord, bot = await _start(stack, folder, beacon.address)
        stack.enter_context(discord.api.faults.add(Fault("", "", times=None, delay=WAY_SECONDS)))
        print(f"{'s from the last seat to the first roll':<42}{'min':>6}{'median':>8}{'max':>6}{'limit':>7}")
        slowest = 0.0
        for play in boss_fight, battle:
            found = []
            for number in range(runs):
                async with asyncio.timeout(STUCK_SECONDS):
                    found.append(await play(at_the_table(discord, bot), number * chain.period / runs))
                print(f"  {play.__name__} {number + 1}: {found[-1]:.2f}", flush=True)
            slowest = max(slowest, *found)
            print(
                f"{play.__name__:<42}{min(found):>6.2f}{median(found):>8.2f}{max(found):>6.2f}{LIMIT:>7g}", flush=True
            )
    return slowest <= LIMIT


async def _start(stack: contextlib.AsyncExitStack, folder: Path, beacon: str) -> tuple[LittleDiscord, BotProcess]:
    settings = {"PROGRAM": "tests.live.sealed", "FRACAS_BEACON": beacon, "LEAD": str(LEAD_SECONDS)}
    async with asyncio.timeout(START_SECONDS):
        discord = await open_discord(stack, {})
        print("registering the commands", flush=True)
        await run_command(discord, folder, "--sync")
        print("starting the bot", flush=True)
        bot = await start_bot(stack, discord, folder, settings={**settings, "PERIOD": str(QUICKNET.period)})
        while not bot.events("beacon_ready"):  # noqa: ASYNC110 - another process
            await asyncio.sleep(0.1)
    return discord, bot


if __name__ == "__main__":
    sys.exit(not asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else RUNS)))
