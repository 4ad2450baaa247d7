"""The bot in free seats: at once by a press, as one of three characters, until a person takes over."""

import pytest
from simcord import MemberActor

from tests.bot.battles.fights import begin, click_seen, expect_match, seen, stored, stranger, told, with_button
from tests.bot.conftest import Table, buttons_of, text_of

pytestmark = pytest.mark.usefixtures("fixed_dice")

FIGHTS = ["Fight Brakk", "Fight Vesper", "Fight Moss"]


async def test_a_seat_that_a_friend_took_over_is_taken_over_once(table: Table) -> None:
    panel = await begin(table, defender=None)
    await table.press(panel, "Fight Brakk")
    before = seen(table, panel)
    await table.press(panel, "Take over from Brakk", by=table.ben)
    relieve = next(
        node["custom_id"]
        for row in before.payload["components"]
        for node in row.get("components", [])
        if "relieve" in node.get("custom_id", "")
    )
    (late,) = await click_seen(table, with_button(before, relieve), (stranger(table), relieve))
    assert "The bot doesn't have that seat any more." in told(late)
    await table.press(panel, "Fight to the end")
    await expect_match(table, number=1)


async def test_a_cunning_attacker_leaves_what_is_lost_and_a_bold_one_never(table: Table) -> None:
    for name, goes in (("Vesper", True), ("Brakk", False)):
        panel = await begin(table, "6 tanks vs 10 inf", attacker=None, defender=table.ann)
        await table.press(panel, f"Fight {name}")
        await table.press(panel, buttons_of(panel)[0])
        assert ("the attacker retreated" in text_of(panel)) is goes


async def test_where_joining_is_closed_nobody_sits_down(table: Table, judge: MemberActor) -> None:
    panel = await begin(table, defender=None)
    old = seen(table, panel)
    await table.press(await table.run("battle referee", by=judge), "Close joining", by=judge)
    assert not set(FIGHTS) & set(buttons_of(panel))
    fight = f"b2:{(await stored(table)).id}:0:bot:moss"
    (late,) = await click_seen(table, with_button(old, fight), (table.ann, fight))
    assert "button" in told(late)
