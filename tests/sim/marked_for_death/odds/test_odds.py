"""Odds against everything that can happen, known figures, and battles fought with dice, all ways they fall."""

from collections import Counter
from typing import NamedTuple

import pytest

from sim.core.dice import Dice, SeededDice
from sim.core.values import Ending
from sim.marked_for_death.battle import NextRound, Setup, State
from sim.marked_for_death.battle.rules import RosterBattle
from sim.marked_for_death.battle.runner import RosterRunner, combatants, side_cards
from sim.marked_for_death.odds import OddsRequest
from sim.marked_for_death.odds.sampling import buffed, dice_at, line_up, to_defend, to_hit
from sim.marked_for_death.roster import Camp, Fighter, Roster
from sim.marked_for_death.stats import FighterCard
from tests.sim.branching import LimitDice, ends, near
from tests.sim.marked_for_death.builders import BATTLE, begin, buff, fighter, legion, roster
from tests.sim.marked_for_death.odds.enumerate_battle import Battle

FIGHTS = {
    "alike": ([fighter("A")], [fighter("B")]),
    "more dice and HP": ([fighter("A", 3000, 1)], [fighter("B", 1000, 4)]),
    "two dice each": ([fighter("A", 1001, 2)], [fighter("B", 2000, 3)]),
    "several attacks": ([fighter("A", aoe=3)], [fighter("B", hp=4, defend="-0.15")]),
    "the worst and the best chance": ([fighter("A", hit="-1", defend="0.6")], [fighter("B", hit="0.7", defend="-0.9")]),
    # Chances beyond 1 become dice, and tiredness takes them away again.
    "dice of bonuses": ([fighter("A", hp=3, hit="0.71", defend="0.85")], [fighter("B", hp=3, defend="0.9")]),
    "dice of a thousand sides": ([fighter("A", hit="0.155", defend="-0.045")], [fighter("B", 2000, 1, hit="0.0625")]),
    "buffs of oneself": (
        [fighter("A", buffs=(buff("A, A", "0.2", "0.35"), buff("a", "0.1"), buff("B", "0.3")))],
        [fighter("B", 2000, buffs=(buff("B", "-0.1", "-0.2"),))],
    ),
    # Whoever has no HP sits out: no buff, no guard, no link.
    "some sit out": (
        [
            fighter("A", linked_to="Gone", bodyguard_for="A"),
            fighter("Gone", 9000, 0, buffs=(buff("A", "0.5"),), bodyguard_for="A"),
        ],
        [fighter("Away", 9000, -3, linked_to="B"), fighter("B", 2000)],
    ),
}


@pytest.mark.parametrize("sides", FIGHTS.values(), ids=FIGHTS)
@pytest.mark.parametrize("limit", [None, 1, 3])
def test_everything_that_can_happen(sides: tuple[list[Fighter], list[Fighter]], limit: int | None) -> None:
    heroes, villains = (roster(*side) for side in sides)
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
    there, gone = roster(fighter("A", hp=3)), roster(fighter("B", hp=0), fighter("C", hp=-5))
    odds = OddsRequest(heroes=gone, villains=there).run()
    assert (odds.p_heroes, odds.p_villains, odds.p_both_fall, odds.mean_rounds) == (0, 1, 0, 0)
    left = {camp: [(one.sits_out, one.p_survives, one.mean_hp) for one in odds.side(camp)] for camp in Camp}
    assert left == {Camp.HEROES: [(True, 0, 0)] * 2, Camp.VILLAINS: [(False, 1, 3)]}
    assert OddsRequest(heroes=gone, villains=gone).run().p_both_fall == 1


