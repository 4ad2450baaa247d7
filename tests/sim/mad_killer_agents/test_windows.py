"""Parts of the map to look at."""

import pytest

from sim.mad_killer_agents.battle.board import Board
from sim.mad_killer_agents.cards.map import Part, Window, around, blocks, window_of
from sim.mad_killer_agents.constants import MAX_SIDE, MIN_SIDE
from tests.sim.mad_killer_agents.builders import at, board, terrain

LAND = terrain(2, side=20)


@pytest.mark.parametrize(
    ("place", "window"),
    [
        ("J10", Window(5, 6, 9, 7)),
        ("A1", Window(0, 0, 9, 7)),
        ("T20", Window(11, 13, 9, 7)),
        ("T1", Window(11, 0, 9, 7)),
        ("E4", Window(0, 0, 9, 7)),
        ("F5", Window(1, 1, 9, 7)),
    ],
)
def test_the_window_around_an_army_stays_on_the_map(place: str, window: Window) -> None:
    assert around(board({}, ground=LAND), at(place, 20)) == window
    assert at(place, 20) in set(window.tiles(20))


def test_a_small_map_is_seen_whole() -> None:
    small = Board(8, 30, [1] * 240)
    assert around(small, 239) == Window(0, 23, 8, 7)
    assert Window(0, 0, 8, 8).name(8) == "A1 to H8"


def test_blocks_are_the_map_each_tile_once() -> None:
    for width, height in ((MIN_SIDE, MIN_SIDE), (20, 16), (11, 12), (MAX_SIDE, MAX_SIDE), (MIN_SIDE, MAX_SIDE)):
        every = blocks(width, height)
        assert sorted(tile for window in every for tile in window.tiles(width)) == list(range(width * height))
        assert max(max(window.columns, window.rows) for window in every) <= 11
        assert len(every) <= 16, "a list has 25 options at most"


def test_the_front_is_where_enemies_are_nearest() -> None:
    on = board({"A1": (1, 5), "C17": (1, 9), "E17": (2, 4), "T20": (2, 90)}, ground=LAND)
    assert window_of(on, Part.FRONT, 1) == around(on, at("D17", 20))
    assert window_of(on, Part.FRONT, 2) == around(on, at("D17", 20))
    assert window_of(on, Part.FRONT) == around(on, at("D17", 20))


def test_both_enemies_are_seen_however_far_they_are() -> None:
    on = board({"A1": (1, 5), "T2": (2, 4)}, ground=LAND)
    seen = set(window_of(on, Part.FRONT, 1).tiles(20))
    assert {at("A1", 20), at("T2", 20)} <= seen


def test_without_an_enemy_the_front_is_everywhere() -> None:
    on = board({"A1": (1, 5), "C3": (1, 5)}, ground=LAND)
    assert window_of(on, Part.FRONT, 1) == Window(0, 0, 20, 20) == window_of(on, Part.ALL, 1)


def test_the_strongest_army_is_the_player_s_own() -> None:
    on = board({"A1": (1, 5), "J10": (1, 50), "T20": (2, 90)}, ground=LAND)
    assert window_of(on, Part.ARMY, 1) == around(on, at("J10", 20))
    assert window_of(on, Part.ARMY, 2) == around(on, at("T20", 20))
    assert window_of(on, Part.ARMY, 3) == Window(0, 0, 20, 20)
