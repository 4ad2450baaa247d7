"""The desks of `/mfd run`, `/mfd check` and `/mfd odds`: the rosters are uploads, named by their hashes."""

from collections.abc import Sequence
from typing import Annotated, ClassVar

from pydantic import Field

from bot.answers.document import Document
from bot.answers.handler import Q, QueryHandler
from bot.answers.query import Query
from bot.games.marked_for_death.render.check import check_book
from bot.games.marked_for_death.render.odds import WEIGH, odds_book
from bot.games.marked_for_death.render.run import AGAIN, run_book
from bot.store.uploads import UploadRepository
from bot.ui.progress import NO_PROGRESS, Progress
from bot.ui.seeds import Seed, new_seed
from sim.marked_for_death.battle import MAX_ROUNDS
from sim.marked_for_death.odds import (
    OddsChartRequest,
    OddsReport,
    OddsRequest,
    SensitivityReport,
    SensitivityRequest,
    next_batch,
    next_sensitivity_batch,
    progress,
    report,
    sensitivity_progress,
    sensitivity_report,
)
from sim.marked_for_death.run import CheckReport, CheckRequest, ReadRequest, RunFilesRequest, RunRequest
from sim.workers import Caller

Rounds = Annotated[int, Field(ge=1, le=MAX_ROUNDS)]


class SidesQuery(Query):
    """Two rosters, by the hashes of their files, and what every battle between them takes."""

    heroes: str
    villains: str
    max_rounds: Rounds | None = None
    seed: Seed

    def uploads(self) -> Sequence[str]:
        """Return both files."""
        return tuple(dict.fromkeys((self.heroes, self.villains)))


class UploadHandler(QueryHandler[Q]):
    """Reads files in the simulator, and has no form: other files need the command again."""

    checks_slowly: ClassVar[bool] = True
    has_form: ClassVar[bool] = False


class RunQuery(SidesQuery):
    """What a player asked `/mfd run`."""


class RunHandler(UploadHandler[RunQuery]):
    """Answers `/mfd run`."""

    kind = "mfd-run"
    query = RunQuery

    async def check(self, query: RunQuery, caller: Caller) -> None:
        """Fight: the files are read on the way."""
        await self._bot.simulator.run(await self._request(query), caller)

    async def build_document(self, query: RunQuery, caller: Caller, _progress: Progress) -> Document:
        """Return the battle's pages."""
        return run_book(await self._bot.simulator.run(await self._request(query), caller))

    async def build_files(self, query: RunQuery, caller: Caller) -> dict[str, bytes]:
        """Return the log and both final rosters."""
        return await self._bot.simulator.run(RunFilesRequest(battle=await self._request(query)), caller)

    def apply_action(self, query: RunQuery, action: str) -> RunQuery | None:
        """Fight once more with other dice."""
        return query.model_copy(update={"seed": new_seed()}) if action == AGAIN.action else None

    async def _request(self, query: RunQuery) -> RunRequest:
        read = self._bot.services[UploadRepository].read
        return RunRequest(
            heroes=await read(query.heroes),
            villains=await read(query.villains),
            max_rounds=query.max_rounds,
            seed=query.seed,
        )


class CheckQuery(Query):
    """What a player asked `/mfd check`; `name` is the file's."""

    roster: str
    name: str

    def uploads(self) -> Sequence[str]:
        """Return the file."""
        return (self.roster,)


class CheckHandler(UploadHandler[CheckQuery]):
    """Answers `/mfd check`."""

    kind = "mfd-check"
    query = CheckQuery

    async def check(self, query: CheckQuery, caller: Caller) -> None:
        """Read the roster."""
        await self._report(query, caller)

    async def build_document(self, query: CheckQuery, caller: Caller, _progress: Progress) -> Document:
        """Return the roster's pages."""
        return check_book(query.name, await self._report(query, caller))

    async def build_files(self, query: CheckQuery, caller: Caller) -> dict[str, bytes]:
        """Return the fighters' lines and the warnings as text, and the numbers."""
        found = await self._report(query, caller)
        lines = [*(card.line() for card in found.cards), *(f"Warning: {warning}" for warning in found.warnings)]
        return {"roster.txt": "\n".join([*lines, ""]).encode(), "roster.json": found.model_dump_json(indent=1).encode()}

    async def _report(self, query: CheckQuery, caller: Caller) -> CheckReport:
        request = CheckRequest(source=await self._bot.services[UploadRepository].read(query.roster))
        return await self._bot.simulator.run(request, caller)


