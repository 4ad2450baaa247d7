"""The desks of `/boss deck`, `what-if`, `list`, and of the arithmetic behind a fight's exchanges."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import discord

from bot.cogs.boss_fight.given import MOST_TEXT, Source, all_bosses, forged_at, forged_named
from bot.render.book import Action, Book
from bot.render.boss_fight.arithmetic import arithmetic_book
from bot.render.boss_fight.bosses import bosses_book
from bot.render.boss_fight.deck import deck_book
from bot.render.boss_fight.what_if import (
    BEST,
    EVERY,
    best_order_book,
    best_tokens_book,
    every_boss_book,
    what_if_book,
)
from bot.store.bosses import Home
from bot.ui.desk import EDIT, Desk, Q, Question
from bot.ui.forms import text_field
from bot.ui.progress import Progress
from sim.adapters import Caller
from sim.boss_fight.battle import Member, State
from sim.boss_fight.best_order import BestOrderRequest, Entrant
from sim.boss_fight.best_tokens import MAX_CHOSEN, MAX_SET, BestTokensRequest
from sim.boss_fight.boss_csv import write_bosses
from sim.boss_fight.bosses import KNOWN
from sim.boss_fight.deck_csv import write_deck
from sim.boss_fight.deck_text import EXAMPLE, format_deck
from sim.boss_fight.exchange import ExchangeReport, ExchangeRequest
from sim.boss_fight.given import DeckSheetRequest
from sim.boss_fight.outlook import EveryBossRequest, WhatIfRequest
from sim.boss_fight.sheet import DeckSheet
from sim.boss_fight.transcript import transcript
from sim.boss_fight.values import Boss
from sim.core.errors import RuleError

_EDIT = Action(EDIT, "Edit", "✏️")
_NEXT = Action("next", "Next member", "⏩")


class DeckQuestion(Question):
    """A deck; what a player asked `/boss deck`."""

    source: Source

    def uploads(self) -> Sequence[str]:
        """Return the file, where the deck is one."""
        return () if self.source.sha256 is None else (self.source.sha256,)


class DecksDesk(Desk[Q]):
    """Reads decks in the simulator; the form has the text of one that was typed."""

    checks_slowly: ClassVar[bool] = True

    async def _sheet(self, source: Source, caller: Caller) -> DeckSheet:
        return await self._bot.simulator.run(DeckSheetRequest(deck=await source.request(self._bot)), caller)


def deck_field(source: Source) -> discord.ui.Label[Any]:
    """Return a form's field for a deck; one that is a file stays where nothing is typed."""
    hint = f"as in: {EXAMPLE}" if source.sha256 is None else "left empty, the file stays"
    return text_field("deck", "Deck", source.text, most=MOST_TEXT, hint=hint, long=True)


def deck_edited(source: Source, values: dict[str, str]) -> Source:
    """Return the deck as the form has it."""
    typed = values.get("deck", "")
    return source if source.sha256 is not None and not typed.strip() else Source(text=typed)


class DeckDesk(DecksDesk[DeckQuestion]):
    """Answers `/boss deck`."""

    kind = "boss-deck"
    question = DeckQuestion

    async def check(self, question: DeckQuestion, caller: Caller) -> None:
        """Read the deck."""
        await self._sheet(question.source, caller)

    async def work_out(self, question: DeckQuestion, caller: Caller, _progress: Progress) -> Book:
        """Return the deck's pages."""
        return deck_book(await self._sheet(question.source, caller), (_EDIT,))

    async def write(self, question: DeckQuestion, caller: Caller) -> dict[str, bytes]:
        """Return the deck as a CSV file with all its figures, and as text."""
        deck = (await self._sheet(question.source, caller)).deck
        return {"deck.csv": write_deck(deck), "deck.txt": f"{format_deck(deck)}\n".encode()}

    def fields(self, question: DeckQuestion) -> Sequence[discord.ui.Label[Any]]:
        """Return the deck's text."""
        return [deck_field(question.source)]

    def edited(self, question: DeckQuestion, values: dict[str, str]) -> DeckQuestion:
        """Return the question with the deck as typed."""
        return question.model_copy(update={"source": deck_edited(question.source, values)})


class WhatIfQuestion(DeckQuestion):
    """A deck against a boss, or with `what` "every" against all at home there; "best": which `count` tokens of it."""

    what: Literal["one", "every", "best"]
    boss: Boss | None
    count: int = MAX_CHOSEN
    guild_id: int | None
    user_id: int


