"""A battle of rosters that lives in a channel, as its panel shows it."""

from collections.abc import Iterator, Sequence

from bot.battles.render import PanelContent
from bot.games.marked_for_death.render.signs import BOTH_GONE, COLOURS, FALLEN, ICONS, UNDECIDED
from bot.ui.text import counted, plain
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

MOST_NAMED = 12
"""Fighters of a side that a panel names; the log has all."""

MOST_ROUNDS = 3
"""Rounds that a panel tells of."""


def battle_shown(state: State, events: Sequence[Event]) -> PanelContent:
    """Return what the panel shows; `events`: those of the last rounds."""
    lines = [line for camp in Camp for line in _side(state, camp)]
    events_text = "\n".join(event_lines(events))
    colour = COLOURS[state.winner] if state.ending is not None else COLOURS[Camp.HEROES]
    return PanelContent(title=title(state), state="\n".join(lines), events=events_text, colour=colour)


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


def some(names: Sequence[str], most: int = MOST_NAMED) -> str:
    """Return at most `most` of the names, which are markdown, and how many more there are."""
    text = " · ".join(names[:most])
    return text if len(names) <= most else f"{text} … and {len(names) - most:,} more"


def _side(state: State, camp: Camp) -> Iterator[str]:
    force = state.force(camp)
    survivors = [f"{plain(combatant.fighter.name)} ({combatant.hp})" for combatant in force if combatant.stands]
    down = [plain(combatant.fighter.name) for combatant in force if not combatant.stands]
    yield f"{ICONS[camp]} **{camp.capitalize()}**: {len(survivors)} of {len(force)} stand"
    if survivors:
        yield f"❤️ {some(survivors)}"
    if down:
        yield f"-# {FALLEN} {some(down)}"


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
                changes = some([plain(change, 200) for change in event.changes], 3)
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
    return f"{name} falls by {some([plain(killer) for killer in event.by], 4)}"
