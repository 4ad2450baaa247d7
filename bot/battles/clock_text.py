"""What players read about a battle's clock and seats: on the panel, and in lists."""

from collections.abc import Sequence

from bot.battles.clocks import Waiting
from bot.battles.duration import duration_text
from bot.battles.notes import AnyNote, AskReferee, HandOver, Note, Reseat, SetClock, latest, note_line, timetable_text
from bot.battles.presenter import AnyPresenter
from bot.battles.timetable import acts_at
from bot.store.battles.battle import Battle
from sim.core.narration import seat_phrase

_MAX_NOTES = 3
_PEOPLE = 6


def table_lines(
    battle: Battle,
    presenter: AnyPresenter,
    state: object,
    waiting: Waiting | None,
    notes: Sequence[Note],
) -> list[str]:
    """Return the lines of a panel about clock, referee and seats, as markdown; nothing of closed battles."""
    if not battle.is_open:
        return []
    lines = []
    if waiting is not None and waiting.is_shown:
        lines += _clock_lines(battle, presenter, state, waiting)
    recent = [_note_text(note, battle) for note in latest(notes, battle.version) if not _is_shown_above(note.what)]
    lines += [f"-# {text}" for text in recent[-_MAX_NOTES:]]
    if battle.referee_id is not None:
        lines.append(f"-# 🧑‍⚖️ Referee: <@{battle.referee_id}>")
    if battle.joining_closed:
        lines.append("-# 🔒 Joining is closed")
    return lines


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
    return isinstance(note, AskReferee | HandOver) or note.do in {"pause", "close"}


def _note_text(note: Note, battle: Battle) -> str:
    """Return what was done, for the panel: who took over a seat stands there with the seats."""
    if isinstance(note.what, SetClock):
        return f"⏱️ The clock is set: {timetable_text(note.what.timetable)}"
    if isinstance(note.what, Reseat):
        place = battle.place(note.what.seat)
        who = "The bot" if note.what.bot else "Somebody else"
        who = f"<@{place.user_id}>" if place is not None and place.user_id is not None else who
        return f"🔁 {who} takes over {seat_phrase(note.what.seat)}"
    return f"⏱️ {note_line(note.what)}" if note.what.do in {"go-on", "extend"} else note_line(note.what)
