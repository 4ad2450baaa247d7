"""The registry of personal data: which tables hold ids of people and servers, and how their rows are handled.

It drives `/privacy show`, `export` and `delete`, and the deletion of the data of servers that the bot has left.
"""

import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import JsonValue

from bot.store import DAY
from bot.store.database import (
    ROWS_AT_ONCE,
    Connection,
    Database,
    Parameters,
    Repository,
    Row,
    cooperative,
    in_transaction,
)

# A column counts as an id of a person or a server if a word of its name is one of these.
_WORDS = frozenset(
    {"id", "ids", "user", "users", "person", "people", "player", "member", "owner", "author", "actor"}
    | {"guild", "server", "maker", "asker", "starter"}
)
_UNLISTED = "", ""

BATCH = "{batch}"
"""In SQL of a table with a `batch_key`: the keys of the rows that this transaction is about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonalTable:
    """A table with ids of people or servers. SQL in it has the person's id as `?1`, a number.

    Which rows: `user_column` and `guild_column` hold the ids; with `user_as_text` the person's is a text.
    `mentions` is a condition for rows that name the person anywhere else; without a `user_column`, for rows that follow
    from what other tables have of the person: these are forgotten first. `other_ids` says of each column that looks
    like such an id and is none whose id it is.

    Forgetting a person deletes the rows, or with `cleared` only the id in them; `before_forgetting` runs first.
    Forgetting a server deletes its rows. `batch_key`: a column with an index; a transaction forgets the rows with a few
    values of it, so that others needn't wait for all of them. Without it, one transaction forgets them all.

    What `/privacy` tells: `label`, singular and plural, and `kept`, such as "you saved; until deleted";
    without a label the rows belong to another table's. `deleted`: the label when they are deleted.

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
    batch_key: str | None = None
    label: tuple[str, str] = _UNLISTED
    kept: str = ""
    deleted: tuple[str, str] | None = None
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
    def _is_theirs(self) -> str | None:
        if self.user_column is None:
            return None
        return f"{self.user_column} = {'CAST(?1 AS TEXT)' if self.user_as_text else '?1'}"

    @property
    def of_person(self) -> str:
        """The end of a statement about a person's rows."""
        return f"FROM {self.table} WHERE {' OR '.join(filter(None, [self._is_theirs, self.mentions]))}"

    @property
    def count(self) -> str:
        """The statement that counts a person's rows or files."""
        rows = self.of_person if self.user_column else f"FROM ({self.files})"
        return f"SELECT count(*) {rows}"

    @property
    def forgets_of_person(self) -> str | None:
        """The condition for rows in which a person is forgotten."""
        return " OR ".join(filter(None, [self._is_theirs, None if self.cleared else self.mentions])) or None

    def forget(self, rows: str, *, cleared: bool = False) -> str:
        """Return the statement that deletes rows, or with `cleared` the person's id in them; those of a batch."""
        # IS TRUE: by an index of the person, each batch would go through all that is theirs.
        where = rows if self.batch_key is None else f"({rows}) IS TRUE AND {self.batch_key} IN ({BATCH})"
        done = f"SET {self.user_column} = NULL WHERE {where}"
        return f"UPDATE {self.table} {done}" if cleared else f"DELETE FROM {self.table} WHERE {where}"  # noqa: S608  # the registry's own words


