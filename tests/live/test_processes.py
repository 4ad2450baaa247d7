"""Three bot processes with one database: one of them is killed again and again, and nobody notices for long.

`FLEET="20 2000"` in the environment plays 20 battles with 2,000 presses; without it there are fewer.
"""

import asyncio
import contextlib
import os
import random
import re
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import pytest
import pytest_asyncio

from bot.config import Server
from bot.store.battles import BattleRepository
from bot.store.database import Database
from tests.bot import payloads
from tests.bot.store.databases import database_of, open_database
from tests.bot.store.toy import expect_sound
from tests.live.conftest import open_discord
from tests.live.discord_server import LittleDiscord
from tests.live.process import BotProcess
from tests.live.world import Channel, Exchange, Json, Message, Player
from tests.sim.workers.waiting import until

pytestmark = [pytest.mark.live, pytest.mark.asyncio(loop_scope="session")]

SHARDS = 3
BATTLES, PRESSES = map(int, os.environ.get("FLEET", "6 120").split())
TWICE = 0.2
KILL_SECONDS = 5.0
CURRENT_SECONDS = 30.0
LOST_SECONDS = 20.0
"""After so long without an answer a player gives up and looks again."""

SETUP = "200 inf vs 200 bombers"  # both lose a sixth a round


@dataclass
class Fleet:
    """The processes, each with a shard of its own; `db`: their database, as one more process sees it."""

    discord: LittleDiscord
    place: Server
    folder: Path
    settings: dict[str, str] = field(default_factory=dict)
    processes: list[BotProcess] = field(default_factory=list)
    kills: int = 0
    db: Database = field(init=False)

    async def start(self) -> None:
        """Start all, and wait until every shard has a session."""
        for number in range(SHARDS):
            (self.folder / str(number)).mkdir()
            self.processes.append(await self._start(number))
        await self.discord.until(lambda: self.discord.gateway.connected)

    async def _start(self, number: int) -> BotProcess:
        settings = {
            "FRACAS_DB": self.place.url,
            "FRACAS_SHARDS": str(SHARDS),
            "FRACAS_SHARD_IDS": str(number),
            "FRACAS_WORKERS": "1",
            **self.settings,
        }
        return await BotProcess.start(self.discord, self.folder / str(number), settings=settings)

    async def keep_killing(self) -> None:
        """Kill one process after the other, and start it again at once, as a service manager does.

        The next one lives until all are there again: how long a start takes is the machine's affair.
        """
        while True:
            await asyncio.sleep(KILL_SECONDS)
            await self.discord.until(lambda: self.discord.gateway.connected)
            number = self.kills % SHARDS
            await asyncio.shield(asyncio.create_task(self.restart(number)))  # who is killed starts again in any case
            self.kills += 1

    async def restart(self, number: int) -> None:
        """Kill a process, and start it again."""
        await self.processes[number].kill()
        self.processes[number] = await self._start(number)

    async def kill(self) -> None:
        """Kill all."""
        for process in self.processes:
            await process.kill()

    async def stop(self) -> None:
        """End all, and expect that none of them met an error."""
        for process in self.processes:
            assert await process.stop() == 0, process.err
            broken_off = [line for line in process.trouble if line["level"] != "RAW"]
            assert not broken_off, broken_off


@contextlib.asynccontextmanager
async def open_fleet(
    registered: dict[str, list[Json]], server: Server, folder: Path, **settings: str
) -> AsyncIterator[Fleet]:
    """Start all with a database of their own; `settings`: environment variables."""
    async with contextlib.AsyncExitStack() as stack:
        place = await stack.enter_async_context(database_of(server))
        discord = await open_discord(stack, registered, SHARDS)
        discord.gateway.shards = SHARDS
        fleet = Fleet(discord, place, folder, settings)
        stack.push_async_callback(fleet.kill)
        await fleet.start()
        fleet.db = await open_database(place)
        stack.push_async_callback(fleet.db.close)
        yield fleet


@pytest_asyncio.fixture(loop_scope="session")
async def fleet(registered: dict[str, list[Json]], server: Server, tmp_path: Path) -> AsyncIterator[Fleet]:
    async with open_fleet(registered, server, tmp_path) as fleet:
        yield fleet


@dataclass
class Table:
    """One channel, where Ann fights Ben, battle after battle."""

    fleet: Fleet
    channel: Channel
    ann: Player
    ben: Player
    choose: random.Random
    begins: list[Exchange] = field(default_factory=list)
    presses: list[Exchange] = field(default_factory=list)
    again: list["asyncio.Task[None]"] = field(default_factory=list)
    twice: int = 0

    async def play(self, presses: int) -> None:
        """Press until that was done so often; begin a new battle when one is over."""
        while len(self.presses) < presses:
            await self._until_connected()
            battle = await self.fleet.db.fetch_one(
                "SELECT panel_id FROM battles WHERE channel_id = ? AND status = 'open' ORDER BY number DESC LIMIT 1",
                [self.channel.id],
            )
            if battle is None:
                self.begins.append(
                    await self.ann.slash("aa battle", setup=SETUP, attacker=self.ann, defender=self.ben, wait=False)
                )
                await self._answered(self.begins[-1])
            elif not (panel := self.fleet.discord.api.messages.get(battle["panel_id"])) or not (
                button := _fight(panel)
            ):
                await asyncio.sleep(0.2)  # it is shown soon
            else:
                self.presses.append(await self.ann.press_id(panel, button, wait=False))
                self._deliver_again(self.presses[-1])
                await self._answered(self.presses[-1])
        await asyncio.gather(*self.again)

    def _deliver_again(self, press: Exchange) -> None:
        """Let one press in five come twice: at once or later, to its own process or to another one."""
        if self.choose.random() < TWICE:
            self.twice += 1
            delay = self.choose.choice([0.0, 0.0, self.choose.uniform(0.0, 2 * KILL_SECONDS)])
            self.again.append(asyncio.create_task(self._send(press, delay, self.choose.randrange(SHARDS))))

    async def _send(self, press: Exchange, delay: float, shard: int) -> None:
        await asyncio.sleep(delay)
        await self.fleet.discord.send(press, shard)

    async def _until_connected(self) -> None:
        gateway = self.fleet.discord.gateway
        shard = gateway.shard_of(self.channel.guild_id)
        await self.fleet.discord.until(lambda: gateway.current[shard].socket is not None)

    async def _answered(self, exchange: Exchange) -> None:
        """Wait for the answer, or until it can't come any more: the process is dead."""
        gateway = self.fleet.discord.gateway
        shard = gateway.shard_of(self.channel.guild_id)
        session = gateway.current[shard]
        with contextlib.suppress(AssertionError):
            await self.fleet.discord.until(
                lambda: exchange.ended or gateway.current[shard] is not session, LOST_SECONDS
            )


