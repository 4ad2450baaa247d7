"""The registry of personal data: which tables hold ids of people and servers, and how their rows are handled.

It drives `/privacy show`, `export` and `delete`, and the deletion of a server's data.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import JsonValue

from bot.cooperative import cooperative
from bot.store.database import Connection, Database, Row

# A column counts as an id of a person or a server if a word of its name is one of these.
_WORDS = frozenset(
    {"id", "ids", "user", "users", "person", "people", "player", "member", "owner", "author", "actor"}
    | {"guild", "server", "maker", "asker", "starter"}
)
_OWN_ID = "id"
_UNLISTED = "", ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonalTable:
    """A table with ids of people or servers. SQL in it has the person's id as `?1`, a number.

    Which rows: `user_column` and `guild_column` hold the ids; with `user_as_text` the person's is a text.
    `mentions` is a condition for rows that name the person anywhere else. `other_ids` says of each column that looks
    like such an id and is none whose id it is.

    Forgetting a person deletes the rows, or with `cleared` only the id in them; `before_forgetting` runs first.
    Forgetting a server deletes its rows.

    What `/privacy` tells: `label`, singular and plural, and `kept`, such as "that you saved; until you delete them";
    without a label the rows belong to another table's. `deleted`: the label when they are deleted, and with
    `always_listed` even if there were none.

    What it exports: under `key` (default: the table's name) an object for each row, `exported` with an SQL expression
    for each field, in the order of `order`. By default every column but the person's id and BLOBs; ids as text. `files`
    selects names and contents.
    """

    table: str
    user_column: str | None = None
    user_as_text: bool = False
    guild_column: str | None = None
    mentions: str | None = None
    other_ids: Mapping[str, str] = field(default_factory=dict)
    cleared: bool = False
    before_forgetting: tuple[str, ...] = ()
    label: tuple[str, str] = _UNLISTED
    kept: str = ""
    deleted: tuple[str, str] | None = None
    always_listed: bool = False
    key: str | None = None
    exported: Mapping[str, str] = field(default_factory=dict)
    order: str = "rowid"
    files: str | None = None

    @property
    def is_listed(self) -> bool:
        """Whether `/privacy` lists the table."""
        return self.label != _UNLISTED

    @property
    def is_deletable(self) -> bool:
        """Whether it has rows of people, and not only files of other rows."""
        return self.user_column is not None

    @property
    def columns(self) -> set[str]:
        """The declared columns."""
        return {*filter(None, (self.user_column, self.guild_column)), *self.other_ids}

    @property
    def _is_theirs(self) -> str:
        return f"{self.user_column} = {'CAST(?1 AS TEXT)' if self.user_as_text else '?1'}"

    @property
    def of_person(self) -> str:
        """The end of a statement about a person's rows."""
        conditions = [*([self._is_theirs] if self.user_column else []), *filter(None, [self.mentions])]
        return f"FROM {self.table} WHERE {' OR '.join(conditions)}"

    @property
    def count(self) -> str:
        """The statement that counts a person's rows or files."""
        rows = self.of_person if self.user_column else f"FROM ({self.files})"
        return f"SELECT count(*) {rows}"

    @property
    def forget_person(self) -> tuple[str, ...]:
        """The statements that forget a person, in order."""
        if self.user_column is None:
            return ()
        if self.cleared:
            change = f"SET {self.user_column} = NULL WHERE {self._is_theirs}"
            return (*self.before_forgetting, f"UPDATE {self.table} {change}")
        return (*self.before_forgetting, f"DELETE {self.of_person}")

    @property
    def forget_guild(self) -> str | None:
        """The statement that forgets a server, whose id is `?1`."""
        rows = f"FROM {self.table} WHERE {self.guild_column} = ?1"
        return None if self.guild_column is None else f"DELETE {rows}"


@dataclass(frozen=True, slots=True)
class RowCount:
    """The number of rows or files of a table that belong to a person."""

    table: PersonalTable
    number: int


class PersonalDataRepository:
    """The data about people and servers in all registered tables."""

    def __init__(self, db: Database, tables: Sequence[PersonalTable]) -> None:
        self._db = db
        self._tables = tables

    async def summary(self, user_id: int) -> list[RowCount]:
        """Return how much is kept about a person, for each table with a label."""
        listed = [table for table in self._tables if table.is_listed]
        return [RowCount(table, row[0]) for table in listed for row in await self._db.fetch_all(table.count, [user_id])]

    async def export(self, user_id: int) -> dict[str, list[JsonValue]]:
        """Return everything that is kept about a person but files, as JSON data; times are Unix seconds."""
        found: dict[str, list[JsonValue]] = {}
        for table in self._tables:
            if table.is_listed and table.is_deletable:
                fields = ", ".join(f"'{name}', {sql}" for name, sql in table.exported.items())
                select = f"SELECT json_object({fields}) AS object" if fields else "SELECT *"
                rows = await self._db.fetch_all(f"{select} {table.of_person} ORDER BY {table.order}", [user_id])
                key = table.key or table.table
                found[key] = [_export_row(table, row) async for row in cooperative(rows)]
        return found

    async def files(self, user_id: int) -> dict[str, bytes]:
        """Return the files of a person's rows, by their names in the export."""
        selects = [table.files for table in self._tables if table.files]
        return {name: data for sql in selects for name, data in await self._db.fetch_all(sql, [user_id])}

    async def forget_person(self, user_id: int) -> list[RowCount]:
        """Delete a person's data everywhere, in one transaction and without a trace; return how much there was.

        Their battles are marked as unpublished, to be shown without the person. They can still be verified: the hashes
        don't cover who acted.
        """

        async def forget(conn: Connection) -> list[RowCount]:
            kept = []
            for table in self._tables:
                if table.is_listed and table.is_deletable:
                    (row,) = await conn.fetch_all(table.count, [user_id])
                    kept.append(RowCount(table, row[0]))
            for table in self._tables:
                for sql in table.forget_person:
                    await conn.execute(sql, [user_id])
            return kept

        return await self._db.erase(forget)

    async def forget_guild(self, conn: Connection, guild_id: int) -> None:
        """Delete all data of a server, inside the caller's transaction."""
        for table in self._tables:
            if table.forget_guild is not None:
                await conn.execute(table.forget_guild, [guild_id])

    async def missing(self) -> list[str]:
        """Return the declared tables and columns (`table.column`) that the database doesn't have."""
        schema = await self._schema()
        tables = [table.table for table in self._tables if table.table not in schema]
        columns = [
            f"{table.table}.{name}" for table in self._tables for name in table.columns - schema.get(table.table, set())
        ]
        return sorted({*tables, *(name for name in columns if name.split(".")[0] in schema)})

    async def undeclared(self) -> list[str]:
        """Return the columns, as `table.column`, that look like ids of people or servers and are in no entry.

        That is every column with `id`, `user`, `guild`, `actor` or alike as a word of its name, except a row's own
        `id` and a reference to another row's.
        """
        schema = await self._schema()
        for table in self._tables:
            schema[table.table] = schema.get(table.table, set()) - table.columns
        for reference in await self._db.references():
            if not _looks_personal(reference.target):
                schema[reference.table].discard(reference.column)
        return sorted(f"{table}.{name}" for table, names in schema.items() for name in names if _looks_personal(name))

    async def _schema(self) -> dict[str, set[str]]:
        return {table: set(columns) for table, columns in (await self._db.tables()).items()}


def _looks_personal(column: str) -> bool:
    return column != _OWN_ID and not _WORDS.isdisjoint(re.split(r"[^a-z]+", column.casefold()))


def _export_row(table: PersonalTable, row: Row) -> JsonValue:
    if table.exported:
        found: JsonValue = json.loads(row["object"])
        return found
    return dict(_columns(table, row))


def _columns(table: PersonalTable, row: Row) -> Iterator[tuple[str, JsonValue]]:
    for name in row.keys():  # noqa: SIM118  # a row iterates over its values
        value = row[name]
        if name != table.user_column and not isinstance(value, bytes):
            yield name, str(value) if isinstance(value, int) and _looks_personal(name) else value
