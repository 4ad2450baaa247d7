"""Serves what a referee alone sees and does: the actions without a button on the panel, the clock, the seats.

What a tool changes is the table, not the game: by a note in the journal, written together with what it changes.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

from pydantic import Field, ValidationError

from bot.answers import Query
from bot.battles import BattleService
from bot.battles import clocks as c
from bot.battles import timetable as t
from bot.battles.events import EventService
from bot.battles.panel import action_button, clock_lines, expect_own, is_referee, may_join, may_unseat
from bot.battles.presenter import AnyPresenter, DropIn, PlayedByBot, Position, Presenters, mixin_of
from bot.client import Client, Interaction
from bot.store import AlreadyAppliedError
from bot.store.battle import Battle
from bot.store.battles import ServerHoursRepository
from bot.store.queries import StoredQuery
from bot.store.threads import EventRepository
from bot.store.transactions import TransactionHook, close_joining, make_referee, put_in_seat
from bot.ui import MAX_CHOICE, MAX_CHOICES, MAX_TITLE, Button, button_rows, id_button, shorten, text_view
from bot.ui.error_replies import OUTDATED_BUTTON, MarkdownError
from bot.ui.interactions import PersistentButton, defer, edit_reply, origin_of, reply
from bot.ui.options import Entry, Fields, Typed, entry_fields, form_user
from sim.core import RuleError
from sim.core.battle import REFEREE
from sim.core.journal import seat_name, seat_phrase

TIME_UP = {
    t.TimeUp.PLAY.value: "The bot plays the turn",
    t.TimeUp.PASS.value: "The turn passes",
    t.TimeUp.ASK.value: "The referee is asked",
}
"""What may happen when time is up, for lists; a game's own words say more on the panel."""


@dataclass(frozen=True, slots=True)
class Table(Position[Any]):
    """A battle that its referee changes: by which interaction, and with what was typed, by the fields' ids."""

    interaction: Interaction
    typed: Typed

    @property
    def now(self) -> int:
        """The time, in Unix seconds."""
        return int(self.interaction.client.clock())

    async def timed(self) -> c.Waiting:
        """Return whom the battle waits for; RuleError where no turn is timed."""
        waiting, number = await c.waiting_in(self.interaction.client, self), self.battle.number
        if waiting is None or not (waiting.clock.timetable.limits or waiting.clock.is_paused):
            raise RuleError(f"No turn of #{number} is timed now: `/battle clock number:{number}` sets its clock.")
        return waiting

    async def note(self, note: t.AnyNote, hook: TransactionHook | None = None, actor_id: int | None = None) -> None:
        """Commit a note with what it changes; `actor_id`: who sits down."""
        actor = actor_id if note.do in {"replace", "hand-over"} else self.interaction.user.id
        service = self.interaction.client.services[BattleService]
        with suppress(AlreadyAppliedError):  # delivered twice: the other delivery has done it
            await service.note(self.battle, note, REFEREE, actor_id=actor, interaction=self.interaction, hook=hook)


async def _set_clock(table: Table) -> str:
    typed = table.typed
    turn = c.read_duration(typed.get("turn", ""), "Time for a turn")
    hour = c.read_hour(typed.get("hour", ""), "Turns end at")
    warning = c.read_duration(typed.get("warning", ""), "Warning") or 0
    grace = c.read_duration(typed.get("grace", ""), "Grace") or 0
    then = next((choice for choice in t.TimeUp if choice == typed.get("time_up")), t.TimeUp.PLAY)
    if then not in time_up_choices(table.presenter):
        raise RuleError("There are no turns to pass in this game.")
    if turn is not None and warning >= turn and hour is None:
        raise RuleError("The warning has to come after the turn has begun: make it shorter.")
    hours = await table.interaction.client.services[ServerHoursRepository].get(table.interaction.guild_id)
    try:
        quiet = t.QuietHours.of(hours)
        timetable = t.Timetable(
            turn=turn, hour=hour, warning=warning, grace=grace, time_up=then, zone=hours.zone, quiet=quiet
        )
    except ValidationError as error:
        raise RuleError(_why(error)) from None
    await table.note(t.SetClock(at=table.now, timetable=timetable))
    if not timetable.limits:
        return f"⏱️ #{table.battle.number} no longer has a clock."
    return f"⏱️ The clock of #{table.battle.number} is set, and this turn's time starts over."


async def _pause(table: Table) -> str:
    if (await table.timed()).clock.is_paused:
        raise RuleError(f"The clock of #{table.battle.number} is stopped already.")
    await table.note(t.PauseClock(at=table.now))
    return f"⏸️ The clock of #{table.battle.number} is stopped."


