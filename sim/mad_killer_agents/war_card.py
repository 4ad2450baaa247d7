"""Draws the card of a war that is over: who won, the scores by round, what decided it."""

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


def _chart(card: Card, history: History) -> None:
    """Draw the scores by round as lines, and where the winner took the lead."""
    width, high = (RIGHT - LEFT) * _FINE, _CHART * _FINE
    last = max(1, *(len(scores) - 1 for scores in history.scores.values()))
    most = max(1, *(max(scores) for scores in history.scores.values()))
    lines: list[Line] = [(((0, high - 2), (width, high - 2)), TROUGH, 4)]
    since = history.ahead_since()
    if since is not None and since > 1:
        x = round(since / last * width)
        lines += [(((x, y), (x, y + 12)), NEUTRAL, 4) for y in range(24 * _FINE, high, 24)]
    for number in reversed(history.ranked):
        scores = history.scores[number]
        points = tuple(
            (round(at / last * (width - 8)) + 4, round((1 - value / most) * (high - 20)) + 8)
            for at, value in enumerate(scores)
        )
        lines.append((points, line_color(number), 4 * _FINE))
    card.lines((LEFT, _CHART_TOP, RIGHT, _CHART_TOP + _CHART), lines, _FINE)
    base = _CHART_TOP + _CHART + 24
    card.text(LEFT, base, "start", SMALL, SOFT)
    card.text(RIGHT, base, f"round {history.state.round}", SMALL, SOFT, align="right")
    if since is not None and since > 1:
        x = LEFT + round(since / last * (RIGHT - LEFT))
        if LEFT + 130 < x < RIGHT - 180:
            card.text(x, base, f"round {since}", SMALL, INK, align="center")
    card.text(LEFT + 6, _CHART_TOP + 14, f"{most:,} points", SMALL, SOFT)


def _row(card: Card, history: History, number: int, top: int, most: int) -> None:
    """Draw a player's name and final score as a bar."""
    points = history.scores[number][-1]
    out = history.state.world is not None and any(
        agent.out for agent in history.state.world.agents if agent.number == number
    )
    ink = NEUTRAL if out else INK
    card.box((LEFT, top + 9, LEFT + 18, top + 27), line_color(number), 5)
    card.name(LEFT + 30, top + 26, history.state.player(number).name, _NAME - 50, TEXT, ink)
    card.text(RIGHT, top + 26, f"{points:,}", TEXT, ink, bold=True, align="right")
    room = RIGHT - LEFT - _NAME - _FIGURE
    left = LEFT + _NAME
    card.box((left, top + 6, left + room, top + 30), TROUGH, 6)
    card.box(
        (left, top + 6, left + max(8, round(room * points / most)) if points else left, top + 30), line_color(number), 6
    )
