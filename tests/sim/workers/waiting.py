"""Waiting for other processes, as long as it takes."""

import asyncio
import functools
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import ParamSpec

P = ParamSpec("P")

LONG = 120.0
"""Seconds after which a test gives up; none of them takes nearly as long."""


async def until(condition: Callable[[], bool | Awaitable[bool]], pause: float = 0.01, seconds: float = LONG) -> None:
    """Return once `condition` holds, looking every `pause` seconds (0: every step); TimeoutError when it never does."""
    async with asyncio.timeout(seconds):
        while not (found if isinstance(found := condition(), bool) else await found):  # noqa: ASYNC110 - others make it so
            await asyncio.sleep(pause)


async def pid_in(path: Path) -> int:
    """Return the process id that a job writes to `path`, once it has."""
    await until(path.exists)
    return int(path.read_text())  # noqa: ASYNC240 - a few bytes


def gone(pid: int) -> bool:
    """Whether there is no such process any more, not even a dead one that nobody has fetched."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def stat_of(pid: int) -> list[str]:
    """Return what the kernel tells of a process, from its state on; nothing of one that is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return []


def dead(pid: int) -> bool:
    """Whether the process has ended; one that outlived its parent is fetched by the system, whenever that may be."""
    return stat_of(pid)[:1] in ([], ["Z"], ["X"])


class TimelessLoop(asyncio.SelectorEventLoop):
    """An event loop whose clock jumps to the next timer when there is nothing else to do."""

    def __init__(self) -> None:
        super().__init__()
        self._now = 0.0

    def time(self) -> float:
        return self._now

    def hold(self, seconds: float) -> None:
        """Let time go by as if something held the loop meanwhile."""
        self._now += seconds

    def _run_once(self) -> None:
        if not self._ready and self._scheduled:  # type: ignore[attr-defined]  # as asyncio names them
            self._now = max(self._now, self._scheduled[0].when())  # type: ignore[attr-defined]  # likewise
        super()._run_once()  # type: ignore[misc]  # likewise


def in_no_time(scene: Callable[P, Awaitable[None]]) -> Callable[P, None]:
    """Make a test of a coroutine function: asyncio's time passes at once, the same way every time."""

    @functools.wraps(scene)
    def play(*args: P.args, **options: P.kwargs) -> None:
        async def scenes() -> None:
            await scene(*args, **options)

        with asyncio.Runner(loop_factory=TimelessLoop) as runner:
            runner.run(scenes())

    return play
