"""The desks of `/mka map`, `/mka battle` and `/mka simulate`."""

from collections.abc import Sequence
from typing import Annotated, Any

import discord
from pydantic import Field

from bot.answers.document import Document
from bot.answers.handler import QueryHandler, Query
from bot.games.mad_killer_agents.render.clash import clash_book
from bot.games.mad_killer_agents.render.maps import ANOTHER, map_book
from bot.games.mad_killer_agents.render.simulate import AGAIN, simulate_book
from bot.games.mad_killer_agents.typed import (
    MAX_SEED,
    MOST_AIS,
    MOST_SIZE,
    new_seed,
    read_ais,
    read_drawing,
    read_number,
)
from bot.ui.modals import choice_field, text_field
from bot.ui.progress import SILENT, Progress
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

Seed = Annotated[int, Field(ge=0, le=MAX_SEED)]

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
    question = MapQuery
    checks_slowly = True

    async def check(self, question: MapQuery, caller: Caller) -> None:
        """Read the options, or the file."""
        await self._request(question, caller)

    async def work_out(self, question: MapQuery, caller: Caller, _progress: Progress) -> Document:
        """Return the map's page."""
        report = await self._report(question, caller)
        drawing = None if question.sha256 is not None else _drawing(question)
        return map_book(report, drawing, question.seed, question.name)

    async def write(self, question: MapQuery, caller: Caller) -> dict[str, bytes]:
        """Return the map as CSV, to play on, its picture and its statistics."""
        report = await self._report(question, caller)
        return {
            "map.csv": map_csv(report.terrain),
            "map.png": report.picture.data,
            "map.json": report.statistics.model_dump_json(indent=1).encode(),
        }

    def fields(self, question: MapQuery) -> Sequence[discord.ui.Label[Any]]:
        """Return the form."""
        without = "" if question.without is None else str(question.without)
        return [
            text_field("size", "Columns x rows", question.size, most=MOST_SIZE),
            choice_field("kind", "Kind of map", _KINDS, question.kind),
            text_field("without", "Plateaus without TV", without, most=_MOST_DIGITS, hint="empty: drawn"),
            text_field("seed", "Seed", str(question.seed), most=_MOST_DIGITS),
        ]

    def edited(self, question: MapQuery, values: dict[str, str]) -> MapQuery:
        """Return the question with what was typed; a file gives way to a drawn map."""
        without = values.get("without", "").strip()
        changes = {
            "size": values.get("size", ""),
            "kind": values.get("kind", question.kind),
            "without": read_number(without, "Without", 0, 9) if without else None,
            "seed": read_number(values.get("seed", "0"), "Seed", 0, MAX_SEED),
            "sha256": None,
        }
        return question.model_copy(update=changes)

    def changed(self, question: MapQuery, action: str) -> MapQuery | None:
        """Draw another one."""
        return question.model_copy(update={"seed": new_seed()}) if action == ANOTHER.action else None

    async def _request(self, question: MapQuery, caller: Caller) -> MapRequest:
        if question.sha256 is None:
            return MapRequest(drawing=_drawing(question), seed=question.seed)
        data = await self._bot.uploads.read(question.sha256)
        return MapRequest(terrain=await self._bot.simulator.run(ReadMapRequest(data=data), caller))

    async def _report(self, question: MapQuery, caller: Caller) -> MapReport:
        return await self._bot.simulator.run(await self._request(question, caller), caller)


class ClashQuery(Query):
    """What a player asked `/mka battle`."""

    battle: str

    def request(self) -> BattleRequest:
        """Read it; TextError with every mistake and its place."""
        return BattleRequest.of(parse_battle(self.battle))


class ClashHandler(QueryHandler[ClashQuery]):
    """Answers `/mka battle`."""

    kind = "mka-battle"
    question = ClashQuery

    async def work_out(self, question: ClashQuery, caller: Caller, _progress: Progress) -> Document:
        """Return what the battle leads to, and how to split best."""
        request = question.request()
        return clash_book(request.clash, await self._bot.simulator.run(request, caller))

    async def write(self, question: ClashQuery, caller: Caller) -> dict[str, bytes]:
        """Return the figures."""
        report = await self._bot.simulator.run(question.request(), caller)
        return {"battle.json": report.model_dump_json(indent=1).encode()}

    def fields(self, question: ClashQuery) -> Sequence[discord.ui.Label[Any]]:
        """Return the battle."""
        return [text_field("battle", "The battle", question.battle, most=MAX_TEXT, hint=f"as in: {EXAMPLE}")]

    def edited(self, question: ClashQuery, values: dict[str, str]) -> ClashQuery:
        """Return the question as typed into the form."""
        return question.model_copy(update={"battle": values.get("battle", "")})

    def typed(self, question: ClashQuery) -> str | None:
        """Return the battle, to be offered again."""
        return question.battle


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
    question = SimulateQuery

    async def work_out(self, question: SimulateQuery, caller: Caller, progress: Progress) -> Document:
        """Return table, picture and, of one game, how it went."""
        request = question.request()
        report, film = await self._played(request, caller, progress)
        return simulate_book(report, request.seed, film)

    async def write(self, question: SimulateQuery, caller: Caller) -> dict[str, bytes]:
        """Return the report, the picture and the film."""
        report, film = await self._played(question.request(), caller)
        files = {"simulation.json": report.model_dump_json(indent=1, exclude={"chart"}).encode()}
        if report.chart is not None:
            files["scores.png"] = report.chart.data
        if film is not None:
            files["war.gif"] = film.data
        return files

    def fields(self, question: SimulateQuery) -> Sequence[discord.ui.Label[Any]]:
        """Return the form."""
        return [
            text_field("players", "AIs", question.players, most=MOST_AIS, hint="such as: marshal, 2 pillager"),
            text_field("games", "Games", str(question.games), most=_MOST_DIGITS, hint=f"1 to {MOST_GAMES}"),
            text_field("rounds", "Rounds", str(question.rounds), most=_MOST_DIGITS, hint=f"1 to {MOST_ROUNDS}"),
            text_field("size", "Columns x rows", question.size, most=MOST_SIZE),
            choice_field("kind", "Kind of map", _KINDS, question.kind),
        ]

    def edited(self, question: SimulateQuery, values: dict[str, str]) -> SimulateQuery:
        """Return the question as typed into the form."""
        changes = {
            "players": values.get("players", ""),
            "games": read_number(values.get("games", ""), "Games", 1, MOST_GAMES),
            "rounds": read_number(values.get("rounds", ""), "Rounds", 1, MOST_ROUNDS),
            "size": values.get("size", ""),
            "kind": values.get("kind", question.kind),
        }
        return question.model_copy(update=changes)

    def changed(self, question: SimulateQuery, action: str) -> SimulateQuery | None:
        """Play once more with another seed."""
        return question.model_copy(update={"seed": new_seed()}) if action == AGAIN.action else None

    async def _played(
        self, request: SimulateRequest, caller: Caller, told: Progress = SILENT
    ) -> tuple[SimulateReport, Picture | None]:
        async def work() -> tuple[SimulateReport, Picture | None]:
            games: list[GameSoFar] = []
            for first in request.parts(keep_events=request.games == 1):
                game = await self._bot.simulator.once(first, caller)
                while not game.over:
                    told.at(*_progress(request, len(games), game))
                    game = await self._bot.simulator.once(first.next(game), caller)
                games.append(game)
                told.at(*_progress(request, len(games), None))
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


def _drawing(question: MapQuery) -> Drawing:
    return read_drawing(question.size, question.kind, question.without)
