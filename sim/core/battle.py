"""The interface of the rules of battles that are played step by step, for every game.

A battle begins with a setup and advances by actions; each leads to a new state and events. States, actions and events
are values that round-trip through JSON exactly, so that a battle can be stored, replayed and verified.

What a decided battle tells about it is here, too: who came in where, for profiles and ladders.
"""

import json
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import (
    Annotated,
    Any,
    ClassVar,
    Generic,
    Literal,
    Protocol,
    TypeAlias,
    TypeVar,
    final,
    get_args,
    get_origin,
    runtime_checkable,
)

from pydantic import Field, JsonValue, TypeAdapter, ValidationError

from sim.core import RuleError
from sim.core.dice import Dice, SeededDice
from sim.core.values import Ending, Frozen, first_flaw

Seat = str
"""A role in a battle: "attacker", "defender", "referee", … One person may hold several."""

REFEREE: Seat = "referee"
"""The seat of a person who oversees a battle without fighting in it."""

CLOCK: Seat = "clock"
"""The seat that times out turns."""

ANYONE: Seat = "anyone"
"""The seat of people without one, for actions that anyone may take, such as joining."""

T = TypeVar("T")
SetupT = TypeVar("SetupT")
StateT = TypeVar("StateT")
EventT = TypeVar("EventT")
FrozenT = TypeVar("FrozenT", bound=Frozen)
ActionT = TypeVar("ActionT", bound="NamedAction")
ActionT_contra = TypeVar("ActionT_contra", contravariant=True)
StateT_contra = TypeVar("StateT_contra", contravariant=True)
EventT_contra = TypeVar("EventT_contra", contravariant=True)


class IllegalActionError(RuleError):
    """An action that the rules don't allow now, or not to this seat."""


class Outcome(Frozen):
    """Why a battle ended and who won; `winner` is None if nobody did, `rounds` is the number of rounds.

    `ending` is a shared one, or a game's own in a few words.
    """

    ending: Annotated[Ending | Annotated[str, Field(max_length=100)], Field(union_mode="left_to_right")]
    winner: Seat | None
    rounds: int

    @property
    def why(self) -> str:
        """Why it ended, in words for players."""
        return self.ending.words if isinstance(self.ending, Ending) else self.ending


@dataclass(frozen=True, slots=True)
class LegalAction(Generic[ActionT]):
    """An action that is legal now.

    `name`: short and stable, of a-z and hyphens, unique among the choices of a state; fit for a button's id. `label`:
    what to write on the button, at most 40 characters. `seats`: who may do it. `action` is None if the player
    has to give details first, such as which units are lost.
    """

    name: str
    label: str
    seats: tuple[Seat, ...]
    action: ActionT | None


@dataclass(frozen=True, slots=True)
class Step(Generic[StateT, EventT]):
    """The result of an action: the new state and the events.

    `rounds`: where an action fights several rounds, the state after each of them. Each begins with an event whose tag
    is "round". Journals don't keep them: they are only for watching.
    """

    state: StateT
    events: tuple[EventT, ...]
    rounds: tuple[StateT, ...] = ()


class StepRunner(Generic[FrozenT, EventT]):
    """Takes an action of `seat`: changes `state` by the rules, and collects `events` and `rounds` as `Step` has them.

    A game's own runner has a method for whatever an action leads to.
    """

    def __init__(self, state: FrozenT, dice: Dice, seat: Seat = REFEREE) -> None:
        self.state = state
        self.dice = dice
        self.seat = seat
        self.events: list[EventT] = []
        self.rounds: list[FrozenT] = []

    def change(self, **values: object) -> None:
        """Change fields of the state."""
        self.state = self.state.model_copy(update=values)

    def step(self) -> Step[FrozenT, EventT]:
        """Return what happened, and the state that it led to."""
        return Step(self.state, tuple(self.events), tuple(self.rounds))


