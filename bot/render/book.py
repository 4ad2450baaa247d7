"""What a paged answer is made of, whatever its rule system."""

from typing import Protocol


class Book(Protocol):
    """An answer: a headline that stays, and pages to turn. Pages are numbered from 0.

    All text is Discord markdown that can't ping; the headline and any one page together take at most
    `bot.render.text.LAYOUT_TEXT` units, less what the pager's own lines need (`PAGER_TEXT`).
    """

    @property
    def headline(self) -> str:
        """The short answer, on every page."""
        ...

    @property
    def colour(self) -> int:
        """The edge's colour, 0xRRGGBB."""
        ...

    @property
    def long(self) -> bool:
        """Whether the log is so long that its files come along unasked."""
        ...

    def __len__(self) -> int:
        """How many pages there are, at least 1."""
        ...

    def title(self, number: int) -> str:
        """Return the page's name for the jump list, at most 80 units."""
        ...

    def page(self, number: int) -> str:
        """Return the page's text."""
        ...


PAGER_TEXT = 100
"""Units that the pager keeps for itself."""
