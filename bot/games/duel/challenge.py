"""`/duel challenge`: asked in the channel, answered by the one who was challenged."""

from bot.answers.document import Action
from bot.answers.handler import FormHandler, form
from bot.answers.paginator import action_row
from bot.answers.query import Query
from bot.battles.service import PanelPendingError
from bot.client import Client, Interaction
from bot.games.duel.opening import Seats, Turns, open_duel, words_here
from bot.games.duel.people import FIELD, People
from bot.games.duel.render.sheet import line
from bot.store.queries import QueryRepository, StoredQuery
from bot.ui.interactions import acknowledged, defer_once, edit_reply
from bot.ui.layout import text_view
from sim.core.errors import RuleError
from sim.duel.battle import GROUP_1, GROUP_2
from sim.duel.critter import Critter

ACCEPT = Action("accept", "Accept", "⚔️")
DECLINE = Action("decline", "Decline", "🕊️")

_GONE = "This challenge was answered already, or is no longer kept."


class ChallengeQuery(Query):
    """A challenge: by whom, of whom, and with which character, as it was then."""

    challenger_id: int
    opponent_id: int
    character: Critter
    turns: Turns = "duellists"


class ChallengeHandler(FormHandler[ChallengeQuery]):
    """Puts challenges and takes their answers; what comes of one is a battle's panel."""

    kind = "duel-challenge"
    query = ChallengeQuery

    def __init__(self, bot: Client, people: People) -> None:
        super().__init__(bot)
        self._people = people

    async def ask(self, interaction: Interaction, query: ChallengeQuery) -> None:
        """Put the challenge in the channel."""
        await defer_once(interaction, private=False)
        kept = await self.store(interaction, query)
        parts = [
            f"### ⚔️ <@{query.challenger_id}> challenges <@{query.opponent_id}> to a duel",
            line(query.character),
            f"-# Only <@{query.opponent_id}> can answer.",
        ]
        view = text_view(["\n".join(parts)])
        view.add_item(action_row(kept.id, (ACCEPT, DECLINE)))
        await interaction.edit_original_response(view=view)

    async def act(self, interaction: Interaction, stored: StoredQuery, action: str) -> None:
        """Let the challenged choose a character, or decline."""
        query = self._asked(interaction, stored)
        if action == ACCEPT.action:
            field = await self._people.field(interaction.user.id, None)
            await interaction.response.send_modal(form("Accept the duel", stored.id, ACCEPT.action, [field]))
        elif await acknowledged(interaction):
            if not await self._bot.services[QueryRepository].take(stored.id):
                raise RuleError(_GONE)
            text = f"🕊️ <@{query.opponent_id}> declines the duel with <@{query.challenger_id}>."
            await edit_reply(interaction, text)

    async def submit(self, interaction: Interaction, stored: StoredQuery, _action: str, values: dict[str, str]) -> None:
        """Begin the duel in the place of the challenge, once."""
        query = self._asked(interaction, stored)
        if not await acknowledged(interaction):
            return
        answer = await self._people.chosen(interaction, values.get(FIELD, ""), (query.character,))
        words = await words_here(interaction)
        seats = Seats()
        seats.taken = {GROUP_1: query.challenger_id, GROUP_2: query.opponent_id}
        if not await self._bot.services[QueryRepository].take(stored.id):
            raise RuleError(_GONE)
        try:
            await open_duel(interaction, ((query.character,), (answer,)), words, query.turns, seats)
        except PanelPendingError:
            raise  # the duel has begun: a challenge that could be accepted again would begin another one
        except RuleError:
            await self._bot.services[QueryRepository].put_back(stored)
            raise

    def _asked(self, interaction: Interaction, stored: StoredQuery) -> ChallengeQuery:
        """Return the challenge; RuleError unless the user is the one who was challenged."""
        query = self.read(stored)
        if interaction.user.id != query.opponent_id:
            raise RuleError(f"Only <@{query.opponent_id}> can answer this challenge.")
        return query
