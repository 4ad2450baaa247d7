"""Servers for this machine and its neighbors: nobody can occupy them, and they answer to their own names alone.

The commands of `fracas` ask a running bot over a Unix socket beside its database, which nobody else may open meanwhile,
in HTTP as well: `POST /{command}` with the argument as its body.
"""

import asyncio
import contextlib
import errno
import ipaddress
import logging
import os
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from functools import partial
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final, cast

from aiohttp import ClientError, ClientResponseError, ClientSession, ClientTimeout, UnixConnector, web
from aiohttp.http_exceptions import HttpProcessingError
from aiohttp.typedefs import Handler
from typing_extensions import override

from bot.logging_setup import event
from bot.store import StoreError

HEAD_SECONDS: Final = 5.0
"""How long a connection may take to say what it wants."""

ARGUMENT_SECONDS: Final = 5.0
"""How long a command's argument may take after that."""

MOST: Final = 64
"""How many connections there may be at once."""

CLOSE_SECONDS: Final = 1.0

_log = logging.getLogger("fracas.listening")


class WebListener(asyncio.Protocol):
    """Serves an application over HTTP at `host`; `port` 0 takes any free one.

    A connection is for one request, and has `HEAD_SECONDS` for its head. Beyond `MOST` at once, new ones are closed.
    The log has a line for the first refusal of each kind, so that nobody can fill it.
    """

    def __init__(self, app: web.Application, host: str, port: int, name: str) -> None:
        app.middlewares.append(self._admit)
        self._name = name
        self._told: set[str] = set()
        self._logger = _log.getChild(name.replace(" ", "_"))
        self._runner = web.AppRunner(app, access_log=None, logger=self._logger, shutdown_timeout=CLOSE_SECONDS)
        self._host = host
        self._port = port
        self._unheard: dict[asyncio.BaseTransport, asyncio.TimerHandle] = {}

    @asynccontextmanager
    async def listening(self, at: socket.socket | None = None) -> AsyncIterator[tuple[str, int]]:
        """Listen within the block, and close what is open at its end; yields host and port.

        `at`: a bound socket to listen at instead. OSError when the port is taken or not allowed.
        """
        await self._runner.setup()
        server = None
        where: dict[str, Any] = {"host": self._host, "port": self._port} if at is None else {"sock": at}
        try:
            # A connection is only met here: aiohttp's own protocol takes it over at once.
            server = await asyncio.get_running_loop().create_server(lambda: self, **where)
            self._logger.addFilter(self._is_ours)
            yield server.sockets[0].getsockname()[:2]
        finally:
            if server is not None:
                server.close()
            await self._runner.cleanup()
            self._logger.removeFilter(self._is_ours)

    @override
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Hand a new connection on to aiohttp, and watch when it asks; close it when there are too many."""
        server = self._runner.server
        if server is None:  # the listener has just been closed
            transport.close()
            return
        if len(server.connections) >= MOST:
            self._refuse(f"over {MOST} connections at once")
            transport.close()
            return
        loop = asyncio.get_running_loop()
        self._unheard[transport] = loop.call_later(HEAD_SECONDS, self._give_up, transport)
        inside = server()
        cast("asyncio.Transport", transport).set_protocol(inside)
        inside.connection_made(transport)

    def _refuse(self, reason: str) -> None:
        if reason not in self._told:
            self._told.add(reason)
            event(_log, "refused_connection", level=logging.WARNING, listener=self._name, reason=reason)

    def _give_up(self, transport: asyncio.BaseTransport) -> None:
        del self._unheard[transport]
        if not transport.is_closing():
            self._refuse(f"no request within {HEAD_SECONDS:g} s")
            cast("asyncio.Transport", transport).abort()

    @web.middleware
    async def _admit(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Answer only who asks for this server: a page from elsewhere may have its own name lead here."""
        if request.transport is not None and (timer := self._unheard.pop(request.transport, None)):
            timer.cancel()
        try:
            if not answers_to(request.headers.get("Host", self._host), self._host):
                self._refuse("asked for by another name")
                raise web.HTTPMisdirectedRequest(text="This server doesn't answer to that name.\n")
            response = await handler(request)
        except web.HTTPException as error:
            error.force_close()
            raise
        response.force_close()
        return response

    def _is_ours(self, record: logging.LogRecord) -> bool:
        """Tell of a request that is no HTTP like of all refusals; what else fails is a bug, and logged as one."""
        if record.exc_info and isinstance(record.exc_info[1], HttpProcessingError):
            self._refuse("no HTTP")
            return False
        return True


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


