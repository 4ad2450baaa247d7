"""Long loops in the event loop, with breaks in which everybody else is served."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterable
from typing import TypeVar

T = TypeVar("T")

BREAK_SECONDS = 0.01
"""After so long, with what is done with the items, others have their turn."""


async def cooperative(items: Iterable[T]) -> AsyncIterator[T]:
    """Yield the items, and let others go on whenever making and using them has taken a while."""
    since = time.perf_counter()
    for item in items:
        yield item
        if time.perf_counter() - since >= BREAK_SECONDS:
            await asyncio.sleep(0)
            since = time.perf_counter()
