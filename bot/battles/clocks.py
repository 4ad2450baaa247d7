"""The clocks of battles as they follow from the journal, and the one message of a battle that mentions people.

That message says whose turn it is, whose time runs out, or whom the clock asks.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import discord

from bot.battles import timetable as t
from bot.battles.presenter import AnyPresenter, DropIn, Offer, Position, mixin_of
from bot.client import Client
from bot.store.battle import Battle, ClockRepository
from bot.store.battles import BattleRepository, ServerHours
from bot.store.transactions import Reminder, TurnReminderRepository
from bot.ui.error_replies import MarkdownError
from bot.ui.text import message_url, numbered_link
from sim.core.battle import ANYONE, CLOCK, LegalAction, Seat
from sim.core.journal import Kind


def clock_of(
    default: t.Timetable,
    notes: Sequence[t.Note],
    turn_row: int,
    began: int,
    waiting: Collection[Seat] = (),
    outages: Sequence[tuple[int, int]] = (),
) -> t.Clock:
    """Return the clock of the turn that began at `began` with row `turn_row` of the journal.

    `default`: the timetable unless one was set. `notes`: the journal's, in order. `waiting`: the seats whose turn it
    is. A turn has its time anew when the clock is set, or somebody else takes over such a seat. Extensions count in
    their own turn only. `outages`: from when to when the bot couldn't be reached; the clock stands meanwhile.
    """
    timetable, is_set, asked, absent, extra = default, False, False, False, 0
    pauses: list[t.Span] = []
    for note in notes:
        match note.what:
            case t.SetClock(timetable=given, at=at):
                timetable, is_set = given, True
                began, extra, asked = max(began, at), 0, False
            case t.PauseClock(absent=True) if note.n <= turn_row:
                pass  # somebody was there, or there would be no new turn
            case t.PauseClock(at=at, absent=by_itself) if not pauses or pauses[-1].end is not None:
                pauses.append(t.Span(at, None))
                absent = by_itself
            case t.PlainNote(do="go-on", at=at) if pauses and pauses[-1].end is None:
                pauses[-1] = t.Span(pauses[-1].start, at)
            case t.ExtendTurn(seconds=seconds) if note.n > turn_row:
                extra, asked = extra + seconds, False
            case t.PlainNote(do="ask") if note.n > turn_row:
                asked = True
            case t.Reseat(seat=seat, at=at) if note.n > turn_row and seat in waiting:
                began, extra, asked = max(began, at), 0, False
            case _:
                pass
    kept = [span for span in pauses if span.end is None or span.end > began]
    stopped_at = kept[-1].start if kept and kept[-1].end is None else None
    away = [t.Span(*span) for span in outages if span[1] > began and (stopped_at is None or span[0] < stopped_at)]
    seconds = sum((span.end or 0) - max(span.start, began) for span in away)
    turn = t.Turn(began, extra, (*away, *kept))
    return t.Clock(timetable, turn, is_set, asked, absent and turn.is_paused, seconds)


def nobody_there(notes: Sequence[t.Note], last_move: int, waiting: Collection[Seat]) -> bool:
    """Return whether a whole round has gone by without anybody, so that a fight shouldn't go on by itself.

    It has if the clock has played for all who are waited for now, since a person last did something: in the game by row
    `last_move`, or to the table. `notes`: the journal's, in order.
    """
    away: set[Seat] | None = None
    for note in reversed(notes):
        if note.n < last_move or not isinstance(note.what, t.Away):
            break
        away = {*(away or ()), *note.what.seats}
    return away is not None and away.issuperset(waiting)


def panel_url(battle: Battle) -> str | None:
    """Return the address of a battle's panel; None if it has none."""
    return None if battle.panel_id is None else message_url(battle.guild_id, battle.shown_in, battle.panel_id)


def pinging(user_ids: Sequence[int]) -> discord.AllowedMentions:
    """Return what lets a message ping these users, and nobody else."""
    users = [discord.Object(user_id) for user_id in user_ids]
    return discord.AllowedMentions(everyone=False, roles=False, replied_user=False, users=users)


def battle_link(battle: Battle) -> str:
    """Return a battle's number, linked to its panel if it has one."""
    return numbered_link(battle.number, battle.guild_id, battle.shown_in, battle.panel_id)


def _mentions(user_ids: Sequence[int]) -> str:
    return " ".join(f"<@{user_id}>" for user_id in user_ids)


@dataclass(frozen=True, slots=True)
class Waiting:
    """Whom a battle waits for and until when.

    `turn` names the turn for reminders: also another one if somebody else has taken over its seat. `user_ids`: the
    people. `is_shown`: whether players see the clock.
    """

    awaited: t.Awaited
    turn: str
    clock: t.Clock
    user_ids: tuple[int, ...]
    is_shown: bool


