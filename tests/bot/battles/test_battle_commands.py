"""`/battle`: list, show, log, undo, verify, end; the rematch, by the same people or with their sides swapped.

The bot in free seats: at once by a press, as one of three characters, until a person takes over.
"""

import pytest
from simcord import MemberActor, ResponseMessage

from bot.store.battles import BattleRepository
from tests.bot.battles.fights import (
    begin,
    click_seen,
    end,
    expect_match,
    more,
    seen,
    stored,
    stranger,
    the_bot,
    told,
    with_button,
    write,
)
from tests.bot.conftest import Table, answer, button, buttons_of, text_of

NEWEST = "#2 Axis & Allies, before round 1"


@pytest.mark.usefixtures("fixed_dice")
class TestCommands:
    async def test_numbers_are_completed_and_a_battle_just_over_is_meant_without_one(self, table: Table) -> None:
        async def offered(typed: str = "") -> list[list[object]]:
            names = [f"battle {name}" for name in ("show", "log", "undo", "verify", "end")]
            found = [await table.ann.autocomplete(table.channel, name, "number", typed) for name in names]
            assert {each[0]["name"] for each in found if each} <= {"#1 Axis & Allies, before round 1", NEWEST}
            return [[choice["value"] for choice in each] for each in found]

        panels = [await begin(table), await begin(table)]
        # Logs and checks are wanted of the newest battles, closed ones too; the others of what goes on.
        assert await offered() == [[1, 2], [2, 1], [1, 2], [2, 1], [1, 2]]
        assert await offered("2") == [[2]] * 5
        for panel in panels:
            await table.press(panel, "Fight to the end")
        assert text_of(await table.run("battle verify")).startswith("### ✅ Match: #2")
        assert "#2" in text_of(await table.run("battle log"))
        closed = await table.ann.autocomplete(table.channel, "battle log", "number", "")
        assert [choice["value"] for choice in closed] == [2, 1]
        assert await table.ann.autocomplete(table.channel, "battle show", "number", "") == []

    async def test_an_old_panel_that_could_not_be_retired_is_retired_later(self, table: Table) -> None:
        old = await begin(table)
        table.env.inject_error("PATCH", f"/channels/*/messages/{old.id}", status=403, code=50001)
        new = await table.run("battle show")
        assert "Next round" in buttons_of(old)
        await table.press(new, "Next round")
        assert buttons_of(old) == []
        assert (await stored(table)).panels_retired == ()

    async def test_an_old_panel_that_was_deleted_is_no_hindrance(self, table: Table) -> None:
        old = await begin(table)
        table.env.backend.delete_message(old.channel_id, old.id)
        await table.run("battle show")
        assert (await stored(table)).panels_retired == ()


REMATCH, SWAPPED = "Rematch", "Rematch, sides swapped"


async def fought(table: Table, setup: str = "6 tanks vs 10 inf", **options: object) -> ResponseMessage:
    """Return the panel of a battle that was fought to its end."""
    panel = await begin(table, setup, **options)
    await table.press(panel, "Fight to the end")
    return panel


async def again(
    table: Table, panel: ResponseMessage, label: str = REMATCH, by: MemberActor | None = None
) -> ResponseMessage:
    """Ask for a rematch and return the message that answers."""
    return await (more if label == SWAPPED else Table.pressed)(table, panel, label, by=by)


async def people(table: Table, number: int) -> dict[str, int | None]:
    return {place.seat: place.user_id for place in (await stored(table, number)).places}


async def test_the_same_people_fight_again_with_new_dice(table: Table) -> None:
    panel = await fought(table, casualties="smart")
    assert buttons_of(panel, house=True) == [REMATCH, "Next chapter", "Share", "More"]
    await table.restart()
    new = await again(table, panel, by=table.ben)
    assert (new.ephemeral, new.id == panel.id) == (False, False)
    assert text_of(new).startswith("### #2 Axis & Allies: before round 1\n")
    first, second = await stored(table, 1), await stored(table, 2)
    assert (second.setup, second.starter_id, second.is_open) == (first.setup, table.ben.id, True)
    assert second.seed != first.seed
    assert await people(table, 2) == {"attacker": table.ann.id, "defender": table.ben.id}
    await table.press(new, "Next round")
    assert (await stored(table, 2)).version > 0, "by chance the first round decides it: a step and an end"


async def test_the_bot_swaps_too_and_never_chooses_its_losses(table: Table) -> None:
    panel = await begin(table, "2 inf vs 2 inf", defender=the_bot(table), casualties="manual")
    await end(table)
    new = await again(table, panel, SWAPPED)
    battle = await stored(table, 2)
    assert [(place.user_id, place.is_bot) for place in battle.places] == [(None, True), (table.ann.id, False)]
    setup = battle.setup
    assert isinstance(setup, dict)
    assert (setup["attacker_losses"], setup["defender_losses"]) == ("score", "manual")
    assert buttons_of(new) == ["Next round", "Fight to the end"]


async def test_nobody_asks_before_the_end(table: Table) -> None:
    panel = await begin(table)
    assert REMATCH not in buttons_of(panel, house=True)
    press = "b2:1:0:rematch:same"
    (early,) = await click_seen(table, with_button(seen(table, panel), press), (table.ann, press))
    assert text_of(answer(early)) == "⚠️ #1 isn't over yet."
    await end(table)


async def test_two_presses_at_once_open_one_rematch(table: Table) -> None:
    panel = await fought(table)
    press = button(panel, REMATCH)
    results = await click_seen(table, seen(table, panel), (table.ann, press), (table.ben, press), twice=True)
    assert len(await table.bot.services[BattleRepository].open_in(table.channel.id)) == 1
    assert sorted(text_of(answer(result))[:2] for result in results) == ["##", "⚠️"]
    assert text_of(await again(table, panel, SWAPPED)) == "⚠️ The rematch is open already: #2."
    await end(table)
    assert text_of(await again(table, panel)).startswith("### #3 ")


async def test_others_with_the_same_armies_are_no_hindrance(table: Table) -> None:
    zoe = stranger(table)
    panel = await fought(table)
    await begin(table, attacker=zoe, defender=table.ben)
    assert text_of(await again(table, panel)).startswith("### #3 ")


async def test_a_battle_that_is_no_longer_kept(table: Table) -> None:
    panel = await fought(table)
    await write(table, "DELETE FROM battles")
    assert text_of(await again(table, panel)) == "⚠️ This battle is no longer kept."


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


@pytest.mark.usefixtures("fixed_dice")
async def test_a_cunning_attacker_leaves_what_is_lost_and_a_bold_one_never(table: Table) -> None:
    for name, goes in (("Vesper", True), ("Brakk", False)):
        panel = await begin(table, "6 tanks vs 10 inf", attacker=None, defender=table.ann)
        await table.press(panel, f"Fight {name}")
        await table.press(panel, buttons_of(panel)[0])
        assert ("the attacker retreated" in text_of(panel)) is goes


async def test_where_joining_is_closed_nobody_sits_down(table: Table, judge: MemberActor) -> None:
    panel = await begin(table, defender=None)
    old, presses = seen(table, panel), [button(panel, label) for label in ("Join as defender", "Fight Moss")]
    await table.press(await table.run("battle referee", by=judge), "Close joining", by=judge)
    assert not {"Join as defender", "Fight Moss"} & set(buttons_of(panel))
    joining, fighting = [await click_seen(table, old, (table.ben, press)) for press in presses]
    assert "⚠️ Joining #1 is closed" in told(*joining)
    assert "button" in told(*fighting)
