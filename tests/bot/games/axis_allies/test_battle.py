"""`/aa battle` and its panel as players use them; a fight from an answer, and in the fog."""

import hashlib
import re
from typing import Any

import pytest

from bot.answers.handler import Handlers
from bot.battles.fairness import DICE
from bot.battles.presenter import PanelContent, Presenters
from bot.games.axis_allies.presenter import DiceBattlePresenter
from bot.store import OWN_WORK
from bot.store.battles.repository import BattleRepository
from bot.store.queries import QueryRepository
from bot.ui.text import Picture
from sim.axis_allies.battle.rules import DiceBattle
from sim.axis_allies.battle.values import Setup
from sim.axis_allies.parse import parse_battle, parse_casualties
from sim.core.errors import RuleError
from sim.core.values import Side
from tests.bot.battles.fights import begin, click_seen, seen, stored, stranger, the_bot, with_button
from tests.bot.conftest import SEED, Table, alt_of, answer, button, buttons_of, expect_in, text_of

pytestmark = pytest.mark.usefixtures("fixed_dice")


async def test_a_battle_opens_with_its_number_its_seats_and_the_hash_of_its_seed(table: Table) -> None:
    text = text_of(panel := await begin(table))
    assert text.startswith("### #1 Axis & Allies: before round 1\n")
    assert f"Attacker: <@{table.ann.id}>\nDefender: <@{table.ben.id}>" in text
    about = text_of(await table.pressed(panel, DICE.question))
    assert f"`{hashlib.sha256(SEED).hexdigest()}`" in about
    assert SEED.hex() not in text + about
    assert alt_of(panel) == "Attacker: 6 tanks. Defender: 10 infantry. attacker 7.6%, defender 91.7%, tie 0.8%."
    assert buttons_of(panel) == ["Fight round 1", "Fight to the end"]
    assert not panel.ephemeral


async def test_a_round_shows_dice_hits_losses_and_the_odds_from_here(table: Table) -> None:
    panel = await begin(table)
    assert (await table.pressed(panel, "Fight round 1")).id == panel.id
    text, alt = text_of(panel), alt_of(panel)
    assert text.startswith("### #1 Axis & Allies: round 1\n")
    assert re.search(r"\*\*Round 1\*\*\n⚔️ loses \d tanks?\n🛡️ loses \d infantry", text)
    assert re.match(r"From here: attacker \S+%, defender \S+%, tie \S+%\. Attacker: \d tanks?\. Defender: ", alt)
    assert re.search(
        r"The attacker fires: 6 tanks at 3 [⚀-⚅]{6}\. \d hits?\. The defender fires: 10 infantry at 2 ", alt
    )
    assert buttons_of(panel) == ["Fight round 2", "Fight to the end", "Retreat"]


