"""`/aacalc`: Axis & Allies 1941."""

from typing import Annotated, Self

import discord
from discord import app_commands
from discord.ext import commands
from pydantic import BaseModel, ConfigDict, Field

from bot.app import Fracas
from bot.render.axis_allies import calc_book
from bot.render.book import Book
from bot.store.calculations import Calculation
from bot.ui.desk import Desk, DraftError
from bot.ui.forms import form
from bot.ui.pages import defer_in_place, send_files, show
from bot.ui.presses import defer
from sim.adapters import Caller
from sim.axis_allies.army import MAX_COUNT
from sim.axis_allies.average import MAX_ROUNDS
from sim.axis_allies.calc import CalcRequest
from sim.axis_allies.export import CalcFilesRequest
from sim.axis_allies.odds import OddsRequest
from sim.axis_allies.odds.order_text import MAX_TEXT as MAX_ORDER_TEXT
from sim.axis_allies.odds.order_text import parse_casualties
from sim.axis_allies.odds.orders import Method
from sim.axis_allies.parse import MAX_TEXT, completions, parse_battle, swapped
from sim.core.errors import RuleError
from sim.core.outcomes import Side

LONGEST_TYPED = MAX_TEXT - 10
"""Characters a player may type: swapping the sides needs a few more."""

ROUNDS_SHOWN = 4
MOST_ROUNDS_SHOWN = 10
_CHOICES = 25
_CHOICE_LENGTH = 100


class Ask(BaseModel):
    """What a player asked `/aacalc`, as typed; kept in the database, so every field added needs a default."""

    model_config = ConfigDict(frozen=True)

    battle: str
    rounds: Annotated[int, Field(ge=1, le=MOST_ROUNDS_SHOWN)] = ROUNDS_SHOWN
    casualties: Method = "score"
    attacker_order: str | None = None
    defender_order: str | None = None
    stop_after: Annotated[int, Field(ge=1, le=MAX_ROUNDS)] | None = None
    retreat_below: Annotated[int, Field(ge=1, le=MAX_COUNT)] | None = None
    take_territory: bool = False
    private: bool = False

    def request(self) -> CalcRequest:
        """Read the armies and the orders of losses; RuleError with every mistake, TextError with its place."""
        armies = parse_battle(self.battle)
        orders = [
            None if text is None else parse_casualties(text) for text in (self.attacker_order, self.defender_order)
        ]
        plain = self.model_copy(update={"battle": "", "rounds": ROUNDS_SHOWN, "stop_after": None, "private": False})
        whole = all(group.count.denominator == 1 for army in armies.values() for group in army.groups)
        if not whole and plain == Ask(battle=""):
            return CalcRequest.of(armies, None, self.stop_after)
        odds = OddsRequest(
            attacker=armies[Side.ATTACKER],
            defender=armies[Side.DEFENDER],
            casualties=self.casualties,
            attacker_casualties=orders[0],
            defender_casualties=orders[1],
            stop_after=self.stop_after,
            retreat_below=self.retreat_below,
            must_take=self.take_territory,
        )
        return CalcRequest.of(armies, odds, self.stop_after)

    def with_battle(self, battle: str) -> Self:
        """Return the same question about another battle."""
        return self.model_copy(update={"battle": battle})

    def swapped(self) -> Self:
        """Return the question with the sides exchanged, their orders of losses too."""
        orders = {"attacker_order": self.defender_order, "defender_order": self.attacker_order}
        return self.model_copy(update={"battle": swapped(self.battle), **orders})

    def smart(self) -> Self:
        """Return the question with smart casualties on both sides."""
        return self.model_copy(update={"casualties": "smart", "attacker_order": None, "defender_order": None})


