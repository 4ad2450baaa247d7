"""Presents the battles of one system: their panels, forms and logs; panels and commands depend on this, on no game."""

from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Generic, Protocol

import discord
from pydantic import JsonValue

from bot.battles.render import PanelContent
from bot.client import Client, Interaction, NameTakenError
from bot.cooperative import cooperative, off_loop
from bot.store.battles.battle import Battle
from bot.store.battles.transactions import SeatChange, TransactionHook
from sim.core.battle import CLOCK, Codec, EventT, LegalAction, Outcome, Seat, StateT, System
from sim.core.errors import RuleError
from sim.core.journal import Entry, JournalRow
from sim.workers import Caller

MAX_CHARACTERS = 4_000_000
"""Characters of the states that are kept, all together; one state is kept however long it is."""


class StateReader(Generic[StateT]):
    """Reads states from their JSON; equal texts are read once, as long as they are kept."""

    def __init__(self, states: Codec[StateT]) -> None:
        self._codec = states
        self._kept: OrderedDict[str, StateT] = OrderedDict()

    async def read(self, state_json: str) -> StateT:
        """Return the state that a canonical text stands for."""
        if state_json not in self._kept:
            self._kept[state_json] = await off_loop(len(state_json), self._codec.read_json, state_json)
            while len(self._kept) > 1 and sum(map(len, self._kept)) > MAX_CHARACTERS:
                self._kept.popitem(last=False)
        else:
            self._kept.move_to_end(state_json)
        return self._kept[state_json]


class TurnClock(Protocol):
    """The time of turns. `seconds`: for how long at least nobody has done anything when the clock decides."""

    seconds: int

    async def opens_at(self, battle: Battle, legal: LegalAction[Any]) -> int:
        """Return from when on an action may be taken, in Unix seconds; 0 for one that always may."""
        ...

    async def due_at(self, battle: Battle, state: Any) -> float | None:  # noqa: ANN401  # whatever the system's states are
        """Return when the clock decides, in Unix seconds, unless something happens before; None for never."""
        ...

    async def remind(self, battle: Battle, state: Any) -> None:  # noqa: ANN401
        """Remind whoever has to act, beside a panel that was just published; it may be called again."""
        ...


class IdleClock:
    """Decides after a day in which nobody did anything, and reminds nobody."""

    seconds = 24 * 60 * 60

    async def opens_at(self, _battle: Battle, _legal: LegalAction[Any]) -> int:
        """Return 0: every action always may be taken."""
        return 0

    async def due_at(self, battle: Battle, _state: Any) -> float | None:  # noqa: ANN401
        """Return when the day is over."""
        return battle.updated_at + self.seconds

    async def remind(self, _battle: Battle, _state: Any) -> None:  # noqa: ANN401
        """Do nothing."""


