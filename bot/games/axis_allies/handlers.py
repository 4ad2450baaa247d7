"""Handlers of `/aacalc`, `/aa need`, `/aa retreat`, `/aa luck` and `/aa battle`."""

from abc import abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, ClassVar, Self

import discord
from pydantic import Field

from bot.answers.document import Action, Document
from bot.answers.handler import FormHandler, Q, Query, QueryHandler, form
from bot.battles.presenter import Presenters
from bot.battles.service import BattleService
from bot.client import Interaction
from bot.games.axis_allies.options import battle_field, parse_optional_army
from bot.games.axis_allies.presenter import read_setup
from bot.games.axis_allies.render.advice import luck_document, purchase_document, retreat_document
from bot.games.axis_allies.render.calc import calc_document
from bot.store.queries import RecentTextRepository, StoredQuery
from bot.ui.layout import Picture
from bot.ui.modals import text_field
from bot.ui.progress import Progress
from sim.axis_allies.advice_reports import LuckReport, PurchaseReport, RetreatReport
from sim.axis_allies.army import MAX_COUNT
from sim.axis_allies.average import MAX_ROUNDS
from sim.axis_allies.battle.rules import DiceBattle
from sim.axis_allies.battle.values import Setup
from sim.axis_allies.casualties import Method
from sim.axis_allies.odds.base_request import RoundLimit
from sim.axis_allies.parse import MAX_ORDER_TEXT, MAX_TEXT, parse_army, parse_battle, parse_casualties, swap_sides
from sim.axis_allies.requests import (
    MAX_TERRITORY,
    AdviceRequest,
    CalcFilesRequest,
    CalcRequest,
    LuckRequest,
    OddsRequest,
    PurchaseRequest,
    RetreatRequest,
)
from sim.core.errors import RuleError
from sim.core.values import Side
from sim.workers import Caller

ROUNDS_PER_PAGE = 4
MAX_ROUNDS_PER_PAGE = 10

FIGHT = Action("fight", "Fight this out", "⚔️")
"""The button that opens a battle with dice between the armies of an answer."""


class CalcQuery(Query):
    """Options of `/aacalc`."""

    battle: str
    rounds: Annotated[int, Field(ge=1, le=MAX_ROUNDS_PER_PAGE)] = ROUNDS_PER_PAGE
    casualties: Method = "score"
    attacker_order: str | None = None
    defender_order: str | None = None
    stop_after: Annotated[int, Field(ge=1, le=MAX_ROUNDS)] | None = None
    retreat_below: Annotated[int, Field(ge=1, le=MAX_COUNT)] | None = None
    take_territory: bool = False

    @property
    def casualty_orders(self) -> dict[Side, str | None]:
        """Both sides' explicit orders of losses, as typed."""
        return {Side.ATTACKER: self.attacker_order, Side.DEFENDER: self.defender_order}

    def request(self) -> CalcRequest:
        """Read the armies and the orders of losses; RuleError, TextError with the position of every mistake."""
        armies = parse_battle(self.battle)
        orders = {side: None if text is None else parse_casualties(text) for side, text in self.casualty_orders.items()}
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

    def live_setup(self) -> Setup:
        """Return the setup to fight it out with dice; RuleError for what can't be fought live, such as half a unit."""
        armies = parse_battle(self.battle)
        orders = {
            side: self.casualties if text is None else parse_casualties(text)
            for side, text in self.casualty_orders.items()
        }
        return Setup(
            attacker=armies[Side.ATTACKER],
            defender=armies[Side.DEFENDER],
            attacker_losses=orders[Side.ATTACKER],
            defender_losses=orders[Side.DEFENDER],
        )

    def swap_sides(self) -> Self:
        """Return the query with the sides and their orders of losses swapped."""
        orders = {"attacker_order": self.defender_order, "defender_order": self.attacker_order}
        return self.model_copy(update={"battle": swap_sides(self.battle), **orders})

    def smart(self) -> Self:
        """Return the query with smart casualties on both sides."""
        return self.model_copy(update={"casualties": "smart", "attacker_order": None, "defender_order": None})


