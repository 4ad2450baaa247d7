"""Exact odds of one fighter against one: the chances of every pair of HP, round after round.

Rounding and neglected chances come to less than 1e-10. A module of its own, so that they wait for no compiler.
"""

import numpy as np
from numpy.typing import NDArray

from sim.core.numbers import probability
from sim.marked_for_death.odds.sampling import MILLION, Duel, Soldier
from sim.marked_for_death.reports import FighterOdds, OddsReport
from sim.marked_for_death.roster import Camp, Roster, all_fighters

Floats = NDArray[np.float64]

_OVER = 1e-14  # a negligible chance to go on
_SPREAD = 10.0  # standard deviations within which a roll ends, all but 1e-20
_MARGIN = 60  # and this much more, for lopsided rolls


def solve(heroes: Roster, villains: Roster, duel: Duel) -> OddsReport:
    """Return the exact odds of a duel."""
    fighters = all_fighters(heroes, villains)
    if not duel.fighters:  # a side has nobody, so no round is fought
        figures = {at: (1.0, float(one.hp), 0.0) for at, (_, one) in enumerate(fighters) if one.hp > 0}
        sides = {fighters[at][0] for at in figures}
        chances = [float(Camp.HEROES in sides), float(Camp.VILLAINS in sides), float(not sides), 0.0]
        rounds = 0.0
    else:
        (at_hero, hero), (at_villain, villain) = duel.fighters
        ends, rounds = _fight(hero, villain, duel.limit)
        parts = ends[1:, 0].sum(), ends[0, 1:].sum(), ends[0, 0], ends[1:, 1:].sum()
        chances = [probability(float(part)) for part in parts]
        left = {at_hero: ends.sum(axis=1), at_villain: ends.sum(axis=0)}
        figures = {
            at: (probability(float(hp[1:].sum())), float(hp @ np.arange(len(hp))), probability(float(hp[0])))
            for at, hp in left.items()
        }
    names = "p_survives", "mean_hp", "p_falls_first"
    return OddsReport(
        **dict(zip(("p_heroes", "p_villains", "p_both_fall", "p_undecided"), chances, strict=True)),
        mean_rounds=rounds,
        max_rounds=duel.limit,
        fighters=tuple(
            FighterOdds.of(camp, one, **dict(zip(names, figures.get(at, (0.0, 0.0, 0.0)), strict=True)))
            for at, (camp, one) in enumerate(fighters)
        ),
        method="exact",
    )


def _fight(hero: Soldier, villain: Soldier, limit: int | None) -> tuple[Floats, float]:
    """Return the chance of each pair of HP at the end (0: fallen), and the mean number of rounds."""
    mass = np.zeros((hero.hp + 1, villain.hp + 1))
    mass[hero.hp, villain.hp] = 1.0
    ends = np.zeros_like(mass)
    rested = max(hero.rested, villain.rested)
    rounds, fought = 0.0, 0
    steps: tuple[Floats, Floats] | None = None
    while (alive := float(mass[1:, 1:].sum())) > _OVER and (limit is None or fought < limit):
        if steps is None or fought <= rested:
            steps = _step(_damage(villain, hero, fought)), _step(_damage(hero, villain, fought))
        rounds += alive
        mass = steps[0] @ mass @ steps[1].T
        fought += 1
        ends[0] += mass[0]
        ends[1:, 0] += mass[1:, 0]
        mass[0], mass[:, 0] = 0.0, 0.0
    if limit is not None:
        ends += mass
    return ends, rounds


def _damage(attacker: Soldier, defender: Soldier, fought: int) -> Floats:
    """Return the chance of each loss of HP in a round; the last entry is death.

    All attacks strike the only opponent, who rolls its dice against each.
    """
    most = defender.hp
    first_hit, hits = _hit_distribution(*attacker.offense)
    first_block, blocks = _hit_distribution(*defender.defense(fought))
    # The difference of both rolls: a convolution with the reversed blocks.
    spread = np.convolve(hits, blocks[::-1])
    losses = first_hit - first_block - (len(blocks) - 1) + np.arange(len(spread))
    attack = np.zeros(most + 1)
    np.add.at(attack, np.clip(losses, 0, most), spread)
    total = np.zeros(most + 1)
    total[0] = 1.0
    for bit in f"{attacker.aoe:b}":
        total = _convolve(total, total)
        if bit == "1":
            total = _convolve(total, attack)
    return total


def _convolve(first: Floats, second: Floats) -> Floats:
    """Return the chances of the sum of two losses; the last entry is death."""
    most = len(first) - 1
    every = np.convolve(first, second)
    every[most] = every[most:].sum()
    return every[: most + 1]


def _step(damage: Floats) -> Floats:
    """Return the transition matrix from each HP (column) to each (row); the fallen stay fallen."""
    most = len(damage) - 1
    lost = np.arange(most + 1) - np.arange(most + 1)[:, np.newaxis]
    step: Floats = np.where(lost >= 0, damage[np.clip(lost, 0, most)], 0.0)
    step[0] = np.cumsum(damage[::-1])[::-1]
    step[:, 0] = 0.0
    step[0, 0] = 1.0
    return step


def _hit_distribution(dice: int, chance: int) -> tuple[int, Floats]:
    """Return the fewest likely hits of `dice` dice at `chance` millionths, and the chance of each number from there."""
    if chance == 0:
        return 0, np.ones(1)
    p = chance / MILLION
    reach = int(_SPREAD * np.sqrt(dice * p * (1 - p))) + _MARGIN
    top = min(dice, (dice + 1) * chance // MILLION)
    low, high = max(0, top - reach), min(dice, top + reach)
    # From the likeliest number outwards, by the ratio of neighbours.
    odds = p / (1 - p)
    up: Floats = np.arange(float(top), high)
    down: Floats = np.arange(float(top), low, -1)
    rising = np.cumprod(odds * (dice - up) / (up + 1))
    falling = np.cumprod(down / (odds * (dice - down + 1)))
    chances = np.concatenate((falling[::-1], np.ones(1), rising))
    return low, chances / chances.sum()
