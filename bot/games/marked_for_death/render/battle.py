"""A battle of rosters that lives in a channel, as its panel shows it."""

from collections.abc import Iterator, Sequence
from functools import partial

from bot.battles.render import PanelContent
from bot.games.marked_for_death.render.signs import BOTH_GONE, COLOURS, FALLEN, ICONS, UNDECIDED
from bot.ui.limits import LAYOUT_TEXT
from bot.ui.text import counted, listed, plain
from sim.core.outcomes import Ending
from sim.marked_for_death.battle import (
    Changed,
    Ended,
    Event,
    Fell,
    Fought,
    Mustered,
    Paused,
    PulledOut,
    State,
)
from sim.marked_for_death.roster import Camp

MOST_ROUNDS = 3
"""Rounds that a panel tells of."""


def battle_content(state: State, events: Sequence[Event]) -> PanelContent:
    """Return what the panel shows; `events`: those of the last rounds."""
    lines = [line for camp in Camp for line in _side(state, camp)]
    colour = COLOURS[state.winner] if state.ending is not None else COLOURS[Camp.HEROES]
    return PanelContent(title=title(state), state="\n".join(lines), events=_latest_lines(events), colour=colour)


def _latest_lines(events: Sequence[Event]) -> str:
    """Return the last lines, a few more than a panel has room for: hundreds may fall in a round."""
    lines: list[str] = []
    for event in reversed(events):
        lines = [*event_lines([event]), *lines]
        if sum(map(len, lines)) > LAYOUT_TEXT:
            break
    return "\n".join(lines)


def title(state: State) -> str:
    """Return the end of the headline."""
    if state.ending is None:
        limit = "" if state.max_rounds is None else f" of {state.max_rounds}"
        return f"round {state.round}{limit}" if state.round else "before round 1"
    return ending_title(state.ending, state.winner, state.round)


def ending_title(ending: Ending, winner: Camp | None, rounds: int) -> str:
    """Return how a battle ended, for a headline."""
    after = f"after {counted(rounds, 'round')}"
    if winner is not None:
        return f"{ICONS[winner]} the {winner} win {after}"
    if ending is Ending.MUTUAL:
        return f"{BOTH_GONE} both sides are gone {after}"
    return f"{UNDECIDED} undecided {after}"


def _side(state: State, camp: Camp) -> Iterator[str]:
    force = state.force(camp)
    survivors = [combatant for combatant in force if combatant.stands]
    down = [combatant.fighter.name for combatant in force if not combatant.stands]
    yield f"{ICONS[camp]} **{camp.capitalize()}**: {len(survivors)} of {len(force)} stand"
    if survivors:
        yield f"❤️ {listed(survivors, markdown=lambda standing: f'{plain(standing.fighter.name)} ({standing.hp})')}"
    if down:
        yield f"-# {FALLEN} {listed(down, markdown=plain)}"


def event_lines(events: Sequence[Event]) -> Iterator[str]:
    """Tell what happened in short, a line or two for each event."""
    for event in events:
        match event:
            case Mustered() | Ended():
                pass  # the headline and the sides say it
            case Fought():
                yield from _round_lines(event)
            case Fell():
                yield f"{FALLEN} {_fall(event)}"
            case Changed():
                changes = listed(event.changes, 3, markdown=partial(plain, limit=200))
                yield f"🔧 The referee changes the {event.camp}: {changes}"
            case PulledOut():
                yield f"🚪 {plain(event.name)} leaves the {event.camp}, with {event.hp} HP"
            case Paused():
                yield f"⏸️ {counted(event.rounds, 'round was', 'rounds were')} fought; it can go on."


def _round_lines(event: Fought) -> Iterator[str]:
    yield f"**Round {event.number}**"
    for camp in Camp:
        hits = sum(hits for _, _, _, hits, _ in event.attacks(camp))
        damage = sum(max(0, hits - blocks) for _, _, _, hits, blocks in event.attacks(camp))
        stepped = sum(drawn != struck for _, drawn, struck, _, _ in event.attacks(camp))
        guards = f", {counted(stepped, 'bodyguard steps', 'bodyguards step')} in" if stepped else ""
        yield f"{ICONS[camp]} {counted(hits, 'hit')}, **{damage} damage**{guards}"


def _fall(event: Fell) -> str:
    name = f"**{plain(event.name)}**"
    if event.linked_to is not None:
        return f"{name} falls, linked to {plain(event.linked_to)}"
    return f"{name} falls by {listed(event.by, 4, markdown=plain)}"
