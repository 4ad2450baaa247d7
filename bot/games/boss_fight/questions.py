"""Questions of boss fights, `/boss deck`, `what-if` and `list`, and of a fight's arithmetic.

And the options of all commands: bosses by name, and decks as text, as a file, or saved.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Annotated, Any, ClassVar, Literal, Self

import discord
from discord import app_commands
from pydantic import BaseModel, ConfigDict

from bot.answers import UPLOADED, Answer, Changes, PagedQuery, json_of
from bot.answers.document import Action
from bot.answers.items import Confirmations
from bot.battles import BattleService
from bot.battles.panel import is_referee
from bot.battles.presenter import Presenters
from bot.client import Client, Interaction
from bot.games.boss_fight.render import DELETE, bosses_document, shown_state
from bot.games.boss_fight.render import decks as d
from bot.games.boss_fight.repositories import BossRecordRepository, BossRepository, ForgedBoss, Home, expect_maker
from bot.rosters import RosterKind, RosterLibrary, RosterRepository, roster_content, saved_roster
from bot.store import OWN_WORK, Origin
from bot.store.battle import Battle
from bot.store.queries import StoredQuery, UploadRepository
from bot.ui import MAX_ENTRY, drawn, none_called, plain, shorten
from bot.ui.interactions import edit_reply
from bot.ui.options import CompletedBy, Entry, Option, Options, Typed, choices_with, text_choices
from sim.boss_fight import best_choices as best
from sim.boss_fight.battle import HANDS, MAX_MEMBERS, State, Struck
from sim.boss_fight.battle.rules import BossFight
from sim.boss_fight.cards import best_order_card, best_tokens_card, deck_card, every_boss_card, what_if_card
from sim.boss_fight.exchange import ExchangeReport, ExchangeRequest, TranscriptRequest
from sim.boss_fight.form_text import EXAMPLE, completions, format_deck, read_as
from sim.boss_fight.hands import attacking
from sim.boss_fight.requests import DeckRequest, DeckSheetRequest, EveryBossRequest
from sim.boss_fight.tables import KNOWN_BOSSES, known_boss, write_bosses, write_deck, write_traits
from sim.boss_fight.values import Boss, Deck, Entrant
from sim.core import RuleError
from sim.core.names import name_key
from sim.workers.queue import Caller

KIND = RosterKind(
    name="boss",
    title="Boss fight deck",
    extension="csv",
    check=lambda content: DeckRequest(deck=content),
    summarize=d.deck_summary,
)

_MAX_BOSS_NAME = 100
"""Characters of an option that names a boss."""


class DeckSource(BaseModel):
    """A deck as a stored query has it: the text, or the hash of the file's content."""

    model_config = ConfigDict(frozen=True)

    text: str | None = None
    sha256: Annotated[str | None, UPLOADED] = None

    @property
    def told(self) -> str | None:
        """How the text was read; None for a file, and if it was typed plainly."""
        return None if self.text is None else read_as(self.text)

    async def read(self, bot: Client, caller: Caller) -> Deck:
        """Return the deck; RuleError with every mistake in it, or if the file's content has been deleted."""
        file = None if self.sha256 is None else await bot.services[UploadRepository].read(self.sha256)
        return await bot.simulator.run(DeckRequest(deck=(self.text or "") if file is None else file), caller)


def home_of(interaction: Interaction) -> Home:
    """Return the home of the bosses that the user can choose here."""
    return Home(interaction.guild_id, interaction.user.id)


async def find_boss(interaction: Interaction, typed: str) -> Boss:
    """Return the boss of that name, forged here or built in; RuleError with the nearest name if there is none."""
    bot, home = interaction.client, home_of(interaction)
    # Forged ones first: they may be older than a built-in one of the same name.
    if (forged := await bot.services[BossRepository].find(home, typed)) is not None:
        return forged.boss
    if (known := known_boss(typed)) is not None:
        return known
    names = [boss.name for boss in await all_bosses(bot, home)]
    raise RuleError(f"{none_called('boss', typed, names)} /boss list shows them all.")


async def find_forged(interaction: Interaction, typed: str) -> ForgedBoss:
    """Return the boss of that name that was forged here; RuleError if there is none."""
    forged = await interaction.client.services[BossRepository].find(home_of(interaction), typed)
    if forged is None:
        built_in = f"{shorten(typed, 80)} is built in and can't be changed."
        raise RuleError(built_in if known_boss(typed) else none_called("forged boss", typed, ()))
    return forged


async def all_bosses(bot: Client, home: Home) -> list[Boss]:
    """Return the ladder and the other built-in bosses, then those forged here."""
    return [*KNOWN_BOSSES, *(forged.boss for forged in await bot.services[BossRepository].at(home))]


