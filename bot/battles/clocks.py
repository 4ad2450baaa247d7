"""The clocks of battles as they run: read from the journal, shown on the panel, told to the players."""

from dataclasses import dataclass
from typing import Any

from bot.battles.clock import Awaited, Clock, clock_of
from bot.battles.notes import Note, Reseat, read_note
from bot.battles.presenter import AnyPresenter
from bot.battles.reminders import TurnReminders
from bot.battles.timetable import Timetable, due_at
from bot.client import Client
from bot.store.battles.battle import Battle
from bot.store.battles.clocks import ClockRepository
from bot.store.battles.repository import BattleRepository
from bot.ui.error_replies import MarkdownError
from sim.core.battle import LegalAction
from sim.core.errors import RuleError


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
        awaited = presenter.awaited(battle, state)
        if awaited is None:
            return None
        notes = await self.notes(battle) if notes is None else notes
        default = presenter.timetable(battle, state)
        began = await self._clocks.turn_began(battle, presenter.turn_events, presenter.turn_action(state))
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
        return Waiting(awaited, turn, clock, tuple(people), clock.is_set or presenter.is_timed)

    async def timetable(self, battle: Battle, presenter: AnyPresenter, state: object) -> Timetable:
        """Return how a battle's clock is set, whether it waits for anybody or not."""
        return clock_of(presenter.timetable(battle, state), await self.notes(battle), 0, 0).timetable

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
        if not (after := presenter.opens_after(legal)):
            return
        waiting = await self.waiting(battle, presenter, state)
        if waiting is None:
            return
        due = due_at(Timetable(turn=after), waiting.clock.turn)
        if due is None:
            raise RuleError("It is somebody else's turn, and the clock is stopped.")
        if self._bot.clock() < due:
            raise MarkdownError(f"It is somebody else's turn. If they do nothing, you may press this <t:{due}:R>.")
