"""`/profile` and `/ladder`: what counts, and for whom."""

import pytest
from simcord import MemberActor
from simcord.builders import UserHandle

from bot.battles.ended import EndedBattles
from bot.stats.recorder import BattleRecorder
from bot.store.battles.repository import BattleRepository
from bot.store.chronicle import ChronicleRepository, LadderRepository, RatedGame, Span
from sim.core.luck import BAGS, number_of
from sim.jobs.ratings import RateGames
from tests.bot.battles.fights import begin, click_seen, end, seen, stored, stranger, the_bot, use
from tests.bot.conftest import Table, answer, button, buttons_of, expect_in, said, text_of

pytestmark = pytest.mark.usefixtures("fixed_dice")

SURE, TIE = "6 tanks vs inf", "tank vs tank"


@pytest.fixture
async def ladders(table: Table) -> None:
    """Open the ladders of the server."""
    await table.bot.services[LadderRepository].set_open(table.ann.guild.id, is_open=True)


async def settle(table: Table) -> None:
    await table.bot.services[EndedBattles].settled()


async def fought(
    table: Table, setup: str = SURE, *, attacker: MemberActor | None = None, accept: bool = True, **options: object
) -> None:
    """Fight a battle that Ann opens; `accept`: whoever else she named accepts that it is rated."""
    panel = await begin(table, setup, attacker=attacker or table.ann, **options)
    if accept and "Accept, rated" in buttons_of(panel):
        await table.press(panel, "Accept, rated", by=table.ben)
    await table.press(panel, "Fight to the end", by=attacker)
    await settle(table)


async def rated(table: Table) -> list[RatedGame]:
    return await table.bot.services[ChronicleRepository].rated_games(Span(table.ann.guild.id), "aa-battle")


def people(games: list[RatedGame]) -> list[list[tuple[int, tuple[int | None, ...]]]]:
    """Return places and people, without the chances."""
    return [[(place, team) for place, team, _ in game] for game in games]


@pytest.mark.usefixtures("ladders")
async def test_a_battle_between_two_people_counts_with_its_odds(table: Table) -> None:
    await fought(table)
    ((attackers, defenders),) = await rated(table)
    assert people(await rated(table)) == [[(1, (table.ann.id,)), (2, (table.ben.id,))]]
    assert attackers[2] is not None
    assert attackers[2] > 0.98
    assert defenders[2] == pytest.approx(1 - attackers[2])


@pytest.mark.usefixtures("ladders")
async def test_a_retreat_is_a_tie(table: Table) -> None:
    panel = await begin(table, "20 inf vs 20 inf")
    await table.press(panel, "Accept, rated", by=table.ben)
    await table.press(panel, "Fight round 1")
    await table.press(panel, "Retreat")
    await settle(table)
    assert people(await rated(table)) == [[(1, (table.ann.id,)), (1, (table.ben.id,))]]


@pytest.mark.usefixtures("ladders")
async def test_nobody_is_rated_who_pressed_nothing(table: Table) -> None:
    panel = await begin(table, "20 inf vs 20 inf")
    expect_in(text_of(panel), f"🪜 Not rated until <@{table.ben.id}> accepts")
    await table.press(panel, "Fight round 1")
    expect_in(text_of(panel), f"🪜 Not rated: <@{table.ben.id}> did not accept before it began")
    assert "Accept, rated" not in buttons_of(panel)
    await table.press(panel, "Fight to the end")
    await settle(table)
    assert await rated(table) == []


@pytest.mark.usefixtures("ladders")
async def test_accepting_is_for_those_who_fight_and_before_it_begins(table: Table) -> None:
    panel = await begin(table, "20 inf vs 20 inf")
    old, accept = seen(table, panel), button(panel, "Accept, rated")
    (refused,) = (await table.press(panel, "Accept, rated", by=stranger(table))).followups
    assert text_of(refused) == "⚠️ Only those who fight in #1 can accept that."
    await table.press(panel, "Fight round 1")
    (late,) = (await click_seen(table, old, (table.ben, accept)))[0].followups
    assert text_of(late) == "⚠️ #1 has begun, so it's too late to have it rated."
    again = await begin(table)
    await table.press(again, "Accept, rated", by=table.ben)
    assert "Rated" in text_of(again).partition("🪜 ")[2]
    assert "Accept, rated" not in buttons_of(again)


@pytest.mark.usefixtures("ladders")
async def test_who_joins_a_rated_battle_agrees_to_that(table: Table) -> None:
    panel = await begin(table, SURE, defender=None)
    expect_in(text_of(panel), "🪜 Rated: who joins agrees to that")
    await table.press(panel, "Join as defender", by=table.ben)
    await table.press(panel, "Fight to the end")
    await settle(table)
    assert people(await rated(table)) == [[(1, (table.ann.id,)), (2, (table.ben.id,))]]


async def test_without_ladders_nothing_is_said_of_them_and_nothing_is_rated(table: Table) -> None:
    panel = await begin(table)
    assert "ated" not in text_of(panel)
    assert "Accept, rated" not in buttons_of(panel)
    await fought(table)
    assert await rated(table) == []