def _boss_choices(bosses: Iterable[Boss], typed: str) -> Sequence[app_commands.Choice[str]]:
    key = name_key(typed)
    return [
        app_commands.Choice(name=f"{boss.name} (level {boss.level}, {boss.health:,} health)", value=boss.name)
        for boss in bosses
        if key in name_key(boss.name)
    ]


@partial(CompletedBy, _MAX_BOSS_NAME)
async def any_boss(interaction: Interaction, typed: str) -> Sequence[app_commands.Choice[str]]:
    """Complete the name of a boss, built in or forged here; the ladder comes first."""
    return _boss_choices(await all_bosses(interaction.client, home_of(interaction)), typed)


@partial(CompletedBy, _MAX_BOSS_NAME)
async def forged_boss(interaction: Interaction, typed: str) -> Sequence[app_commands.Choice[str]]:
    """Complete the name of a boss that was forged here."""
    forged = await interaction.client.services[BossRepository].at(home_of(interaction))
    return _boss_choices((each.boss for each in forged), typed)


@partial(CompletedBy, _MAX_BOSS_NAME)
async def recorded_boss(interaction: Interaction, typed: str) -> Sequence[app_commands.Choice[str]]:
    """Complete the name of a boss with records in the server."""
    if interaction.guild_id is None:
        return []
    bosses = await interaction.client.services[BossRecordRepository].bosses(interaction.guild_id)
    return choices_with((board.boss for board in bosses), typed)


@partial(CompletedBy, MAX_ENTRY)
async def _deck_text(_interaction: Interaction, typed: str) -> Sequence[app_commands.Choice[str]]:
    return text_choices(completions(typed))


class DeckOptions(Options):
    """A deck as text, as a file, or saved."""

    deck: Annotated[
        str | None,
        Option("The deck as text, as in: hero: V, Epic, Fairy @Fire; attack: X, Sword", _deck_text),
    ] = None
    deck_file: Annotated[discord.Attachment | None, Option("Or the deck as a CSV file")] = None
    deck_saved: Annotated[
        str | None, Option("Or a saved deck, or a published sheet's link", saved_roster(KIND.name))
    ] = None

    async def source(self, interaction: Interaction) -> DeckSource:
        """Return the one deck that was given; RuleError for none or several. Reading a file may take a while."""
        if sum(option is not None for option in (self.deck, self.deck_file, self.deck_saved)) != 1:
            raise RuleError("Give one deck: as text, as a file, or a saved one by its name.")
        if self.deck is not None:
            return DeckSource(text=self.deck)
        upload = await roster_content(interaction, KIND.name, self.deck_file, self.deck_saved, "deck")
        return DeckSource(sha256=interaction.client.services[UploadRepository].keep(upload.data))


class DeckQuery(PagedQuery):
    """The query of `/boss deck`."""

    stored_as = "boss-deck"
    checks_slowly = True

    source: DeckSource

    def fields(self) -> Sequence[discord.ui.Label[Any]]:
        """Return a field for the deck; a file stays the deck if nothing is typed."""
        hint = f"as in: {EXAMPLE}" if self.source.sha256 is None else "Leave it empty to keep the file"
        return [Entry("Deck", MAX_ENTRY, hint, long=True).field("deck", self.source.text)]

    def filled(self, values: Typed) -> Self:
        """Return the query with the deck as typed."""
        typed = values.get("deck", "")
        keeps_file = self.source.sha256 is not None and not typed.strip()
        return self if keeps_file else self.model_copy(update={"source": DeckSource(text=typed)})

    async def build(self, bot: Client, caller: Caller) -> Answer:
        """Return the deck's pages, a CSV file with all its figures, and its text."""
        deck = await self.source.read(bot, caller)
        sheet = await bot.simulator.run(DeckSheetRequest(deck=deck), caller)
        card = await drawn(bot, deck_card(sheet), "deck.png", caller)
        return Answer(
            d.deck_document(sheet, card, self.source.told),
            lambda: {"deck.csv": write_deck(deck), "deck.txt": f"{format_deck(deck)}\n".encode()},
        )


class TraitsQuery(PagedQuery):
    """The query of `/boss deck` without a deck."""

    stored_as = "boss-traits"
    has_form = False

    async def build(self, _bot: Client, _caller: Caller) -> Answer:
        """Return the ready decks and the traits, these as a CSV file, too."""
        return Answer(d.traits_document(), lambda: {"traits.csv": write_traits()})


