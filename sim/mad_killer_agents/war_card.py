"""Draws the cards of wars that are over: of one who won, the scores by round, what decided it; of many the scores."""

from collections.abc import Iterable, Sequence

from sim.core.cards import parts
from sim.core.cards.card import Card
from sim.core.cards.marks import Line
from sim.core.cards.parts import LEFT, RIGHT
from sim.core.cards.theme import INK, NEUTRAL, SMALL, SOFT, TEXT, TROUGH
from sim.mad_killer_agents.history import History
from sim.mad_killer_agents.looks import COLORS, line_color

_CHART_TOP, _CHART = 84, 200
_FINE = 2
"""Points of lines are that much closer than pixels."""
_AXIS = 30
_SENTENCE, _ROW = 32, 40
_NAME = 300
_FIGURE = 110


def draw_war(history: History) -> Card:
    """Return the card."""
    told = history.turning_points()
    ranked = history.ranked
    rows_top = _CHART_TOP + _CHART + _AXIS + 16 + len(told) * _SENTENCE
    card = Card(rows_top + len(ranked) * _ROW + 14, history.alt(), colors=COLORS)
    parts.headline(card, [(history.headline, INK)], _rounds(history.state.round))
    _chart(card, history)
    base = _CHART_TOP + _CHART + _AXIS + 34
    for sentence in told:
        card.name(LEFT, base, sentence, RIGHT - LEFT, 22, SOFT, bold=False)
        base += _SENTENCE
    most = max(1, *(scores[-1] for scores in history.scores.values()))
    for at, number in enumerate(ranked):
        _row(card, history, number, rows_top + at * _ROW, most)
    return card


def _rounds(count: int) -> str:
    return f"{count} {'round' if count == 1 else 'rounds'}"


def draw_scores(names: Sequence[str], scores: Sequence[Sequence[float]], alt: str) -> Card:
    """Return the card of scores by round, such as the means of many games.

    `scores`: for each round, the score of each name, in the order of the players' colors.
    """
    rows_top = _CHART_TOP + _CHART + _AXIS + 20
    rows = -(-len(names) // 2)
    card = Card(rows_top + rows * _ROW + 14, alt, colors=COLORS)
    parts.headline(card, [("Points after each round", INK)], _rounds(len(scores)))
    _lines(card, [(number, [row[number - 1] for row in scores]) for number in range(len(names), 0, -1)])
    base = _CHART_TOP + _CHART + 24
    card.text(LEFT, base, "round 1", SMALL, SOFT)
    card.text(RIGHT, base, f"round {len(scores)}", SMALL, SOFT, align="right")
    for at, name in enumerate(names):
        left = LEFT + (RIGHT - LEFT) // 2 * (at // rows)
        top = rows_top + at % rows * _ROW
        card.box((left, top + 9, left + 18, top + 27), line_color(at + 1), 5)
        end = left + 30 + card.name(left + 30, top + 26, name, _NAME - 50, TEXT, INK)
        card.text(end + 12, top + 26, f"{scores[-1][at]:,.0f}", TEXT, SOFT)
    return card


def _chart(card: Card, history: History) -> None:
    """Draw the scores by round as lines, and where the winner took the lead."""
    last = max(1, *(len(scores) - 1 for scores in history.scores.values()))
    since = history.ahead_since()
    if since is not None and since <= 1:
        since = None
    _lines(card, [(number, history.scores[number]) for number in reversed(history.ranked)], since)
    base = _CHART_TOP + _CHART + 24
    card.text(LEFT, base, "start", SMALL, SOFT)
    card.text(RIGHT, base, f"round {history.state.round}", SMALL, SOFT, align="right")
    if since is not None:
        x = LEFT + round(since / last * (RIGHT - LEFT))
        if LEFT + 130 < x < RIGHT - 180:
            card.text(x, base, f"round {since}", SMALL, INK, align="center")


def _lines(card: Card, courses: Iterable[tuple[int, Sequence[float]]], since: int | None = None) -> None:
    """Draw each player's scores, (number, scores), the last one on top, and a mark at the round `since`."""
    courses = list(courses)
    width, high = (RIGHT - LEFT) * _FINE, _CHART * _FINE
    last = max(1, *(len(scores) - 1 for _, scores in courses))
    most = max(1, *(max(scores) for _, scores in courses))
    lines: list[Line] = [(((0, high - 2), (width, high - 2)), TROUGH, 4)]
    if since is not None:
        x = round(since / last * width)
        lines += [(((x, y), (x, y + 12)), NEUTRAL, 4) for y in range(24 * _FINE, high, 24)]
    for number, scores in courses:
        points = tuple(
            (round(at / last * (width - 8)) + 4, round((1 - value / most) * (high - 20)) + 8)
            for at, value in enumerate(scores)
        )
        lines.append((points, line_color(number), 4 * _FINE))
    card.lines((LEFT, _CHART_TOP, RIGHT, _CHART_TOP + _CHART), lines, _FINE)
    card.text(LEFT + 6, _CHART_TOP + 14, f"{most:,.0f} points", SMALL, SOFT)


def _row(card: Card, history: History, number: int, top: int, most: int) -> None:
    """Draw a player's name and final score as a bar."""
    points = history.scores[number][-1]
    ink = NEUTRAL if history.state.is_out(number) else INK
    card.box((LEFT, top + 9, LEFT + 18, top + 27), line_color(number), 5)
    card.name(LEFT + 30, top + 26, history.state.player(number).name, _NAME - 50, TEXT, ink)
    card.text(RIGHT, top + 26, f"{points:,}", TEXT, ink, bold=True, align="right")
    room = RIGHT - LEFT - _NAME - _FIGURE
    left = LEFT + _NAME
    card.box((left, top + 6, left + room, top + 30), TROUGH, 6)
    card.box(
        (left, top + 6, left + max(8, round(room * points / most)) if points else left, top + 30), line_color(number), 6
    )
