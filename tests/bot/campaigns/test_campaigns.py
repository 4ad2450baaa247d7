"""`/campaign` as players see it."""

import json

import pytest

from bot.battles.ended import EndedBattles
from bot.battles.maintenance import MaintenanceTasks
from bot.store import campaigns as store
from bot.store.campaigns import CampaignRepository
from bot.store.personal_data import PersonalDataRepository
from tests.bot.battles.fights import begin, end, stored, stranger
from tests.bot.campaigns.stories import campaign, fought, told, unzipped
from tests.bot.conftest import Table, alt_of, expect_in, said, text_of

pytestmark = pytest.mark.usefixtures("fixed_dice")


async def founded(table: Table, setup: str = "12 tanks vs 6 inf", **options: object) -> None:
    """Fight a battle and found a campaign of it."""
    panel = await begin(table, setup, **options)
    await campaign(table, "new", name="Eastern Front", battle=1)
    await fought(table, panel)


async def test_armies_fight_on_with_what_is_left(table: Table) -> None:
    await founded(table)
    shown = await campaign(table, "show")
    expect_in(said(shown), "Eastern Front", "Axis & Allies · 1 battle", "the attacker won after", "IPC lost: attacker ")
    state = await table.bot.services[store.CampaignRepository].of_guild(table.ann.guild.id)
    (row,) = await table.bot.services[CampaignRepository].rows(state[0].id)
    tanks, infantry = row.veterans
    assert (tanks.name, infantry.name, infantry.left, infantry.most) == ("tanks", "infantry", 0, 6)
    assert 0 < tanks.left <= 12
    lost = (12 - tanks.left) * 6
    expect_in(said(shown), f"tanks {tanks.left}/12", "💀 infantry", f"IPC lost: attacker {lost}, defender 18")
    assert alt_of(shown).startswith("Eastern Front, 1 battle. tanks: ")
    panel = await campaign(table, "next", foe="4 inf, 1 ftr")
    expect_in(said(panel), "#2 Axis & Allies", f"Attacker: <@{table.ann.id}>", f"Defender: <@{table.ben.id}>")
    setup = json.loads((await stored(table, 2)).setup_json)
    assert setup["attacker"]["groups"][0]["count"] == str(tanks.left)


async def test_a_battle_that_goes_on_has_to_end_first(table: Table) -> None:
    await begin(table)
    await campaign(table, "new", name="Eastern Front", battle=1)
    for command, options in (("next", {}), ("heal", {"how": "rest"}), ("heal", {"how": "hand"})):
        said_so = said(await campaign(table, command, **options))
        assert said_so == "⚠️ #1 of Eastern Front goes on: finish it first, or close it early."


async def test_what_stood_at_an_early_end_flows_on(table: Table) -> None:
    panel = await begin(table, "20 inf vs 20 inf")
    await campaign(table, "new", name="Eastern Front", battle=1)
    await table.press(panel, "Fight round 1")
    await end(table, by=stranger(table, manage_messages=True), number=1)
    await table.bot.services[EndedBattles].settled()
    expect_in(said(await campaign(table, "show")), "ended early, as it stood", "infantry 1")
    await campaign(table, "next")
    battle = await stored(table, 2)
    first = await stored(table, 1)
    assert isinstance(first.state, dict)
    assert isinstance(battle.setup, dict)
    assert battle.setup["defender"] == first.state["defender"]


async def test_what_was_taken_back_does_not_flow_on(table: Table) -> None:
    panel = await begin(table, "20 inf vs 20 inf", defender=table.ann)
    await campaign(table, "new", name="Eastern Front", battle=1)
    await table.press(panel, "Fight round 1")
    await table.ann.slash(table.channel, "battle undo", number=1)
    await end(table, number=1)
    await table.bot.services[EndedBattles].settled()
    shown = said(await campaign(table, "show"))
    expect_in(shown, "infantry 20/20")
    assert "⭐" not in shown, "what was undone is no deed"


async def test_reinforcements_by_hand(table: Table) -> None:
    await founded(table)
    form = await table.ann.slash(table.channel, "campaign heal", how="hand")
    reply = told(await table.ann.submit_modal(form, {"amounts": "tanks: two\nOrcs: 2"}))
    expect_in(text_of(reply), "Write a name, a colon, and how much", "Nobody is called Orcs")
    form = await table.press(reply, "Fix it")
    healed = told(await table.ann.submit_modal(form, {"amounts": "infantry: 3"}))
    expect_in(said(healed), "By hand: infantry +3.", "infantry 3/6")
    expect_in(said(await campaign(table, "show")), "🩹 By hand: infantry +3.")
    await campaign(table, "next")
    assert (await stored(table, 2)).is_open


