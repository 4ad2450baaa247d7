"""The rows of the store: commits on a file, and whole commands and presses at a simulated table."""

import asyncio
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from simcord import ResponseMessage

from bot.store import OWN_WORK
from bot.store.battles import BattleRepository
from bot.store.queries import RecentTextRepository
from sim.workers import InlineSimulator
from tests.bench.rows import Row
from tests.bot.conftest import answer, button, fix_seed, set_table
from tests.bot.store.databases import open_database
from tests.bot.store.toy import advance, opened

GROWN = 40
"""Steps after which a battle is as long as one gets here; then another one is opened."""

SETUP = "200 inf vs 200 bombers"
ROUNDS = 8

Deed = Callable[[], Awaitable[object]]


def rows() -> Iterator[Row]:
    """Yield the rows; their files are there as long as the rows are."""
    with tempfile.TemporaryDirectory() as place, pytest.MonkeyPatch.context() as patch, asyncio.Runner() as runner:
        fix_seed(patch)
        stack = AsyncExitStack()
        try:
            deeds = {**runner.run(_commits(stack, Path(place))), **runner.run(_table(stack, Path(place)))}
            for name, deed in deeds.items():
                yield Row(name, lambda deed=deed: runner.run(deed()))  # type: ignore[misc]
        finally:
            runner.run(stack.aclose())


async def _commits(stack: AsyncExitStack, place: Path) -> dict[str, Deed]:
    db = await open_database(place / "commits.db")
    stack.push_async_callback(db.close)
    battles, texts = BattleRepository(db), RecentTextRepository(db)
    battle = await opened(battles)

    async def step() -> None:
        nonlocal battle
        battle = await advance(battles, battle if battle.version < GROWN else await opened(battles))

    return {
        "a step of a battle, with its checks": step,
        "a text remembered": lambda: texts.remember(1, "aa", str(time.perf_counter_ns())),
        "a battle read": lambda: battles.get(battle.id, OWN_WORK),
    }


async def _table(stack: AsyncExitStack, place: Path) -> dict[str, Deed]:
    table = await stack.enter_async_context(set_table(place / "table.db", InlineSimulator()))
    panel: ResponseMessage | None = None
    number = 0

    async def press() -> None:
        nonlocal panel, number
        if panel is None or number == ROUNDS:
            both = {"attacker": table.ann, "defender": table.ann}
            panel, number = answer(await table.ann.slash(table.channel, "aa battle", setup=SETUP, **both)), 0
        number += 1
        await table.ann.click(panel, custom_id=button(panel, "Next round"))

    return {"/aacalc": lambda: table.aacalc("6 tanks vs 10 inf"), "a press in a battle": press}
