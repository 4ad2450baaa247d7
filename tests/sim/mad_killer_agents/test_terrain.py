"""Maps (.docs/rules/mad_killer_agents.md, "Map kinds"): tiles, drawing, statistics, starting places; and as CSV."""

import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from sim.core import RuleError
from sim.core.dice import ScriptedDice, SeededDice
from sim.csv import TableError, column_letter, read_table
from sim.mad_killer_agents import terrain as t
from sim.mad_killer_agents.constants import MapKind
from sim.mad_killer_agents.requests import board_csv, map_csv, read_map
from tests.sim.mad_killer_agents.builders import at, board, distances, drawings, least, terrain


@pytest.mark.parametrize(
    ("tile", "name"), [(0, "A1"), (2 + 6 * 40, "C7"), (25, "Z1"), (26, "AA1"), (27 + 11 * 40, "AB12")]
)
def test_places_are_column_letters_and_a_row_number(tile: int, name: str) -> None:
    assert t.tile_name(tile, 40) == name
    assert t.read_tile(name.lower(), 40, 40) == tile


@pytest.mark.parametrize("text", ["", "C", "7", "C0", "I1", "A9", "AA1", "C７", "Ｃ7", "C-1", "C07x", "ZZZ1", "A100"])
def test_no_other_text_is_a_place(text: str) -> None:
    with pytest.raises(RuleError, match=r"is not on the map|Name a tile"):
        t.read_tile(text, 8, 8)


def rolls(*changed: tuple[int, int], count: int = 64) -> list[int]:
    """Return a pass over so many tiles in which every die shows 100, but for some."""
    faces = [100] * count
    for which, face in changed:
        faces[which] = face
    return faces


def test_mountains_go_down_from_their_peaks() -> None:
    """Passes over the unassigned tiles, column by column: 3%; then 50% beside the next higher value, else 1%."""
    script = rolls((0, 3), (1, 4))  # A1 is a peak, A2 not
    script += rolls((0, 50), (1, 2), count=63)  # of A2 and A3 only A2 is beside the 6
    script += rolls((0, 50), (60, 1), count=62)  # A3 is beside the 5; H7 stands alone
    script += rolls((0, 51), (58, 50), count=60)  # A4 is beside the 4 and fails; H6 is beside the 4 of H7
    script += rolls(count=59)
    dice = ScriptedDice(script)
    drawn_map = t.Drawing(width=8, height=8).draw(dice)
    assert dice.left == 0
    heights = {place: drawn_map.values[at(place)] for place in ("A1", "A2", "A3", "A4", "H6", "H7", "H8", "B1")}
    assert heights == {"A1": 6, "A2": 5, "A3": 4, "A4": 1, "H6": 3, "H7": 4, "H8": 1, "B1": 1}


def test_mountains_have_ranges_and_valleys() -> None:
    """A quarter of the tiles touch a peak, not over half (.docs/rules/mad_killer_agents.md, "Map kinds")."""
    counts, near, maps = Counter[int](), 0, 60
    for seed in range(maps):
        values = t.Drawing().draw(SeededDice(bytes([seed]))).values
        counts.update(values)
        peaks = {tile for tile, value in enumerate(values) if value == 6}
        near += sum(not peaks.isdisjoint(around) for around in t.surroundings(20, 20, 1))
    shares = [100 * counts[value] / (maps * 400) for value in range(1, 7)]
    assert shares == pytest.approx([34, 17, 20, 17, 10, 3], abs=2)
    assert 0.15 < near / (maps * 400) < 0.3


def test_plateaus_leave_a_value_out() -> None:
    """Its pass is skipped, so that the next lower value has nothing to grow from."""
    script = [*rolls((0, 3)), *rolls((0, 50), count=63), *rolls((0, 2), count=62), *rolls(count=62)]
    dice = ScriptedDice(script)
    drawn_map = t.Drawing(width=8, height=8, kind=MapKind.PLATEAUS, omitted=4).draw(dice)
    assert dice.left == 0
    assert (drawn_map.values[at("A1")], drawn_map.values[at("A2")], drawn_map.values[at("A3")]) == (6, 5, 1)


@given(st.binary(min_size=1, max_size=4))
def test_the_dice_choose_what_plateaus_leave_out(seed: bytes) -> None:
    omitted = 1 + SeededDice(seed).roll(4)
    assert omitted not in t.Drawing(width=20, height=20, kind=MapKind.PLATEAUS).draw(SeededDice(seed)).values


