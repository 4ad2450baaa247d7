"""What the bot and the console ask for: frozen requests, each the job that answers it.

Source for retreats: the rules page of Axis & Allies 1941, section "The dice battle": after any round.

Engines with NumPy, Numba or matplotlib are imported in `run` only: the process that creates requests must not load
them.
"""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator
from typing_extensions import override

from sim.axis_allies.advice_reports import LuckReport, PurchaseReport, RetreatReport
from sim.axis_allies.army import Army, Group, group_words
from sim.axis_allies.average import MAX_ROUNDS, fight
from sim.axis_allies.casualties import can_harm, require_whole
from sim.axis_allies.export import battle_table, outcomes_table, transcript
from sim.axis_allies.odds.base_request import BattleRequest, RoundLimit
from sim.axis_allies.odds_report import OddsReport
from sim.axis_allies.parse import decode_text, is_battle, parse_army, parse_battle
from sim.axis_allies.reports import AverageReport, CalcReport, CheckedArmies, SmartOdds
from sim.axis_allies.units import Category, Unit
from sim.core.cards.values import DrawnCard
from sim.core.dice import Seed
from sim.core.errors import RuleError, TooMuchError
from sim.core.values import Request, Side

BATTLES = 20_000
"""Number of simulated battles if exact odds would take too long."""

MAX_TERRITORY = 1_000_000
"""Maximum value of a territory in IPC."""

SMART_GAIN = 0.005
"""Minimum change of a side's chance for which smart casualties are worth a line."""

_SECONDS_PER_ROUND = 200e-6  # of an average battle: a rough upper figure, measured with full armies
_DRAWING_SECONDS = 0.05
_MAX_ODDS_SECONDS = 2.0  # the slowest exact calculation takes about one, a simulation less
_SEARCH_SECONDS = 3.0  # of the search for a purchase, estimated
_MAX_RETREAT_SECONDS = 10.0
_PASSES = 20.0  # per round of a battle with a limit, or in all without one; each costs about as much as the odds


class AverageRequest(Request):
    """The average battle.

    `casualties`: how losses are chosen. `stop_after`: stop undecided after that many rounds (1 to `MAX_ROUNDS`).
    """

    attacker: Army
    defender: Army
    casualties: Literal["score"] = "score"
    stop_after: RoundLimit | None = None

    @override
    def cost(self) -> float:
        return (self.stop_after or MAX_ROUNDS) * _SECONDS_PER_ROUND

    def run(self) -> AverageReport:
        """Fight the battle; TooMuchError if it has no end after `MAX_ROUNDS` rounds."""
        return fight(self.attacker, self.defender, self.stop_after)

    @classmethod
    def of(cls, armies: dict[Side, Army], stop_after: int | None = None) -> Self:
        """Return the request for both sides' armies."""
        return cls(attacker=armies[Side.ATTACKER], defender=armies[Side.DEFENDER], stop_after=stop_after)


class OddsRequest(BattleRequest):
    """The odds of a battle.

    `stop_after`: the battle is broken off after that many rounds. `retreat_below`: the attacker leaves after a round
    that leaves it fewer units. `battles` and `seed`: for a simulation if exact odds would take too long. RuleError for
    fractions of units and for contradictory terms.
    """

    stop_after: RoundLimit | None = None
    retreat_below: Annotated[int, Field(ge=1)] | None = None
    battles: Annotated[int, Field(ge=1_000, le=100_000)] = BATTLES
    seed: Seed = 0

    @model_validator(mode="after")
    def _sensible(self) -> Self:
        self.check()
        units = sum(int(group.count) for group in self.attacker.groups)
        if self.retreat_below is not None and units < self.retreat_below:
            raise RuleError(f"The attacker starts with only {units} units, so it would retreat before the battle.")
        return self

    @classmethod
    def of(cls, armies: dict[Side, Army], stop_after: int | None = None) -> Self:
        """Return the request for both sides' armies."""
        return cls(attacker=armies[Side.ATTACKER], defender=armies[Side.DEFENDER], stop_after=stop_after)

    @override
    def cost(self) -> float:
        return min(_MAX_ODDS_SECONDS, 0.01 + self.estimate_seconds(self.stop_after or 0))

    def run(self) -> OddsReport:
        """Calculate the odds, exactly if that takes reasonable time, else by simulation."""
        from sim.axis_allies.odds.engine import Terms, solve  # noqa: PLC0415
        from sim.axis_allies.odds.simulate import simulate  # noqa: PLC0415
        from sim.axis_allies.odds.summary import odds_report  # noqa: PLC0415

        terms = Terms(
            attacker=self.casualty_order(Side.ATTACKER),
            defender=self.casualty_order(Side.DEFENDER),
            stop_after=self.stop_after,
            retreat_below=self.retreat_below or 1,
        )
        try:
            solution = solve(terms)
        except TooMuchError:
            solution = simulate(terms, self.battles, self.seed)
        return odds_report(solution, self.attacker, self.defender, must_take=self.must_take)


