"""`/aacalc` as players use it: options, buttons, pages, forms, errors and files; and its limits."""

import csv
import io
import json
import re

import pytest
from simcord import InteractionResult, ResponseMessage

from bot.games.axis_allies.options import MAX_TYPED
from bot.games.axis_allies.questions import MAX_ROUNDS_PER_PAGE
from bot.store.queries import QueryRepository
from sim.axis_allies.editions import EDITIONS
from sim.axis_allies.odds_report import OddsReport
from sim.axis_allies.reports import AverageReport
from sim.workers import InlineSimulator, PoolLimits, Simulator
from tests.bot.conftest import Table, alt_of, answer, button, buttons_of, expect_in, text_of
from tests.sim.axis_allies.test_average import original_runs

LONG = "10 tanks vs 10 tanks"  # four pages of odds; 24 rounds: six pages of four, six of who hit whom
ODDS = 4

NOBODYS = "-# 📖 1941 · default (`/aa edition`)"


async def rounds_of(table: Table, battle: str, **options: int | str) -> ResponseMessage:
    """Ask, and turn to the first page of rounds."""
    result = await table.ann.slash(table.channel, "aacalc", battle=battle, **options)
    return await table.page(answer(result), ODDS)


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
    message = await table.calc("6 tanks vs 10 inf")
    (picture,) = message.attachments
    assert picture.filename == "odds.png"
    assert (await picture.read()).startswith(b"\x89PNG")
    expect_in(
        alt_of(message),
        "attacker 7.6%, defender 91.7%, tie 0.8%",
        "6 infantry 19.5%; 5 infantry 17.7%; 7 infantry 15.7%",
    )
    turned = await table.pressed(message, "▶️")
    assert turned.attachments == []
    assert [attached.filename for attached in (await table.pressed(turned, "⏮️")).attachments] == ["odds.png"]


async def test_likeliest_ends_what_is_held_and_the_course(table: Table) -> None:
    message = await table.calc("6 tanks vs 10 inf")
    ends = text_of(message := await table.pressed(message, "▶️"))
    assert "**Likeliest ends**\n19.5% 🛡️ 6 infantry\n17.7% 🛡️ 5 infantry\n" in ends
    assert "0.8% 🤝 nobody left" in ends
    held = text_of(message := await table.pressed(message, "▶️"))
    assert "⚔️ tanks: 0.17 of 6 on average\n-# 1+ 7.6% · 2+ 5.2% · " in held
    assert held.endswith("all 0.4%")
    course = text_of(await table.pressed(message, "▶️"))
    assert "round   over    att    def\n    1   7.7%   2.69   7.00\n    2  52.1%   0.96   5.66\n" in course
    assert all(len(line) <= 28 for line in course.split("```")[1].splitlines())


async def test_rounds_say_hits_surprise_strikes_and_what_was_ineffective(table: Table) -> None:
    text = text_of(await rounds_of(table, "1 submarine, 1 destroyer vs 1 fighter"))
    assert "**Round 2**\n⚔️ 1 submarine, 0.333 destroyers\n🛡️ 0.667 fighters" in text
    assert "Surprise hits: ⚔️ 0 (0.333 ineffective)\nHits: ⚔️ 0.111 · 🛡️ 0.333 (0.111 ineffective)" in text


async def test_a_stalemate_is_certain(table: Table) -> None:
    text = text_of(await table.calc("1 sub vs 1 ftr"))
    assert text.startswith(f"### ⏸️ Stalemate: neither side can hit the other\n{NOBODYS}\n⏸️ stalemate 100%\n")
    assert "loses" not in text
    assert "Average dice: ⚔️ **1 submarine** against 🛡️ **1 fighter** left after 1 round" in text


async def test_what_is_merely_unlikely_is_never_nought_or_certain(table: Table) -> None:
    text = text_of(await table.calc("12 tanks vs 1 inf"))
    assert "⚔️ attacker >99.9% · 🛡️ defender <0.1% · 🤝 tie <0.1% · about" in text


