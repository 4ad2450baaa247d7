"""A battle whose seals don't fit is refused; the others go on, and nothing stops for it."""

import logging

import pytest
from simcord import ResponseMessage

from bot.battles.maintenance import MaintenanceTasks
from bot.store import OWN_WORK
from bot.store.battles.repository import BattleRepository
from bot.store.database import Database
from bot.store.errors import DamagedBattleError
from tests.bot.battles.fights import begin, stored
from tests.bot.conftest import Table, answer, text_of

pytestmark = pytest.mark.usefixtures("fixed_dice")

SENTENCE = (
    "⚠️ #1 is damaged in the database and can't be used; all other battles go on."
    " The people who run this bot can restore a backup."
)

DAMAGES = [
    "UPDATE battles SET state = replace(state, '10', '11') WHERE id = ?",
    "UPDATE battles SET setup = replace(setup, '20', '21') WHERE id = ?",
    "UPDATE battles SET seed = zeroblob(32) WHERE id = ?",
    "UPDATE battles SET steps = 0 WHERE id = ?",
    "UPDATE battles SET state = CAST(x'7b22f0223a317d' AS TEXT) WHERE id = ?",
    "UPDATE battles SET outcome = '{}' WHERE id = ?",
    "UPDATE journal SET events = '[]' WHERE battle_id = ?",
    "UPDATE journal SET seat = 'defender' WHERE battle_id = ?",
    "UPDATE journal SET events = replace(events, 'round', CAST(x'726ff56e64' AS TEXT)) WHERE battle_id = ?",
    "DELETE FROM journal WHERE battle_id = ?",
]


async def damage_first_of_two(table: Table, sql: str) -> list[ResponseMessage]:
    """Begin two battles, damage #1, restart the bot, and return their panels."""
    panels = [await begin(table, "20 inf vs 20 inf") for _ in range(2)]
    for panel in panels:
        await table.press(panel, "Fight round 1")
    await table.bot.services[Database].write(lambda conn: conn.fetch_all(sql, [1]))
    await table.restart()
    return panels


@pytest.mark.parametrize("sql", DAMAGES)
async def test_only_the_damaged_battle_is_refused(table: Table, sql: str, caplog: pytest.LogCaptureFixture) -> None:
    panels = await damage_first_of_two(table, sql)
    caplog.set_level(logging.ERROR, "fracas")
    pressed = await table.press(panels[0], "Fight round 2")
    assert [text_of(each) for each in pressed.followups or [answer(pressed)]] == [SENTENCE]
    assert "battle_damaged" in caplog.text
    shown = await table.ann.slash(table.channel, "battle show", number=1)
    assert text_of(shown.followups[-1] if shown.followups else answer(shown)) == SENTENCE
    with pytest.raises(DamagedBattleError):
        await table.bot.services[BattleRepository].get(1, OWN_WORK)

    await table.press(panels[1], "Fight round 2")
    assert (await stored(table, 2)).version == 2
    listed = text_of(answer(await table.ann.slash(table.channel, "battle list")))
    assert "#2 Axis & Allies" in listed
    assert ("#1 Axis & Allies, damaged" in listed) is ("outcome" not in sql)
    offered = await table.ann.autocomplete(table.channel, "battle show", "number", "")
    assert "#2" in " ".join(str(choice["name"]) for choice in offered)


async def test_maintenance_passes_a_damaged_battle_by(table: Table) -> None:
    await damage_first_of_two(table, DAMAGES[4])
    tasks = table.bot.services[MaintenanceTasks]
    table.clock.pass_days(2)
    await tasks.catch_up()
    table.clock.pass_days(31)
    await tasks.clear()
    statuses = await table.bot.services[Database].fetch_all("SELECT status FROM battles ORDER BY id")
    assert [row["status"] for row in statuses] == ["open", "ended"]
