"""Presents the battles of one system: panels and logs; panels and commands depend on this, not on games.

`BattlePresenter` is what every game has. The other classes up to `Ranked` are what it adds when it needs them;
`mixin_of` gives the defaults for games that don't. A `Position` is one battle as it stands.
"""

from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, TypeAlias, TypeVar

import discord
from pydantic import JsonValue

from bot.battles.opponents import CHARACTERS, Character
from bot.client import Client, Interaction, Named
from bot.store.battle import Battle, Place, branch_text
from bot.store.database import cooperative, off_loop
from bot.store.transactions import SeatChange, TransactionHook
from bot.ui import Button, Picture, plain_sentence
from bot.ui.options import Fields, Typed
from sim.core import RuleError
from sim.core.battle import ANYONE, JOIN, REFEREE, AnyState, Codec, LegalAction, Outcome, RuleBook, Seat, SeatEvent
from sim.core.cards.draw import CardRequest
from sim.core.cards.people import EMBLEMS
from sim.core.cards.values import DrawnCard
from sim.core.journal import JournalRow, seat_name
from sim.core.staged_job import Job
from sim.workers.queue import Caller

StateT = TypeVar("StateT")
EventT = TypeVar("EventT")
Steps: TypeAlias = Sequence[JournalRow]
"""Steps of a battle that weren't undone, in order."""
Files: TypeAlias = Mapping[str, bytes]
"""Files by their names."""


@dataclass(frozen=True, slots=True)
class Chance:
    """What chance decides in a game: the question on the button with its icon; `each`: one decision of chance.

    `in_steps`: whether it decides anything once the battle is open.
    """

    question: str
    icon: str
    each: str | None
    in_steps: bool = True


DICE = Chance("How do I know the dice are fair?", "🎲", "roll")
DRAW = Chance("How do I know the draw is fair?", "🎲", "draw", in_steps=False)
"""No dice in the battle, but chance draws what it begins with."""
NO_CHANCE = Chance("How can I check this?", "🔎", None, in_steps=False)


_MAX_PROGRESS = 200

JOINING_CLOSED = "Joining #{0} is closed. A referee can open it again: `/battle referee number:{0}`."

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


GREY = 0x868E96


@dataclass(frozen=True, slots=True)
class PanelContent:
    """What a system shows on a panel: the end of the headline, such as "round 2", the state and the latest events.

    All text is Discord markdown. `events` that are too long lose their beginning, `state` its end. `portrait`: a small
    picture beside the headline. `seats`: what seats are called here, such as by who fights for them; None if the state
    lists them. `choice`: a list above the buttons.
    """

    title: str
    state: str
    events: str = ""
    colour: int = GREY
    picture: Picture | None = None
    portrait: Picture | None = None
    seats: Mapping[Seat, str] | None = field(default_factory=dict)
    choice: discord.ui.Select[Any] | None = None


def holder_text(place: Place) -> str:
    """Return who holds a seat; the mention pings nobody."""
    if place.is_bot:
        one = CHARACTERS.get(place.character or "")
        return "🤖 the bot" if one is None else f"{one.emoji} {one.name}, the {one.word} bot"
    if place.user_id is None:
        return "*free*"
    emblem = EMBLEMS.get(place.emblem or "")
    return f"<@{place.user_id}>" if emblem is None else f"{emblem.sign} <@{place.user_id}>"


def who_fights(battle: Battle) -> str:
    """Return who has which seat: "Ann (attacker) vs Ben (defender)"."""
    seats = [f"{holder_text(place)} ({seat_name(place.seat)})" for place in battle.places]
    return " vs ".join(seats) or "nobody has a seat"


def names_text(names: Sequence[str], most: int = 6) -> str:
    """Return the first names on one line, each of them markdown, and how many more there are."""
    text = ", ".join(names[:most])
    return text if len(names) <= most else f"{text} and {len(names) - most:,} more"


