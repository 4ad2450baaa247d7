"""The base of every request about a battle with dice: both armies, how they choose their losses, and the opening."""

from functools import cache
from math import prod
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from sim.axis_allies.army import Army, TwoArmies, battle_notes
from sim.axis_allies.casualties import Casualties, CasualtyOrder
from sim.axis_allies.editions import DEFAULT, EDITIONS, Guns
from sim.axis_allies.question import BattleTerms, Technologies
from sim.axis_allies.unit_stats import UnitStats, Weapon, stats_of
from sim.axis_allies.units import Category, Unit
from sim.core.errors import RuleError
from sim.core.values import Request, Side

if TYPE_CHECKING:
    from sim.axis_allies.odds.terms import Terms

MAX_SEARCH_SECONDS = 2.0
"""Maximum time to search for both sides' best orders of losses."""

_SIDES, _SEARCHED = tuple(Side), ("smart", "thrifty")


@cache
def _terms() -> "type[Terms]":
    from sim.axis_allies.odds.terms import Terms  # noqa: PLC0415

    return Terms


class BattleRequest(BattleTerms, TwoArmies, Request):
    """A battle with dice.

    `casualties`: how both sides choose their losses, by default as the edition does, unless `attacker_casualties` or
    `defender_casualties` overrides it. `bombard`: the attacker's ships that bombard; `landing`: how many land units
    come by sea, by default all of them.
    """

    attacker: Army
    defender: Army
    casualties: Casualties | None = None
    bombard: Army = Army()
    landing: Annotated[int, Field(ge=0)] | None = None

    @property
    def edition(self) -> str:
        """The edition that both armies are of."""
        return self.attacker.edition if self.attacker else self.defender.edition

    @property
    def subject(self) -> dict[str, Any]:
        """The fields of `BattleAdvice` about it."""
        notes = battle_notes(self.attacker, self.defender)
        return {"attacker": self.attacker, "defender": self.defender, "bombard": self.bombard, "notes": notes}

    def check(self) -> None:
        """Raise RuleError for fractions of units, for a territory that nobody can take, and for a wrong opening."""
        for side in Side:
            order = self.casualty_order(side)
            best_of = [order.arms.weapons[slot].best_of for slot in order.slots if isinstance(slot, Unit)]
            if self.low_luck and max(best_of, default=1) > 1:
                raise RuleError("Low luck has no rule for heavy bombers that take the best of two dice.")
        self.check_terms()

    def check_terms(self) -> None:
        """Raise RuleError for a territory that nobody can take, for a mix of editions, and for a wrong opening."""
        if self.must_take and not self.attacker.has(Category.LAND):
            raise RuleError("Only land units can take a territory, and the attacker has none.")
        armies = [army for army in (self.attacker, self.defender, self.bombard) if army]
        if len({army.edition for army in armies}) > 1:
            raise RuleError("Both armies must be from the same edition.")
        if self.attacker.count(Unit.GUN):
            raise RuleError("Antiaircraft guns never attack: take them out of the attacker.")
        if self.defender and not self.defender.fighters:
            raise RuleError("The defender has only an antiaircraft gun: there is nothing to fight.")
        for army in (self.attacker, self.defender):
            if self.edition != DEFAULT and army.has(Category.LAND) and army.has(Category.NAVAL):
                raise RuleError("Land units and ships don't fight side by side: say which ships bombard.")
        if self.bombard:
            self._check_bombardment()

    def _check_bombardment(self) -> None:
        arms = self.stats(Side.ATTACKER)
        for group in self.bombard.groups:
            if group.unit not in arms.bombarding:
                may = " and ".join(unit.plural for unit in arms.bombarding) or "no ships"
                raise RuleError(f"In {arms.edition.title}, {may} bombard, not {group.unit.plural}.")
        if not self.attacker.has(Category.LAND):
            raise RuleError("Ships bombard for land units that come ashore, and the attacker has none.")
        if self.defender.has(Category.NAVAL):
            raise RuleError("Ships bombard a territory, and the defender has ships: leave one or the other out.")

    def casualties_of(self, side: Side) -> Casualties:
        """Return how `side` chooses its losses."""
        own = self.attacker_casualties if side is Side.ATTACKER else self.defender_casualties
        return own or self.casualties or EDITIONS[self.edition].rules.casualties

    @property
    def searched(self) -> tuple[Side, ...]:
        """The sides whose best order of losses is searched for."""
        return tuple([side for side in _SIDES if self.casualties_of(side) in _SEARCHED])

    @property
    def search_seconds(self) -> float:
        """A rough upper bound on the seconds of the search for the best orders of losses."""
        return MAX_SEARCH_SECONDS if self.searched else 0.0

    def technology_of(self, side: Side) -> Technologies:
        """Return the technologies of `side`."""
        return self.attacker_technology if side is Side.ATTACKER else self.defender_technology

    def stats(self, side: Side) -> UnitStats:
        """Return what the units of `side` can do."""
        return stats_of(self.edition, side, self.technology_of(side))

    def casualty_order(self, side: Side) -> CasualtyOrder:
        """Return the army of `side` in casualty order."""
        army, enemy, technology = self.attacker, self.defender, self.attacker_technology
        if side is Side.DEFENDER:
            army, enemy, technology = enemy, army, self.defender_technology
        losses = self.casualties_of(side)
        return CasualtyOrder.of(army, side, losses, enemy, must_take=self.must_take, technology=technology)

    def ships_for(self, landed: int) -> tuple[tuple[Unit, int], ...]:
        """Return the ships that bombard when `landed` land units fight, by type and number, the best first.

        Where the edition allows one ship for each unit that lands, `landing` limits how many do.
        """
        stats = self.stats(Side.ATTACKER)
        ships = sorted(self.bombard.groups, key=lambda group: -stats.score(group.unit))
        room = landed if self.landing is None else min(landed, self.landing)
        if not stats.rules.one_ship_for_each_landed_unit:
            room = sum(int(group.count) for group in ships)
        able = []
        for group in ships:
            if count := min(room, int(group.count)):
                able.append((group.unit, count))
                room -= count
        return tuple(able)

    def bombardment_for(self, landed: int) -> tuple[Weapon, ...]:
        """Return the dice of these ships."""
        weapons = self.stats(Side.ATTACKER).weapons
        return tuple(weapons[unit] for unit, count in self.ships_for(landed) for _ in range(count))

    @property
    def ships(self) -> tuple[tuple[Unit, int], ...]:
        """The ships that bombard for the whole attacker."""
        return self.ships_for(self._land_units)

    @property
    def _land_units(self) -> int:
        return sum(int(group.count) for group in self.attacker.groups if group.unit.category is Category.LAND)

    def terms(self) -> "Terms":
        """Return what the exact odds are asked."""
        attacker, defender = map(self.casualty_order, _SIDES)
        guns = self.defender.count(Unit.GUN).numerator
        bombardment = self.bombardment_for(self._land_units) if self.bombard else ()
        return _terms()(attacker, defender, guns, bombardment, self.stop_after, self.withdrawal, self.low_luck)

    def estimate_seconds(self, rounds: int = 0) -> float:
        """Return a rough upper bound on the seconds of one exact calculation; `rounds`: its limit, 0 for none."""
        pairs = 1.0
        hits = 1
        grouped = any(self.army(side).count(Unit.SUBMARINE) for side in Side)
        for side in Side:
            order = self.casualty_order(side)
            hits += order.hits
            submarines = order.count(Unit.SUBMARINE)
            air = sum(order.counts[at] for at in order.slots_in(Category.AIR))
            pairs *= (submarines + 1) * (air + 1) * (order.hits - submarines - air + 1) if grouped else order.hits + 1
        seconds = pairs * (5e-9 * hits + 2e-9 * rounds if grouped else 1e-6 + 4e-9 * rounds)
        rules = self.defender.book.rules
        if rules.guns is Guns.NONE or not self.defender.count(Unit.GUN):
            return seconds
        # Times the number of the attacker's armies that antiaircraft fire may leave.
        planes = [int(group.count) for group in self.attacker.groups if group.unit.category is Category.AIR]
        return seconds * (prod(count + 1 for count in planes) if rules.planes_by_type else sum(planes) + 1)
