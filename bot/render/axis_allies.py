"""The average battle of Axis & Allies as a headline and pages."""

from collections.abc import Iterator, Sequence

from bot.render.book import PAGER_TEXT
from bot.render.text import LAYOUT_TEXT, counted, utf16_length
from sim.axis_allies.army import Army, shown_army
from sim.axis_allies.average import AverageReport, Round, Volley
from sim.axis_allies.transcript import hits_text
from sim.core.numbers import decimal_text
from sim.core.outcomes import Ending, Side

ICONS = {Side.ATTACKER: "⚔️", Side.DEFENDER: "🛡️"}
COLOURS = {Side.ATTACKER: 0xD9480F, Side.DEFENDER: 0x1C7ED6, None: 0x868E96}

LONG_LOG = 3
"""Pages of rounds after which the files come along unasked."""

_COUNT_ROOM = 11  # "1000000", "333333.333": the longest count with the blank behind it
_LIVES_ROOM = 30
_HITS_ROOM = 200
_HIT_LINE_ROOM = 70


class AverageBook:
    """The pages of an average battle: the rounds, `rounds` to a page where they fit, then who hit whom."""

    def __init__(self, report: AverageReport, rounds: int) -> None:
        self._report = report
        self.headline = "\n".join(_headline(report))
        self.colour = COLOURS[report.winner]
        room = LAYOUT_TEXT - PAGER_TEXT - utf16_length(self.headline)
        # Every page holds equally many rounds, by what the longest round could take: the place of a page is known
        # without writing the ones before it.
        self._log = _pages(len(report.rounds), min(rounds, room // _round_room(report)))
        self._breakdown = _pages(len(report.rounds), min(rounds, room // _breakdown_room(report)))

    def __len__(self) -> int:
        return len(self._log) + len(self._breakdown)

    @property
    def long(self) -> bool:
        """Whether the rounds take more than three pages."""
        return len(self._log) > LONG_LOG

    def title(self, number: int) -> str:
        """Return `Rounds 1–4` or `Who hit whom 1–4`."""
        what, part = self._find(number)
        numbers = f"{part.start + 1}" if len(part) == 1 else f"{part.start + 1}–{part.stop}"
        if what is self._log:
            return f"Round {numbers}" if len(part) == 1 else f"Rounds {numbers}"
        return f"Who hit whom, round {numbers}" if len(part) == 1 else f"Who hit whom, rounds {numbers}"

    def page(self, number: int) -> str:
        """Return the rounds of a page, or who hit whom in them."""
        what, part = self._find(number)
        lines = _round_lines if what is self._log else _breakdown_lines
        return "\n".join("\n".join(lines(self._report.rounds[at])) for at in part)

    def _find(self, number: int) -> tuple[Sequence[range], range]:
        if number < len(self._log):
            return self._log, self._log[number]
        return self._breakdown, self._breakdown[number - len(self._log)]


def _pages(rounds: int, size: int) -> list[range]:
    size = max(1, size)
    return [range(start, min(start + size, rounds)) for start in range(0, rounds, size)]


def _army_room(army: Army) -> int:
    """Return the units that the army's line can take at most in any round: counts change, names don't."""
    return sum(
        _COUNT_ROOM + len(group.unit.stats.plural) + 2 + _LIVES_ROOM * bool(group.unit.lives) for group in army.groups
    )


def _round_room(report: AverageReport) -> int:
    return sum(_army_room(report.army(side)) for side in Side) + _HITS_ROOM


def _breakdown_room(report: AverageReport) -> int:
    kinds = sum(len(report.army(side).groups) for side in Side)
    # In one volley the targets fall one after the other: each type fired adds a line, and so does each target that
    # falls in the middle of a type's hits; ineffective hits add one a type.
    return 2 * kinds * _HIT_LINE_ROOM + _HITS_ROOM


def _headline(report: AverageReport) -> Iterator[str]:
    rounds = counted(len(report.rounds), "round")
    if report.winner is not None:
        yield f"### {ICONS[report.winner]} The {report.winner} wins"
        yield f"**{shown_army(report.left(report.winner))}** left after {rounds}"
    elif report.ending is Ending.MUTUAL:
        yield "### 🤝 A tie"
        yield f"Both sides lost everything in {rounds}; the defender keeps the territory."
    else:
        yield "### ⏸️ Nobody wins"
        why = f"Stopped after {rounds}." if report.ending is Ending.ROUND_LIMIT else f"After {rounds} nobody can hit."
        left = " against ".join(f"{ICONS[side]} **{shown_army(report.left(side))}**" for side in Side)
        yield f"{why} Left: {left}"
    for side in Side:
        army = report.army(side)
        yield f"{ICONS[side]} **{side.capitalize()}** {shown_army(army)}"
        yield f"-# {decimal_text(army.ipc)} IPC, lost {decimal_text(report.ipc_lost(side))}"
    for note in report.notes:
        yield f"-# ℹ️ {note[0].upper()}{note[1:]}."


def _round_lines(one: Round) -> Iterator[str]:
    yield f"**Round {one.number}**"
    for side in Side:
        yield f"{ICONS[side]} {shown_army(one.army(side))}"
    for surprise in (True, False):
        hits = [
            f"{ICONS[side]} {hits_text(volley.effective, volley.ineffective)}"
            for side in Side
            if (volley := one.volley(side, surprise=surprise)) is not None
        ]
        if hits:
            yield f"{'Surprise hits' if surprise else 'Hits'}: {' · '.join(hits)}"


def _breakdown_lines(one: Round) -> Iterator[str]:
    yield f"**Round {one.number}: who hit whom**"
    lines = [line for volley in one.volleys for line in _volley_lines(volley)]
    yield from lines or ["Nobody hit anybody."]


def _volley_lines(volley: Volley) -> Iterator[str]:
    how = " by surprise" if volley.surprise else ""
    for hit in volley.hits:
        target = "no legal target" if hit.on is None else hit.on.stats.plural
        yield f"{ICONS[volley.side]} {hit.by.stats.plural}{how} → {target}: {decimal_text(hit.amount)}"
