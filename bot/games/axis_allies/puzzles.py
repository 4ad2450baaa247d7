"""`/puzzle`: a position a day, the same for all, with one best choice; streaks, a board, and posts in channels."""

import hashlib
import logging
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import partial
from operator import attrgetter
from typing import Annotated

from discord import app_commands
from discord.ext import commands

from bot.battles.maintenance import Chores, claimed
from bot.battles.panel import is_referee
from bot.client import Client, Interaction, undelivered
from bot.store import OWN_WORK
from bot.store.battles import BattleRepository
from bot.store.database import Connection, Repository, Value, in_transaction
from bot.store.personal_data import PersonalTable
from bot.store.personal_tables import OF_BATTLE
from bot.ui import Picture, View, answer_view, question_view, text_view
from bot.ui.error_replies import OUTDATED_BUTTON
from bot.ui.interactions import PersistentButton, caller_of, channel_of, defer, edit_reply, show_view
from bot.ui.options import Option, slash
from sim.axis_allies.battle.cards import BattleCardRequest
from sim.axis_allies.battle.puzzles import DrawPuzzle, FindPuzzles, Puzzle
from sim.axis_allies.battle.rules import DiceBattle
from sim.core import RuleError, TooMuchError
from sim.core.cards.draw import CardRequest
from sim.core.journal import active_steps
from sim.core.numbers import quantity
from sim.workers.queue import Caller

ORANGE = 0xFF922B
_SHOWN = 10

_log = logging.getLogger("fracas.puzzles")


PUZZLE_ANSWERS = PersonalTable(
    table="aa_puzzle_answers",
    user_column="user_id",
    guild_column="guild_id",
    label=("answer to a puzzle", "answers to puzzles"),
    kept="of Axis & Allies, for your streak and the board; until deleted",
    order="day",
)
PUZZLE_CHANNELS = PersonalTable(
    table="aa_puzzle_channels", guild_column="guild_id", other_ids={"channel_id": "a channel"}
)

PUZZLE_FINDS = PersonalTable(
    table="aa_puzzle_finds",
    mentions=f"battle_id IN (SELECT id FROM battles WHERE starter_id = ?1 OR {OF_BATTLE})",  # noqa: S608  # constants
)

MOST_FINDS = 30
"""Puzzles of battles that wait for their days; no more are looked for meanwhile."""

_OFF = "off "
"""Stands before the day in `posted` of a channel where the posts were stopped: no day is later than that."""
_ASKED = "!"
"""Stands behind the day while Discord is asked to post, and for that day if the bot may not."""
_DUE = "(posted IS NULL OR posted < ?)"

_PEOPLE = (
    "SELECT starter_id AS user_id UNION SELECT user_id FROM seats WHERE battle_id = id"
    " UNION SELECT user_id FROM seats_left WHERE battle_id = id"
    " UNION SELECT CAST(actor AS BIGINT) FROM journal WHERE battle_id = id"
)
# A seat without an id that isn't the bot's may have been that of a person who is forgotten: nobody can ask them.
_ALLOWED = (
    "starter_id IN (SELECT user_id FROM people WHERE positions = 1)"  # noqa: S608  # constants
    f" AND NOT EXISTS (SELECT 1 FROM ({_PEOPLE}) AS involved WHERE user_id IS NOT NULL"
    " AND user_id NOT IN (SELECT user_id FROM people WHERE positions = 1))"
    " AND NOT EXISTS (SELECT 1 FROM seats WHERE battle_id = id AND user_id IS NULL AND is_bot = 0"
    " AND seat IN ('attacker', 'defender'))"
)
"""The condition that all people of a battle, who are known, allow puzzles now."""


@dataclass(frozen=True, slots=True)
class Streak:
    """How many days in a row somebody was right, up to now, and on how many days in all."""

    user_id: int
    days: int
    right: int


