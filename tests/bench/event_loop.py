"""How long players hold the event loop: `python -m tests.bench.event_loop`, by hand, on an idle machine.

Two rosters of 500 meet in Marked for Death, and files with every cell wrong are refused: the real bot in the simulated
Discord, with worker processes and a database file. For each thing that a player does, prints the longest stretch (in
ms) in which the loop serves nobody else: its own processor time, and with its waits for threads of this process and
for other programs. The simulated Discord runs in the same loop, so a part of it is Discord's.
"""

import asyncio
import gc
import tempfile
import time
from asyncio import events
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
import simcord
from simcord import InteractionResult, ResponseMessage

from bot.app import Fracas
from bot.cli.run import GC_THRESHOLDS
from bot.offline.site import PatientEnv
from sim.jobs.warm_up import warm_up
from sim.marked_for_death.tables import roster_csv
from sim.workers.pool import PoolSimulator
from sim.workers.queue import PoolLimits
from tests.bot.conftest import COMPILING, answer, button, fix_seed, text_of
from tests.bot.store.databases import open_database
from tests.sim.csv.test_hostile_files import CONTROL
from tests.sim.marked_for_death.builders import legion

TARGET = 20
"""Milliseconds that no stretch may exceed."""


class Stopwatch:
    """Times every callback of the event loop."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self._longest = self._longest_wall = 0.0
        run = events.Handle._run

        def timed(handle: events.Handle) -> None:
            began, began_wall = time.thread_time(), time.perf_counter()
            run(handle)
            self._longest = max(self._longest, time.thread_time() - began)
            self._longest_wall = max(self._longest_wall, time.perf_counter() - began_wall)

        patch.setattr(events.Handle, "_run", timed)  # every callback passes here

    async def print(self, what: str, done: Awaitable[InteractionResult]) -> InteractionResult:
        """Await what a player does and print the longest callback on the way."""
        self._longest = self._longest_wall = 0.0
        began = time.perf_counter()
        result = await done
        figures = f"{1e3 * self._longest:>8.1f}{1e3 * self._longest_wall:>8.1f}{TARGET:>8}"
        print(f"{what:<34}{figures}{time.perf_counter() - began:>8.1f}", flush=True)
        return result


async def fight(env: simcord.Env, fighters: int, watch: Stopwatch, restart: Callable[[], Awaitable[None]]) -> None:
    """Fight battles of so many fighters on each side, and do with them what players do."""
    guild = env.create_guild()
    channel = guild.create_text_channel("battles")
    ann = guild.add_member(env.create_user("ann"))
    roster = "roster.csv", roster_csv(legion("F", fighters))
    print(f"\n{f'{fighters} v {fighters}':<34}{'ms':>8}{'wall':>8}{'target':>8}{'s':>8}")

    async def press(label: str) -> None:
        await watch.print(label, ann.click(panel, custom_id=button(panel, label)))

    async def verify() -> None:
        verdict = answer(await watch.print("/battle verify", ann.slash(channel, "battle verify", number=1)))
        assert text_of(verdict).startswith("### ✅ Match: #1"), text_of(verdict)

    async def open_battle() -> ResponseMessage:
        opened = ann.slash(channel, "mfd start", heroes=roster, villains=roster)
        return answer(await watch.print("/mfd start", opened))

    panel = await open_battle()
    for _ in range(3):
        await press("Next round")
    await press("Change a fighter")
    await verify()
    await watch.print("/battle undo", ann.slash(channel, "battle undo"))
    await restart()
    await press("Next round")
    await press("Fight to the end")
    await verify()
    await watch.print("/battle log", ann.slash(channel, "battle log", number=1))
    panel = await open_battle()
    await press("Next round")
    asked = answer(await watch.print("/battle end", ann.slash(channel, "battle end", number=2)))
    await watch.print("End it", ann.click(asked, custom_id=button(asked, "End it")))


async def refuse(env: simcord.Env, watch: Stopwatch) -> None:
    """Give each reader a file of 255 KB that is wrong in every cell, or far too long."""
    guild = env.create_guild()
    channel = guild.create_text_channel("files")
    bob = guild.add_member(env.create_user("bob"))
    bad = "bad.csv", CONTROL
    commands: dict[str, dict[str, object]] = {
        "mfd run": {"heroes": bad, "villains": bad},
        "mfd check": {"roster": bad},
        "duel groups": {"roster": bad, "against": bad},
        "boss deck": {"deck_file": bad},
        "boss what-if": {"boss": "Inu Dogemon", "deck_file": ("deck.txt", b"hero:" + b"\x07," * 127_000)},
        "boss forge": {"bosses": bad},
        "mka map": {"file": bad},
        "roster save": {"name": "Bad", "kind": "aa", "file": ("army.txt", b"? " * 127_000)},
    }
    print(f"\n{'255 KB, every cell wrong':<34}{'ms':>8}{'wall':>8}{'target':>8}{'s':>8}")
    for command, options in commands.items():
        result = await watch.print(f"/{command}", bob.slash(channel, command, **options))
        (reply,) = result.followups or [answer(result)]
        assert text_of(reply).startswith("⚠️"), text_of(reply)


async def main() -> None:
    """Measure and print everything; takes half a minute."""
    gc.set_threshold(*GC_THRESHOLDS)
    simulator = PoolSimulator(PoolLimits(), warm_up)
    with tempfile.TemporaryDirectory() as place:
        file = Path(place) / "fracas.db"
        db = await open_database(file)
        bot = Fracas(simulator=simulator, db=db)
        env = PatientEnv(bot, settle_timeout=COMPILING)

        async def restart() -> None:
            nonlocal db
            await db.close()
            db = await open_database(file)
            await env.restart_bot(Fracas(simulator=simulator, db=db))

        patch = pytest.MonkeyPatch()
        fix_seed(patch)
        try:
            await env.start()
            await bot.tree.sync()
            watch = Stopwatch(patch)
            await fight(env, 50, watch, restart)  # everything is loaded and filled once
            await fight(env, 500, watch, restart)
            await refuse(env, watch)
        finally:
            await env.shutdown()
            await db.close()
            await simulator.close()


if __name__ == "__main__":
    asyncio.run(main())
