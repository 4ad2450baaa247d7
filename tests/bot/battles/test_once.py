"""Nothing is lost or done twice: double clicks, several players at once, old panels, restarts, what can't be shown.

So it is with another process at the same database, of which these tests see no more than what it writes.
"""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from simcord import MemberActor

from bot.battles.maintenance import MaintenanceTasks
from bot.config import Server
from bot.store import DAY
from bot.store.battle import Battle
from bot.store.battles import BattleRepository, Retention
from bot.store.database import Database
from bot.store.transactions import PanelRepository, UndoRequestRepository
from tests.bot.battles.fights import (
    begin,
    begun,
    click_seen,
    cut_off,
    errors,
    expect_match,
    seen,
    set_clock,
    stored,
    stranger,
    told,
    unshown,
    use,
    write,
)
from tests.bot.breaks import Wire
from tests.bot.conftest import Table, button, buttons_of, text_of
from tests.bot.store.databases import database

pytestmark = pytest.mark.usefixtures("fixed_dice")


@pytest.mark.parametrize("twice", [False, True])
async def test_a_double_click_is_applied_once(table: Table, twice: bool) -> None:
    """Of two clicks one is told so; of one that Discord delivers `twice`, nobody."""
    panel = await begin(table)
    fight = button(panel, "Next round")
    clicks = await click_seen(table, seen(table, panel), *[(table.ann, fight)] * (1 if twice else 2), twice=twice)
    assert (await stored(table)).version == 1
    assert text_of(panel).startswith("### #1 Axis & Allies: round 1\n")
    replies = [(text_of(reply), reply.ephemeral) for click in clicks for reply in click.followups]
    assert replies == ([] if twice else [("⚠️ #1 has changed: it is now at round 1.", True)])


async def test_a_referee_s_form_delivered_twice_does_its_work_once(
    table: Table, judge: MemberActor, monkeypatch: pytest.MonkeyPatch
) -> None:
    await begin(table)
    await set_clock(table, judge, turn="24 h")
    commit = BattleRepository.commit

    async def twice(*arguments: Any) -> None:  # noqa: ANN401  # as of `commit`
        await commit(*arguments)  # the other delivery
        await commit(*arguments)

    monkeypatch.setattr(BattleRepository, "commit", twice)
    said = await use(table, judge, "Extend this turn", {"time": "2 h"})
    assert said.startswith("⏳ This turn of #1 is 2 hours longer: it ends <t:")
    assert (await stored(table)).version == 2


async def test_two_players_at_once(table: Table) -> None:
    panel = await begin(table, attacker=None, defender=None)
    join = button(panel, "Join as attacker")
    both = table.ann, table.ben
    results = await click_seen(table, seen(table, panel), *((player, join) for player in both))
    holder = (await stored(table)).holders["attacker"]
    (late,) = [result for player, result in zip(both, results, strict=True) if player.id != holder]
    assert text_of(late.followups[0]) == f"⚠️ The seat of the attacker is taken by <@{holder}>."
    assert buttons_of(panel) == ["Join as defender", "Fight Brakk", "Fight Vesper", "Fight Moss"]