async def test_fractions_get_the_average_battle_alone(table: Table) -> None:
    text = text_of(await table.calc("2.5 inf vs 2 inf"))
    assert text.startswith(
        f"### 🛡️ Defender wins with average dice\n{NOBODYS}\n**0.789 infantry** left after 6 rounds\n"
    )
    expect_in(text, "⚔️ **Attacker** 2.5 infantry\n-# 7.5 IPC, loses 7.5", "Use whole units for exact odds.")
    tie = text_of(await table.calc("1.5 tanks vs 1.5 tanks"))
    assert tie.startswith(f"### 🤝 Both sides fall with average dice\n{NOBODYS}\nNobody left after ")
    nobody = text_of(await table.calc("1.5 sub vs 1 ftr"))
    assert nobody.startswith(
        f"### ⏸️ Stalemate\n{NOBODYS}\n⚔️ **1.5 submarines** against 🛡️ **1 fighter** left after 1 round\n"
    )


async def test_the_average_line_follows_the_options(table: Table) -> None:
    """It said that a battle is fought to its end of which the odds say that the attacker retreats."""
    battle = "6 inf, 2 ftr vs 8 inf"
    retreats = text_of(await table.calc(battle, casualties="lives-first", retreat_below=4, take_territory=True))
    assert "Average dice: attacker retreats, ⚔️ **1.333 infantry, 2 fighters** against" in retreats
    takes = text_of(await table.calc("2 tanks, 2 bmr vs 4 inf", take_territory=True))
    assert "Average dice: attacker takes the territory, **1 tank, " in takes


async def test_average_battles_of_fractions_follow_the_options(table: Table) -> None:
    retreats = text_of(await table.calc("6.5 inf, 2 ftr vs 8 inf", retreat_below=4))
    assert retreats.startswith("### ⏸️ Attacker retreats with average dice\n")
    takes = text_of(await table.calc("2.5 tanks, 2 bmr vs 4 inf", take_territory=True))
    assert takes.startswith("### ⚔️ Attacker takes the territory with average dice\n")


async def test_fractions_have_no_dice(table: Table) -> None:
    refused = await table.calc("2.5 inf vs 2 inf", casualties="smart")
    assert refused.ephemeral
    assert "whole" in text_of(refused)


async def test_a_battle_too_large_is_simulated_and_says_so(table: Table) -> None:
    text = text_of(await table.calc("5000 tanks vs 4000 inf"))
    assert re.search(
        r"🎲 Too large for exact odds: 20,000 simulated battles \(seed 0\), "
        r"attacker \S+% to \S+% with 95% confidence",
        text,
    )
    assert "Exact odds" not in text
    assert "⚔️ attacker >99.9% · 🛡️ defender <0.1% · 🤝 tie <0.1% · about" in text


async def test_smart_losses_are_offered_where_they_matter(table: Table) -> None:
    message = await table.calc("2 sub 2 bb vs 2 sub 2 bb 1 ftr")
    assert "🧠 With smart casualties on both sides: ⚔️ 17.8% · 🛡️ 77.7%" in text_of(message)
    assert "Smart losses" in buttons_of(message)
    smart = await table.pressed(message, "Smart losses")
    assert smart.id == message.id
    assert "⚔️ attacker 17.8% · 🛡️ defender 77.7%" in text_of(smart)
    assert "Smart losses" not in buttons_of(smart)
    assert "Smart losses" not in buttons_of(await table.calc("6 tanks vs 10 inf"))


async def test_orders_of_loss(table: Table) -> None:
    battle = "3 inf, 2 ftr vs 2 inf, 1 tank"
    usual = text_of(await table.calc(battle))
    own = text_of(await table.calc(battle, attacker_order="order: ftr, inf", defender_order="tank, inf"))
    assert usual.splitlines()[0] != own.splitlines()[0]
    refused = await table.calc(battle, attacker_order="ftr, imf")
    assert "ftr, imf\n     ^^^\n" in text_of(refused)
    mended = await table.filled(refused, "Fix it", {"battle": battle, "attacker_order": "ftr, inf"})
    assert text_of(mended).startswith("### ⚔️")