class PuzzleRepository(Repository):
    """The puzzles of days; a day is an ISO date in UTC."""

    async def puzzle(self, day: str) -> Puzzle | None:
        """Return the puzzle of a day, None if nobody has asked for it yet."""
        kept = await self._db.fetch_value(str, "SELECT puzzle FROM aa_puzzles WHERE day = ?", [day])
        return None if kept is None else Puzzle.model_validate_json(kept)

    async def keep(self, day: str, puzzle: Puzzle) -> None:
        """Keep the puzzle of a day; the first one stays."""
        await self._db.add("aa_puzzles", day=day, puzzle=puzzle.model_dump_json())

    @in_transaction
    async def take(self, conn: Connection, day: str) -> None:
        """Give a day the puzzle of a battle that has waited longest, if there is one and the day has none."""
        rows = await conn.fetch_all(
            "SELECT id, puzzle FROM battles JOIN aa_puzzle_finds ON battle_id = id"  # noqa: S608  # constants
            f" WHERE puzzle IS NOT NULL AND {_ALLOWED} ORDER BY id LIMIT 1"
        )
        for row in rows:
            if await conn.add("aa_puzzles", day=day, puzzle=row["puzzle"]):
                await conn.change("aa_puzzle_finds", {"battle_id": row["id"]}, puzzle=None)

    async def unsearched(self, system: str) -> int | None:
        """Return the newest battle that is over and may be searched for a puzzle, None while enough wait."""
        return await self._db.fetch_value(
            int,
            "SELECT id FROM battles WHERE system = ? AND status <> 'open' AND branch IS NULL"  # noqa: S608  # constants
            " AND NOT EXISTS (SELECT 1 FROM aa_puzzle_finds WHERE battle_id = id)"
            f" AND (SELECT count(*) FROM aa_puzzle_finds WHERE puzzle IS NOT NULL) < ? AND {_ALLOWED}"
            " ORDER BY id DESC LIMIT 1",
            [system, MOST_FINDS],
        )

    async def found(self, battle_id: int, puzzle: Puzzle | None) -> None:
        """Note what was found in a battle, unless somebody of it allows that no more."""
        await self._db.execute(
            "INSERT INTO aa_puzzle_finds (battle_id, puzzle)"  # noqa: S608  # constants
            f" SELECT id, CAST(? AS TEXT) FROM battles WHERE id = ? AND {_ALLOWED} ON CONFLICT (battle_id) DO NOTHING",
            [None if puzzle is None else puzzle.model_dump_json(), battle_id],
        )

    async def forget_withdrawn(self) -> None:
        """Delete what was found in battles of which somebody allows it no more."""
        allowed = f"SELECT id FROM battles WHERE id = battle_id AND {_ALLOWED}"  # noqa: S608  # constants
        await self._db.execute(f"DELETE FROM aa_puzzle_finds WHERE puzzle IS NOT NULL AND NOT EXISTS ({allowed})")  # noqa: S608  # as above

    async def answer(self, day: str, user_id: int, guild_id: int | None, choice: int, *, correct: bool) -> bool:
        """Keep somebody's answer; return whether it is their first one of that day, which stays."""
        answer = {"user_id": user_id, "guild_id": guild_id, "choice": choice, "correct": correct}
        return await self._db.add("aa_puzzle_answers", day=day, **answer)

    async def answered(self, day: str, user_id: int) -> int | None:
        """Return what somebody chose on a day; None for nothing yet."""
        sql = "SELECT choice FROM aa_puzzle_answers WHERE day = ? AND user_id = ?"
        return await self._db.fetch_value(int, sql, [day, user_id])

    async def streak(self, user_id: int, today: str) -> Streak:
        """Return somebody's streak."""
        sql = "SELECT day, correct FROM aa_puzzle_answers WHERE user_id = ?"
        rows = await self._db.fetch_all(sql, [user_id])
        return _streak(user_id, {row["day"]: row["correct"] for row in rows}, today)

    async def board(self, guild_id: int, today: str) -> list[Streak]:
        """Return the streaks of all who were ever right in a server, the longest first."""
        sql = (
            "SELECT user_id, day, correct FROM aa_puzzle_answers WHERE user_id IN"
            " (SELECT user_id FROM aa_puzzle_answers WHERE guild_id = ? AND correct = 1)"
        )
        answers: dict[int, dict[str, int]] = defaultdict(dict)
        for row in await self._db.fetch_all(sql, [guild_id]):
            answers[row["user_id"]][row["day"]] = row["correct"]
        found = [_streak(user_id, own, today) for user_id, own in answers.items()]
        return sorted(found, key=lambda one: (-one.days, -one.right, one.user_id))

    async def open(self, channel_id: int, guild_id: int) -> None:
        """Post the puzzle in a channel each day, today's too if it wasn't."""
        await self._db.add("aa_puzzle_channels", channel_id=channel_id, guild_id=guild_id)
        sql = "UPDATE aa_puzzle_channels SET posted = CASE WHEN posted LIKE ? THEN NULL ELSE replace(posted, ?, '') END"
        await self._db.execute(f"{sql} WHERE channel_id = ?", [f"%{_ASKED}", _OFF, channel_id])

    async def close(self, channel_id: int) -> None:
        """Stop posting there; the last day is kept, so that switching on again doesn't post it twice."""
        sql = "UPDATE aa_puzzle_channels SET posted = ? || replace(coalesce(posted, ''), ?, '') WHERE channel_id = ?"
        await self._db.execute(sql, [_OFF, _OFF, channel_id])

    async def due(self, day: str) -> list[tuple[int, int]]:
        """Return the channels, each with its server, in which a day's puzzle wasn't posted yet."""
        sql = f"SELECT channel_id, guild_id FROM aa_puzzle_channels WHERE {_DUE} ORDER BY channel_id"  # noqa: S608  # constants
        return [(row["channel_id"], row["guild_id"]) for row in await self._db.fetch_all(sql, [day])]

    async def claim(self, channel_id: int, day: str) -> bool:
        """Note that a day's puzzle is being sent to a channel; False if it was before, or isn't wanted any more."""
        sql = f"UPDATE aa_puzzle_channels SET posted = ? WHERE channel_id = ? AND {_DUE}"  # noqa: S608  # constants
        return bool(await self._db.execute(sql, [day + _ASKED, channel_id, day]))

    async def settle(self, channel_id: int, day: str, *, sent: bool) -> None:
        """Note that it was sent, or that it wasn't and is tried again."""
        asked: dict[str, Value] = {"channel_id": channel_id, "posted": day + _ASKED}
        await self._db.change("aa_puzzle_channels", asked, posted=day if sent else None)


