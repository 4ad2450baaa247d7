"""Panel of a live battle with dice: armies, dice, losses, odds, luck."""

from collections.abc import Iterator, Sequence

from bot.battles.presenter import PanelContent
from bot.games.axis_allies.render import COLOURS, ICONS, NOBODY, TIE, order_lines
from bot.games.axis_allies.render.calc import chances_line
from bot.ui.text import Picture
from sim.axis_allies.advice_reports import LuckReport
from sim.axis_allies.army import army_words
from sim.axis_allies.battle.log import TIME_UP, die_range, losses_text, sum_text, throw_faces
from sim.axis_allies.battle.values import (
    ChoiceDue,
    Ended,
    Event,
    Fired,
    Lost,
    Moment,
    Phase,
    Picked,
    RoundBegan,
    Setup,
    Shots,
    State,
    Sum,
    Tally,
    Throw,
)
from sim.axis_allies.odds_report import OddsReport, order_sentence
from sim.core.numbers import amount, quantity
from sim.core.values import Ending, Paused, Side

MAX_PANEL_ROUNDS = 3
"""Maximum rounds on a panel; the log has all."""


def battle_content(
    state: State,
    events: Sequence[Event],
    odds: OddsReport | None,
    luck: LuckReport | None,
    picture: Picture | None = None,
) -> PanelContent:
    """Return the panel's content from the public state and events, without what its picture shows."""
    lines = [*_pending_lines(state), *_army_lines(state, prices=picture is None)]
    if not state.round:
        lines += order_lines(_order_words(state.setup))
    if odds is not None:
        lines.append(f"🔮 From here: {chances_line(odds)}")
    if state.phase is Phase.OVER:
        lines += _luck_lines(state, luck)
    if picture is not None and state.phase is not Phase.OVER:
        events = _without_last_dice(events)
    return PanelContent(
        title=title(state),
        state="\n".join(lines),
        events="\n".join(event_lines(_last_rounds(events))),
        colour=_colour(state),
        picture=picture,
    )


def title(state: State) -> str:
    """Return the end of the headline."""
    if state.phase is not Phase.OVER:
        return f"round {state.round}" if state.round else "before round 1"
    rounds = f" after {quantity(state.round, 'round')}" if state.round else ""
    if state.winner is not None:
        return f"{ICONS[state.winner]} the {state.winner} wins{rounds}"
    if state.ending is Ending.MUTUAL:
        return f"{TIE} both sides fall{rounds}"
    return f"{NOBODY} {'the attacker retreated' if state.ending is Ending.RETREAT else 'stalemate'}{rounds}"


def own_army(state: State, side: Side) -> str:
    """Return the army of `side` for its player."""
    return f"{ICONS[side]} Your army: {army_words(state.army(side)) or 'nobody'}"


def _order_words(setup: Setup) -> Iterator[str]:
    for side in Side:
        order = setup.casualty_policy(side)
        if not isinstance(order, str) and len(order) > 1:
            yield f"{side.capitalize()}: {order_sentence(order)}."


def _colour(state: State) -> int:
    return COLOURS[state.winner] if state.winner is not None or state.phase is Phase.OVER else COLOURS[Side.ATTACKER]


def _pending_lines(state: State) -> Iterator[str]:
    for pending in state.pending:
        if pending.awaited:
            hits = quantity(pending.hits.total, "hit")
            yield f"⏳ The {pending.side} must take {hits}; after 24 hours, the weakest go first."
        elif pending.asked:
            yield f"✅ The {pending.side} has chosen, hidden until both have."


def _army_lines(state: State, *, prices: bool) -> Iterator[str]:
    for side in Side:
        if side in state.hidden:
            yield f"{ICONS[side]} **{side.capitalize()}** 🌫️ in the fog"
            continue
        army, start = state.army(side), state.setup.army(side)
        yield f"{ICONS[side]} **{side.capitalize()}** {army_words(army) or 'nobody left'}"
        if prices:
            lost = start.ipc - army.ipc
            yield f"-# {amount(army.ipc)} IPC" + (f", {amount(lost)} lost" if lost else "")


