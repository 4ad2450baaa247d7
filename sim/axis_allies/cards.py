"""Cards of Axis & Allies: a battle's odds, and the dice of a round. Only workers import this."""

from collections.abc import Iterable, Iterator

from sim.axis_allies.army import Army
from sim.axis_allies.battle.values import Fired, Lost, RoundBegan, Throw
from sim.axis_allies.reports import OddsReport
from sim.axis_allies.silhouettes import SILHOUETTES
from sim.core.cards import parts
from sim.core.cards import text as letters
from sim.core.cards.card import Card
from sim.core.cards.odds import LEAST, draw_left
from sim.core.cards.parts import LEFT, RIGHT, Count, Share
from sim.core.cards.theme import BLUE, INK, NEUTRAL, ORANGE, SOFT
from sim.core.numbers import decimal_text
from sim.core.values import Side

COLORS = {Side.ATTACKER: ORANGE, Side.DEFENDER: BLUE}

_NOTE = 22
_UNITS_ROOM = 350
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
    card.text(LEFT, 160, " · ".join(_rest(report)), _NOTE, SOFT)
    top = _armies(card, 182, report)
    _histogram(card, top, report)
    return card.png()


def _height(report: OddsReport) -> int:
    return 563 + (0 if _fit(report) else 114)


def _fit(report: OddsReport) -> bool:
    """Return whether both armies stand side by side."""
    return all(
        parts.units_width(_counts(army, _SIZES[-1])) <= _UNITS_ROOM for army in (report.attacker, report.defender)
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
    room = _UNITS_ROOM if together else RIGHT - LEFT
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
    card.text(LEFT, top, notes[0] if together else f"Attacker {notes[0]}", _NOTE, SOFT)
    card.text(RIGHT, top, notes[1] if together else f"Defender {notes[1]}", _NOTE, SOFT, align="right")
    return top + 26


def _counts(army: Army, size: int) -> list[Count]:
    return [
        Count(SILHOUETTES[group.unit.value].mask(size), decimal_text(group.count, 0 if group.count >= 10 else 1))  # noqa: PLR2004 - room for three digits
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
            card.text(at, card.height - 22, f"{side}'s units left", _NOTE, SOFT, align=align)


def round_card(
    began: RoundBegan, events: Iterable[Fired | Lost], left: dict[Side, Army], before: float | None, now: float | None
) -> bytes:
    """Return a PNG of a round: its dice, and the armies before and after; `before`, `now`: the attacker's chance."""
    fired = [event for event in events if isinstance(event, Fired) and event.throws]
    rows = [(event.side, throw, event.surprise) for event in fired for throw in event.throws]
    side_of_die = parts.DIE if sum(len(throw.faces) for _, throw, _ in rows) <= 60 else 30  # noqa: PLR2004
    lines = [_lines(len(throw.faces), side_of_die) for _, throw, _ in rows]
    height = 84 + sum(34 + count * (side_of_die + 5) + 8 for count in lines) + 124 + (30 if now is not None else 0)
    card = Card(min(height, 1400))
    aside = "" if before is None or now is None else f"attacker's chance {100 * before:.1f}% → "
    parts.headline(card, [(f"Round {began.number}", INK)])
    top = 70
    if now is not None:
        shown = f"{100 * now:.1f}%"
        edge = RIGHT - letters.width(shown, _NOTE, bold=True)
        card.text(RIGHT, 58, shown, _NOTE, ORANGE if now >= 0.5 else BLUE, bold=True, align="right")  # noqa: PLR2004
        card.text(edge, 58, aside or "attacker's chance ", _NOTE, SOFT, align="right")
        parts.win_bar(card, 78, [Share(now, ORANGE), Share(1 - now, BLUE)], height=16)
        top = 100
    for side, throw, surprise in rows:
        card.text(LEFT, top + 24, _throw_text(throw, surprise=surprise), _NOTE, COLORS[side])
        faces = [(face, face <= throw.score) for face in throw.faces]
        top = parts.dice(card, LEFT, top + 34, faces, COLORS[side], room=RIGHT - LEFT, side=side_of_die) + 8
    for side in Side:
        start = began.attacker if side is Side.ATTACKER else began.defender
        counts = _changed(start, left[side])
        parts.units(card, card.height - 108, counts, COLORS[side], right=side is Side.DEFENDER, room=_UNITS_ROOM)
    return card.png()


def _lines(dice: int, side: int) -> int:
    step = side + max(3, side // 9)
    return -(-dice // ((RIGHT - LEFT) // step))


def _throw_text(throw: Throw, *, surprise: bool) -> str:
    hit = f"hit on {throw.score} or less" if throw.score > 1 else "hit on 1"
    verb = hit if len(throw.faces) > 1 else hit.replace("hit", "hits", 1)
    return f"{throw.units} {'strike first, ' if surprise else ''}{verb}"


def _changed(before: Army, after: Army) -> list[Count]:
    counts = []
    for group in before.groups:
        left = after.count(group.unit)
        figures = decimal_text(left) if left == group.count else f"{decimal_text(group.count)} → {decimal_text(left)}"
        counts.append(Count(SILHOUETTES[group.unit.value].mask(_SIZES[0]), figures, gone=not left))
    return counts