def _streak(user_id: int, answers: Mapping[str, int], today: str) -> Streak:
    """Return the streak of somebody who was right (1) or wrong (0) on these days; today's puzzle may be to come."""
    at, count = date.fromisoformat(today), 0
    if today not in answers:
        at -= timedelta(days=1)
    while answers.get((at - timedelta(days=count)).isoformat()):
        count += 1
    return Streak(user_id, count, sum(answers.values()))


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

    async def view(self, day: str, caller: Caller | None = None) -> View:
        """Lay out the question with its buttons."""
        question = (await self.of(day, caller)).asked
        rules = DiceBattle()
        state_json = rules.states.write_json(rules.begin(question.position))
        # Without the odds.
        card = BattleCardRequest(state_json=state_json, events_json=(), engines=False)
        picture = await self._picture(card, caller)
        ids = [f"aq1:{day}:{at}" for at in range(len(question.options))]
        return question_view(f"### 🧩 The puzzle of {_date(day)}", question, ids, picture, ORANGE)

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
        told = kept.answered(choice)
        picture = await self._picture(told.card, caller)
        await show_view(interaction, answer_view(kept.asked, choice, told, note, picture, ORANGE))

    async def search(self) -> None:
        """Look for a puzzle in a battle that is over, one at a time: a search takes a second at most."""
        await self._puzzles.forget_withdrawn()
        battles = self._bot.services[BattleRepository]
        battle_id = await self._puzzles.unsearched(DiceBattle.name)
        battle = None if battle_id is None else await battles.get(battle_id, OWN_WORK)
        if battle is None:
            return
        steps = [(row.n, row.events_json) for row in active_steps(await battles.journal(battle.id))]
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
            view = await self.view(day)
            if day != self.today:
                return  # the next round posts the new day's
            if await puzzles.claim(channel_id, day):
                channel = self._bot.get_partial_messageable(channel_id, guild_id=guild_id)
                settle = partial(puzzles.settle, channel_id, day)
                with undelivered(_log, "puzzle_not_posted", channel=channel_id):
                    async with claimed(partial(settle, sent=False), partial(puzzles.close, channel_id)):
                        await channel.send(view=view, files=view.files, nonce=f"puzzle {day}")
                        await settle(sent=True)

    async def _picture(self, request: CardRequest, caller: Caller | None) -> Picture:
        return Picture.of("puzzle.png", await self._bot.simulator.once(request, caller))


