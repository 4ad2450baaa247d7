"""What the bot and the console ask for: frozen requests, each the job that answers it.

Source for retreats: .docs/rules/axis_allies.md, "End, winner, territory": after any round.

Engines with NumPy or Numba are imported in `run` only: the process that creates requests must not load
them.
"""

from collections.abc import Sequence
from math import ceil
from typing import Annotated, Self

from pydantic import Field, model_validator
from typing_extensions import override

from sim.axis_allies.advice_reports import LuckReport, PurchaseReport, RetreatReport
from sim.axis_allies.arms import arms_of, can_harm, firing, is_mark
from sim.axis_allies.army import Army, Group, group_words
from sim.axis_allies.cards import luck_card, need_card, retreat_card
from sim.axis_allies.casualties import require_whole
from sim.axis_allies.caveats import caveats
from sim.axis_allies.editions import DEFAULT, EDITIONS, EditionName, Guns
from sim.axis_allies.odds.order_problem import FoundOrders
from sim.axis_allies.odds.order_search import OrderSearch, SearchingRequest
from sim.axis_allies.odds_report import OddsReport
from sim.axis_allies.parse import MAX_TEXT, decode_text, fitting_edition, is_battle, parse_army, parse_question
from sim.axis_allies.reports import CheckedArmies
from sim.axis_allies.units import Category, Unit
from sim.core.cards.values import DrawnCard
from sim.core.dice import Seed
from sim.core.errors import RuleError, TooMuchError, check_length
from sim.core.values import Request, Side

BATTLES = 20_000
"""Number of simulated battles if exact odds would take too long."""

MAX_OUTCOMES = 100
"""Maximum number of results in a report."""

MAX_TERRITORY = 1_000_000
"""Maximum value of a territory in IPC."""

DRAWING_SECONDS = 0.05
"""The cost of a card."""

_MAX_ODDS_SECONDS = 2.0  # the slowest exact calculation takes about one, a simulation less
_SEARCH_SECONDS = 3.0  # of the search for a purchase, estimated
_SHARE_OF_ORDERS = 0.25  # of the time to search for orders, before that for a purchase
_MAX_RETREAT_SECONDS = 10.0
_PASSES = 20.0  # per round of a battle with a limit, or in all without one; each costs about as much as the odds


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
        return self.search_seconds + min(_MAX_ODDS_SECONDS, 0.01 + self.estimate_seconds(self.stop_after or 0))

    def run(self, *, course: bool = False) -> OddsReport:
        """Calculate the odds, exactly if that takes reasonable time, else by simulation.

        `course`: with the battle round by round, which takes longer than its end; with a limit it is always there.
        """
        from sim.axis_allies.odds.engine import solve  # noqa: PLC0415
        from sim.axis_allies.odds.simulate import simulate  # noqa: PLC0415
        from sim.axis_allies.odds.summary import odds_report  # noqa: PLC0415

        battle, found = self.resolved()
        terms = battle.terms(self.stop_after, self.withdrawal)
        try:
            solution = solve(terms, course=course)
        except TooMuchError:
            solution = simulate(terms, self.battles, self.seed)
        return odds_report(
            solution,
            self.attacker,
            self.defender,
            must_take=self.must_take,
            outcomes=self.outcomes,
            found_orders=found,
            notes=caveats(self, retreats=self.withdrawal.possible),
        )


