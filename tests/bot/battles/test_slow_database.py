"""Nobody's press fails because the database is slow: it is acknowledged, and done when the database answers."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from simcord import InteractionResult, ResponseMessage

from bot.client import Interaction
from bot.store.database import Connection, Database
from bot.ui import interactions
from tests.bot.battles.fights import begin, press_seen, seen, stored
from tests.bot.conftest import COMPILING, HOUSE, Table, button, text_of
from tests.bot.games.marked_for_death.test_mfd_battle import start
from tests.bot.payloads import BUTTON, components

pytestmark = pytest.mark.usefixtures("fixed_dice")

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
    result = await press_slowly(table, monkeypatch, panel, button(panel, "Fight round 1"))
    assert (await stored(table)).version == 1
    assert text_of(panel).startswith("### #1 Axis & Allies: round 1\n")
    assert result.followups == []


async def test_a_form_that_came_too_late_is_opened_by_the_next_press(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    panel = await start(table)
    rounds = button(panel, "Fight some rounds")
    result = await press_slowly(table, monkeypatch, panel, rounds)
    assert result.modal is None
    assert [text_of(each) for each in result.followups] == [
        "⚠️ Sorry, that took too long to open. Please press it again."
    ]
    again = await table.ann.click(panel, custom_id=rounds)
    assert again.modal is not None


async def test_a_private_message_follows(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    panel = await begin(table)
    before = text_of(panel)
    (fair,) = [
        node["custom_id"]
        for node in components(panel.components)
        if node["type"] == BUTTON and HOUSE.match(node["custom_id"])
    ]
    result = await press_slowly(table, monkeypatch, panel, fair)
    (sent,) = result.followups
    assert sent.ephemeral
    assert "SHA-256" in text_of(sent)
    assert text_of(panel) == before


async def test_a_refusal_follows(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    panel = await begin(table, attacker=table.ben, defender=table.ben)
    result = await press_slowly(table, monkeypatch, panel, button(panel, "Fight round 1"))
    (sent,) = result.followups
    assert sent.ephemeral
    assert text_of(sent).startswith("⚠️ Only the attacker")
