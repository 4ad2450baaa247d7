"""What is asked about a battle: as it is typed in one line or put together from options, and as a request.

That is its armies, how they choose their losses, the opening, and when it is broken off: after a number of rounds, or
when the attacker leaves, all at once, after any round, the attacker only. Source: .docs/rules/axis_allies.md, "In the
chat line", "End, winner, territory" and "Low luck, waves, counterattacks".
"""

from fractions import Fraction
from math import prod
from typing import Annotated, Any, NamedTuple, Self

from pydantic import Field, model_validator

from sim.axis_allies.army import Army, TwoArmies, battle_notes
from sim.axis_allies.casualties import Casualties, CasualtyOrder, slot_counts
from sim.axis_allies.editions import DEFAULT, EDITIONS, Edition, Guns
from sim.axis_allies.unit_stats import UnitStats, Weapon, stats_of
from sim.axis_allies.units import Category, Unit
from sim.core import RuleError
from sim.core.numbers import amount
from sim.core.values import Frozen, Request, Side

MAX_ROUNDS = 1_000
"""Length of the longest battle; only large numbers of harmless transports last longer."""

RoundLimit = Annotated[int, Field(ge=1, le=MAX_ROUNDS)]
"""Number of rounds after which a battle is broken off."""


class Withdrawal(Frozen):
    """When the attacker leaves, after any round.

    `below`: with fewer units. `ipc_lost`: after losing more IPC. `only_air`: with nothing but planes left. `last_land`:
    with one land unit left. `defenders_below`: with fewer defenders left, as in a strafing attack.
    """

    below: Annotated[int, Field(ge=1)] | None = None
    ipc_lost: Annotated[int, Field(ge=0)] | None = None
    only_air: bool = False
    last_land: bool = False
    defenders_below: Annotated[int, Field(ge=1)] | None = None

    def check(self, attacker: Army, defender: Army) -> None:
        """Raise RuleError for a condition that holds before the first round."""
        units, land = attacker.fighters.size(), attacker.fighters.size(Category.LAND)
        if units < (self.below or 0):
            raise RuleError(f"The attacker starts with only {_quantity(units)}, so it would retreat before the battle.")
        if self.only_air and units == attacker.size(Category.AIR):
            raise RuleError("The attacker has only planes, so it would retreat before the battle.")
        if self.last_land and land <= 1:
            lacks = "has no land units" if land == 0 else "starts with a single land unit"
            raise RuleError(f"The attacker {lacks}, so it would retreat before the battle.")
        if (defenders := defender.fighters.size()) < (self.defenders_below or 0):
            starts = _quantity(defenders)
            raise RuleError(f"The defender starts with only {starts}, so the attacker would retreat before the battle.")

    def leaves(self, units: Any, air: Any, land: Any, ipc_lost: Any) -> Any:  # noqa: ANN401  # numbers, or arrays of them
        """Return whether the attacker leaves, by its units, planes and land units left and by the IPC lost so far."""
        if self is NEVER:  # as fast as can be: most battles are fought to the end
            return units < 0
        return (
            (units < (self.below or 0))
            | (self.ipc_lost is not None and ipc_lost > self.ipc_lost)
            | (self.only_air and air == units)
            | (self.last_land and land <= 1)
        )

    @property
    def possible(self) -> bool:
        """Whether the attacker ever leaves."""
        return self is not NEVER and self != NEVER


NEVER = Withdrawal()
"""The attacker never leaves."""


def _quantity(units: Fraction) -> str:
    return f"{amount(units)} {'unit' if units == 1 else 'units'}"


MAX_WAVES = 5
"""Maximum number of attackers one after another."""

Technologies = tuple[str, ...]
"""Names of technologies, as in the edition's file."""


