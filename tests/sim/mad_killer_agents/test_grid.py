"""Tiles as players say them."""

import pytest

from sim.core.errors import RuleError
from sim.mad_killer_agents.grid import column_name, read_tile, tile_name


@pytest.mark.parametrize(
    ("tile", "name"), [(0, "A1"), (2 + 6 * 40, "C7"), (25, "Z1"), (26, "AA1"), (27 + 11 * 40, "AB12")]
)
def test_places_are_column_letters_and_a_row_number(tile: int, name: str) -> None:
    assert tile_name(tile, 40) == name
    assert read_tile(name.lower(), 40, 40) == tile


def test_every_tile_has_one_name() -> None:
    names = {tile_name(tile, 40) for tile in range(1600)}
    assert len(names) == 1600
    assert all(tile_name(read_tile(name, 40, 40), 40) == name for name in names)
    assert column_name(39) == "AN"


@pytest.mark.parametrize("text", ["", "C", "7", "C0", "I1", "A9", "AA1", "C７", "Ｃ7", "C-1", "C07x", "ZZZ1", "A100"])
def test_no_other_text_is_a_place(text: str) -> None:
    with pytest.raises(RuleError, match=r"is not on the map|Name a tile"):
        read_tile(text, 8, 8)
