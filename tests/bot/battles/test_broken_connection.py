"""A connection that breaks costs nobody anything: what was done is shown, at once or later, and done once."""

import logging

import pytest

from bot.app import RETRY_SECONDS, USUAL_TICKS
from bot.battles.maintenance import MaintenanceTasks
from bot.battles.publisher import PanelPublisher
from tests.bot.battles.fights import begin, click_seen, seen, stored, stranger
from tests.bot.breaks import Wire
from tests.bot.conftest import Table, answer, button, text_of
from tests.bot.test_app import acknowledge

pytestmark = pytest.mark.usefixtures("fixed_dice")

CALLBACK, ORIGINAL, CHANNEL = "/interactions/*/callback", "/webhooks/*/messages/@original", "/channels/*"
SOON = "⚠️ Done, but Discord doesn't let me show it just now: the panel follows soon."
both = pytest.mark.parametrize("after", [False, True], ids=["before", "after"])


async def unshown(table: Table) -> list[int]:
    return [battle.number for battle in await table.bot.services[PanelPublisher]._panels.pending()]


def errors(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Return what the bot logged as its own mistake, or with a traceback."""
    ours = [record for record in caplog.records if record.name.startswith("fracas")]
    return [str(vars(record)) for record in ours if record.levelno >= logging.ERROR or record.exc_info]


@both
@pytest.mark.parametrize(("method", "path"), [("POST", CALLBACK), ("PATCH", ORIGINAL)])
async def test_a_press_whose_connection_breaks(
    table: Table, wire: Wire, caplog: pytest.LogCaptureFixture, method: str, path: str, after: bool
) -> None:
    panel = await begin(table)
    cut = wire.cut(method, path, after=after)
    result = await table.press(panel, "Fight round 1")
    assert cut.hits == 1
    assert result.followups == []
    assert text_of(panel).startswith("### #1 Axis & Allies: round 1\n")
    assert ((await stored(table)).version, await unshown(table), errors(caplog)) == (1, [], [])
    await table.press(panel, "Fight round 2")
    assert text_of(panel).startswith("### #1 Axis & Allies: round 2\n")


@both
@pytest.mark.parametrize(("method", "path"), [("POST", CALLBACK), ("PATCH", ORIGINAL), ("PATCH", CHANNEL)])
async def test_a_command_whose_connection_breaks(
    table: Table, wire: Wire, caplog: pytest.LogCaptureFixture, method: str, path: str, after: bool
) -> None:
    panel = await begin(table, defender=table.ann)
    await table.press(panel, "Fight round 1")
    cut = wire.cut(method, path, after=after)
    result = await table.ann.slash(table.channel, "battle undo")
    assert cut.hits == 1
    assert text_of(answer(result)) == "↩️ #1: one step back."
    assert result.followups == []
    assert text_of(panel).startswith("### #1 Axis & Allies: before round 1\n")
    assert (await unshown(table), errors(caplog)) == ([], [])


@both
async def test_a_private_refusal_whose_connection_breaks(table: Table, wire: Wire, after: bool) -> None:
    """It is sent twice at worst, and privately, rather than never."""
    panel = await begin(table)
    wire.cut("POST", "/webhooks/*", after=after)
    result = await table.press(panel, "Fight round 1", by=stranger(table))
    assert len(result.followups) == 1 + after
    assert {(text_of(reply), reply.ephemeral) for reply in result.followups} == {
        (f"⚠️ Only the attacker (<@{table.ann.id}>) can do that.", True)
    }


@both
async def test_a_new_panel_that_may_have_arrived_is_not_posted_again_at_once(
    table: Table, wire: Wire, caplog: pytest.LogCaptureFixture, after: bool
) -> None:
    """A followup can't be looked up. The catch-up posts one; whoever finds another is led to it."""
    panel = await begin(table)
    before, fight = seen(table, panel), button(panel, "Fight round 1")
    table.env.backend.delete_message(panel.channel_id, panel.id)
    wire.cut("POST", "/webhooks/*", after=after)
    (result,) = await click_seen(table, before, (table.ann, fight))
    *orphans, reply = result.followups
    assert (text_of(reply), len(orphans)) == (SOON, int(after))
    assert await unshown(table) == [1]
    await table.bot.flush_outbox()
    assert (await unshown(table), errors(caplog)) == ([], [])
    assert table.channel.last_message is not None
    assert (await stored(table)).panel_id == table.channel.last_message.id
    for orphan in orphans:
        await table.press(orphan, "Fight round 2")
        assert text_of(orphan).startswith("-# The panel of #1 Axis & Allies is in [a newer message](")


async def test_what_can_not_be_shown_is_told_and_shown_later(
    table: Table, wire: Wire, caplog: pytest.LogCaptureFixture
) -> None:
    panel = await begin(table)
    for path in (ORIGINAL, CHANNEL):
        wire.cut("PATCH", path, times=None)
    (reply,) = (await table.press(panel, "Fight round 1")).followups
    assert text_of(reply) == SOON
    assert reply.ephemeral
    assert ((await stored(table)).version, await unshown(table), errors(caplog)) == (1, [1], [])
    wire.breaks.clear()
    await table.bot.flush_outbox()  # at its next tick
    assert text_of(panel).startswith("### #1 Axis & Allies: round 1\n")
    assert await unshown(table) == []


async def test_a_broken_connection_keeps_no_other_battle_from_being_shown(
    table: Table, wire: Wire, caplog: pytest.LogCaptureFixture
) -> None:
    panels = [await begin(table) for _ in range(3)]
    wire.cut("PATCH", "*", times=None)
    for panel in panels:
        await table.press(panel, "Fight round 1")
    wire.breaks.clear()
    wire.cut("PATCH", f"/channels/*/messages/{panels[0].id}", times=None)
    wire.cut("PATCH", f"/channels/*/messages/{panels[1].id}")
    await table.bot.services[MaintenanceTasks].catch_up()
    assert [text_of(panel).split("\n")[0] for panel in panels[1:]] == [
        f"### #{number} Axis & Allies: round 1" for number in (2, 3)
    ]
    assert (await unshown(table), errors(caplog)) == ([1], [])


async def test_the_catch_up_tries_again_soon_and_then_less_and_less_often(
    table: Table, wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    rounds: list[int] = []
    tick = 0
    publish = table.bot.services[PanelPublisher].pending

    async def counted() -> tuple[int, int]:
        rounds.append(tick * RETRY_SECONDS)
        return await publish()

    monkeypatch.setattr(table.bot.services[PanelPublisher], "pending", counted)
    panel = await begin(table)
    wire.cut("PATCH", "*", times=None)
    await table.press(panel, "Fight round 1")
    for tick in range(120):  # counted() reads it
        if tick == 90:
            wire.breaks.clear()
        await table.bot.flush_outbox()
    assert rounds == [0, 30, 90, 210, 450, 930, 1530, 2130, 2730, 3330]
    assert (await unshown(table), USUAL_TICKS * RETRY_SECONDS) == ([], 600)


async def test_a_broken_connection_costs_the_rounds_nothing_else(
    table: Table, wire: Wire, caplog: pytest.LogCaptureFixture
) -> None:
    """Neither closing idle battles, nor posting their logs: a message that may have arrived is posted once."""
    for _ in range(2):
        await table.press(await begin(table), "Fight round 1")
    table.clock.pass_days(31)
    wire.cut("PATCH", CHANNEL, times=5)
    wire.cut("POST", "/channels/*/messages")
    await table.bot.services[MaintenanceTasks].clear()
    assert [(await stored(table, number)).status for number in (1, 2)] == ["ended", "ended"]
    assert table.channel.last_message is not None
    assert table.channel.last_message.content.startswith("#2 ")
    assert (await unshown(table), errors(caplog)) == ([1], [])


async def test_an_answer_that_can_not_be_shown_is_no_mistake_of_ours(
    table: Table, wire: Wire, caplog: pytest.LogCaptureFixture
) -> None:
    wire.cut("PATCH", ORIGINAL, times=5)
    (reply,) = (await table.aacalc("6 tanks vs 10 inf")).followups
    assert text_of(reply) == "⚠️ Discord couldn't be reached, so this was not done. Please try again."
    assert errors(caplog) == []
    acknowledge(table)
    await table.ann.slash(table.channel, "roster save", name="Fleet", kind="aa", text="2 battleships")
    asked = answer(await table.ann.slash(table.channel, "roster delete", name="Fleet"))
    wire.cut("PATCH", ORIGINAL, times=5)
    (reply,) = (await table.press(asked, "Delete")).followups
    assert text_of(reply) == "⚠️ It is done, but Discord couldn't be reached to show it."
    assert errors(caplog) == []
    acknowledge(table)
