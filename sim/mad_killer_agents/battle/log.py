"""The log of a game as plain text, one line per event."""

from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Any

from sim.core.values import Ending
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
from sim.mad_killer_agents.constants import QUIET_ROUNDS


def log(events: tuple[Event, ...]) -> list[str]:
    """Return one line per event."""
    return [_LINES[type(event)](event) for event in events]


ENDINGS = {
    Ending.ANNIHILATION: "everybody else is out",
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


def _together(event: Event) -> tuple[object, ...]:
    """Return a key that events have in common which one line tells."""
    if isinstance(event, Fought):
        return event.event, event.by, event.at, event.to, event.enemy
    return (event.event, event.by) if isinstance(event, Moved) else (id(event),)


def _attacks(fights: Sequence[Fought]) -> str:
    last = fights[-1]
    times = "twice" if len(fights) == 2 else f"{len(fights)} times"  # noqa: PLR2004 - the word for two
    line = f"  {last.name} attacks {last.to} from {last.at} {times}: "
    attackers, defenders = (
        sum(losses) for losses in zip(*((f.attacker_loss, f.defender_loss) for f in fights), strict=True)
    )
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


def _units(count: int) -> str:
    return f"{count:,} {'unit' if count == 1 else 'units'}"


def _began(event: Began) -> str:
    size = f"{event.world.width} x {event.world.height}"
    return f"The game begins on {size} tiles, in this order: {', '.join(name for _, name in event.players)}."


def _turn(event: TurnBegan) -> str:
    made = f": cities make {_units(event.made)}" if event.made else ""
    return f"Round {event.round}, {event.name}{made}."


def _moved(event: Moved) -> str:
    steps = (
        f"{units:,} {'force-march' if lost else 'move'} {at}-{to}{f', {lost:,} lost' if lost else ''}"
        for at, to, units, lost in event.ways
    )
    return f"  {event.name}: {'; '.join(steps)}."


def _fought(event: Fought) -> str:
    drafted = ", just drafted," if event.drafted else ""
    met = f"{event.enemy_name}'s {_units(event.defenders)}{drafted}"
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
    rounds = f"{event.rounds} {'round' if event.rounds == 1 else 'rounds'}"
    return f"After {rounds} {who}: {ENDINGS.get(event.ending, event.ending)}. {scores}."


_LINES: dict[type, Callable[[Any], str]] = {
    Joined: lambda event: f"{event.name} {f'({event.ai}) ' if event.ai else ''}joined.",
    Left: lambda event: f"{event.name} left.",
    Began: _began,
    TurnBegan: _turn,
    Moved: _moved,
    Fought: _fought,
    Founded: lambda event: f"  {event.name} founds the city {event.name} {event.number} at {event.at}.",
    Grew: lambda event: f"  {event.name}: the city at {event.at} grows to {event.size} for {_units(event.paid)}.",
    Shaped: lambda event: (
        f"  {event.name} {'raises' if event.raised else 'lowers'} {event.at} to TV {event.value}"
        f" for {_units(event.paid)}."
    ),
    Discovered: lambda event: f"  {event.name} discovers {event.tech.capitalize()} for {_units(event.paid)}.",
    Passed: lambda event: f"  {event.name}: the army on {event.at} stays.",
    Undone: lambda event: f"  {event.name} undoes {event.orders} {'order' if event.orders == 1 else 'orders'}.",
    Played: lambda event: f"  The {event.ai} plays{f' for {event.name}' if event.instead else ''}.",
    DeputyChanged: lambda event: (
        f"{event.name} is away; the {event.deputy} plays."
        if event.away
        else f"{event.name} plays; the {event.deputy} takes over when time is up."
    ),
    Replaced: lambda event: f"The {event.ai} takes over from {event.name}.",
    Resigned: lambda event: f"{event.name} resigns.",
    Out: lambda event: f"{event.name} is out of the game.",
    Paused: lambda event: f"Round {event.round}: the AIs take a break.",
    Ended: _ended,
}
