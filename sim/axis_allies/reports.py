"""Reports of the average battle, of `/aacalc` and of waves: numbers and armies, no layout; transcript and CSV tables.

Their JSON forms have the same names. The transcript is that of .docs/rules/axis_allies.md, "The average battle".
"""

import csv
import io
from collections.abc import Iterator
from fractions import Fraction
from itertools import zip_longest
from typing import NamedTuple

from sim.axis_allies.army import Army, LeftArmies, TwoArmies, army_text
from sim.axis_allies.odds_report import EndName, Ends, FoundOrder, OddsReport, Rows, found_words
from sim.axis_allies.question import Wave
from sim.axis_allies.units import Unit
from sim.core.cards.values import Chances, DrawnCard
from sim.core.numbers import decimal_text
from sim.core.values import Ending, Frozen, Probability, Side


class Hit(Frozen):
    """Hits of one firing type on one target type.

    `amount`: more than 0. `on`: None for ineffective hits, which have no legal target.
    """

    by: Unit
    on: Unit | None
    amount: Fraction


class Volley(Frozen):
    """One side's surprise strike or general fire; `hits` in the order placed."""

    side: Side
    surprise: bool
    hits: tuple[Hit, ...]

    @property
    def amounts(self) -> tuple[Fraction, Fraction]:
        """Number of hits that took a unit or a life, and of hits without a legal target, which are ineffective."""
        effective = sum((hit.amount for hit in self.hits if hit.on is not None), Fraction(0))
        return effective, sum((hit.amount for hit in self.hits if hit.on is None), Fraction(0))

    def words(self) -> str:
        """Return its hits as text: `0.333`, plus ` (0.111 ineffective)` unless that rounds to zero."""
        effective, lost = map(decimal_text, self.amounts)
        return f"{effective} ({lost} ineffective)" if lost != "0" else effective


class Round(TwoArmies):
    """One round: the armies as it begins, and the volleys in the order fired.

    Only a side that may strike by surprise has a surprise volley; both have a general one.
    """

    number: int
    volleys: tuple[Volley, ...]


class AverageReport(LeftArmies):
    """The average battle.

    JSON (`battle.json`): `attacker` and `defender` are the armies at the start, `attacker_left` and `defender_left` at
    the end; an army is `{"groups": [{"unit", "count", "lives"}]}` in the order typed, with the hits that the group
    absorbs as `lives`. `rounds` is a list of `{"number", "attacker", "defender", "volleys"}` with the armies as the
    round begins and volleys `{"side", "surprise", "hits"}` of hits `{"by", "on", "amount"}` (`on` null if ineffective).
    `winner` is "attacker", "defender" or null; `ending` says why the battle ended. With `must_take` the attacker wins
    only with a land unit left, which takes the territory. All amounts are exact fractions as text: "3", "11/4".
    """

    rounds: tuple[Round, ...]
    winner: Side | None
    ending: Ending
    must_take: bool = False
    notes: tuple[str, ...] = ()

    @property
    def end(self) -> EndName:
        """How it ended, in the words of the odds."""
        if self.winner is not None:
            return self.winner.value
        ends: dict[Ending, EndName] = {
            Ending.MUTUAL: "tie",
            Ending.STALEMATE: "stalemate",
            Ending.RETREAT: "retreat",
            Ending.ROUND_LIMIT: "out of rounds",
            Ending.ANNIHILATION: "not taken",
        }
        return ends[self.ending]

    def ipc_lost(self, side: Side) -> Fraction:
        """Return the losses of `side` in IPC."""
        return self.army(side).ipc - self.left(side).ipc


class CalcReport(Frozen):
    """The average battle, if the edition has one, and, if all units are whole, `odds` with their `card`.

    `smart`: both sides' chances with smart casualties, if they differ from the chosen method's by `SMART_GAIN` or more.
    """

    average: AverageReport | None = None
    odds: OddsReport | None = None
    smart: Chances | None = None
    card: DrawnCard | None = None


class WaveOdds(NamedTuple):
    """How a wave fares.

    `p_fights`: the chance that it meets a defender. `p_wins`: the chance that the attacker wins with this wave; it need
    not fight where nobody is left. `p_takes`: and has a land unit left. `left`: mean counts left by `unit_key`, of
    waves that never had to fight all. `ipc_lost`: mean losses in IPC. `found_orders`: of the sides whose casualties are
    smart or thrifty; the defender keeps that of the first wave.
    """

    wave: Wave
    p_fights: Probability
    p_wins: Probability
    p_takes: Probability
    left: dict[str, float]
    ipc_lost: float
    found_orders: tuple[FoundOrder, ...] = ()


