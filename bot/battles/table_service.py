"""Changes the table, not the game, for a referee: the clock, who sits where, who may join; a server's hours.

Every change to a battle is a note in the journal, written together with what it changes.
"""

from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import datetime
from functools import cache
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo, available_timezones

import discord
from discord import app_commands
from pydantic import ValidationError

from bot.battles import BattleService
from bot.battles import timetable as t
from bot.battles.clocks import (
    MAX_TYPED,
    ClockService,
    Waiting,
    clock_text,
    duration_text,
    read_duration,
    read_hour,
    whose_turn,
)
from bot.battles.events import EventService
from bot.battles.panel import expect_own, is_referee, may_join, may_unseat
from bot.battles.presenter import AnyPresenter, DropIn, PlayedByBot, Position, mixin_of
from bot.beacon import BeaconClient
from bot.client import Client, Interaction
from bot.store.battle import Battle
from bot.store.battles import ServerHours, ServerHoursRepository
from bot.store.threads import EventRepository
from bot.store.transactions import TransactionHook, close_joining, make_referee, put_in_seat
from bot.ui import shorten
from bot.ui.error_replies import MarkdownError
from bot.ui.interactions import origin_of
from bot.ui.options import CompletedBy, Option, Options, Typed, form_user, text_choices
from sim.core import RuleError
from sim.core.battle import REFEREE
from sim.core.journal import seat_phrase


