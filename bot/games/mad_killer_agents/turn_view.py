"""The turn message: its text, and its buttons, with the eight directions as they lie on the map.

The buttons carry all state: `k1:<selection>:<what>`; so do the lists of armies `k2:<selection>` and of technologies
`k3:<selection>`.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import discord

from bot.games.mad_killer_agents.render import (
    ATTACK,
    CITY,
    MARCH,
    mp_text,
    outcome_lines,
    round_label,
    sign,
    split_lines,
    strength_lines,
    units,
    verdict,
)
from bot.games.mad_killer_agents.selection import FORCED, NO_ARMY, Selection
from bot.ui.layout import text_view
from bot.ui.limits import MAX_CHOICES
from bot.ui.text import plain, quantity
from sim.mad_killer_agents.battle.board import Board
from sim.mad_killer_agents.battle.options import ArmyOptions, Direction, MoveOption
from sim.mad_killer_agents.battle.values import Attack, Discover, State
from sim.mad_killer_agents.combat import Clash, Split, is_better
from sim.mad_killer_agents.constants import (
    EFFECTS,
    FOUND_UNITS,
    LOWER_UNITS,
    RAISE_UNITS,
    Technology,
    discovery_cost,
    growth_cost,
)

ROWS: tuple[tuple[Direction | None, ...], ...] = (
    (Direction.NORTH_WEST, Direction.NORTH, Direction.NORTH_EAST),
    (Direction.WEST, None, Direction.EAST),
    (Direction.SOUTH_WEST, Direction.SOUTH, Direction.SOUTH_EAST),
)
"""The compass; the button in the middle passes."""

ARROWS = {
    Direction.NORTH_WEST: "↖️",
    Direction.NORTH: "⬆️",
    Direction.NORTH_EAST: "↗️",
    Direction.WEST: "⬅️",
    Direction.EAST: "➡️",
    Direction.SOUTH_WEST: "↙️",
    Direction.SOUTH: "⬇️",
    Direction.SOUTH_EAST: "↘️",
}

ACTIONS = ("found", "grow", "lower", "raise", "tech")

_GREY, _BLUE = discord.ButtonStyle.secondary, discord.ButtonStyle.primary
_GREEN, _RED = discord.ButtonStyle.success, discord.ButtonStyle.danger


def _turn_lines(number: int, state: State, board: Board, at: int | None, going: int, *, forced: bool) -> Iterator[str]:
    player, side = state.player(state.turn), board.sides[state.turn]
    yield f"### #{number} {round_label(state)}: your turn"
    armies = board.armies_of(state.turn)
    total = sum(board.armies[tile].units for tile in armies)
    able = sum(board.armies[tile].mp > 0 for tile in armies)
    yield f"{sign(player)} **{plain(player.name)}**: {units(total)} in {quantity(len(armies), 'army', 'armies')}"
    given = quantity(len(state.orders), "order")
    yield f"{able} can still move, {given} given, +{board.total_income(state.turn):,} a turn"
    if side.techs:
        yield f"🔬 {', '.join(tech.capitalize() for tech in Technology if tech in side.techs)}"
    if at is None:
        yield "You have no army now."
        return
    army = board.armies[at]
    city = board.cities.get(at)
    city_text = f", {CITY} {city.size} (+{board.income(at)})" if city is not None else ""
    yield f"\n**{board.tile_name(at)}**: {units(army.units)}, {mp_text(army.mp)} MP, TV {board.tiles[at]}{city_text}"
    yield f"{MARCH if forced else '👣'} going: **{'all' if going == army.units else f'{going:,} of'} {army.units:,}**"


def _attack_text(board: Board, at: int, to: int, clash: Clash, option: MoveOption) -> str:
    """Return the exact result of an attack."""
    if option.result is None or option.split is None:
        return ""
    enemy = board.sides[board.holder(to)]
    head = f"### {board.tile_name(at)} attacks {plain(enemy.name)} on {board.tile_name(to)}?"
    lines = [
        *strength_lines(clash, option.result),
        f"**{verdict(option.result)}**",
        *outcome_lines(option.result, clash.city),
    ]
    return "\n".join([head, *lines, *split_lines(clash, option.result, option.split)])


def _direction_label(board: Board, option: MoveOption, *, forced: bool) -> str:
    """Return the label of a direction button: the tile, and what moving there costs or attacks."""
    if option.to is None:
        return "—"
    tile = board.tile_name(option.to)
    if forced and option.march is not None:
        return f"{tile} ½ loss {option.march_loss:,}"
    if isinstance(option.order, Attack):
        army = board.armies.get(option.to)
        return f"{tile} {'🏠' if army is None else f'{army.units:,}'}"
    if option.order is None:
        return tile
    joined = board.armies.get(option.to)
    return f"{tile} {mp_text(option.cost)}" + (f" +{joined.units:,}" if joined is not None else "")


def _action_label(board: Board, at: int, what: str) -> str:
    """Return the label of a button for an action on the army's tile, with its cost in units."""
    city = board.cities.get(at)
    costs = {"found": FOUND_UNITS, "lower": LOWER_UNITS, "raise": RAISE_UNITS}
    if city is not None:
        costs["grow"] = growth_cost(city.size)
    return f"{what.capitalize()} {costs[what]}" if what in costs else what.capitalize()


