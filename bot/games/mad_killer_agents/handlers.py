"""The desks of `/mka map`, `/mka battle` and `/mka simulate`."""

from collections.abc import Sequence
from typing import Any

import discord

from bot.answers.document import Document
from bot.answers.handler import QueryHandler
from bot.answers.query import Query
from bot.games.mad_killer_agents.render.clash import clash_book
from bot.games.mad_killer_agents.render.maps import ANOTHER, map_book
from bot.games.mad_killer_agents.render.simulate import AGAIN, simulate_book
from bot.games.mad_killer_agents.typed import (
    MOST_AIS,
    MOST_SIZE,
    read_ais,
    read_drawing,
    read_number,
)
from bot.store.uploads import UploadRepository
from bot.ui.limits import MAX_INTEGER
from bot.ui.modals import choice_field, text_field
from bot.ui.progress import NO_PROGRESS, Progress
from bot.ui.seeds import Seed, new_seed
from sim.core.errors import RuleError
from sim.mad_killer_agents.battle_text import EXAMPLE, MAX_TEXT, parse_battle
from sim.mad_killer_agents.constants import MOST_ROUNDS, MapKind
from sim.mad_killer_agents.map_file import map_csv
from sim.mad_killer_agents.requests import BattleRequest, FilmRequest, MapReport, MapRequest, Picture, ReadMapRequest
from sim.mad_killer_agents.simulate import (
    MOST_GAMES,
    GameSoFar,
    SimulateReport,
    SimulateReportRequest,
    SimulateRequest,
)
from sim.mad_killer_agents.terrain import Drawing
from sim.workers import Caller

MOST_SECONDS = 1200.0
"""Rough seconds, by the rules' own upper figure, that games of AIs may take together; really it is far less."""

_KINDS = {kind.value: kind.capitalize() for kind in MapKind}
_MOST_DIGITS = 16


class MapQuery(Query):
    """What a player asked `/mka map`; `sha256`: of a file to look at, and its `name`, instead of a drawn map."""

    size: str = "20x20"
    kind: str = MapKind.MOUNTAINS.value
    without: int | None = None
    seed: Seed = 0
    sha256: str | None = None
    name: str | None = None

    def uploads(self) -> Sequence[str]:
        """Return the file."""
        return () if self.sha256 is None else (self.sha256,)


class MapHandler(QueryHandler[MapQuery]):
    """Answers `/mka map`."""

    kind = "mka-map"
    query = MapQuery
    checks_slowly = True

    async def check(self, query: MapQuery, caller: Caller) -> None:
        """Read the options, or the file."""
        await self._request(query, caller)

    async def build_document(self, query: MapQuery, caller: Caller, _progress: Progress) -> Document:
        """Return the map's page."""
        report = await self._report(query, caller)
        drawing = None if query.sha256 is not None else _drawing(query)
        return map_book(report, drawing, query.seed, query.name)

    async def build_files(self, query: MapQuery, caller: Caller) -> dict[str, bytes]:
        """Return the map as CSV, to play on, its picture and its statistics."""
        report = await self._report(query, caller)
        return {
            "map.csv": map_csv(report.terrain),
            "map.png": report.picture.data,
            "map.json": report.statistics.model_dump_json(indent=1).encode(),
        }

    def fields(self, query: MapQuery) -> Sequence[discord.ui.Label[Any]]:
        """Return the form."""
        without = "" if query.without is None else str(query.without)
        return [
            text_field("size", "Columns x rows", query.size, max_length=MOST_SIZE),
            choice_field("kind", "Kind of map", _KINDS, query.kind),
            text_field("without", "Plateaus without TV", without, max_length=_MOST_DIGITS, hint="empty: drawn"),
            text_field("seed", "Seed", str(query.seed), max_length=_MOST_DIGITS),
        ]

    def apply_form(self, query: MapQuery, values: dict[str, str]) -> MapQuery:
        """Return the question with what was typed; a file gives way to a drawn map."""
        without = values.get("without", "").strip()
        changes = {
            "size": values.get("size", ""),
            "kind": values.get("kind", query.kind),
            "without": read_number(without, "Without", 0, 9) if without else None,
            "seed": read_number(values.get("seed", "0"), "Seed", 0, MAX_INTEGER),
            "sha256": None,
        }
        return query.model_copy(update=changes)

    def apply_action(self, query: MapQuery, action: str) -> MapQuery | None:
        """Draw another one."""
        return query.model_copy(update={"seed": new_seed()}) if action == ANOTHER.action else None

    async def _request(self, query: MapQuery, caller: Caller) -> MapRequest:
        if query.sha256 is None:
            return MapRequest(drawing=_drawing(query), seed=query.seed)
        data = await self._bot.services[UploadRepository].read(query.sha256)
        return MapRequest(terrain=await self._bot.simulator.run(ReadMapRequest(data=data), caller))

    async def _report(self, query: MapQuery, caller: Caller) -> MapReport:
        return await self._bot.simulator.run(await self._request(query, caller), caller)


class ClashQuery(Query):
    """What a player asked `/mka battle`."""

    battle: str

    def request(self) -> BattleRequest:
        """Read it; TextError with every mistake and its place."""
        return BattleRequest.of(parse_battle(self.battle))