class WaveReport(Ends):
    """The odds of up to five attackers one after another, and of a counterattack.

    `p_holds`: the attacker takes the territory, and the counterattack doesn't take it back; None without one.
    `def_left`: mean counts left by `unit_key`. `att_ipc_lost`, `def_ipc_lost`: mean losses in IPC over all waves, the
    counterattack not included, and their standard deviations `att_ipc_lost_sd`, `def_ipc_lost_sd`. `counter_orders`:
    found for the counterattack.
    """

    waves: Rows[WaveOdds]
    defender: Army
    counter: Wave | None
    p_holds: Probability | None
    def_left: dict[str, float]
    att_ipc_lost: float
    att_ipc_lost_sd: float
    def_ipc_lost: float
    def_ipc_lost_sd: float
    notes: tuple[str, ...] = ()
    counter_orders: tuple[FoundOrder, ...] = ()

    def order_words(self) -> Iterator[str]:
        """Yield the orders found, each as a sentence for players."""
        for number, wave in enumerate(self.waves, 1):
            part = f"Wave {number}" if len(self.waves) > 1 else ""
            yield from found_words(wave.found_orders, part)
        yield from found_words(self.counter_orders, "Counterattack")

    @property
    def att_ipc(self) -> int:
        """Price of all waves in IPC."""
        return int(sum(each.wave.army.ipc for each in self.waves))


def transcript(report: AverageReport, *, rounds: bool = True) -> str:
    """Return the text of the average battle, with its rounds or only the result, ending in a line break."""
    lines: list[str] = []
    for round_ in report.rounds if rounds else ():
        lines.append(title := f"====== Round {round_.number} ======")
        lines += (f"{side.capitalize()}: {army_text(round_.army(side))}" for side in Side)
        for volley in round_.volleys:
            kind = "Surprise Hits" if volley.surprise else "Hits"
            lines.append(f"{volley.side.capitalize()} {kind}: {volley.words()}")
        lines += ["=" * len(title), "", ""]
    lines += [f"Completed simulation in {len(report.rounds)} rounds.", result_text(report)]
    return "".join(f"{line}\n" for line in lines)


def result_text(report: AverageReport) -> str:
    """Return the line that says who won and what is left."""
    if report.winner is not None:
        takes = report.must_take and report.winner is Side.ATTACKER
        won = "takes the territory" if takes else "won"
        return f"The {report.winner} {won}, with {army_text(report.left(report.winner))} left."
    if report.ending is Ending.MUTUAL:
        return "The battle was a tie! Both teams lost all their troops!"
    left = [f"the {side} was left with {army_text(report.left(side))}" for side in Side if report.left(side)]
    reasons: dict[EndName, str] = {  # of ends that the source lacks
        "retreat": "The attacker retreated!",
        "not taken": "No land unit is left to take the territory!",
    }
    why = reasons.get(report.end, "No one won the battle!")
    return f"{why} {', and '.join(left).capitalize()}."


def outcomes_table(report: OddsReport) -> str:
    """Return the likeliest results as CSV, likeliest first.

    Columns: `chance`, `winner` (empty for nobody), `ending`, and what is left of each side's units and of its
    battleships' lives.
    """
    out = io.StringIO()
    writer = csv.writer(out)
    units = {side: [unit.unit for unit in report.odds(side).units] for side in Side}
    writer.writerow(["chance", "winner", "ending", *(f"{side}_{unit}" for side in Side for unit in units[side])])
    for end in report.outcomes:
        left = {Side.ATTACKER: end.attacker, Side.DEFENDER: end.defender}
        counts = [left[side].get(unit, 0) for side in Side for unit in units[side]]
        writer.writerow([repr(end.p), end.winner or "", end.ending, *counts])
    return out.getvalue()


def battle_table(report: AverageReport) -> str:
    """Return the battle as CSV: a row for each round, and a last row `end` with what is left.

    Columns: `round`; for each side its units as the round begins and its battleships' lives; its hits by kind
    (surprise and general, each effective and ineffective); its losses in the round, in units and in IPC. At most 6
    decimals, as fine as the count at which a unit is gone.
    """
    stages = [*report.rounds, None]
    rows: list[dict[str, object]] = []
    for round_, after in zip_longest(stages, stages[1:]):
        cells = dict(cell for side in Side for cell in _cells(report, side, round_, after))
        texts = {name: decimal_text(cell, 6) for name, cell in cells.items()}
        rows.append({"round": round_.number if round_ else "end", **texts})
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def _cells(
    report: AverageReport, side: Side, round_: Round | None, after: Round | None
) -> Iterator[tuple[str, Fraction]]:
    """Yield a side's columns with their cells; `round_`: None for the end, which has only what is left."""
    start = report.army(side)
    before = round_.army(side) if round_ else report.left(side)
    left = after.army(side) if after else report.left(side)
    names = {group.unit: f"{side}_{group.unit.replace(' ', '_')}" for group in start.groups}
    for unit, name in names.items():
        yield name, before.count(unit)
        if start.book.lives(unit):
            yield f"{name}_lives", next((here.lives for here in before.groups if here.unit is unit), Fraction(0))
    if round_ is None:
        return
    fired = {volley.surprise: volley.amounts for volley in round_.volleys if volley.side is side}
    for surprise, kind in ((True, f"{side}_surprise"), (False, side)):
        effective, ineffective = fired.get(surprise, (Fraction(0), Fraction(0)))
        yield f"{kind}_hits", effective
        yield f"{kind}_ineffective", ineffective
    for unit, name in names.items():
        yield f"{name}_lost", before.count(unit) - left.count(unit)
    yield f"{side}_ipc_lost", before.ipc - left.ipc
