"""The tables of duels and of boss fights: who owns what, what replaces it, what is deleted with it."""

import asyncio
from fractions import Fraction
from functools import partial

import pytest

from bot.games.boss_fight import repositories as r
from bot.games.duel.repositories import MAX_CHARACTERS, CharacterRepository, DuelMessageRepository
from bot.store.database import Database
from sim.boss_fight.values import Boss
from sim.core import RuleError
from sim.duel.critter import Critter
from tests.bot.conftest import Clock

ALICE, BOB, HERE, THERE = 987_654_321_001, 987_654_321_002, 77, 78


@pytest.fixture
def characters(db: Database, clock: Clock) -> CharacterRepository:
    return CharacterRepository(db, clock)


@pytest.fixture
def words(db: Database) -> DuelMessageRepository:
    return DuelMessageRepository(db)


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


async def test_words_of_servers_and_of_people_are_apart_and_new_ones_replace_all(words: DuelMessageRepository) -> None:
    await words.put(HERE, ALICE, {"miss": ["One", "Twö"]})
    await words.put(None, ALICE, {"hit": ["%d"]})
    assert await words.get(HERE, BOB) == {"miss": ["One", "Twö"]}
    assert await words.get(THERE, ALICE) == {}
    assert await words.get(None, ALICE) == {"hit": ["%d"]}
    assert await words.get(None, BOB) == {}
    await words.put(HERE, BOB, {"death": ["Over."]})
    assert await words.get(HERE, ALICE) == {"death": ["Over."]}
    await words.put(HERE, ALICE, {})
    assert await words.get(HERE, ALICE) == {}


ANN, BEN, GUILD, OTHER = 1, 2, 100, 200
HOME, BENS = r.Home(GUILD, ANN), r.Home(GUILD, BEN)


def ogre(health: int = 5, name: str = "Ogre", entry: str | None = None) -> Boss:
    return Boss(name=name, health=health, entry=entry)


async def save(store: r.BossRepository, *bosses: Boss, home: r.Home = HOME, referee: bool = False) -> None:
    await store.save(home, bosses, referee=referee)


async def only_boss(store: r.BossRepository, home: r.Home = HOME) -> r.ForgedBoss:
    (found,) = await store.at(home)
    return found


async def record(db: Database, user_id: int = ANN, score: int = 0, damage: int = 1, **where: int | str) -> None:
    """Store the result of a finished fight."""
    entry = user_id, Fraction(score), Fraction(damage)
    place = {"guild_id": GUILD, "boss": "Ogre", "times": 1, "hands": True} | where
    guild_id = place.pop("guild_id")

    async def write(conn: object) -> None:
        await r.write_records(conn, guild_id, r.Board(**place), [entry])  # type: ignore[arg-type]  # as the test gives them

    await db.write(write)


async def best(db: Database, by: r.Figure = "damage", times: int = 1, *, hands: bool = True) -> r.Ranking:
    return await r.BossRecordRepository(db).best(GUILD, r.Board("ogre", times, hands), by)


@pytest.fixture
def store(db: Database) -> r.BossRepository:
    return r.BossRepository(db)


async def test_servers_and_people_have_their_own_and_all_are_kept_or_none(store: r.BossRepository) -> None:
    for home in (HOME, r.Home(OTHER, ANN), r.Home(None, ANN), r.Home(None, BEN)):
        await save(store, ogre(), home=home)
    assert await store.find(r.Home(None, 3), "ogre") is None
    assert (await store.find(BENS, "ogre")) == await store.find(HOME, "Ogre"), "a server's is everybody's there"
    assert (await only_boss(store, r.Home(None, BEN))).maker_id == BEN
    with pytest.raises(RuleError, match="Only Ogre's maker"):
        await save(store, ogre(name="Troll"), ogre(), home=BENS)
    assert (await only_boss(store)).maker_id == ANN
    await save(store, ogre(name="Troll"), ogre(7), home=BENS, referee=True)
    assert [it.maker_id for it in await store.at(HOME)] == [ANN, BEN], "it stays its maker's"


async def test_there_is_room_for_fifty(store: r.BossRepository) -> None:
    await save(store, *(ogre(name=f"Ogre {number}") for number in range(r.MAX_BOSSES)))
    with pytest.raises(RuleError, match="That makes 51 bosses here; at most 50 fit"):
        await save(store, ogre())
    await save(store, ogre(name="Ogre 1", health=9))


async def test_a_boss_takes_the_place_of_the_one_of_its_name_whose_picture_stays(store: r.BossRepository) -> None:
    await store.save(HOME, [ogre()], referee=False, picture=b"png")
    await save(store, ogre(8, "OGRE"))
    kept = await only_boss(store)
    assert (kept.boss, kept.maker_id, await store.picture(kept)) == (ogre(8, "OGRE"), ANN, b"png")
    await save(store, ogre(name="Troll"))
    with pytest.raises(RuleError, match="Another boss is called troll already"):
        await store.save(HOME, [ogre(name="troll")], referee=False, editing=kept)
    await store.save(HOME, [ogre(name="Giant")], referee=False, editing=kept)
    assert [it.boss.name for it in await store.at(HOME)] == ["Giant", "Troll"]
    with pytest.raises(RuleError, match="too much detail"):
        await store.save(HOME, [ogre()], referee=False, picture=bytes(r.MAX_PICTURE_BYTES + 1))


async def test_its_maker_or_a_referee_deletes_a_boss_with_its_records(db: Database, store: r.BossRepository) -> None:
    await save(store, ogre())
    await record(db)
    await record(db, guild_id=OTHER)
    found = await only_boss(store)
    with pytest.raises(RuleError, match="Only Ogre's maker"):
        await store.delete(BENS, found, referee=False)
    await store.delete(BENS, found, referee=True)
    assert (await store.at(HOME), await best(db), await store.picture(found)) == ([], [], None)
    assert await r.BossRecordRepository(db).bosses(OTHER) == [r.Board("Ogre", 1, hands=True)]
    with pytest.raises(RuleError, match="is gone"):
        await store.save(HOME, [ogre()], referee=False, editing=found)
    await save(store, ogre())
    await store.delete(HOME, await only_boss(store), referee=False)
    assert await store.at(HOME) == []


async def test_the_best_ten_of_each_figure_are_listed(db: Database) -> None:
    await record(db, score=5, damage=10)
    await record(db, score=0, damage=30)
    await record(db, BEN, score=0, damage=20)
    assert await best(db) == [(ANN, "30"), (BEN, "20")]
    assert await best(db, "score") == [(ANN, "5")], "a score of 0 is none"
    assert await best(db, times=2) == []
    for user_id in range(1, 14):
        await record(db, user_id, damage=user_id, times=2)
    assert [user_id for user_id, _ in await best(db, times=2)] == list(range(13, 13 - r.MAX_LISTED, -1))


@pytest.mark.parametrize(("boss", "kept"), [(ogre(entry="Hu!"), True), (ogre(6), False), (ogre(name="Giant"), False)])
async def test_another_boss_has_no_records(db: Database, boss: Boss, kept: bool) -> None:  # a parameter
    store = r.BossRepository(db)
    await save(store, ogre())
    await record(db)
    await record(db, times=3)
    change = partial(store.save, HOME, [boss], referee=False, editing=await only_boss(store))
    if not kept:
        with pytest.raises(r.RecordsLostError, match="records against Ogre would be lost"):
            await change()
        assert (await only_boss(store)).boss == ogre(), "nothing is changed unasked"
        assert await best(db)
    await change(forget=True)
    assert bool(await best(db)) is kept
    assert bool(await best(db, times=3)) is kept
