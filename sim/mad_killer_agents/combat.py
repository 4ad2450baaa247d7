"""The battle rule, without chance, and the best way to split an army into successive attacks, also in words."""

from itertools import groupby
from typing import NamedTuple

from sim.core.numbers import quantity
from sim.core.values import Frozen
from sim.mad_killer_agents.constants import DRAFT_UNITS, DRILL_STRENGTH, MASONRY_FACTOR, STOMP_FACTOR


class Clash(NamedTuple):
    """Both sides of a battle: units, tile values, and `city`, the size of the defender's city, 0 for none.

    An undefended city has 0 `defenders` and drafts before the battle. The attacker may have `drill`, the defender
    `masonry`.
    """

    attackers: int
    attacker_tile: int
    defenders: int
    defender_tile: int
    city: int = 0
    drill: bool = False
    masonry: bool = False

    @property
    def attack_bonus(self) -> int:
        """The attacker's strength beyond its units."""
        return self.attacker_tile + DRILL_STRENGTH * self.drill

    @property
    def defense_bonus(self) -> int:
        """The defender's strength beyond its units."""
        return defense_bonus(self.defender_tile, self.city, masonry=self.masonry)


class Result(NamedTuple):
    """Result of a clash. `drafted`: units that the city raised for it. `city_left`: the city's size afterwards."""

    attacker_loss: int
    defender_loss: int
    attacker_left: int
    defender_left: int
    drafted: int
    city_left: int

    @property
    def taken(self) -> bool:
        """Whether surviving attackers move in because defenders and city are gone."""
        return self.attacker_left > 0 and not self.defender_left and not self.city_left


def defense_bonus(tile: int, city: int = 0, *, masonry: bool = False) -> int:
    """Return a defender's strength beyond its units."""
    return tile + city * (MASONRY_FACTOR if masonry else 1)


def fight(clash: Clash) -> Result:
    """Return the result of the clash (.docs/rules/mad_killer_agents.md, "Battle").

    If both sides fall at a city, its size falls by 1, the minimum damage; nobody moves in even if that destroys it.
    ValueError if a side has no units and no city to draft one.
    """
    drafted = DRAFT_UNITS if clash.city and not clash.defenders else 0
    attackers, defenders = clash.attackers, clash.defenders + drafted
    if attackers < 1 or defenders < 1:
        raise ValueError("nobody to fight")
    ours, theirs = clash.attack_bonus, clash.defense_bonus
    gap = attackers + ours - defenders - theirs
    if attackers >= STOMP_FACTOR * defenders:
        lost, killed = 0, defenders
    elif defenders >= STOMP_FACTOR * attackers:
        lost, killed = attackers, 0
    else:
        least = min(attackers + ours, defenders + theirs)
        lost = min(attackers, max(0, least - ours))
        killed = min(defenders, max(0, least - theirs))
    damage = min(clash.city, max(1, gap)) if killed == defenders else 0
    return Result(lost, killed, attackers - lost, defenders - killed, drafted, clash.city - damage)


class Split(NamedTuple):
    """Successive attacks and their result.

    `parts`: the units of each attack; all others stay behind. `lost`: the attacker's losses in all parts. `left`: the
    attacker's surviving units, those that did not fight included. `taken`: whether survivors move in.
    """

    parts: tuple[int, ...]
    lost: int
    left: int
    defenders_left: int
    city_left: int
    taken: bool


class BattleReport(Frozen):
    """The result of an attack by all units at once, and the best way to split them."""

    result: Result
    split: Split


def is_better(clash: Clash, result: Result, split: Split) -> bool:
    """Return whether a split is better than an attack by all at once, which has this result."""
    if split.parts == (clash.attackers,):
        return False
    once = (result.taken, -result.city_left, -result.defender_left, -result.attacker_loss)
    return (split.taken, -split.city_left, -split.defenders_left, -split.lost) > once


def all_at_once(clash: Clash) -> Split:
    """Return the result of one attack by all units."""
    result = fight(clash)
    lost, left = result.attacker_loss, result.attacker_left
    return Split((clash.attackers,), lost, left, result.defender_left, result.city_left, result.taken)


class _Plan(NamedTuple):
    """The value of a plan, greater if better, and its first part; `rest` continues it."""

    taken: bool
    city: int
    defenders: int
    lost: int
    waves: int
    first: int
    rest: "_Plan | None"


_Key = tuple[int, int, int]


