"""Discord's HTTP API, as far as the bot uses it: effects, rules, and a check of every body."""

import asyncio
import contextlib
import json
import re
import socket
import struct
import traceback
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from tests.bot import payloads
from tests.live.emojis import Emojis
from tests.live.places import Places
from tests.live.wire import Faults
from tests.live.world import (
    ALLOWED,
    DEFERRED,
    DEFERRED_UPDATE,
    EPHEMERAL,
    LOADING,
    MESSAGE,
    UPDATE,
    Channel,
    Exchange,
    Json,
    Message,
    Stored,
    User,
)
from tests.tables import kept_texts

TOKEN_SECONDS = 900.0
UNKNOWN_CHANNEL, UNKNOWN_MESSAGE, UNKNOWN_WEBHOOK, UNKNOWN_INTERACTION = 10003, 10008, 10015, 10062
ACKNOWLEDGED, NO_ACCESS, TOKEN_EXPIRED, INVALID_BODY, EMPTY_MESSAGE = 40060, 50001, 50027, 50035, 50006


class Refusal(Exception):  # noqa: N818  # what Discord answers
    """An error that Discord answers."""

    def __init__(self, status: int, code: int, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.body = {"message": message, "code": code}


@dataclass(eq=False)
class Request:
    """One request of the bot, `size` bytes, and what it was answered; without a `status` the connection broke."""

    method: str
    path: str
    query: Json
    body: Json
    files: dict[str, tuple[str, bytes]] = field(repr=False)
    size: int = 0
    status: int | None = None


Handler = Callable[..., Awaitable[Json | list[Json] | None]]


class Api:
    """Everything below /api/v10; `clock` returns seconds, `answer_seconds` is how long an interaction waits."""

    def __init__(
        self, app: User, url: Callable[[], str], changed: Callable[[], Awaitable[None]], answer_seconds: float
    ) -> None:
        self.app = app
        self.answer_seconds = answer_seconds
        self.shards = 1
        self.skew = 0.0
        self.faults = Faults()
        self.requests: list[Request] = []
        self.violations: list[str] = []
        self.commands: dict[str, list[Json]] = {}
        self.servers: list[Json] = []
        self.channels: dict[int, Channel] = {}
        self.messages: dict[int, Message] = {}
        self.exchanges: dict[int, Exchange] = {}
        self.stored: dict[int, Stored] = {}
        self._by_nonce: dict[str | None, Message] = {}
        self._tokens: dict[str, Exchange] = {}
        self._url, self._changed = url, changed
        self.refusal = Refusal
        self.places = Places(self)
        self.emojis = Emojis(self)
        message = r"(?P<message>\d+)"
        webhook = r"/webhooks/\d+/(?P<token>[^/]+)"
        channel = r"/channels/(?P<channel>\d+)/messages"
        self._routes: list[tuple[str, re.Pattern[str], Handler]] = [
            (method, re.compile(route), handler)
            for method, route, handler in (
                ("GET", r"/users/@me", self._me),
                ("GET", r"/gateway/bot", self._gateway),
                ("GET", r"/oauth2/applications/@me", self._application),
                ("PUT", r"/applications/\d+(?P<where>/guilds/\d+|)/commands", self._register),
                ("GET", r"/applications/\d+(?P<where>/guilds/\d+|)/commands", self._registered),
                ("GET", r"/users/@me/guilds", self._servers),
                ("POST", r"/interactions/(?P<id>\d+)/(?P<token>[^/]+)/callback", self._callback),
                ("POST", webhook, self._follow_up),
                ("GET", webhook + r"/messages/@original", self._get_original),
                ("PATCH", webhook + r"/messages/@original", self._edit_original),
                ("DELETE", webhook + r"/messages/@original", self._delete_original),
                ("PATCH", webhook + r"/messages/" + message, self._edit_followup),
                ("DELETE", webhook + r"/messages/" + message, self._delete_followup),
                ("POST", channel, self._post),
                ("GET", channel + "/" + message, self._get),
                ("PATCH", channel + "/" + message, self._edit),
                ("DELETE", channel + "/" + message, self._delete),
                *self.places.routes,
                *self.emojis.routes,
            )
        ]

    def clock(self) -> float:
        return asyncio.get_running_loop().time() + self.skew

    def began(self, exchange: Exchange) -> None:
        """Let an interaction begin, whose answers are awaited from now on."""
        exchange.sent_at = self.clock()
        self.exchanges[exchange.id] = self._tokens[exchange.token] = exchange

    def keep(self, name: str, data: bytes) -> Stored:
        """Store a file."""
        stored = Stored(name, data, self._url())
        self.stored[stored.id] = stored
        return stored

    async def cdn(self, request: web.Request) -> web.Response:
        """Give a stored file out."""
        stored = self.stored.get(int(request.match_info["id"]))
        return web.Response(status=404) if stored is None else web.Response(body=stored.data)

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Answer one request, or let happen to it what a fault says."""
        seen = await _read(request)
        self.requests.append(seen)
        fault = self.faults.next(seen.method, seen.path)
        await self._changed()
        try:
            if fault is not None:
                await asyncio.sleep(fault.delay)
                if fault.reset == "before":
                    return _reset(request)
                if fault.status is not None:
                    seen.status = fault.status
                    body = {"message": f"a fault of status {fault.status}", "code": fault.code}
                    return _json(body, status=fault.status)
            response = await self._respond(seen)
            if fault is not None and fault.reset == "after":
                return _reset(request)
            seen.status = response.status
            return response
        finally:
            await self._changed()

    async def _respond(self, request: Request) -> web.Response:
        for method, route, handler in self._routes:
            match = route.fullmatch(request.path)
            if method == request.method and match is not None:
                try:
                    answer = await handler(request, **match.groupdict())
                except Refusal as refusal:
                    return _json(refusal.body, status=refusal.status)
                return web.Response(status=204) if answer is None else _json(answer)
        self.violations.append(f"no such route: {request.method} {request.path}")
        return _json({"message": "404: Not Found", "code": 0}, status=404)

    @contextlib.contextmanager
    def checked(self, request: Request) -> Iterator[None]:
        """Refuse a body that breaks a limit, and remember it: no request of the bot may."""
        try:
            yield
        except (AssertionError, KeyError, ValueError):
            self.violations.append(f"{request.method} {request.path}: {request.body}\n{traceback.format_exc()}")
            raise Refusal(400, INVALID_BODY, "Invalid Form Body") from None

    async def _me(self, _request: Request) -> Json:
        return self.app.json()

    async def _gateway(self, _request: Request) -> Json:
        limit = {"total": 1000, "remaining": 1000, "reset_after": 0, "max_concurrency": 1}
        return {"url": "wss://the.bot.knows", "shards": self.shards, "session_start_limit": limit}

    async def _application(self, _request: Request) -> Json:
        own = {"id": str(self.app.id), "name": self.app.name, "owner": self.app.json(), "icon": None}
        return kept_texts(__file__, "application") | own

    async def _register(self, request: Request, where: str) -> list[Json]:
        commands: Any = request.body["list"]
        with self.checked(request):
            payloads.check_commands(commands)
        self.commands[where] = commands
        return await self._registered(request, where)

    async def _registered(self, _request: Request, where: str) -> list[Json]:
        given = {
            "application_id": str(self.app.id),
            "version": "1",
            "default_member_permissions": None,
            "description": "",
        }
        commands = self.commands.get(where, [])
        return [{"id": str(number)} | given | command for number, command in enumerate(commands, 1)]

    async def _servers(self, request: Request) -> list[Json]:
        after, limit = int(request.query.get("after", 0)), int(request.query["limit"])
        return [server for server in self.servers if int(server["id"]) > after][:limit]

    async def _callback(self, request: Request, id: str, token: str) -> Json | None:  # noqa: A002  # the route's name
        exchange = self.exchanges.get(int(id))
        if exchange is None or exchange.token != token or self._age(exchange) > self.answer_seconds:
            raise Refusal(404, UNKNOWN_INTERACTION, "Unknown interaction")
        if exchange.response is not None:
            raise Refusal(400, ACKNOWLEDGED, "Interaction has already been acknowledged.")
        kind, data = request.body["type"], request.body.get("data") or {}
        with self.checked(request):
            assert kind in ALLOWED[exchange.kind]
            payloads.check_body(request.body)
        if kind in {MESSAGE, UPDATE}:
            changed = exchange.pressed if kind == UPDATE else None
            exchange.original = self.write(request, data, exchange.channel, changed)
            exchange.edits += 1
        elif kind == DEFERRED:
            flags = LOADING | (data.get("flags", 0) & EPHEMERAL)
            exchange.original = Message(exchange.channel, self.app, flags=flags)
            self.messages[exchange.original.id] = exchange.original
            exchange.thinking = True
        elif kind == DEFERRED_UPDATE:
            exchange.original = exchange.pressed
        exchange.response = request.body
        if "with_response" not in request.query:
            return None
        return self._callback_json(exchange, kind)

    def _callback_json(self, exchange: Exchange, kind: int) -> Json:
        interaction: Json = {"id": str(exchange.id), "type": exchange.kind}
        resource: Json = {"type": kind}
        if kind in {MESSAGE, DEFERRED, UPDATE} and exchange.original is not None:
            interaction |= {
                "response_message_id": str(exchange.original.id),
                "response_message_loading": exchange.thinking,
                "response_message_ephemeral": exchange.original.private,
            }
            resource |= {"message": exchange.original.json()}
        return {"interaction": interaction, "resource": resource}

    async def _follow_up(self, request: Request, token: str) -> Json | None:
        exchange = self._exchange(token)
        if exchange.thinking:  # the trap: the first one edits the message that says the bot thinks
            message = await self._edit_original(request, token)
        else:
            written = self.write(request, request.body, exchange.channel, None)
            exchange.followups.append(written)
            message = written.json()
        return message if request.query.get("wait") in {"1", "true"} else None

    async def _get_original(self, _request: Request, token: str) -> Json:
        return self._original(self._exchange(token)).json()

    async def _edit_original(self, request: Request, token: str) -> Json:
        exchange = self._exchange(token)
        message = self.write(request, request.body, exchange.channel, self._original(exchange))
        message.flags &= ~LOADING
        exchange.thinking = False
        exchange.edits += 1
        return message.json()

    async def _delete_original(self, _request: Request, token: str) -> None:
        exchange = self._exchange(token)
        self._original(exchange).deleted = True
        exchange.thinking = False

    async def _edit_followup(self, request: Request, token: str, message: str) -> Json:
        exchange = self._exchange(token)
        return self.write(request, request.body, exchange.channel, self.message(message)).json()

    async def _delete_followup(self, _request: Request, token: str, message: str) -> None:
        self._exchange(token)
        self.message(message).deleted = True

    async def _post(self, request: Request, channel: str) -> Json:
        where = self.channel(channel)
        nonce = request.body.get("nonce") if request.body.get("enforce_nonce") else None
        message = self._by_nonce.get(nonce)
        if message is None:
            self.places.wake(where, sending=True)
            message = self.write(request, request.body, where, None)
            reference = request.body.get("message_reference")
            message.replies_to = None if reference is None else int(reference["message_id"])
            if nonce is not None:
                self._by_nonce[nonce] = message
        return message.json()

    async def _get(self, _request: Request, channel: str, message: str) -> Json:
        self.channel(channel)
        return self.message(message, public=True).json()

    async def _edit(self, request: Request, channel: str, message: str) -> Json:
        where = self.channel(channel)
        found = self.message(message, public=True)
        self.places.wake(where, sending=False)
        if found.channel is not where:
            raise Refusal(404, UNKNOWN_MESSAGE, "Unknown Message")
        return self.write(request, request.body, where, found).json()

    async def _delete(self, _request: Request, channel: str, message: str) -> None:
        self.channel(channel)
        self.message(message, public=True).deleted = True

    def write(self, request: Request, body: Json, channel: Channel, message: Message | None) -> Message:
        """Create a message or, if there is one, edit it."""
        kept = {str(file.id): file for file in (message.files if message is not None else ())}
        with self.checked(request):
            sent = {number: name for number, (name, _) in request.files.items()}
            payloads.check_body(body)
            payloads.check_files(body, sent, kept)
        if message is None:
            if not (body.get("content") or body.get("components") or body.get("embeds") or request.files):
                raise Refusal(400, EMPTY_MESSAGE, "Cannot send an empty message")
            message = Message(channel, self.app, flags=body.get("flags", 0))
            self.messages[message.id] = message
        else:
            message.edits += 1
            message.flags |= body.get("flags", 0) & payloads.COMPONENTS_V2
        if "attachments" in body:
            named = {str(entry["id"]) for entry in body["attachments"] or ()}
            message.files = [file for number, file in kept.items() if number in named]
        message.files += [self.keep(name, data) for name, data in request.files.values()]
        message.body |= {part: body[part] for part in ("content", "components", "embeds") if part in body}
        return message

    def _exchange(self, token: str) -> Exchange:
        exchange = self._tokens.get(token)
        if exchange is None or exchange.response is None:
            raise Refusal(404, UNKNOWN_WEBHOOK, "Unknown Webhook")
        if self._age(exchange) > TOKEN_SECONDS:
            raise Refusal(401, TOKEN_EXPIRED, "Invalid Webhook Token")
        return exchange

    def _age(self, exchange: Exchange) -> float:
        return self.clock() - exchange.sent_at

    @staticmethod
    def _original(exchange: Exchange) -> Message:
        if exchange.original is None or exchange.original.deleted:
            raise Refusal(404, UNKNOWN_MESSAGE, "Unknown Message")
        return exchange.original

    def message(self, number: str, *, public: bool = False) -> Message:
        message = self.messages.get(int(number))
        if message is None or message.deleted or (public and message.private):
            raise Refusal(404, UNKNOWN_MESSAGE, "Unknown Message")
        return message

    def channel(self, number: str) -> Channel:
        channel = self.channels.get(int(number))
        if channel is None:
            raise Refusal(404, UNKNOWN_CHANNEL, "Unknown Channel")
        if not channel.reachable:
            raise Refusal(403, NO_ACCESS, "Missing Access")
        return channel


async def _read(request: web.Request) -> Request:
    """Read a request: JSON, or a form with files whose `payload_json` is the body."""
    body: Any = {}
    files: dict[str, tuple[str, bytes]] = {}
    if request.content_type == "multipart/form-data":
        for name, part in (await request.post()).items():
            if isinstance(part, web.FileField):
                files[name.removeprefix("files[").removesuffix("]")] = (part.filename, part.file.read())
            elif name == "payload_json":
                body = json.loads(str(part))
    elif request.can_read_body:
        body = await request.json()
    if isinstance(body, list):
        body = {"list": body}
    path = "/" + request.match_info["path"]
    return Request(request.method, path, dict(request.query), body, files, request.content_length or 0)


def _reset(request: web.Request) -> web.Response:
    """Break the connection with a reset, as a middlebox does."""
    transport = request.transport
    if transport is not None:
        connection = transport.get_extra_info("socket")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        transport.abort()
    return web.Response()


def _json(body: object, status: int = 200) -> web.Response:
    # Without a charset: discord.py reads nothing else as JSON.
    return web.Response(body=json.dumps(body).encode(), status=status, headers={"Content-Type": "application/json"})
