"""Copies a whole database into an empty one, of either engine, and compares the two."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from graphlib import TopologicalSorter

from bot.store.database import Connection, Database, Row
from bot.store.errors import StoreError

VERSIONS = "game_schema"
"""The table that migrations write by themselves."""

_ROWS_AT_ONCE = 200
_MODULUS = 1 << 256


@dataclass(slots=True)
class Digest:
    """How many rows a table has, and a sum of their hashes: it doesn't depend on their order."""

    rows: int = 0
    total: int = field(default=0, repr=False)

    def add(self, row: Row) -> None:
        """Add a row, its columns in a fixed order."""
        values = [bytes(value) if isinstance(value, bytes | memoryview) else value for value in row]
        hashed = hashlib.sha256(repr(values).encode("utf-8", "surrogateescape")).digest()
        self.rows += 1
        self.total = (self.total + int.from_bytes(hashed)) % _MODULUS


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
            before = {table: await _copy(old, new, table, columns[table]) for table in order}
            await target.count_on(new, counters)
            for table in order:
                if await _digest(new, table, columns[table]) != before[table]:
                    raise StoreError(f"The copy differs in the table {table}; nothing was copied.")
            return {table: before[table].rows for table in order}

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


async def _copy(old: Connection, new: Connection, table: str, columns: list[str]) -> Digest:
    digest = Digest()
    rows: list[tuple[str | int | float | bytes | None, ...]] = []
    places = ", ".join("?" * len(columns))
    insert = f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({places})"  # noqa: S608  # as above
    async for row in old.stream(_select(table, columns)):
        digest.add(row)
        rows.append(tuple(row))
        if len(rows) == _ROWS_AT_ONCE:
            await new.execute_many(insert, rows)
            rows = []
    await new.execute_many(insert, rows)
    return digest


async def _digest(conn: Connection, table: str, columns: list[str]) -> Digest:
    digest = Digest()
    async for row in conn.stream(_select(table, columns)):
        digest.add(row)
    return digest


def _select(table: str, columns: list[str]) -> str:
    return f"SELECT {', '.join(columns)} FROM {table}"  # noqa: S608  # as above
