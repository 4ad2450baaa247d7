"""Servers for this machine and its neighbors: nobody can occupy them, and they answer to their own names alone.

The commands of `fracas` ask a running bot over a Unix socket beside its database, which nobody else may open meanwhile.
A request is one line of JSON, `{"command": …, "argument": …}`, the answer one line, `{"answer": …}` or `{"error": …}`.
"""

import asyncio
import contextlib
import ipaddress
import json
import logging
import os
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from http import HTTPStatus
from pathlib import Path
from typing import Final, cast

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError
from aiohttp.typedefs import Handler
from typing_extensions import override

from bot.logging_setup import event
from bot.store import StoreError

HEAD_SECONDS: Final = 5.0
"""How long a connection may take to say what it wants."""

MOST: Final = 64
"""How many connections there may be at once."""

CLOSE_SECONDS: Final = 1.0

_log = logging.getLogger("fracas.listening")


class Refusals:
    """What a listener refuses; the log has a line for the first of each kind, so that nobody can fill it."""

    def __init__(self, listener: str) -> None:
        self._listener = listener
        self._told: set[str] = set()

    def tell(self, reason: str) -> None:
        """Log a reason, the first time."""
        if reason not in self._told:
            self._told.add(reason)
            event(_log, "refused_connection", level=logging.WARNING, listener=self._listener, reason=reason)


class WebListener:
    """Serves an application over HTTP at `host`; `port` 0 takes any free one.

    A connection is for one request, and has `head_seconds` for its head. Beyond `most` at once, new ones are closed.
    """

    def __init__(
        self,
        app: web.Application,
        host: str,
        port: int,
        name: str,
        *,
        head_seconds: float = HEAD_SECONDS,
        most: int = MOST,
    ) -> None:
        app.middlewares.append(self._admit)
        self._refusals = Refusals(name)
        self._logger = _log.getChild(name.replace(" ", "_"))
        self._runner = web.AppRunner(app, access_log=None, logger=self._logger, shutdown_timeout=CLOSE_SECONDS)
        self._host = host
        self._port = port
        self._head_seconds = head_seconds
        self._most = most
        self._unheard: dict[asyncio.BaseTransport, asyncio.TimerHandle] = {}

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[tuple[str, int]]:
        """Listen within the block, and close what is open at its end; yields host and port.

        OSError when the port is taken or not allowed.
        """
        await self._runner.setup()
        server = None
        try:
            server = await asyncio.get_running_loop().create_server(lambda: _Door(self), self._host, self._port)
            self._logger.addFilter(self._is_ours)
            yield server.sockets[0].getsockname()[:2]
        finally:
            if server is not None:
                server.close()
            await self._runner.cleanup()
            self._logger.removeFilter(self._is_ours)

    def enter(self, transport: asyncio.Transport) -> None:
        """Hand a new connection on to aiohttp, and watch when it asks; close it when there are too many."""
        server = self._runner.server
        if server is None:  # the listener has just been closed
            transport.close()
            return
        if len(server.connections) >= self._most:
            self._refusals.tell(f"over {self._most} connections at once")
            transport.close()
            return
        loop = asyncio.get_running_loop()
        self._unheard[transport] = loop.call_later(self._head_seconds, self._give_up, transport)
        inside = server()
        transport.set_protocol(inside)
        inside.connection_made(transport)

    def _give_up(self, transport: asyncio.Transport) -> None:
        del self._unheard[transport]
        if not transport.is_closing():
            self._refusals.tell(f"no request within {self._head_seconds:g} s")
            transport.abort()

    @web.middleware
    async def _admit(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Answer only who asks for this server: a page from elsewhere may have its own name lead here."""
        if request.transport is not None and (timer := self._unheard.pop(request.transport, None)):
            timer.cancel()
        if not answers_to(request.headers.get("Host", self._host), self._host):
            self._refusals.tell("asked for by another name")
            handler = _refuse
        try:
            response = await handler(request)
        except web.HTTPException as error:
            error.force_close()
            raise
        response.force_close()
        return response

    def _is_ours(self, record: logging.LogRecord) -> bool:
        """Tell of a request that is no HTTP like of all refusals; what else fails is a bug, and logged as one."""
        if record.exc_info and isinstance(record.exc_info[1], HttpProcessingError):
            self._refusals.tell("no HTTP")
            return False
        return True


class _Door(asyncio.Protocol):
    """Meets a new connection."""

    def __init__(self, listener: WebListener) -> None:
        self._listener = listener

    @override
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._listener.enter(cast("asyncio.Transport", transport))


async def _refuse(_: web.Request) -> web.StreamResponse:
    return web.Response(text="This server doesn't answer to that name.\n", status=HTTPStatus.MISDIRECTED_REQUEST)


def answers_to(asked: str, host: str) -> bool:
    """Return whether a server at the address `host` is meant by what a request calls it, in its header Host.

    On loopback: loopback's addresses and localhost. Elsewhere any address, too, and names without a dot, such as a
    container's: nobody on the internet has one.
    """
    name = asked.rpartition(":")[0] if not asked.endswith("]") and ":" in asked else asked
    name = name.strip("[]").rstrip(".").lower()
    if is_loopback(host) or is_loopback(name):
        return is_loopback(name)
    return name == host.lower() or "." not in name or _address(name) is not None


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach a host of this name or address."""
    address = _address(host)
    return host.lower() == "localhost" or (address is not None and address.is_loopback)


def _address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(text)
    except ValueError:
        return None


MAX_LINE = 1 << 16
BACKUP, STATUS = "backup", "status"
"""What a running bot is asked for: a copy, and whether it is there."""

Command = Callable[[str], Awaitable[str]]
"""Takes the argument and returns what the operator reads; StoreError if it can't be done."""

_control_log = logging.getLogger("fracas.control")


def socket_of(database: Path) -> Path:
    """Return where the bot with this database listens: beside the file, whatever name of it is given."""
    real = database.resolve()
    return real.with_name(f"{real.name}.sock")


class ControlSocket:
    """Listens for commands, from the bot's own user alone; only who holds the database's lock may listen."""

    def __init__(
        self,
        database: Path,
        commands: Mapping[str, Command],
        *,
        head_seconds: float = HEAD_SECONDS,
        most: int = MOST,
    ) -> None:
        """Give a request `head_seconds` to be sent, and answer a limited number at once."""
        self._head_seconds = head_seconds
        self._most = most
        self._refusals = Refusals("control socket")
        self._path = socket_of(database)
        self._commands = commands
        self._tasks: set[asyncio.Task[None]] = set()

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[None]:
        """Listen within the block. Where there can be no socket, only say so in the log: the bot works without."""
        async with contextlib.AsyncExitStack() as stack:
            try:
                path = stack.enter_context(_short(self._path))  # asyncio, too, may look for the socket there at the end
                server = await asyncio.start_unix_server(self._take, sock=self._bound(path), limit=MAX_LINE)
            except OSError as error:
                path, why = str(self._path), error.strerror
                event(_control_log, "no_control_socket", level=logging.WARNING, path=path, reason=why)
            else:
                stack.push_async_callback(self._close, server)
            yield

    async def _close(self, server: asyncio.Server) -> None:
        server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._path.unlink(missing_ok=True)

    def _bound(self, path: str) -> socket.socket:
        self._path.unlink(missing_ok=True)  # a killed bot's
        listening = socket.socket(socket.AF_UNIX)
        try:
            listening.bind(path)
            self._path.chmod(0o600)  # before anybody can connect: it doesn't listen yet
        except BaseException:
            listening.close()
            raise
        return listening

    async def _take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is not None:
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        try:
            answer = await self._answer(reader)
            writer.write(json.dumps(answer).encode() + b"\n")
            await writer.drain()
        except OSError as error:  # who asked is gone
            event(_control_log, "control_broken", level=logging.WARNING, reason=str(error))
        finally:
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader) -> dict[str, str]:
        if len(self._tasks) > self._most:
            return self._refuse(f"The bot has {self._most} other requests; try again.")
        try:
            async with asyncio.timeout(self._head_seconds):
                line = await _line(reader)
        except TimeoutError:
            return self._refuse(f"The request wasn't sent within {self._head_seconds:g} s.")
        if len(line) > MAX_LINE:
            return self._refuse(f"The request is longer than {MAX_LINE} bytes.")
        return await self._do(line)

    async def _do(self, line: bytes) -> dict[str, str]:
        try:
            request = json.loads(line)
            command, argument = self._commands[request["command"]], str(request["argument"])
        except (ValueError, LookupError, TypeError, RecursionError):
            return self._refuse("The running bot doesn't know this command; it may be of another version.")
        if any(character == "\0" or "\ud800" <= character <= "\udfff" for character in argument):  # JSON can bring them
            return self._refuse("The argument has characters that no name of a file may have.")
        try:
            return {"answer": await command(argument)}
        except StoreError as error:
            return {"error": str(error)}

    def _refuse(self, sentence: str) -> dict[str, str]:
        self._refusals.tell(sentence)
        return {"error": sentence}