def test_weights_and_equal_chances() -> None:
    """32, 24, 18, 13, 8, 5 percent for TV 1 to 6; or a sixth each."""
    edges = {1: 1, 32: 1, 33: 2, 56: 2, 57: 3, 74: 3, 75: 4, 87: 4, 88: 5, 95: 5, 96: 6, 100: 6}
    weighted = t.Drawing(width=8, height=8, kind=MapKind.WEIGHTED)
    drawn_map = weighted.draw(ScriptedDice([*edges, *[1] * 52]))
    # Column by column: the first eight rolls are the first column.
    assert [drawn_map.values[8 * (n % 8) + n // 8] for n in range(12)] == list(edges.values())
    drawn_map = t.Drawing(width=8, height=8, kind=MapKind.RANDOM).draw(ScriptedDice([6, 5, 4, 3, 2, 1, *[1] * 58]))
    assert [drawn_map.values[8 * n] for n in range(6)] == [6, 5, 4, 3, 2, 1]


def test_only_plateaus_leave_a_value_out() -> None:
    with pytest.raises(RuleError, match="only plateaus"):
        t.Drawing(kind=MapKind.RANDOM, omitted=3)
    with pytest.raises(ValidationError):
        t.Drawing(kind=MapKind.PLATEAUS, omitted=6)
    with pytest.raises(ValidationError):
        t.Drawing(width=41)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (("1" * 8,) * 7, "at least 8 items"),
        (("1" * 8,) * 41, "at most 40 items"),
        (("1" * 7,) * 8, r"rows\.0"),
        (("1" * 41,) * 8, r"rows\.0"),
        ((), "at least 8 items"),
        ((*("1" * 8,) * 7, "1" * 9), "Row 8 of the map has 9 tiles"),
        ((*("1" * 8,) * 7, "1234567x"), r"rows\.7"),
        ((*("1" * 8,) * 7, "1234５611"), r"rows\.7"),
        ((*("1" * 8,) * 7, "11111111\n"), r"rows\.7"),
    ],
)
def test_maps_that_are_none(rows: tuple[str, ...], message: str) -> None:
    with pytest.raises((RuleError, ValidationError), match=message):
        t.Terrain(rows=rows)


def test_statistics() -> None:
    figures = t.statistics(terrain(1, A1=6, C3=5, **{f"{letter}5": 6 for letter in "ABCDEFGH"}))
    assert figures.counts == (54, 0, 0, 0, 1, 9)
    assert (figures.land, figures.regions, figures.longest) == (31, 2, 7)
    assert figures.mean == (54 + 5 + 54) / 64
    nowhere = t.statistics(terrain(6))
    assert (nowhere.land, nowhere.regions, nowhere.longest) == (0, 0, 0)


def can_be_apart(fields: dict[int, list[int]], count: int, steps: int, chosen: tuple[int, ...] = ()) -> bool:
    """Return whether so many tiles, the chosen ones among them, can have so many steps between them: try them all."""
    if len(chosen) == count:
        return True
    later = (tile for tile in fields if not chosen or tile > chosen[-1])
    return any(
        can_be_apart(fields, count, steps, (*chosen, tile))
        for tile in later
        if all(fields[tile][other] >= steps for other in chosen)
    )


FEW = [(8 + seed % 3, 8 + seed % 2, bytes([seed])) for seed in range(15)]
MANY = [(side, side, b"many") for side in (8, 10)]


@pytest.mark.parametrize(
    ("players", "maps"),
    [
        *((players, FEW) for players in (2, 3, 4)),
        *(pytest.param(players, MANY, marks=pytest.mark.statistics) for players in (5, 6, 7, 8)),
    ],
)
@pytest.mark.parametrize("kind", MapKind)
def test_starting_places_are_as_far_apart_as_a_small_map_allows(
    kind: MapKind, players: int, maps: list[tuple[int, int, bytes]]
) -> None:
    improved = 0
    for width, height, seed in maps:
        ground = t.Drawing(width=width, height=height, kind=kind).draw(SeededDice(seed))
        fields = distances(ground)
        apart = least(fields, t.starting_tiles(ground, players, SeededDice(b"s")))
        assert not can_be_apart(fields, players, apart + 1)
        improved += apart > least(fields, t.spread_tiles(ground, players, SeededDice(b"s")))
    assert improved > 0 or players > 2, "the tiles of the first edition were not all as far apart"


