"""Nothing is lost or done twice: double clicks, several players at once, old panels, restarts, what can't be shown."""

import asyncio
import logging
from collections.abc import Mapping
from typing import Any

import discord
import pytest

from bot.battles.maintenance import MaintenanceTasks
from bot.store.battles.battle import Battle
from bot.store.battles.panels import PanelRepository
from bot.store.battles.repository import BattleRepository, UndoRequestRepository
from tests.bot.battles.fights import begin, begun, click_seen, cut_off, press_seen, seen, stored, told, unshown, write
from tests.bot.conftest import Table, button, buttons_of, fix_seed, text_of
from tests.bot.test_app import acknowledge

pytestmark = pytest.mark.usefixtures("fixed_dice")


async def test_a_double_click_is_applied_once(table: Table) -> None:
    panel = await begin(table)
    fight = button(panel, "Fight round 1")
    first, second = await click_seen(table, seen(table, panel), (table.ann, fight), (table.ann, fight))
    assert (await stored(table)).version == 1
    assert text_of(panel).startswith("### #1 Axis & Allies: round 1\n")
    assert first.followups == []
    (reply,) = second.followups
    assert reply.ephemeral
    assert text_of(reply) == "⚠️ #1 is already at round 1."


async def test_the_same_interaction_delivered_twice_is_applied_once_and_nobody_is_told(table: Table) -> None:
    panel = await begin(table)
    (result,) = await click_seen(table, seen(table, panel), (table.ann, button(panel, "Fight round 1")), twice=True)
    assert (await stored(table)).version == 1
    assert result.followups == []
    assert text_of(panel).startswith("### #1 Axis & Allies: round 1\n")


