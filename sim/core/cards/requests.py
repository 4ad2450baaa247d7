"""Requests for cards; those here need no calculation."""

from abc import abstractmethod

from typing_extensions import override

from sim.core.cards.card import Card
from sim.core.cards.draw import draw_campaign_chart, draw_fight, draw_sheet, draw_tiles
from sim.core.cards.values import CampaignChart, DrawnCard, FightCard, SheetCard, TilesCard
from sim.core.values import Request

_SECONDS = 0.1


class CardRequest(Request):
    """Draws a card. `engines`: whether there are NumPy and numba; without them a card lacks the chances they find."""

    engines: bool = True

    @abstractmethod
    def draw(self) -> Card:
        """Return the card, to be painted as a PNG or written as an SVG."""

    def run(self) -> DrawnCard:
        """Return the card as a PNG. Loads Pillow, so only workers do this."""
        return self.draw().drawn()


class FightCardRequest(CardRequest):
    """Draws a fight."""

    max_seconds = _SECONDS

    card: FightCard

    @override
    def draw(self) -> Card:
        return draw_fight(self.card)


class SheetCardRequest(CardRequest):
    """Draws a list with bars."""

    max_seconds = _SECONDS

    card: SheetCard

    @override
    def draw(self) -> Card:
        return draw_sheet(self.card)


class TilesCardRequest(Request):
    """Draws games to choose from."""

    max_seconds = _SECONDS

    card: TilesCard

    def run(self) -> bytes:
        """Return the card as a PNG."""
        return draw_tiles(self.card).png()


class CampaignChartRequest(CardRequest):
    """Draws how each fighter of a campaign fared."""

    max_seconds = 0.15

    card: CampaignChart

    @override
    def draw(self) -> Card:
        return draw_campaign_chart(self.card)
