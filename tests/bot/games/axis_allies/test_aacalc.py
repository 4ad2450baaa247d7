"""`/aacalc` as players use it: every option, button, page, form, error and file, through the simulated Discord."""

import csv
import io
import json
import re

from simcord import InteractionResult, ResponseMessage

from sim.axis_allies.odds_report import OddsReport
from sim.axis_allies.reports import AverageReport
from tests.bot.conftest import Table, alt_of, answer, buttons_of, expect_in, text_of
from tests.sim.axis_allies.test_average import original_runs

LONG = "10 tanks vs 10 tanks"  # four pages of odds; 24 rounds: six pages of four, six of who hit whom
ODDS = 4

NOBODYS = "-# 📖 1941 · default (`/aa edition`)"


async def rounds_of(table: Table, battle: str, **options: int | str) -> ResponseMessage:
    """Ask, and turn to the first page of rounds."""
    result = await table.ann.slash(table.channel, "aacalc", battle=battle, **options)
    return answer(await table.jump(answer(result), ODDS))


async def attachment(message: ResponseMessage, name: str) -> str:
    (found,) = [attached for attached in message.attachments if attached.filename == name]
    return (await found.read()).decode()


async def test_the_headline_question(table: Table) -> None:
    """Someone who has never seen the project types `/aacalc 6 tanks vs 10 inf` and gets the answer."""
    result = await table.aacalc("6 tanks vs 10 inf")
    message = answer(result)
    assert not message.ephemeral
    expect_in(
        text_of(message),
        "🛡️ Defender wins 91.7% of the time\n",
        "attacker 7.6%",
        "tie 0.8%",
        "about 2.7 rounds",
        "6 tanks",
        "36 IPC, loses 35.0 ± 4.0",
        "10 infantry",
        "30 IPC, loses 15.1 ± 7.0",
        "5.5 infantry",
        "IPC lost ⚔️ 36 · 🛡️ 13.5",
        "-# Exact odds",
    )
    assert "nobody" not in text_of(message)
    assert buttons_of(message) == ["▶️", "⏭️", "Fight this out", "Swap sides", "Edit", "Files"]
    assert result.followups == []


async def test_the_picture_says_in_words_what_it_shows(table: Table) -> None:
    message = answer(await table.aacalc("6 tanks vs 10 inf"))
    (picture,) = message.attachments
    assert picture.filename == "odds.png"
    assert (await picture.read()).startswith(b"\x89PNG")
    expect_in(
        alt_of(message),
        "attacker 7.6%, defender 91.7%, tie 0.8%",
        "6 infantry 19.5%; 5 infantry 17.7%; 7 infantry 15.7%",
    )
    turned = answer(await table.press(message, "▶️"))
    assert turned.attachments == []
    assert [attached.filename for attached in answer(await table.press(turned, "⏮️")).attachments] == ["odds.png"]


async def test_likeliest_ends_what_is_held_and_the_course(table: Table) -> None:
    message = answer(await table.aacalc("6 tanks vs 10 inf"))
    ends = text_of(message := answer(await table.press(message, "▶️")))
    assert "**Likeliest ends**\n19.5% 🛡️ 6 infantry\n17.7% 🛡️ 5 infantry\n" in ends
    assert "0.8% 🤝 nobody left" in ends
    held = text_of(message := answer(await table.press(message, "▶️")))
    assert "⚔️ tanks: 0.17 of 6 on average\n-# 1+ 7.6% · 2+ 5.2% · " in held
    assert held.endswith("all 0.4%")
    course = text_of(answer(await table.press(message, "▶️")))
    assert "round   over    att    def\n    1   7.7%   2.69   7.00\n    2  52.1%   0.96   5.66\n" in course
    assert all(len(line) <= 28 for line in course.split("```")[1].splitlines())


async def test_rounds_say_hits_surprise_strikes_and_what_was_ineffective(table: Table) -> None:
    text = text_of(await rounds_of(table, "1 submarine, 1 destroyer vs 1 fighter"))
    assert "**Round 2**\n⚔️ 1 submarine, 0.333 destroyers\n🛡️ 0.667 fighters" in text
    assert "Surprise hits: ⚔️ 0 (0.333 ineffective)\nHits: ⚔️ 0.111 · 🛡️ 0.333 (0.111 ineffective)" in text


async def test_a_stalemate_is_certain(table: Table) -> None:
    text = text_of(answer(await table.aacalc("1 sub vs 1 ftr")))
    assert text.startswith(f"### ⏸️ Stalemate: neither side can hit the other\n{NOBODYS}\n⏸️ stalemate 100%\n")
    assert "loses" not in text
    assert "Average dice: ⚔️ **1 submarine** against 🛡️ **1 fighter** left after 1 round" in text


