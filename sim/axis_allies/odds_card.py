"""The card of a battle's odds. Only workers import this."""

from collections.abc import Iterator

from sim.axis_allies.army import Army
from sim.axis_allies.odds_report import OddsReport
from sim.axis_allies.silhouettes import SILHOUETTES
from sim.core.cards import parts
from sim.core.cards.card import Card
from sim.core.cards.odds import LEAST, draw_left
from sim.core.cards.parts import LEFT, RIGHT, Count, Share
from sim.core.cards.theme import BLUE, INK, NEUTRAL, ORANGE, SOFT
from sim.core.numbers import amount
from sim.core.values import Side

COLORS = {Side.ATTACKER: ORANGE, Side.DEFENDER: BLUE}

NOTE = 22
"""Size of type of what stands beside the pictures."""

UNITS_ROOM = 350
"""Pixels for the units of one of two sides."""

_SIZES = (42, 34, 26)


def odds_card(report: OddsReport) -> bytes:
    """Return a PNG: who wins how often, both armies, and what is left of the winner."""
    card = Card(_height(report))
    before, figure, after = report.headline()
    color = {"attacker": ORANGE, "defender": BLUE}.get(report.likeliest, SOFT)
    parts.headline(card, [(before, INK), (figure, color), (after, INK)], "1941")
    percents = {name: report.percent(name) for name in report.ends}
    shares = [
        Share(report.p_attacker, ORANGE, f"Attacker {percents.get('attacker', '')}"),
        Share(report.p_tie + report.p_none, NEUTRAL, _neither(report)),
        Share(report.p_defender, BLUE, f"Defender {percents.get('defender', '')}"),
    ]
    parts.win_bar(card, 84, shares)
    card.text(LEFT, 160, " · ".join(_rest(report)), NOTE, SOFT)
    top = _armies(card, 182, report)
    if _has_winner(report):
        _histogram(card, top, report)
    return card.png()


def _height(report: OddsReport) -> int:
    return (563 if _has_winner(report) else 310) + (0 if _fit(report) else 114)


def _has_winner(report: OddsReport) -> bool:
    """Return whether anybody wins often enough for a picture of what is left."""
    return max(report.p_attacker, report.p_defender) >= LEAST


def _neither(report: OddsReport) -> str:
    """Return the label of the chances that no side wins, if there is only one of them."""
    others = [name for name in report.ends if name not in COLORS and report.ends[name] >= LEAST]
    return f"{others[0].capitalize()} {report.percent(others[0])}" if len(others) == 1 else ""


def _fit(report: OddsReport) -> bool:
    """Return whether both armies stand side by side."""
    return all(
        parts.units_width(_counts(army, _SIZES[-1])) <= UNITS_ROOM for army in (report.attacker, report.defender)
    )


def _rest(report: OddsReport) -> Iterator[str]:
    """Yield what else can happen, and how long it takes."""
    for name, chance in report.ends.items():
        if name not in COLORS and chance >= LEAST and len(report.ends) > 1:
            yield f"{name} {report.percent(name)}"
    if rounds := report.rounds_text():
        yield rounds


def _armies(card: Card, top: int, report: OddsReport) -> int:
    """Draw both armies with their prices and losses, side by side if they fit; return the lower edge."""
    together = _fit(report)
    room = UNITS_ROOM if together else RIGHT - LEFT
    notes = []
    for side in Side:
        army = report.attacker if side is Side.ATTACKER else report.defender
        odds = report.odds(side)
        notes.append(f"{odds.ipc_start:,} IPC" + (f", loses {odds.ipc_lost:,.1f}" if odds.ipc_lost > 0 else ""))
        counts = next(
            (counts for size in _SIZES if parts.units_width(counts := _counts(army, size)) <= room),
            _counts(army, _SIZES[-1]),
        )
        parts.units(card, top, counts, COLORS[side], right=together and side is Side.DEFENDER, room=room)
        top += 0 if together else 86
    top += 110 if together else 24
    card.text(LEFT, top, notes[0] if together else f"Attacker {notes[0]}", NOTE, SOFT)
    card.text(RIGHT, top, notes[1] if together else f"Defender {notes[1]}", NOTE, SOFT, align="right")
    return top + 26


def _counts(army: Army, size: int) -> list[Count]:
    return [Count(SILHOUETTES[group.unit.value], size, amount(group.count, 0)) for group in army.groups]


def _histogram(card: Card, top: int, report: OddsReport) -> None:
    """Draw the winner's units left: the defender's to the left, nobody in the middle, the attacker's to the right."""
    left, right = (
        [(bar.low, bar.high, bar.p) for bar in report.odds(side).units_of_winner]
        for side in (Side.DEFENDER, Side.ATTACKER)
    )
    middle = "0" if report.p_none < LEAST else "–"
    draw_left(card, top, left, report.p_tie + report.p_none, right, (BLUE, ORANGE), middle)
    for at, side, align in ((LEFT, Side.DEFENDER, "left"), (RIGHT, Side.ATTACKER, "right")):
        if report.outcomes_by_name[side.value] >= LEAST:
            card.text(at, card.height - 22, f"{side}'s units left", NOTE, SOFT, align=align)
