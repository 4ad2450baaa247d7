"""The private message with the map: all of it, a player's army, the front, or one part after the other."""

from typing import Any

import discord

from bot.battles.presenter import Presenters
from bot.client import Client, Interaction
from bot.games.mad_killer_agents.render import round_label
from bot.store.battles.battle import Battle
from bot.ui.interactions import acknowledge, caller_of, defer
from bot.ui.text import Picture, text_view
from sim.core.errors import RuleError
from sim.mad_killer_agents.battle.values import State, number_of
from sim.mad_killer_agents.cards.map import Part, Window, blocks
from sim.mad_killer_agents.requests import PictureRequest
from sim.workers import Caller

_PARTS = {
    Part.ARMY: ("My strongest army", "The tiles around it"),
    Part.FRONT: ("The front", "Where you and an enemy are nearest"),
    Part.ALL: ("The whole map", "All tiles, without their values"),
}


async def open_map(interaction: Interaction, battle: Battle) -> None:
    """Answer a press on the panel with the map; RuleError before the game begins."""
    state = await _state(interaction, battle)
    part = Part.ARMY if _player_of(interaction, battle, state) else Part.FRONT
    await defer(interaction, private=True)
    await _show(interaction, battle, state, part.value)


async def choose_part(interaction: Interaction, battle: Battle, value: str) -> None:
    """Show another part in the same message."""
    state = await _state(interaction, battle)
    if value not in {*Part, *map(str, range(len(_blocks(state))))}:
        raise RuleError("This list is out of date: press Map on the panel again.")
    await acknowledge(interaction)
    await _show(interaction, battle, state, value)


async def map_picture(bot: Client, request: PictureRequest, caller: Caller | None) -> Picture | None:
    """Return a picture of the map; None if the workers are too busy: the message says the rest in words."""
    try:
        picture = await bot.simulator.run(request, caller)
    except RuleError:
        return None
    return Picture("map.png", picture.data, picture.alt)


async def show_view(interaction: Interaction, view: discord.ui.LayoutView, picture: Picture | None = None) -> None:
    """Replace the answer by a view, with its picture if it has one."""
    files = [] if picture is None else [picture.file()]
    await interaction.edit_original_response(view=view, attachments=files)


async def _state(interaction: Interaction, battle: Battle) -> State:
    state: State = await interaction.client.services[Presenters].of(battle.system).read_state(battle)
    if state.world is None:
        raise RuleError(f"#{battle.number} hasn't begun yet.")
    return state


def _player_of(interaction: Interaction, battle: Battle, state: State) -> int:
    """Return the number of the user's player if it has an army, else 0."""
    numbers = {number_of(seat) for seat in battle.seats_of(interaction.user.id)}
    armies = () if state.world is None else state.world.armies
    return next((owner for _, owner, _, _ in armies if owner in numbers), 0)


async def _show(interaction: Interaction, battle: Battle, state: State, value: str) -> None:
    player = _player_of(interaction, battle, state)
    part = Part(value) if value in {*Part} else int(value)
    request = PictureRequest(state=state, part=part, player=player)
    picture = await map_picture(interaction.client, request, caller_of(interaction))
    view = text_view([f"### 🗺️ #{battle.number}, {round_label(state)}"], picture=picture)
    view.add_item(discord.ui.ActionRow(_part_list(battle, state, value, player)))
    view.stop()
    await show_view(interaction, view, picture)


def _part_list(battle: Battle, state: State, chosen: str, player: int) -> discord.ui.Select[Any]:
    options = [
        discord.SelectOption(label=label, description=about, value=part.value, default=part.value == chosen)
        for part, (label, about) in _PARTS.items()
        if player or part is not Part.ARMY
    ]
    width = 0 if state.world is None else state.world.width
    every = _blocks(state)
    for at, window in enumerate(every if len(every) > 1 else ()):
        label = f"Tiles {window.name(width)}"
        options.append(discord.SelectOption(label=label, value=str(at), default=str(at) == chosen))
    return discord.ui.Select(custom_id=f"k4:{battle.id}", options=options, placeholder="Look at …")


def _blocks(state: State) -> tuple[Window, ...]:
    return () if state.world is None else blocks(state.world.width, state.world.height)