async def test_what_is_merely_unlikely_is_never_nought_or_certain(table: Table) -> None:
    text = text_of(answer(await table.aacalc("12 tanks vs 1 inf")))
    assert "⚔️ attacker >99.9% · 🛡️ defender <0.1% · 🤝 tie <0.1% · about" in text


async def test_fractions_get_the_average_battle_alone(table: Table) -> None:
    text = text_of(answer(await table.aacalc("2.5 inf vs 2 inf")))
    assert text.startswith(
        f"### 🛡️ Defender wins with average dice\n{NOBODYS}\n**0.789 infantry** left after 6 rounds\n"
    )
    assert "⚔️ **Attacker** 2.5 infantry\n-# 7.5 IPC, loses 7.5" in text
    assert "Use whole units for exact odds." in text
    tie = text_of(answer(await table.aacalc("1.5 tanks vs 1.5 tanks")))
    assert tie.startswith(f"### 🤝 Both sides fall with average dice\n{NOBODYS}\nNobody left after ")
    nobody = text_of(answer(await table.aacalc("1.5 sub vs 1 ftr")))
    assert nobody.startswith(
        f"### ⏸️ Stalemate\n{NOBODYS}\n⚔️ **1.5 submarines** against 🛡️ **1 fighter** left after 1 round\n"
    )


async def test_the_average_line_follows_the_options(table: Table) -> None:
    """It said that a battle is fought to its end of which the odds say that the attacker retreats."""
    battle = "6 inf, 2 ftr vs 8 inf"
    retreats = text_of(
        answer(await table.aacalc(battle, casualties="lives-first", retreat_below=4, take_territory=True))
    )
    assert "Average dice: attacker retreats, ⚔️ **1.333 infantry, 2 fighters** against" in retreats
    takes = text_of(answer(await table.aacalc("2 tanks, 2 bmr vs 4 inf", take_territory=True)))
    assert "Average dice: attacker takes the territory, **1 tank, " in takes


async def test_average_battles_of_fractions_follow_the_options(table: Table) -> None:
    retreats = text_of(answer(await table.aacalc("6.5 inf, 2 ftr vs 8 inf", retreat_below=4)))
    assert retreats.startswith("### ⏸️ Attacker retreats with average dice\n")
    takes = text_of(answer(await table.aacalc("2.5 tanks, 2 bmr vs 4 inf", take_territory=True)))
    assert takes.startswith("### ⚔️ Attacker takes the territory with average dice\n")


async def test_fractions_have_no_dice(table: Table) -> None:
    refused = answer(await table.aacalc("2.5 inf vs 2 inf", casualties="smart"))
    assert refused.ephemeral
    assert "whole" in text_of(refused)


async def test_a_battle_too_large_is_simulated_and_says_so(table: Table) -> None:
    text = text_of(answer(await table.aacalc("5000 tanks vs 4000 inf")))
    assert re.search(
        r"🎲 Too large for exact odds: 20,000 simulated battles \(seed 0\), "
        r"attacker \S+% to \S+% with 95% confidence",
        text,
    )
    assert "Exact odds" not in text
    assert "⚔️ attacker >99.9% · 🛡️ defender <0.1% · 🤝 tie <0.1% · about" in text


async def test_smart_losses_are_offered_where_they_matter(table: Table) -> None:
    message = answer(await table.aacalc("2 sub 2 bb vs 2 sub 2 bb 1 ftr"))
    assert "🧠 With smart casualties on both sides: ⚔️ 17.8% · 🛡️ 77.7%" in text_of(message)
    assert "Smart losses" in buttons_of(message)
    smart = answer(await table.press(message, "Smart losses"))
    assert smart.id == message.id
    assert "⚔️ attacker 17.8% · 🛡️ defender 77.7%" in text_of(smart)
    assert "Smart losses" not in buttons_of(smart)
    assert "Smart losses" not in buttons_of(answer(await table.aacalc("6 tanks vs 10 inf")))


async def test_orders_of_loss(table: Table) -> None:
    battle = "3 inf, 2 ftr vs 2 inf, 1 tank"
    usual = text_of(answer(await table.aacalc(battle)))
    own = text_of(answer(await table.aacalc(battle, attacker_order="order: ftr, inf", defender_order="tank, inf")))
    assert usual.splitlines()[0] != own.splitlines()[0]
    refused = answer(await table.aacalc(battle, attacker_order="ftr, imf"))
    assert "ftr, imf\n     ^^^\n" in text_of(refused)
    form = await table.press(refused, "Fix it")
    mended = answer(await table.ann.submit_modal(form, {"battle": battle, "attacker_order": "ftr, inf"}))
    assert text_of(mended).startswith("### ⚔️")


