"""The log of a game as plain text, one line per event."""

from collections.abc import Callable
from typing import Any

from sim.mad_killer_agents.battle.events import (
    Began,
    DeputyChanged,
    Discovered,
    Ended,
    Event,
    Fought,
    Founded,
    Grew,
    Joined,
    Left,
    Moved,
    Out,
    Passed,
    Paused,
    Played,
    Replaced,
    Resigned,
    Shaped,
    TurnBegan,
    Undone,
)


def log(events: tuple[Event, ...]) -> list[str]:
    """Return one line per event."""
    return [_LINES[type(event)](event) for event in events]


def _units(count: int) -> str:
    return f"{count:,} {'unit' if count == 1 else 'units'}"


def _began(event: Began) -> str:
    size = f"{event.world.width} x {event.world.height}"
    return f"The game begins on {size} tiles, in this order: {', '.join(name for _, name in event.players)}."


def _turn(event: TurnBegan) -> str:
    made = f": the cities make {_units(event.made)}" if event.made else ""
    return f"Round {event.round}, {event.name}{made}."


def _moved(event: Moved) -> str:
    steps = (
        f"{units:,} {'march' if lost else 'go'} {at}-{to}{f' and lose {lost:,}' if lost else ''}"
        for at, to, units, lost in event.ways
    )
    return f"  {event.name}: {'; '.join(steps)}."


def _fought(event: Fought) -> str:
    drafted = ", just drafted," if event.drafted else ""
    met = f"{event.enemy_name}'s {_units(event.defenders)}{drafted}"
    line = f"  {event.name} attacks {event.to} from {event.at}: {event.units:,} against {met}; "
    line += f"{event.attacker_loss:,} and {event.defender_loss:,} fall"
    if event.city and not event.city_left:
        line += ", the city is destroyed"
    elif event.city != event.city_left:
        line += f", the city falls from {event.city} to {event.city_left}"
    return f"{line}, {event.to} is taken." if event.taken else f"{line}."


def _ended(event: Ended) -> str:
    names = {number: name for number, name, _ in event.scores}
    scores = ", ".join(f"{name} {points:,}" for _, name, points in event.scores)
    if event.winner is not None:
        who = f"{names[event.winner]} wins"
    elif event.sharing:
        who = f"{' and '.join(names[number] for number in event.sharing)} share the victory"
    else:
        who = "nobody wins"
    rounds = f"{event.rounds} {'round' if event.rounds == 1 else 'rounds'}"
    return f"After {rounds} {who}: {event.ending}. {scores}."


_LINES: dict[type, Callable[[Any], str]] = {
    Joined: lambda event: f"{event.name} {f'({event.ai}) ' if event.ai else ''}sits down.",
    Left: lambda event: f"{event.name} leaves.",
    Began: _began,
    TurnBegan: _turn,
    Moved: _moved,
    Fought: _fought,
    Founded: lambda event: f"  {event.name} founds {event.name} {event.number} at {event.at}.",
    Grew: lambda event: f"  {event.name}: the city at {event.at} grows to {event.size} for {_units(event.paid)}.",
    Shaped: lambda event: (
        f"  {event.name} {'raises' if event.raised else 'lowers'} {event.at} to TV {event.value}"
        f" for {_units(event.paid)}."
    ),
    Discovered: lambda event: f"  {event.name} discovers {event.tech.capitalize()} for {_units(event.paid)}.",
    Passed: lambda event: f"  {event.name}: the army on {event.at} stays.",
    Undone: lambda event: f"  {event.name} takes {event.orders} {'order' if event.orders == 1 else 'orders'} back.",
    Played: lambda event: f"  The {event.ai} plays{f' for {event.name}' if event.instead else ''}.",
    DeputyChanged: lambda event: (
        f"{event.name} is away: the {event.deputy} plays."
        if event.away
        else f"{event.name} plays; when time is up, the {event.deputy} does."
    ),
    Replaced: lambda event: f"The {event.ai} takes over from {event.name}.",
    Resigned: lambda event: f"{event.name} resigns.",
    Out: lambda event: f"{event.name} is out of the game.",
    Paused: lambda event: f"Round {event.round}: the AIs pause.",
    Ended: _ended,
}
