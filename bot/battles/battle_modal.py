"""Forms for actions that need more than a press. A rejected form is kept, so that its player can fix it."""

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from bot.answers.document import EDIT_ACTION
from bot.answers.handler import FormHandler, Query, form
from bot.battles.permissions import seat_for
from bot.battles.presenter import HasForms, Offer, Presenters, mixin_of
from bot.battles.service import BattleService
from bot.client import Interaction
from bot.store.battles.battle import Battle
from bot.store.queries import StoredQuery
from bot.ui.interactions import acknowledge, open_form, origin_of
from bot.ui.text import MAX_TITLE, shorten
from sim.core.battle import LegalAction
from sim.core.errors import RuleError


class FormQuery(Query):
    """The form of an action; `values` has what was typed by the fields' ids."""

    private: bool = True
    battle_id: int
    version: int
    choice: str
    values: dict[str, str] = Field(default_factory=dict)


class BattleForms(FormHandler[FormQuery]):
    """Opens and takes the forms; the presenter of the battle's system defines the fields."""

    kind = "battle-form"
    query = FormQuery

    async def open(
        self, interaction: Interaction, battle: Battle, legal: LegalAction[Any], values: Mapping[str, str] | None = None
    ) -> None:
        """Open the form of an action, filled with `values`; the interaction is unanswered.

        Values without a field are passed through.
        """
        query = FormQuery(battle_id=battle.id, version=battle.version, choice=legal.name, values=dict(values or {}))
        kept = await self.store(interaction, query)
        await self._send(interaction, kept, query, battle, legal)

    async def act(self, interaction: Interaction, stored: StoredQuery, _action: str) -> None:
        """Reopen a form, filled with what was typed, for the battle's current version."""
        typed = self.read(stored)
        battle, legal = await self._legal(typed, interaction)
        seat_for(self._bot.services[Presenters].of(battle.system), battle, legal, interaction)
        query = typed.model_copy(update={"version": battle.version})
        await self._send(interaction, await self.store(interaction, query), query, battle, legal)

    async def submit(self, interaction: Interaction, stored: StoredQuery, _action: str, values: dict[str, str]) -> None:
        """Take the action with what was typed."""
        opened = self.read(stored)
        await acknowledge(interaction)
        await self._act(interaction, opened.model_copy(update={"values": opened.values | values}))

    async def take(
        self, interaction: Interaction, battle: Battle, legal: LegalAction[Any], values: Mapping[str, str]
    ) -> None:
        """Take the action with what was typed elsewhere, such as into a command; the interaction is deferred.

        A rejected action is kept, so that its player can fix it in the form.
        """
        query = FormQuery(battle_id=battle.id, version=battle.version, choice=legal.name, values=dict(values))
        await self._act(interaction, query)

    async def _act(self, interaction: Interaction, query: FormQuery) -> None:
        service = self._bot.services[BattleService]
        try:
            battle, legal = await self._legal(query, interaction)
            forms = self._forms(battle)
            version = None if legal.name in forms.lasting_actions else query.version
            async with service.explain_conflicts(interaction):
                found = await service.resolve(interaction, battle, version, legal.name)
                action = await forms.read_form(interaction, found, query.values)
            # Reading may take long, so that the action is resolved again.
            await service.act(interaction, battle.id, version, legal.name, action)
        except RuleError as error:
            raise await self.reject(interaction, query, error) from error

    def _forms(self, battle: Battle) -> HasForms[Any]:
        return mixin_of(self._bot.services[Presenters].of(battle.system), HasForms)

    async def _legal(self, query: FormQuery, interaction: Interaction) -> tuple[Battle, LegalAction[Any]]:
        battle = await self._bot.services[BattleService].find(query.battle_id, origin_of(interaction))
        presenter = self._bot.services[Presenters].of(battle.system)
        return battle, presenter.legal_action(battle, await presenter.read_state(battle), query.choice)

    async def _send(
        self, interaction: Interaction, kept: StoredQuery, query: FormQuery, battle: Battle, legal: LegalAction[Any]
    ) -> None:
        state = await self._bot.services[Presenters].of(battle.system).read_state(battle)
        offer = Offer(battle, state, legal)
        fields = await self._forms(battle).fields(offer, query.values, interaction.user.id)
        title = shorten(f"#{battle.number} {legal.label}", MAX_TITLE)
        await open_form(interaction, form(title, kept.id, EDIT_ACTION, fields))