class AaDesk(Desk):
    """Answers `/aacalc`."""

    kind = "aa"

    def __init__(self, bot: Fracas) -> None:
        self._bot = bot

    async def book(self, request: str, caller: Caller) -> Book:
        """Work the odds and the average battle out."""
        ask = Ask.model_validate_json(request)
        return calc_book(await self._bot.simulator.run(ask.request(), caller), ask.rounds)

    async def files(self, request: str, caller: Caller) -> dict[str, bytes]:
        """Write the transcript, the tables and the reports."""
        return await self._bot.simulator.run(CalcFilesRequest(calc=Ask.model_validate_json(request).request()), caller)

    async def ask(self, interaction: discord.Interaction[Fracas], ask: Ask) -> None:
        """Answer a new question in a new message, private if it asks so."""
        await self._checked(interaction, ask)
        await self._answer_anew(interaction, ask)

    async def act(self, interaction: discord.Interaction[Fracas], calculation: Calculation, action: str) -> None:
        """Swap the sides, or show the form."""
        ask = Ask.model_validate_json(calculation.request)
        if action == "edit":
            await interaction.response.send_modal(_edit_form(ask, calculation.id))
        elif action in {"swap", "smart"}:
            other = ask.swapped() if action == "swap" else ask.smart()
            await self._checked(interaction, other)
            private = await defer_in_place(interaction, calculation.asker_id)
            await self._answer(interaction, other, private=private)
        else:
            raise RuleError("This button is of an older version; please run the command again.")

    async def submit(
        self, interaction: discord.Interaction[Fracas], calculation: Calculation, values: dict[str, str]
    ) -> None:
        """Run the edited battle: in place of the answer that was edited, or as a new answer to a refused text."""
        old = Ask.model_validate_json(calculation.request)
        orders = {name: values.get(name, "").strip() or None for name in ("attacker_order", "defender_order")}
        ask = old.with_battle(values.get("battle", "")).model_copy(update=orders)
        await self._checked(interaction, ask)
        if _was_refused(old):
            await self._answer_anew(interaction, ask)
        else:
            private = await defer_in_place(interaction, calculation.asker_id)
            await self._answer(interaction, ask, private=private)

    async def _checked(self, interaction: discord.Interaction[Fracas], ask: Ask) -> None:
        """Read the text before anything is deferred, while the answer can still be private; a bad one is kept."""
        try:
            ask.request()
        except RuleError as error:
            raise DraftError(error, (await self._keep(interaction, ask)).id) from error

    async def _answer_anew(self, interaction: discord.Interaction[Fracas], ask: Ask) -> None:
        """Answer in a message of its own; a long battle's files come along."""
        await defer(interaction, private=ask.private)
        calculation, book = await self._answer(interaction, ask, private=ask.private)
        if book.long:
            await send_files(interaction, calculation, private=ask.private)

    async def _answer(
        self, interaction: discord.Interaction[Fracas], ask: Ask, *, private: bool
    ) -> tuple[Calculation, Book]:
        calculation = await self._keep(interaction, ask)
        try:
            book = await show(interaction, calculation, 0, private=private)
        except RuleError as error:
            raise DraftError(error, calculation.id) from error
        await self._bot.recent.remember(interaction.user.id, self.kind, ask.battle)
        return calculation, book

    async def _keep(self, interaction: discord.Interaction[Fracas], ask: Ask) -> Calculation:
        return await self._bot.calculations.add(
            self.kind, interaction.user.id, interaction.guild_id, ask.model_dump_json()
        )


def _was_refused(ask: Ask) -> bool:
    try:
        ask.request()
    except RuleError:
        return True
    return False


def _edit_form(ask: Ask, calculation_id: str) -> discord.ui.Modal:
    return form(
        "Edit and run again",
        calculation_id,
        discord.ui.Label(
            text="Battle",
            description="attacker vs defender, as in: 6 tanks vs 10 inf",
            component=discord.ui.TextInput(
                custom_id="battle",
                style=discord.TextStyle.paragraph,
                default=ask.battle,
                required=False,  # an empty battle gets our own sentence
                max_length=MAX_TEXT,
            ),
        ),
        *(
            discord.ui.Label(
                text=f"The {side}'s order of losses",
                description="empty for the usual one, or as in: inf, tank, bb-life",
                component=discord.ui.TextInput(
                    custom_id=f"{side}_order", default=order, required=False, max_length=MAX_ORDER_TEXT
                ),
            )
            for side, order in zip(Side, (ask.attacker_order, ask.defender_order), strict=True)
        ),
    )


