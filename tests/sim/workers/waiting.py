"""Waiting for other processes, as long as it takes."""

import asyncio
import os
from collections.abc import Callable
from pathlib import Path

LONG = 30.0
"""Seconds after which a test gives up; none of them takes nearly as long."""


async def until(condition: Callable[[], bool], pause: float = 0.01) -> None:
    """Return once `condition` holds, looking every `pause` seconds (0: every step); TimeoutError when it never does."""
    async with asyncio.timeout(LONG):
        while not condition():  # noqa: ASYNC110 - another process makes it true
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
