"""The tables of duels."""

import asyncio

import pytest

from bot.games.duel.repositories import MAX_CHARACTERS, CharacterRepository, DuelMessageRepository
from bot.store.database import Database
from bot.store.personal_data import PersonalDataRepository
from sim.core.errors import RuleError
from sim.duel.critter import Critter
from tests.bot.store.conftest import Clock

ALICE, BOB, HERE, THERE = 987_654_321_001, 987_654_321_002, 77, 78


@pytest.fixture
def characters(db: Database, clock: Clock) -> CharacterRepository:
    return CharacterRepository(db, clock)


@pytest.fixture
def words(db: Database) -> DuelMessageRepository:
    return DuelMessageRepository(db)


async def test_characters_are_listed_the_newest_first(characters: CharacterRepository) -> None:
    first = await characters.add(ALICE, Critter(name="Brenna", hp=7))
    second = await characters.add(ALICE, Critter(name="Zoë", hp=3))
    await characters.add(BOB, Critter(name="Brenna", hp=1))
    assert await characters.own(ALICE) == [second, first]
    assert first.critter == Critter(name="Brenna", hp=7)


async def test_a_name_is_one_s_own_once_in_any_spelling(characters: CharacterRepository) -> None:
    await characters.add(ALICE, Critter(name="Zoë", hp=5))
    with pytest.raises(RuleError, match="You already have a character of this name"):
        await characters.add(ALICE, Critter(name="ZOE\u0308", hp=5))


async def test_no_more_than_may_be_even_where_many_come_at_once(characters: CharacterRepository) -> None:
    tries = [characters.add(ALICE, Critter(name=f"No {number}", hp=5)) for number in range(MAX_CHARACTERS + 5)]
    results = await asyncio.gather(*tries, return_exceptions=True)
    assert sum(isinstance(result, RuleError) for result in results) == 5
    assert len(await characters.own(ALICE)) == MAX_CHARACTERS


async def test_nobody_deletes_somebody_else_s(characters: CharacterRepository) -> None:
    kept = await characters.add(ALICE, Critter(name="Brenna", hp=5))
    assert not await characters.delete(BOB, kept.id)
    assert await characters.delete(ALICE, kept.id)
    assert not await characters.delete(ALICE, kept.id)
    again = await characters.add(ALICE, Critter(name="Brenna", hp=5))
    assert again.id > kept.id, "an old form never means another one"


async def test_a_person_s_characters_are_exported(
    characters: CharacterRepository, personal_data: PersonalDataRepository, clock: Clock
) -> None:
    brenna = Critter(name="Brenna", hp=7)
    await characters.add(ALICE, brenna)
    exported = (await personal_data.export(ALICE))["characters"]
    assert exported == [{"name": "Brenna", "sheet": brenna.model_dump(mode="json"), "created_at": clock.now}]


async def test_words_of_servers_and_of_people_are_apart(words: DuelMessageRepository) -> None:
    await words.put(HERE, ALICE, {"miss": ["One", "Twö"]})
    await words.put(None, ALICE, {"hit": ["%d"]})
    assert await words.get(HERE, BOB) == {"miss": ["One", "Twö"]}
    assert await words.get(THERE, ALICE) == {}
    assert await words.get(None, ALICE) == {"hit": ["%d"]}
    assert await words.get(None, BOB) == {}


async def test_what_is_kept_replaces_all_that_was(words: DuelMessageRepository) -> None:
    await words.put(HERE, ALICE, {"miss": ["One"], "hit": ["%d"]})
    await words.put(HERE, BOB, {"death": ["Over."]})
    assert await words.get(HERE, ALICE) == {"death": ["Over."]}
    await words.put(HERE, ALICE, {})
    assert await words.get(HERE, ALICE) == {}


async def test_a_person_s_words_are_deleted_and_a_server_s_stay(
    words: DuelMessageRepository, personal_data: PersonalDataRepository
) -> None:
    await words.put(HERE, ALICE, {"miss": ["One"]})
    await words.put(None, ALICE, {"hit": ["%d"]})
    assert (await personal_data.export(ALICE))["words"] == [{"message": "hit", "texts": ["%d"]}]
    await personal_data.forget_person(ALICE)
    assert await words.get(None, ALICE) == {}
    assert await words.get(HERE, ALICE) == {"miss": ["One"]}
