"""The jobs: the odds of a battle with dice, the cheapest reinforcement, when to retreat, how lucky a result was.

Source for retreats: the rules page of Axis & Allies 1941, section "The dice battle": after any round.
"""

from typing import Annotated, Self

from pydantic import Field, model_validator
from typing_extensions import override

from sim.axis_allies.army import Army, Group, shown_group
from sim.axis_allies.fire import can_harm
from sim.axis_allies.odds.base_request import BattleRequest, RoundLimit
from sim.axis_allies.odds.orders import whole
from sim.axis_allies.odds.reports import LuckReport, NeedReport, OddsReport, RetreatReport
from sim.axis_allies.units import Category, Unit
from sim.core.dice import Seed
from sim.core.errors import RuleError, TooMuchError
from sim.core.outcomes import Side

MAX_TERRITORY = 1_000_000
"""The most IPC that taking the territory may be worth."""

BATTLES = 20_000
"""Battles thrown where exact odds would take too long."""

_MOST_ODDS_SECONDS = 2.0  # the slowest exact calculation that is begun takes about one, a simulation less
_SEARCH_SECONDS = 3.0  # for the search of a purchase, by estimate
_MOST_RETREAT_SECONDS = 10.0
_PASSES = 20.0  # passes for each round of a battle with a limit, or for one without, each like a calculation of odds


