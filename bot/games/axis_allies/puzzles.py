"""`/puzzle`: a position a day, the same for all, with one best choice; streaks, a board, and posts in channels."""

import hashlib
import logging
from datetime import UTC, date, datetime
from functools import partial
from operator import attrgetter

import discord
from discord import app_commands
from discord.ext import commands

from bot.battles.maintenance import Chores, claimed
from bot.battles.panel import is_referee
from bot.client import Client, Interaction, undelivered
from bot.games.axis_allies.puzzle_store import PuzzleRepository, Streak
from bot.store import OWN_WORK
from bot.store.battles import BattleRepository
from bot.ui.error_replies import OUTDATED_BUTTON
from bot.ui.interactions import PersistentButton, caller_of, channel_of, defer, edit_reply, show_view
from bot.ui.text import Picture, answer_view, question_view, text_view
from sim.axis_allies.battle.cards import BattleCardRequest
from sim.axis_allies.battle.challenge import answer_of, question_of
from sim.axis_allies.battle.journal_puzzles import FindPuzzles
from sim.axis_allies.battle.rules import DiceBattle
from sim.axis_allies.battle.values import Setup
from sim.axis_allies.puzzles import DrawPuzzle, Puzzle
from sim.core.cards.draw import CardRequest
from sim.core.challenge import Question
from sim.core.errors import RuleError, TooMuchError
from sim.core.journal import active_steps
from sim.core.numbers import quantity
from sim.workers import Caller

ORANGE = 0xFF922B
_SHOWN = 10
_NOBODY = "Nobody here has solved one yet. `/puzzle today` shows today's."

_log = logging.getLogger("fracas.puzzles")


class PuzzleService:
    """Shows the day's puzzle, takes answers, and posts it where that is wanted."""

    def __init__(self, bot: Client) -> None:
        self._bot = bot
        self._puzzles = bot.services[PuzzleRepository]

    @property
    def today(self) -> str:
        """The day, in UTC, such as "2026-11-24"."""
        return datetime.fromtimestamp(self._bot.clock(), UTC).date().isoformat()

    async def of(self, day: str, caller: Caller | None = None) -> Puzzle:
        """Return the puzzle of a day: one of a battle if any waits, else drawn, everywhere from the same seed."""
        if await self._puzzles.puzzle(day) is None:
            await self._puzzles.take(day)
        if (kept := await self._puzzles.puzzle(day)) is None:
            seed = hashlib.sha256(f"fracas puzzle {day}".encode()).digest()
            await self._puzzles.keep(day, await self._bot.simulator.once(DrawPuzzle(seed=seed), caller))
            kept = await self._puzzles.puzzle(day)
        if kept is None:
            raise RuleError("This puzzle is no longer kept.")
        return kept

    async def view(self, day: str, caller: Caller | None = None) -> tuple[discord.ui.LayoutView, Picture]:
        """Lay out the question with its buttons."""
        question = question_of(await self.of(day, caller))
        picture = await self._picture(_position_card(question), caller)
        ids = [f"aq1:{day}:{at}" for at in range(len(question.options))]
        return question_view(f"### 🧩 The puzzle of {_date(day)}", question, ids, picture, ORANGE), picture

    async def answer(self, interaction: Interaction, day: str, choice: int) -> None:
        """Take an answer, and tell the one who gave it what each choice is worth; only today's first one counts."""
        await defer(interaction, private=True)
        today, user_id, caller = self.today, interaction.user.id, caller_of(interaction)
        kept = await self._puzzles.puzzle(day)
        if kept is None or choice >= len(kept.options):
            raise RuleError(OUTDATED_BUTTON)
        note = f"-# It was the puzzle of {_date(day)}: this no longer counts."
        if day == today:
            first = await self._puzzles.answer(day, user_id, interaction.guild_id, choice, correct=choice == kept.best)
            chosen = await self._puzzles.answered(day, user_id)
            choice = choice if chosen is None else chosen
            note = _streak_text(await self._puzzles.streak(user_id, today))
            note = note if first else f"-# Your answer for today stands.\n{note}"
        told = answer_of(kept, choice)
        picture = await self._picture(told.card, caller)
        view = answer_view(question_of(kept), choice, told, note, picture, ORANGE)
        await show_view(interaction, view, picture)

    async def search(self) -> None:
        """Look for a puzzle in a battle that is over, one at a time: a search takes a second at most."""
        await self._puzzles.forget_withdrawn()
        battles = self._bot.services[BattleRepository]
        battle_id = await self._puzzles.unsearched(DiceBattle.name)
        battle = None if battle_id is None else await battles.get(battle_id, OWN_WORK)
        if battle is None:
            return
        steps = [(row.n, row.events_json) for row in active_steps(await battles.journal_rows(battle.id))]
        try:
            found = await self._bot.simulator.once(FindPuzzles(steps, battle.seed))
        except TooMuchError:
            found = ()  # there are other battles
        hardest = min((puzzle for _, puzzle in found), key=attrgetter("lead"), default=None)
        await self._puzzles.found(battle.id, hardest)

    async def run(self) -> None:
        """Post the day's puzzle in the channels that don't have it yet, at most once a day each."""
        day, puzzles = self.today, self._puzzles
        for channel_id, guild_id in await puzzles.due(day):
            view, picture = await self.view(day)
            if day != self.today:
                return  # the next round posts the new day's
            if await puzzles.claim(channel_id, day):
                channel = self._bot.get_partial_messageable(channel_id, guild_id=guild_id)
                unclaim, close = partial(puzzles.unclaim, channel_id, day), partial(puzzles.close, channel_id)
                with undelivered(_log, "puzzle_not_posted", channel=channel_id):
                    async with claimed(unclaim, close):
                        await channel.send(view=view, files=[picture.file()], nonce=f"puzzle {day}")

    async def _picture(self, request: CardRequest, caller: Caller | None) -> Picture:
        return Picture.of("puzzle.png", await self._bot.simulator.once(request, caller))


