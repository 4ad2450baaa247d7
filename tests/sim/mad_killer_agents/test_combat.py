"""The battle rule (.docs/rules/mad_killer_agents.md, "Battle"), and how to split best."""

from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.mad_killer_agents import combat as c
from tests.tables import kept_table


@pytest.mark.parametrize(("clash", "what"), kept_table(__file__, "figures"))
def test_figures(clash: list[Any], what: list[int]) -> None:
    """Attackers and their tile, defenders and theirs, the city; losses and what is left, worked out elsewhere."""
    assert [*c.fight(c.Clash(*clash))[: len(what)]] == what


@pytest.mark.parametrize(
    ("clash", "drafted", "left", "city_left", "taken"),
    [
        pytest.param(
            c.Clash(20, 1, 1, 6, 25), 0, (20, 0), 24, False, id="a stomped city falls by 1 behind strong walls"
        ),
        pytest.param(c.Clash(5, 1, 0, 1, 5), 1, (0, 1), 5, False, id="an undefended city drafts 1"),
        pytest.param(c.Clash(19, 1, 0, 1, 3), 1, (15, 0), 0, True, id="who is drafted falls with the city"),
        pytest.param(c.Clash(6, 1, 4, 1, 2), 0, (0, 0), 1, False, id="both fall at a city, which shrinks by 1"),
        pytest.param(c.Clash(16, 1, 4, 1, 9), 0, (3, 0), 6, False, id="survivors stay before a city that stands"),
    ],
)
def test_cities(clash: c.Clash, drafted: int, left: tuple[int, int], city_left: int, taken: bool) -> None:
    result = c.fight(clash)
    assert (result.drafted, result.city_left, result.taken) == (drafted, city_left, taken)
    assert (result.attacker_left, result.defender_left) == left


@st.composite
def clashes(draw: st.DrawFn, most: int, *, drafts: bool = False) -> c.Clash:
    """Draw a battle of `most` units on each side; `drafts`: cities may be undefended."""
    city = draw(st.integers(0, 9))
    return c.Clash(
        attackers=draw(st.integers(1, most)),
        attacker_tile=draw(st.integers(1, 6)),
        defenders=draw(st.integers(0 if drafts and city else 1, 6) | st.integers(1, most)),
        defender_tile=draw(st.integers(1, 6)),
        city=city,
        drill=draw(st.booleans()),
        masonry=draw(st.booleans()),
    )


@given(clashes(300))
def test_the_weaker_side_is_wiped_out_and_equal_ones_both(clash: c.Clash) -> None:
    result = c.fight(clash)
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


@given(clashes(300))
def test_a_city_shrinks_only_when_its_defenders_fall(clash: c.Clash) -> None:
    result = c.fight(clash)
    gap = clash.attackers + clash.attacker_tile + clash.drill
    gap -= clash.defenders + clash.defender_tile + clash.city * (1 + clash.masonry)
    fell = result.defender_left == 0
    assert clash.city - result.city_left == (min(clash.city, max(1, gap)) if fell else 0)
    assert result.taken is (fell and result.city_left == 0 and result.attacker_left > 0)


@pytest.mark.parametrize("clash", [c.Clash(0, 1, 1, 1), c.Clash(1, 1, 0, 1)])
def test_nobody_can_fight_nobody(clash: c.Clash) -> None:
    with pytest.raises(ValueError, match="nobody to fight"):
        c.fight(clash)


Worth = tuple[bool, int, int, int]


def best_of_all(clash: c.Clash) -> Worth:
    """Try every way to split."""

    @cache
    def best(units: int, defenders: int, city: int) -> Worth:
        options: list[Worth] = []
        for part in range(1, units + 1):
            result = c.fight(clash._replace(attackers=part, defenders=defenders, city=city))
            options.append((result.taken, -result.city_left, -result.defender_left, -result.attacker_loss))
            if not result.attacker_left and part < units and (result.defender_left or result.city_left):
                taken, left, living, lost = best(units - part, result.defender_left, result.city_left)
                options.append((taken, left, living, lost - part))
        return max(options)

    return best(clash.attackers, clash.defenders, clash.city)


@pytest.mark.rest
@given(clashes(60, drafts=True))
@settings(deadline=None)
def test_no_other_way_is_better(clash: c.Clash) -> None:
    split = c.best_split(clash)
    assert (split.taken, -split.city_left, -split.defenders_left, -split.lost) == best_of_all(clash)


@given(clashes(60, drafts=True))
def test_the_parts_lead_where_they_are_said_to(clash: c.Clash) -> None:
    split = c.best_split(clash)
    defenders, city, lost = clash.defenders, clash.city, 0
    for part in split.parts:
        result = c.fight(clash._replace(attackers=part, defenders=defenders, city=city))
        defenders, city, lost = result.defender_left, result.city_left, lost + result.attacker_loss
    assert (defenders, city, lost) == (split.defenders_left, split.city_left, split.lost)
    assert clash.attackers - lost == split.left
    assert sum(split.parts) <= clash.attackers


def test_high_ground_counts_once_for_each_part() -> None:
    """10 on TV 5 lose 6 against 10 on TV 1 all at once; 1 alone kills 5, and 2 more lose 1."""
    clash = c.Clash(10, 5, 10, 1)
    assert c.all_at_once(clash).lost == 6
    split = c.best_split(clash)
    assert (split.lost, split.left, split.taken, split.parts) == (2, 8, True, (1, 2))


def test_some_go_first_so_that_the_others_are_20_times_as_many() -> None:
    clash = c.Clash(110, 1, 6, 3)
    split = c.best_split(clash)
    assert split.lost < c.all_at_once(clash).lost
    assert split.taken


def advice(clash: c.Clash) -> c.SplitAdvice | None:
    return c.split_advice(clash, c.fight(clash), c.best_split(clash))


def test_the_split_advice_in_words() -> None:
    assert advice(c.Clash(12, 3, 4, 4)) is None, "parts as good as all at once are no advice"
    assert advice(c.Clash(10, 5, 12, 1)) == ("3 x 1", "2 lost, 8 left; tile taken", "7 units can stay out of it.")
    assert advice(c.Clash(5, 1, 0, 1, city=5)) == (
        "1",
        "1 lost, 4 left; 1 defender left, city 5",
        "4 units can stay out of it.",
    )


def test_a_split_into_many_runs_is_cut() -> None:
    parts = tuple(range(1, 16))
    told = c.split_advice(c.Clash(120, 1, 1, 1), c.Result(120, 0, 0, 1, 0, 0), c.Split(parts, 120, 0, 0, 0, taken=True))
    first = ", then ".join(map(str, range(1, 13)))
    assert told == (f"{first}, then 3 more runs", "120 lost, none left; tile taken", None)
