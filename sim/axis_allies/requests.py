"""Defines what the bot and the console ask for: frozen requests, each the job that answers it, and caveats.

Source: .docs/rules/axis_allies.md, "The answer" and "End, winner, territory": retreats after any round.

Engines with NumPy or Numba are imported in `run` only: the process that creates requests must not load
them.
"""

from collections.abc import Iterator
from math import ceil
from typing import Annotated, Self

from pydantic import Field, model_validator
from typing_extensions import override

from sim.axis_allies.advice_reports import LuckReport, PurchaseReport, RetreatReport
from sim.axis_allies.army import Army, Group, LeftArmies, army_words, group_words
from sim.axis_allies.casualties import require_whole
from sim.axis_allies.editions import EDITIONS, Guns
from sim.axis_allies.odds import OrderSearch, SearchingRequest
from sim.axis_allies.odds_report import OddsReport
from sim.axis_allies.question import NEVER, BattleRequest, Question, Wave
from sim.axis_allies.unit_stats import DIE, can_harm, defenceless
from sim.axis_allies.units import Category, Unit
from sim.core import RuleError
from sim.core.dice import Seed
from sim.core.names import listed
from sim.core.numbers import quantity
from sim.core.values import Side

BATTLES = 20_000
"""Number of simulated battles if exact odds would take too long."""

MAX_OUTCOMES = 100
"""Maximum number of results in a report."""

MAX_TERRITORY = 1_000_000
"""Maximum value of a territory in IPC."""

DRAWING_SECONDS = 0.05
"""The cost of a card."""

_SEARCH_SECONDS = 3.0  # of the search for a purchase, estimated
_SHARE_OF_ORDERS = 0.25  # of the time to search for orders, before that for a purchase


class OddsRequest(SearchingRequest):
    """The odds of a battle.

    `battles` and `seed`: for a simulation if exact odds would take too long. `outcomes`: how many of the likeliest
    results are told. RuleError for fractions of units and for contradictory terms.
    """

    battles: Annotated[int, Field(ge=1_000, le=100_000)] = BATTLES
    seed: Seed = 0
    outcomes: Annotated[int, Field(ge=1, le=MAX_OUTCOMES)] = 20

    @model_validator(mode="after")
    def _sensible(self) -> Self:
        self.check()
        self.withdrawal.check(self.attacker, self.defender)
        return self

    @override
    def cost(self) -> float:
        # The slowest exact calculation takes about one second, a simulation less.
        return self.search_seconds + min(2.0, 0.01 + self.estimate_seconds(self.stop_after or 0))

    def run(self, *, course: bool = False) -> OddsReport:
        """Calculate the odds, exactly if that takes reasonable time, else by simulation.

        `course`: with the battle round by round, which takes longer than its end; with a limit it is always there.
        """
        from sim.axis_allies.odds import summary  # noqa: PLC0415

        battle, found = self.resolved()
        terms, must_take, outcomes = battle.terms(), self.must_take, self.outcomes
        told = summary.fight(terms, self.battles, self.seed, course=course, must_take=must_take, outcomes=outcomes)
        notes = tuple(caveats(self, retreats=self.withdrawal.possible))
        return summary.odds_report(told, self.attacker, self.defender, found_orders=found, notes=notes)