class TableService:
    """Changes the table for a referee; RuleError for anybody else, and for what makes no sense.

    What does a tool takes what was typed in its form, and returns what was done.
    """

    def __init__(self, bot: Client) -> None:
        self._bot = bot
        self._service = bot.services[BattleService]
        self._clocks = bot.services[ClockService]
        self._events = bot.services[EventService]

    async def set_clock(self, interaction: Interaction, battle_id: int, typed: Typed) -> str:
        """Set the clock."""
        turn = read_duration(typed.get("turn", ""), "Time for a turn")
        hour = read_hour(typed.get("hour", ""), "Turns end at")
        warning = read_duration(typed.get("warning", ""), "Warning") or 0
        grace = read_duration(typed.get("grace", ""), "Grace") or 0
        then = next((choice for choice in t.TimeUp if choice == typed.get("time_up")), t.TimeUp.PLAY)
        hours = await self._bot.services[ServerHoursRepository].get(interaction.guild_id)
        async with self._table(interaction, battle_id) as table:
            if then not in time_up_choices(table.presenter):
                raise RuleError("There are no turns to pass in this game.")
            if turn is not None and warning >= turn and hour is None:
                raise RuleError("The warning has to come after the turn has begun: make it shorter.")
            try:
                timetable = t.Timetable(
                    turn=turn,
                    hour=hour,
                    warning=warning,
                    grace=grace,
                    time_up=then,
                    zone=hours.zone,
                    quiet=t.QuietHours.of(hours),
                )
            except ValidationError as error:
                raise RuleError(_why(error)) from None
            await self._note(interaction, table, t.SetClock(at=self._now, timetable=timetable))
        if not timetable.limits:
            return f"⏱️ #{table.battle.number} no longer has a clock."
        return f"⏱️ The clock of #{table.battle.number} is set, and this turn's time starts over."

    async def pause(self, interaction: Interaction, battle_id: int, _typed: Typed) -> str:
        """Stop the clock."""
        async with self._table(interaction, battle_id) as table:
            waiting = await self._timed(table)
            if waiting.clock.is_paused:
                raise RuleError(f"The clock of #{table.battle.number} is stopped already.")
            await self._note(interaction, table, t.PauseClock(at=self._now))
        return f"⏸️ The clock of #{table.battle.number} is stopped."

    async def resume(self, interaction: Interaction, battle_id: int, _typed: Typed) -> str:
        """Restart the clock."""
        async with self._table(interaction, battle_id) as table:
            waiting = await self._clocks.waiting(table)
            if waiting is None or not waiting.clock.is_paused:
                raise RuleError(f"The clock of #{table.battle.number} isn't stopped.")
            await self._note(interaction, table, t.PlainNote(do="go-on", at=self._now))
        return f"▶️ The clock of #{table.battle.number} is running again."

    async def extend(self, interaction: Interaction, battle_id: int, typed: Typed) -> str:
        """Give the turn more time: from now on if its time was up already."""
        seconds = read_duration(typed.get("time", ""), "How much longer")
        if seconds is None or seconds > t.MAX_TURN:
            raise RuleError("How much longer? Type a time such as 2 h or 1 day, at most 30 days.")
        async with self._table(interaction, battle_id) as table:
            waiting = await self._timed(table)
            due = waiting.clock.due_at
            late = 0 if due is None else max(0, self._now - due)
            note = t.ExtendTurn(at=self._now, seconds=min(t.MAX_TURN, seconds + late))
            await self._note(interaction, table, note)
        until = "" if due is None else f": it ends <t:{max(due, self._now) + seconds}:R>"
        return f"⏳ This turn of #{table.battle.number} is {duration_text(seconds)} longer{until}."

    async def replace(self, interaction: Interaction, battle_id: int, typed: Typed, *, own: bool = False) -> str:
        """Give a seat, free or taken, to somebody else, to the bot where it can play, or with `own` to the user."""
        seat, user = typed.get("seat", ""), interaction.user if own else form_user(interaction, "who")
        async with self._table(interaction, battle_id) as table:
            battle = table.battle
            place = battle.place(seat)
            if place is None or seat == REFEREE:
                raise RuleError(f"#{battle.number} has no such seat any more.")
            this_bot = self._bot.user is not None and user.id == self._bot.user.id
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
            note = t.Reseat(at=self._now, seat=seat, bot=this_bot, referee=is_own, when=when_text(table))
            hook = put_in_seat(battle.id, seat, user_id, is_bot=this_bot, left_at=battle.version + 1)
            await self._note(interaction, table, note, hook, user_id)
        who = "I take" if this_bot else f"<@{user.id}> takes"
        return f"🔁 {who} over {seat_phrase(seat)} in #{table.battle.number}."

    async def hand_over(self, interaction: Interaction, battle_id: int, _typed: Typed) -> str:
        """Make somebody the referee of this battle."""
        user = form_user(interaction, "who")
        if user.bot:
            raise RuleError("A bot can't be a referee: choose a person.")
        async with self._table(interaction, battle_id) as table:
            battle = table.battle
            if set(battle.seats_of(user.id)) - {REFEREE}:
                raise MarkdownError(f"<@{user.id}> plays in #{battle.number}: choose a referee who doesn't.")
            if battle.referee == user.id:
                raise MarkdownError(f"<@{user.id}> is the referee of #{battle.number} already.")
            seated = battle.place(REFEREE) is not None
            hook = put_in_seat(battle.id, REFEREE, user.id) if seated else make_referee(battle.id, user.id)
            await self._note(interaction, table, t.PlainNote(do="hand-over", at=self._now), hook, user.id)
        return f"🧑‍⚖️ <@{user.id}> is the referee of #{table.battle.number} now."

    async def let_join(self, interaction: Interaction, battle_id: int, _typed: Typed, *, closed: bool) -> str:
        """Close joining, or open it again."""
        async with self._table(interaction, battle_id) as table:
            battle = table.battle
            if battle.joining_closed is closed:
                raise RuleError(f"Joining #{battle.number} is {'closed' if closed else 'open'} already.")
            if closed and not may_join(table):
                raise RuleError(f"#{battle.number} is closed already: nobody can join now.")
            note = t.PlainNote(do="close" if closed else "open", at=self._now)
            await self._note(interaction, table, note, close_joining(battle.id, closed=closed))
        number = table.battle.number
        return f"🔒 Joining #{number} is closed." if closed else f"🔓 Joining #{number} is open."

    async def remove(self, interaction: Interaction, battle_id: int, typed: Typed) -> str:
        """Take a player out of a battle that hasn't begun for them."""
        seat = typed.get("seat", "")
        async with self._table(interaction, battle_id) as table:
            battle, presenter = table.battle, table.presenter
            place = battle.place(seat)
            if place is None or place.is_open or seat == REFEREE:
                raise RuleError(f"Nobody has that seat in #{battle.number} any more.")
            if not may_unseat(table, seat):
                raise RuleError("Nobody can be taken out of that seat now: put another player in it instead.")
            note = t.Unseat(at=self._now, seat=seat)
            if isinstance(presenter, DropIn):
                ways = [
                    way.action for way in table.legal_actions if way.name == presenter.leaving and seat in way.seats
                ]
                if (leave := next(filter(None, ways), None)) is None:
                    raise RuleError("Nobody can be taken out of this game: put another player in that seat instead.")
                await self._service.step(battle, leave, seat, interaction, note)
            else:
                await self._note(interaction, table, note, put_in_seat(battle.id, seat, None))
        return f"👋 {seat_phrase(seat).capitalize()} is out of #{table.battle.number}."

    async def schedule(self, interaction: Interaction, battle_id: int, _typed: Typed, *, off: bool = False) -> str:
        """Put the end of the turn among the server's events, to be moved with the clock; `off`: take it away."""
        battle = await self._service.find(battle_id, origin_of(interaction))
        expect_referee(interaction, battle)
        if off:
            await self._events.drop(await self._bot.services[EventRepository].of(battle.id))
            return f"📅 #{battle.number} is no longer an event."
        await self._events.add_turn(interaction, battle)
        return f"📅 The end of this turn of #{battle.number} is among the server's events, and moves with the clock."

    @asynccontextmanager
    async def _table(self, interaction: Interaction, battle_id: int) -> AsyncIterator[Position[Any]]:
        """Lock a battle for a referee's change, and publish it afterwards; the interaction is deferred."""
        async with self._service.changing(interaction, battle_id, aside=True) as table:
            expect_referee(interaction, table.battle)
            yield table

    async def _note(
        self,
        interaction: Interaction,
        table: Position[Any],
        note: t.AnyNote,
        hook: TransactionHook | None = None,
        actor_id: int | None = None,
    ) -> None:
        actor = actor_id if note.do in {"replace", "hand-over"} else interaction.user.id
        await self._service.note(table.battle, note, REFEREE, actor_id=actor, interaction=interaction, hook=hook)

    async def _timed(self, table: Position[Any]) -> Waiting:
        """Return whom the battle waits for; RuleError where no turn is timed."""
        waiting = await self._clocks.waiting(table)
        if waiting is None or not (waiting.clock.timetable.limits or waiting.clock.is_paused):
            number = table.battle.number
            raise RuleError(f"No turn of #{number} is timed now: `/battle clock number:{number}` sets its clock.")
        return waiting

    @property
    def _now(self) -> int:
        return int(self._bot.clock())


