"""The buttons of panels, whose custom ids keep them working after a restart, and the private replies to some."""

import re

from bot.battles.battle_modal import BattleForms
from bot.battles.consent import ConsentService, RematchService
from bot.battles.fairness import fairness_text
from bot.battles.presenter import HidesInformation, Presenters, mixin_of
from bot.battles.referee import TableButton
from bot.battles.service import BattleService
from bot.client import Interaction
from bot.store.battles.battle import Battle
from bot.ui.error_replies import OUTDATED_BUTTON
from bot.ui.interactions import PersistentButton, PersistentSelect, acknowledge, origin_of, reply
from bot.ui.text import shorten, text_view
from sim.core.errors import RuleError

_MAX_PRIVATE = 3500

_BATTLE = r"(?P<battle>[0-9]{1,18}):(?P<version>[0-9]{1,6})"


async def show_own(interaction: Interaction, battle: Battle) -> None:
    """Show what only the user's seats may see; RuleError if nothing is hidden."""
    presenter = interaction.client.services[Presenters].of(battle.system)
    state = await presenter.read_state(battle)
    text = mixin_of(presenter, HidesInformation).private_text(battle, state, battle.seats_of(interaction.user.id))
    if text is None:
        raise RuleError("There is nothing here that only you may see.")
    await reply(interaction, text_view([shorten(text, _MAX_PRIVATE)]))


async def show_fairness(interaction: Interaction, battle: Battle) -> None:
    """Show the seed, or its hash, and how to check the battle."""
    presenter = interaction.client.services[Presenters].of(battle.system)
    text = fairness_text(battle, presenter.chance)
    await reply(interaction, text_view([text]))


class ActionButton(PersistentButton, template=rf"b1:{_BATTLE}:(?P<action>[a-z0-9-]{{1,40}})"):
    """The button of an action in a battle."""

    kind = "battle"

    async def pressed(self, interaction: Interaction) -> None:
        """Take the action, or open its form."""
        services = interaction.client.services
        battle_id, version = int(self.match["battle"]), int(self.match["version"])
        wanted = await services[BattleService].press(interaction, battle_id, version, self.match["action"])
        if wanted is not None:
            await services[BattleForms].open(interaction, wanted.battle, wanted.legal)


class ConsentButton(PersistentButton, template=rf"b2:{_BATTLE}:(?P<what>[a-z]{{1,20}}):(?P<of>[a-z0-9-]{{1,40}})"):
    """A button of every battle: join, agree, refuse, look, fair, rematch."""

    @property
    def counted_as(self) -> str:
        """What the button does."""
        return self.match["what"]

    async def pressed(self, interaction: Interaction) -> None:
        """Handle the press."""
        services = interaction.client.services
        battle_id, what, of = int(self.match["battle"]), self.match["what"], self.match["of"]
        if what == "rematch":
            await services[RematchService].open(interaction, battle_id, swap=of == "swap")
        elif (show := _REPLIES.get(what)) is not None:
            await show(interaction, await services[BattleService].find(battle_id, origin_of(interaction)))
        else:
            await services[ConsentService].press(interaction, battle_id, int(self.match["version"]), what, of)


_REPLIES = {"look": show_own, "fair": show_fairness}


class UndoSelect(PersistentSelect, template=r"b3:undo"):
    """The list of the battles in which a step may be taken back; a value is a battle and its version."""

    kind = "undo"

    async def pressed(self, interaction: Interaction) -> None:
        """Ask for the undo in the chosen battle."""
        services = interaction.client.services
        chosen = re.fullmatch(_BATTLE, self.chosen)
        if chosen is None:
            raise RuleError(OUTDATED_BUTTON)
        await acknowledge(interaction)
        battle = await services[BattleService].find(int(chosen["battle"]), origin_of(interaction))
        view = await services[ConsentService].ask_undo(interaction, battle, int(chosen["version"]))
        await interaction.edit_original_response(view=view)


BATTLE_ITEMS = (ActionButton, ConsentButton, UndoSelect, TableButton)
