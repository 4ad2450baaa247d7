"""`/aacalc`: Axis & Allies 1941."""

from typing import Annotated, ClassVar, Literal, Self

import discord
from discord import app_commands
from discord.ext import commands
from pydantic import BaseModel, ConfigDict, Field

from bot.app import Fracas
from bot.render.axis_allies import AverageBook
from bot.render.book import Book
from bot.store.calculations import Calculation
from bot.ui.desk import Desk, DeskButton, DraftError
from bot.ui.forms import form
from bot.ui.pages import defer_in_place, send_files, show
from bot.ui.presses import defer
from sim.adapters import Caller
from sim.axis_allies.average import MAX_ROUNDS, AverageRequest
from sim.axis_allies.export import AverageFilesRequest
from sim.axis_allies.parse import MAX_TEXT, completions, parse_battle, swapped
from sim.core.errors import RuleError

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
    casualties: Literal["score"] = "score"
    stop_after: Annotated[int, Field(ge=1, le=MAX_ROUNDS)] | None = None
    private: bool = False

    def request(self) -> AverageRequest:
        """Read the armies; TextError with every mistake."""
        return AverageRequest.of(parse_battle(self.battle), stop_after=self.stop_after)

    def with_battle(self, battle: str) -> Self:
        """Return the same question about another battle."""
        return self.model_copy(update={"battle": battle})


class AaDesk(Desk):
    """Answers `/aacalc`."""

    kind = "aa"
    buttons: ClassVar = (DeskButton("swap", "Swap sides", "🔄"), DeskButton("edit", "Edit", "✏️"))

    def __init__(self, bot: Fracas) -> None:
        self._bot = bot

    async def book(self, request: str, caller: Caller) -> AverageBook:
        """Work the average battle out."""
        ask = Ask.model_validate_json(request)
        return AverageBook(await self._bot.simulator.run(ask.request(), caller), ask.rounds)

    async def files(self, request: str, caller: Caller) -> dict[str, bytes]:
        """Write the transcript, the table and the report."""
        job = AverageFilesRequest(battle=Ask.model_validate_json(request).request())
        return await self._bot.simulator.run(job, caller)

    async def ask(self, interaction: discord.Interaction[Fracas], ask: Ask) -> None:
        """Answer a new question in a new message, private if it asks so."""
        await self._checked(interaction, ask)
        await self._answer_anew(interaction, ask)

    async def act(self, interaction: discord.Interaction[Fracas], calculation: Calculation, action: str) -> None:
        """Swap the sides, or show the form."""
        ask = Ask.model_validate_json(calculation.request)
        if action == "edit":
            await interaction.response.send_modal(_edit_form(ask, calculation.id))
        elif action == "swap":
            other = ask.with_battle(swapped(ask.battle))
            private = await defer_in_place(interaction, calculation.asker_id)
            await self._answer(interaction, other, private=private)
        else:
            raise RuleError("This button is of an older version; please run the command again.")

    async def submit(
        self, interaction: discord.Interaction[Fracas], calculation: Calculation, values: dict[str, str]
    ) -> None:
        """Run the edited battle: in place of the answer that was edited, or as a new answer to a refused text."""
        old = Ask.model_validate_json(calculation.request)
        ask = old.with_battle(values.get("battle", ""))
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
    )


class AxisAllies(commands.Cog):
    """Axis & Allies 1941."""

    def __init__(self, bot: Fracas) -> None:
        self._bot = bot
        self._desk = AaDesk(bot)
        bot.add_desk(self._desk)

    @app_commands.command(
        description="Axis & Allies 1941: who wins a battle on average, round by round",
        extras={"example": "/aacalc battle:6 tanks, 2 inf, 1 bomber vs 10 inf, 1 tank, 1 fighter"},
    )
    @app_commands.describe(
        battle="Attacker vs defender, such as: 6 tanks, 2 inf vs 10 inf, 1 ftr",
        rounds=f"How many rounds to show on a page (1 to {MOST_ROUNDS_SHOWN}, usually {ROUNDS_SHOWN})",
        casualties="How losses are chosen",
        stop_after=f"Stop undecided after this many rounds (1 to {MAX_ROUNDS})",
        private="Show the answer only to you",
    )
    @app_commands.choices(casualties=[app_commands.Choice(name="Lowest score first", value="score")])
    async def aacalc(
        self,
        interaction: discord.Interaction[Fracas],
        battle: app_commands.Range[str, 1, LONGEST_TYPED],
        rounds: app_commands.Range[int, 1, MOST_ROUNDS_SHOWN] = ROUNDS_SHOWN,
        casualties: str = "score",
        stop_after: app_commands.Range[int, 1, MAX_ROUNDS] | None = None,
        private: bool = False,  # noqa: FBT001, FBT002  # an option of the command, given by name
    ) -> None:
        """Answer the average battle."""
        ask = Ask.model_validate(
            {
                "battle": battle,
                "rounds": rounds,
                "casualties": casualties,
                "stop_after": stop_after,
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