class PurchaseRequest(BattleRequest):
    """The cheapest reinforcement that reaches a chance to win.

    `chance`: the wanted chance of `side`, between 0 and 1; `side` may have no units yet. `units`: what may be bought;
    by default all units that fight where this battle is, on land or at sea, except transports. RuleError for fractions
    of units, for contradictory terms, and if no purchase can ever win.
    """

    chance: Annotated[float, Field(gt=0, lt=1)]
    side: Side = Side.ATTACKER
    units: tuple[Unit, ...] = ()

    @model_validator(mode="after")
    def _sensible(self) -> Self:
        for side in Side:
            self.casualty_order(side)
        buyable = self.buyable
        for_land = self.side is Side.ATTACKER and any(unit.category is Category.LAND for unit in buyable)
        if self.must_take and not self.attacker.has(Category.LAND) and not for_land:
            raise RuleError("Only land units can take a territory: the attacker has none and buys none.")
        armed = {group.unit for group in self.army(self.side).groups} | set(buyable)
        for group in self.army(self.side.other).groups:
            if not any(
                unit.score(self.side) > 0 and unit.can_hit(group.unit, own_destroyer=Unit.DESTROYER in armed)
                for unit in armed
            ):
                raise RuleError(
                    f"Nothing the {self.side} has or buys can hit the {self.side.other}'s "
                    f"{group.unit.stats.plural}: {_listed(buyable)} never win, however many."
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
        return tuple(unit for unit in Unit if unit.category in kinds and unit is not Unit.TRANSPORT)

    @override
    def cost(self) -> float:
        return _SEARCH_SECONDS + 1.0 + min(10.0, 2 * self.estimate_seconds())

    def run(self) -> PurchaseReport:
        """Find the cheapest purchase exactly.

        TooMuchError if the search reaches its limit without a result or if the armies are too large; RuleError if no
        purchase can ever reach the chance.
        """
        from sim.axis_allies.odds.purchase import purchase_report  # noqa: PLC0415

        return purchase_report(self, self.side, self.chance, self.buyable, _SEARCH_SECONDS)


def _listed(units: tuple[Unit, ...]) -> str:
    names = [unit.stats.plural for unit in units]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


class RetreatRequest(BattleRequest):
    """When the attacker should retreat.

    `territory`: value of the attacker's victory in IPC besides the losses; with `must_take` only of a victory with a
    land unit left. `stop_after`: the battle is broken off after that many rounds. RuleError for fractions of units and
    for contradictory terms.
    """

    stop_after: RoundLimit | None = None
    territory: Annotated[int, Field(ge=0, le=MAX_TERRITORY)] = 0

    @model_validator(mode="after")
    def _sensible(self) -> Self:
        self.check()
        return self

    @override
    def cost(self) -> float:
        return min(_MAX_RETREAT_SECONDS, 0.02 + _PASSES * self.estimate_seconds() * (self.stop_after or 1))

    def run(self) -> RetreatReport:
        """Find the best plan exactly; RuleError if there is no battle to retreat from, TooMuchError if too large."""
        from sim.axis_allies.odds.retreat_solver import retreat_report  # noqa: PLC0415

        return retreat_report(self, self.stop_after, self.territory)


class LuckRequest(BattleRequest):
    """How lucky the result of a battle was.

    `attacker_left`, `defender_left`: what was left of both armies, empty for nothing; damage counts. `stop_after`:
    the battle was broken off after that many rounds unless it ended before. RuleError for fractions of units, for more
    units than there were, and for a battle that is not over and was not broken off.
    """

    attacker_left: Army
    defender_left: Army
    stop_after: RoundLimit | None = None

    @model_validator(mode="after")
    def _sensible(self) -> Self:
        self.check()
        for side in Side:
            for group in self.left(side).groups:
                require_whole(group)
                self._require_at_start(side, group)
        if self.stop_after is None and any(can_harm(self.left(side), side, self.left(side.other)) for side in Side):
            raise RuleError(
                "The battle isn't over: both sides can still fight. If it stopped early, give the number of rounds."
            )
        return self

    def left(self, side: Side) -> Army:
        """Return what was left of `side`."""
        return self.attacker_left if side is Side.ATTACKER else self.defender_left

    def _require_at_start(self, side: Side, group: Group) -> None:
        start = next((candidate for candidate in self.army(side).groups if candidate.unit is group.unit), None)
        if start is None:
            raise RuleError(f"The {side} can't have {group_words(group)} left: it started with none.")
        if group.lives > start.lives:
            undamaged = group_words(group.model_copy(update={"count": group.lives})).replace(" ", " undamaged ", 1)
            raise RuleError(f"The {side} can't have {undamaged} left: it started with {int(start.lives) or 'none'}.")
        if group.count > start.count:
            raise RuleError(f"The {side} can't have {group_words(group)} left of {group_words(start)}.")

    @override
    def cost(self) -> float:
        return min(10.0, 0.01 + self.estimate_seconds(self.stop_after or 0))

    def run(self) -> LuckReport:
        """Rank the result among all results, exactly; RuleError if it is impossible, TooMuchError if too large."""
        from sim.axis_allies.odds.percentile import luck_report  # noqa: PLC0415

        return luck_report(self, {side: self.left(side) for side in Side}, self.stop_after)


class AdviceRequest(Request):
    """The answer to `/aa need`, `/aa retreat` or `/aa luck`: the report of `question` and its card."""

    question: PurchaseRequest | RetreatRequest | LuckRequest

    @override
    def cost(self) -> float:
        return self.question.cost() + _DRAWING_SECONDS

    def run(self) -> tuple[PurchaseReport | RetreatReport | LuckReport, DrawnCard]:
        """Return the report, with the errors of the question, and the card."""
        from sim.axis_allies.advice_cards import luck_card, need_card, retreat_card  # noqa: PLC0415

        match report := self.question.run():
            case PurchaseReport():
                return report, need_card(report)
            case RetreatReport():
                return report, retreat_card(report)
            case LuckReport():
                return report, luck_card(report)


class CalcRequest(Request):
    """The answer to `/aacalc`: the average battle and, unless fractions of units rule them out, the odds."""

    average: AverageRequest
    odds: OddsRequest | None = None

    @classmethod
    def of(cls, armies: dict[Side, Army], odds: OddsRequest | None, stop_after: int | None) -> Self:
        """Return the request for both sides' armies."""
        return cls(average=AverageRequest.of(armies, stop_after), odds=odds)

    @override
    def cost(self) -> float:
        return self.average.cost() + (2 * self.odds.cost() + _DRAWING_SECONDS if self.odds is not None else 0)

    def run(self) -> CalcReport:
        """Calculate everything; TooMuchError if the average battle has no end."""
        average = self.average.run()
        if self.odds is None:
            return CalcReport(average=average)
        from sim.axis_allies.odds_card import odds_card  # noqa: PLC0415

        odds = self.odds.run()
        return CalcReport(average=average, odds=odds, smart=self._smart(self.odds, odds), card=odds_card(odds))

    def _smart(self, request: OddsRequest, odds: OddsReport) -> SmartOdds | None:
        """Compare with smart casualties; a simulation is too coarse for that."""
        update = {"casualties": "smart", "attacker_casualties": None, "defender_casualties": None}
        smart_request = request.model_copy(update=update)
        if odds.method == "simulated" or smart_request == request:
            return None
        smart = smart_request.run()
        gains = (smart.p_attacker - odds.p_attacker, smart.p_defender - odds.p_defender)
        if smart.method == "simulated" or max(map(abs, gains)) < SMART_GAIN:
            return None
        return SmartOdds(p_attacker=smart.p_attacker, p_defender=smart.p_defender)


class CalcFilesRequest(Request):
    """The files of an answer to `/aacalc`."""

    calc: CalcRequest

    @override
    def cost(self) -> float:
        return self.calc.cost() + self.calc.average.cost()

    def run(self) -> dict[str, bytes]:
        """Return the files by name, all UTF-8.

        The average battle is `battle.txt`, `battle.csv` and `battle.json`; the odds, if there are any, are `odds.csv`
        (the likeliest results) and `odds.json` (the report).
        """
        report = self.calc.average.run()
        texts = {
            "battle.txt": transcript(report),
            "battle.csv": battle_table(report),
            "battle.json": report.model_dump_json(indent=1) + "\n",
        }
        if self.calc.odds is not None:
            odds = self.calc.odds.run()
            texts |= {"odds.csv": outcomes_table(odds), "odds.json": odds.model_dump_json(indent=1) + "\n"}
        return {name: text.encode() for name, text in texts.items()}


class CheckRequest(Request):
    """Checks a file that should be army text in UTF-8: one army, or a battle."""

    max_seconds = 0.05

    content: bytes

    def run(self) -> CheckedArmies:
        """Read the armies; RuleError if the file is not text, TextError with every mistake and its position."""
        text = decode_text(self.content)
        if not is_battle(text):
            return CheckedArmies(armies=(parse_army(text),))
        armies = parse_battle(text)
        return CheckedArmies(armies=tuple(armies[side] for side in Side))
