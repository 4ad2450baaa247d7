"""Requests: maps, pictures and exports of games, battles; those of AIs are in `simulate`.

Pillow is imported only while a job runs: the process that asks must not load them.
"""

import re
from collections.abc import Sequence
from typing import Annotated

from pydantic import Field
from typing_extensions import override

from sim.core import Faults, RuleError
from sim.core.cards.card import Card
from sim.core.cards.draw import CardRequest
from sim.core.cards.values import DrawnCard
from sim.core.dice import Seed, SeededDice, seed_bytes
from sim.core.numbers import quantity
from sim.core.values import Frozen, Request
from sim.csv import Fault, Table, check_table, column_letter, read_table, write_table
from sim.mad_killer_agents import map_picture as m
from sim.mad_killer_agents.battle import Count, Phase, RulesVersion, State, Tile
from sim.mad_killer_agents.battle.board import Board, board_of
from sim.mad_killer_agents.battle.events import Ended, log
from sim.mad_killer_agents.battle.order_input import ArmyOptions, army_options
from sim.mad_killer_agents.battle.rules import MapWar
from sim.mad_killer_agents.cards import History, draw_war, turns
from sim.mad_killer_agents.combat import BattleReport, Clash, best_split, fight
from sim.mad_killer_agents.constants import MAX_PLAYERS, MAX_SIDE, MAX_VALUE, MIN_SIDE, MIN_VALUE, RULES_VERSION
from sim.mad_killer_agents.terrain import Drawing, MapStatistics, Terrain, statistics

MAX_ALT = 1000
"""Characters of a map in words: what Discord takes, and some to spare."""

_DRAWING_SECONDS = 0.8  # 40 x 40 tiles, all of them owned, on a slow machine
_READING_SECONDS = 0.2
_MAX_FRAMES = 81
_CHARACTER_SECONDS = 2e-7  # to read an event and replay it


class MapReport(Frozen):
    """A map, its statistics and its picture (PNG)."""

    terrain: Terrain
    statistics: MapStatistics
    picture: DrawnCard


class MapRequest(Request):
    """A map drawn from a seed by an edition of the rules, or the existing map `terrain`."""

    max_seconds = _DRAWING_SECONDS

    drawing: Drawing = Drawing()
    seed: Seed = 0
    rules_version: RulesVersion = RULES_VERSION
    terrain: Terrain | None = None

    def draw(self) -> Terrain:
        """Return the map alone; within an edition, a seed always gives the same one."""
        return self.terrain or self.drawing.draw(SeededDice(seed_bytes(self.seed)), self.rules_version)

    def run(self) -> MapReport:
        """Return the map, its statistics and its picture."""
        terrain = self.draw()
        picture = MapCardRequest(terrain=terrain).run()
        return MapReport(terrain=terrain, statistics=statistics(terrain), picture=picture)


class MapCardRequest(CardRequest):
    """The picture of a map that nobody is on."""

    max_seconds = _DRAWING_SECONDS

    terrain: Terrain

    @override
    def draw(self) -> Card:
        terrain = self.terrain
        counts = enumerate(statistics(terrain).counts, start=MIN_VALUE)
        shares = ", ".join(f"{count} of TV {value}" for value, count in counts)
        card = m.draw_map(Board(terrain.width, terrain.height, terrain.values))
        card.alt = f"A map of {terrain.width} x {terrain.height} tiles: {shares}."
        return card


class ReadMapRequest(Request):
    """A map from a CSV file."""

    max_seconds = _READING_SECONDS

    data: bytes

    def run(self) -> Terrain:
        """Return the map; TableError with everything that is wrong with the file."""
        return read_map(self.data)


class ExportRequest(Request):
    """The map of a game and everything on it as CSV files."""

    max_seconds = _READING_SECONDS

    state: State

    def run(self) -> dict[str, bytes]:
        """Return the files by name; none if the game has no map yet."""
        if self.state.world is None:
            return {} if self.state.setup.terrain is None else {"map.csv": map_csv(self.state.setup.terrain)}
        terrain = Terrain(rows=self.state.world.tiles)
        return {"map.csv": map_csv(terrain), "board.csv": board_csv(board_of(self.state))}


