"""`/mka map`, `/mka battle`, `/mka simulate`: questions without a game."""

import json
from dataclasses import replace
from typing import Any

import pytest
from simcord import ResponseMessage

from bot.games.mad_killer_agents.questions import read_ais
from bot.games.mad_killer_agents.render import map_lines
from bot.store import OWN_WORK
from bot.store.queries import QueryRepository
from sim.core.dice import SeededDice, seed_bytes
from sim.mad_killer_agents.constants import AiKind
from sim.mad_killer_agents.tables import map_csv
from sim.mad_killer_agents.terrain import Drawing, Terrain, statistics
from tests.bot.conftest import Table, alt_of, answer, button, buttons_of, expect_in, files_of, form_values, text_of
from tests.bot.games.mad_killer_agents.wars import file


def plain_text(text: str) -> str:
    return text.replace("\\", "")


async def test_a_map_and_what_it_is_like(table: Table) -> None:
    message = await table.run("mka map", size="20x16", kind="mountains", seed=7)
    text = text_of(message)
    assert text.startswith("### 🗺️ 20 x 16 mountains\n-# The same again: size:20x16 kind:mountains seed:7\n```\nTV 1 ")
    assert "The largest land is " in text
    assert all(len(line) <= 28 for line in text.split("```")[1].splitlines())
    assert [attachment.filename for attachment in message.attachments] == ["map.png"]
    files = await files_of(await table.pressed(message, "Files"))
    assert list(files) == ["map.csv", "map.png", "map.json"]
    rows = files["map.csv"].decode("utf-8-sig").split()
    assert (len(rows), {len(row.split(",")) for row in rows}) == (16, {20})
    assert sum(json.loads(files["map.json"])["counts"]) == 320


async def test_another_map_and_the_form(table: Table) -> None:
    message = await table.run("mka map", size="9", kind="random", seed=1)
    assert text_of(message).startswith("### 🗺️ 9 x 9 random\n")
    await table.press(message, "Another one")
    assert "seed:1\n" not in text_of(message)
    form = await table.press(message, "Edit")
    assert form_values(form)["size"] == "9"
    await table.ann.submit_modal(form, {"size": "10x8", "kind": ["plateaus"], "without": "4", "seed": "12"})
    assert "-# The same again: size:10x8 kind:plateaus without:4 seed:12\n" in text_of(message)
    for values, sentence in (
        ({"size": "10x8", "kind": ["plateaus"], "without": "6", "seed": "1"}, "Without: plateaus leave out a value"),
        ({"size": "10x8", "kind": ["plateaus"], "without": "", "seed": "-1"}, "Seed: from 0 to "),
        ({"size": "10x8x3", "kind": ["random"], "without": "", "seed": "1"}, "Size: write columns x rows"),
    ):
        result = await table.fill(message, "Edit", values)
        assert sentence in plain_text(text_of(result.followups[0] if result.followups else answer(result)))


async def test_a_map_from_a_file_or_a_saved_one(table: Table) -> None:
    message = await table.run("mka map", file=file(name="our_land.csv"))
    assert plain_text(text_of(message)).startswith("### 🗺️ our_land.csv\n```\nTV 1   64")
    assert "Another one" not in buttons_of(message)
    saved = await table.run("roster save", name="Flat", kind="Mad Killer Agents map", file=file())
    assert "8 x 8 tiles: 64 of TV 1" in text_of(saved)
    offered = await table.ann.autocomplete(table.channel, "mka map", "saved", "fla")
    assert [choice["name"] for choice in offered] == ["Flat"]
    assert text_of(await table.run("mka map", saved="Flat")).startswith("### 🗺️ Flat\n")
    (reply,) = (await table.ann.slash(table.channel, "mka map", file=file("1,2,3"))).followups
    assert "A map has 8 to 40 tiles each way; this one is 3 x 1." in plain_text(text_of(reply))