async def test_the_same_command_delivered_twice_opens_one_battle(
    table: Table, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    emit = table.env.backend.emit

    def twice(name: str, payload: Mapping[str, Any]) -> None:
        emit(name, payload)
        if name == "INTERACTION_CREATE":
            emit(name, payload)

    monkeypatch.setattr(table.env.backend, "emit", twice)
    panel = await begin(table)
    monkeypatch.undo()
    assert text_of(panel).startswith("### #1 ")
    assert len(await table.bot.services[BattleRepository].open_in(table.channel.id)) == 1
    assert not [
        record for record in caplog.records if record.levelno >= logging.ERROR and record.name.startswith("fracas")
    ]
    acknowledge(table)


async def test_a_press_that_is_cancelled_in_the_middle_of_its_step(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As at SIGTERM: nothing was committed, the battle isn't locked, and the press can be repeated."""
    panel = await begin(table)
    before, fight = seen(table, panel), button(panel, "Fight round 1")
    reached, never = asyncio.Event(), asyncio.Event()

    async def stuck(*_: object) -> None:
        reached.set()
        await never.wait()

    with monkeypatch.context() as patch:
        patch.setattr(table.bot.simulator, "once", stuck)
        press_seen(table, before, table.ann, fight)
        await reached.wait()
        (press,) = [task for task in asyncio.all_tasks() if "schedule_dynamic_item_call" in str(task.get_coro())]
        press.cancel()
        await asyncio.wait([press])
    assert (await stored(table)).version == 0
    await table.press(panel, "Fight round 1")
    assert text_of(panel).startswith("### #1 Axis & Allies: round 1\n")


async def test_two_players_at_once(table: Table) -> None:
    panel = await begin(table, attacker=None, defender=None)
    join = button(panel, "Join as attacker")
    _, late = await click_seen(table, seen(table, panel), (table.ben, join), (table.ann, join))
    assert (await stored(table)).seats_of(table.ben.id) == ("attacker",)
    assert text_of(late.followups[0]) == f"⚠️ The seat of the attacker is taken by <@{table.ben.id}>."
    assert buttons_of(panel) == ["Join as defender"]


async def test_an_old_button_says_where_the_battle_is_and_repairs_its_message(table: Table) -> None:
    panel = await begin(table)
    before, fight = seen(table, panel), button(panel, "Fight round 1")
    await table.press(panel, "Fight round 1")
    kept = table.env.backend.get_message(panel.channel_id, panel.id)
    kept.components = before.payload["components"]  # as if the edit had been lost
    assert text_of(panel).startswith("### #1 Axis & Allies: before round 1")
    (reply,) = (await click_seen(table, before, (table.ann, fight)))[0].followups
    assert text_of(reply) == "⚠️ #1 is already at round 1."
    assert text_of(panel).startswith("### #1 Axis & Allies: round 1\n")
    assert (await stored(table)).version == 1


async def test_an_old_button_of_a_battle_that_is_over(table: Table) -> None:
    panel = await begin(table)
    before, fight = seen(table, panel), button(panel, "Fight round 1")
    await table.press(panel, "Fight to the end")
    (reply,) = (await click_seen(table, before, (table.ann, fight)))[0].followups
    assert text_of(reply) == "⚠️ #1 is over."


async def test_buttons_work_after_a_restart(table: Table) -> None:
    panel = await begun(table)
    await table.restart()
    await table.press(panel, "Fight round 2")
    assert text_of(panel).startswith("### #1 Axis & Allies: round 2\n")
    assert (await stored(table)).version == 2


async def test_a_panel_that_was_deleted_is_posted_afresh(table: Table) -> None:
    panel = await begin(table)
    before, fight = seen(table, panel), button(panel, "Fight round 1")
    table.env.backend.delete_message(panel.channel_id, panel.id)
    (result,) = await click_seen(table, before, (table.ann, fight))
    (fresh,) = result.followups
    assert not fresh.ephemeral
    assert text_of(fresh).startswith("### #1 Axis & Allies: round 1\n")
    assert (await stored(table)).panel_id == fresh.id
    await table.press(fresh, "Fight round 2")
    assert text_of(fresh).startswith("### #1 Axis & Allies: round 2\n")


async def test_what_was_committed_but_not_shown_is_shown_after_the_next_start(table: Table) -> None:
    panel = await begin(table)
    cut_off(table)
    assert "Done, but Discord doesn't let me show it just now" in told(await table.press(panel, "Fight round 1"))
    assert text_of(panel).startswith("### #1 Axis & Allies: before round 1")
    assert await unshown(table) == [1]
    table.env.backend.faults.clear()
    await table.restart()
    await table.env.settle()
    assert text_of(panel).startswith("### #1 Axis & Allies: round 1\n")
    assert await unshown(table) == []


async def test_a_crash_between_the_commit_and_the_answer_of_a_new_battle(table: Table) -> None:
    """The battle is there; its panel comes with the next start, at the end of its channel."""
    table.env.inject_error("PATCH", "/webhooks/*", status=400, code=50035, times=1)
    result = await table.ann.slash(table.channel, "aa battle", setup="6 tanks vs 10 inf", attacker=table.ann)
    assert "Done, but Discord doesn't let me show it just now" in text_of(result.followups[0])
    assert (await stored(table)).panel_id is None
    await table.restart()
    await table.env.settle()
    last = table.channel.last_message
    assert last is not None
    assert last.id == (await stored(table)).panel_id
    assert await unshown(table) == []


async def test_what_is_committed_while_a_panel_is_posted_stays_to_be_shown(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    panel = await begin(table)
    before, fight = seen(table, panel), button(panel, "Fight round 1")
    table.env.backend.delete_message(panel.channel_id, panel.id)
    set_panel = PanelRepository.set_panel

    async def meanwhile(panels: PanelRepository, battle_id: int, message_id: int | None) -> Battle:
        await table.bot.services[UndoRequestRepository].ask(battle_id, 1, table.ann.id)
        return await set_panel(panels, battle_id, message_id)

    monkeypatch.setattr(PanelRepository, "set_panel", meanwhile)
    await click_seen(table, before, (table.ann, fight))
    monkeypatch.undo()
    assert await unshown(table) == [1]
    await table.bot.services[MaintenanceTasks].catch_up()
    last = table.channel.last_message
    assert last is not None
    assert "wants to take the last step back" in str(
        table.env.backend.get_message(table.channel.id, last.id).components
    )


async def test_a_crash_between_the_answer_and_its_note(table: Table) -> None:
    """The message that was posted is the panel as soon as somebody presses it; there are never two."""
    panel = await begin(table)
    await write(table, "UPDATE battles SET panel_id = NULL")
    result = await table.press(panel, "Fight round 1")
    assert result.followups == []
    assert text_of(panel).startswith("### #1 Axis & Allies: round 1\n")
    assert (await stored(table)).panel_id == panel.id


async def test_a_panel_that_the_database_does_not_know_is_retired_when_pressed(table: Table) -> None:
    orphan = await begin(table)
    await write(table, "UPDATE battles SET panel_id = NULL")
    panel = await table.run("battle show")
    assert buttons_of(orphan) == ["Fight round 1", "Fight to the end"]
    await table.press(orphan, "Fight round 1")
    assert text_of(panel).startswith("### #1 Axis & Allies: round 1\n")
    assert text_of(orphan).startswith("-# The panel of #1 Axis & Allies is in [a newer message](")


@pytest.mark.parametrize(("status", "code", "left"), [(400, 50035, [1]), (403, 50001, []), (403, 50013, [])])
async def test_one_that_can_not_be_shown_keeps_no_other_battle_from_being_shown(
    table: Table, status: int, code: int, left: list[int]
) -> None:
    """Where the bot has no access any more, nothing waits for it."""
    first, second = await begin(table), await begin(table)
    cut_off(table)
    for panel in (first, second):
        await table.press(panel, "Fight round 1")
    table.env.backend.faults.clear()
    table.env.inject_error("PATCH", f"/channels/*/messages/{first.id}", status=status, code=code, times=None)
    await table.restart()
    await table.env.settle()
    assert text_of(second).startswith("### #2 Axis & Allies: round 1\n")
    assert await unshown(table) == left


async def test_what_nobody_will_ever_see_is_not_tried_for_ever(table: Table) -> None:
    panel = await begin(table)
    cut_off(table)
    await table.press(panel, "Fight round 1")
    table.env.backend.faults.clear()
    table.env.inject_error("PATCH", "/channels/*", status=404, code=10003, times=None)
    await table.bot.services[MaintenanceTasks].catch_up()
    assert await unshown(table) == []


async def test_a_press_too_late_for_an_answer_is_applied_and_shown_all_the_same(table: Table) -> None:
    panel = await begin(table)
    table.env.inject_error("POST", "/interactions/*", status=404, code=10062)
    await table.press(panel, "Fight round 1")
    await table.env.settle()
    assert (await stored(table)).version == 1
    assert text_of(panel).startswith("### #1 Axis & Allies: round 1\n")


async def test_a_step_that_fails_changes_nothing(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    panel = await begin(table)

    async def full(*_: object, **__: object) -> None:
        raise OSError("no room")

    monkeypatch.setattr(table.bot.services[BattleRepository], "commit", full)
    assert "Something went wrong on our side" in told(await table.press(panel, "Fight round 1"))
    assert (await stored(table)).version == 0
    monkeypatch.undo()
    fix_seed(monkeypatch)
    await table.press(panel, "Fight round 1")
    assert text_of(panel).startswith("### #1 Axis & Allies: round 1\n")


async def test_many_clickers_over_several_battles(table: Table) -> None:
    """Fifty players press the same buttons of five battles: each battle goes on by one round."""
    judges = [
        table.ann.guild.add_member(
            table.env.create_user(f"judge{number}"),
            roles=[table.ann.guild.create_role(f"r{number}", permissions=discord.Permissions(manage_messages=True))],
        )
        for number in range(10)
    ]
    panels = [await begin(table) for _ in range(5)]
    results = [
        [press_seen(table, seen(table, panel), judge, button(panel, "Fight round 1")) for panel in panels]
        for judge in judges
    ]
    await table.env.settle()
    refused = [[bool(result.followups) for result in each] for each in zip(*results, strict=True)]
    assert [sum(each) for each in refused] == [9] * 5
    assert [(await stored(table, number)).version for number in range(1, 6)] == [1] * 5
    assert all(text_of(panel).splitlines()[0].endswith("round 1") for panel in panels)
    assert (await table.pressed(panels[0], "Fight round 2")).id == panels[0].id
