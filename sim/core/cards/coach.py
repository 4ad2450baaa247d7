"""Draws the card of the coach: the course of V, the rolls that moved it most, the choices that cost most."""

from collections.abc import Iterator, Sequence
from itertools import chain

from typing_extensions import override

from sim.core.cards import Silhouette, line, parts
from sim.core.cards import text as letters
from sim.core.cards.card import Card
from sim.core.cards.draw import TitledCard
from sim.core.cards.parts import LEFT, LINE, RIGHT
from sim.core.cards.theme import DARK, INK, SOFT, TEXT, TILE
from sim.core.coach import NOTHING, CoachReport, CoachRow

_MAX_LINES = 10
"""Of rolls and choices together; the choices that cost least are left out where they take more."""

_COURSE, _PAD, _DISC = 220, 34, 24
_FIGURES, _GAP = 190, 14
_INDENT = {"roll": 2 * _DISC + _GAP, "choice": 0}
_AROUND = 0.1
"""Of the chance to win, seen above and below its course."""


class CoachCardRequest(TitledCard):
    """Draws a battle's report as a seat sees it; `you`: the reader had that seat."""

    report: CoachReport
    you: bool

    @override
    def _sentences(self) -> Iterator[str]:
        report = self.report
        yield f"{self.title}, {self.aside}."
        yield from report.sentences(you=self.you)
        yield f"{report.standing(report.start)} at the start, {report.standing(report.result)} at the end."
        for row in (*most("roll", report), *most("choice", report)):
            yield f"{self._words(row)}: {report.signed(row.share)}."

    @override
    def draw(self) -> Card:
        report = self.report
        rolls, choices = most("roll", report), most("choice", report)
        lists = {"The rolls that moved it most": rolls, "The choices that cost most": choices}
        rooms = {kind: RIGHT - LEFT - _FIGURES - indent for kind, indent in _INDENT.items()}
        lines = {row: len(letters.wrapped(self._words(row), TEXT, rooms[row.kind])) for row in (*rolls, *choices)}
        while len(choices) > 1 and sum(lines[row] for row in (*rolls, *choices)) > _MAX_LINES:
            choices.pop()
        card, top = self.begun(level=5)
        top = parts.paragraph(card, top + 2, " ".join(report.sentences(you=self.you)), INK)
        _draw_course(card, top - 2 + _GAP, report, rolls)
        top += _COURSE + LINE + 2 * _GAP
        for title, rows in lists.items():
            if rows:
                card.text(LEFT, top + _GAP + 34, title, TEXT, SOFT)
                top += LINE + 2 * _GAP
            for number, row in enumerate(rows, 1):
                if row.kind == "roll":
                    _disc(card, LEFT + _DISC, top + 22, str(number))
                card.text(RIGHT, top + 34, report.signed(row.share), TEXT, INK, bold=True, align="right")
                left, room = LEFT + _INDENT[row.kind], rooms[row.kind]
                top = parts.paragraph(card, top, self._words(row), INK, x=left, room=room) + _GAP
        card.height = top - 2 + _GAP
        return card

    def _words(self, row: CoachRow) -> str:
        """Return a roll or a choice in words: "Round 2, you: losing 1 tank instead of 1 infantry"."""
        named = "" if row.seat is None else row.seat.replace("-", " ")
        who = named and f", {('you' if row.seat == self.report.seat else 'they') if self.you else named}"
        return f"{row.moment[:1].upper()}{row.moment[1:]}{who}: {row.sentence}"


def most(kind: str, report: CoachReport) -> list[CoachRow]:
    """Return the rolls or the choices with the three largest shares, without those that hardly matter."""
    rows = (row for row in report.rows if row.kind == kind and abs(row.share) >= NOTHING)
    return sorted(rows, key=lambda row: -abs(row.share))[:3]


def _draw_course(card: Card, top: int, report: CoachReport, rolls: Sequence[CoachRow]) -> None:
    """Draw V from the start to the end, the numbered rolls on it, and both ends in figures."""
    values = [report.start, *(row.after for row in report.rows)]
    low, high = min(values), max(values) + NOTHING
    if not report.unit:
        low, high = max(0.0, low - _AROUND), min(1.0, high + _AROUND)
    wide, tall = RIGHT - LEFT, _COURSE
    points = [
        (
            round(_PAD + (wide - 2 * _PAD) * at / max(1, len(values) - 1)),
            round(_PAD + (tall - 2 * _PAD) * (high - value) / (high - low)),
        )
        for at, value in enumerate(values)
    ]
    card.box((LEFT, top, RIGHT, top + tall), TILE, radius=12)
    stroke = line(*chain(*(points if len(points) > 1 else points * 2)), thickness=6)
    card.silhouette(LEFT, top, Silhouette(wide, tall, (stroke,)), tall, INK)
    for number, roll in enumerate(rolls, 1):
        x, y = points[report.rows.index(roll) + 1]
        _disc(card, LEFT + x, top + y, str(number))
    start, end = report.standing(report.start), report.standing(report.result)
    parts.at_edges(card, top + tall + 40, f"{start} at the start", f"{end} at the end")


def _disc(card: Card, x: int, y: int, number: str) -> None:
    card.box((x - _DISC, y - _DISC, x + _DISC, y + _DISC), INK, radius=_DISC)
    card.text(x, y + 13, number, TEXT, DARK, bold=True, align="center")
