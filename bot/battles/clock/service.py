"""The clocks of battles as they run, and the one message of a battle that mentions people.

That message says whose turn it is, whose time runs out, or whom the clock asks.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import discord

from bot.battles.clock.state import Clock, Note, Reseat, clock_of, read_note
from bot.battles.clock.timetable import DAY, STAND_IN, Awaited, HasTurns, Timed, Timetable, TimeUp, due_at
from bot.battles.panel import panel_url
from bot.battles.presenter import AnyPresenter, DropIn, mixin_of
from bot.client import Client
from bot.store.battles.battle import Battle
from bot.store.battles.clocks import ClockRepository
from bot.store.battles.panels import Reminder, TurnReminderRepository
from bot.store.battles.repository import BattleRepository
from bot.ui.error_replies import MarkdownError
from sim.core.battle import ANYONE, CLOCK, LegalAction
from sim.core.errors import RuleError
from sim.core.journal import Kind

_GONE = frozenset({10003, 10008})


class TurnReminders:
    """Posts the reminders, each once, and deletes the one before."""

    def __init__(self, bot: Client) -> None:
        self._bot = bot
        self._reminders = bot.services[TurnReminderRepository]

    async def turn(self, battle: Battle, awaited: Awaited | None, turn: str, user_ids: Sequence[int]) -> None:
        """Remind people that it is their turn, once; nobody of a step that led to it by their own hand.

        Posts nothing if it is nobody's turn. Raises `discord.HTTPException` if posting fails; the reminder is not
        posted later then.
        """
        before = await self._reminders.reminder(battle.id)
        now = None if awaited is None or not user_ids else turn
        if (None if before is None else before.turn) == now:
            return
        await self._reminders.remind(battle.id, None if now is None else Reminder(now, None))
        await self._delete(battle, before)
        if awaited is None or now is None:
            return
        told = [user_id for user_id in user_ids if not await self._acted(battle, user_id)]
        if told:
            text = f"▶️ {_mentions(told)} your turn in {battle_link(battle)}, {awaited.where}."
            await self._post(battle, Reminder(now, None), text, told)

    async def warn(self, battle: Battle, awaited: Awaited, turn: str, user_ids: Sequence[int], due: int) -> None:
        """Warn people that their time is up soon, once for each time at which it is."""
        before = await self._reminders.reminder(battle.id)
        if before is not None and (before.turn, before.warned_for) == (turn, due):
            return
        reminder = Reminder(turn, None, due)
        await self._reminders.remind(battle.id, reminder)
        await self._delete(battle, before)
        who = f"{_mentions(user_ids)} your" if user_ids else "The"
        text = f"⏳ {who} turn in {battle_link(battle)}, {awaited.where}, ends <t:{due}:R>."
        await self._post(battle, reminder, text, user_ids)

    async def ask(self, battle: Battle, awaited: Awaited, turn: str) -> None:
        """Tell the referee that the time of a turn is up."""
        referees = [] if battle.referee is None else [battle.referee]
        await self._delete(battle, await self._reminders.reminder(battle.id))
        reminder = Reminder(turn, None)
        await self._reminders.remind(battle.id, reminder)
        who = f"{_mentions(referees)} time" if referees else "Time"
        text = (
            f"⏰ {who} is up in {battle_link(battle)}, {awaited.where}."
            f" The referee decides: `/battle referee number:{battle.number}`"
        )
        await self._post(battle, reminder, text, referees)

    async def _post(self, battle: Battle, reminder: Reminder, text: str, user_ids: Sequence[int]) -> None:
        channel = self._bot.get_partial_messageable(battle.channel_id, guild_id=battle.guild_id)
        users = [discord.Object(user_id) for user_id in user_ids]
        allowed = discord.AllowedMentions(everyone=False, roles=False, replied_user=False, users=users)
        message = await channel.send(text, allowed_mentions=allowed)
        posted = Reminder(reminder.turn, message.id, reminder.warned_for)
        await self._reminders.remind(battle.id, posted)

    async def _delete(self, battle: Battle, reminder: Reminder | None) -> None:
        if reminder is None or reminder.message_id is None:
            return
        channel = self._bot.get_partial_messageable(battle.channel_id, guild_id=battle.guild_id)
        try:
            await channel.get_partial_message(reminder.message_id).delete()
        except discord.HTTPException as error:
            if error.code not in _GONE:
                raise

    async def _acted(self, battle: Battle, user_id: int) -> bool:
        last = await self._bot.services[BattleRepository].last_entry(battle.id)
        return last is not None and last.kind is not Kind.SEATS and last.actor == str(user_id)


def battle_link(battle: Battle) -> str:
    """Return a battle's number, linked to its panel if it has one."""
    url = panel_url(battle)
    return f"#{battle.number}" if url is None else f"[#{battle.number}]({url})"


def _mentions(user_ids: Sequence[int]) -> str:
    return " ".join(f"<@{user_id}>" for user_id in user_ids)


@dataclass(frozen=True, slots=True)
class Waiting:
    """Whom a battle waits for and until when.

    `turn` names the turn for reminders: also another one if somebody else has taken over its seat. `user_ids`: the
    people. `is_shown`: whether players see the clock.
    """

    awaited: Awaited
    turn: str
    clock: Clock
    user_ids: tuple[int, ...]
    is_shown: bool


