"""Events of a game, with tiles and players named as players read them, and its log.

Events of orders and of turns that began are enough to replay every change of the map without the AIs. `log` tells them
in plain text, one line each, `short_log` in fewer.
"""

from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Annotated, Any, Literal

from pydantic import Field

from sim.core.battle import Seat, SeatEvent
from sim.core.numbers import quantity
from sim.core.values import Ending, Frozen, is_unset
from sim.mad_killer_agents.battle import Count, Number, World, seat_of
from sim.mad_killer_agents.constants import QUIET_ROUNDS, AiKind, Technology

TileName = Annotated[str, Field(min_length=2, max_length=4)]


class _PlayerEvent(Frozen):
    """Base of events that a player causes."""

    by: Number
    name: str


class Joined(_PlayerEvent, SeatEvent):
    """A person or an AI joined."""

    event: Literal["joined"] = "joined"
    ai: AiKind | None = None

    def seat_change(self) -> tuple[Seat, bool] | None:
        """Return a person's seat, taken; AIs have none."""
        return (seat_of(self.by), True) if self.ai is None else None


class Left(_PlayerEvent, SeatEvent):
    """A player left before the game began."""

    event: Literal["left"] = "left"

    def seat_change(self) -> tuple[Seat, bool]:
        """Return the seat, given up."""
        return seat_of(self.by), False


class Began(Frozen):
    """The game began with the drawn map and the first armies. `players`: numbers and names, in the order of play."""

    event: Literal["began"] = "began"
    world: World
    players: tuple[tuple[Number, str], ...]


class TurnBegan(_PlayerEvent):
    """A turn began. `made`: the units that all of the player's cities produced."""

    event: Literal["turn"] = "turn"
    round: Count
    made: Count


class Moved(_PlayerEvent):
    """Units moved, one step after another: from, to, units that set out, units lost in a forced march."""

    event: Literal["moved"] = "moved"
    ways: tuple[tuple[TileName, TileName, Count, Count], ...]


class Fought(_PlayerEvent):
    """`units` attacked from `at` to `to`.

    `defenders` include those `drafted`. `city` and `city_left`: the city's size before and after, 0 for none. `taken`:
    whether the survivors moved in.
    """

    event: Literal["fought"] = "fought"
    at: TileName
    to: TileName
    enemy: Number
    enemy_name: str
    units: Count
    defenders: Count
    attacker_loss: Count
    defender_loss: Count
    drafted: Count = 0
    city: Count = 0
    city_left: Count = 0
    taken: bool


class Founded(_PlayerEvent):
    """A city was founded. `number`: which of the founder's cities it is."""

    event: Literal["founded"] = "founded"
    at: TileName
    number: Count


class Grew(_PlayerEvent):
    """A city grew to `size`."""

    event: Literal["grew"] = "grew"
    at: TileName
    size: Count
    paid: Count


class Shaped(_PlayerEvent):
    """A tile was lowered or raised to `value`."""

    event: Literal["shaped"] = "shaped"
    at: TileName
    value: Count
    raised: bool
    paid: Count


class Discovered(_PlayerEvent):
    """A technology was discovered."""

    event: Literal["discovered"] = "discovered"
    at: TileName
    tech: Technology
    paid: Count


class Passed(_PlayerEvent):
    """An army gave up its movement points."""

    event: Literal["passed"] = "passed"
    at: TileName


class Refused(_PlayerEvent):
    """An order of a text was left out: as it was written, and why."""

    event: Literal["refused"] = "refused"
    order: str
    why: str


class Undone(_PlayerEvent):
    """The last orders of the turn were undone. `orders`: their number."""

    event: Literal["undone"] = "undone"
    orders: Count


class Played(_PlayerEvent):
    """An AI plays the turn: its own, or a person's (`instead`)."""

    event: Literal["played"] = "played"
    ai: AiKind
    instead: bool


class DeputyChanged(_PlayerEvent):
    """A person chose the `deputy` that plays when time is up, or every turn (`away`)."""

    event: Literal["kept"] = "kept"
    deputy: AiKind
    away: bool


