"""Serves what a referee alone sees and does: the actions without a button on the panel, the clock, the seats."""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from pydantic import Field

from bot.answers import Query
from bot.battles import BattleService
from bot.battles.clocks import MAX_TYPED, ClockService, Waiting, clock_text, duration_text, step_in_at, timetable_text
from bot.battles.panel import action_button, clock_lines, is_referee, may_join, may_unseat
from bot.battles.presenter import DropIn, Position, Presenters
from bot.battles.table_service import TableService, expect_referee, time_up_choices
from bot.battles.timetable import TimeUp
from bot.client import Client, Interaction
from bot.store.battle import Battle, Place
from bot.store.queries import StoredQuery
from bot.ui import MAX_CHOICE, MAX_CHOICES, MAX_TITLE, Button, button_rows, id_button, shorten, text_view
from bot.ui.error_replies import OUTDATED_BUTTON
from bot.ui.interactions import PersistentButton, defer, edit_reply, origin_of, reply
from bot.ui.options import Entry, Fields, Typed, entry_fields
from sim.core import RuleError
from sim.core.battle import REFEREE
from sim.core.journal import seat_name

TIME_UP = {
    TimeUp.PLAY.value: "The bot plays the turn",
    TimeUp.PASS.value: "The turn passes",
    TimeUp.ASK.value: "The referee is asked",
}
"""What may happen when time is up, for lists; a game's own words say more on the panel."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A referee's button.

    `do`: does it in the battle of an id, with what was typed, and returns what was done. `has_form`: whether it asks
    for details; `title`: of that form, the same as the button's label by default. `undone_by`: the button that its
    answer offers.
    """

    label: str
    emoji: str
    do: Callable[[TableService, Interaction, int, Typed], Awaitable[str]]
    has_form: bool = True
    title: str | None = None
    undone_by: str | None = None


TOOLS = {
    "clock": Tool("Set the clock", "⏱️", TableService.set_clock),
    "go": Tool("Restart the clock", "▶️", TableService.resume, has_form=False, undone_by="pause"),
    "pause": Tool("Stop the clock", "⏸️", TableService.pause, has_form=False, undone_by="go"),
    "extend": Tool("Extend this turn", "⏳", TableService.extend),
    "event": Tool("Add to the calendar", "📅", TableService.schedule, has_form=False, undone_by="noevent"),
    "noevent": Tool("Take off the calendar", "📅", partial(TableService.schedule, off=True), has_form=False),
    "replace": Tool("Replace a player", "🔁", TableService.replace),
    "take": Tool("Take over a seat", "🙋", partial(TableService.replace, own=True)),
    "open": Tool("Open joining", "🔓", partial(TableService.let_join, closed=False), has_form=False),
    "close": Tool("Close joining", "🔒", partial(TableService.let_join, closed=True), has_form=False),
    "remove": Tool("Take a player out", "👋", TableService.remove),
    "hand": Tool("Hand over the role", "🧑‍⚖️", TableService.hand_over, title="Hand over the referee's role"),
}
"""By the last parts of their buttons' ids."""


class TableQuery(Query):
    """A referee's form: `values` has what was typed by the fields' ids."""

    stored_as = "battle-table"

    private: bool = True
    battle_id: int
    what: str
    values: dict[str, str] = Field(default_factory=dict)

    async def submit(self, interaction: Interaction, _stored: StoredQuery, _action: str, values: Typed) -> None:
        """Do what the form says."""
        query = self.model_copy(update={"values": values})
        await defer(interaction, private=True)
        async with query.fixable(interaction):
            table = interaction.client.services[TableService]
            done = await _tool(query.what).do(table, interaction, query.battle_id, values)
        await edit_reply(interaction, done)

    async def layout(self, interaction: Interaction) -> tuple[str, Fields]:
        """Ask a referee for a tool's details."""
        battle = await interaction.client.services[BattleService].find(self.battle_id, origin_of(interaction))
        expect_referee(interaction, battle)
        fields = await self._fields(interaction.client, battle)
        tool = _tool(self.what)
        return shorten(f"#{battle.number} {tool.title or tool.label}", MAX_TITLE), fields

    async def _fields(self, bot: Client, battle: Battle) -> Fields:
        at, values = await bot.services[Presenters].position(battle), self.values
        if self.what == "clock":
            shown = await _settings(bot, at) | values
            choices = {choice.value: TIME_UP[choice] for choice in time_up_choices(at.presenter)}
            return entry_fields(_TIMES | {"time_up": Entry("When time is up", choices=choices)}, shown)
        if self.what == "extend":
            return entry_fields({"time": Entry("How much longer?", MAX_TYPED, "such as 2 h, 90 min or 1 day")}, values)
        who = Entry("Who?", is_user=True).field("who")
        if self.what == "hand":
            return [who]
        seats = [place for place in battle.places if place.seat != REFEREE]
        if self.what == "remove":
            seats = [place for place in seats if not place.is_open and may_unseat(at, place.seat)]
        if not seats:
            raise RuleError(f"#{battle.number} has no seat for that.")
        labels = {place.seat: _seat_label(at, place) for place in seats[:MAX_CHOICES]}
        seat = Entry("Which seat?", choices=labels, first=next(iter(labels))).field("seat", values.get("seat"))
        return [seat, who] if self.what == "replace" else [seat]


