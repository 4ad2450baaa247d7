"""A changed roster between rounds: uploaded, its difference shown, and confirmed before it counts."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import discord

from bot.answers.document import Document
from bot.answers.handler import EDIT, QueryHandler, RejectedDraftError, Query
from bot.battles.panel import text_view
from bot.battles.permissions import seat_for
from bot.games.marked_for_death.kinds import KIND
from bot.games.marked_for_death.render.change import APPLY, change_book
from bot.rosters.library import MOST_TYPED
from bot.store.battles.battle import Battle
from bot.store.queries import StoredQuery
from bot.ui.attachments import Upload, roster_content
from bot.ui.interactions import acknowledged, caller_of, defer
from bot.ui.modals import choice_field, file_field, form, form_file, text_field
from bot.ui.progress import Progress
from sim.core.errors import RuleError
from sim.marked_for_death.battle import Reinforce
from sim.marked_for_death.change import ChangeReport, ChangeRequest
from sim.marked_for_death.roster import Camp
from sim.workers import Caller

if TYPE_CHECKING:
    from bot.app import Fracas

REINFORCE = "reinforce"


class ChangeQuery(Query):
    """What a changed roster would change; `sha256` is None until it was uploaded."""

    battle_id: int
    version: int
    camp: Camp = Camp.HEROES
    sha256: str | None = None
    saved: str | None = None

    def uploads(self) -> Sequence[str]:
        """Return the file."""
        return () if self.sha256 is None else (self.sha256,)


class ChangeHandler(QueryHandler[ChangeQuery]):
    """Shows what a roster would change, and does it when the referee says so."""

    kind = "mfd-change"
    question = ChangeQuery
    checks_slowly = True

    async def open(self, interaction: "discord.Interaction[Fracas]", battle: Battle) -> None:
        """Open the form; the interaction is unanswered."""
        question = ChangeQuery(battle_id=battle.id, version=battle.version, private=True)
        kept = await self._keep(interaction, question)
        await interaction.response.send_modal(self._form(kept, question))

    async def take(
        self, interaction: "discord.Interaction[Fracas]", battle: Battle, camp: Camp, upload: Upload
    ) -> None:
        """Show what an uploaded roster would change; the interaction is deferred."""
        sha256 = self._bot.uploads.keep(upload.data)
        question = ChangeQuery(battle_id=battle.id, version=battle.version, camp=camp, sha256=sha256, private=True)
        await self.ask(interaction, question)

    async def check(self, question: ChangeQuery, caller: Caller) -> None:
        """Read the roster; TableError with everything that is wrong."""
        await self._report(question, caller)

    async def work_out(self, question: ChangeQuery, caller: Caller, _progress: Progress) -> Document:
        """Return what would change."""
        battle = await self._bot.arena.find(question.battle_id)
        report = await self._report(question, caller)
        return change_book(battle.number, question.camp, report, stale=battle.version != question.version)

    async def write(self, question: ChangeQuery, _caller: Caller) -> dict[str, bytes]:
        """Return the uploaded roster."""
        return {f"{question.camp.capitalize()}.csv": await self._content(question)}

    async def act(self, interaction: "discord.Interaction[Fracas]", calculation: StoredQuery, action: str) -> None:
        """Open the form again, or let the roster count."""
        question = self.question.model_validate_json(calculation.request)
        if action != APPLY.action:
            await interaction.response.send_modal(self._form(calculation, question))
        elif await acknowledged(interaction):
            report = await self._report(question, caller_of(interaction))
            change = Reinforce(camp=question.camp, roster=report.roster)
            await self._bot.arena.act(interaction, question.battle_id, question.version, REINFORCE, change)
            await interaction.edit_original_response(view=text_view(["✅ The changed roster fights from now on."]))

    async def submit(
        self, interaction: "discord.Interaction[Fracas]", calculation: StoredQuery, _action: str, values: dict[str, str]
    ) -> None:
        """Take the form: read the file, and show what it would change."""
        opened = self.question.model_validate_json(calculation.request)
        saved = values.get("saved", "").strip() or None
        question = opened.model_copy(update={"camp": Camp(values.get("camp", opened.camp)), "saved": saved})
        await defer(interaction, private=True)
        try:
            battle = await self._bot.arena.find(question.battle_id)
            upload = await roster_content(interaction, KIND.name, form_file(interaction, "roster"), saved)
        except RuleError as error:
            raise RejectedDraftError(error, (await self._keep(interaction, question)).id) from error
        await self.take(interaction, battle, question.camp, upload)

    def _form(self, kept: StoredQuery, question: ChangeQuery) -> discord.ui.Modal:
        fields: list[discord.ui.Label[Any]] = [
            choice_field("camp", "Whose roster?", {camp.value: camp.capitalize() for camp in Camp}, question.camp),
            file_field("roster", "The roster as a CSV file", hint="as Heroes-final.csv, with your changes"),
            text_field("saved", "Or the name of a saved roster", question.saved, most=MOST_TYPED),
        ]
        return form("Change a roster", kept.id, EDIT, fields)

    async def _content(self, question: ChangeQuery) -> bytes:
        if question.sha256 is None:
            raise RuleError("There is no roster yet: please upload one.")
        return await self._bot.uploads.read(question.sha256)

    async def _report(self, question: ChangeQuery, caller: Caller) -> ChangeReport:
        data = await self._content(question)
        battle = await self._bot.arena.find(question.battle_id)
        request = ChangeRequest(state=battle.state, camp=question.camp, data=data)
        return await self._bot.simulator.once(request, caller)


def expect_referee(interaction: "discord.Interaction[Fracas]", battle: Battle, choice: str) -> None:
    """Raise RuleError unless the user may make a choice of the battle now."""
    face = interaction.client.face(battle.system)
    seat_for(face, battle, face.choice(battle, choice), interaction)