MAX_ARGUMENT = 1 << 16  # bytes
BACKUP, STATUS = "backup", "status"
"""What a running bot is asked for: a copy, and whether it is there."""

Command = Callable[[str], Awaitable[str]]
"""Takes the argument and returns what the operator reads; StoreError if it can't be done."""

_NOBODY = {errno.ENOENT, errno.ENOTDIR, errno.ECONNREFUSED}  # where no bot listens

_OTHER_VERSION = "The running bot doesn't know this command: it is of another version. Restart it, and ask again."

_control_log = logging.getLogger("fracas.control")


def socket_of(database: Path) -> Path:
    """Return where the bot with this database listens: beside the file, whatever name of it is given."""
    real = database.resolve()
    return real.with_name(f"{real.name}.sock")


@asynccontextmanager
async def control_socket(database: Path, commands: Mapping[str, Command]) -> AsyncIterator[None]:
    """Listen for commands from the bot's own user within the block; only the holder of the database's lock may.

    Where there can be no socket, only say so in the log: the bot works without.
    """
    path = socket_of(database)
    app = web.Application(client_max_size=MAX_ARGUMENT)
    app.add_routes([web.post(f"/{name}", partial(_do, command)) for name, command in commands.items()])
    listener = WebListener(app, "localhost", 0, "control socket")
    async with contextlib.AsyncExitStack() as stack:
        try:
            await stack.enter_async_context(listener.listening(_bound(path)))
        except OSError as error:
            event(_control_log, "no_control_socket", level=logging.WARNING, path=str(path), reason=error.strerror)
        else:
            stack.callback(path.unlink, missing_ok=True)
        yield


def _bound(path: Path) -> socket.socket:
    path.unlink(missing_ok=True)  # a killed bot's
    listening = socket.socket(socket.AF_UNIX)
    try:
        with _short(path) as short:
            listening.bind(short)
        path.chmod(0o600)  # before anybody can connect: it doesn't listen yet
    except BaseException:
        listening.close()
        raise
    return listening


async def _do(command: Command, request: web.Request) -> web.Response:
    try:
        async with asyncio.timeout(ARGUMENT_SECONDS):
            argument = os.fsdecode(await request.read())
    except TimeoutError:
        raise web.HTTPRequestTimeout(text="The argument wasn't sent in time.") from None
    try:
        answer, status = await command(argument), HTTPStatus.OK
    except StoreError as error:
        answer, status = str(error), HTTPStatus.CONFLICT
    return web.Response(body=os.fsencode(answer), status=status)  # names of files are in it, of any encoding


async def ask(database: Path, command: str, argument: str = "") -> str | None:
    """Ask the bot that runs with this database, and return its answer; None if none listens.

    Raises `StoreError` with the bot's reason if it can't do it.
    """
    try:
        with _short(socket_of(database)) as path:
            session = ClientSession(connector=UnixConnector(path), timeout=ClientTimeout())
            async with session, session.post(f"http://localhost/{command}", data=os.fsencode(argument)) as response:
                text = os.fsdecode(await response.read())
    except ClientResponseError:  # no HTTP, as before 0.3.0
        raise StoreError(_OTHER_VERSION) from None
    except (ClientError, OSError) as error:
        if isinstance(error, OSError) and error.errno in _NOBODY:
            return None
        raise StoreError(f"The bot at {socket_of(database)} didn't answer ({error}).") from None
    if response.status != HTTPStatus.OK:
        raise StoreError(_OTHER_VERSION if response.status == HTTPStatus.NOT_FOUND else text)
    return text


@contextlib.contextmanager
def _short(path: Path) -> Iterator[str]:
    """Give a socket's path in few characters: 107 are allowed, and folders may be deep."""
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{folder}/{path.name}"
    finally:
        os.close(folder)
