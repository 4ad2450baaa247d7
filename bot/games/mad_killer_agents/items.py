"""The buttons and lists of Mad Killer Agents, and what they show: the map in parts, the film, a player's place."""

from typing import Any

import discord
from discord.utils import as_chunks

from bot.battles.items import position_of
from bot.battles.panel import action_button, is_referee
from bot.battles.presenter import Position, draw
from bot.client import Client, Interaction
from bot.games.mad_killer_agents import render as r
from bot.games.mad_killer_agents.turn_view import PATTERN, Selection, holders_of
from bot.games.mad_killer_agents.turns import TurnHandler
from bot.store.battles import BattleRepository
from bot.ui import interactions as ui
from bot.ui.text import Picture, plain, text_view
from sim.core.battle import REFEREE
from sim.core.errors import RuleError
from sim.mad_killer_agents.battle.events import ai_name
from sim.mad_killer_agents.battle.values import State, World, number_of
from sim.mad_killer_agents.map_picture import Part, blocks
from sim.mad_killer_agents.requests import FilmRequest, PictureRequest


async def _show_film(interaction: Interaction, at: Position[State]) -> None:
    """Answer a press with the film, for everybody in the channel to see; RuleError if it is too long for one."""
    bot = interaction.client
    await ui.defer(interaction, private=False)
    request = FilmRequest(event_batches=await event_batches(bot, at.battle.id), rounds=at.state.round)
    film = await bot.simulator.once(request, ui.caller_of(interaction))
    if len(film.data) > r.MAX_FILM_BYTES:
        raise RuleError("This film is too large to show; /battle log has it as a file.")
    picture = Picture.of("war.gif", film)
    head = f"### #{at.battle.number} Mad Killer Agents: {r.title(at.state, ended=True)}"
    await ui.show_view(interaction, text_view([head], picture=picture), picture)


async def event_batches(bot: Client, battle_id: int) -> tuple[str, ...]:
    """Return the events of the steps that were not undone, as JSON lists."""
    return tuple(row.events_json for row in await bot.services[BattleRepository].latest_steps(battle_id))


_PARTS = {
    Part.ARMY: ("My strongest army", "The tiles around it"),
    Part.FRONT: ("The front", "Where you and an enemy are nearest"),
    Part.ALL: ("The whole map", "All tiles, without their values"),
}


def _world(at: Position[State]) -> World:
    if at.state.world is None:
        raise RuleError(f"#{at.battle.number} hasn't begun yet.")
    return at.state.world


def _player_of(interaction: Interaction, at: Position[State]) -> int:
    """Return the number of the user's player if it has an army, else 0; RuleError before the game begins."""
    numbers = {number_of(seat) for seat in at.battle.seats_of(interaction.user.id)}
    return next((owner for _, owner, _, _ in _world(at).armies if owner in numbers), 0)


async def _show_map(interaction: Interaction, at: Position[State], value: str | None = None) -> None:
    """Show a part of the map; without one around the user's army, or at the front."""
    player = _player_of(interaction, at)
    value = value or (Part.ARMY if player else Part.FRONT).value
    part = Part(value) if value in {*Part} else int(value)
    request = PictureRequest(state=at.state, part=part, player=player)
    picture = await draw(interaction.client, request, "map.png", ui.caller_of(interaction))
    head = f"### 🗺️ #{at.battle.number}, {r.round_label(at.state)}"
    view = text_view([head], picture=picture, rows=[[_part_list(at, value, player)]])
    await ui.show_view(interaction, view, picture)


def _part_list(at: Position[State], chosen: str, player: int) -> discord.ui.Select[Any]:
    options = [
        discord.SelectOption(label=label, description=about, value=part.value, default=part.value == chosen)
        for part, (label, about) in _PARTS.items()
        if player or part is not Part.ARMY
    ]
    world = _world(at)
    every = blocks(world.width, world.height)
    for value, window in enumerate(every if len(every) > 1 else ()):
        label = f"Tiles {window.name(world.width)}"
        options.append(discord.SelectOption(label=label, value=str(value), default=str(value) == chosen))
    return discord.ui.Select(custom_id=f"k4:{at.battle.id}", options=options, placeholder="Look at …")


_ACTIONS = ("away", "back", "deputy", "replace", "time-up", "resign")