async def test_swapping_the_sides_swaps_their_orders(table: Table) -> None:
    message = answer(await table.aacalc("3 inf, 2 ftr vs 2 inf, 1 tank", attacker_order="ftr, inf"))
    form = await table.press(answer(await table.press(message, "Swap sides")), "Edit")
    assert form.modal is not None
    fields = [node["component"] for node in form.modal["components"]]
    assert [field.get("value") for field in fields] == ["2 inf, 1 tank vs 3 inf, 2 ftr", None, "ftr, inf"]


async def test_retreat_and_territory(table: Table) -> None:
    text = text_of(answer(await table.aacalc("3 inf, 2 ftr vs 2 inf", retreat_below=3)))
    assert re.search(r" · ⏸️ retreat [\d.]+% · 🏴 takes [\d.]+% · about ", text)
    text = text_of(answer(await table.aacalc("3 inf, 2 ftr vs 4 inf", take_territory=True, casualties="lives-first")))
    assert text.startswith("### ⚔️ Attacker takes the territory 73.2% of the time\n")
    assert "\n⚔️ attacker 73.2% · " in text
    refused = text_of(answer(await table.aacalc("2 ftr vs 4 inf", take_territory=True)))
    expect_in(refused, "⚠️", "Only land units", "attacker has none")


async def test_land_at_sea_is_told_in_one_line(table: Table) -> None:
    assert "ℹ️ Land units take no part in naval battles." in text_of(answer(await table.aacalc("1 inf vs 1 sub")))


async def test_options(table: Table) -> None:
    message = await rounds_of(table, LONG, rounds=2, casualties="score", stop_after=3, private=True)
    text = text_of(message)
    assert message.ephemeral
    assert "**Round 2**" in text
    assert "**Round 3**" not in text


async def test_turning_the_pages_of_my_own_answer(table: Table) -> None:
    message = answer(await table.aacalc(LONG))
    for press, here, first in [
        ("▶️", "2/17", "**Likeliest ends**"),
        ("⏭️", "17/17", "**Share text**"),
        ("◀️", "16/17", "**Round 21: who hit whom**"),
        ("⏮️", "1/17", "Average dice: "),
    ]:
        turned = answer(await table.press(message, press))
        assert turned.id == message.id
        assert first in text_of(turned)
        assert here in json.dumps(turned.components)
        message = turned
    jumped = answer(await table.jump(message, ODDS + 5))
    assert "**Round 24**" in text_of(jumped)


async def test_another_viewer_turns_a_private_copy(table: Table) -> None:
    public = answer(await table.aacalc(LONG))
    copy = answer(await table.press(public, "⏭️", by=table.ben))
    assert copy.ephemeral
    assert copy.id != public.id
    assert "**Share text**" in text_of(copy)
    assert "Average dice: " in text_of(public)
    turned = answer(await table.press(copy, "⏮️", by=table.ben))
    assert turned.id == copy.id
    assert "Share" not in buttons_of(copy)
    jumped = answer(await table.jump(public, 2, by=table.ben))
    assert jumped.ephemeral
    assert "Average dice: " in text_of(public)


async def test_everything_works_after_a_restart(table: Table) -> None:
    public = answer(await table.aacalc(LONG))
    private = answer(await table.aacalc("6 tanks vs 10 inf", private=True))
    form = await table.press(public, "Edit")
    await table.restart()
    assert "**Likeliest ends**" in text_of(answer(await table.press(public, "▶️")))
    assert answer(await table.press(public, "▶️", by=table.ben)).ephemeral
    assert "**Round 9**" in text_of(answer(await table.jump(public, ODDS + 2)))
    assert "**Share text**" in text_of(answer(await table.press(private, "⏭️")))
    assert len(answer(await table.press(public, "Files")).attachments) == 5
    # Even the form that was open while the bot was away.
    apply_form = answer(await table.ann.submit_modal(form, {"battle": "3 tanks vs 1 inf"}))
    assert "Attacker wins 99.8% of the time" in text_of(apply_form)


