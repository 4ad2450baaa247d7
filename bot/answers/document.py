"""The parts of a paged answer, whatever the game."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bot.ui.layout import Picture
from bot.ui.limits import LAYOUT_TEXT
from bot.ui.text import shortened, utf16_length

PAGER_TEXT = 100
"""Units of a message's text that the pager keeps for itself."""


@dataclass(frozen=True, slots=True)
class Page:
    """One page: its title for the jump list (at most 100 units), its text, written when it is turned to."""

    title: str
    write: Callable[[], str]
    picture: Picture | None = None


@dataclass(frozen=True, slots=True)
class Action:
    """A button of a game's own under its answers; `action` (lower-case letters) comes back to its handler."""

    action: str
    label: str
    emoji: str


EDIT_ACTION = "edit"
"""The action of a button that opens the form of an answer."""

EDIT = Action(EDIT_ACTION, "Edit", "✏️")

FIX_ACTION = "mend"
"""The action of the button that opens the form of a rejected query."""

FIX = Action(FIX_ACTION, "Mend it", "✏️")


@dataclass(frozen=True, slots=True)
class Document:
    """An answer: a headline on every page, and pages (one at least) to turn, numbered from 0.

    All text is Discord markdown that can't ping. `colour`: the edge's, 0xRRGGBB. `long`: whether the log is so long
    that its files come along unasked. `opens`: the page that a new answer begins with.
    """

    headline: str
    colour: int
    pages: Sequence[Page]
    actions: Sequence[Action] = ()
    long: bool = False
    opens: int = 0

    def __len__(self) -> int:
        return len(self.pages)

    def page(self, number: int) -> str:
        """Return the text of a page, cut where it would burst the message."""
        return shortened(self.pages[number].write(), room(self.headline))


def room(headline: str) -> int:
    """Return the units of text that a page under this headline may take."""
    return LAYOUT_TEXT - PAGER_TEXT - utf16_length(headline)