class Codec(Generic[T]):
    """Converts one type of values to JSON and back without loss."""

    def __init__(self, kind: Any) -> None:  # noqa: ANN401 - a union of types is no type to a checker
        self._adapter: TypeAdapter[T] = TypeAdapter(kind)

    def write(self, value: T) -> JsonValue:
        """Return `value` as JSON data."""
        data: JsonValue = self._adapter.dump_python(value, mode="json")
        return data

    def read(self, data: JsonValue) -> T:
        """Return the value of `data`; RuleError, naming the place, if it is invalid."""
        return _valid(self._adapter.validate_python, data)

    def read_all(self, data: Iterable[JsonValue]) -> tuple[T, ...]:
        """Return the values of a list, such as a step's events; RuleError as `read`."""
        return tuple(map(self.read, data))

    def write_json(self, value: T) -> str:
        """Return `value` as JSON text; faster than canonical text."""
        return self._adapter.dump_json(value).decode()

    def read_json(self, text: str) -> T:
        """Return the value of JSON text; RuleError as `read`."""
        return _valid(self._adapter.validate_json, text)

    def read_lists(self, texts: Iterable[str]) -> list[T]:
        """Return the values of JSON texts that are a list each, such as a step's events; RuleError as `read`."""
        return [value for text in texts for value in self.read_all(json.loads(text))]


def _valid(validate: Callable[[Any], T], given: object) -> T:
    try:
        return validate(given)
    except ValidationError as error:
        raise RuleError(first_flaw(error)) from None


@runtime_checkable
class HiddenInformation(Protocol[StateT, ActionT_contra, EventT]):
    """Implemented by rules where a seat may not see all of a battle.

    A view is a value of the same type without the hidden parts: for reading, never to be stored or played on. Pass
    ANYONE for what everybody may see.
    """

    def visible_state(self, state: StateT, seat: Seat) -> StateT:
        """Return what `seat` may see of a state."""

    def visible_events(self, state: StateT, events: tuple[EventT, ...], seat: Seat) -> tuple[EventT, ...]:
        """Return what `seat` may see of earlier events while the battle stands like `state`."""

    def hidden_rows(self, state: StateT, actions: Iterable[ActionT_contra | None]) -> int | None:
        """Return how many of the journal's last rows hold something hidden now; None if its setup does.

        `actions`: those of the rows, the last one first; None for a row without one.
        """


class NamedAction(Protocol):
    """An action whose type is tagged by `do`."""

    @property
    def do(self) -> str:
        """The tag."""