_GONE = frozenset({10003, 10008})


class TurnReminders:
    """Posts the reminders, each once, and deletes the one before."""

    def __init__(self, bot: Client) -> None:
        self._bot = bot
        self._reminders = bot.services[TurnReminderRepository]

    async def turn(self, battle: Battle, waiting: Waiting | None) -> None:
        """Remind people that it is their turn, once; nobody of a step that led to it by their own hand.

        It comes after the panel was published, and may be called repeatedly. Posts nothing if it is nobody's turn.
        Raises `discord.HTTPException` if posting fails; the reminder is not posted later then.
        """
        before = await self._reminders.reminder(battle.id)
        if waiting is None or not waiting.is_shown or not waiting.user_ids:
            if before is not None:
                await self._replace(battle, before, None)
        elif before is None or before.turn != waiting.turn:
            last = await self._bot.services[BattleRepository].last_entry(battle.id)
            actor = None if last is None or last.kind is Kind.SEATS else last.actor
            told = [user_id for user_id in waiting.user_ids if str(user_id) != actor]
            text = f"▶️ {_mentions(told)}: your turn in {battle_link(battle)}, {waiting.awaited.where}."
            await self._replace(battle, before, Reminder(waiting.turn, None), text if told else "", told)

    async def warn(self, battle: Battle, waiting: Waiting, due: int) -> None:
        """Warn people that their time is up soon, once for each time at which it is."""
        before = await self._reminders.reminder(battle.id)
        if before is not None and (before.turn, before.warned_for) == (waiting.turn, due):
            return
        who = f"{_mentions(waiting.user_ids)} your" if waiting.user_ids else "The"
        text = f"⏳ {who} turn in {battle_link(battle)}, {waiting.awaited.where}, ends <t:{due}:R>."
        await self._replace(battle, before, Reminder(waiting.turn, None, due), text, waiting.user_ids)

    async def ask(self, battle: Battle, waiting: Waiting) -> None:
        """Tell the referee that the time of a turn is up."""
        referees = [] if battle.referee is None else [battle.referee]
        who = f"{_mentions(referees)} time" if referees else "Time"
        text = (
            f"⏰ {who} is up in {battle_link(battle)}, {waiting.awaited.where}."
            f" The referee decides: `/battle referee number:{battle.number}`"
        )
        before = await self._reminders.reminder(battle.id)
        await self._replace(battle, before, Reminder(waiting.turn, None), text, referees)

    async def _replace(
        self,
        battle: Battle,
        before: Reminder | None,
        now: Reminder | None,
        text: str = "",
        user_ids: Sequence[int] = (),
    ) -> None:
        """Store a reminder in place of the one before, whose message is deleted, and post it, if it says anything."""
        await self._reminders.remind(battle.id, now)
        channel = self._bot.get_partial_messageable(battle.shown_in, guild_id=battle.guild_id)
        if before is not None and before.message_id is not None:
            try:
                await channel.get_partial_message(before.message_id).delete()
            except discord.HTTPException as error:
                if error.code not in _GONE:
                    raise
        if now is not None and text:
            message = await channel.send(text, allowed_mentions=pinging(user_ids))
            await self._reminders.remind(battle.id, replace(now, message_id=message.id))


def whose_turn(at: Position[Any]) -> t.Awaited | None:
    """Return whose turn it is; None if the battle is over or a seat is still free."""
    battle, presenter = at.battle, at.presenter
    if isinstance(presenter, t.HasTurns):
        return presenter.awaited(battle, at.state)
    if not battle.is_open or (not isinstance(presenter, DropIn) and any(place.is_open for place in battle.places)):
        return None
    acting = {seat for legal in at.legal_actions for seat in legal.seats}
    # Where the bot's side is to act, or a seat that nobody has, everybody here may.
    seats = () if ANYONE in acting else [seat for seat in battle.holders if seat in acting] or battle.holders
    return t.Awaited(str(battle.moved), tuple(seats), at.progress.removeprefix("at "))


def usual_timetable(at: Position[Any]) -> t.Timetable:
    """Return the clock of a battle in which nobody has set one: a day, if the rules let the clock do something."""
    own = mixin_of(at.presenter, t.Timed).timetable(at.state)
    if own is not None:
        return own
    return t.Timetable(turn=t.DAY if clock_action(at, t.TimeUp.PLAY) is not None else None)