class BattlePresenter(ABC, Generic[StateT, EventT]):
    """Presents the battles of one system.

    `title` is what players call the system. `bot_actions`: the actions that somebody may press for a seat of the bot.
    `drop_in`: people come and go while the battle goes on; a free seat keeps nobody waiting. `lasting_actions`: those
    whose form may be sent although the battle has gone on since it was opened. `panel_steps`: how many of the last
    steps `panel` gets, None for all.
    """

    title: ClassVar[str]
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
        """Return how the battle stands; `steps` are those that count, or the `panel_steps` last of them."""

    @abstractmethod
    def progress(self, battle: Battle, state: StateT) -> str:
        """Say where the battle is, such as "at round 4"."""

    async def read_state(self, battle: Battle) -> StateT:
        """Return how the battle stands."""
        return await self.states.read(battle.state_json)

    def read_events(self, events: Sequence[JsonValue]) -> tuple[EventT, ...]:
        """Return events as the system's values."""
        return tuple(map(self.system.events.read, events))

    def log_lines(self, _battle: Battle, _state: StateT, events: tuple[EventT, ...]) -> list[str]:
        """Return the log of a step's events as plain text, without anything that is hidden now."""
        return self.system.lines(events)

    async def narrate(
        self, battle: Battle, state: StateT, steps: Sequence[Entry], _caller: Caller | None
    ) -> Sequence[Sequence[str]]:
        """Return the log of each of some steps, as `log_lines`; in between, others have their turn."""
        return [self.log_lines(battle, state, self.read_events(step.events)) async for step in cooperative(steps)]

    async def files(
        self, _battle: Battle, _state: StateT, _entries: Sequence[Entry], _caller: Caller | None
    ) -> dict[str, bytes]:
        """Return the system's own files of how the battle stands, by name, without anything that is hidden now.

        `entries`: the whole journal.
        """
        return {}

    def hidden_rows(self, _battle: Battle, _state: StateT, _entries: Sequence[Entry]) -> int | None:
        """Return how many of the last rows are hidden while the battle is open; None for the whole journal."""
        return 0

    def seat_changes(self, _events: Sequence[JsonValue], _user_id: int | None) -> Sequence[SeatChange]:
        """Return who came and who left by a step of `user_id`, in order; called only where people may `drop_in`."""
        return ()

    async def ask(
        self, _interaction: Interaction, _battle: Battle, _state: StateT, _legal: LegalAction[Any], _seat: Seat
    ) -> bool:
        """Ask the player in the game's own way for what an action needs; return False to have the form opened.

        The interaction is unanswered.
        """
        return False

    async def fields(
        self, _battle: Battle, _state: StateT, _legal: LegalAction[Any], _values: Mapping[str, str], _user_id: int
    ) -> Sequence[discord.ui.Label[Any]]:
        """Return the form's fields (1 to 5) for an action that needs more, filled with what was typed so far."""
        raise RuleError("This needs a newer version of the bot.")

    async def read_form(
        self,
        _interaction: Interaction,
        _battle: Battle,
        _state: StateT,
        legal: LegalAction[Any],
        _values: Mapping[str, str],
    ) -> object:
        """Return the action that a form stands for; RuleError with all that is wrong, TextError with its place."""
        raise RuleError(f"{legal.label}: this needs a newer version of the bot.")

    def private_text(self, _battle: Battle, _state: StateT, _seats: Sequence[Seat]) -> str | None:
        """Return what only those in `seats` may see; None where nothing is hidden."""
        return None

    def panel_actions(self, battle: Battle, state: StateT) -> Sequence[LegalAction[Any]]:
        """Return the actions that get a button on the panel, in order."""
        return [legal for legal in self.legal_actions(battle, state) if set(legal.seats) - {CLOCK}]

    def extra_buttons(self, _battle: Battle, _state: StateT) -> Sequence[discord.ui.Button[Any]]:
        """Return further buttons of the panel, for closed battles, too."""
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
        """Return the action that a button of this name means, pressed by somebody with these seats.

        RuleError as `legal_action`. A button may mean another action where somebody else presses it.
        """
        return self.legal_action(battle, state, name)

    def transaction_hook(self, _battle: Battle, _state: StateT, _outcome: Outcome) -> TransactionHook | None:
        """Return what the system writes of its own in the transaction of the step that ends the battle in `state`."""
        return None

    def legal_actions(self, battle: Battle, state: StateT) -> tuple[LegalAction[Any], ...]:
        """Return what may be done now; nothing in a closed battle."""
        return self.system.legal(state) if battle.is_open else ()

    def legal_action(self, battle: Battle, state: StateT, name: str) -> LegalAction[Any]:
        """Return the action of that name; RuleError when it isn't among those of now."""
        for legal in self.legal_actions(battle, state):
            if legal.name == name:
                return legal
        raise RuleError(f"That can't be done now: #{battle.number} is {self.progress(battle, state)}.")


AnyPresenter = BattlePresenter[Any, Any]
"""A presenter whose states and events only travel through."""


class Presenters:
    """Every game's presenter by the name of its system."""

    def __init__(self) -> None:
        self._by_system: dict[str, AnyPresenter] = {}

    def add(self, presenter: AnyPresenter) -> None:
        """Let a presenter show the battles of its system; NameTakenError if another one already does."""
        if presenter.system.name in self._by_system:
            raise NameTakenError(_name(presenter.system.name))
        self._by_system[presenter.system.name] = presenter

    @property
    def names(self) -> list[str]:
        """What is taken, as a sentence has it."""
        return list(map(_name, self._by_system))

    def of(self, system: str) -> AnyPresenter:
        """Return the presenter of a system; RuleError when this version has none."""
        if system not in self._by_system:
            raise RuleError("This version of the bot doesn't know this battle's rules.")
        return self._by_system[system]

    @property
    def all(self) -> tuple[AnyPresenter, ...]:
        """Every presenter."""
        return tuple(self._by_system.values())


def _name(system: str) -> str:
    return f"a presenter of the system {system!r}"