class AxisAllies(commands.Cog):
    """Axis & Allies 1941."""

    def __init__(self, bot: Fracas) -> None:
        self._bot = bot
        self._desk = AaDesk(bot)
        bot.add_desk(self._desk)

    @app_commands.command(
        description="Axis & Allies 1941: who wins a battle, how likely, at what cost, round by round",
        extras={"example": "/aacalc battle:6 tanks, 2 inf, 1 bomber vs 10 inf, 1 tank, 1 fighter"},
    )
    @app_commands.describe(
        battle="Attacker vs defender, such as: 6 tanks, 2 inf vs 10 inf, 1 ftr",
        rounds=f"How many rounds to show on a page (1 to {MOST_ROUNDS_SHOWN}, usually {ROUNDS_SHOWN})",
        casualties="How losses are chosen",
        attacker_order="The attacker's own order of losses, such as: inf, tank, bb-life",
        defender_order="The defender's own order of losses, such as: inf, tank, bb-life",
        stop_after=f"Stop undecided after this many rounds (1 to {MAX_ROUNDS})",
        retreat_below="The attacker retreats when fewer units than this are left after a round",
        take_territory="The attacker wins only with a land unit left",
        private="Show the answer only to you",
    )
    @app_commands.choices(
        casualties=[
            app_commands.Choice(name="Lowest score first", value="score"),
            app_commands.Choice(name="Battleship lives first, then lowest score", value="lives-first"),
            app_commands.Choice(name="Smart: lives, then the cheapest loss; keeps what is needed", value="smart"),
        ]
    )
    async def aacalc(
        self,
        interaction: discord.Interaction[Fracas],
        battle: app_commands.Range[str, 1, LONGEST_TYPED],
        rounds: app_commands.Range[int, 1, MOST_ROUNDS_SHOWN] = ROUNDS_SHOWN,
        casualties: str = "score",
        attacker_order: app_commands.Range[str, 1, MAX_ORDER_TEXT] | None = None,
        defender_order: app_commands.Range[str, 1, MAX_ORDER_TEXT] | None = None,
        stop_after: app_commands.Range[int, 1, MAX_ROUNDS] | None = None,
        retreat_below: app_commands.Range[int, 1, MAX_COUNT] | None = None,
        take_territory: bool = False,  # noqa: FBT001, FBT002  # an option of the command, given by name
        private: bool = False,  # noqa: FBT001, FBT002  # likewise
    ) -> None:
        """Answer the odds and the average battle."""
        ask = Ask.model_validate(
            {
                "battle": battle,
                "rounds": rounds,
                "casualties": casualties,
                "attacker_order": attacker_order,
                "defender_order": defender_order,
                "stop_after": stop_after,
                "retreat_below": retreat_below,
                "take_territory": take_territory,
                "private": private,
            }
        )
        await self._desk.ask(interaction, ask)

    @aacalc.autocomplete("battle")
    async def _complete_battle(
        self, interaction: discord.Interaction[Fracas], current: str
    ) -> list[app_commands.Choice[str]]:
        recent = await self._bot.recent.list(interaction.user.id, self._desk.kind)
        typed = current.casefold().strip()
        offered = [*completions(current), *(text for text in recent if typed in text.casefold())]
        fitting = [text for text in dict.fromkeys(offered) if 0 < len(text) <= _CHOICE_LENGTH]
        return [app_commands.Choice(name=text, value=text) for text in fitting[:_CHOICES]]


async def setup(bot: Fracas) -> None:
    """Load the cog."""
    await bot.add_cog(AxisAllies(bot))
