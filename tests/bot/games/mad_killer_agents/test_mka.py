"""`/mka map`, `/mka battle`, `/mka simulate`: questions without a game."""

import json
import re
from dataclasses import replace
from typing import Any

import pytest
from simcord import ResponseMessage

from bot.games.mad_killer_agents.questions import MapQuery, SimulateQuery, read_ais
from bot.games.mad_killer_agents.render import statistics_lines
from bot.store import OWN_WORK
from bot.store.queries import QueryRepository
from sim.core import RuleError
from sim.core.dice import SeededDice, seed_bytes
from sim.mad_killer_agents.constants import RULES_VERSION, AiKind
from sim.mad_killer_agents.requests import map_csv
from sim.mad_killer_agents.terrain import Drawing, Terrain, statistics
from tests.bot.battles.fights import told
from tests.bot.conftest import Table, button, files_of, text_of
from tests.tables import kept_table


@pytest.mark.parametrize(("options", "sentence"), kept_table(__file__, "maps_refused"))
def test_a_map_that_can_not_be_drawn(options: dict[str, Any], sentence: str) -> None:
    assert MapQuery(size="9").drawing == Drawing(width=9, height=9)
    with pytest.raises(RuleError, match=re.escape(sentence)):
        _ = MapQuery(**options).drawing


@pytest.mark.parametrize(("options", "sentence"), kept_table(__file__, "games_refused"))
def test_games_that_can_not_be_simulated(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(RuleError, match=re.escape(sentence)):
        SimulateQuery(seed=1, **options).request()


@pytest.mark.parametrize("old", [MapQuery(), SimulateQuery(players="marshal, random", seed=1)])
def test_what_is_edited_goes_by_todays_rules(old: MapQuery | SimulateQuery) -> None:
    assert old.edition < RULES_VERSION == old.filled({}).edition


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
    await table.press(message, "Draw another")
    assert "The same again" in text_of(message)


async def test_an_old_answer_keeps_its_battle_on_a_mountain(table: Table) -> None:
    message = await table.run("mka battle", battle="5@5 vs 2@1")
    await make_old(table, message, battle="5@6 vs 2@1")
    assert "battle.json" in await files_of(await table.pressed(message, "Files"))
    refused = await table.fill(message, "Edit", {"battle": "5@6 vs 2@1"})
    assert "5@6 is on a mountain" in told(refused)


@pytest.mark.parametrize(
    "text", ["marshal x2, random", "2 marshal + random", "2x marshals random", "x2 marshal and random"]
)
def test_how_many_of_an_ai_stands_before_or_behind_it(text: str) -> None:
    assert read_ais(text) == (AiKind.MARSHAL, AiKind.MARSHAL, AiKind.RANDOM)


def test_bars_of_a_map_are_as_long_as_its_shares_and_fit_a_phone() -> None:
    terrain = Terrain(rows=("1" * 40,) * 22 + ("2" * 40,) * 18)
    rows = next(statistics_lines(terrain, statistics(terrain))).splitlines()[1:7]
    assert [row.count("█") for row in rows] == [10, 8, 0, 0, 0, 0]
    assert max(map(len, rows)) == 28