def test_no_limit_on_dice() -> None:
    """Thousands of dice against thousands: exact, and the same as a simulation by other means."""
    heroes = roster(fighter("A", 10_000_000, 20, hit="0.1", defend="0.12"))
    villains = roster(fighter("B", 9_900_000, 240, hit="0.12", defend="0.08"))
    request = OddsRequest(heroes=heroes, villains=villains, max_rounds=1)
    exact, simulated = request.run(), request.report(request.batch(0, 20_000))
    assert exact.method == "exact"
    assert 0.05 < exact.fighters[0].p_survives < 0.95
    for exact_odds, simulated_odds in zip(exact.fighters, simulated.fighters, strict=True):
        assert near(simulated_odds.p_survives, exact_odds.p_survives, 20_000)
        assert near(simulated_odds.mean_hp, exact_odds.mean_hp, 20_000, exact_odds.hp)


def test_a_million_dice() -> None:
    """Ten million XP are 10,000 dice, and a raw chance of 100 makes a million of them."""
    giant = fighter("A", 10_000_000, 100_000, hit="99.7", defend="99.7")
    small = fighter("B", 10_000_000, 900, hit="98.7")
    odds = OddsRequest(heroes=roster(giant), villains=roster(small), battles=400).run()
    assert odds.p_heroes == 1
    # 990,000 dice that hit at 99%, a million that block at 90%.
    deviation = (990_000 * 0.99 * 0.01 + 1_000_000 * 0.9 * 0.1) ** 0.5
    assert near(odds.fighters[0].mean_hp, 100_000 - 980_100 + 900_000, 400, deviation)


def test_long_battles_are_simulated() -> None:
    many = roster(fighter("A", 1000, 5_000))
    request = OddsRequest(heroes=many, villains=many, max_rounds=20, battles=50)
    assert request.duel() is None
    odds = request.run()
    assert odds.method == "simulated"
    assert odds.p_undecided == 1


BATTLES = 40_000

PLAIN = roster(fighter("A", 2000, 1), fighter("B", 1000, 2)), roster(fighter("C", 1000, 2), fighter("D", 1000, 1))
GUARD = (
    roster(fighter("A", 2000, 2), fighter("B", 1000, 2, bodyguard_for="A")),
    roster(fighter("C", 2000, 1, aoe=2), fighter("D", 1000, 2, aoe=3)),
)
GUARDS = (
    roster(fighter("A", 2000, 1), fighter("B", 1000, 1, bodyguard_for="A"), fighter("E", 1000, 1, bodyguard_for="a")),
    roster(fighter("C", 3000, 3)),
)
LINK = (
    roster(fighter("A", 1000, 1), fighter("B", 2000, 2, linked_to="A")),
    roster(fighter("C", 1000, 2, linked_to="D"), fighter("D", 1000, 2, linked_to="C")),
)
CHAIN = (
    roster(fighter("A", 1000, 1), fighter("B", 1000, 2, linked_to="A"), fighter("E", 1000, 2, linked_to="B")),
    PLAIN[1],
)
BUFF = (
    roster(fighter("A", 2000, 1, buffs=(buff("A, B, B, nobody", "0.4", "0.3"),)), fighter("B", 2000, 2)),
    roster(fighter("C", 2000, 2, buffs=(buff("D", "0.8"), buff("D", "0.1", "0.5"))), fighter("D", 1000, 2)),
)
EVERYTHING = (
    roster(
        fighter("A", 2000, 1, buffs=(buff("B", "0.3", "0.2"),), bodyguard_for="B"),
        fighter("B", 2000, 2, linked_to="A", bodyguard_for="A"),
    ),
    roster(
        fighter("C", 2000, 2, aoe=2, linked_to="D"), fighter("D", 1000, 2, bodyguard_for="C", buffs=(buff("C", "0.2"),))
    ),
)
ALL = {"plain": PLAIN, "guard": GUARD, "guards": GUARDS, "link": LINK, "chain": CHAIN, "buff": BUFF, "all": EVERYTHING}


