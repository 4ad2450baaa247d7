"""What players read about a battle's clock, its seats and whether it is rated: on the panel, and in lists."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import discord

from bot.battles.clock.service import ClockService, Waiting, battle_link, time_up_text
from bot.battles.clock.settings import duration_text
from bot.battles.clock.state import (
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
from bot.battles.clock.timetable import Timetable, TimeUp, acts_at
from bot.battles.panel import consent_button
from bot.battles.permissions import is_contest
from bot.battles.presenter import AnyPresenter, Presenters
from bot.client import Interaction
from bot.store.battles.battle import Battle
from bot.store.battles.repository import BattleRepository
from bot.store.errors import BattleError
from bot.ui.interactions import channel_of
from bot.ui.text import LAYOUT_TEXT, plain_sentence, shorten
from sim.core.battle import REFEREE, Seat
from sim.core.errors import RuleError
from sim.core.narration import seat_phrase

TIME_UP = {
    TimeUp.PLAY: "The bot plays the turn",
    TimeUp.PASS: "The turn passes",
    TimeUp.ASK: "The referee is asked",
}
"""What may happen when time is up, for lists; a game's own words say more on the panel."""

_MAX_NOTES = 3
_MAX_TAKEN = 6
_PEOPLE = 6


def table_lines(
    battle: Battle,
    presenter: AnyPresenter,
    state: object,
    waiting: Waiting | None,
    notes: Sequence[Note],
) -> list[str]:
    """Return the lines of a panel about clock, referee and seats, as markdown.

    Of closed battles: what the clock did last, and who took over a seat.
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
    if battle.has_ladders and is_contest(presenter, battle, state):
        lines.append(f"-# 🪜 {_rated_text(battle, notes)}")
    if battle.referee_id is not None:
        lines.append(f"-# 🧑‍⚖️ Referee: <@{battle.referee_id}>")
    if battle.joining_closed:
        lines.append("-# 🔒 Joining is closed")
    return lines


def table_buttons(
    battle: Battle, presenter: AnyPresenter, state: object, waiting: Waiting | None
) -> list[discord.ui.Button[Any]]:
    """Build the buttons that answer what the lines of the table ask."""
    buttons = []
    is_ratable = battle.has_ladders and battle.is_open and not battle.steps and is_contest(presenter, battle, state)
    if is_ratable and _undecided(battle):
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
    then = time_up_text(presenter, battle, state, timetable.time_up)
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


MAX_BATTLES = 100
"""Open battles of a server that are looked at: those in which people did something last."""
MAX_LINES = 20
_MAX_SENTENCE = 200


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of the list; `due_at`: when the time is up, None for never."""

    text: str
    is_own: bool
    due_at: int | None


async def waiting_text(interaction: Interaction) -> str:
    """Return who is waited for in all channels of the server that the user may see, as markdown.

    What waits for the user comes first, then what is due first.
    """
    battles = interaction.client.services[BattleRepository]
    if interaction.guild_id is None:
        found = await battles.open_in(channel_of(interaction))
    else:
        found = await battles.open_in_server(interaction.guild_id, MAX_BATTLES)
    lines = [line for battle in found if _may_see(interaction, battle) and (line := await _line(interaction, battle))]
    lines.sort(key=lambda line: (not line.is_own, line.due_at is None, line.due_at or 0))
    if not lines:
        return "No battle waits for anybody here. `/battle list` shows those of this channel."
    own = sum(line.is_own for line in lines)
    more = [f"-# and {len(lines) - MAX_LINES:,} more"] if len(lines) > MAX_LINES else []
    head = {0: "No battle waits for you", 1: "A battle waits for you"}.get(own, f"{own} battles wait for you")
    return shorten("\n".join([f"### ⏳ {head}", *(line.text for line in lines[:MAX_LINES]), *more]), LAYOUT_TEXT)


def timetable_lines(timetable: Timetable, waiting: Waiting | None) -> list[str]:
    """Return how a battle's clock is set and how it runs."""
    table = timetable_text(timetable)
    lines = [f"{table[:1].upper()}{table[1:]}"]
    if timetable.limits:
        lines.append(f"When time is up: {TIME_UP[timetable.time_up].lower()}")
    if waiting is None:
        return [*lines, "Nobody's turn now: the battle waits for people to join, or to begin."]
    clock = waiting.clock
    who = f"Waiting for {people_text(waiting)}"
    if clock.is_paused:
        left = "" if clock.left is None else f": {duration_text(clock.left)} left"
        lines.append(f"{who}. ⏸️ Stopped{left}")
    elif clock.asked:
        lines.append(f"{who}. ⏰ Time is up, and the referee is asked")
    elif (due := clock.due_at) is not None:
        ends = acts_at(clock.timetable, clock.turn, due)
        grace = f", and {duration_text(ends - due)} of grace" if ends > due else ""
        lines.append(f"{who} until <t:{due}:f> (<t:{due}:R>){grace}")
    else:
        lines.append(who)
    return lines


async def _line(interaction: Interaction, battle: Battle) -> _Line | None:
    """Return the line of a battle; None if it waits for nobody, or is damaged."""
    bot = interaction.client
    try:
        await bot.services[BattleRepository].expect_sealed(battle)
        presenter = bot.services[Presenters].of(battle.system)
        state = await presenter.read_state(battle)
        waiting = await bot.services[ClockService].waiting(battle, presenter, state)
    except (BattleError, RuleError):
        return None
    if waiting is None:
        return None
    clock = waiting.clock
    due = clock.due_at if waiting.is_shown else None
    is_own = interaction.user.id in waiting.user_ids
    where = plain_sentence(waiting.awaited.where, _MAX_SENTENCE)
    parts = [f"{'👉' if is_own else '▫️'} **{battle_link(battle)} {presenter.title}**"]
    if interaction.guild_id is not None:
        parts.append(f"in <#{battle.channel_id}>,")
    parts.append(f"{where}: {people_text(waiting)}")
    if clock.is_paused:
        parts.append("⏸️")
    elif clock.asked:
        parts.append("⏰ the referee decides")
    elif due is not None:
        parts.append(f"⏰ <t:{due}:R>")
    return _Line(" ".join(parts), is_own, due)


def _may_see(interaction: Interaction, battle: Battle) -> bool:
    """Return whether the user may see a battle's channel, a private thread only from inside it."""
    if battle.channel_id == interaction.channel_id:
        return True
    guild, user = interaction.guild, interaction.user
    channel = None if guild is None else guild.get_channel_or_thread(battle.channel_id)
    if channel is None or not isinstance(user, discord.Member):
        return False
    allowed = channel.permissions_for(user)
    if isinstance(channel, discord.Thread) and channel.is_private() and not allowed.manage_threads:
        return False
    return allowed.view_channel