class PurchaseRequest(SearchingRequest):
    """The cheapest reinforcement that reaches a chance to win.

    `chance`: the wanted chance of `side`, between 0 and 1; `side` may have no units yet. `units`: what may be bought;
    by default all units of the edition that fight where this battle is, on land or at sea, except transports, and
    antiaircraft guns if there are no planes to fire at. RuleError for fractions of units, for units that can't be
    bought, for contradictory terms, and if no purchase can ever win.

    Smart and thrifty casualties are the best orders of one battle, and all purchases are compared with them: an order
    for each would take far too long. That battle is the one after a purchase of equally many of each unit, enough for
    both sides to take about as many hits.
    """

    chance: Annotated[float, Field(gt=0, lt=1)]
    side: Side = Side.ATTACKER
    units: tuple[Unit, ...] = ()

    @model_validator(mode="after")
    def _sensible(self) -> Self:
        book, buyable = EDITIONS[self.edition], self.buyable
        for unit in self.units:
            if unit not in book.units:
                raise RuleError(f"{book.title} has no {unit.plural}.")
            if book.units[unit].mark:
                raise RuleError(
                    f"In {book.title}, an antiaircraft gun is only a mark: it can't be bought for a battle."
                )
        for_land = self.side is Side.ATTACKER and any(unit.category is Category.LAND for unit in buyable)
        if self.must_take and not self.attacker.has(Category.LAND) and not for_land:
            raise RuleError("Only land units can take a territory: the attacker has none and buys none.")
        own = self.army(self.side) + Army.of(dict.fromkeys(buyable, 1), self.edition)
        self.model_copy(update={self.side.value: own}).check()
        armed, stats = {*self.army(self.side).units, *buyable}, self.stats(self.side)
        guns = self.side is Side.DEFENDER and Unit.GUN in armed
        for target in self.army(self.side.other).fighters.units:
            if not (guns and target.category is Category.AIR) and not can_harm(armed, stats, [target]):
                raise RuleError(
                    f"Nothing the {self.side} has or buys can hit the {self.side.other}'s "
                    f"{target.plural}: {listed([unit.plural for unit in buyable])} never win, however many."
                )
        return self

    @property
    def buyable(self) -> tuple[Unit, ...]:
        """What may be bought, each unit once; RuleError if neither the request nor the armies say."""
        if self.units:
            return tuple(dict.fromkeys(self.units))
        armies = self.attacker, self.defender
        if not any(armies):
            raise RuleError("Name the units to buy from: without an army, this could be a battle on land or at sea.")
        naval = any(army.has(Category.NAVAL) for army in armies)
        on_land = self.must_take or not naval or all(army.has(Category.LAND) for army in armies)
        kinds = {Category.AIR, Category.LAND if on_land else Category.NAVAL}
        book = EDITIONS[self.edition]
        useless = {Unit.TRANSPORT}
        if self.side is Side.ATTACKER or book.rules.guns is not Guns.UNIT or not self.attacker.has(Category.AIR):
            useless.add(Unit.GUN)
        return tuple(unit for unit in book.units if unit.category in kinds and unit not in useless)

    @property
    @override
    def search(self) -> OrderSearch:
        hits = {side: sum(group.count + group.lives for group in army.groups) for side, army in self.armies.items()}
        each = max(1, ceil((hits[self.side.other] - hits[self.side]) / len(self.buyable)))
        reinforced = Army.of(dict.fromkeys(self.buyable, each), self.edition) + self.army(self.side)
        return OrderSearch(self.model_copy(update={self.side.value: reinforced}), share=_SHARE_OF_ORDERS)

    @override
    def cost(self) -> float:
        search = _SHARE_OF_ORDERS * self.search_seconds
        return _SEARCH_SECONDS + 1.0 + search + min(10.0, 2 * self.estimate_seconds())

    def run(self) -> PurchaseReport:
        """Find the cheapest purchase exactly.

        TooMuchError if the search reaches its limit without a result or if the armies are too large; RuleError if no
        purchase can ever reach the chance.
        """
        from sim.axis_allies.odds.purchase import purchase_report  # noqa: PLC0415

        battle, found = self.resolved()
        report = purchase_report(battle, self.side, self.chance, self.buyable, _SEARCH_SECONDS)
        reinforced = report.best.units + self.army(self.side)
        notes = caveats(self.model_copy(update={self.side.value: reinforced}))
        return report.with_more(found, notes)


