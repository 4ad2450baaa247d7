"""What commands ask of a running bot, through its socket."""

import asyncio
import json
import logging
import socket
from pathlib import Path

import pytest

from bot.control import ControlSocket, ask, socket_of
from bot.store.errors import StoreError


async def echo(argument: str) -> str:
    return f"heard {argument}"


async def refuse(argument: str) -> str:
    raise StoreError(f"no {argument}")


def deep(folder: Path) -> Path:
    """Return a database further down than a socket's address may be long."""
    deeper = folder.joinpath(*["a folder with a long name"] * 6)
    deeper.mkdir(parents=True)
    return deeper / "fracas.db"


def linked(database: Path, link: Path) -> Path:
    database.touch()
    link.symlink_to(database)
    return link


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return deep(tmp_path)


async def opened(database: Path) -> ControlSocket:
    control = ControlSocket(database, {"echo": echo, "refuse": refuse})
    await control.open()
    return control


async def test_an_answer_a_refusal_and_what_it_does_not_know(database: Path) -> None:
    control = await opened(database)
    assert await ask(database, "echo", "ä\nb") == "heard ä\nb"
    with pytest.raises(StoreError, match=r"^no way$"):
        await ask(database, "refuse", "way")
    with pytest.raises(StoreError, match="doesn't know this command"):
        await ask(database, "unknown")
    await control.close()


async def test_only_the_bots_user_may_ask_and_nothing_is_left_at_the_end(database: Path) -> None:
    control = await opened(database)
    assert socket_of(database).stat().st_mode & 0o777 == 0o600
    await control.close()
    assert not socket_of(database).exists()
    assert await ask(database, "echo") is None


async def test_every_name_of_a_database_leads_to_its_bot(database: Path, tmp_path: Path) -> None:
    link = linked(database, tmp_path / "link.db")
    control = await opened(link)
    assert await ask(database, "echo", "a") == "heard a"
    assert await ask(link, "echo", "b") == "heard b"
    await control.close()


async def test_the_socket_of_a_killed_bot_is_none_and_is_replaced(tmp_path: Path) -> None:
    database = tmp_path / "fracas.db"
    with socket.socket(socket.AF_UNIX) as killed:
        killed.bind(str(socket_of(database)))
    assert await ask(database, "echo") is None
    control = await opened(database)
    assert await ask(database, "echo", "x") == "heard x"
    await control.close()


async def test_no_bot_and_no_folder(tmp_path: Path) -> None:
    assert await ask(tmp_path / "fracas.db", "echo") is None
    assert await ask(tmp_path / "nowhere" / "fracas.db", "echo") is None


async def test_what_is_no_request_is_answered(tmp_path: Path) -> None:
    database = tmp_path / "fracas.db"
    control = await opened(database)
    for line in (b"\n", b"nonsense\n", b"[]\n", b'"x"\n', b'{"command": []}\n', b"\xff\n", b"[" * 60_000 + b"\n"):
        assert "doesn't know" in await error_of(database, line), line
    for argument in (b"a\\u0000", b"\\ud800"):
        line = b'{"command": "echo", "argument": "%b"}\n' % argument
        assert "no name of a file" in await error_of(database, line), line
    for line in (b"x" * 1_000_000 + b"\n", b"[" * 100_000 + b"\n"):
        assert "longer than 65536 bytes" in await error_of(database, line)
    assert await ask(database, "echo", "x") == "heard x", "it goes on"
    await control.close()


async def error_of(database: Path, request: bytes) -> str:
    """Return what is answered to some bytes."""
    reader, writer = await asyncio.open_unix_connection(str(socket_of(database)))
    writer.write(request)
    answer: dict[str, str] = json.loads(await reader.readline())
    writer.close()
    return answer["error"]


async def test_slow_ones_and_too_many_are_told_so_and_the_log_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    database = tmp_path / "fracas.db"
    control = ControlSocket(database, {"echo": echo}, head_seconds=0.01)
    await control.open()
    for part in (b"", b'{"command"', b"x" * 100_000):
        assert await error_of(database, part) == "The request wasn't sent within 0.01 s."
    await control.close()
    control = ControlSocket(database, {"echo": echo}, most=2)
    await control.open()
    waiting = [await asyncio.open_unix_connection(str(socket_of(database))) for _ in range(2)]
    for _ in range(2):
        with pytest.raises(StoreError, match="has 2 other requests; try again"):
            await ask(database, "echo")
    for _, writer in waiting:
        writer.close()
    await control.close()
    assert [record.msg for record in caplog.records if record.name == "fracas.listening"] == ["refused_connection"] * 2


async def test_a_bot_that_ends_before_its_answer_is_one_sentence(database: Path) -> None:
    heard = asyncio.Event()

    async def never(_: str) -> str:
        heard.set()
        await asyncio.Event().wait()
        return ""

    control = ControlSocket(database, {"never": never})
    await control.open()
    asking = asyncio.create_task(ask(database, "never"))
    await heard.wait()
    await control.close()
    with pytest.raises(StoreError, match="ended before"):
        await asking


async def test_where_no_socket_can_be_the_bot_starts_all_the_same(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "fracas.control")
    database = tmp_path / "fracas.db"
    socket_of(database).mkdir()
    control = await opened(database)
    assert [record.message for record in caplog.records] == ["no_control_socket"]
    await control.close()
