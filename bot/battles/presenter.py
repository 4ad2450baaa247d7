"""Presents the battles of one system: panels, forms and logs; panels and commands depend on this, not on games."""

from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, Protocol

import discord
from pydantic import JsonValue

from bot.battles.fairness import DICE, Chance
from bot.battles.render import PanelContent, who_fights
from bot.client import Client, Interaction, NameTakenError
from bot.cooperative import cooperative, off_loop
from bot.store.battles.battle import Battle
from bot.store.battles.transactions import SeatChange, TransactionHook
from bot.ui.layout import Picture
from sim.core.battle import ANYONE, REFEREE, Codec, EventT, LegalAction, Outcome, Seat, StateT, System
from sim.core.cards.values import DrawnCard
from sim.core.errors import RuleError
from sim.core.journal import Entry, JournalRow
from sim.workers import Caller, Job

MAX_CHARACTERS = 4_000_000
"""Total characters of the cached states; the latest state is always cached."""


class StateReader(Generic[StateT]):
    """Reads states from JSON and caches them; large ones are read without blocking the event loop."""

    def __init__(self, states: Codec[StateT]) -> None:
        self._codec = states
        self._kept: OrderedDict[str, StateT] = OrderedDict()

    async def read(self, state_json: str) -> StateT:
        """Return the state of a canonical text."""
        if state_json not in self._kept:
            self._kept[state_json] = await off_loop(len(state_json), self._codec.read_json, state_json)
            while len(self._kept) > 1 and sum(map(len, self._kept)) > MAX_CHARACTERS:
                self._kept.popitem(last=False)
        else:
            self._kept.move_to_end(state_json)
        return self._kept[state_json]


class TurnClock(Protocol):
    """The time limit of turns. `seconds`: the least time without any step before a turn times out."""

    seconds: int

    async def opens_at(self, battle: Battle, legal: LegalAction[Any]) -> int:
        """Return when an action opens, in Unix seconds; 0 if it is always open."""
        ...

    async def due_at(self, battle: Battle, state: Any) -> float | None:  # noqa: ANN401  # whatever the system's states are
        """Return when the turn times out, in Unix seconds; None for never."""
        ...

    async def remind(self, battle: Battle, state: Any) -> None:  # noqa: ANN401
        """Remind the players who have to act, after the panel was published; it may be called repeatedly."""
        ...


class IdleClock:
    """Times out after a day without any step, and reminds nobody."""

    seconds = 24 * 60 * 60

    async def opens_at(self, _battle: Battle, _legal: LegalAction[Any]) -> int:
        """Return 0: every action is always open."""
        return 0

    async def due_at(self, battle: Battle, _state: Any) -> float | None:  # noqa: ANN401
        """Return the time a day after the last change."""
        return battle.updated_at + self.seconds

    async def remind(self, _battle: Battle, _state: Any) -> None:  # noqa: ANN401
        """Do nothing."""


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
    game.
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
    system: System[Any, StateT, Any, EventT]

    def __init__(self, bot: Client) -> None:
        self._bot = bot
        self.states = StateReader(self.system.states)
        self.clock: TurnClock = IdleClock()

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
        """Return the legal actions; none in a closed battle."""
        return self.system.legal(state) if battle.is_open else ()

    def legal_action(self, battle: Battle, state: StateT, name: str) -> LegalAction[Any]:
        """Return the legal action of that name; RuleError if there is none."""
        for legal in self.legal_actions(battle, state):
            if legal.name == name:
                return legal
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
