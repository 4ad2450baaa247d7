"""What a presenter adds when its game needs it; `mixin_of` gives the defaults for games that don't."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeAlias, TypeVar

import discord
from pydantic import JsonValue

from bot.client import Interaction
from bot.store.battles.battle import Battle
from bot.store.battles.transactions import SeatChange, TransactionHook
from sim.core.battle import LegalAction, Outcome, Seat, StateT
from sim.core.errors import RuleError
from sim.core.journal import Entry
from sim.core.lobby import SeatEvent
from sim.workers import Caller

MixinT = TypeVar("MixinT")


def mixin_of(presenter: object, kind: type[MixinT]) -> MixinT:
    """Return a presenter as a mixin of a kind with defaults; the defaults if its game doesn't add it."""
    return presenter if isinstance(presenter, kind) else kind()


class DropIn(ABC, Generic[StateT]):
    """A game in which people come and go during the battle, so that nobody waits for a free seat.

    They join by the action "join". `leaving`: the action by which they leave before it has begun for them.
    `seat_events`: the kinds of events that change seats.
    """

    leaving: ClassVar[str]
    seat_events: ClassVar[tuple[type[SeatEvent], ...]]

    def seat_changes(self, events: Sequence[JsonValue], user_id: int | None) -> Sequence[SeatChange]:
        """Return the seat changes in a step by `user_id`, in order."""
        kinds = {kind.model_fields["event"].default: kind for kind in self.seat_events}
        named = [event for event in events if isinstance(event, dict) and event.get("event") in kinds]
        changes = (kinds[event["event"]].model_validate(event).seat_change() for event in named)
        return [SeatChange(seat, user_id if here else None, here) for seat, here in filter(None, changes)]

    @abstractmethod
    def may_unseat(self, state: StateT, seat: Seat) -> bool:
        """Return whether somebody can still be taken out of the battle."""

    @abstractmethod
    def seat_label(self, battle: Battle, state: StateT, seat: Seat) -> str:
        """Return a seat's name in lists: that of its fighter."""

    def is_contest(self, _state: StateT) -> bool:
        """Return whether people fight against each other, and nobody else: only such battles can be rated."""
        return False


class PlayedByBot:
    """A game that this bot can play; `bot_actions`: actions that players may press for its seats."""

    bot_actions: ClassVar[frozenset[str]] = frozenset()


@dataclass(frozen=True, slots=True)
class Offer(Generic[StateT]):
    """A legal action of a battle, and the battle as it stands."""

    battle: Battle
    state: StateT
    legal: LegalAction[Any]


Fields: TypeAlias = Sequence[discord.ui.Label[Any]]
"""The fields of a form, 1 to 5."""


class HasForms(Generic[StateT]):
    """A game with actions that need details.

    `lasting_actions`: actions whose form may be submitted after the battle has moved on.
    """

    lasting_actions: ClassVar[frozenset[str]] = frozenset()

    async def ask(self, _interaction: Interaction, _offer: Offer[StateT], _seat: Seat) -> bool:
        """Ask the player for an action's details in the game's own way; return False to open the form instead.

        The interaction is unanswered.
        """
        return False

    async def fields(self, _offer: Offer[StateT], _values: Mapping[str, str], _user_id: int) -> Fields:
        """Return the fields for an action that needs details, filled with `values`."""
        raise RuleError("This needs a newer version of the bot.")

    async def read_form(self, _interaction: Interaction, offer: Offer[StateT], _values: Mapping[str, str]) -> object:
        """Return the action of a submitted form; RuleError with all that is wrong, TextError with its place."""
        raise RuleError(f"{offer.legal.label}: this needs a newer version of the bot.")


class HidesInformation(Generic[StateT]):
    """A game in which a seat may not see all of a battle."""

    def hidden_rows(self, _battle: Battle, _state: StateT, _entries: Sequence[Entry]) -> int | None:
        """Return how many of the last rows are hidden while the battle is open; None if all are."""
        return 0

    def private_text(self, _battle: Battle, _state: StateT, _seats: Sequence[Seat]) -> str | None:
        """Return what only `seats` may see; None if nothing is hidden."""
        return None


class HasFiles(Generic[StateT]):
    """A game with files of its own."""

    async def files(
        self, _battle: Battle, _state: StateT, _entries: Sequence[Entry], _caller: Caller | None
    ) -> dict[str, bytes]:
        """Return the system's own files by name, without hidden information.

        `entries`: the whole journal.
        """
        return {}


@dataclass(frozen=True, slots=True)
class Rematch:
    """A battle to open after another one: its setup, every seat with who takes it, and the seats of the bot."""

    setup: Any
    seats: Mapping[Seat, int | None]
    bots: Collection[Seat] = ()


class HasRematches(Generic[StateT]):
    """A game whose rematches aren't just the same setup again; `sides`: the two seats that may be swapped in one."""

    sides: ClassVar[tuple[Seat, ...]] = ()

    def rematch(self, again: Rematch, _battle: Battle, _state: StateT, *, swap: bool) -> Rematch:  # noqa: ARG002  # for a game whose setup changes with the sides
        """Return the battle that a rematch opens.

        `again`: the same setup, and the same people in their seats, or with `swap` in those of the other side; where
        players come and go, nobody. RuleError if there can be none.
        """
        return again


class Ranked(Generic[StateT]):
    """A game that keeps results of its own.

    `undo_note`, `end_note`: a sentence about what an undo, or ending a battle early, costs.
    """

    undo_note: ClassVar[str] = ""
    end_note: ClassVar[str] = ""

    def transaction_hook(self, _battle: Battle, _state: StateT, _outcome: Outcome) -> TransactionHook | None:
        """Return what else to write in the transaction of the step that ends the battle in `state`."""
        return None
