"""Maps from dice (.docs/rules/mad_killer_agents.md, "Map kinds"), statistics."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from sim.core.dice import ScriptedDice, SeededDice
from sim.core.errors import RuleError
from sim.mad_killer_agents.constants import MapKind
from sim.mad_killer_agents.grid import surroundings
from sim.mad_killer_agents.terrain import Drawing, Terrain, statistics
from tests.sim.mad_killer_agents.builders import at, terrain

drawings = st.builds(
    Drawing, width=st.integers(8, 40), height=st.integers(8, 40), kind=st.sampled_from(MapKind), omitted=st.none()
)


@given(drawings, st.binary(min_size=1, max_size=8))
def test_a_seed_always_gives_the_same_map(drawing: Drawing, seed: bytes) -> None:
    drawn_map = drawing.draw(SeededDice(seed))
    assert drawn_map == drawing.draw(SeededDice(seed))
    assert (drawn_map.width, drawn_map.height) == (drawing.width, drawing.height)
    assert Terrain.model_validate_json(drawn_map.model_dump_json()) == drawn_map
    assert Terrain.of(drawn_map.values, drawn_map.width) == drawn_map


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
    drawn_map = Drawing(width=8, height=8).draw(dice)
    assert dice.left == 0
    heights = {place: drawn_map.values[at(place)] for place in ("A1", "A2", "A3", "A4", "H6", "H7", "H8", "B1")}
    assert heights == {"A1": 6, "A2": 5, "A3": 4, "A4": 1, "H6": 3, "H7": 4, "H8": 1, "B1": 1}


def test_mountains_have_ranges_and_valleys() -> None:
    """A quarter of the tiles touch a peak, not over half (.docs/rules/mad_killer_agents.md, "Map kinds")."""
    counts, near, maps = Counter[int](), 0, 60
    for seed in range(maps):
        values = Drawing().draw(SeededDice(bytes([seed]))).values
        counts.update(values)
        peaks = {tile for tile, value in enumerate(values) if value == 6}
        near += sum(not peaks.isdisjoint(around) for around in surroundings(20, 20, 1))
    shares = [100 * counts[value] / (maps * 400) for value in range(1, 7)]
    assert shares == pytest.approx([34, 17, 20, 17, 10, 3], abs=2)
    assert 0.15 < near / (maps * 400) < 0.3


def test_an_earlier_edition_draws_its_own_maps() -> None:
    """Mountains and plateaus were higher; the other kinds have always been the same."""
    for kind in MapKind:
        drawing = Drawing(kind=kind)
        first, second, third = (drawing.draw(SeededDice(b"s"), edition) for edition in (1, 2, 3))
        assert first == second
        assert (third == second) == (kind in {MapKind.WEIGHTED, MapKind.RANDOM})
        assert third == drawing.draw(SeededDice(b"s"))


def test_plateaus_leave_a_value_out() -> None:
    """Its pass is skipped, so that the next lower value has nothing to grow from."""
    script = [*rolls((0, 3)), *rolls((0, 50), count=63), *rolls((0, 2), count=62), *rolls(count=62)]
    dice = ScriptedDice(script)
    drawn_map = Drawing(width=8, height=8, kind=MapKind.PLATEAUS, omitted=4).draw(dice)
    assert dice.left == 0
    assert (drawn_map.values[at("A1")], drawn_map.values[at("A2")], drawn_map.values[at("A3")]) == (6, 5, 1)


@given(st.binary(min_size=1, max_size=4))
def test_the_dice_choose_what_plateaus_leave_out(seed: bytes) -> None:
    omitted = 1 + SeededDice(seed).roll(4)
    assert omitted not in Drawing(width=20, height=20, kind=MapKind.PLATEAUS).draw(SeededDice(seed)).values


def test_weights_and_equal_chances() -> None:
    """32, 24, 18, 13, 8, 5 percent for TV 1 to 6; or a sixth each."""
    edges = {1: 1, 32: 1, 33: 2, 56: 2, 57: 3, 74: 3, 75: 4, 87: 4, 88: 5, 95: 5, 96: 6, 100: 6}
    weighted = Drawing(width=8, height=8, kind=MapKind.WEIGHTED)
    drawn_map = weighted.draw(ScriptedDice([*edges, *[1] * 52]))
    # Column by column: the first eight rolls are the first column.
    assert [drawn_map.values[8 * (n % 8) + n // 8] for n in range(12)] == list(edges.values())
    drawn_map = Drawing(width=8, height=8, kind=MapKind.RANDOM).draw(ScriptedDice([6, 5, 4, 3, 2, 1, *[1] * 58]))
    assert [drawn_map.values[8 * n] for n in range(6)] == [6, 5, 4, 3, 2, 1]


def test_only_plateaus_leave_a_value_out() -> None:
    with pytest.raises(RuleError, match="Only plateaus"):
        Drawing(kind=MapKind.RANDOM, omitted=3)
    with pytest.raises(ValidationError):
        Drawing(kind=MapKind.PLATEAUS, omitted=6)
    with pytest.raises(ValidationError):
        Drawing(width=41)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (("1" * 8,) * 7, "8 to 40 tiles each way; this one is 8 x 7"),
        (("1" * 7,) * 8, "this one is 7 x 8"),
        ((), "this one is 0 x 0"),
        ((*("1" * 8,) * 7, "1" * 9), "Row 8 of the map has 9 tiles"),
        ((*("1" * 8,) * 7, "1234567x"), "Row 8 of the map has a tile that is no value"),
        ((*("1" * 8,) * 7, "1234５611"), "Row 8"),
    ],
)
def test_maps_that_are_none(rows: tuple[str, ...], message: str) -> None:
    with pytest.raises(RuleError, match=message):
        Terrain(rows=rows)


def test_statistics() -> None:
    figures = statistics(terrain(1, A1=6, C3=5, **{f"{letter}5": 6 for letter in "ABCDEFGH"}))
    assert figures.counts == (54, 0, 0, 0, 1, 9)
    assert (figures.land, figures.regions, figures.longest) == (31, 2, 7)
    assert figures.mean == (54 + 5 + 54) / 64
    nowhere = statistics(terrain(6))
    assert (nowhere.land, nowhere.regions, nowhere.longest) == (0, 0, 0)
