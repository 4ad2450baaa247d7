"""What the terminal asks a player about a side's losses in the average battle, and what the answers mean."""

from sim.axis_allies.army import army_text
from sim.axis_allies.average import Choice
from sim.axis_allies.casualties import LIFE_OF, Casualties, Life, Slot, unit_of
from sim.axis_allies.parse.order import MAX_ORDER_TEXT, read_casualties
from sim.core.errors import Faults, Problem, RuleError, Span, check_length, check_text
from sim.core.numbers import amount


def loss_question(choice: Choice) -> str:
    """Return the question, in three lines."""
    hits, shooters = amount(choice.hits), f"the {choice.side.other}'s {choice.by.plural}"
    kind = f"{'surprise ' if choice.surprise else ''}{'hit' if hits == '1' else 'hits'}"
    names = [_name(slot) for slot in choice.slots]
    return (
        f"Round {choice.round}: {hits} {kind} by {shooters}.\n"
        f"The {choice.side} has {army_text(choice.army)}.\n"
        f"Lose {', '.join(names[:-1])} or {names[-1]}? (Enter: {names[0]})"
    )


def read_losses(answer: str, choice: Choice) -> tuple[Slot, ...]:
    """Return what to lose, first lost first; nothing for an empty answer, which leaves it to the usual order.

    TextError, or RuleError for what these hits can't take.
    """
    if not answer.strip():
        return ()
    check_length(answer, MAX_ORDER_TEXT)
    problems = Faults[Problem]()
    casualties = read_casualties(answer, Span(0, len(answer)), problems)
    check_text(answer, problems)
    return _chosen(casualties, choice)


def _name(slot: Slot) -> str:
    return f"{slot.unit} lives" if isinstance(slot, Life) else slot.plural


def _chosen(casualties: Casualties, choice: Choice) -> tuple[Slot, ...]:
    if isinstance(casualties, str):
        raise RuleError(f"Name units here; for {casualties} use the option --casualties.")
    chosen: list[Slot] = []
    for place in casualties:
        if not isinstance(place, Slot) or place not in choice.slots:
            what = _name(place) if isinstance(place, Slot) else unit_of(place).plural
            here = not isinstance(place, Life) and choice.army.count(unit_of(place))
            raise RuleError(f"These hits can't take {what}." if here else f"The {choice.side} has no {what}.")
        life = LIFE_OF.get(unit_of(place))
        if life in choice.slots and life not in chosen:
            chosen.append(life)  # of ships the lives go first
        if place not in chosen:
            chosen.append(place)
    return tuple(chosen)