def _date(day: str) -> str:
    """Return a day in words: "November 24"."""
    return f"{(at := date.fromisoformat(day)):%B} {at.day}"


def _streak_text(streak: Streak) -> str:
    days = f"🔥 {quantity(streak.days, 'day')} in a row · " if streak.days else ""
    return f"{days}{quantity(streak.right, 'puzzle')} solved in all" if streak.right else "Tomorrow has another one."


@PersistentButton.matching(r"aq1:(?P<day>[0-9]{4}-[0-9]{2}-[0-9]{2}):(?P<choice>[0-3])", "aa-puzzle")
async def puzzle_button(button: PersistentButton, interaction: Interaction) -> None:
    """Take a choice as the answer to a puzzle."""
    service = interaction.client.services[PuzzleService]
    await service.answer(interaction, button.match["day"], int(button.match["choice"]))


class Puzzles(commands.Cog, name="Puzzles of Axis & Allies"):
    """A puzzle a day."""

    puzzle = app_commands.Group(name="puzzle", description="Axis & Allies: a puzzle a day, the same for everyone")

    def __init__(self, bot: Client) -> None:
        self._bot = bot
        self._service = bot.services[PuzzleService]
        self._puzzles = bot.services[PuzzleRepository]
        bot.add_items(puzzle_button)
        bot.services[Chores]["puzzles"] = self._service.run
        bot.services[Chores]["puzzle-search"] = self._service.search

    @slash(
        puzzle,
        example="/puzzle today",
        more="What to buy, which units to lose, or whether to retreat. Your first answer counts, once a day;"
        " then you see what each choice is worth, exactly. Two programs that share no code agree on it."
        " Days are in UTC. Positions of battles whose players all allow it in `/profile` become puzzles,"
        " without names.",
    )
    async def today(self, interaction: Interaction) -> None:
        """Today's puzzle: one choice is clearly the best."""
        await defer(interaction, private=True)
        await show_view(interaction, await self._service.view(self._service.today, caller_of(interaction)))

    @app_commands.guild_only()
    @slash(puzzle, example="/puzzle board")
    async def board(self, interaction: Interaction) -> None:
        """Who has the longest streak of solved puzzles in this server."""
        await defer(interaction, private=False)
        board = await self._puzzles.board(interaction.guild_id or 0, self._service.today)
        lines = [
            f"**{place}.** <@{one.user_id}> · {_streak_text(one)}" for place, one in enumerate(board[:_SHOWN], start=1)
        ]
        text = "\n".join(lines) or "Nobody here has solved one yet. `/puzzle today` shows today's."
        await show_view(interaction, text_view(["### 🧩 Puzzles: the longest streaks", text], colour=ORANGE))

    @app_commands.guild_only()
    @slash(puzzle, example="/puzzle channel post:True")
    async def channel(
        self, interaction: Interaction, post: Annotated[bool, Option("Whether to post it here each day")]
    ) -> None:
        """Post the puzzle in this channel each day, or stop; needs Manage Messages."""
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
