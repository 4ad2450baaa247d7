"""The gateway, and what goes wrong on the wire, on demand.

The gateway keeps sessions with their events, so that a session whose connection broke can be resumed.
"""

import asyncio
import contextlib
import json
import re
import secrets
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from aiohttp import WSMsgType, web

from tests.live.world import Json

CALLBACK = r"^/interactions/\d+/[^/]+/callback$"
ORIGINAL = r"^/webhooks/\d+/[^/]+/messages/@original$"
CHANNEL = r"^/channels/"
ANY = r""


@dataclass
class Fault:
    """Happens to the next `times` requests (None: to all) of `method` (any: "") whose path `route` is found in.

    `delay`: seconds before anything else. `status`: answered in place of the effect, with `code`.
    `reset`: the connection breaks, before the effect, or after it, when only the acknowledgement is lost.
    """

    method: str
    route: str
    times: int | None = 1
    status: int | None = None
    code: int = 0
    delay: float = 0.0
    reset: Literal["before", "after"] | None = None
    hits: int = 0

    def meets(self, method: str, path: str) -> bool:
        """Return whether this happens to a request."""
        left = self.times is None or self.hits < self.times
        return left and self.method in {"", method} and re.search(self.route, path) is not None


class Faults:
    """The faults that wait to happen."""

    def __init__(self) -> None:
        self._waiting: list[Fault] = []

    @contextlib.contextmanager
    def add(self, fault: Fault) -> Iterator[Fault]:
        """Let a fault happen within the block; whether it did is in its `hits`."""
        self._waiting.append(fault)
        try:
            yield fault
        finally:
            self._waiting.remove(fault)

    def next(self, method: str, path: str) -> Fault | None:
        """Return what happens to a request, counted."""
        for fault in self._waiting:
            if fault.meets(method, path):
                fault.hits += 1
                return fault
        return None


DISPATCH, HEARTBEAT, IDENTIFY, RESUME, RECONNECT, INVALID, HELLO, ACK = 0, 1, 2, 6, 7, 9, 10, 11
AUTHENTICATION_FAILED, INTENTS_REFUSED, GOING_AWAY = 4004, 4014, 1001
INTENTS = 1 << 0 | 1 << 9 | 1 << 12
"""Servers, and messages there and in private; what these say is another intent, a privileged one."""
HEARTBEAT_MS = 41_250
FOREVER = 3600
IDENTIFY_SECONDS = 4.5
"""Discord takes one new session in 5 s; the bot's clock isn't ours."""


@dataclass(eq=False)
class Session:
    """What was sent in one session of a shard; `socket` is None while the bot is away."""

    shard: int = 0
    id: str = field(default_factory=lambda: secrets.token_hex(8))
    events: list[Json] = field(default_factory=list)
    socket: web.WebSocketResponse | None = None
    request: web.Request | None = None