@pytest.mark.usefixtures("ladders")
@pytest.mark.parametrize("back", [False, True])
async def test_a_battle_whose_seat_was_taken_over_is_not_rated(table: Table, *, back: bool) -> None:
    panel = await begin(table, "20 inf vs 20 inf", fog=True)
    await table.press(panel, "Accept, rated", by=table.ben)
    await table.press(panel, "Fight round 1")
    judge = stranger(table, manage_messages=True)
    await use(table, judge, "Take over a seat", {"seat": ["defender"]})
    if back:
        await use(table, judge, "Replace a player", {"seat": ["defender"], "who": [table.ben]})
    await table.press(panel, "Fight round 2")
    expect_in(
        text_of(panel),
        f"🔁 <@{judge.id}> (referee) took over the defender in round 1",
        "🪜 Not rated: a seat was taken over",
    )
    assert (f"🔁 <@{table.ben.id}> took over the defender in round 1" in text_of(panel)) is back
    await table.press(panel, "Fight to the end")
    await settle(table)
    expect_in(text_of(panel), f"🔁 <@{judge.id}> (referee) took over")
    assert await rated(table) == []
    dice = await table.bot.services[ChronicleRepository].dice_of_battle((await stored(table)).id)
    thrown = [(each.user_id, number_of(BAGS.validate_json(each.bag))) for each in dice if each.seat == "defender"]
    assert (table.ben.id, 20) in thrown, "the first round's dice are Ben's, whoever sat there later"
    assert {user_id for user_id, _ in thrown} == {table.ben.id, *([] if back else [judge.id])}


@pytest.mark.usefixtures("ladders")
async def test_what_does_not_count(table: Table) -> None:
    await fought(table, defender=table.ann)
    await fought(table, defender=the_bot(table))
    await begin(table)
    await end(table, by=stranger(table, manage_messages=True))
    panel = await begin(table, "6 inf vs 6 inf")
    await table.press(panel, "Accept, rated", by=table.ben)
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
    assert (tally.fought, tally.undecided, tally.alone) == (4, 1, 1), "the own hand against the other counts once"


async def test_a_profile_counts_no_battle_against_oneself_as_won_and_no_share_of_a_few(table: Table) -> None:
    async def line() -> str:
        text = said(await table.run("profile"))
        return next(line for line in text.splitlines() if line.startswith("**Axis"))

    await fought(table, defender=table.ann)
    assert await line() == "**Axis & Allies**: 1 battle, 1 on both sides"
    for _ in range(4):
        await fought(table)
    assert await line() == "**Axis & Allies**: 5 battles, 4 won, 1 on both sides"
    await fought(table)
    assert await line() == "**Axis & Allies**: 6 battles, 5 won (100%), 1 on both sides"


async def test_a_profile_tells_what_was_played_and_against_whom(table: Table) -> None:
    await fought(table)
    await fought(table, attacker=table.ben, defender=table.ann)
    await begin(table)
    await end(table, by=stranger(table, manage_messages=True))
    await settle(table)
    text = said(await table.run("profile", by=table.ben, who=table.ann))
    expect_in(
        text,
        "🏅 ann",
        "**Axis & Allies**: 3 battles, 1 won, 1 lost, 1 ended early",
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
    closed = "No ladder yet. Somebody who may manage messages can open one: `/ladder open`."
    assert text_of(await table.run("ladder show")) == closed
    assert "may manage messages" in text_of(await table.run("ladder open"))
    manager = stranger(table, manage_messages=True)
    await manager.slash(table.channel, "ladder open")
    await fought(table)
    await fought(table, accept=False)
    text = said(await table.run("ladder show", by=table.ben, game="axis & allies"))
    expect_in(
        text, "Ladders · Q1 2027", f"**1.** <@{table.ann.id}> · ", "1 game, 1 won", f"**2.** <@{table.ben.id}> · "
    )
    assert "No games" in text_of(await table.run("ladder show", by=table.ben, season="Q4 2026"))
    await manager.slash(table.channel, "ladder close")
    assert text_of(await table.run("ladder show")) == closed


@pytest.mark.usefixtures("ladders")
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
    people = sorted({user for game in games for _, team, _ in game for user in team if user is not None})
    return tuple(
        tuple(
            (place, tuple(None if user is None else people.index(user) for user in team), chance)
            for place, team, chance in game
        )
        for game in games
    )


@pytest.mark.usefixtures("ladders")
async def test_an_opponent_who_is_forgotten_stays_nobody(table: Table) -> None:
    await fought(table)
    await table.surely("privacy delete", by=table.ben)
    assert people(await rated(table)) == [[(1, (table.ann.id,)), (2, (None,))]]
    text = said(await table.run("profile"))
    expect_in(text, "1 battle, 1 won")
    assert str(table.ben.id) not in text


@pytest.mark.usefixtures("ladders")
async def test_a_battle_is_recorded_once(table: Table) -> None:
    await fought(table)
    battle = await stored(table)
    chronicler = BattleRecorder(table.bot)
    await chronicler.ended(battle)
    assert await chronicler.missing() == []
    assert len(await rated(table)) == 1
