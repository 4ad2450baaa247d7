"""The log of a dungeon."""

from collections.abc import Iterable

from sim.core.numbers import quantity
from sim.core.values import Ending
from sim.duel.battle.log import HOPELESS, Narrator
from sim.duel.dungeon.values import Cleared, Ended, Entered, Event, Joined, Morale, Parted, Rested, Score, SteppedOut
from sim.duel.monsters import MONSTERS_BY_NAME, count_text


def log(events: Iterable[Event]) -> list[str]:
    """Return the story of `events`, the cast first, line by line."""
    narrator = Narrator()
    return [line for event in events for line in _lines(narrator, event)]


def _lines(narrator: Narrator, event: Event) -> list[str]:
    match event:
        case Joined():
            lines = [f"{event.name} joins the party."]
        case SteppedOut():
            lines = [f"{event.name} steps out."]
        case Rested():
            healed = f"and heals {event.healed}: {event.hp} hit points now" if event.healed else "in full health"
            lines = [f"{narrator.figures[event.who].name} rests {healed}."]
        case Entered():
            monsters = count_text(MONSTERS_BY_NAME[event.kind], event.count)
            lines = [f"Room {event.room} of {event.rooms}", event.text, f"{monsters[0].upper()}{monsters[1:]}!", ""]
        case Morale():
            lines = ["", _morale_line(event)]
        case Parted():
            lines = ["", HOPELESS]
        case Cleared():
            lines = ["", _cleared_line(event)]
        case Ended():
            lines = _end_lines(event)
        case _:
            lines = narrator.lines(event)
    return lines


def _cleared_line(event: Cleared) -> str:
    if not event.total:
        return f"Room {event.room} won."
    share = "" if event.each == event.total else f", {event.each} for each survivor"
    return f"Room {event.room} won: {event.total} XP{share}."


def _morale_line(event: Morale) -> str:
    monster = MONSTERS_BY_NAME[event.kind]
    test = f"The {monster.plural} test their morale of {event.morale}: 2d6 show {event.roll}"
    if not event.fled:
        return f"{test}. They fight on."
    return f"{test}. {'The last one turns and runs' if event.fled == 1 else 'They turn and run'}!"


def _end_lines(event: Ended) -> list[str]:
    won = f": {quantity(event.rooms, 'room')} won" if event.rooms else ""
    if event.ending is Ending.RETREAT:
        first = f"The heroes go home{won}."
    elif any(score.alive for score in event.scores):
        first = f"The dungeon is empty{won}!"
    else:
        first = f"Nobody comes back{won}."
    return ["", first, *map(_score_line, event.scores)]


def _score_line(score: Score) -> str:
    experience = f"{score.experience:,} XP" if score.experience else ""
    fate = "" if score.alive else "dead"
    return f"{score.name}: {', '.join(filter(None, [experience, fate])) or 'no XP'}."