async def _line(reader: asyncio.StreamReader) -> bytes:
    """Read to the end of the line; of one that is too long only as much as shows that."""
    line = b""
    while chunk := await reader.read(MAX_LINE):
        if len(line) <= MAX_LINE:
            line += chunk
        if b"\n" in chunk:
            break
    return line


async def ask(database: Path, command: str, argument: str = "") -> str | None:
    """Ask the bot that runs with this database, and return its answer; None if none listens.

    Raises `StoreError` with the bot's reason if it can't do it.
    """
    try:
        with _short(socket_of(database)) as path:
            reader, writer = await asyncio.open_unix_connection(path, limit=MAX_LINE)
    except (FileNotFoundError, NotADirectoryError, ConnectionRefusedError):
        return None
    except OSError as error:
        raise StoreError(f"The bot at {socket_of(database)} can't be asked ({error.strerror}).") from None
    try:
        writer.write(json.dumps({"command": command, "argument": argument}).encode() + b"\n")
        answer = json.loads(await reader.readline() or "{}")
    except (OSError, ValueError):
        answer = {}
    finally:
        writer.close()
    if "answer" not in answer:
        raise StoreError(answer.get("error", "The bot ended before it had answered."))
    return str(answer["answer"])


@contextlib.contextmanager
def _short(path: Path) -> Iterator[str]:
    """Give a socket's path in few characters: 107 are allowed, and folders may be deep."""
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{folder}/{path.name}"
    finally:
        os.close(folder)