class BattleTerms(Frozen):
    """What holds for a battle besides its armies.

    `attacker_casualties`, `defender_casualties`: how the sides choose their losses, None for the edition's default.
    `stop_after`: rounds after which the battle is broken off. `withdrawal`: when the attacker leaves. `must_take`: the
    attacker wins only with a land unit left to take the territory. `low_luck`: six points of value are a hit, one die
    decides on the rest.
    """

    attacker_technology: Technologies = ()
    defender_technology: Technologies = ()
    attacker_casualties: Casualties | None = None
    defender_casualties: Casualties | None = None
    stop_after: RoundLimit | None = None
    withdrawal: Withdrawal = NEVER
    must_take: bool = False
    low_luck: bool = False


class Wave(Frozen):
    """An attacker of several, or a counterattack.

    `bombard`: its ships that bombard; `landing`: how many land units come by sea, by default all of them.
    """

    army: Army
    bombard: Army = Army()
    landing: Annotated[int, Field(ge=0)] | None = None


class Question(BattleTerms):
    """A battle, or several attackers one after another, with everything that is asked about it.

    `counter`: who attacks those that took the territory.
    """

    waves: Annotated[tuple[Wave, ...], Field(min_length=1, max_length=MAX_WAVES)]
    defender: Army
    counter: Wave | None = None

    @model_validator(mode="after")
    def _one_edition(self) -> Self:
        waves = self.waves if self.counter is None else (*self.waves, self.counter)
        armies = (self.defender, *(army for wave in waves for army in (wave.army, wave.bombard) if army))
        if not all(armies) or not all(wave.army for wave in waves):
            raise ValueError("every army of a question has units")
        if len({army.edition for army in armies}) > 1:
            raise ValueError("all armies of a question are of one edition")
        return self

    @property
    def edition(self) -> str:
        """The edition that all armies are of."""
        return self.defender.edition

    @property
    def book(self) -> Edition:
        """The edition's units and rules."""
        return self.defender.book

    @property
    def armies(self) -> dict[Side, Army]:
        """The first attacker and the defender."""
        return {Side.ATTACKER: self.waves[0].army, Side.DEFENDER: self.defender}

    @property
    def one_battle(self) -> bool:
        """Whether there is one attacker and no counterattack."""
        return len(self.waves) == 1 and self.counter is None

    @property
    def fields(self) -> dict[str, Any]:
        """The fields of a request about the battle of the first wave."""
        return self.fields_of(self.waves[0])

    def fields_of(self, wave: Wave) -> dict[str, Any]:
        """Return the fields of a request about the battle of one attacker against the whole defender."""
        terms = {name: getattr(self, name) for name in BattleTerms.model_fields}
        armies = {"attacker": wave.army, "bombard": wave.bombard, "landing": wave.landing, "defender": self.defender}
        return armies | terms

    def with_options(
        self, *, casualties: Casualties | None = None, landing: int | None = None, **options: object
    ) -> Self:
        """Return the question with the options given besides its text: they win, None is no option.

        `casualties`: of both sides; `landing`: of every wave; the others are fields. Of a `withdrawal` only the
        conditions that it sets.
        """
        given: dict[str, Any] = {name: value for name, value in options.items() if value is not None}
        if casualties is not None:
            given = {"attacker_casualties": casualties, "defender_casualties": casualties, **given}
        if landing is not None:
            given["waves"] = tuple(wave.model_copy(update={"landing": landing}) for wave in self.waves)
        if "withdrawal" in given:
            conditions = given["withdrawal"].model_dump(exclude_defaults=True)
            given["withdrawal"] = self.withdrawal.model_copy(update=conditions)
        return type(self).model_validate({**dict(self), **given})


MAX_SMALL = 2_500
"""Maximum number of pairs of armies of a small battle."""

MAX_SEARCH_SECONDS = 2.0
"""Maximum time to search for both sides' best orders of losses."""


