"""`/aa battle` and its panel as players use them; a fight from an answer.

Losses by hand are chosen from lists, hidden until both have, and by score when the time is up. What a panel says.
"""

import re
from unittest.mock import AsyncMock

import pytest
from simcord import MemberActor, ResponseMessage

from bot.answers import Queries
from bot.games.axis_allies.presenter import DiceBattlePresenter, battle_content, title
from bot.store import OWN_WORK
from bot.store.queries import QueryRepository
from sim.axis_allies.battle import Fire, Setup
from sim.axis_allies.parse.options import parse_casualties
from sim.core import RuleError
from sim.core.values import Side
from tests.bot import payloads
from tests.bot.battles.fights import (
    begin,
    begun,
    click_seen,
    expect_match,
    press_forged,
    seen,
    stored,
    stranger,
    the_bot,
    with_button,
)
from tests.bot.conftest import Table, button, buttons_of, expect_in, text_of
from tests.sim.axis_allies.battle import builders as rules
from tests.sim.axis_allies.builders import parse_battle

pytestmark = pytest.mark.usefixtures("fixed_dice")


async def test_without_a_card_the_panel_says_it_all(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(DiceBattlePresenter, "card", AsyncMock(return_value=None))
    panel = await begin(table)
    expect_in(text_of(panel), "-# 36 IPC\n", "🔮 From here: ⚔️ attacker 7.6% · 🛡️ defender 91.7% · 🤝 tie 0.8%")
    await table.press(panel, "Next round")
    text = text_of(panel)
    dice = r"⚔️ 6 tanks \(1–3\) [⚀-⚅]{6} \([\d, ]{16}\) → \*\*\d hits?\*\*\n🛡️ 10 infantry \(1–2\) [⚀-⚅]{10} "
    assert re.search(rf"\*\*Round 1\*\*\n{dice}", text)
    assert "🔮 From here: " in text
    await table.press(panel, "Fight to the end")
    assert re.search(r"🍀 (?:Unl|L)uckier than \d+ of 1", text_of(panel))


async def test_nobody_retreats_for_the_bot(table: Table) -> None:
    panel = await begin(table, attacker=the_bot(table))
    await table.press(panel, "Next round", by=table.ben)
    assert buttons_of(panel) == ["Next round", "Fight to the end"]
    result = await press_forged(table, panel, "b1:1:1:retreat", by=table.ben)  # earlier versions showed it
    assert "Only 🤖 the bot can do that." in text_of(result.followups[0])


async def test_other_bots_do_not_fight(table: Table) -> None:
    other = table.ann.guild.add_member(table.env.create_user("robot", bot=True))
    refused = await begin(table, defender=other)
    assert refused.ephemeral
    assert "Other bots can't fight" in text_of(refused)


async def test_a_battle_s_panel_is_no_book(table: Table) -> None:
    kept = button(await table.run("aa battle", setup="6 tonks vs 10 inf"), "Fix it").split(":")[1]
    stored = await table.bot.services[QueryRepository].get(kept, OWN_WORK)
    assert stored is not None
    kinds = table.bot.services[Queries]
    assert kinds.read(stored).stored_as == "aa-battle"
    with pytest.raises(RuleError, match="older version"):
        kinds.read_paged(stored)


FIGHT = "Fight this out"


async def setup_of(table: Table) -> Setup:
    return rules.BATTLE.setups.read((await stored(table)).setup)


async def test_the_same_armies_fight_with_both_seats_free_and_lose_as_in_the_answer(table: Table) -> None:
    battle = "2 bb, 2 tanks vs 4 inf, 1 ftr"
    orders = " | order attacker: lives-first | order defender: ftr, inf"
    panel = await table.pressed(await table.calc(battle + orders, private=True), FIGHT)
    assert not panel.ephemeral
    assert buttons_of(panel) == ["Join as attacker", "Join as defender", "Fight Brakk", "Fight Vesper", "Fight Moss"]
    setup = await setup_of(table)
    assert {Side.ATTACKER: setup.attacker, Side.DEFENDER: setup.defender} == parse_battle(battle)
    assert setup.attacker_losses == "lives-first"
    assert list(map(str, setup.defender_losses)) == ["fighter", "infantry"]


@pytest.mark.parametrize("casualties", ["smart", "thrifty"])
async def test_the_order_found_is_told_and_fought_with(table: Table, casualties: str) -> None:
    """Also where a condition of the odds decides which is best; whatever a later version finds, these are verified."""
    battle = "1942: 3 tanks, 2 bmr vs 1 inf, 2 ftr, 2 bmr | rounds 1"
    message = await table.calc(battle, casualties=casualties)
    told = [line.removeprefix("-# 🧠 ") for line in text_of(message).splitlines() if "Lose: " in line]
    assert [line.split(":")[0] for line in told] == ["Attacker", "Defender"]
    panel = await table.pressed(message, FIGHT)
    setup = await setup_of(table)
    for side, line in zip(Side, told, strict=True):
        assert parse_casualties(line.split(": ", 1)[1].split(".")[0]) == setup.casualty_policy(side)
        assert f"-# 🧠 {line.split('.')[0]}." in text_of(panel)
    await table.press(panel, "Join as defender", by=table.ben)
    for label in ("Join as attacker", "Fight to the end"):
        await table.press(panel, label)
    assert "🧠" not in text_of(panel)
    await expect_match(table, number=1)


BOTH = "4 inf, 4 tanks, 4 ftr vs 6 inf, 6 tanks"


def lists_of(message: ResponseMessage) -> dict[str, list[str]]:
    """Return the lists' ids with their options."""
    return {
        node["custom_id"]: [option["value"] for option in node["options"]]
        for node in payloads.components(message.components)
        if node["type"] == payloads.SELECT
    }


async def fired(table: Table, setup: str = BOTH) -> ResponseMessage:
    return await begun(table, setup, casualties="manual")


async def choose(table: Table, panel: ResponseMessage, side: str, who: MemberActor) -> ResponseMessage:
    lists = await table.pressed(panel, f"Choose the {side}'s losses", by=who)
    assert lists.ephemeral
    return lists


async def test_the_lists_offer_what_may_be_lost_and_say_what_is_wrong(table: Table) -> None:
    panel = await fired(table)
    lists = await choose(table, panel, "attacker", table.ann)
    hits = int(re.search(r"(\d+) hits? on", text_of(lists))[1])  # type: ignore[index]  # it stands in every headline
    offered = lists_of(lists)
    assert list(offered.values()) == [[str(number) for number in range(min(4, hits) + 1)]] * 3
    # One infantry fewer than by score: too few losses.
    first = next(iter(offered))
    await table.ann.select(lists, ["0"], custom_id=first)
    assert re.search(r"⚠️ You must take \d+ loss(es)?, not \d+\.", text_of(lists))
    assert "Confirm losses" not in buttons_of(lists)
    # The same number of tanks in their stead: right again.
    tanks = list(lists_of(lists))[1]
    await table.ann.select(lists, [str(min(4, hits))], custom_id=tanks)
    if hits <= 4:
        assert "Confirm losses" in buttons_of(lists)
        assert f"You lose: **{hits} tank" in text_of(lists)


async def test_lists_are_for_their_side_alone_and_work_after_a_restart_but_not_after_the_choice(table: Table) -> None:
    panel = await fired(table)
    refused = await table.pressed(panel, "Choose the attacker's losses", by=table.ben)
    assert refused.ephemeral
    assert text_of(refused) == f"⚠️ It's <@{table.ann.id}>'s turn."
    lists = await choose(table, panel, "attacker", table.ann)
    before, lose = seen(table, lists), button(lists, "Confirm losses")
    (reply,) = await click_seen(table, before, (table.ben, lose))
    assert reply.response is not None
    expect_in(text_of(reply.response), "⚠️ Only the attacker")
    await table.restart()
    await table.press(lists, "Confirm losses")
    assert (await stored(table)).version == 2
    (late,) = await click_seen(table, before, (table.ann, lose))
    assert late.response is not None
    assert "is already at round 1: press the button on the panel again" in text_of(late.response)
    assert (await stored(table)).version == 2


async def test_a_referee_calls_the_time(table: Table) -> None:
    panel = await fired(table)
    call = "b1:1:1:time-up"
    old = with_button(seen(table, panel), call)  # earlier versions showed it to everybody
    (refused,) = await click_seen(table, old, (table.ann, call))
    assert text_of(refused.followups[0]) == "⚠️ Only a referee can do that."
    await click_seen(table, old, (stranger(table, manage_messages=True), call))
    assert "🛡️ loses " in text_of(panel)


@pytest.mark.parametrize(
    ("edition", "army", "kinds"),
    [
        ("1941", "200 inf, 200 tanks", 2),
        ("1941", "20 inf, 20 tank, 20 ftr, 20 bomber, 20 sub, 20 dest, 20 car, 20 bb, 20 trn", 10),
        ("1940", "9 ftr, 9 tac, 9 bmr, 9 sub, 9 dd, 9 cru, 9 cv, 9 bb, 9 trn", 11),
    ],
)
async def test_all_that_can_fight_live_fits_into_the_lists(table: Table, edition: str, army: str, kinds: int) -> None:
    panel = await fired(table, f"{edition}: {army} vs {army}")
    for side, who in (("attacker", table.ann), ("defender", table.ben)):
        lists = await choose(table, panel, side, who)
        offered = lists_of(lists)
        assert len(offered) == kinds
        assert all(len(custom_id) <= 100 and len(values) <= 25 for custom_id, values in offered.items())
        await who.select(lists, [next(iter(offered.values()))[0]], custom_id=list(offered)[-1])
        await table.press(await choose(table, panel, side, who), "Confirm losses", by=who)
    assert len(text_of(panel)) <= 4000
    assert "🛡️ loses " in text_of(panel)


async def test_planes_that_antiaircraft_fire_hits_are_chosen_before_the_first_round(table: Table) -> None:
    panel = await fired(table, "1942: 2 inf, 12 ftr, 12 bmr vs 9 inf, 8 aa")
    text = text_of(panel)
    assert text.startswith("### #1 Axis & Allies: before round 1")
    assert re.search(r"⏳ The attacker must take \d+ hits?; after 24 hours, the cheapest units die first\.", text)
    lists = await choose(table, panel, "attacker", table.ann)
    assert "-# Antiaircraft fire hits planes only." in text_of(lists)
    fighters, _ = lists_of(lists)
    hits = len(lists_of(lists)[fighters]) - 1
    await table.ann.select(lists, ["0"], custom_id=fighters)
    await table.ann.select(lists, [str(hits)], custom_id=list(lists_of(lists))[1])
    await table.press(lists, "Confirm losses")
    assert f"⚔️ loses {hits} bomber" in text_of(panel)
    assert text_of(panel).startswith("### #1 Axis & Allies: round 1")


def test_both_sides_may_fall() -> None:
    assert title(rules.act(rules.begin("1 tank vs 1 inf"), Fire(), "attacker", [1, 1]).state) == (
        "🤝 both sides fall after 1 round"
    )


def test_luck_of_the_dice_where_losses_are_by_hand() -> None:
    step = rules.act(rules.begin("1 tank vs 1 inf", attacker="manual"), Fire(), "attacker", [1, 6])
    content = battle_content(step.state, step.events, None, None, None)
    assert "-# 🎲 ⚔️ 1 hit with 1 die, 0.5 expected\n-# 🎲 🛡️ 0 hits with 1 die, 0.3 expected" in content.state
    assert "🍀" not in content.state


def test_damage_is_told() -> None:
    assert "2 battleships (1 damaged)" in battle_content(rules.begin("2 bb (1 hit) vs 1dd"), (), None, None, None).state
