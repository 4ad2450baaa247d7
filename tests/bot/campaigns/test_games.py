"""What flows on in each game: hit points, experience, levels, a boss's wounds."""

import json
from typing import Any

import pytest

from bot.battles.ended import EndedBattles
from bot.store.campaigns import CampaignRepository, CampaignRow
from tests.bot.battles.fights import end, stored, stranger
from tests.bot.campaigns.stories import campaign, fought, seeded, unzipped
from tests.bot.conftest import Table, expect_in, said


async def rows_of(table: Table) -> list[CampaignRow]:
    repository = table.bot.services[CampaignRepository]
    (found,) = await repository.of_guild(table.ann.guild.id)
    return await repository.rows(found.id)


async def setup_of(table: Table, number: int) -> dict[str, Any]:
    setup: dict[str, Any] = json.loads((await stored(table, number)).setup_json)
    return setup


async def test_duellists_keep_hit_points_and_learn(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    seeded(monkeypatch, 5)
    await campaign(table, "new", name="Arena", game="B/X duel")
    await fought(table, await campaign(table, "next", own="Brenna 90 hp str +2 1d8", foe="3 x wolf 4 hp 1d6"))
    (row,) = await rows_of(table)
    brenna, *wolves = row.veterans
    assert [wolf.name for wolf in wolves] == ["wolf 1", "wolf 2", "wolf 3"]
    assert all(wolf.fallen for wolf in wolves)
    assert brenna.experience == 3 * 10, "three foes of one hit die"
    assert brenna.left < brenna.most == 90
    assert sum(deed.kills for deed in row.deeds if deed.name == "Brenna") == 3
    assert row.deeds[0].experience == 30
    expect_in(said(await campaign(table, "next")), "⚠️ Group 2 has nobody left: give fighters")
    await campaign(table, "next", foe="2 x wolf 4 hp 1d6")
    setup = await setup_of(table, 2)
    assert setup["group1"][0]["hp"] == brenna.left, "wounds last"
    await table.press(await table.run("battle show", number=2), "Fight to the end")
    await table.bot.services[EndedBattles].settled()
    assert (await rows_of(table))[1].veterans[0].most == 90, "and can heal later"
    reply = said(await campaign(table, "heal", how="rest"))
    expect_in(reply, "The living are back to full hit points", "Brenna 90/90 HP, level 1, 50 XP")


async def test_enough_experience_is_a_level(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    seeded(monkeypatch, 5)
    await campaign(table, "new", name="Arena", game="B/X duel")
    await fought(table, await campaign(table, "next", own="Brenna 40 hp str +2 1d8", foe="goblin 2 hp 1d6"))
    form = await table.ann.slash(table.channel, "campaign heal", how="hand")
    await table.ann.submit_modal(form, {"amounts": "Brenna: 100, 1990 XP"})
    assert (await rows_of(table))[-1].veterans[0].left == 40, "healing is never above the maximum"
    await fought(table, await campaign(table, "next", foe="goblin 2 hp 1d6"))
    brenna = (await rows_of(table))[-1].veterans[0]
    assert (brenna.experience, brenna.level) == (2010, 2)
    assert 41 <= brenna.most <= 48


async def test_heroes_go_from_dungeon_to_dungeon(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    seeded(monkeypatch, 3)
    await campaign(table, "new", name="Depths", game="B/X dungeon")
    heroes = "Brenna 60 hp str +3 1d8, Tom 60 hp str +3 1d8"
    panel = await campaign(table, "next", own=heroes, foe="1 room, level 1")
    await table.press(panel, "Enter room 1")
    await fought(table, panel, "Fight it out")
    (row,) = await rows_of(table)
    assert [one.name for one in row.veterans] == ["Brenna", "Tom"]
    gained = {one.experience for one in row.veterans}
    assert len(gained) == 1, "they share it"
    expect_in(said(await campaign(table, "show")), "the heroes won", "Next: 1 room, level 1")
    panel = await campaign(table, "next", foe="2 rooms")
    setup = await setup_of(table, 2)
    assert (setup["rooms"], setup.get("level", 1)) == (2, 1)
    assert setup.get("hp", [60, 60]) == [one.left for one in row.veterans]
    battle = await stored(table, 2)
    assert battle.seats_of(table.ann.id) == ("hero-1",)
    assert "Heroes.csv" in {name.split("/")[-1] for name in await unzipped(table)}
    for label in ("Enter room 1", "Fight it out"):
        await table.press(panel, label)
    await fought(table, panel, "Leave")
    expect_in(said(await campaign(table, "show")), "the heroes went home after ")


async def test_a_boss_keeps_its_wounds_and_gives_way_to_the_next(table: Table) -> None:
    await campaign(table, "new", name="Ladder", game="Boss fight")
    expect_in(said(await campaign(table, "next", foe="Mosback")), "Did you mean Mossback?")
    panel = await campaign(table, "next", foe="Mossback")
    await join(table, panel, "hero: V, Assassin, Elixir, Epic, Fairy @Fire")
    await fought(table, panel, "Play to the end")
    (row,) = await rows_of(table)
    member, boss = row.veterans
    assert (member.name, member.fallen, boss.name) == ("Member 1", False, "Tin Colossus")
    expect_in(row.sums, "Next: Tin Colossus, rung 2 of 7; 1 beaten so far")
    panel = await campaign(table, "next")
    await join(table, panel, "hero: V, Assassin, Elixir, Epic, Fairy @Fire")
    await table.press(panel, "Step")
    await end(table, by=stranger(table, manage_messages=True), number=2)
    await table.bot.services[EndedBattles].settled()
    boss = (await rows_of(table))[1].veterans[-1]
    assert 0 < boss.left < boss.most, "it keeps its wounds"
    await campaign(table, "next")
    state = json.loads((await stored(table, 3)).state_json)
    assert state["dealt"] == (await setup_of(table, 3))["dealt"]
    assert state["dealt"] == json.loads((await stored(table, 2)).state_json)["dealt"]
    question = await table.run("campaign end", campaign="Ladder")
    (public,) = (await table.press(question, "End it")).followups
    assert not public.ephemeral
    assert "**Ladder** is over" in said(public)


async def join(table: Table, panel: Any, deck: str) -> None:  # noqa: ANN401  # a message
    """Join a boss fight with a deck."""
    form = await table.press(panel, "Join")
    await table.ann.submit_modal(form, {"deck": deck, "name": "Ann"})
