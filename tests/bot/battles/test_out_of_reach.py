"""Discord or the database out of reach: what was done is shown, at once or later, and nothing is done twice."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from simcord import InteractionResult, ResponseMessage

from bot.app import USUAL_SECONDS
from bot.battles.maintenance import MaintenanceTasks
from bot.battles.presenter import DICE
from bot.client import Interaction
from bot.store.database import Connection, Database
from bot.ui import interactions
from tests.bot.battles.fights import begin, begun, click_seen, errors, press_seen, seen, stored, stranger, told, unshown
from tests.bot.breaks import Wire
from tests.bot.conftest import COMPILING, Table, answer, button, buttons_of, text_of
from tests.bot.games.marked_for_death.test_mfd import start
from tests.bot.test_app import acknowledge

pytestmark = pytest.mark.usefixtures("fixed_dice")


CALLBACK, ORIGINAL, CHANNEL = "/interactions/*/callback", "/webhooks/*/messages/@original", "/channels/*"
SOON = "⚠️ Done, but Discord doesn't let me show it just now: the panel follows soon."
both = pytest.mark.parametrize("after", [False, True], ids=["before", "after"])


@both
@pytest.mark.parametrize(("method", "path"), [("POST", CALLBACK), ("PATCH", ORIGINAL)])
async def test_a_press_and_a_private_refusal_whose_connection_breaks(
    table: Table, wire: Wire, caplog: pytest.LogCaptureFixture, method: str, path: str, after: bool
) -> None:
    panel = await begin(table)
    cut = wire.cut(method, path, after=after)
    result = await table.press(panel, "Next round")
    assert cut.hits == 1
    assert result.followups == []
    assert text_of(panel).startswith("### #1 Axis & Allies: round 1\n")
    assert ((await stored(table)).version, await unshown(table), errors(caplog)) == (1, [], [])
    await table.press(panel, "Next round")
    assert text_of(panel).startswith("### #1 Axis & Allies: round 2\n")
    wire.cut("POST", "/webhooks/*", after=after)
    refused = (await table.press(panel, "Next round", by=stranger(table))).followups
    assert len(refused) == 1 + after, "it is sent twice at worst, and privately, rather than never"
    assert {(text_of(reply), reply.ephemeral) for reply in refused} == {(f"⚠️ It's <@{table.ann.id}>'s turn.", True)}


@both
async def test_a_new_panel_that_may_have_arrived_is_not_posted_again_at_once(
    table: Table, wire: Wire, caplog: pytest.LogCaptureFixture, after: bool
) -> None:
    """A followup can't be looked up. The catch-up posts one; whoever finds another is led to it."""
    panel = await begin(table)
    before, fight = seen(table, panel), button(panel, "Next round")
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
        await table.press(orphan, "Next round")
        assert text_of(orphan).startswith("-# The panel of #1 Axis & Allies is in [a newer message](")


async def test_the_catch_up_tries_again_soon_and_then_less_and_less_often(table: Table, wire: Wire) -> None:
    table.bot.flush_outbox.cancel()  # the rounds are run by hand
    panel = await begin(table)
    wire.cut("PATCH", "*", times=None)
    await table.press(panel, "Next round")
    pauses = []
    for _ in range(7):
        await table.bot.flush_outbox()
        pauses.append(table.bot.flush_outbox.seconds)
    assert pauses == [30, 60, 120, 240, 480, 600, 600]
    wire.breaks.clear()
    await table.bot.flush_outbox()
    assert (await unshown(table), table.bot.flush_outbox.seconds) == ([], USUAL_SECONDS)


async def test_an_answer_that_can_not_be_shown_is_no_mistake_of_ours(
    table: Table, wire: Wire, caplog: pytest.LogCaptureFixture
) -> None:
    wire.cut("PATCH", ORIGINAL, times=5)
    assert (
        told(await table.aacalc("6 tanks vs 10 inf"))
        == "⚠️ Discord couldn't be reached, so this was not done. Please try again."
    )
    assert errors(caplog) == []
    acknowledge(table)
    await table.ann.slash(table.channel, "roster save", name="Fleet", kind="aa", text="2 battleships")
    asked = await table.run("roster delete", name="Fleet")
    wire.cut("PATCH", ORIGINAL, times=5)
    assert told(await table.press(asked, "Delete")) == "⚠️ It is done, but Discord couldn't be reached to show it."
    assert errors(caplog) == []
    acknowledge(table)


GONE = (404, 10003)
NO_MEMBER = (403, 50001)


def shut_out(table: Table, status: int = 403, code: int = 50001) -> None:
    """Let the bot do nothing in channels by itself."""
    table.env.inject_error("*", "/channels/*", status=status, code=code, times=None)


@pytest.mark.parametrize(("status", "code"), [NO_MEMBER, GONE])
async def test_what_a_command_changes_is_shown_in_its_answer(table: Table, status: int, code: int) -> None:
    old = await begin(table, defender=table.ann)
    await table.press(old, "Next round")
    shut_out(table, status, code)
    result = await table.ann.slash(table.channel, "battle undo")
    assert text_of(answer(result)) == "↩️ #1: one step back."
    assert answer(result).ephemeral
    (panel,) = result.followups
    assert not panel.ephemeral
    assert text_of(panel).startswith("### #1 Axis & Allies: before round 1\n")
    assert ((await stored(table)).panel_id, await unshown(table)) == (panel.id, [])
    await table.press(panel, "Next round")
    assert "before round 1" not in text_of(panel)
    assert "Next round" in buttons_of(old), "nobody can change it"
    await table.press(old, "Next round")
    assert text_of(old).startswith("-# The panel of #1 Axis & Allies is in [a newer message](")


