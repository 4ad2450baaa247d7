"""Common layouts: texts with or without pictures."""

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import discord

from bot.ui.text import MAX_ALT, MAX_BUTTONS, shorten


@dataclass(frozen=True, slots=True)
class Picture:
    """An image file; `alt` describes it for people who can't see it."""

    name: str
    data: bytes
    alt: str

    def file(self) -> discord.File:
        """Return the file to attach; it can be sent once."""
        return discord.File(io.BytesIO(self.data), self.name)


def plain_view(text: str) -> discord.ui.LayoutView:
    """Lay out one text without a frame."""
    view: discord.ui.LayoutView = discord.ui.LayoutView(timeout=None)
    view.add_item(discord.ui.TextDisplay(text))
    view.stop()  # buttons added to it work by their ids alone
    return view


def text_view(
    parts: Sequence[str],
    *,
    colour: int | None = None,
    picture: Picture | None = None,
    portrait: Picture | None = None,
) -> discord.ui.LayoutView:
    """Lay out texts in a frame, the picture below the first one and the portrait beside it."""
    view: discord.ui.LayoutView = discord.ui.LayoutView(timeout=None)
    container: discord.ui.Container[Any] = discord.ui.Container(accent_colour=colour)
    for at, part in enumerate(parts):
        if at:
            container.add_item(discord.ui.Separator())
        if not at and portrait is not None:
            thumbnail: discord.ui.Thumbnail[Any] = discord.ui.Thumbnail(
                f"attachment://{portrait.name}", description=shorten(portrait.alt, MAX_ALT)
            )
            container.add_item(discord.ui.Section(part, accessory=thumbnail))
        else:
            container.add_item(discord.ui.TextDisplay(part))
        if not at and picture is not None:
            container.add_item(gallery(picture))
    view.add_item(container)
    view.stop()
    return view


def button_rows(buttons: Sequence[discord.ui.Button[Any]]) -> Iterator[discord.ui.ActionRow[Any]]:
    """Lay out buttons in rows."""
    for start in range(0, len(buttons), MAX_BUTTONS):
        yield discord.ui.ActionRow(*buttons[start : start + MAX_BUTTONS])


def gallery(picture: Picture) -> discord.ui.MediaGallery[Any]:
    """Build the item that shows an attached picture."""
    item = discord.MediaGalleryItem(f"attachment://{picture.name}", description=shorten(picture.alt, MAX_ALT))
    return discord.ui.MediaGallery(item)
