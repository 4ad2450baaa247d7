"""The card of a battle's odds."""

from collections.abc import Iterator

from sim.axis_allies.army import Army
from sim.axis_allies.odds_report import OddsReport
from sim.axis_allies.unit_rows import COLORS, NOTE, Rows, edition_label, joined
from sim.core.cards import parts
from sim.core.cards.card import Card
from sim.core.cards.odds import LEAST, draw_left
from sim.core.cards.parts import LEFT, RIGHT, Share
from sim.core.cards.theme import BLUE, INK, NEUTRAL, ORANGE, SOFT
from sim.core.numbers import quantity
from sim.core.values import Side

_NOBODY = Army()


def odds_card(report: OddsReport, bombard: Army = _NOBODY) -> Card:
    """Return the card: who wins how often, both armies, and what is left of the winner.

    `bombard`: the attacker's ships that bombard.
    """
    rows = Rows.of_armies({Side.ATTACKER: report.attacker, Side.DEFENDER: report.defender})
    card = Card((477 if _has_winner(report) else 224) + rows.height)
    before, figure, after = report.headline()
    color = {"attacker": ORANGE, "defender": BLUE}.get(report.likeliest, SOFT)
    words = before + figure + after
    parts.headline(card, [(before, INK), (figure, color), (after, INK)], edition_label(report.attacker.book, words))
    percents = {name: report.percent(name) for name in report.ends}
    shares = [
        Share(report.p_attacker, ORANGE, f"Attacker {percents.get('attacker', '')}"),
        Share(report.p_tie + report.p_none, NEUTRAL, _neither(report)),
        Share(report.p_defender, BLUE, f"Defender {percents.get('defender', '')}"),
    ]
    parts.win_bar(card, 84, shares)
    card.text(LEFT, 160, joined(_rest(report, bombard)), NOTE, SOFT)
    rows.draw(card, 182)
    top = 206 + rows.height
    notes = [_price(report, side) for side in Side]
    card.text(LEFT, top, notes[0] if rows.together else f"Attacker {notes[0]}", NOTE, SOFT)
    card.text(RIGHT, top, notes[1] if rows.together else f"Defender {notes[1]}", NOTE, SOFT, align="right")
    if _has_winner(report):
        _histogram(card, top + 26, report)
    return card


def _has_winner(report: OddsReport) -> bool:
    """Return whether anybody wins often enough for a picture of what is left."""
    return max(report.p_attacker, report.p_defender) >= LEAST


def _neither(report: OddsReport) -> str:
    """Return the label of the chances that no side wins, if there is only one of them."""
    others = [name for name in report.ends if name not in COLORS and report.ends[name] >= LEAST]
    return f"{others[0].capitalize()} {report.percent(others[0])}" if len(others) == 1 else ""


def _rest(report: OddsReport, bombard: Army) -> Iterator[str]:
    """Yield what else can happen, how long it takes, and who bombards."""
    if report.takes_less:
        yield f"takes {report.takes_percent}"
    for name, chance in report.ends.items():
        if name not in COLORS and chance >= LEAST and len(report.ends) > 1:
            yield f"{name} {report.percent(name)}"
    if rounds := report.rounds_text():
        yield rounds
    if bombard:
        ships = sum(int(group.count) for group in bombard.groups)
        yield f"{quantity(ships, 'ship')} {'bombards' if ships == 1 else 'bombard'}"


def _price(report: OddsReport, side: Side) -> str:
    odds = report.odds(side)
    return f"{odds.ipc_start:,} IPC" + (f", loses {odds.ipc_lost:,.1f}" if odds.ipc_lost > 0 else "")


def _histogram(card: Card, top: int, report: OddsReport) -> None:
    """Draw the winner's units left: the defender's to the left, nobody in the middle, the attacker's to the right."""
    left, right = (
        [(bar.low, bar.high, bar.p) for bar in report.odds(side).units_of_winner]
        for side in (Side.DEFENDER, Side.ATTACKER)
    )
    middle = "0" if report.p_none < LEAST else "–"
    draw_left(card, top, left, report.p_tie + report.p_none, right, (BLUE, ORANGE), middle)
    for at, side, align in ((LEFT, Side.DEFENDER, "left"), (RIGHT, Side.ATTACKER, "right")):
        if report.outcomes_by_name[side.value] >= LEAST:
            card.text(at, card.height - 22, f"{side}'s units left", NOTE, SOFT, align=align)