async def test_a_press_on_a_private_message_shows_the_panel_too(table: Table) -> None:
    panel = await begun(table, "4 inf, 4 tanks, 4 ftr vs 6 inf, 6 tanks", casualties="manual")
    lists = await table.pressed(panel, "Choose the attacker's losses")
    shut_out(table)
    (fresh,) = (await table.press(lists, "Confirm losses")).followups
    assert not fresh.ephemeral
    assert "✅ The attacker has chosen" in text_of(fresh)
    assert text_of(lists) == "✅ #1: losses confirmed."


async def test_what_can_not_be_shown_at_all_is_not_promised(table: Table) -> None:
    await begun(table, defender=table.ann)
    shut_out(table)
    table.env.inject_error("POST", "/webhooks/*", status=404, code=10015)
    reply = await table.run("battle undo")
    assert text_of(reply) == ("⚠️ Done, but I have no access to this channel: /battle show shows how it stands.")
    assert ((await stored(table)).version, await unshown(table)) == (2, [])
    fresh = await table.run("battle show")
    assert text_of(fresh).startswith("### #1 Axis & Allies: before round 1\n")


async def test_what_the_clock_does_waits_for_nobody(table: Table) -> None:
    """The next press finds it; nothing is tried for ever."""
    panel = await begun(table, "4 inf, 4 tanks, 4 ftr vs 6 inf, 6 tanks", casualties="manual")
    table.clock.pass_days(2)
    shut_out(table)
    await table.bot.services[MaintenanceTasks].catch_up()
    assert ((await stored(table)).steps, await unshown(table)) == (2, [])
    assert "has changed" in told(await table.press(panel, "Choose the attacker's losses"))
    assert "Next round" in buttons_of(panel)


async def test_an_old_panel_that_could_not_be_retired_is_retired_later_and_a_deleted_one_is_no_hindrance(
    table: Table,
) -> None:
    old = await begin(table)
    table.env.inject_error("PATCH", f"/channels/*/messages/{old.id}", status=403, code=50001)
    new = await table.run("battle show")
    assert "Next round" in buttons_of(old)
    await table.press(new, "Next round")
    assert buttons_of(old) == []
    table.env.backend.delete_message(new.channel_id, new.id)
    await table.run("battle show")
    assert (await stored(table)).panels_retired == ()


ACKNOWLEDGED = 6
"""Discord's number for an answer that says: wait, the message will be edited."""


@asynccontextmanager
async def held(table: Table, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[None]:
    """Let nobody read or write meanwhile, and no press wait for that unacknowledged."""
    has_begun, goes_on = asyncio.Event(), asyncio.Event()

    async def hold(_conn: Connection) -> None:
        has_begun.set()
        await goes_on.wait()

    holding = asyncio.create_task(table.bot.services[Database].write(hold))
    await has_begun.wait()
    try:
        with monkeypatch.context() as patch:
            patch.setattr(interactions, "PATIENCE", 0)
            yield
    finally:
        goes_on.set()
        await holding
    await table.env.settle()


def answers(table: Table) -> list[int]:
    """Return the kinds of all first answers so far."""
    sent = [entry.json for entry in table.env.http_requests if entry.path.endswith("/callback")]
    return [body["type"] for body in sent if isinstance(body, dict)]


async def press_slowly(
    table: Table, monkeypatch: pytest.MonkeyPatch, message: ResponseMessage, custom_id: str
) -> InteractionResult:
    """Press while the database is held; check that Discord is answered before it is free."""
    before = len(answers(table))
    acknowledge, acknowledged = interactions._acknowledge, asyncio.Event()

    async def watched(interaction: Interaction) -> None:
        await acknowledge(interaction)
        acknowledged.set()

    async with held(table, monkeypatch), asyncio.timeout(COMPILING):
        with monkeypatch.context() as patch:
            patch.setattr(interactions, "_acknowledge", watched)
            result = press_seen(table, seen(table, message), table.ann, custom_id)
            await acknowledged.wait()
        assert answers(table)[before:] == [ACKNOWLEDGED]
    return result


async def test_a_press_is_acknowledged_at_once_and_done_afterwards(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    panel = await begin(table)
    before = text_of(panel)
    private = await press_slowly(table, monkeypatch, panel, button(panel, DICE.question))
    (sent,) = private.followups
    assert sent.ephemeral
    assert "SHA-256" in text_of(sent)
    assert text_of(panel) == before
    result = await press_slowly(table, monkeypatch, panel, button(panel, "Next round"))
    assert (await stored(table)).version == 1
    assert text_of(panel).startswith("### #1 Axis & Allies: round 1\n")
    assert result.followups == []


async def test_a_form_that_came_too_late_is_opened_by_the_next_press(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    await start(table)
    panel = await table.run("battle referee")
    rounds = button(panel, "Fight some rounds")
    result = await press_slowly(table, monkeypatch, panel, rounds)
    assert result.modal is None
    assert [text_of(each) for each in result.followups] == [
        "⚠️ Sorry, that took too long to open. Please press it again."
    ]
    again = await table.ann.click(panel, custom_id=rounds)
    assert again.modal is not None
