"""What has to do with somebody's place in a game: being away, who plays instead, giving up; in a private message."""

from collections.abc import Sequence
from typing import Any

import discord

from bot.battles.panel import action_button
from bot.battles.permissions import is_referee
from bot.battles.presenter import Presenters
from bot.client import Interaction
from bot.games.mad_killer_agents.render.battle import who
from bot.games.mad_killer_agents.render.signs import sign
from bot.store.battles.battle import Battle
from bot.ui.layout import text_view
from bot.ui.text import plain
from sim.core.battle import REFEREE, LegalAction
from sim.core.errors import RuleError
from sim.mad_killer_agents.battle.values import State, number_of

_ACTIONS = ("away", "back", "deputy", "replace", "time-up", "resign")


async def open_places(interaction: Interaction, battle: Battle, what: str) -> None:
    """Show the user's place and what can be done about it, or ask whether to resign; the interaction is unanswered."""
    seats: list[str] = [*battle.seats_of(interaction.user.id), *([REFEREE] if is_referee(interaction) else [])]
    presenter = interaction.client.services[Presenters].of(battle.system)
    state: State = await presenter.read_state(battle)
    mine = {legal.name: legal for legal in presenter.legal_actions(battle, state) if set(legal.seats) & set(seats)}
    actions = [mine[name] for name in _ACTIONS if name in mine]
    if not actions:
        raise RuleError(f"There is nothing about a place of yours in #{battle.number} to change now.")
    if what == "resign" and "resign" in mine:
        await interaction.response.edit_message(view=_resign_view(battle, mine["resign"]))
        return
    view = _place_view(battle, state, seats, actions)
    await interaction.response.send_message(view=view, ephemeral=True)


def _place_view(
    battle: Battle, state: State, seats: Sequence[str], actions: Sequence[LegalAction[Any]]
) -> discord.ui.LayoutView:
    holders = {number: place.user_id for place in battle.places if (number := number_of(place.seat)) and place.user_id}
    lines = [f"### Your place in #{battle.number}"]
    mine = {number_of(seat) for seat in seats}
    for player in state.players:
        if player.number in mine:
            lines.append(f"{sign(player)} **{plain(player.name)}** {who(player, holders)}")
            lines.append(f"-# When your time is up, or you are away, the {player.deputy} plays.")
    view = text_view(["\n".join(lines)])
    buttons = [
        discord.ui.Button(label="Resign …", style=discord.ButtonStyle.danger, custom_id=f"k0:{battle.id}:resign")
        if legal.name == "resign"
        else action_button(battle, legal)
        for legal in actions
    ]
    for start in range(0, len(buttons), 3):
        view.add_item(discord.ui.ActionRow(*buttons[start : start + 3]))
    view.stop()
    return view


def _resign_view(battle: Battle, legal: LegalAction[Any]) -> discord.ui.LayoutView:
    view = text_view([f"### Give #{battle.number} up?\nAll your armies and cities go."])
    button = action_button(battle, legal)
    button.style = discord.ButtonStyle.danger
    view.add_item(discord.ui.ActionRow(button))
    view.stop()
    return view