class WhatIfQuery(DeckQuery):
    """The query of `/boss what-if` for one deck.

    `what`: "one" exchange with the boss, "every" boss of the home, or the "best" `count` tokens against the boss.
    """

    stored_as = "boss-what-if"
    changes: ClassVar[Changes] = {d.EVERY.action: {"what": "every", "boss": None}, d.BEST.action: {"what": "best"}}

    what: Literal["one", "every", "best"]
    boss: Boss | None
    count: int = best.MAX_CHOSEN
    guild_id: int | None
    user_id: int

    async def build(self, bot: Client, caller: Caller) -> Answer:
        """Return an exchange and its transcript, with the deck of the best tokens; or the numbers for every boss."""
        run, told = bot.simulator.run, self.source.told
        deck = await self.source.read(bot, caller)
        of = len(deck.tokens)
        if self.boss is None:
            bosses = await all_bosses(bot, Home(self.guild_id, self.user_id))
            every = await run(EveryBossRequest(bosses=tuple(bosses), deck=deck), caller)
            card = await drawn(bot, every_boss_card(every), "bosses.png", caller)
            return Answer(d.every_boss_document(every, card, told), lambda: {"bosses.json": json_of(every)})
        if self.what == "best":
            found = await run(best.BestTokensRequest(boss=self.boss, deck=deck, count=self.count), caller)
            card = await drawn(bot, best_tokens_card(found, of), "exchange.png", caller)
            files = partial(exchange_files, bot, found.exchange, caller, {"best.csv": found.exchange.deck})
            return Answer(d.best_tokens_document(found, of, card, told), files)
        report = await run(ExchangeRequest(boss=self.boss, deck=deck), caller)
        more = (d.BEST,) if best.MAX_CHOSEN < of <= best.MAX_SET else ()
        card = await drawn(bot, what_if_card(report), "exchange.png", caller)
        files = partial(exchange_files, bot, report, caller, {})
        return Answer(d.what_if_document(report, card, more, told), files)


async def exchange_files(
    bot: Client, report: ExchangeReport, caller: Caller, decks: Mapping[str, Deck]
) -> dict[str, bytes]:
    """Return decks by their files' names, and the transcript of an exchange."""
    job = TranscriptRequest(exchange=ExchangeRequest(boss=report.boss, deck=report.deck))
    transcript = (await bot.simulator.once(job, caller)).encode()
    return {**{name: write_deck(deck) for name, deck in decks.items()}, "exchange.txt": transcript}


HERE = "here"
"""The option's text for the fight in the channel."""


class PartyDeck(DeckSource):
    """A member's deck with a name."""

    name: str


class OrderQuery(PagedQuery):
    """The query of `/boss what-if` for a party: saved decks, or the members of the fight `battle_id`."""

    stored_as = "boss-order"
    checks_slowly = True
    has_form = False

    boss: Boss | None
    times: int = 1
    party: tuple[PartyDeck, ...] = ()
    battle_id: int | None = None

    async def build(self, bot: Client, caller: Caller) -> Answer:
        """Return the best order, as JSON, too."""
        request = await self._read(bot, caller)
        report = await bot.simulator.run(request, caller)
        card = await drawn(bot, best_order_card(request, report), "order.png", caller)
        return Answer(d.best_order_document(request, report, card), lambda: {"order.json": json_of(report)})

    async def _read(self, bot: Client, caller: Caller) -> best.BestOrderRequest:
        if self.battle_id is not None:
            _, state = await find_fight(bot, self.battle_id, OWN_WORK)
            if not state.members:
                raise RuleError("Nobody is in this fight yet.")
            if state.setup.edition == HANDS:
                raise RuleError("Here the boss's attacks are rolled and tokens rest, so no order is the best.")
            entrants = tuple(Entrant(name=member.name, deck=member.deck) for member in state.members)
            return best.BestOrderRequest(boss=state.setup.boss, times=state.setup.times, entrants=entrants)
        if self.boss is None:
            raise RuleError("Against which boss? Choose one in the option boss.")
        party = [Entrant(name=deck.name, deck=await deck.read(bot, caller)) for deck in self.party]
        return best.BestOrderRequest(boss=self.boss, times=self.times, entrants=tuple(party))


async def party_query(
    interaction: Interaction, typed: str, boss: Boss | None, times: int, *, private: bool
) -> OrderQuery:
    """Read the option `party`: `HERE`, or names of saved decks separated by commas; RuleError."""
    bot = interaction.client
    if name_key(typed) == HERE:
        battle = await bot.services[BattleService].in_channel(interaction, None, BossFight.name)
        return OrderQuery(boss=None, battle_id=battle.id, private=private)
    if boss is None:
        raise RuleError("The best order against which boss? Choose one in the option boss.")
    names = [name.strip() for name in typed.split(",") if name.strip()]
    if not 1 <= len(names) <= MAX_MEMBERS:
        raise RuleError(f"A party has 1 to {MAX_MEMBERS} members, not {len(names)}.")
    party = []
    for name in names:
        roster = await bot.services[RosterLibrary].find(interaction, name, KIND.name)
        data = await bot.services[RosterRepository].read(roster)
        party.append(PartyDeck(name=roster.name, sha256=bot.services[UploadRepository].keep(data)))
    return OrderQuery(boss=boss, times=times, party=tuple(party), private=private)


