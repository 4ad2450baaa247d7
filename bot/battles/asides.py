"""What only the person who asks sees: your own army, why the dice are fair, what a referee may do."""

from bot.battles.clocks import ClockService
from bot.battles.fairness import fairness_text
from bot.battles.panel import action_button
from bot.battles.permissions import is_referee
from bot.battles.presenter import Presenters
from bot.battles.table_forms import clock_buttons, seat_buttons
from bot.client import Interaction
from bot.store.battles.battle import Battle
from bot.ui.interactions import reply
from bot.ui.layout import button_rows, text_view
from bot.ui.text import plain_sentence, shorten
from sim.core.errors import RuleError

_MAX_PRIVATE = 3500
_MAX_PROGRESS = 200


async def show_own(interaction: Interaction, battle: Battle) -> None:
    """Show what only the user's seats may see; RuleError if nothing is hidden."""
    presenter = interaction.client.services[Presenters].of(battle.system)
    state = await presenter.read_state(battle)
    text = presenter.private_text(battle, state, battle.seats_of(interaction.user.id))
    if text is None:
        raise RuleError("There is nothing here that only you may see.")
    await reply(interaction, text_view([shorten(text, _MAX_PRIVATE)]))


async def show_fairness(interaction: Interaction, battle: Battle) -> None:
    """Show the seed, or its hash, and how to check the battle."""
    presenter = interaction.client.services[Presenters].of(battle.system)
    text = fairness_text(battle, presenter.chance)
    await reply(interaction, text_view([text]))


async def show_referee_actions(interaction: Interaction, battle: Battle) -> None:
    """Show a referee the buttons that the panel doesn't have; RuleError for others."""
    if not is_referee(interaction, battle):
        raise RuleError("Only somebody who may manage messages, or was made its referee, is a referee of this battle.")
    presenter = interaction.client.services[Presenters].of(battle.system)
    state = await presenter.read_state(battle)
    actions = presenter.referee_actions(battle, state)
    progress = plain_sentence(presenter.progress(battle, state), _MAX_PROGRESS)
    head = f"### #{battle.number} {presenter.title}, {progress}: for the referee"
    number = battle.number
    view = text_view([f"{head}\n-# You may also `/battle undo number:{number}` and `/battle end number:{number}`."])
    waiting = await interaction.client.services[ClockService].waiting(battle, presenter, state)
    table = [*clock_buttons(battle, waiting), *seat_buttons(battle, presenter, state)]
    for row in (*button_rows([action_button(battle, legal) for legal in actions]), *button_rows(table)):
        view.add_item(row)
    await reply(interaction, view)
