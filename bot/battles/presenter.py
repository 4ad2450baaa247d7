"""Presents the battles of one system: panels, forms and logs; panels and commands depend on this, not on games."""

from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic

import discord
from pydantic import JsonValue

from bot.battles.clock import Awaited
from bot.battles.fairness import DICE, Chance
from bot.battles.render import PanelContent, who_fights
from bot.battles.timetable import DAY, Timetable, TimeUp
from bot.client import Client, Interaction, NameTakenError
from bot.cooperative import cooperative, off_loop
from bot.store.battles.battle import Battle
from bot.store.battles.transactions import SeatChange, TransactionHook
from bot.ui.layout import Picture
from sim.core.battle import ANYONE, CLOCK, REFEREE, Codec, EventT, LegalAction, Outcome, Seat, StateT, System
from sim.core.cards.values import DrawnCard
from sim.core.errors import RuleError
from sim.core.journal import Entry, JournalRow
from sim.core.narration import seat_name
from sim.workers import Caller, Job

JOINING_CLOSED = "Joining #{} is closed. A referee can open it again: `/battle referee`."

MAX_CHARACTERS = 200_000
"""Characters of the states that a reader keeps; in memory they are five to ten times that. The latest stays."""


class StateReader(Generic[StateT]):
    """Reads states from JSON and caches them; large ones are read without blocking the event loop."""

    def __init__(self, states: Codec[StateT]) -> None:
        self._codec = states
        self._kept: OrderedDict[str, StateT] = OrderedDict()
        self._characters = 0

    async def read(self, state_json: str) -> StateT:
        """Return the state of a canonical text."""
        if state_json not in self._kept:
            state = await off_loop(len(state_json), self._codec.read_json, state_json)
            self._characters += 0 if state_json in self._kept else len(state_json)
            self._kept[state_json] = state
            while len(self._kept) > 1 and self._characters > MAX_CHARACTERS:
                self._characters -= len(self._kept.popitem(last=False)[0])
        self._kept.move_to_end(state_json)
        return self._kept[state_json]


@dataclass(frozen=True, slots=True)
class Rematch:
    """A battle to open after another one: its setup, every seat with who takes it, and the seats of the bot."""

    setup: Any
    seats: Mapping[Seat, int | None]
    bots: Collection[Seat] = ()