class CalcHandler(QueryHandler[CalcQuery]):
    """Answers `/aacalc`."""

    kind = "aa"
    query = CalcQuery

    async def build_document(self, query: CalcQuery, caller: Caller, _progress: Progress) -> Document:
        """Calculate the odds and the average battle."""
        document = calc_document(await self._bot.simulator.run(query.request(), caller), query.rounds)
        return replace(document, actions=[FIGHT, *document.actions]) if _can_be_fought(query) else document

    async def build_files(self, query: CalcQuery, caller: Caller) -> dict[str, bytes]:
        """Write the transcript, the tables and the reports."""
        return await self._bot.simulator.run(CalcFilesRequest(calc=query.request()), caller)

    def fields(self, query: CalcQuery) -> Sequence[discord.ui.Label[Any]]:
        """Return the battle and both orders of losses."""
        orders = [
            text_field(
                f"{side}_order",
                f"What the {side} loses first",
                order,
                max_length=MAX_ORDER_TEXT,
                hint="such as: inf, tank, bb-life (left empty: the usual order)",
            )
            for side, order in query.casualty_orders.items()
        ]
        return [battle_field(query.battle), *orders]

    def apply_form(self, query: CalcQuery, values: dict[str, str]) -> CalcQuery:
        """Return the query with the battle and the orders from the form."""
        orders = {f"{side}_order": values.get(f"{side}_order", "").strip() or None for side in Side}
        return query.model_copy(update={"battle": values.get("battle", ""), **orders})

    def apply_action(self, query: CalcQuery, action: str) -> CalcQuery | None:
        """Swap the sides, or switch to smart casualties."""
        match action:
            case "swap":
                return query.swap_sides()
            case "smart":
                return query.smart()
        return None

    async def act(self, interaction: Interaction, stored: StoredQuery, action: str) -> None:
        """Open the battle with dice, or do what the other buttons ask for."""
        if action == FIGHT.action:
            await open_battle(interaction, self.read(stored).live_setup(), dict.fromkeys(Side))
        else:
            await super().act(interaction, stored, action)

    def recent_text(self, query: CalcQuery) -> str:
        """Return the battle."""
        return query.battle


def _can_be_fought(query: CalcQuery) -> bool:
    try:
        query.live_setup()
    except RuleError:
        return False
    return True


async def open_battle(
    interaction: Interaction, setup: Setup, seats: Mapping[Side, int | None], bots: Collection[Side] = ()
) -> None:
    """Open a battle with dice in the channel; `seats`: the user ids of both sides, None for a free seat."""
    presenter = interaction.client.services[Presenters].of(DiceBattle.name)
    users = {side.value: seats[side] for side in Side}
    service = interaction.client.services[BattleService]
    await service.open(interaction, presenter, setup, users, [side.value for side in bots])


HUNDRED = 100


class AdviceHandler(QueryHandler[Q]):
    """Answers from one report, which is also the only file, `name`.json, and shows its card, `name`.png."""

    name: ClassVar[str]

    @abstractmethod
    def render(self, report: Any, card: Picture) -> Document:  # noqa: ANN401  # the subclasses have their own reports
        """Return the answer's pages."""

    async def build_document(self, query: Q, caller: Caller, _progress: Progress) -> Document:
        """Run the request and render its report."""
        report, card = await self._bot.simulator.run(AdviceRequest(question=query.request()), caller)
        return self.render(report, Picture(f"{self.name}.png", card.data, card.alt))

    async def build_files(self, query: Q, caller: Caller) -> dict[str, bytes]:
        """Write the report."""
        report, _ = await self._bot.simulator.run(AdviceRequest(question=query.request()), caller)
        return {f"{self.name}.json": report.model_dump_json(indent=1).encode()}


class PurchaseQuery(Query):
    """Options of `/aa need`; `chance` in percent."""

    attacker: str
    defender: str
    chance: Annotated[float, Field(gt=0, lt=HUNDRED)]
    side: Side = Side.ATTACKER
    units: str | None = None
    casualties: Method = "score"
    take_territory: bool = False

    def request(self) -> PurchaseRequest:
        """Read both armies and what may be bought; RuleError, TextError with the position."""
        return PurchaseRequest(
            attacker=parse_optional_army(self.attacker),
            defender=parse_optional_army(self.defender),
            chance=self.chance / HUNDRED,
            side=self.side,
            units=() if self.units is None else tuple(group.unit for group in parse_army(self.units).groups),
            casualties=self.casualties,
            must_take=self.take_territory,
        )


class PurchaseHandler(AdviceHandler[PurchaseQuery]):
    """Answers `/aa need`."""

    kind = "aa-need"
    query = PurchaseQuery
    name = "need"

    def render(self, report: PurchaseReport, card: Picture) -> Document:
        """Return the answer's pages."""
        return purchase_document(report, card)

    def fields(self, query: PurchaseQuery) -> Sequence[discord.ui.Label[Any]]:
        """Return both armies and what may be bought."""
        return [
            text_field("attacker", "Attacker", query.attacker, max_length=MAX_TEXT, long=True),
            text_field("defender", "Defender", query.defender, max_length=MAX_TEXT, long=True),
            text_field(
                "units", "Units to buy from", query.units, max_length=MAX_TEXT, hint="left empty: all units of its kind"
            ),
        ]

    def apply_form(self, query: PurchaseQuery, values: dict[str, str]) -> PurchaseQuery:
        """Return the query with the form's values."""
        units = values.get("units", "").strip() or None
        armies = {name: values.get(name, "") for name in ("attacker", "defender")}
        return query.model_copy(update={**armies, "units": units})


