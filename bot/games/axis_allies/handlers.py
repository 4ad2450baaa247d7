"""Handlers of `/aacalc`, `/aa need`, `/aa retreat`, `/aa luck` and `/aa battle`."""

from abc import abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, TypeVar

import discord

from bot.answers.document import Action, Document
from bot.answers.handler import FormHandler, QueryHandler, form
from bot.battles.presenter import Presenters
from bot.battles.service import BattleService
from bot.client import Interaction
from bot.games.axis_allies.options import battle_field
from bot.games.axis_allies.queries import (
    BattleQuery,
    CalcQuery,
    EditionQuery,
    LuckQuery,
    PurchaseQuery,
    RetreatQuery,
)
from bot.games.axis_allies.render import Asked, with_edition
from bot.games.axis_allies.render.advice import luck_document, purchase_document, retreat_document
from bot.games.axis_allies.render.calc import SWAP, calc_document
from bot.games.axis_allies.render.waves import wave_document
from bot.result_cache import CachingSimulator
from bot.store.queries import RecentTextRepository, StoredQuery
from bot.ui.interactions import caller_of, defer, open_form
from bot.ui.layout import Picture
from bot.ui.modals import text_field
from bot.ui.progress import Progress
from sim.axis_allies.advice_reports import LuckReport, PurchaseReport, RetreatReport
from sim.axis_allies.battle.opening import OpeningRequest
from sim.axis_allies.battle.rules import DiceBattle
from sim.axis_allies.calc_requests import CalcFilesRequest, CalcRequest
from sim.axis_allies.odds.order_search import OrderSearch, Searches, SearchFirst, found_by
from sim.axis_allies.parse import MAX_ORDER_TEXT, MAX_TEXT
from sim.axis_allies.requests import AdviceRequest
from sim.core.errors import RuleError
from sim.core.parts import R_co
from sim.core.values import Side
from sim.workers import Caller


async def answered(
    simulator: CachingSimulator,
    request: Searches[R_co],
    caller: Caller | None,
    update: Callable[[float, str], None] = lambda *_: None,
) -> R_co:
    """Return the report of a request: of one job, or of a search side by side and a job with the orders found.

    `update` gets the progress of the search.
    """
    first = await simulator.run(SearchFirst(request), caller)
    if not isinstance(first, OrderSearch):
        return first
    so_far = await simulator.through(first, lambda: simulator.in_parts(first, caller, update))
    return await simulator.run(request.with_found(found_by(so_far)), caller)


FIGHT = Action("fight", "Fight this out", "⚔️")
"""The button that opens a battle with dice between the armies of an answer."""


class CalcHandler(QueryHandler[CalcQuery]):
    """Answers `/aacalc`."""

    kind = "aa"
    query = CalcQuery

    async def build_document(self, query: CalcQuery, caller: Caller, progress: Progress) -> Document:
        """Calculate the odds and the average battle, or the odds of several waves."""
        request, asked = query.request(), Asked(query.question(), query.edition_line, query.saved_notes)
        if isinstance(request, CalcRequest):
            report = await answered(self._bot.simulator, request, caller, progress.update)
            document = calc_document(report, query.rounds, asked)
        else:
            waves, card = await self._bot.simulator.run(request, caller)
            document = wave_document(waves, Picture("waves.png", card.data, card.alt), asked)
        fight = [FIGHT] if _is_possible(query.opening) else []
        actions = [action for action in document.actions if action != SWAP or _is_possible(query.swap_sides)]
        return replace(document, actions=[*fight, *actions])

    async def build_files(self, query: CalcQuery, caller: Caller) -> dict[str, bytes]:
        """Write the transcript, the tables and the reports."""
        request = query.request()
        if isinstance(request, CalcRequest):
            return await answered(self._bot.simulator, CalcFilesRequest(calc=request), caller)
        report, _ = await self._bot.simulator.run(request, caller)
        return {"waves.json": f"{report.model_dump_json(indent=1)}\n".encode()}

    def fields(self, query: CalcQuery) -> Sequence[discord.ui.Label[Any]]:
        """Return the battle, both orders of losses, and what else was given besides the text."""
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
        texts = {"tech": ("Technologies", query.tech), "counter": ("Counterattack", query.counter)}
        others = [
            text_field(name, label, text, max_length=MAX_TEXT)
            for name, (label, text) in texts.items()
            if text is not None
        ]
        return [battle_field(query.battle), *orders, *others]

    def apply_form(self, query: CalcQuery, values: dict[str, str]) -> CalcQuery:
        """Return the query with the battle and the orders from the form."""
        given = {name: values.get(name, "").strip() or None for name in (*(f"{side}_order" for side in Side), *_LATER)}
        return query.model_copy(update={"battle": values.get("battle", ""), **given})

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
            await open_battle(interaction, self.read(stored).opening(), dict.fromkeys(Side))
        else:
            await super().act(interaction, stored, action)

    def recent_text(self, query: CalcQuery) -> str:
        """Return the battle."""
        return query.recent(query.battle)


