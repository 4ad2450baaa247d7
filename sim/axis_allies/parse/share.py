"""A whole question as one line, which is read back as the same question.

`1942: 6 infantry, 2 battleships bombard vs 5 infantry | order attacker: infantry, tank | rounds 3 | low luck`
"""

from collections.abc import Iterator

from sim.axis_allies.army import format_army
from sim.axis_allies.parse.order import order_text
from sim.axis_allies.parse.technology import technology_text
from sim.axis_allies.question import Question, Wave
from sim.axis_allies.withdrawal import Withdrawal
from sim.core.values import Side


def share_text(question: Question) -> str:
    """Return one line that `parse_question` reads as the same question.

    ValueError if a count has no finite decimals; nobody can type such an army.
    """
    attackers = " then ".join(map(_wave_text, question.waves))
    return " | ".join([f"{question.edition}: {attackers} vs {format_army(question.defender)}", *option_texts(question)])


def _wave_text(wave: Wave) -> str:
    ships = (wave.bombard.with_groups([group]) for group in wave.bombard.groups)
    parts = [format_army(wave.army), *(f"{format_army(ship)} bombard" for ship in ships)]
    if wave.landing is not None:
        parts.append(f"landing {wave.landing}")
    return ", ".join(parts)


def option_texts(question: Question) -> Iterator[str]:
    """Yield each option of a question as it is typed."""
    orders = {Side.ATTACKER: question.attacker_casualties, Side.DEFENDER: question.defender_casualties}
    for side, casualties in orders.items():
        if casualties is not None:
            yield f"order {side}: {order_text(casualties)}"
    technologies = {Side.ATTACKER: question.attacker_technology, Side.DEFENDER: question.defender_technology}
    if technology := technology_text(technologies):
        yield f"tech {technology}"
    if question.stop_after is not None:
        yield f"rounds {question.stop_after}"
    yield from _conditions(question.withdrawal)
    if question.must_take:
        yield "take territory"
    if question.low_luck:
        yield "low luck"
    if question.counter is not None:
        yield f"counter {_wave_text(question.counter)}"


def _conditions(withdrawal: Withdrawal) -> Iterator[str]:
    if withdrawal.below is not None:
        yield f"retreat below {withdrawal.below}"
    if withdrawal.ipc_lost is not None:
        yield f"retreat after {withdrawal.ipc_lost} IPC lost"
    if withdrawal.only_air:
        yield "retreat with only air left"
    if withdrawal.last_land:
        yield "retreat at the last land unit"
    if withdrawal.defenders_below is not None:
        yield f"retreat below {withdrawal.defenders_below} defenders"
