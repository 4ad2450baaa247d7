"""`/luck`, `/profile` and `/ladder`: what is remembered of battles that are over, in a season.

Seasons are quarters of a year, in UTC: the same everywhere, and nobody has to begin or end them.
"""

import re
from calendar import timegm
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from typing import Annotated, TypeAlias

import discord
from discord import app_commands
from discord.ext import commands

from bot.answers import Queries
from bot.battles import BattleService
from bot.battles.cog import ANY_BATTLE
from bot.battles.followers import EndedBattles
from bot.battles.panel import is_referee
from bot.battles.presenter import game_titles
from bot.client import Client, Interaction
from bot.stats import BattleRecorder, Dice, LadderRepository, Span, StatsRepository
from bot.stats.profiles import CrestQuery, counts_text, crest_button, moment_lines, show_profile
from bot.ui import Picture, called, find_title, plain, text_view
from bot.ui.interactions import caller_of, defer, edit_reply, reply, show_view
from bot.ui.options import CompletedBy, Option, Private, as_typed, choices_with, run, slash
from sim.core import RuleError
from sim.core.cards.values import MAX_LUCK_ROWS
from sim.core.luck import BAGS, MAX_PASTED, TIES, read_dice, shared_tie
from sim.core.numbers import quantity
from sim.jobs.luck import Hand, RateGames, Rating, WeighLuck, luck_figures

MAX_HANDS = 10

_HITS = "hits"
_HOW = "-# Counts every roll, even undone ones."
_EVEN = "-# A percentage counts two rounds' worth of dice, however long the battle; its seed adds what is missing."

Person: TypeAlias = discord.User | discord.Member
Ledger = Sequence[tuple[str, Hand]]
"""Hands with their labels in markdown."""


def ledger_of(dice: Sequence[Dice], titles: Mapping[str, str]) -> Ledger:
    """Return all dice of several battles: the hits of all games first if several have some, then each game's own."""
    groups: dict[tuple[str, str], list[Dice]] = {}
    for each in dice:
        groups.setdefault((titles.get(each.system, each.system), each.unit), []).append(each)
    ordered = sorted(groups, key=lambda key: (-len(groups[key]), key))
    hands = [_hand(f"{key[0]}, {key[1]}", key[1], groups[key]) for key in ordered]
    if sum(unit == _HITS for _, unit in groups) > 1:
        hands.insert(0, _hand("All hits", _HITS, [each for each in dice if each.unit == _HITS]))
    return [(hand.name, hand) for hand in hands[:MAX_HANDS]]


def _hand(name: str, unit: str, dice: Sequence[Dice]) -> Hand:
    bags, rolled = tuple(each.bag for each in dice), sum(each.rolled for each in dice)
    place = dice[0].place if len(dice) == 1 else None
    return Hand(name=name, unit=unit, bags=bags, rolled=rolled, tie=shared_tie(each.tie for each in dice), place=place)


ALL_TIME = "all"
MAX_SEASON = 20
"""Characters of a season as it is typed."""

_OFFERED = 8
_MONTHS = 3
_SHAPE = re.compile(r"q([1-4])\s*([0-9]{4})|([0-9]{4})[\s-]*q([1-4])", re.IGNORECASE | re.ASCII)
_YEARS = range(2015, 2100)