async def draw(bot: Client, job: Job[DrawnCard], name: str, caller: Caller | None) -> Picture | None:
    """Return a picture called `name`; None if the workers are too busy: its message says the same in words."""
    try:
        return Picture.of(name, await bot.simulator.once(job, caller))
    except RuleError:
        return None


class BattlePresenter(ABC, Generic[StateT, EventT]):
    """Presents the battles of one system.

    `title`: the system's name for players. `chance`: what chance decides. `panel_steps`: how many of the last steps
    `panel` gets, None for all. `buttons`: the actions that get a button on the panel, in order; None for all that a
    player may take, in the order of the rules. `colors`: an emoji of each side's color, for those that have one.

    A game adds what else it needs as further bases: the classes below, and those of `bot.battles.timetable`.
    """

    title: ClassVar[str]
    chance: ClassVar[Chance] = DICE
    panel_steps: ClassVar[int | None] = None
    buttons: ClassVar[Sequence[str] | None] = None
    colors: ClassVar[Mapping[Seat, str]] = {}
    system: RuleBook[Any, StateT, Any, EventT]

    def __init__(self, bot: Client) -> None:
        self._bot = bot
        self.states = StateReader(self.system.states)

    def chance_in(self, _state: StateT) -> Chance:
        """Return what chance decides in one battle."""
        return self.chance

    @abstractmethod
    async def panel(self, battle: Battle, state: StateT, steps: Steps, caller: Caller | None) -> PanelContent:
        """Return the panel's content; `steps`: all, or the last `panel_steps` of them."""

    def progress(self, battle: Battle, state: StateT) -> str:
        """Return the progress: by the state's `round`, such as "at round 4", unless a game says something else."""
        number = getattr(state, "round", 0)
        return "over" if not battle.is_open else f"at round {number}" if number else "before round 1"

    def fighters(self, battle: Battle, _state: StateT) -> str:
        """Return who fights whom on one line, as markdown, without hidden information."""
        return who_fights(battle)

    def log_lines(self, _battle: Battle, _state: StateT, events: tuple[EventT, ...]) -> list[str]:
        """Return the log of a step's events as plain text, without hidden information."""
        return self.system.lines(events)

    def shown_line(self, line: str) -> str:
        """Return a line of the log as a page of it shows it; the file has the whole line."""
        return line

    def extra_buttons(self, _battle: Battle, _state: StateT) -> Sequence[Button]:
        """Return more buttons for the panel, also of closed battles."""
        return ()

    async def narrate(
        self, battle: Battle, state: StateT, steps: Steps, _caller: Caller | None
    ) -> Sequence[Sequence[str]]:
        """Return the `log_lines` of each step, yielding to the event loop."""
        return [
            self.log_lines(battle, state, self.system.events.read_all(step.events)) async for step in cooperative(steps)
        ]

    async def card(
        self, job: Job[DrawnCard] | None, caller: Caller | None, battle: Battle | None = None
    ) -> Picture | None:
        """Draw a panel's card, marked if it is a branch's.

        None if there is none or the workers are too busy: the panel says the same in words.
        """
        branched = None if battle is None else branch_text(battle)
        if branched is not None and isinstance(job, CardRequest):
            job = job.model_copy(update={"mark": branched.partition(",")[0]})
        return None if job is None else await draw(self._bot, job, "card.png", caller)


MixinT = TypeVar("MixinT")


def mixin_of(presenter: object, kind: type[MixinT]) -> MixinT:
    """Return a presenter as a mixin of a kind with defaults; the defaults if its game doesn't add it."""
    return presenter if isinstance(presenter, kind) else kind()


