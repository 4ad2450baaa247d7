"""Retreats that heed later waves, against a dynamic program of the test's own that throws every die."""

from functools import cache
from itertools import product
from random import Random

import pytest

from sim.axis_allies.parse import parse_question
from sim.axis_allies.requests import RetreatRequest
from sim.core.errors import RuleError

UNITS = {"inf": (1, 2, 3), "tank": (3, 3, 6), "ftr": (3, 4, 10)}
"""Attack, defense and price in the second edition of 1942, in the order in which both sides lose them."""

Side = tuple[str, ...]


@cache
def hits(values: tuple[int, ...]) -> dict[int, float]:
    """Return the chance of each number of hits."""
    chances: dict[int, float] = {}
    for faces in product((True, False), repeat=len(values)):
        chance = 1.0
        for hit, value in zip(faces, values, strict=True):
            chance *= value / 6 if hit else 1 - value / 6
        chances[sum(faces)] = chances.get(sum(faces), 0.0) + chance
    return chances


def price(army: Side) -> int:
    return sum(UNITS[unit][2] for unit in army)


class Program:
    """The value of a battle for all attackers together, from the last wave to the first."""

    def __init__(self, waves: list[Side], territory: int) -> None:
        self.waves, self.territory = waves, territory
        self.after = cache(self._after)
        self.best = cache(self._best)

    def meets(self, number: int, enemy: Side) -> float:
        """Return what an enemy is worth to the waves from this one on."""
        if number == len(self.waves):
            return 0.0
        if not enemy:
            walks_in = any(unit != "ftr" for unit in self.waves[number])
            return self.territory if walks_in else self.meets(number + 1, enemy)
        return max(self.meets(number + 1, enemy), self.after(number, self.waves[number], enemy))

    def _best(self, number: int, own: Side, enemy: Side) -> float:
        """Return what a wave's choice is worth after a round."""
        if not own:
            return self.meets(number + 1, enemy)
        if not enemy:
            return float(self.territory)
        return max(self.meets(number + 1, enemy), self.after(number, own, enemy, again=True))

    def _after(self, number: int, own: Side, enemy: Side, *, again: bool = False) -> float:
        """Return what fighting a round is worth; `again`: and again as long as nobody hits."""
        total, stays = 0.0, 0.0
        ours, theirs = (hits(tuple(UNITS[unit][at] for unit in army)) for at, army in enumerate((own, enemy)))
        for (h, p), (g, q) in product(ours.items(), theirs.items()):
            if h == g == 0:
                stays = p * q
                continue
            own_left, enemy_left = own[min(g, len(own)) :], enemy[min(h, len(enemy)) :]
            swing = price(enemy) - price(enemy_left) - price(own) + price(own_left)
            total += p * q * (swing + self.best(number, own_left, enemy_left))
        if again:
            return total / (1 - stays)
        return total + stays * self.best(number, own, enemy)


def army(chance: Random, most: int) -> Side:
    kinds = sorted((chance.choice([*UNITS]) for _ in range(chance.randint(1, most))), key=[*UNITS].index)
    return tuple(kinds if kinds[0] != "ftr" else ("inf", *kinds))


def text(side: Side) -> str:
    return ", ".join(f"{side.count(unit)} {unit}" for unit in UNITS if unit in side)


def expect_equal(chance: Random) -> None:
    waves, enemy = [army(chance, 3) for _ in range(chance.randint(2, 3))], army(chance, 4)
    territory = chance.choice([0, 3, 10])
    question = parse_question(f"1942: {' then '.join(map(text, waves))} vs {text(enemy)}")
    report = RetreatRequest(**question.fields, territory=territory, later=question.waves[1:]).run()
    program = Program(waves, territory)
    left = program.meets(1, enemy)
    assert report.rounds[0].swing_go_on == pytest.approx(program.after(0, waves[0], enemy) - left, abs=1e-9)
    for state in report.states:
        at = [
            tuple(unit for unit in UNITS for _ in range(side.get(NAMES[unit], 0)))
            for side in (state.attacker, state.defender)
        ]
        go = program.after(0, *at, again=False) - program.meets(1, at[1])
        assert state.swing_go_on == pytest.approx(go, abs=1e-9), (question, state)


NAMES = {"inf": "infantry", "tank": "tank", "ftr": "fighter"}


@pytest.mark.parametrize("number", range(15))
def test_some_plans_are_those_of_the_program(number: int) -> None:
    expect_equal(Random(number))


@pytest.mark.rest
def test_200_plans_are_those_of_the_program() -> None:
    for number in range(100, 300):
        expect_equal(Random(number))


def test_what_is_left_may_be_worth_more_to_the_next_power() -> None:
    """Alone the attack goes on after a bad round; with tanks behind it, it leaves the rest to them."""
    alone = parse_question("1942: 6 inf, 2 tanks vs 8 inf")
    both = parse_question("1942: 6 inf, 2 tanks then 4 inf, 3 tanks vs 8 inf")
    on = RetreatRequest(**alone.fields, territory=5).run().rounds[3]
    leaves = RetreatRequest(**both.fields, territory=5, later=both.waves[1:]).run().rounds[3]
    assert (on.advice, leaves.advice) == ("go on", "retreat")


def test_waves_do_not_search_for_orders() -> None:
    question = parse_question("1942: 6 inf then 4 inf vs 8 inf")
    with pytest.raises(RuleError, match="With waves, losses go by score"):
        RetreatRequest(**question.fields | {"attacker_casualties": "smart"}, later=question.waves[1:])
