"""Questions of Axis & Allies: `/aacalc`, `/aa need`, `retreat`, `luck` and `battle`; their options, forms, answers."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Annotated, Any, ClassVar, Literal, Self

import discord
from discord import app_commands
from pydantic import BeforeValidator, Field

from bot.answers.document import Action, Document
from bot.answers.handler import Entry, FormHandler, Query, QueryHandler
from bot.battles.presenter import Presenters
from bot.battles.service import BattleService
from bot.client import Interaction
from bot.games.axis_allies.options import (
    CHOICES,
    METHOD_NAMES,
    ArmyText,
    BattleText,
    Source,
    edition_line,
    parse_method,
    read_armies,
    saved_notes,
)
from bot.games.axis_allies.presenter import POLICY_NAMES, read_setup
from bot.games.axis_allies.render import Asked
from bot.games.axis_allies.render.calc import SWAP, calc_document, wave_document
from bot.result_cache import CachingSimulator
from bot.store.queries import RecentTextRepository, StoredQuery
from bot.ui.interactions import caller_of, defer
from bot.ui.options import Option, Transient
from bot.ui.progress import Progress
from bot.ui.text import Picture
from sim.axis_allies.army import MAX_COUNT
from sim.axis_allies.battle.requests import OpeningRequest
from sim.axis_allies.battle.rules import DiceBattle
from sim.axis_allies.battle.values import Setup
from sim.axis_allies.calc_requests import CalcFilesRequest, CalcRequest, answering
from sim.axis_allies.casualties import Method
from sim.axis_allies.editions import DEFAULT, EditionName
from sim.axis_allies.odds.order_search import OrderSearch, Searches, SearchFirst, found_by
from sim.axis_allies.parse import (
    EXAMPLE,
    MAX_ORDER_TEXT,
    MAX_TEXT,
    TECHNOLOGY_EXAMPLE,
    named_edition,
    parse_casualties,
    parse_question,
    parse_technology,
    parse_wave,
    swap_sides,
    technology_text,
    without_edition,
)
from sim.axis_allies.question import Question
from sim.axis_allies.waves import WaveCardRequest
from sim.axis_allies.withdrawal import MAX_ROUNDS, NEVER, RoundLimit, Withdrawal
from sim.core.errors import RuleError
from sim.core.staged_job import R_co
from sim.core.values import Side
from sim.workers import Caller

ROUNDS_PER_PAGE = 4
MAX_ROUNDS_PER_PAGE = 10

BATTLE = Option(
    "Attacker vs defender, such as: 6 tanks, 2 inf vs 10 inf, 1 ftr", BattleText("aa", "aa-retreat", "aa-luck")
)
BATTLE_ENTRY = Entry("Battle", MAX_TEXT, f"attacker vs defender, such as: {EXAMPLE}", long=True)
_CASUALTIES = "How to choose losses (usually as the edition does)"
RoundsOption = app_commands.Range[int, 1, MAX_ROUNDS]
_OrderOption = app_commands.Range[str, 1, MAX_ORDER_TEXT]
_LOSES = "What the {} loses first, in order: inf, tank, bb-life"
_ORDER_HINT = "such as: inf, tank, bb-life (left empty: the usual order)"

BattleField = Annotated[str, BATTLE, BATTLE_ENTRY]
EditionField = Annotated[
    EditionName, Option("The edition; your default if you leave it out (/aa edition)", choices=CHOICES)
]
CasualtiesField = Annotated[Method | None, BeforeValidator(parse_method), Option(_CASUALTIES, choices=METHOD_NAMES)]
StopAfter = Annotated[RoundLimit | None, Option(f"Stop after this many rounds (1 to {MAX_ROUNDS})", RoundsOption)]
TakeTerritory = Annotated[bool, Option("The attacker needs a land unit left to win")]
PlayerOption = discord.User | None


class EditionQuery(Query):
    """Base of questions about armies.

    `edition`: of texts that name none; `source`: whose edition that is, "said" if the player chose it, None for
    nobody's. `saved`: the editions of the saved armies in the texts, by their names.
    """

    naming: ClassVar[Sequence[str]] = ("battle",)
    """The texts that may name an edition."""
    others: ClassVar[Sequence[str]] = ()
    """The other texts about armies."""

    edition: EditionField = DEFAULT
    source: Source | Literal["said"] | None = None
    saved: dict[str, str] = Field(default_factory=dict)

    @classmethod
    async def read(cls, interaction: Interaction, given: dict[str, Any]) -> Self:
        """Return the question, with its saved armies written out."""
        texts = {name: given[name] for name in (*cls.naming, *cls.others) if name in given}
        armies = await read_armies(interaction, given.pop("edition", None), texts)
        return await super().read(interaction, given | armies)

    @property
    def edition_line(self) -> str:
        """The line that names the edition of the answer."""
        named = self._named
        return edition_line(named or self.edition, "said" if named else self.source)

    @property
    def saved_notes(self) -> list[str]:
        """A sentence for each saved army of another edition."""
        return saved_notes(self.saved, self._named or self.edition)

    def recent(self, text: str) -> str:
        """Return a text to offer again, with the edition that was chosen besides it."""
        return text if self.source != "said" or self._named else f"{self.edition}: {text}"

    @property
    def _named(self) -> str | None:
        return next(filter(None, (named_edition(getattr(self, name)) for name in self.naming)), None)


class OneBattleQuery(EditionQuery):
    """Base of questions about one text of a battle."""

    battle: BattleField

    @property
    def recent_text(self) -> str:
        """The battle."""
        return self.recent(self.battle)


class CalcQuery(OneBattleQuery):
    """Options of `/aacalc`; `casualties`: None for the edition's default."""

    others = ("counter",)

    battle: BattleField
    edition: EditionField = DEFAULT
    rounds: Annotated[
        int,
        Field(ge=1, le=MAX_ROUNDS_PER_PAGE),
        Option(
            f"Rounds on a page (1 to {MAX_ROUNDS_PER_PAGE}, usually {ROUNDS_PER_PAGE})",
            app_commands.Range[int, 1, MAX_ROUNDS_PER_PAGE],
            rank=2,
        ),
    ] = ROUNDS_PER_PAGE
    casualties: CasualtiesField = None
    attacker_order: Annotated[
        str | None,
        Option(_LOSES.format("attacker"), _OrderOption),
        Entry("What the attacker loses first", MAX_ORDER_TEXT, _ORDER_HINT),
    ] = None
    defender_order: Annotated[
        str | None,
        Option(_LOSES.format("defender"), _OrderOption),
        Entry("What the defender loses first", MAX_ORDER_TEXT, _ORDER_HINT),
    ] = None
    stop_after: StopAfter = None
    retreat_below: Annotated[
        Annotated[int, Field(ge=1, le=MAX_COUNT)] | None,
        Option(
            "The attacker retreats when it has fewer units than this after a round",
            app_commands.Range[int, 1, MAX_COUNT],
        ),
    ] = None
    take_territory: TakeTerritory = False
    low_luck: Annotated[bool, Option("Add up the dice: every 6 is a hit, one die decides on the rest")] = False
    landing: Annotated[
        Annotated[int, Field(ge=0, le=MAX_COUNT)] | None,
        Option(
            "How many land units come by sea, where ships bombard (usually all)",
            app_commands.Range[int, 0, MAX_COUNT],
            rank=1,
        ),
    ] = None
    tech: Annotated[
        str | None,
        Option(f"Technologies, such as: {TECHNOLOGY_EXAMPLE}", _OrderOption),
        Entry("Technologies", MAX_TEXT, if_given=True),
    ] = None
    counter: Annotated[
        str | None,
        Option("Who attacks those that took the territory, such as: 5 inf, 2 ftr", ArmyText(), rank=1),
        Entry("Counterattack", MAX_TEXT, if_given=True),
    ] = None

    @property
    def casualty_orders(self) -> dict[Side, str | None]:
        """Both sides' explicit orders of losses, as typed."""
        return {Side.ATTACKER: self.attacker_order, Side.DEFENDER: self.defender_order}

    def question(self) -> Question:
        """Read everything typed; RuleError, TextError with the position of every mistake."""
        question = parse_question(self.battle, self.edition)
        orders = {
            f"{side}_casualties": parse_casualties(text)
            for side, text in self.casualty_orders.items()
            if text is not None
        }
        technology = {} if self.tech is None else parse_technology(self.tech, question.edition)
        technologies = {f"{side}_technology": names or None for side, names in technology.items()}
        counter = None if self.counter is None else parse_wave(without_edition(self.counter), question.edition)
        return question.with_options(
            casualties=self.casualties,
            landing=self.landing,
            stop_after=self.stop_after,
            withdrawal=None if self.retreat_below is None else Withdrawal(below=self.retreat_below),
            must_take=self.take_territory or None,
            low_luck=self.low_luck or None,
            counter=counter,
            **orders,
            **technologies,
        )

    def request(self) -> CalcRequest | WaveCardRequest:
        """Read everything typed; RuleError, TextError with the position of every mistake."""
        return answering(self.question())

    def swap_sides(self) -> Self:
        """Return the query with the sides, their orders of losses and technologies swapped.

        RuleError if it can't be fought the other way round: several waves, ships that bombard, a counterattack.
        """
        if self.counter is not None or self.landing is not None:
            raise RuleError("The defender can't come by sea, nor have a counterattack: leave that out.")
        tech = self.tech
        if tech is not None:
            edition = parse_question(self.battle, self.edition).edition
            both = parse_technology(tech, edition)
            tech = technology_text({side: both[side.other] for side in Side})
        swapped = {"attacker_order": self.defender_order, "defender_order": self.attacker_order, "tech": tech}
        return self.model_copy(update={"battle": swap_sides(self.battle, self.edition), **swapped})

    def smart(self) -> Self:
        """Return the query with smart casualties on both sides."""
        return self.model_copy(update={"casualties": "smart", "attacker_order": None, "defender_order": None})