def _tech_text(board: Board, player: int, at: int) -> str:
    """Return the technologies still unknown and their cost."""
    side = board.sides[player]
    cost = discovery_cost(len(side.techs))
    head = f"### Discover with {board.tile_name(at)}'s {units(board.armies[at].units)}?"
    lines = [f"- **{tech.capitalize()}**: {EFFECTS[tech]}" for tech in Technology if tech not in side.techs]
    return "\n".join([head, f"The next one takes {units(cost)}.", *lines])


def _army_label(board: Board, at: int) -> tuple[str, str]:
    """Return the label and the description of an army in the list."""
    army, city = board.armies[at], board.cities.get(at)
    city_text = "" if city is None else f", city of {city.size}"
    return f"{board.tile_name(at)}: {units(army.units)}", f"{mp_text(army.mp)} MP, TV {board.tiles[at]}{city_text}"


def _parts_label(split: Split) -> str:
    """Return the label of the button that attacks in parts."""
    return f"In {quantity(len(split.parts), 'part')}"


def turn_view(
    number: int,
    state: State,
    board: Board,
    selection: Selection,
    options: ArmyOptions | None,
    notes: Sequence[str] = (),
) -> discord.ui.LayoutView:
    """Return the turn message. `options`: of the selected army, None without one. `notes`: on what just happened."""
    selected = None if selection.at == NO_ARMY else selection.at
    going = 0 if selected is None else selection.going(board)
    text = "\n".join(_turn_lines(number, state, board, selected, going, forced=selection.pace == FORCED))
    view = text_view([text, *(["\n".join(notes)] if notes else [])])
    armies = _army_list(state, board, selection)
    if armies is not None:
        view.add_item(discord.ui.ActionRow(armies))
    if options is not None:
        view.add_item(discord.ui.ActionRow(*_unit_buttons(board, selection)))
        for row in ROWS:
            view.add_item(
                discord.ui.ActionRow(*(_direction_button(board, selection, options, direction) for direction in row))
            )
        view.add_item(discord.ui.ActionRow(*_action_buttons(board, selection, options)))
    view.add_item(discord.ui.ActionRow(*_turn_buttons(state, selection)))
    view.stop()
    return view


def attack_view(board: Board, selection: Selection, option: MoveOption, clash: Clash) -> discord.ui.LayoutView:
    """Return the confirmation of an attack, with its exact result."""
    view = text_view([_attack_text(board, selection.at, option.to or 0, clash, option)])
    direction = option.direction.lower()
    buttons = [_button(selection, f"hit-{direction}", f"Attack with {clash.attackers:,}", emoji=ATTACK, style=_RED)]
    if option.result is not None and option.split is not None and is_better(clash, option.result, option.split):
        buttons.append(_button(selection, f"parts-{direction}", _parts_label(option.split), emoji="✂️", style=_RED))
    buttons.append(_button(selection, "back", "Back", emoji="◀️"))
    view.add_item(discord.ui.ActionRow(*buttons))
    view.stop()
    return view


