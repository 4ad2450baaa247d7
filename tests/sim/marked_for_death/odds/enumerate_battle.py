"""Odds of small battles by going through everything that can happen, straight from the rules: a check of the rest."""

import math
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal

from sim.core.names import name_key
from sim.marked_for_death.roster import Fighter, Roster

State = tuple[int, ...]
Chances = dict[State, float]
Targets = tuple[Fighter, ...]


@dataclass
class Ends:
    heroes: float = 0.0
    villains: float = 0.0
    nobody: float = 0.0
    undecided: float = 0.0
    rounds: float = 0.0
    survives: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    hp: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    first: dict[str, float] = field(default_factory=lambda: defaultdict(float))


class Battle:
    """Both sides; all names are different."""

    def __init__(self, heroes: Roster, villains: Roster) -> None:
        self.sides = heroes.fighters, villains.fighters
        self.all = [*heroes.fighters, *villains.fighters]
        self.at = {fighter.name: at for at, fighter in enumerate(self.all)}
        self.start = tuple(max(0, fighter.hp) for fighter in self.all)

    def friends(self, fighter: Fighter) -> tuple[Fighter, ...]:
        return self.sides[0] if fighter in self.sides[0] else self.sides[1]

    def foes(self, fighter: Fighter) -> tuple[Fighter, ...]:
        return self.sides[1] if fighter in self.sides[0] else self.sides[0]

    def raw(self, fighter: Fighter, state: State, fought: int) -> tuple[Decimal, Decimal]:
        hit, defend = (
            Decimal("0.3") + fighter.bonus_to_hit,
            Decimal("0.3") + fighter.bonus_to_defend - fought * Decimal("0.1"),
        )
        for friend in self.friends(fighter):
            for buff in friend.buffs:
                if state[self.at[friend.name]] > 0 and fighter.key in map(name_key, buff.who):
                    hit, defend = hit + buff.offense, defend + buff.defense
        return hit, defend

    def throw(self, fighter: Fighter, raw: Decimal, least: Decimal, most: Decimal) -> list[float]:
        base = math.ceil(Decimal(fighter.total_xp) / 1000)
        dice = math.ceil(base * raw) if raw > 1 else base
        p = float(min(max(raw, least), most))
        return [math.comb(dice, hits) * p**hits * (1 - p) ** (dice - hits) for hits in range(dice + 1)]

    def losses(self, fighter: Fighter, foe: Fighter, state: State, fought: int) -> dict[int, float]:
        hits = self.throw(fighter, self.raw(fighter, state, fought)[0], Decimal("0.05"), Decimal("0.99"))
        blocks = self.throw(foe, self.raw(foe, state, fought)[1], Decimal(0), Decimal("0.9"))
        found: dict[int, float] = defaultdict(float)
        for hit, p in enumerate(hits):
            for block, q in enumerate(blocks):
                found[max(0, hit - block)] += p * q
        return found

    def targets(self, fighter: Fighter, state: State) -> Iterator[tuple[Targets, float]]:
        """Give every list of those whom a fighter may come to attack, with its chance."""
        living = [foe for foe in self.foes(fighter) if state[self.at[foe.name]] > 0]

        def go_on(chosen: tuple[Fighter, ...], left: list[Fighter], p: float) -> Iterator[tuple[Targets, float]]:
            if len(chosen) == fighter.aoe:
                yield chosen, p
                return
            pool = left or living
            for foe in pool:
                guards = [guard for guard in living if name_key(guard.bodyguard_for or "") == foe.key] or [foe]
                for guard in guards:
                    rest = [other for other in pool if other is not foe]
                    yield from go_on((*chosen, guard), rest, p / len(pool) / len(guards))

        return go_on((), living, 1.0)

    def after(self, state: State, fought: int) -> Chances:
        """Return what a round may lead to."""
        now: Chances = {state: 1.0}
        for fighter in self.all:
            if state[self.at[fighter.name]] > 0:
                now = self.attack(fighter, state, fought, now)
        ends: Chances = defaultdict(float)
        for hp, p in now.items():
            ends[self.linked(state, hp)] += p
        return ends

    def attack(self, fighter: Fighter, state: State, fought: int, now: Chances) -> Chances:
        lost: Chances = defaultdict(float)
        for targets, p in self.targets(fighter, state):
            part: Chances = {(0,) * len(state): p}
            for foe in targets:
                at = self.at[foe.name]
                more: Chances = defaultdict(float)
                for losses, q in part.items():
                    for hits, r in self.losses(fighter, foe, state, fought).items():
                        more[(*losses[:at], min(losses[at] + hits, state[at]), *losses[at + 1 :])] += q * r
                part = more
            for losses, q in part.items():
                lost[losses] += q
        after: Chances = defaultdict(float)
        for hp, p in now.items():
            for losses, q in lost.items():
                after[tuple(max(0, a - b) for a, b in zip(hp, losses, strict=True))] += p * q
        return after

    def linked(self, before: State, hp: State) -> State:
        left = list(hp)
        while True:
            fallen = {self.all[at].name for at, points in enumerate(left) if points == 0 and before[at] > 0}
            pulled = [
                at
                for at, fighter in enumerate(self.all)
                if left[at] > 0
                and fighter.linked_to in fallen
                and self.all[self.at[str(fighter.linked_to)]] in self.friends(fighter)
            ]
            if not pulled:
                return tuple(left)
            for at in pulled:
                left[at] = 0

    def stands(self, state: State) -> tuple[bool, bool]:
        heroes = len(self.sides[0])
        return any(state[:heroes]), any(state[heroes:])

    def ends(self, limit: int | None = None, enough: float = 1e-12) -> Ends:
        """Return the odds; without a limit, until the chance to go on is `enough`."""
        ends = Ends()
        here: Chances = {self.start: 1.0}
        fought = 0
        while here:
            going: Chances = {}
            stops = fought == limit or sum(here.values()) < enough
            for state, p in here.items():
                if self.stands(state) == (True, True) and not stops:
                    going[state] = p
                else:
                    self.count(ends, state, p)
            ends.rounds += sum(going.values())
            here = defaultdict(float)
            for state, p in going.items():
                for hp, q in self.after(state, fought).items():
                    here[hp] += p * q
                    if state_is_whole(self.start, state):
                        for fighter in self.all:
                            if state[self.at[fighter.name]] > 0 and hp[self.at[fighter.name]] == 0:
                                ends.first[fighter.name] += p * q
            fought += 1
        return ends

    def count(self, ends: Ends, state: State, p: float) -> None:
        kind = {(True, False): "heroes", (False, True): "villains", (False, False): "nobody", (True, True): "undecided"}
        name = kind[self.stands(state)]
        setattr(ends, name, getattr(ends, name) + p)
        for fighter in self.all:
            ends.survives[fighter.name] += p * (state[self.at[fighter.name]] > 0)
            ends.hp[fighter.name] += p * state[self.at[fighter.name]]


def state_is_whole(start: State, state: State) -> bool:
    """Tell whether nobody has fallen yet."""
    return all(now > 0 for now, first in zip(state, start, strict=True) if first > 0)