async def test_nothing_left_is_said(table: Table) -> None:
    await founded(table)
    expect_in(said(await campaign(table, "next")), "⚠️ The defender has nothing left: give another army")
    expect_in(said(await campaign(table, "next", foe="3 dragons")), "dragons")
    expect_in(said(await campaign(table, "heal", how="rest")), "⚠️ This changes nothing.")


async def test_a_campaign_of_a_game_begins_with_both_sides(table: Table) -> None:
    expect_in(said(await campaign(table, "new", name="War", game="Axis & Allies")), "No battle yet.", "/campaign next")
    expect_in(said(await campaign(table, "next", own="6 tanks")), "⚠️ The defender is missing")
    panel = await campaign(table, "next", own="6 tanks", foe="4 inf")
    expect_in(said(panel), f"Attacker: <@{table.ann.id}>")
    expect_in(said(await campaign(table, "new", name="Chess", game="Chess")), "⚠️ Chess has no campaigns.")


async def test_who_may_do_what(table: Table) -> None:
    await founded(table)
    for command, options in (
        ("next", {"foe": "2 inf"}),
        ("heal", {"how": "rest"}),
        ("end", {"campaign": "Eastern Front"}),
    ):
        reply = await table.run(f"campaign {command}", by=table.ben, **options)
        expect_in(said(reply), "⚠️ Only who founded Eastern Front, or somebody who may manage messages, can do that.")
    referee = stranger(table, manage_messages=True)
    expect_in(said(await table.run("campaign next", by=referee, foe="2 inf")), "#2 Axis & Allies")


async def test_names_and_limits(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    await founded(table)
    await begin(table)
    expect_in(
        said(await campaign(table, "new", name="eastern front", battle=2)), "⚠️ There is a campaign called eastern front"
    )
    expect_in(said(await campaign(table, "new", name="Other", battle=1)), "⚠️ #1 is part of another campaign.")
    monkeypatch.setattr(store, "MAX_OPEN", 1)
    expect_in(said(await campaign(table, "new", name="Other", battle=2)), "⚠️ 1 campaigns go on in this server")
    monkeypatch.setattr(store, "MAX_BATTLES", 1)
    expect_in(said(await campaign(table, "next", foe="2 inf")), "⚠️ This campaign has 1 battle, the most there can be")
    expect_in(said(await campaign(table, "show", campaign="Eastern Frnt")), "Did you mean Eastern Front?")


async def test_an_ended_campaign_stays_readable(table: Table) -> None:
    await founded(table)
    await table.surely("campaign end", campaign="Eastern Front")
    expect_in(said(await campaign(table, "next", foe="2 inf")), "⚠️ This server has no campaign yet")
    expect_in(said(await campaign(table, "next", campaign="Eastern Front")), "⚠️ Eastern Front has ended.")
    expect_in(said(await campaign(table, "show")), "Eastern Front", "ended <t:")
    expect_in(said(await campaign(table, "list")), "Eastern Front", "1 battle, ended")
    assert "now/Attacker.txt" in await unzipped(table)


async def test_a_battle_that_ended_unheard_is_taken_up_after_the_start(table: Table) -> None:
    panel = await begin(table, "12 tanks vs 6 inf")
    await campaign(table, "new", name="Eastern Front", battle=1)
    missed = table.bot.services[EndedBattles]
    missed.close()
    missed._listeners.clear()
    await table.press(panel, "Fight to the end")
    await table.restart()
    await table.bot.services[MaintenanceTasks].catch_up()
    await table.bot.services[EndedBattles].settled()
    expect_in(said(await campaign(table, "show")), "the attacker won")


async def test_a_battle_that_is_deleted_is_dropped(table: Table) -> None:
    await begin(table, "12 tanks vs 6 inf")
    await campaign(table, "new", name="Eastern Front", battle=1)
    battle = await stored(table)

    async def delete(conn: object) -> None:
        await conn.execute("DELETE FROM battles WHERE id = ?", [battle.id])  # type: ignore[attr-defined]

    await table.bot.services[CampaignRepository]._db.write(delete)
    expect_in(said(await campaign(table, "show")), "No battle yet.")


async def test_the_fog_stays_until_the_end(table: Table) -> None:
    await begin(table, "12 tanks vs 6 inf", fog=True)
    await campaign(table, "new", name="Eastern Front", battle=1)
    shown = said(await campaign(table, "show"))
    assert "tanks" not in shown
    assert "infantry" not in shown


async def test_who_is_forgotten_leaves_no_campaign(table: Table) -> None:
    await founded(table)
    personal = table.bot.services[PersonalDataRepository]
    (exported,) = (await personal.export(table.ann.id))["campaigns"]
    assert isinstance(exported, dict)
    assert exported["name"] == "Eastern Front"
    await table.surely("privacy delete")
    expect_in(said(await table.run("campaign show", by=table.ben)), "⚠️ This server has no campaign yet")
    assert (await personal.export(table.ann.id))["campaigns"] == []
