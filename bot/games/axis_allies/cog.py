"""The commands of Axis & Allies: what `/aacalc` and `/aa battle` ask and answer, the others from `advice.py`."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Annotated, Any, ClassVar, Literal, Self
from urllib.parse import quote

import discord
from discord import app_commands
from discord.ext import commands
from pydantic import BeforeValidator, Field

from bot.answers import Answer, Changes, PagedQuery, Queries, json_of
from bot.answers.document import Action
from bot.battles import BattleService
from bot.battles.panel import is_referee
from bot.battles.presenter import Presenters
from bot.battles.publisher import ReplaySite
from bot.battles.threads import opens_battle
from bot.client import Asker, Client, Interaction
from bot.games.axis_allies import advice as a
from bot.games.axis_allies import options as o
from bot.games.axis_allies.presenter import CASUALTY_ITEMS, DiceBattlePresenter
from bot.games.axis_allies.render import SMART, SWAP, Asked, calc_document, wave_document
from bot.rosters import RosterLibrary
from bot.store.battle import Place
from bot.store.queries import RecentTextRepository, StoredQuery
from bot.ui import MAX_BUTTON_LINK, Picture
from bot.ui.interactions import caller_of, defer, edit_reply
from bot.ui.options import Entry, Option, Transient, Typed, slash
from sim.axis_allies import parse as p
from sim.axis_allies.answers import CalcFilesRequest, CalcRequest, answering
from sim.axis_allies.army import MAX_COUNT
from sim.axis_allies.battle import MANUAL, CasualtyPolicy, OpeningRequest, Setup
from sim.axis_allies.battle.rules import DiceBattle
from sim.axis_allies.casualties import Method
from sim.axis_allies.editions import DEFAULT, EDITIONS, edition_named
from sim.axis_allies.parse import options as texts
from sim.axis_allies.parse.words import MAX_TEXT
from sim.axis_allies.question import NEVER, Question, RoundLimit, Withdrawal
from sim.axis_allies.small_odds import expect_small
from sim.axis_allies.waves import WaveCardRequest
from sim.core import RuleError, flaw
from sim.core.values import Side
from sim.workers.queue import Caller

ROUNDS_PER_PAGE = 4
MAX_ROUNDS_PER_PAGE = 10

_order = partial(Entry, length=texts.MAX_ORDER_TEXT, hint="such as: inf, tank, bb-life (left empty: the usual order)")

_NONE = "none"
"""The choice that removes a default edition."""
_PLAYER = "Who {}: a player or this bot (left empty: the first to press Join)"


class CalcQuery(PagedQuery, o.OneBattleQuery):
    """Options of `/aacalc`; `casualties`: None for the edition's default.

    What the text itself can say (`| low luck | rounds 3`) is no option of the command: those fields are of its form and
    of queries of earlier versions.
    """

    stored_as = "aa"
    others = ("counter",)

    battle: o.BattleField
    edition: o.EditionField = DEFAULT
    rounds: Annotated[
        int,
        Field(ge=1, le=MAX_ROUNDS_PER_PAGE),
        Option(f"Rounds on a page (1 to {MAX_ROUNDS_PER_PAGE}, usually {ROUNDS_PER_PAGE})", rank=2),
    ] = ROUNDS_PER_PAGE
    casualties: o.CasualtiesField = None
    attacker_order: Annotated[str | None, _order("What the attacker loses first")] = None
    defender_order: Annotated[str | None, _order("What the defender loses first")] = None
    stop_after: RoundLimit | None = None
    retreat_below: Annotated[int, Field(ge=1, le=MAX_COUNT)] | None = None
    take_territory: bool = False
    low_luck: bool = False
    landing: Annotated[int, Field(ge=0, le=MAX_COUNT)] | None = None
    tech: Annotated[str | None, Entry("Technologies", MAX_TEXT, if_given=True)] = None
    counter: Annotated[str | None, Entry("Counterattack", MAX_TEXT, if_given=True)] = None

    @classmethod
    async def of(cls, asker: Asker, battle: str) -> Self:
        """Return the question about a battle alone, its saved armies written out; RuleError."""
        return cls(**await o.read_armies(asker, None, {"battle": battle}))

    def question(self) -> Question:
        """Read everything typed; RuleError, TextError with the position of every mistake."""
        question = p.parse_question(self.battle, self.fitting)
        orders = {
            f"{side}_casualties": texts.parse_casualties(text)
            for side, text in zip(Side, (self.attacker_order, self.defender_order), strict=True)
            if text is not None
        }
        technology = {} if self.tech is None else texts.parse_technology(self.tech, question.edition)
        technologies = {f"{side}_technology": names or None for side, names in technology.items()}
        counter = None if self.counter is None else p.parse_wave(p.without_edition(self.counter), question.edition)
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

    def can_swap(self) -> bool:
        """Return whether `swap_sides` can swap the sides of a query that can be read."""
        return self.counter is None and self.landing is None and p.can_swap(self.battle, self.fitting)

    def swap_sides(self) -> Self:
        """Return the query with the sides, their orders of losses and technologies swapped.

        RuleError if it can't be fought the other way round: several waves, ships that bombard, a counterattack.
        """
        if self.counter is not None or self.landing is not None:
            raise RuleError("The defender can't come by sea, nor have a counterattack: leave that out.")
        tech = self.tech
        if tech is not None:
            edition = p.parse_question(self.battle, self.fitting).edition
            both = texts.parse_technology(tech, edition)
            tech = texts.technology_text({side: both[side.other] for side in Side})
        swapped = {"attacker_order": self.defender_order, "defender_order": self.attacker_order, "tech": tech}
        return self.model_copy(update={"battle": p.swap_sides(self.battle, self.fitting), **swapped})

    changes: ClassVar[Changes] = {
        SWAP.action: swap_sides,
        SMART.action: {"casualties": "smart", "attacker_order": None, "defender_order": None},
    }

    async def build(self, bot: Client, caller: Caller) -> Answer:
        """Return the odds and the average battle, with a transcript and tables as files; or the odds of several waves.

        The link leads to the replay site with a battle that is small enough for it.
        """
        question = self.question()
        request, asked = answering(question), Asked(question, self.edition_line, self.saved_notes)
        if isinstance(request, CalcRequest):
            report = await o.answered(bot.simulator, request, caller)
            files = partial(o.answered, bot.simulator, CalcFilesRequest(calc=request), caller)
            answer = Answer(calc_document(report, self.rounds, asked), files)
        else:
            waves, card = await bot.simulator.run(request, caller)
            document = wave_document(waves, Picture("waves.png", card.data, card.alt), asked)
            answer = Answer(document, lambda: {"waves.json": json_of(waves) + b"\n"})
        fight = [FIGHT] if flaw(lambda: opening_of(question)) is None else []
        actions = [action for action in answer.document.actions if action != SWAP or self.can_swap()]
        document = replace(answer.document, actions=[*fight, *actions])
        return replace(answer, document=document, link=_link(bot, question))

    async def act(self, interaction: Interaction, stored: StoredQuery, action: str) -> None:
        """Open the battle with dice, or do what every answer can."""
        if action == FIGHT.action:
            await open_battle(interaction, opening_of(self.question()))
        else:
            await super().act(interaction, stored, action)


def opening_of(question: Question) -> OpeningRequest:
    """Return what opens the battle with dice; RuleError for what can't be fought live, such as half a unit.

    A live battle has no end by the clock: its attacker decides when to leave. Its losses are those of the answer.
    """
    endless = question.model_copy(update={"stop_after": None, "withdrawal": NEVER})
    setup = Setup.of(endless, dict.fromkeys(Side))
    return OpeningRequest(setup=setup, stop_after=question.stop_after, withdrawal=question.withdrawal)


FIGHT = Action("fight", "Fight this out", "⚔️")
"""The button that opens a battle with dice between the armies of an answer."""


def _link(bot: Client, question: Question) -> str | None:
    address = bot.services[ReplaySite].address
    if address is None or flaw(lambda: expect_small(question)) is not None:
        return None
    link = f"{address}#q={quote(p.share_text(question), safe=':,')}"  # a fragment may hold these as they are
    return link if len(link) <= MAX_BUTTON_LINK else None


async def open_battle(interaction: Interaction, opening: OpeningRequest, places: Sequence[Place] = ()) -> None:
    """Open a battle with dice in the channel, by default one with free sides."""
    setup = opening.setup
    if opening.needed:
        await defer(interaction, private=False)  # a worker takes its time
        setup = await o.answered(interaction.client.simulator, opening, caller_of(interaction))
    sides = places or [Place(side.value) for side in Side]
    await interaction.client.services[BattleService].open(interaction, DiceBattle.name, setup, sides)


class BattleQuery(o.EditionQuery):
    """Options of `/aa battle`; `seats`: user ids of players, `bots`: sides that this bot plays.

    A setup with mistakes is kept and can be fixed in the form.
    """

    stored_as = "aa-battle"
    naming = ("setup",)

    setup: Annotated[str, o.BATTLE, replace(o.BATTLE_ENTRY, id="battle")]
    edition: o.EditionField = DEFAULT
    attacker: Annotated[discord.User | None, Option(_PLAYER.format("attacks")), Transient] = None
    defender: Annotated[discord.User | None, Option(_PLAYER.format("defends")), Transient] = None
    seats: dict[Side, int]
    bots: tuple[Side, ...]
    casualties: Annotated[
        Method | Literal["manual"] | None,
        BeforeValidator(partial(o.chosen_among, o.POLICY_NAMES)),
        Option(o.CASUALTIES, choices=o.POLICY_NAMES),
    ] = None
    fog: Annotated[
        bool, Option("Each player sees only their own army until the end; you type both, so you know both")
    ] = False
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

    def opening(self) -> OpeningRequest:
        """Read the armies; RuleError, TextError with every mistake and its position. This bot never chooses by hand."""
        question = p.parse_question(self.setup, self.fitting)
        policies: dict[Side, CasualtyPolicy | None] = dict.fromkeys(Side, self.casualties)
        if self.casualties == MANUAL:
            policies |= dict.fromkeys(self.bots, question.book.rules.casualties)
        return OpeningRequest(setup=Setup.of(question, policies, fog=self.fog))

    async def submit(self, interaction: Interaction, _stored: StoredQuery, _action: str, values: Typed) -> None:
        """Open the battle with the setup from the form."""
        await (await self.read_form(interaction, values)).ask(interaction)

    async def ask(self, interaction: Interaction) -> None:
        """Check everything while an error can be private, then open the battle."""
        async with self.fixable(interaction):
            opening = self.opening()
        sides = [Place(side.value, self.seats.get(side), is_bot=side in self.bots) for side in Side]
        await open_battle(interaction, opening, sides)
        recent = interaction.client.services[RecentTextRepository]
        await recent.remember(interaction.user.id, "aa", self.recent(self.setup))


class AxisAllies(commands.Cog, name="Axis & Allies"):
    """Axis & Allies, all editions."""

    aa = app_commands.Group(
        name="aa", description="Axis & Allies: fight battles, what to buy, when to retreat, how lucky you were"
    )

    def __init__(self, bot: Client) -> None:
        self._bot = bot
        bot.services[Queries].add(CalcQuery, BattleQuery, a.PurchaseQuery, a.RetreatQuery, a.LuckQuery, a.SpendQuery)
        bot.services[Presenters].add(DiceBattlePresenter(bot))
        bot.add_items(*CASUALTY_ITEMS)
        bot.services[RosterLibrary].add_kind(o.KIND)

    @slash(
        None,
        example="/aacalc battle:6 tanks, 2 inf, 1 bomber vs 10 inf, 1 tank, 1 fighter",
        more="The answer has exact odds, expected losses and a picture; in the 1941 edition also the average"
        " battle, round by round. All other options follow a bar in the text: `6 tanks vs 10 inf | rounds 3`.",
    )
    async def aacalc(self, interaction: Interaction, query: CalcQuery) -> None:
        """Axis & Allies: who wins a battle, how often, and at what cost."""
        await query.ask(interaction)

    @slash(aa, example="/aa need attacker:6 tanks defender:10 inf chance:75")
    async def need(self, interaction: Interaction, query: a.PurchaseQuery) -> None:
        """The cheapest reinforcement that reaches the odds you want."""
        await query.ask(interaction)

    @slash(
        aa,
        example="/aa spend budget:20 fronts:3 inf vs 2 inf worth 5; 2 inf, 1 tank vs 4 inf worth 8",
        more="A front is a battle as it stands, with what its territory is worth to you. Planes that reach"
        " several fronts fly where they are worth most.",
    )
    async def spend(self, interaction: Interaction, query: a.SpendQuery) -> None:
        """One budget, several fronts: what to buy, and where it is worth most."""
        await query.ask(interaction)

    @slash(aa, example="/aa retreat battle:6 tanks, 2 inf vs 8 inf territory:3")
    async def retreat(self, interaction: Interaction, query: a.RetreatQuery) -> None:
        """Go on or retreat? The best choice after each round."""
        await query.ask(interaction)

    @slash(aa, example="/aa luck battle:6 tanks vs 10 inf attacker_left:2 tanks")
    async def luck(self, interaction: Interaction, query: a.LuckQuery) -> None:
        """How lucky were you? Rate the result of a battle you fought."""
        await query.ask(interaction)

    @slash(aa, opens_battle, example="/aa battle setup:6 tanks, 2 inf vs 10 inf")
    async def battle(self, interaction: Interaction, query: BattleQuery) -> None:
        """Fight a battle with dice in this channel, round by round."""
        await query.ask(interaction)

    @slash(aa, example="/aa edition edition:1942")
    async def edition(
        self,
        interaction: Interaction,
        edition: Annotated[
            str | None,
            Option("The edition to set (left empty: only show)", choices=o.CHOICES | {_NONE: "No default"}),
        ] = None,
        server: Annotated[
            bool, Option("Set it for this server, for everyone without their own; needs Manage Messages")
        ] = False,
    ) -> None:
        """Show or set your default edition."""
        await defer(interaction, private=True)
        editions, user_id, guild_id = self._bot.services[o.EditionRepository], interaction.user.id, interaction.guild_id
        if server and guild_id is None:
            raise RuleError("Only a server has a default of its own; use this in one.")
        if edition is not None:
            if server and not is_referee(interaction):
                raise RuleError("Only a mod can set this server's edition.")
            name = None if edition == _NONE else edition_named(edition).name
            if server and guild_id is not None:
                await editions.put("guild", guild_id, name)
            else:
                await editions.put("user", user_id, name)
        played, _ = await o.default_edition(interaction)
        kept = {"Your default": await editions.get("user", user_id)}
        if guild_id is not None:
            kept["This server's default"] = await editions.get("guild", guild_id)
        titles = (f"{of}: {f'**{EDITIONS[own].title}**' if own in EDITIONS else 'none'}" for of, own in kept.items())
        told = "-# You / server / 1941, in that order. For one battle, begin its text with `1942:`."
        await edit_reply(interaction, "\n".join([f"### 📖 You play {EDITIONS[played].title}", *titles, told]))