class BattlePresenter(ABC, Generic[StateT, EventT]):
    """Presents the battles of one system.

    `title`: the system's name for players. `sides`: the two seats that may be swapped in a rematch, none if there are
    no two sides. `chance`: what chance decides. `bot_actions`: actions that players may press for the
    bot's seats. `drop_in`: players come and go during the battle, so nobody waits for a free seat. `lasting_actions`:
    actions whose form may be submitted after the battle has moved on. `panel_steps`: how many of the last steps `panel`
    gets, None for all. `undo_note`, `end_note`: a sentence about what an undo, or ending a battle early, costs in this
    game. `turn_events`: events that begin a turn, None if every step does. `is_timed`: players see the game's own
    clock, and are reminded of their turns; else only once somebody has set it. `joining`: the action by which people
    join. `leaving`: the action by which they leave before the battle has begun. `passing`: of the actions that the
    clock may take, those that only end the turn. `time_up`: what the clock's other actions do, as in "then …".
    """

    title: ClassVar[str]
    sides: ClassVar[tuple[Seat, ...]] = ()
    chance: ClassVar[Chance] = DICE
    undo_note: ClassVar[str] = ""
    end_note: ClassVar[str] = ""
    bot_actions: ClassVar[frozenset[str]] = frozenset()
    drop_in: ClassVar[bool] = False
    lasting_actions: ClassVar[frozenset[str]] = frozenset()
    panel_steps: ClassVar[int | None] = None
    turn_events: ClassVar[frozenset[str] | None] = None
    is_timed: ClassVar[bool] = False
    joining: ClassVar[str | None] = None
    leaving: ClassVar[str | None] = None
    passing: ClassVar[frozenset[str]] = frozenset()
    time_up: ClassVar[str] = "the bot takes the turn"
    system: System[Any, StateT, Any, EventT]

    def __init__(self, bot: Client) -> None:
        self._bot = bot
        self.states = StateReader(self.system.states)

    @abstractmethod
    async def panel(
        self, battle: Battle, state: StateT, steps: Sequence[JournalRow], caller: Caller | None
    ) -> PanelContent:
        """Return the panel's content; `steps`: the steps not undone, or the last `panel_steps` of them."""

    @abstractmethod
    def progress(self, battle: Battle, state: StateT) -> str:
        """Return the progress, such as "at round 4"."""

    async def card(self, job: Job[DrawnCard] | None, caller: Caller | None) -> Picture | None:
        """Draw a panel's card; None if there is none or the workers are too busy: the panel says the same in words."""
        if job is None:
            return None
        try:
            drawn = await self._bot.simulator.once(job, caller)
        except RuleError:
            return None
        return Picture("card.png", drawn.data, drawn.alt)

    async def read_state(self, battle: Battle) -> StateT:
        """Return the battle's state."""
        return await self.states.read(battle.state_json)

    def read_events(self, events: Sequence[JsonValue]) -> tuple[EventT, ...]:
        """Return events as the system's values."""
        return tuple(map(self.system.events.read, events))

    def log_lines(self, _battle: Battle, _state: StateT, events: tuple[EventT, ...]) -> list[str]:
        """Return the log of a step's events as plain text, without hidden information."""
        return self.system.lines(events)

    async def narrate(
        self, battle: Battle, state: StateT, steps: Sequence[Entry], _caller: Caller | None
    ) -> Sequence[Sequence[str]]:
        """Return the `log_lines` of each step, yielding to the event loop."""
        return [self.log_lines(battle, state, self.read_events(step.events)) async for step in cooperative(steps)]

    async def files(
        self, _battle: Battle, _state: StateT, _entries: Sequence[Entry], _caller: Caller | None
    ) -> dict[str, bytes]:
        """Return the system's own files by name, without hidden information.

        `entries`: the whole journal.
        """
        return {}

    def hidden_rows(self, _battle: Battle, _state: StateT, _entries: Sequence[Entry]) -> int | None:
        """Return how many of the last rows are hidden while the battle is open; None if all are."""
        return 0

    def seat_changes(self, _events: Sequence[JsonValue], _user_id: int | None) -> Sequence[SeatChange]:
        """Return the seat changes in a step by `user_id`, in order; called only if players may `drop_in`."""
        return ()

    async def ask(
        self, _interaction: Interaction, _battle: Battle, _state: StateT, _legal: LegalAction[Any], _seat: Seat
    ) -> bool:
        """Ask the player for an action's details in the game's own way; return False to open the form instead.

        The interaction is unanswered.
        """
        return False

    async def fields(
        self, _battle: Battle, _state: StateT, _legal: LegalAction[Any], _values: Mapping[str, str], _user_id: int
    ) -> Sequence[discord.ui.Label[Any]]:
        """Return the form's fields (1 to 5) for an action that needs details, filled with `values`."""
        raise RuleError("This needs a newer version of the bot.")

    async def read_form(
        self,
        _interaction: Interaction,
        _battle: Battle,
        _state: StateT,
        legal: LegalAction[Any],
        _values: Mapping[str, str],
    ) -> object:
        """Return the action of a submitted form; RuleError with all that is wrong, TextError with its place."""
        raise RuleError(f"{legal.label}: this needs a newer version of the bot.")

    def private_text(self, _battle: Battle, _state: StateT, _seats: Sequence[Seat]) -> str | None:
        """Return what only `seats` may see; None if nothing is hidden."""
        return None

    def fighters(self, battle: Battle, _state: StateT) -> str:
        """Return who fights whom on one line, as markdown, without hidden information."""
        return who_fights(battle)

    def awaited(self, battle: Battle, state: StateT) -> Awaited | None:
        """Return whose turn it is; None if the battle is over or a seat is still free.

        By default all people who may act now, and a turn is a step.
        """
        if not battle.is_open or (not self.drop_in and any(place.is_open for place in battle.places)):
            return None
        acting = {seat for legal in self.legal_actions(battle, state) for seat in legal.seats}
        people = [place.seat for place in battle.places if place.user_id is not None]
        # Where the bot's side is to act, or a seat that nobody has, everybody here may.
        seats = () if ANYONE in acting else [seat for seat in people if seat in acting] or people
        return Awaited(str(battle.moved), tuple(seats), self.progress(battle, state).removeprefix("at "))

    def timetable(self, battle: Battle, state: StateT) -> Timetable:
        """Return the clock of a battle in which nobody has set one: a day, if the rules let the clock do something."""
        return Timetable(turn=DAY if self.clock_action(battle, state, TimeUp.PLAY) is not None else None)

    def first_timetable(self, _state: StateT) -> Timetable:
        """Return the clock of a new battle if players see it from the start: only then the quiet hours matter."""
        return Timetable()

    def turn_action(self, _state: StateT) -> tuple[str, Seat] | None:
        """Return an action, by its `do`, and the seat for which it begins a turn, beside the events that do."""
        return None

    def clock_action(self, battle: Battle, state: StateT, time_up: TimeUp) -> LegalAction[Any] | None:
        """Return what the clock does when time is up; None for nothing: then the referee is asked."""
        if time_up is TimeUp.ASK:
            return None
        passes = time_up is TimeUp.PASS
        for legal in self.legal_actions(battle, state):
            if CLOCK in legal.seats and legal.action is not None and (legal.name in self.passing) is passes:
                return legal
        return None

    def is_due(self, _battle: Battle, _state: StateT) -> bool:
        """Return whether the battle waits for nobody and the clock is to go on at once."""
        return False

    def time_up_text(self, battle: Battle, state: StateT, time_up: TimeUp) -> str:
        """Return what happens when time is up, as in "then …"."""
        if self.clock_action(battle, state, time_up) is None:
            return "the referee is asked"
        return "the turn passes" if time_up is TimeUp.PASS else self.time_up

    def may_join(self, battle: Battle, state: StateT) -> bool:
        """Return whether anybody could join, if joining isn't closed."""
        if self.drop_in:
            return battle.is_open and any(legal.name == self.joining for legal in self.system.legal(state))
        return any(place.is_open for place in battle.places)

    def is_contest(self, battle: Battle, _state: StateT) -> bool:
        """Return whether people fight against each other, and nobody else: only such battles can be rated."""
        fighters = [place for place in battle.places if place.seat != REFEREE]
        people = [place.user_id for place in fighters if place.user_id is not None]
        return len(fighters) > 1 and len({*people}) == len(people) and not any(place.is_bot for place in fighters)

    def may_unseat(self, battle: Battle, _state: StateT, _seat: Seat) -> bool:
        """Return whether somebody can still be taken out of the battle: by default as long as nothing has happened."""
        return not self.drop_in and battle.steps == 0

    def seat_label(self, _battle: Battle, _state: StateT, seat: Seat) -> str:
        """Return a seat's name in lists, such as that of its fighter."""
        return seat_name(seat).capitalize()

    def opens_after(self, _legal: LegalAction[Any]) -> int:
        """Return how many seconds of a turn have to go by before an action may be taken."""
        return 0

    def panel_actions(self, battle: Battle, state: StateT) -> Sequence[LegalAction[Any]]:
        """Return the actions that get a button on the panel, in order: those that a player of this battle may take.

        A referee without a seat finds the others in `/battle referee`.
        """
        people = {place.seat for place in battle.places if not place.is_bot} | {ANYONE}
        bots = {place.seat for place in battle.places if place.is_bot}
        return [
            legal
            for legal in self.legal_actions(battle, state)
            if people & set(legal.seats) or (legal.name in self.bot_actions and bots & set(legal.seats))
        ]

    def referee_actions(self, battle: Battle, state: StateT) -> Sequence[LegalAction[Any]]:
        """Return the actions that a referee may take and that have no button on the panel."""
        shown = {legal.name for legal in self.panel_actions(battle, state)}
        return [
            legal for legal in self.legal_actions(battle, state) if REFEREE in legal.seats and legal.name not in shown
        ]

    async def read_setup(self, battle: Battle) -> Any:  # noqa: ANN401  # whatever the system's setups are
        """Return the battle's setup."""
        return await off_loop(len(battle.setup_json), self.system.setups.read_json, battle.setup_json)

    def may_swap(self, battle: Battle) -> bool:
        """Return whether a rematch with the sides swapped is another battle."""
        places = [place for place in battle.places if place.seat in self.sides]
        holders = {(place.user_id, place.is_bot) for place in places}
        is_played = bool(self.bot_actions) or not any(place.is_bot for place in places)
        return len(holders) == len(self.sides) > 1 and is_played

    async def rematch(self, battle: Battle, _state: StateT, *, swap: bool) -> Rematch:
        """Return the battle that a rematch opens: the same setup, the same people in their seats, or `swap` the sides.

        Where players come and go, they join again. RuleError if there can be none.
        """
        setup = await self.read_setup(battle)
        if self.drop_in:
            return Rematch(setup, {})
        seats = [place.seat for place in battle.places]
        other = dict(zip(self.sides, reversed(self.sides), strict=True)) if swap else {}
        holders = {other.get(place.seat, place.seat): place for place in battle.places}
        return Rematch(
            setup, {seat: holders[seat].user_id for seat in seats}, [seat for seat in seats if holders[seat].is_bot]
        )

    def extra_buttons(self, _battle: Battle, _state: StateT) -> Sequence[discord.ui.Button[Any]]:
        """Return more buttons for the panel, also of closed battles."""
        return ()

    def resolve_action(
        self,
        battle: Battle,
        state: StateT,
        name: str,
        _seats: Sequence[Seat],
        *,
        referee: bool,  # noqa: ARG002  # some games need it
    ) -> LegalAction[Any]:
        """Return the action of a button pressed by a user with these seats; RuleError as `legal_action`.

        Override it where a button means different actions for different users.
        """
        return self.legal_action(battle, state, name)

    def transaction_hook(self, _battle: Battle, _state: StateT, _outcome: Outcome) -> TransactionHook | None:
        """Return what else to write in the transaction of the step that ends the battle in `state`."""
        return None

    def legal_actions(self, battle: Battle, state: StateT) -> tuple[LegalAction[Any], ...]:
        """Return the legal actions; none in a closed battle, and no joining where that is closed."""
        legal_actions = self.system.legal(state) if battle.is_open else ()
        if battle.joining_closed:
            return tuple(legal for legal in legal_actions if legal.name != self.joining)
        return legal_actions

    def legal_action(self, battle: Battle, state: StateT, name: str) -> LegalAction[Any]:
        """Return the legal action of that name; RuleError if there is none."""
        for legal in self.legal_actions(battle, state):
            if legal.name == name:
                return legal
        if battle.is_open and battle.joining_closed and name == self.joining:
            raise RuleError(JOINING_CLOSED.format(battle.number))
        raise RuleError(f"That can't be done now: #{battle.number} is {self.progress(battle, state)}.")


