"""The handler of `/aacalc`: the odds and the average battle."""

from collections.abc import Sequence
from typing import Annotated, Any, Self

import discord
from pydantic import Field

from bot.answers.document import Document
from bot.answers.handler import QueryHandler
from bot.answers.query import Query
from bot.games.axis_allies.options import battle_field
from bot.games.axis_allies.render import calc_book
from bot.ui.modals import text_field
from bot.ui.progress import Progress
from sim.axis_allies.army import MAX_COUNT
from sim.axis_allies.average import MAX_ROUNDS
from sim.axis_allies.calc import CalcRequest
from sim.axis_allies.export import CalcFilesRequest
from sim.axis_allies.odds import OddsRequest
from sim.axis_allies.odds.order_text import MAX_TEXT as MAX_ORDER_TEXT
from sim.axis_allies.odds.order_text import parse_casualties
from sim.axis_allies.odds.orders import Method
from sim.axis_allies.parse import parse_battle, swapped
from sim.core.outcomes import Side
from sim.workers import Caller

ROUNDS_SHOWN = 4
MOST_ROUNDS_SHOWN = 10


class CalcQuery(Query):
    """What a player asked `/aacalc`."""

    battle: str
    rounds: Annotated[int, Field(ge=1, le=MOST_ROUNDS_SHOWN)] = ROUNDS_SHOWN
    casualties: Method = "score"
    attacker_order: str | None = None
    defender_order: str | None = None
    stop_after: Annotated[int, Field(ge=1, le=MAX_ROUNDS)] | None = None
    retreat_below: Annotated[int, Field(ge=1, le=MAX_COUNT)] | None = None
    take_territory: bool = False

    @property
    def orders(self) -> dict[Side, str | None]:
        """Both sides' own orders of losses, as typed."""
        return {Side.ATTACKER: self.attacker_order, Side.DEFENDER: self.defender_order}

    def request(self) -> CalcRequest:
        """Read the armies and the orders of losses; RuleError with every mistake, TextError with its place."""
        armies = parse_battle(self.battle)
        orders = {side: None if text is None else parse_casualties(text) for side, text in self.orders.items()}
        whole = all(group.count.denominator == 1 for army in armies.values() for group in army.groups)
        for_dice = self.casualties != "score" or any(orders.values()) or self.retreat_below or self.take_territory
        if not whole and not for_dice:
            return CalcRequest.of(armies, None, self.stop_after)
        odds = OddsRequest(
            attacker=armies[Side.ATTACKER],
            defender=armies[Side.DEFENDER],
            casualties=self.casualties,
            attacker_casualties=orders[Side.ATTACKER],
            defender_casualties=orders[Side.DEFENDER],
            stop_after=self.stop_after,
            retreat_below=self.retreat_below,
            must_take=self.take_territory,
        )
        return CalcRequest.of(armies, odds, self.stop_after)

    def swapped(self) -> Self:
        """Return the question with the sides exchanged, their orders of losses too."""
        orders = {"attacker_order": self.defender_order, "defender_order": self.attacker_order}
        return self.model_copy(update={"battle": swapped(self.battle), **orders})

    def smart(self) -> Self:
        """Return the question with smart casualties on both sides."""
        return self.model_copy(update={"casualties": "smart", "attacker_order": None, "defender_order": None})


class CalcHandler(QueryHandler[CalcQuery]):
    """Answers `/aacalc`."""

    kind = "aa"
    query = CalcQuery

    async def build_document(self, query: CalcQuery, caller: Caller, _progress: Progress) -> Document:
        """Work the odds and the average battle out."""
        return calc_book(await self._bot.simulator.run(query.request(), caller), query.rounds)

    async def build_files(self, query: CalcQuery, caller: Caller) -> dict[str, bytes]:
        """Write the transcript, the tables and the reports."""
        return await self._bot.simulator.run(CalcFilesRequest(calc=query.request()), caller)

    def fields(self, query: CalcQuery) -> Sequence[discord.ui.Label[Any]]:
        """Return the battle and both orders of losses."""
        orders = [
            text_field(
                f"{side}_order",
                f"The {side}'s order of losses",
                order,
                max_length=MAX_ORDER_TEXT,
                hint="empty for the usual one, or as in: inf, tank, bb-life",
            )
            for side, order in query.orders.items()
        ]
        return [battle_field(query.battle), *orders]

    def apply_form(self, query: CalcQuery, values: dict[str, str]) -> CalcQuery:
        """Return the question with the battle and the orders as typed into the form."""
        orders = {f"{side}_order": values.get(f"{side}_order", "").strip() or None for side in Side}
        return query.model_copy(update={"battle": values.get("battle", ""), **orders})

    def apply_action(self, query: CalcQuery, action: str) -> CalcQuery | None:
        """Swap the sides, or choose losses smartly."""
        match action:
            case "swap":
                return query.swapped()
            case "smart":
                return query.smart()
        return None

    def recent_text(self, query: CalcQuery) -> str:
        """Return the battle."""
        return query.battle
