"""Pictures of the map: its parts, what they show, and how large."""

import io
import itertools

import pytest
from PIL import Image

from sim.core.cards.png import cell_picture
from sim.core.cards.theme import rgb
from sim.core.dice import SeededDice
from sim.core.errors import RuleError
from sim.mad_killer_agents.battle.board import Army, Board
from sim.mad_killer_agents.cards.looks import (
    COLORS,
    PATTERNS,
    PLAYERS,
    TERRAIN,
    brightness,
    land,
    line_color,
    short_count,
    tile_cell,
)
from sim.mad_killer_agents.cards.map import Part, Window, around, blocks, draw_map, window_of
from sim.mad_killer_agents.constants import MAX_SIDE, MIN_SIDE
from sim.mad_killer_agents.requests import PictureRequest
from tests.sim.mad_killer_agents.builders import at, begin_game, board, terrain


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


LAND = terrain(2, side=20)


def drawn(*arguments: object, **options: object) -> Image.Image:
    image = Image.open(io.BytesIO(draw_map(*arguments, **options).png()))  # type: ignore[arg-type]  # those of draw_map
    assert image.format == "PNG"
    return image.convert("RGB")


def count(image: Image.Image, color: str) -> int:
    """Return the number of pixels of a color."""
    found = image.getcolors(1 << 20) or []
    return sum(number for number, pixel in found if pixel == rgb(color))


@pytest.mark.parametrize(("width", "height"), [(8, 8), (8, 40), (40, 8), (20, 20), (40, 40)])
def test_every_map_is_as_wide_as_a_card(width: int, height: int) -> None:
    image = drawn(Board(width, height, [1 + tile % 6 for tile in range(width * height)]))
    assert image.width == 800
    assert image.height <= 1100