def expect_referee(interaction: Interaction, battle: Battle) -> None:
    """Raise RuleError unless the battle is open and the user is its referee."""
    if not battle.is_open:
        raise RuleError(f"#{battle.number} is over.")
    if not is_referee(interaction, battle):
        raise RuleError(f"Only the referee of #{battle.number} or a mod can do that.")


def time_up_choices(presenter: AnyPresenter) -> Sequence[t.TimeUp]:
    """Return what may happen in a game when time is up."""
    return [choice for choice in t.TimeUp if choice is not t.TimeUp.PASS or mixin_of(presenter, t.Timed).passing]


def when_text(table: Position[Any]) -> str:
    """Return how far a battle is, as in "it happened in round 2"."""
    awaited = whose_turn(table)
    where = "" if awaited is None else awaited.where
    return shorten(f"in {where}" if where.startswith("round") else where, t.MAX_WHEN)


def _why(error: ValidationError) -> str:
    first = error.errors(include_url=False)[0]
    reason = str(first["msg"]).removeprefix("Value error, ")
    if not first["loc"]:
        return f"{reason[:1].upper()}{reason[1:]}: choose another hour, or see `/battle settings`."
    return f"A turn lasts from a minute to 30 days, a warning or grace at most as long: change the {first['loc'][0]}."


MAX_ZONE = 60
RULES = {
    t.QuietRule.SKIP.value: "Nights don't count",
    t.QuietRule.WAIT.value: "Nights count, but no turn ends at night",
}
"""What quiet hours do, for players."""

_COMMON = (
    *("Europe/London", "Europe/Berlin", "Europe/Paris", "Europe/Warsaw", "Europe/Helsinki", "America/New_York"),
    *("America/Chicago", "America/Denver", "America/Los_Angeles", "America/Sao_Paulo", "Asia/Kolkata", "Asia/Tokyo"),
    *("Asia/Manila", "Australia/Sydney", "Pacific/Auckland", "UTC"),
)


@cache
def zones() -> tuple[str, ...]:
    """Return the names of all time zones that belong to a place, in order, and UTC."""
    named = (zone for zone in available_timezones() if "/" in zone and not zone.startswith(("Etc/", "SystemV/")))
    return (*sorted(named), "UTC")


async def zone_names(_interaction: Interaction, typed: str) -> Iterable[app_commands.Choice[str]]:
    """Offer the zones that contain what was typed, the common ones if nothing was."""
    key = typed.strip().casefold().replace(" ", "_")
    return text_choices(_COMMON if not key else [zone for zone in zones() if key in zone.casefold()])


ZONE = CompletedBy(MAX_ZONE, zone_names)
TIME = app_commands.Range[str, 1, MAX_TYPED]
"""What an option takes that is a time zone; a length of time or an hour."""

Switch = Literal["on", "off"] | None


def read_zone(typed: str) -> str:
    """Return the time zone of that name; RuleError if there is none."""
    key = typed.strip().casefold().replace(" ", "_")
    found = next((zone for zone in zones() if key == zone.casefold()), None)
    if found is None:
        raise RuleError("There is no such time zone: choose one from the list, such as Europe/Berlin.")
    return found