def tech_view(board: Board, player: int, selection: Selection, options: ArmyOptions) -> discord.ui.LayoutView:
    """Return the list of technologies that can be discovered."""
    view = text_view([_tech_text(board, player, selection.at)])
    choices = [
        discord.SelectOption(label=discovery.tech.capitalize(), value=discovery.tech.value)
        for discovery in discoveries(options)
    ]
    if choices:
        chooser: discord.ui.Select[Any] = discord.ui.Select(
            custom_id=f"k3:{selection}", options=choices, placeholder="Discover …"
        )
        view.add_item(discord.ui.ActionRow(chooser))
    view.add_item(discord.ui.ActionRow(_button(selection, "back", "Back", emoji="◀️")))
    view.stop()
    return view


def discoveries(options: ArmyOptions) -> list[Discover]:
    """Return the technologies that the army can discover now."""
    return [
        action.order for action in options.tile_actions if isinstance(action.order, Discover) and action.why is None
    ]


def _army_list(state: State, board: Board, selection: Selection) -> discord.ui.Select[Any] | None:
    own = sorted(board.armies_of(state.turn), key=lambda at: (at != selection.at, not board.armies[at].mp, at))
    listed = sorted(own[:MAX_CHOICES])
    options = []
    for at in listed:
        label, description = _army_label(board, at)
        options.append(
            discord.SelectOption(label=label, description=description, value=str(at), default=at == selection.at)
        )
    if not options:
        return None
    return discord.ui.Select(custom_id=f"k2:{selection}", options=options, placeholder="Which army?")


def _unit_buttons(board: Board, selection: Selection) -> Iterator[discord.ui.Button[Any]]:
    total = board.armies[selection.at].units
    half = total // 2
    going = selection.going(board)
    yield _button(selection, "all", f"All {total:,}", off=going == total)
    yield _button(selection, "half", f"Half {half:,}" if half else "Half", off=not half or going == half)
    yield _button(selection, "form", "Other …", emoji="✏️")
    forced = selection.pace == FORCED
    yield _button(
        selection, "pace", f"March: {'on' if forced else 'off'}", emoji=MARCH, style=_BLUE if forced else _GREY
    )


def _direction_button(
    board: Board, selection: Selection, options: ArmyOptions, direction: Direction | None
) -> discord.ui.Button[Any]:
    if direction is None:
        return _button(selection, "pass", "stay", emoji="💤", off=not _allowed(options, "pass"))
    option = next(option for option in options.moves if option.direction is direction)
    forced = selection.pace == FORCED
    label = _direction_label(board, option, forced=forced)
    attack = isinstance(option.order, Attack)
    march = forced and option.march is not None
    enabled = march or option.order is not None
    style = _RED if attack else _BLUE if enabled else _GREY
    return _button(selection, f"go-{direction.lower()}", label, emoji=ARROWS[direction], style=style, off=not enabled)


def _action_buttons(board: Board, selection: Selection, options: ArmyOptions) -> Iterator[discord.ui.Button[Any]]:
    for what in ACTIONS:
        if what == "tech":
            yield _button(selection, what, "Discover", off=not discoveries(options))
            continue
        enabled = _allowed(options, what)
        yield _button(
            selection,
            what,
            _action_label(board, selection.at, what),
            style=_GREEN if enabled else _GREY,
            off=not enabled,
        )


def _allowed(options: ArmyOptions, what: str) -> bool:
    return any(action.order.do == what and action.why is None for action in options.tile_actions)


def _turn_buttons(state: State, selection: Selection) -> Iterator[discord.ui.Button[Any]]:
    yield _button(selection, "undo", "Undo", emoji="↩️", off=not state.orders)
    yield _button(selection, "undo-turn", "Undo all", off=not state.orders)
    yield _button(selection, "orders", "Write orders …", emoji="⌨️")
    yield _button(selection, "end-turn", "End turn", emoji="🏁", style=_GREEN)


def _button(
    selection: Selection,
    what: str,
    label: str,
    *,
    emoji: str | None = None,
    style: discord.ButtonStyle = _GREY,
    off: bool = False,
) -> discord.ui.Button[Any]:
    return discord.ui.Button(label=label, emoji=emoji, style=style, disabled=off, custom_id=f"k1:{selection}:{what}")
