"""Luck, profiles with their emblems, and ladders: what counts, and for whom.

What the commands answer is in the scenes of statistics and profiles (tests/bot/snapshots).
"""

import json

import pytest
from simcord import MemberActor

from bot.battles.followers import EndedBattles
from bot.stats import LadderRepository, Moment, RatedGame, Span, StatsRepository, Tally
from bot.stats.profiles import moment_lines, tally_line
from bot.store.database import Database
from sim.core.luck import BAGS, Stroke
from sim.jobs.luck import RateGames
from tests.bot.battles.fights import begin, click_seen, end, outside, seen, stored, stranger, the_bot
from tests.bot.conftest import Table, alt_of, answer, button, buttons_of, expect_in, said, text_of

pytestmark = pytest.mark.usefixtures("fixed_dice")

SURE, TIE = "6 tanks vs inf", "tank vs tank"


@pytest.fixture
async def ladders(table: Table) -> None:
    """Open the ladders of the server."""
    await table.bot.services[LadderRepository].set_open(table.ann.guild.id, is_open=True)


async def fought(table: Table, setup: str = SURE, *, attacker: MemberActor | None = None, **options: object) -> None:
    """Fight a battle that Ann opens; whoever else she named accepts that it is rated."""
    panel = await begin(table, setup, attacker=attacker or table.ann, **options)
    if "Accept, rated" in buttons_of(panel):
        await table.press(panel, "Accept, rated", by=table.ben)
    await table.fight_out(panel, by=attacker)


async def rated(table: Table, system: str = "aa-battle") -> list[RatedGame]:
    return await table.bot.services[StatsRepository].rated_games(Span(table.ann.guild.id), system)


@pytest.mark.usefixtures("ladders")
async def test_nobody_accepts_after_it_has_begun(table: Table) -> None:
    panel = await begin(table, "20 inf vs 20 inf")
    old, accept = seen(table, panel), button(panel, "Accept, rated")
    await table.press(panel, "Next round")
    (late,) = (await click_seen(table, old, (table.ben, accept)))[0].followups
    assert text_of(late) == "⚠️ #1 has begun, so it's too late to have it rated."


@pytest.mark.usefixtures("ladders")
async def test_what_does_not_count(table: Table) -> None:
    await fought(table, defender=table.ann)
    await fought(table, defender=the_bot(table))
    await begin(table)
    await end(table, by=stranger(table, manage_messages=True))
    panel = await begin(table, "6 inf vs 6 inf")
    await table.press(panel, "Accept, rated", by=table.ben)
    await table.press(panel, "Next round")
    await table.ann.slash(table.channel, "battle undo", number=4)
    await table.press(panel, "Agree", by=table.ben)
    await table.fight_out(panel)
    stats = table.bot.services[StatsRepository]
    assert [(await stored(table, number)).status for number in (1, 2, 3, 4)] == [
        *("finished", "finished", "ended", "finished")
    ]
    assert await rated(table) == []
    (tally,) = await stats.tallies(Span(None), table.ann.id)
    assert (tally.fought, tally.undecided, tally.alone) == (4, 1, 1), "the own hand against the other counts once"


@pytest.mark.usefixtures("ladders")
async def test_a_war_that_an_ai_began_does_not_count(table: Table) -> None:
    panel = await table.run("mka new", rounds=1)
    await table.press(panel, "Take over from Pillager", by=table.ben)
    for player in (table.ann, table.ben):
        await table.run("mka orders", by=player, orders="end")
    assert (await stored(table)).status == "finished"
    assert await rated(table, "mka") == []


async def test_nobody_looks_at_others_in_direct_messages(table: Table) -> None:
    await fought(table)
    ann = outside(table)
    reply = answer(await ann.slash("profile", who=table.ben))
    assert text_of(reply) == "⚠️ In direct messages you can only look at yourself."
    expect_in(said(answer(await ann.slash("profile"))), "1 battle, 1 won", "all servers")


