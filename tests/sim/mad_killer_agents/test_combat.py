"""The battle rule (.docs/rules/mad_killer_agents.md, "Battle")."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.mad_killer_agents.combat import Clash, fight

# Attackers and their tile, defenders and their tile, the city; losses and what is left, worked out outside the program.
FIGURES = [
    ((5, 1, 5, 1, 0), (5, 5, 0, 0)),
    ((5, 1, 4, 1, 0), (4, 4, 1, 0)),
    ((5, 3, 2, 1, 0), (0, 2, 5, 0)),
    ((5, 1, 5, 3, 0), (5, 3, 0, 2)),
    ((5, 3, 5, 1, 0), (3, 5, 2, 0)),
    ((10, 5, 10, 1, 0), (6, 10, 4, 0)),
    ((5, 1, 2, 5, 0), (5, 1, 0, 1)),
    ((3, 1, 2, 2, 0), (3, 2, 0, 0)),
    ((1, 5, 5, 1, 0), (1, 5, 0, 0)),
    ((5, 1, 4, 1, 1), (5, 4, 0, 0)),
    ((5, 1, 4, 1, 2), (5, 3, 0, 1)),
    ((6, 1, 4, 1, 2), (6, 4, 0, 0)),
    ((5, 1, 1, 1, 5), (5, 0, 0, 1)),
    ((20, 2, 5, 4, 3), (10, 5, 10, 0)),
]


@pytest.mark.parametrize(("who", "what"), FIGURES)
def test_figures(who: tuple[int, int, int, int, int], what: tuple[int, ...]) -> None:
    assert fight(Clash(*who))[:4] == what


clashes = st.builds(
    Clash,
    attackers=st.integers(1, 300),
    attacker_tile=st.integers(1, 6),
    defenders=st.integers(1, 300),
    defender_tile=st.integers(1, 6),
    city=st.integers(0, 9),
    drill=st.booleans(),
    masonry=st.booleans(),
)


@given(clashes)
def test_the_weaker_side_is_wiped_out_and_equal_ones_both(clash: Clash) -> None:
    result = fight(clash)
    ours = clash.attackers + clash.attacker_tile + clash.drill
    theirs = clash.defenders + clash.defender_tile + clash.city * (1 + clash.masonry)
    stomped = max(clash.attackers, clash.defenders) >= 20 * min(clash.attackers, clash.defenders)
    if not stomped:
        assert (result.attacker_left == 0) >= (ours <= theirs)
        assert (result.defender_left == 0) >= (theirs <= ours)
        assert result.attacker_left == 0 or result.defender_left == 0
    assert result.attacker_loss + result.attacker_left == clash.attackers
    assert result.defender_loss + result.defender_left == clash.defenders
    assert min(result) >= 0


@given(clashes)
def test_a_city_shrinks_only_when_its_defenders_fall(clash: Clash) -> None:
    result = fight(clash)
    gap = clash.attackers + clash.attacker_tile + clash.drill
    gap -= clash.defenders + clash.defender_tile + clash.city * (1 + clash.masonry)
    fell = result.defender_left == 0
    assert clash.city - result.city_left == (min(clash.city, max(1, gap)) if fell else 0)
    assert result.taken is (fell and result.city_left == 0 and result.attacker_left > 0)


def test_twenty_times_as_many_lose_nobody() -> None:
    assert fight(Clash(20, 1, 1, 6))[:4] == (0, 1, 20, 0)
    assert fight(Clash(19, 1, 1, 6))[:2] == (6, 1)
    assert fight(Clash(1, 6, 20, 1))[:4] == (1, 0, 0, 20)
    assert fight(Clash(1, 6, 19, 1))[:2] == (1, 6)


def test_a_stomped_city_falls_by_1_even_behind_strong_walls() -> None:
    assert fight(Clash(20, 1, 1, 6, 25)).city_left == 24


def test_an_undefended_city_drafts_1() -> None:
    lost = fight(Clash(5, 1, 0, 1, 5))
    assert (lost.drafted, lost.attacker_left, lost.defender_left, lost.city_left) == (1, 0, 1, 5)
    won = fight(Clash(19, 1, 0, 1, 3))
    assert (won.drafted, won.attacker_loss, won.defender_loss, won.city_left, won.taken) == (1, 4, 1, 0, True)


def test_both_fall_at_a_city_and_it_shrinks_by_1() -> None:
    result = fight(Clash(6, 1, 4, 1, 2))
    assert (result.attacker_left, result.defender_left, result.city_left, result.taken) == (0, 0, 1, False)


def test_survivors_stay_before_a_city_that_stands() -> None:
    result = fight(Clash(16, 1, 4, 1, 9))
    assert (result.attacker_left, result.city_left, result.taken) == (3, 6, False)


def test_drill_and_masonry() -> None:
    assert fight(Clash(5, 1, 5, 1, drill=True))[:4] == (4, 5, 1, 0)
    assert fight(Clash(9, 1, 4, 1, 3, masonry=True))[:4] == (9, 3, 0, 1)
    assert fight(Clash(9, 1, 4, 1, 3))[:4] == (7, 4, 2, 0)


@pytest.mark.parametrize("clash", [Clash(0, 1, 1, 1), Clash(1, 1, 0, 1)])
def test_nobody_can_fight_nobody(clash: Clash) -> None:
    with pytest.raises(ValueError, match="nobody to fight"):
        fight(clash)