def titles() -> dict[str, str]:
    """Return the titles of all systems whose games are loaded, by the systems' names."""
    found, kinds = {}, [*BattlePresenter.__subclasses__()]
    while kinds:
        kind = kinds.pop()
        kinds += kind.__subclasses__()
        if hasattr(kind, "title") and hasattr(kind, "system"):
            found[kind.system.name] = kind.title
    return found


AnyPresenter = BattlePresenter[Any, Any]
"""A presenter of any system."""


class Presenters:
    """All presenters by the names of their systems."""

    def __init__(self) -> None:
        self._by_system: dict[str, AnyPresenter] = {}

    def add(self, presenter: AnyPresenter) -> None:
        """Register a presenter for its system; NameTakenError if there already is one."""
        if presenter.system.name in self._by_system:
            raise NameTakenError(_name(presenter.system.name))
        self._by_system[presenter.system.name] = presenter

    @property
    def names(self) -> list[str]:
        """The names that are taken, each as a phrase."""
        return list(map(_name, self._by_system))

    def of(self, system: str) -> AnyPresenter:
        """Return the presenter of a system; RuleError if this version has none."""
        if system not in self._by_system:
            raise RuleError("This version of the bot doesn't know this battle's rules.")
        return self._by_system[system]

    @property
    def all(self) -> tuple[AnyPresenter, ...]:
        """Every presenter."""
        return tuple(self._by_system.values())


def _name(system: str) -> str:
    return f"a presenter of the system {system!r}"