class WhatIfDesk(DecksDesk[WhatIfQuestion]):
    """Answers `/boss what-if` for one deck."""

    kind = "boss-what-if"
    question = WhatIfQuestion

    async def check(self, question: WhatIfQuestion, caller: Caller) -> None:
        """Read the deck, and look for the best tokens, which may be too much."""
        sheet = await self._sheet(question.source, caller)
        if question.what == "best":
            await self._bot.simulator.run(self._best(question, sheet), caller)

    async def work_out(self, question: WhatIfQuestion, caller: Caller, _progress: Progress) -> Book:
        """Return the pages."""
        sheet = await self._sheet(question.source, caller)
        if question.boss is None:
            every = await self._bot.simulator.run(await self._every(question, sheet), caller)
            return every_boss_book(every, (_EDIT,))
        if question.what == "best":
            best = await self._bot.simulator.run(self._best(question, sheet), caller)
            return best_tokens_book(best, len(sheet.deck.tokens), (_EDIT, EVERY))
        report = await self._bot.simulator.run(WhatIfRequest(boss=question.boss, deck=sheet.deck), caller)
        more = (BEST,) if MAX_CHOSEN < len(sheet.deck.tokens) <= MAX_SET else ()
        return what_if_book(report, (_EDIT, EVERY, *more))

    async def write(self, question: WhatIfQuestion, caller: Caller) -> dict[str, bytes]:
        """Return the numbers as JSON; of an exchange its transcript, of a choice of tokens the deck, too."""
        sheet = await self._sheet(question.source, caller)
        if question.boss is None:
            every = await self._bot.simulator.run(await self._every(question, sheet), caller)
            return {"bosses.json": every.model_dump_json(indent=1).encode()}
        if question.what == "best":
            best = await self._bot.simulator.run(self._best(question, sheet), caller)
            return {"best.csv": write_deck(best.exchange.deck), **_exchange_files(best.exchange)}
        report = await self._bot.simulator.run(WhatIfRequest(boss=question.boss, deck=sheet.deck), caller)
        return _exchange_files(report.exchange)

    def changed(self, question: WhatIfQuestion, action: str) -> WhatIfQuestion | None:
        """Try every boss, or look for the best tokens."""
        if action == EVERY.action:
            return question.model_copy(update={"what": "every", "boss": None})
        return question.model_copy(update={"what": "best"}) if action == BEST.action and question.boss else None

    def fields(self, question: WhatIfQuestion) -> Sequence[discord.ui.Label[Any]]:
        """Return the deck's text."""
        return [deck_field(question.source)]

    def edited(self, question: WhatIfQuestion, values: dict[str, str]) -> WhatIfQuestion:
        """Return the question with the deck as typed."""
        return question.model_copy(update={"source": deck_edited(question.source, values)})

    async def _every(self, question: WhatIfQuestion, sheet: DeckSheet) -> EveryBossRequest:
        home = Home(question.guild_id, question.user_id)
        return EveryBossRequest(bosses=tuple(await all_bosses(self._bot, home)), deck=sheet.deck)

    def _best(self, question: WhatIfQuestion, sheet: DeckSheet) -> BestTokensRequest:
        if question.boss is None:
            raise RuleError("Against which boss? Choose one in the option boss.")
        return BestTokensRequest(boss=question.boss, tokens=sheet.deck.tokens, count=question.count)


def _exchange_files(report: ExchangeReport) -> dict[str, bytes]:
    return {"exchange.txt": transcript(report).encode()}


class Contender(Source):
    """Somebody's deck with a name."""

    name: str


class OrderQuestion(Question):
    """In which order a party should step; `battle_id`: the members of that fight."""

    boss: Boss | None
    times: int = 1
    party: tuple[Contender, ...] = ()
    battle_id: int | None = None

    def uploads(self) -> Sequence[str]:
        """Return the decks' files."""
        return tuple(dict.fromkeys(one.sha256 for one in self.party if one.sha256 is not None))


