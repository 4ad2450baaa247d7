"""`/duel challenge`: asked in the channel, answered by the one who was challenged."""

from typing import TYPE_CHECKING

import discord

from bot.answers.document import Action, Document
from bot.answers.handler import QueryHandler, Query
from bot.answers.paginator import action_row
from bot.battles.panel import text_view
from bot.battles.service import NotShownError
from bot.games.duel.opening import Seats, Turns, open_duel, words_here
from bot.games.duel.people import FIELD, People
from bot.games.duel.render.sheet import line
from bot.store.queries import StoredQuery
from bot.ui.interactions import acknowledged, defer_once
from bot.ui.modals import form
from bot.ui.progress import Progress
from sim.core.errors import RuleError
from sim.duel.battle import GROUP_1, GROUP_2
from sim.duel.critter import Critter
from sim.workers import Caller

if TYPE_CHECKING:
    from bot.app import Fracas

ACCEPT = Action("accept", "Accept", "⚔️")
DECLINE = Action("decline", "Decline", "🕊️")

_GONE = "This challenge was answered already, or is no longer kept."


class ChallengeQuery(Query):
    """A challenge: by whom, of whom, and with which character, as it was then."""

    challenger_id: int
    opponent_id: int
    character: Critter
    turns: Turns = "duellists"


class ChallengeHandler(QueryHandler[ChallengeQuery]):
    """Puts challenges and takes their answers; what comes of one is a battle's panel."""

    kind = "duel-challenge"
    question = ChallengeQuery
    has_form = False

    def __init__(self, bot: "Fracas", people: People) -> None:
        super().__init__(bot)
        self._people = people

    async def ask(self, interaction: "discord.Interaction[Fracas]", question: ChallengeQuery) -> None:
        """Put the challenge in the channel."""
        await defer_once(interaction, private=False)
        kept = await self._keep(interaction, question)
        parts = [
            f"### ⚔️ <@{question.challenger_id}> challenges <@{question.opponent_id}> to a duel",
            line(question.character),
            f"-# Only <@{question.opponent_id}> can answer.",
        ]
        view = text_view(["\n".join(parts)])
        view.add_item(action_row(kept.id, (ACCEPT, DECLINE)))
        await interaction.edit_original_response(view=view)

    async def act(self, interaction: "discord.Interaction[Fracas]", calculation: StoredQuery, action: str) -> None:
        """Let the challenged choose a character, or decline."""
        question = self._asked(interaction, calculation)
        if action == ACCEPT.action:
            field = await self._people.field(interaction.user.id, None)
            await interaction.response.send_modal(form("Accept the duel", calculation.id, ACCEPT.action, [field]))
        elif await acknowledged(interaction):
            if not await self._bot.calculations.take(calculation.id):
                raise RuleError(_GONE)
            told = f"🕊️ <@{question.opponent_id}> declines the duel with <@{question.challenger_id}>."
            await interaction.edit_original_response(view=text_view([told]))

    async def submit(
        self, interaction: "discord.Interaction[Fracas]", calculation: StoredQuery, _action: str, values: dict[str, str]
    ) -> None:
        """Begin the duel in the place of the challenge, once."""
        question = self._asked(interaction, calculation)
        if not await acknowledged(interaction):
            return
        answer = await self._people.chosen(interaction, values.get(FIELD, ""), (question.character,))
        words = await words_here(interaction)
        seats = Seats()
        seats.taken = {GROUP_1: question.challenger_id, GROUP_2: question.opponent_id}
        if not await self._bot.calculations.take(calculation.id):
            raise RuleError(_GONE)
        try:
            await open_duel(interaction, ((question.character,), (answer,)), words, question.turns, seats)
        except NotShownError:
            raise  # the duel has begun: a challenge that could be accepted again would begin another one
        except RuleError:
            await self._bot.calculations.put_back(calculation)
            raise

    async def work_out(self, _question: ChallengeQuery, _caller: Caller, _progress: Progress) -> Document:
        """Refuse: a challenge has no pages."""
        raise RuleError("A challenge has no pages.")

    async def write(self, _question: ChallengeQuery, _caller: Caller) -> dict[str, bytes]:
        """Refuse: a challenge has no files."""
        raise RuleError("A challenge has no files.")

    def _asked(self, interaction: "discord.Interaction[Fracas]", calculation: StoredQuery) -> ChallengeQuery:
        """Return the challenge; RuleError unless the user is the one who was challenged."""
        question = self.question.model_validate_json(calculation.request)
        if interaction.user.id != question.opponent_id:
            raise RuleError(f"Only <@{question.opponent_id}> can answer this challenge.")
        return question