class PictureRequest(CardRequest):
    """The picture of a game, or of a part of it; RuleError for one that hasn't begun.

    `part`: for the player with that number, 0 for somebody who only watches; a number of one of the `blocks` instead.
    `selected`: a tile to mark and to look at in place of a part. `ended`: whether the game was
    ended early, so that it is nobody's turn.
    """

    max_seconds = _DRAWING_SECONDS

    state: State
    part: m.Part | Count = m.Part.ALL
    player: Annotated[int, Field(ge=0, le=MAX_PLAYERS, strict=True)] = 0
    selected: Tile | None = None
    ended: bool = False

    @override
    def draw(self) -> Card:
        board = board_of(self.state)
        every = m.blocks(board.width, board.height)
        if self.selected is not None:
            window = m.around(board, self.selected)
        elif isinstance(self.part, m.Part):
            window = m.window_of(board, self.part, self.player)
        elif self.part < len(every):
            window = every[self.part]
        else:
            raise RuleError("That part is not on the map.")
        turn = self.state.turn if self.state.phase is Phase.PLAYING and not self.ended else 0
        card = m.draw_map(board, self.state.tracks, turn, window, self.selected)
        card.alt = self._alt(board, window, turn)
        return card

    def _alt(self, board: Board, window: m.Window, on_turn: int) -> str:
        parts = [f"The map of {board.width} x {board.height} tiles in round {self.state.round}."]
        if window.columns * window.rows < board.width * board.height:
            parts = [f"The tiles {window.name(board.width)} in round {self.state.round}."]
        for number, side in sorted(board.sides.items()):
            if side.out:
                parts.append(f"{side.name} is out.")
                continue
            figures = board.figures(number)
            turn = ", on turn" if number == on_turn else ""
            held = [quantity(figures.score, "point"), quantity(figures.units, "unit")]
            held += [quantity(figures.cities, "city", "cities")] if figures.cities else []
            parts.append(f"{side.name}{turn}: {', '.join(held)}.")
        told = " ".join(parts)
        places = m.place_texts(board, self.player, {*window.tiles(board.width)})
        return f"{told} {'; '.join(m.fitting(places, MAX_ALT - len(told), 2))}."


class WarCardRequest(CardRequest):
    """The card of a war that is over. `event_batches`: as of `FilmRequest`."""

    character_seconds = _CHARACTER_SECONDS
    state: State
    event_batches: tuple[str, ...]

    @override
    def draw(self) -> Card:
        return draw_war(History(self.state, MapWar().events.read_lists(self.event_batches)))


def panel_card(state: State, _state_json: str, events_json: Sequence[str]) -> CardRequest | None:
    """Return the card of a game, see `sim.jobs.replay_page`."""
    if state.phase is Phase.OVER:
        return WarCardRequest(state=state, event_batches=tuple(events_json))
    return board_card(state)


def board_card(state: State, *, ended: bool = False) -> PictureRequest | MapCardRequest | None:
    """Return the picture of a game's map; None if the lobby's is yet to be drawn. `ended`: as in `PictureRequest`."""
    if state.world is not None:
        return PictureRequest(state=state, ended=ended)
    return None if state.setup.terrain is None else MapCardRequest(terrain=state.setup.terrain)


class FilmRequest(Request):
    """A game as an animation (GIF).

    `event_batches`: the events of the game's steps that were not undone, in order, as JSON lists; only the job parses
    them. `rounds`: the number of rounds played.
    """

    max_seconds = 0.1
    character_seconds = _CHARACTER_SECONDS
    event_batches: tuple[str, ...]
    rounds: Count

    @override
    def cost(self) -> float:
        return super().cost() + 0.02 * min(self.rounds + 1, _MAX_FRAMES)

    def run(self) -> DrawnCard:
        """Replay the events and draw the animation; RuleError if no game began."""
        from sim.mad_killer_agents.film import film_gif  # noqa: PLC0415

        events = MapWar().events.read_lists(self.event_batches)
        boards = ((board, f"Round {number}") for board, number, is_over in turns(events) if is_over)
        ends = [event for event in events if isinstance(event, Ended)]
        alt = " ".join([f"A film of the war, {quantity(self.rounds, 'round')}.", *log(tuple(ends[-1:]))])
        return DrawnCard(data=film_gif(boards, self.rounds), alt=alt)


