"""The average battle as the seed program prints it, to the character."""

from collections.abc import Iterator
from fractions import Fraction

from sim.axis_allies.army import shown_army
from sim.axis_allies.average import AverageReport, Round
from sim.core.numbers import decimal_text
from sim.core.outcomes import Ending, Side

_TITLES = {Side.ATTACKER: "Attacker", Side.DEFENDER: "Defender"}


def transcript(report: AverageReport, *, rounds: bool = True) -> str:
    """Return the whole text, with the rounds or only the result, ending in a line break."""
    blocks = [f"{block}\n\n\n" for block in map(_round_text, report.rounds)] if rounds else []
    return "".join(blocks) + f"Completed simulation in {len(report.rounds)} rounds.\n{result_text(report)}\n"


def result_text(report: AverageReport) -> str:
    """Return the one line that says who won and what is left."""
    if report.winner is not None:
        return f"The {report.winner} won, with {shown_army(report.left(report.winner))} left."
    if report.ending is Ending.MUTUAL:
        return "The battle was a tie! Both teams lost all their troops!"
    left = [f"the {side} was left with {shown_army(report.left(side))}" for side in Side]
    return f"No one won the battle! {left[0].capitalize()}, and {left[1]}."


def hits_text(effective: Fraction, ineffective: Fraction) -> str:
    """Return hits as shown: `0.333`, with ` (0.111 ineffective)` where that isn't zero as shown."""
    lost = decimal_text(ineffective)
    return decimal_text(effective) + (f" ({lost} ineffective)" if lost != "0" else "")


def _round_text(round_: Round) -> str:
    title = f"====== Round {round_.number} ======"
    return "\n".join([title, *_round_lines(round_), "=" * len(title)])


def _round_lines(round_: Round) -> Iterator[str]:
    for side in Side:
        yield f"{_TITLES[side]}: {shown_army(round_.army(side))}"
    for surprise in (True, False):
        for side in Side:
            volley = round_.volley(side, surprise=surprise)
            if volley is not None:
                kind = "Surprise Hits" if surprise else "Hits"
                yield f"{_TITLES[side]} {kind}: {hits_text(volley.effective, volley.ineffective)}"
