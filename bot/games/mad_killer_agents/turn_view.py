"""The turn message: what is selected in it, its text, and its buttons, with the directions as they lie on the map."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Self

import discord

from bot.answers import Entry, Query
from bot.battles.presenter import Position
from bot.games.mad_killer_agents import render as r
from bot.games.mad_killer_agents.render import units
from bot.store.battle import Battle
from bot.ui import MAX_CHOICES, Picture, View, plain, text_view
from sim.core import RuleError
from sim.core.numbers import quantity
from sim.csv import read_whole
from sim.mad_killer_agents import constants as c
from sim.mad_killer_agents.battle import Phase, State, number_of
from sim.mad_killer_agents.battle.board import Board
from sim.mad_killer_agents.battle.order_input import ArmyOptions, Direction, MoveOption
from sim.mad_killer_agents.battle.orders import mp_text
from sim.mad_killer_agents.cards import verdict
from sim.mad_killer_agents.combat import BattleReport
from sim.mad_killer_agents.terrain import read_tile

STEP, FORCED = "s", "f"
NO_ARMY = -1

PATTERN = r"(?P<battle>[0-9]{1,18}):(?P<version>[0-9]{1,6}):(?P<at>-1|[0-9]{1,4}):(?P<units>[0-9]{1,13}):(?P<pace>[sf])"


@dataclass(frozen=True, slots=True)
class Selection:
    """The army on tile `at`, or NO_ARMY, of a battle at a version.

    `units`: how many units go, 0 for all. `pace`: STEP, or FORCED for forced marches where possible.
    """

    battle_id: int
    version: int
    at: int = NO_ARMY
    units: int = 0
    pace: str = STEP

    @classmethod
    def of(cls, match: re.Match[str]) -> Self:
        """Return the selection in a custom id that matches PATTERN."""
        return cls(int(match["battle"]), int(match["version"]), int(match["at"]), int(match["units"]), match["pace"])

    def __str__(self) -> str:
        return f"{self.battle_id}:{self.version}:{self.at}:{self.units}:{self.pace}"

    def going(self, board: Board) -> int:
        """Return the number of units that go."""
        return self.units or board.armies[self.at].units

    def refreshed(self, board: Board, now: Position[State], *preferred: int) -> Self:
        """Return the selection for the current board of a war as it stands now.

        Selects the first `preferred` army with movement points left. Without preferences it keeps its army if that
        still exists. Else it selects an army with movement points, or any; NO_ARMY if the player has none.
        """
        own = board.armies_of(now.state.turn)
        able = [at for at in own if board.armies[at].mp]
        at = next((at for at in preferred if at in able), None)
        if at is None:
            at = self.at if self.at in own and not preferred else next(iter([*able, *own]), NO_ARMY)
        units = self.units if at == self.at and at != NO_ARMY and self.units < board.armies[at].units else 0
        return replace(self, version=now.battle.version, at=at, units=units)


_MAX_TILE_NAME, _MAX_UNITS_DIGITS = 4, 9


class SelectionQuery(Query):
    """The fields of the form as typed: the army's tile and the number of units. `hand`: the selection before."""

    private: bool = True
    hand: str
    place: Annotated[str, Entry("Which army?", _MAX_TILE_NAME, "its tile, such as C7")] = ""
    units: Annotated[str, Entry("How many units?", _MAX_UNITS_DIGITS, "empty for all")] = ""


def apply_selection(query: SelectionQuery, selection: Selection, state: State, board: Board) -> Selection:
    """Return the selection that the form describes; RuleError if there is no such army or not enough units."""
    at = read_tile(query.place.strip(), board.width, board.height)
    army = board.army(state.turn, at)
    typed = query.units.strip()
    if not typed:
        return replace(selection, at=at, units=0)
    try:
        units = read_whole(typed)
    except ValueError as error:
        raise RuleError(f"How many units: {error}.") from None
    if not 1 <= units <= army.units:
        raise RuleError(f"The army on {board.tile_name(at)} has {quantity(army.units, 'unit')}, not {units:,}.")
    return replace(selection, at=at, units=units)