def opening_of(question: Question) -> OpeningRequest:
    """Return what opens the battle with dice; RuleError for what can't be fought live, such as half a unit.

    A live battle has no end by the clock: its attacker decides when to leave. Its losses are those of the answer.
    """
    endless = question.model_copy(update={"stop_after": None, "withdrawal": NEVER})
    setup = Setup.of(endless, dict.fromkeys(Side))
    return OpeningRequest(setup=setup, stop_after=question.stop_after, withdrawal=question.withdrawal)


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
        question = query.question()
        request, asked = answering(question), Asked(question, query.edition_line, query.saved_notes)
        if isinstance(request, CalcRequest):
            report = await answered(self._bot.simulator, request, caller, progress.update)
            document = calc_document(report, query.rounds, asked)
        else:
            waves, card = await self._bot.simulator.run(request, caller)
            document = wave_document(waves, Picture("waves.png", card.data, card.alt), asked)
        fight = [FIGHT] if _is_possible(partial(opening_of, question)) else []
        actions = [action for action in document.actions if action != SWAP or _is_possible(query.swap_sides)]
        return replace(document, actions=[*fight, *actions])

    async def build_files(self, query: CalcQuery, caller: Caller) -> dict[str, bytes]:
        """Write the transcript, the tables and the reports."""
        request = query.request()
        if isinstance(request, CalcRequest):
            return await answered(self._bot.simulator, CalcFilesRequest(calc=request), caller)
        report, _ = await self._bot.simulator.run(request, caller)
        return {"waves.json": f"{report.model_dump_json(indent=1)}\n".encode()}

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
            await open_battle(interaction, opening_of(self.read(stored).question()), dict.fromkeys(Side))
        else:
            await super().act(interaction, stored, action)


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


