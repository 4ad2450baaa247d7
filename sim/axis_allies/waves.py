"""Several attackers one after another, and a counterattack: the request, and the card of its report.

Source: .docs/rules/axis_allies.md, "Low luck, waves, counterattacks".
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Self

from pydantic import model_validator
from typing_extensions import override

from sim.axis_allies.army import Army, army_words
from sim.axis_allies.cards import headline_parts, rest_words, sentence, win_shares
from sim.axis_allies.odds_report import FoundOrder
from sim.axis_allies.question import NEVER, Question, Terms, Wave
from sim.axis_allies.reports import WaveReport
from sim.axis_allies.requests import DRAWING_SECONDS, OddsRequest, caveats
from sim.axis_allies.silhouettes import COLORS, Lines, headline, joined, price_words
from sim.axis_allies.units import Category
from sim.core import RuleError, TooMuchError, flaw
from sim.core.cards import parts
from sim.core.cards import text as letters
from sim.core.cards.card import Card
from sim.core.cards.parts import LEAST, LEFT, RIGHT, Share
from sim.core.cards.theme import BLUE, INK, NEUTRAL, ORANGE, SOFT, TEXT
from sim.core.cards.values import DrawnCard
from sim.core.values import Request, Side

MAX_SECONDS = 4.5
"""Maximum estimate for all waves and the counterattack."""


class WaveRequest(Request):
    """The odds of several attackers one after another, and of a counterattack.

    Every option of the question holds for all attackers; each wave fights its rounds, and leaves, by itself. The
    counterattack has the orders and dice of this battle's attacker and the technologies of its defender. RuleError for
    fractions of units and for contradictory terms.
    """

    question: Question

    @model_validator(mode="after")
    def _sensible(self) -> Self:
        waves, counter = self.question.waves, self.question.counter
        takes = any(wave.army.has(Category.LAND) for wave in waves)
        if self.question.must_take and not takes:
            raise RuleError("Only land units can take a territory, and the attacker has none.")
        for number, wave in enumerate(waves, 1):
            if (wrong := flaw(partial(self._battle, wave))) is not None:
                raise RuleError(f"Wave {number}: {wrong}" if waves[1:] else wrong)
        if counter is not None:
            if not takes:
                raise RuleError("Only land units can take a territory, so there is nothing to take back.")
            if not counter.army.has(Category.LAND):
                raise RuleError("Only land units can take a territory back, and the counterattack has none.")
            if counter.army.has(Category.NAVAL):
                raise RuleError("Ships don't fight on land: say which of the counterattack's ships bombard.")
            if (wrong := flaw(partial(self._counterattack, counter))) is not None:
                raise RuleError(f"Counterattack: {wrong}")
        return self

    def _battle(self, wave: Wave) -> OddsRequest:
        """Return the battle of one wave against the whole defender."""
        takes = self.question.must_take and wave.army.has(Category.LAND)  # planes alone only clear what others take
        return OddsRequest(**self.question.fields_of(wave) | {"must_take": takes})

    def _counterattack(self, counter: Wave) -> OddsRequest:
        """Return the battle for the territory against the land units of the wave that has the most."""
        question = self.question
        armies = [
            wave.army.with_groups(group for group in wave.army.groups if group.unit.category is Category.LAND)
            for wave in question.waves
        ]
        changed: dict[str, Any] = {
            "defender": max(armies, key=Army.size),
            "attacker_technology": question.defender_technology,
            "defender_technology": question.attacker_technology,
            "stop_after": None,
            "withdrawal": NEVER,
        }
        return OddsRequest(**question.fields_of(counter) | changed)

    @override
    def cost(self) -> float:
        battles = [self._battle(wave) for wave in self.question.waves]
        first, *others = (battle.estimate_seconds(self.question.stop_after or 0) for battle in battles)
        # After the first, three passes each: its odds, and two for how the losses of all waves vary.
        seconds = 0.01 + first + 3 * sum(others)
        if self.question.counter is not None:
            seconds += self._counterattack(self.question.counter).estimate_seconds()
        if seconds > MAX_SECONDS:
            raise TooMuchError("These armies are too large for exact odds.")
        return seconds + battles[0].search_seconds

    def run(self) -> WaveReport:
        """Calculate the odds exactly; TooMuchError if that would take too much time or memory."""
        from sim.axis_allies.odds.waves import fight_waves, holders, p_taken_back, wave_report  # noqa: PLC0415

        self.cost()
        question, found = self.question, []
        battles: list[Terms] = []
        share = 1.0 / (len(question.waves) + (question.counter is not None))  # of the time to search for orders
        defender = question.defender_casualties
        for wave in question.waves:
            battle, orders = self._battle(wave).model_copy(update={"defender_casualties": defender}).resolved(share)
            defender = battle.casualties_of(Side.DEFENDER)  # found against the first wave, it stays
            battles.append(battle.terms())
            found.append(orders)
        campaign = fight_waves([terms._replace(defender=battles[0].defender) for terms in battles])
        p_lost = 0.0
        back_orders: tuple[FoundOrder, ...] = ()
        if question.counter is not None:
            back, back_orders = self._counterattack(question.counter).resolved(share)
            p_lost = p_taken_back(holders(campaign), lambda army: back.model_copy(update={"defender": army}).terms())
        return wave_report(question, campaign, found, back_orders, p_lost, self._caveats())

    def _caveats(self) -> Iterator[str]:
        """Yield what should be known of each wave and of the counterattack; what holds for all waves only once."""
        question = self.question
        retreats = question.withdrawal.possible
        found = [tuple(caveats(self._battle(wave), retreats=retreats)) for wave in question.waves]
        for number, lines in enumerate(found, 1):
            for line in lines:
                yield line if all(line in other for other in found) else f"{line} (wave {number})"
        if question.counter is not None:
            yield from (f"{line} (counterattack)" for line in caveats(self._counterattack(question.counter)))


class WaveCardRequest(Request):
    """The answer to a question about waves or a counterattack: the report and its card."""

    waves: WaveRequest

    @override
    def cost(self) -> float:
        return self.waves.cost() + DRAWING_SECONDS

    def run(self) -> tuple[WaveReport, DrawnCard]:
        """Return the report, with the errors of the question, and the card."""
        report = self.waves.run()
        return report, wave_card(report).drawn()


_BAR, _CAPTION, _ROWS = parts.TOP, 200, 216
_UNITS, _FIGURE, _SHIPS = LEFT + 170, 130, 170


@dataclass(frozen=True, slots=True)
class _Row:
    """An army, what stands before it, and the chance behind it."""

    word: str
    wave: Wave
    side: Side
    figure: str = ""

    def draw(self, card: Card, top: int) -> int:
        """Draw the units and the ships that bombard; return the first pixel below."""
        room, base, color = RIGHT - _UNITS - _FIGURE, top + 40, COLORS[self.side]
        card.text(LEFT, base, self.word, TEXT, SOFT)
        card.text(RIGHT, base, self.figure, TEXT, color, bold=True, align="right")
        base = Lines.of(self.wave.army, room, 1).draw(card, _UNITS, base, color)
        if self.wave.bombard:
            card.text(_UNITS, base, "bombard", TEXT, SOFT)
            base = Lines.of(self.wave.bombard, room - _SHIPS, 1).draw(card, _UNITS + _SHIPS, base, color)
        return base - 32


def wave_card(report: WaveReport) -> Card:
    """Draw who wins in the end, every army with its chance, and whether the territory is held."""
    rows = list(_rows(report))
    card = Card(alt=" ".join(wave_words(report)))
    headline(card, _headline(report), report.defender.book)
    shares = win_shares(report) if report.p_holds is None else _held(report)
    parts.win_bar(card, _BAR, [share if _fits(share) else replace(share, label="") for share in shares])
    untold = () if report.p_holds is None else shares[1:]  # the headline tells the first
    rest = [share.label.lower() for share in untold if not _fits(share) and share.chance >= LEAST]
    words = [*rest, *rest_words(report)]
    card.text(LEFT, _CAPTION, joined(words, _FIGURE), TEXT, SOFT)
    if any(row.figure for row in rows):
        card.text(RIGHT, _CAPTION, "wins", TEXT, SOFT, align="right")
    top = _ROWS
    for row in rows:
        top = row.draw(card, top)
    card.height = top + 54
    parts.at_edges(card, top + 34, *(_price(report, side) for side in Side), colors=(ORANGE, BLUE))
    return card


def _headline(report: WaveReport) -> list[tuple[str, str]]:
    if report.p_holds is None:
        return headline_parts(report)
    return [("Attacker takes and holds ", INK), (report.share(report.p_holds), ORANGE), (" of the time", INK)]


def _fits(share: Share) -> bool:
    """Return whether a label fits into its part of the bar."""
    return letters.width(share.label, TEXT, bold=True) + 28 <= share.chance * (RIGHT - LEFT)


def _rows(report: WaveReport) -> Iterator[_Row]:
    several = len(report.waves) > 1
    for number, each in enumerate(report.waves, 1):
        figure = report.share(each.p_wins) if several and each.p_wins > 0 else ""
        yield _Row(f"Wave {number}" if several else "Attacker", each.wave, Side.ATTACKER, figure)
    defends = report.share(report.p_defender) if several and report.p_defender > 0 else ""
    yield _Row("Defender", Wave(army=report.defender), Side.DEFENDER, defends)
    if report.counter is not None:
        yield _Row("Counter", report.counter, Side.DEFENDER)


def _held(report: WaveReport) -> list[Share]:
    held = report.p_holds or 0.0
    back = max(0.0, report.p_takes - held)
    return [
        Share(held, ORANGE, "Holds"),
        Share(back, NEUTRAL, f"Loses it again {report.share(back)}"),
        Share(1.0 - report.p_takes, BLUE, f"Never takes it {report.share(1.0 - report.p_takes)}"),
    ]


def _price(report: WaveReport, side: Side) -> str:
    if side is Side.ATTACKER:
        return price_words(report.att_ipc, report.att_ipc_lost)
    return price_words(int(report.defender.ipc), report.def_ipc_lost)


def wave_words(report: WaveReport) -> Iterator[str]:
    """Yield what the card says, in sentences."""
    yield f"{''.join(text for text, _ in _headline(report))}."
    if rest := ", ".join(rest_words(report)):
        yield f"{sentence(rest)}."
    for row in _rows(report):
        ships = f", {army_words(row.wave.bombard)} bombard" if row.wave.bombard else ""
        wins = f", wins {row.figure} of the time" if row.figure else ""
        yield f"{row.word}: {army_words(row.wave.army)}{ships}{wins}."
    if report.counter is not None:
        yield ", ".join(share.label for share in _held(report)[1:] if share.chance > 0).capitalize() + "."
    for side in Side:
        yield f"{side.capitalize()}: {_price(report, side)}."
