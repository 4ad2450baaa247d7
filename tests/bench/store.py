"""How quick commits and whole commands are on a file, here and in another checkout: `python -m tests.bench.store TREE`.

Both are measured in turns, in processes of their own. Processor time says more than time on a busy machine.
"""

import asyncio
import gc
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
import simcord

from bot.app import Fracas
from bot.cli.run import GC_THRESHOLDS
from bot.game import Games
from bot.store import OWN_WORK
from bot.store.battles.repository import BattleRepository
from bot.store.queries import RecentTextRepository
from sim.jobs.warm_up import warm_up
from sim.workers import InlineSimulator
from tests.bot.conftest import COMPILING, answer, button, fix_seed
from tests.bot.store.toy import advance, opened

ROUNDS = 5
COMMITS, TEXTS, COMMANDS, PRESSES = 300, 300, 40, 40
ROOT = Path(__file__).parents[2]

Measured = dict[str, tuple[float, float]]
"""Milliseconds of each thing: on the clock, and of the processor."""


async def measure() -> Measured:
    """Measure everything once."""
    warm_up()
    gc.set_threshold(*GC_THRESHOLDS)
    found: Measured = {}

    async def timed(name: str, times: int, deed: Callable[[], Awaitable[object]]) -> None:
        await deed()
        wall, processor = time.perf_counter(), time.process_time()
        for _ in range(times):
            await deed()
        found[name] = (
            (time.perf_counter() - wall) * 1000 / times,
            (time.process_time() - processor) * 1000 / times,
        )

    with tempfile.TemporaryDirectory() as place:
        games = Games.discover()
        db = await _open(Path(place) / "fracas.db", games)
        battles, texts = BattleRepository(db), RecentTextRepository(db)
        battle = await opened(battles)

        async def step() -> None:
            nonlocal battle
            battle = await advance(battles, battle if battle.version < 40 else await opened(battles))

        await timed("a step of a battle, with its checks", COMMITS, step)
        await timed("a text remembered", TEXTS, lambda: texts.remember(1, "aa", str(time.perf_counter_ns())))
        await timed("a battle read", COMMITS, lambda: battles.get(battle.id, OWN_WORK))
        await db.close()

        db = await _open(Path(place) / "bot.db", games)
        bot = Fracas(simulator=InlineSimulator(), db=db, games=games)
        env = simcord.Env(bot, settle_timeout=COMPILING)
        patch = pytest.MonkeyPatch()
        fix_seed(patch)
        try:
            await env.start()
            await bot.tree.sync()
            guild = env.create_guild()
            channel = guild.create_text_channel("battles")
            ann = guild.add_member(env.create_user("ann"))
            await timed("/aacalc", COMMANDS, lambda: ann.slash(channel, "aacalc", battle="6 tanks vs 10 inf"))
            setup = "200 inf vs 200 bombers"
            begun = await ann.slash(channel, "aa battle", setup=setup, attacker=ann.user, defender=ann.user)
            panel = answer(begun)
            number = 0

            async def press() -> None:
                nonlocal panel, number
                if number == 8:
                    number = 0
                    panel = answer(
                        await ann.slash(channel, "aa battle", setup=setup, attacker=ann.user, defender=ann.user)
                    )
                number += 1
                await ann.click(panel, custom_id=button(panel, f"Fight round {number}"))

            await timed("a press in a battle", PRESSES, press)
        finally:
            patch.undo()
            await env.shutdown()
            await db.close()
    return found


async def _open(path: Path, games: Games):  # type: ignore[no-untyped-def]  # noqa: ANN202 - of either checkout
    try:
        from tests.bot.store.databases import open_database  # noqa: PLC0415 - not in older ones
    except ImportError:
        from bot.store import database  # noqa: PLC0415

        return await database.Database.open(path, games.schemas)  # type: ignore[attr-defined]
    return await open_database(path, games.schemas)


def measure_in(tree: Path) -> Measured:
    """Measure a checkout in a process of its own."""
    environment = {**os.environ, "PYTHONPATH": str(tree)}
    program = [sys.executable, "-P", str(Path(__file__)), "--once"]
    done = subprocess.run(program, cwd=tree, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    measured: Measured = json.loads(done.stdout.splitlines()[-1])
    return measured


def main(other: Path) -> None:
    """Print the best of each, which is what others on the machine disturb least, and the ratio of here to there."""
    runs: dict[Path, list[Measured]] = {other: [], ROOT: []}
    for number in range(ROUNDS):
        for tree in (other, ROOT) if number % 2 else (ROOT, other):
            runs[tree].append(measure_in(tree))
    print(f"{'ms: there, here, ratio':<40}{'clock':>24}{'processor':>24}")
    for name in runs[ROOT][0]:
        cells = []
        for which in range(2):
            before, now = (min(run[name][which] for run in runs[tree]) for tree in (other, ROOT))
            cells.append(f"{before:>9.2f}{now:>8.2f}{now / before:>7.2f}")
        print(f"{name:<40}{''.join(cells)}")


if __name__ == "__main__":
    if sys.argv[1] == "--once":
        print(json.dumps(asyncio.run(measure())))
    else:
        main(Path(sys.argv[1]).resolve())