async def test_swapping_the_sides_swaps_their_orders(table: Table) -> None:
    message = await table.calc("3 inf, 2 ftr vs 2 inf, 1 tank", attacker_order="ftr, inf")
    form = await table.press(await table.pressed(message, "Swap sides"), "Edit")
    assert form.modal is not None
    fields = [node["component"] for node in form.modal["components"]]
    assert [field.get("value") for field in fields] == ["2 inf, 1 tank vs 3 inf, 2 ftr", None, "ftr, inf"]


async def test_retreat_and_territory(table: Table) -> None:
    text = text_of(await table.calc("3 inf, 2 ftr vs 2 inf", retreat_below=3))
    assert re.search(r" · ⏸️ retreat [\d.]+% · 🏴 takes [\d.]+% · about ", text)
    text = text_of(await table.calc("3 inf, 2 ftr vs 4 inf", take_territory=True, casualties="lives-first"))
    assert text.startswith("### ⚔️ Attacker takes the territory 73.2% of the time\n")
    assert "\n⚔️ attacker 73.2% · " in text
    refused = text_of(await table.calc("2 ftr vs 4 inf", take_territory=True))
    expect_in(refused, "⚠️", "Only land units", "attacker has none")


async def test_land_at_sea_is_told_in_one_line(table: Table) -> None:
    assert "ℹ️ Land units take no part in naval battles." in text_of(await table.calc("1 inf vs 1 sub"))


async def test_options(table: Table) -> None:
    message = await rounds_of(table, LONG, rounds=2, casualties="score", stop_after=3, private=True)
    text = text_of(message)
    assert message.ephemeral
    assert "**Round 2**" in text
    assert "**Round 3**" not in text


async def test_turning_the_pages_of_my_own_answer(table: Table) -> None:
    message = await table.calc(LONG)
    for press, here, first in [
        ("▶️", "2/17", "**Likeliest ends**"),
        ("⏭️", "17/17", "**Share text**"),
        ("◀️", "16/17", "**Round 21: who hit whom**"),
        ("⏮️", "1/17", "Average dice: "),
    ]:
        turned = await table.pressed(message, press)
        assert turned.id == message.id
        assert first in text_of(turned)
        assert here in json.dumps(turned.components)
        message = turned
    assert "**Round 24**" in text_of(await table.page(message, ODDS + 5))


async def test_another_viewer_turns_a_private_copy(table: Table) -> None:
    public = await table.calc(LONG)
    copy = await table.pressed(public, "⏭️", by=table.ben)
    assert copy.ephemeral
    assert copy.id != public.id
    assert "**Share text**" in text_of(copy)
    assert "Average dice: " in text_of(public)
    assert (await table.pressed(copy, "⏮️", by=table.ben)).id == copy.id
    assert "Share" not in buttons_of(copy)
    assert (await table.page(public, 2, by=table.ben)).ephemeral
    assert "Average dice: " in text_of(public)


async def test_everything_works_after_a_restart(table: Table) -> None:
    public = await table.calc(LONG)
    private = await table.calc("6 tanks vs 10 inf", private=True)
    form = await table.press(public, "Edit")
    await table.restart()
    assert "**Likeliest ends**" in text_of(await table.pressed(public, "▶️"))
    assert (await table.pressed(public, "▶️", by=table.ben)).ephemeral
    assert "**Round 9**" in text_of(await table.page(public, ODDS + 2))
    assert "**Share text**" in text_of(await table.pressed(private, "⏭️"))
    assert len((await table.pressed(public, "Files")).attachments) == 5
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
    files = await table.pressed(await table.calc("6 tanks vs 10 inf"), "Files", by=table.ben)
    assert files.ephemeral
    names = {"battle.txt", "battle.csv", "battle.json", "odds.csv", "odds.json"}
    assert {attached.filename for attached in files.attachments} == names
    odds = OddsReport.model_validate_json(await attachment(files, "odds.json"))
    ends = list(csv.DictReader(io.StringIO(await attachment(files, "odds.csv"))))
    assert float(ends[0]["chance"]) == odds.outcomes[0].p
    assert (ends[0]["winner"], ends[0]["attacker_tank"], ends[0]["defender_infantry"]) == ("defender", "0", "6")
    assert (await attachment(files, "battle.txt")).startswith("====== Round 1 ======\nAttacker: 6 tanks\n")