class RetreatRequest(SearchingRequest):
    """When the attacker should retreat.

    `territory`: value of the attacker's victory in IPC besides the losses; with `must_take` only of a victory with a
    land unit left. `stop_after`: the battle is broken off after that many rounds. `later`: the powers that attack what
    is left, one after another, on the same side. RuleError for fractions of units and for contradictory terms.
    """

    territory: Annotated[int, Field(ge=0, le=MAX_TERRITORY)] = 0
    later: tuple[Wave, ...] = ()

    @classmethod
    def of(cls, question: Question, territory: int) -> Self:
        """Return the request of a question, whose later waves are the later powers; RuleError."""
        if question.counter is not None or question.withdrawal != NEVER:
            raise RuleError("Leave out a counterattack and when to retreat: that is what you ask.")
        return cls(**question.fields, territory=territory, later=question.waves[1:])

    @model_validator(mode="after")
    def _sensible(self) -> Self:
        battles: tuple[BattleRequest, ...] = (self, *self._later_battles())
        lands = [battle.attacker.has(Category.LAND) for battle in battles]
        for battle, takes in zip(battles, lands, strict=True):  # planes alone only clear what others take
            battle.model_copy(update={"must_take": self.must_take and (takes or not any(lands))}).check()
        if self.later and self.searched:
            raise RuleError("With waves, losses go by score, lives-first, or an order of your own.")
        return self

    def _later_battles(self) -> tuple[BattleRequest, ...]:
        to_the_end = {"stop_after": None, "withdrawal": NEVER, "later": ()}
        waves = ({"attacker": each.army, "bombard": each.bombard, "landing": each.landing} for each in self.later)
        return tuple(self.model_copy(update=to_the_end | wave) for wave in waves)

    @override
    def cost(self) -> float:
        estimate = sum(each.estimate_seconds() * int(self.defender.size()) for each in self._later_battles())
        # For each round of a battle with a limit, or in all without one, 20 passes, each about as long as the odds.
        seconds = 0.02 + 20.0 * (self.estimate_seconds() * (self.stop_after or 1) + estimate)
        return self.search_seconds + min(10.0, seconds)

    def run(self) -> RetreatReport:
        """Find the best plan exactly; RuleError if there is no battle to retreat from, TooMuchError if too large."""
        from sim.axis_allies.odds.retreat_solver import retreat_report  # noqa: PLC0415

        battle, found = self.resolved()
        report = retreat_report(battle, self.territory, self._later_battles())
        then = (
            f"{army_words(each.army)} attack what you leave; figures compare with leaving it to them"
            for each in self.later
        )
        return report.with_more(found, (*then, *caveats(self, retreats=True)))


class LuckRequest(SearchingRequest, LeftArmies):
    """How lucky the result of a battle was.

    `attacker_left`, `defender_left`: what was left of both armies, empty for nothing; damage counts. `stop_after`:
    the battle was broken off after that many rounds unless it ended before. RuleError for fractions of units, for more
    units than there were, and for a battle that is not over and was not broken off.
    """

    @model_validator(mode="after")
    def _sensible(self) -> Self:
        self.check()
        for side in Side:
            if self.left(side) and self.left(side).edition != self.edition:
                raise RuleError("What is left must be from the same edition as the battle.")
            for group in self.left(side).groups:
                require_whole(self.left(side), group)
                self._require_at_start(side, group)
        left = {side: self.left(side).fighters.units for side in Side}
        stats = {side: self.stats(side) for side in Side}
        for side in Side:
            if exposed := defenceless(left[side], stats[side], left[side.other], stats[side.other]):
                names = " and ".join(unit.plural for unit in exposed)
                raise RuleError(f"The {side} can't have {names} left: without other units, they are lost at once.")
        if self.stop_after is None and any(can_harm(left[side], stats[side], left[side.other]) for side in Side):
            raise RuleError(
                "The battle isn't over: both sides can still fight. If it stopped early, give the number of rounds."
            )
        return self

    def _require_at_start(self, side: Side, group: Group) -> None:
        start = next((candidate for candidate in self.army(side).groups if candidate.unit is group.unit), None)
        if start is None:
            raise RuleError(f"The {side} can't have {group_words(self.left(side), group)} left: it started with none.")
        if group.lives > start.lives:
            undamaged = group_words(self.left(side), group.model_copy(update={"count": group.lives}))
            undamaged = undamaged.replace(" ", " undamaged ", 1)
            raise RuleError(f"The {side} can't have {undamaged} left: it started with {int(start.lives) or 'none'}.")
        if group.count > start.count:
            left, before = group_words(self.left(side), group), group_words(self.army(side), start)
            raise RuleError(f"The {side} can't have {left} left of {before}.")

    @override
    def cost(self) -> float:
        return self.search_seconds + min(10.0, 0.01 + self.estimate_seconds(self.stop_after or 0))

    def run(self) -> LuckReport:
        """Rank the result among all results, exactly; RuleError if it is impossible, TooMuchError if too large."""
        from sim.axis_allies.odds.percentile import luck_report  # noqa: PLC0415

        battle, found = self.resolved()
        report = luck_report(battle, {side: self.left(side) for side in Side})
        return report.with_more(found, caveats(self))


