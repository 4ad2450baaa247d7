"""A changed roster between rounds: uploaded, its difference shown, and confirmed before it counts."""

from collections.abc import Sequence
from typing import Any

import discord

from bot.answers.document import EDIT_ACTION, Document
from bot.answers.handler import QueryHandler, form
from bot.answers.query import Query
from bot.battles.permissions import seat_for
from bot.battles.presenter import Presenters
from bot.battles.service import BattleService
from bot.client import Interaction
from bot.games.marked_for_death.render.change import APPLY, change_book
from bot.games.marked_for_death.rosters import KIND
from bot.rosters.options import MAX_TYPED, roster_content
from bot.store.battles.battle import Battle
from bot.store.queries import StoredQuery
from bot.store.uploads import UploadRepository
from bot.ui.attachments import Upload
from bot.ui.interactions import acknowledged, caller_of, defer, edit_reply
from bot.ui.modals import choice_field, file_field, form_file, text_field
from bot.ui.progress import Progress
from sim.core.errors import RuleError
from sim.marked_for_death.battle import Reinforce
from sim.marked_for_death.change import ChangeReport, ChangeRequest
from sim.marked_for_death.roster import Camp
from sim.workers import Caller

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
    query = ChangeQuery
    checks_slowly = True

    async def open(self, interaction: Interaction, battle: Battle) -> None:
        """Open the form; the interaction is unanswered."""
        query = ChangeQuery(battle_id=battle.id, version=battle.version, private=True)
        kept = await self.store(interaction, query)
        await interaction.response.send_modal(self._form(kept, query))

    async def take(self, interaction: Interaction, battle: Battle, camp: Camp, upload: Upload) -> None:
        """Show what an uploaded roster would change; the interaction is deferred."""
        sha256 = self._bot.services[UploadRepository].keep(upload.data)
        query = ChangeQuery(battle_id=battle.id, version=battle.version, camp=camp, sha256=sha256, private=True)
        await self.ask(interaction, query)

    async def check(self, query: ChangeQuery, caller: Caller) -> None:
        """Read the roster; TableError with everything that is wrong."""
        await self._report(query, caller)

    async def build_document(self, query: ChangeQuery, caller: Caller, _progress: Progress) -> Document:
        """Return what would change."""
        battle = await self._bot.services[BattleService].find(query.battle_id)
        report = await self._report(query, caller)
        return change_book(battle.number, query.camp, report, stale=battle.version != query.version)

    async def build_files(self, query: ChangeQuery, _caller: Caller) -> dict[str, bytes]:
        """Return the uploaded roster."""
        return {f"{query.camp.capitalize()}.csv": await self._content(query)}

    async def act(self, interaction: Interaction, stored: StoredQuery, action: str) -> None:
        """Open the form again, or let the roster count."""
        query = self.read(stored)
        if action != APPLY.action:
            await interaction.response.send_modal(self._form(stored, query))
        elif await acknowledged(interaction):
            report = await self._report(query, caller_of(interaction))
            change = Reinforce(camp=query.camp, roster=report.roster)
            await self._bot.services[BattleService].act(interaction, query.battle_id, query.version, REINFORCE, change)
            await edit_reply(interaction, "✅ The changed roster fights from now on.")

    async def submit(self, interaction: Interaction, stored: StoredQuery, _action: str, values: dict[str, str]) -> None:
        """Take the form: read the file, and show what it would change."""
        opened = self.read(stored)
        saved = values.get("saved", "").strip() or None
        query = opened.model_copy(update={"camp": Camp(values.get("camp", opened.camp)), "saved": saved})
        await defer(interaction, private=True)
        try:
            battle = await self._bot.services[BattleService].find(query.battle_id)
            upload = await roster_content(interaction, KIND.name, form_file(interaction, "roster"), saved)
        except RuleError as error:
            raise await self.rejected(interaction, query, error) from error
        await self.take(interaction, battle, query.camp, upload)

    def _form(self, kept: StoredQuery, query: ChangeQuery) -> discord.ui.Modal:
        fields: list[discord.ui.Label[Any]] = [
            choice_field("camp", "Whose roster?", {camp.value: camp.capitalize() for camp in Camp}, query.camp),
            file_field("roster", "The roster as a CSV file", hint="as Heroes-final.csv, with your changes"),
            text_field("saved", "Or the name of a saved roster", query.saved, max_length=MAX_TYPED),
        ]
        return form("Change a roster", kept.id, EDIT_ACTION, fields)

    async def _content(self, query: ChangeQuery) -> bytes:
        if query.sha256 is None:
            raise RuleError("There is no roster yet: please upload one.")
        return await self._bot.services[UploadRepository].read(query.sha256)

    async def _report(self, query: ChangeQuery, caller: Caller) -> ChangeReport:
        data = await self._content(query)
        battle = await self._bot.services[BattleService].find(query.battle_id)
        request = ChangeRequest(state_json=battle.state_json, camp=query.camp, data=data)
        return await self._bot.simulator.once(request, caller)


async def expect_referee(interaction: Interaction, battle: Battle, name: str) -> None:
    """Raise RuleError unless the user may take an action in the battle now."""
    presenter = interaction.client.services[Presenters].of(battle.system)
    legal = presenter.legal_action(battle, await presenter.read_state(battle), name)
    seat_for(presenter, battle, legal, interaction)
