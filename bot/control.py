"""Answers the commands of `fracas` in a running bot, over a Unix socket beside its database.

The bot's connection is the only one to the database, so a command can't open it meanwhile. A request is one line of
JSON, `{"command": …, "argument": …}`, the answer one line, `{"answer": …}` or `{"error": …}`.
"""

import asyncio
import contextlib
import json
import logging
import os
import socket
from collections.abc import Awaitable, Callable, Iterator, Mapping
from pathlib import Path

from bot.listening import HEAD_SECONDS, MOST, Refusals
from bot.logging_setup import event
from bot.store.errors import StoreError

MAX_LINE = 1 << 16
BACKUP, STATUS = "backup", "status"
"""What a running bot is asked for: a copy, and whether it is there."""

Command = Callable[[str], Awaitable[str]]
"""Takes the argument and returns what the operator reads; StoreError if it can't be done."""

_log = logging.getLogger("fracas.control")


def socket_of(database: Path) -> Path:
    """Return where the bot with this database listens: beside the file, whatever name of it is given."""
    real = database.resolve()
    return real.with_name(f"{real.name}.sock")


class ControlSocket:
    """Listens for commands, from the bot's own user alone; only who holds the database's lock may open it."""

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
        self._server: asyncio.Server | None = None
        self._opened = contextlib.ExitStack()
        self._tasks: set[asyncio.Task[None]] = set()

    async def open(self) -> None:
        """Begin to listen. Where there can be no socket, only say so in the log: the bot works without."""
        try:
            self._server = await asyncio.start_unix_server(self._take, sock=self._bound(), limit=MAX_LINE)
        except OSError as error:
            self._opened.close()
            event(_log, "no_control_socket", level=logging.WARNING, path=str(self._path), reason=error.strerror)

    async def close(self) -> None:
        """Stop listening, and what is under way."""
        if self._server is None:
            return
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._path.unlink(missing_ok=True)
        self._opened.close()

    def _bound(self) -> socket.socket:
        self._path.unlink(missing_ok=True)  # a killed bot's
        path = self._opened.enter_context(_short(self._path))  # asyncio, too, may look for the socket there at the end
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
            event(_log, "control_broken", level=logging.WARNING, reason=str(error))
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
