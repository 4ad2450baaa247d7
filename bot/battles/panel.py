"""The panel of a battle: its state, clock and table, the latest events, buttons that outlive a restart, who may press.

The custom id of an action is `b1:<battle>:<version>:<action>`, of a shared button `b2:<battle>:<version>:<what>:<of>`.
Everything else is read from the database at each press; who may do what follows from it and the member's permissions.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from pydantic import JsonValue

from bot.battles import clocks as c
from bot.battles import presenter as p
from bot.battles.opponents import CHARACTERS, bot_name
from bot.battles.timetable import Away, Note, Reseat, SetClock
from bot.client import Interaction
from bot.store.battle import Battle, branch_text
from bot.store.transactions import SeatChange, UndoRequest
from bot.ui import LAYOUT_TEXT, Button, Style, fitting, id_button, message_url, shorten, utf16_length
from bot.ui.error_replies import MarkdownError
from sim.core import RuleError
from sim.core.battle import ANYONE, REFEREE, LegalAction, Seat
from sim.core.journal import JournalRow, seat_name, seat_phrase
from sim.core.names import listed

SHOWN_DIGITS = 16
"""Digits of the last row's hash on a closed panel; `/battle verify` takes 12 or more."""


def foot_line(battle: Battle) -> str:
    """Return the last line of a panel and of a log: empty while the battle is open."""
    if battle.is_open:
        return ""
    return f"-# Final fingerprint `{battle.previous_hash[:SHOWN_DIGITS]}`… · `/battle verify number:{battle.number}`"


LABEL = "Watch & check"


MAX_STATE = 1800
"""UTF-16 units of the state in a panel; the events get the rest."""

_RESERVE = 40  # for the separators

LATE_SECONDS = 20
"""A signature that isn't there so long after its round was due is missed."""


def open_buttons(at: p.Position[Any], waiting: c.Waiting | None, undo_request: UndoRequest | None) -> Iterator[Button]:
    """Build the buttons of a battle that goes on: first those that answer what the lines of the table ask.

    How its dice are made is offered until it has begun.
    """
    battle, chance = at.battle, at.presenter.chance_in(at.state)
    if battle.has_ladders and not battle.steps and is_contest(at) and _undecided(battle):
        yield consent_button(battle, "accept", "rated", "Accept, rated", "🪜", Style.success)
    if waiting is not None and waiting.clock.absent:
        yield consent_button(battle, "resume", "clock", "Go on", "▶️", Style.primary)
    free = p.free_seats(at.presenter, battle.places)
    for seat in () if battle.joining_closed else free:
        color = at.presenter.colors.get(seat, "🙋")
        yield consent_button(battle, "join", seat, f"Join as {seat_name(seat)}", color, Style.success)
    for key, one in CHARACTERS.items() if invites_bot(at) else ():
        yield consent_button(battle, "bot", key, f"Fight {one.name}", one.emoji)
    for place, legal in enumerate(() if free else at.panel_actions()):
        yield action_button(battle, legal, style=Style.secondary if place else Style.primary)
    if undo_request is not None and undo_request.version == battle.version:
        yield consent_button(battle, "agree", "undo", "Agree", "✅")
        yield consent_button(battle, "refuse", "undo", "Refuse", "✖️")
    hidden = p.mixin_of(at.presenter, p.HidesInformation)
    if any(hidden.private_text(battle, at.state, [place.seat]) is not None for place in battle.places):
        yield consent_button(battle, "look", "own", "Your army", "👁️")
    yield from at.presenter.extra_buttons(battle, at.state)
    for taken in () if battle.joining_closed else battle.bots:
        yield consent_button(battle, "relieve", taken.seat, f"Take over from {bot_name(taken)}", "🙋")
    if not battle.steps:
        yield consent_button(battle, "fair", "dice", chance.question, chance.icon)