class RuleBook(ABC, Generic[SetupT, StateT, ActionT, EventT]):
    """The rules of one game's battles. Pure: the same arguments always give the same answer.

    A subclass names its four types of values, `RuleBook[Setup, State, Action, Event]`, and gets their codecs from that;
    actions and events are tagged unions. Its `steps` say by an action's tag what its `runner` does, or it has a `step`
    of its own. Whether an action is legal is checked here. It sets `max_seconds`, or overrides `cost` if the seconds
    that `apply` takes depend on the state or the action. `over`: what is said of any action when the battle is.
    `not_now`, `not_yours`: by an action's tag, why nobody may take it, and why not this seat.

    A game may have more: `campaign` (`CampaignRules`) links its battles, `challenge` (`AnyRules`) is what `/weekly`
    offers, `coach` (`CoachRules`) splits results into luck and decisions; each in the module of its name.
    """

    name: str
    """The system's name in journals; it never changes."""
    rules: int
    """The version of the rules, raised when the same actions and dice lead to different events."""
    seats: tuple[Seat, ...]
    max_seconds: ClassVar[float]
    runner: ClassVar[type[StepRunner[Any, Any]]]
    steps: ClassVar[Mapping[str, Callable[[Any, Any], object]]]
    over: ClassVar[str] = "The battle is over."
    not_now: ClassVar[Mapping[str, str]] = MappingProxyType({})
    not_yours: ClassVar[Mapping[str, str]] = MappingProxyType({})
    campaign: ClassVar[Any] = None
    challenge: ClassVar[Any] = None
    coach: ClassVar[Any] = None
    setups: Codec[SetupT]
    states: Codec[StateT]
    actions: Codec[ActionT]
    events: Codec[EventT]

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        for base in cls.__dict__.get("__orig_bases__", ()):
            if get_origin(base) is RuleBook:
                for name, kind in zip(("setups", "states", "actions", "events"), get_args(base), strict=True):
                    setattr(cls, name, Codec(kind))

    @abstractmethod
    def begin(self, setup: SetupT) -> StateT:
        """Return the state before the first action; RuleError for an invalid setup."""

    @abstractmethod
    def legal(self, state: StateT) -> tuple[LegalAction[ActionT], ...]:
        """Return the legal actions; none when the battle is over."""

    @abstractmethod
    def lines(self, events: tuple[EventT, ...]) -> list[str]:
        """Return the log of `events`: plain text, one line each, without choices that are still secret.

        The log of the first events is the beginning of the log of all.
        """

    @final
    def apply(self, state: StateT, action: ActionT, seat: Seat, dice: Dice) -> Step[StateT, EventT]:
        """Apply an action of `seat`; IllegalActionError if it is not legal now, or not for that seat."""
        name = self.legal_name(action)
        offer = next((choice for choice in self.legal(state) if choice.name == name), None)
        if offer is None:
            raise IllegalActionError(self.over if self.outcome(state) is not None else self.why_not(state, action))
        if seat not in offer.seats:
            raise IllegalActionError(self.why_not_seat(state, action, offer.seats))
        return self.step(state, action, seat, dice)

    def step(self, state: StateT, action: ActionT, seat: Seat, dice: Dice) -> Step[StateT, EventT]:
        """Apply a legal action; IllegalActionError if its details are wrong."""
        runner = self.runner(state, dice, seat)
        self.steps[action.do](runner, action)
        return runner.step()

    def cost(self, state: StateT, action: ActionT) -> float:
        """Return a rough upper bound on the seconds that `apply` takes."""
        del state, action
        return self.max_seconds

    def outcome(self, state: StateT) -> Outcome | None:
        """Return why the battle ended and who won; None while it goes on.

        The state's `ending`, `winner` and `round` say it, unless a game overrides this.
        """
        after: Any = state
        if after.ending is None:
            return None
        return Outcome(ending=after.ending, winner=after.winner and str(after.winner), rounds=after.round)

    def standings(self, state: StateT) -> "tuple[Team, ...] | None":
        """Return the teams, none while nothing is decided; None where each seat fights for itself, to win."""
        del state
        return None

    def why_not(self, state: StateT, action: ActionT) -> str:
        """Return a sentence that tells players why nobody may take `action` now, though the battle goes on."""
        del state
        return self.not_now.get(action.do, "That can't be done now.")

    def why_not_seat(self, state: StateT, action: ActionT, seats: tuple[Seat, ...]) -> str:
        """Return a sentence that tells a player why only `seats` may take `action`, which is legal now."""
        del state
        others = f"Only the {' or the '.join(seat for seat in seats if seat != CLOCK)} may do that."
        return self.not_yours.get(action.do, others)

    def legal_name(self, action: ActionT) -> str:
        """Return the name of the legal action that `action` takes, or gives the details for.

        An action that is `late`, taken for somebody who is absent, has a name of its own.
        """
        return f"{action.do}-for" if getattr(action, "late", False) else action.do


AnySystem: TypeAlias = RuleBook[Any, Any, Any, Any]
"""A system with any types of values."""

AnyState: TypeAlias = Any
"""A state of any system."""


JOIN: LegalAction[Any] = LegalAction("join", "Join", (ANYONE,), None)
"""Joining, offered as long as there is a free seat; the game's own action has the details."""


class Leave(Frozen):
    """Leave: the player whose seat acts."""

    do: Literal["leave"] = "leave"