class DropIn(ABC):
    """A game in which people come and go during the battle, so that nobody waits for a free seat.

    `joining`: the actions by which they join. `leaving`: that by which they leave before it has begun for them.
    `seat_events`: the kinds of events that change seats.
    """

    joining: ClassVar[frozenset[str]] = frozenset({JOIN.name})
    leaving: ClassVar[str]
    seat_events: ClassVar[tuple[type[SeatEvent], ...]]

    def seat_changes(self, events: Sequence[JsonValue], user_id: int | None) -> Sequence[SeatChange]:
        """Return the seat changes in a step by `user_id`, in order."""
        kinds = {kind.model_fields["event"].default: kind for kind in self.seat_events}
        named = [event for event in events if isinstance(event, dict) and event.get("event") in kinds]
        read = (kinds[each["event"]].model_validate(each) for each in named)
        changes = ((event, *found) for event in read if (found := event.seat_change()) is not None)
        return [SeatChange(seat, user_id if here else None, here, event.agrees) for event, seat, here in changes]

    @abstractmethod
    def may_unseat(self, state: AnyState, seat: Seat) -> bool:
        """Return whether somebody can still be taken out of the battle."""

    @abstractmethod
    def seat_label(self, battle: Battle, state: AnyState, seat: Seat) -> str:
        """Return a seat's name in lists: that of its fighter."""

    def is_contest(self, _state: AnyState) -> bool:
        """Return whether people fight against each other, and nobody else: only such battles can be rated."""
        return False


def free_seats(presenter: BattlePresenter[Any, Any], places: Sequence[Place]) -> list[Seat]:
    """Return the seats that people have to take before anybody can act."""
    return [] if isinstance(presenter, DropIn) else [place.seat for place in places if place.is_open]


class PlayedByBot:
    """A game that this bot can play; `bot_actions`: actions that players may press for its seats."""

    bot_actions: ClassVar[frozenset[str]] = frozenset()

    async def bot_move(self, _battle: Battle, _state: AnyState, _seat: Seat, _character: Character) -> object | None:
        """Return the action that a character takes by itself in its seat now; None for nothing."""
        return None


class HasHeroes:
    """A game whose players have fighters of their own, who are in one battle at a time."""

    async def expect_free(self, _state: AnyState, _seats: Mapping[Seat, int | None]) -> None:
        """Raise RuleError if a fighter of a battle that is to be opened, with these people in it, is in another one."""
        return


@dataclass(frozen=True, slots=True)
class Position(Generic[StateT]):
    """How a battle stands: the battle as it was read, its state, and the presenter of its game."""

    battle: Battle
    state: StateT
    presenter: BattlePresenter[StateT, Any]

    @property
    def progress(self) -> str:
        """The progress, such as "at round 4"."""
        return self.presenter.progress(self.battle, self.state)

    @property
    def label(self) -> str:
        """The game and the progress, as markdown: "Pig, at round 4"."""
        return f"{self.presenter.title}, {plain_sentence(self.progress, _MAX_PROGRESS)}"

    @property
    def fighters(self) -> str:
        """Who fights whom on one line, as markdown, without hidden information."""
        return self.presenter.fighters(self.battle, self.state)

    @property
    def legal_actions(self) -> tuple[LegalAction[Any], ...]:
        """The legal actions; none in a closed battle, and no joining where that is closed."""
        legal_actions = self.presenter.system.legal(self.state) if self.battle.is_open else ()
        if self.battle.joining_closed:
            return tuple(legal for legal in legal_actions if legal.name not in self._joining)
        return legal_actions

    @property
    def _joining(self) -> frozenset[str]:
        return self.presenter.joining if isinstance(self.presenter, DropIn) else frozenset()

    def offer(self, name: str) -> "Offer[StateT]":
        """Return the legal action of that name, in this position; RuleError if there is none."""
        for legal in self.legal_actions:
            if legal.name == name:
                return Offer(self.battle, self.state, self.presenter, legal)
        if self.battle.is_open and self.battle.joining_closed and name in self._joining:
            raise RuleError(JOINING_CLOSED.format(self.battle.number))
        raise RuleError(f"That can't be done now: #{self.battle.number} is {self.progress}.")

    def panel_actions(self) -> Sequence[LegalAction[Any]]:
        """Return the actions that get a button on the panel, in order: those that a player of this battle may take.

        A referee without a seat finds the others in `/battle referee`.
        """
        people = {place.seat for place in self.battle.places if not place.is_bot} | {ANYONE}
        if self.presenter.buttons is not None:
            outside = {REFEREE} - people
            by_name = {legal.name: legal for legal in self.legal_actions if set(legal.seats) - outside}
            return [by_name[name] for name in self.presenter.buttons if name in by_name]
        bots = {place.seat for place in self.battle.places if place.is_bot}
        bot_actions = mixin_of(self.presenter, PlayedByBot).bot_actions
        return [
            legal
            for legal in self.legal_actions
            if people & set(legal.seats) or (legal.name in bot_actions and bots & set(legal.seats))
        ]