def _fight(panel: Message) -> str | None:
    found = payloads.pressable(panel.components)
    return next((node["custom_id"] for node in found if payloads.label(node).startswith("Next round")), None)


def shown(message: Message) -> dict[int, int]:
    """Return which version of which battle the buttons of a message are for."""
    ids = [str(node.get("custom_id", "")) for node in message.components if node["type"] == payloads.BUTTON]
    return {int(found[1]): int(found[2]) for each in ids if (found := re.match(r"b1:(\d+):(\d+):", each))}


async def watch(db: Database, waits: list[float]) -> None:
    """Note for how long each change waited to be shown."""
    since: dict[tuple[int, int], float] = {}
    while True:
        now = time.monotonic()
        rows = [(row["battle_id"], row["revision"]) for row in await db.fetch_all("SELECT * FROM outbox")]
        waits += [now - since[key] for key in since.keys() - set(rows)]
        since = {key: since.get(key, now) for key in rows}
        await asyncio.sleep(0.5)


async def is_current(table: Table) -> bool:
    rows = await table.fleet.db.fetch_all(
        "SELECT id, version, status, panel_id FROM battles WHERE channel_id = ?", [table.channel.id]
    )
    for row in rows:
        message = table.fleet.discord.api.messages.get(row["panel_id"])
        version = None if message is None else shown(message).get(row["id"])
        if message is None or (version != row["version"] if row["status"] == "open" else _fight(message) is not None):
            return False
    return not await table.fleet.db.fetch_all("SELECT battle_id FROM outbox")


async def test_one_process_after_the_other_is_killed(fleet: Fleet) -> None:
    discord, db = fleet.discord, fleet.db
    choose = random.Random(20261122)
    tables = []
    for number in range(BATTLES):
        channel = discord.new_channel(f"battles-{number}", server=number % SHARDS)
        ann, ben = (discord.player(f"{name}{number}", channel) for name in ("ann", "ben"))
        tables.append(Table(fleet, channel, ann, ben, choose))
    waits: list[float] = []
    began = time.monotonic()
    helpers = [asyncio.create_task(watch(db, waits)), asyncio.create_task(fleet.keep_killing())]
    await asyncio.gather(*(table.play(PRESSES // BATTLES) for table in tables))
    played = time.monotonic() - began
    for helper in helpers:
        helper.cancel()
    await asyncio.wait(helpers)
    await discord.until(lambda: discord.gateway.connected)
    began = time.monotonic()
    for table in tables:
        await until(partial(is_current, table), 0.2, CURRENT_SECONDS)
    settled = time.monotonic() - began

    presses = {press.id: press for table in tables for press in table.presses}
    begins = {begin.id: begin for table in tables for begin in table.begins}
    applied = {row[0] for row in await db.fetch_all("SELECT interaction_id FROM applied_interactions")}
    battles = [row["id"] for row in await db.fetch_all("SELECT id FROM battles ORDER BY id")]
    print(  # noqa: T201 - the figures of a run
        f"{len(battles)} battles, {len(presses)} presses, {sum(table.twice for table in tables)} of them twice,"
        f" {len(applied & presses.keys())} applied, {fleet.kills} kills in {played:.0f} s;"
        f" changes were shown within {max(waits, default=0.0):.1f} s, at the end within {settled:.1f} s"
    )
    refused = {begin.text for table in tables for begin in table.begins if begin.id not in applied}
    assert len(battles) == len(applied & begins.keys()) >= BATTLES, refused
    rows = await db.fetch_all("SELECT battle_id, count(*) FROM journal WHERE kind = 'step' GROUP BY battle_id")
    steps = dict(map(tuple, rows))
    assert sum(steps.values()) == len(applied & presses.keys()), "a press is a step, whoever got it how often"
    for message in discord.api.messages.values():
        for of, version in shown(message).items():
            assert version <= steps.get(of, 0), "what was shown is kept"
    for battle_id in battles:
        await expect_sound(BattleRepository(db), battle_id)
    numbers = await db.fetch_all("SELECT channel_id, number FROM battles ORDER BY channel_id, number")
    for table in tables:
        of_channel = [number for channel, number in numbers if channel == table.channel.id]
        assert of_channel == list(range(1, len(of_channel) + 1))
    assert max(waits, default=0.0) < 2 * CURRENT_SECONDS, "even on a machine that is busy with other things"
    assert not discord.api.violations
    await fleet.stop()
