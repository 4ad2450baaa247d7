"""The clocks of battles as they follow from the journal, and the one message of a battle that mentions people.

That message says whose turn it is, whose time runs out, or whom the clock asks.
Times as people type and read them, and what the journal's notes about clock and seats say in words, are here, too.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import discord

from bot.battles import timetable as t
from bot.battles.presenter import AnyPresenter, Offer, Position, free_seats, mixin_of
from bot.client import Client
from bot.store.battle import Battle, ClockRepository
from bot.store.battles import BattleRepository, ServerHours
from bot.store.transactions import Reminder, TurnReminderRepository
from bot.ui import message_url, numbered_link
from bot.ui.error_replies import MarkdownError
from sim.core import RuleError
from sim.core.battle import ANYONE, CLOCK, REFEREE, LegalAction, Seat
from sim.core.journal import Kind, seat_phrase, table_line
from sim.core.names import listed
from sim.core.numbers import quantity

_UNITS = {"day": t.DAY, "hour": t.HOUR, "minute": t.MINUTE}
_LENGTHS = {unit[0]: seconds for unit, seconds in _UNITS.items()}
_PART = re.compile(r"([0-9]{1,6})\s*(d(?:ays?)?|h(?:ours?|rs?)?|m(?:in(?:utes?|s)?)?)\b[\s,]*", re.IGNORECASE)
_HOUR = re.compile(r"([0-9]{1,2})(?:[:.h]([0-9]{2}))?\s*(am|pm)?", re.IGNORECASE)
_HALF = 12
_NONE = frozenset({"", "0", "none", "no", "off", "never"})

MAX_TYPED = 40
"""Characters of a length of time as a player types it."""


def duration_text(seconds: int) -> str:
    """Return a time such as "1 day", "90 minutes" or "1 day 12 hours"; seconds are left out."""
    seconds -= seconds % t.MINUTE
    if not seconds:
        return "less than a minute"
    whole = next(unit for unit, length in _UNITS.items() if seconds >= length and seconds % length == 0)
    if whole != "minute" or seconds < 2 * t.HOUR:
        return quantity(seconds // _UNITS[whole], whole)
    counts = {"day": seconds // t.DAY, "hour": seconds % t.DAY // t.HOUR, "minute": seconds % t.HOUR // t.MINUTE}
    return " ".join(quantity(count, unit) for unit, count in counts.items() if count)


def read_duration(text: str, name: str) -> int | None:
    """Return the seconds of a typed time such as "36 h" or "1 day 12 hours"; None for "none"; RuleError."""
    typed = text.strip().lower()
    if typed in _NONE:
        return None
    if _PART.sub("", typed):
        raise RuleError(f"{name}: type a time such as 24 h, 90 min or 2 days, or none.")
    return sum(int(count) * _LENGTHS[unit[0]] for count, unit in _PART.findall(typed)) or None


def read_hour(text: str, name: str) -> int | None:
    """Return the minute of the day of a typed hour such as "20:00" or "8 pm"; None for "none"; RuleError."""
    typed = text.strip().lower()
    if typed in _NONE - {"0"}:
        return None
    found = _HOUR.fullmatch(typed)
    hour, minute = (int(found[1]), int(found[2] or 0)) if found is not None else (-1, 0)
    if found is not None and found[3]:
        hour = hour % _HALF + _HALF * (found[3] == "pm") if 1 <= hour <= _HALF else -1
    if not (0 <= hour < 24 and minute < 60):  # noqa: PLR2004  # a day's hours, an hour's minutes
        raise RuleError(f"{name}: type an hour such as 20:00 or 8 pm, or none.")
    return hour * 60 + minute


def clock_text(minute: int) -> str:
    """Return a minute of the day as "20:00"."""
    return f"{minute // 60:02}:{minute % 60:02}"


def note_line(note: t.AnyNote) -> str:
    """Return what was done as a sentence for the log, without names of people."""
    match note:
        case t.SetClock():
            return f"The clock is set: {timetable_text(note.timetable)}."
        case t.ExtendTurn():
            return f"This turn lasts {duration_text(note.seconds)} longer."
        case t.Reseat():
            who = "The bot" if note.bot else "The referee" if note.referee else "Another player"
            return f"{who} took over {taken_over(note)}."
        case t.Away():
            who = " and ".join(map(seat_phrase, note.seats)) or "everyone"
            return f"{who[:1].upper()}{who[1:]} {away_text(note, len(note.seats))}."
        case t.PauseClock(absent=True):
            return "Nobody was there for a whole round, so the clock is stopped."
        case _:
            return table_line(note.do, note.seat if isinstance(note, t.Unseat) else REFEREE)


def taken_over(note: t.Reseat) -> str:
    """Return what was taken over and when: "the attacker in round 2"."""
    return f"{seat_phrase(note.seat)} {note.when}".strip()


def away_text(note: t.Away, people: int) -> str:
    """Return what came of it that somebody was away, without who; `people`: how many."""
    are = "are" if people > 1 else "is"
    return f"{are} away, so {'the turn passes' if note.passed else 'Fracas plays for them'}"


def timetable_text(timetable: t.Timetable) -> str:
    """Return a timetable in a few words."""
    parts = []
    if timetable.hour is not None:
        least = "" if timetable.turn is None else f" after at least {duration_text(timetable.turn)}"
        parts.append(f"turns end at {clock_text(timetable.hour)} {timetable.zone}{least}")
    elif timetable.turn is not None:
        parts.append(f"{duration_text(timetable.turn)} a turn")
    else:
        return "no time limit"
    if timetable.warning:
        parts.append(f"a warning {duration_text(timetable.warning)} before")
    if timetable.grace:
        parts.append(f"{duration_text(timetable.grace)} of grace")
    if timetable.quiet is not None:
        quiet = timetable.quiet
        parts.append(f"quiet from {clock_text(quiet.start)} to {clock_text(quiet.end)} {timetable.zone}")
    return ", ".join(parts)


def clock_of(
    default: t.Timetable,
    notes: Sequence[t.Note],
    turn_row: int,
    began: int,
    waiting: Collection[Seat] = (),
    outages: Sequence[t.Span] = (),
) -> t.Clock:
    """Return the clock of the turn that began at `began` with row `turn_row` of the journal.

    `default`: the timetable unless one was set. `notes`: the journal's, in order. `waiting`: the seats whose turn it
    is. A turn has its time anew when the clock is set, or somebody else takes over such a seat. Extensions count in
    their own turn only. `outages`: from when to when the bot couldn't be reached; the clock stands meanwhile.
    """
    timetable, is_set, asked, absent, extra = default, False, False, False, 0
    pauses: list[t.Span] = []
    stopped_at: int | None = None
    for note in notes:
        match note.what:
            case t.SetClock(timetable=given, at=at):
                timetable, is_set = given, True
                began, extra, asked = max(began, at), 0, False
            case t.PauseClock(absent=True) if note.n <= turn_row:
                pass  # somebody was there, or there would be no new turn
            case t.PauseClock(at=at, absent=by_itself) if stopped_at is None:
                stopped_at, absent = at, by_itself
            case t.PlainNote(do="go-on", at=at) if stopped_at is not None:
                pauses.append((stopped_at, at))
                stopped_at, absent = None, False
            case t.ExtendTurn(seconds=seconds) if note.n > turn_row:
                extra, asked = extra + seconds, False
            case t.PlainNote(do="ask") if note.n > turn_row:
                asked = True
            case t.Reseat(seat=seat, at=at) if note.n > turn_row and seat in waiting:
                began, extra, asked = max(began, at), 0, False
    away = [span for span in outages if span[1] > began and (stopped_at is None or span[0] < stopped_at)]
    seconds = sum(end - max(start, began) for start, end in away)
    standing = [*away, *(span for span in pauses if span[1] > began)]
    return t.Clock(timetable, began, extra, standing, stopped_at, is_set, asked, absent, seconds)


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


async def remind(bot: Client, battle: Battle, waiting: Waiting | None) -> None:
    """Remind people that it is their turn, once; nobody of a step that led to it by their own hand.

    It comes after the panel was published, and may be called repeatedly. Posts nothing if it is nobody's turn.
    Raises `discord.HTTPException` if posting fails; the reminder is not posted later then.
    """
    before = await bot.services[TurnReminderRepository].reminder(battle.id)
    if waiting is None or not waiting.is_shown or not waiting.user_ids:
        if before is not None:
            await _replace(bot, battle, before, None)
    elif before is None or before.turn != waiting.turn:
        last = await bot.services[BattleRepository].last_entry(battle.id)
        actor = None if last is None or last.kind is Kind.SEATS else last.actor
        told = [user_id for user_id in waiting.user_ids if str(user_id) != actor]
        text = f"▶️ {_mentions(told)}: your turn in {battle_link(battle)}, {waiting.awaited.where}."
        await _replace(bot, battle, before, Reminder(waiting.turn, None), text if told else "", told)


async def warn(bot: Client, battle: Battle, waiting: Waiting, due: int) -> None:
    """Warn people that their time is up soon, once for each time at which it is."""
    before = await bot.services[TurnReminderRepository].reminder(battle.id)
    if before is None or (before.turn, before.warned_for) != (waiting.turn, due):
        who = f"{_mentions(waiting.user_ids)} your" if waiting.user_ids else "The"
        text = f"⏳ {who} turn in {battle_link(battle)}, {waiting.awaited.where}, ends <t:{due}:R>."
        await _replace(bot, battle, before, Reminder(waiting.turn, None, due), text, waiting.user_ids)


async def ask_referee(bot: Client, battle: Battle, waiting: Waiting) -> None:
    """Tell the referee that the time of a turn is up."""
    referees = [] if battle.referee is None else [battle.referee]
    who = f"{_mentions(referees)} time" if referees else "Time"
    text = (
        f"⏰ {who} is up in {battle_link(battle)}, {waiting.awaited.where}."
        f" The referee decides: `/battle referee number:{battle.number}`"
    )
    before = await bot.services[TurnReminderRepository].reminder(battle.id)
    await _replace(bot, battle, before, Reminder(waiting.turn, None), text, referees)


async def _replace(
    bot: Client, battle: Battle, before: Reminder | None, now: Reminder | None, text: str = "", told: Sequence[int] = ()
) -> None:
    """Store a reminder in place of the one before, whose message is deleted, and post it, if it says anything.

    `told`: whom it pings.
    """
    reminders = bot.services[TurnReminderRepository]
    await reminders.remind(battle.id, now)
    channel = bot.get_partial_messageable(battle.shown_in, guild_id=battle.guild_id)
    if before is not None and before.message_id is not None:
        with suppress(discord.NotFound):
            await channel.get_partial_message(before.message_id).delete()
    if now is not None and text:
        message = await channel.send(text, allowed_mentions=pinging(told))
        await reminders.remind(battle.id, replace(now, message_id=message.id))


def whose_turn(at: Position[Any]) -> t.Awaited | None:
    """Return whose turn it is; None if the battle is over or a seat is still free."""
    battle, presenter = at.battle, at.presenter
    if isinstance(presenter, t.HasTurns):
        return presenter.awaited(battle, at.state)
    if not battle.is_open or free_seats(presenter, battle.places):
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


def _absent_at(presenter: t.HasTurns, waiting: Waiting) -> int | None:
    """Return when whose turn it is counts as absent; None while the clock is stopped."""
    return replace(waiting.clock, timetable=t.Timetable(turn=presenter.absent_seconds)).due_at


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


async def notes_of(bot: Client, battle: Battle) -> list[t.Note]:
    """Return the notes of a battle's journal, in order."""
    return [t.read_note(row) for row in await bot.services[BattleRepository].notes(battle.id)]


