"""The button under `/aacalc` that opens a battle with dice between the same armies."""

import pytest

from bot.store.battles.repository import BattleRepository
from sim.axis_allies.battle.rules import DiceBattle
from sim.axis_allies.battle.values import Setup
from sim.axis_allies.parse import parse_battle, parse_casualties
from sim.core.values import Side
from tests.bot.battles.fights import stored, stranger
from tests.bot.conftest import Table, answer, buttons_of, text_of

FIGHT = "Fight this out"


async def setup_of(table: Table) -> Setup:
    return DiceBattle().setups.read((await stored(table)).setup)


async def test_the_same_armies_fight_with_both_seats_free(table: Table) -> None:
    message = answer(await table.aacalc("6 tanks, 2 inf vs 10 inf", private=True))
    await table.restart()
    panel = answer(await table.press(message, FIGHT))
    assert not panel.ephemeral
    assert text_of(panel).startswith("### #1 Axis & Allies: before round 1\n")
    assert buttons_of(panel) == ["Join as attacker", "Join as defender"]
    armies = parse_battle("6 tanks, 2 inf vs 10 inf")
    setup = await setup_of(table)
    assert (setup.attacker, setup.defender) == (armies[Side.ATTACKER], armies[Side.DEFENDER])
    await table.press(panel, "Join as attacker", by=table.ben)
    await table.press(panel, "Join as defender", by=stranger(table))
    await table.press(panel, "Fight round 1", by=table.ben)
    assert (await stored(table)).version == 1


async def test_losses_are_chosen_as_in_the_answer(table: Table) -> None:
    battle = "2 bb, 2 tanks vs 4 inf, 1 ftr"
    message = answer(await table.aacalc(battle, casualties="lives-first", defender_order="ftr, inf"))
    await table.press(message, FIGHT)
    setup = await setup_of(table)
    assert setup.attacker_losses == "lives-first"
    assert list(map(str, setup.defender_losses)) == ["fighter", "infantry"]


@pytest.mark.parametrize("casualties", ["smart", "thrifty"])
async def test_the_order_found_is_told_and_fought_with(table: Table, casualties: str) -> None:
    """Also where a condition of the odds decides which order is the best."""
    battle = "1942: 3 tanks, 2 bmr vs 1 inf, 2 ftr, 2 bmr"
    message = answer(await table.aacalc(battle, casualties=casualties, stop_after=1))
    told = [line.removeprefix("-# 🧠 ") for line in text_of(message).splitlines() if "Lose: " in line]
    assert [line.split(":")[0] for line in told] == ["Attacker", "Defender"]
    panel = answer(await table.press(message, FIGHT))
    setup = await setup_of(table)
    for side, line in zip(Side, told, strict=True):
        assert parse_casualties(line.split(": ", 1)[1].split(".")[0]) == setup.casualty_policy(side)
        assert f"-# 🧠 {line.split('.')[0]}." in text_of(panel)


@pytest.mark.parametrize("battle", ["2.5 inf vs 2 inf", "501 inf vs 1 inf"])
async def test_what_can_not_be_fought_live_has_no_button(table: Table, battle: str) -> None:
    assert FIGHT not in buttons_of(answer(await table.aacalc(battle)))
    assert await table.bot.services[BattleRepository].open_in(table.channel.id) == []


async def test_six_buttons_take_two_rows(table: Table) -> None:
    message = answer(await table.aacalc("2 bb, 1 ftr, 3 inf vs 4 inf, 2 ftr, 1 tank", private=True))
    assert buttons_of(message)[-6:] == [FIGHT, "Smart losses", "Swap sides", "Edit", "Files", "Share"]
