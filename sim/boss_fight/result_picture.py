"""Draws the card of a finished fight."""

from sim.boss_fight.icon import ICON
from sim.boss_fight.result_card import DamageRow, ResultCard
from sim.core.cards import parts
from sim.core.cards.card import Card
from sim.core.cards.parts import HEALTH_ROW, LEFT, RIGHT
from sim.core.cards.theme import BLUE, INK, NEUTRAL, ORANGE, SMALL, SOFT, TEXT, TROUGH

_TOP = 84
_ICON = 56
_MORE = 34


def draw_result(result: ResultCard) -> Card:
    """Return the card of a finished fight."""
    color = NEUTRAL if result.won is None else BLUE if result.won else ORANGE
    foot = _TOP + len(result.rows) * HEALTH_ROW + (_MORE if result.more else 0) + 12
    card = Card(foot + _ICON + 16, result.alt())
    parts.headline(card, [(result.title, color)], result.aside)
    for at, row in enumerate(result.rows):
        _draw_damage(card, _TOP + at * HEALTH_ROW, row)
    if result.more:
        card.text(LEFT, foot - 14, f"and {result.more} more", SMALL, SOFT)
    card.silhouette(LEFT, foot, ICON, _ICON, NEUTRAL if result.won else ORANGE)
    beside = LEFT + _ICON + 16
    card.name(beside, foot + 38, result.note, RIGHT - beside, TEXT, SOFT, bold=False)
    return card


def _draw_damage(card: Card, top: int, row: DamageRow) -> None:
    """Draw a name, its damage and the bar below, as long as its share."""
    ink = NEUTRAL if row.fallen else INK
    taken = card.text(RIGHT, top + 24, f"{row.figures} · down" if row.fallen else row.figures, TEXT, ink, align="right")
    card.name(LEFT, top + 24, row.name, RIGHT - LEFT - taken - 14, TEXT, ink, instead=row.instead)
    card.segments((LEFT, top + 32, RIGHT, top + 54), [(row.share, BLUE), (1 - row.share, TROUGH)])
