from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.config import Server
from bot.store.database import Database
from bot.store.personal_data import PersonalDataRepository
from bot.store.personal_tables import HOUSE_TABLES
from bot.store.queries import KEPT_TEXTS, RecentTextRepository
from tests.bot.store.databases import open_database


async def test_newest_first(db: Database) -> None:
    recent = RecentTextRepository(db)
    for text in ("6 tanks", "10 inf", "2 fighters"):
        await recent.remember(1, "aa", text)
    assert await recent.list(1, "aa") == ["2 fighters", "10 inf", "6 tanks"]


async def test_a_text_used_again_moves_to_the_front(db: Database) -> None:
    recent = RecentTextRepository(db)
    for text in ("a", "b", "c", "a"):
        await recent.remember(1, "aa", text)
    assert await recent.list(1, "aa") == ["a", "c", "b"]


async def test_only_the_last_twenty_are_kept(db: Database) -> None:
    recent = RecentTextRepository(db)
    for number in range(25):
        await recent.remember(1, "aa", f"{number} inf")
    assert await recent.list(1, "aa") == [f"{number} inf" for number in range(24, 4, -1)]
    assert len(await db.fetch_all("SELECT * FROM recent_texts")) == KEPT_TEXTS


async def test_players_and_kinds_are_apart(db: Database) -> None:
    recent = RecentTextRepository(db)
    await recent.remember(1, "aa", "mine")
    await recent.remember(2, "aa", "theirs")
    await recent.remember(1, "mka", "5@3")
    assert await recent.list(1, "aa") == ["mine"]
    assert await recent.list(2, "aa") == ["theirs"]
    assert await recent.list(1, "mka") == ["5@3"]
    assert await recent.list(3, "aa") == []


async def test_texts_survive_a_restart_and_keep_their_order(place: Path | Server) -> None:
    for text in ("a", "b", "c"):
        db = await open_database(place)
        await RecentTextRepository(db).remember(1, "aa", text)
        await db.close()
    db = await open_database(place)
    assert await RecentTextRepository(db).list(1, "aa") == ["c", "b", "a"]
    await db.close()


async def test_a_player_is_forgotten_on_request(db: Database, personal_data: PersonalDataRepository) -> None:
    recent = RecentTextRepository(db)
    for user_id, kind in ((1, "aa"), (1, "mka"), (2, "aa")):
        await recent.remember(user_id, kind, "x")
    await personal_data.forget_person(1)
    assert await recent.list(1, "aa") == []
    assert await recent.list(2, "aa") == ["x"]


few_texts = st.sampled_from([f"{number} inf" for number in range(30)])
texts = few_texts | st.text(max_size=30)
uses = st.tuples(st.sampled_from([1, 2**63 - 1]), st.sampled_from(["aa", "mka"]), texts)


@pytest.mark.torture
@settings(deadline=None)
@given(st.lists(uses, max_size=80))
async def test_like_a_plain_list(history: list[tuple[int, str, str]]) -> None:
    db = await open_database(":memory:")
    try:
        recent = RecentTextRepository(db)
        model: dict[tuple[int, str], list[str]] = {}
        for user_id, kind, text in history:
            await recent.remember(user_id, kind, text)
            others = [other for other in model.get((user_id, kind), []) if other != text]
            model[user_id, kind] = [text, *others][:KEPT_TEXTS]
        for (user_id, kind), expected in model.items():
            assert await recent.list(user_id, kind) == expected
    finally:
        await db.close()


async def test_what_is_forgotten_is_not_left_in_the_file_either(tmp_path: Path) -> None:
    path = tmp_path / "fracas.db"
    db = await open_database(path)
    try:
        recent = RecentTextRepository(db)
        await recent.remember(1, "aa", "my very own battle plan")
        await db.close()
        assert b"my very own battle plan" in path.read_bytes()
        db = await open_database(path)
        await PersonalDataRepository(db, HOUSE_TABLES).forget_person(1)
    finally:
        await db.close()
    assert b"my very own battle plan" not in path.read_bytes()