async def set_clock(interaction: Interaction, battle: Battle, given: Mapping[str, str]) -> None:
    """Set what is given of a clock, by the fields' ids; the rest stays, and the interaction is deferred.

    What can't be is kept, to be fixed in the form.
    """
    services = interaction.client.services
    values = {**await _settings(interaction.client, await services[Presenters].position(battle)), **given}
    async with TableQuery(battle_id=battle.id, what="clock", values=values).fixable(interaction):
        await services[TableService].set_clock(interaction, battle.id, values)


async def _settings(bot: Client, at: Position[Any]) -> dict[str, str]:
    """Return how a battle's clock is set, as a referee would type it."""
    timetable = await bot.services[ClockService].timetable(at)
    return {
        "turn": _typed(timetable.turn),
        "hour": "none" if timetable.hour is None else clock_text(timetable.hour),
        "warning": _typed(timetable.warning),
        "grace": _typed(timetable.grace),
        "time_up": timetable.time_up.value,
    }


def _tool(what: str) -> Tool:
    if what not in TOOLS:
        raise RuleError(OUTDATED_BUTTON)
    return TOOLS[what]


def _seat_label(at: Position[Any], place: Place) -> str:
    label = seat_name(place.seat).capitalize()
    if isinstance(at.presenter, DropIn):
        label = at.presenter.seat_label(at.battle, at.state, place.seat)
    held = " (free)" if place.is_open else " (the bot)" if place.is_bot else ""
    return shorten(f"{label}{held}", MAX_CHOICE)


_TIMES = {
    "turn": Entry("Time for a turn", MAX_TYPED, "such as 24 h; none: no limit"),
    "hour": Entry("Turns end at", MAX_TYPED, "an hour of the day, such as 20:00; or none"),
    "warning": Entry("Warning before the end", MAX_TYPED, "such as 2 h"),
    "grace": Entry("Grace after the end", MAX_TYPED, "such as 30 min"),
}


def _typed(seconds: int | None) -> str:
    return duration_text(seconds) if seconds else "none"


@PersistentButton.matching(r"b4:(?P<battle>[0-9]{1,18}):(?P<what>[a-z]{1,20})", "table-{what}")
async def table_button(button: PersistentButton, interaction: Interaction) -> None:
    """Do what a referee's button for the clock or the seats says, or open its form."""
    battle_id, what = int(button.match["battle"]), button.match["what"]
    tool = _tool(what)
    if tool.has_form:
        await TableQuery(battle_id=battle_id, what=what).send_form(interaction)
    else:
        await defer(interaction, private=True)
        done = await tool.do(interaction.client.services[TableService], interaction, battle_id, {})
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
    waiting = await interaction.client.services[ClockService].waiting(at)
    table = [*clock_buttons(battle, waiting), *seat_buttons(at)]
    shown = {legal.name for legal in at.panel_actions()}
    own = (legal for legal in at.legal_actions if REFEREE in legal.seats and legal.name not in shown)
    actions = [action_button(battle, legal) for legal in own]
    await reply(interaction, text_view([text], rows=button_rows(actions), buttons=table))


async def show_clock(interaction: Interaction, battle: Battle) -> None:
    """Answer the deferred interaction with how a battle's clock is set and how it runs, for a referee with buttons."""
    bot, referee = interaction.client, is_referee(interaction, battle)
    at = await bot.services[Presenters].position(battle)
    waiting = await bot.services[ClockService].waiting(at)
    timetable = await bot.services[ClockService].timetable(at)
    table = timetable_text(timetable)
    lines = [f"### ⏱️ The clock of #{battle.number} {at.presenter.title}", f"{table[:1].upper()}{table[1:]}"]
    if timetable.limits:
        lines.append(f"When time is up: {TIME_UP[timetable.time_up].lower()}")
    if waiting is None:
        lines.append("Nobody's turn now: the battle waits for people to join, or to begin.")
    else:
        lines += clock_lines(at, waiting)
        if (due := waiting.clock.due_at) is not None:
            lines.append(f"-# The turn ends on <t:{due}:f>")
        if (due := step_in_at(at, waiting)) is not None:
            lines.append(f"Others can step in at <t:{due}:t>")
    if not referee:
        lines.append("-# A referee may set it: a mod, or a player made this battle's referee.")
    await edit_reply(interaction, "\n".join(lines), clock_buttons(battle, waiting) if referee else ())


def clock_buttons(battle: Battle, waiting: Waiting | None) -> list[Button]:
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