class PurchaseRequest(SearchingRequest):
    """The cheapest reinforcement that reaches a chance to win.

    `chance`: the wanted chance of `side`, between 0 and 1; `side` may have no units yet. `units`: what may be bought;
    by default all units of the edition that fight where this battle is, on land or at sea, except transports, and
    antiaircraft guns if there are no planes to fire at. RuleError for fractions of units, for units that can't be
    bought, for contradictory terms, and if no purchase can ever win.

    Smart and thrifty casualties are the best orders of one battle, that of `_example`, and all purchases are compared
    with them: an order for each would take far too long.
    """

    chance: Annotated[float, Field(gt=0, lt=1)]
    side: Side = Side.ATTACKER
    units: tuple[Unit, ...] = ()

    @model_validator(mode="after")
    def _sensible(self) -> Self:
        for unit in self.units:
            self._require_buyable(unit)
        buyable = self.buyable
        for_land = self.side is Side.ATTACKER and any(unit.category is Category.LAND for unit in buyable)
        if self.must_take and not self.attacker.has(Category.LAND) and not for_land:
            raise RuleError("Only land units can take a territory: the attacker has none and buys none.")
        self._with_one_of(buyable).check()
        for group in self.army(self.side.other).fighters.groups:
            if not self._can_hit(group.unit, buyable):
                raise RuleError(
                    f"Nothing the {self.side} has or buys can hit the {self.side.other}'s "
                    f"{group.unit.plural}: {_listed(buyable)} never win, however many."
                )
        return self

    def _can_hit(self, target: Unit, buyable: tuple[Unit, ...]) -> bool:
        """Return whether anything that the side has or buys can hit an enemy unit."""
        armed = {group.unit for group in self.army(self.side).groups} | set(buyable)
        if self.side is Side.DEFENDER and Unit.GUN in armed and target.category is Category.AIR:
            return True
        arms = arms_of(self.edition, self.side, self.technology_of(self.side))
        return any(
            arms.can_hit(unit, target, own_destroyer=Unit.DESTROYER in armed)
            for unit in firing(armed, arms, surprise=False, struck=False)
        )

    def _require_buyable(self, unit: Unit) -> None:
        book = EDITIONS[self.edition]
        if unit not in book.units:
            raise RuleError(f"{book.title} has no {unit.plural}.")
        if is_mark(book, unit):
            raise RuleError(f"In {book.title}, an antiaircraft gun is only a mark: it can't be bought for a battle.")

    def _with_one_of(self, units: tuple[Unit, ...]) -> Self:
        """Return the request with one more of each unit."""
        own = self.army(self.side)
        there = {group.unit for group in own.groups}
        more = Army.of({unit: 1 for unit in units if unit not in there}, self.edition)
        army = Army(groups=(*own.groups, *more.groups), edition=self.edition)
        return self.model_copy(update={self.side.value: army})

    @property
    def _example(self) -> Self:
        """The battle after a purchase of as many of each unit as both sides need to take about as many hits."""
        own, enemy, units = self.army(self.side), self.army(self.side.other), self.buyable
        missing = sum(group.count + group.lives for group in enemy.groups) - sum(
            group.count + group.lives for group in own.groups
        )
        each = max(1, ceil(missing / len(units)))
        bought = Army.of(dict.fromkeys(units, each), self.edition)
        return self.model_copy(update={self.side.value: _together([bought, own])})

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
        return OrderSearch(self._example, share=_SHARE_OF_ORDERS)

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
        reinforced = _together([report.best.units, self.army(self.side)])
        notes = caveats(self.model_copy(update={self.side.value: reinforced}))
        return report.with_more(found, notes)


def _listed(units: tuple[Unit, ...]) -> str:
    names = [unit.plural for unit in units]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


class RetreatRequest(SearchingRequest):
    """When the attacker should retreat.

    `territory`: value of the attacker's victory in IPC besides the losses; with `must_take` only of a victory with a
    land unit left. `stop_after`: the battle is broken off after that many rounds. RuleError for fractions of units and
    for contradictory terms.
    """

    territory: Annotated[int, Field(ge=0, le=MAX_TERRITORY)] = 0

    @model_validator(mode="after")
    def _sensible(self) -> Self:
        self.check()
        return self

    @override
    def cost(self) -> float:
        seconds = 0.02 + _PASSES * self.estimate_seconds() * (self.stop_after or 1)
        return self.search_seconds + min(_MAX_RETREAT_SECONDS, seconds)

    def run(self) -> RetreatReport:
        """Find the best plan exactly; RuleError if there is no battle to retreat from, TooMuchError if too large."""
        from sim.axis_allies.odds.retreat_solver import retreat_report  # noqa: PLC0415

        battle, found = self.resolved()
        return retreat_report(battle, self.stop_after, self.territory).with_more(found, caveats(self, retreats=True))


