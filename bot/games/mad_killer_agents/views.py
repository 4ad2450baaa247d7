"""How a player's private message in their turn is laid out: for a thumb, the eight directions as they lie on the map.

Its buttons remember nothing: `k1:<selection>:<what>` holds the whole selection, as do the lists of armies
`k2:<selection>` and of technologies `k3:<selection>`.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import discord

from bot.games.mad_killer_agents.render.clash import better
from bot.games.mad_killer_agents.render.signs import ARROWS, ATTACK, MARCH
from bot.games.mad_killer_agents.render.turn import (
    army_label,
    attack_text,
    parts_label,
    tech_text,
    turn_lines,
    way_label,
    work_label,
)
from bot.games.mad_killer_agents.selection import FORCED, NOBODY, Selection
from bot.ui.layout import text_view
from bot.ui.limits import MAX_CHOICES
from sim.mad_killer_agents.battle.board import Board
from sim.mad_killer_agents.battle.options import Direction, Options, Way
from sim.mad_killer_agents.battle.orders import Attack, Discover
from sim.mad_killer_agents.battle.values import State
from sim.mad_killer_agents.combat import Clash

ROWS: tuple[tuple[Direction | None, ...], ...] = (
    (Direction.NORTH_WEST, Direction.NORTH, Direction.NORTH_EAST),
    (Direction.WEST, None, Direction.EAST),
    (Direction.SOUTH_WEST, Direction.SOUTH, Direction.SOUTH_EAST),
)
"""The compass; in its middle is the army itself, which may pass."""

WORKS = ("found", "grow", "lower", "raise", "tech")

_GREY, _BLUE = discord.ButtonStyle.secondary, discord.ButtonStyle.primary
_GREEN, _RED = discord.ButtonStyle.success, discord.ButtonStyle.danger


def turn_view(
    number: int, state: State, board: Board, selection: Selection, options: Options | None, notes: Sequence[str] = ()
) -> discord.ui.LayoutView:
    """Lay out the message; `options` of the selected army, None where there is none; `notes` on what just happened."""
    held = None if selection.at == NOBODY else selection.at
    going = 0 if held is None else selection.going(board)
    text = "\n".join(turn_lines(number, state, board, held, going, forced=selection.pace == FORCED))
    view = text_view([text, *(["\n".join(notes)] if notes else [])])
    armies = _armies(state, board, selection)
    if armies is not None:
        view.add_item(discord.ui.ActionRow(armies))
    if options is not None:
        view.add_item(discord.ui.ActionRow(*_parts(board, selection)))
        for row in ROWS:
            view.add_item(
                discord.ui.ActionRow(*(_direction(board, selection, options, direction) for direction in row))
            )
        view.add_item(discord.ui.ActionRow(*_works(board, selection, options)))
    view.add_item(discord.ui.ActionRow(*_course(state, selection)))
    view.stop()
    return view


def attack_view(board: Board, selection: Selection, way: Way, clash: Clash) -> discord.ui.LayoutView:
    """Lay out the question whether to attack, with the exact result."""
    view = text_view([attack_text(board, selection.at, way.to or 0, clash, way)])
    course = way.direction.lower()
    buttons = [_button(selection, f"hit-{course}", f"Attack with {clash.attackers:,}", emoji=ATTACK, style=_RED)]
    if way.result is not None and way.split is not None and better(clash, way.result, way.split):
        buttons.append(_button(selection, f"parts-{course}", parts_label(way.split), emoji="✂️", style=_RED))
    buttons.append(_button(selection, "back", "Back", emoji="◀️"))
    view.add_item(discord.ui.ActionRow(*buttons))
    view.stop()
    return view


def tech_view(board: Board, player: int, selection: Selection, options: Options) -> discord.ui.LayoutView:
    """Lay out the technologies that can be discovered."""
    view = text_view([tech_text(board, player, selection.at)])
    found = [
        discord.SelectOption(label=discovery.tech.capitalize(), value=discovery.tech.value)
        for discovery in discoveries(options)
    ]
    if found:
        chooser: discord.ui.Select[Any] = discord.ui.Select(
            custom_id=f"k3:{selection}", options=found, placeholder="Discover …"
        )
        view.add_item(discord.ui.ActionRow(chooser))
    view.add_item(discord.ui.ActionRow(_button(selection, "back", "Back", emoji="◀️")))
    view.stop()
    return view


def discoveries(options: Options) -> list[Discover]:
    """Return the technologies that the army can discover now."""
    return [work.order for work in options.works if isinstance(work.order, Discover) and work.why is None]


def _armies(state: State, board: Board, selection: Selection) -> discord.ui.Select[Any] | None:
    mine = sorted(board.armies_of(state.turn), key=lambda at: (at != selection.at, not board.armies[at].mp, at))
    listed = sorted(mine[:MAX_CHOICES])
    options = []
    for at in listed:
        label, small = army_label(board, at)
        options.append(discord.SelectOption(label=label, description=small, value=str(at), default=at == selection.at))
    if not options:
        return None
    return discord.ui.Select(custom_id=f"k2:{selection}", options=options, placeholder="Which army?")


def _parts(board: Board, selection: Selection) -> Iterator[discord.ui.Button[Any]]:
    every = board.armies[selection.at].units
    half = every // 2
    going = selection.going(board)
    yield _button(selection, "all", f"All {every:,}", off=going == every)
    yield _button(selection, "half", f"Half {half:,}" if half else "Half", off=not half or going == half)
    yield _button(selection, "form", "Other …", emoji="✏️")
    forced = selection.pace == FORCED
    yield _button(
        selection, "pace", f"March: {'on' if forced else 'off'}", emoji=MARCH, style=_BLUE if forced else _GREY
    )


def _direction(
    board: Board, selection: Selection, options: Options, direction: Direction | None
) -> discord.ui.Button[Any]:
    if direction is None:
        free = _possible(options, "pass")
        return _button(selection, "pass", "stay", emoji="💤", off=not free)
    way = next(way for way in options.ways if way.direction is direction)
    forced = selection.pace == FORCED
    label = way_label(board, way, forced=forced)
    attack = isinstance(way.order, Attack)
    march = forced and way.march is not None
    lit = march or way.order is not None
    style = _RED if attack else _BLUE if lit else _GREY
    return _button(selection, f"go-{direction.lower()}", label, emoji=ARROWS[direction], style=style, off=not lit)


def _works(board: Board, selection: Selection, options: Options) -> Iterator[discord.ui.Button[Any]]:
    for what in WORKS:
        if what == "tech":
            yield _button(selection, what, "Discover", off=not discoveries(options))
            continue
        lit = _possible(options, what)
        yield _button(
            selection, what, work_label(board, selection.at, what), style=_GREEN if lit else _GREY, off=not lit
        )


def _possible(options: Options, what: str) -> bool:
    return any(work.order.do == what and work.why is None for work in options.works)


def _course(state: State, selection: Selection) -> Iterator[discord.ui.Button[Any]]:
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
