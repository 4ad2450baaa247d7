"""`fracas backup FILE`, `restore FILE` and `move FROM TO`: copies of the database."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from pathlib import Path

from bot.cli.main import CommandError, add_database, expect_file, parser_of, place
from bot.config import Server, load_settings
from bot.control import BACKUP, ask
from bot.game import Games
from bot.resources import open_database
from bot.scale import moving
from bot.store.copies import copy_unused
from bot.store.copies import restore as put_in_place
from sim.core.numbers import quantity


def backup(argv: Sequence[str]) -> int:
    """Make a checked copy of the database, by the bot if it runs, and say how large it is."""
    parser = parser_of("backup")
    parser.add_argument("file", type=Path, metavar="FILE", help="the copy; there must be no such file yet")
    add_database(parser)
    arguments = parser.parse_args(argv)
    database = expect_file(arguments.db or load_settings().db, "back it up with pg_dump")
    file = arguments.file.absolute()
    asyncio.run(_back_up(database, file))
    print(f"{database} is backed up to {file} ({file.stat().st_size / 1e6:.1f} MB), and the copy is whole.")
    return 0


async def _back_up(database: Path, file: Path) -> None:
    if await ask(database, BACKUP, str(file)) is None:
        await copy_unused(database, file)


def restore(argv: Sequence[str]) -> int:
    """Put a backup in the place of the database, and say what was done and what comes next."""
    parser = parser_of("restore")
    parser.add_argument("file", type=Path, metavar="FILE", help="the backup; it stays as it is")
    add_database(parser)
    arguments = parser.parse_args(argv)
    settings = load_settings()
    database = expect_file(arguments.db or settings.db, "restore it with pg_restore")
    schemas = Games.discover().schemas
    done = asyncio.run(put_in_place(arguments.file, database, schemas))
    print(f"{database} is restored from {arguments.file} (schema {done.contents.version}).")
    if done.contents.is_older_than(schemas):
        print("The next start of the bot brings it up to date.")
    if done.kept is not None:
        print(f"The database from before is kept as {done.kept}; the bot deletes it after {settings.copy_days} days.")
    return 0


def move(argv: Sequence[str]) -> int:
    """Copy a whole database into an empty one, of either engine, and say what was copied and what comes next."""
    parser = parser_of("move")
    parser.add_argument("source", type=place, metavar="FROM", help="the database, a file or postgresql://…; it stays")
    parser.add_argument("target", type=place, metavar="TO", help="an empty database, or a file that isn't there yet")
    arguments = parser.parse_args(argv)
    if isinstance(arguments.source, Path) and not arguments.source.is_file():
        raise CommandError(f"There is no database {arguments.source}.")
    rows = asyncio.run(_move(arguments.source, arguments.target))
    for table, number in sorted(rows.items()):
        print(f"{table:<24} {quantity(number, 'row')}")
    print(f"Copied, read again and compared: {arguments.target} holds what {arguments.source} holds.")
    print("Let FRACAS_DB name it before the next start.")
    return 0


async def _move(source: Path | Server, target: Path | Server) -> Mapping[str, int]:
    schemas = Games.discover().schemas
    async with AsyncExitStack() as stack:
        old = await open_database(source, schemas)
        stack.push_async_callback(old.close)
        new = await open_database(target, schemas)
        stack.push_async_callback(new.close)
        return await moving.move(old, new)