def _luck_lines(state: State, luck: LuckReport | None) -> Iterator[str]:
    if luck is not None:
        yield f"🍀 {ICONS[Side.ATTACKER]} {luck.attacker_word} ({luck.attacker_luck:.0f} of 100)"
        yield f"🍀 {ICONS[Side.DEFENDER]} {luck.defender_word} ({luck.defender_luck:.0f} of 100)"
    for side, tally in ((Side.ATTACKER, state.attacker_fire), (Side.DEFENDER, state.defender_fire)):
        if tally.dice:
            yield f"-# 🎲 {ICONS[side]} {_tally_text(tally)}"


def _tally_text(tally: Tally) -> str:
    return f"{quantity(tally.hits, 'hit')} with {quantity(tally.dice, 'die', 'dice')}, {tally.sixths / 6:.1f} expected"


def _without_last_dice(events: Sequence[Event]) -> Sequence[Event]:
    """Return the events without the dice of the last round."""
    last = max((at for at, event in enumerate(events) if isinstance(event, RoundBegan) and event.number > 1), default=0)
    return [event for at, event in enumerate(events) if at < last or not isinstance(event, Fired)]


def _last_rounds(events: Sequence[Event]) -> Sequence[Event]:
    starts = [at for at, event in enumerate(events) if isinstance(event, RoundBegan)]
    return events[starts[-MAX_PANEL_ROUNDS] :] if len(starts) > MAX_PANEL_ROUNDS else events


def event_lines(events: Sequence[Event]) -> Iterator[str]:
    """Yield a line for each event, without hidden units and dice."""
    for event in events:
        match event:
            case RoundBegan():
                yield f"**Round {event.number}**"
            case Fired():
                yield f"{ICONS[event.side]} {_fired_text(event)}"
            case ChoiceDue():
                yield f"{ICONS[event.side]} must take {quantity(event.hits.total, 'hit')}"
            case Picked():
                yield f"{ICONS[event.side]} {'has chosen' if event.in_time else TIME_UP}"
            case Lost():
                yield f"{ICONS[event.side]} {_lost_text(event)}"
            case Paused():
                yield f"⏸️ {quantity(event.rounds, 'round')} fought: the battle can go on."
            case Ended():
                yield "🏁 The battle is over."


def _fired_text(event: Fired) -> str:
    moments: dict[Moment | None, str] = {
        Moment.ANTIAIRCRAFT: "antiaircraft fire: ",
        Moment.BOMBARDMENT: "bombardment, who is hit does not fire: ",
        Moment.MARKED: "submarines first, who is hit still fires: ",
    }
    start = "surprise strike: " if event.surprise else moments.get(event.moment, "")
    hits = f"**{quantity(event.hits.total, 'hit') if event.hits.total else 'no hits'}**"
    dice = " · ".join([*map(_throw_text, event.throws), *map(_sum_text, event.sums)])
    return f"{start}{dice} → {hits}" if dice else f"{start}{hits}"


def _throw_text(throw: Throw) -> str:
    return f"{_who(throw)} ({die_range(throw.score)}) {throw_faces(throw)}"


def _sum_text(total: Sum) -> str:
    return f"{' + '.join(f'{_who(share)} ({share.score})' for share in total.shares)} = {sum_text(total)}"


def _who(shots: Shots) -> str:
    best = ", best of two" if isinstance(shots, Throw) and shots.best_of > 1 else ""
    return f"{shots.units}{' bombarding' if shots.bombarding else ''}{best}"


def _lost_text(event: Lost) -> str:
    if event.hidden is not None:
        return f"takes {quantity(event.hidden, 'hit')}"
    return f"loses {losses_text(event)}{', defenceless' if event.moment is Moment.DEFENCELESS else ''}"