class OptionsRequest(Request):
    """What the army on a tile can do, or `units` of it."""

    max_seconds = 2.0

    state: State
    at: Tile
    units: Annotated[int, Field(ge=1, strict=True)] | None = None

    def run(self) -> ArmyOptions:
        """Return the options; RuleError if the player on turn has no army there."""
        return army_options(self.state, self.at, self.units)


class BattleRequest(Request):
    """A battle outside a game."""

    clash: Clash

    @override
    def cost(self) -> float:
        return min(1.5, 0.01 + 5e-5 * self.clash.defenders * max(1, self.clash.city))

    def run(self) -> BattleReport:
        """Return the result and the best split."""
        return BattleReport(clash=self.clash, result=fight(self.clash), split=best_split(self.clash))


_LETTERS = re.compile(r"[A-Za-z]{1,2}", re.ASCII)
_NUMBER = re.compile(r"[0-9]{1,2}", re.ASCII)

_Rows = list[tuple[int, tuple[str, ...]]]


def map_csv(terrain: Terrain) -> bytes:
    """Return a map as CSV without a header: each line is a row of tile values."""
    return write_table(terrain.rows[0], terrain.rows[1:])


def board_csv(board: Board) -> bytes:
    """Return everything on a board as CSV: one line per tile."""
    header = ("tile", "value", "owner", "army", "units", "city", "size")
    rows = []
    for tile, value in enumerate(board.tiles):
        army, city = board.armies.get(tile), board.cities.get(tile)
        owner = board.owners[tile]
        rows.append(
            (
                board.tile_name(tile),
                value,
                board.sides[owner].name if owner else "",
                "" if army is None else board.sides[army.owner].name,
                "" if army is None else army.units,
                "" if city is None else f"{board.sides[city.owner].name} {city.number}",
                "" if city is None else city.size,
            )
        )
    return write_table(header, rows)


def read_map(data: bytes) -> Terrain:
    """Return the map in a file; TableError with what is wrong, the size included."""
    rows, left = _tile_rows(read_table(data))
    faults = Faults[Fault]()
    values = {str(value) for value in range(MIN_VALUE, MAX_VALUE + 1)}
    width = len(rows[0][1]) if rows else 0
    if not (MIN_SIDE <= width <= MAX_SIDE and MIN_SIDE <= len(rows) <= MAX_SIDE):
        size = f"{width} x {len(rows)}"
        faults.add(Fault(None, None, f"A map has {MIN_SIDE} to {MAX_SIDE} tiles each way; this one is {size}."))
    for number, cells in rows:
        if len(cells) != width:
            faults.add(Fault(number, None, f"The row has {len(cells)} tiles where the first has {width}."))
        faults.extend(
            Fault(
                number,
                f"column {column_letter(at + left)}",
                f"{cell[:20]!r} is no tile value from {MIN_VALUE} to {MAX_VALUE}.",
            )
            for at, cell in enumerate(cells)
            if cell not in values
        )
    check_table(faults)
    return Terrain(rows=tuple("".join(cells) for _, cells in rows))


def _tile_rows(table: Table) -> tuple[_Rows, int]:
    """Return the rows of tiles with their line numbers in the file, and the number of columns skipped before them."""
    head = table.header
    rows = [(row.number, row.cells) for row in table.rows]
    if not head[1:] or not all(map(_LETTERS.fullmatch, head[1:])):
        return [(table.header_row, head), *rows], 0
    # With letters from the second column on, the first column has row numbers unless it has a letter itself.
    numbered = head[0].upper() != column_letter(0) or head[1].upper() == column_letter(0)
    left = int(numbered and all(_NUMBER.fullmatch(cells[0]) for _, cells in rows))
    return [(number, cells[left:]) for number, cells in rows], left