def invites_bot(at: p.Position[Any]) -> bool:
    """Return whether a free seat can be given to the bot."""
    battle = at.battle
    played = isinstance(at.presenter, p.PlayedByBot) and battle.is_open and not battle.joining_closed
    return played and any(place.is_open and place.seat != REFEREE for place in battle.places)


def action_button(
    battle: Battle, legal: LegalAction[Any], emoji: str | None = None, style: Style = Style.secondary
) -> Button:
    """Build the button of an action."""
    return id_button(f"b1:{battle.id}:{battle.version}:{legal.name}", legal.label, emoji, style)


def consent_button(
    battle: Battle, what: str, of: str, label: str, emoji: str, style: Style = Style.secondary
) -> Button:
    """Build a button that every battle has."""
    return id_button(f"b2:{battle.id}:{battle.version}:{what}:{of}", label, emoji, style)


def panel_text(
    at: p.Position[Any], content: p.PanelContent, undo_request: UndoRequest | None = None, table: Sequence[str] = ()
) -> list[str]:
    """Return a panel's parts, together within a message; `table`: lines about the clock and the seats."""
    battle = at.battle
    listed = () if content.seats is None else sorted(battle.places, key=lambda place: place.seat == REFEREE)
    names = {place.seat: seat_name(place.seat).capitalize() for place in listed} | dict(content.seats or {})
    places = [f"{names[place.seat]}: {p.holder_text(place)}" for place in listed]
    early = "" if battle.is_open or battle.outcome is not None else "ended, "
    head = "\n".join([f"### #{battle.number} {at.presenter.title}: {early}{content.title}", *places])
    asks = ""
    if undo_request is not None:
        note = p.mixin_of(at.presenter, p.Ranked).undo_note
        asks = f"↩️ <@{undo_request.user_id}> wants to take the last step back. {note}".strip()
    foot = f"{asks}\n{foot_line(battle)}".strip()
    state = "\n".join([shorten(content.state, MAX_STATE), *table]).strip()
    left = LAYOUT_TEXT - _RESERVE - sum(map(utf16_length, (head, foot, state)))
    events = last_lines(content.events, left)
    return [part for part in (head, state, events, foot) if part.strip()]


def last_lines(text: str, limit: int) -> str:
    """Return the last whole lines of `text` that fit into `limit` units, after an ellipsis if lines are missing."""
    if utf16_length(text) <= limit:
        return text
    kept = fitting(text.split("\n")[::-1], limit - 2)
    return "\n".join(["…", *reversed(kept)])


_MAX_NOTES = 3
_MAX_TAKEN = 6
_PEOPLE = 6


def _dice_lines(at: p.Position[Any], now: float) -> list[str]:
    """Return the lines of a panel about where the dice come from: at the beginning, and when it is over."""
    battle, seal = at.battle, at.battle.seal
    if not at.presenter.chance_in(at.state).in_steps or (battle.is_open and battle.steps):
        return []
    if battle.chain is None:
        return ["-# 🎲 Dice without a public beacon"]
    if seal is None or (battle.key is None and not battle.is_open):
        return []
    if battle.key is None:
        why = ""
        if now > seal.due + LATE_SECONDS:
            why = f" {seal.beacon.name} doesn't answer: the battle waits. `/battle end` ends it without a winner."
        return [f"🎲 The dice come <t:{seal.due + 1}:R>.{why}", f"-# Seal `{seal.hash}`, round {seal.round}"]
    if battle.seal_id is None:
        return ["-# 🎲 Not sealed, so not rated" if battle.has_ladders else "-# 🎲 Not sealed"]
    where = message_url(battle.guild_id, battle.shown_in, battle.seal_id)
    return [f"-# 🎲 [Sealed]({where}) before round {seal.round}"]