@pytest.mark.usefixtures("ladders")
async def test_results_recomputed_from_the_journals_are_identical(table: Table) -> None:
    for setup in (SURE, "6 inf vs 6 inf", TIE, "3 fig vs 4 inf"):
        await fought(table, setup)
        await fought(table, setup, attacker=table.ben, defender=table.ann)
    before, luck = await rated(table), await table.bot.services[StatsRepository].dice(Span(None), None)
    ratings = RateGames(games=tuple(before)).run()
    for table_name in ("results", "chronicled"):
        await table.bot.services[Database].execute(f"DELETE FROM {table_name}")  # noqa: S608  # the test's own words
    assert await rated(table) == []
    await table.bot.services[EndedBattles].retry()
    await table.settled()
    assert await rated(table) == before
    assert await table.bot.services[StatsRepository].dice(Span(None), None) == luck
    assert RateGames(games=tuple(await rated(table))).run() == ratings


async def test_the_luck_of_a_battle_is_that_of_its_dice(table: Table) -> None:
    await fought(table, "6 tanks vs 10 inf")
    battle = await stored(table)
    attacker, defender = await table.bot.services[StatsRepository].dice(Span(None, battle_id=battle.id))
    assert (attacker.user_id, defender.user_id) == (table.ann.id, table.ben.id)
    state = json.loads(battle.state_json)
    for dice in (attacker, defender):
        assert dice.rolled == state[f"{dice.seat}_fire"]["hits"]
        bag = BAGS.validate_json(dice.bag)
        assert sum(count for _, count in bag) == state[f"{dice.seat}_fire"]["dice"]
    reply = await table.run("luck battle", by=table.ben, number=1)
    assert attacker.place is not None
    expect_in(said(reply), f"Attacker <@{table.ann.id}>: **as many hits as expected**\n")
    expect_in(alt_of(reply), f"luckier than {100 * attacker.place:.0f}%", f"{attacker.rolled} hits with")


@pytest.mark.parametrize("against_bot", [False, True])
async def test_taking_bad_luck_back_takes_no_dice_off_the_ledger(table: Table, *, against_bot: bool) -> None:
    panel = await begin(table, "20 inf vs 20 inf", defender=the_bot(table) if against_bot else table.ann)
    await table.press(panel, "Next round")
    await table.ann.slash(table.channel, "battle undo", number=1)
    await table.press(panel, "Next round")
    await end(table, number=1)
    await table.settled()
    attacker, _ = await table.bot.services[StatsRepository].dice(Span(None, battle_id=(await stored(table)).id))
    assert sum(count for _, count in BAGS.validate_json(attacker.bag)) == 40


def test_the_only_throw_is_not_told_twice() -> None:
    def moment(row: int) -> Moment:
        stroke = Stroke(row=row, moment="round 1", dice=6, expected=3, rolled=3, odds=0.656)
        return Moment(1, 2, 3, 4, 5, "aa-battle", 7, "attacker", "hits", stroke)

    (line,) = moment_lines([moment(1), moment(1)], {"aa-battle": "Axis & Allies"}, names=False)
    link = "[#4](https://discord.com/channels/2/3/5)"
    assert line == f"🍀 Luckiest: 3 hits with 6 dice, 65.6% chance (Axis & Allies {link}, round 1)"
    assert len(list(moment_lines([moment(1), moment(2)], {}, names=False))) == 2


@pytest.mark.parametrize(
    ("fought", "won", "alone", "line"),
    [
        (1, 0, 1, "1 battle, 1 on both sides"),
        (5, 4, 1, "5 battles, 4 won, 1 on both sides"),
        (6, 5, 1, "6 battles, 5 of 5 won (100%), 1 on both sides"),
    ],
)
def test_nobody_wins_against_oneself_and_a_few_have_no_share(fought: int, won: int, alone: int, line: str) -> None:
    tally = Tally(system="aa", fought=fought, won=won, tied=0, undecided=0, alone=alone, refereed=0)
    assert tally_line(tally, "Axis") == f"**Axis**: {line}"
