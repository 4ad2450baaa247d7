"""Whether the bot's memory stays level: `python -m tests.bench.memory [MINUTES]`, by hand; 30 minutes by default.

Players do what `scale/mix.toml` says, over and over, with the real bot against the Discord on loopback. Prints each
minute how many interactions there were so far, and the memory in MiB of the bot's process, of those that it started
(the resource tracker, the fork server), and of the worker: what each has for itself, and its part of what they share.
"""

import asyncio
import contextlib
import sys
import tempfile
import time
from itertools import count
from pathlib import Path

from tests.bench.scale.replay import Actors, load_mix, memory
from tests.live.conftest import open_discord, run_command, start_bot
from tests.live.discord_server import LittleDiscord

PLAYERS = 3
"""How many scenes are played at once."""

NUMBERS = 40
"""How many different questions a scene asks; what is asked again comes out of the cache, if it is still there."""


async def act(discord: LittleDiscord, numbers: "count[int]") -> None:
    """Play scene after scene, each in a channel of its own."""
    scenes = load_mix()
    for number in numbers:
        actors = Actors(discord, 1 + number // len(scenes) % NUMBERS)
        for step in scenes[number % len(scenes)].steps:
            await actors.do(step)
        discord.api.requests.clear()


async def main(minutes: float) -> None:
    """Measure and print everything."""
    print(f"{'min':>6}{'interact.':>10}{'bot':>8}{'tracker':>8}{'forks':>8}{'worker':>8}")
    async with contextlib.AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        discord = await open_discord(stack, {})
        await run_command(discord, folder, "--sync")
        bot = await start_bot(stack, discord, folder, settings={"FRACAS_WORKERS": "1", "FRACAS_JOB_SECONDS": "60"})
        numbers, began = count(), time.monotonic()
        playing = asyncio.gather(*(act(discord, numbers) for _ in range(PLAYERS)))
        stack.callback(playing.cancel)
        so_far = 0.0
        while so_far < minutes:
            await asyncio.wait({playing}, timeout=60)
            so_far = (time.monotonic() - began) / 60
            figures = [memory(process) >> 20 for process in bot.processes]
            shown = "".join(f"{figure:>8}" for figure in figures)
            print(f"{so_far:>6.1f}{len(discord.api.exchanges):>10}{shown}", flush=True)
            if playing.done():
                playing.result()
        assert not bot.trouble, bot.trouble


if __name__ == "__main__":
    asyncio.run(main(float(sys.argv[1]) if sys.argv[1:] else 30))