@pytest.mark.parametrize(
    ("battle", "options", "lines", "alt"),
    [
        (
            "5@3 vs 2@1",
            {},
            [
                "### ⚔️ The attacker takes the tile, 5 units left",
                "⚔️ 5 units + 3 (tile value) = strength **8**",
            ],
            "tile, 5 units left. Attacker 5, no losses. Defender none left. Strength 8 against 3.",
        ),
        ("5@1 vs 5@1", {}, ["### ⚔️ Both sides are wiped out"], "Attacker none left. Defender none left."),
        (
            "9@1 vs 0@2",
            {"city": 2},
            ["1 drafted unit + 2 (tile value) + 2 (city) = strength **5**"],
            "Attacker 9 → 5. Drafted units none left. City destroyed. Strength 10 against 5.",
        ),
        (
            "20@1 vs 1@6",
            {"mountaineering": True},
            ["-# 20 times as many units: the larger side loses nobody."],
            "Attacker 20, no losses.",
        ),
        (
            "5@3 vs 7@2",
            {"drill": True, "masonry": True, "city": 1},
            ["+ 1 (Drill) = strength **9**", "+ 2 (city with Masonry) ="],
            "Attacker none left. Defender 7 → 2. City size 1. Strength 9 against 11.",
        ),
        ("10@5 vs 12@1", {}, ["✂️ **Better in parts:** "], "Better in parts: "),
    ],
)
async def test_a_battle_s_exact_result(
    table: Table, battle: str, options: dict[str, Any], lines: list[str], alt: str
) -> None:
    message = await table.run("mka battle", battle=battle, **options)
    for line in lines:
        assert line in text_of(message), text_of(message)
    assert alt in alt_of(message)
    files = await files_of(await table.pressed(message, "Files"))
    assert set(json.loads(files["battle.json"])) == {"result", "split"}


async def test_a_battle_on_a_mountain_takes_mountaineering(table: Table) -> None:
    reply = await table.run("mka battle", battle="5@6 vs 2@1")
    assert "5@6 is on a mountain; armies there need Mountaineering" in plain_text(text_of(reply))
    mended = await table.filled(reply, "Fix it", {"battle": "5@6 vs 2@1 mountaineering"})
    assert "= strength **11**" in text_of(mended)


async def make_old(table: Table, message: ResponseMessage, **changes: str) -> None:
    """Let an answer be one from before the query of a map or a battle knew an edition."""
    queries = table.bot.services[QueryRepository]
    stored = await queries.get(button(message, "Files").split(":")[1], OWN_WORK)
    assert stored is not None
    assert await queries.take(stored.id)
    request = json.loads(stored.request) | changes
    del request["edition"]
    await queries.put_back(replace(stored, request=json.dumps(request)))


async def test_an_old_answer_keeps_its_map(table: Table) -> None:
    message = await table.run("mka map", size="9x8", seed=7, private=True)
    new = await files_of(await table.pressed(message, "Files"))
    await make_old(table, message)
    old = await files_of(await table.pressed(message, "Files"))
    assert old["map.csv"] == map_csv(Drawing(width=9, height=8).draw(SeededDice(seed_bytes(7)), 2)) != new["map.csv"]
    shared = await table.pressed(message, "Share")
    assert "The same again" not in text_of(shared), "that seed gives another map by now"
    await table.press(message, "Another one")
    assert "The same again" in text_of(message)


async def test_an_old_answer_keeps_its_battle_on_a_mountain(table: Table) -> None:
    message = await table.run("mka battle", battle="5@5 vs 2@1")
    await make_old(table, message, battle="5@6 vs 2@1")
    assert "battle.json" in await files_of(await table.pressed(message, "Files"))
    refused = await table.fill(message, "Edit", {"battle": "5@6 vs 2@1"})
    assert "5@6 is on a mountain" in plain_text(text_of(refused.followups[0] if refused.followups else answer(refused)))


async def test_a_battle_that_can_not_be_read_is_mended(table: Table) -> None:
    reply = await table.run("mka battle", battle="5@9 vs 2@1 vs 3@1", private=True)
    assert reply.ephemeral
    text = text_of(reply)
    expect_in(text, "The tile value must be a whole number from 1 to 6, not '9'.", "Only two armies can fight.")
    mended = await table.filled(reply, "Fix it", {"battle": "5@3 vs 2@1"})
    assert text_of(mended).startswith("### ⚔️ The attacker takes the tile")
    offered = await table.ann.autocomplete(table.channel, "mka battle", "battle", "5@3")
    assert [choice["value"] for choice in offered] == ["5@3 vs 2@1"]