def whose_turn(presenter: AnyPresenter, battle: Battle, state: object) -> Awaited | None:
    """Return whose turn it is; None if the battle is over or a seat is still free."""
    if isinstance(presenter, HasTurns):
        return presenter.awaited(battle, state)
    if not battle.is_open or (not isinstance(presenter, DropIn) and any(place.is_open for place in battle.places)):
        return None
    acting = {seat for legal in presenter.legal_actions(battle, state) for seat in legal.seats}
    people = [place.seat for place in battle.places if place.user_id is not None]
    # Where the bot's side is to act, or a seat that nobody has, everybody here may.
    seats = () if ANYONE in acting else [seat for seat in people if seat in acting] or people
    return Awaited(str(battle.moved), tuple(seats), presenter.progress(battle, state).removeprefix("at "))


def usual_timetable(presenter: AnyPresenter, battle: Battle, state: object) -> Timetable:
    """Return the clock of a battle in which nobody has set one: a day, if the rules let the clock do something."""
    own = mixin_of(presenter, Timed).timetable(state)
    if own is not None:
        return own
    return Timetable(turn=DAY if clock_action(presenter, battle, state, TimeUp.PLAY) is not None else None)


def clock_action(presenter: AnyPresenter, battle: Battle, state: object, time_up: TimeUp) -> LegalAction[Any] | None:
    """Return what the clock does when time is up; None for nothing: then the referee is asked."""
    if time_up is TimeUp.ASK:
        return None
    passing, passes = mixin_of(presenter, Timed).passing, time_up is TimeUp.PASS
    for legal in presenter.legal_actions(battle, state):
        if CLOCK in legal.seats and legal.action is not None and (legal.name in passing) is passes:
            return legal
    return None


def time_up_text(presenter: AnyPresenter, battle: Battle, state: object, time_up: TimeUp) -> str:
    """Return what happens when time is up, as in "then …"."""
    if clock_action(presenter, battle, state, time_up) is None:
        return "the referee is asked"
    return "the turn passes" if time_up is TimeUp.PASS else mixin_of(presenter, Timed).time_up_text(state)


class ClockService:
    """Reads the clocks of battles; it changes none."""

    def __init__(self, bot: Client) -> None:
        self._bot = bot
        self._clocks = bot.services[ClockRepository]
        self._reminders = bot.services[TurnReminders]

    async def notes(self, battle: Battle) -> list[Note]:
        """Return the notes of a battle's journal, in order."""
        return [read_note(row) for row in await self._bot.services[BattleRepository].notes(battle.id)]

    async def waiting(
        self,
        battle: Battle,
        presenter: AnyPresenter,
        state: object,
        notes: list[Note] | None = None,
    ) -> Waiting | None:
        """Return whom a battle waits for; None if for nobody. `notes`: if they were just read."""
        awaited = whose_turn(presenter, battle, state)
        if awaited is None:
            return None
        notes = await self.notes(battle) if notes is None else notes
        default = usual_timetable(presenter, battle, state)
        turns = presenter if isinstance(presenter, HasTurns) else None
        events, action = (None, None) if turns is None else (turns.turn_events, turns.turn_action(state))
        began = await self._clocks.turn_began(battle, events, action)
        outages = await self._clocks.outages(began.at) if default.limits or notes else ()
        clock = clock_of(default, notes, began.row, began.at, awaited.seats, outages)
        reseated = [
            note.n
            for note in notes
            if note.n > began.row and isinstance(note.what, Reseat) and note.what.seat in awaited.seats
        ]
        turn = f"{awaited.turn}+{reseated[-1]}" if reseated else awaited.turn
        holders = (battle.place(seat) for seat in awaited.seats)
        people = dict.fromkeys(place.user_id for place in holders if place is not None and place.user_id is not None)
        return Waiting(awaited, turn, clock, tuple(people), clock.is_set or mixin_of(presenter, Timed).is_timed)

    async def timetable(self, battle: Battle, presenter: AnyPresenter, state: object) -> Timetable:
        """Return how a battle's clock is set, whether it waits for anybody or not."""
        return clock_of(usual_timetable(presenter, battle, state), await self.notes(battle), 0, 0).timetable

    async def remind(self, battle: Battle, waiting: Waiting | None) -> None:
        """Remind the people whose turn it is, after the panel was published; it may be called repeatedly."""
        if waiting is None or not waiting.is_shown:
            await self._reminders.turn(battle, None, "", ())
        else:
            await self._reminders.turn(battle, waiting.awaited, waiting.turn, waiting.user_ids)

    async def expect_time(
        self, battle: Battle, presenter: AnyPresenter, state: object, legal: LegalAction[Any]
    ) -> None:
        """Raise RuleError for an action that isn't open yet."""
        if not isinstance(presenter, HasTurns) or not legal.name.endswith(STAND_IN):
            return
        waiting = await self.waiting(battle, presenter, state)
        if waiting is None:
            return
        due = due_at(Timetable(turn=presenter.absent_seconds), waiting.clock.turn)
        if due is None:
            raise RuleError("It is somebody else's turn, and the clock is stopped.")
        if self._bot.clock() < due:
            raise MarkdownError(f"It is somebody else's turn. If they do nothing, you may press this <t:{due}:R>.")