class LuckRequest(SearchingRequest):
    """How lucky the result of a battle was.

    `attacker_left`, `defender_left`: what was left of both armies, empty for nothing; damage counts. `stop_after`:
    the battle was broken off after that many rounds unless it ended before. RuleError for fractions of units, for more
    units than there were, and for a battle that is not over and was not broken off.
    """

    attacker_left: Army
    defender_left: Army

    @model_validator(mode="after")
    def _sensible(self) -> Self:
        self.check()
        for side in Side:
            if self.left(side) and self.left(side).edition != self.edition:
                raise RuleError("What is left has to be of the same edition as the battle.")
            for group in self.left(side).groups:
                require_whole(self.left(side), group)
                self._require_at_start(side, group)
        fighting = {side: self.left(side).fighters for side in Side}
        for side, army in fighting.items():
            self._require_defended(side, army, fighting[side.other])
        if self.stop_after is None and any(
            can_harm(army, side, fighting[side.other]) for side, army in fighting.items()
        ):
            raise RuleError(
                "The battle isn't over: both sides can still fight. If it stopped early, give the number of rounds."
            )
        return self

    def left(self, side: Side) -> Army:
        """Return what was left of `side`."""
        return self.attacker_left if side is Side.ATTACKER else self.defender_left

    def _require_defended(self, side: Side, army: Army, enemy: Army) -> None:
        """Raise RuleError if units are left that are lost without dice."""
        exposed = [group for group in army.groups if group.unit in army.book.rules.defenceless]
        others = {group.unit for group in army.groups} - {group.unit for group in exposed}
        planes = all(group.unit.category is Category.AIR for group in enemy.groups)
        if exposed and can_harm(enemy, side.other, army) and (not others or (planes and others == {Unit.SUBMARINE})):
            names = " and ".join(group.unit.plural for group in exposed)
            raise RuleError(f"The {side} can't have {names} left: without other units, they are lost at once.")

    def _require_at_start(self, side: Side, group: Group) -> None:
        start = next((candidate for candidate in self.army(side).groups if candidate.unit is group.unit), None)
        if start is None:
            raise RuleError(f"The {side} can't have {group_words(self.left(side), group)} left: it started with none.")
        if group.lives > start.lives:
            undamaged = group_words(self.left(side), group.model_copy(update={"count": group.lives})).replace(
                " ", " undamaged ", 1
            )
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
        report = luck_report(battle, {side: self.left(side) for side in Side}, self.stop_after)
        return report.with_more(found, caveats(self))


class AdviceRequest(Request):
    """The answer to `/aa need`, `/aa retreat` or `/aa luck`: the report of `question` and its card."""

    question: PurchaseRequest | RetreatRequest | LuckRequest

    @property
    def search(self) -> OrderSearch:
        """The search for the best orders of losses."""
        return self.question.search

    def with_found(self, found: FoundOrders) -> Self:
        """Return the request with the orders that `search` has found."""
        return self.model_copy(update={"question": self.question.with_found(found)})

    @override
    def cost(self) -> float:
        return self.question.cost() + DRAWING_SECONDS

    def run(self) -> tuple[PurchaseReport | RetreatReport | LuckReport, DrawnCard]:
        """Return the report, with the errors of the question, and the card."""
        match report := self.question.run():
            case PurchaseReport():
                return report, need_card(report).drawn()
            case RetreatReport():
                return report, retreat_card(report).drawn()
            case LuckReport():
                return report, luck_card(report).drawn()


class CheckRequest(Request):
    """Checks a file that should be army text in UTF-8: one army, or a battle with everything that is asked about it.

    `edition`: the one that is tried first where the text names none; then the nearest one that has its units.
    """

    max_seconds = 0.05

    content: bytes
    edition: EditionName = DEFAULT

    def run(self) -> CheckedArmies:
        """Read the armies; RuleError if the file is not text, TextError with every mistake and its position."""
        text = decode_text(self.content)
        check_length(text, MAX_TEXT)
        edition = fitting_edition(text, self.edition)
        if not is_battle(text):
            return CheckedArmies(armies=(parse_army(text, edition),))
        question = parse_question(text, edition)
        attackers = [army for wave in question.waves for army in (wave.army, wave.bombard)]
        return CheckedArmies(armies=(_together(attackers), question.defender))


def _together(armies: Sequence[Army]) -> Army:
    """Return all units of armies of one edition as one army; the first one is not empty."""
    groups: dict[Unit, Group] = {}
    for army in armies:
        for group in army.groups:
            before = groups.get(group.unit)
            more = {} if before is None else {"count": before.count + group.count, "lives": before.lives + group.lives}
            groups[group.unit] = group.model_copy(update=more)
    return armies[0].with_groups(groups.values())


def warm_up() -> None:
    """Prepare every kernel; call this once in a worker's initializer.

    Takes about half a minute without a cache, a fraction of a second with one.
    """
    land = Army.of({Unit.INFANTRY: 1})
    sea = Army.of({Unit.SUBMARINE: 1, Unit.DESTROYER: 1})
    for army in (land, sea):
        for stop_after in (None, 1):
            OddsRequest(attacker=army, defender=army, casualties="smart", stop_after=stop_after).run(course=True)
            RetreatRequest(attacker=army, defender=army, stop_after=stop_after).run()
        PurchaseRequest(attacker=army, defender=army, chance=0.7).run()
    OddsRequest(attacker=land, defender=land, low_luck=True).run()
    planes, guns = (Army.of({Unit.INFANTRY: 1, other: 1}, "1942") for other in (Unit.FIGHTER, Unit.GUN))
    OddsRequest(attacker=planes, defender=guns, bombard=Army.of({Unit.BATTLESHIP: 1}, "1942")).run()
