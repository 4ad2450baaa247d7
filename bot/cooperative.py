"""Cooperative work: loops that yield to the event loop, threads for large texts, work that a cancellation can't end."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable
from typing import Any, TypeVar

T = TypeVar("T")

BREAK_SECONDS = 0.01
"""How long a loop runs before it yields to the event loop."""

MAX_CHARACTERS = 100_000
"""Characters of JSON that may be parsed in the event loop itself."""


async def cooperative(items: Iterable[T]) -> AsyncIterator[T]:
    """Iterate cooperatively: yield to the event loop every 10 ms."""
    since = time.perf_counter()
    for item in items:
        yield item
        if time.perf_counter() - since >= BREAK_SECONDS:
            await asyncio.sleep(0)
            since = time.perf_counter()


async def off_loop(characters: int, work: Callable[..., T], *arguments: object) -> T:
    """Call `work` on JSON text and return the result; in a thread if `characters`, its length, is over MAX_CHARACTERS.

    `work` must not change shared state.
    """
    return await asyncio.to_thread(work, *arguments) if characters > MAX_CHARACTERS else work(*arguments)


async def to_its_end(work: Coroutine[Any, Any, T]) -> T:
    """Finish `work` even if the caller is cancelled; the cancellation is raised afterwards."""
    task = asyncio.create_task(work)
    cancellation: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError as error:
            cancellation = error
    if cancellation is not None:
        raise cancellation from (None if task.cancelled() else task.exception())
    return task.result()