async def test_a_war_of_ais_with_its_film(table: Table) -> None:
    result = await table.ann.slash(
        table.channel, "mka simulate", players="marshal vs pillager", size="8x8", rounds=6, seed=3
    )
    message = answer(result)
    text = text_of(message)
    assert text.startswith("### 🤖 The ")
    assert " after " in text.splitlines()[0]
    assert all(len(line) <= 28 for line in text.split("```")[1].splitlines())
    assert "-# 🎲 Seed 3" in text
    assert [attachment.filename for attachment in message.attachments] == ["scores.png"]
    second = await table.page(message, 1)
    assert [attachment.filename for attachment in second.attachments] == ["war.gif"]
    files = await files_of(await table.pressed(message, "Files"))
    assert list(files) == ["simulation.json", "scores.png", "war.gif"]
    assert files["war.gif"].startswith(b"GIF89a")
    again = await table.run("mka simulate", players="marshal vs pillager", size="8x8", rounds=6, seed=3)
    assert text_of(again) == text


async def test_many_games_of_ais(table: Table) -> None:
    message = await table.run("mka simulate", players="2 random, marshal", games=4, size="8x8", rounds=4, seed=1)
    text = text_of(message)
    assert " of 4 games\n" in text.splitlines()[0] + "\n"
    expect_in(text, "random 1", "**marshal** wins ")
    files = await files_of(await table.pressed(message, "Files"))
    assert list(files) == ["simulation.json", "scores.png"]
    assert json.loads(files["simulation.json"])["games"] == 4
    await table.press(message, "Once more")
    assert "-# 🎲 Seed 1\n" not in text_of(message) + "\n"


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"players": "marshall vs random"}, "Players: there is no AI marshall. Did you mean marshal?"),
        ({"players": "marshal"}, "Players: 2 to 8 AIs are needed, such as: marshal, 2 pillager;"),
        ({"players": "9x marshal"}, "Players: 2 to 8 AIs are needed"),
        ({"players": "marshal, random 2"}, "Players: 2 of which AI? There are random, pillager, barbarian, marshal."),
        ({"players": "2 3 random"}, "Players: how many 3? Write a number and an AI, such as: 2 pillager."),
        ({"players": "barbarian vs random"}, "A barbarian needs more than 2 players."),
        ({"players": "3 marshal", "size": "7x7"}, "Size: a map has 8 to 40 tiles each way, not 7 x 7."),
        (
            {"players": "8 marshal", "games": 200, "rounds": 500, "size": "40x40"},
            "These games would take too long together",
        ),
    ],
)
async def test_a_simulation_that_can_not_be_is_refused_and_mended(
    table: Table, options: dict[str, Any], sentence: str
) -> None:
    reply = await table.run("mka simulate", **options)
    assert reply.ephemeral
    assert sentence in plain_text(text_of(reply))
    form = await table.press(reply, "Fix it")
    values = {"players": "2 random", "games": "1", "rounds": "2", "size": "8x8", "kind": ["random"]}
    assert text_of(answer(await table.ann.submit_modal(form, values))).startswith("### 🤖 ")


async def test_sizes_are_offered(table: Table) -> None:
    offered = await table.ann.autocomplete(table.channel, "mka new", "size", "2")
    assert [choice["value"] for choice in offered] == ["20x20", "24x16"]


@pytest.mark.parametrize(
    "text", ["marshal x2, random", "2 marshal + random", "2x marshals random", "x2 marshal and random"]
)
def test_how_many_of_an_ai_stands_before_or_behind_it(text: str) -> None:
    assert read_ais(text) == (AiKind.MARSHAL, AiKind.MARSHAL, AiKind.RANDOM)


def test_bars_of_a_map_are_as_long_as_its_shares_and_fit_a_phone() -> None:
    terrain = Terrain(rows=("1" * 40,) * 22 + ("2" * 40,) * 18)
    rows = next(map_lines(terrain, statistics(terrain))).splitlines()[1:7]
    assert [row.count("█") for row in rows] == [10, 8, 0, 0, 0, 0]
    assert max(map(len, rows)) == 28