class ServerOptions(Options):
    """What is to be set of a server, as typed."""

    zone: Annotated[str | None, Option("The time zone of this server", ZONE)] = None
    quiet_from: Annotated[
        str | None, Option("When the quiet hours begin, such as 23:00 (none: no quiet hours)", TIME)
    ] = None
    quiet_to: Annotated[str | None, Option("When they end, such as 8:00", TIME)] = None
    nights: Annotated[str | None, Option("What quiet hours do to the time of a turn", choices=RULES)] = None
    beacon: Annotated[
        Switch, Option("Off: battles begin at once, but nobody can check that the host chose no dice")
    ] = None
    mentions: Annotated[Switch, Option("Off: only commands and menus are answered in this server")] = None
    threads: Annotated[
        Literal["never", "ask", "always"] | None,
        Option("Threads of new battles: never, ask (a button on each new panel), or always"),
    ] = None
    forum: Annotated[
        discord.ForumChannel | None,
        Option("Posts of this forum in place of threads (left empty while you set threads: threads)"),
    ] = None


async def set_server(interaction: Interaction, given: ServerOptions) -> str:
    """Set what is given of a server's settings, all of it or nothing, and return them all as markdown.

    RuleError in direct messages, for zones and hours that can't be, and for anyone but a referee who sets.
    """
    if interaction.guild_id is None:
        raise RuleError("Only a server has settings of its own; use this in one.")
    repository = interaction.client.services[ServerHoursRepository]
    found = await repository.get(interaction.guild_id)
    changes: dict[str, Any] = {} if given.threads is None else {"threads": given.threads}
    if given.threads is not None or given.forum is not None:
        changes["forum_id"] = None if given.forum is None else given.forum.id
    switches = {"beacon": given.beacon, "mentions": given.mentions}
    changes |= {name: wanted == "on" for name, wanted in switches.items() if wanted is not None}
    if given != ServerOptions():
        if not is_referee(interaction):
            raise RuleError("Only a mod can change this server's settings.")
        found = replace(_changed_hours(found, given), **changes)
        await repository.put(interaction.guild_id, found)
    where = "a thread of its channel" if found.forum_id is None else f"a post of <#{found.forum_id}>"
    dice = _BEACON[found.beacon] if interaction.client.services[BeaconClient].chain is not None else _NO_BEACON
    parts = (dice, _MENTIONS[found.mentions], THREADS[found.threads].format(where))
    return "\n".join([_hours_text(found, interaction.client.clock()), *parts])


_NO_BEACON = "🎲 This bot has no public beacon now: the dice of new battles follow from its secret seed alone."
_BEACON = {
    True: "🎲 New battles here are sealed: a public beacon has a part in their dice, which come some seconds later.",
    False: "🎲 New battles here have dice from the bot's secret seed alone: they begin at once.",
}
_MENTIONS = {
    True: "💬 Mention me with a battle, and I reply with its odds.",
    False: "💬 I don't reply to mentions here. Commands work as ever.",
}
THREADS = {
    "never": "🧵 New battles here are fought in the channel. With `thread:True` a battle gets {}.",
    "ask": "🧵 New battles here have a button that moves them into {}.",
    "always": "🧵 Each new battle here gets {}. With `thread:False` it is fought in the channel.",
}


def _changed_hours(hours: ServerHours, given: ServerOptions) -> ServerHours:
    start = hours.quiet_from if given.quiet_from is None else read_hour(given.quiet_from, "Quiet from")
    end = hours.quiet_to if given.quiet_to is None else read_hour(given.quiet_to, "Quiet to")
    if (given.quiet_from is not None and start is None) or (given.quiet_to is not None and end is None):
        start = end = None
    if (start is None) is not (end is None):
        raise RuleError("Quiet hours need both ends: give `quiet_from` and `quiet_to`, such as 23:00 and 8:00.")
    changed = replace(
        hours,
        zone=hours.zone if given.zone is None else read_zone(given.zone),
        quiet_from=start,
        quiet_to=end,
        quiet_rule=given.nights if given.nights in RULES else hours.quiet_rule,
    )
    try:
        t.QuietHours.of(changed)
    except ValidationError:
        raise RuleError(f"Quiet hours last from a minute to {t.MAX_QUIET // 60} hours.") from None
    return changed


def _hours_text(hours: ServerHours, now: float) -> str:
    local = datetime.fromtimestamp(now, ZoneInfo(hours.zone)).strftime("%H:%M")
    lines = [f"### 🕗 This server's time: {hours.zone}, now {local}"]
    quiet = t.QuietHours.of(hours)
    if quiet is None:
        lines.append("No quiet hours")
    else:
        lines.append(f"Quiet from **{clock_text(quiet.start)}** to **{clock_text(quiet.end)}**. {RULES[quiet.rule]}.")
        lines.append("-# New wars keep to them. `/battle clock` applies them to a battle that has begun.")
    return "\n".join(lines)