class Replaced(_PlayerEvent):
    """An AI replaced a person for good."""

    event: Literal["replaced"] = "replaced"
    ai: AiKind


class TakenOver(_PlayerEvent, SeatEvent):
    """A person took over from an AI; `now`: the name in place of the AI's, "" if that stays."""

    agrees = False  # the AI has played, too
    event: Literal["taken-over"] = "taken-over"
    now: Annotated[str, Field(exclude_if=is_unset)] = ""

    def seat_change(self) -> tuple[Seat, bool]:
        """Return the seat, taken."""
        return seat_of(self.by), True


class Resigned(_PlayerEvent):
    """A player gave up and lost all armies and cities."""

    event: Literal["resigned"] = "resigned"


class Out(_PlayerEvent):
    """A player has nothing left."""

    event: Literal["out"] = "out"


class Paused(Frozen):
    """The AIs paused until somebody resumes them."""

    event: Literal["paused"] = "paused"
    round: Count


class Ended(Frozen):
    """The game is over. `scores`: numbers, names and points, best first. `sharing`: the winners of a shared victory."""

    event: Literal["ended"] = "ended"
    ending: Ending
    winner: Number | None
    sharing: tuple[Number, ...] = ()
    rounds: Count
    scores: tuple[tuple[Number, str, Count], ...]


DoneEvent = Moved | Fought | Founded | Grew | Shaped | Discovered | Passed
OrderEvent = DoneEvent | Refused | Undone
PlaceEvent = Joined | Left | Played | DeputyChanged | Replaced | TakenOver | Resigned | Out
Event = Annotated[PlaceEvent | Began | TurnBegan | OrderEvent | Paused | Ended, Field(discriminator="event")]


def log(events: tuple[Event, ...]) -> list[str]:
    """Return one line per event."""
    return [_LINES[type(event)](event) for event in events]


ENDINGS = {
    Ending.ANNIHILATION: "everyone else is out",
    Ending.MUTUAL: "nobody is left",
    Ending.QUIET: f"nothing happened for {QUIET_ROUNDS} rounds",
}
"""What players of a war read where other battles' words don't fit."""

_FEW = 3
"""Moves that a short log tells one by one."""


def short_log(events: tuple[Event, ...]) -> list[str]:
    """Return fewer lines: a player's moves, and attacks from one tile on another, are told together."""
    lines: list[str] = []
    for _, group in groupby(events, _together):
        same = list(group)
        first = same[0]
        if isinstance(first, Fought) and len(same) > 1:
            lines.append(_attacks([event for event in same if isinstance(event, Fought)]))
        elif isinstance(first, Moved):
            ways = tuple(way for event in same if isinstance(event, Moved) for way in event.ways)
            few = len(ways) <= _FEW
            lines.append(
                _moved(first.model_copy(update={"ways": ways})) if few else f"  {first.name} makes {len(ways):,} moves."
            )
        elif not (isinstance(first, Played) and not first.instead):
            lines += log((first,))
    return lines


def ai_name(ai: AiKind) -> str:
    """Return "Marshal, an AI,", the subject of a sentence about an AI that plays for a person."""
    return f"{ai.capitalize()}, an AI,"


def _together(event: Event) -> tuple[object, ...]:
    """Return a key that events have in common which one line tells."""
    if isinstance(event, Fought):
        return event.event, event.by, event.at, event.to, event.enemy
    return (event.event, event.by) if isinstance(event, Moved) else (id(event),)


def _attacks(fights: Sequence[Fought]) -> str:
    last = fights[-1]
    times = "twice" if len(fights) == 2 else f"{len(fights)} times"  # noqa: PLR2004 - the word for two
    line = f"  {last.name} attacks {last.to} from {last.at} {times}: "
    attackers, defenders = sum(each.attacker_loss for each in fights), sum(each.defender_loss for each in fights)
    return line + _losses(last, attackers, defenders) + _city_fate(last, fights[0].city)