class RetreatQuery(Query):
    """Options of `/aa retreat`; `territory` in IPC."""

    battle: str
    territory: Annotated[int, Field(ge=0, le=MAX_TERRITORY)] = 0
    casualties: Method = "score"
    stop_after: RoundLimit | None = None
    take_territory: bool = False

    def request(self) -> RetreatRequest:
        """Read the battle; RuleError, TextError with every mistake and its position."""
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
    name = "retreat"

    def render(self, report: RetreatReport, card: Picture) -> Document:
        """Return the answer's pages."""
        return retreat_document(report, card)

    def fields(self, query: RetreatQuery) -> Sequence[discord.ui.Label[Any]]:
        """Return the battle."""
        return [battle_field(query.battle)]

    def apply_form(self, query: RetreatQuery, values: dict[str, str]) -> RetreatQuery:
        """Return the query with the battle from the form."""
        return query.model_copy(update={"battle": values.get("battle", "")})

    def recent_text(self, query: RetreatQuery) -> str:
        """Return the battle."""
        return query.battle


class LuckQuery(Query):
    """Options of `/aa luck`."""

    battle: str
    attacker_left: str | None = None
    defender_left: str | None = None
    casualties: Method = "score"
    stop_after: RoundLimit | None = None

    def request(self) -> LuckRequest:
        """Read the battle and what was left; RuleError, TextError with every mistake and its position."""
        armies = parse_battle(self.battle)
        return LuckRequest(
            attacker=armies[Side.ATTACKER],
            defender=armies[Side.DEFENDER],
            attacker_left=parse_optional_army(self.attacker_left),
            defender_left=parse_optional_army(self.defender_left),
            casualties=self.casualties,
            stop_after=self.stop_after,
        )


class LuckHandler(AdviceHandler[LuckQuery]):
    """Answers `/aa luck`."""

    kind = "aa-luck"
    query = LuckQuery
    name = "luck"

    def render(self, report: LuckReport, card: Picture) -> Document:
        """Return the answer's pages."""
        return luck_document(report, card)

    def fields(self, query: LuckQuery) -> Sequence[discord.ui.Label[Any]]:
        """Return the battle and what was left of both sides."""
        left = {"attacker": query.attacker_left, "defender": query.defender_left}
        return [
            battle_field(query.battle),
            *(
                text_field(
                    f"{side}_left", f"What the {side} had left", text, max_length=MAX_TEXT, hint="left empty: nothing"
                )
                for side, text in left.items()
            ),
        ]

    def apply_form(self, query: LuckQuery, values: dict[str, str]) -> LuckQuery:
        """Return the query with the form's values."""
        left = {name: values.get(name, "").strip() or None for name in ("attacker_left", "defender_left")}
        return query.model_copy(update={"battle": values.get("battle", ""), **left})

    def recent_text(self, query: LuckQuery) -> str:
        """Return the battle."""
        return query.battle


class BattleQuery(Query):
    """Options of `/aa battle`; `seats`: user ids of players, `bots`: sides that this bot plays."""

    setup: str
    seats: dict[Side, int]
    bots: tuple[Side, ...]
    casualties: str
    fog: bool

    def read(self) -> Setup:
        """Read the armies; RuleError, TextError with every mistake and its position."""
        return read_setup(self.setup, self.casualties, self.bots, fog=self.fog)

    @classmethod
    def of(
        cls,
        setup: str,
        players: dict[Side, discord.User | discord.Member | None],
        this_bot: discord.ClientUser | None,
        casualties: str,
        *,
        fog: bool,
    ) -> "BattleQuery":
        """Return the query; RuleError for another bot as a player."""
        seats, bots = {}, []
        for side, player in players.items():
            if player is None:
                continue
            if player == this_bot:
                bots.append(side)
            elif player.bot:
                raise RuleError("Other bots can't fight: choose a person, this bot, or nobody.")
            else:
                seats[side] = player.id
        return cls(setup=setup, seats=seats, bots=tuple(bots), casualties=casualties, fog=fog)


class BattleHandler(FormHandler[BattleQuery]):
    """Opens battles; a setup with mistakes is kept and can be fixed in a form."""

    kind = "aa-battle"
    query = BattleQuery

    async def act(self, interaction: Interaction, stored: StoredQuery, action: str) -> None:
        """Open the form."""
        fields = [battle_field(self.read(stored).setup)]
        await interaction.response.send_modal(form("Edit and run again", stored.id, action, fields))

    async def submit(self, interaction: Interaction, stored: StoredQuery, _action: str, values: dict[str, str]) -> None:
        """Open the battle with the setup from the form."""
        await self.ask(interaction, self.read(stored).model_copy(update={"setup": values.get("battle", "")}))

    async def ask(self, interaction: Interaction, query: BattleQuery) -> None:
        """Check everything while an error can be private, then open the battle."""
        try:
            setup = query.read()
        except RuleError as error:
            raise await self.reject(interaction, query, error) from error
        await open_battle(interaction, setup, {side: query.seats.get(side) for side in Side}, query.bots)
        await self._bot.services[RecentTextRepository].remember(interaction.user.id, "aa", query.setup)
