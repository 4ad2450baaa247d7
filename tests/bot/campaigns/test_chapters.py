"""A campaign from button to button: begun below an ended battle, gone on with, rested and healed; people's names."""

from typing import Any

import pytest
from simcord import MemberActor, ResponseMessage

from bot.battles.publisher import EndedBattles
from bot.campaigns.repository import CampaignRepository
from tests.bot.battles.fights import begin, stored, stranger
from tests.bot.campaigns.test_campaigns import HEROES, VILLAINS, campaign, fought, join, rows_of, seeded
from tests.bot.conftest import Table, alt_of, answer, buttons_of, expect_in, form_values, said
from tests.bot.games.marked_for_death.test_mfd import file
from tests.sim.marked_for_death.builders import HEADER

LED = ["Next battle", "Rest", "Heal"]


async def over(table: Table, setup: str = "12 tanks vs 6 inf") -> ResponseMessage:
    """Return the panel of a battle that Ann won against Ben."""
    panel = await begin(table, setup)
    await fought(table, panel)
    return panel


async def pressed(table: Table, page: ResponseMessage, label: str, *, by: MemberActor | None = None) -> ResponseMessage:
    """Press a button and return what answers it, or the private refusal after a deferred press."""
    result = await table.press(page, label, by=by)
    return result.followups[-1] if result.followups else answer(result)


async def killed(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fight a battle of a campaign of Marked for Death in which some villains fell."""
    seeded(monkeypatch, 101)
    opened = await table.ann.slash(table.channel, "mfd start", heroes=file(HEROES), villains=file(VILLAINS[0]))
    await campaign(table, "new", name="Siege", battle=1)
    await fought(table, answer(opened))


async def state_of(table: Table, side: str) -> dict[str, bool]:
    """Return who of a side fell, as the last row of the only campaign has it."""
    return {one.name: one.fallen for one in (await rows_of(table))[-1].forces.veterans if one.side == side}


@pytest.mark.usefixtures("fixed_dice")
async def test_one_press_begins_the_campaign_of_a_battle_and_the_next_goes_on_with_it(table: Table) -> None:
    panel = await over(table)
    page = await table.pressed(panel, "Next chapter")
    expect_in(said(page), "🚩 **Axis & Allies #1** · Axis & Allies · founded by", "10/12")
    expect_in(alt_of(page), "after battle 1", "Battle 1: Attacker won.", "Defender lost infantry.")
    assert buttons_of(page) == LED
    assert not page.flags.ephemeral
    again = await table.pressed(panel, "Next chapter", by=table.ben)
    assert said(again) == said(page), "the same campaign"
    other = await over(table, "12 tanks vs 4 inf")
    await table.pressed(other, "Next chapter")
    names = [one.name for one in await table.bot.services[CampaignRepository].of_guild(table.ann.guild.id)]
    assert sorted(names) == ["Axis & Allies #1", "Axis & Allies #2"]


@pytest.mark.usefixtures("fixed_dice")
async def test_only_who_fought_begins_a_campaign_and_only_who_leads_it_goes_on(table: Table) -> None:
    panel = await over(table)
    refused = await pressed(table, panel, "Next chapter", by=stranger(table))
    assert said(refused) == "⚠️ Only those who fought in #1, or opened it, can begin a campaign with it."
    page = await table.pressed(panel, "Next chapter")
    for label in LED:
        refusal = await pressed(table, page, label, by=table.ben)
        assert said(refusal) == "⚠️ Only the founder of Axis & Allies #1 or a moderator can do that."
        assert refusal.flags.ephemeral


@pytest.mark.usefixtures("fixed_dice")
async def test_after_a_defeat_the_buttons_stand_below_the_refusal_and_healing_opens_the_way(table: Table) -> None:
    page = await table.pressed(await over(table), "Next chapter")
    refusal = await pressed(table, page, "Next battle")
    expect_in(said(refusal), "The defender has nothing left")
    assert buttons_of(refusal) == LED
    form = await table.press(refusal, "Heal")
    assert form_values(form)["amounts"] == "tanks: 0 (10 of 12)\ninfantry: 0 (0 of 6)"
    healed = answer(await table.ann.submit_modal(form, {"amounts": "tanks: 0 (10 of 12)\ninfantry: 3 (0 of 6)"}))
    expect_in(said(healed), "By hand: infantry +3.", "infantry 3/6")
    assert buttons_of(healed) == LED
    opened = await table.pressed(healed, "Next battle")
    expect_in(said(opened), "#2 Axis & Allies")
    expect_in(alt_of(opened), "10 tanks", "3 infantry")
    expect_in(said(await pressed(table, page, "Rest")), "⚠️ #2 of Axis & Allies #1 goes on")


async def test_the_dead_stay_dead_unless_they_are_asked_back(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    await killed(table, monkeypatch)
    assert await state_of(table, "villains") == {"Zabuza": True, "Haku": True}
    refused = await campaign(table, "next", foe_file=file(VILLAINS[0]))
    expect_in(
        said(refused), "None of the villains can fight", "Zabuza and Haku died in an earlier battle and stay dead"
    )
    assert buttons_of(refused) == LED
    mixed = VILLAINS[0] + VILLAINS[1].removeprefix(f"{HEADER}\n")
    told = await campaign(table, "next", foe_file=file(mixed))
    expect_in(said(told), "💀 Zabuza and Haku died in an earlier battle and stay dead")
    down = {"Zabuza": True, "Haku": True, "Kisame": False, "Itachi": False}
    assert await state_of(table, "villains") == down


async def test_the_dead_come_back_where_that_is_asked_for(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    await killed(table, monkeypatch)
    expect_in(said(await campaign(table, "next", foe_file=file(VILLAINS[0]), revive=True)), "#2 Marked for Death")
    assert not any((await state_of(table, "villains")).values())


async def test_a_campaign_of_a_boss_fight_tells_of_people(table: Table) -> None:
    panel = await table.run("boss start", boss="Mossback")
    await join(table, panel, "hero: V, Assassin, Elixir, Epic, Fairy @Fire; mine: Fang (9000/9000/0)")
    await fought(table, panel, "Fight to the end")
    page = await table.pressed(panel, "Next chapter")
    name = (await display_name(table)) or ""
    expect_in(said(page), f"⭐ {name}: 1 kill", f"**Party** · {name} ")
    expect_in(alt_of(page), f"Party: {name} ")
    assert "Member" not in said(page) + alt_of(page)


async def display_name(table: Table) -> Any:  # noqa: ANN401  # discord.py's member
    """Return what Ann is called in the server."""
    guild = table.bot.get_guild(table.ann.guild.id)
    assert guild is not None
    return (await guild.fetch_member(table.ann.id)).display_name


async def test_who_left_the_server_is_a_player_with_a_number(table: Table) -> None:
    panel = await table.run("boss start", boss="Mossback")
    await join(table, panel, "hero: V, Assassin, Elixir, Epic, Fairy @Fire; mine: Fang (9000/9000/0)")
    await fought(table, panel, "Fight to the end")
    table.env.inject_error("GET", f"/guilds/{table.ann.guild.id}/members/{table.ann.id}", status=404, code=10007)
    expect_in(said(await table.pressed(panel, "Next chapter")), "**Party** · Player 1 ")


async def test_an_open_battle_has_no_next_chapter_yet(table: Table) -> None:
    await begin(table)
    await table.bot.services[EndedBattles].settled()
    battle = await stored(table)
    assert battle.is_open
    assert await table.bot.services[CampaignRepository].with_battle(battle.id) is None
