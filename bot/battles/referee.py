"""What a referee sees: the buttons that the panel doesn't have, and those of a battle's clock."""

from typing import Any

import discord

from bot.battles.clock.service import ClockService, Waiting
from bot.battles.clock.text import timetable_lines
from bot.battles.panel import action_button
from bot.battles.permissions import is_referee, may_join, may_unseat
from bot.battles.presenter import AnyPresenter, Presenters
from bot.client import Client, Interaction
from bot.store.battles.battle import Battle
from bot.ui.interactions import reply
from bot.ui.layout import button_rows, text_view
from bot.ui.text import plain_sentence
from sim.core.battle import REFEREE
from sim.core.errors import RuleError

_MAX_PROGRESS = 200


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


async def clock_view(bot: Client, battle: Battle, *, referee: bool) -> discord.ui.LayoutView:
    """Lay out how a battle's clock is set and how it runs, for a referee with buttons."""
    presenter = bot.services[Presenters].of(battle.system)
    state = await presenter.read_state(battle)
    waiting = await bot.services[ClockService].waiting(battle, presenter, state)
    timetable = await bot.services[ClockService].timetable(battle, presenter, state)
    lines = [f"### ⏱️ The clock of #{battle.number} {presenter.title}", *timetable_lines(timetable, waiting)]
    if not referee:
        lines.append("-# A referee may set it: somebody who may manage messages, or was made this battle's referee.")
    view = text_view(["\n".join(lines)])
    for row in button_rows(clock_buttons(battle, waiting) if referee else ()):
        view.add_item(row)
    return view


def clock_buttons(battle: Battle, waiting: Waiting | None) -> list[discord.ui.Button[Any]]:
    """Build the buttons for a battle's clock that make sense now."""
    buttons = [_button(battle, "clock", "Set the clock", "⏱️")]
    if waiting is not None and waiting.clock.is_paused:
        buttons.append(_button(battle, "go", "Let the clock go on", "▶️"))
    elif waiting is not None and waiting.clock.timetable.limits:
        buttons += [
            _button(battle, "pause", "Stop the clock", "⏸️"),
            _button(battle, "extend", "Extend this turn", "⏳"),
        ]
    return buttons


def seat_buttons(battle: Battle, presenter: AnyPresenter, state: object) -> list[discord.ui.Button[Any]]:
    """Build the buttons for the seats that make sense now."""
    seats = [place for place in battle.places if place.seat != REFEREE]
    buttons = []
    if seats:
        buttons += [
            _button(battle, "replace", "Replace a player", "🔁"),
            _button(battle, "take", "Take over a seat", "🙋"),
        ]
    if battle.joining_closed:
        buttons.append(_button(battle, "open", "Open joining", "🔓"))
    elif may_join(presenter, battle, state):
        buttons.append(_button(battle, "close", "Close joining", "🔒"))
    if any(place.user_id is not None and may_unseat(presenter, battle, state, place.seat) for place in seats):
        buttons.append(_button(battle, "remove", "Take somebody out", "👋"))
    return [*buttons, _button(battle, "hand", "Hand over the role", "🧑‍⚖️")]


def _button(battle: Battle, what: str, label: str, emoji: str) -> discord.ui.Button[Any]:
    return discord.ui.Button(label=label, emoji=emoji, custom_id=f"b4:{battle.id}:{what}")