class PersonalDataRepository:
    """The data about people and servers in all registered tables."""

    def __init__(self, db: Database, tables: Sequence[PersonalTable]) -> None:
        self._db = db
        self._tables = tables

    async def summary(self, user_id: int) -> list[tuple[PersonalTable, int]]:
        """Return how many rows or files are kept about a person, for each table with a label."""
        listed = [table for table in self._tables if table.is_listed]
        return [(table, row[0]) for table in listed for row in await self._db.fetch_all(table.count, [user_id])]

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

    async def forget_person(self, user_id: int) -> list[tuple[PersonalTable, int]]:
        """Delete a person's data everywhere and without a trace, some at a time; return how much there was.

        Their battles are marked as unpublished, to be shown without the person. They can still be verified: the hashes
        don't cover who acted. What wasn't deleted because the process ended is found the next time.
        """
        kept = [(table, number) for table, number in await self.summary(user_id) if table.is_deletable]
        async with self._db.erasing():
            for table in sorted(self._tables, key=lambda table: table.user_column is not None):
                if (rows := table.forgets_of_person) is not None:
                    await self._forget(table, user_id, rows, before=table.before_forgetting, cleared=table.cleared)
        return kept

    async def forget_guild(self, guild_id: int) -> None:
        """Delete all data of a server without a trace, some at a time; that it left goes last."""
        async with self._db.erasing():
            for table in sorted(self._tables, key=lambda table: table.table == "guilds_left"):
                if table.guild_column is not None:
                    await self._forget(table, guild_id, f"{table.guild_column} = ?1")

    async def _forget(
        self, table: PersonalTable, whose: int, rows: str, *, before: Sequence[str] = (), cleared: bool = False
    ) -> None:
        """Forget rows in a transaction for each batch, after the statements `before`."""
        statements = (*before, table.forget(rows, cleared=cleared))
        batches: list[Parameters] = [()]
        if (key := table.batch_key) is not None:
            sql = f"SELECT DISTINCT {key} FROM {table.table} WHERE {rows}"  # noqa: S608  # as above
            keys = [row[0] for row in await self._db.fetch_all(sql, [whose])]
            batches = [keys[start : start + ROWS_AT_ONCE] for start in range(0, len(keys), ROWS_AT_ONCE)]
        for batch in batches:
            values = (whose, *batch)
            places = ", ".join(f"?{number}" for number in range(2, len(values) + 1))

            async def forget(conn: Connection, values: Parameters = values, places: str = places) -> None:
                for sql in statements:
                    await conn.execute(sql.replace(BATCH, places), values)

            await self._db.write(forget)

    async def missing(self) -> list[str]:
        """Return the declared tables and columns (`table.column`) that the database doesn't have."""
        schema, found = await self._db.tables(), set[str]()
        for table in self._tables:
            there = schema.get(table.table)
            found |= {table.table} if there is None else {f"{table.table}.{name}" for name in table.columns - there}
        return sorted(found)

    async def undeclared(self) -> list[str]:
        """Return the columns, as `table.column`, that look like ids of people or servers and are in no entry.

        That is every column with `id`, `user`, `guild`, `actor` or alike as a word of its name, except a row's own
        `id` and a reference to another row's.
        """
        schema = {table: set(columns) for table, columns in (await self._db.tables()).items()}
        for table in self._tables:
            schema.get(table.table, set()).difference_update(table.columns)
        for reference in await self._db.references():
            if not _looks_personal(reference.target):
                schema[reference.table].discard(reference.column)
        return sorted(f"{table}.{name}" for table, names in schema.items() for name in names if _looks_personal(name))


def _looks_personal(column: str) -> bool:
    return column != "id" and not _WORDS.isdisjoint(re.split(r"[^a-z]+", column.casefold()))


def _export_row(table: PersonalTable, row: Row) -> JsonValue:
    if table.exported:
        found: JsonValue = json.loads(row["object"])
        return found
    return {
        name: str(value) if isinstance(value, int) and _looks_personal(name) else value
        for name, value in zip(row.keys(), row, strict=True)
        if name != table.user_column and not isinstance(value, bytes)
    }


KEPT_SECONDS = 30 * DAY


class GuildRepository(Repository):
    """The servers that the bot was in when it last looked, and those that it has left."""

    async def left(self, guild_id: int) -> None:
        """Note that the bot has left a server; the first time stays."""
        await self._db.write(lambda conn: self._leave(conn, [guild_id]))

    @in_transaction
    async def joined(self, conn: Connection, guild_id: int) -> bool:
        """Note that the bot is in a server, so its data stays; return whether it wasn't, as far as is remembered."""
        had_left = await conn.drop("guilds_left", guild_id=guild_id)
        return await conn.add("guilds_present", guild_id=guild_id) and not had_left

    async def forget_left(self, personal_data: PersonalDataRepository) -> int:
        """Delete all data of servers left more than 30 days ago and return their number."""
        before = self._now - KEPT_SECONDS
        left = await self._db.fetch_column(int, "SELECT guild_id FROM guilds_left WHERE left_at < ?", [before])
        for guild_id in left:
            await personal_data.forget_guild(guild_id)
        return len(left)

    async def number(self) -> int:
        """Return how many servers there are, in all processes."""
        return await self._db.fetch_value(int, "SELECT count(*) FROM guilds_present") or 0

    @in_transaction
    async def compare(self, conn: Connection, guild_ids: Collection[int], may_know: Callable[[int], bool]) -> None:
        """Note in which servers the bot is now, and that it has left the others where it was before.

        `may_know`: whether a server would be among them; the others are another process's.
        """
        before = await conn.fetch_column(int, "SELECT guild_id FROM guilds_present")
        await self._leave(conn, [each for each in before if each not in guild_ids and may_know(each)])
        here = [(each,) for each in guild_ids]
        await conn.execute_many("DELETE FROM guilds_left WHERE guild_id = ?", here)
        await conn.execute_many("INSERT INTO guilds_present (guild_id) VALUES (?) ON CONFLICT DO NOTHING", here)

    async def _leave(self, conn: Connection, guild_ids: Sequence[int]) -> None:
        left = "INSERT INTO guilds_left (guild_id, left_at) VALUES (?, ?) ON CONFLICT DO NOTHING"
        await conn.execute_many(left, [(each, self._now) for each in guild_ids])
        await conn.execute_many("DELETE FROM guilds_present WHERE guild_id = ?", [(each,) for each in guild_ids])
