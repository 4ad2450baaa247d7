"""One against one: exact odds against everything that can happen, and against known figures."""

from decimal import Decimal

import pytest

from sim.marked_for_death.odds.requests import OddsRequest
from sim.marked_for_death.roster import Camp, Roster
from tests.sim.marked_for_death.odds.builders import buff, fighter, side
from tests.sim.marked_for_death.odds.enumerate_battle import Battle


def test_five_dice_against_five() -> None:
    """Two equals of 5,000 XP and 1 HP; the figures were worked out elsewhere."""
    odds = OddsRequest(heroes=side(fighter("Hero", 5, 1)), villains=side(fighter("Villain", 5, 1))).run()
    assert odds.method == "exact"
    assert odds.simulation is None
    assert odds.p_heroes == pytest.approx(0.356971, abs=5e-7)
    assert odds.p_villains == pytest.approx(0.356971, abs=5e-7)
    assert odds.p_both_fall == pytest.approx(0.286058, abs=5e-7)
    assert odds.p_undecided == 0
    assert odds.mean_rounds == pytest.approx(1.517047, abs=5e-7)


SIDES = [
    (side(fighter("A", 5, 1)), side(fighter("B", 3, 2))),
    (side(fighter("A", 3, 4, aoe=3)), side(fighter("B", 2, 3, bonus_to_defend=Decimal("0.45")))),
    # Chances beyond 1 become dice, and tiredness takes them away again.
    (
        side(fighter("A", 4, 2, bonus_to_hit=Decimal("0.71"), buffs=(buff("A", "0.2", "0.9"),))),
        side(fighter("B", 3, 3, bonus_to_hit=Decimal(-1), bonus_to_defend=Decimal("0.85"))),
    ),
    # Whoever has no HP sits out: no buff, no guard, no link.
    (
        side(
            fighter("A", 2, 2, linked_to="Gone", bodyguard_for="A"),
            fighter("Gone", 9, 0, buffs=(buff("A", "0.5"),), bodyguard_for="A"),
        ),
        side(fighter("Away", 9, -3, linked_to="B"), fighter("B", 2, 3)),
    ),
]


@pytest.mark.parametrize(("heroes", "villains"), SIDES)
@pytest.mark.parametrize("limit", [None, 1, 3])
def test_everything_that_can_happen(heroes: Roster, villains: Roster, limit: int | None) -> None:
    odds = OddsRequest(heroes=heroes, villains=villains, max_rounds=limit).run()
    ends = Battle(heroes, villains).ends(limit)
    assert odds.method == "exact"
    assert odds.p_heroes == pytest.approx(ends.heroes, abs=1e-10)
    assert odds.p_villains == pytest.approx(ends.villains, abs=1e-10)
    assert odds.p_both_fall == pytest.approx(ends.nobody, abs=1e-10)
    assert odds.p_undecided == pytest.approx(ends.undecided if limit else 0, abs=1e-10)
    assert odds.mean_rounds == pytest.approx(ends.rounds, abs=1e-9)
    for fighter_odds in odds.fighters:
        assert fighter_odds.p_survives == pytest.approx(ends.survives[fighter_odds.name], abs=1e-10)
        assert fighter_odds.mean_hp == pytest.approx(ends.hp[fighter_odds.name], abs=1e-9)
        assert fighter_odds.p_falls_first == pytest.approx(ends.first[fighter_odds.name], abs=1e-10)


def test_a_side_without_anybody_has_lost() -> None:
    there, gone = side(fighter("A", hp=3)), side(fighter("B", hp=0), fighter("C", hp=-5))
    odds = OddsRequest(heroes=gone, villains=there).run()
    assert (odds.p_heroes, odds.p_villains, odds.p_both_fall, odds.mean_rounds) == (0, 1, 0, 0)
    assert [
        (fighter_odds.sits_out, fighter_odds.p_survives, fighter_odds.mean_hp)
        for fighter_odds in odds.side(Camp.HEROES)
    ] == [(True, 0, 0)] * 2
    assert [
        (fighter_odds.sits_out, fighter_odds.p_survives, fighter_odds.mean_hp)
        for fighter_odds in odds.side(Camp.VILLAINS)
    ] == [(False, 1, 3)]
    assert OddsRequest(heroes=gone, villains=gone).run().p_both_fall == 1


def test_no_limit_on_dice() -> None:
    """Thousands of dice against thousands: exact, and the same as a simulation by other means."""
    heroes = side(fighter("A", 10_000, 20, bonus_to_hit=Decimal("0.1"), bonus_to_defend=Decimal("0.12")))
    villains = side(fighter("B", 9_900, 240, bonus_to_hit=Decimal("0.12"), bonus_to_defend=Decimal("0.08")))
    request = OddsRequest(heroes=heroes, villains=villains, max_rounds=1)
    exact, simulated = request.run(), request.report(request.batch(0, 20_000))
    assert exact.method == "exact"
    assert 0.05 < exact.fighters[0].p_survives < 0.95
    for exact_odds, simulated_odds in zip(exact.fighters, simulated.fighters, strict=True):
        assert abs(exact_odds.p_survives - simulated_odds.p_survives) < 4.5 * 0.5 / 20_000**0.5
        assert abs(exact_odds.mean_hp - simulated_odds.mean_hp) < 4.5 * exact_odds.hp / 20_000**0.5


def test_a_million_dice() -> None:
    """Ten million XP are 10,000 dice, and a raw chance of 100 makes a million of them."""
    giant = fighter("A", 10_000, 100_000, bonus_to_hit=Decimal("99.7"), bonus_to_defend=Decimal("99.7"))
    small = fighter("B", 10_000, 900, bonus_to_hit=Decimal("98.7"))
    odds = OddsRequest(heroes=side(giant), villains=side(small), battles=400).run()
    assert odds.p_heroes == 1
    # 990,000 dice that hit at 99%, a million that block at 90%.
    deviation = (990_000 * 0.99 * 0.01 + 1_000_000 * 0.9 * 0.1) ** 0.5
    assert abs(odds.fighters[0].mean_hp - (100_000 - 980_100 + 900_000)) < 4.5 * deviation / 400**0.5


def test_long_battles_are_simulated() -> None:
    many = side(fighter("A", 1, 5_000))
    request = OddsRequest(heroes=many, villains=many, max_rounds=20, battles=50)
    assert request.duel() is None
    odds = request.run()
    assert odds.method == "simulated"
    assert odds.p_undecided == 1
