"""What is said of battles of every system: seats, rows without events of their own, how it ended."""

from sim.core.battle import Outcome, Seat
from sim.core.journal import Entry, Kind
from sim.core.numbers import quantity


def seat_name(seat: Seat) -> str:
    """Return a seat's name for players: "member 2"."""
    return seat.replace("-", " ")


def seat_phrase(seat: Seat) -> str:
    """Return a seat's name in a sentence: "the attacker", but "member 2"."""
    name = seat_name(seat)
    return name if name[-1:].isdigit() else f"the {name}"


def row_line(entry: Entry) -> str:
    """Return what is said of an undo, and of the row that closes a battle."""
    if entry.kind is Kind.UNDO:
        return f"{seat_phrase(entry.seat).capitalize()} takes back what came after step {entry.back_to}."
    return "The battle is closed."


def ending_sentence(outcome: Outcome | None) -> str:
    """Return who won and why the battle ended; None for one that was never decided."""
    if outcome is None:
        return "The battle was never decided."
    winner = "Nobody" if outcome.winner is None else seat_phrase(outcome.winner)
    after = f" after {quantity(outcome.rounds, 'round')}" if outcome.rounds else ""
    return f"{winner[:1].upper()}{winner[1:]} wins{after}: {outcome.why}."
