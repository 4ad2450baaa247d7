"""`/aacalc` at its limits: errors, hostile text, sizes, autocomplete, direct messages."""

import pytest

from bot.games.axis_allies.options import MAX_TYPED
from bot.games.axis_allies.questions import MAX_ROUNDS_PER_PAGE
from bot.store.queries import QueryRepository
from sim.axis_allies.editions import EDITIONS
from sim.workers import InlineSimulator, PoolLimits, Simulator
from tests.bot.conftest import Table, answer, button, buttons_of, text_of
from tests.bot.games.axis_allies.test_aacalc import LONG, ODDS


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
    form = await table.press(refused, "Fix it")
    mended = answer(await table.ann.submit_modal(form, {"battle": "6 tanks vs 10 inf"}))
    assert mended.ephemeral  # private was asked for, and one round a page
    assert "**Round 2**" not in text_of(answer(await table.jump(mended, ODDS)))


async def test_many_mistakes_stay_within_a_message(table: Table) -> None:
    refused = answer(await table.aacalc("qq " * 150 + "vs 1 inf"))
    assert "… and 142 more." in text_of(refused)


async def test_hostile_text_can_not_ping_or_break_out(table: Table) -> None:
    text = text_of(answer(await table.aacalc("@everyone ```\n<@1> \u202e ||x|| vs 1 inf")))
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
        message = answer(await table.aacalc(f"{all_units} vs {all_units}"[:MAX_TYPED], rounds=rounds))
        pages = [text_of(message)]
        while "▶️" in buttons_of(message):
            message = answer(await table.press(message, "▶️"))
            pages.append(text_of(message))
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
    message = answer(await table.aacalc("6 tanks vs 10 inf"))
    assert await table.bot.services[QueryRepository].forget_older_than(-1) == 1
    reply = answer(await table.press(message, "▶️"))
    assert reply.ephemeral
    assert "too old" in text_of(reply)


class TestTightLimits:
    @pytest.fixture
    def simulator(self) -> Simulator:
        return InlineSimulator(PoolLimits(cost_seconds=1e-9))

    async def test_a_job_over_the_cost_limit_is_refused_in_a_sentence(self, table: Table) -> None:
        result = await table.aacalc("6 tanks vs 10 inf")
        (reply,) = result.followups
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
