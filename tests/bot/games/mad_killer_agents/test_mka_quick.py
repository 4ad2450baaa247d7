"""The quick war: one press from nothing to the first order, and a whole one played from its texts alone."""

import math
import re
from collections.abc import Mapping
from typing import NamedTuple

import pytest
from simcord import MemberActor, ResponseMessage

from bot.battles.presenter import DropIn, Presenters
from tests.bot.battles.fights import stored
from tests.bot.conftest import Table, alt_of, answer, buttons_of, expect_in, files_of, said, text_of
from tests.bot.games.mad_killer_agents.wars import file, orders, press_turn, state_of, turn_message
from tests.bot.payloads import BUTTON, SELECT, components

pytestmark = pytest.mark.usefixtures("war_dice")


async def quick(table: Table, **options: object) -> tuple[ResponseMessage, ResponseMessage]:
    """Type `/mka new`; return the panel and the turn message below it."""
    result = await table.ann.slash(table.channel, "mka new", **options)
    (turn,) = result.followups
    return answer(result), turn


async def test_a_quick_war_with_friends_waits_for_them(table: Table) -> None:
    panel = await table.run("mka new", length="friends")
    expect_in(said(panel), "⏱️ **15 rounds, 12 hours a turn**", "-# Needs 2 players, people or AIs.")
    expect_in(said(panel), "🗺️ 10 x 10 tiles, mountains; the map appears at the start")


async def test_a_map_without_room_leaves_a_lobby_that_says_so(table: Table) -> None:
    peaks = "\n".join([",".join("6" * 8)] * 8)
    panel = await table.run("mka new", map=file(peaks))
    assert "Begin" in buttons_of(panel)
    refused = (await table.press(panel, "Begin")).followups[-1]
    assert "no connected land for 2 players" in said(refused)


async def test_a_rematch_of_a_quick_war_begins_at_once(table: Table) -> None:
    panel, _ = await quick(table, rounds=1)
    await orders(table, "end", table.ann)
    assert not (await stored(table)).is_open
    again = await table.pressed(panel, "Rematch")
    assert "round 1 of 1, 🟠 ann's turn" in said(again)
    assert (await stored(table, 2)).seats_of(table.ann.id) == ("player-1",)


async def test_a_war_that_is_ended_early_is_nobody_s_turn(table: Table) -> None:
    panel, turn = await quick(table)
    setup = (await state_of(table)).setup
    assert (setup.rounds, setup.turn_minutes, setup.drawing.width) == (15, 720, 10)
    assert list(await files_of(turn)) == ["map.png"]
    expect_in(said(panel), "-# 🤖 Pillager: ruins the land", "🏆 **Win:** have the most points after 15 rounds")
    assert "ann, on turn: " in alt_of(panel)
    listed = text_of(await table.run("battle list"))
    assert f": <@{table.ann.id}>, Pillager (AI)" in listed, "named once: she is ann in the game, too"
    await table.surely("battle end")
    assert said(panel).startswith("### #1 Mad Killer Agents: ended, round 1 of 15\n")
    assert "▶️" not in said(panel)
    assert "on turn" not in alt_of(panel)
    assert "turn" not in text_of(await table.run("battle list"))


async def test_a_turn_has_twelve_buttons_at_most_and_none_is_dead(table: Table) -> None:
    _, turn = await quick(table, against="marshal", seed=3)
    for _ in range(15):
        nodes = list(components(turn.components))
        buttons = [node for node in nodes if node["type"] == BUTTON]
        assert len(buttons) <= 12
        assert not any(node.get("disabled") or node.get("label") in {None, "", "—"} for node in buttons)
        assert len([node for node in nodes if node["type"] == SELECT]) <= 2
        await press_turn(table, turn, "grow" if any("grow" in node["custom_id"] for node in buttons) else "end-turn")
        if not order_there(turn):
            return


def order_there(turn: ResponseMessage) -> bool:
    return any(str(node.get("custom_id")).endswith(":end-turn") for node in components(turn.components))


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


async def test_a_friend_takes_over_from_the_ai_and_such_a_war_is_not_rated(table: Table, judge: MemberActor) -> None:
    panel, _ = await quick(table)
    await table.press(await table.run("battle referee", by=judge), "Close joining", by=judge)
    assert "Take over from Pillager" not in buttons_of(panel)
    await table.press(await table.run("battle referee", by=judge), "Open joining", by=judge)
    refused = await table.press(panel, "Take over from Pillager")
    expect_in(text_of(answer(refused)), "You are already in this battle")
    await table.press(panel, "Take over from Pillager", by=table.ben)
    assert (await stored(table)).seats_of(table.ben.id) == ("player-2",)
    await orders(table, "end", table.ann)
    assert "ben's turn" in said(panel)
    assert (await turn_message(table, panel, table.ben)).ephemeral
    assert "Take over from Pillager" not in buttons_of(panel)
    presenter = table.bot.services[Presenters].of("mka")
    assert isinstance(presenter, DropIn)
    assert not presenter.is_contest(await state_of(table))
