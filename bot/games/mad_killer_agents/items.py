"""The buttons, lists and form of Mad Killer Agents, and what they show: turn, map in parts, film, place.

The turn is a private message with buttons that the panel opens. Each press is one order.
"""

from dataclasses import replace
from functools import partial
from typing import Annotated, Any

import discord
from discord.utils import as_chunks

from bot.answers import Query
from bot.battles import BattleService
from bot.battles.items import FormQuery, position_of
from bot.battles.panel import action_button, is_referee
from bot.battles.presenter import Position, draw
from bot.client import Client, Interaction
from bot.games.mad_killer_agents import render as r
from bot.games.mad_killer_agents import turn_view as t
from bot.store.battles import BattleRepository
from bot.store.queries import StoredQuery
from bot.ui import Picture, Style, View, id_button, plain, text_view
from bot.ui import interactions as ui
from bot.ui.error_replies import error_text
from bot.ui.options import Entry, Typed
from sim.core import RuleError
from sim.core.battle import REFEREE
from sim.core.journal import Kind
from sim.core.numbers import quantity
from sim.csv import read_whole
from sim.mad_killer_agents import battle as v
from sim.mad_killer_agents.battle.board import Board, board_of
from sim.mad_killer_agents.battle.events import ai_name, short_log
from sim.mad_killer_agents.battle.order_input import ArmyOptions, MoveOption, tile_orders
from sim.mad_killer_agents.map_picture import Part, blocks
from sim.mad_killer_agents.requests import FilmRequest, OptionsRequest, PictureRequest
from sim.mad_killer_agents.terrain import read_tile

OPENED_HERE = "turn"
"""Beside what is typed into the form for orders: the turn message opened it, and shows what comes of it."""
_MAX_LINES = 6
_MAX_LINE = 200


