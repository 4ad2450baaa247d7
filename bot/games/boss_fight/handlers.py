"""The desks of `/boss deck`, and of `what-if` for one deck."""

from collections.abc import Sequence
from typing import Any, ClassVar, Literal

import discord

from bot.answers.document import EDIT, Document
from bot.answers.handler import Q, QueryHandler
from bot.answers.query import Query
from bot.client import Client
from bot.games.boss_fight.bosses import Home
from bot.games.boss_fight.given import Source, all_bosses
from bot.games.boss_fight.render.deck import deck_book
from bot.games.boss_fight.render.what_if import (
    BEST,
    EVERY,
    best_tokens_book,
    every_boss_book,
    what_if_book,
)
from bot.ui.limits import MAX_ENTRY
from bot.ui.modals import text_field
from bot.ui.progress import Progress
from sim.boss_fight.csv_files import write_deck
from sim.boss_fight.deck_text import EXAMPLE, format_deck
from sim.boss_fight.reports import DeckSheet, ExchangeReport
from sim.boss_fight.requests import (
    MAX_CHOSEN,
    MAX_SET,
    BestTokensRequest,
    DeckSheetRequest,
    EveryBossRequest,
    TranscriptRequest,
    WhatIfRequest,
)
from sim.boss_fight.values import Boss
from sim.core.errors import RuleError
from sim.workers import Caller


class DeckQuery(Query):
    """A deck; what a player asked `/boss deck`."""

    source: Source

    def uploads(self) -> Sequence[str]:
        """Return the file, where the deck is one."""
        return () if self.source.sha256 is None else (self.source.sha256,)


class DecksHandler(QueryHandler[Q]):
    """Reads decks in the simulator; the form has the text of one that was typed."""

    checks_slowly: ClassVar[bool] = True

    async def _sheet(self, source: Source, caller: Caller) -> DeckSheet:
        return await self._bot.simulator.run(DeckSheetRequest(deck=await source.request(self._bot)), caller)


def deck_field(source: Source) -> discord.ui.Label[Any]:
    """Return a form's field for a deck; one that is a file stays where nothing is typed."""
    hint = f"as in: {EXAMPLE}" if source.sha256 is None else "left empty, the file stays"
    return text_field("deck", "Deck", source.text, max_length=MAX_ENTRY, hint=hint, long=True)


def deck_edited(source: Source, values: dict[str, str]) -> Source:
    """Return the deck as the form has it."""
    typed = values.get("deck", "")
    return source if source.sha256 is not None and not typed.strip() else Source(text=typed)


class DeckHandler(DecksHandler[DeckQuery]):
    """Answers `/boss deck`."""

    kind = "boss-deck"
    query = DeckQuery

    async def check(self, query: DeckQuery, caller: Caller) -> None:
        """Read the deck."""
        await self._sheet(query.source, caller)

    async def build_document(self, query: DeckQuery, caller: Caller, _progress: Progress) -> Document:
        """Return the deck's pages."""
        return deck_book(await self._sheet(query.source, caller), (EDIT,))

    async def build_files(self, query: DeckQuery, caller: Caller) -> dict[str, bytes]:
        """Return the deck as a CSV file with all its figures, and as text."""
        deck = (await self._sheet(query.source, caller)).deck
        return {"deck.csv": write_deck(deck), "deck.txt": f"{format_deck(deck)}\n".encode()}

    def fields(self, query: DeckQuery) -> Sequence[discord.ui.Label[Any]]:
        """Return the deck's text."""
        return [deck_field(query.source)]

    def apply_form(self, query: DeckQuery, values: dict[str, str]) -> DeckQuery:
        """Return the question with the deck as typed."""
        return query.model_copy(update={"source": deck_edited(query.source, values)})


class WhatIfQuery(DeckQuery):
    """A deck against a boss, or with `what` "every" against all at home there; "best": which `count` tokens of it."""

    what: Literal["one", "every", "best"]
    boss: Boss | None
    count: int = MAX_CHOSEN
    guild_id: int | None
    user_id: int


class WhatIfHandler(DecksHandler[WhatIfQuery]):
    """Answers `/boss what-if` for one deck."""

    kind = "boss-what-if"
    query = WhatIfQuery

    async def check(self, query: WhatIfQuery, caller: Caller) -> None:
        """Read the deck, and look for the best tokens, which may be too much."""
        sheet = await self._sheet(query.source, caller)
        if query.what == "best":
            await self._bot.simulator.run(self._best(query, sheet), caller)

    async def build_document(self, query: WhatIfQuery, caller: Caller, _progress: Progress) -> Document:
        """Return the pages."""
        sheet = await self._sheet(query.source, caller)
        if query.boss is None:
            every = await self._bot.simulator.run(await self._every(query, sheet), caller)
            return every_boss_book(every, (EDIT,))
        if query.what == "best":
            best = await self._bot.simulator.run(self._best(query, sheet), caller)
            return best_tokens_book(best, len(sheet.deck.tokens), (EDIT, EVERY))
        report = await self._bot.simulator.run(WhatIfRequest(boss=query.boss, deck=sheet.deck), caller)
        more = (BEST,) if MAX_CHOSEN < len(sheet.deck.tokens) <= MAX_SET else ()
        return what_if_book(report, (EDIT, EVERY, *more))

    async def build_files(self, query: WhatIfQuery, caller: Caller) -> dict[str, bytes]:
        """Return the numbers as JSON; of an exchange its transcript, of a choice of tokens the deck, too."""
        sheet = await self._sheet(query.source, caller)
        if query.boss is None:
            every = await self._bot.simulator.run(await self._every(query, sheet), caller)
            return {"bosses.json": every.model_dump_json(indent=1).encode()}
        if query.what == "best":
            best = await self._bot.simulator.run(self._best(query, sheet), caller)
            return {
                "best.csv": write_deck(best.exchange.deck),
                **await exchange_files(self._bot, best.exchange, caller),
            }
        report = await self._bot.simulator.run(WhatIfRequest(boss=query.boss, deck=sheet.deck), caller)
        return await exchange_files(self._bot, report.exchange, caller)

    def apply_action(self, query: WhatIfQuery, action: str) -> WhatIfQuery | None:
        """Try every boss, or look for the best tokens."""
        if action == EVERY.action:
            return query.model_copy(update={"what": "every", "boss": None})
        return query.model_copy(update={"what": "best"}) if action == BEST.action and query.boss else None

    def fields(self, query: WhatIfQuery) -> Sequence[discord.ui.Label[Any]]:
        """Return the deck's text."""
        return [deck_field(query.source)]

    def apply_form(self, query: WhatIfQuery, values: dict[str, str]) -> WhatIfQuery:
        """Return the question with the deck as typed."""
        return query.model_copy(update={"source": deck_edited(query.source, values)})

    async def _every(self, query: WhatIfQuery, sheet: DeckSheet) -> EveryBossRequest:
        home = Home(query.guild_id, query.user_id)
        return EveryBossRequest(bosses=tuple(await all_bosses(self._bot, home)), deck=sheet.deck)

    def _best(self, query: WhatIfQuery, sheet: DeckSheet) -> BestTokensRequest:
        if query.boss is None:
            raise RuleError("Against which boss? Choose one in the option boss.")
        return BestTokensRequest(boss=query.boss, tokens=sheet.deck.tokens, count=query.count)


async def exchange_files(bot: Client, report: ExchangeReport, caller: Caller) -> dict[str, bytes]:
    """Return an exchange as a text file."""
    job = TranscriptRequest(boss=report.boss, deck=report.deck)
    return {"exchange.txt": (await bot.simulator.once(job, caller)).encode()}
