"""One shard: its connection to the gateway, held for as long as the bot runs, and the pauses of an outage."""

import asyncio
import contextlib
import logging
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import aiohttp
import discord
from discord.gateway import DiscordWebSocket, ReconnectWebSocket

from bot.logging_setup import event
from bot.metrics import Metrics
from bot.store import StoreError

CONNECT_SECONDS = 60.0
"""How long one attempt may take; to identify again takes 5 s of them."""

IDENTIFY_SECONDS = 5.0
"""The pause between two shards that identify."""

RESUME_ATTEMPTS = 4
"""After more failures than this the session is given up: its own address may be what can't be reached."""

CLOSE_SECONDS = 1.0
"""How long the gateway has to say goodbye."""

_NORMAL, _INTENTS_REFUSED = 1000, 4014
# The token was withdrawn, or what the bot asks for is refused: it would be so the next time.
_FINAL_CODES = frozenset({4004, 4010, 4011, 4012, 4013, _INTENTS_REFUSED})


MAX_PAUSE_SECONDS = 60.0
"""The longest pause between two attempts."""

UNREACHED = (OSError, aiohttp.ClientError, TimeoutError, discord.HTTPException, discord.ConnectionClosed)
"""What an attempt to sign in, or to connect, ends in."""

_log = logging.getLogger("fracas.connection")


class Outage:
    """What keeps one shard, or with None signing in, from Discord; `failures` counts the attempts since it began."""

    def __init__(self, shard: int | None = None) -> None:
        self.failures = 0
        self._shard = shard
        self._away_since: float | None = None

    def begins(self) -> None:
        """Note that what was there is gone."""
        if self._away_since is None:
            self._away_since = time.monotonic()

    async def pause(self, error: Exception) -> None:
        """Wait after a failed attempt, longer each time."""
        self.begins()
        pause = min(MAX_PAUSE_SECONDS, 2.0**self.failures)
        self.failures += 1
        of: dict[str, Any] = {"shard": self._shard, "attempt": self.failures, "away": self._away(), "pause": pause}
        event(_log, "discord_unreachable", level=logging.WARNING, **of, error=repr(error))
        await asyncio.sleep(pause)

    def ends(self) -> None:
        """Note that Discord is reached again."""
        if self.failures:
            event(_log, "discord_reached", shard=self._shard, away=self._away())
        self.failures = 0
        self._away_since = None

    def _away(self) -> int:
        return 0 if self._away_since is None else round(time.monotonic() - self._away_since)


class IdentifyTurn:
    """Lets one shard identify at a time, 5 s after the one before, as Discord asks.

    `alone` does so among processes; where that fails, a shard identifies all the same, and Discord may refuse it.
    """

    def __init__(self, alone: Callable[[], AbstractAsyncContextManager[object]]) -> None:
        self._alone = alone
        self._lock = asyncio.Lock()
        self._pauses: set[asyncio.Task[None]] = set()

    @contextlib.asynccontextmanager
    async def taken(self) -> AsyncIterator[None]:
        """Take the turn to identify within the block; the next one comes 5 s after it, at once if it raises."""
        async with contextlib.AsyncExitStack() as stack:
            await stack.enter_async_context(self._lock)
            with contextlib.suppress(StoreError):  # a lost database is told once
                await stack.enter_async_context(self._alone())
            yield
            pause = asyncio.create_task(_later(stack.pop_all()))
            self._pauses.add(pause)
            pause.add_done_callback(self._pauses.discard)

    async def close(self) -> None:
        """Let the next one come."""
        for pause in self._pauses:
            pause.cancel()
        await asyncio.gather(*self._pauses, return_exceptions=True)


async def _later(end: contextlib.AsyncExitStack) -> None:
    async with end:
        await asyncio.sleep(IDENTIFY_SECONDS)


class Shard:
    """One shard of a bot. discord.py finds its socket in `ws` and tells how it is by the events on_shard_…."""

    def __init__(self, client: discord.Client, number: int, turn: IdentifyTurn, metrics: Metrics) -> None:
        self.id = number
        self.ws: DiscordWebSocket | None = None
        self.connected = False
        self._client = client
        self._turn = turn
        self._metrics = metrics
        self._outage = Outage(number)
        self._had_session = False
        metrics.shard_from(number, lambda: self.latency, lambda: self.connected)

    @property
    def latency(self) -> float:
        """The heartbeat's latency in seconds; nan while there is no session."""
        return self.ws.latency if self.ws is not None and self.connected else float("nan")

    async def run(self, *, reconnect: bool = True) -> None:
        """Stay connected, and resume the session wherever that is possible.

        Raises ConnectionClosed or PrivilegedIntentsRequired if Discord refuses the bot for good, and without
        `reconnect` what ended the first connection.
        """
        while True:
            error = await self._listen()
            had_session, self.connected = self.connected, False
            self._client.dispatch("disconnect")
            self._client.dispatch("shard_disconnect", self.id)
            if self._client.is_closed():
                return
            if isinstance(error, discord.ConnectionClosed) and error.code == _INTENTS_REFUSED:
                raise discord.PrivilegedIntentsRequired(error.shard_id)
            if not reconnect or (isinstance(error, discord.ConnectionClosed) and error.code in _FINAL_CODES):
                raise error
            if had_session:
                self._outage.begins()
            elif not (isinstance(error, ReconnectWebSocket) and not error.resume):  # to identify again takes its time
                await self._outage.pause(error)

    def back(self, *, resumed: bool) -> None:
        """Note that the session goes on or, if it isn't `resumed`, that a new one began."""
        self.connected = True
        self._outage.ends()
        if self._had_session:
            self._metrics.reconnects.labels(str(self.id), "resumed" if resumed else "identified").inc()
        self._had_session = True

    async def close(self) -> None:
        """Disconnect; a gateway that is silent isn't waited for."""
        if self.ws is not None and self.ws.open:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(CLOSE_SECONDS):
                    await self.ws.close(code=_NORMAL)

    async def _listen(self) -> Exception:
        """Connect, handle what comes, and return what ended the connection."""
        try:
            self.ws = await self._open()
            while True:
                await self.ws.poll_event()
        except (ReconnectWebSocket, *UNREACHED) as error:
            return error

    async def _open(self) -> DiscordWebSocket:
        """Connect, and resume the last session or, in this shard's turn, identify."""
        last = self.ws
        if last is not None and last.session_id is not None and self._outage.failures <= RESUME_ATTEMPTS:
            return await self._attempt(
                resume=True, session=last.session_id, sequence=last.sequence, gateway=last.gateway
            )
        async with self._turn.taken():
            return await self._attempt(initial=not self._had_session)  # nobody else may for 5 s

    async def _attempt(self, **options: Any) -> DiscordWebSocket:  # noqa: ANN401  # from_client's
        attempt = DiscordWebSocket.from_client(self._client, shard_id=self.id, **options)
        return await asyncio.wait_for(attempt, CONNECT_SECONDS)