async def _resume(table: Table) -> str:
    waiting = await c.waiting_in(table.interaction.client, table)
    if waiting is None or not waiting.clock.is_paused:
        raise RuleError(f"The clock of #{table.battle.number} isn't stopped.")
    await table.note(t.PlainNote(do="go-on", at=table.now))
    return f"▶️ The clock of #{table.battle.number} is running again."


async def _extend(table: Table) -> str:
    """Give the turn more time: from now on if its time was up already."""
    seconds = c.read_duration(table.typed.get("time", ""), "How much longer")
    if seconds is None or seconds > t.MAX_TURN:
        raise RuleError("How much longer? Type a time such as 2 h or 1 day, at most 30 days.")
    due, now = (await table.timed()).clock.due_at, table.now
    late = 0 if due is None else max(0, now - due)
    await table.note(t.ExtendTurn(at=now, seconds=min(t.MAX_TURN, seconds + late)))
    until = "" if due is None else f": it ends <t:{max(due, now) + seconds}:R>"
    return f"⏳ This turn of #{table.battle.number} is {c.duration_text(seconds)} longer{until}."


async def _replace(table: Table, *, own: bool = False) -> str:
    """Give a seat, free or taken, to somebody else, to the bot where it can play, or with `own` to the user."""
    battle, interaction, seat = table.battle, table.interaction, table.typed.get("seat", "")
    user, me = interaction.user if own else form_user(interaction, "who"), interaction.client.user
    place = battle.place(seat)
    if place is None or seat == REFEREE:
        raise RuleError(f"#{battle.number} has no such seat any more.")
    this_bot = me is not None and user.id == me.id
    if this_bot and not isinstance(table.presenter, PlayedByBot):
        raise RuleError("I don't play this game: choose a person.")
    if user.bot and not this_bot:
        raise RuleError("Other bots don't know how to play: choose a person.")
    if set(battle.seats_of(user.id)) - {REFEREE}:
        raise MarkdownError(f"<@{user.id}> already has a part in #{battle.number}.")
    if this_bot and place.is_bot:
        raise RuleError(f"I play {seat_phrase(seat)} already.")
    user_id = None if this_bot else user.id
    expect_own(battle, user_id)
    is_own = user_id == interaction.user.id
    note = t.Reseat(at=table.now, seat=seat, bot=this_bot, referee=is_own, when=when_text(table))
    hook = put_in_seat(battle.id, seat, user_id, is_bot=this_bot, left_at=battle.version + 1)
    await table.note(note, hook, user_id)
    return f"🔁 {'I take' if this_bot else f'<@{user.id}> takes'} over {seat_phrase(seat)} in #{battle.number}."


async def _hand_over(table: Table) -> str:
    """Make somebody the referee of this battle."""
    battle, user = table.battle, form_user(table.interaction, "who")
    if user.bot:
        raise RuleError("A bot can't be a referee: choose a person.")
    if set(battle.seats_of(user.id)) - {REFEREE}:
        raise MarkdownError(f"<@{user.id}> plays in #{battle.number}: choose a referee who doesn't.")
    if battle.referee == user.id:
        raise MarkdownError(f"<@{user.id}> is the referee of #{battle.number} already.")
    seated = battle.place(REFEREE) is not None
    hook = put_in_seat(battle.id, REFEREE, user.id) if seated else make_referee(battle.id, user.id)
    await table.note(t.PlainNote(do="hand-over", at=table.now), hook, user.id)
    return f"🧑‍⚖️ <@{user.id}> is the referee of #{battle.number} now."


async def _let_join(table: Table, *, closed: bool) -> str:
    """Close joining, or open it again."""
    battle = table.battle
    if battle.joining_closed is closed:
        raise RuleError(f"Joining #{battle.number} is {'closed' if closed else 'open'} already.")
    if closed and not may_join(table):
        raise RuleError(f"#{battle.number} is closed already: nobody can join now.")
    note = t.PlainNote(do="close" if closed else "open", at=table.now)
    await table.note(note, close_joining(battle.id, closed=closed))
    return f"🔒 Joining #{battle.number} is closed." if closed else f"🔓 Joining #{battle.number} is open."


