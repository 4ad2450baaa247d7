"""`/aacalc` as players use it: every option, button, page, form, error and file, through the simulated Discord."""

import csv
import io
import json

import pytest
from simcord import InteractionResult, ResponseMessage

from bot.cogs.axis_allies import LONGEST_TYPED, MOST_ROUNDS_SHOWN
from sim.adapters import InlineSimulator, PoolLimits, Simulator
from sim.axis_allies.average import AverageReport
from sim.axis_allies.units import Unit
from tests.bot.conftest import Table, answer, button, buttons_of, text_of
from tests.sim.axis_allies.test_average import original_runs

LONG = "10 tanks vs 10 tanks"  # 24 rounds: six pages of four, six of who hit whom


async def attachment(message: ResponseMessage, name: str) -> str:
    (found,) = [one for one in message.attachments if one.filename == name]
    return (await found.read()).decode()


async def test_the_headline_question(table: Table) -> None:
    """Someone who has never seen the project types `/aacalc 6 tanks vs 10 inf` and gets the answer."""
    result = await table.aacalc("6 tanks vs 10 inf")
    message = answer(result)
    assert not message.ephemeral
    assert text_of(message).splitlines()[:9] == [
        "### 🛡️ The defender wins",
        "**5.5 infantry** left after 3 rounds",
        "⚔️ **Attacker** 6 tanks",
        "-# 36 IPC, lost 36",
        "🛡️ **Defender** 10 infantry",
        "-# 30 IPC, lost 13.5",
        "**Round 1**",
        "⚔️ 6 tanks",
        "🛡️ 10 infantry",
    ]
    assert buttons_of(message) == ["▶️", "⏭️", "Swap sides", "Edit", "Files"]
    assert result.followups == []


async def test_rounds_say_hits_surprise_strikes_and_what_was_ineffective(table: Table) -> None:
    shown = text_of(answer(await table.aacalc("1 submarine, 1 destroyer vs 1 fighter")))
    assert "**Round 2**\n⚔️ 1 submarine, 0.333 destroyers\n🛡️ 0.667 fighters" in shown
    assert "Surprise hits: ⚔️ 0 (0.333 ineffective)\nHits: ⚔️ 0.111 · 🛡️ 0.333 (0.111 ineffective)" in shown


async def test_nobody_wins_and_a_tie(table: Table) -> None:
    stalemate = text_of(answer(await table.aacalc("1 sub vs 1 ftr")))
    assert stalemate.startswith(
        "### ⏸️ Nobody wins\nAfter 1 round nobody can hit. Left: ⚔️ **1 submarine** against 🛡️ **1 fighter**"
    )
    tie = text_of(answer(await table.aacalc(LONG)))
    assert tie.startswith("### 🤝 A tie\nBoth sides lost everything in 24 rounds; the defender keeps the territory.")


async def test_land_at_sea_is_told_in_one_line(table: Table) -> None:
    assert "ℹ️ Land units take no part in naval battles." in text_of(answer(await table.aacalc("1 inf vs 1 sub")))


async def test_options(table: Table) -> None:
    message = answer(await table.aacalc(LONG, rounds=2, casualties="score", stop_after=3, private=True))
    shown = text_of(message)
    assert message.ephemeral
    assert shown.startswith("### ⏸️ Nobody wins\nStopped after 3 rounds.")
    assert "**Round 2**" in shown
    assert "**Round 3**" not in shown


async def test_turning_the_pages_of_my_own_answer(table: Table) -> None:
    message = answer(await table.aacalc(LONG))
    for press, here, first in [
        ("▶️", "2/12", "**Round 5**"),
        ("⏭️", "12/12", "**Round 21: who hit whom**"),
        ("◀️", "11/12", "**Round 17: who hit whom**"),
        ("⏮️", "1/12", "**Round 1**"),
    ]:
        turned = answer(await table.press(message, press))
        assert turned.id == message.id
        assert first in text_of(turned)
        assert here in json.dumps(turned.components)
        message = turned
    jumped = answer(await table.jump(message, 5))
    assert "**Round 24**" in text_of(jumped)


async def test_another_viewer_turns_a_private_copy(table: Table) -> None:
    public = answer(await table.aacalc(LONG))
    copy = answer(await table.press(public, "⏭️", by=table.ben))
    assert copy.ephemeral
    assert copy.id != public.id
    assert "who hit whom" in text_of(copy)
    assert "**Round 1**" in text_of(public)
    turned = answer(await table.press(copy, "⏮️", by=table.ben))
    assert turned.id == copy.id
    assert "Share" not in buttons_of(copy)
    jumped = answer(await table.jump(public, 2, by=table.ben))
    assert jumped.ephemeral
    assert "**Round 1**" in text_of(public)


