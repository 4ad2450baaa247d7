"""How to split best: each part of an army that attacks gets its tile's bonus anew."""

from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.mad_killer_agents.combat import Clash, all_at_once, best_split, fight

Worth = tuple[bool, int, int, int]


def best_of_all(clash: Clash) -> Worth:
    """Try every way to split."""

    @cache
    def best(units: int, defenders: int, city: int) -> Worth:
        options: list[Worth] = []
        for part in range(1, units + 1):
            result = fight(clash._replace(attackers=part, defenders=defenders, city=city))
            options.append((result.taken, -result.city_left, -result.defender_left, -result.attacker_loss))
            if not result.attacker_left and part < units and (result.defender_left or result.city_left):
                taken, left, living, lost = best(units - part, result.defender_left, result.city_left)
                options.append((taken, left, living, lost - part))
        return max(options)

    return best(clash.attackers, clash.defenders, clash.city)


@st.composite
def clashes(draw: st.DrawFn) -> Clash:
    city = draw(st.sampled_from([0, 0, 1, 3, 9]))
    return Clash(
        attackers=draw(st.integers(1, 60)),
        attacker_tile=draw(st.integers(1, 6)),
        defenders=draw(st.one_of(st.integers(0 if city else 1, 6), st.integers(1, 60))),
        defender_tile=draw(st.integers(1, 6)),
        city=city,
        drill=draw(st.booleans()),
        masonry=draw(st.booleans()),
    )


@pytest.mark.rest
@given(clashes())
@settings(deadline=None)
def test_no_other_way_is_better(clash: Clash) -> None:
    split = best_split(clash)
    assert (split.taken, -split.city_left, -split.defenders_left, -split.lost) == best_of_all(clash)


@given(clashes())
def test_the_parts_lead_where_they_are_said_to(clash: Clash) -> None:
    split = best_split(clash)
    defenders, city, lost = clash.defenders, clash.city, 0
    for part in split.parts:
        result = fight(clash._replace(attackers=part, defenders=defenders, city=city))
        defenders, city, lost = result.defender_left, result.city_left, lost + result.attacker_loss
    assert (defenders, city, lost) == (split.defenders_left, split.city_left, split.lost)
    assert clash.attackers - lost == split.left
    assert sum(split.parts) <= clash.attackers


def test_high_ground_counts_once_for_each_part() -> None:
    """10 on TV 5 lose 6 against 10 on TV 1 all at once; 1 alone kills 5, and 2 more lose 1."""
    clash = Clash(10, 5, 10, 1)
    assert all_at_once(clash).lost == 6
    split = best_split(clash)
    assert (split.lost, split.left, split.taken, split.parts) == (2, 8, True, (1, 2))


def test_some_go_first_so_that_the_others_are_20_times_as_many() -> None:
    clash = Clash(110, 1, 6, 3)
    split = best_split(clash)
    assert split.lost < all_at_once(clash).lost
    assert split.taken
