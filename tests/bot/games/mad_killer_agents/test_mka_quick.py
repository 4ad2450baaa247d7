"""The quick war: its buttons, and a whole one that is played from its texts alone."""

import math
import re
from collections.abc import Mapping
from typing import NamedTuple

import pytest
from simcord import ResponseMessage

from tests.bot.conftest import Table, alt_of, answer, said
from tests.bot.games.mad_killer_agents.wars import orders, press_turn
from tests.bot.payloads import BUTTON, SELECT, components

pytestmark = pytest.mark.usefixtures("war_dice")


async def quick(table: Table, **options: object) -> tuple[ResponseMessage, ResponseMessage]:
    """Type `/mka new`; return the panel and the turn message below it."""
    result = await table.ann.slash(table.channel, "mka new", **options)
    (turn,) = result.followups
    return answer(result), turn


async def test_a_turn_has_twelve_buttons_at_most_and_none_is_dead(table: Table) -> None:
    _, turn = await quick(table, against="marshal", seed=3)
    for _ in range(15):
        nodes = list(components(turn.components))
        buttons = [node for node in nodes if node["type"] == BUTTON]
        assert len(buttons) <= 12
        assert not any(node.get("disabled") or node.get("label") in {None, "", "—"} for node in buttons)
        assert len([node for node in nodes if node["type"] == SELECT]) <= 2
        await press_turn(table, turn, "grow" if any("grow" in node["custom_id"] for node in buttons) else "end-turn")
        if not any(str(node.get("custom_id")).endswith(":end-turn") for node in components(turn.components)):
            return


PLACE = re.compile(r"([A-Z]+)([0-9]+): (?:no army|([0-9,]+) of (.+?))(?: in a city of size ([0-9]+))?(?:, (.*))?$")


class Place(NamedTuple):
    """What a player reads about a tile."""

    units: int
    mine: bool
    city: int


class Read(NamedTuple):
    """A map as a player reads it: by (row, column), from 1."""

    places: Mapping[tuple[int, int], Place]
    values: Mapping[tuple[int, int], int]


def read_map(text: str) -> Read:
    places: dict[tuple[int, int], Place] = {}
    values: dict[tuple[int, int], int] = {}
    for line in text.splitlines():
        if found := PLACE.match(line):
            column, row, units, whose, size, rest = found.groups()
            mine = "yours" in {whose, rest.split(",")[0] if rest else None}
            at = int(row), ord(column) - ord("A") + 1
            places[at] = Place(int((units or "0").replace(",", "")), mine, int(size or 0))
        elif found := re.match(r"Row ([0-9]+): (.*)$", line):
            values |= {(int(found[1]), at): int(value) for at, value in enumerate(found[2].split(), start=1)}
    return Read(places, values)


def name(at: tuple[int, int]) -> str:
    return f"{chr(ord('A') + at[1] - 1)}{at[0]}"


def near(read: Read, at: tuple[int, int]) -> list[tuple[int, int]]:
    row, column = at
    around = [(row + y, column + x) for y in (-1, 0, 1) for x in (-1, 0, 1) if x or y]
    return [tile for tile in around if read.values.get(tile, 6) < 6]


def plan(read: Read) -> str:
    """Return a turn's orders: grow small cities, send what is strong at the nearest enemy, and strike to win."""
    foes = {at: place for at, place in read.places.items() if not place.mine}
    given = []
    for at, place in read.places.items():
        if not place.mine or not place.units:
            continue
        here = name(at)
        beside = [tile for tile in near(read, at) if tile in foes]
        weak = [t for t in beside if place.units + read.values[at] > foes[t].units + foes[t].city + read.values[t] + 1]
        if weak:
            given.append(f"{here} attack {name(weak[0])}")
        elif place.city and place.city < 3:
            given.append(f"{here} grow")
        elif place.units >= 30 and not beside and foes:
            way = min(near(read, at), key=lambda tile: min(math.dist(tile, foe) for foe in foes))
            given.append(f"{here}-{name(way)} {place.units - 5 if place.city else place.units}")
    return "; ".join([*given[:40], "end"])


async def test_a_whole_quick_war_is_played_from_its_texts_alone(table: Table) -> None:
    """The player reads the page "Map as text", types orders, and reads what couldn't be done: no picture, no state."""
    panel, turn = await quick(table, seed=11)
    places = re.findall(r"([A-Z]+[0-9]+): ([0-9]+) of (yours|[A-Z]\w+'s) in a city of size 1", alt_of(turn))
    assert [whose for _, _, whose in places][:1] == ["yours"]
    fights = 0
    for _ in range(40):
        if "'s turn" not in said(panel).splitlines()[0]:
            break
        page = said(await table.pressed(panel, "Map as text"))
        read = read_map(page)
        assert (len(read.values), sum(place.mine for place in read.places.values()) > 0) == (100, True), page
        told = said(answer(await orders(table, plan(read), table.ann)))
        fights += "attacks" in told
        if "wasn't done" in told or "isn't possible" in told:
            answer(await orders(table, "end", table.ann))
    assert said(panel).splitlines()[0] == "### #1 Mad Killer Agents: 🏆 🟠 ann wins after 15 rounds"
    assert fights
    assert re.match(r"ann wins by [0-9,]+ points after 15 rounds\. The winner led ", alt_of(panel))
