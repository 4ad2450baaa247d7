"""The rematch at the end of a battle: the same setup and people, or their sides swapped, with a new seed."""

import secrets

import pytest
from simcord import MemberActor, ResponseMessage

from bot.store.battles.repository import BattleRepository
from tests.bot.battles.fights import begin, click_seen, end, seen, stored, stranger, the_bot, with_button, write
from tests.bot.conftest import HOUSE, Table, answer, button, buttons_of, text_of
from tests.bot.games.boss_fight.boss_fights import begin as begin_boss
from tests.bot.games.duel.duels import opened, roll

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
    return await table.pressed(panel, label, by=by)


async def people(table: Table, number: int) -> dict[str, int | None]:
    return {place.seat: place.user_id for place in (await stored(table, number)).places}


async def test_the_same_people_fight_again_with_new_dice(table: Table) -> None:
    panel = await fought(table, casualties="smart")
    assert buttons_of(panel, house=True)[:2] == [REMATCH, SWAPPED]
    await table.restart()
    new = await again(table, panel, by=table.ben)
    assert (new.ephemeral, new.id == panel.id) == (False, False)
    assert text_of(new).startswith("### #2 Axis & Allies: before round 1\n")
    first, second = await stored(table, 1), await stored(table, 2)
    assert (second.setup, second.starter_id, second.is_open) == (first.setup, table.ben.id, True)
    assert second.seed != first.seed
    assert await people(table, 2) == {"attacker": table.ann.id, "defender": table.ben.id}
    await table.press(new, "Fight round 1")
    assert (await stored(table, 2)).version > 0, "by chance the first round decides it: a step and an end"


async def test_sides_are_swapped(table: Table) -> None:
    await again(table, await fought(table), SWAPPED)
    assert (await stored(table, 2)).setup == (await stored(table, 1)).setup
    assert await people(table, 2) == {"attacker": table.ben.id, "defender": table.ann.id}


async def test_the_bot_swaps_too_and_never_chooses_its_losses(table: Table) -> None:
    panel = await begin(table, "2 inf vs 2 inf", defender=the_bot(table), casualties="manual")
    await end(table)
    new = await again(table, panel, SWAPPED)
    battle = await stored(table, 2)
    assert [(place.user_id, place.is_bot) for place in battle.places] == [(None, True), (table.ann.id, False)]
    setup = battle.setup
    assert isinstance(setup, dict)
    assert (setup["attacker_losses"], setup["defender_losses"]) == ("score", "manual")
    assert buttons_of(new) == ["Fight round 1", "Fight to the end"]


async def test_there_is_nothing_to_swap_where_one_has_both_sides(table: Table) -> None:
    panel = await fought(table, defender=table.ann)
    assert SWAPPED not in buttons_of(panel, house=True)


async def test_only_who_was_there_asks_and_only_at_the_end(table: Table) -> None:
    panel = await begin(table)
    assert not {REMATCH, SWAPPED} & set(buttons_of(panel, house=True))
    press = "b2:1:0:rematch:same"
    (early,) = await click_seen(table, with_button(seen(table, panel), press), (table.ann, press))
    assert text_of(answer(early)) == "⚠️ #1 isn't over yet."
    await end(table)
    refused = await again(table, panel, by=stranger(table))
    assert refused.ephemeral
    assert text_of(refused) == "⚠️ Only those who fought in #1, or opened it, can start a rematch."
    await again(table, panel)
    assert (await stored(table, 2)).is_open


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


async def test_who_was_forgotten_leaves_a_free_seat(table: Table) -> None:
    panel = await fought(table)
    await table.surely("privacy delete", by=table.ben)
    new = await again(table, panel)
    assert buttons_of(new) == ["Join as defender"]


async def test_the_same_boss(table: Table) -> None:
    panel = await begin_boss(table, health=2)
    await end(table)
    new = await again(table, panel)
    assert "Join" in buttons_of(new)
    assert (await stored(table, 2)).setup == (await stored(table, 1)).setup
    listed = text_of(await table.run("battle list"))
    assert ": nobody yet v Inu Dogemon [panel]" in listed


async def test_the_heroes_of_a_dungeon_go_in_again(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(secrets, "randbelow", lambda _most: 7)
    await roll(table, "Brenna")
    panel = await opened(table, "dungeon", rooms=3, character="Brenna")
    await table.press(panel, "Enter room 1")
    await end(table)
    new = await again(table, panel)
    assert await people(table, 2) == {"hero-1": table.ann.id}
    assert (await stored(table, 2)).setup == (await stored(table, 1)).setup
    assert "Enter room 1" in buttons_of(new)
    listed = text_of(await table.run("battle list"))
    assert listed.startswith("**#2 B/X dungeon, before the first room**: Brenna ")
    assert f"(<@{table.ann.id}>)" in listed


async def test_duellists_swap_their_fighters(table: Table) -> None:
    panel = await opened(table, "fight", lawful=table.ann, chaotic=table.ben, turns="duellists")
    await table.press(panel, "Fight to the end")
    await again(table, panel, SWAPPED)
    assert await people(table, 2) == {"group-1": table.ben.id, "group-2": table.ann.id}


async def test_a_war_on_the_same_kind_of_map(table: Table) -> None:
    panel = await table.run("mka new", size="12x12", kind="plateaus", rounds=30)
    await end(table)
    new = await again(table, panel)
    assert "Join" in buttons_of(new)
    assert (await stored(table, 2)).setup == (await stored(table, 1)).setup
    listed = text_of(await table.run("battle list"))
    assert ": nobody yet [panel]" in listed


def test_the_house_s_buttons_are_known_by_their_ids() -> None:
    assert HOUSE.match("b2:17:3:rematch:swap")
    assert not HOUSE.match("b2:17:3:join:attacker")


async def test_an_order_of_losses_stays_with_its_army(table: Table) -> None:
    await again(table, await fought(table, "2 inf, 2 tanks vs 3 inf, 1 ftr", casualties="smart"), SWAPPED)
    first, second = await stored(table, 1), await stored(table, 2)
    assert second.setup == first.setup
    assert isinstance(first.setup, dict)
    assert first.setup["attacker_losses"] != first.setup["defender_losses"]
