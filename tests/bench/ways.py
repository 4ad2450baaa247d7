"""Counts the files of bot/ that a command or a press goes through: `python -m tests.bench.ways` prints the lists.

The calls are traced at a simulated table, after each way was gone once before: what only a first time needs counts not.
Nor does bot/offline, which is the table itself: on Discord nothing of it runs.
"""

import asyncio
import sys
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType

from sim.workers import InlineSimulator
from sim.workers.queue import PoolLimits
from tests.bot.conftest import Table, answer, buttons_of, set_table

ROOT = Path(__file__).resolve().parents[2]
COUNTED = {
    "parsed": ("sim/axis_allies/parse/", {"_read_question"}),
    "battle read": (
        "bot/store/battles.py",
        {"BattleRepository.get", "BattleRepository.by_number", "BattleRepository.locked"},
    ),
    "state read": ("bot/battles/", {"StateReader.read"}),
    "action resolved": ("bot/battles/", {"BattleService.resolve"}),
}
"""What else is counted: calls of these functions in files that begin so."""


@dataclass(slots=True)
class Way:
    """The files of bot/ that were gone through, with how many calls of their functions, and the calls of COUNTED."""

    files: Counter[str] = field(default_factory=Counter)
    calls: Counter[str] = field(default_factory=Counter)

    def trace(self, frame: FrameType, event: str, _argument: object) -> None:
        """Count a call; for `sys.setprofile`."""
        code = frame.f_code
        if event != "call" or not code.co_filename.startswith(str(ROOT)):
            return
        path = code.co_filename.removeprefix(f"{ROOT}/")
        if path.startswith("bot/") and not path.startswith("bot/offline/"):
            self.files[path] += 1
        for what, (folder, names) in COUNTED.items():
            if path.startswith(folder) and code.co_qualname in names and _begins(frame):
                self.calls[what] += 1
        if code.co_name == "fetch_all" and _begins(frame) and " FROM battles" in frame.f_locals["sql"]:
            self.calls["rows of battles read"] += 1


_START = 4


def _begins(frame: FrameType) -> bool:
    """Tell a call from a coroutine that goes on: only a call is at its first instructions, which prepare its cells."""
    code = frame.f_code
    return frame.f_lasti <= _START + 2 * (len(code.co_cellvars) + bool(code.co_freevars))


async def traced(walk: Callable[[], Awaitable[object]]) -> Way:
    """Return the way that `walk` takes."""
    way = Way()
    sys.setprofile(way.trace)
    try:
        await walk()
    finally:
        sys.setprofile(None)
    return way


async def ways(table: Table) -> dict[str, Way]:
    """Return the ways of `/aacalc`, of a press in a battle, and of `/campaign next`, by these names."""

    async def slash(command: str, **options: object) -> object:
        return answer(await table.ann.slash(table.channel, command, **options))

    found: dict[str, Way] = {}
    await table.aacalc("3 tanks vs 4 inf")
    found["/aacalc"] = await traced(lambda: table.aacalc("6 tanks vs 10 inf"))
    people = {"attacker": table.ann, "defender": table.ben}
    panel = answer(await table.ann.slash(table.channel, "aa battle", setup="120 tanks vs 130 inf", **people))
    await table.press(panel, buttons_of(panel)[0])
    found["a press"] = await traced(lambda: table.press(panel, buttons_of(panel)[0]))
    await table.press(panel, "Fight to the end")
    await slash("campaign new", name="Siege", battle=1)
    found["/campaign next"] = await traced(lambda: slash("campaign next", foe="5 inf"))
    return found


async def _measured() -> dict[str, Way]:
    with TemporaryDirectory() as directory:
        async with set_table(Path(directory) / "fracas.db", InlineSimulator(PoolLimits())) as table:
            return await ways(table)


def main() -> None:
    """Print every way with its files."""
    for name, way in asyncio.run(_measured()).items():
        counted = ", ".join(f"{what} {count}" for what, count in way.calls.items())
        print(f"{name}: {len(way.files)} files of bot/; {counted or 'nothing else counted'}")
        for path, calls in sorted(way.files.items()):
            print(f"  {path} {calls}")


if __name__ == "__main__":
    main()
