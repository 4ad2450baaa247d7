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
    Paused,
    Returned,
    RoundBegan,
)
from sim.boss_fight.exact import readable
from sim.boss_fight.reports import Damage
from sim.core.values import Ending

_MOMENTS = {
    Moment.ENTRY: "{name} enters.",
    Moment.HALF: "{name} has half its health or less.",
    Moment.FALL: "{name} falls.",
}


def log(events: Iterable[Event]) -> list[str]:
    """Return a line for each event; those within a round are indented by two blanks."""
    return [_line(event) for event in events]


def _line(event: Event) -> str:
    match event:
        case Joined():
            line = f"{event.name} joins with {event.health} health."
        case Left() | Returned():
            line = _presence_line(event)
        case RoundBegan():
            line = f"Round {event.number}"
        case Exchanged():
            line = f"  {event.name}: {damage_text(event.to_boss)} to the boss, {readable(event.boss_left)} left; "
            line += f"{damage_text(event.to_player)} back, {readable(event.left)} of {event.health} left."
            if event.score:
                line += f" Score {readable(event.score)}."
        case Fell():
            line = f"  {event.name} is down."
        case BossMoment():
            line = _MOMENTS[event.moment].format(name=event.name) + (f" {event.words}" if event.words else "")
        case Paused():
            line = f"{event.rounds} rounds were fought, and the fight goes on."
        case Ended():
            line = _ending_line(event)
    return line


def _presence_line(event: Left | Returned) -> str:
    if isinstance(event, Returned):
        return f"{event.name} comes back."
    return f"{event.name} leaves{' before the first exchange' if event.forgotten else ''}."


def damage_text(damage: Damage, mark: str = "") -> str:
    """Return damage, as a sum if it has both kinds: `2500 physical + 1500 magical = 4000`; `mark` encloses the sum."""
    parts = [
        f"{readable(value)} {kind}"
        for kind, value in (("physical", damage.physical), ("magical", damage.magical))
        if value
    ]
    if not parts:
        return "0"
    return parts[0] if len(parts) == 1 else f"{' + '.join(parts)} = {mark}{readable(damage.total)}{mark}"


def _ending_line(event: Ended) -> str:
    rounds = f"after {event.rounds} {'round' if event.rounds == 1 else 'rounds'}"
    if event.ending is Ending.STALEMATE:
        return f"Nobody can hurt anybody: a stalemate {rounds}."
    if event.winner == "boss":
        return f"The boss wins {rounds}: nobody is left to fight."
    left = f"with {event.standing} still standing" if event.standing else "though nobody is left standing"
    return f"The party wins {rounds}, {left}."