async def _remove(table: Table) -> str:
    """Take a player out of a battle that hasn't begun for them."""
    battle, presenter, seat = table.battle, table.presenter, table.typed.get("seat", "")
    place = battle.place(seat)
    if place is None or place.is_open or seat == REFEREE:
        raise RuleError(f"Nobody has that seat in #{battle.number} any more.")
    if not may_unseat(table, seat):
        raise RuleError("Nobody can be taken out of that seat now: put another player in it instead.")
    note = t.Unseat(at=table.now, seat=seat)
    if isinstance(presenter, DropIn):
        ways = [way.action for way in table.legal_actions if way.name == presenter.leaving and seat in way.seats]
        if (leave := next(filter(None, ways), None)) is None:
            raise RuleError("Nobody can be taken out of this game: put another player in that seat instead.")
        service = table.interaction.client.services[BattleService]
        with suppress(AlreadyAppliedError):  # as in `note`
            await service.step(battle, leave, seat, table.interaction, note)
    else:
        await table.note(note, put_in_seat(battle.id, seat, None))
    return f"👋 {seat_phrase(seat).capitalize()} is out of #{battle.number}."


async def _schedule(interaction: Interaction, battle: Battle, *, off: bool = False) -> str:
    """Put the end of the turn among the server's events, to be moved with the clock; `off`: take it away."""
    services = interaction.client.services
    if off:
        await services[EventService].drop(await services[EventRepository].of(battle.id))
        return f"📅 #{battle.number} is no longer an event."
    await services[EventService].add_turn(interaction, battle)
    return f"📅 The end of this turn of #{battle.number} is among the server's events, and moves with the clock."


@dataclass(frozen=True, slots=True)
class Tool:
    """A referee's button.

    `do`: does it, and returns what was done; RuleError for what makes no sense. `has_form`: whether it asks for
    details; `title`: of that form, the same as the button's label by default. `undone_by`: the button that its answer
    offers. `is_noted`: whether it changes the battle, which `do` gets as a locked `Table`; else `do` gets the
    interaction and the battle.
    """

    label: str
    emoji: str
    do: Callable[..., Awaitable[str]]
    has_form: bool = True
    title: str | None = None
    undone_by: str | None = None
    is_noted: bool = True

    async def use(self, interaction: Interaction, battle_id: int, typed: Typed) -> str:
        """Do it for the deferred interaction, and return what was done; RuleError for anybody but a referee."""
        service = interaction.client.services[BattleService]
        if not self.is_noted:
            battle = await service.find(battle_id, origin_of(interaction))
            expect_referee(interaction, battle)
            return await self.do(interaction, battle)
        async with service.changing(interaction, battle_id, aside=True) as at:
            expect_referee(interaction, at.battle)
            return await self.do(Table(at.battle, at.state, at.presenter, interaction, typed))


def expect_referee(interaction: Interaction, battle: Battle) -> None:
    """Raise RuleError unless the battle is open and the user is its referee."""
    if not battle.is_open:
        raise RuleError(f"#{battle.number} is over.")
    if not is_referee(interaction, battle):
        raise RuleError(f"Only the referee of #{battle.number} or a mod can do that.")


def time_up_choices(presenter: AnyPresenter) -> Sequence[t.TimeUp]:
    """Return what may happen in a game when time is up."""
    return [choice for choice in t.TimeUp if choice is not t.TimeUp.PASS or mixin_of(presenter, t.Timed).passing]


def when_text(at: Position[Any]) -> str:
    """Return how far a battle is, as in "it happened in round 2"."""
    awaited = c.whose_turn(at)
    where = "" if awaited is None else awaited.where
    return shorten(f"in {where}" if where.startswith("round") else where, t.MAX_WHEN)


def _why(error: ValidationError) -> str:
    first = error.errors(include_url=False)[0]
    reason = str(first["msg"]).removeprefix("Value error, ")
    if not first["loc"]:
        return f"{reason[:1].upper()}{reason[1:]}: choose another hour, or see `/battle settings`."
    return f"A turn lasts from a minute to 30 days, a warning or grace at most as long: change the {first['loc'][0]}."


TOOLS = {
    "clock": Tool("Set the clock", "⏱️", _set_clock),
    "go": Tool("Restart the clock", "▶️", _resume, has_form=False, undone_by="pause"),
    "pause": Tool("Stop the clock", "⏸️", _pause, has_form=False, undone_by="go"),
    "extend": Tool("Extend this turn", "⏳", _extend),
    "event": Tool("Add to the calendar", "📅", _schedule, has_form=False, undone_by="noevent", is_noted=False),
    "noevent": Tool("Take off the calendar", "📅", partial(_schedule, off=True), has_form=False, is_noted=False),
    "replace": Tool("Replace a player", "🔁", _replace),
    "take": Tool("Take over a seat", "🙋", partial(_replace, own=True)),
    "open": Tool("Open joining", "🔓", partial(_let_join, closed=False), has_form=False),
    "close": Tool("Close joining", "🔒", partial(_let_join, closed=True), has_form=False),
    "remove": Tool("Take a player out", "👋", _remove),
    "hand": Tool("Hand over the role", "🧑‍⚖️", _hand_over, title="Hand over the referee's role"),
}
"""By the last parts of their buttons' ids."""