DELETE_DEED = "boss-delete"


class ListQuery(PagedQuery):
    """The query of `/boss list`; `name`: the boss to show with its picture, None for all bosses of the home."""

    stored_as = "boss-list"
    has_form = False

    guild_id: int | None
    user_id: int
    name: str | None = None

    async def act(self, interaction: Interaction, stored: StoredQuery, action: str) -> None:
        """Ask before a boss is deleted by its maker, or by a referee; RuleError for anyone else."""
        what, _, number = action.partition(":")
        if what != DELETE:
            await super().act(interaction, stored, action)
            return
        home, services = home_of(interaction), interaction.client.services
        here = await services[BossRepository].at(home)
        forged = next((each for each in here if f"{each.id}" == number), None)
        if forged is None:
            raise RuleError("This boss is gone.")
        expect_maker(forged, home, referee=is_referee(interaction))
        text = f"This deletes **{plain(forged.boss.name)}**, its picture and all records against it."
        await services[Confirmations].ask(interaction, DELETE_DEED, forged.boss.name, text)

    async def build(self, bot: Client, _caller: Caller) -> Answer:
        """Return the bosses' pages, or the one with its picture, and the CSV file of them which /boss forge reads."""
        home, repository = Home(self.guild_id, self.user_id), bot.services[BossRepository]
        known, forged, portrait = list(KNOWN_BOSSES), [], None
        if self.name is None:
            forged = await repository.at(home)
        elif (found := await repository.find(home, self.name)) is not None:
            known, forged, portrait = [], [found], await repository.picture(found)
        elif (built_in := known_boss(self.name)) is not None:
            known = [built_in]
        else:
            raise RuleError("This boss is gone.")
        bosses = (*known, *(one.boss for one in forged))
        return Answer(bosses_document(known, forged, portrait), lambda: {"bosses.csv": write_bosses(bosses)})


async def delete_boss(interaction: Interaction, boss: str) -> None:
    """Delete a boss that was forged here."""
    forged, bosses = await find_forged(interaction, boss), interaction.client.services[BossRepository]
    await bosses.delete(home_of(interaction), forged, referee=is_referee(interaction))
    await edit_reply(interaction, f"🗑️ Deleted **{plain(forged.boss.name)}** and its records.")


_NEXT = Action("next", "Next member", "⏩")


class ArithmeticQuery(PagedQuery):
    """Asks for every product behind the exchanges of one member of a fight, the one in `seats[at]`."""

    stored_as = "boss-arithmetic"
    has_form = False
    changes: ClassVar[Changes] = {
        _NEXT.action: lambda query: query.model_copy(update={"at": (query.at + 1) % len(query.seats)})
    }

    battle_id: int
    seats: tuple[str, ...]
    at: int = 0

    async def build(self, bot: Client, caller: Caller) -> Answer:
        """Return the pages of the member's exchange; as files its text, and the member's deck."""
        battle, state = await find_fight(bot, self.battle_id, OWN_WORK)
        last = state.last
        member = state.member(last.seat if isinstance(last, Struck) else self.seats[self.at])
        if member is None:
            raise RuleError("This member is no longer in the fight.")
        boss, deck = state.setup.boss, member.deck
        if isinstance(last, Struck):
            tokens = tuple(token for token in deck.tokens if token.name in last.tokens)
            if not tokens:
                raise RuleError(f"{member.name} put up no token, so there is nothing to work out.")
            boss, deck = attacking(boss, last.attack), Deck(tokens=tokens)
        report = await bot.simulator.run(ExchangeRequest(boss=boss, deck=deck), caller)
        actions = (_NEXT,) if len(self.seats) > 1 else ()
        files = partial(exchange_files, bot, report, caller, {"deck.csv": member.deck})
        return Answer(d.arithmetic_document(battle.number, state, member, report, actions), files)


async def find_fight(bot: Client, battle_id: int, origin: Origin) -> tuple[Battle, State]:
    """Return a fight and its state; RuleError if there is none in the channel that asks."""
    battle = await bot.services[BattleService].find(battle_id, origin)
    state: State = (await bot.services[Presenters].position(battle)).state
    return battle, shown_state(battle, state)
