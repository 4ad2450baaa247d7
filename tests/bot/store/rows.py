"""Rows of a person and a server for every table."""

from bot.scale import dialect
from bot.store.database import Connection, Database

ROWS = {
    "recent_texts": "(user_id, kind, text) VALUES (:user, 'aa', '6 inf')",
    "calculations": "VALUES ('own' || :n, 'aa', :user, :guild, '{}', 1), ('named' || :n, 'aa', 7, NULL, :user, 2)",
    "battle_numbers": "VALUES (:n, :guild, 1)",
    "battles": "(id, channel_id, number, guild_id, starter_id, system, rules, setup, seed, seed_hash, state,"
    " created_at, updated_at) VALUES (:n, :n, 1, :guild, :user, 'aa', 1, '{}', ?, '', '{}', 1, 1)",
    "seats": "VALUES (:n, 0, 'attacker', :user, 0, 1)",
    "seats_left": "VALUES (:n, 1, 'attacker', :user)",
    "journal": "VALUES (:n, 1, 'step', 'attacker', :user, '{\"do\": \"fire\"}', '[]', 1, NULL, '', '', '', 3, NULL)",
    "undo_requests": "VALUES (:n, 1, :user, 1)",
    "reminders": "VALUES (:n, '1:1', 7, NULL)",
    "referees": "VALUES (:n, :user)",
    "clocks": "VALUES (:n, 0, NULL)",
    "outages": "VALUES (:n, :n)",
    "server_hours": "VALUES (:guild, 'UTC', NULL, NULL, 'skip')",
    "chronicled": "VALUES (:n)",
    "results": "VALUES (:n, :guild, 1, 1, 7, 'aa', 1, 1)",
    "result_seats": "VALUES (:n, 'attacker', :user, 1, 1, NULL), (:n, 'defender', 8, 2, 2, 0.5)",
    "dice_luck": "VALUES (:n, 'attacker', 'hits', 0, :user, '[]', 1, 1, 1, '{}', 1, '{}')",
    "ladders": "VALUES (:guild)",
    "campaigns": "VALUES (:n, :guild, :user, 'War', 'war', 'aa', 1, NULL)",
    "campaign_rows": "VALUES (:n, 1, :n, 7, 1, 7, NULL, NULL, '', '{}', '[]', '', '[]', NULL)",
    "applied_interactions": "VALUES (:n, 1)",
    "guilds_left": "VALUES (:guild, 1)",
    "guilds_present": "VALUES (:guild)",
    "offline_ids": "VALUES ('person ' || :n, :n)",
    "uploads": "VALUES (':sha', ?)",
    "rosters": "VALUES (:n, :user, 'aa', 'Fox', 'fox', :guild)",
    "roster_versions": "VALUES (:n, 1, ':sha', 1)",
    "calculation_uploads": "VALUES ('own' || :n, ':sha')",
    "scores": "(system, guild_id, user_id, name, points, told, created_at)"
    " VALUES ('duel', :guild, :user, 'Brenna', 1, '', 1)",
    "bosses": "VALUES (:n, :guild, :user, 'Ogre', 'ogre', '{}', '{}', ?)",
    "boss_records": "VALUES (:guild, 'ogre', 1, :user, 'Ogre', '', 1, '', 1, 1)",
    "characters": "(owner_id, name, name_key, sheet, created_at) VALUES (:user, 'Brenna', 'brenna', '{}', 1)",
    "aa_editions": "VALUES (:user, NULL, '1942'), (NULL, :guild, '1940')",
    "duel_words": "VALUES (NULL, :user, 'hit', '[]'), (:guild, NULL, 'hit', '[]')",
}
"""A row or two of a person and a server for every table; `:n` is a number that names nobody."""


async def run(db: Database, sql: str) -> None:
    """Run a statement, as a migration does; each `?` is some bytes."""

    async def execute(conn: Connection) -> None:
        for statement in dialect.schema(sql) if db.is_shared and sql.startswith("CREATE") else [sql]:
            await conn.execute(statement, [b"."] * sql.count("?"))

    await db.write(execute)


async def fill(db: Database, *whose: tuple[int, int], first: int = 1) -> None:
    """Put something of each person and server into every table; `first`: where their numbers begin."""
    for number, (user, guild) in enumerate(whose, first):
        for table, row in ROWS.items():
            values = row.replace(":user", str(user)).replace(":guild", str(guild))
            await run(db, f"INSERT INTO {table} {values.replace(':n', str(number)).replace(':sha', f'{number:064}')}")
