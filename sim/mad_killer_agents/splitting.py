"""How to split an army into successive attacks from the same tile: each part gets the tile's bonus anew."""

from typing import NamedTuple

from sim.mad_killer_agents.combat import Clash, Result, attack_bonus, defence_bonus, fight
from sim.mad_killer_agents.constants import DRAFT, STOMP


class Split(NamedTuple):
    """Successive attacks and what they lead to.

    `parts`: how many units attack each time; those not in it stay behind. `lost`: the attacker's losses of all parts.
    `left`: the attacker's units that live, those that did not fight among them. `defenders_left` and `city_left`: what
    stands then. `taken`: whether survivors move in.
    """

    parts: tuple[int, ...]
    lost: int
    left: int
    defenders_left: int
    city_left: int
    taken: bool


def all_at_once(clash: Clash) -> Split:
    """Return what one attack by all leads to."""
    result = fight(clash)
    lost, left = result.attacker_loss, result.attacker_left
    return Split((clash.attackers,), lost, left, result.defender_left, result.city_left, result.taken)


class _Plan(NamedTuple):
    """A plan's worth, better ones greater, and its first part; `rest` continues it."""

    taken: bool
    city: int
    defenders: int
    lost: int
    waves: int
    first: int
    rest: "_Plan | None"


_Key = tuple[int, int, int]


def best_split(clash: Clash) -> Split:
    """Return the best way to attack with all or a part of the attackers, one after the other.

    Best is, in this order: the tile taken; the city smaller; fewer defenders; fewer units lost. Only an
    attack that nobody survives is followed by another, since the lower movement points of survivors would count for
    all that wait on the tile.

    The attacks that are weighed: by all, by one, by the fewest that hurt at all; by the fewest that kill all defenders
    and leave nobody, somebody, or enough to raze the city; by 20 times the defenders, and by the fewest that make the
    others as many.
    """
    plans: dict[_Key, _Plan] = {}
    start = (clash.attackers, clash.defenders, clash.city)
    todo = [start]
    while todo:
        key = todo[-1]
        choice = _Choice(clash, key)
        unknown = [after for part in choice.openings if (after := choice.after(part)) and after not in plans]
        if unknown and key not in plans:
            todo += unknown
        else:
            plans[key] = choice.best(plans)
            todo.pop()
    return _split(clash, plans[start])


def _split(clash: Clash, plan: _Plan) -> Split:
    parts = []
    step: _Plan | None = plan
    while step is not None:
        parts.append(step.first)
        step = step.rest
    lost = -plan.lost
    return Split(tuple(parts), lost, clash.attackers - lost, -plan.defenders, -plan.city, plan.taken)


class _Choice:
    """What the next attack may be, from units, defenders and city as they are then.

    `openings`: sizes of an attack after which any other may follow. `finals`: sizes of a last one, and `prelude` that
    of an attack before one by all who are left.
    """

    def __init__(self, clash: Clash, key: _Key) -> None:
        self.clash = clash
        self.units, self.defenders, self.city = key
        facing = self.defenders or DRAFT
        ours = attack_bonus(clash.attacker_tile, drill=clash.drill)
        theirs = defence_bonus(clash.defender_tile, self.city, masonry=clash.masonry)
        uphill = max(0, theirs - ours)
        even = facing + theirs - ours
        least = max(facing // STOMP, uphill) + 1
        # So many more dead now that the rest are 20 times as many as those who then live.
        fewer = -(-(STOMP * facing - self.units + uphill) // (STOMP - 1))
        self.openings = self._fit({least, even} if self.city else {least})
        self.finals = self._fit({1, self.units, even, even + 1, even + self.city, STOMP * facing})
        self.prelude = self._fit({max(1, fewer) + uphill})

    def _fit(self, sizes: set[int]) -> list[int]:
        return sorted(size for size in sizes if 1 <= size <= self.units)

    def _fight(self, part: int) -> Result:
        return fight(self.clash._replace(attackers=part, defenders=self.defenders, city=self.city))

    def after(self, part: int) -> _Key | None:
        """Return what the attack after one by `part` meets; None where there is none."""
        result = self._fight(part)
        over = result.attacker_left or part == self.units or not (result.defender_left or result.city_left)
        return None if over else (self.units - part, result.defender_left, result.city_left)

    def best(self, plans: dict[_Key, _Plan]) -> _Plan:
        """Return the best plan, with the `plans` for what may follow an opening."""
        options = [self.final(part) for part in self.finals]
        for part in self.openings:
            after = self.after(part)
            if after is not None:
                options.append(_before(part, plans[after]))
        for part in self.prelude:
            after = self.after(part)
            if after is not None:
                options.append(_before(part, _Choice(self.clash, after).final(after[0])))
        return max(options, key=lambda plan: plan[:5])

    def final(self, part: int) -> _Plan:
        """Return the plan that ends with an attack by `part`."""
        result = self._fight(part)
        return _Plan(result.taken, -result.city_left, -result.defender_left, -result.attacker_loss, -1, part, None)


def _before(part: int, rest: _Plan) -> _Plan:
    """Return the plan that begins with an attack by `part`, which nobody survives."""
    return rest._replace(lost=rest.lost - part, waves=rest.waves - 1, first=part, rest=rest)