async def test_swap_sides(table: Table) -> None:
    message = await table.calc("6 tanks vs 10 inf", rounds=1)
    swapped = await table.pressed(message, "Swap sides")
    assert swapped.id == message.id
    assert "⚔️ **Attacker** 10 infantry" in text_of(swapped)
    assert "**Round 2**" not in text_of(await table.page(swapped, ODDS))  # the options stay
    assert "⚔️ **Attacker** 6 tanks" in text_of(await table.pressed(swapped, "Swap sides"))


async def test_someone_elses_swap_is_his_own_and_can_be_shared(table: Table) -> None:
    public = await table.calc("6 tanks vs 10 inf")
    mine = await table.pressed(public, "Swap sides", by=table.ben)
    assert mine.ephemeral
    assert "⚔️ **Attacker** 6 tanks" in text_of(public)
    shared = await table.pressed(mine, "Share", by=table.ben)
    assert not shared.ephemeral
    assert "⚔️ **Attacker** 10 infantry" in text_of(shared)


async def test_only_private_answers_can_be_shared(table: Table) -> None:
    assert "Share" not in buttons_of(await table.calc("6 tanks vs 10 inf"))
    shared = await table.pressed(await table.calc("6 tanks vs 10 inf", private=True), "Share")
    assert not shared.ephemeral
    assert "Share" not in buttons_of(shared)
    assert "Average dice: " in text_of(shared)


async def edit(table: Table, message: ResponseMessage, battle: str) -> InteractionResult:
    form = await table.press(message, "Edit")
    assert form.modal is not None
    return await table.ann.submit_modal(form, {"battle": battle})


async def test_edit_and_run_again(table: Table) -> None:
    message = await table.calc("6 tanks vs 10 inf")
    form = await table.press(message, "Edit")
    assert form.modal is not None
    assert form.modal["components"][0]["component"]["value"] == "6 tanks vs 10 inf"
    apply_form = answer(await table.ann.submit_modal(form, {"battle": "6 tanks, 2 bombers vs 10 inf"}))
    assert apply_form.id == message.id
    assert "⚔️ **Attacker** 6 tanks, 2 bombers" in text_of(apply_form)


async def test_a_bad_edit_loses_nothing(table: Table) -> None:
    message = await table.calc("6 tanks vs 10 inf")
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
    message = await table.calc("6 tanks vs 10 inf")
    assert "Put vs between the two armies" in text_of(answer(await edit(table, message, "")))


async def test_errors_point_at_the_place_all_at_once_and_privately(table: Table) -> None:
    refused = await table.calc("6 tonks vs 10 imf, -2 subs")
    assert refused.ephemeral
    assert text_of(refused) == "\n".join(
        [
            "⚠️ **I can't read this**",
            "```",
            "6 tonks vs 10 imf, -2 subs",
            "  ^^^^^",
            "```",
            "No unit has this name. Did you mean tanks?",
            "```",
            "6 tonks vs 10 imf, -2 subs",
            "              ^^^",
            "```",
            "No unit has this name. Did you mean infantry?",
            "```",
            "6 tonks vs 10 imf, -2 subs",
            "                   ^^",
            "```",
            "A count can't be negative.",
        ]
    )


async def test_a_refused_command_can_be_mended_in_a_form(table: Table) -> None:
    refused = await table.calc("6 tonks vs 10 inf", rounds=1, private=True)
    mended = await table.filled(refused, "Fix it", {"battle": "6 tanks vs 10 inf"})
    assert mended.ephemeral  # private was asked for, and one round a page
    assert "**Round 2**" not in text_of(await table.page(mended, ODDS))


async def test_many_mistakes_stay_within_a_message(table: Table) -> None:
    assert "… and 142 more." in text_of(await table.calc("qq " * 150 + "vs 1 inf"))


