"""Links battles to a campaign: what is left of the sides, how it heals, how the next battle is made of it.

Games tell it by an optional part of their rules, `campaign`. The *forces* are the game's own value for both sides
between two battles; they round-trip through JSON exactly.
"""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Annotated, Generic, Literal, TypeVar

from pydantic import Field

from sim.core import RuleError
from sim.core.battle import Codec, EventT, Seat, SetupT, StateT
from sim.core.dice import Dice
from sim.core.names import name_key
from sim.core.values import Frozen, Number

MAX_GIVEN = 10_000_000
"""The most that is given to a fighter by hand at once, or taken."""

ForcesT = TypeVar("ForcesT")
K = TypeVar("K")

Given = Annotated[int, Field(ge=-MAX_GIVEN, le=MAX_GIVEN)]


@dataclass(frozen=True, slots=True)
class CampaignSide:
    """A side: its name in the rules, and its title.

    `color`: on cards. `kind`: of the saved rosters that can be given, None if there are none. `typed`: whether text
    that names no saved roster is the side itself.
    """

    name: str
    title: str
    color: Literal["orange", "blue"]
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


class Adjustment(Frozen):
    """What a fighter gets by hand: hit points (or units) and experience; less than 0 takes."""

    side: str
    name: str
    healing: Given = 0
    experience: Given = 0


class CampaignRules(ABC, Generic[ForcesT, SetupT, StateT, EventT]):
    """How one game's battles are linked.

    `unit`: what is healed, such as "HP". `harm`: what fighters do to each other, such as "hit". `learns`: whether
    experience can be given by hand. `rest`: a sentence that says what healing by rule does. `undecided`: how battles
    ended that nobody won, where this game says it otherwise. `dead_stay`: whether a fallen fighter whose name is given
    again is still that one. `seats`: of a battle that follows no other, of which the opener takes the first.
    """

    forces: Codec[ForcesT]
    sides: tuple[CampaignSide, ...]
    seats: tuple[Seat, ...]
    unit: str = "HP"
    harm: str = "damage"
    learns: bool = True
    rest: str
    dead_stay: bool = False
    undecided: Mapping[str, str] = MappingProxyType({})

    @abstractmethod
    def from_setup(self, setup: SetupT) -> ForcesT:
        """Return the sides as they enter a battle that is the first one."""

    @abstractmethod
    def read(self, forces: ForcesT | None, side: str, data: bytes) -> ForcesT:
        """Return the forces with a side as somebody gave it; RuleError with all that is wrong with it.

        `forces`: before; None for the first side of a campaign.
        """

    @abstractmethod
    def setup(self, forces: ForcesT, last: SetupT | None) -> SetupT:
        """Return the setup of the next battle; RuleError if a side is missing or can't fight.

        `last`: the last battle's, whose terms stay; None for the first one.
        """

    @abstractmethod
    def after(self, forces: ForcesT, state: StateT, dice: Dice) -> ForcesT:
        """Return what is left of the sides that entered a battle, as they stand in `state`, decided or not.

        `dice`: for what is learned, such as the hit points of a new level.
        """

    @abstractmethod
    def deeds(self, forces: ForcesT, state: StateT, events: Iterable[EventT]) -> tuple[Deed, ...]:
        """Return what each fighter did in a battle that the forces entered and that ended in `state`."""

    @abstractmethod
    def veterans(self, forces: ForcesT) -> tuple[Veteran, ...]:
        """Return the fighters, side by side."""

    @abstractmethod
    def rested(self, forces: ForcesT) -> ForcesT:
        """Return the sides after a rest, as `rest` says."""

    @abstractmethod
    def adjusted(self, forces: ForcesT, adjustments: Sequence[Adjustment]) -> ForcesT:
        """Return the sides after what was given by hand; RuleError for what can't be given."""

    def seat_of(self, one: Veteran) -> Seat | None:
        """Return the seat in its last battle whose person a fighter stands for; None for one with a name of its own."""
        del one
        return None

    def summary(self, forces: ForcesT) -> str:
        """Return a sentence about both sides, such as what they have lost; "" for none."""
        del forces
        return ""

    def seating(self, forces: ForcesT) -> Mapping[Seat, Seat | None] | None:
        """Return the seats of the next battle, each with the seat of the last one whose person takes it.

        None for the seat of the battle's opener; None instead of the mapping for the same seats as in the last battle.
        """
        del forces
        return None

    @abstractmethod
    def files(self, forces: ForcesT) -> dict[str, bytes]:
        """Return the sides as files, by name, that can be edited and given for a next battle."""


def adjustments_by_name(
    adjustments: Iterable[Adjustment], known: Iterable[tuple[str, str]]
) -> dict[tuple[str, str], Adjustment]:
    """Return the adjustments by side and name's key; RuleError if one names nobody among `known` (side, name)."""
    keys = {(side, name_key(name)) for side, name in known}
    found = {(one.side, name_key(one.name)): one for one in adjustments}
    for key, one in found.items():
        if key not in keys:
            raise RuleError(f"Nobody here is called {one.name}.")
    return found


def deeds_of(fighters: Mapping[K, tuple[str, str]], blows: Iterable[tuple[K, K | None, int, int]]) -> tuple[Deed, ...]:
    """Return what each of `fighters`, known by side and name, did: `blows` by whom, on whom, damage, and kills."""
    kills, damage, lost = Counter[K](), Counter[K](), Counter[K | None]()
    for striker, target, dealt, killed in blows:
        kills[striker] += killed
        damage[striker] += dealt
        lost[target] += dealt
    return tuple(
        Deed(side=side, name=name, kills=kills[key], damage=damage[key], lost=lost[key])
        for key, (side, name) in fighters.items()
    )


class ForcesReport(Frozen):
    """The forces as canonical JSON, their fighters, and a sentence about both sides."""

    forces_json: Annotated[str, Field(repr=False)]
    veterans: tuple[Veteran, ...]
    summary: str = ""
