"""How long others wait for a large database: `python -m tests.bench.growth [--gb G] [--rows N]`.

Builds a file of that size in the folder for temporary files, and removes it. Somebody writes and somebody reads without
a pause, while the bot starts, clears 10,000 old battles, exports and deletes a person with 3,000 battles, and makes a
backup.
"""

import argparse
import asyncio
import contextlib
import gc
import json
import mmap
import random
import sqlite3
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path

from bot.cli.run import GC_THRESHOLDS
from bot.games import Games
from bot.privacy import as_json
from bot.store import OWN_WORK
from bot.store.battles import KEPT_SECONDS, BattleRepository, Retention
from bot.store.database import Database
from bot.store.personal_data import PersonalDataRepository
from bot.store.personal_tables import HOUSE_TABLES
from bot.store.queries import RecentTextRepository
from tests.bot.store.databases import open_database
from tests.bot.store.toy import opened

ANN, PEOPLE = (1 << 59) + 0x123456789AB, 5000
"""Whom the bench deletes, and how many others there are."""

OLD, HERS, BATTLES = 10_000, 3_000, 32_000
"""Battles past their retention, battles of hers, and battles, where there are 2,000,000 rows."""

LIMITS = {"write": 250, "read": 100}
"""The longest that anybody may wait, in milliseconds."""


def build(path: Path, rows: int, size: float) -> None:
    """Fill a migrated database with `rows` rows of `size` bytes in all."""
    scale = rows / 2_000_000
    battles, old, hers = (int(number * scale) for number in (BATTLES, OLD, HERS))
    length = int(size / rows) - 350
    choose = random.Random(20261122)
    now = int(time.time())
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as conn:
        conn.execute("PRAGMA synchronous = OFF")
        conn.execute("PRAGMA secure_delete = ON")
        conn.execute("BEGIN")

        def person() -> int:
            return 10**17 + choose.randrange(PEOPLE)

        def told() -> str:
            return json.dumps({"told": "x" * choose.randrange(length * 2)})

        def people(battle: int) -> tuple[int, int]:
            return (ANN if old <= battle < old + hers else person()), person()

        def of_battles() -> Iterator[tuple[object, ...]]:
            for battle in range(battles):
                at = now - KEPT_SECONDS - 60 if battle < old else now
                yield battle + 1, battle, battle, people(battle)[0], told(), told(), at, at

        conn.executemany(
            "INSERT INTO battles (id, channel_id, number, starter_id, system, rules, setup, seed, seed_hash, state,"
            " status, created_at, updated_at) VALUES (?, ?, ?, ?, 'toy', 1, ?, x'00', '', ?, 'ended', ?, ?)",
            of_battles(),
        )
        seats = ((n + 1, seat, f"{seat}", user) for n in range(battles) for seat, user in enumerate(people(n)))
        conn.executemany("INSERT INTO seats(battle_id, position, seat, user_id, is_bot) VALUES (?, ?, ?, ?, 0)", seats)
        journal = ((n + 1, row, str(people(n)[row % 2]), told()) for n in range(battles) for row in range(1, 51))
        conn.executemany(
            "INSERT INTO journal (battle_id, n, kind, seat, actor, action, events, version, state_hash, previous, hash,"
            " created_at) VALUES (?, ?, 'step', '', ?, '{}', ?, 1, '', '', hex(randomblob(32)), 0)",
            journal,
        )
        left = rows - battles * 53
        askers = (ANN if number % 100 == 0 else person() for number in range(left))
        asked = ((f"{number:x}", asker, told(), now) for number, asker in enumerate(askers))
        conn.executemany(
            "INSERT INTO calculations (id, kind, asker_id, request, created_at)"
            " VALUES (?1 || hex(randomblob(6)), 'aa', ?2, ?3, ?4)",
            asked,
        )
        conn.execute("COMMIT")


