"""A question what it takes to win with a wanted chance, and its answer: the cheapest reinforcement."""

from typing import Annotated, Self

from pydantic import Field, model_validator

from sim.axis_allies.army import Army
from sim.axis_allies.average import Note
from sim.axis_allies.odds.base_request import BattleRequest
from sim.axis_allies.odds.report import Chance
from sim.axis_allies.units import Category, Unit
from sim.core.errors import RuleError
from sim.core.frozen import Frozen
from sim.core.outcomes import Side

SECONDS = 3.0
"""How long a search may take, by estimate."""


class Purchase(Frozen):
    """Units that one may buy, what they cost in IPC, and the chance to win with them."""

    units: Army
    ipc: int
    chance: Chance


class NeedReport(Frozen):
    """The cheapest reinforcement that reaches a chance; its JSON form has the same names.

    `side` is reinforced, its chance to win is `chance_before` without and `best.chance` with the units of `best`, which
    cost `best.ipc`: 0 where the wanted chance was there already. No purchase for less reaches `wanted`; at the same
    price none has a better chance. `others`: up to three more that reach it for the same price or little more, by price
    and then by chance, none of them one of those before with something added. `looked_up_to`: all purchases for so many
    IPC or less were looked at. `battles`: how many battles were worked out for that; purchases that can't be better
    than one that failed need none.
    """

    attacker: Army
    defender: Army
    side: Side
    wanted: float
    chance_before: Chance
    best: Purchase
    others: tuple[Purchase, ...]
    looked_up_to: int
    battles: int
    notes: tuple[Note, ...] = ()

    @property
    def already(self) -> bool:
        """Tell whether the wanted chance was reached without buying anything."""
        return self.best.ipc == 0


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

    def cost(self) -> float:
        """Return the most seconds that the calculation can take: a rough upper figure."""
        return SECONDS + 1.0 + min(10.0, 2 * self.seconds())

    def run(self) -> NeedReport:
        """Find the cheapest purchase exactly.

        TooMuchError where nothing reaches the chance as far as the search may look, or where the armies are too large;
        RuleError where nothing that is bought can ever bring the chance.
        """
        # Not at the top: who only asks the question must not load the kernels.
        from sim.axis_allies.odds.purchase_search import report  # noqa: PLC0415

        return report(self)


def _listed(units: tuple[Unit, ...]) -> str:
    names = [unit.stats.plural for unit in units]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