async def waiting_in(bot: Client, at: Position[Any], notes: list[t.Note] | None = None) -> Waiting | None:
    """Return whom a battle waits for; None if for nobody. `notes`: if they were just read."""
    battle, presenter, awaited = at.battle, at.presenter, whose_turn(at)
    if awaited is None:
        return None
    notes = await notes_of(bot, battle) if notes is None else notes
    clocks, default = bot.services[ClockRepository], usual_timetable(at)
    turns = presenter if isinstance(presenter, t.HasTurns) else None
    events, action = (None, None) if turns is None else (turns.turn_events, turns.turn_action(at.state))
    row, began = await clocks.turn_began(battle, events, action)
    outages = await clocks.outages(began) if default.limits or notes else ()
    clock = clock_of(default, notes, row, began, awaited.seats, outages)
    reseated = [note.n for note in notes if isinstance(note.what, t.Reseat) and note.what.seat in awaited.seats]
    turn = f"{awaited.turn}+{reseated[-1]}" if reseated and reseated[-1] > row else awaited.turn
    holders = battle.holders
    people = dict.fromkeys(holders[seat] for seat in awaited.seats if seat in holders)
    return Waiting(awaited, turn, clock, tuple(people), clock.is_set or mixin_of(presenter, t.Timed).is_timed)


async def timetable_in(bot: Client, at: Position[Any]) -> t.Timetable:
    """Return how a battle's clock is set, whether it waits for anybody or not."""
    return clock_of(usual_timetable(at), await notes_of(bot, at.battle), 0, 0).timetable


async def expect_time(bot: Client, offer: Offer[Any]) -> None:
    """Raise RuleError for an action that isn't open yet."""
    if not isinstance(offer.presenter, t.HasTurns) or not offer.legal.name.endswith(t.STAND_IN):
        return
    if (waiting := await waiting_in(bot, offer)) is None:
        return
    due, people = _absent_at(offer.presenter, waiting), [f"<@{user_id}>" for user_id in waiting.user_ids]
    whose = f"{listed(people or [*map(seat_phrase, waiting.awaited.seats)], 'or')}'s"
    if due is None:
        raise MarkdownError(f"It's {whose} turn, and the clock is stopped.")
    if bot.clock() < due:
        raise MarkdownError(f"It's {whose} turn. You can step in at <t:{due}:t>.")