class OddsRequest(BattleRequest):
    """A question for the odds of a battle, and the job that answers it.

    `stop_after`: the battle is broken off after that many rounds. `retreat_below`: the attacker leaves after a round
    that leaves it fewer units than this. `battles` and `seed`: for a simulation where exact odds would take too long.
    RuleError for fractions of units and for terms that make no sense.
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
            raise RuleError(f"The attacker has only {units} units to begin with: it can't wait for fewer to retreat.")
        return self

    @classmethod
    def of(cls, armies: dict[Side, Army], stop_after: int | None = None) -> Self:
        """Make the request for the armies of both sides."""
        return cls(attacker=armies[Side.ATTACKER], defender=armies[Side.DEFENDER], stop_after=stop_after)

    @override
    def cost(self) -> float:
        return min(_MOST_ODDS_SECONDS, 0.01 + self.seconds(self.stop_after or 0))

    def run(self) -> OddsReport:
        """Work the odds out, exactly where that is possible in reasonable time, else by simulation."""
        # Not at the top: who only asks the question must not load the kernels.
        from sim.axis_allies.odds.engine import Terms, solve  # noqa: PLC0415
        from sim.axis_allies.odds.simulate import simulate  # noqa: PLC0415
        from sim.axis_allies.odds.summary import report  # noqa: PLC0415

        terms = Terms(
            attacker=self.muster(Side.ATTACKER),
            defender=self.muster(Side.DEFENDER),
            stop_after=self.stop_after,
            retreat_below=self.retreat_below or 1,
        )
        try:
            solution = solve(terms)
        except TooMuchError:
            solution = simulate(terms, self.battles, self.seed)
        return report(solution, self.attacker, self.defender, must_take=self.must_take)


class NeedRequest(BattleRequest):
    """A question what it takes to win with a wanted chance, and the job that answers it.

    `chance`: the wanted chance of `side` to win, between 0 and 1; `side` may have no units yet. `units`: what may be
    bought; without, all that fight where this battle is fought, on land or at sea, but no transports. RuleError for
    fractions of units, for terms that make no sense, and where no purchase can ever win.
    """

    chance: Annotated[float, Field(gt=0, lt=1)]
    side: Side = Side.ATTACKER
    units: tuple[Unit, ...] = ()

    @model_validator(mode="after")
    def _sensible(self) -> Self:
        for side in Side:
            self.muster(side)
        buyable = self.buyable
        for_land = self.side is Side.ATTACKER and any(unit.category is Category.LAND for unit in buyable)
        if self.must_take and not self.attacker.has(Category.LAND) and not for_land:
            raise RuleError("Only land units take a territory, and the attacker has none and buys none.")
        armed = {group.unit for group in self.army(self.side).groups} | set(buyable)
        for group in self.army(self.side.other).groups:
            if not any(
                unit.score(self.side) > 0 and unit.can_hit(group.unit, own_destroyer=Unit.DESTROYER in armed)
                for unit in armed
            ):
                raise RuleError(
                    f"Nothing that the {self.side} has or buys can hit the {self.side.other}'s "
                    f"{group.unit.stats.plural}: no number of {_listed(buyable)} wins."
                )
        return self

    @property
    def buyable(self) -> tuple[Unit, ...]:
        """What may be bought, each unit once; RuleError where that isn't said and the armies don't tell."""
        if self.units:
            return tuple(dict.fromkeys(self.units))
        armies = self.attacker, self.defender
        if not any(armies):
            raise RuleError("Say which units may be bought: there is no army yet that tells where the battle is.")
        naval = any(army.has(Category.NAVAL) for army in armies)
        on_land = self.must_take or not naval or all(army.has(Category.LAND) for army in armies)
        kinds = {Category.AIR, Category.LAND if on_land else Category.NAVAL}
        return tuple(unit for unit in Unit if unit.category in kinds and unit is not Unit.TRANSPORT)

    @override
    def cost(self) -> float:
        return _SEARCH_SECONDS + 1.0 + min(10.0, 2 * self.seconds())

    def run(self) -> NeedReport:
        """Find the cheapest purchase exactly.

        TooMuchError where nothing reaches the chance as far as the search may look, or where the armies are too large;
        RuleError where nothing that is bought can ever bring the chance.
        """
        # Not at the top: who only asks the question must not load the kernels.
        from sim.axis_allies.odds.purchase_search import report  # noqa: PLC0415

        return report(self, self.side, self.chance, self.buyable, _SEARCH_SECONDS)


def _listed(units: tuple[Unit, ...]) -> str:
    names = [unit.stats.plural for unit in units]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


class RetreatRequest(BattleRequest):
    """A question when the attacker should retreat, and the job that answers it.

    `territory`: what the attacker's victory is worth beside the losses, in IPC; with `must_take` only a victory with a
    land unit left. `stop_after`: the battle is broken off after that many rounds. RuleError for fractions of units and
    for terms that make no sense.
    """

    stop_after: RoundLimit | None = None
    territory: Annotated[int, Field(ge=0, le=MAX_TERRITORY)] = 0

    @model_validator(mode="after")
    def _sensible(self) -> Self:
        self.check()
        return self

    @override
    def cost(self) -> float:
        return min(_MOST_RETREAT_SECONDS, 0.02 + _PASSES * self.seconds() * (self.stop_after or 1))

    def run(self) -> RetreatReport:
        """Work the best plan out exactly.

        RuleError where there is no battle to retreat from, TooMuchError where it would take too long.
        """
        # Not at the top: who only asks the question must not load the kernels.
        from sim.axis_allies.odds.retreat_solver import report  # noqa: PLC0415

        return report(self, self.stop_after, self.territory)


class LuckRequest(BattleRequest):
    """A question how lucky the result of a battle was, and the job that answers it.

    `attacker_left`, `defender_left`: what was left of both armies, empty for nothing; extra lives count. `stop_after`:
    the battle was broken off after that many rounds, had it not ended before. RuleError for fractions of units, for
    more units than there were, and for a battle that is not over and was not broken off.
    """

    attacker_left: Army
    defender_left: Army
    stop_after: RoundLimit | None = None

    @model_validator(mode="after")
    def _sensible(self) -> Self:
        self.check()
        for side in Side:
            for group in self.left(side).groups:
                whole(group)
                self._was_there(side, group)
        if self.stop_after is None and self._goes_on():
            raise RuleError(
                "The battle is not over: both sides can still fight. Say after how many rounds it was broken off."
            )
        return self

    def left(self, side: Side) -> Army:
        """Return what was left of `side`."""
        return self.attacker_left if side is Side.ATTACKER else self.defender_left

    def _was_there(self, side: Side, group: Group) -> None:
        start = next((candidate for candidate in self.army(side).groups if candidate.unit is group.unit), None)
        if start is None:
            raise RuleError(f"The {side} can't have {shown_group(group)} left: there was none before the battle.")
        if group.count > start.count or group.lives > start.lives:
            raise RuleError(f"The {side} can't have {shown_group(group)} left of {shown_group(start)}.")

    def _goes_on(self) -> bool:
        return any(can_harm(self.left(side), side, self.left(side.other)) for side in Side)

    @override
    def cost(self) -> float:
        return min(10.0, 0.01 + self.seconds(self.stop_after or 0))

    def run(self) -> LuckReport:
        """Find the result's place among all results, exactly.

        RuleError for a result that can't come about, TooMuchError for armies too large for exact odds.
        """
        # Not at the top: who only asks the question must not load the kernels.
        from sim.axis_allies.odds.percentile import report  # noqa: PLC0415

        return report(self, {side: self.left(side) for side in Side}, self.stop_after)