def clock_notes(presenter: AnyPresenter, state: object, hours: ServerHours, now: int) -> Iterator[tuple[Kind, str]]:
    """Yield the note that brings a server's quiet hours into a new battle; nothing without them or a clock."""
    quiet, timed = t.QuietHours.of(hours), mixin_of(presenter, t.Timed)
    given = timed.timetable(state) if timed.is_timed else None
    if quiet is not None and given is not None and given.limits:
        timetable = given.model_copy(update={"zone": hours.zone, "quiet": quiet})
        yield Kind.CLOCK, t.note_json(t.SetClock(at=now, timetable=timetable))


def step_in_at(at: Position[Any], waiting: Waiting) -> int | None:
    """Return from when others may act for whose turn it is; None where they can't, or time is up before."""
    presenter, ends = at.presenter, waiting.clock.due_at
    late = {seat for legal in at.legal_actions if legal.name.endswith(t.STAND_IN) for seat in legal.seats}
    if not isinstance(presenter, t.HasTurns) or not late - {CLOCK}:
        return None
    due = _absent_at(presenter, waiting)
    return due if due is not None and (ends is None or due < ends) else None


def _absent_at(presenter: t.HasTurns[Any], waiting: Waiting) -> int | None:
    """Return when whose turn it is counts as absent; None while the clock is stopped."""
    return t.Clock(t.Timetable(turn=presenter.absent_seconds), waiting.clock.turn).due_at


def clock_action(at: Position[Any], time_up: t.TimeUp) -> LegalAction[Any] | None:
    """Return what the clock does when time is up; None for nothing: then the referee is asked."""
    if time_up is t.TimeUp.ASK:
        return None
    passing, passes = mixin_of(at.presenter, t.Timed).passing, time_up is t.TimeUp.PASS
    for legal in at.legal_actions:
        if CLOCK in legal.seats and legal.action is not None and (legal.name in passing) is passes:
            return legal
    return None


def time_up_text(at: Position[Any], time_up: t.TimeUp) -> str:
    """Return what happens when time is up, as in "then …"."""
    if clock_action(at, time_up) is None:
        return "the referee is asked"
    return "the turn passes" if time_up is t.TimeUp.PASS else mixin_of(at.presenter, t.Timed).time_up_text(at.state)


class ClockService:
    """Reads the clocks of battles; it changes none."""

    def __init__(self, bot: Client) -> None:
        self._bot = bot
        self._clocks = bot.services[ClockRepository]

    async def notes(self, battle: Battle) -> list[t.Note]:
        """Return the notes of a battle's journal, in order."""
        return [t.read_note(row) for row in await self._bot.services[BattleRepository].notes(battle.id)]

    async def waiting(self, at: Position[Any], notes: list[t.Note] | None = None) -> Waiting | None:
        """Return whom a battle waits for; None if for nobody. `notes`: if they were just read."""
        battle, presenter, awaited = at.battle, at.presenter, whose_turn(at)
        if awaited is None:
            return None
        notes = await self.notes(battle) if notes is None else notes
        default = usual_timetable(at)
        turns = presenter if isinstance(presenter, t.HasTurns) else None
        events, action = (None, None) if turns is None else (turns.turn_events, turns.turn_action(at.state))
        began = await self._clocks.turn_began(battle, events, action)
        outages = await self._clocks.outages(began.at) if default.limits or notes else ()
        clock = clock_of(default, notes, began.row, began.at, awaited.seats, outages)
        reseated = [
            note.n
            for note in notes
            if note.n > began.row and isinstance(note.what, t.Reseat) and note.what.seat in awaited.seats
        ]
        turn = f"{awaited.turn}+{reseated[-1]}" if reseated else awaited.turn
        holders = (battle.place(seat) for seat in awaited.seats)
        people = dict.fromkeys(place.user_id for place in holders if place is not None and place.user_id is not None)
        return Waiting(awaited, turn, clock, tuple(people), clock.is_set or mixin_of(presenter, t.Timed).is_timed)

    async def timetable(self, at: Position[Any]) -> t.Timetable:
        """Return how a battle's clock is set, whether it waits for anybody or not."""
        return clock_of(usual_timetable(at), await self.notes(at.battle), 0, 0).timetable

    async def expect_time(self, offer: Offer[Any]) -> None:
        """Raise RuleError for an action that isn't open yet."""
        if not isinstance(offer.presenter, t.HasTurns) or not offer.legal.name.endswith(t.STAND_IN):
            return
        waiting = await self.waiting(offer)
        if waiting is None:
            return
        due, people = _absent_at(offer.presenter, waiting), [f"<@{user_id}>" for user_id in waiting.user_ids]
        whose = f"{' or '.join(people)}'s" if people else "another"
        if due is None:
            raise MarkdownError(f"It's {whose} turn, and the clock is stopped.")
        if self._bot.clock() < due:
            raise MarkdownError(f"It's {whose} turn. You can step in at <t:{due}:t>.")
