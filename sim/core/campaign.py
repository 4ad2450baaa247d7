"""What links battles to a campaign: what is left of the sides, how it heals, how the next battle is made of it.

Games tell it by an optional part of their rules, `HasCampaign`. A *muster* is the game's own value for both sides
between two battles; it round-trips through JSON exactly.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Annotated, Any, Generic, Protocol, TypeVar, runtime_checkable

from pydantic import Field

from sim.core.battle import Codec, Seat
from sim.core.dice import Dice
from sim.core.errors import RuleError
from sim.core.names import name_key
from sim.core.values import Frozen, Number

MAX_GIVEN = 10_000_000
"""The most that is given to a fighter by hand at once, or taken."""

MusterT = TypeVar("MusterT")
SetupT = TypeVar("SetupT")
StateT = TypeVar("StateT")
EventT = TypeVar("EventT")

Given = Annotated[int, Field(ge=-MAX_GIVEN, le=MAX_GIVEN)]


@dataclass(frozen=True, slots=True)
class CampaignSide:
    """A side: its name in the rules, its title, and how it is given: "a roster", "an army such as 6 tanks".

    `kind`: of the saved rosters that can be given, None if there are none. `typed`: whether text that names no saved
    roster is the side itself.
    """

    name: str
    title: str
    given: str
    kind: str | None = None
    typed: bool = False


class Veteran(Frozen):
    """A fighter between battles, or all units of a kind: what is left of the most there was, and what was learned.

    `left`: 0 or less for the fallen. `level`: 0 where the game has none.
    """

    side: str
    name: str
    left: int
    most: Annotated[int, Field(ge=1)]
    experience: int = 0
    level: Number = 0

    @property
    def fallen(self) -> bool:
        """Whether nothing is left."""
        return self.left <= 0


class Deed(Frozen):
    """What a fighter did in a battle, and what was left of it: `left` of `most`.

    `damage`: dealt, `lost`: taken; `worth`: of what it lost, in the game's money.
    """

    side: str
    name: str
    kills: Number = 0
    damage: Number = 0
    lost: Number = 0
    experience: int = 0
    worth: Number = 0


class Care(Frozen):
    """What a fighter gets by hand: hit points (or units) and experience; less than 0 takes."""

    side: str
    name: str
    healing: Given = 0
    experience: Given = 0


class CampaignRules(ABC, Generic[MusterT, SetupT, StateT, EventT]):
    """How one game's battles are linked.

    `unit`: what is healed, such as "HP". `harm`: what fighters do to each other, such as "hit". `money`: what losses
    are worth in, such as "IPC", if they are. `learns`: whether experience can be given by hand. `rest`: a sentence that
    says what healing by rule does. `undecided`: how battles ended that nobody won, where this game says it otherwise.
    `seats`: of a battle that follows no other; the opener takes the first, the others
    are free.
    """

    musters: Codec[MusterT]
    sides: tuple[CampaignSide, ...]
    seats: tuple[Seat, ...]
    unit: str = "HP"
    money: str = ""
    harm: str = "damage"
    learns: bool = True
    rest: str
    undecided: Mapping[str, str] = MappingProxyType({})

    @abstractmethod
    def enlist(self, setup: SetupT) -> MusterT:
        """Return the sides as they enter a battle that is the first one."""

    @abstractmethod
    def read(self, muster: MusterT | None, side: str, data: bytes) -> MusterT:
        """Return the muster with a side as somebody gave it; RuleError with all that is wrong with it.

        `muster`: before; None for the first side of a campaign.
        """

    @abstractmethod
    def setup(self, muster: MusterT, last: SetupT | None) -> SetupT:
        """Return the setup of the next battle; RuleError if a side is missing or can't fight.

        `last`: the last battle's, whose terms stay; None for the first one.
        """

    @abstractmethod
    def after(self, muster: MusterT, state: StateT, dice: Dice) -> MusterT:
        """Return what is left of the sides that entered a battle, as they stand in `state`, decided or not.

        `dice`: for what is learned, such as the hit points of a new level.
        """

    @abstractmethod
    def deeds(self, muster: MusterT, state: StateT, events: Iterable[EventT]) -> tuple[Deed, ...]:
        """Return what each fighter did in a battle that a muster entered and that ended in `state`."""

    @abstractmethod
    def veterans(self, muster: MusterT) -> tuple[Veteran, ...]:
        """Return the fighters, side by side."""

    @abstractmethod
    def rested(self, muster: MusterT) -> MusterT:
        """Return the sides after a rest, as `rest` says."""

    @abstractmethod
    def cared(self, muster: MusterT, care: Sequence[Care]) -> MusterT:
        """Return the sides after what was given by hand; RuleError for what can't be given."""

    def sums(self, muster: MusterT) -> str:
        """Return a sentence about both sides, such as what they have lost; "" for none."""
        del muster
        return ""

    def seating(self, muster: MusterT) -> Mapping[Seat, Seat | None] | None:
        """Return the seats of the next battle, each with the seat of the last one whose person takes it.

        None for the seat of the battle's opener; None instead of the mapping for the same seats as in the last battle.
        """
        del muster
        return None

    @abstractmethod
    def files(self, muster: MusterT) -> dict[str, bytes]:
        """Return the sides as files, by name, that can be edited and given for a next battle."""


@runtime_checkable
class HasCampaign(Protocol):
    """Implemented by rules whose battles can be linked."""

    @property
    def campaign(self) -> CampaignRules[Any, Any, Any, Any]:
        """How they are linked."""
        ...


def care_for(care: Iterable[Care], known: Iterable[tuple[str, str]]) -> dict[tuple[str, str], Care]:
    """Return the care by side and name's key; RuleError if it names nobody among `known` (side, name)."""
    keys = {(side, name_key(name)) for side, name in known}
    found = {(one.side, name_key(one.name)): one for one in care}
    for key, one in found.items():
        if key not in keys:
            raise RuleError(f"Nobody here is called {one.name}.")
    return found
