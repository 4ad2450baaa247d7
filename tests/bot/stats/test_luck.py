"""`/luck` as players see it."""

import json

import pytest

from bot.battles.ended import EndedBattles
from bot.stats.render import moment_lines
from bot.store.chronicle import ChronicleRepository, Moment, PlacedBattle, Span
from bot.store.personal_data import PersonalDataRepository
from sim.core.luck import BAGS, Stroke
from sim.core.luck_odds import Sums
from tests.bot.battles.fights import begin, end, stored, the_bot
from tests.bot.conftest import Table, alt_of, expect_in, said, text_of

pytestmark = pytest.mark.usefixtures("fixed_dice")


async def fought(table: Table, setup: str = "6 tanks vs 10 inf") -> None:
    await table.press(await begin(table, setup), "Fight to the end")
    await table.bot.services[EndedBattles].settled()


async def test_the_luck_of_a_battle_is_that_of_its_dice(table: Table) -> None:
    await fought(table)
    battle = await stored(table)
    attacker, defender = await table.bot.services[ChronicleRepository].dice_of_battle(battle.id)
    assert (attacker.user_id, defender.user_id) == (table.ann.id, table.ben.id)
    state = json.loads(battle.state_json)
    for dice in (attacker, defender):
        assert dice.rolled == state[f"{dice.seat}_fire"]["hits"]
        bag = BAGS.validate_json(dice.bag)
        assert sum(count for _, count in bag) == state[f"{dice.seat}_fire"]["dice"]
    reply = await table.run("luck battle", by=table.ben, number=1)
    place = Sums.of(BAGS.validate_json(attacker.bag)).place(attacker.rolled, attacker.tie)
    expect_in(
        said(reply),
        "The luck in #1",
        f"Attacker <@{table.ann.id}>: **luckier than {100 * place:.0f}%** · {attacker.rolled} hits with",
        f"Defender <@{table.ben.id}>: **luckier than ",
        "🍀 Luckiest by <@",
        f"[#1](https://discord.com/channels/{table.ann.guild.id}/{table.channel.id}/{battle.panel_id}), round ",
    )
    assert alt_of(reply).startswith("The luck in #1. Attacker: ")


async def test_a_persons_luck_is_all_their_dice_here(table: Table) -> None:
    await fought(table)
    await fought(table, "3 inf vs 3 inf")
    chronicle = table.bot.services[ChronicleRepository]
    own = await chronicle.dice(Span(table.ann.guild.id), table.ann.id)
    assert [dice.seat for dice in own] == ["attacker", "attacker"]
    reply = said(await table.run("luck person"))
    expect_in(
        reply, "ann's luck · all time", "Axis & Allies, hits: **luckier than ", f"{sum(d.rolled for d in own)} hits"
    )
    server = said(await table.run("luck server", season="all"))
    everybody = await chronicle.dice(Span(table.ann.guild.id), None)
    expect_in(server, f"{sum(d.rolled for d in everybody)} hits")
    assert len(everybody) == 4


async def test_only_the_seasons_battles_count(table: Table) -> None:
    await fought(table)
    expect_in(said(await table.run("luck person", season="Q1 2027")), "ann's luck · Q1 2027")
    reply = said(await table.run("luck person", season="Q4 2026"))
    assert reply == "No dice of ann are remembered here (Q4 2026)."
    reply = said(await table.run("luck person", season="winter"))
    assert reply == "⚠️ Seasons are quarters of a year, such as Q1 2027; or write all."


async def test_an_open_battle_tells_nothing(table: Table) -> None:
    panel = await begin(table)
    await table.press(panel, "Fight round 1")
    reply = await table.run("luck battle", number=1)
    assert text_of(reply) == "#1 isn't over yet: ask again at the end."


@pytest.mark.parametrize("against_bot", [False, True])
async def test_taking_bad_luck_back_takes_no_dice_off_the_ledger(table: Table, *, against_bot: bool) -> None:
    panel = await begin(table, "20 inf vs 20 inf", defender=the_bot(table) if against_bot else table.ann)
    await table.press(panel, "Fight round 1")
    await table.ann.slash(table.channel, "battle undo", number=1)
    await table.press(panel, "Fight round 1")
    await end(table, number=1)
    await table.bot.services[EndedBattles].settled()
    attacker, _ = await table.bot.services[ChronicleRepository].dice_of_battle((await stored(table)).id)
    assert sum(count for _, count in BAGS.validate_json(attacker.bag)) == 40


async def test_who_is_forgotten_leaves_nothing(table: Table) -> None:
    await fought(table)
    await table.surely("privacy delete")
    chronicle = table.bot.services[ChronicleRepository]
    assert await chronicle.dice(Span(None), table.ann.id) == []
    assert [dice.seat for dice in await chronicle.dice(Span(None), None)] == ["defender"]
    await table.surely("privacy delete", by=table.ben)
    assert await chronicle.find(table.channel.id, 1) is None, "nobody is left who fought it"
    assert (await table.bot.services[PersonalDataRepository].export(table.ben.id))["dice"] == []
    table.bot.services[EndedBattles].retry()
    await table.bot.services[EndedBattles].settled()
    assert await chronicle.find(table.channel.id, 1) is None, "it isn't recorded again"


async def test_a_battle_without_dice_has_no_luck(table: Table) -> None:
    await begin(table)
    await end(table, number=1)
    reply = (await table.ann.slash(table.channel, "luck battle", number=1)).followups[0]
    assert text_of(reply) == "⚠️ No dice of #1 are remembered: people threw none there."


def test_the_only_throw_is_not_told_twice() -> None:
    def moment(row: int) -> Moment:
        stroke = Stroke(row=row, moment="round 1", dice=6, expected=3, rolled=3, odds=0.656)
        return Moment(PlacedBattle(1, 2, 3, 4, 5, "aa-battle"), 7, "attacker", "hits", stroke)

    (line,) = moment_lines([moment(1), moment(1)], {"aa-battle": "Axis & Allies"}, names=False)
    link = "[#4](https://discord.com/channels/2/3/5)"
    assert line == f"🍀 Luckiest: 3 hits with 6 dice, chance 65.6% (Axis & Allies {link}, round 1)"
    assert len(list(moment_lines([moment(1), moment(2)], {}, names=False))) == 2
