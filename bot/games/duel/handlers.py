"""The desks of `/duel odds`: of fighters typed or kept, and of groups from files."""

from abc import abstractmethod
from collections.abc import Sequence
from functools import reduce
from operator import add
from typing import Any

import discord

from bot.answers.document import EDIT, Document
from bot.answers.handler import Q, QueryHandler
from bot.answers.query import Query
from bot.games.duel.render.odds import odds_book
from bot.store.uploads import UploadRepository
from bot.ui.modals import text_field
from bot.ui.progress import NO_PROGRESS, Progress
from bot.ui.seeds import Seed
from sim.core.names import name_key
from sim.duel.critter import Critter
from sim.duel.group_text import MAX_TEXT, parse_group
from sim.duel.reports import DuelOdds, Tally
from sim.duel.requests import DuelChartRequest, DuelOddsRequest, GroupsRequest
from sim.workers import Caller


class TypedQuery(Query):
    """Two groups as typed; `known`: the asker's own characters, as they were then."""

    first: str
    second: str
    known: tuple[Critter, ...] = ()
    seed: Seed

    def request(self) -> DuelOddsRequest:
        """Read both groups; RuleError, TextError with the place."""
        known = {name_key(critter.name): critter for critter in self.known}
        return DuelOddsRequest(
            group1=parse_group(self.first, known, "First"),
            group2=parse_group(self.second, known, "Second"),
            seed=self.seed,
        )


class FilesQuery(Query):
    """Two groups in one file, or in two, by their hashes."""

    roster: str
    against: str | None = None
    seed: Seed

    def uploads(self) -> Sequence[str]:
        """Return the files."""
        return tuple(dict.fromkeys(sha256 for sha256 in (self.roster, self.against) if sha256 is not None))


class OddsHandler(QueryHandler[Q]):
    """Answers from the odds of two groups, worked out in many jobs where they are simulated."""

    @abstractmethod
    async def asked(self, query: Q, caller: Caller) -> DuelOddsRequest:
        """Read the question."""

    async def check(self, query: Q, caller: Caller) -> None:
        """Read the question."""
        await self.asked(query, caller)

    async def build_document(self, query: Q, caller: Caller, progress: Progress) -> Document:
        """Return the odds' pages."""
        request = await self.asked(query, caller)
        report = await self._odds(request, caller, progress)
        chart = await self._chart(request, report, caller)
        return odds_book(report, (request.group1, request.group2), chart, (EDIT,) if self.has_form else ())

    async def build_files(self, query: Q, caller: Caller) -> dict[str, bytes]:
        """Return the report and the picture."""
        request = await self.asked(query, caller)
        report = await self._odds(request, caller)
        chart = await self._chart(request, report, caller)
        return {"odds.json": report.model_dump_json(indent=1).encode(), "odds.png": chart}

    async def _chart(self, request: DuelOddsRequest, report: DuelOdds, caller: Caller) -> bytes:
        # By the request: a simulated report holds its intervals by name and is no key.
        job = DuelChartRequest(report=report)
        return await self._bot.simulator.through(("duel-chart", request), lambda: self._bot.simulator.once(job, caller))

    async def _odds(self, request: DuelOddsRequest, caller: Caller, bar: Progress = NO_PROGRESS) -> DuelOdds:
        if request.is_exact:
            return await self._bot.simulator.run(request, caller)

        async def work() -> DuelOdds:
            tallies: list[Tally] = []
            for batch in request.batches():
                tallies.append(await self._bot.simulator.once(batch, caller))
                fought = reduce(add, tallies).battles
                bar.update(fought / request.battle_count, f"{fought:,} of {request.battle_count:,} battles fought")
            return request.merge(tallies)

        return await self._bot.simulator.through(("duel-odds", request), work)


class TypedOddsHandler(OddsHandler[TypedQuery]):
    """Answers for fighters who were typed, or are kept."""

    kind = "duel-odds"
    query = TypedQuery

    async def asked(self, query: TypedQuery, _caller: Caller) -> DuelOddsRequest:
        """Read both groups."""
        return query.request()

    def fields(self, query: TypedQuery) -> Sequence[discord.ui.Label[Any]]:
        """Return both groups."""
        hint = "your characters, or such as: 8 hp str +1 ac 4 1d6, 2 x 5 hp"
        return [
            text_field("first", "First group", query.first, max_length=MAX_TEXT, hint=hint, long=True),
            text_field("second", "Second group", query.second, max_length=MAX_TEXT, hint=hint, long=True),
        ]

    def apply_form(self, query: TypedQuery, values: dict[str, str]) -> TypedQuery:
        """Return the question with both groups as typed into the form."""
        return query.model_copy(update={"first": values.get("first", ""), "second": values.get("second", "")})


class FilesOddsHandler(OddsHandler[FilesQuery]):
    """Answers for groups from files; it has no form: other files need the command again."""

    kind = "duel-file-odds"
    query = FilesQuery
    checks_slowly = True
    has_form = False

    async def asked(self, query: FilesQuery, caller: Caller) -> DuelOddsRequest:
        """Read the files."""
        read = self._bot.services[UploadRepository].read
        against = None if query.against is None else await read(query.against)
        files = GroupsRequest(data=await read(query.roster), against=against)
        first, second = await self._bot.simulator.run(files, caller)
        return DuelOddsRequest(group1=first, group2=second, seed=query.seed)