class OddsQuery(SidesQuery):
    """What a player asked `/mfd odds`; `weigh`: who matters most, too; `later`: by the button, so it is shown first."""

    weigh: bool = False
    later: bool = False


class OddsHandler(UploadHandler[OddsQuery]):
    """Answers `/mfd odds`, in many jobs where it takes long."""

    kind = "mfd-odds"
    query = OddsQuery

    async def check(self, query: OddsQuery, caller: Caller) -> None:
        """Read both rosters."""
        await self._request(query, caller)

    async def build_document(self, query: OddsQuery, caller: Caller, progress: Progress) -> Document:
        """Return the odds' pages."""
        request = await self._request(query, caller)
        odds = await self._odds(request, caller, progress)
        chart = await self._bot.simulator.run(OddsChartRequest(report=odds), caller)
        weights = await self._weights(request, caller, progress) if query.weigh else None
        return odds_book(odds, chart, weights, opens_at_weights=query.later)

    async def build_files(self, query: OddsQuery, caller: Caller) -> dict[str, bytes]:
        """Return the reports and the picture."""
        request = await self._request(query, caller)
        odds = await self._odds(request, caller)
        files = {
            "odds.json": odds.model_dump_json(indent=1).encode(),
            "odds.png": await self._bot.simulator.run(OddsChartRequest(report=odds), caller),
        }
        if query.weigh:
            weights = await self._weights(request, caller)
            files["who-matters.json"] = weights.model_dump_json(indent=1).encode()
        return files

    def apply_action(self, query: OddsQuery, action: str) -> OddsQuery | None:
        """Weigh the fighters, too."""
        return query.model_copy(update={"weigh": True, "later": True}) if action == WEIGH.action else None

    async def _request(self, query: OddsQuery, caller: Caller) -> OddsRequest:
        read = self._bot.services[UploadRepository].read
        files = ReadRequest(heroes=await read(query.heroes), villains=await read(query.villains))
        sides = await self._bot.simulator.run(files, caller)
        return OddsRequest(
            heroes=sides.heroes.roster,
            villains=sides.villains.roster,
            max_rounds=query.max_rounds,
            seed=query.seed,
        )

    async def _odds(self, request: OddsRequest, caller: Caller, bar: Progress = NO_PROGRESS) -> OddsReport:
        async def work() -> OddsReport:
            tally = None
            while (batch := next_batch(request, tally)) is not None:
                part = await self._bot.simulator.once(batch, caller)
                tally = part if tally is None else tally + part
                bar.update(progress(request, tally), f"{tally.battles:,} battles fought")
            return report(request, tally) if tally is not None else await self._bot.simulator.once(request, caller)

        return await self._bot.simulator.through(("odds", request), work)

    async def _weights(self, request: OddsRequest, caller: Caller, bar: Progress = NO_PROGRESS) -> SensitivityReport:
        sensitivity = SensitivityRequest(odds=request)

        async def work() -> SensitivityReport:
            tally = None
            while (batch := next_sensitivity_batch(sensitivity, tally)) is not None:
                part = await self._bot.simulator.once(batch, caller)
                tally = part if tally is None else tally + part
                bar.update(
                    sensitivity_progress(sensitivity, tally), f"{tally.battles:,} battles fought without each one"
                )
            return sensitivity_report(sensitivity, tally)

        return await self._bot.simulator.through(("weights", sensitivity), work)