class Terms(NamedTuple):
    """Both sides, what happens before the first round, and when the battle is broken off.

    `guns`: antiaircraft guns that fire at the attacker's planes. `bombardment`: the ships' dice, already limited.
    `stop_after`: rounds, None for no limit. `low_luck`: six points of value are a hit, one die decides on the rest.
    `waves`: all attackers that the defender meets in turn, if there are more than this one.
    """

    attacker: CasualtyOrder
    defender: CasualtyOrder
    guns: int = 0
    bombardment: tuple[Weapon, ...] = ()
    stop_after: int | None = None
    withdrawal: Withdrawal = NEVER
    low_luck: bool = False
    waves: tuple[CasualtyOrder, ...] = ()

    @property
    def enemies(self) -> tuple[CasualtyOrder, ...]:
        """All attackers that the defender meets, this one included."""
        return self.waves or (self.attacker,)

    @property
    def joining(self) -> tuple[Weapon, ...]:
        """The ships' dice that are thrown in the first round, where what a bombardment hits fires back."""
        return self.bombardment if self.attacker.arms.rules.bombarded_fire_back else ()

    @property
    def is_small(self) -> bool:
        """Whether it is a small battle to the end, with nothing before it."""
        open_end = self.stop_after is None and not (self.guns or self.bombardment or self.withdrawal.possible)
        return open_end and self.attacker.hits * self.defender.hits <= MAX_SMALL


class BattleRequest(TwoArmies, BattleTerms, Request):
    """A battle with dice.

    `casualties`: how both sides choose their losses, by default as the edition does, unless `attacker_casualties` or
    `defender_casualties` overrides it. `bombard`: the attacker's ships that bombard; `landing`: how many land units
    come by sea, by default all of them.
    """

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
        """Raise RuleError for fractions of units, a territory that nobody can take, or a wrong opening."""
        for side in Side:
            order = self.casualty_order(side)
            best_of = [order.arms.weapons[slot].best_of for slot in order.slots if isinstance(slot, Unit)]
            if self.low_luck and max(best_of, default=1) > 1:
                raise RuleError("Low luck has no rule for heavy bombers that take the best of two dice.")
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
        sides = (Side.ATTACKER, Side.DEFENDER)
        return tuple([side for side in sides if self.casualties_of(side) in {"smart", "thrifty"}])

    @property
    def search_seconds(self) -> float:
        """A rough upper bound on the seconds of the search for the best orders of losses."""
        return MAX_SEARCH_SECONDS if self.searched else 0.0

    def stats(self, side: Side) -> UnitStats:
        """Return what the units of `side` can do."""
        technology = self.attacker_technology if side is Side.ATTACKER else self.defender_technology
        return stats_of(self.edition, side, technology)

    def casualty_order(self, side: Side) -> CasualtyOrder:
        """Return the army of `side` in casualty order."""
        army, enemy, technology = self.attacker, self.defender, self.attacker_technology
        if side is Side.DEFENDER:
            army, enemy, technology = enemy, army, self.defender_technology
        losses, arms = self.casualties_of(side), stats_of(army.edition, side, technology)
        hunted = losses == "formula" and enemy.count(Unit.SUBMARINE) > 0
        counts = slot_counts(army, arms)
        return CasualtyOrder.of(counts, arms, losses, against_submarines=hunted, must_take=self.must_take)

    def ships_for(self, landed: int | None = None) -> tuple[tuple[Unit, int], ...]:
        """Return the ships that bombard when `landed` land units fight, by type and number, the best first.

        By default the whole attacker fights. Where the edition allows one ship for each unit that lands, `landing`
        limits how many do.
        """
        stats = self.stats(Side.ATTACKER)
        landed = int(self.attacker.size(Category.LAND)) if landed is None else landed
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

    def bombardment_for(self, landed: int | None = None) -> tuple[Weapon, ...]:
        """Return the dice of these ships."""
        weapons = self.stats(Side.ATTACKER).weapons
        return tuple(weapons[unit] for unit, count in self.ships_for(landed) for _ in range(count))

    def terms(self) -> Terms:
        """Return what the exact odds are asked."""
        attacker, defender = self.casualty_order(Side.ATTACKER), self.casualty_order(Side.DEFENDER)
        guns = self.defender.count(Unit.GUN).numerator
        bombardment = self.bombardment_for() if self.bombard else ()
        return Terms(attacker, defender, guns, bombardment, self.stop_after, self.withdrawal, self.low_luck)

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
