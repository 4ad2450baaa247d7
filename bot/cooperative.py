"""Long work beside the event loop's: loops with breaks in which everybody else is served, and threads."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterable
from typing import TypeVar

T = TypeVar("T")

BREAK_SECONDS = 0.01
"""After so long, with what is done with the items, others have their turn."""

MAX_CHARACTERS = 100_000
"""Characters of JSON that are read in the event loop itself."""


async def cooperative(items: Iterable[T]) -> AsyncIterator[T]:
    """Yield the items, and let others go on whenever making and using them has taken a while."""
    since = time.perf_counter()
    for item in items:
        yield item
        if time.perf_counter() - since >= BREAK_SECONDS:
            await asyncio.sleep(0)
            since = time.perf_counter()


async def off_loop(characters: int, work: Callable[..., T], *arguments: object) -> T:
    """Return what `work` makes of so many characters of JSON; of many in a thread, where others have their turn.

    The interpreter lets the event loop in every few milliseconds. `work` must not change anything that others see.
    """
    return await asyncio.to_thread(work, *arguments) if characters > MAX_CHARACTERS else work(*arguments)