async def _open_place(interaction: Interaction, at: Position[State], what: str) -> None:
    """Answer with the user's place and the actions for it, or ask for confirmation to resign."""
    battle = at.battle
    seats: list[str] = [*battle.seats_of(interaction.user.id), *([REFEREE] if is_referee(interaction, battle) else [])]
    own = {legal.name: legal for legal in at.legal_actions if set(legal.seats) & set(seats)}
    actions = [own[name] for name in _ACTIONS if name in own]
    if not actions:
        raise RuleError(f"You can't change anything about your place in #{battle.number} now.")
    if what == "resign" and "resign" in own:
        await ui.acknowledge(interaction)
        button = action_button(battle, own["resign"])
        button.style = discord.ButtonStyle.danger
        text = f"### Give up #{battle.number}?\nYou lose all your armies and cities."
        await ui.show_view(interaction, text_view([text], rows=[[button]]))
        return
    lines = [f"### Your place in #{battle.number}"]
    for player in at.state.players:
        if player.number in map(number_of, seats):
            lines.append(f"{r.sign(player)} **{plain(player.name)}** {r.controller_text(player, holders_of(battle))}")
            lines.append(f"-# {ai_name(player.deputy)} plays for you when you're away or out of time.")
    buttons = [
        discord.ui.Button(label="Resign …", style=discord.ButtonStyle.danger, custom_id=f"k0:{battle.id}:resign")
        if legal.name == "resign"
        else action_button(battle, legal)
        for legal in actions
    ]
    await ui.reply(interaction, text_view(["\n".join(lines)], rows=[*as_chunks(buttons, 3)]))


class OrderButton(ui.PersistentButton, template=rf"k1:{PATTERN}:(?P<what>[a-z-]{{1,20}})"):
    """A button of the turn message."""

    kind = "order"

    async def pressed(self, interaction: Interaction) -> None:
        """Let the turn handler act on it."""
        await interaction.client.services[TurnHandler].press(interaction, Selection.of(self.match), self.match["what"])


class TurnSelect(ui.PersistentSelect, template=rf"(?P<list>k[235]):{PATTERN}"):
    """The list of the player's armies (k2), of technologies (k3), or of what stands on no button (k5)."""

    kind = "order"

    async def pressed(self, interaction: Interaction) -> None:
        """Select the army, or act as a button would."""
        handler = interaction.client.services[TurnHandler]
        choose = handler.choose_army if self.match["list"] == "k2" else handler.press
        await choose(interaction, Selection.of(self.match), self.chosen)


class PanelButton(
    ui.PersistentButton, template=r"k0:(?P<battle>[0-9]{1,18}):(?P<what>turn|place|resign|map|text|rules|film)"
):
    """A button of the panel: it opens the player's turn or place in it, the map, its text, the rules, the film."""

    kind = "{what}"

    async def pressed(self, interaction: Interaction) -> None:
        """Open the message; the rules also where the battle is gone."""
        if self.match["what"] == "rules":
            await ui.reply(interaction, text_view(r.RULES))
            return
        if self.match["what"] in {"turn", "map", "text"}:
            await ui.defer(interaction, private=True)
        at = await position_of(interaction, int(self.match["battle"]))
        match self.match["what"]:
            case "turn":
                await interaction.client.services[TurnHandler].open(interaction, at)
            case "map":
                await _show_map(interaction, at)
            case "text":
                text = r.map_text(at.battle.number, at.state, _player_of(interaction, at))
                await ui.show_view(interaction, text_view([text]))
            case "film":
                await _show_film(interaction, at)
            case what:
                await _open_place(interaction, at, what)


class MapSelect(ui.PersistentSelect, template=r"k4:(?P<battle>[0-9]{1,18})"):
    """The list of the parts of the map."""

    kind = "map"

    async def pressed(self, interaction: Interaction) -> None:
        """Show the part."""
        at = await position_of(interaction, int(self.match["battle"]))
        world = _world(at)
        if self.chosen not in {*Part, *map(str, range(len(blocks(world.width, world.height))))}:
            raise RuleError("This list is out of date: press Map on the panel again.")
        await ui.acknowledge(interaction)
        await _show_map(interaction, at, self.chosen)


WAR_ITEMS = (PanelButton, OrderButton, TurnSelect, MapSelect)