async def test_without_a_card_the_panel_says_it_all(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    async def none(*_arguments: object) -> None:
        return None

    monkeypatch.setattr(DiceBattlePresenter, "card", none)
    panel = await begin(table)
    expect_in(text_of(panel), "-# 36 IPC", "🔮 From here: ⚔️ attacker 7.6% · 🛡️ defender 91.7% · 🤝 tie 0.8%")
    await table.press(panel, "Fight round 1")
    text = text_of(panel)
    assert re.search(
        r"\*\*Round 1\*\*\n⚔️ 6 tanks \(1–3\) [⚀-⚅]{6} → \*\*\d hits?\*\*\n🛡️ 10 infantry \(1–2\) [⚀-⚅]{10}", text
    )
    assert "🔮 From here: " in text
    await table.press(panel, "Fight to the end")
    assert re.search(r"🍀 ⚔️ .*\(\d+ of 100\)\n🍀 🛡️ ", text_of(panel))


async def test_to_the_end_reveals_the_seed_and_tells_the_luck(table: Table) -> None:
    panel = await begin(table)
    before = text_of(await table.pressed(panel, DICE.question))
    await table.press(panel, "Fight to the end")
    text = text_of(panel)
    assert re.match(r"### #1 Axis & Allies: (⚔️ the attacker|🛡️ the defender) wins after \d+ rounds?\n", text)
    seed = re.search(r"`([0-9a-f]{64})`", text_of(await table.pressed(panel, DICE.question)))
    assert seed is not None
    assert hashlib.sha256(bytes.fromhex(seed[1])).hexdigest() in before
    assert re.search(r" lost [\d,]+ IPC\. The \w+ was luckier than in \d+% of such battles\.", alt_of(panel))
    assert re.search(r"🎲 ⚔️ \d+ hits? with \d+ dice, \d+\.\d expected", text)
    assert buttons_of(panel) == []
    assert "🔮" not in text
    battle = await stored(table)
    assert (battle.status, battle.version, battle.steps) == ("finished", 2, 1)


async def test_the_attacker_retreats(table: Table) -> None:
    panel = await begin(table)
    await table.press(panel, "Fight round 1")
    await table.press(panel, "Retreat")
    assert "the attacker retreated after 1 round" in text_of(panel).splitlines()[0]
    assert (await stored(table)).revealed == SEED


async def test_only_the_attacker_fights_on(table: Table) -> None:
    panel = await begin(table)
    for who in (table.ben, stranger(table)):
        reply = (await table.press(panel, "Fight round 1", by=who)).followups[0]
        assert reply.ephemeral
        assert text_of(reply) == f"⚠️ Only the attacker (<@{table.ann.id}>) can do that."
    assert (await stored(table)).version == 0
    assert text_of(panel).startswith("### #1 Axis & Allies: before round 1")


async def test_a_referee_fights_on_but_does_not_retreat(table: Table) -> None:
    judge = stranger(table, manage_messages=True)
    panel = await begin(table)
    await table.press(panel, "Fight round 1", by=judge)
    (entry,) = await table.bot.services[BattleRepository].journal((await stored(table)).id)
    assert (entry.seat, entry.actor) == ("referee", str(judge.id))
    reply = (await table.press(panel, "Retreat", by=judge)).followups[0]
    assert "Only the attacker" in text_of(reply)


async def test_free_seats_are_taken_by_joining(table: Table) -> None:
    panel = await begin(table, attacker=None, defender=None)
    assert buttons_of(panel) == ["Join as attacker", "Join as defender"]
    assert "Attacker: *free*" in text_of(panel)
    before, join = seen(table, panel), button(panel, "Join as attacker")
    await table.press(panel, "Join as attacker", by=table.ben)
    assert f"Attacker: <@{table.ben.id}>" in text_of(panel)
    assert buttons_of(panel) == ["Join as defender"]
    (late,) = await click_seen(table, before, (table.ann, join))
    assert text_of(late.followups[0]) == f"⚠️ The seat of the attacker is taken by <@{table.ben.id}>."
    await table.press(panel, "Join as defender")
    assert buttons_of(panel) == ["Fight round 1", "Fight to the end"]
    await table.press(panel, "Fight round 1", by=table.ben)
    assert text_of(panel).startswith("### #1 Axis & Allies: round 1")


@pytest.mark.parametrize("seat", ["attacker", "defender"])
async def test_the_bot_takes_a_seat_and_fights_on(table: Table, seat: str) -> None:
    seats: dict[str, Any] = {seat: the_bot(table)}
    panel = await begin(table, **seats)
    assert f"{seat.capitalize()}: 🤖 the bot" in text_of(panel)
    human = table.ben if seat == "attacker" else table.ann
    await table.press(panel, "Fight round 1", by=human)
    assert (await stored(table)).version == 1
    reply = (await table.press(panel, "Fight to the end", by=stranger(table))).followups[0]
    assert "Only the attacker" in text_of(reply)


async def test_the_bot_against_itself_is_pressed_on_by_who_started_it(table: Table) -> None:
    panel = await begin(table, attacker=the_bot(table), defender=the_bot(table))
    reply = (await table.press(panel, "Fight to the end", by=table.ben)).followups[0]
    assert "Only the attacker (🤖 the bot) can do that." in text_of(reply)
    await table.press(panel, "Fight to the end")
    assert (await stored(table)).status == "finished"


async def test_the_bot_loses_by_score_where_its_enemy_chooses_by_hand(table: Table) -> None:
    panel = await begin(table, "4 inf, 4 tanks vs 6 inf, 6 tanks", defender=the_bot(table), casualties="manual")
    await table.press(panel, "Fight round 1")
    assert buttons_of(panel) == ["Choose the attacker's losses"]
    await table.press(await table.pressed(panel, "Choose the attacker's losses"), "Confirm losses")
    assert re.search(r"⚔️ loses .*\n🛡️ loses \d infantry", text_of(panel))


async def test_nobody_retreats_for_the_bot(table: Table) -> None:
    panel = await begin(table, attacker=the_bot(table))
    await table.press(panel, "Fight round 1", by=table.ben)
    assert buttons_of(panel) == ["Fight round 2", "Fight to the end"]
    old = "b1:1:1:retreat"  # earlier versions showed it
    (result,) = await click_seen(table, with_button(seen(table, panel), old), (table.ben, old))
    assert "Only the attacker (🤖 the bot) can do that." in text_of(result.followups[0])


async def test_other_bots_do_not_fight(table: Table) -> None:
    other = table.ann.guild.add_member(table.env.create_user("robot", bot=True))
    refused = await begin(table, defender=other)
    assert refused.ephemeral
    assert "Other bots can't fight" in text_of(refused)


@pytest.mark.parametrize(
    ("setup", "sentence"),
    [
        ("6 tonks vs 10 inf", "6 tonks vs 10 inf\n  ^^^^^\n"),
        ("6 tanks", "Put vs between the two armies"),
        ("2.5 inf vs 2 inf", "whole"),
        ("501 inf vs 1 inf", "at most 500 fight live"),
    ],
)
async def test_a_battle_that_can_not_be(table: Table, setup: str, sentence: str) -> None:
    refused = await begin(table, setup)
    assert refused.ephemeral
    assert sentence in text_of(refused)
    assert await table.bot.services[BattleRepository].open_in(table.channel.id) == []


async def test_a_battle_that_is_over_before_it_begins(table: Table) -> None:
    result = await table.ann.slash(table.channel, "aa battle", setup="1 sub vs 1 ftr")
    (reply,) = result.followups
    assert reply.ephemeral
    expect_in(text_of(reply), "⚠️", "neither side can hit the other")
    assert result.response is None, "the public message that waited is gone"


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
    await table.press(await begin(table), "Fight round 1")
    assert fog_calls
    assert all(fog_calls)


async def test_a_battle_in_direct_messages(table: Table) -> None:
    user = table.env.create_user("dee")
    panel = answer(await user.slash("aa battle", setup="6 tanks vs 10 inf", attacker=user, defender=the_bot(table)))
    assert text_of(panel).startswith("### #1 Axis & Allies: before round 1\nAttacker: <@")
    await user.click(panel, label="Fight round 1")
    assert text_of(panel).startswith("### #1 Axis & Allies: round 1\n")
    newer = answer(await user.slash("battle show"))
    assert f"https://discord.com/channels/@me/{panel.channel_id}/{newer.id}" in text_of(panel)
    assert text_of(answer(await user.slash("battle undo"))) == "↩️ #1: one step back."
    assert text_of(newer).startswith("### #1 Axis & Allies: before round 1\n")


async def test_a_picture_comes_along_with_every_panel(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    async def panel_content(*_: object) -> PanelContent:
        return PanelContent(title="a map", state="here", picture=Picture("map.png", b"PNG", "Two hills"))

    # On the presenter itself: a bot that closes unloads its cogs, and the next one has classes of its own.
    monkeypatch.setattr(table.bot.services[Presenters].of("aa-battle"), "panel", panel_content)
    panel = await begin(table)
    assert [attachment.filename for attachment in panel.attachments] == ["map.png"]
    await table.press(panel, "Fight round 1")
    assert [attachment.filename for attachment in panel.attachments] == ["map.png"]
    before, fight = seen(table, panel), button(panel, "Fight round 2")
    table.env.backend.delete_message(panel.channel_id, panel.id)
    (result,) = await click_seen(table, before, (table.ann, fight))
    (fresh,) = result.followups
    assert [await attachment.read() for attachment in fresh.attachments] == [b"PNG"]
    assert (len((await table.run("battle show")).attachments), fresh.attachments) == (1, [])


async def test_several_battles_are_numbered_in_their_channel(table: Table) -> None:
    first, second = await begin(table), await begin(table)
    elsewhere = table.ann.guild.create_text_channel("other")
    other = answer(await table.ann.slash(elsewhere, "aa battle", setup="1 inf vs 1 inf"))
    assert [text_of(panel).split()[1] for panel in (first, second, other)] == ["#1", "#2", "#1"]
    await table.press(second, "Fight round 1")
    assert text_of(first).startswith("### #1 Axis & Allies: before round 1")


async def test_the_setup_is_offered_again(table: Table) -> None:
    await begin(table, "3 tanks vs 4 inf")
    offered = await table.ann.autocomplete(table.channel, "aa battle", "setup", "3 tan")
    assert "3 tanks vs 4 inf" in [choice["value"] for choice in offered]


async def test_a_setup_that_can_not_be_read_is_mended_in_a_form(table: Table) -> None:
    refused = await table.run("aa battle", setup="6 tonks vs 10 inf", attacker=table.ann, defender=table.ben, fog=True)
    form = await table.press(refused, "Fix it")
    assert form.modal is not None
    assert form.modal["components"][0]["component"]["value"] == "6 tonks vs 10 inf"
    await table.restart()
    panel = answer(await table.ann.submit_modal(form, {"battle": "6 tanks vs 10 inf"}))
    assert not panel.ephemeral
    assert "🌫️ in the fog" in text_of(panel)  # the other options stay
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


async def test_the_same_armies_fight_with_both_seats_free(table: Table) -> None:
    message = await table.calc("6 tanks, 2 inf vs 10 inf", private=True)
    await table.restart()
    panel = await table.pressed(message, FIGHT)
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
    await table.press(await table.calc(battle, casualties="lives-first", defender_order="ftr, inf"), FIGHT)
    setup = await setup_of(table)
    assert setup.attacker_losses == "lives-first"
    assert list(map(str, setup.defender_losses)) == ["fighter", "infantry"]


@pytest.mark.parametrize("casualties", ["smart", "thrifty"])
async def test_the_order_found_is_told_and_fought_with(table: Table, casualties: str) -> None:
    """Also where a condition of the odds decides which order is the best."""
    battle = "1942: 3 tanks, 2 bmr vs 1 inf, 2 ftr, 2 bmr"
    message = await table.calc(battle, casualties=casualties, stop_after=1)
    told = [line.removeprefix("-# 🧠 ") for line in text_of(message).splitlines() if "Lose: " in line]
    assert [line.split(":")[0] for line in told] == ["Attacker", "Defender"]
    panel = await table.pressed(message, FIGHT)
    setup = await setup_of(table)
    for side, line in zip(Side, told, strict=True):
        assert parse_casualties(line.split(": ", 1)[1].split(".")[0]) == setup.casualty_policy(side)
        assert f"-# 🧠 {line.split('.')[0]}." in text_of(panel)


@pytest.mark.parametrize("battle", ["2.5 inf vs 2 inf", "501 inf vs 1 inf"])
async def test_what_can_not_be_fought_live_has_no_button(table: Table, battle: str) -> None:
    assert FIGHT not in buttons_of(await table.calc(battle))
    assert await table.bot.services[BattleRepository].open_in(table.channel.id) == []


async def test_six_buttons_take_two_rows(table: Table) -> None:
    message = await table.calc("2 bb, 1 ftr, 3 inf vs 4 inf, 2 ftr, 1 tank", private=True)
    assert buttons_of(message)[-6:] == [FIGHT, "Smart losses", "Swap sides", "Edit", "Files", "Share"]


async def test_armies_are_hidden_and_shown_at_the_end(table: Table) -> None:
    panel = await begin(table, fog=True)
    assert buttons_of(panel) == ["Fight round 1", "Fight to the end", "Your army"]
    await table.press(panel, "Fight round 1")
    text = text_of(panel)
    expect_in(text, "⚔️ **Attacker** 🌫️ in the fog", "hits**")
    assert not any(word in text for word in ("tank", "infantry", "🔮", "IPC"))
    log = await table.ann.slash(table.channel, "battle log")
    assert "tank" not in text_of(answer(log))
    files = await table.files(log)
    assert list(files) == ["battle-1.txt"]
    assert b"tank" not in files["battle-1.txt"]
    await table.press(panel, "Fight to the end")
    assert "tank" in text_of(panel)
    assert buttons_of(panel) == []
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