@pytest.mark.statistics
@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("limit", [None, 2])
def test_simulated_odds_of_everything_that_can_happen(name: str, limit: int | None) -> None:
    heroes, villains = ALL[name]
    ends = Battle(heroes, villains).ends(limit, 1e-7)
    request = OddsRequest(heroes=heroes, villains=villains, max_rounds=limit, seed=5)
    odds = request.report(request.batch(0, BATTLES))
    assert odds.method == "simulated"
    assert near(odds.p_heroes, ends.heroes, BATTLES)
    assert near(odds.p_villains, ends.villains, BATTLES)
    assert near(odds.p_both_fall, ends.nobody, BATTLES)
    assert near(odds.p_undecided, ends.undecided if limit else 0, BATTLES)
    assert near(odds.mean_rounds, ends.rounds, BATTLES, ends.rounds)
    for fighter_odds in odds.fighters:
        assert near(fighter_odds.p_survives, ends.survives[fighter_odds.name], BATTLES), fighter_odds
        assert near(fighter_odds.mean_hp, ends.hp[fighter_odds.name], BATTLES, fighter_odds.hp), fighter_odds
        assert near(fighter_odds.p_falls_first, min(1, ends.first[fighter_odds.name]), BATTLES), fighter_odds


@pytest.mark.statistics
def test_the_intervals_hold_what_is_true() -> None:
    """A 95% interval misses about one time in twenty."""
    ends = Battle(*GUARD).ends(None, 1e-7)
    missed = 0
    for seed in range(60):
        request = OddsRequest(heroes=GUARD[0], villains=GUARD[1], seed=seed, battles=1_000)
        odds = request.report(request.batch(0, 1_000))
        assert odds.simulation is not None
        low, high = odds.simulation.intervals["p_heroes"]
        missed += not low <= ends.heroes <= high
        low, high = odds.simulation.intervals["mean_rounds"]
        missed += not low <= ends.rounds <= high
    assert 0 < missed < 16


FOUGHT, SIMULATED = 800, 20_000
BOTH = 1 / (1 / FOUGHT + 1 / SIMULATED)
"""As many battles tell as much as the difference between those that are fought and those that are simulated."""

HEROES = legion("h", 10, 6)
VILLAINS = roster(
    *legion("v", 4, 3).fighters,
    fighter("Ox", 6000, 3, aoe=7, hit="0.75", linked_to="v1"),
    fighter("Saint", 1000, 4, defend="0.8", buffs=(buff("v1, Ox, Saint", "0.05", "0.2"),)),
)


def fight(heroes: Roster, villains: Roster, seed: int, limit: int | None = None) -> State:
    start = RosterBattle().begin(Setup(heroes=heroes, villains=villains, max_rounds=limit))
    runner = RosterRunner(start, SeededDice(seed.to_bytes(8, "big")))
    while runner.state.ending is None:
        runner.fight()
    return runner.state


@pytest.mark.statistics
@pytest.mark.parametrize("limit", [None, 4])
def test_the_odds_of_dice(limit: int | None) -> None:
    ends = [fight(HEROES, VILLAINS, seed, limit) for seed in range(FOUGHT)]
    request = OddsRequest(heroes=HEROES, villains=VILLAINS, max_rounds=limit, seed=3)
    odds = request.report(request.batch(0, SIMULATED))
    winners = Counter(end.winner for end in ends)
    assert winners[Camp.HEROES] > FOUGHT / 20
    assert winners[Camp.VILLAINS] > FOUGHT / 20
    assert near(winners[Camp.HEROES] / FOUGHT, odds.p_heroes, BOTH)
    assert near(winners[Camp.VILLAINS] / FOUGHT, odds.p_villains, BOTH)
    assert near(winners[None] / FOUGHT, odds.p_both_fall + odds.p_undecided, BOTH)
    assert near(sum(end.round for end in ends) / FOUGHT, odds.mean_rounds, BOTH, odds.mean_rounds / 2)
    for at, fighter_odds in enumerate(odds.fighters):
        left = [(*end.heroes, *end.villains)[at].hp for end in ends]
        assert near(sum(hp > 0 for hp in left) / FOUGHT, fighter_odds.p_survives, BOTH), fighter_odds
        mean_hp = sum(max(0, hp) for hp in left) / FOUGHT
        assert near(mean_hp, fighter_odds.mean_hp, BOTH, fighter_odds.hp / 2), fighter_odds


