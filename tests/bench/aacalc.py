"""What an `/aacalc` costs: `python -m tests.bench.aacalc`, by hand, on an idle machine.

Prints how long a player waits for the answer of the real bot in the simulated Discord, with worker processes and a
database file, and how many answers there are in a second. The simulated Discord runs in the bot's process, so a part of
each answer is Discord's.
"""

import asyncio
import tempfile
import time
from collections.abc import Awaitable, Callable
from itertools import product
from pathlib import Path
from statistics import median
from typing import Any

import pytest
import simcord
from simcord import MemberActor
from simcord.enums import InteractionType
from simcord.interactions import base_payload

from bot.app import Fracas
from bot.games.axis_allies.cog import CalcHandler
from bot.offline.site import PatientEnv
from sim.jobs.warm_up import warm_up
from sim.workers import PoolLimits, PoolSimulator
from tests.bot.conftest import COMPILING, answer, text_of
from tests.bot.store.databases import open_database

ANSWER_MS, ANSWERS = 40, 60
PLAYERS, ROUNDS = 16, 10
"""Players who ask at the same time, each in a server of its own, and how often they do."""

QUESTIONS = [f"{tanks} tanks, {infantry} inf vs {defenders} inf" for tanks, infantry, defenders in product(
    range(1, 7), range(1, 9), range(3, 11)
)]  # fmt: skip


class Counter:
    """Waits until so many answers are shown; the simulated Discord's own way to wait costs more than the bot."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._left = most
        self._done = asyncio.Event()

    def counting(self, show: Callable[..., Awaitable[None]]) -> Callable[..., Awaitable[None]]:
        """Return `show`, counted."""

        async def counted(*arguments: Any, **options: Any) -> None:  # noqa: ANN401  # whatever it takes
            await show(*arguments, **options)
            self._left -= 1
            if not self._left:
                self._left = self._most
                self._done.set()

        return counted

    async def wait(self) -> None:
        """Wait, and begin again."""
        await self._done.wait()
        self._done.clear()


def ask(env: simcord.Env, player: MemberActor, channel_id: int, battle: str) -> None:
    """Type `/aacalc` and don't wait for the answer."""
    options = [{"name": "battle", "type": 3, "value": battle}]
    _, payload = base_payload(
        env.backend,
        type=InteractionType.APPLICATION_COMMAND,
        channel_id=channel_id,
        guild_id=player.guild.id,
        user_id=player.id,
        data={"id": "1", "name": "aacalc", "type": 1, "options": options},
    )
    env.backend.emit("INTERACTION_CREATE", payload)


async def bot() -> None:
    """Print how long an answer takes, and how many there are in a second when several players ask."""
    simulator = PoolSimulator(PoolLimits(), warm_up)
    with tempfile.TemporaryDirectory() as place:
        db = await open_database(Path(place) / "fracas.db")
        fracas = Fracas(simulator=simulator, db=db)
        patch = pytest.MonkeyPatch()
        env = PatientEnv(fracas, settle_timeout=COMPILING)
        try:
            await env.start()
            await fracas.tree.sync()
            guilds = [env.create_guild() for _ in range(PLAYERS)]
            channels = [guild.create_text_channel("battles") for guild in guilds]
            players = [guild.add_member(env.create_user(f"p{at}")) for at, guild in enumerate(guilds)]
            questions = iter(QUESTIONS)
            waits = []
            for number in range(80):
                began = time.perf_counter()
                result = await players[0].slash(channels[0], "aacalc", battle=next(questions))
                assert " of the time" in text_of(answer(result))
                waits.append(1e3 * (time.perf_counter() - began) if number >= 20 else 1e9)
            print(f"\n{'answer through the bot, ms':<34}{min(waits):>7.1f}{median(waits[20:]):>8.1f}{ANSWER_MS:>5}")
            began, busy = time.perf_counter(), time.process_time()
            shown = Counter(PLAYERS)
            patch.setattr(CalcHandler, "show", shown.counting(CalcHandler.show))
            for _ in range(ROUNDS):
                for player, channel in zip(players, channels, strict=True):
                    ask(env, player, channel.id, next(questions))
                await shown.wait()
            rate = ROUNDS * PLAYERS / (time.perf_counter() - began)
            own = 1e3 * (time.process_time() - busy) / (ROUNDS * PLAYERS)
            print(f"{'answers a second, all at once':<34}{rate:>15.1f}{ANSWERS:>5}")
            print(f"{'  of it the bot and Discord, ms':<34}{own:>15.1f}")
            await env.settle()
        finally:
            patch.undo()
            await env.shutdown()
            await db.close()
            await simulator.close()


if __name__ == "__main__":
    warm_up()
    asyncio.run(bot())