def _position_card(question: Question[Setup]) -> CardRequest:
    """Return the card of the armies, without the odds."""
    rules = DiceBattle()
    state_json = rules.states.write_json(rules.begin(question.position))
    return BattleCardRequest(state_json=state_json, events_json=(), engines=False)


def _date(day: str) -> str:
    """Return a day in words: "November 24"."""
    return f"{(at := date.fromisoformat(day)):%B} {at.day}"


def _streak_text(streak: Streak) -> str:
    days = f"🔥 {quantity(streak.days, 'day')} in a row · " if streak.days else ""
    return f"{days}{quantity(streak.right, 'puzzle')} solved in all"


class PuzzleButton(PersistentButton, template=r"aq1:(?P<day>[0-9]{4}-[0-9]{2}-[0-9]{2}):(?P<choice>[0-3])"):
    """A choice of a puzzle."""

    kind = "aa-puzzle"

    async def pressed(self, interaction: Interaction) -> None:
        """Take the answer."""
        await interaction.client.services[PuzzleService].answer(
            interaction, self.match["day"], int(self.match["choice"])
        )


class Puzzles(commands.Cog, name="Puzzles of Axis & Allies"):
    """A puzzle a day."""

    puzzle = app_commands.Group(name="puzzle", description="Axis & Allies: a puzzle a day, the same for everyone")

    def __init__(self, bot: Client) -> None:
        self._bot = bot
        self._service = bot.services[PuzzleService]
        self._puzzles = bot.services[PuzzleRepository]
        bot.add_items(PuzzleButton)
        bot.services[Chores]["puzzles"] = self._service.run
        bot.services[Chores]["puzzle-search"] = self._service.search

    @puzzle.command(
        description="Today's puzzle: one choice is clearly the best",
        extras={
            "example": "/puzzle today",
            "more": "What to buy, which units to lose, or whether to retreat. Your first answer counts, once a day;"
            " then you see what each choice is worth, exactly. Two programs that share no code agree on it."
            " Days are in UTC. Positions of battles whose players all allow it in `/profile` become puzzles,"
            " without names.",
        },
    )
    async def today(self, interaction: Interaction) -> None:
        """Show today's puzzle."""
        await defer(interaction, private=True)
        await show_view(interaction, *await self._service.view(self._service.today, caller_of(interaction)))

    @puzzle.command(
        description="Who has the longest streak of solved puzzles in this server", extras={"example": "/puzzle board"}
    )
    @app_commands.guild_only()
    async def board(self, interaction: Interaction) -> None:
        """Show the board."""
        await defer(interaction, private=False)
        board = await self._puzzles.board(interaction.guild_id or 0, self._service.today)
        lines = [
            f"**{place}.** <@{one.user_id}> · {_streak_text(one)}" for place, one in enumerate(board[:_SHOWN], start=1)
        ]
        text = "\n".join(lines) or _NOBODY
        await show_view(interaction, text_view(["### 🧩 Puzzles: the longest streaks", text], colour=ORANGE))

    @puzzle.command(
        description="Post the puzzle in this channel each day, or stop; needs Manage Messages",
        extras={"example": "/puzzle channel post:True"},
    )
    @app_commands.guild_only()
    @app_commands.describe(post="Whether to post it here each day")
    async def channel(self, interaction: Interaction, post: bool) -> None:
        """Open or close the posts of a channel."""
        if interaction.guild_id is None or not is_referee(interaction):
            raise RuleError("Only a mod can choose where puzzles are posted: it takes Manage Messages.")
        if post and not interaction.app_permissions.send_messages:
            raise RuleError("I can't post in this channel by myself: allow me Send Messages here.")
        await defer(interaction, private=True)
        if post:
            await self._puzzles.open(channel_of(interaction), interaction.guild_id)
            await edit_reply(interaction, "🧩 The puzzle comes here each day, today's within a minute if not here yet.")
        else:
            await self._puzzles.close(channel_of(interaction))
            await edit_reply(interaction, "🧩 No puzzles are posted here. `/puzzle today` still shows the day's.")
