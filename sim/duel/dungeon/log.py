"""The log of a dungeon."""

from collections.abc import Iterable

from sim.core.values import Ending
from sim.duel.battle.log import HOPELESS, Narrator
from sim.duel.battle.values import Cast, Passed, Paused, RoundBegan, Struck
from sim.duel.dungeon.values import Cleared, Ended, Entered, Event, Joined, Morale, Parted, Rested, Score
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
        case Rested():
            lines = [f"{figures[event.who]} rests: {event.healed} healed, {event.hp} hit points now."]
        case Entered():
            monsters = count_text(MONSTERS_BY_NAME[event.kind], event.count)
            lines = [f"Room {event.room} of {event.rooms}", event.text, f"{monsters[0].upper()}{monsters[1:]}!", ""]
        case Morale():
            lines = ["", _morale_line(event)]
        case Parted():
            lines = ["", HOPELESS]
        case Cleared():
            lines = ["", f"Room {event.room} is won: {event.total} experience, {event.each} for everybody standing."]
        case Paused():
            lines = ["", f"{event.rounds} rounds were fought, and the fight goes on."]
        case Ended():
            lines = _end_lines(event)
        case _:
            raise AssertionError("the narrator handles all other events")
    return lines


def _morale_line(event: Morale) -> str:
    monster = MONSTERS_BY_NAME[event.kind]
    test = f"2d6 for morale show {event.roll}"
    if not event.fled:
        return f"{test}, and {event.morale} is enough: the {monster.plural} fight on."
    who = f"the {monster.name} flees" if event.fled == 1 else f"the {monster.plural} flee"
    return f"{test}, more than {event.morale}: {who}!"


def _end_lines(event: Ended) -> list[str]:
    won = f"{event.rooms or 'no'} {'room' if event.rooms == 1 else 'rooms'} won"
    if event.ending is Ending.RETREAT:
        first = f"The heroes go home with {won}."
    elif any(score.alive for score in event.scores):
        first = f"That was the last one, and the dungeon is empty: {won}!"
    else:
        first = f"Nobody is left to go on: {won}."
    return ["", first, *map(_score_line, event.scores)]


def _score_line(score: Score) -> str:
    return f"{score.name}: {score.experience} experience{'' if score.alive else ', dead'}."
