"""The log of a party's fight: one plain line for each event."""

from collections.abc import Iterable

from sim.boss_fight.battle.values import (
    BossMoment,
    Ended,
    Event,
    Exchanged,
    Fell,
    Joined,
    Left,
    Moment,
    Returned,
    RoundBegan,
)
from sim.boss_fight.exact import points
from sim.boss_fight.reports import Damage
from sim.core.values import Ending, Paused

_MOMENTS = {
    Moment.ENTRY: "{name} enters.",
    Moment.HALF: "{name} is down to half its health.",
    Moment.FALL: "{name} falls.",
}


def log(events: Iterable[Event]) -> list[str]:
    """Return a line for each event; those within a round are indented by two blanks."""
    return [_line(event) for event in events]


def _line(event: Event) -> str:
    match event:
        case Joined():
            line = f"{event.name} joins with {points(event.health)} health."
        case Left():
            line = f"{event.name} leaves{' before the first exchange' if event.forgotten else ''}."
        case Returned():
            line = f"{event.name} comes back."
        case RoundBegan():
            line = f"Round {event.number}"
        case Exchanged():
            line = _exchange_line(event)
        case Fell():
            line = f"  {event.name} is down."
        case BossMoment():
            line = _MOMENTS[event.moment].format(name=event.name) + (f" {event.words}" if event.words else "")
        case Paused():
            line = f"{event.rounds} rounds played; the fight goes on."
        case Ended():
            line = _ending_line(event)
    return line


def _exchange_line(event: Exchanged) -> str:
    boss = "which falls" if event.boss_left <= 0 else f"{points(event.boss_left)} left"
    own = "none" if event.left <= 0 else points(event.left)
    line = f"  {event.name}: {damage_text(event.to_boss)} to the boss, {boss}; "
    line += f"{damage_text(event.to_player)} back, {own} of {points(event.health)} left."
    return f"{line} Score {points(event.score)}." if event.score else line


def damage_text(damage: Damage, mark: str = "") -> str:
    """Return damage, as a sum if it has both kinds: `2500 physical + 1500 magical = 4000`; `mark` encloses the sum."""
    parts = [
        f"{points(value)} {kind}"
        for kind, value in (("physical", damage.physical), ("magical", damage.magical))
        if value
    ]
    if not parts:
        return "0"
    return parts[0] if len(parts) == 1 else f"{' + '.join(parts)} = {mark}{points(damage.total)}{mark}"


def _ending_line(event: Ended) -> str:
    rounds = f"after {event.rounds} {'round' if event.rounds == 1 else 'rounds'}"
    if event.ending is Ending.STALEMATE:
        return f"Stalemate {rounds}: neither side can hit the other."
    if event.winner == "boss":
        return f"The boss wins {rounds}."
    left = f"with {event.standing} still standing" if event.standing else "and nobody is left standing"
    return f"The party wins {rounds}, {left}."