async def test_everything_works_after_a_restart(table: Table) -> None:
    public = answer(await table.aacalc(LONG))
    private = answer(await table.aacalc("6 tanks vs 10 inf", private=True))
    form = await table.press(public, "Edit")
    await table.restart()
    assert "**Round 5**" in text_of(answer(await table.press(public, "▶️")))
    assert answer(await table.press(public, "▶️", by=table.ben)).ephemeral
    assert "**Round 9**" in text_of(answer(await table.jump(public, 2)))
    assert "who hit whom" in text_of(answer(await table.press(private, "⏭️")))
    assert len(answer(await table.press(public, "Files")).attachments or []) == 3
    # Even the form that was open while the bot was away.
    edited = answer(await table.ann.submit_modal(form, {"battle": "3 tanks vs 1 inf"}))
    assert "The attacker wins" in text_of(edited)


async def test_a_long_battle_brings_its_files_along(table: Table) -> None:
    result = await table.aacalc(LONG)
    (files,) = result.followups
    assert not files.ephemeral
    text = await attachment(files, "battle.txt")
    assert text in {run for *_, run in original_runs()}
    rows = list(csv.DictReader(io.StringIO(await attachment(files, "battle.csv"))))
    assert [row["round"] for row in rows] == [*(str(number) for number in range(1, 25)), "end"]
    report = AverageReport.model_validate_json(await attachment(files, "battle.json"))
    assert len(report.rounds) == 24


async def test_three_pages_are_not_long_yet(table: Table) -> None:
    assert (await table.aacalc(LONG, stop_after=12)).followups == []
    assert len((await table.aacalc(LONG, stop_after=13)).followups) == 1


async def test_files_on_demand_are_for_whoever_asked(table: Table) -> None:
    message = answer(await table.aacalc("6 tanks vs 10 inf"))
    files = answer(await table.press(message, "Files", by=table.ben))
    assert files.ephemeral
    assert {one.filename for one in files.attachments} == {"battle.txt", "battle.csv", "battle.json"}
    assert (await attachment(files, "battle.txt")).startswith("====== Round 1 ======\nAttacker: 6 tanks\n")


async def test_swap_sides(table: Table) -> None:
    message = answer(await table.aacalc("6 tanks vs 10 inf", rounds=1))
    swapped = answer(await table.press(message, "Swap sides"))
    assert swapped.id == message.id
    assert "⚔️ **Attacker** 10 infantry" in text_of(swapped)
    assert "**Round 2**" not in text_of(swapped)  # the options stay
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
    assert "**Round 1**" in text_of(shared)


async def edit(table: Table, message: ResponseMessage, battle: str) -> InteractionResult:
    form = await table.press(message, "Edit")
    assert form.modal is not None
    return await table.ann.submit_modal(form, {"battle": battle})


async def test_edit_and_run_again(table: Table) -> None:
    message = answer(await table.aacalc("6 tanks vs 10 inf"))
    form = await table.press(message, "Edit")
    assert form.modal is not None
    assert form.modal["components"][0]["component"]["value"] == "6 tanks vs 10 inf"
    edited = answer(await table.ann.submit_modal(form, {"battle": "6 tanks, 2 bombers vs 10 inf"}))
    assert edited.id == message.id
    assert "⚔️ **Attacker** 6 tanks, 2 bombers" in text_of(edited)


async def test_a_bad_edit_loses_nothing(table: Table) -> None:
    message = answer(await table.aacalc("6 tanks vs 10 inf"))
    refused = answer(await edit(table, message, "6 tonks vs 10 inf"))
    assert refused.ephemeral
    assert "Did you mean tanks?" in text_of(refused)
    form = await table.press(refused, "Mend it")
    assert form.modal is not None
    assert form.modal["components"][0]["component"]["value"] == "6 tonks vs 10 inf"
    mended = answer(await table.ann.submit_modal(form, {"battle": "6 tanks vs 9 inf"}))
    assert not mended.ephemeral
    assert "**Defender** 9 infantry" in text_of(mended)


async def test_an_empty_edit_gets_a_sentence(table: Table) -> None:
    message = answer(await table.aacalc("6 tanks vs 10 inf"))
    assert "Put vs between the two armies" in text_of(answer(await edit(table, message, "")))


async def test_errors_point_at_the_place_all_at_once_and_privately(table: Table) -> None:
    refused = answer(await table.aacalc("6 tonks vs 10 imf, -2 subs"))
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
    refused = answer(await table.aacalc("6 tonks vs 10 inf", rounds=1, private=True))
    form = await table.press(refused, "Mend it")
    mended = answer(await table.ann.submit_modal(form, {"battle": "6 tanks vs 10 inf"}))
    assert mended.ephemeral  # private was asked for, and one round a page
    assert "**Round 2**" not in text_of(mended)