def read_selection(text: str) -> Selection:
    """Return the selection in a stored query; RuleError if another version of the bot wrote it."""
    match = re.fullmatch(PATTERN, text)
    if match is None:
        raise RuleError("This form is out of date: press Your turn on the panel again.")
    return Selection.of(match)


_WAYS = tuple(Direction)
_ROWS = (_WAYS[:3], _WAYS[3:5], _WAYS[5:])
"""The compass."""

_ARROWS = dict(zip(_WAYS, ("↖️", "⬆️", "↗️", "⬅️", "➡️", "↙️", "⬇️", "↘️"), strict=True))

_GREY, _BLUE = discord.ButtonStyle.secondary, discord.ButtonStyle.primary
_GREEN, _RED = discord.ButtonStyle.success, discord.ButtonStyle.danger


def _turn_lines(number: int, state: State, board: Board, at: int | None, going: int, *, forced: bool) -> Iterator[str]:
    player, side = state.player(state.turn), board.sides[state.turn]
    yield f"### #{number} {r.round_label(state)}: your turn"
    able = sum(board.armies[tile].mp > 0 for tile in board.armies_of(state.turn))
    figures = board.figures(state.turn)
    cities = f", {r.CITY} +{figures.income:,} a turn" if figures.income else ""
    yield f"{r.PLAYERS[player.number]} **{plain(player.name)}**: {r.armies_text(figures)}{cities}"
    given = f"{quantity(len(state.orders), 'order')} given. " if state.orders else ""
    yield given + (
        f"{quantity(able, 'army', 'armies')} can still move." if able else "No army can move: end your turn."
    )
    if side.techs:
        yield f"🔬 {', '.join(tech.capitalize() for tech in c.Technology if tech in side.techs)}"
    if at is None:
        return
    army, city = board.armies[at], board.cities.get(at)
    here = f"\n**{board.tile_name(at)}**: {units(army.units)} on tile value (TV) {board.tiles[at]}"
    points = f"{mp_text(army.mp)} movement point" if army.mp else "no movement points"
    yield f"{here}, {points} (MP) left"
    if city is not None:
        yield f"{r.CITY} A city of size {city.size} is here, +{board.income(at)} a turn."
    sent = f"{'all' if going == army.units else f'{going:,} of'} {army.units:,}"
    if army.mp:
        yield f"{r.MARCH if forced else '👣'} An arrow sends **{sent}**."


def _action_label(board: Board, player: int, at: int, what: str) -> str:
    """Return the label of a button for an action on the army's tile: what it costs, and what it brings."""
    army, value = board.armies[at].units, board.tiles[at]
    if what == "found":
        return f"Found a city: costs {_paid(c.FOUND_UNITS, army)}, makes +{board.production(at, 1, player)} a turn"
    if what == "grow":
        size = board.cities[at].size
        more = board.production(at, size + 1, player) - board.income(at)
        return f"Grow the city to {size + 1}: costs {_paid(c.growth_cost(size), army)}, makes {more} more a turn"
    if what == "tech":
        return f"Discover: costs {_paid(c.discovery_cost(len(board.sides[player].techs)), army)}"
    cost, after = (c.RAISE_UNITS, value + 1) if what == "raise" else (c.LOWER_UNITS, value - 1)
    return f"{what.capitalize()} the tile to {after}: costs {_paid(cost, army)}, 1 MP"


def _paid(cost: int, army: int) -> str:
    return f"all {units(cost)}" if cost == army else units(cost)