def warm_up() -> None:
    """Prepare every kernel; call this once in a worker's initializer.

    Takes about half a minute without a cache, a fraction of a second with one.
    """
    from sim.axis_allies.odds.positions import Positions  # noqa: PLC0415
    from sim.axis_allies.odds.simulate import simulate  # noqa: PLC0415

    land = Army.of({Unit.INFANTRY: 1})
    sea = Army.of({Unit.SUBMARINE: 1, Unit.DESTROYER: 1})
    for army in (land, sea):
        for stop_after in (None, 1):
            OddsRequest(attacker=army, defender=army, casualties="smart", stop_after=stop_after).run(course=True)
            RetreatRequest(attacker=army, defender=army, stop_after=stop_after).run()
        PurchaseRequest(attacker=army, defender=army, chance=0.7).run()
    OddsRequest(attacker=land, defender=land, low_luck=True).run()
    for army in (land, sea):
        Positions.begin(BattleRequest(attacker=army, defender=army), list(Side), "chance").weigh()
    simulate(OddsRequest(attacker=land, defender=land).terms(), battles=2, seed=0)
    planes, guns = (Army.of({Unit.INFANTRY: 1, other: 1}, "1942") for other in (Unit.FIGHTER, Unit.GUN))
    OddsRequest(attacker=planes, defender=guns, bombard=Army.of({Unit.BATTLESHIP: 1}, "1942")).run()


def caveats(request: BattleRequest, *, retreats: bool = False) -> Iterator[str]:
    """Yield what readers should know besides the odds of a battle, only what applies.

    Each is a sentence without its full stop. `retreats`: the attacker may retreat.
    """
    here, there, bombard = request.attacker, request.defender, request.bombard
    if guns := there.count(Unit.GUN).numerator:
        yield from _antiaircraft_fire(request, guns)
    if bombard:
        yield from _bombardment(request)
    if exposed := there.book.rules.defenceless:
        yield from _left_alone(here, there, exposed)
    if here and not (here.has(Category.LAND) or here.has(Category.NAVAL) or there.has(Category.NAVAL)):
        yield "planes alone can't take territory"
    if retreats and (bombard or request.landing):
        yield "by the rules, units that came by sea can't retreat; here they do"
    if there.count(Unit.BOMBER) and there.has(Category.NAVAL):
        yield "by the rules, bombers can't defend a fleet; here they do"


def _antiaircraft_fire(request: BattleRequest, guns: int) -> Iterator[str]:
    book = request.defender.book
    planes = int(request.attacker.size(Category.AIR))
    if book.rules.guns is Guns.MARK and guns > 1:
        yield f"{guns:,} antiaircraft guns fire as one in {book.title}"
        guns = 1
    if planes:
        dice = book.rules.gun_dice(guns, planes)
        falls = dice * request.stats(Side.DEFENDER).gun_hits / DIE
        planes_fall = "1 plane falls" if falls == 1 else f"{_mean(falls)} planes fall"
        who = f"{quantity(guns, 'gun')}, {quantity(dice, 'die', 'dice')}"
        yield f"antiaircraft fire: {who}: {planes_fall} on average"


def _bombardment(request: BattleRequest) -> Iterator[str]:
    stats, firing = request.stats(Side.ATTACKER), request.ships_for()
    together, able = int(request.bombard.size()), sum(count for _, count in firing)
    if able:
        hits = sum(stats.weapons[unit].chance * count for unit, count in firing)
        named = ", ".join(f"{count:,} {unit.named(str(count))}" for unit, count in firing)
        fires = "units hit still fire back" if stats.rules.bombarded_fire_back else "units hit don't fire back"
        yield f"bombardment: {named}: {_mean(hits)} {'hit' if hits == 1 else 'hits'} on average; {fires}"
    if able < together:
        yield (
            f"{able or 'none'} of {quantity(together, 'ship')} {'bombards' if able == 1 else 'bombard'}: "
            "one for each land unit that comes by sea"
        )


def _left_alone(here: Army, there: Army, exposed: tuple[Unit, ...]) -> Iterator[str]:
    for side, army in ((Side.ATTACKER, here), (Side.DEFENDER, there)):
        if army and all(group.unit in exposed for group in army.groups):
            names = " and ".join(group.unit.plural for group in army.groups)
            yield f"the {side}'s {names} have nobody to defend them: they are lost at once"
    if Unit.TRANSPORT in exposed and any(army.count(Unit.TRANSPORT) and army.groups[1:] for army in (here, there)):
        yield "transports left alone are lost at once"


def _mean(figure: float) -> str:
    return f"{figure:,.2f}".rstrip("0").rstrip(".")