class TurnService:
    """Shows the turn message and acts on its buttons and lists."""

    def __init__(self, bot: Client) -> None:
        self._bot = bot

    async def open(self, interaction: Interaction, at: Position[v.State]) -> None:
        """Answer a press on the panel with the turn message; RuleError if it isn't the user's turn."""
        _expect_turn(interaction, at)
        await ui.defer(interaction, private=True)
        selection = t.Selection(at.battle.id, at.battle.version)
        await self.edit(interaction, at, selection.refreshed(board_of(at.state), at))

    async def open_beside(self, interaction: Interaction, battle_id: int) -> None:
        """Show the turn message below the answer to the command that began the game, if it is the user's turn."""
        at = await position_of(interaction, battle_id)
        if _is_turn(interaction, at):
            selection = t.Selection(battle_id, at.battle.version).refreshed(board_of(at.state), at)
            view = await self._view(interaction, at, selection)
            await interaction.followup.send(view=view, files=view.files, ephemeral=True)

    async def press(self, interaction: Interaction, selection: t.Selection, what: str) -> None:
        """Act on a button or an entry of a list; RuleError if it isn't the user's turn or the rules don't allow it."""
        at, board = await self.load(interaction, selection)
        if what == "form":
            tile = "" if selection.at not in board.armies else board.tile_name(selection.at)
            query = SelectionQuery(hand=str(selection), place=tile, units=str(selection.units or ""))
            await query.send_form(interaction)
        elif what == "text":
            await ui.reply(interaction, text_view([r.map_text(at.battle.number, at.state, at.state.turn)]))
        elif what == "orders":
            await FormQuery.of(at.offer("write"), {OPENED_HERE: "1"}).send_form(interaction)
        else:
            await ui.acknowledge(interaction)
            if selection.version != at.battle.version:
                note = "⚠️ The game has moved on; this is how it stands now. Nothing was done."
                await self.edit(interaction, at, selection.refreshed(board, at), note)
            elif what in {"undo", "undo-turn", "end-turn"}:
                await self._choose(interaction, selection, what)
            else:
                await self._press(interaction, at, board, selection, what)

    async def choose_army(self, interaction: Interaction, selection: t.Selection, value: str) -> None:
        """Select another army."""
        at, board = await self.load(interaction, selection)
        army = {str(tile): tile for tile in board.armies_of(at.state.turn)}.get(value, selection.at)
        await ui.acknowledge(interaction)
        await self.edit(interaction, at, replace(selection, at=army, units=0).refreshed(board, at))

    async def load(self, interaction: Interaction, selection: t.Selection) -> tuple[Position[v.State], Board]:
        """Return how the war of a selection stands, and its board; RuleError unless it is the user's turn."""
        at = await position_of(interaction, selection.battle_id)
        _expect_turn(interaction, at)
        return at, board_of(at.state)

    async def _press(
        self, interaction: Interaction, at: Position[v.State], board: Board, selection: t.Selection, what: str
    ) -> None:
        """Show another view of the message, or give the orders of a button."""
        state = at.state
        army_units = board.units_of(state.turn, selection.at)
        if not army_units:
            raise RuleError("This army is gone: press Your turn on the panel again.")
        changes: dict[str, dict[str, Any]] = {
            "all": {"units": 0},
            "half": {"units": army_units // 2},
            "pace": {"pace": t.STEP if selection.pace == t.FORCED else t.FORCED},
            "back": {},
        }
        if what in changes:
            await self.edit(interaction, at, replace(selection, **changes[what]))
            return
        if (order := tile_orders(selection.at).get(what)) is not None:
            await self._choose(interaction, selection, "give", order)
            return
        options = await self._options(interaction, state, selection)
        message = t.TurnMessage(at.battle.number, state, board, selection, options)
        if what == "tech":
            await ui.show_view(interaction, message.tech_view())
            return
        kind, _, way = what.partition("-")
        option = next((option for option in options.moves if option.direction.lower() == way), None)
        if option is None or not (kind == "go" or (kind in {"hit", "parts"} and option.battle is not None)):
            raise RuleError("This button is out of date: press Your turn on the panel again.")
        if kind == "go" and option.battle is not None:
            picture = await self._picture(interaction, state, selection)
            await ui.show_view(interaction, message.attack_view(option, option.battle, picture))
        else:
            orders = _orders(selection, option, kind)
            await self._choose(interaction, selection, "give", *orders, to=option.to)

    async def _options(self, interaction: Interaction, state: v.State, selection: t.Selection) -> ArmyOptions:
        request = OptionsRequest(state=state, at=selection.at, units=selection.units or None)
        return await self._bot.simulator.run(request, ui.caller_of(interaction))

    async def _choose(
        self, interaction: Interaction, selection: t.Selection, name: str, *orders: v.Order, to: int | None = None
    ) -> None:
        """Take an action and answer in the turn message before the panel is updated; `to`: a move's tile."""
        action = v.Give(orders=orders) if orders else None
        preferred = () if to is None else (to, selection.at)
        answered = partial(self.show_result, interaction, selection, *preferred)
        service = self._bot.services[BattleService]
        await service.act(interaction, selection.battle_id, selection.version, name, action, answered=answered)

    async def show_result(self, interaction: Interaction, selection: t.Selection, *preferred: int) -> None:
        """Show in the turn message how it stands after an action, or that the turn is over."""
        at = await position_of(interaction, selection.battle_id)
        battles = self._bot.services[BattleRepository]
        entry = await battles.last_entry(at.battle.id)
        if entry is not None and entry.kind is Kind.END:  # the step that ended the game precedes it
            entry = (await battles.journal(at.battle.id))[-2]
        lines = [] if entry is None else short_log(at.presenter.system.events.read_all(entry.events))
        notes = [plain(line.strip(), _MAX_LINE) for line in lines[-_MAX_LINES:]]
        if _is_turn(interaction, at):
            await self.edit(interaction, at, selection.refreshed(board_of(at.state), at, *preferred), *notes)
            return
        told = ["\n".join(notes)] if notes else []
        await ui.show_view(interaction, text_view(["### 🏁 Your turn is over", *told]))

    async def edit(self, interaction: Interaction, at: Position[v.State], selection: t.Selection, *notes: str) -> None:
        """Show the turn message with a selection in place of what the user pressed."""
        await ui.show_view(interaction, await self._view(interaction, at, selection, *notes))

    async def _view(self, interaction: Interaction, at: Position[v.State], selection: t.Selection, *notes: str) -> View:
        options = None
        if selection.at != t.NO_ARMY:
            try:
                options = await self._options(interaction, at.state, selection)
            except RuleError as error:  # too busy: still show what happened
                notes = (*notes, error_text(error))
        picture = await self._picture(interaction, at.state, selection)
        message = t.TurnMessage(at.battle.number, at.state, board_of(at.state), selection, options)
        return message.view(notes, picture)

    async def _picture(self, interaction: Interaction, state: v.State, selection: t.Selection) -> Picture | None:
        """Return the map around the selected army, or at the front without one."""
        selected = None if selection.at == t.NO_ARMY else selection.at
        request = PictureRequest(state=state, part=Part.FRONT, player=state.turn, selected=selected)
        return await draw(self._bot, request, "map.png", ui.caller_of(interaction))


_MAX_TILE_NAME, _MAX_UNITS_DIGITS = 4, 9


class SelectionQuery(Query):
    """The form that selects an army and units, as typed: its tile and their number. `hand`: the selection before."""

    stored_as = "mka-turn"
    form_title = "Choose an army"

    private: bool = True
    hand: str
    place: Annotated[str, Entry("Which army?", _MAX_TILE_NAME, "its tile, such as C7")] = ""
    units: Annotated[str, Entry("How many units?", _MAX_UNITS_DIGITS, "empty for all")] = ""

    async def submit(self, interaction: Interaction, _stored: StoredQuery, _action: str, values: Typed) -> None:
        """Select the army and units typed into the form."""
        query, turns = await self.read_form(interaction, values), interaction.client.services[TurnService]
        await ui.acknowledge(interaction)
        async with query.fixable(interaction):
            selection = t.read_selection(query.hand)
            at, board = await turns.load(interaction, selection)
            now = query.applied(selection, at.state, board)
        await turns.edit(interaction, at, replace(now, version=at.battle.version))

    def applied(self, selection: t.Selection, state: v.State, board: Board) -> t.Selection:
        """Return the selection that the form describes; RuleError if there is no such army or not enough units."""
        at = read_tile(self.place.strip(), board.width, board.height)
        army = board.army(state.turn, at)
        typed = self.units.strip()
        if not typed:
            return replace(selection, at=at, units=0)
        try:
            units = read_whole(typed)
        except ValueError as error:
            raise RuleError(f"How many units: {error}.") from None
        if not 1 <= units <= army.units:
            raise RuleError(f"The army on {board.tile_name(at)} has {quantity(army.units, 'unit')}, not {units:,}.")
        return replace(selection, at=at, units=units)


def _orders(selection: t.Selection, option: MoveOption, kind: str) -> list[v.Order]:
    """Return the orders of a direction button; RuleError if they aren't possible."""
    if kind == "go" and selection.pace == t.FORCED and option.march is not None:
        return [option.march]
    if option.order is None:
        raise RuleError("You can't do that now.")
    if kind == "parts" and option.battle is not None:
        return [option.order.model_copy(update={"units": part}) for part in option.battle.split.parts]
    return [option.order]


def _is_turn(interaction: Interaction, at: Position[v.State]) -> bool:
    number = t.waits_for(at.battle, at.state)
    return number is not None and v.seat_of(number) in at.battle.seats_of(interaction.user.id)


def _expect_turn(interaction: Interaction, at: Position[v.State]) -> None:
    if _is_turn(interaction, at):
        return
    if not at.battle.is_open or at.state.phase is v.Phase.OVER:
        raise RuleError(f"#{at.battle.number} is over.")
    if at.state.phase is v.Phase.LOBBY:
        raise RuleError(f"#{at.battle.number} hasn't begun yet.")
    raise RuleError(f"It's {at.state.player(at.state.turn).name}'s turn.")


async def _show_film(interaction: Interaction, at: Position[v.State]) -> None:
    """Answer a press with the film, for everybody in the channel to see; RuleError if it is too long for one."""
    bot = interaction.client
    await ui.defer(interaction, private=False)
    request = FilmRequest(event_batches=await event_batches(bot, at.battle.id), rounds=at.state.round)
    film = await bot.simulator.once(request, ui.caller_of(interaction))
    if len(film.data) > r.MAX_FILM_BYTES:
        raise RuleError("This film is too large to show; /battle log has it as a file.")
    picture = Picture.of("war.gif", film)
    head = f"### #{at.battle.number} Mad Killer Agents: {r.title(at.state, ended=True)}"
    await ui.show_view(interaction, text_view([head], picture=picture))


async def event_batches(bot: Client, battle_id: int) -> tuple[str, ...]:
    """Return the events of the steps that were not undone, as JSON lists."""
    return tuple(row.events_json for row in await bot.services[BattleRepository].latest_steps(battle_id))


_PARTS = {
    Part.ARMY: ("My strongest army", "The tiles around it"),
    Part.FRONT: ("The front", "Where you and an enemy are nearest"),
    Part.ALL: ("The whole map", "All tiles, without their values"),
}


def _world(at: Position[v.State]) -> v.World:
    if at.state.world is None:
        raise RuleError(f"#{at.battle.number} hasn't begun yet.")
    return at.state.world


def _player_of(interaction: Interaction, at: Position[v.State]) -> int:
    """Return the number of the user's player if it has an army, else 0; RuleError before the game begins."""
    numbers = {v.number_of(seat) for seat in at.battle.seats_of(interaction.user.id)}
    return next((owner for _, owner, _, _ in _world(at).armies if owner in numbers), 0)


async def _show_map(interaction: Interaction, at: Position[v.State], value: str | None = None) -> None:
    """Show a part of the map; without one around the user's army, or at the front."""
    player, world = _player_of(interaction, at), _world(at)
    value = value or (Part.ARMY if player else Part.FRONT).value
    part = Part(value) if value in {*Part} else int(value)
    request = PictureRequest(state=at.state, part=part, player=player)
    picture = await draw(interaction.client, request, "map.png", ui.caller_of(interaction))
    options = [
        discord.SelectOption(label=label, description=about, value=each.value, default=each.value == value)
        for each, (label, about) in _PARTS.items()
        if player or each is not Part.ARMY
    ]
    windows = blocks(world.width, world.height)
    for number, window in enumerate(windows if len(windows) > 1 else ()):
        label, block = f"Tiles {window.name(world.width)}", str(number)
        options.append(discord.SelectOption(label=label, value=block, default=block == value))
    parts = discord.ui.Select[Any](custom_id=f"k4:{at.battle.id}", options=options, placeholder="Look at …")
    head = f"### 🗺️ #{at.battle.number}, {r.round_label(at.state)}"
    await ui.show_view(interaction, text_view([head], picture=picture, rows=[[parts]]))


async def _open_place(interaction: Interaction, at: Position[v.State], what: str) -> None:
    """Answer with the user's place and the actions for it, or ask for confirmation to resign."""
    battle = at.battle
    seats: list[str] = [*battle.seats_of(interaction.user.id), *([REFEREE] if is_referee(interaction, battle) else [])]
    own = {legal.name: legal for legal in at.legal_actions if set(legal.seats) & set(seats)}
    actions = [own[name] for name in ("away", "back", "deputy", "replace", "time-up", "resign") if name in own]
    if not actions:
        raise RuleError(f"You have no seat to manage in #{battle.number}.")
    if what == "resign" and "resign" in own:
        await ui.acknowledge(interaction)
        button = action_button(battle, own["resign"], style=Style.danger)
        text = f"### Give up #{battle.number}?\nYou lose all your armies and cities."
        await ui.show_view(interaction, text_view([text], rows=[[button]]))
        return
    lines = [f"### Your seat in #{battle.number}"]
    for player in at.state.players:
        if player.number in map(v.number_of, seats):
            who = r.controller_text(player, t.holders_of(battle))
            lines.append(f"{r.PLAYERS[player.number]} **{plain(player.name)}** {who}")
            lines.append(f"-# {ai_name(player.deputy)} plays for you when you're away or out of time.")
    buttons = [
        id_button(f"k0:{battle.id}:resign", "Resign …", style=Style.danger)
        if legal.name == "resign"
        else action_button(battle, legal)
        for legal in actions
    ]
    await ui.reply(interaction, text_view(["\n".join(lines)], rows=[*as_chunks(buttons, 3)]))


@ui.PersistentButton.matching(rf"k1:{t.PATTERN}:(?P<what>[a-z-]{{1,20}})", "order")
async def order_button(button: ui.PersistentButton, interaction: Interaction) -> None:
    """Act on a button of the turn message."""
    turns = interaction.client.services[TurnService]
    await turns.press(interaction, t.Selection.of(button.match), button.match["what"])


@ui.PersistentSelect.matching(rf"(?P<list>k[235]):{t.PATTERN}", "order")
async def turn_list(menu: ui.PersistentSelect, interaction: Interaction) -> None:
    """Select an army (k2), or act as a button would: technologies (k3), what stands on no button (k5)."""
    turns = interaction.client.services[TurnService]
    choose = turns.choose_army if menu.match["list"] == "k2" else turns.press
    await choose(interaction, t.Selection.of(menu.match), menu.chosen)


@ui.PersistentButton.matching(r"k0:(?P<battle>[0-9]{1,18}):(?P<what>turn|place|resign|map|text|rules|film)", "{what}")
async def panel_button(button: ui.PersistentButton, interaction: Interaction) -> None:
    """Open the player's turn or place in it, the map, its text, the film; the rules also where the battle is gone."""
    if button.match["what"] == "rules":
        await ui.reply(interaction, text_view(r.RULES))
        return
    if button.match["what"] in {"turn", "map", "text"}:
        await ui.defer(interaction, private=True)
    at = await position_of(interaction, int(button.match["battle"]))
    match button.match["what"]:
        case "turn":
            await interaction.client.services[TurnService].open(interaction, at)
        case "map":
            await _show_map(interaction, at)
        case "text":
            text = r.map_text(at.battle.number, at.state, _player_of(interaction, at))
            await ui.show_view(interaction, text_view([text]))
        case "film":
            await _show_film(interaction, at)
        case what:
            await _open_place(interaction, at, what)


@ui.PersistentSelect.matching(r"k4:(?P<battle>[0-9]{1,18})", "map")
async def map_list(menu: ui.PersistentSelect, interaction: Interaction) -> None:
    """Show a part of the map."""
    at = await position_of(interaction, int(menu.match["battle"]))
    world = _world(at)
    if menu.chosen not in {*Part, *map(str, range(len(blocks(world.width, world.height))))}:
        raise RuleError("This list is out of date: press Map on the panel again.")
    await ui.acknowledge(interaction)
    await _show_map(interaction, at, menu.chosen)


WAR_ITEMS = (panel_button, order_button, turn_list, map_list)