async def test_what_is_committed_while_a_panel_is_posted_stays_to_be_shown(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    panel = await begin(table)
    before, fight = seen(table, panel), button(panel, "Next round")
    table.env.backend.delete_message(panel.channel_id, panel.id)
    set_panel = PanelRepository.set_panel

    async def meanwhile(panels: PanelRepository, battle_id: int, message_id: int | None) -> Battle:
        await table.bot.services[UndoRequestRepository].ask(battle_id, 1, table.ann.id)
        return await set_panel(panels, battle_id, message_id)

    monkeypatch.setattr(PanelRepository, "set_panel", meanwhile)
    (result,) = await click_seen(table, before, (table.ann, fight))
    monkeypatch.undo()
    (fresh,) = result.followups
    assert text_of(fresh).startswith("### #1 Axis & Allies: round 1\n")
    assert (fresh.ephemeral, (await stored(table)).panel_id) == (False, fresh.id)
    assert await unshown(table) == [1]
    await table.bot.services[MaintenanceTasks].catch_up()
    assert "wants to take the last step back" in text_of(fresh)


async def test_a_press_too_late_for_an_answer_counts_and_one_after_a_crash_notes_its_message(table: Table) -> None:
    """The message that was posted is the panel as soon as somebody presses it; there are never two."""
    panel = await begin(table)
    table.env.inject_error("POST", "/interactions/*", status=404, code=10062)
    await table.press(panel, "Next round")
    await table.env.settle()
    assert (await stored(table)).version == 1
    assert text_of(panel).startswith("### #1 Axis & Allies: round 1\n")
    await write(table, "UPDATE battles SET panel_id = NULL")
    result = await table.press(panel, "Next round")
    assert result.followups == []
    assert text_of(panel).startswith("### #1 Axis & Allies: round 2\n")
    assert (await stored(table)).panel_id == panel.id


@pytest.mark.parametrize(
    ("status", "code", "left"),
    [(0, 0, [1]), (400, 50035, [1]), (403, 50001, []), (403, 50013, []), (404, 10003, [])],
)
async def test_one_that_can_not_be_shown_keeps_no_other_battle_from_being_shown(
    table: Table, wire: Wire, caplog: pytest.LogCaptureFixture, status: int, code: int, left: list[int]
) -> None:
    """Where the bot has no access any more, or the channel is gone, nothing waits for it; 0: the connection breaks."""
    first, second = await begin(table), await begin(table)
    cut_off(table)
    for panel in (first, second):
        await table.press(panel, "Next round")
    table.env.backend.faults.clear()
    path = f"/channels/*/messages/{first.id}"
    if status:
        table.env.inject_error("PATCH", path, status=status, code=code, times=None)
    else:
        wire.cut("PATCH", path, times=None)
        wire.cut("PATCH", f"/channels/*/messages/{second.id}")
    await table.restart()
    await table.env.settle()
    assert text_of(second).startswith("### #2 Axis & Allies: round 1\n")
    assert (await unshown(table), errors(caplog)) == (left, [])


async def test_a_seat_that_a_friend_took_over_is_taken_over_once(table: Table) -> None:
    panel = await begin(table, defender=None)
    await table.press(panel, "Fight Brakk")
    before, relieve = seen(table, panel), button(panel, "Take over from Brakk")
    await table.press(panel, "Take over from Brakk", by=table.ben)
    (late,) = await click_seen(table, before, (stranger(table), relieve))
    assert "The bot doesn't have that seat any more." in told(late)
    await table.press(panel, "Fight to the end")
    await expect_match(table, number=1)


async def test_where_joining_is_closed_nobody_sits_down(table: Table, judge: MemberActor) -> None:
    panel = await begin(table, defender=None)
    old, presses = seen(table, panel), [button(panel, label) for label in ("Join as defender", "Fight Moss")]
    await table.press(await table.run("battle referee", by=judge), "Close joining", by=judge)
    assert not {"Join as defender", "Fight Moss"} & set(buttons_of(panel))
    joining, fighting = [await click_seen(table, old, (table.ben, press)) for press in presses]
    assert "⚠️ Joining #1 is closed" in told(*joining)
    assert "button" in told(*fighting)


class TestAnotherProcess:
    @pytest.fixture
    def table_server(self, server: Server) -> Server:
        """Keep the tables here on PostgreSQL."""
        return server

    @pytest.fixture
    async def other(self, table: Table, kept_in: Path | Server) -> AsyncIterator[Database]:
        """Open the database as another process; the bot looks for what that one left only when a test lets it."""
        table.bot.flush_foreign_panels.cancel()
        async with database(kept_in) as opened:
            yield opened

    async def test_what_a_dead_process_left_is_shown_once_nobody_else_is_about_it(
        self, table: Table, other: Database
    ) -> None:
        """At the second look at the earliest, by one process at a time."""
        panel, keeper = await begin(table, defender=None), table.bot.services[MaintenanceTasks]
        battle_id = (await stored(table)).id
        await BattleRepository(other).take_seat(battle_id, "defender", table.ben.id)
        assert await keeper.take_over()
        assert "Join as defender" in buttons_of(panel), "it was seen for the first time"
        for theirs in ("outbox", f"panel {battle_id}"):
            async with other.alone(theirs, wait=False) as alone:
                assert alone
                assert await keeper.take_over()
                assert "Join as defender" in buttons_of(panel)
        assert await keeper.take_over()
        assert "Join as defender" not in buttons_of(panel)
        assert await PanelRepository(other).pending_revisions() == {}

    async def test_a_press_on_what_another_process_has_closed_is_told_so(self, table: Table, other: Database) -> None:
        panel = await begun(table)
        fight = button(panel, "Next round")
        (closed,) = await Retention(other, lambda: table.clock.now + 31 * DAY).close_idle()
        pressed = await table.ann.click(panel, custom_id=fight)
        assert text_of(pressed.followups[-1]) == "⚠️ #1 is over."
        assert await stored(table) == closed
