"""The live battle with dice as players see it: armies, dice, losses, the odds from here, luck."""

from collections.abc import Iterator, Sequence

from bot.battles.render import PanelContent
from bot.games.axis_allies.render.odds import chances_line
from bot.games.axis_allies.render.signs import COLOURS, ICONS, NOBODY, TIE
from bot.ui.text import counted
from sim.axis_allies.army import shown_army
from sim.axis_allies.battle import (
    Asked,
    Ended,
    Event,
    Fired,
    Lost,
    Paused,
    Phase,
    Picked,
    RoundBegan,
    State,
    Tally,
    losses_text,
    shown_faces,
)
from sim.axis_allies.battle.values import Throw
from sim.axis_allies.odds.reports import LuckReport, OddsReport
from sim.core.numbers import decimal_text
from sim.core.outcomes import Ending, Side

MOST_ROUNDS = 3
"""Rounds that a panel tells of; the log has all."""


def battle_content(
    state: State, events: Sequence[Event], odds: OddsReport | None, luck: LuckReport | None
) -> PanelContent:
    """Return what the panel shows of the state and the events that everybody may see."""
    lines = [*_waiting(state), *_armies(state)]
    if odds is not None:
        lines.append(f"🔮 From here: {chances_line(odds)}")
    if state.phase is Phase.OVER:
        lines += _luck_lines(state, luck)
    events_text = "\n".join(event_lines(_last_rounds(events)))
    return PanelContent(title=title(state), state="\n".join(lines), events=events_text, colour=_colour(state))


def title(state: State) -> str:
    """Return the end of the headline."""
    if state.phase is not Phase.OVER:
        return f"round {state.round}" if state.round else "before round 1"
    rounds = f"after {counted(state.round, 'round')}"
    if state.winner is not None:
        return f"{ICONS[state.winner]} the {state.winner} wins {rounds}"
    if state.ending is Ending.MUTUAL:
        return f"{TIE} both sides fall {rounds}"
    return f"{NOBODY} {state.ending or 'over'} {rounds}"


def own_army(state: State, side: Side) -> str:
    """Return the army of `side` for its player."""
    return f"{ICONS[side]} Your army: {shown_army(state.army(side)) or 'nobody'}"


def _colour(state: State) -> int:
    return COLOURS[state.winner] if state.winner is not None or state.phase is Phase.OVER else COLOURS[Side.ATTACKER]


def _waiting(state: State) -> Iterator[str]:
    for pending in state.pending:
        if pending.awaited:
            hits = counted(pending.hits.total, "hit")
            yield f"⏳ The {pending.side} chooses what it loses to {hits}; by score after 24 hours."
        elif pending.asked:
            yield f"✅ The {pending.side} has chosen; hidden until both have."


def _armies(state: State) -> Iterator[str]:
    for side in Side:
        if side in state.hidden:
            yield f"{ICONS[side]} **{side.capitalize()}** 🌫️ in the fog"
            continue
        army, start = state.army(side), state.setup.army(side)
        yield f"{ICONS[side]} **{side.capitalize()}** {shown_army(army) or 'nobody left'}"
        lost = start.ipc - army.ipc
        yield f"-# {decimal_text(army.ipc)} IPC" + (f", {decimal_text(lost)} lost" if lost else "")


def _luck_lines(state: State, luck: LuckReport | None) -> Iterator[str]:
    if luck is not None:
        yield f"🍀 {ICONS[Side.ATTACKER]} {luck.attacker_word} ({luck.attacker_luck:.0f} of 100)"
        yield f"🍀 {ICONS[Side.DEFENDER]} {luck.defender_word} ({luck.defender_luck:.0f} of 100)"
    for side, tally in ((Side.ATTACKER, state.attacker_fire), (Side.DEFENDER, state.defender_fire)):
        if tally.dice:
            yield f"-# 🎲 {ICONS[side]} {_tally(tally)}"


def _tally(tally: Tally) -> str:
    return f"{counted(tally.hits, 'hit')} of {counted(tally.dice, 'die', 'dice')}, {tally.sixths / 6:.1f} expected"


def _last_rounds(events: Sequence[Event]) -> Sequence[Event]:
    starts = [at for at, event in enumerate(events) if isinstance(event, RoundBegan)]
    return events[starts[-MOST_ROUNDS] :] if len(starts) > MOST_ROUNDS else events


def event_lines(events: Sequence[Event]) -> Iterator[str]:
    """Tell what happened, a line for each event; hidden units and dice are left out."""
    for event in events:
        match event:
            case RoundBegan():
                yield f"**Round {event.number}**"
            case Fired():
                yield f"{ICONS[event.side]} {_fired(event)}"
            case Asked():
                yield f"{ICONS[event.side]} has to place {counted(event.hits.total, 'hit')}"
            case Picked():
                yield f"{ICONS[event.side]} {'has chosen' if event.in_time else 'let its time go by: by score'}"
            case Lost():
                yield f"{ICONS[event.side]} {_lost(event)}"
            case Paused():
                yield f"⏸️ {counted(event.rounds, 'round was', 'rounds were')} fought; it can go on."
            case Ended():
                yield "🏁 The battle is over."


def _fired(event: Fired) -> str:
    start = "surprise: " if event.surprise else ""
    hits = f"**{counted(event.hits.total, 'hit')}**"
    throws = " · ".join(map(_throw, event.throws))
    return f"{start}{throws} → {hits}" if throws else f"{start}{hits}"


def _throw(throw: Throw) -> str:
    return f"{throw.units} (1–{throw.score}) {shown_faces(throw.faces)}"


def _lost(event: Lost) -> str:
    return f"loses {losses_text(event)}" if event.hidden is None else f"takes {counted(event.hidden, 'hit')}"
