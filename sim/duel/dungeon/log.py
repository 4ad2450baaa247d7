"""The log of a dungeon: its events in words."""

from collections.abc import Iterable

from sim.core.outcomes import Ending
from sim.duel.battle.log import HOPELESS, Teller
from sim.duel.battle.values import Cast, Passed, Paused, RoundBegan, Struck
from sim.duel.dungeon.values import Cleared, Ended, Entered, Event, Joined, Morale, Parted, Rested, Score
from sim.duel.monsters import BY_NAME, counted


def log(events: Iterable[Event]) -> list[str]:
    """Return the tale of `events`, which begin with their cast, line by line."""
    teller = Teller()
    figures: list[str] = []
    lines: list[str] = []
    for event in events:
        if isinstance(event, Cast):
            figures = [figure.name for figure in event.figures]
        if isinstance(event, Cast | RoundBegan | Passed | Struck):
            lines += teller.lines(event)
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
            here = counted(BY_NAME[event.kind], event.count)
            lines = [f"Room {event.room} of {event.rooms}", event.text, f"{here[0].upper()}{here[1:]}!", ""]
        case Morale():
            lines = ["", _tested(event)]
        case Parted():
            lines = ["", HOPELESS]
        case Cleared():
            lines = ["", f"Room {event.room} is won: {event.total} experience, {event.each} for everybody standing."]
        case Paused():
            lines = ["", f"{event.rounds} rounds were fought, and the fight goes on."]
        case Ended():
            lines = _ended(event)
        case _:
            raise AssertionError("the teller has told everything else")
    return lines


def _tested(event: Morale) -> str:
    monster = BY_NAME[event.kind]
    test = f"2d6 for morale show {event.roll}"
    if not event.fled:
        return f"{test}, and {event.morale} is enough: the {monster.plural} fight on."
    who = f"the {monster.name} flees" if event.fled == 1 else f"the {monster.plural} flee"
    return f"{test}, more than {event.morale}: {who}!"


def _ended(event: Ended) -> list[str]:
    won = f"{event.rooms or 'no'} {'room' if event.rooms == 1 else 'rooms'} won"
    if event.ending is Ending.RETREAT:
        first = f"The heroes go home with {won}."
    elif any(score.alive for score in event.scores):
        first = f"That was the last one, and the dungeon is empty: {won}!"
    else:
        first = f"Nobody is left to go on: {won}."
    return ["", first, *map(_score, event.scores)]


def _score(score: Score) -> str:
    return f"{score.name}: {score.experience} experience{'' if score.alive else ', dead'}."
