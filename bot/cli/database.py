"""`fracas backup FILE`, `restore FILE` and `move FROM TO`: copies of the database."""

import asyncio
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AsyncExitStack
from graphlib import TopologicalSorter
from pathlib import Path

from bot.cli import CommandParser, add_database, expect_file, place
from bot.config import OperatorError, Server, load_settings
from bot.games import Games
from bot.listening import BACKUP, ask
from bot.resources import open_database
from bot.scale.dialect import VERSIONS
from bot.store import StoreError
from bot.store.copies import copy_unused
from bot.store.copies import restore as put_in_place
from bot.store.database import Connection, Database
from sim.core.numbers import quantity

_ROWS_AT_ONCE = 200


def backup(parser: CommandParser) -> None:
    """Make a checked copy of the database, by the bot if it runs, and say how large it is."""
    parser.add_argument("file", type=Path, metavar="FILE", help="the copy; there must be no such file yet")
    add_database(parser)
    arguments = parser.parse_args()
    database = expect_file(arguments.db or load_settings().db, "back it up with pg_dump")
    file = arguments.file.absolute()

    async def back_up() -> None:
        if await ask(database, BACKUP, str(file)) is None:
            await copy_unused(database, file)

    asyncio.run(back_up())
    print(f"{database} is backed up to {file} ({file.stat().st_size / 1e6:.1f} MB), and the copy is whole.")


def restore(parser: CommandParser) -> None:
    """Put a backup in the place of the database, and say what was done and what comes next."""
    parser.add_argument("file", type=Path, metavar="FILE", help="the backup; it stays as it is")
    add_database(parser)
    arguments = parser.parse_args()
    settings = load_settings()
    database = expect_file(arguments.db or settings.db, "restore it with pg_restore")
    schemas = Games.discover().schemas
    found, kept = asyncio.run(put_in_place(arguments.file, database, schemas))
    print(f"{database} is restored from {arguments.file} (schema {found.version}).")
    if found.is_older_than(schemas):
        print("The next start of the bot brings it up to date.")
    if kept is not None:
        print(f"The database from before is kept as {kept}; the bot deletes it after {settings.copy_days} days.")


def move_database(parser: CommandParser) -> None:
    """Copy a whole database into an empty one, of either engine, and say what was copied and what comes next."""
    parser.add_argument("source", type=place, metavar="FROM", help="the database, a file or postgresql://…; it stays")
    parser.add_argument("target", type=place, metavar="TO", help="an empty database, or a file that isn't there yet")
    arguments = parser.parse_args()
    if isinstance(arguments.source, Path) and not arguments.source.is_file():
        raise OperatorError(f"There is no database {arguments.source}.")
    rows = asyncio.run(_move(arguments.source, arguments.target))
    for table, number in sorted(rows.items()):
        print(f"{table:<24} {quantity(number, 'row')}")
    print(f"Copied, read again and compared: {arguments.target} holds what {arguments.source} holds.")
    print("Let FRACAS_DB name it before the next start.")


async def _move(source: Path | Server, target: Path | Server) -> Mapping[str, int]:
    schemas = Games.discover().schemas
    async with AsyncExitStack() as stack:
        old = await open_database(source, schemas)
        stack.push_async_callback(old.close)
        new = await open_database(target, schemas)
        stack.push_async_callback(new.close)
        return await move(old, new)


async def move(source: Database, target: Database) -> Mapping[str, int]:
    """Copy every row into a database without any, both migrated; return how many rows each table has.

    All is one transaction, in which the copy is read again and compared. Raises `StoreError` if the target has rows, if
    the source has tables that the target doesn't, and if they differ afterwards; then the target is as it was.
    """
    columns = {table: sorted(names) for table, names in (await source.tables()).items() if table != VERSIONS}
    if unknown := sorted(set(columns) - set(await target.tables())):
        raise StoreError(f"No installed game knows the tables {', '.join(unknown)}; install it first.")
    order = await _parents_first(source, columns)

    async def read(old: Connection) -> Mapping[str, int]:
        counters = await source.counters(old)

        async def write(new: Connection) -> Mapping[str, int]:
            for table in order:
                if await new.fetch_all(f"SELECT 1 FROM {table} LIMIT 1"):  # noqa: S608  # the schema's own words
                    raise StoreError(f"There are rows in the target's table {table}; it must be a new database.")
            before = {table: await _read(old, table, columns[table], new) for table in order}
            await target.count_on(new, counters)
            for table in order:
                if await _read(new, table, columns[table]) != before[table]:
                    raise StoreError(f"The copy differs in the table {table}; nothing was copied.")
            return {table: number for table, (number, _) in before.items()}

        return await target.write(write)

    return await source.write(read)


async def _parents_first(db: Database, tables: Iterable[str]) -> list[str]:
    """Return tables in an order in which no row points to one that isn't there yet."""
    names: list[str] = sorted(tables)
    parents: dict[str, set[str]] = {name: set() for name in names}
    for reference in await db.references():
        if reference.table in parents and reference.parent in parents and reference.parent != reference.table:
            parents[reference.table].add(reference.parent)
    return list(TopologicalSorter(parents).static_order())


async def _read(conn: Connection, table: str, columns: Sequence[str], to: Connection | None = None) -> tuple[int, int]:
    """Read a whole table, and write its rows `to` another database, if there is one.

    Return how many rows it has, and a sum of their hashes, which doesn't depend on their order.
    """
    number = total = 0
    rows: list[tuple[str | int | float | bytes | None, ...]] = []
    names, places = ", ".join(columns), ", ".join("?" * len(columns))
    insert = f"INSERT INTO {table} ({names}) VALUES ({places})"  # noqa: S608  # as above
    async for row in conn.stream(f"SELECT {names} FROM {table}"):  # noqa: S608  # as above
        values = [bytes(value) if isinstance(value, bytes | memoryview) else value for value in row]
        hashed = hashlib.sha256(repr(values).encode("utf-8", "surrogateescape")).digest()
        number, total = number + 1, (total + int.from_bytes(hashed)) % 2**256
        rows += [tuple(row)] if to is not None else []
        if to is not None and len(rows) == _ROWS_AT_ONCE:
            await to.execute_many(insert, rows)
            rows = []
    if to is not None:
        await to.execute_many(insert, rows)
    return number, total
