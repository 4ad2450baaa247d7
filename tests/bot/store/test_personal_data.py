"""The registry of personal data against the schema: nothing that names a person or a server is left out."""

import json

import pytest

from bot.store.database import Database
from bot.store.personal_data import BATCH, PersonalDataRepository, PersonalTable
from bot.store.personal_tables import HOUSE_TABLES
from tests.bot.store.conftest import personal_data_with
from tests.bot.store.databases import only_sqlite
from tests.bot.store.rows import ROWS, fill, run

ALICE, BOB, HERE, THERE = 987_654_321_001, 987_654_321_002, 987_654_321_077, 987_654_321_078


@pytest.fixture
async def full(db: Database) -> Database:
    """Put something of Alice and of Bob into every table."""
    await fill(db, (ALICE, HERE), (BOB, THERE))
    return db


async def dump(db: Database) -> dict[str, str]:
    """Return the rows of every table as text."""
    return {
        name: str([tuple(row) for row in await db.fetch_all(f"SELECT * FROM {name}")])  # noqa: S608  # the schema's words
        for name in await db.tables()
        if name != "game_schema"
    }


async def test_every_column_with_an_id_is_in_an_entry(personal_data: PersonalDataRepository) -> None:
    assert await personal_data.undeclared() == []
    assert await personal_data.missing() == []


@pytest.mark.parametrize(
    ("schema", "undeclared"),
    [
        ("CREATE TABLE bets (id INTEGER PRIMARY KEY, user_id INTEGER)", ["bets.user_id"]),
        ("CREATE TABLE bets (friend_id TEXT, points INTEGER)", ["bets.friend_id"]),
        ("CREATE TABLE bets (guild_id INTEGER PRIMARY KEY)", ["bets.guild_id"]),
        ('CREATE TABLE bets (battle_id INTEGER REFERENCES battles (id), owner INTEGER, "Server" TEXT)', None),
        ("CREATE TABLE bets (of INTEGER, player_id INTEGER REFERENCES guilds_left (guild_id))", ["bets.player_id"]),
        ("ALTER TABLE battles ADD COLUMN rival_id INTEGER", ["battles.rival_id"]),
        ("CREATE TABLE bets (battle_id INTEGER REFERENCES battles, idle INTEGER, guidance TEXT)", []),
    ],
)
async def test_a_table_made_up_here_is_noticed(
    db: Database, personal_data: PersonalDataRepository, schema: str, undeclared: list[str] | None
) -> None:
    await run(db, schema)
    assert await personal_data.undeclared() == (["bets.Server", "bets.owner"] if undeclared is None else undeclared)


async def test_a_table_is_declared_column_by_column(db: Database) -> None:
    await run(db, "CREATE TABLE bets (user_id INTEGER, rival_id INTEGER, channel_id INTEGER)")
    own = PersonalTable(table="bets", user_column="user_id", other_ids={"channel_id": "a channel"})
    assert await personal_data_with(db, own).undeclared() == ["bets.rival_id"]
    rival = PersonalTable(table="bets", user_column="rival_id")
    assert await personal_data_with(db, own, rival).undeclared() == []


async def test_an_entry_for_what_is_not_there_is_noticed(db: Database) -> None:
    nowhere = PersonalTable(table="nowhere", user_column="user_id")
    column = PersonalTable(table="seats", guild_column="guild_id")
    assert await personal_data_with(db, nowhere, column).missing() == ["nowhere", "seats.guild_id"]


async def test_a_person_is_forgotten_in_every_table_and_nobody_else(
    full: Database, personal_data: PersonalDataRepository
) -> None:
    before = await dump(full)
    assert set(before) == set(ROWS) | {"outbox"}, "every table has a row here"
    kept = await personal_data.forget_person(ALICE)
    after = await dump(full)
    assert not [table for table, rows in after.items() if str(ALICE) in rows]
    for table, rows in before.items():
        assert after[table].count(str(BOB)) == rows.count(str(BOB)), table
    assert [(offer.table.table, offer.number) for offer in kept] == [
        *(("recent_texts", 1), ("calculations", 2), ("battles", 1), ("rosters", 1)),
        *(("dice_luck", 1), ("result_seats", 1), ("campaigns", 1), ("aa_editions", 1)),
        *(("bosses", 1), ("boss_records", 1), ("characters", 1), ("scores", 1), ("duel_words", 1)),
    ]
    due = "SELECT id FROM battles JOIN outbox ON battle_id = id AND outbox.revision = battles.revision"
    assert [row[0] for row in await full.fetch_all(due)] == [1], "its panel is to be shown without the name"


async def test_a_server_is_forgotten_in_every_table_and_no_other(
    full: Database, personal_data: PersonalDataRepository
) -> None:
    before = await dump(full)
    await personal_data.forget_guild(HERE)
    after = await dump(full)
    assert not [table for table, rows in after.items() if str(HERE) in rows]
    for table, rows in before.items():
        assert after[table].count(str(THERE)) == rows.count(str(THERE)), table


@pytest.mark.usefixtures("full")
async def test_what_is_shown_is_what_is_exported(personal_data: PersonalDataRepository) -> None:
    exported = await personal_data.export(ALICE)
    assert list(exported) == [
        *("recent_texts", "calculations", "battles", "rosters", "dice", "results", "campaigns", "aa_editions"),
        *("bosses", "boss_records", "characters", "scores", "words"),
    ]
    files = await personal_data.files(ALICE)
    counts = {kept.table.key or kept.table.table: kept.number for kept in await personal_data.summary(ALICE)}
    assert counts == {**{key: len(rows) for key, rows in exported.items()}, "uploads": 1}
    assert sorted(files) == [f"{1:064}.txt", "boss-1.png"]
    text = json.dumps(exported)
    assert str(BOB) not in text
    assert f'"{HERE}"' in text, "ids are text: JSON's numbers are too short for them elsewhere"


async def test_a_table_without_more_words_is_exported_column_by_column(db: Database) -> None:
    await run(db, "CREATE TABLE bets (user_id INTEGER, guild_id INTEGER, amount INTEGER, slip BLOB, note TEXT)")
    await run(db, f"INSERT INTO bets VALUES ({ALICE}, {HERE}, 5, ?, NULL), ({BOB}, {HERE}, 6, ?, NULL)")  # noqa: S608  # the test's own words
    bets = PersonalTable(table="bets", user_column="user_id", guild_column="guild_id", label=("bet", "bets"))
    assert (await personal_data_with(db, bets).export(ALICE))["bets"] == [
        {"guild_id": str(HERE), "amount": 5, "note": None}
    ]


@only_sqlite
async def test_who_is_forgotten_is_found_by_an_index(db: Database) -> None:
    for table, column, index in (
        ("journal", "actor", "journal_by_actor"),
        ("seats", "user_id", "seats_by_user"),
        ("battles", "starter_id", "battles_by_starter"),
    ):
        entry = PersonalTable(table=table, user_column=column, cleared=True)
        (plan, *_) = await db.fetch_all(f"EXPLAIN QUERY PLAN {entry.forget_person[0]}", [ALICE])
        assert index in plan["detail"]
    (journal,) = [entry for entry in HOUSE_TABLES if entry.table == "journal"]
    update = journal.forget_person[-1].replace(BATCH, "?2, ?3")
    (plan, *_) = await db.fetch_all(f"EXPLAIN QUERY PLAN {update}", [ALICE, 1, 2])
    assert "(battle_id=?)" in plan["detail"], "a batch doesn't go through all that is theirs"