def turn_view(
    number: int,
    state: State,
    board: Board,
    selection: Selection,
    options: ArmyOptions | None,
    notes: Sequence[str] = (),
    picture: Picture | None = None,
) -> View:
    """Return the turn message.

    `options`: of the selected army, None without one. `notes`: on what just happened. `picture`: the map around it.
    """
    selected = None if selection.at == NO_ARMY else selection.at
    going = 0 if selected is None else selection.going(board)
    text = "\n".join(_turn_lines(number, state, board, selected, going, forced=selection.pace == FORCED))
    if options is not None and selected is not None and board.armies[selected].mp >= c.WORK_COST:
        why = options.refused.get("grow" if selected in board.cities else "found")
        text += "" if why is None else f"\n-# {why}"
    buttons = [
        _button(selection, what, _action_label(board, state.turn, selection.at, what), style=_GREEN)
        for what in _allowed(options, "found", "grow")  # an army can do only one of them
    ]
    buttons += [_button(selection, "undo", "Undo", emoji="↩️")] if state.orders else []
    buttons.append(discord.ui.Button(label="Map", emoji="🗺️", custom_id=f"k0:{selection.battle_id}:map"))
    buttons.append(_button(selection, "end-turn", "End turn", emoji="🏁", style=_GREEN))
    rows: list[Sequence[discord.ui.Item[Any]]] = [
        _army_list(state, board, selection),
        *([] if options is None else [[*_direction_buttons(board, selection, options, row)] for row in _ROWS]),
        [_more_list(state, board, selection, options)],
        buttons,
    ]
    return text_view([text, *(["\n".join(notes)] if notes else [])], picture=picture, rows=rows)


def attack_view(
    board: Board, selection: Selection, option: MoveOption, battle: BattleReport, picture: Picture | None
) -> View:
    """Return the confirmation of an attack, with its exact result."""
    direction, label = option.direction.lower(), f"Attack with {battle.clash.attackers:,}"
    buttons = [_button(selection, f"hit-{direction}", label, emoji=r.ATTACK, style=_RED)]
    enemy = plain(board.sides[board.holder(option.to)].name)
    lines = [
        f"### {board.tile_name(selection.at)} attacks {enemy} on {board.tile_name(option.to)}?",
        *r.strength_lines(battle),
        f"**{verdict(battle.result)}**",
        *r.outcome_lines(battle),
        *r.split_lines(battle),
    ]
    if battle.advice is not None:
        label = f"Attack in {quantity(len(battle.split.parts), 'part')}"
        buttons.append(_button(selection, f"parts-{direction}", label, emoji="✂️", style=_RED))
    buttons.append(_button(selection, "back", "Back", emoji="◀️"))
    return text_view(["\n".join(lines)], picture=picture, rows=[buttons])


def tech_view(board: Board, player: int, selection: Selection, options: ArmyOptions) -> View:
    """Return the list of technologies that can be discovered, with those still unknown and their cost."""
    known = board.sides[player].techs
    cost = _paid(c.discovery_cost(len(known)), board.armies[selection.at].units)
    lines = [
        f"### What does the army on {board.tile_name(selection.at)} discover?",
        f"It costs {cost} and no MP; the next one costs more.",
        *(f"- **{tech.capitalize()}**: {c.EFFECTS[tech]}" for tech in c.Technology if tech not in known),
    ]
    choices = [
        discord.SelectOption(label=tech.capitalize(), description=c.EFFECTS[tech], value=tech.value)
        for tech in c.Technology
        if tech not in options.refused
    ]
    chooser: discord.ui.Select[Any] = discord.ui.Select(
        custom_id=f"k3:{selection}", options=choices, placeholder="Choose a technology …"
    )
    back = _button(selection, "back", "Back", emoji="◀️")
    return text_view(["\n".join(lines)], rows=[[chooser] if choices else [], [back]])


def holders_of(battle: Battle) -> dict[int, int]:
    """Return the user ids of the participants by player number."""
    return {number: user for seat, user in battle.holders.items() if (number := number_of(seat)) is not None}


def waits_for(battle: Battle, state: State) -> int | None:
    """Return the number of the person on turn; None if the game waits for an AI or for nobody."""
    if not battle.is_open or state.phase is not Phase.PLAYING:
        return None
    return state.turn if state.player(state.turn).played_by is None else None