@dataclass(frozen=True, slots=True)
class Season:
    """A quarter of a year, by its number in the calendar: 4 times the year, and 0 to 3."""

    number: int

    @classmethod
    def at(cls, now: float) -> "Season":
        """Return the season of a moment in Unix seconds."""
        day = datetime.fromtimestamp(now, UTC)
        return cls(4 * day.year + (day.month - 1) // _MONTHS)

    @property
    def start(self) -> int:
        """The first moment, in Unix seconds."""
        return timegm((self.number // 4, self.number % 4 * _MONTHS + 1, 1, 0, 0, 0))

    def __str__(self) -> str:
        return f"Q{self.number % 4 + 1} {self.number // 4}"


def span_of(typed: str | None, guild_id: int | None, now: float, *, default: Season | None) -> tuple[Span, str]:
    """Return the span of a season as typed, and its name; `default`: the season if nothing is, None for all time.

    RuleError for what is no season.
    """
    season = default
    if typed is not None and typed.strip().casefold() in {ALL_TIME, "all time"}:
        season = None
    elif typed is not None:
        found = _SHAPE.fullmatch(typed.strip())
        if found is None or int(found[2] or found[3]) not in _YEARS:
            raise RuleError(f"Seasons are quarters of a year, such as {Season.at(now)}; or write all.")
        season = Season(4 * int(found[2] or found[3]) + int(found[1] or found[4]) - 1)
    if season is None:
        return Span(guild_id), "all time"
    return Span(guild_id, season.start, Season(season.number + 1).start), str(season)


async def latest_seasons(interaction: Interaction, typed: str) -> Iterable[app_commands.Choice[str]]:
    """Offer the latest seasons, and all time."""
    now = Season.at(interaction.client.clock()).number
    return choices_with([*(str(Season(now - ago)) for ago in range(_OFFERED)), ALL_TIME], typed)


MAX_GAME = 60


async def ranked_games(interaction: Interaction) -> Mapping[str, str]:
    """Return the games of which the server remembers results that count: titles by system."""
    if interaction.guild_id is None:
        return {}
    titles = game_titles()
    systems = await interaction.client.services[StatsRepository].rated_systems(interaction.guild_id)
    return {system: titles.get(system, system) for system in systems}


async def _ranked_titles(interaction: Interaction, typed: str) -> Iterable[app_commands.Choice[str]]:
    return choices_with((await ranked_games(interaction)).values(), typed)


MAX_RANKS = 20
"""Players of a ladder that are shown."""

_MAX_TITLE = 60

WhoOption = Annotated[discord.User | None, Option("Whose; yours if you leave it out")]
SeasonOption = Annotated[
    str | None, Option("A quarter such as Q4 2026, or all", CompletedBy(MAX_SEASON, latest_seasons))
]


class StatsCommands(commands.Cog, name="Luck and ladders"):
    """The commands about battles that are over."""

    luck = app_commands.Group(name="luck", description="How lucky the dice were, from their exact odds")
    ladder = app_commands.Group(name="ladder", description="Who is best at what in this server")

    def __init__(self, bot: Client) -> None:
        self._bot = bot
        self._stats = bot.services[StatsRepository]
        self._ladders = bot.services[LadderRepository]
        bot.services[Queries].add(CrestQuery)
        bot.services[EndedBattles].add(BattleRecorder(bot))
        bot.add_items(crest_button)
        bot.add_menu("Profile", "what they won here; only you see it", self._menu_profile)
        bot.add_menu("Luck", "their luck with the dice, over all battles here; only you see it", self._menu_luck)

    @slash(
        luck,
        as_typed,
        more="From the exact odds of all dice: what was expected and what was rolled, the luckiest and the unluckiest"
        " throw, and a picture.",
    )
    async def person(
        self, interaction: Interaction, who: WhoOption = None, season: SeasonOption = None, private: Private = False
    ) -> None:
        """A player's luck with the dice, over all battles here."""
        await self._luck(interaction, _person(interaction, who), season, interaction.guild_id, private=private)

    @slash(luck, name="battle", example="/luck battle number:1")
    async def of_battle(
        self,
        interaction: Interaction,
        number: Annotated[int | None, Option("The battle's number in this channel", ANY_BATTLE)] = None,
        private: Private = False,
    ) -> None:
        """Both sides' luck in a battle that is over."""
        battle = await self._bot.services[BattleService].over_in_channel(interaction, number)
        if battle.is_open:
            await reply(interaction, text_view([f"#{battle.number} isn't over yet: ask again at the end."]))
            return
        await defer(interaction, private=private)
        await self._bot.services[EndedBattles].settled()  # it may have ended a moment ago
        span = Span(battle.guild_id, battle_id=battle.id)
        dice = await self._stats.dice(span)
        if not dice:
            raise RuleError(f"No dice of #{battle.number} are remembered: people threw none there.")
        several = len({each.unit for each in dice}) > 1
        ledger = []
        for each in dice[:MAX_HANDS]:  # seat by seat
            seat = each.seat.replace("-", " ").capitalize()
            unit = f", {each.unit}" if several else ""
            whose = "" if each.user_id is None else f" <@{each.user_id}>"
            ledger.append((f"{seat}{whose}{unit}", _hand(f"{seat}{unit}", each.unit, [each])))
        told = moment_lines(await self._stats.moments(span), game_titles(), names=True, single=True)
        await self._answer(interaction, f"The luck in #{battle.number}", "", ledger, told, _HOW, _EVEN)

    @slash(luck, as_typed)
    async def server(self, interaction: Interaction, season: SeasonOption = None, private: Private = False) -> None:
        """Everyone's luck in this server."""
        await self._luck(interaction, None, season, _server(interaction), private=private)

    @slash(
        luck,
        as_typed,
        example="/luck paste text:3@1 (1, 4, 6) 2@3 (2, 5)",
        more="Reads `4/9 hits, expectedHits=3.50`, `2/3@2` and `3@2: (1, 4, 6)`, after the thrower's name.",
    )
    async def paste(
        self,
        interaction: Interaction,
        text: Annotated[
            str,
            Option(f"The lines or the post, up to {MAX_PASTED:,} characters", app_commands.Range[str, 1, MAX_PASTED]),
        ],
        private: Private = False,
    ) -> None:
        """The luck of dice thrown elsewhere: TripleA's lines or a forum's dice posts."""
        found = read_dice(text)
        await defer(interaction, private=private)
        ledger = []
        for each in islice(found, MAX_HANDS):
            bag = BAGS.dump_json(each.dice).decode()
            # No seed breaks these dice's ties, so that they count half.
            hand = Hand(name=each.name, unit=_HITS, bags=(bag,), rolled=each.hits, tie=TIES // 2, instead="A player")
            ledger.append((plain(each.name), hand))
        alike = "-# Where only the expected hits are given, the dice are taken to be as alike as those allow."
        notes = [alike] if any(each.alike for each in found) else []
        await self._answer(interaction, "The luck of these dice", "pasted", ledger, (), *notes)

    async def _menu_luck(self, interaction: Interaction, who: discord.User) -> None:
        await self._luck(interaction, _person(interaction, who), None, interaction.guild_id, private=True)

    async def _luck(
        self,
        interaction: Interaction,
        person: Person | None,
        season: str | None,
        guild_id: int | None,
        *,
        private: bool,
    ) -> None:
        """Tell the luck of a person, or of everybody, in a season."""
        span, name = span_of(season, guild_id, self._bot.clock(), default=None)
        user_id = None if person is None else person.id
        dice = await self._stats.dice(span, user_id)
        if not dice:
            whose = "" if person is None else f" of {plain(called(person), _MAX_TITLE)}"
            await reply(interaction, text_view([f"No dice{whose} are remembered here ({name})."]))
            return
        await defer(interaction, private=private)
        titles, title = game_titles(), "The luck of this server" if person is None else f"{called(person)}'s luck"
        told = moment_lines(await self._stats.moments(span, user_id), titles, names=person is None)
        await self._answer(interaction, title, name, ledger_of(dice, titles), told, _HOW)

    async def _answer(
        self, interaction: Interaction, title: str, aside: str, ledger: Ledger, told: Iterable[str], *notes: str
    ) -> None:
        """Answer with the luck of each hand, what is `told` below, and notes in small."""
        job = WeighLuck(title=title, aside=aside, hands=tuple(hand for _, hand in ledger))
        weighed, card = await self._bot.simulator.run(job, caller_of(interaction))
        picture = Picture.of("luck.png", card)
        lines = [
            f"{label}: **{hand.surplus}**{'' if at < MAX_LUCK_ROWS else f' · {hand.luck} · {luck_figures(hand)}'}"
            for at, ((label, _), hand) in enumerate(zip(ledger, weighed, strict=True))
        ]
        head = f"### 🎲 {plain(title, _MAX_TITLE)}{f' · {aside}' if aside else ''}"
        parts = ("\n\n".join(filter(None, ["\n".join(lines), "\n".join(told)])), "\n".join(notes))
        await show_view(interaction, text_view([head, *filter(None, parts)], picture=picture))

    @slash(None)
    async def profile(self, interaction: Interaction, who: WhoOption = None, private: Private = False) -> None:
        """A card of what a player won here; on yours you choose your emblem and color."""
        person = _person(interaction, who)
        is_own = person.id == interaction.user.id
        if not is_own and not await self._stats.tallies(Span(interaction.guild_id), person.id):
            name = plain(called(person), _MAX_TITLE)
            await reply(interaction, text_view([f"No battles of {name} are remembered here."]))
            return
        await defer(interaction, private=private)
        await show_profile(interaction, person)

    async def _menu_profile(self, interaction: Interaction, who: discord.User) -> None:
        await run(self.profile, self, interaction, who=who, private=True)

    @slash(
        ladder,
        as_typed,
        more="Ratings are by OpenSkill and start over each season. Games between people count if all of them agreed,"
        " unless something was taken back, a seat was taken over or they ended early.",
    )
    async def show(
        self,
        interaction: Interaction,
        game: Annotated[
            str | None, Option("The game; all of them if you leave it out", CompletedBy(MAX_GAME, _ranked_titles))
        ] = None,
        season: SeasonOption = None,
        private: Private = False,
    ) -> None:
        """The best players of a game in this server."""
        guild_id = _server(interaction)
        if not await self._ladders.is_open(guild_id):
            await reply(interaction, text_view(["No ladder yet. Ask a mod to open one: `/ladder open`."]))
            return
        now = self._bot.clock()
        span, name = span_of(season, guild_id, now, default=Season.at(now))
        titles = await ranked_games(interaction)
        systems, known = list(titles), {**game_titles(), **titles}
        if game is not None:
            systems = [find_title(known, game, "No game here is called that.")]
        await defer(interaction, private=private)
        most = MAX_RANKS if len(systems) == 1 else max(3, MAX_RANKS // max(1, len(systems)))
        parts = [f"### 🪜 Ladders · {name}"]
        for system in systems:
            job = RateGames(games=tuple(await self._stats.rated_games(span, system)))
            ranks = await self._bot.simulator.run(job, caller_of(interaction))
            shown = [_ladder_line(rank, rating) for rank, rating in enumerate(ranks[:most], start=1)]
            more = [f"-# and {quantity(len(ranks) - most, 'player')} more"] if len(ranks) > most else []
            if shown:
                parts.append("\n".join([f"**{titles.get(system, system)}**", *shown, *more]))
        if len(parts) == 1:
            parts.append("No games between people yet in this season.")
        parts.append(
            "-# A battle counts if every player agreed to have it rated, and the same players fought it to the end"
            " without an undo. The odds before the first roll count, too: a sure win is worth next to nothing."
        )
        await interaction.edit_original_response(view=text_view(parts))

    @slash(ladder, name="open")
    async def open_(
        self,
        interaction: Interaction,
        sealed: Annotated[
            bool, Option("Rate only battles whose dice a public beacon has sealed (default: no)")
        ] = False,
    ) -> None:
        """Keep ladders in this server; needs Manage Messages."""
        guild_id = _managed(interaction)
        await defer(interaction, private=False)
        await self._ladders.set_open(guild_id, is_open=True, sealed=sealed)
        only = ", of battles with sealed dice alone" if sealed else ""
        text = f"🪜 This server keeps ladders now{only}: `/ladder show`. `/ladder close` ends that."
        await edit_reply(interaction, text)

    @slash(ladder)
    async def close(self, interaction: Interaction) -> None:
        """Stop keeping ladders in this server; needs Manage Messages."""
        guild_id = _managed(interaction)
        await defer(interaction, private=False)
        await self._ladders.set_open(guild_id, is_open=False)
        await edit_reply(interaction, "This server no longer keeps ladders.")


def _person(interaction: Interaction, who: discord.User | None) -> Person:
    """Return the person asked about; RuleError for somebody else in direct messages."""
    if who is None or who.id == interaction.user.id:
        return interaction.user
    if interaction.guild_id is None:
        raise RuleError("In direct messages you can only look at yourself.")
    return who


def _server(interaction: Interaction) -> int:
    if interaction.guild_id is None:
        raise RuleError("Only a server has that; use this in one.")
    return interaction.guild_id


def _managed(interaction: Interaction) -> int:
    guild_id = _server(interaction)
    if not is_referee(interaction):
        raise RuleError("Only a mod can open or close this server's ladders: it takes Manage Messages.")
    return guild_id


def _ladder_line(rank: int, rating: Rating) -> str:
    """Return a line of `/ladder`."""
    went = counts_text(won=rating.won, lost=rating.games - rating.won - rating.tied, tied=rating.tied)
    games = ", ".join(filter(None, [quantity(rating.games, "game"), went]))
    return f"**{rank}.** <@{rating.player}> · **{rating.points:,}** points · {games}"
