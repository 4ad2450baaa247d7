"""What orders need, cost and do, and how battles go (.docs/rules/mad_killer_agents.md, "Armies", "Cities", "Battle").

Orders as text; how to split best.
"""

import re
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.core import NotAllowedError, RuleError
from sim.core.dice import ScriptedDice
from sim.core.values import Ending
from sim.mad_killer_agents import combat as c
from sim.mad_killer_agents.battle.board import Board
from sim.mad_killer_agents.battle.events import Fought, Moved, Refused
from sim.mad_killer_agents.battle.order_input import read_orders
from sim.mad_killer_agents.battle.orders import Commander
from sim.mad_killer_agents.battle.runner import WarRunner
from sim.mad_killer_agents.constants import Technology
from tests.sim.mad_killer_agents import builders as b
from tests.sim.test_typed_texts import rows
from tests.tables import kept_table

PLAIN = b.terrain(1)


def placed(told: str) -> dict[str, tuple[int, int]]:
    """Read places with an owner and a number."""
    return {place: (int(owner), int(number)) for place, owner, number in (each.split() for each in told.split(", "))}


def drawn(told: str) -> Board:
    """Read a board, as moves.txt has it."""
    armies, *parts = told.split("; ")
    more = dict(part.split(" ", 1) for part in parts)
    value, *hills = more.get("ground", "2").split()
    ground = b.terrain(int(value), **{place: int(high) for place, _, high in (hill.partition("=") for hill in hills)})
    on = b.board(placed(armies), placed(more["cities"]) if "cities" in more else {}, ground)
    on.sides[1].techs.update(map(Technology, more.get("knows", "").split()))
    for army in on.armies.values():
        army.mp = int(more.get("points", army.mp))
    return on


def give(on: Board, text: str) -> Board:
    """Carry out the first player's orders."""
    for order, _ in read_orders(text, on.width, on.height):
        assert order is not None
        Commander(on, 1).obey(order)
    return on


@pytest.mark.parametrize("row", rows("moves", "after"))
def test_what_orders_do_to_armies(row: str) -> None:
    told, text, after = row.split(" => ")
    on = give(drawn(told), text)
    armies = [f"{place} {owner} {units} {points:g}" for place, (owner, units, points) in b.armies_by_tile(on).items()]
    assert (", ".join(armies) or "none") == after
    assert all(on.owners[tile] == army.owner for tile, army in on.armies.items())


@pytest.mark.parametrize("row", rows("moves", "refused"))
def test_an_order_that_is_refused_changes_nothing(row: str) -> None:
    told, text, message = row.split(" => ")
    on = drawn(told)
    before = on.world()
    with pytest.raises(RuleError, match=re.escape(message)):
        give(on, text)
    assert on.world() == before


def test_what_becomes_of_cities_and_tiles() -> None:
    stands = give(b.board({"C3": (1, 20), "D4": (2, 2)}, {"D4": (2, 6)}), "C3 attack D4 13")
    assert (stands.cities[b.at("D4")].size, stands.owners[b.at("D4")]) == (1, 2)
    falls = give(b.board({"C3": (1, 20)}, {"D4": (2, 3)}), "C3 attack D4")
    assert (list(falls.cities), list(falls.eliminate())) == ([], [2])
    founded = give(b.board({"C3": (1, 20)}), "C3 found")
    assert (founded.cities[b.at("C3")].size, founded.cities[b.at("C3")].number) == (1, 1)
    assert list(founded.eliminate()) == [2]
    grown = give(b.board({"C3": (1, 21)}, {"C3": (1, 1)}), "C3 grow; C3 grow")
    assert grown.cities[b.at("C3")].size == 3
    shaped = give(b.board({"C3": (1, 26), "F6": (1, 10)}, ground=b.terrain(3)), "C3 lower; F6 raise")
    assert (shaped.tiles[b.at("C3")], shaped.tiles[b.at("F6")]) == (2, 4)


