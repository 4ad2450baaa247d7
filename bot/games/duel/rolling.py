"""Rolls characters: the answer of `/duel roll`, with a button that rolls again."""

from bot.answers.document import Action
from bot.answers.handler import FormHandler, Query
from bot.answers.paginator import action_row
from bot.client import Client, Interaction
from bot.games.duel.characters import CharacterService
from bot.games.duel.render import character_line
from bot.games.duel.repositories import CharacterRepository
from bot.store.queries import StoredQuery
from bot.ui.error_replies import OUTDATED_BUTTON, MarkdownError
from bot.ui.interactions import acknowledge, caller_of, defer
from bot.ui.layout import text_view
from sim.core.cards.requests import SheetCardRequest
from sim.core.errors import RuleError
from sim.duel.character_cards import character_card
from sim.duel.critter import Alignment, Critter, Gender

_REROLL = Action("reroll", "Reroll", "🎲")
_HINT = "-# Yours now: `/duel challenge`, `/duel encounter` and `/duel dungeon` take it along."


class RollQuery(Query):
    """What was asked of a character, None for whatever the dice say; `character_id`: the one that was rolled."""

    name: str | None = None
    gender: Gender | None = None
    alignment: Alignment | None = None
    character_id: int = 0


class RollHandler(FormHandler[RollQuery]):
    """Rolls a character and keeps it; a press rolls another one in its place."""

    kind = "duel-roll"
    query = RollQuery

    def __init__(self, bot: Client, characters: CharacterService) -> None:
        super().__init__(bot)
        self._characters = characters

    async def ask(self, interaction: Interaction, query: RollQuery) -> None:
        """Roll a character and show its sheet."""
        await defer(interaction, private=query.private)
        character = await self._characters.roll(interaction, query.name, query.gender, query.alignment)
        stored = await self.store(interaction, query.model_copy(update={"character_id": character.id}))
        await self._show(interaction, stored, character.critter)

    async def act(self, interaction: Interaction, stored: StoredQuery, action: str) -> None:
        """Roll the character again; RuleError unless it is the user's, and still there."""
        if action != _REROLL.action:
            raise RuleError(OUTDATED_BUTTON)
        if interaction.user.id != stored.asker_id:
            raise MarkdownError(f"Only <@{stored.asker_id}> can reroll this character; /duel roll makes one of yours.")
        await acknowledge(interaction)
        query = self.read(stored)
        critter = await self._characters.draw(interaction, query.name, query.gender, query.alignment)
        if not await self._bot.services[CharacterRepository].replace(stored.asker_id, query.character_id, critter):
            raise RuleError("This character has left you; /duel roll makes a new one.")
        await self._show(interaction, stored, critter)

    async def _show(self, interaction: Interaction, stored: StoredQuery, critter: Critter) -> None:
        card = await self.draw(SheetCardRequest(card=character_card(critter)), "character.png", caller_of(interaction))
        text = f"### 🎲 A new character\n{character_line(critter)}\n{_HINT}"
        view = text_view([text], picture=card)
        view.add_item(action_row(stored.id, (_REROLL,)))
        await interaction.edit_original_response(view=view, attachments=[card.file()])
