"""The card of several waves and of a counterattack. Only workers import this."""

from collections.abc import Iterator
from dataclasses import dataclass

from sim.axis_allies.army import army_words
from sim.axis_allies.question import Wave
from sim.axis_allies.unit_rows import COLORS, NOTE, Lines, edition_label, joined
from sim.axis_allies.wave_report import WaveReport
from sim.core.cards import parts
from sim.core.cards.card import Card
from sim.core.cards.odds import LEAST
from sim.core.cards.parts import LEFT, RIGHT, Share
from sim.core.cards.theme import BLUE, INK, NEUTRAL, ORANGE, SOFT, TEXT
from sim.core.numbers import rounded_percent
from sim.core.values import Side

_BAR, _CAPTION, _ROWS = 84, 160, 184
_UNITS, _FIGURE, _SHIPS = LEFT + 124, 110, 122
_HELD = 118
"""Pixels of the bar of what is taken and held, with what is said below it."""


@dataclass(frozen=True, slots=True)
class _Row:
    """An army, what stands before it, and the chance behind it; `ships`: those that bombard."""

    word: str
    units: Lines
    ships: Lines
    color: str
    figure: str

    @classmethod
    def of(cls, word: str, wave: Wave, side: Side, figure: str) -> "_Row":
        room = RIGHT - _UNITS - _FIGURE
        units, ships = Lines.of(wave.army, room, 1), Lines.of(wave.bombard, room - _SHIPS, 1)
        return cls(word, units, ships, COLORS[side], figure)

    @property
    def height(self) -> int:
        return self.units.height + self.ships.height + 8

    def draw(self, card: Card, top: int) -> None:
        base = top + 32
        card.text(LEFT, base, self.word, NOTE, SOFT)
        self.units.draw(card, _UNITS, base, self.color)
        card.text(RIGHT, base, self.figure, TEXT, self.color, bold=True, align="right")
        if self.ships.units:
            base += self.units.height
            card.text(_UNITS, base, "bombard", NOTE, SOFT)
            self.ships.draw(card, _UNITS + _SHIPS, base, self.color)


def wave_card(report: WaveReport) -> Card:
    """Draw who wins in the end, every army with its chance, and whether the territory is held."""
    rows = list(_rows(report))
    height = sum(row.height for row in rows)
    card = Card(_ROWS + height + (_HELD if report.counter is not None else 10) + 36, " ".join(wave_words(report)))
    words = "".join(text for text, _ in _headline(report))
    parts.headline(card, list(_headline(report)), edition_label(report.defender.book, words))
    shares = [
        Share(report.p_attacker, ORANGE, f"Attacker {_percent(report, report.p_attacker)}"),
        Share(report.p_tie + report.p_none, NEUTRAL),
        Share(report.p_defender, BLUE, f"Defender {_percent(report, report.p_defender)}"),
    ]
    parts.win_bar(card, _BAR, shares)
    card.text(LEFT, _CAPTION, joined(_rest(report), _FIGURE), NOTE, SOFT)
    if any(row.figure for row in rows):
        card.text(RIGHT, _CAPTION, "wins", NOTE, SOFT, align="right")
    top = _ROWS
    for row in rows:
        row.draw(card, top)
        top += row.height
    if report.counter is not None:
        shares = _held(report)
        parts.win_bar(card, top + 16, shares)
        lost = [share.label for share in shares[1:] if share.chance >= LEAST]
        card.text(LEFT, top + 92, " · ".join(lost).lower(), NOTE, SOFT)
    top += _HELD if report.counter is not None else 10
    for side, x, align in ((Side.ATTACKER, LEFT, "left"), (Side.DEFENDER, RIGHT, "right")):
        card.text(x, top + 14, f"{side.capitalize()} {_price(report, side)}", NOTE, SOFT, align=align)
    return card


def _percent(report: WaveReport, chance: float) -> str:
    return rounded_percent(chance, exact=report.every_chance or chance <= 0)


def _headline(report: WaveReport) -> Iterator[tuple[str, str]]:
    if report.p_holds is not None:
        yield "Taken and held ", INK
        yield _percent(report, report.p_holds), ORANGE
        yield " of the time", INK
        return
    before, figure, after = report.headline()
    yield before, INK
    yield figure, {"attacker": ORANGE, "defender": BLUE}.get(report.likeliest, SOFT)
    yield after, INK


def _rest(report: WaveReport) -> Iterator[str]:
    """Yield what else can happen, and how long it takes."""
    if report.takes_less:
        yield f"takes {report.takes_percent}"
    for name, chance in report.ends.items():
        if name not in COLORS and chance >= LEAST and len(report.ends) > 1:
            yield f"{name} {report.percent(name)}"
    if rounds := report.rounds_text():
        yield rounds


def _rows(report: WaveReport) -> Iterator[_Row]:
    several = len(report.waves) > 1
    for number, each in enumerate(report.waves, 1):
        figure = _percent(report, each.p_wins) if several and each.p_wins > 0 else ""
        yield _Row.of(f"Wave {number}" if several else "Attacker", each.wave, Side.ATTACKER, figure)
    defends = _percent(report, report.p_defender) if several and report.p_defender > 0 else ""
    yield _Row.of("Defender", Wave(army=report.defender), Side.DEFENDER, defends)
    if report.counter is not None:
        yield _Row.of("Counter", report.counter, Side.DEFENDER, "")


def _held(report: WaveReport) -> list[Share]:
    held = report.p_holds or 0.0
    back = max(0.0, report.p_takes - held)
    return [
        Share(held, ORANGE, f"Held {_percent(report, held)}"),
        Share(back, NEUTRAL, f"Taken back {_percent(report, back)}"),
        Share(1.0 - report.p_takes, BLUE, f"Not taken {_percent(report, 1.0 - report.p_takes)}"),
    ]


def _price(report: WaveReport, side: Side) -> str:
    ipc, lost = int(report.defender.ipc), report.def_ipc_lost
    if side is Side.ATTACKER:
        ipc, lost = report.att_ipc, report.att_ipc_lost
    return f"{ipc:,} IPC" + (f", loses {lost:,.1f}" if lost > 0 else "")


def wave_words(report: WaveReport) -> Iterator[str]:
    """Yield what the card says, in sentences."""
    yield f"{''.join(text for text, _ in _headline(report))}."
    rest = ", ".join(_rest(report))
    if rest:
        yield f"{rest[:1].upper()}{rest[1:]}."
    for row, wave in zip(_rows(report), _armies(report), strict=True):
        ships = f", {army_words(wave.bombard)} bombard" if wave.bombard else ""
        yield f"{row.word}: {army_words(wave.army)}{ships}{f': wins {row.figure}' if row.figure else ''}."
    if report.counter is not None:
        yield ", ".join(share.label for share in _held(report) if share.chance > 0).capitalize() + "."
    for side in Side:
        yield f"{side.capitalize()}: {_price(report, side)}."


def _armies(report: WaveReport) -> Iterator[Wave]:
    yield from (each.wave for each in report.waves)
    yield Wave(army=report.defender)
    if report.counter is not None:
        yield report.counter