class Others:
    """Somebody who writes and somebody who reads; notes how long each waits, in milliseconds."""

    def __init__(self, db: Database, battle: int) -> None:
        self._texts, self._battles, self._battle = RecentTextRepository(db), BattleRepository(db), battle
        self._number = 0

    async def _write(self) -> None:
        self._number += 1
        await self._texts.remember(1, "aa", str(self._number))

    async def _read(self) -> None:
        await self._battles.get(self._battle, OWN_WORK)

    @contextlib.asynccontextmanager
    async def beside(self, deed: str) -> AsyncIterator[None]:
        """Let them come and go during the block, and print a row of the table."""
        waits: dict[str, list[float]] = {"write": [], "read": []}

        async def again(what: str, do: Callable[[], Awaitable[None]]) -> None:
            while True:
                began = time.perf_counter()
                await do()
                waits[what].append((time.perf_counter() - began) * 1000)
                await asyncio.sleep(0.005)

        tasks = [asyncio.create_task(again("write", self._write)), asyncio.create_task(again("read", self._read))]
        began, processor = time.perf_counter(), time.process_time()
        yield
        seconds, processor = time.perf_counter() - began, time.process_time() - processor
        await asyncio.sleep(0.3)
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
        cells = []
        for what, limit in LIMITS.items():
            found = sorted(waits[what])
            cells.append(f"{len(found):>7}{found[len(found) * 99 // 100]:>7.0f}{found[-1]:>7.0f}")
            cells.append("!" if found[-1] > limit else " ")
        print(f"{deed:<34}{seconds:>8.1f}{processor:>8.1f}{''.join(cells)}", flush=True)


async def measure(path: Path) -> None:
    """Print the table."""
    games = Games.discover()
    began = time.perf_counter()
    db = await open_database(path, games.schemas)
    print(f"the start answers after {time.perf_counter() - began:.1f} s")
    print(f"{'':<34}{'':>16}{'writes, ms':^22}{'reads, ms':^22}")
    print(f"{'':<34}{'s':>8}{'cpu':>8}" + f"{'n':>7}{'99 %':>7}{'max':>7} " * 2)
    try:
        others = Others(db, (await opened(BattleRepository(db))).id)
        personal_data = PersonalDataRepository(db, (*HOUSE_TABLES, *games.personal_data))
        async with others.beside("the start, its check"):
            await db.checked()
        async with others.beside("nothing"):
            await asyncio.sleep(15)
        async with others.beside("the first clearing of remains"), db.erasing():
            await db.execute("DELETE FROM recent_texts WHERE user_id = 2")
        async with others.beside("old battles cleared"):
            number = await Retention(db).forget_finished()
        print(f"    {number} battles")
        async with others.beside("/privacy show"):
            await personal_data.summary(ANN)
        async with others.beside("/privacy export"):
            found = await personal_data.export(ANN)
            data = await as_json(ANN, found)
        print(f"    {len(data) / 1e6:.1f} MB of {len(found['battles'])} battles")
        async with others.beside("/privacy delete"):
            await personal_data.forget_person(ANN)
        print(f"    she is in {await asyncio.to_thread(traces, path)} files")
        async with others.beside("a backup"):
            await db.copy_to(path.with_name("copy.db"))
    finally:
        await db.close()


def traces(path: Path) -> int:
    """Return how many files hold her id, as digits or as SQLite stores it."""
    needles = str(ANN).encode(), ANN.to_bytes(8, "big")
    found = 0
    for each in path.parent.iterdir():
        if not each.stat().st_size:
            continue
        with each.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            found += any(data.find(needle) >= 0 for needle in needles)
    return found


async def make(path: Path) -> None:
    """Make an empty database."""
    await (await open_database(path)).close()


def main(argv: list[str]) -> None:
    """Build, measure, remove."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.growth", description=__doc__)
    parser.add_argument("--gb", type=float, default=2.0, help="the file's size (default: 2)")
    parser.add_argument("--rows", type=int, default=2_000_000, help="how many rows it has (default: 2,000,000)")
    arguments = parser.parse_args(argv)
    gc.set_threshold(*GC_THRESHOLDS)  # as for the bot
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "fracas.db"
        asyncio.run(make(path))
        build(path, arguments.rows, arguments.gb * 1e9)
        print(f"{path.stat().st_size / 1e9:.2f} GB, {arguments.rows} rows, SQLite {sqlite3.sqlite_version}")
        asyncio.run(measure(path))


if __name__ == "__main__":
    main(sys.argv[1:])