def table_lines(at: p.Position[Any], waiting: c.Waiting | None, notes: Sequence[Note], now: float) -> list[str]:
    """Return the lines of a panel about dice, clock, referee and seats, as markdown; `now`: Unix seconds.

    Of closed battles: where the dice came from, what the clock did last, and who took over a seat.
    """
    battle = at.battle
    before = battle.moved - (1 if battle.is_open else 2)  # the row before the last step, which may end the battle
    played = next((note.what for note in notes if note.n == before), None)
    lines = _dice_lines(at, now) + ([f"⏰ {_away(battle, played)}."] if isinstance(played, Away) else [])
    lines += [] if battle.bond is None else [f"-# {battle.bond}"]
    lines += [] if (branched := branch_text(battle)) is None else [f"-# 🌿 {branched}"]
    taken = [f"-# {_note_text(note)}" for note in notes if isinstance(note.what, Reseat)][-_MAX_TAKEN:]
    if not battle.is_open:
        return [*lines, *taken]
    if invites_bot(at):
        lines.append("🤖 Fight the bot: " + ", ".join(f"**{one.name}** is {one.word}" for one in CHARACTERS.values()))
    if waiting is not None and (waiting.is_shown or waiting.clock.absent):
        clock = waiting.clock
        told = clock.is_set or clock.is_paused or clock.asked  # else the game itself tells whose turn it is
        lines += clock_lines(at, waiting)[0 if told else 1 :]
    if waiting is not None and (due := c.step_in_at(at, waiting)) is not None:
        lines.append(f"-# 🙋 Others can step in at <t:{due}:t>")
    # Of those that set the clock only the last one still says anything.
    last = max((note.n for note in notes if isinstance(note.what, SetClock)), default=0)
    recent = [
        _note_text(note)
        for note in notes
        if note.n > battle.moved
        and not (isinstance(note.what, SetClock) and note.n != last)
        and note.what.do not in {"ask", "hand-over", "replace", "pause", "close"}  # which is shown above
    ]
    lines += [*taken, *(f"-# {text}" for text in recent[-_MAX_NOTES:])]
    if battle.has_ladders and is_contest(at):
        lines.append(f"-# 🪜 {_rated_text(battle, notes)}")
    if battle.referee_id is not None:
        lines.append(f"-# 🧑‍⚖️ Referee: <@{battle.referee_id}>")
    if battle.joining_closed:
        lines.append(f"-# 🔒 {p.JOINING_CLOSED.format(battle.number)}")
    return lines


def _rated_text(battle: Battle, notes: Sequence[Note]) -> str:
    if battle.was_undone:
        return "Not rated: a step was taken back"
    if battle.chain is None and battle.rates_sealed:
        return "Not rated: its dice aren't sealed"
    if undecided := _undecided(battle):
        who = " and ".join(f"<@{user_id}>" for user_id in undecided)
        if not battle.steps:
            return f"Not rated until {who} {'accept' if len(undecided) > 1 else 'accepts'}"
        if any(isinstance(note.what, Reseat) for note in notes):
            return "Not rated: a seat was taken over"
        return f"Not rated: {who} didn't accept before it began"
    return "Rated: by joining you agree to that" if any(place.is_open for place in battle.places) else "Rated"


def _undecided(battle: Battle) -> list[int]:
    """Return who hasn't agreed that the battle is rated."""
    fighters = [place for place in battle.places if place.seat != REFEREE and not place.agreed]
    return [place.user_id for place in fighters if place.user_id is not None]


def _away(battle: Battle, note: Away) -> str:
    """Return who was away, each once though in several seats, or else the seats; and what came of it."""
    who = [f"<@{battle.holders[seat]}>" if seat in battle.holders else seat_phrase(seat) for seat in note.seats]
    named = list(dict.fromkeys(who))
    text = " and ".join(named[:_PEOPLE]) or "everyone"
    return f"{text[:1].upper()}{text[1:]} {c.away_text(note, len(named))}"


def people_text(waiting: c.Waiting) -> str:
    """Return whom a battle waits for; the mentions ping nobody."""
    if not waiting.user_ids:
        return "anyone" if not waiting.awaited.seats else " and ".join(map(seat_phrase, waiting.awaited.seats))
    named = " and ".join(f"<@{user_id}>" for user_id in waiting.user_ids[:_PEOPLE])
    more = len(waiting.user_ids) - _PEOPLE
    return f"{named} and {more} more" if more > 0 else named


