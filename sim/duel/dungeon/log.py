"""The log of a dungeon."""

from collections.abc import Iterable

from sim.core.values import Ending, Paused
from sim.duel.battle.log import HOPELESS, Narrator
from sim.duel.battle.values import Cast, Passed, RoundBegan, Struck
from sim.duel.dungeon.values import Cleared, Ended, Entered, Event, Joined, Morale, Parted, Rested, Score, SteppedOut
from sim.duel.monsters import MONSTERS_BY_NAME, count_text


def log(events: Iterable[Event]) -> list[str]:
    """Return the story of `events`, the cast first, line by line."""
    narrator = Narrator()
    figures: list[str] = []
    lines: list[str] = []
    for event in events:
        if isinstance(event, Cast):
            figures = [figure.name for figure in event.figures]
        if isinstance(event, Cast | RoundBegan | Passed | Struck):
            lines += narrator.lines(event)
        else:
            lines += _lines(event, figures)
    return lines


def _lines(event: Event, figures: list[str]) -> list[str]:
    match event:
        case Joined():
            lines = [f"{event.name} joins the party."]
        case SteppedOut():
            lines = [f"{event.name} steps out."]
        case Rested():
            healed = f"and heals {event.healed}: {event.hp} hit points now" if event.healed else "in full health"
            lines = [f"{figures[event.who]} rests {healed}."]
        case Entered():
            monsters = count_text(MONSTERS_BY_NAME[event.kind], event.count)
            lines = [f"Room {event.room} of {event.rooms}", event.text, f"{monsters[0].upper()}{monsters[1:]}!", ""]
        case Morale():
            lines = ["", _morale_line(event)]
        case Parted():
            lines = ["", HOPELESS]
        case Cleared():
            lines = ["", _cleared_line(event)]
        case Paused():
            lines = ["", f"After {event.rounds} rounds the fight goes on."]
        case Ended():
            lines = _end_lines(event)
        case _:
            raise AssertionError("the narrator handles all other events")
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
    won = f": {event.rooms} {'room' if event.rooms == 1 else 'rooms'} won" if event.rooms else ""
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
