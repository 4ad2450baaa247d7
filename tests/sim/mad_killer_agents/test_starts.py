"""Starting places (.docs/rules/mad_killer_agents.md, "Map kinds"): in the largest region, as far apart as it allows."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.core.dice import SeededDice
from sim.core.errors import RuleError
from sim.mad_killer_agents.constants import MapKind
from sim.mad_killer_agents.grid import FAR
from sim.mad_killer_agents.terrain import Drawing, spread_tiles, starting_tiles
from tests.sim.mad_killer_agents.builders import at, distances, least, terrain

drawings = st.builds(
    Drawing, width=st.integers(8, 14), height=st.integers(8, 14), kind=st.sampled_from(MapKind), omitted=st.none()
)


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


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("kind", MapKind)
def test_starting_places_are_as_far_apart_as_a_small_map_allows(kind: MapKind, players: int) -> None:
    improved = 0
    for seed in range(15):
        ground = Drawing(width=8 + seed % 3, height=8 + seed % 2, kind=kind).draw(SeededDice(bytes([seed])))
        fields = distances(ground)
        apart = least(fields, starting_tiles(ground, players, SeededDice(b"s")))
        assert not can_be_apart(fields, players, apart + 1)
        improved += apart > least(fields, spread_tiles(ground, players, SeededDice(b"s")))
    assert improved > 0 or players > 2, "the tiles of the first edition were not all as far apart"


@pytest.mark.statistics
@pytest.mark.parametrize("players", [5, 6, 7, 8])
@pytest.mark.parametrize("side", [8, 10])
def test_many_starting_places_on_small_maps_are_as_far_apart_as_possible(side: int, players: int) -> None:
    for kind in MapKind:
        ground = Drawing(width=side, height=side, kind=kind).draw(SeededDice(b"many"))
        fields = distances(ground)
        apart = least(fields, starting_tiles(ground, players, SeededDice(b"s")))
        assert not can_be_apart(fields, players, apart + 1)


@given(drawings, st.integers(2, 8), st.binary(min_size=1, max_size=4))
def test_starting_places_lie_apart_in_the_largest_region(drawing: Drawing, players: int, seed: bytes) -> None:
    ground = drawing.draw(SeededDice(seed))
    fields = distances(ground)
    try:
        places = starting_tiles(ground, players, SeededDice(seed, 1))
    except RuleError:
        assert len(fields) < players
        return
    assert places == starting_tiles(ground, players, SeededDice(seed, 1))
    assert len(set(places)) == players
    assert set(places) <= set(fields)
    assert least(fields, spread_tiles(ground, players, SeededDice(seed, 1))) <= least(fields, places) < FAR
    if players == 2:
        assert least(fields, places) == max(field[tile] for field in fields.values() for tile in fields)


def test_starting_places_on_a_plain_are_its_corners() -> None:
    places = starting_tiles(terrain(1), 4, SeededDice(b"s"))
    assert sorted(places) == [at("A1"), at("H1"), at("A8"), at("H8")]


def test_the_search_on_the_largest_maps_ends_at_the_same_place() -> None:
    """It gives up after so many tiles, not after so much time."""
    ground = Drawing(width=40, height=40, kind=MapKind.RANDOM).draw(SeededDice(b"large"))
    places = starting_tiles(ground, 5, SeededDice(b"s"))
    assert places == starting_tiles(ground, 5, SeededDice(b"s"))


def test_nobody_starts_behind_the_mountains() -> None:
    ground = terrain(6, A1=1, B1=1, A2=1, F8=1, G8=1)
    assert set(starting_tiles(ground, 3, SeededDice(b"s"))) == {at("A1"), at("B1"), at("A2")}
    with pytest.raises(RuleError, match="no connected land for 4 players"):
        starting_tiles(ground, 4, SeededDice(b"s"))


def test_the_dice_choose_among_places_that_are_equally_far_apart() -> None:
    chosen = {tuple(starting_tiles(terrain(1), 2, SeededDice(bytes([seed])))) for seed in range(20)}
    assert len(chosen) > 10
