"""Sentences about battles of every system: seats, rows without events of their own, the ending."""

from collections.abc import Mapping

from sim.core.battle import Outcome, Seat
from sim.core.journal import Entry, Kind
from sim.core.numbers import quantity
from sim.core.values import Ending


def seat_name(seat: Seat) -> str:
    """Return a seat's name for players: "member 2"."""
    return seat.replace("-", " ")


def seat_phrase(seat: Seat) -> str:
    """Return a seat's name in a sentence: "the attacker", but "member 2"."""
    name = seat_name(seat)
    return name if name[-1:].isdigit() else f"the {name}"


_TABLE: Mapping[str, str] = {
    "set": "The clock is set.",
    "pause": "The clock is stopped.",
    "go-on": "The clock goes on.",
    "extend": "This turn lasts longer.",
    "ask": "Time is up: the referee is asked.",
    "away": "A player is away, so Fracas plays for them.",
    "replace": "Another player took over {}.",
    "remove": "The referee takes {} out of the battle.",
    "hand-over": "The battle has another referee.",
    "close": "Joining is closed.",
    "open": "Joining is open again.",
}
"""What was done to the clock or the seats, by the word in the row's action; {} is the seat."""


def table_line(done: str, seat: Seat) -> str:
    """Return a sentence about the clock or the seats, without names of people."""
    return _TABLE.get(done, "Something about the table is changed.").format(seat_phrase(seat))


def row_line(entry: Entry) -> str:
    """Return what is said of a row that is no step."""
    if entry.kind is Kind.UNDO:
        return f"{seat_phrase(entry.seat).capitalize()} takes back what came after step {entry.back_to}."
    if entry.kind is Kind.END:
        return "The battle is closed."
    action = entry.action if isinstance(entry.action, dict) else {}
    return table_line(str(action.get("do")), str(action.get("seat", entry.seat)))


def ending_sentence(outcome: Outcome | None) -> str:
    """Return who won and why the battle ended; None for one that was never decided."""
    if outcome is None:
        return "The battle was never decided."
    winner, when = ("nobody", "after") if outcome.winner is None else (seat_name(outcome.winner), "in")
    rounds = f" {when} {quantity(outcome.rounds, 'round')}" if outcome.rounds else ""
    why = "" if outcome.ending is Ending.ANNIHILATION else f": {outcome.why}"
    return f"{winner.capitalize()} wins{rounds}{why}."
