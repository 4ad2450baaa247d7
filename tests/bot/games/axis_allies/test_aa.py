"""`/aa need`, `/aa retreat` and `/aa luck` as players use them."""

import json
import re
from typing import Any

import pytest

from sim.axis_allies.advice_reports import LuckReport, PurchaseReport, RetreatReport
from tests.bot.conftest import Table, alt_of, answer, button, buttons_of, expect_in, text_of


async def test_what_it_takes_to_win(table: Table) -> None:
    result = await table.ann.slash(table.channel, "aa need", attacker="6 tanks", defender="10 inf", chance=75.0)
    message = answer(result)
    text = text_of(message)
    assert re.match(r"### 🛒 5 infantry for 15 IPC\n.*\n⚔️ Attacker wins \d\d\.\d% of the time, wanted: 75%\n", text)
    expect_in(
        alt_of(message),
        "Buy 5 infantry for 15 IPC.",
        "The attacker wins 84.4% of the time, wanted: 75%.",
        "Without them 7.6%.",
        "Or 2 infantry, 2 tanks for 18 IPC: 80.3%.",
    )
    assert [picture.filename for picture in message.attachments] == ["need.png"]
    assert "Exact: nothing cheaper is enough." in text
    assert buttons_of(message) == ["Edit", "Files"]
    files = await table.pressed(message, "Files")
    report = PurchaseReport.model_validate_json(await files.attachments[0].read())
    assert report.best.chance >= 0.75
    assert f"for {report.best.ipc} IPC" in text


async def test_need_with_all_its_options(table: Table) -> None:
    message = await table.run(
        "aa need",
        attacker="6 tanks, 2 ftr",
        defender="nobody",
        chance=50.0,
        side="defender",
        units="inf",
        casualties="smart",
        take_territory=True,
        private=True,
    )
    assert message.ephemeral
    assert re.match(r"### 🛒 \d+ infantry for \d+ IPC\n-# 📖 1941 .*\n🛡️ Defender wins ", text_of(message))
    assert "Share" in buttons_of(message)


async def test_nothing_more_is_needed(table: Table) -> None:
    result = await table.ann.slash(table.channel, "aa need", attacker="6 tanks", defender="1 inf", chance=90.0)
    assert text_of(answer(result)).splitlines()[:3] == [
        "### ✅ No reinforcement needed",
        "-# 📖 1941 · default (`/aa edition`)",
        "⚔️ Attacker wins >99.9% of the time, wanted: 90%",
    ]


async def test_what_never_wins_is_a_sentence(table: Table) -> None:
    result = await table.ann.slash(
        table.channel, "aa need", attacker="1 sub", defender="3 ftr", chance=50.0, units="sub"
    )
    refused = answer(result)
    assert refused.ephemeral
    assert "can hit the defender's fighters" in text_of(refused)


async def test_a_bad_need_is_mended_in_its_form(table: Table) -> None:
    refused = await table.run("aa need", attacker="6 tonks", defender="10 inf", chance=75.0)
    assert "6 tonks\n  ^^^^^\n" in text_of(refused)
    form = await table.press(refused, "Fix it")
    assert form.modal is not None
    values = [node["component"].get("value") for node in form.modal["components"]]
    assert values == ["6 tonks", "10 inf", None]
    mended = answer(await table.ann.submit_modal(form, {"attacker": "6 tanks", "defender": "10 inf", "units": "tanks"}))
    assert not mended.ephemeral
    assert re.match(r"### 🛒 \d+ tanks? for \d+ IPC", text_of(mended))


async def test_when_to_retreat(table: Table) -> None:
    message = await table.run("aa retreat", battle="6 tanks, 2 inf vs 8 inf", territory=3)
    text = text_of(message)
    assert text.startswith(
        "### ⚔️ Attack, and retreat if the dice go against you\n-# 📖 1941 · default (`/aa edition`)\n"
        "You gain 1.7 IPC on average and win 52.6% of the time.\n"
    )
    expect_in(
        alt_of(message),
        "Attack, and retreat if the dice go against you: +1.7 IPC on average.",
        "Attacker wins 52.6%, retreat 46.6%, defender wins 0.4%.",
        "Never retreating: -0.7 IPC, wins 75.8%.",
        "After round 2 (77.0% still on) go on: going on is worth +1.5 IPC.",
    )
    assert [picture.filename for picture in message.attachments] == ["retreat.png"]
    assert "plus 3 for the territory" in text
    table_lines = text.split("```")[1].strip("\n").splitlines()
    assert table_lines[0] == " #    on    end   best do"
    assert table_lines[1].startswith(" 0  100%")
    assert all(len(line) <= 28 for line in table_lines)
    turned = await table.pressed(message, "▶️")
    assert turned.attachments == []
    states = text_of(turned)
    assert "**The likeliest armies after round 1**" in states
    assert re.search(r"-# (⚔️ go on|🏳️ retreat): [+-]?\d+\.\d IPC if you go on", states)
    files = await table.pressed(message, "Files")
    assert RetreatReport.model_validate_json(await files.attachments[0].read()).territory == 3


async def test_do_not_attack(table: Table) -> None:
    result = await table.ann.slash(table.channel, "aa retreat", battle="2 tanks vs 10 inf", stop_after=5)
    assert text_of(answer(result)).startswith("### 🏳️ Don't attack\n")