def best_split(clash: Clash) -> Split:
    """Return the best way to attack with all or some of the attackers, one part after the other.

    Criteria in this order: the tile is taken; the city is smaller; fewer defenders are left; fewer units are lost. Only
    an attack that nobody survives is followed by another one, because survivors would lower the movement points of all
    units that wait on the tile.

    Candidate sizes of an attack: all units; one unit; the fewest that do any harm; the fewest that kill all defenders
    and leave nobody, somebody, or enough to raze the city; 20 times the defenders; and the fewest after which the
    remaining units are 20 times the defenders.
    """
    plans: dict[_Key, _Plan] = {}
    start = (clash.attackers, clash.defenders, clash.city)
    todo = [start]
    while todo:
        key = todo[-1]
        attack = _NextAttack(clash, key)
        unknown = [after for part in attack.openings if (after := attack.after(part)) and after not in plans]
        if unknown and key not in plans:
            todo += unknown
        else:
            plans[key] = attack.best(plans)
            todo.pop()
    best = plans[start]
    parts = []
    step: _Plan | None = best
    while step is not None:
        parts.append(step.first)
        step = step.rest
    left = clash.attackers + best.lost
    return Split(tuple(parts), -best.lost, left, -best.defenders, -best.city, best.taken)


class _NextAttack:
    """Candidates for the next attack, given the units, defenders and city that are left.

    `openings`: sizes of an attack that any other may follow. `finals`: sizes of a last attack. `prelude`: sizes of an
    attack that one by all remaining units follows.
    """

    def __init__(self, clash: Clash, key: _Key) -> None:
        self.units, self.defenders, self.city = key
        self.clash = clash._replace(city=self.city)
        facing = self.defenders or DRAFT_UNITS
        ours, theirs = self.clash.attack_bonus, self.clash.defense_bonus
        uphill = max(0, theirs - ours)
        even = facing + theirs - ours
        least = max(facing // STOMP_FACTOR, uphill) + 1
        # The kills after which the remaining units are 20 times the remaining defenders.
        fewer = -(-(STOMP_FACTOR * facing - self.units + uphill) // (STOMP_FACTOR - 1))
        self.openings = self._fit({least, even} if self.city else {least})
        self.finals = self._fit({1, self.units, even, even + 1, even + self.city, STOMP_FACTOR * facing})
        self.prelude = self._fit({max(1, fewer) + uphill})

    def _fit(self, sizes: set[int]) -> list[int]:
        return sorted(size for size in sizes if 1 <= size <= self.units)

    def _fight(self, part: int) -> Result:
        return fight(self.clash._replace(attackers=part, defenders=self.defenders))

    def after(self, part: int) -> _Key | None:
        """Return the situation after an attack by `part`; None if no other attack follows."""
        result = self._fight(part)
        over = result.attacker_left or part == self.units or not (result.defender_left or result.city_left)
        return None if over else (self.units - part, result.defender_left, result.city_left)

    def best(self, plans: dict[_Key, _Plan]) -> _Plan:
        """Return the best plan, given the `plans` that may follow an opening."""
        options = [self.final(part) for part in self.finals]
        for part in self.openings:
            after = self.after(part)
            if after is not None:
                options.append(_before(part, plans[after]))
        for part in self.prelude:
            after = self.after(part)
            if after is not None:
                options.append(_before(part, _NextAttack(self.clash, after).final(after[0])))
        return max(options, key=lambda plan: plan[:5])

    def final(self, part: int) -> _Plan:
        """Return the plan that ends with an attack by `part`."""
        result = self._fight(part)
        return _Plan(result.taken, -result.city_left, -result.defender_left, -result.attacker_loss, -1, part, None)


def _before(part: int, rest: _Plan) -> _Plan:
    """Return the plan that begins with an attack by `part` that nobody survives, and continues with `rest`."""
    return rest._replace(lost=rest.lost - part, waves=rest.waves - 1, first=part, rest=rest)


MAX_UNITS = 100_000
"""Units of one side."""
MAX_CITY = 99

_MAX_PARTS = 12  # runs of equal parts that are told


class SplitAdvice(NamedTuple):
    """How to split, such as "2, then 8 x 1"; what comes of it; and who need not fight, None if all fight."""

    parts: str
    outcome: str
    idle: str | None


def split_advice(clash: Clash, result: Result, split: Split) -> SplitAdvice | None:
    """Return how to split best, in words; None if an attack by all at once, with this result, is as good."""
    if not is_better(clash, result, split):
        return None
    end = "tile taken" if split.taken else f"{quantity(split.defenders_left, 'defender')} left"
    city = f", city {split.city_left}" if split.city_left else ""
    idle = clash.attackers - sum(split.parts)
    return SplitAdvice(
        _parts_text(split),
        f"{split.lost:,} lost, {f'{split.left:,} left' if split.left else 'none left'}; {end}{city}",
        f"{quantity(idle, 'unit')} can stay out of it." if idle else None,
    )


def _parts_text(split: Split) -> str:
    """Return the parts, with runs of equal ones together."""
    runs = [(part, len(list(equal))) for part, equal in groupby(split.parts)]
    texts = [f"{part:,}" if times == 1 else f"{times:,} x {part:,}" for part, times in runs]
    more = len(texts) - _MAX_PARTS
    return ", then ".join(texts[:_MAX_PARTS]) + (f", then {quantity(more, 'more run')}" if more > 0 else "")
