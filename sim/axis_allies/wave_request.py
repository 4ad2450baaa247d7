"""What the bot and the console ask about several attackers one after another, and about a counterattack.

Source: .docs/rules/axis_allies.md, "Low luck, waves, counterattacks".
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Self

from pydantic import Field, model_validator
from typing_extensions import override

from sim.axis_allies.army import Army
from sim.axis_allies.odds.base_request import BattleRequest, RoundLimit
from sim.axis_allies.question import MAX_WAVES, Wave
from sim.axis_allies.remarks import remarks
from sim.axis_allies.requests import DRAWING_SECONDS, OddsRequest
from sim.axis_allies.units import Category
from sim.axis_allies.wave_card import wave_card
from sim.axis_allies.wave_report import WaveReport
from sim.axis_allies.withdrawal import NEVER, Withdrawal
from sim.core.cards.values import DrawnCard
from sim.core.errors import RuleError, TooMuchError
from sim.core.values import Request, Side

if TYPE_CHECKING:
    from sim.axis_allies.odds.terms import Terms
    from sim.axis_allies.odds_report import FoundOrder

MAX_SECONDS = 4.5
"""Maximum estimate for all waves and the counterattack."""

_PASSES = 3
"""Passes for each wave after the first: its odds, and two for how the losses of all waves vary."""


class WaveRequest(BattleRequest):
    """The odds of several attackers one after another, and of a counterattack.

    The first attacker is that of the battle, `then` are the others; every option holds for all of them. `stop_after`:
    rounds that a wave fights; `withdrawal`: when it leaves. `counter`: who attacks the land units that took the
    territory, with the orders and dice of this battle's attacker and the technologies of its defender. RuleError for
    fractions of units and for contradictory terms.
    """

    then: Annotated[tuple[Wave, ...], Field(max_length=MAX_WAVES - 1)] = ()
    counter: Wave | None = None
    stop_after: RoundLimit | None = None
    withdrawal: Withdrawal = NEVER

    @model_validator(mode="after")
    def _sensible(self) -> Self:
        takes = any(wave.can_take for wave in self.waves)
        if self.must_take and not takes:
            raise RuleError("Only land units can take a territory, and the attacker has none.")
        for number, wave in enumerate(self.waves, 1):
            try:
                self._battle(wave)
            except RuleError as error:
                raise RuleError(f"Wave {number}: {error}" if self.then else str(error)) from None
        if self.counter is not None:
            if not takes:
                raise RuleError("Only land units can take a territory, so there is nothing to take back.")
            self._check_counter(self.counter)
        return self

    def _check_counter(self, counter: Wave) -> None:
        if not counter.can_take:
            raise RuleError("Only land units can take a territory back, and the counterattack has none.")
        if counter.army.has(Category.NAVAL):
            raise RuleError("Ships don't fight on land: say which of the counterattack's ships bombard.")
        try:
            self._counterattack(counter, self._most_land)
        except RuleError as error:
            raise RuleError(f"Counterattack: {error}") from None

    @property
    def waves(self) -> tuple[Wave, ...]:
        """All attackers in their order."""
        return (Wave(army=self.attacker, bombard=self.bombard, landing=self.landing), *self.then)

    @property
    def _most_land(self) -> Army:
        """The land units of the wave that has the most."""
        armies = [
            wave.army.with_groups(group for group in wave.army.groups if group.unit.category is Category.LAND)
            for wave in self.waves
        ]
        return max(armies, key=lambda army: sum(group.count for group in army.groups))

    def _battle(self, wave: Wave) -> OddsRequest:
        """Return the battle of one wave against the whole defender."""
        shared = {name: getattr(self, name) for name in OddsRequest.model_fields.keys() & type(self).model_fields}
        own = {"attacker": wave.army, "bombard": wave.bombard, "landing": wave.landing}
        return OddsRequest(**shared | own | {"must_take": self.must_take and wave.can_take})

    def _counterattack(self, counter: Wave, holder: Army) -> OddsRequest:
        """Return the battle for the territory against the land units that hold it."""
        return OddsRequest(
            attacker=counter.army,
            defender=holder,
            bombard=counter.bombard,
            landing=counter.landing,
            attacker_technology=self.defender_technology,
            defender_technology=self.attacker_technology,
            **{name: getattr(self, name) for name in _SAME_ORDERS},
        )

    def _battles(self) -> "list[tuple[Terms, tuple[FoundOrder, ...]]]":
        """Return the battle of each wave, and the orders found; the defender's is that against the first."""
        battles = []
        defender = self.defender_casualties
        for wave in self.waves:
            battle = self._battle(wave).model_copy(update={"defender_casualties": defender})
            battle, found = battle.resolved(self._share)
            defender = battle.casualties_of(Side.DEFENDER)
            battles.append((battle.terms(self.stop_after, self.withdrawal), found))
        return battles

    @property
    def _share(self) -> float:
        """Each battle's share of the time to search for orders."""
        return 1.0 / (len(self.waves) + (self.counter is not None))

    @override
    def cost(self) -> float:
        first, *others = (self._battle(wave).estimate_seconds(self.stop_after or 0) for wave in self.waves)
        seconds = 0.01 + first + _PASSES * sum(others)
        if self.counter is not None:
            seconds += self._counterattack(self.counter, self._most_land).estimate_seconds()
        if seconds > MAX_SECONDS:
            raise TooMuchError("These armies are too large for exact odds.")
        return seconds + self.search_seconds

    def run(self) -> WaveReport:
        """Calculate the odds exactly; TooMuchError if that would take too much time or memory."""
        from sim.axis_allies.odds.waves import (  # noqa: PLC0415
            fight_waves,
            holders,
            p_taken_back,
            wave_report,
        )

        self.cost()
        battles = self._battles()
        first = battles[0][0]
        campaign = fight_waves([replace(terms, defender=first.defender) for terms, _ in battles])
        counter, p_lost = self.counter, 0.0
        back_orders: tuple[FoundOrder, ...] = ()
        if counter is not None:
            back, back_orders = self._counterattack(counter, self._most_land).resolved(self._share)
            p_lost = p_taken_back(holders(campaign), lambda army: back.model_copy(update={"defender": army}).terms())
        report = wave_report(
            campaign,
            self.waves,
            self.defender,
            must_take=self.must_take,
            counter=counter,
            p_lost=p_lost,
            notes=self._remarks(),
        )
        waves = (
            wave.model_copy(update={"found_orders": found})
            for wave, (_, found) in zip(report.waves, battles, strict=True)
        )
        return report.model_copy(update={"waves": tuple(waves), "counter_orders": back_orders})

    def _remarks(self) -> Iterator[str]:
        """Yield what should be known of each wave and of the counterattack; what holds for all waves only once."""
        found = [remarks(self._battle(wave), retreats=self.withdrawal.possible) for wave in self.waves]
        for number, lines in enumerate(found, 1):
            for line in lines:
                if all(line in other for other in found):
                    yield line
                else:
                    yield f"{line} (wave {number})"
        if self.counter is not None:
            holder = self._most_land
            yield from (f"{line} (counterattack)" for line in remarks(self._counterattack(self.counter, holder)))


_SAME_ORDERS = ("casualties", "attacker_casualties", "defender_casualties", "must_take", "low_luck")
"""What holds for the counterattack as for the battle."""


class WaveCardRequest(Request):
    """The answer to a question about waves or a counterattack: the report and its card."""

    question: WaveRequest

    @override
    def cost(self) -> float:
        return self.question.cost() + DRAWING_SECONDS

    def run(self) -> tuple[WaveReport, DrawnCard]:
        """Return the report, with the errors of the question, and the card."""
        report = self.question.run()
        return report, wave_card(report).drawn()
