"""A face shows the battles of one system and asks its players; panels and commands know faces, not rule systems."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import discord
from pydantic import JsonValue

from bot.battles.render import PanelContent
from bot.client import Client, Interaction
from bot.cooperative import cooperative
from bot.store.battles.battle import Battle
from bot.store.battles.seats import SeatChange
from bot.store.battles.transactions import TransactionHook
from sim.core.battle import CLOCK, AnySystem, LegalAction, Outcome, Seat
from sim.core.errors import RuleError
from sim.core.journal import Entry
from sim.workers import Caller

_STATES_KEPT = 4


@dataclass(frozen=True, slots=True)
class Seating:
    """Somebody came to a seat, or left it."""

    seat: Seat
    taken: bool = True


class BattlePresenter(ABC):
    """Shows the battles of one system.

    `title` is what players call the system. `bot_plays`: the choices that somebody may press for a seat of the bot.
    `party`: people come and go while the battle goes on; a free seat keeps nobody waiting. `lasting`: the choices whose
    form may be sent although the battle has gone on since it was opened. `clock_seconds`: for how long at least nobody
    has done anything when the clock decides. `latest`: how many of the last steps `show` looks at, None for all.
    """

    title: ClassVar[str]
    bot_plays: ClassVar[frozenset[str]] = frozenset()
    party: ClassVar[bool] = False
    lasting: ClassVar[frozenset[str]] = frozenset()
    clock_seconds: ClassVar[int] = 24 * 60 * 60
    latest: ClassVar[int | None] = None
    system: AnySystem

    def __init__(self, bot: Client) -> None:
        self._bot = bot
        self._states: dict[tuple[int, int], Any] = {}

    @abstractmethod
    async def show(self, battle: Battle, entries: Sequence[Entry], caller: Caller | None) -> PanelContent:
        """Return how the battle stands; `entries` are the steps that count, or the `latest` of them."""

    @abstractmethod
    def progress(self, battle: Battle) -> str:
        """Say where the battle is, such as "at round 4"."""

    @abstractmethod
    def lines(self, battle: Battle, entry: Entry) -> list[str]:
        """Return the log of one row as plain text, nothing in it that is hidden now."""

    async def told(self, battle: Battle, entries: Sequence[Entry], _caller: Caller | None) -> Sequence[Sequence[str]]:
        """Return the log of each of some rows, as `lines`; in between, others have their turn."""
        return [self.lines(battle, entry) async for entry in cooperative(entries)]

    async def files(self, _battle: Battle, _entries: Sequence[Entry], _caller: Caller | None) -> dict[str, bytes]:
        """Return the system's own files of how the battle stands, by name; nothing that is hidden now.

        `entries`: the whole journal.
        """
        return {}

    def withheld(self, _battle: Battle, _entries: Sequence[Entry]) -> int | None:
        """Return how many of the last rows are hidden while the battle is open; None for the whole journal."""
        return 0

    def seatings(self, _events: Sequence[JsonValue]) -> Sequence[Seating]:
        """Return who came to a seat and who left one by a step's events, in order."""
        return ()

    async def opens_at(self, _battle: Battle, _choice: LegalAction[Any]) -> int:
        """Return from when on a choice can be made, in Unix seconds; 0 for one that always can."""
        return 0

    def time_limit(self, _battle: Battle) -> int:
        """Return after how many idle seconds the clock decides in this battle, `clock_seconds` or more."""
        return self.clock_seconds

    async def due_at(self, battle: Battle) -> float | None:
        """Return when the clock decides, in Unix seconds, unless something happens before; None for never."""
        return battle.updated_at + self.time_limit(battle)

    async def after(self, _battle: Battle) -> None:  # noqa: B027  # most faces have nothing to do
        """Do what goes with a panel that was just shown, such as a message beside it; it may be asked for again."""

    async def ask(self, _interaction: Interaction, _battle: Battle, _choice: LegalAction[Any], _seat: Seat) -> bool:
        """Ask the player in the game's own way for what an action needs; return False to have the form opened.

        The interaction is unanswered.
        """
        return False

    async def fields(
        self, _battle: Battle, _choice: LegalAction[Any], _values: Mapping[str, str], _user_id: int
    ) -> Sequence[discord.ui.Label[Any]]:
        """Return the form's fields (1 to 5) for a choice that has no action, filled with what was typed so far."""
        raise RuleError("This needs a newer version of the bot.")

    async def read(
        self,
        _interaction: Interaction,
        _battle: Battle,
        choice: LegalAction[Any],
        _values: Mapping[str, str],
    ) -> object:
        """Return the action that a form stands for; RuleError with all that is wrong, TextError with its place."""
        raise RuleError(f"{choice.label}: this needs a newer version of the bot.")

    def secret(self, _battle: Battle, _seats: Sequence[Seat]) -> str | None:
        """Return what only those in `seats` may see; None where nothing is secret."""
        return None

    def offered(self, battle: Battle) -> Sequence[LegalAction[Any]]:
        """Return the choices that get a button on the panel, in order."""
        return [choice for choice in self.choices(battle) if set(choice.seats) - {CLOCK}]

    def meant(self, battle: Battle, name: str, _seats: Sequence[Seat], *, referee: bool) -> LegalAction[Any]:  # noqa: ARG002  # faces may ask
        """Return the choice that a press of this name stands for, by somebody with these seats; RuleError as `choice`.

        A button may stand for another choice where somebody else presses it.
        """
        return self.choice(battle, name)

    def buttons(self, _battle: Battle) -> Sequence[discord.ui.Button[Any]]:
        """Return further buttons of the panel, for closed battles, too."""
        return ()

    def also(self, _battle: Battle, _state: JsonValue, _outcome: Outcome | None) -> TransactionHook | None:
        """Return what is written of the system's own in the transaction of a step that leads to this state."""
        return None

    def moves(self, entry: Entry) -> list[SeatChange]:
        """Return who comes and goes by a step of the journal."""
        user_id = None if entry.actor is None else int(entry.actor)
        return [
            SeatChange(seating.seat, user_id if seating.taken else None, seating.taken)
            for seating in self.seatings(entry.events)
        ]

    def state(self, battle: Battle) -> Any:  # noqa: ANN401  # whatever the system's states are
        """Return the state as the system's value; large ones are slow to read, so the last few are kept."""
        key = battle.id, battle.version
        if key not in self._states:
            while len(self._states) >= _STATES_KEPT:
                del self._states[next(iter(self._states))]
            self._states[key] = self.system.states.read(battle.state)
        return self._states[key]

    def choices(self, battle: Battle) -> tuple[LegalAction[Any], ...]:
        """Return what may be done now; nothing in a closed battle."""
        return self.system.legal(self.state(battle)) if battle.is_open else ()

    def choice(self, battle: Battle, name: str) -> LegalAction[Any]:
        """Return the choice of that name; RuleError when it isn't among those of now."""
        for choice in self.choices(battle):
            if choice.name == name:
                return choice
        raise RuleError(f"That can't be done now: #{battle.number} is {self.progress(battle)}.")


class Presenters:
    """Every game's presenter by the name of its system."""

    def __init__(self) -> None:
        self._by_system: dict[str, BattlePresenter] = {}

    def add(self, presenter: BattlePresenter) -> None:
        """Let a presenter show the battles of its system; ValueError if another one already does."""
        if presenter.system.name in self._by_system:
            raise ValueError(f"two presenters of the system {presenter.system.name!r}")
        self._by_system[presenter.system.name] = presenter

    def of(self, system: str) -> BattlePresenter:
        """Return the presenter of a system; RuleError when this version has none."""
        if system not in self._by_system:
            raise RuleError("This version of the bot doesn't know this battle's rules.")
        return self._by_system[system]

    @property
    def all(self) -> tuple[BattlePresenter, ...]:
        """Every presenter."""
        return tuple(self._by_system.values())
