"""Tells the service manager that the bot is up and that its event loop turns: systemd's `Type=notify`, `WatchdogSec=`.

Without NOTIFY_SOCKET in the environment, as outside of systemd, nothing is told.
"""

import asyncio
import contextlib
import logging
import os
import socket
from collections.abc import AsyncIterator, Callable, Mapping

from bot.logging_setup import event

_log = logging.getLogger("fracas.watchdog")
_MICROSECONDS = 1_000_000
_BEATS = 3
"""Messages in the time that the watchdog allows for one."""


@contextlib.asynccontextmanager
async def watched(environment: Mapping[str, str] = os.environ) -> AsyncIterator[None]:
    """Say that the bot is ready, then within the block that it lives, and at the end that it stops.

    WATCHDOG_USEC: how long the manager waits for a sign of life before it starts the bot anew. The signs come from the
    event loop: one that hangs gives none.
    """
    address = environment.get("NOTIFY_SOCKET")
    if not address:
        yield
        return
    if address.startswith("@"):
        address = f"\0{address[1:]}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as ours:
        ours.settimeout(0)

        def tell(message: bytes) -> None:
            try:
                ours.sendto(message, address)
            except OSError as error:  # the manager is busy, or starts anew itself
                event(_log, "watchdog_unheard", level=logging.WARNING, reason=str(error))

        tell(b"READY=1")
        seconds = int(environment.get("WATCHDOG_USEC", "0")) / _MICROSECONDS
        beating = asyncio.create_task(_beat(tell, seconds))
        try:
            yield
        finally:
            beating.cancel()
            await asyncio.wait({beating})
            tell(b"STOPPING=1")


async def _beat(tell: Callable[[bytes], None], seconds: float) -> None:
    while seconds:
        tell(b"WATCHDOG=1")
        await asyncio.sleep(seconds / _BEATS)