async def test_hostile_text_can_not_ping_or_break_out(table: Table) -> None:
    text = text_of(await table.calc("@everyone ```\n<@1> \u202e ||x|| vs 1 inf"))
    assert "```\n<@1>" not in text
    assert "\u202e" not in text
    assert text.count("```") % 2 == 0


@pytest.mark.rest
async def test_an_endless_battle_is_refused_with_a_way_out(table: Table) -> None:
    """The command has been deferred in public by then: the refusal is private all the same, nothing public stays."""
    result = await table.aacalc("1 inf vs 1000000 transports")
    (reply,) = result.followups
    assert reply.ephemeral
    assert "more than 1,000 rounds; say with stop_after when to stop" in text_of(reply)
    assert "Fix it" in buttons_of(reply)
    assert result.response is None


@pytest.mark.rest
async def test_a_late_refusal_of_a_private_question_takes_its_place(table: Table) -> None:
    result = await table.aacalc("1 inf vs 1000000 transports", private=True)
    assert answer(result).ephemeral
    assert "1,000 rounds" in text_of(answer(result))
    assert result.followups == []


async def test_all_units_by_the_million_fit_a_message(table: Table) -> None:
    all_units = ", ".join(f"999999.999 {unit.plural}" for unit in EDITIONS["1941"].units)
    for rounds in (1, MAX_ROUNDS_PER_PAGE):
        message = await table.calc(f"{all_units} vs {all_units}"[:MAX_TYPED], rounds=rounds)
        pages = [text_of(message)]
        while "▶️" in buttons_of(message):
            pages.append(text_of(await table.pressed(message, "▶️")))
        assert len(pages) > 2
        assert not any("…" in page for page in pages), "nothing had to be cut"


async def test_autocomplete_completes_the_word_at_the_cursor(table: Table) -> None:
    offered = await table.ann.autocomplete(table.channel, "aacalc", "battle", "6 tanks vs 2 b")
    assert [choice["value"] for choice in offered] == ["6 tanks vs 2 bombers", "6 tanks vs 2 battleships"]


async def test_autocomplete_offers_my_last_twenty_battles_newest_first(table: Table) -> None:
    for count in range(1, 23):
        await table.aacalc(f"{count} tanks vs 1 inf")
    await table.aacalc("9 tanks vs 1 inf")
    await table.aacalc("9 tonks vs 1 inf")
    await table.restart()
    offered = await table.ann.autocomplete(table.channel, "aacalc", "battle", "")
    expected = [9, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 8, 7, 6, 5, 4, 3]
    assert [choice["value"] for choice in offered] == [f"{count} tanks vs 1 inf" for count in expected]
    found = await table.ann.autocomplete(table.channel, "aacalc", "battle", "22 t")
    assert [choice["value"] for choice in found] == ["22 tanks", "22 transports", "22 tanks vs 1 inf"]
    assert await table.ben.autocomplete(table.channel, "aacalc", "battle", "") == []


async def test_an_old_answer_says_so(table: Table) -> None:
    message = await table.calc("6 tanks vs 10 inf")
    assert await table.bot.services[QueryRepository].forget_older_than(-1) == 1
    reply = await table.pressed(message, "▶️")
    assert reply.ephemeral
    assert "too old" in text_of(reply)


class TestTightLimits:
    @pytest.fixture
    def simulator(self) -> Simulator:
        return InlineSimulator(PoolLimits(cost_seconds=1e-9))

    async def test_a_job_over_the_cost_limit_is_refused_in_a_sentence(self, table: Table) -> None:
        (reply,) = (await table.aacalc("6 tanks vs 10 inf")).followups
        assert reply.ephemeral
        assert text_of(reply).startswith("⚠️ ")
        assert "Fix it" in buttons_of(reply)


async def test_in_a_direct_message(table: Table) -> None:
    dana = table.env.create_user("dana")
    message = answer(await dana.slash("aacalc", battle=LONG))
    turned = answer(await dana.click(message, custom_id=button(message, "▶️")))
    assert turned.id == message.id
    assert "**Likeliest ends**" in text_of(turned)
    offered = await dana.autocomplete("aacalc", "battle", "10")
    assert [choice["value"] for choice in offered] == [LONG]