class ClashHandler(QueryHandler[ClashQuery]):
    """Answers `/mka battle`."""

    kind = "mka-battle"
    query = ClashQuery

    async def build_document(self, query: ClashQuery, caller: Caller, _progress: Progress) -> Document:
        """Return what the battle leads to, and how to split best."""
        request = query.request()
        return clash_book(request.clash, await self._bot.simulator.run(request, caller))

    async def build_files(self, query: ClashQuery, caller: Caller) -> dict[str, bytes]:
        """Return the figures."""
        report = await self._bot.simulator.run(query.request(), caller)
        return {"battle.json": report.model_dump_json(indent=1).encode()}

    def fields(self, query: ClashQuery) -> Sequence[discord.ui.Label[Any]]:
        """Return the battle."""
        return [text_field("battle", "The battle", query.battle, max_length=MAX_TEXT, hint=f"as in: {EXAMPLE}")]

    def apply_form(self, query: ClashQuery, values: dict[str, str]) -> ClashQuery:
        """Return the question as typed into the form."""
        return query.model_copy(update={"battle": values.get("battle", "")})

    def recent_text(self, query: ClashQuery) -> str | None:
        """Return the battle, to be offered again."""
        return query.battle


class SimulateQuery(Query):
    """What a player asked `/mka simulate`."""

    players: str
    games: int = 1
    rounds: int = 100
    size: str = "20x20"
    kind: str = MapKind.MOUNTAINS.value
    seed: Seed

    def request(self) -> SimulateRequest:
        """Read it; RuleError for AIs that don't play with each other, or too much work."""
        request = SimulateRequest(
            players=read_ais(self.players),
            drawing=read_drawing(self.size, self.kind, None),
            rounds=self.rounds,
            games=self.games,
            seed=self.seed,
        )
        if request.cost() > MOST_SECONDS:
            raise RuleError("These games would take too long together: fewer games, rounds, players or tiles, please.")
        return request


class SimulateHandler(QueryHandler[SimulateQuery]):
    """Answers `/mka simulate`, game by game."""

    kind = "mka-simulate"
    query = SimulateQuery

    async def build_document(self, query: SimulateQuery, caller: Caller, progress: Progress) -> Document:
        """Return table, picture and, of one game, how it went."""
        request = query.request()
        report, film = await self._played(request, caller, progress)
        return simulate_book(report, request.seed, film)

    async def build_files(self, query: SimulateQuery, caller: Caller) -> dict[str, bytes]:
        """Return the report, the picture and the film."""
        report, film = await self._played(query.request(), caller)
        files = {"simulation.json": report.model_dump_json(indent=1, exclude={"chart"}).encode()}
        if report.chart is not None:
            files["scores.png"] = report.chart.data
        if film is not None:
            files["war.gif"] = film.data
        return files

    def fields(self, query: SimulateQuery) -> Sequence[discord.ui.Label[Any]]:
        """Return the form."""
        return [
            text_field("players", "AIs", query.players, max_length=MOST_AIS, hint="such as: marshal, 2 pillager"),
            text_field("games", "Games", str(query.games), max_length=_MOST_DIGITS, hint=f"1 to {MOST_GAMES}"),
            text_field("rounds", "Rounds", str(query.rounds), max_length=_MOST_DIGITS, hint=f"1 to {MOST_ROUNDS}"),
            text_field("size", "Columns x rows", query.size, max_length=MOST_SIZE),
            choice_field("kind", "Kind of map", _KINDS, query.kind),
        ]

    def apply_form(self, query: SimulateQuery, values: dict[str, str]) -> SimulateQuery:
        """Return the question as typed into the form."""
        changes = {
            "players": values.get("players", ""),
            "games": read_number(values.get("games", ""), "Games", 1, MOST_GAMES),
            "rounds": read_number(values.get("rounds", ""), "Rounds", 1, MOST_ROUNDS),
            "size": values.get("size", ""),
            "kind": values.get("kind", query.kind),
        }
        return query.model_copy(update=changes)

    def apply_action(self, query: SimulateQuery, action: str) -> SimulateQuery | None:
        """Play once more with another seed."""
        return query.model_copy(update={"seed": new_seed()}) if action == AGAIN.action else None

    async def _played(
        self, request: SimulateRequest, caller: Caller, bar: Progress = NO_PROGRESS
    ) -> tuple[SimulateReport, Picture | None]:
        async def work() -> tuple[SimulateReport, Picture | None]:
            games: list[GameSoFar] = []
            for first in request.parts(keep_events=request.games == 1):
                game = await self._bot.simulator.once(first, caller)
                while not game.over:
                    bar.update(*_progress(request, len(games), game))
                    game = await self._bot.simulator.once(first.next(game), caller)
                games.append(game)
                bar.update(*_progress(request, len(games), None))
            report = await self._bot.simulator.once(SimulateReportRequest(report=request.report(games)), caller)
            return report, await self._film(games[0], caller) if len(games) == 1 else None

        return await self._bot.simulator.through(("mka-simulate", request), work)

    async def _film(self, game: GameSoFar, caller: Caller) -> Picture | None:
        try:
            return await self._bot.simulator.once(FilmRequest(told=game.told, rounds=game.state.round), caller)
        except RuleError:
            return None  # too long a war to film: the table and the picture tell of it


def _progress(request: SimulateRequest, over: int, game: GameSoFar | None) -> tuple[float, str]:
    part = 0.0 if game is None else game.state.round / (request.rounds + 1)
    where = "" if game is None else f", round {game.state.round} of the next"
    return (over + part) / request.games, f"{over:,} of {request.games:,} games played{where}"


def _drawing(query: MapQuery) -> Drawing:
    return read_drawing(query.size, query.kind, query.without)