def test_technologies_count_in_battle() -> None:
    """Drill for who attacks, Masonry for the city's owner."""
    found = []
    for skilled in ((), (1,), (2,)):
        on = b.board({"C3": (1, 9), "D4": (2, 4)}, {"D4": (2, 3)})
        for number in skilled:
            on.sides[number].techs |= set(Technology)
        clash = Commander(on, 1).clash(b.at("C3"), b.at("D4"), 9)
        found.append((clash.drill, clash.masonry))
    assert found == [(False, False), (True, False), (False, True)]


def test_the_score_is_units_20_per_city_and_paid_growth() -> None:
    on = b.board({"C3": (1, 7), "A1": (1, 2)}, {"C3": (1, 4), "H8": (1, 1)})
    assert (on.score(1), on.score(2)) == (9 + 40 + 10 + 10 + 12, 0)


def test_ways_are_told_together_and_battles_alone() -> None:
    on = give(b.board({"C3": (1, 9), "D4": (2, 1)}, ground=PLAIN), "C3-C4 2; C3-B4 3; C3 attack D4")
    assert on.log is not None
    moved, fought = on.log
    assert isinstance(moved, Moved)
    assert isinstance(fought, Fought)
    assert moved.ways == (("C3", "C4", 2, 0), ("C3", "B4", 3, 0))
    assert (fought.at, fought.to, fought.units, fought.defender_loss, fought.taken) == ("C3", "D4", 4, 1, True)


def test_the_example_of_the_help_on_lines_of_its_own() -> None:
    assert [order for order, _ in read_orders("C7-D8 12\nd8 FOUND, E5 attack F5;;", 8, 8)] == [
        b.Move(at=b.at("C7"), to=b.at("D8"), units=12),
        b.Found(at=b.at("D8")),
        b.Attack(at=b.at("E5"), to=b.at("F5")),
    ]


def test_written_orders_are_carried_out_but_for_one_that_names_itself() -> None:
    before = b.begin_game("Anna", "Ben").state
    start = before.model_copy(update={"world": b.board({"C3": (1, 25), "D4": (2, 3)}, ground=b.terrain(1)).world()})
    runner = WarRunner(start, ScriptedDice([]))
    runner.write_orders("C3-C4 5; C4 attack E5; C3 found; end")
    refused = [(event.order, event.why) for event in runner.events if isinstance(event, Refused)]
    assert refused == [("C4 attack E5", "E5 is not a neighbor of C4.")]
    assert (len(runner.state.orders), runner.state.turn) == (2, 1)
    assert b.armies_by_tile(runner.board) == {"C4": (1, 5, 0.5), "D4": (2, 3, 1)}
    with pytest.raises(NotAllowedError) as caught:
        runner.write_orders("C4 found; end")
    assert "Another city is too near C4" in str(caught.value)
    runner = WarRunner(start, ScriptedDice([]))
    runner.write_orders("C3-C4 5; C3 found; C4 attack D4; end")
    assert not any(isinstance(event, Refused) for event in runner.events)
    assert b.armies_by_tile(runner.board) == {"D4": (1, 2, 0)}
    assert runner.state.ending is Ending.ANNIHILATION


@pytest.mark.parametrize(("clash", "what"), kept_table(__file__, "figures"))
def test_figures(clash: list[Any], what: list[int]) -> None:
    """Attackers and their tile, defenders and theirs, the city; losses and what is left, worked out elsewhere."""
    assert [*c.fight(c.Clash(*clash))[: len(what)]] == what


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


def test_some_go_first_so_that_the_others_are_20_times_as_many() -> None:
    """25 lose 4 against 3 on TV 2 all at once; 3 alone kill 2, and the other 22 lose nobody."""
    clash = c.Clash(25, 1, 3, 2)
    assert (c.all_at_once(clash).lost, c.best_split(clash).parts) == (4, (3, 22))


def advice(clash: c.Clash) -> c.SplitAdvice | None:
    return c.BattleReport(clash=clash, result=c.fight(clash), split=c.best_split(clash)).advice


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
    split = c.Split(parts, 120, 0, 0, 0, taken=True)
    told = c.BattleReport(clash=c.Clash(120, 1, 1, 1), result=c.Result(120, 0, 0, 1, 0, 0), split=split).advice
    first = ", then ".join(map(str, range(1, 13)))
    assert told == (f"{first}, then 3 more runs", "120 lost, none left; tile taken", None)
