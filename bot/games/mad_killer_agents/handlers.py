"""Query handlers of `/mka map`, `/mka battle` and `/mka simulate`."""

from collections.abc import Sequence
from typing import Any

import discord

from bot.answers.document import Document
from bot.answers.handler import Query, QueryHandler
from bot.games.mad_killer_agents.options import MAX_AIS_TEXT, MAX_SIZE_TEXT, read_ais, read_drawing, read_number
from bot.games.mad_killer_agents.render import AGAIN, ANOTHER, clash_document, map_document, simulate_document
from bot.store.uploads import UploadRepository
from bot.ui.modals import choice_field, text_field
from bot.ui.options import Seed, new_seed
from bot.ui.progress import NO_PROGRESS, Progress
from bot.ui.text import MAX_INTEGER
from sim.core.cards.requests import FightCardRequest
from sim.core.cards.values import DrawnCard
from sim.core.errors import RuleError
from sim.mad_killer_agents.battle.values import Edition
from sim.mad_killer_agents.battle_text import EXAMPLE, MAX_BATTLE_TEXT, parse_battle
from sim.mad_killer_agents.clash_card import clash_card
from sim.mad_killer_agents.constants import EDITION, MAX_ROUNDS, MapKind
from sim.mad_killer_agents.reports import GameSoFar, MapReport, SimulateReport
from sim.mad_killer_agents.requests import BattleRequest, FilmRequest, MapRequest, ReadMapRequest
from sim.mad_killer_agents.simulate import MAX_GAMES, SimulateRequest, Simulation
from sim.mad_killer_agents.tables import map_csv
from sim.mad_killer_agents.terrain import Drawing
from sim.workers import Caller

MAX_SECONDS = 1200.0
"""Limit on the estimated seconds of all games of AIs together; the estimate is far above the real time."""

_KINDS = {kind.value: kind.capitalize() for kind in MapKind}
_MAX_DIGITS = 16


class MapQuery(Query):
    """Options of `/mka map`.

    `sha256` and `name`: of an uploaded map to show instead of drawing one. `edition`: of the rules, by which it is
    drawn; queries from before the third have none.
    """

    size: str = "20x20"
    kind: str = MapKind.MOUNTAINS.value
    without: int | None = None
    seed: Seed = 0
    edition: Edition = 1
    sha256: str | None = None
    name: str | None = None

    def uploads(self) -> Sequence[str]:
        """Return the uploaded map, if any."""
        return () if self.sha256 is None else (self.sha256,)


class MapHandler(QueryHandler[MapQuery]):
    """Answers `/mka map`."""

    kind = "mka-map"
    query = MapQuery
    checks_slowly = True

    async def check(self, query: MapQuery, caller: Caller) -> None:
        """Read the options or the file."""
        await self._request(query, caller)

    async def build_document(self, query: MapQuery, caller: Caller, _progress: Progress) -> Document:
        """Return the map's page."""
        report = await self._report(query, caller)
        drawing = None if query.sha256 is not None else _drawing(query)
        return map_document(report, drawing, query.seed if query.edition == EDITION else None, query.name)

    async def build_files(self, query: MapQuery, caller: Caller) -> dict[str, bytes]:
        """Return the map as CSV, its picture and its statistics."""
        report = await self._report(query, caller)
        return {
            "map.csv": map_csv(report.terrain),
            "map.png": report.picture.data,
            "map.json": report.statistics.model_dump_json(indent=1).encode(),
        }

    def fields(self, query: MapQuery) -> Sequence[discord.ui.Label[Any]]:
        """Return the fields of the form."""
        without = "" if query.without is None else str(query.without)
        return [
            text_field("size", "Columns x rows", query.size, max_length=MAX_SIZE_TEXT),
            choice_field("kind", "Kind of map", _KINDS, query.kind),
            text_field("without", "Plateaus without TV", without, max_length=_MAX_DIGITS, hint="empty: drawn"),
            text_field("seed", "Seed", str(query.seed), max_length=_MAX_DIGITS),
        ]

    def apply_form(self, query: MapQuery, values: dict[str, str]) -> MapQuery:
        """Return the query with the typed values; a drawn map replaces a file."""
        without = values.get("without", "").strip()
        changes = {
            "size": values.get("size", ""),
            "kind": values.get("kind", query.kind),
            "without": read_number(without, "Without", 0, 9) if without else None,
            "seed": read_number(values.get("seed", "0"), "Seed", 0, MAX_INTEGER),
            "edition": EDITION,
            "sha256": None,
        }
        return query.model_copy(update=changes)

    def apply_action(self, query: MapQuery, action: str) -> MapQuery | None:
        """Draw another map."""
        return query.model_copy(update={"seed": new_seed(), "edition": EDITION}) if action == ANOTHER.action else None

    async def _request(self, query: MapQuery, caller: Caller) -> MapRequest:
        if query.sha256 is None:
            return MapRequest(drawing=_drawing(query), seed=query.seed, edition=query.edition)
        data = await self._bot.services[UploadRepository].read(query.sha256)
        return MapRequest(terrain=await self._bot.simulator.run(ReadMapRequest(data=data), caller))

    async def _report(self, query: MapQuery, caller: Caller) -> MapReport:
        return await self._bot.simulator.run(await self._request(query, caller), caller)


class ClashQuery(Query):
    """Options of `/mka battle`. `edition`: of the rules; by those before the third anybody can be on a mountain."""

    battle: str
    edition: Edition = 1

    def request(self) -> BattleRequest:
        """Return the request; TextError with every mistake and its span."""
        return BattleRequest.of(parse_battle(self.battle, climbing=self.edition < 3))  # noqa: PLR2004 - as said above