async def test_retreat_is_edited_in_place_and_found_after_a_restart(table: Table) -> None:
    message = await table.run("aa retreat", battle="2 tanks vs 10 inf")
    await table.restart()
    apply_form = await table.filled(message, "Edit", {"battle": "20 tanks vs 10 inf"})
    assert apply_form.id == message.id
    assert text_of(apply_form).startswith("### ⚔️ Attack and fight to the end\n")


async def test_how_lucky_it_was(table: Table) -> None:
    message = await table.run("aa luck", battle="6 tanks vs 10 inf", attacker_left="2 tanks")
    text = text_of(message)
    assert text.startswith("### 🍀 The attacker: lucky\n")
    alt = alt_of(message)
    expect_in(
        alt,
        "The attacker was lucky: 96.1 of 100.",
        "Of such battles 94.8% end worse for the attacker, 2.7% better.",
        "Attacker: 6 tanks, left: 2 tanks.",
        "Net +6.0 IPC, on average -19.8 ± 9.7.",
    )
    assert [picture.filename for picture in message.attachments] == ["luck.png"]
    assert "-# left: nobody" in text
    report = LuckReport.model_validate_json(await (await table.pressed(message, "Files")).attachments[0].read())
    assert f"{report.attacker_luck:.1f} of 100" in alt
    unlucky = await table.run("aa luck", battle="6 tanks vs 3 inf", defender_left="3 inf")
    assert "The attacker: unluckier than 999 of 1,000 battles" in text_of(unlucky)


async def test_luck_refuses_what_can_not_have_been(table: Table) -> None:
    refusals: tuple[tuple[dict[str, Any], str], ...] = (
        ({"attacker_left": "7 tanks"}, "The attacker can't have 7 tanks left of 6 tanks."),
        ({"attacker_left": "2 inf"}, "it started with none"),
        ({"attacker_left": "2 tanks", "defender_left": "2 inf"}, "The battle isn't over"),
    )
    for options, sentence in refusals:
        refused = await table.run("aa luck", battle="6 tanks vs 10 inf", **options)
        assert refused.ephemeral
        assert sentence in text_of(refused)
    broken_off = await table.ann.slash(
        table.channel,
        "aa luck",
        battle="6 tanks vs 10 inf",
        attacker_left="2 tanks",
        defender_left="6 inf",
        stop_after=2,
    )
    assert text_of(answer(broken_off)).startswith("### 🍀 The attacker: ")


async def test_luck_is_edited_with_what_was_left(table: Table) -> None:
    message = await table.run("aa luck", battle="6 tanks vs 10 inf", attacker_left="2 tanks")
    form = await table.ann.click(message, custom_id=button(message, "Edit"))
    assert form.modal is not None
    values = [node["component"].get("value") for node in form.modal["components"]]
    assert values == ["6 tanks vs 10 inf", "2 tanks", None]
    apply_form = answer(await table.ann.submit_modal(form, {"battle": "6 tanks vs 10 inf", "defender_left": "10 inf"}))
    assert "left: 10 infantry" in text_of(apply_form)


async def test_autocomplete_of_battles_and_armies(table: Table) -> None:
    await table.ann.slash(table.channel, "aa retreat", battle="2 tanks vs 10 inf")
    await table.aacalc("3 tanks vs 1 inf")
    for command in ("aacalc", "aa retreat", "aa luck"):
        offered = await table.ann.autocomplete(table.channel, command, "battle", "")
        assert [choice["value"] for choice in offered] == ["3 tanks vs 1 inf", "2 tanks vs 10 inf"]
    offered = await table.ann.autocomplete(table.channel, "aa need", "attacker", "2 ta")
    assert json.dumps([choice["value"] for choice in offered]) == '["2 tanks"]'


@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("aa retreat", {"battle": "1942: 3 inf, 2 tanks, 1 ftr vs 3 inf, 1 tank, 1 bmr"}),
        ("aa luck", {"battle": "1942: 3 inf, 2 tanks, 1 ftr vs 3 inf, 1 tank, 1 bmr", "attacker_left": "1 ftr"}),
        ("aa need", {"attacker": "1942: 3 inf", "defender": "1942: 3 inf, 1 tank, 1 bmr", "chance": 60.0}),
        ("aacalc", {"battle": "1942: 3 inf, 2 tanks, 1 ftr vs 3 inf, 1 tank, 1 bmr"}),
    ],
)
async def test_every_answer_tells_the_orders_found(table: Table, command: str, options: dict[str, Any]) -> None:
    assert "Lose: " not in text_of(await table.run(command, **options))
    smart = text_of(await table.run(command, **options, casualties="smart"))
    told = re.findall(r"^-# 🧠 (Attacker|Defender): Lose: (?:[a-z ]+, )+[a-z ]+\.$", smart, re.MULTILINE)
    assert told == ["Attacker", "Defender"]


async def test_waves_tell_the_orders_found(table: Table) -> None:
    battle = "1942: 3 inf, 1 tank then 2 inf, 2 ftr vs 3 inf, 1 bmr | order smart | counter 2 inf, 1 tank"
    told = [line for line in text_of(await table.calc(battle)).splitlines() if "Lose: " in line]
    assert [line.split(": Lose: ")[0] for line in told] == [
        "-# 🧠 Wave 1, attacker",
        "-# 🧠 Wave 1, defender",
        "-# 🧠 Wave 2, attacker",
        "-# 🧠 Counterattack, attacker",
        "-# 🧠 Counterattack, defender",
    ]
