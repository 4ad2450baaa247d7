"""What flows on in linked battles of each game: hit points, experience, levels, a boss's wounds.

The last test runs linked battles of Marked for Death by hand, too: in a terminal, with edited rosters. What the
commands answer is in the scenes of campaigns (tests/bot/snapshots).
"""

import codecs
import csv
import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from simcord import ResponseMessage

from bot.campaigns.render import Cast, campaign_card
from bot.campaigns.repository import Campaign, CampaignRepository, CampaignRow
from bot.store.database import Database
from sim.__main__ import main
from sim.core.campaign import ForcesReport, Veteran
from sim.jobs import system
from sim.jobs.campaign import TakeUp, campaign_rules
from tests.bot.battles.fights import begin, end, stored, stranger
from tests.bot.conftest import Table, alt_of, answer, buttons_of, expect_in, fix_seed, form_values, said
from tests.bot.games.mad_killer_agents import wars
from tests.bot.games.marked_for_death.test_mfd import file
from tests.sim.marked_for_death.builders import HEADER

HEROES = f"{HEADER}\nKakashi,6000,,8,0.2,0.1,2,,\nTom,2500,,4,0.1,,,Kakashi,\nIno,1200,500,3,,,,,\n"
VILLAINS = (
    f"{HEADER}\nZabuza,4000,,3,0.1,,,,\nHaku,2500,,1,,,,Zabuza,\n",
    f"{HEADER}\nKisame,4500,,3,0.1,,,,\nItachi,3000,,1,0.15,,,,\n",
    f"{HEADER}\nPain,6500,,5,0.2,,2,,\n",
)
FILES = ("BattleLog.txt", "Heroes-final.csv", "Villains-final.csv")


async def campaign(table: Table, command: str, **options: Any) -> ResponseMessage:  # noqa: ANN401  # options are of all kinds
    """Give a command of `/campaign` as Ann; return the answer, or the private refusal after a deferred one."""
    result = await table.ann.slash(table.channel, f"campaign {command}", **options)
    return result.followups[-1] if result.followups else answer(result)


async def fought(table: Table, panel: ResponseMessage, label: str = "Fight to the end") -> None:
    """Press until the battle is over, and wait until its end is taken up."""
    await table.press(panel, label)
    await table.settled()


async def unzipped(table: Table) -> dict[str, bytes]:
    """Return the files of a campaign by their paths."""
    (sent,) = (await table.pressed(await campaign(table, "show"), "Files")).attachments
    with zipfile.ZipFile(io.BytesIO(await sent.read())) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def seeded(monkeypatch: pytest.MonkeyPatch, number: int) -> bytes:
    """Give the battles that open from now on a seed, and return it."""
    seed = number.to_bytes(32, "big")
    fix_seed(monkeypatch, seed)
    return seed


async def test_a_battle_that_is_deleted_is_dropped(table: Table) -> None:
    await begin(table, "12 tanks vs 6 inf")
    await campaign(table, "new", name="Eastern Front", battle=1)
    await table.bot.services[Database].execute("DELETE FROM battles")
    expect_in(said(await campaign(table, "show")), "No battle yet.")
    expect_in(said(await campaign(table, "show", campaign=" ")), "Give the name of a campaign.")
    expect_in(said(await campaign(table, "new", name="War", game=" ")), "That has no campaigns. These have: ")


def test_the_picture_tells_of_who_fell_healed_and_fell_again() -> None:
    rules = campaign_rules(system("mfd-battle"))
    side, at, rows = rules.sides[0].name, Campaign(1, 1, 1, "Siege", "mfd-battle", 0, None, 2), []
    for n, battle_id, left in ((1, 1, 0), (2, None, 5), (3, 2, 0)):
        veterans = tuple(Veteran(side=side, name=name, left=hp, most=5) for name, hp in (("Tom", left), ("Ino", 3)))
        forces = ForcesReport(forces_json="", veterans=veterans)
        rows.append(CampaignRow(n, battle_id, 1, n, None, "", forces, (), 1))
    assert getattr(campaign_card(at, rules, Cast(rows, {}, {})), "caption", None) == "Heroes lost Tom."


