"""Who is listened to: what commands ask of a running bot through its socket, and what every listener refuses.

These are slow ones, too many, foreign names, and what is no HTTP.
"""

import asyncio
import logging
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from unittest.mock import patch

import pytest
from aiohttp import web

from bot.health import HealthServer
from bot.listening import WebListener, answers_to, ask, control_socket, socket_of
from bot.metrics import Metrics
from bot.replay_site import served
from bot.store import StoreError
from tests.tables import kept_table

REQUEST = b"GET /page HTTP/1.1\r\nHost: localhost\r\n\r\n"
NEVER = 3600.0


@asynccontextmanager
async def listening(head_seconds: float = NEVER, most: int = 64) -> AsyncIterator[int]:
    async def page(_: web.Request) -> web.Response:
        return web.Response(text="secret")

    async def broken(_: web.Request) -> web.Response:
        raise RuntimeError("a bug")

    app = web.Application()
    app.add_routes([web.get("/page", page), web.get("/broken", broken)])
    listener = WebListener(app, "127.0.0.1", 0, "tests")
    with patch.multiple("bot.listening", HEAD_SECONDS=head_seconds, MOST=most):
        async with listener.listening() as (_, port):
            yield port


async def said(port: int, request: bytes) -> bytes:
    """Return all that is answered, to the end of the connection."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(request)
    try:
        return await reader.read()
    except ConnectionResetError:
        return b""
    finally:
        writer.close()


def reasons(caplog: pytest.LogCaptureFixture) -> list[object]:
    return [record.__dict__["fields"]["reason"] for record in caplog.records if record.msg == "refused_connection"]


@pytest.mark.parametrize("head", [b"", REQUEST[:-1], b"GET /page HTTP/1.1\r\nHost: localhost\r\nX: "])
async def test_who_does_not_ask_in_time_is_cut_off(head: bytes, caplog: pytest.LogCaptureFixture) -> None:
    async with listening(head_seconds=0.01) as port:
        assert await said(port, head) == await said(port, head) == b""
    assert reasons(caplog) == ["no request within 0.01 s"], "told once"


async def test_beyond_the_most_at_once_nobody_comes_in(caplog: pytest.LogCaptureFixture) -> None:
    async with listening(most=3) as port:
        assert (await said(port, REQUEST + REQUEST)).count(b"secret") == 1, "who has asked asks once"
        inside = [await asyncio.open_connection("127.0.0.1", port) for _ in range(3)]
        assert [await said(port, REQUEST) for _ in range(4)] == [b""] * 4
        for reader, writer in inside:
            writer.write(REQUEST)
            assert b"secret" in await reader.read()
            writer.close()
        assert b"secret" in await said(port, REQUEST), "there is room again"
    assert reasons(caplog) == ["over 3 connections at once"]


async def test_what_is_no_http_is_told_once_and_a_bug_each_time(caplog: pytest.LogCaptureFixture) -> None:
    async with listening() as port:
        for request in (b"\0" * 100 + b"\r\n\r\n", b"GET /page HTTP/1.1\r\n: x\r\n\r\n", b"GET " + b"x" * 100_000):
            assert b"secret" not in await said(port, request)
        for _ in range(2):
            assert b"500" in await said(port, REQUEST.replace(b"page", b"broken"))
    assert reasons(caplog) == ["no HTTP"]
    assert [record.levelno for record in caplog.records if record.exc_info] == [logging.ERROR] * 2


@asynccontextmanager
async def health(_: Path) -> AsyncIterator[tuple[int, bytes]]:
    async with HealthServer(0, Metrics("1"), version="1", checks={}).listening() as address:
        yield address[1], b"/healthz"


@asynccontextmanager
async def replay(folder: Path) -> AsyncIterator[tuple[int, bytes]]:
    (folder / "index.html").write_text("the page")
    async with served(folder) as address:
        yield int(address.split(":")[2].split("/")[0]), b"/replay/"


@pytest.mark.parametrize("serve", [health, replay])
async def test_a_page_of_elsewhere_reads_nothing(
    serve: Callable[[Path], AbstractAsyncContextManager[tuple[int, bytes]]],
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Its name may lead here: that is how a browser is made to ask a program on its own machine."""
    async with serve(tmp_path) as (port, path):
        for host in (b"evil.example", b"evil.example:80", b"8.8.8.8", b"localhost.evil.example", b"fracas"):
            answer = await said(port, b"GET %b HTTP/1.1\r\nHost: %b\r\n\r\n" % (path, host))
            assert answer.startswith(b"HTTP/1.1 421"), host
            assert b"the page" not in answer
            assert b"status" not in answer
        assert b" 200 OK" in await said(port, b"GET %b HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n" % (path, port))
        assert b" 200 OK" in await said(port, b"GET %b HTTP/1.0\r\n\r\n" % path), "who names nobody is no browser"
    assert reasons(caplog) == ["asked for by another name"]


