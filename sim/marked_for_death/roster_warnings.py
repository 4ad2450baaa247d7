"""Warnings about a roster that is legal but odd, such as a misspelled name."""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import islice

from sim.core.names import name_key, nearest
from sim.marked_for_death.roster import Fighter, Roster, index_by_key
from sim.marked_for_death.stats import (
    MAX_TO_DEFEND,
    MAX_TO_HIT,
    MIN_TO_DEFEND,
    MIN_TO_HIT,
    Bonds,
    percent,
)

MAX_WARNINGS = 2_000
"""The most warnings listed for one roster; more are only counted."""

MAX_HINTS = 200
"""The most different unknown names for which a similar name is looked up."""


def roster_warnings(roster: Roster) -> tuple[str, ...]:
    """Return a sentence for each thing that a referee should look at again, at most `MAX_WARNINGS`.

    These are unknown names, fighters that guard or are linked to themselves, bodyguard circles, fighters who sit out,
    buffs for nobody, and chances at a cap.
    """
    found = _warnings(roster.fighters)
    listed = tuple(islice(found, MAX_WARNINGS))
    more = sum(1 for _ in found)
    return (*listed, f"There are {more:,} more warnings of this kind.") if more else listed


def _warnings(fighters: Sequence[Fighter]) -> Iterator[str]:
    bonds = Bonds.of(fighters)
    yield from _unknown_names(fighters)
    yield from _empty_buffs(fighters)
    yield from _circles(fighters, bonds.guarded)
    for at, fighter in enumerate(fighters):
        if bonds.linked[at] == at:
            yield f"{fighter.name} is linked to itself, which does nothing."
        if fighter.hp <= 0:
            yield f"{fighter.name} has {fighter.hp} HP and sits out."
    yield from _capped(fighters, bonds)


def _unknown_names(fighters: Sequence[Fighter]) -> Iterator[str]:
    known = index_by_key(fighters)
    hints: dict[str, str] = {}
    for fighter in fighters:
        meant = [("guards", fighter.bodyguard_for), ("is linked to", fighter.linked_to)]
        meant += [("has a buff for", name) for buff in fighter.buffs for name in buff.who]
        for what, name in dict.fromkeys(meant):
            key = None if name is None else name_key(name)
            if key is None or key in known:
                continue
            if key not in hints and len(hints) < MAX_HINTS:
                hints[key] = _hint(key, known, fighters)
            yield f"{fighter.name} {what} {name}, who isn't in the file.{hints.get(key, '')}"


def _hint(key: str, known: Mapping[str, int], fighters: Sequence[Fighter]) -> str:
    at = nearest(key, known)
    return "" if at is None else f" Did you mean {fighters[at].name}?"


def _empty_buffs(fighters: Sequence[Fighter]) -> Iterator[str]:
    for fighter in fighters:
        for buff in fighter.buffs:
            if not buff.who:
                yield f"{fighter.name}'s buff {buff.name or 'without a name'} is for nobody: BuffWho is blank."


def _circles(fighters: Sequence[Fighter], guarded: Sequence[int | None]) -> Iterator[str]:
    """Yield a warning for each circle of guards."""
    done: set[int] = set()
    for start in range(len(fighters)):
        path: list[int] = []
        at: int | None = start
        while at is not None and at not in done:
            done.add(at)
            path.append(at)
            at = guarded[at]
        if at is None or at not in path:
            continue
        circle = [fighters[number].name for number in path[path.index(at) :]]
        if len(circle) == 1:
            yield f"{circle[0]} is its own bodyguard, which does nothing."
        else:
            yield f"Bodyguards in a circle: {' guards '.join([*circle, circle[0]])}; only one steps in for an attack."


def _capped(fighters: Sequence[Fighter], bonds: Bonds) -> Iterator[str]:
    alive = [fighter.hp > 0 for fighter in fighters]
    for at, fighter in enumerate(fighters):
        numbers = bonds.numbers(fighters, alive, at)
        yield from _cap(f"{fighter.name}'s ToHit", numbers.raw_to_hit, MIN_TO_HIT, MAX_TO_HIT)
        yield from _cap(f"{fighter.name}'s ToDefend", numbers.raw_to_defend, MIN_TO_DEFEND, MAX_TO_DEFEND)


def _cap(what: str, raw: Decimal, least: Decimal, most: Decimal) -> Iterator[str]:
    if raw >= most:
        yield f"{what} is at its cap of {percent(most)} ({percent(raw)} before)."
    elif raw <= least:
        yield f"{what} is at its floor of {percent(least)} ({percent(raw)} before)."