class OrderDesk(DecksDesk[OrderQuestion]):
    """Answers `/boss what-if` for a party."""

    kind = "boss-order"
    question = OrderQuestion
    has_form = False

    async def check(self, question: OrderQuestion, caller: Caller) -> None:
        """Read the decks."""
        await self._request(question, caller)

    async def work_out(self, question: OrderQuestion, caller: Caller, _progress: Progress) -> Book:
        """Return the order."""
        request = await self._request(question, caller)
        return best_order_book(request, await self._bot.simulator.run(request, caller))

    async def write(self, question: OrderQuestion, caller: Caller) -> dict[str, bytes]:
        """Return the order as JSON."""
        report = await self._bot.simulator.run(await self._request(question, caller), caller)
        return {"order.json": report.model_dump_json(indent=1).encode()}

    async def _request(self, question: OrderQuestion, caller: Caller) -> BestOrderRequest:
        if question.battle_id is not None:
            battle = await self._bot.arena.find(question.battle_id)
            state: State = self._bot.face(battle.system).state(battle)
            if not state.members:
                raise RuleError("Nobody has joined this fight yet.")
            entrants = tuple(Entrant(name=one.name, deck=one.deck) for one in state.members)
            return BestOrderRequest(boss=state.setup.boss, times=state.setup.times, entrants=entrants)
        if question.boss is None:
            raise RuleError("Against which boss? Choose one in the option boss.")
        decks = [(one.name, (await self._sheet(one, caller)).deck) for one in question.party]
        entrants = tuple(Entrant(name=name, deck=deck) for name, deck in decks)
        return BestOrderRequest(boss=question.boss, times=question.times, entrants=entrants)


class ListQuestion(Question):
    """Where the bosses are at home; `name`: the one to show with its picture."""

    guild_id: int | None
    user_id: int
    name: str | None = None


@dataclass(frozen=True, slots=True)
class ListedBoss:
    """A boss as the list has it."""

    boss: Boss
    maker_id: int | None
    portrait: bytes | None


class ListDesk(Desk[ListQuestion]):
    """Answers `/boss list`."""

    kind = "boss-list"
    question = ListQuestion
    has_form = False

    async def check(self, _question: ListQuestion, _caller: Caller) -> None:
        """Nothing is typed but a name, which was looked up."""

    async def work_out(self, question: ListQuestion, _caller: Caller, _progress: Progress) -> Book:
        """Return the bosses' pages."""
        return bosses_book(await self._listed(question))

    async def write(self, question: ListQuestion, _caller: Caller) -> dict[str, bytes]:
        """Return the bosses as a CSV file, which /boss forge reads."""
        return {"bosses.csv": write_bosses(tuple(one.boss for one in await self._listed(question)))}

    async def _listed(self, question: ListQuestion) -> list[ListedBoss]:
        home = Home(question.guild_id, question.user_id)
        if question.name is None:
            forged = await forged_at(self._bot, home)
            own = [ListedBoss(boss, None, None) for boss in KNOWN]
            return [*own, *(ListedBoss(one.boss, one.kept.maker_id, None) for one in forged)]
        found = await forged_named(self._bot, home, question.name)
        if found is None:
            known = [boss for boss in KNOWN if boss.name == question.name]
            if not known:
                raise RuleError("This boss is no longer there.")
            return [ListedBoss(known[0], None, None)]
        return [ListedBoss(found.boss, found.kept.maker_id, await self._bot.bosses.picture(found.kept))]


class ArithmeticQuestion(Question):
    """The exchanges of a fight's member: the one at place `at` of `seats`."""

    battle_id: int
    seats: tuple[str, ...]
    at: int = 0


class ArithmeticDesk(Desk[ArithmeticQuestion]):
    """Shows every product behind the exchanges of a fight."""

    kind = "boss-arithmetic"
    question = ArithmeticQuestion
    has_form = False

    async def check(self, _question: ArithmeticQuestion, _caller: Caller) -> None:
        """Nothing is typed."""

    async def work_out(self, question: ArithmeticQuestion, caller: Caller, _progress: Progress) -> Book:
        """Return the pages of one member."""
        number, state, member = await self._member(question)
        report = await self._report(state, member, caller)
        return arithmetic_book(number, state, member, report, (_NEXT,) if len(question.seats) > 1 else ())

    async def write(self, question: ArithmeticQuestion, caller: Caller) -> dict[str, bytes]:
        """Return the exchange as text, and the deck."""
        _, state, member = await self._member(question)
        report = await self._report(state, member, caller)
        return {"deck.csv": write_deck(member.deck), **_exchange_files(report)}

    def changed(self, question: ArithmeticQuestion, action: str) -> ArithmeticQuestion | None:
        """Turn to the next member."""
        at = (question.at + 1) % len(question.seats)
        return question.model_copy(update={"at": at}) if action == _NEXT.action else None

    async def _member(self, question: ArithmeticQuestion) -> tuple[int, State, Member]:
        battle = await self._bot.arena.find(question.battle_id)
        state: State = self._bot.face(battle.system).state(battle)
        member = state.member(question.seats[question.at])
        if member is None:
            raise RuleError("This member is no longer in the fight.")
        return battle.number, state, member

    async def _report(self, state: State, member: Member, caller: Caller) -> ExchangeReport:
        return await self._bot.simulator.run(ExchangeRequest(boss=state.setup.boss, deck=member.deck), caller)
