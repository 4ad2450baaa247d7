"""The turn message: what is selected in it, its text, and its buttons, with the directions as they lie on the map."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import discord

from bot.battles.presenter import Position
from bot.games.mad_killer_agents import render as r
from bot.games.mad_killer_agents.render import units
from bot.store.battle import Battle
from bot.ui import MAX_CHOICES, Button, Picture, Style, View, id_button, plain, text_view
from sim.core import RuleError
from sim.core.numbers import quantity
from sim.mad_killer_agents import constants as c
from sim.mad_killer_agents.battle import Phase, State, number_of
from sim.mad_killer_agents.battle.board import Board
from sim.mad_killer_agents.battle.order_input import ArmyOptions, Direction, MoveOption
from sim.mad_killer_agents.battle.orders import mp_text
from sim.mad_killer_agents.cards import verdict
from sim.mad_killer_agents.combat import BattleReport

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

_BLUE, _GREEN, _RED = Style.primary, Style.success, Style.danger


@dataclass(frozen=True, slots=True)
class TurnMessage:
    """The turn message of a war, and what takes its place for a while; `options`: of the army, None without one."""

    number: int
    state: State
    board: Board
    selection: Selection
    options: ArmyOptions | None

    def view(self, notes: Sequence[str] = (), picture: Picture | None = None) -> View:
        """Lay it out. `notes`: on what just happened. `picture`: the map around the army."""
        # An army can either found a city or grow one: at most one button.
        buttons = [self._button(what, self._label(what), style=_GREEN) for what in self._allowed("found", "grow")]
        buttons += [self._button("undo", "Undo", "↩️")] if self.state.orders else []
        buttons.append(id_button(f"k0:{self.selection.battle_id}:map", "Map", "🗺️"))
        buttons.append(self._button("end-turn", "End turn", "🏁", _GREEN))
        rows: list[Sequence[discord.ui.Item[Any]]] = [
            self._army_list(),
            *([*self._direction_buttons(row)] for row in _ROWS),
            [self._more_list()],
            buttons,
        ]
        texts = ["\n".join(self._lines()), *(["\n".join(notes)] if notes else [])]
        return text_view(texts, picture=picture, rows=rows)

    def attack_view(self, option: MoveOption, battle: BattleReport, picture: Picture | None) -> View:
        """Lay out the confirmation of an attack, with its exact result."""
        board, direction = self.board, option.direction.lower()
        enemy = plain(board.sides[board.holder(option.to)].name)
        lines = [
            f"### {board.tile_name(self.selection.at)} attacks {enemy} on {board.tile_name(option.to)}?",
            *r.strength_lines(battle),
            f"**{verdict(battle.result)}**",
            *r.outcome_lines(battle),
            *r.split_lines(battle),
        ]
        buttons = [self._button(f"hit-{direction}", f"Attack with {battle.clash.attackers:,}", r.ATTACK, _RED)]
        if battle.advice is not None:
            label = f"Attack in {quantity(len(battle.split.parts), 'part')}"
            buttons.append(self._button(f"parts-{direction}", label, "✂️", _RED))
        buttons.append(self._button("back", "Back", "◀️"))
        return text_view(["\n".join(lines)], picture=picture, rows=[buttons])

    def tech_view(self) -> View:
        """Lay out the list of technologies that can be discovered, with those still unknown and their cost."""
        known = self.board.sides[self.state.turn].techs
        lines = [
            f"### What does the army on {self.board.tile_name(self.selection.at)} discover?",
            f"It costs {self._paid(c.discovery_cost(len(known)))} and no MP; the next one costs more.",
            *(f"- **{tech.capitalize()}**: {c.EFFECTS[tech]}" for tech in c.Technology if tech not in known),
        ]
        choices = [
            discord.SelectOption(label=tech.capitalize(), description=c.EFFECTS[tech], value=tech.value)
            for tech in c.Technology
            if self._allowed(tech)
        ]
        chooser: discord.ui.Select[Any] = discord.ui.Select(
            custom_id=f"k3:{self.selection}", options=choices, placeholder="Choose a technology …"
        )
        back = self._button("back", "Back", "◀️")
        return text_view(["\n".join(lines)], rows=[[chooser] if choices else [], [back]])

    def _lines(self) -> Iterator[str]:
        state, board, at = self.state, self.board, self.selection.at
        player, side = state.player(state.turn), board.sides[state.turn]
        yield f"### #{self.number} {r.round_label(state)}: your turn"
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
        if at == NO_ARMY:
            return
        army, city, going = board.armies[at], board.cities.get(at), self.selection.going(board)
        here = f"\n**{board.tile_name(at)}**: {units(army.units)} on tile value (TV) {board.tiles[at]}"
        points = f"{mp_text(army.mp)} movement point" if army.mp else "no movement points"
        yield f"{here}, {points} (MP) left"
        if city is not None:
            yield f"{r.CITY} A city of size {city.size} is here, +{board.income(at)} a turn."
        sent = f"{'all' if going == army.units else f'{going:,} of'} {army.units:,}"
        if army.mp:
            yield f"{r.MARCH if self.selection.pace == FORCED else '👣'} An arrow sends **{sent}**."
        if self.options is not None and army.mp >= c.WORK_COST:
            why = self.options.refused.get("found" if city is None else "grow")
            if why is not None:
                yield f"-# {why}"

    def _label(self, what: str) -> str:
        """Return the label of a button for an action on the army's tile: what it costs, and what it brings."""
        board, player, at = self.board, self.state.turn, self.selection.at
        if what == "found":
            return f"Found a city: costs {self._paid(c.FOUND_UNITS)}, makes +{board.production(at, 1, player)} a turn"
        if what == "grow":
            size = board.cities[at].size
            more = board.production(at, size + 1, player) - board.income(at)
            return f"Grow the city to {size + 1}: costs {self._paid(c.growth_cost(size))}, makes {more} more a turn"
        if what == "tech":
            return f"Discover: costs {self._paid(c.discovery_cost(len(board.sides[player].techs)))}"
        value = board.tiles[at]
        cost, after = (c.RAISE_UNITS, value + 1) if what == "raise" else (c.LOWER_UNITS, value - 1)
        return f"{what.capitalize()} the tile to {after}: costs {self._paid(cost)}, 1 MP"

    def _paid(self, cost: int) -> str:
        return f"all {units(cost)}" if cost == self.board.armies[self.selection.at].units else units(cost)

    def _army_list(self) -> list[discord.ui.Select[Any]]:
        """Return the list of armies, if there are any."""
        board, chosen = self.board, self.selection.at
        own = sorted(board.armies_of(self.state.turn), key=lambda at: (at != chosen, not board.armies[at].mp, at))
        options = []
        for at in sorted(own[:MAX_CHOICES]):
            army, city = board.armies[at], board.cities.get(at)
            about = f"{mp_text(army.mp)} MP, TV {board.tiles[at]}{'' if city is None else f', city of {city.size}'}"
            label = f"{board.tile_name(at)}: {units(army.units)}"
            options.append(discord.SelectOption(label=label, description=about, value=str(at), default=at == chosen))
        custom_id = f"k2:{self.selection}"
        return [discord.ui.Select(custom_id=custom_id, options=options, placeholder="Which army?")] if options else []

    def _direction_buttons(self, row: Sequence[Direction]) -> Iterator[Button]:
        """Yield the buttons of those directions of a row where the army can go: what moving there costs or attacks."""
        for option in () if self.options is None else self.options.moves:
            way, marches = option.direction, self.selection.pace == FORCED and option.march is not None
            if way in row and (option.order is not None or marches):
                there = self.board.armies.get(option.to)
                what = f"{mp_text(option.cost)} MP" + ("" if there is None else f" +{there.units:,}")
                if marches:
                    what = f"½ MP, {option.march_loss:,} lost"
                elif option.battle is not None:
                    what = f"vs {'city' if there is None else f'{there.units:,}'}"
                label, style = f"{self.board.tile_name(option.to)} {what}", _BLUE if option.battle is None else _RED
                yield self._button(f"go-{way.lower()}", label, _ARROWS[way], style)

    def _allowed(self, *actions: str) -> list[str]:
        """Return which of these actions the army can do and pay for now on its tile."""
        if self.options is None:
            return []
        refused = self.options.refused
        discovers = any(tech not in refused for tech in c.Technology)
        return [what for what in actions if (discovers if what == "tech" else what not in refused)]

    def _more_list(self) -> discord.ui.Select[Any]:
        """Return the list of how many units go, what else the army can do, and other ways to play."""
        choices: list[tuple[str, str, str | None]] = []
        if self.options is not None and self.board.armies[self.selection.at].mp:
            total, going = self.board.armies[self.selection.at].units, self.selection.going(self.board)
            forced = self.selection.pace == FORCED
            if going != total:
                choices.append(("all", f"Send all {total:,}", "👣"))
            if going != total // 2 > 0:
                choices.append(("half", f"Send half: {total // 2:,}", "✂️"))
            choices.append(("form", "Send another number, or choose an army …", "✏️"))
            if forced or any(option.march is not None for option in self.options.moves):
                choices.append(("pace", f"{'End' if forced else 'Begin'} the forced march", r.MARCH))
        choices += [(what, self._label(what), None) for what in self._allowed("lower", "raise", "tech")]
        if self._allowed("pass"):
            choices.append(("pass", "Stay here this turn", "💤"))
        if self.state.orders:
            choices.append(("undo-turn", "Undo all orders", "↩️"))
        choices += [("orders", "Write orders …", "⌨️"), ("text", "Map as text", "📄")]
        listed = [discord.SelectOption(label=label, value=what, emoji=emoji) for what, label, emoji in choices]
        placeholder = "Split, build, write orders …"
        return discord.ui.Select(custom_id=f"k5:{self.selection}", options=listed, placeholder=placeholder)

    def _button(self, what: str, label: str, emoji: str | None = None, style: Style = Style.secondary) -> Button:
        return id_button(f"k1:{self.selection}:{what}", label, emoji, style)


def holders_of(battle: Battle) -> dict[int, int]:
    """Return the user ids of the participants by player number."""
    return {number: user for seat, user in battle.holders.items() if (number := number_of(seat)) is not None}


def waits_for(battle: Battle, state: State) -> int | None:
    """Return the number of the person on turn; None if the game waits for an AI or for nobody."""
    if not battle.is_open or state.phase is not Phase.PLAYING:
        return None
    return state.turn if state.player(state.turn).played_by is None else None
