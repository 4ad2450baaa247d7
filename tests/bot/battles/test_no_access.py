"""Where the bot is no member, or lost its access: it answers interactions, and nothing else is possible or promised."""

import pytest

from bot.battles.maintenance import MaintenanceTasks
from bot.battles.publisher import PanelPublisher
from tests.bot.battles.fights import begin, click_seen, seen, stored
from tests.bot.conftest import Table, answer, button, buttons_of, text_of

pytestmark = pytest.mark.usefixtures("fixed_dice")

GONE = (404, 10003)
NO_MEMBER = (403, 50001)


def shut_out(table: Table, status: int = 403, code: int = 50001) -> None:
    """Let the bot do nothing in channels by itself."""
    table.env.inject_error("*", "/channels/*", status=status, code=code, times=None)


async def unshown(table: Table) -> list[int]:
    return [battle.number for battle in await table.bot.services[PanelPublisher]._panels.pending()]


async def test_a_press_changes_the_panel_in_place(table: Table) -> None:
    panel = await begin(table)
    shut_out(table)
    result = await table.press(panel, "Fight round 1")
    assert result.followups == []
    assert text_of(panel).startswith("### #1 Axis & Allies: round 1\n")
    assert await unshown(table) == []


@pytest.mark.parametrize(("status", "code"), [NO_MEMBER, GONE])
async def test_what_a_command_changes_is_shown_in_its_answer(table: Table, status: int, code: int) -> None:
    old = await begin(table, defender=table.ann)
    await table.press(old, "Fight round 1")
    shut_out(table, status, code)
    result = await table.ann.slash(table.channel, "battle undo")
    assert text_of(answer(result)) == "↩️ #1: one step back."
    assert answer(result).ephemeral
    (panel,) = result.followups
    assert not panel.ephemeral
    assert text_of(panel).startswith("### #1 Axis & Allies: before round 1\n")
    assert ((await stored(table)).panel_id, await unshown(table)) == (panel.id, [])
    await table.press(panel, "Fight round 1")
    assert "before round 1" not in text_of(panel)
    assert "Fight round 2" in buttons_of(old), "nobody can change it"
    await table.press(old, "Fight round 2")
    assert text_of(old).startswith("-# The panel of #1 Axis & Allies is in [a newer message](")


async def test_a_press_on_a_private_message_shows_the_panel_too(table: Table) -> None:
    panel = await begin(table, "4 inf, 4 tanks, 4 ftr vs 6 inf, 6 tanks", casualties="manual")
    await table.press(panel, "Fight round 1")
    lists = answer(await table.press(panel, "Choose the attacker's losses"))
    shut_out(table)
    (fresh,) = (await table.press(lists, "Confirm losses")).followups
    assert not fresh.ephemeral
    assert "✅ The attacker has chosen" in text_of(fresh)
    assert text_of(lists) == "✅ #1: losses confirmed."


async def test_an_end_by_agreement_is_shown(table: Table) -> None:
    panel = await begin(table)
    question = answer(await table.ben.slash(table.channel, "battle end"))
    shut_out(table)
    (fresh,) = (await table.press(question, "Agree to end")).followups
    assert text_of(fresh).startswith("### #1 Axis & Allies: ended")
    assert text_of(question) == "🏁 #1 was ended by agreement."
    assert buttons_of(panel)


async def test_a_panel_that_is_gone_is_posted_by_the_press(table: Table) -> None:
    panel = await begin(table)
    before, fight = seen(table, panel), button(panel, "Fight round 1")
    table.env.backend.delete_message(panel.channel_id, panel.id)
    shut_out(table)
    (result,) = await click_seen(table, before, (table.ann, fight))
    (fresh,) = result.followups
    assert text_of(fresh).startswith("### #1 Axis & Allies: round 1\n")
    assert (await stored(table)).panel_id == fresh.id


async def test_what_can_not_be_shown_at_all_is_not_promised(table: Table) -> None:
    panel = await begin(table, defender=table.ann)
    await table.press(panel, "Fight round 1")
    shut_out(table)
    table.env.inject_error("POST", "/webhooks/*", status=404, code=10015)
    reply = answer(await table.ann.slash(table.channel, "battle undo"))
    assert text_of(reply) == ("⚠️ Done, but I have no access to this channel: /battle show shows how it stands.")
    assert ((await stored(table)).version, await unshown(table)) == (2, [])
    fresh = answer(await table.ann.slash(table.channel, "battle show"))
    assert text_of(fresh).startswith("### #1 Axis & Allies: before round 1\n")


async def test_what_the_clock_does_waits_for_nobody(table: Table) -> None:
    """The next press finds it; nothing is tried for ever."""
    panel = await begin(table, "4 inf, 4 tanks, 4 ftr vs 6 inf, 6 tanks", casualties="manual")
    await table.press(panel, "Fight round 1")
    table.clock.pass_days(2)
    shut_out(table)
    await table.bot.services[MaintenanceTasks].catch_up()
    assert ((await stored(table)).steps, await unshown(table)) == (2, [])
    (reply,) = (await table.press(panel, "Choose the attacker's losses")).followups
    assert "already" in text_of(reply)
    assert "Fight round 2" in buttons_of(panel)
