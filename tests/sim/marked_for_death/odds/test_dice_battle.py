"""Simulated odds against battles fought with dice."""

import math
from collections import Counter
from decimal import Decimal

import pytest

from sim.core.dice import SeededDice
from sim.marked_for_death.battle.rules import RosterBattle
from sim.marked_for_death.battle.runner import StepRunner
from sim.marked_for_death.battle.values import Setup, State
from sim.marked_for_death.odds.lineup import buffed, dice_at, line_up, to_defend, to_hit
from sim.marked_for_death.odds.requests import OddsRequest
from sim.marked_for_death.roster import Camp, Roster
from sim.marked_for_death.stats import cards
from tests.sim.marked_for_death.odds.builders import buff, crowd, fighter, side

FOUGHT, SIMULATED = 800, 20_000
FAR = 4.5  # standard errors that none of these figures is off by, the seeds being fixed

HEROES = crowd("h", 10, 6)
VILLAINS = side(
    *crowd("v", 4, 3).fighters,
    fighter("Ox", 6, 3, aoe=7, bonus_to_hit=Decimal("0.75"), linked_to="v1"),
    fighter("Saint", 1, 4, bonus_to_defend=Decimal("0.8"), buffs=(buff("v1, Ox, Saint", "0.05", "0.2"),)),
)


def fight(heroes: Roster, villains: Roster, seed: int, limit: int | None = None) -> State:
    start = RosterBattle().begin(Setup(heroes=heroes, villains=villains, max_rounds=limit))
    runner = StepRunner(start, SeededDice(seed.to_bytes(8, "big")))
    while runner.state.ending is None:
        runner.fight()
    return runner.state


def apart(fought: float, simulated: float, deviation: float = 0.5) -> float:
    """Return how many standard errors lie between a mean of the fought and one of the simulated battles."""
    return abs(fought - simulated) / (deviation * math.sqrt(1 / FOUGHT + 1 / SIMULATED))


@pytest.mark.statistics
@pytest.mark.parametrize("limit", [None, 4])
def test_the_odds_of_dice(limit: int | None) -> None:
    ends = [fight(HEROES, VILLAINS, seed, limit) for seed in range(FOUGHT)]
    request = OddsRequest(heroes=HEROES, villains=VILLAINS, max_rounds=limit, seed=3)
    odds = request.report(request.batch(0, SIMULATED))
    winners = Counter(end.winner for end in ends)
    assert winners[Camp.HEROES] > FOUGHT / 20
    assert winners[Camp.VILLAINS] > FOUGHT / 20
    assert apart(winners[Camp.HEROES] / FOUGHT, odds.p_heroes) < FAR
    assert apart(winners[Camp.VILLAINS] / FOUGHT, odds.p_villains) < FAR
    assert apart(winners[None] / FOUGHT, odds.p_both_fall + odds.p_undecided) < FAR
    assert apart(sum(end.round for end in ends) / FOUGHT, odds.mean_rounds, odds.mean_rounds / 2) < FAR
    for at, fighter_odds in enumerate(odds.fighters):
        left = [(*end.heroes, *end.villains)[at].hp for end in ends]
        assert apart(sum(hp > 0 for hp in left) / FOUGHT, fighter_odds.p_survives) < FAR, fighter_odds
        assert apart(sum(max(0, hp) for hp in left) / FOUGHT, fighter_odds.mean_hp, fighter_odds.hp / 2) < FAR, (
            fighter_odds
        )


def test_everybody_throws_what_its_line_says() -> None:
    """The whole numbers of the odds are the decimals that players read."""
    edge = side(
        *(
            fighter(f"{hit} {defend}", 7, bonus_to_hit=Decimal(hit), bonus_to_defend=Decimal(defend))
            for hit in ("-1000", "-0.25", "0.69", "0.7", "0.700001", "0.71", "2.05", "1000")
            for defend in ("-0.300001", "-0.299999", "0.6", "0.600001", "0.7", "0.700001", "1000")
        ),
        fighter("Gone", 5, 0, buffs=(buff("-1000 0.6", "5", "5"),)),
    )
    for roster in (HEROES, VILLAINS, edge):
        soldiers = line_up(roster, side(fighter("other")))[:-1]
        raw = buffed(soldiers, [at for at, soldier in enumerate(soldiers) if soldier.hp > 0])
        for soldier, (hit, defend), card in zip(soldiers, raw, cards(roster.fighters), strict=True):
            assert soldier.hp == card.hp
            assert (dice_at(soldier.dice, hit), dice_at(soldier.dice, defend)) == (card.offense_dice, card.defense_dice)
            assert (to_hit(hit), to_defend(defend)) == (int(card.to_hit * 10**6), int(card.to_defend * 10**6))
