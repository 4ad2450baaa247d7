"""The buttons and lists of Mad Killer Agents, and what they show: the map in parts, the film, a player's place."""

from collections.abc import Sequence
from typing import Any

import discord

from bot.battles.panel import action_button, is_referee
from bot.battles.presenter import Presenters, draw
from bot.battles.service import BattleService
from bot.client import Client, Interaction
from bot.games.mad_killer_agents import render as r
from bot.games.mad_killer_agents.turn_view import PATTERN, Selection, holders_of, read_war
from bot.games.mad_killer_agents.turns import TurnHandler
from bot.store.battle import Battle
from bot.store.battles import BattleRepository
from bot.ui import interactions as ui
from bot.ui.text import Picture, plain, text_view
from sim.core.battle import REFEREE, LegalAction
from sim.core.errors import RuleError
from sim.mad_killer_agents.battle.events import ai_name
from sim.mad_killer_agents.battle.values import State, number_of
from sim.mad_killer_agents.map_picture import Part, Window, blocks
from sim.mad_killer_agents.requests import FilmRequest, PictureRequest


async def _show_film(interaction: Interaction, battle: Battle) -> None:
    """Answer a press with the film, for everybody in the channel to see; RuleError if it is too long for one."""
    bot = interaction.client
    state = await read_war(bot, battle)
    await ui.defer(interaction, private=False)
    request = FilmRequest(event_batches=await event_batches(bot, battle.id), rounds=state.round)
    film = await bot.simulator.once(request, ui.caller_of(interaction))
    if len(film.data) > r.MAX_FILM_BYTES:
        raise RuleError("This film is too large to show; /battle log has it as a file.")
    picture = Picture("war.gif", film.data, film.alt)
    await ui.show_view(
        interaction,
        text_view([f"### #{battle.number} Mad Killer Agents: {r.title(state, ended=True)}"], picture=picture),
        picture,
    )


async def event_batches(bot: Client, battle_id: int) -> tuple[str, ...]:
    """Return the events of the steps that were not undone, as JSON lists."""
    return tuple(row.events_json for row in await bot.services[BattleRepository].latest_steps(battle_id))


_PARTS = {
    Part.ARMY: ("My strongest army", "The tiles around it"),
    Part.FRONT: ("The front", "Where you and an enemy are nearest"),
    Part.ALL: ("The whole map", "All tiles, without their values"),
}


async def _begun(interaction: Interaction, battle: Battle) -> State:
    state = await read_war(interaction.client, battle)
    if state.world is None:
        raise RuleError(f"#{battle.number} hasn't begun yet.")
    return state


def _player_of(interaction: Interaction, battle: Battle, state: State) -> int:
    """Return the number of the user's player if it has an army, else 0."""
    numbers = {number_of(seat) for seat in battle.seats_of(interaction.user.id)}
    armies = () if state.world is None else state.world.armies
    return next((owner for _, owner, _, _ in armies if owner in numbers), 0)


async def _show_map(interaction: Interaction, battle: Battle, state: State, value: str) -> None:
    player = _player_of(interaction, battle, state)
    part = Part(value) if value in {*Part} else int(value)
    request = PictureRequest(state=state, part=part, player=player)
    picture = await draw(interaction.client, request, "map.png", ui.caller_of(interaction))
    head = f"### 🗺️ #{battle.number}, {r.round_label(state)}"
    view = text_view([head], picture=picture, rows=[[_part_list(battle, state, value, player)]])
    await ui.show_view(interaction, view, picture)


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


_ACTIONS = ("away", "back", "deputy", "replace", "time-up", "resign")


async def _open_place(interaction: Interaction, battle: Battle, what: str) -> None:
    """Answer with the user's place and the actions for it, or ask for confirmation to resign."""
    seats: list[str] = [*battle.seats_of(interaction.user.id), *([REFEREE] if is_referee(interaction, battle) else [])]
    at = await interaction.client.services[Presenters].position(battle)
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
    else:
        await ui.reply(interaction, _place_view(battle, at.state, seats, actions))


def _place_view(
    battle: Battle, state: State, seats: Sequence[str], actions: Sequence[LegalAction[Any]]
) -> discord.ui.LayoutView:
    lines = [f"### Your place in #{battle.number}"]
    numbers = {number_of(seat) for seat in seats}
    for player in state.players:
        if player.number in numbers:
            lines.append(f"{r.sign(player)} **{plain(player.name)}** {r.controller_text(player, holders_of(battle))}")
            lines.append(f"-# {ai_name(player.deputy)} plays for you when you're away or out of time.")
    buttons = [
        discord.ui.Button(label="Resign …", style=discord.ButtonStyle.danger, custom_id=f"k0:{battle.id}:resign")
        if legal.name == "resign"
        else action_button(battle, legal)
        for legal in actions
    ]
    return text_view(["\n".join(lines)], rows=[buttons[start : start + 3] for start in range(0, len(buttons), 3)])


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
        """Select the army, discover the technology, or act as a button would."""
        handler = interaction.client.services[TurnHandler]
        choose = {"k2": handler.choose_army, "k3": handler.discover, "k5": handler.press}[self.match["list"]]
        await choose(interaction, Selection.of(self.match), self.chosen)


class PanelButton(
    ui.PersistentButton, template=r"k0:(?P<battle>[0-9]{1,18}):(?P<what>turn|place|resign|map|text|rules|film)"
):
    """A button of the panel: it opens the player's turn or place in it, the map, its text, the rules, the film."""

    kind = "{what}"

    async def pressed(self, interaction: Interaction) -> None:
        """Open the message; the rules also where the battle is gone."""
        if self.match["what"] == "rules":
            await ui.reply(interaction, text_view(r.rules_page()))
            return
        if self.match["what"] in {"turn", "map", "text"}:
            await ui.defer(interaction, private=True)
        service = interaction.client.services[BattleService]
        battle = await service.find(int(self.match["battle"]), ui.origin_of(interaction))
        match self.match["what"]:
            case "turn":
                await interaction.client.services[TurnHandler].open(interaction, battle)
            case "map":
                state = await _begun(interaction, battle)
                part = Part.ARMY if _player_of(interaction, battle, state) else Part.FRONT
                await _show_map(interaction, battle, state, part.value)
            case "text":
                state = await _begun(interaction, battle)
                await ui.show_view(
                    interaction, text_view([r.map_text(battle.number, state, _player_of(interaction, battle, state))])
                )
            case "film":
                await _show_film(interaction, battle)
            case what:
                await _open_place(interaction, battle, what)


class MapSelect(ui.PersistentSelect, template=r"k4:(?P<battle>[0-9]{1,18})"):
    """The list of the parts of the map."""

    kind = "map"

    async def pressed(self, interaction: Interaction) -> None:
        """Show the part."""
        service = interaction.client.services[BattleService]
        battle = await service.find(int(self.match["battle"]), ui.origin_of(interaction))
        state = await _begun(interaction, battle)
        if self.chosen not in {*Part, *map(str, range(len(_blocks(state))))}:
            raise RuleError("This list is out of date: press Map on the panel again.")
        await ui.acknowledge(interaction)
        await _show_map(interaction, battle, state, self.chosen)


WAR_ITEMS = (PanelButton, OrderButton, TurnSelect, MapSelect)
