"""The bot with its real workers, in a process of its own: what is loaded where, and how much memory it takes."""

import json
import subprocess
import sys

import pytest

pytestmark = pytest.mark.process

PROGRAM = """
import asyncio, json, os, struct, sys, zlib
import simcord
from bot.app import Fracas
from tests.bot.store.databases import open_database
from bot.store.database import Database
from sim.workers import PoolLimits, PoolSimulator
from sim.jobs.warm_up import PRELOAD, STOPGAP, warm_up


def resident(pid):
    with open(f"/proc/{pid}/status") as status:
        kib = {line.split()[0]: int(line.split()[1]) for line in status if line.startswith("Vm")}
    return kib["VmHWM:"] / 1024


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(width, height):
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    rows = zlib.compress(bytes((1 + 3 * width) * height))
    return b"\\x89PNG\\r\\n\\x1a\\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


async def fight_a_boss(channel, ann):
    await ann.slash(channel, "boss forge", bosses=("bosses.csv", b"name,health\\nOgre,9000\\n"))
    forged = await ann.slash(channel, "boss forge", boss="Ogre", picture=("ogre.png", png(3000, 2600)))
    panel = (await ann.slash(channel, "boss start", boss="Ogre")).response
    return [one.filename for message in (forged.response, panel) for one in message.attachments]


async def main():
    limits = PoolLimits(workers=1, wall_seconds=60, cost_seconds=60)
    simulator = PoolSimulator(limits, warm_up, STOPGAP, PRELOAD)
    await simulator.start()
    db = await open_database(":memory:")
    bot = Fracas(simulator=simulator, db=db)
    env = simcord.Env(bot, settle_timeout=120)
    await env.start()
    try:
        await bot.tree.sync()
        guild = env.create_guild()
        channel = guild.create_text_channel("battles")
        ann = guild.add_member(env.create_user("ann"))
        first = await ann.slash(channel, "aacalc", battle="6 tanks vs 10 inf")
        async with asyncio.timeout(300):
            await simulator._pool.ready.wait()
        for battle in (
            "500 inf, 100 tanks, 50 ftr vs 600 inf, 100 ftr",
            "9 s 9 d 9 f 9 bb 5 c vs 9 s 9 d 9 f 9 bb 5 c",
            "1000000 i 1000000 t 1000000 f 1000000 b vs 900000 i 900000 t 900000 f",
        ):
            assert (await ann.slash(channel, "aacalc", battle=battle)).response is not None
        pictures = await fight_a_boss(channel, ann)
        pids = [int(pid) for pid in simulator._pool._launch.result()._pool_manager.worker_manager.workers]
        print(json.dumps({
            "answered": first.response is not None,
            "pictures": pictures,
            "loaded": sorted({"numpy", "numba", "PIL"} & set(sys.modules)),
            "worker_mib": max(resident(pid) for pid in pids),
        }))
    finally:
        await env.shutdown()
        await db.close()
        await simulator.close()


if __name__ == "__main__":
    asyncio.run(main())
"""


def test_the_bot_loads_no_kernels_and_its_workers_keep_within_their_memory() -> None:
    # A worker that compiles the kernels takes more, once.
    subprocess.run([sys.executable, "-m", "bot", "warm"], capture_output=True, timeout=600, check=True)
    run = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=600, check=False)
    assert run.returncode == 0, run.stderr
    found = json.loads(run.stdout.splitlines()[-1])
    assert found["answered"]
    assert found["pictures"] == ["boss.png", "card.png", "boss.png"], "workers drew them"
    assert found["loaded"] == []
    assert 100 < found["worker_mib"] < 350