def clock_lines(at: p.Position[Any], waiting: c.Waiting) -> list[str]:
    """Return whom a battle waits for, and below that how its clock runs."""
    clock = waiting.clock
    who = f"⏳ Waiting for {people_text(waiting)}"
    if clock.absent:
        return [f"⏸️ Nobody was there for a whole round, so the clock is stopped. {who[2:]}: are you here?"]
    if clock.is_paused:
        left = "" if clock.left is None else f", {c.duration_text(clock.left)} left"
        return [who, f"-# ⏸️ The clock is stopped{left}"]
    if clock.asked:
        return [who, f"⏰ Time is up. The referee decides: `/battle referee number:{at.battle.number}`"]
    due, ends = clock.due_at, clock.ends_at
    if due is None or ends is None:
        return [who]
    then = c.time_up_text(at, clock.timetable.time_up)
    grace = f", with {c.duration_text(ends - due)} of grace" if ends > due else ""
    lines = [who, f"-# ⏰ Time is up <t:{due}:R>{grace}; then {then}."]
    if clock.away and clock.timetable.hour is None:
        lines.append(f"-# 🔌 The bot was away for {c.duration_text(clock.away)} of this turn; that time doesn't count.")
    return lines


def _note_text(note: Note) -> str:
    """Return what was done, for the panel."""
    if isinstance(note.what, SetClock):
        return f"⏱️ The clock is set: {c.timetable_text(note.what.timetable)}"
    if isinstance(note.what, Reseat):
        who = "Another player" if note.actor is None else f"<@{note.actor}>"
        who = "The bot" if note.what.bot else f"{who} (referee)" if note.what.referee else who
        return f"🔁 {who} took over {c.taken_over(note.what)}"
    return f"⏱️ {c.note_line(note.what)}" if note.what.do in {"go-on", "extend"} else c.note_line(note.what)


_ALREADY = "You are already in this battle."


def is_referee(interaction: Interaction, battle: Battle | None = None) -> bool:
    """Return whether the user may manage messages here, or was made the referee of this battle.

    In direct messages nobody may manage messages.
    """
    if battle is not None and interaction.user.id == battle.referee:
        return True
    return interaction.guild_id is not None and interaction.permissions.manage_messages


def seat_for(offer: p.Offer[Any], interaction: Interaction) -> Seat:
    """Return the seat in which the user may take an action; RuleError if they may not."""
    battle, legal, user_id = offer.battle, offer.legal, interaction.user.id
    own = battle.seats_of(user_id)
    if found := next((seat for seat in legal.seats if seat in own), None):
        return found
    bots = {place.seat for place in battle.places if place.is_bot}
    bot_actions = p.mixin_of(offer.presenter, p.PlayedByBot).bot_actions
    for seat in legal.seats:
        if seat == ANYONE:
            return seat
        if seat in bots and legal.name in bot_actions and battle.has_part(user_id):
            return seat
        if seat == REFEREE and is_referee(interaction, battle):
            return seat
    raise MarkdownError(_only_text(offer))


def is_outside(battle: Battle, interaction: Interaction) -> bool:
    """Return whether the user is a referee who has no seat in a battle: only then nobody else has to agree."""
    return is_referee(interaction, battle) and not battle.seats_of(interaction.user.id)


def seat_or_referee(battle: Battle, interaction: Interaction) -> Seat:
    """Return the user's seat, or the referee's; RuleError for anybody else."""
    own = battle.seats_of(interaction.user.id)
    if own:
        return own[0]
    if is_referee(interaction, battle):
        return REFEREE
    raise RuleError(f"Only players in #{battle.number} or a mod can do that.")


def other_participants(battle: Battle, user_id: int) -> set[int]:
    """Return the user ids of the other participants."""
    return {*battle.holders.values()} - {user_id}


