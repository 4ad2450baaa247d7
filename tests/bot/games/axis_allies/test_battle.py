"""`/aa battle` and its panel as players use them; a fight from an answer, and in the fog."""

import re
from typing import Any
from unittest.mock import AsyncMock

import pytest

from bot.answers.handler import Handlers
from bot.games.axis_allies.presenter import DiceBattlePresenter
from bot.store import OWN_WORK
from bot.store.queries import QueryRepository
from sim.axis_allies.battle.rules import DiceBattle
from sim.axis_allies.battle.values import Setup
from sim.axis_allies.parse.options import parse_casualties
from sim.core.errors import RuleError
from sim.core.values import Side
from tests.bot.battles.fights import begin, click_seen, seen, stored, stranger, the_bot, with_button
from tests.bot.conftest import Table, answer, button, buttons_of, expect_in, text_of
from tests.sim.axis_allies.builders import parse_battle

pytestmark = pytest.mark.usefixtures("fixed_dice")


async def test_without_a_card_the_panel_says_it_all(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(DiceBattlePresenter, "card", AsyncMock(return_value=None))
    panel = await begin(table)
    expect_in(text_of(panel), "-# 36 IPC", "🔮 From here: ⚔️ attacker 7.6% · 🛡️ defender 91.7% · 🤝 tie 0.8%")
    await table.press(panel, "Next round")
    text = text_of(panel)
    dice = r"⚔️ 6 tanks \(1–3\) [⚀-⚅]{6} \([\d, ]{16}\) → \*\*\d hits?\*\*\n🛡️ 10 infantry \(1–2\) [⚀-⚅]{10} "
    assert re.search(rf"\*\*Round 1\*\*\n{dice}", text)
    assert "🔮 From here: " in text
    await table.press(panel, "Fight to the end")
    assert re.search(r"🍀 (?:Unl|L)uckier than \d+ of 1", text_of(panel))


async def test_the_bot_against_itself_is_pressed_on_by_who_started_it(table: Table) -> None:
    panel = await begin(table, attacker=the_bot(table), defender=the_bot(table))
    reply = (await table.press(panel, "Fight to the end", by=table.ben)).followups[0]
    assert "Only 🤖 the bot can do that." in text_of(reply)
    await table.press(panel, "Fight to the end")
    assert (await stored(table)).status == "finished"


async def test_nobody_retreats_for_the_bot(table: Table) -> None:
    panel = await begin(table, attacker=the_bot(table))
    await table.press(panel, "Next round", by=table.ben)
    assert buttons_of(panel) == ["Next round", "Fight to the end"]
    old = "b1:1:1:retreat"  # earlier versions showed it
    (result,) = await click_seen(table, with_button(seen(table, panel), old), (table.ben, old))
    assert "Only 🤖 the bot can do that." in text_of(result.followups[0])


async def test_other_bots_do_not_fight(table: Table) -> None:
    other = table.ann.guild.add_member(table.env.create_user("robot", bot=True))
    refused = await begin(table, defender=other)
    assert refused.ephemeral
    assert "Other bots can't fight" in text_of(refused)


async def test_the_command_is_acknowledged_before_any_worker_is_asked(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Workers may keep it waiting for longer than the three seconds that Discord does."""
    fog_calls: list[bool] = []
    once = table.bot.simulator.once

    async def watched(*arguments: Any) -> Any:  # noqa: ANN401  # whatever the job returns
        fog_calls.append("/callback" in table.env.http_requests[-1].path)
        return await once(*arguments)

    monkeypatch.setattr(table.bot.simulator, "once", watched)
    await table.press(await begin(table), "Next round")
    assert fog_calls
    assert all(fog_calls)


async def test_a_battle_in_direct_messages(table: Table) -> None:
    user = table.env.create_user("dee")
    panel = answer(await user.slash("aa battle", setup="6 tanks vs 10 inf", attacker=user, defender=the_bot(table)))
    assert text_of(panel).startswith("### #1 Axis & Allies: before round 1\nAttacker: <@")
    await user.click(panel, label="Next round")
    assert text_of(panel).startswith("### #1 Axis & Allies: round 1\n")
    newer = answer(await user.slash("battle show"))
    assert f"https://discord.com/channels/@me/{panel.channel_id}/{newer.id}" in text_of(panel)
    assert text_of(answer(await user.slash("battle undo"))) == "↩️ #1: one step back."
    assert text_of(newer).startswith("### #1 Axis & Allies: before round 1\n")


async def test_a_setup_that_can_not_be_read_is_mended_in_a_form(table: Table) -> None:
    refused = await table.run("aa battle", setup="6 tonks vs 10 inf", attacker=table.ann, defender=table.ben, fog=True)
    form = await table.press(refused, "Fix it")
    assert form.modal is not None
    assert form.modal["components"][0]["component"]["value"] == "6 tonks vs 10 inf"
    await table.restart()
    panel = answer(await table.ann.submit_modal(form, {"battle": "6 tanks vs 10 inf"}))
    assert not panel.ephemeral
    assert "🌫️ Press *Your army* to see yours" in text_of(panel)  # the other options stay
    battle = await stored(table)
    assert battle.seats_of(table.ann.id) == ("attacker",)
    assert battle.seats_of(table.ben.id) == ("defender",)


async def test_a_battle_s_panel_is_no_book(table: Table) -> None:
    kept = button(await table.run("aa battle", setup="6 tonks vs 10 inf"), "Fix it").split(":")[1]
    stored = await table.bot.services[QueryRepository].get(kept, OWN_WORK)
    assert stored is not None
    handlers = table.bot.services[Handlers]
    assert handlers.of(stored.kind).kind == "aa-battle"
    with pytest.raises(RuleError, match="older version"):
        handlers.query_handler(stored.kind)


FIGHT = "Fight this out"


async def setup_of(table: Table) -> Setup:
    return DiceBattle().setups.read((await stored(table)).setup)


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
    """Also where a condition of the odds decides which order is the best."""
    battle = "1942: 3 tanks, 2 bmr vs 1 inf, 2 ftr, 2 bmr | rounds 1"
    message = await table.calc(battle, casualties=casualties)
    told = [line.removeprefix("-# 🧠 ") for line in text_of(message).splitlines() if "Lose: " in line]
    assert [line.split(":")[0] for line in told] == ["Attacker", "Defender"]
    panel = await table.pressed(message, FIGHT)
    setup = await setup_of(table)
    for side, line in zip(Side, told, strict=True):
        assert parse_casualties(line.split(": ", 1)[1].split(".")[0]) == setup.casualty_policy(side)
        assert f"-# 🧠 {line.split('.')[0]}." in text_of(panel)


async def test_armies_are_hidden_and_shown_at_the_end(table: Table) -> None:
    panel = await begin(table, fog=True)
    await table.press(panel, "Next round")
    assert not any(word in text_of(panel) for word in ("tank", "infantry", "🔮", "IPC"))
    log = await table.ann.slash(table.channel, "battle log")
    assert "tank" not in text_of(answer(log))
    files = await table.files(log)
    assert list(files) == ["battle-1.txt"]
    assert b"tank" not in files["battle-1.txt"]
    await table.press(panel, "Fight to the end")
    assert "tank" in text_of(panel)
    log = await table.ann.slash(table.channel, "battle log", number=1)
    assert list(await table.files(log)) == ["battle-1.txt", "battle-1.jsonl"]


async def test_players_see_their_own_army_alone(table: Table) -> None:
    panel = await begin(table, fog=True)
    own = await table.pressed(panel, "Your army")
    assert own.ephemeral
    assert text_of(own) == "⚔️ Your army: 6 tanks"
    assert text_of(await table.pressed(panel, "Your army", by=table.ben)) == "🛡️ Your army: 10 infantry"
    refused = await table.pressed(panel, "Your army", by=stranger(table))
    assert refused.ephemeral
    assert "only you may see" in text_of(refused)
    assert button(panel, "Your army").startswith("b2:")
