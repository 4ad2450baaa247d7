"""The parts that people have in a game."""

from sim.core.battle import Seat
from sim.mad_killer_agents.constants import MOST_PLAYERS


def seat_of(number: int) -> Seat:
    """Return a player's seat."""
    return f"player-{number}"


def number_of(seat: Seat) -> int | None:
    """Return the number of a player's seat; None for another seat."""
    return _NUMBERS.get(seat)


_NUMBERS: dict[Seat, int] = {seat_of(number): number for number in range(1, MOST_PLAYERS + 1)}

PLAYER_SEATS: tuple[Seat, ...] = tuple(_NUMBERS)