@pytest.mark.parametrize(("host", "asked", "is_meant"), kept_table(__file__, "names"))
def test_which_names_are_its_own(host: str, asked: str, is_meant: bool) -> None:
    assert answers_to(asked, host) is is_meant


async def echo(argument: str) -> str:
    return f"heard {argument}"


async def refuse(argument: str) -> str:
    raise StoreError(f"no {argument}")


def linked(database: Path, link: Path) -> Path:
    database.touch()
    link.symlink_to(database)
    return link


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """Return one further down than a socket's address may be long."""
    deeper = tmp_path.joinpath(*["a folder with a long name"] * 6)
    deeper.mkdir(parents=True)
    return deeper / "fracas.db"


@asynccontextmanager
async def controlled(database: Path, argument_seconds: float = NEVER) -> AsyncIterator[None]:
    """Listen beside a database."""
    with patch("bot.listening.ARGUMENT_SECONDS", argument_seconds):
        async with control_socket(database, {"echo": echo, "refuse": refuse}):
            yield


async def test_an_answer_a_refusal_and_what_it_does_not_know(database: Path, tmp_path: Path) -> None:
    """By every name of the database, to the bot's own user alone; at the end nothing is left."""
    link = linked(database, tmp_path / "link.db")
    async with controlled(link):
        assert [await ask(name, "echo", "ä\nb") for name in (database, link)] == ["heard ä\nb"] * 2
        assert await ask(database, "echo", "\udcff.db") == "heard \udcff.db", "a file's name of another encoding"
        with pytest.raises(StoreError, match=r"^no way$"):
            await ask(database, "refuse", "way")
        with pytest.raises(StoreError, match="doesn't know this command"):
            await ask(database, "unknown")
        assert socket_of(database).stat().st_mode & 0o777 == 0o600
    assert not socket_of(database).exists()
    assert await ask(database, "echo") is None


async def test_the_socket_of_a_killed_bot_is_none_and_is_replaced(tmp_path: Path) -> None:
    database = tmp_path / "fracas.db"
    assert await ask(tmp_path / "nowhere" / "fracas.db", "echo") is None
    with socket.socket(socket.AF_UNIX) as killed:
        killed.bind(str(socket_of(database)))
    assert await ask(database, "echo") is None
    async with controlled(database):
        assert await ask(database, "echo", "x") == "heard x"


async def test_a_bot_that_speaks_no_http_is_of_another_version(tmp_path: Path) -> None:
    def answer(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b'{"error": "nonsense"}\n')
        writer.close()

    async with await asyncio.start_unix_server(answer, str(socket_of(tmp_path / "fracas.db"))):
        with pytest.raises(StoreError, match=r"^The running bot .* is of another version\. Restart it"):
            await ask(tmp_path / "fracas.db", "echo")


async def test_slow_and_large_arguments_are_not_taken(tmp_path: Path) -> None:
    database = tmp_path / "fracas.db"
    async with controlled(database, argument_seconds=0.01):
        reader, late = await asyncio.open_unix_connection(str(socket_of(database)))
        late.write(b"POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n")
        assert b"wasn't sent in time" in await reader.read()
        late.close()
    async with controlled(database):
        with pytest.raises(StoreError, match="size 65536 exceeded"):
            await ask(database, "echo", "x" * 70_000)


async def test_a_bot_that_ends_before_its_answer_is_one_sentence(database: Path) -> None:
    heard = asyncio.Event()

    async def never(_: str) -> str:
        heard.set()
        await asyncio.Event().wait()
        return ""

    async with control_socket(database, {"never": never}):
        asking = asyncio.create_task(ask(database, "never"))
        await heard.wait()
    with pytest.raises(StoreError, match="didn't answer"):
        await asking


async def test_where_no_socket_can_be_the_bot_starts_all_the_same(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "fracas.control")
    database = tmp_path / "fracas.db"
    socket_of(database).mkdir()
    async with controlled(database):
        assert [record.message for record in caplog.records] == ["no_control_socket"]
