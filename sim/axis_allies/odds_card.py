"""The card of a battle's odds. Only workers import this."""

from collections.abc import Iterator

from sim.axis_allies.army import Army
from sim.axis_allies.reports import OddsReport
from sim.axis_allies.silhouettes import SILHOUETTES
from sim.core.cards import parts
from sim.core.cards.card import Card
from sim.core.cards.odds import LEAST, draw_left
from sim.core.cards.parts import LEFT, RIGHT, Count, Share
from sim.core.cards.theme import BLUE, INK, NEUTRAL, ORANGE, SOFT
from sim.core.numbers import decimal_text
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
    likeliest = report.likeliest
    colors = {"attacker": ORANGE, "defender": BLUE}
    subject = {"attacker": "Attacker wins ", "defender": "Defender wins ", "tie": "Both sides fall "}
    sentence = subject.get(likeliest, "Nobody wins ")
    parts.headline(
        card, [(sentence, INK), (report.percent(likeliest), colors.get(likeliest, SOFT)), (" of the time", INK)], "1941"
    )
    shares = [
        Share(report.p_attacker, ORANGE, f"Attacker {report.percent('attacker')}"),
        Share(report.p_tie + report.p_none, NEUTRAL),
        Share(report.p_defender, BLUE, f"Defender {report.percent('defender')}"),
    ]
    parts.win_bar(card, 84, shares)
    card.text(LEFT, 160, " · ".join(_rest(report)), NOTE, SOFT)
    top = _armies(card, 182, report)
    _histogram(card, top, report)
    return card.png()


def _height(report: OddsReport) -> int:
    return 563 + (0 if _fit(report) else 114)


def _fit(report: OddsReport) -> bool:
    """Return whether both armies stand side by side."""
    return all(
        parts.units_width(_counts(army, _SIZES[-1])) <= UNITS_ROOM for army in (report.attacker, report.defender)
    )


def _rest(report: OddsReport) -> Iterator[str]:
    """Yield what else can happen, and how long it takes."""
    others = {
        "tie": report.p_tie,
        "stalemate": report.p_stalemate,
        "retreat": report.p_retreat,
        "out of rounds": report.p_round_limit,
        "not taken": report.p_not_taken,
    }
    for name, chance in others.items():
        if chance >= LEAST:
            yield f"{name} {100 * chance:.1f}%"
    rounds = max(1, round(report.exp_rounds))
    yield f"about {rounds} {'round' if rounds == 1 else 'rounds'}"


def _armies(card: Card, top: int, report: OddsReport) -> int:
    """Draw both armies with their prices and losses, side by side if they fit; return the lower edge."""
    together = _fit(report)
    room = UNITS_ROOM if together else RIGHT - LEFT
    notes = []
    for side in Side:
        army = report.attacker if side is Side.ATTACKER else report.defender
        odds = report.odds(side)
        notes.append(f"{odds.ipc_start:,} IPC, loses {odds.ipc_lost:,.0f}")
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
    return [
        Count(SILHOUETTES[group.unit.value], size, decimal_text(group.count, 0 if group.count >= 10 else 1))  # noqa: PLR2004 - room for three digits
        for group in army.groups
    ]


def _histogram(card: Card, top: int, report: OddsReport) -> None:
    """Draw the winner's units left: the defender's to the left, nobody in the middle, the attacker's to the right."""
    left, right = (
        [(bar.low, bar.high, bar.p) for bar in report.odds(side).units_of_winner]
        for side in (Side.DEFENDER, Side.ATTACKER)
    )
    draw_left(card, top, left, report.p_tie + report.p_none, right, (BLUE, ORANGE))
    for at, side, align in ((LEFT, Side.DEFENDER, "left"), (RIGHT, Side.ATTACKER, "right")):
        if report.outcomes_by_name[side.value] >= LEAST:
            card.text(at, card.height - 22, f"{side}'s units left", NOTE, SOFT, align=align)
