"""Cards of a battle of `/mka battle`, of a war that is over, of the scores of many wars."""

from collections.abc import Iterable, Iterator, Sequence

from sim.core.cards import parts
from sim.core.cards.card import Card
from sim.core.cards.marks import Line
from sim.core.cards.parts import LEFT, RIGHT
from sim.core.cards.theme import INK, NEUTRAL, SOFT, TEXT, TROUGH
from sim.core.cards.values import FightCard, FightSide, HealthRow
from sim.core.numbers import quantity
from sim.mad_killer_agents.combat import BattleReport, Clash, Result, split_advice
from sim.mad_killer_agents.history import History
from sim.mad_killer_agents.map_theme import COLORS, line_color


def clash_card(clash: Clash, report: BattleReport) -> FightCard:
    """Return the card of a battle."""
    result = report.result
    defenders = clash.defenders + result.drafted
    rows = [_units_row("Drafted units" if result.drafted else "Defender", result.defender_left, defenders)]
    if clash.city:
        size, left = clash.city, result.city_left
        rows.append(_row("City", left, size, "destroyed", f"size {size}", f"size {size} → {left}"))
    return FightCard(
        title=verdict(result),
        left=FightSide(name="Attacker", rows=(_units_row("Attacker", result.attacker_left, clash.attackers),)),
        right=FightSide(name="Defender", rows=tuple(rows)),
        notes=tuple(_notes(clash, report, defenders)),
    )


def _row(name: str, left: int, most: int, note: str, kept: str, lost: str) -> HealthRow:
    row = HealthRow.of(name, left, most, most - left, note)
    return row if row.gone else row.model_copy(update={"figures": lost if left < most else kept})


def _units_row(name: str, left: int, most: int) -> HealthRow:
    return _row(name, left, most, "none left", f"{most:,}, no losses", f"{most:,} → {left:,}")


def _notes(clash: Clash, report: BattleReport, defenders: int) -> Iterator[str]:
    yield f"Strength {clash.attackers + clash.attack_bonus:,} against {defenders + clash.defense_bonus:,}"
    advice = split_advice(clash, report.result, report.split)
    if advice is not None:
        yield f"Better in parts: {advice.outcome}"


def verdict(result: Result) -> str:
    """Return the result of a battle in a few words."""
    if result.taken:
        return f"The attacker takes the tile, {quantity(result.attacker_left, 'unit')} left"
    if not result.attacker_left and not result.defender_left:
        return "Both sides are wiped out" + (f", the city stands with {result.city_left}" if result.city_left else "")
    if not result.attacker_left:
        return f"The attack fails, {quantity(result.defender_left, 'defender')} left"
    return f"The defenders fall, the city shrinks to {result.city_left}"


_CHART_TOP, _CHART = parts.TOP + 40, 200
_LABELS = _CHART_TOP + _CHART + 40
"""The base line of the rounds below the chart."""
_FINE = 2
"""Points of lines are that much closer than pixels."""
_AXIS = 46
_SENTENCE, _ROW = 46, 50
_NAME = 330
_FIGURE = 130


def draw_war(history: History) -> Card:
    """Return the card."""
    told = history.turning_points()
    ranked = history.ranked
    rows_top = _CHART_TOP + _CHART + _AXIS + 16 + len(told) * _SENTENCE
    card = Card(rows_top + len(ranked) * _ROW + 14, history.alt(), colors=COLORS)
    parts.headline(card, [(history.headline, INK)], quantity(history.state.round, "round"))
    _chart(card, history)
    base = _CHART_TOP + _CHART + _AXIS + 40
    for sentence in told:
        card.name(LEFT, base, sentence, RIGHT - LEFT, TEXT, SOFT, bold=False)
        base += _SENTENCE
    most = max(1, *(scores[-1] for scores in history.scores.values()))
    for at, number in enumerate(ranked):
        _player(card, history, number, rows_top + at * _ROW, most)
    return card


def draw_scores(names: Sequence[str], scores: Sequence[Sequence[float]], alt: str) -> Card:
    """Return the card of scores by round, such as the means of many games.

    `scores`: for each round, the score of each name, in the order of the players' colors.
    """
    rows_top = _CHART_TOP + _CHART + _AXIS + 20
    rows = -(-len(names) // 2)
    card = Card(rows_top + rows * _ROW + 14, alt, colors=COLORS)
    parts.headline(card, [("Points after each round", INK)], quantity(len(scores), "round"))
    _lines(card, [(number, [row[number - 1] for row in scores]) for number in range(len(names), 0, -1)])
    _axis(card, "round 1", len(scores))
    for at, name in enumerate(names):
        left = LEFT + (RIGHT - LEFT) // 2 * (at // rows)
        top = rows_top + at % rows * _ROW
        end = _name(card, left, top, at + 1, name, INK)
        card.text(end + 12, top + 36, f"{scores[-1][at]:,.0f}", TEXT, SOFT)
    return card


def _chart(card: Card, history: History) -> None:
    """Draw the scores by round as lines, and where the winner took the lead."""
    last = max(1, *(len(scores) - 1 for scores in history.scores.values()))
    since = history.ahead_since()
    if since is not None and since <= 1:
        since = None
    _lines(card, [(number, history.scores[number]) for number in reversed(history.ranked)], since)
    _axis(card, "start", history.state.round)
    if since is not None:
        x = LEFT + round(since / last * (RIGHT - LEFT))
        if LEFT + 180 < x < RIGHT - 230:
            card.text(x, _LABELS, f"round {since}", TEXT, INK, align="center")


def _axis(card: Card, start: str, rounds: int) -> None:
    card.text(LEFT, _LABELS, start, TEXT, SOFT)
    card.text(RIGHT, _LABELS, f"round {rounds}", TEXT, SOFT, align="right")


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
    card.text(LEFT, _CHART_TOP - 8, f"{most:,.0f} points", TEXT, SOFT)


def _player(card: Card, history: History, number: int, top: int, most: int) -> None:
    """Draw a player's name and final score as a bar."""
    points = history.scores[number][-1]
    ink = NEUTRAL if history.state.is_out(number) else INK
    _name(card, LEFT, top, number, history.state.player(number).name, ink)
    card.text(RIGHT, top + 36, f"{points:,}", TEXT, ink, bold=True, align="right")
    room = RIGHT - LEFT - _NAME - _FIGURE
    left = LEFT + _NAME
    card.box((left, top + 8, left + room, top + 40), TROUGH, 6)
    card.box(
        (left, top + 8, left + max(8, round(room * points / most)) if points else left, top + 40), line_color(number), 6
    )


def _name(card: Card, left: int, top: int, number: int, name: str, ink: str) -> int:
    """Write a player's name beside the color of the player's line; return where it ends."""
    card.box((left, top + 14, left + 20, top + 34), line_color(number), 5)
    return left + 30 + card.name(left + 30, top + 36, name, _NAME - 50, TEXT, ink)