def _losses(event: Fought, attackers: int, defenders: int) -> str:
    losses = ((event.name, attackers), (event.enemy_name, defenders))
    return " and ".join(f"{name} loses {lost:,}" for name, lost in losses if lost)


def _city_fate(event: Fought, before: int) -> str:
    """Return the end of the sentence: what became of the city, and whether the attacker moved in."""
    fate = ""
    if before and not event.city_left:
        fate = ", the city is destroyed"
    elif before != event.city_left:
        fate = f", the city shrinks from {before} to {event.city_left}"
    return f"{fate}; {event.name} takes {event.to}." if event.taken else f"{fate}."


def _moved(event: Moved) -> str:
    steps = (
        f"{units:,} {'force-march' if lost else 'move'} {at}-{to}{f', {lost:,} lost' if lost else ''}"
        for at, to, units, lost in event.ways
    )
    return f"  {event.name}: {'; '.join(steps)}."


def _fought(event: Fought) -> str:
    drafted = ", just drafted," if event.drafted else ""
    met = f"{event.enemy_name}'s {quantity(event.defenders, 'unit')}{drafted}"
    line = f"  {event.name} attacks {event.to} from {event.at}: {event.units:,} against {met}; "
    return line + _losses(event, event.attacker_loss, event.defender_loss) + _city_fate(event, event.city)


def _ended(event: Ended) -> str:
    names = {number: name for number, name, _ in event.scores}
    scores = ", ".join(f"{name} {points:,}" for _, name, points in event.scores)
    if event.winner is not None:
        who = f"{names[event.winner]} wins"
    elif event.sharing:
        who = f"{' and '.join(names[number] for number in event.sharing)} share the victory"
    else:
        who = "nobody wins"
    return f"After {quantity(event.rounds, 'round')} {who}: {ENDINGS.get(event.ending, event.ending)}. {scores}."


_LINES: dict[type, Callable[[Any], str]] = {
    Joined: lambda event: f"{event.name}{', an AI,' if event.ai else ''} joined.",
    Left: lambda event: f"{event.name} left.",
    Began: lambda event: (
        f"The game begins on {event.world.width} x {event.world.height} tiles, in this order: "
        f"{', '.join(name for _, name in event.players)}."
    ),
    TurnBegan: lambda event: (
        f"Round {event.round}, {event.name}" + (f": cities make {quantity(event.made, 'unit')}." if event.made else ".")
    ),
    Moved: _moved,
    Fought: _fought,
    Founded: lambda event: f"  {event.name} founds the city {event.name} {event.number} at {event.at}.",
    Grew: lambda event: (
        f"  {event.name}: the city at {event.at} grows to {event.size} for {quantity(event.paid, 'unit')}."
    ),
    Shaped: lambda event: (
        f"  {event.name} {'raises' if event.raised else 'lowers'} {event.at} to TV {event.value}"
        f" for {quantity(event.paid, 'unit')}."
    ),
    Discovered: lambda event: f"  {event.name} discovers {event.tech.capitalize()} for {quantity(event.paid, 'unit')}.",
    Passed: lambda event: f"  {event.name}: the army on {event.at} stays.",
    Refused: lambda event: f"  {event.name}: {event.order!r} wasn't done. {event.why}",
    Undone: lambda event: f"  {event.name} undoes {quantity(event.orders, 'order')}.",
    Played: lambda event: (
        f"  {ai_name(event.ai)} plays for {event.name}." if event.instead else f"  {event.name} moves."
    ),
    DeputyChanged: lambda event: (
        f"{event.name} is away; {ai_name(event.deputy)} plays."
        if event.away
        else f"{event.name} plays; {ai_name(event.deputy)} takes over when time is up."
    ),
    Replaced: lambda event: f"{ai_name(event.ai)} takes over from {event.name}.",
    TakenOver: lambda event: f"{event.now or 'A player'} takes over from {event.name}, the AI.",
    Resigned: lambda event: f"{event.name} resigns.",
    Out: lambda event: f"{event.name} is out of the game.",
    Paused: lambda event: f"Round {event.round}: the AIs take a break.",
    Ended: _ended,
}
