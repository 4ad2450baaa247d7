"""Draws cards that need no calculation.

Pillow is imported in `run` only: the process that asks for a card must not load it.
"""

from sim.core.cards.values import DrawnCard, FightCard, SheetCard, TilesCard
from sim.core.values import Request

_SECONDS = 0.1


class FightCardRequest(Request):
    """Draws a fight."""

    max_seconds = _SECONDS

    card: FightCard

    def run(self) -> DrawnCard:
        """Return the card."""
        from sim.core.cards.fight import draw_fight  # noqa: PLC0415

        return draw_fight(self.card)


class SheetCardRequest(Request):
    """Draws a list with bars."""

    max_seconds = _SECONDS

    card: SheetCard

    def run(self) -> DrawnCard:
        """Return the card."""
        from sim.core.cards.sheet import draw_sheet  # noqa: PLC0415

        return draw_sheet(self.card)


class TilesCardRequest(Request):
    """Draws games to choose from."""

    max_seconds = _SECONDS

    card: TilesCard

    def run(self) -> bytes:
        """Return the card as a PNG."""
        from sim.core.cards.tiles import draw_tiles  # noqa: PLC0415

        return draw_tiles(self.card)
