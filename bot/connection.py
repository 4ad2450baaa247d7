"""The connection to Discord: held for as long as the bot runs, however long Discord can't be reached."""

import asyncio
import contextlib
import logging
import time
from typing import Any

import aiohttp
import discord
from discord.ext import commands
from discord.gateway import DiscordWebSocket, ReconnectWebSocket

from bot.logging_setup import event

MAX_PAUSE_SECONDS = 60.0
"""The longest pause between two attempts."""

CONNECT_SECONDS = 60.0
"""How long one attempt may take; to identify again takes 5 s of them."""

RESUME_ATTEMPTS = 4
"""After more failures than this the session is given up: its own address may be what can't be reached."""

CLOSE_SECONDS = 1.0
"""How long the gateway has to say goodbye."""

_NORMAL, _INTENTS_REFUSED = 1000, 4014
# The token was withdrawn, or what the bot asks for is refused: it would be so the next time.
_FINAL_CODES = frozenset({4004, 4010, 4011, 4012, 4013, _INTENTS_REFUSED})
_TOO_MANY_REQUESTS, _SERVER_ERROR = 429, 500
_UNREACHABLE = (OSError, aiohttp.ClientError, TimeoutError, discord.HTTPException, discord.ConnectionClosed)

_log = logging.getLogger("fracas.connection")


class ReconnectingBot(commands.Bot):
    """A bot that never gives up on Discord.

    discord.py's own client ends if its first attempt fails, and waits for up to 17 minutes between later ones.
    """

    connected = False
    """Whether there is a session now; events come only then."""

    _socket: DiscordWebSocket | None = None
    _failures = 0
    _away_since: float | None = None

    async def start(self, token: str, *, reconnect: bool = True) -> None:
        """Sign in and stay connected until the client is closed.

        Raises LoginFailure if the token is wrong, other HTTPExceptions if Discord refuses the request, and what
        `connect` raises.
        """
        while True:
            try:
                await self.login(token)
                break
            except _UNREACHABLE as error:
                if isinstance(error, discord.HTTPException) and not _may_pass(error):
                    raise
                await self._pause(error)
                # Signing in again opens another session.
                await self.http.close()
                self.http.connector = discord.utils.MISSING
        await self.connect(reconnect=reconnect)

    async def connect(self, *, reconnect: bool = True) -> None:
        """Stay connected to the gateway, and resume the session wherever that is possible.

        Raises ConnectionClosed or PrivilegedIntentsRequired if Discord refuses the bot for good, and without
        `reconnect` what ended the first connection.
        """
        while True:
            error = await self._listen()
            had_session, self.connected = self.connected, False
            self.dispatch("disconnect")
            if self.is_closed():
                return
            if isinstance(error, discord.ConnectionClosed) and error.code == _INTENTS_REFUSED:
                raise discord.PrivilegedIntentsRequired(error.shard_id)
            if not reconnect or (isinstance(error, discord.ConnectionClosed) and error.code in _FINAL_CODES):
                raise error
            if had_session:
                self._away_since = time.monotonic()
            elif not (isinstance(error, ReconnectWebSocket) and not error.resume):  # to identify again takes its time
                await self._pause(error)

    async def _listen(self) -> Exception:
        """Connect, handle what comes, and return what ended the connection."""
        try:
            attempt = DiscordWebSocket.from_client(
                self, initial=self._socket is None, shard_id=self.shard_id, **self._resumption()
            )
            self.ws = self._socket = await asyncio.wait_for(attempt, CONNECT_SECONDS)
            while True:
                await self._socket.poll_event()
        except (ReconnectWebSocket, *_UNREACHABLE) as error:
            return error

    def _resumption(self) -> dict[str, Any]:
        """Return what resumes the last session; nothing if there is none, or none that can be reached."""
        last = self._socket
        if last is None or last.session_id is None or self._failures > RESUME_ATTEMPTS:
            return {}
        return {"resume": True, "session": last.session_id, "sequence": last.sequence, "gateway": last.gateway}

    async def _pause(self, error: Exception) -> None:
        """Wait before the next attempt, longer each time."""
        if self._away_since is None:
            self._away_since = time.monotonic()
        pause = min(MAX_PAUSE_SECONDS, 2.0**self._failures)
        self._failures += 1
        event(
            _log,
            "discord_unreachable",
            level=logging.WARNING,
            attempt=self._failures,
            away=round(time.monotonic() - self._away_since),
            pause=pause,
            error=repr(error),
        )
        await asyncio.sleep(pause)

    async def close(self) -> None:
        """Disconnect; a gateway that is silent isn't waited for."""
        if self._socket is not None and self._socket.open:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(CLOSE_SECONDS):
                    await self._socket.close(code=_NORMAL)
        await super().close()

    async def on_connect(self) -> None:
        """Note that a new session began."""
        self._back()

    async def on_resumed(self) -> None:
        """Note that the session goes on."""
        self._back()

    def _back(self) -> None:
        self.connected = True
        if self._failures and self._away_since is not None:
            event(_log, "discord_reached", away=round(time.monotonic() - self._away_since))
        self._failures = 0
        self._away_since = None


def _may_pass(error: discord.HTTPException) -> bool:
    """Return whether the same request may be answered another time."""
    return error.status >= _SERVER_ERROR or error.status == _TOO_MANY_REQUESTS