class SeatEvent(Frozen):
    """Base of the events in which somebody joins or leaves.

    `agrees`: whether who joins so agrees that the battle is rated.
    """

    agrees: ClassVar[bool] = True

    @abstractmethod
    def seat_change(self) -> tuple[Seat, bool] | None:
        """Return the seat that is taken (True) or there no more (False); None if the seats stay as they were."""


BATTLES = 100
"""Battles fought for an estimate, which is then rarely off by more than 10%."""

_MAX_COST = 0.35  # seconds that one step is said to take at most; most take a tenth of that, or less


def outlook(system: AnySystem, state: object) -> Mapping[str, float] | None:
    """Return how often each seat wins from here; None where a player would have to choose, or if it takes long.

    It always takes the same dice, so the same state has the same chances.
    """
    outcome = system.outcome(state)
    if outcome is not None:
        return {} if outcome.winner is None else {outcome.winner: 1.0}
    offer = _on(system, state)
    if offer is None or system.cost(state, offer.action) > _MAX_COST:
        return None
    ends = [_end(system, state, number) for number in range(BATTLES)]
    wins = Counter(end.winner for end in ends if end is not None and end.winner is not None)
    return None if None in ends else {seat: count / BATTLES for seat, count in sorted(wins.items())}


def _on(system: AnySystem, state: object) -> LegalAction[Any] | None:
    """Return the action that fights on to the end, as far as a step goes."""
    on = (offer for offer in system.legal(state) if offer.name in {"run-out", "run"})
    return next((offer for offer in on if offer.action is not None), None)


def _end(system: AnySystem, state: object, number: int) -> Outcome | None:
    """Return how a battle ends that is fought on; None if a player would have to choose."""
    for step in range(50):  # enough, as each may be many rounds
        offer = _on(system, state)
        if offer is None:
            break
        dice = SeededDice(b"chances from here %d" % number, step)
        state = system.apply(state, offer.action, offer.seats[0], dice).state
    return system.outcome(state)


class Team(Frozen):
    """Seats that win and lose together; teams of the same `place`, from 1, are tied.

    A team without opponents has place 1 if it won, else 2. `chance`: to win, before the first roll; None if nobody
    knows.
    """

    place: Annotated[int, Field(ge=1)]
    seats: tuple[Seat, ...]
    chance: Annotated[float, Field(gt=0, lt=1)] | None = None


def standings(rules: AnySystem, state: object, seats: Iterable[Seat]) -> tuple[Team, ...]:
    """Return the teams of a battle with these seats, none while nothing is decided.

    Rules that don't tell have no teams: the winner's seat has place 1, the others 2; all are tied if nobody won.
    """
    teams = rules.standings(state)
    if teams is not None:
        return teams
    outcome: Outcome | None = rules.outcome(state)
    if outcome is None:
        return ()
    fighters = [seat for seat in seats if seat != REFEREE]
    return tuple(Team(place=1 if outcome.winner in {None, seat} else 2, seats=(seat,)) for seat in fighters)


def with_chances(rules: AnySystem, state: object, teams: Sequence[Team]) -> tuple[Team, ...]:
    """Return the teams with their chances to win from `state`; they add up to 1, a tie being a part for each team.

    They are estimates, as of `outlook`, and nothing is sure: a team that never won is taken to win a part of one battle
    more. Where players decide how it goes, the chances stay unknown.
    """
    wins = outlook(rules, state) if len(teams) > 1 else None
    if wins is None:
        return tuple(teams)
    part = 1 / len(teams)
    tied = 1 - sum(wins.values())
    won = [BATTLES * (sum(wins.get(seat, 0) for seat in team.seats) + tied * part) for team in teams]
    chances = [(battles + part) / (BATTLES + 1) for battles in won]
    return tuple(team.model_copy(update={"chance": chance}) for team, chance in zip(teams, chances, strict=True))