class Gateway:
    """One bot's connections to Discord's gateway, one for each shard.

    `shards`: how many the bot said that there are. What a method does to a shard, it does to the first by default.
    `opening` are the events after READY. `refusing` is the status with which connections are refused, `closing` the
    code with which they are closed at once; `refused` counts both.
    """

    def __init__(self, token: str, changed: Any) -> None:  # noqa: ANN401  # a coroutine function without arguments
        self.token = token
        self._changed = changed
        self._sessions: dict[str, Session] = {}
        self.ready: Json = {}
        self.opening: list[tuple[str, Json]] = []
        self.shards = 1
        self.current: dict[int, Session] = {}
        self.identified = self.resumed = self.refused = 0
        self.refusing: int | None = None
        self.closing: int | None = None
        self._identified = (0, float("-inf"))
        self._frozen: web.WebSocketResponse | None = None
        self.violations: list[str] = []

    @property
    def connected(self) -> bool:
        """Whether every shard has a session with a socket."""
        return len(self.current) == self.shards and all(one.socket is not None for one in self.current.values())

    def shard_of(self, guild_id: int | None) -> int:
        """Return which shard a server is on; direct messages are on the first."""
        return 0 if guild_id is None else (guild_id >> 22) % self.shards

    async def dispatch(self, name: str, data: Json, shard: int = 0) -> None:
        """Send an event, now or when the session is resumed."""
        assert shard in self.current, "the bot never signed in"
        session = self.current[shard]
        events = session.events
        events.append({"op": DISPATCH, "t": name, "s": len(events) + 1, "d": data})
        if session.socket is not None:
            await self._send(session.socket, events[-1])

    async def reconnect(self) -> None:
        """Ask the bot to connect again, as Discord does every few hours (op 7)."""
        await self._order({"op": RECONNECT, "d": None})

    def forget(self) -> None:
        """Let no session be resumed any more."""
        self._sessions.clear()

    async def invalidate(self, *, resumable: bool) -> None:
        """Declare the session invalid (op 9)."""
        if not resumable:
            del self._sessions[self.current[0].id]
        await self._order({"op": INVALID, "d": resumable})

    def drop(self, *shards: int) -> None:
        """Break the connections, by default all, without a word; events wait for the session to be resumed."""
        for shard in shards or self.current:
            session = self.current[shard]
            if session.socket is None:
                continue
            session.socket = None
            assert session.request is not None
            assert session.request.transport is not None
            session.request.transport.abort()

    def freeze(self) -> None:
        """Answer nothing more, not even the bot's farewell, as behind a cable that was pulled."""
        session = self.current[0]
        self._frozen, session.socket = session.socket, None

    async def _order(self, order: Json) -> None:
        session = self.current[0]
        socket, session.socket = session.socket, None
        assert socket is not None
        await self._send(socket, order)

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Serve one connection."""
        if self.refusing is not None:
            self.refused += 1
            await self._changed()
            return web.Response(status=self.refusing)
        socket = web.WebSocketResponse(max_msg_size=0, autoclose=False)
        await socket.prepare(request)
        if self.closing is not None:
            self.refused += 1
            await socket.close(code=self.closing)
            return socket
        try:
            await self._serve(request, socket)
        finally:  # also where aiohttp cancels this, because a killed bot's connection is gone
            for session in [one for one in self.current.values() if one.socket is socket]:
                session.socket = None
            await self._changed()
        await socket.close()
        return socket

    async def _serve(self, request: web.Request, socket: web.WebSocketResponse) -> None:
        await self._send(socket, {"op": HELLO, "d": {"heartbeat_interval": HEARTBEAT_MS}})
        while (message := await socket.receive()).type is WSMsgType.TEXT:
            order = json.loads(message.data)
            if order["op"] == HEARTBEAT:
                await self._send(socket, {"op": ACK})
            elif order["d"].get("token") != self.token:
                await socket.close(code=AUTHENTICATION_FAILED)
            elif order["op"] == IDENTIFY:
                await self._identify(request, socket, order["d"])
            elif order["op"] == RESUME:
                await self._resume(request, socket, order["d"])
            await self._changed()
        if self._frozen is socket:
            await asyncio.sleep(FOREVER)

    async def _identify(self, request: web.Request, socket: web.WebSocketResponse, data: Json) -> None:
        if data["intents"] != INTENTS:
            self.violations.append(f"intents {data['intents']}")
        shard, self.shards = data["shard"]
        (last, before), self._identified = self._identified, (shard, time.monotonic())
        if shard != last and time.monotonic() - before < IDENTIFY_SECONDS:
            self.violations.append(f"shard {shard} identified {time.monotonic() - before:.1f} s after shard {last}")
        self.current[shard] = session = Session(shard, request=request)
        self._sessions[session.id] = session
        session.socket = socket
        self.identified += 1
        guilds = [guild for guild in self.ready["guilds"] if self.shard_of(int(guild["id"])) == shard]
        ours = {"session_id": session.id, "shard": data["shard"], "guilds": guilds}
        await self.dispatch("READY", self.ready | ours, shard)
        for name, event in self.opening:
            if self.shard_of(int(event["id"])) == shard:
                await self.dispatch(name, event, shard)

    async def _resume(self, request: web.Request, socket: web.WebSocketResponse, data: Json) -> None:
        session = self._sessions.get(data["session_id"])
        if session is None:
            await self._send(socket, {"op": INVALID, "d": False})
            return
        self.current[session.shard], session.request = session, request
        self.resumed += 1
        missed = data["seq"]
        while missed < len(session.events):  # more may happen meanwhile
            await self._send(socket, session.events[missed])
            missed += 1
        session.socket = socket
        await self.dispatch("RESUMED", {}, session.shard)

    @staticmethod
    async def _send(socket: web.WebSocketResponse, order: Json) -> None:
        if not socket.closed:
            # A killed bot's connection is reset; it gets the event when it resumes, if ever.
            with contextlib.suppress(ConnectionResetError):
                await socket.send_str(json.dumps(order))