@dataclass(frozen=True, slots=True)
class Offer(Position[StateT]):
    """A position, and a legal action in it."""

    legal: LegalAction[Any]


class HasForms:
    """A game with actions that need details.

    `lasting_actions`: actions whose form may be submitted after the battle has moved on.
    """

    lasting_actions: ClassVar[frozenset[str]] = frozenset()

    async def ask(self, _interaction: Interaction, _offer: Offer[Any], _seat: Seat) -> bool:
        """Ask the player for an action's details in the game's own way; return False to open the form instead.

        The interaction is unanswered.
        """
        return False

    async def fields(self, _offer: Offer[Any], _values: Typed, _user_id: int) -> Fields:
        """Return the fields for an action that needs details, filled with `values`."""
        raise RuleError("This needs a newer version of the bot.")

    async def read_form(self, _interaction: Interaction, offer: Offer[Any], _values: Typed) -> object:
        """Return the action of a submitted form; RuleError with all that is wrong, TextError with its place."""
        raise RuleError(f"{offer.legal.label}: this needs a newer version of the bot.")

    def answered(
        self, _interaction: Interaction, _battle_id: int, _values: Typed
    ) -> Callable[[], Awaitable[None]] | None:
        """Return what shows a submitted action where its form was opened, before the panel does; None for nothing."""
        return None


class HidesInformation:
    """A game in which a seat may not see all of a battle."""

    def hidden_rows(self, _battle: Battle, _state: AnyState, _entries: Sequence[JournalRow]) -> int | None:
        """Return how many of the last rows are hidden while the battle is open; None if all are."""
        return 0

    def private_text(self, _battle: Battle, _state: AnyState, _seats: Sequence[Seat]) -> str | None:
        """Return what only `seats` may see; None if nothing is hidden."""
        return None


class HasFiles:
    """A game with files of its own."""

    async def files(
        self, _battle: Battle, _state: AnyState, _entries: Sequence[JournalRow], _caller: Caller | None
    ) -> Files:
        """Return the system's own files by name, without hidden information.

        `entries`: the whole journal.
        """
        return {}


class Ranked:
    """A game that keeps results of its own.

    `undo_note`, `end_note`: a sentence about what an undo, or ending a battle early, costs.
    """

    undo_note: ClassVar[str] = ""
    end_note: ClassVar[str] = ""

    def transaction_hook(self, _battle: Battle, _state: AnyState, _outcome: Outcome) -> TransactionHook | None:
        """Return what else to write in the transaction of the step that ends the battle in `state`."""
        return None


def game_titles() -> dict[str, str]:
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


class Presenters(Named[AnyPresenter]):
    """All presenters by the names of their systems."""

    sort = "a presenter of the system"

    def add(self, presenter: AnyPresenter) -> None:
        """Register a presenter for its system; NameTakenError if there already is one."""
        self[presenter.system.name] = presenter

    def of(self, system: str) -> AnyPresenter:
        """Return the presenter of a system; RuleError if this version has none."""
        if system not in self:
            raise RuleError("This version of the bot doesn't know this battle's rules.")
        return self[system]

    async def position(self, battle: Battle) -> Position[Any]:
        """Return how a battle stands; RuleError if this version has no presenter of its system."""
        presenter = self.of(battle.system)
        return Position(battle, await presenter.states.read(battle.state_json), presenter)