@given(drawings(14), st.integers(2, 8), st.binary(min_size=1, max_size=4))
def test_starting_places_lie_apart_in_the_largest_region(drawing: t.Drawing, players: int, seed: bytes) -> None:
    ground = drawing.draw(SeededDice(seed))
    fields = distances(ground)
    try:
        places = t.starting_tiles(ground, players, SeededDice(seed, 1))
    except RuleError:
        assert len(fields) < players
        return
    assert places == t.starting_tiles(ground, players, SeededDice(seed, 1))
    assert len(set(places)) == players
    assert set(places) <= set(fields)
    assert least(fields, t.spread_tiles(ground, players, SeededDice(seed, 1))) <= least(fields, places) < t.FAR
    if players == 2:
        assert least(fields, places) == max(field[tile] for field in fields.values() for tile in fields)


def test_the_search_on_the_largest_maps_ends_at_the_same_place() -> None:
    """It gives up after so many tiles, not after so much time."""
    ground = t.Drawing(width=40, height=40, kind=MapKind.RANDOM).draw(SeededDice(b"large"))
    places = t.starting_tiles(ground, 5, SeededDice(b"s"))
    assert places == t.starting_tiles(ground, 5, SeededDice(b"s"))


def test_nobody_starts_behind_the_mountains() -> None:
    ground = terrain(6, A1=1, B1=1, F8=1, G8=1, G7=1)
    assert set(t.starting_tiles(ground, 3, SeededDice(b"s"))) == {at("F8"), at("G8"), at("G7")}
    with pytest.raises(RuleError, match="no connected land for 4 players"):
        t.starting_tiles(ground, 4, SeededDice(b"s"))


def test_the_dice_choose_among_places_that_are_equally_far_apart() -> None:
    chosen = {tuple(t.starting_tiles(terrain(1), 2, SeededDice(bytes([seed])))) for seed in range(20)}
    assert len(chosen) > 10


@given(drawings(40), st.booleans(), st.sampled_from(",;\t"), st.sampled_from(["", "row", " "]))
def test_a_map_comes_back_as_it_went_and_from_spreadsheets_with_letters_and_numbers(
    drawing: t.Drawing, numbers: bool, comma: str, corner: str
) -> None:
    ground = drawing.draw(SeededDice(b"map"))
    assert read_map(map_csv(ground)) == ground
    letters = [column_letter(column) for column in range(ground.width)]
    lines = [[corner, *letters] if numbers else letters]
    for number, row in enumerate(ground.rows, start=1):
        lines.append([str(number), *row] if numbers else list(row))
    if numbers and comma == "\t" and not corner.strip():
        lines[0][0] = "#1".removeprefix("#")
    text = "\r\n".join(comma.join(line) for line in lines)
    assert read_map(text.encode("utf-8-sig")) == ground


def changed(old: str, new: str) -> bytes:
    return map_csv(terrain(2, A1=1, C3=5)).decode("utf-8-sig").replace(old, new, 1).encode()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (changed("5", "7"), "Row 3, column C: '7' is no tile value from 1 to 6."),
        (changed("5", "５"), "Row 3, column C: '５' is no tile value"),
        (changed("1", ""), "Row 1, column A: '' is no tile value"),
        (changed("5", "5,2"), "Row 3, .* header|Row 3: The row has 9 tiles where the first has 8"),
        (changed("1,2,2,2,2,2,2,2\r\n", ""), "this one is 8 x 7"),
        (changed("5", "x").replace(b"1", b"0"), "Row 1, column A: '0' .*Row 3, column C: 'x' "),
        (b"", "empty|no header"),
        (b"PK\x03\x04 more", "xlsx|Excel|CSV"),
    ],
)
def test_files_that_are_no_map(data: bytes, message: str) -> None:
    with pytest.raises(TableError) as caught:
        read_map(data)
    assert re.search(message, str(caught.value), re.DOTALL)


def test_everything_on_a_map_as_a_table() -> None:
    on = board({"C3": (1, 9), "D4": (2, 4)}, {"D4": (2, 3)})
    on.sides[2].name = "=Anna"
    table = read_table(board_csv(on))
    rows = {row.cells[0]: row.cells[1:] for row in table.rows}
    assert len(rows) == 64
    assert rows["C3"] == ("2", "P1", "P1", "9", "", "")
    assert rows["D4"] == ("2", "=Anna", "=Anna", "4", "=Anna 1", "3")
    assert rows["A1"] == ("2", "", "", "", "", "")
    assert b"'=Anna" in board_csv(on)
