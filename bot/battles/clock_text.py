"""What players read about a battle's clock, its seats and whether it is rated: on the panel, and in lists."""

from collections.abc import Sequence
from typing import Any

import discord

from bot.battles.clocks import Waiting
from bot.battles.duration import duration_text
from bot.battles.notes import (
    AnyNote,
    AskReferee,
    Away,
    HandOver,
    Note,
    Reseat,
    SetClock,
    away_text,
    latest,
    note_line,
    taken_over,
    timetable_text,
)
from bot.battles.panel import consent_button
from bot.battles.presenter import AnyPresenter
from bot.battles.timetable import acts_at
from bot.store.battles.battle import Battle
from sim.core.battle import REFEREE, Seat
from sim.core.narration import seat_phrase

_MAX_NOTES = 3
_MAX_TAKEN = 6
_PEOPLE = 6


def table_lines(
    battle: Battle,
    presenter: AnyPresenter,
    state: object,
    waiting: Waiting | None,
    notes: Sequence[Note],
    *,
    ladders: bool = False,
) -> list[str]:
    """Return the lines of a panel about clock, referee and seats, as markdown.

    Of closed battles: what the clock did last, and who took over a seat. `ladders`: say whether it is rated.
    """
    before = battle.moved - (1 if battle.is_open else 2)  # the row before the last step, which may end the battle
    played = next((note.what for note in notes if note.n == before), None)
    lines = [f"⏰ {_people(battle, played.seats)} {away_text(played)}."] if isinstance(played, Away) else []
    taken = [f"-# {_note_text(note)}" for note in notes if isinstance(note.what, Reseat)][-_MAX_TAKEN:]
    if not battle.is_open:
        return [*lines, *taken]
    if waiting is not None and (waiting.is_shown or waiting.clock.absent):
        lines += _clock_lines(battle, presenter, state, waiting)
    recent = [_note_text(note) for note in latest(notes, battle.version) if not _is_shown_above(note.what)]
    lines += [*taken, *(f"-# {text}" for text in recent[-_MAX_NOTES:])]
    if ladders and presenter.is_contest(battle, state):
        lines.append(f"-# 🪜 {_rated_text(battle, notes)}")
    if battle.referee_id is not None:
        lines.append(f"-# 🧑‍⚖️ Referee: <@{battle.referee_id}>")
    if battle.joining_closed:
        lines.append("-# 🔒 Joining is closed")
    return lines


def table_buttons(
    battle: Battle, presenter: AnyPresenter, state: object, waiting: Waiting | None, *, ladders: bool
) -> list[discord.ui.Button[Any]]:
    """Build the buttons that answer what the lines of the table ask."""
    buttons = []
    if ladders and battle.is_open and not battle.steps and presenter.is_contest(battle, state) and _undecided(battle):
        style = discord.ButtonStyle.success
        buttons.append(consent_button(battle, "accept", "rated", "Accept, rated", "🪜", style))
    if waiting is not None and waiting.clock.absent:
        buttons.append(consent_button(battle, "resume", "clock", "Go on", "▶️", discord.ButtonStyle.primary))
    return buttons


def _rated_text(battle: Battle, notes: Sequence[Note]) -> str:
    if battle.was_undone:
        return "Not rated: a step was taken back"
    if who := " and ".join(f"<@{user_id}>" for user_id in _undecided(battle)):
        if not battle.steps:
            return f"Not rated until {who} accepts"
        taken = any(isinstance(note.what, Reseat) for note in notes)
        return f"Not rated: {'a seat was taken over' if taken else f'{who} did not accept before it began'}"
    return "Rated: who joins agrees to that" if any(place.is_open for place in battle.places) else "Rated"


def _undecided(battle: Battle) -> list[int]:
    """Return who hasn't agreed that the battle is rated."""
    fighters = [place for place in battle.places if place.seat != REFEREE and not place.agreed]
    return [place.user_id for place in fighters if place.user_id is not None]


def _people(battle: Battle, seats: Sequence[Seat]) -> str:
    """Return who sits there, or else the seats."""
    places = {place.seat: place.user_id for place in battle.places}
    named = [f"<@{user_id}>" if (user_id := places.get(seat)) is not None else seat_phrase(seat) for seat in seats]
    text = " and ".join(named[:_PEOPLE]) or "everybody"
    return f"{text[:1].upper()}{text[1:]}"


def people_text(waiting: Waiting) -> str:
    """Return whom a battle waits for; the mentions ping nobody."""
    if not waiting.user_ids:
        return "anybody" if not waiting.awaited.seats else " and ".join(map(seat_phrase, waiting.awaited.seats))
    named = " and ".join(f"<@{user_id}>" for user_id in waiting.user_ids[:_PEOPLE])
    more = len(waiting.user_ids) - _PEOPLE
    return f"{named} and {more} more" if more > 0 else named


def _clock_lines(battle: Battle, presenter: AnyPresenter, state: object, waiting: Waiting) -> list[str]:
    clock, timetable = waiting.clock, waiting.clock.timetable
    who = f"⏳ Waiting for {people_text(waiting)}"
    if clock.absent:
        return [f"⏸️ Nobody was there for a whole round, so the clock is stopped. {who[2:]}: is anybody here?"]
    if clock.is_paused:
        left = "" if clock.left is None else f", {duration_text(clock.left)} left"
        return [who, f"-# ⏸️ The clock is stopped{left}"]
    if clock.asked:
        return [who, f"⏰ Time is up. The referee decides: `/battle referee number:{battle.number}`"]
    if clock.due_at is None:
        return [who] if clock.is_set else []
    then = presenter.time_up_text(battle, state, timetable.time_up)
    ends = acts_at(timetable, clock.turn, clock.due_at)
    grace = f", with {duration_text(ends - clock.due_at)} of grace" if ends > clock.due_at else ""
    up = [f"-# ⏰ Time is up <t:{clock.due_at}:R>{grace}; then {then}."]
    if clock.away and timetable.hour is None:
        up.append(f"-# 🔌 The bot was away for {duration_text(clock.away)} of this turn; that time doesn't count.")
    return [who, *up] if clock.is_set else up


def _is_shown_above(note: AnyNote) -> bool:
    return isinstance(note, AskReferee | HandOver | Reseat) or note.do in {"pause", "close"}


def _note_text(note: Note) -> str:
    """Return what was done, for the panel."""
    if isinstance(note.what, SetClock):
        return f"⏱️ The clock is set: {timetable_text(note.what.timetable)}"
    if isinstance(note.what, Reseat):
        who = "Another player" if note.actor is None else f"<@{note.actor}>"
        who = "The bot" if note.what.bot else f"{who} (referee)" if note.what.referee else who
        return f"🔁 {who} took over {taken_over(note.what)}"
    return f"⏱️ {note_line(note.what)}" if note.what.do in {"go-on", "extend"} else note_line(note.what)