def expect_ready(at: p.Position[Any]) -> None:
    """Raise RuleError if a seat is still free."""
    if free := p.free_seats(at.presenter, at.battle.places):
        raise RuleError(
            f"#{at.battle.number} is waiting for {' and '.join(map(seat_phrase, free))}: press Join to take the seat."
        )


def may_join(at: p.Position[Any]) -> bool:
    """Return whether anybody could join, if joining isn't closed."""
    if isinstance(at.presenter, p.DropIn):
        joining = at.presenter.joining
        return at.battle.is_open and any(legal.name in joining for legal in at.presenter.system.legal(at.state))
    return any(place.is_open for place in at.battle.places)


def may_unseat(at: p.Position[Any], seat: Seat) -> bool:
    """Return whether somebody can still be taken out of the battle: usually as long as nothing has happened."""
    return at.presenter.may_unseat(at.state, seat) if isinstance(at.presenter, p.DropIn) else at.battle.steps == 0


def is_contest(at: p.Position[Any]) -> bool:
    """Return whether people fight against each other, and nobody else: only such battles can be rated."""
    if isinstance(at.presenter, p.DropIn):
        return at.presenter.is_contest(at.state)
    fighters = [place for place in at.battle.places if place.seat != REFEREE]
    people = [place.user_id for place in fighters if place.user_id is not None]
    judged = at.battle.referee in people  # who fights and may change the armies
    is_fair = len({*people}) == len(people) and not judged and not any(place.is_bot for place in fighters)
    return len(fighters) > 1 and is_fair


def expect_unseated(battle: Battle, user_id: int) -> None:
    """Raise RuleError if the user already has a part in a battle, so that no form asks in vain."""
    if set(battle.seats_of(user_id)) - {REFEREE}:
        raise RuleError(_ALREADY)


def expect_own(battle: Battle, user_id: int | None) -> None:
    """Raise RuleError if a battle is the try of another person, who fights it alone."""
    if battle.bond is not None and user_id != battle.starter_id:
        raise RuleError(f"#{battle.number} is another player's try. Open your own from the weekly challenge.")


def expect_new(battle: Battle, user_id: int, seat_changes: Sequence[SeatChange]) -> None:
    """Raise RuleError if the user already holds a seat and would take another one, or one of another person's try."""
    if any(change.here for change in seat_changes):
        expect_own(battle, user_id)
    own = set(battle.seats_of(user_id)) - {REFEREE, *(change.seat for change in seat_changes if not change.here)}
    if own and any(change.here and change.seat not in own for change in seat_changes):
        raise RuleError(_ALREADY)


def _only_text(offer: p.Offer[Any]) -> str:
    """Return who alone may take an action, or whose turn it is, as markdown."""
    battle, seats, awaited = offer.battle, set(offer.legal.seats), c.whose_turn(offer)
    places = [place for place in battle.places if place.seat in seats - {REFEREE}]
    people = [*dict.fromkeys(seat_phrase(one.seat) if one.is_open else p.holder_text(one) for one in places)]
    if not people:
        return f"Only {'a referee' if battle.referee is None else f'the referee (<@{battle.referee}>)'} can do that."
    leaves = isinstance(offer.presenter, p.DropIn) and offer.legal.name == offer.presenter.leaving
    turn = len(people) == 1 and awaited and seats & {*awaited.seats} and not leaves
    return f"It's {people[0]}'s turn." if turn else f"Only {listed(people, 'or')} can do that."


def latest_events(steps: Sequence[JournalRow], enough: Callable[[Sequence[str]], bool]) -> list[JsonValue]:
    """Return the events of the last steps, in order: of as many steps as are `enough` by the kinds of their events."""
    events: list[JsonValue] = []
    for step in reversed(steps):
        events = [*step.events, *events]
        if enough([str(event["event"]) for event in events if isinstance(event, dict)]):
            break
    return events
