"""The log of a battle in plain text."""

from collections.abc import Iterable, Iterator, Sequence

from sim.core.values import Ending, Paused
from sim.marked_for_death.battle.values import Changed, Ended, Event, Fell, FighterHp, Fought, PulledOut, Started
from sim.marked_for_death.roster import Camp
from sim.marked_for_death.stats import FighterCard

_MAX_NAMED = 10
"""The most survivors that the last line names; it counts more."""


def log_lines(events: Iterable[Event]) -> list[str]:
    """Return the lines of `events`; those within a round are indented by two spaces."""
    return [line for event in events for line in _event_lines(event)]


def _event_lines(event: Event) -> Iterator[str]:
    match event:
        case Started():
            yield from _start(event)
        case Fought():
            yield from _round_lines(event)
        case Fell(linked_to=str(leader)):
            yield f"  {event.name} falls with {leader}"
        case Fell(by=by):
            yield f"  {joined(by)} {'takes' if len(by) == 1 else 'take'} down {event.name} ({event.hp} HP)"
        case Changed():
            yield f"The referee changes the {event.camp}:"
            yield from (f"  {change}" for change in event.changes)
        case PulledOut():
            yield f"The referee takes {event.name} out of the {event.camp}, with {event.hp} HP."
        case Paused():
            yield f"{_rounds(event.rounds)} fought, and the battle goes on."
        case Ended():
            yield ending_line(event)


def _start(event: Started) -> Iterator[str]:
    for camp, cards in ((Camp.HEROES, event.heroes), (Camp.VILLAINS, event.villains)):
        yield f"The {camp}:"
        for card in cards:
            yield f"  {card_line(card)}"


def card_line(card: FighterCard) -> str:
    """Return a fighter's line, marked if it sits out."""
    return card.line() if card.hp > 0 else f"{card.line()}, sits out"


def _round_lines(event: Fought) -> Iterator[str]:
    yield f"Round {event.number}: {_counted(len(event.heroes), 'hero', 'heroes')} against " + _counted(
        len(event.villains), "villain", "villains"
    )
    hp = {camp: [fighter[1] for fighter in event.fighters(camp)] for camp in Camp}
    for camp in Camp:
        own, other, left = event.fighters(camp), event.fighters(camp.other), hp[camp.other]
        for attacker, drawn, struck, hits, blocks in event.attacks(camp):
            target = other[drawn][0] if struck == drawn else f"{other[drawn][0]}, but {other[struck][0]} steps in"
            result = "no damage"
            if hits > blocks:
                before, left[struck] = left[struck], left[struck] - hits + blocks
                result = f"{hits - blocks} damage, HP {before} → {left[struck]}"
            yield f"  {own[attacker][0]} attacks {target}: {_count(hits, 'hit')}, {_count(blocks, 'block')}: {result}"


def ending_line(end: Ended) -> str:
    """Return the line that ends a battle: winner and survivors."""
    after = f" after {_rounds(end.rounds)}" if end.rounds else ""
    if end.winner is not None:
        return f"The {end.winner} win{after}: {_survivors(end.heroes or end.villains)}"
    if end.ending is Ending.MUTUAL:
        return f"Both sides are gone{after}: nobody wins"
    heroes, villains = (
        _counted(len(end.heroes), "hero", "heroes"),
        _counted(len(end.villains), "villain", "villains"),
    )
    return f"Undecided{after}{', the limit' if after else ''}: {heroes} and {villains} stand"


def _survivors(survivors: Sequence[FighterHp]) -> str:
    if len(survivors) > _MAX_NAMED:
        return f"{len(survivors)} stand"
    return f"{joined([f'{name} ({hp} HP)' for name, hp in survivors])} {'stands' if len(survivors) == 1 else 'stand'}"


def joined(names: Sequence[str]) -> str:
    """Return names in a sentence: "Tom", "Tom and Bo", "Tom, Bo and Zoë"."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _counted(count: int, singular: str, plural: str) -> str:
    return f"{count} {singular if count == 1 else plural}"


def _count(count: int, noun: str) -> str:
    return _counted(count, noun, f"{noun}s")


def _rounds(count: int) -> str:
    return _count(count, "round")
