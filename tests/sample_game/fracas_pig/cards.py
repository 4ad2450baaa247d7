"""The card of a game: how far both players have come."""

from collections.abc import Sequence

from fracas_pig.rules import SEATS, State
from sim.core.cards.draw import SheetCard
from sim.core.cards.values import HealthRow


def panel_card(state: State, _state_json: str, _events_json: Sequence[str]) -> SheetCard:
    """Return the request of the card that the panel shows."""
    goal, scores = state.setup.goal, zip(SEATS, state.scores, strict=True)
    rows = tuple(HealthRow.of(seat.capitalize(), score, goal) for seat, score in scores)
    return SheetCard(title=f"First to {goal}", rows=rows)
