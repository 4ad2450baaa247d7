"""What commands ask of a running bot, through its socket."""

import asyncio
import contextlib
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
    for line in (b"\n", b"nonsense\n", b"[]\n", b'"x"\n', b'{"command": []}\n', b"\xff\n"):
        reader, writer = await asyncio.open_unix_connection(str(socket_of(database)))
        writer.write(line)
        assert b"doesn't know" in await reader.readline(), line
        writer.close()
    reader, writer = await asyncio.open_unix_connection(str(socket_of(database)))
    writer.write(b"x" * 1_000_000)
    with contextlib.suppress(ConnectionResetError):
        assert await reader.read() == b""
    writer.close()
    assert await ask(database, "echo", "x") == "heard x", "it goes on"
    await control.close()


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