class ClashHandler(QueryHandler[ClashQuery]):
    """Answers `/mka battle`."""

    kind = "mka-battle"
    query = ClashQuery

    async def build_document(self, query: ClashQuery, caller: Caller, _progress: Progress) -> Document:
        """Return the result of the battle and the best split."""
        request = query.request()
        report = await self._bot.simulator.run(request, caller)
        card = await self.draw(FightCardRequest(card=clash_card(request.clash, report)), "battle.png", caller)
        return clash_document(request.clash, report, card)

    async def build_files(self, query: ClashQuery, caller: Caller) -> dict[str, bytes]:
        """Return the report."""
        report = await self._bot.simulator.run(query.request(), caller)
        return {"battle.json": report.model_dump_json(indent=1).encode()}

    def fields(self, query: ClashQuery) -> Sequence[discord.ui.Label[Any]]:
        """Return the field of the form."""
        return [text_field("battle", "The battle", query.battle, max_length=MAX_BATTLE_TEXT, hint=f"as in: {EXAMPLE}")]

    def apply_form(self, query: ClashQuery, values: dict[str, str]) -> ClashQuery:
        """Return the query with the typed values."""
        return query.model_copy(update={"battle": values.get("battle", ""), "edition": EDITION})

    def recent_text(self, query: ClashQuery) -> str | None:
        """Return the battle."""
        return query.battle


class SimulateQuery(Query):
    """What a player asked `/mka simulate`. `edition`: of the rules; queries from before the second have none."""

    players: str
    games: int = 1
    rounds: int = 100
    size: str = "20x20"
    kind: str = MapKind.MOUNTAINS.value
    seed: Seed
    edition: Edition = 1

    def request(self) -> SimulateRequest:
        """Return the request; RuleError if the AIs can't play with each other or the games would take too long."""
        request = SimulateRequest(
            players=read_ais(self.players),
            drawing=read_drawing(self.size, self.kind, None),
            rounds=self.rounds,
            games=self.games,
            seed=self.seed,
            edition=self.edition,
        )
        if request.cost() > MAX_SECONDS:
            raise RuleError("These games would take too long together: fewer games, rounds, players or tiles, please.")
        return request


class SimulateHandler(QueryHandler[SimulateQuery]):
    """Answers `/mka simulate`, several games at a time."""

    kind = "mka-simulate"
    query = SimulateQuery

    async def build_document(self, query: SimulateQuery, caller: Caller, progress: Progress) -> Document:
        """Return the table, the chart and, for a single game, the film."""
        request = query.request()
        report, film = await self._simulate_games(request, caller, progress)
        return simulate_document(report, request.seed, film)

    async def build_files(self, query: SimulateQuery, caller: Caller) -> dict[str, bytes]:
        """Return the report, the chart and the film."""
        report, film = await self._simulate_games(query.request(), caller)
        files = {"simulation.json": report.model_dump_json(indent=1, exclude={"chart"}).encode()}
        if report.chart is not None:
            files["scores.png"] = report.chart.data
        if film is not None:
            files["war.gif"] = film.data
        return files

    def fields(self, query: SimulateQuery) -> Sequence[discord.ui.Label[Any]]:
        """Return the fields of the form."""
        return [
            text_field("players", "AIs", query.players, max_length=MAX_AIS_TEXT, hint="such as: marshal, 2 pillager"),
            text_field("games", "Games", str(query.games), max_length=_MAX_DIGITS, hint=f"1 to {MAX_GAMES}"),
            text_field("rounds", "Rounds", str(query.rounds), max_length=_MAX_DIGITS, hint=f"1 to {MAX_ROUNDS}"),
            text_field("size", "Columns x rows", query.size, max_length=MAX_SIZE_TEXT),
            choice_field("kind", "Kind of map", _KINDS, query.kind),
        ]

    def apply_form(self, query: SimulateQuery, values: dict[str, str]) -> SimulateQuery:
        """Return the query with the typed values."""
        changes = {
            "players": values.get("players", ""),
            "games": read_number(values.get("games", ""), "Games", 1, MAX_GAMES),
            "rounds": read_number(values.get("rounds", ""), "Rounds", 1, MAX_ROUNDS),
            "size": values.get("size", ""),
            "kind": values.get("kind", query.kind),
        }
        return query.model_copy(update=changes)

    def apply_action(self, query: SimulateQuery, action: str) -> SimulateQuery | None:
        """Play once more with another seed."""
        return query.model_copy(update={"seed": new_seed()}) if action == AGAIN.action else None

    async def _simulate_games(
        self, request: SimulateRequest, caller: Caller, bar: Progress = NO_PROGRESS
    ) -> tuple[SimulateReport, DrawnCard | None]:
        async def work() -> tuple[SimulateReport, DrawnCard | None]:
            played: Simulation = await self._bot.simulator.in_parts(request, caller, bar.update)
            return played.report, None if played.only is None else await self._film(played.only, caller)

        return await self._bot.simulator.through(("mka-simulate", request), work)

    async def _film(self, game: GameSoFar, caller: Caller) -> DrawnCard | None:
        try:
            return await self._bot.simulator.once(
                FilmRequest(event_batches=game.event_batches, rounds=game.state.round), caller
            )
        except RuleError:
            return None  # the game is too long for a film; the table and the chart are enough


def _drawing(query: MapQuery) -> Drawing:
    return read_drawing(query.size, query.kind, query.without)