def test_everybody_throws_what_its_line_says() -> None:
    """The whole numbers of the odds are the decimals that players read."""
    edge = roster(
        *(
            fighter(f"{hit} {defend}", 7000, hit=hit, defend=defend)
            for hit in ("-1000", "-0.25", "0.69", "0.7", "0.700001", "0.71", "2.05", "1000")
            for defend in ("-0.300001", "-0.299999", "0.6", "0.600001", "0.7", "0.700001", "1000")
        ),
        fighter("Gone", 5000, 0, buffs=(buff("-1000 0.6", "5", "5"),)),
    )
    for side in (HEROES, VILLAINS, edge):
        soldiers = line_up(side, roster("other"))[:-1]
        raw = buffed(soldiers, [at for at, soldier in enumerate(soldiers) if soldier.hp > 0])
        for soldier, (hit, defend), card in zip(soldiers, raw, side_cards(combatants(side)), strict=True):
            assert soldier.hp == card.hp
            assert (dice_at(soldier.dice, hit), dice_at(soldier.dice, defend)) == (card.offense_dice, card.defense_dice)
            assert (to_hit(hit), to_defend(defend)) == (int(card.to_hit * 10**6), int(card.to_defend * 10**6))


class Situation(NamedTuple):
    """What decides how a battle goes on; `round`: 0 once nothing depends on it."""

    sides: tuple[tuple[FighterCard, ...], ...]
    ending: Ending | None
    winner: Camp | None
    round: int


@pytest.mark.statistics
@pytest.mark.parametrize("limit", [None, 1, 3])
@pytest.mark.parametrize("sides", FIGHTS.values(), ids=FIGHTS)
def test_what_is_played_is_what_the_odds_say(sides: tuple[list[Fighter], list[Fighter]], limit: int | None) -> None:
    heroes, villains = (roster(*side) for side in sides)

    def key(state: State) -> Situation:
        sides = tuple(side_cards(state.side(camp)) for camp in Camp)
        changing = limit or any(card.hp > 0 and card.to_defend for side in sides for card in side)
        return Situation(sides, state.ending, state.winner, state.round if changing else 0)

    def play(state: State, dice: Dice) -> State:
        return BATTLE.apply(state, NextRound(), "referee", dice).state

    played = ends(
        begin(heroes, villains, limit), play, key=key, is_over=lambda state: state.ending is not None, dice=LimitDice
    )
    odds = OddsRequest(heroes=heroes, villains=villains, max_rounds=limit).run()
    assert odds.method == "exact"
    figured = {
        (Ending.ANNIHILATION, Camp.HEROES): odds.p_heroes,
        (Ending.ANNIHILATION, Camp.VILLAINS): odds.p_villains,
        (Ending.MUTUAL, None): odds.p_both_fall,
        (Ending.ROUND_LIMIT, None): odds.p_undecided,
    }
    for (ending, winner), chance in figured.items():
        seen = sum(p for end, p in played.items() if (end.ending, end.winner) == (ending, winner))
        assert float(seen) == pytest.approx(chance, abs=1e-12)
    if limit:
        assert odds.mean_rounds == pytest.approx(float(sum(p * end.round for end, p in played.items())), abs=1e-12)
    for at, camp in enumerate(Camp):
        for number, figures in enumerate(odds.side(camp)):
            left = [(max(0, end.sides[at][number].hp), p) for end, p in played.items()]
            assert figures.mean_hp == pytest.approx(float(sum(p * hp for hp, p in left)), abs=1e-12)
            assert figures.p_survives == pytest.approx(float(sum(p for hp, p in left if hp)), abs=1e-12)