async def test_many_mistakes_stay_within_a_message(table: Table) -> None:
    refused = answer(await table.aacalc("qq " * 150 + "vs 1 inf"))
    assert "… and 142 more problems." in text_of(refused)


async def test_hostile_text_can_not_ping_or_break_out(table: Table) -> None:
    shown = text_of(answer(await table.aacalc("@everyone ```\n<@1> \u202e ||x|| vs 1 inf")))
    assert "```\n<@1>" not in shown
    assert "\u202e" not in shown
    assert shown.count("```") % 2 == 0


async def test_an_endless_battle_is_refused_with_a_way_out(table: Table) -> None:
    """The command has been deferred in public by then: the refusal is private all the same, nothing public stays."""
    result = await table.aacalc("1 inf vs 1000000 transports")
    (told,) = result.followups
    assert told.ephemeral
    assert "more than 1,000 rounds; say with stop_after when to stop" in text_of(told)
    assert "Mend it" in buttons_of(told)
    assert result.response is None


async def test_a_late_refusal_of_a_private_question_takes_its_place(table: Table) -> None:
    result = await table.aacalc("1 inf vs 1000000 transports", private=True)
    assert answer(result).ephemeral
    assert "1,000 rounds" in text_of(answer(result))
    assert result.followups == []


async def test_all_units_by_the_million_fit_a_message(table: Table) -> None:
    all_units = ", ".join(f"999999.999 {unit.stats.plural}" for unit in Unit)
    for rounds in (1, MOST_ROUNDS_SHOWN):
        message = answer(await table.aacalc(f"{all_units} vs {all_units}"[:LONGEST_TYPED], rounds=rounds))
        pages = [text_of(message)]
        while "▶️" in buttons_of(message):
            message = answer(await table.press(message, "▶️"))
            pages.append(text_of(message))
        assert len(pages) > 2
        assert not any("…" in page for page in pages), "nothing had to be cut"


async def test_autocomplete_completes_the_word_at_the_cursor(table: Table) -> None:
    offered = await table.ann.autocomplete(table.channel, "aacalc", "battle", "6 tanks vs 2 b")
    assert [one["value"] for one in offered] == ["6 tanks vs 2 bombers", "6 tanks vs 2 battleships"]


async def test_autocomplete_offers_my_last_twenty_battles_newest_first(table: Table) -> None:
    for count in range(1, 23):
        await table.aacalc(f"{count} tanks vs 1 inf")
    await table.aacalc("9 tanks vs 1 inf")
    await table.aacalc("9 tonks vs 1 inf")
    await table.restart()
    offered = await table.ann.autocomplete(table.channel, "aacalc", "battle", "")
    expected = [9, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 8, 7, 6, 5, 4, 3]
    assert [one["value"] for one in offered] == [f"{count} tanks vs 1 inf" for count in expected]
    found = await table.ann.autocomplete(table.channel, "aacalc", "battle", "22 t")
    assert [one["value"] for one in found] == ["22 tanks", "22 transports", "22 tanks vs 1 inf"]
    assert await table.ben.autocomplete(table.channel, "aacalc", "battle", "") == []


async def test_an_old_answer_says_so(table: Table) -> None:
    message = answer(await table.aacalc("6 tanks vs 10 inf"))
    assert await table.bot.calculations.forget_older_than(-1) == 1
    told = answer(await table.press(message, "▶️"))
    assert told.ephemeral
    assert "too old" in text_of(told)


class TestTightLimits:
    @pytest.fixture
    def simulator(self) -> Simulator:
        return InlineSimulator(PoolLimits(cost_seconds=1e-9))

    async def test_a_job_over_the_cost_limit_is_refused_in_a_sentence(self, table: Table) -> None:
        result = await table.aacalc("6 tanks vs 10 inf")
        (told,) = result.followups
        assert told.ephemeral
        assert text_of(told).startswith("⚠️ ")
        assert "Mend it" in buttons_of(told)


async def test_in_a_direct_message(table: Table) -> None:
    dana = table.env.create_user("dana")
    message = answer(await dana.slash("aacalc", battle=LONG))
    turned = answer(await dana.click(message, custom_id=button(message, "▶️")))
    assert turned.id == message.id
    assert "**Round 5**" in text_of(turned)
    offered = await dana.autocomplete("aacalc", "battle", "10")
    assert [one["value"] for one in offered] == [LONG]
