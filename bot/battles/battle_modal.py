"""Forms of battles: what a choice needs beyond a press. A form that can't be read is kept, so that it can be mended."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import discord
from pydantic import Field

from bot.answers.document import Document
from bot.answers.handler import EDIT, QueryHandler, RejectedDraftError, Query
from bot.battles.permissions import expect_ready, seat_for
from bot.store.battles.battle import Battle
from bot.store.queries import StoredQuery
from bot.ui.interactions import acknowledged
from bot.ui.modals import form
from bot.ui.progress import Progress
from bot.ui.text import shortened
from sim.core.battle import LegalAction
from sim.core.errors import RuleError
from sim.workers import Caller

if TYPE_CHECKING:
    from bot.app import Fracas

_MOST_TITLE = 45


class FormQuery(Query):
    """What a player typed into the form of a choice, by the fields' ids."""

    battle_id: int
    version: int
    choice: str
    values: dict[str, str] = Field(default_factory=dict)


class BattleForms(QueryHandler[FormQuery]):
    """Opens the forms and takes them; the face of the battle's system knows the fields."""

    kind = "battle-form"
    question = FormQuery

    async def open(
        self,
        interaction: "discord.Interaction[Fracas]",
        battle: Battle,
        choice: LegalAction[Any],
        values: Mapping[str, str] | None = None,
    ) -> None:
        """Open the form of a choice, filled with `values`; the interaction is unanswered.

        Values that no field shows come back with the others.
        """
        question = FormQuery(battle_id=battle.id, version=battle.version, choice=choice.name, values=dict(values or {}))
        kept = await self._keep(interaction, question)
        await self._send(interaction, kept, question, battle, choice)

    async def act(self, interaction: "discord.Interaction[Fracas]", calculation: StoredQuery, _action: str) -> None:
        """Open a form once more, filled with what was typed, for the battle as it stands now."""
        typed = self.question.model_validate_json(calculation.request)
        battle, choice = await self._choice(typed)
        seat_for(self._bot.face(battle.system), battle, choice, interaction)
        question = typed.model_copy(update={"version": battle.version})
        await self._send(interaction, await self._keep(interaction, question), question, battle, choice)

    async def submit(
        self, interaction: "discord.Interaction[Fracas]", calculation: StoredQuery, _action: str, values: dict[str, str]
    ) -> None:
        """Make the choice with what was typed."""
        opened = self.question.model_validate_json(calculation.request)
        if await acknowledged(interaction):
            await self._make(interaction, opened.model_copy(update={"values": opened.values | values}))

    async def take(
        self,
        interaction: "discord.Interaction[Fracas]",
        battle: Battle,
        choice: LegalAction[Any],
        values: Mapping[str, str],
    ) -> None:
        """Make the choice with what was typed elsewhere, such as into a command; the interaction is deferred.

        What is refused is kept, so that it can be mended in the form.
        """
        question = FormQuery(battle_id=battle.id, version=battle.version, choice=choice.name, values=dict(values))
        await self._make(interaction, question)

    async def _make(self, interaction: "discord.Interaction[Fracas]", question: FormQuery) -> None:
        try:
            battle, choice = await self._choice(question)
            face = self._bot.face(battle.system)
            version = None if choice.name in face.lasting else question.version
            async with self._bot.arena.told(interaction):
                await self._bot.arena.expect(battle, battle.version if version is None else version)
                expect_ready(face, battle)
                seat_for(face, battle, choice, interaction)
                action = await face.read(interaction, battle, choice, question.values)
            await self._bot.arena.act(interaction, battle.id, version, choice.name, action)
        except RuleError as error:
            raise RejectedDraftError(error, (await self._keep(interaction, question)).id) from error

    async def work_out(self, _question: FormQuery, _caller: Caller, _progress: Progress) -> Document:
        """Refuse: a battle has a panel, not pages."""
        raise RuleError("A battle has no pages; /battle show brings its panel.")

    async def write(self, _question: FormQuery, _caller: Caller) -> dict[str, bytes]:
        """Refuse: a battle's files are in its log."""
        raise RuleError("A battle's files come with /battle log.")

    async def _choice(self, question: FormQuery) -> tuple[Battle, LegalAction[Any]]:
        battle = await self._bot.arena.find(question.battle_id)
        return battle, self._bot.face(battle.system).choice(battle, question.choice)

    async def _send(
        self,
        interaction: "discord.Interaction[Fracas]",
        kept: StoredQuery,
        question: FormQuery,
        battle: Battle,
        choice: LegalAction[Any],
    ) -> None:
        face = self._bot.face(battle.system)
        fields = await face.fields(battle, choice, question.values, interaction.user.id)
        title = shortened(f"#{battle.number} {choice.label}", _MOST_TITLE)
        await interaction.response.send_modal(form(title, kept.id, EDIT, fields))