async def rows_of(table: Table) -> list[CampaignRow]:
    repository = table.bot.services[CampaignRepository]
    (found,) = await repository.of_guild(table.ann.guild.id)
    return await repository.rows(found.id)


async def setup_of(table: Table, number: int) -> dict[str, Any]:
    setup: dict[str, Any] = json.loads((await stored(table, number)).setup_json)
    return setup


async def test_duelists_keep_hit_points_and_learn_and_enough_experience_is_a_level(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    seeded(monkeypatch, 5)
    await campaign(table, "new", name="Arena", game="B/X duel")
    await fought(table, await campaign(table, "next", own="Brenna 90 hp str +2 1d8", foe="3 x wolf 4 hp 1d6"))
    (row,) = await rows_of(table)
    brenna, *wolves = row.forces.veterans
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
    await table.settled()
    assert (await rows_of(table))[1].forces.veterans[0].most == 90, "and can heal later"
    reply = said(await table.pressed(await campaign(table, "show"), "Rest"))
    expect_in(reply, "The living are back to full hit points", "Brenna 90/90 HP, level 1, 50 XP")
    form = await table.press(await campaign(table, "show"), "Heal")
    await table.ann.submit_modal(form, {"amounts": "Brenna: 100, 1950 XP"})
    assert (await rows_of(table))[-1].forces.veterans[0].left == 90, "healing is never above the maximum"
    await fought(table, await campaign(table, "next", foe="goblin 2 hp 1d6"))
    brenna = (await rows_of(table))[-1].forces.veterans[0]
    assert (brenna.experience, brenna.level) == (2010, 2)
    assert 91 <= brenna.most <= 98


async def test_a_boss_keeps_its_wounds_and_gives_way_to_the_next(table: Table) -> None:
    await campaign(table, "new", name="Ladder", game="Boss fight")
    expect_in(said(await campaign(table, "next", foe="Mosback")), "Did you mean Mossback?")
    panel = await campaign(table, "next", foe="Mossback")
    await join(table, panel, "hero: V, Assassin, Elixir, Epic, Fairy @Fire; mine: Fang (9000/9000/0)")
    await fought(table, panel, "Fight to the end")
    (row,) = await rows_of(table)
    member, boss = row.forces.veterans
    assert (member.name, member.fallen, boss.name) == ("Member 1", False, "Tin Colossus"), "no name is kept"
    expect_in(said(await campaign(table, "show")), "**Party** · ann ", "⭐ ann: 1 kill")
    expect_in(row.forces.summary, "Next: Tin Colossus, rung 2 of 7; 1 beaten so far")
    panel = await campaign(table, "next")
    await join(table, panel, "hero: V, Assassin, Elixir, Epic, Fairy @Fire")
    await table.press(panel, "Strike with the best")
    await end(table, by=stranger(table, manage_messages=True), number=2)
    await table.settled()
    boss = (await rows_of(table))[1].forces.veterans[-1]
    assert 0 < boss.left < boss.most, "it keeps its wounds"
    await campaign(table, "next")
    state = json.loads((await stored(table, 3)).state_json)
    assert state["dealt"] == (await setup_of(table, 3))["dealt"]
    assert state["dealt"] == json.loads((await stored(table, 2)).state_json)["dealt"]
    question = await table.pressed(await campaign(table, "show"), "End it")
    (public,) = (await table.press(question, "End it")).followups
    assert not public.ephemeral
    assert "**Ladder** is over" in said(public)
    expect_in(said(await campaign(table, "next")), "All campaigns of this server have ended.")


async def join(table: Table, panel: Any, deck: str) -> None:  # noqa: ANN401  # a message
    """Join a boss fight with a deck."""
    await table.fill(panel, "Join with your own", {"deck": deck, "name": "Ann"})


def by_hand(folder: Path, heroes: bytes, villains: bytes, seed: bytes) -> dict[str, bytes]:
    """Run a battle in the terminal and return its files."""
    folder.mkdir()
    (folder / "h.csv").write_bytes(heroes)
    (folder / "v.csv").write_bytes(villains)
    arguments = ["--heroes", str(folder / "h.csv"), "--villains", str(folder / "v.csv"), "--live", seed.hex()]
    assert main(["mfd", *arguments, "--out", str(folder / "out")]) == 0
    return {name: (folder / "out" / name).read_bytes() for name in FILES}


def edited(roster: bytes, edit: Callable[[dict[str, str]], None]) -> bytes:
    """Return a roster with every row edited, as somebody would in a spreadsheet."""
    reader = csv.DictReader(io.StringIO(roster.decode("utf-8-sig")))
    rows = list(reader)
    out = io.StringIO()
    writer = csv.DictWriter(out, reader.fieldnames or ())
    writer.writeheader()
    for row in rows:
        edit(row)
        writer.writerow(row)
    return out.getvalue().encode()


def rest(row: dict[str, str]) -> None:
    """Give whoever stands all HP again and take their exhaustion."""
    whole = {"Kakashi": ("8", "0.1"), "Tom": ("4", ""), "Ino": ("3", "")}
    if 2 + int(row["BonusHP"] or 0) > 0 and row["Name"] in whole:
        row["BonusHP"], row["BonusToDefend"] = whole[row["Name"]]


async def test_three_linked_battles_equal_those_run_by_hand(
    table: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seeds = [seeded(monkeypatch, 101)]
    opened = await table.ann.slash(table.channel, "mfd start", heroes=file(HEROES), villains=file(VILLAINS[0]))
    expect_in(
        said(await campaign(table, "new", name="Siege of Konoha", battle=1)),
        "🚩 **Siege of Konoha** · Marked for Death · founded by",
        "**1.** [#1](https://discord.com/channels/",
        "goes on",
    )
    await fought(table, answer(opened))
    expect_in(
        said(await table.pressed(await campaign(table, "show"), "Rest")),
        "🩹 A rest. Everyone still standing is back to full HP",
        "Kakashi 10/10 HP",
    )

    seeds.append(seeded(monkeypatch, 202))
    await fought(table, await campaign(table, "next", foe_file=file(VILLAINS[1])))
    form = await table.press(await campaign(table, "show"), "Heal")
    healed = await table.ann.submit_modal(form, {"amounts": "Kakashi: 2, 300 XP\nTom: +3\nIno = 0, 1000 xp"})
    expect_in(said(answer(healed)), "By hand: Kakashi +2 HP, +300 XP; Tom +3 HP; Ino +1,000 XP.")

    seeds.append(seeded(monkeypatch, 303))
    await fought(table, await campaign(table, "next", foe_file=file(VILLAINS[2])))
    linked = await unzipped(table)

    first = by_hand(tmp_path / "1", HEROES.encode(), VILLAINS[0].encode(), seeds[0])
    heroes = edited(first["Heroes-final.csv"], rest)
    second = by_hand(tmp_path / "2", heroes, VILLAINS[1].encode(), seeds[1])

    def care(row: dict[str, str]) -> None:
        healing, xp = {"Kakashi": (2, 300), "Tom": (3, 0), "Ino": (0, 1000)}[row["Name"]]
        row["BonusHP"] = str(int(row["BonusHP"] or 0) + healing)
        row["XP"] = str(int(row["XP"]) + xp)

    heroes = edited(second["Heroes-final.csv"], care)
    third = by_hand(tmp_path / "3", heroes, VILLAINS[2].encode(), seeds[2])
    for number, files in enumerate((first, second, third), start=1):
        for name, data in files.items():
            assert linked[f"{number:03}/{name}"].removeprefix(codecs.BOM_UTF8) == data, f"{name} of battle {number}"
    assert linked["now/Heroes-final.csv"] == codecs.BOM_UTF8 + third["Heroes-final.csv"]
    assert third["Heroes-final.csv"] != first["Heroes-final.csv"]
    assert {name.split("/")[-1] for name in linked} == {*FILES, "history.csv"}
    assert b"Round 2" in third["BattleLog.txt"]


async def killed(table: Table, monkeypatch: pytest.MonkeyPatch, heroes: str = HEROES) -> None:
    """Fight a battle of a campaign of Marked for Death in which all villains fell."""
    seeded(monkeypatch, 101)
    opened = await table.ann.slash(table.channel, "mfd start", heroes=file(heroes), villains=file(VILLAINS[0]))
    await campaign(table, "new", name="Siege", battle=1)
    await fought(table, answer(opened))


async def state_of(table: Table, side: str) -> dict[str, bool]:
    """Return who of a side fell, as the last row of the only campaign has it."""
    return {one.name: one.fallen for one in (await rows_of(table))[-1].forces.veterans if one.side == side}


async def test_the_dead_stay_dead_unless_they_are_asked_back(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    await killed(table, monkeypatch)
    assert await state_of(table, "villains") == {"Zabuza": True, "Haku": True}
    refused = await campaign(table, "next", foe_file=file(VILLAINS[0]))
    expect_in(
        said(refused), "None of the villains can fight", "Zabuza and Haku died in an earlier battle and stay dead"
    )
    assert buttons_of(refused) == ["Rest", "Heal"]
    mixed = VILLAINS[0] + VILLAINS[1].removeprefix(f"{HEADER}\n")
    told = await campaign(table, "next", foe_file=file(mixed))
    expect_in(said(told), "💀 Zabuza and Haku died in an earlier battle and stay dead")
    down = {"Zabuza": True, "Haku": True, "Kisame": False, "Itachi": False}
    assert await state_of(table, "villains") == down


async def test_who_fell_deep_needs_more_and_comes_back_where_that_is_asked_for(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    await killed(table, monkeypatch, HEROES.replace("6000", "60000"))
    assert alt_of(await campaign(table, "show")).endswith("Villains lost everyone.")
    form = await table.press(await campaign(table, "show"), "Heal")
    expect_in(form_values(form)["amounts"], "Zabuza: 0 (-")
    expect_in(said(await campaign(table, "next", foe_file=file(VILLAINS[0]), revive=True)), "#2 Marked for Death")
    assert not any((await state_of(table, "villains")).values())


async def test_the_ais_of_a_war_come_again_and_people_join_by_themselves(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(TakeUp, "cost", lambda job: 9.0 * bool(job.events))  # as that of a war of weeks
    panel = await table.run("mka new")
    await end(table)
    page = await table.pressed(panel, "Next chapter")
    expect_in(said(page), "**Players** · ann 2", "**AIs** · Pillager 20/20 units", "Next: a war against 1 AI; 0 won ")
    expect_in(alt_of(page), "Battle 1: nobody won.")
    form = await table.press(page, "Heal")
    (refusal,) = (await table.ann.submit_modal(form, {"amounts": "Pillager: 5"})).followups
    expect_in(said(refusal), "there is nobody to heal")
    panel = await table.pressed(page, "Next battle")
    await wars.join(table, panel, table.ben)
    await wars.join(table, panel, table.ann)
    await table.ann.submit_modal(await table.press(panel, "Remove an AI"), {"number": ["1"]})
    await table.press(panel, "Begin", by=table.ben)
    assert [player.name for player in (await wars.state_of(table, 2)).players] == ["ben", "ann"]
    asked = await table.pressed(await table.pressed(panel, "Manage seat"), "Resign …")
    await table.press(asked, "Resign")
    await table.settled()
    expect_in(alt_of(await campaign(table, "show")), "Battle 2: Players won.")
    expect_in(said(await campaign(table, "next", foe="marshal, pilager")), "There is no AI called 'pilager'")
    expect_in(said(await campaign(table, "next", foe="marshal, random")), "Marshal", "Random")


@pytest.mark.parametrize(("gone", "name"), [(False, "ann"), (True, "Player 1")])
async def test_who_left_the_server_keeps_a_name_as_long_as_the_account(table: Table, gone: bool, name: str) -> None:
    panel = await table.run("boss start", boss="Mossback")
    await join(table, panel, "hero: V, Assassin, Elixir, Epic, Fairy @Fire; mine: Fang (9000/9000/0)")
    await fought(table, panel, "Fight to the end")
    table.env.inject_error("GET", f"/guilds/{table.ann.guild.id}/members/{table.ann.id}", status=404, code=10007)
    if gone:
        table.env.inject_error("GET", f"/users/{table.ann.id}", status=404, code=10013)
    expect_in(said(await table.pressed(panel, "Next chapter")), f"**Party** · {name} ")