async def test_a_long_battle_brings_its_files_when_asked(table: Table) -> None:
    result = await table.aacalc(LONG)
    assert result.followups == []
    files = {name: data.decode() for name, data in (await table.files(result)).items()}
    assert files["battle.txt"] in {run for *_, run in original_runs()}
    rows = list(csv.DictReader(io.StringIO(files["battle.csv"])))
    assert [row["round"] for row in rows] == [*(str(number) for number in range(1, 25)), "end"]
    report = AverageReport.model_validate_json(files["battle.json"])
    assert len(report.rounds) == 24


async def test_files_are_for_the_one_who_asked(table: Table) -> None:
    message = answer(await table.aacalc("6 tanks vs 10 inf"))
    files = answer(await table.press(message, "Files", by=table.ben))
    assert files.ephemeral
    names = {"battle.txt", "battle.csv", "battle.json", "odds.csv", "odds.json"}
    assert {attached.filename for attached in files.attachments} == names
    odds = OddsReport.model_validate_json(await attachment(files, "odds.json"))
    ends = list(csv.DictReader(io.StringIO(await attachment(files, "odds.csv"))))
    assert float(ends[0]["chance"]) == odds.outcomes[0].p
    assert (ends[0]["winner"], ends[0]["attacker_tank"], ends[0]["defender_infantry"]) == ("defender", "0", "6")
    assert (await attachment(files, "battle.txt")).startswith("====== Round 1 ======\nAttacker: 6 tanks\n")


async def test_swap_sides(table: Table) -> None:
    message = answer(await table.aacalc("6 tanks vs 10 inf", rounds=1))
    swapped = answer(await table.press(message, "Swap sides"))
    assert swapped.id == message.id
    assert "⚔️ **Attacker** 10 infantry" in text_of(swapped)
    assert "**Round 2**" not in text_of(answer(await table.jump(swapped, ODDS)))  # the options stay
    back = answer(await table.press(swapped, "Swap sides"))
    assert "⚔️ **Attacker** 6 tanks" in text_of(back)


async def test_someone_elses_swap_is_his_own_and_can_be_shared(table: Table) -> None:
    public = answer(await table.aacalc("6 tanks vs 10 inf"))
    mine = answer(await table.press(public, "Swap sides", by=table.ben))
    assert mine.ephemeral
    assert "⚔️ **Attacker** 6 tanks" in text_of(public)
    shared = answer(await table.press(mine, "Share", by=table.ben))
    assert not shared.ephemeral
    assert "⚔️ **Attacker** 10 infantry" in text_of(shared)


async def test_only_private_answers_can_be_shared(table: Table) -> None:
    assert "Share" not in buttons_of(answer(await table.aacalc("6 tanks vs 10 inf")))
    private = answer(await table.aacalc("6 tanks vs 10 inf", private=True))
    shared = answer(await table.press(private, "Share"))
    assert not shared.ephemeral
    assert "Share" not in buttons_of(shared)
    assert "Average dice: " in text_of(shared)


async def edit(table: Table, message: ResponseMessage, battle: str) -> InteractionResult:
    form = await table.press(message, "Edit")
    assert form.modal is not None
    return await table.ann.submit_modal(form, {"battle": battle})


async def test_edit_and_run_again(table: Table) -> None:
    message = answer(await table.aacalc("6 tanks vs 10 inf"))
    form = await table.press(message, "Edit")
    assert form.modal is not None
    assert form.modal["components"][0]["component"]["value"] == "6 tanks vs 10 inf"
    apply_form = answer(await table.ann.submit_modal(form, {"battle": "6 tanks, 2 bombers vs 10 inf"}))
    assert apply_form.id == message.id
    assert "⚔️ **Attacker** 6 tanks, 2 bombers" in text_of(apply_form)


async def test_a_bad_edit_loses_nothing(table: Table) -> None:
    message = answer(await table.aacalc("6 tanks vs 10 inf"))
    refused = answer(await edit(table, message, "6 tonks vs 10 inf"))
    assert refused.ephemeral
    assert "Did you mean tanks?" in text_of(refused)
    form = await table.press(refused, "Fix it")
    assert form.modal is not None
    assert form.modal["components"][0]["component"]["value"] == "6 tonks vs 10 inf"
    mended = answer(await table.ann.submit_modal(form, {"battle": "6 tanks vs 9 inf"}))
    assert not mended.ephemeral
    assert "**Defender** 9 infantry" in text_of(mended)


async def test_an_empty_edit_gets_a_sentence(table: Table) -> None:
    message = answer(await table.aacalc("6 tanks vs 10 inf"))
    assert "Put vs between the two armies" in text_of(answer(await edit(table, message, "")))