def _army_list(state: State, board: Board, selection: Selection) -> list[discord.ui.Select[Any]]:
    """Return the list of armies, if there are any."""
    own = sorted(board.armies_of(state.turn), key=lambda at: (at != selection.at, not board.armies[at].mp, at))
    listed = sorted(own[:MAX_CHOICES])
    options = []
    for at in listed:
        army, city = board.armies[at], board.cities.get(at)
        about = f"{mp_text(army.mp)} MP, TV {board.tiles[at]}{'' if city is None else f', city of {city.size}'}"
        label = f"{board.tile_name(at)}: {units(army.units)}"
        options.append(discord.SelectOption(label=label, description=about, value=str(at), default=at == selection.at))
    placeholder = "Which army?"
    return [discord.ui.Select(custom_id=f"k2:{selection}", options=options, placeholder=placeholder)] if options else []


def _direction_buttons(
    board: Board, selection: Selection, options: ArmyOptions, row: Sequence[Direction]
) -> Iterator[discord.ui.Button[Any]]:
    """Yield the buttons of those directions of a row where the army can go: what moving there costs or attacks."""
    for option in options.moves:
        way, marches = option.direction, selection.pace == FORCED and option.march is not None
        if way in row and (option.order is not None or marches):
            there = board.armies.get(option.to)
            what = f"{mp_text(option.cost)} MP" + ("" if there is None else f" +{there.units:,}")
            if marches:
                what = f"½ MP, {option.march_loss:,} lost"
            elif option.battle is not None:
                what = f"vs {'city' if there is None else f'{there.units:,}'}"
            label, style = f"{board.tile_name(option.to)} {what}", _BLUE if option.battle is None else _RED
            yield _button(selection, f"go-{way.lower()}", label, emoji=_ARROWS[way], style=style)


def _allowed(options: ArmyOptions | None, *actions: str) -> list[str]:
    """Return which of these actions the army can do and pay for now on its tile."""
    if options is None:
        return []
    discovers = any(tech not in options.refused for tech in c.Technology)
    return [what for what in actions if (discovers if what == "tech" else what not in options.refused)]


def _more_list(state: State, board: Board, selection: Selection, options: ArmyOptions | None) -> discord.ui.Select[Any]:
    """Return the list of how many units go, what else the army can do, and other ways to play."""
    choices: list[tuple[str, str, str | None]] = []
    if options is not None and board.armies[selection.at].mp:
        total, going = board.armies[selection.at].units, selection.going(board)
        forced = selection.pace == FORCED
        if going != total:
            choices.append(("all", f"Send all {total:,}", "👣"))
        if going != total // 2 > 0:
            choices.append(("half", f"Send half: {total // 2:,}", "✂️"))
        choices.append(("form", "Send another number, or choose an army …", "✏️"))
        if forced or any(option.march is not None for option in options.moves):
            choices.append(("pace", f"{'End' if forced else 'Begin'} the forced march", r.MARCH))
    choices += [
        (what, _action_label(board, state.turn, selection.at, what), None)
        for what in _allowed(options, "lower", "raise", "tech")
    ]
    if _allowed(options, "pass"):
        choices.append(("pass", "Stay here this turn", "💤"))
    if state.orders:
        choices.append(("undo-turn", "Undo all orders", "↩️"))
    choices += [("orders", "Write orders …", "⌨️"), ("text", "Map as text", "📄")]
    listed = [discord.SelectOption(label=label, value=what, emoji=emoji) for what, label, emoji in choices]
    return discord.ui.Select(custom_id=f"k5:{selection}", options=listed, placeholder="Split, build, write orders …")


def _button(
    selection: Selection,
    what: str,
    label: str,
    *,
    emoji: str | None = None,
    style: discord.ButtonStyle = _GREY,
) -> discord.ui.Button[Any]:
    return discord.ui.Button(label=label, emoji=emoji, style=style, custom_id=f"k1:{selection}:{what}")