@pytest.mark.parametrize(("side", "armies"), [(12, 9), (20, 25), (40, 100)])
def test_a_map_is_light(side: int, armies: int) -> None:
    """All land is somebody's, a tile here and there another's; every player has that many armies."""
    dice = SeededDice(b"light")
    rolls = [dice.roll(8) for _ in range(side * side)]
    on = Board(side, side, [1 + (roll * 5 + tile // 3) % 6 for tile, roll in enumerate(rolls)])
    on.owners = [1 + tile % side * 2 // side if roll > 2 else roll for tile, roll in enumerate(rolls)]
    for tile in range(0, side * side, side * side // (2 * armies)):
        on.armies[tile] = Army(on.owners[tile], 1 + tile * 7 % 90, 2)
    assert len(draw_map(on).png()) < 30_000


def test_the_land_of_each_owner_is_bordered_within_the_owner_s_tiles() -> None:
    """Two tiles of one owner side by side: a line around both, none between them, none on nobody's land."""
    on = board({}, ground=terrain(1, side=8))
    on.owners[at("B2", 8)] = on.owners[at("C2", 8)] = 2
    tile = cell_picture(tile_cell(1, 2, (True, True, True, False), 40))
    assert [tile.getpixel((x, 20)) for x in (0, 1, 2, 39)] == [rgb(PLAYERS[2])] * 2 + [land(1, 2)] * 2
    assert [tile.getpixel((20, y)) for y in (0, 1, 37, 38, 39)] == [rgb(PLAYERS[2])] * 2 + [land(1, 2)] + [
        rgb(PLAYERS[2])
    ] * 2
    image = drawn(on)
    size, left, top = 93, 42, 34
    inside = [image.getpixel((left + 2 * size + step, top + size + size * 2 // 3)) for step in (-2, -1, 1, 2)]
    assert rgb(PLAYERS[2]) not in inside
    outer = [image.getpixel((left + size + step, top + size + size * 2 // 3)) for step in (-1, 0, 1, 2)]
    assert [color == rgb(PLAYERS[2]) for color in outer] == [False, True, True, False]


def test_a_part_of_the_map_shows_the_tiles_values() -> None:
    """Whole, a large map is without them: tiles of one color are plain."""
    on = board({"A1": (1, 5)}, ground=LAND)
    assert text_pixels(drawn(on)) == 0
    assert text_pixels(drawn(on, window=around(on, at("J10", 20)))) > 0


def text_pixels(image: Image.Image) -> int:
    """Count pixels of neither the land nor the lines between tiles, in the middle of the map."""
    plain = {rgb(TERRAIN[2]), rgb(TERRAIN[0])}
    found = image.crop((300, 200, 600, 400)).getcolors(1 << 20) or []
    return sum(number for number, pixel in found if pixel not in plain)


def test_crowded_small_armies_are_dots_and_large_ones_keep_their_count() -> None:
    """Eight 1s around 900 on small tiles: its count needs their room, and no count is drawn over another."""
    ground = terrain(2, side=40)
    around_it = {f"{column}{row}": (2, 1) for column, row in itertools.product("TUV", (19, 20, 21))}
    alone = drawn(board({"U20": (1, 900)}, ground=ground))
    crowded = drawn(board(around_it | {"U20": (1, 900)}, ground=ground))
    assert count(crowded, PLAYERS[1]) > 300
    assert count(crowded, PLAYERS[1]) < count(alone, PLAYERS[1]), "alone it is written larger"


def test_the_chosen_army_is_marked() -> None:
    on = board({"J10": (1, 5)}, ground=LAND)
    window = around(on, at("J10", 20))
    assert drawn(on, window=window) != drawn(on, window=window, selected=at("J10", 20))


def test_the_names_of_a_part_are_those_who_are_there() -> None:
    on = board({"A1": (1, 5), "T20": (2, 5)}, ground=LAND)
    assert count(drawn(on), PLAYERS[2]) > 0
    assert count(drawn(on, window=around(on, 0)), PLAYERS[2]) == 0


def test_long_names_are_written_in_full() -> None:
    """Two short ones share a row; a long one gets its own."""
    on = board({"A1": (1, 5), "T20": (2, 5)}, ground=LAND)
    for number, name in ((1, "Anna"), (2, "Ben")):
        on.sides[number].name = name
    short = drawn(on).height
    on.sides[2].name = "W" * 24
    assert drawn(on).height > short


def test_a_picture_of_each_part() -> None:
    play = begin_game("Anna", "Ben", ground=LAND)
    window = blocks(20, 20)[3]
    seen = {
        "The map of 20 x 20 tiles": PictureRequest(state=play.state),
        f"The tiles {window.name(20)} in round 1.": PictureRequest(state=play.state, part=3),
        "The tiles ": PictureRequest(state=play.state, part=Part.ARMY, player=1),
    }
    for alt, request in seen.items():
        picture = request.run()
        assert picture.alt.startswith(alt)
        assert Image.open(io.BytesIO(picture.data)).width == 800
    with pytest.raises(RuleError, match="not on the map"):
        PictureRequest(state=play.state, part=4).run()


def test_the_palette_has_the_color_of_every_tile() -> None:
    assert len(COLORS) <= 255
    assert {land(value, owner) for value in range(1, 7) for owner in range(9)} <= set(COLORS)


def test_heights_get_brighter_and_owners_differ_by_pattern_too() -> None:
    """So both can be told apart without colors."""
    levels = [brightness(rgb(color)) for color in TERRAIN[1:]]
    assert levels == sorted(levels)
    assert min(after - before for before, after in itertools.pairwise(levels)) > 15
    assert len(set(PATTERNS.values())) == len(PATTERNS) == 8
    assert all({len(row) for row in rows} == {len(rows)} == {8} and "#" in "".join(rows) for rows in PATTERNS.values())


def test_every_line_stands_out_from_the_ground() -> None:
    ground = brightness(rgb(TERRAIN[0]))
    assert all(brightness(rgb(line_color(number))) > ground + 35 for number in range(1, 9))


@pytest.mark.parametrize(
    ("units", "text"), [(1, "1"), (9999, "9999"), (10_000, "10k"), (1_200_000, "1.2M"), (34 * 10**9, "34G")]
)
def test_armies_of_any_size_fit_on_a_tile(units: int, text: str) -> None:
    assert short_count(units) == text