_LATER = ("tech", "counter")
"""What the form has a field for only if it was given."""


def _is_possible(make: Callable[[], object]) -> bool:
    try:
        make()
    except RuleError:
        return False
    return True


async def open_battle(
    interaction: Interaction, opening: OpeningRequest, seats: Mapping[Side, int | None], bots: Collection[Side] = ()
) -> None:
    """Open a battle with dice in the channel; `seats`: the user ids of both sides, None for a free seat."""
    setup = opening.setup
    if opening.needed:
        await defer(interaction, private=False)  # a worker takes its time
        setup = await answered(interaction.client.simulator, opening, caller_of(interaction))
    presenter = interaction.client.services[Presenters].of(DiceBattle.name)
    users = {side.value: seats[side] for side in Side}
    service = interaction.client.services[BattleService]
    await service.open(interaction, presenter, setup, users, [side.value for side in bots])


E = TypeVar("E", bound=EditionQuery)


class AdviceHandler(QueryHandler[E]):
    """Answers from one report, which is also the only file, `name`.json, and shows its card, `name`.png."""

    name: ClassVar[str]

    @abstractmethod
    def render(self, report: Any, card: Picture) -> Document:  # noqa: ANN401  # the subclasses have their own reports
        """Return the answer's pages."""

    async def build_document(self, query: E, caller: Caller, progress: Progress) -> Document:
        """Run the request and render its report."""
        request = AdviceRequest(question=query.request())
        report, card = await answered(self._bot.simulator, request, caller, progress.update)
        document = self.render(report, Picture(f"{self.name}.png", card.data, card.alt))
        return with_edition(document, query.edition_line, query.saved_notes)

    async def build_files(self, query: E, caller: Caller) -> dict[str, bytes]:
        """Write the report."""
        report, _ = await answered(self._bot.simulator, AdviceRequest(question=query.request()), caller)
        return {f"{self.name}.json": report.model_dump_json(indent=1).encode()}


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
        return query.recent(query.battle)


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
        return query.recent(query.battle)


class BattleHandler(FormHandler[BattleQuery]):
    """Opens battles; a setup with mistakes is kept and can be fixed in a form."""

    kind = "aa-battle"
    query = BattleQuery

    async def act(self, interaction: Interaction, stored: StoredQuery, action: str) -> None:
        """Open the form."""
        fields = [battle_field(self.read(stored).setup)]
        await open_form(interaction, form("Edit and run again", stored.id, action, fields))

    async def submit(self, interaction: Interaction, stored: StoredQuery, _action: str, values: dict[str, str]) -> None:
        """Open the battle with the setup from the form."""
        await self.ask(interaction, self.read(stored).model_copy(update={"setup": values.get("battle", "")}))

    async def ask(self, interaction: Interaction, query: BattleQuery) -> None:
        """Check everything while an error can be private, then open the battle."""
        try:
            setup = query.read()
        except RuleError as error:
            raise await self.reject(interaction, query, error) from error
        opening = OpeningRequest(setup=setup)
        await open_battle(interaction, opening, {side: query.seats.get(side) for side in Side}, query.bots)
        await self._bot.services[RecentTextRepository].remember(interaction.user.id, "aa", query.recent(query.setup))
