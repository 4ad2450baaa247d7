"""The desks of `/aa need`, `/aa retreat` and `/aa luck`."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Annotated, Any, ClassVar

import discord
from pydantic import BaseModel, Field

from bot.answers.document import Document
from bot.answers.handler import Q, QueryHandler
from bot.answers.query import Query
from bot.games.axis_allies.options import army_or_nobody, battle_field
from bot.games.axis_allies.render import luck_book, need_book, retreat_book
from bot.ui.modals import text_field
from bot.ui.progress import Progress
from sim.axis_allies.odds import LuckReport, LuckRequest, NeedReport, NeedRequest, RetreatReport, RetreatRequest
from sim.axis_allies.odds.base_request import RoundLimit
from sim.axis_allies.odds.orders import Method
from sim.axis_allies.odds.requests import MAX_TERRITORY
from sim.axis_allies.parse import MAX_TEXT, parse_army, parse_battle
from sim.core.outcomes import Side
from sim.workers import Caller

HUNDRED = 100


class AdviceHandler(QueryHandler[Q]):
    """Answers from one report, which is also the one file: `file`."""

    file: ClassVar[str]

    @abstractmethod
    def lay_out(self, report: Any) -> Document:  # noqa: ANN401  # each desk knows its own report
        """Return the answer's pages."""

    async def build_document(self, query: Q, caller: Caller, _progress: Progress) -> Document:
        """Work the report out and lay it out."""
        return self.lay_out(await self._bot.simulator.run(query.request(), caller))

    async def build_files(self, query: Q, caller: Caller) -> dict[str, bytes]:
        """Write the report."""
        report: BaseModel = await self._bot.simulator.run(query.request(), caller)
        return {self.file: report.model_dump_json(indent=1).encode()}


class NeedQuery(Query):
    """What a player asked `/aa need`; `chance` in percent."""

    attacker: str
    defender: str
    chance: Annotated[float, Field(gt=0, lt=HUNDRED)]
    side: Side = Side.ATTACKER
    units: str | None = None
    casualties: Method = "score"
    take_territory: bool = False

    def request(self) -> NeedRequest:
        """Read both armies and what may be bought; RuleError, TextError with the place."""
        return NeedRequest(
            attacker=army_or_nobody(self.attacker),
            defender=army_or_nobody(self.defender),
            chance=self.chance / HUNDRED,
            side=self.side,
            units=() if self.units is None else tuple(group.unit for group in parse_army(self.units).groups),
            casualties=self.casualties,
            must_take=self.take_territory,
        )


class NeedHandler(AdviceHandler[NeedQuery]):
    """Answers `/aa need`."""

    kind = "aa-need"
    query = NeedQuery
    file = "need.json"

    def lay_out(self, report: NeedReport) -> Document:
        """Return the answer's pages."""
        return need_book(report)

    def fields(self, query: NeedQuery) -> Sequence[discord.ui.Label[Any]]:
        """Return both armies and what may be bought."""
        return [
            text_field("attacker", "Attacker", query.attacker, max_length=MAX_TEXT, long=True),
            text_field("defender", "Defender", query.defender, max_length=MAX_TEXT, long=True),
            text_field(
                "units", "Units to buy from", query.units, max_length=MAX_TEXT, hint="empty for all of their kind"
            ),
        ]

    def apply_form(self, query: NeedQuery, values: dict[str, str]) -> NeedQuery:
        """Return the question with what was typed into the form."""
        units = values.get("units", "").strip() or None
        armies = {name: values.get(name, "") for name in ("attacker", "defender")}
        return query.model_copy(update={**armies, "units": units})


class RetreatQuery(Query):
    """What a player asked `/aa retreat`; `territory` in IPC."""

    battle: str
    territory: Annotated[int, Field(ge=0, le=MAX_TERRITORY)] = 0
    casualties: Method = "score"
    stop_after: RoundLimit | None = None
    take_territory: bool = False

    def request(self) -> RetreatRequest:
        """Read the battle; RuleError, TextError with every mistake and its place."""
        armies = parse_battle(self.battle)
        return RetreatRequest(
            attacker=armies[Side.ATTACKER],
            defender=armies[Side.DEFENDER],
            territory=self.territory,
            casualties=self.casualties,
            stop_after=self.stop_after,
            must_take=self.take_territory,
        )


class RetreatHandler(AdviceHandler[RetreatQuery]):
    """Answers `/aa retreat`."""

    kind = "aa-retreat"
    query = RetreatQuery
    file = "retreat.json"

    def lay_out(self, report: RetreatReport) -> Document:
        """Return the answer's pages."""
        return retreat_book(report)

    def fields(self, query: RetreatQuery) -> Sequence[discord.ui.Label[Any]]:
        """Return the battle."""
        return [battle_field(query.battle)]

    def apply_form(self, query: RetreatQuery, values: dict[str, str]) -> RetreatQuery:
        """Return the question with the battle as typed into the form."""
        return query.model_copy(update={"battle": values.get("battle", "")})

    def recent_text(self, query: RetreatQuery) -> str:
        """Return the battle."""
        return query.battle


class LuckQuery(Query):
    """What a player asked `/aa luck`."""

    battle: str
    attacker_left: str | None = None
    defender_left: str | None = None
    casualties: Method = "score"
    stop_after: RoundLimit | None = None

    def request(self) -> LuckRequest:
        """Read the battle and what was left; RuleError, TextError with every mistake and its place."""
        armies = parse_battle(self.battle)
        return LuckRequest(
            attacker=armies[Side.ATTACKER],
            defender=armies[Side.DEFENDER],
            attacker_left=army_or_nobody(self.attacker_left),
            defender_left=army_or_nobody(self.defender_left),
            casualties=self.casualties,
            stop_after=self.stop_after,
        )


class LuckHandler(AdviceHandler[LuckQuery]):
    """Answers `/aa luck`."""

    kind = "aa-luck"
    query = LuckQuery
    file = "luck.json"

    def lay_out(self, report: LuckReport) -> Document:
        """Return the answer's pages."""
        return luck_book(report)

    def fields(self, query: LuckQuery) -> Sequence[discord.ui.Label[Any]]:
        """Return the battle and what was left of both sides."""
        left = {"attacker": query.attacker_left, "defender": query.defender_left}
        return [
            battle_field(query.battle),
            *(
                text_field(f"{side}_left", f"Left of the {side}", text, max_length=MAX_TEXT, hint="empty for nobody")
                for side, text in left.items()
            ),
        ]

    def apply_form(self, query: LuckQuery, values: dict[str, str]) -> LuckQuery:
        """Return the question with what was typed into the form."""
        left = {name: values.get(name, "").strip() or None for name in ("attacker_left", "defender_left")}
        return query.model_copy(update={"battle": values.get("battle", ""), **left})

    def recent_text(self, query: LuckQuery) -> str:
        """Return the battle."""
        return query.battle
