"""`/profile` and `/ladder`: what counts, and for whom."""

import pytest
from simcord import MemberActor
from simcord.builders import UserHandle

from bot.battles.ended import EndedBattles
from bot.chronicle.chronicler import Chronicler
from bot.store.battles.repository import BattleRepository
from bot.store.chronicle import ChronicleRepository, RatedGame, Span
from sim.jobs.ratings import RateGames
from tests.bot.battles.fights import begin, end, stored, stranger, the_bot
from tests.bot.conftest import Table, answer, expect_in, said, text_of

pytestmark = pytest.mark.usefixtures("fixed_dice")

SURE, TIE = "6 tanks vs inf", "tank vs tank"


async def settle(table: Table) -> None:
    await table.bot.services[EndedBattles].settled()


async def fought(table: Table, setup: str = SURE, *, attacker: MemberActor | None = None, **options: object) -> None:
    panel = await begin(table, setup, attacker=attacker or table.ann, **options)
    await table.press(panel, "Fight to the end", by=attacker)
    await settle(table)


async def rated(table: Table) -> list[RatedGame]:
    return await table.bot.services[ChronicleRepository].rated_games(Span(table.ann.guild.id), "aa-battle")


async def test_a_battle_between_two_people_counts(table: Table) -> None:
    await fought(table)
    assert await rated(table) == [((1, (table.ann.id,)), (2, (table.ben.id,)))]


async def test_a_retreat_is_a_tie(table: Table) -> None:
    panel = await begin(table, "20 inf vs 20 inf")
    await table.press(panel, "Fight round 1")
    await table.press(panel, "Retreat")
    await settle(table)
    assert await rated(table) == [((1, (table.ann.id,)), (1, (table.ben.id,)))]


async def test_what_does_not_count(table: Table) -> None:
    await fought(table, defender=table.ann)
    await fought(table, defender=the_bot(table))
    await begin(table)
    await end(table, by=stranger(table, manage_messages=True))
    panel = await begin(table, "6 inf vs 6 inf")
    await table.press(panel, "Fight round 1")
    await table.ann.slash(table.channel, "battle undo", number=4)
    await table.press(panel, "Agree", by=table.ben)
    await table.press(panel, "Fight to the end")
    await settle(table)
    chronicle = table.bot.services[ChronicleRepository]
    assert [(await stored(table, number)).status for number in (1, 2, 3, 4)] == [
        *("finished", "finished", "ended", "finished")
    ]
    assert await rated(table) == []
    (tally,) = await chronicle.tallies(Span(None), table.ann.id)
    assert (tally.fought, tally.undecided) == (5, 1), "the own hand against the other counts twice"


async def test_a_profile_tells_what_was_played_and_against_whom(table: Table) -> None:
    await fought(table)
    await fought(table, attacker=table.ben, defender=table.ann)
    await begin(table)
    await end(table, by=stranger(table, manage_messages=True))
    await settle(table)
    text = said(answer(await table.ben.slash(table.channel, "profile", who=table.ann)))
    expect_in(
        text,
        "🏅 ann",
        "**Axis & Allies**: 3 battles, 1 won (50%), 1 lost, 1 ended early",
        f"<@{table.ben.id}>: 2 battles, 1 won, 1 lost",
        "🍀 Luckiest: ",
        "Battles of this server.",
    )


async def test_nobody_looks_at_others_in_direct_messages(table: Table) -> None:
    await fought(table)
    ann = UserHandle(table.env, table.env.backend.get_user(table.ann.id))
    reply = answer(await ann.slash("profile", who=table.ben))
    assert text_of(reply) == "⚠️ In direct messages you can only look at yourself."
    expect_in(said(answer(await ann.slash("profile"))), "1 battle, 1 won", "all servers")


async def test_ladders_are_kept_where_managers_want_them(table: Table) -> None:
    await fought(table)
    closed = "This server keeps no ladders. Somebody who may manage messages can open them: `/ladder open`."
    assert text_of(answer(await table.ann.slash(table.channel, "ladder show"))) == closed
    assert "may manage messages" in text_of(answer(await table.ann.slash(table.channel, "ladder open")))
    manager = stranger(table, manage_messages=True)
    await manager.slash(table.channel, "ladder open")
    await fought(table)
    text = said(answer(await table.ben.slash(table.channel, "ladder show", game="axis & allies")))
    expect_in(
        text, "Ladders · Q1 2027", f"**1.** <@{table.ann.id}> · ", "2 games, 2 won", f"**2.** <@{table.ben.id}> · "
    )
    assert "No games" in text_of(answer(await table.ben.slash(table.channel, "ladder show", season="Q4 2026")))
    await manager.slash(table.channel, "ladder close")
    assert text_of(answer(await table.ann.slash(table.channel, "ladder show"))) == closed


async def test_results_recomputed_from_the_journals_are_identical(table: Table) -> None:
    for setup in (SURE, "6 inf vs 6 inf", TIE, "3 fig vs 4 inf"):
        await fought(table, setup)
        await fought(table, setup, attacker=table.ben, defender=table.ann)
    before, luck = await rated(table), await table.bot.services[ChronicleRepository].dice(Span(None), None)
    ratings = RateGames(games=numbered(before)).run()
    await table.bot.services[BattleRepository]._db.write(forget)
    assert await rated(table) == []
    table.bot.services[EndedBattles].retry()
    await settle(table)
    assert await rated(table) == before
    assert await table.bot.services[ChronicleRepository].dice(Span(None), None) == luck
    assert RateGames(games=numbered(await rated(table))).run() == ratings


async def forget(conn: object) -> None:
    await conn.execute("DELETE FROM results")  # type: ignore[attr-defined]
    await conn.execute("DELETE FROM chronicled")  # type: ignore[attr-defined]


def numbered(games: list[RatedGame]) -> tuple[RatedGame, ...]:
    people = sorted({user for game in games for _, team in game for user in team if user is not None})
    return tuple(
        tuple((place, tuple(None if user is None else people.index(user) for user in team)) for place, team in game)
        for game in games
    )


async def test_an_opponent_who_is_forgotten_stays_nobody(table: Table) -> None:
    await fought(table)
    await table.surely("privacy delete", by=table.ben)
    assert await rated(table) == [((1, (table.ann.id,)), (2, (None,)))]
    text = said(answer(await table.ann.slash(table.channel, "profile")))
    expect_in(text, "1 battle, 1 won")
    assert str(table.ben.id) not in text


async def test_a_battle_is_recorded_once(table: Table) -> None:
    await fought(table)
    battle = await stored(table)
    chronicler = Chronicler(table.bot)
    await chronicler.ended(battle)
    assert await chronicler.missing() == []
    assert len(await rated(table)) == 1