class BattleQuery(EditionQuery):
    """Options of `/aa battle`; `seats`: user ids of players, `bots`: sides that this bot plays."""

    naming = ("setup",)

    setup: Annotated[str, BATTLE]
    edition: EditionField = DEFAULT
    attacker: Annotated[
        PlayerOption, Option("Who attacks: a player or this bot (left empty: the first to press Join)"), Transient
    ] = None
    defender: Annotated[
        PlayerOption, Option("Who defends: a player or this bot (left empty: the first to press Join)"), Transient
    ] = None
    seats: dict[Side, int]
    bots: tuple[Side, ...]
    casualties: Annotated[
        str | None,
        Option(_CASUALTIES, choices={str(method): name for method, name in POLICY_NAMES.items()}),
    ] = None
    fog: Annotated[bool, Option("Hide each army from everyone but its player until the end")] = False
    private: bool = False

    @classmethod
    async def read(cls, interaction: Interaction, given: dict[str, Any]) -> Self:
        """Return the question, with who plays; RuleError for another bot."""
        seats, bots = {}, []
        for side in Side:
            player = given.pop(side.value, None)
            if player is not None and player == interaction.client.user:
                bots.append(side)
            elif player is not None and player.bot:
                raise RuleError("Other bots can't fight: choose a person, this bot, or nobody.")
            elif player is not None:
                seats[side] = player.id
        return await super().read(interaction, given | {"seats": seats, "bots": bots})

    def fields(self) -> Sequence[discord.ui.Label[Any]]:
        """Return the field of the battle."""
        return [BATTLE_ENTRY.field("battle", self.setup)]

    def filled(self, values: Mapping[str, str]) -> Self:
        """Return the query with the battle from the form."""
        return self.model_copy(update={"setup": values.get("battle", "")})

    def opening(self) -> OpeningRequest:
        """Read the armies; RuleError, TextError with every mistake and its position."""
        setup = read_setup(self.setup, self.casualties, self.bots, fog=self.fog, default=self.edition)
        return OpeningRequest(setup=setup)


class BattleHandler(FormHandler[BattleQuery]):
    """Opens battles; a setup with mistakes is kept and can be fixed in a form."""

    kind = "aa-battle"
    query = BattleQuery

    async def act(self, interaction: Interaction, stored: StoredQuery, action: str) -> None:
        """Open the form."""
        await self.send_form(interaction, stored, self.read(stored), action)

    async def submit(self, interaction: Interaction, stored: StoredQuery, _action: str, values: dict[str, str]) -> None:
        """Open the battle with the setup from the form."""
        await self.ask(interaction, self.read(stored).filled(values))

    async def ask(self, interaction: Interaction, query: BattleQuery) -> None:
        """Check everything while an error can be private, then open the battle."""
        try:
            opening = query.opening()
        except RuleError as error:
            raise await self.reject(interaction, query, error) from error
        await open_battle(interaction, opening, {side: query.seats.get(side) for side in Side}, query.bots)
        await self._bot.services[RecentTextRepository].remember(interaction.user.id, "aa", query.recent(query.setup))