def _tool(what: str) -> Tool:
    if what not in TOOLS:
        raise RuleError(OUTDATED_BUTTON)
    return TOOLS[what]


class TableQuery(Query):
    """A referee's form: `values` has what was typed by the fields' ids."""

    stored_as = "battle-table"

    private: bool = True
    battle_id: int
    what: str
    values: dict[str, str] = Field(default_factory=dict)

    async def submit(self, interaction: Interaction, _stored: StoredQuery, _action: str, values: Typed) -> None:
        """Do what the form says."""
        await defer(interaction, private=True)
        await edit_reply(interaction, await self.model_copy(update={"values": values}).take(interaction))

    async def take(self, interaction: Interaction) -> str:
        """Do what the form says, and return what was done; what can't be is kept, to be fixed in the form."""
        async with self.fixable(interaction):
            return await _tool(self.what).use(interaction, self.battle_id, self.values)

    async def layout(self, interaction: Interaction) -> tuple[str, Fields]:
        """Ask a referee for a tool's details."""
        services, tool = interaction.client.services, _tool(self.what)
        battle = await services[BattleService].find(self.battle_id, origin_of(interaction))
        expect_referee(interaction, battle)
        at = await services[Presenters].position(battle)
        shown = await _settings(interaction.client, at) if self.what == "clock" else {}
        fields = entry_fields(_entries(at, self.what), {**shown, **self.values})
        return shorten(f"#{battle.number} {tool.title or tool.label}", MAX_TITLE), fields


def _entries(at: Position[Any], what: str) -> Mapping[str, Entry]:
    """Return what a tool asks for, by the fields' ids; RuleError if there is no seat for it."""
    if what == "clock":
        choices = {choice.value: TIME_UP[choice] for choice in time_up_choices(at.presenter)}
        return _TIMES | {"time_up": Entry("When time is up", choices=choices)}
    if what == "extend":
        return {"time": Entry("How much longer?", c.MAX_TYPED, "such as 2 h, 90 min or 1 day")}
    who = {"who": Entry("Who?", is_user=True)}
    if what == "hand":
        return who
    labels = {}
    for place in at.battle.places:
        if place.seat == REFEREE or (what == "remove" and (place.is_open or not may_unseat(at, place.seat))):
            continue
        label = seat_name(place.seat).capitalize()
        if isinstance(at.presenter, DropIn):
            label = at.presenter.seat_label(at.battle, at.state, place.seat)
        held = " (free)" if place.is_open else " (the bot)" if place.is_bot else ""
        labels[place.seat] = shorten(f"{label}{held}", MAX_CHOICE)
    if not labels:
        raise RuleError(f"#{at.battle.number} has no seat for that.")
    seat = {"seat": Entry("Which seat?", choices=dict([*labels.items()][:MAX_CHOICES]), first=next(iter(labels)))}
    return seat | who if what == "replace" else seat


_TIMES = {
    "turn": Entry("Time for a turn", c.MAX_TYPED, "such as 24 h; none: no limit"),
    "hour": Entry("Turns end at", c.MAX_TYPED, "an hour of the day, such as 20:00; or none"),
    "warning": Entry("Warning before the end", c.MAX_TYPED, "such as 2 h"),
    "grace": Entry("Grace after the end", c.MAX_TYPED, "such as 30 min"),
}


async def set_clock(interaction: Interaction, battle: Battle, given: Mapping[str, str]) -> None:
    """Set what is given of a clock, by the fields' ids; the rest stays, and the interaction is deferred."""
    at = await interaction.client.services[Presenters].position(battle)
    values = {**await _settings(interaction.client, at), **given}
    await TableQuery(battle_id=battle.id, what="clock", values=values).take(interaction)


async def _settings(bot: Client, at: Position[Any]) -> dict[str, str]:
    """Return how a battle's clock is set, as a referee would type it."""
    timetable = await c.timetable_in(bot, at)
    lengths = {"turn": timetable.turn, "warning": timetable.warning, "grace": timetable.grace}
    typed = {name: c.duration_text(seconds) if seconds else "none" for name, seconds in lengths.items()}
    hour = "none" if timetable.hour is None else c.clock_text(timetable.hour)
    return {**typed, "hour": hour, "time_up": timetable.time_up.value}


