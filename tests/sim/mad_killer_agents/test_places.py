"""Tiles as players say them."""

import pytest

from sim.core.errors import RuleError
from sim.mad_killer_agents.tile_names import column_name, place_name, read_place


@pytest.mark.parametrize(
    ("tile", "name"), [(0, "A1"), (2 + 6 * 40, "C7"), (25, "Z1"), (26, "AA1"), (27 + 11 * 40, "AB12")]
)
def test_places_are_column_letters_and_a_row_number(tile: int, name: str) -> None:
    assert place_name(tile, 40) == name
    assert read_place(name.lower(), 40, 40) == tile


def test_every_tile_has_one_name() -> None:
    names = {place_name(tile, 40) for tile in range(1600)}
    assert len(names) == 1600
    assert all(place_name(read_place(name, 40, 40), 40) == name for name in names)
    assert column_name(39) == "AN"


@pytest.mark.parametrize("text", ["", "C", "7", "C0", "I1", "A9", "AA1", "C７", "Ｃ7", "C-1", "C07x", "ZZZ1", "A100"])
def test_no_other_text_is_a_place(text: str) -> None:
    with pytest.raises(RuleError, match=r"is not on the map|A tile is needed"):
        read_place(text, 8, 8)
