"""Draws the card of a fight with hit points."""

from collections.abc import Sequence

from sim.core.cards import parts
from sim.core.cards.card import Card
from sim.core.cards.odds import COURSE, draw_course
from sim.core.cards.parts import HEALTH_ROW, LEFT, RIGHT, Share
from sim.core.cards.theme import BLUE, INK, NEUTRAL, ORANGE, SMALL, SOFT, TEXT
from sim.core.cards.values import FightCard, FightSide, HealthRow

_BAR_TOP, _BAR = 80, 34
_FOE_GAP = 16
_MORE = 34
_NOTE = 40


def draw_fight(fight: FightCard) -> Card:
    """Return the card: the chances, a big opponent, and a column for each side."""
    sides = [fight.left] if fight.right is None else [fight.left, fight.right]
    columns = _columns(fight)
    edges, width = parts.columns(len(columns))
    knows_chances = any(side.chance is not None for side in sides)
    top = _BAR_TOP + (_BAR + 12 if knows_chances else 0)
    rows_top = top + (HEALTH_ROW + _FOE_GAP if fight.foe is not None else 0)
    more = any(side.more for side in sides)
    foot = rows_top + max(map(len, columns), default=0) * HEALTH_ROW + (_MORE if more else 0)
    card = Card(foot + len(fight.notes) * _NOTE + (COURSE if fight.course else 0) + 16, fight.alt())
    parts.headline(card, [(fight.title, INK)], fight.aside)
    if knows_chances:
        parts.win_bar(card, _BAR_TOP, _shares(fight, sides), _BAR)
    if fight.foe is not None:
        parts.health(card, LEFT, top, RIGHT - LEFT, fight.foe, ORANGE)
    for edge, rows in zip(edges, columns, strict=True):
        for number, row in enumerate(rows):
            parts.health(card, edge, rows_top + number * HEALTH_ROW, width, row)
    for edge, side in zip(edges, sides, strict=False):
        if side.more:
            card.text(edge, foot - 6, f"and {side.more:,} more", SMALL, SOFT)
    for number, note in enumerate(fight.notes):
        card.name(
            LEFT, foot + number * _NOTE + 26, note, RIGHT - LEFT, TEXT, INK if number == 0 else SOFT, bold=number == 0
        )
    if fight.course:
        draw_course(card, foot + len(fight.notes) * _NOTE, fight.course, (BLUE, ORANGE))
    return card


def _columns(fight: FightCard) -> list[Sequence[HealthRow]]:
    """Return the rows of both sides, or of the one side in two columns if one would get long."""
    rows = fight.left.rows
    if fight.right is not None:
        return [rows, fight.right.rows]
    half = -(-len(rows) // 2)
    return [rows] if len(rows) <= 2 else [rows[:half], rows[half:]]  # noqa: PLR2004 - two rows fit below each other


def _shares(fight: FightCard, sides: Sequence[FightSide]) -> list[Share]:
    chances = [side.chance or 0.0 for side in sides]
    rest = Share(max(0.0, 1 - sum(chances)), NEUTRAL if len(sides) > 1 else ORANGE)
    shares = [
        Share(chance, color, f"{side.name} {fight.chance(chance)}")
        for side, chance, color in zip(sides, chances, (BLUE, ORANGE), strict=False)
    ]
    return [shares[0], rest, *shares[1:]]