@PersistentButton.matching(r"b4:(?P<battle>[0-9]{1,18}):(?P<what>[a-z]{1,20})", "table-{what}")
async def table_button(button: PersistentButton, interaction: Interaction) -> None:
    """Do what a referee's button for the clock or the seats says, or open its form."""
    battle_id, what = int(button.match["battle"]), button.match["what"]
    tool = _tool(what)
    if tool.has_form:
        await TableQuery(battle_id=battle_id, what=what).send_form(interaction)
    else:
        await defer(interaction, private=True)
        done = await tool.use(interaction, battle_id, {})
        undo = [] if tool.undone_by is None else [tool.undone_by]
        await edit_reply(interaction, done, _buttons(battle_id, undo))


async def show_referee_actions(interaction: Interaction, battle: Battle) -> None:
    """Show a referee the buttons that the panel doesn't have; RuleError for others."""
    if not is_referee(interaction, battle):
        raise RuleError("Only this battle's referee or a mod can do that.")
    at = await interaction.client.services[Presenters].position(battle)
    number = battle.number
    head = f"### #{number} {at.label}: for the referee"
    text = f"{head}\n-# You may also `/battle undo number:{number}` and `/battle end number:{number}`."
    waiting = await c.waiting_in(interaction.client, at)
    table = [*clock_buttons(battle, waiting), *seat_buttons(at)]
    shown = {legal.name for legal in at.panel_actions()}
    own = (legal for legal in at.legal_actions if REFEREE in legal.seats and legal.name not in shown)
    actions = [action_button(battle, legal) for legal in own]
    await reply(interaction, text_view([text], rows=button_rows(actions), buttons=table))


async def show_clock(interaction: Interaction, battle: Battle) -> None:
    """Answer the deferred interaction with how a battle's clock is set and how it runs, for a referee with buttons."""
    bot, referee = interaction.client, is_referee(interaction, battle)
    at = await bot.services[Presenters].position(battle)
    waiting = await c.waiting_in(bot, at)
    timetable = await c.timetable_in(bot, at)
    table = c.timetable_text(timetable)
    lines = [f"### ⏱️ The clock of #{battle.number} {at.presenter.title}", f"{table[:1].upper()}{table[1:]}"]
    if timetable.limits:
        lines.append(f"When time is up: {TIME_UP[timetable.time_up].lower()}")
    if waiting is None:
        lines.append("Nobody's turn now: the battle waits for people to join, or to begin.")
    else:
        lines += clock_lines(at, waiting)
        if (due := waiting.clock.due_at) is not None:
            lines.append(f"-# The turn ends on <t:{due}:f>")
        if (due := c.step_in_at(at, waiting)) is not None:
            lines.append(f"Others can step in at <t:{due}:t>")
    if not referee:
        lines.append("-# A referee may set it: a mod, or a player made this battle's referee.")
    await edit_reply(interaction, "\n".join(lines), clock_buttons(battle, waiting) if referee else ())


def clock_buttons(battle: Battle, waiting: c.Waiting | None) -> list[Button]:
    """Build the buttons for a battle's clock that make sense now."""
    tools = ["clock"]
    if waiting is not None and waiting.clock.is_paused:
        tools.append("go")
    elif waiting is not None and waiting.clock.timetable.limits:
        tools += ["pause", "extend"]
    if battle.has_event:
        tools.append("noevent")
    elif battle.guild_id is not None and waiting is not None and waiting.is_shown and waiting.clock.due_at is not None:
        tools.append("event")
    return _buttons(battle.id, tools)


def seat_buttons(at: Position[Any]) -> list[Button]:
    """Build the buttons for the seats that make sense now."""
    seats = [place for place in at.battle.places if place.seat != REFEREE and at.battle.bond is None]
    tools = ["replace", "take"] if seats else []
    if at.battle.joining_closed:
        tools.append("open")
    elif may_join(at):
        tools.append("close")
    if any(place.user_id is not None and may_unseat(at, place.seat) for place in seats):
        tools.append("remove")
    return _buttons(at.battle.id, [*tools, "hand"])


def _buttons(battle_id: int, tools: Iterable[str]) -> list[Button]:
    return [id_button(f"b4:{battle_id}:{what}", TOOLS[what].label, TOOLS[what].emoji) for what in tools]
