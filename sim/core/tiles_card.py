"""The card of games to choose from: a tile for each, with its silhouette, its name and one line."""

from typing import Annotated

from pydantic import Field

from sim.core.silhouettes import Silhouette
from sim.core.values import Frozen, Request


class Tile(Frozen):
    """A game: its silhouette in `color` ("#rrggbb"), its title, and a line of at most some words."""

    icon: Silhouette
    color: Annotated[str, Field(pattern=r"^#[0-9a-f]{6}$")]
    title: Annotated[str, Field(max_length=40)]
    line: Annotated[str, Field(max_length=80)]


class TilesCard(Request):
    """Draws tiles, three in a row."""

    max_seconds = 0.1

    title: str
    tiles: tuple[Tile, ...]

    def run(self) -> bytes:
        """Return the card as a PNG."""
        # Not at the top: the process that asks must not load Pillow.
        from sim.core.cards.tiles import draw_tiles  # noqa: PLC0415

        return draw_tiles(self)
