"""Layouts that every part of the bot uses: texts one below the other, with or without pictures."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import discord

from bot.ui.limits import MAX_ALT
from bot.ui.text import shorten


@dataclass(frozen=True, slots=True)
class Picture:
    """A file to be shown in place; `alt` describes it for those who can't see it."""

    name: str
    data: bytes
    alt: str


def plain_view(text: str) -> discord.ui.LayoutView:
    """Lay out one text without a frame."""
    view: discord.ui.LayoutView = discord.ui.LayoutView(timeout=None)
    view.add_item(discord.ui.TextDisplay(text))
    view.stop()  # whatever buttons join it answer by their ids alone
    return view


def text_view(
    parts: Sequence[str],
    *,
    colour: int | None = None,
    picture: Picture | None = None,
    portrait: Picture | None = None,
) -> discord.ui.LayoutView:
    """Lay out texts one below the other in a frame, the picture under the first one, the portrait beside it."""
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


def gallery(picture: Picture) -> discord.ui.MediaGallery[Any]:
    """Make the item that shows an attached picture."""
    item = discord.MediaGalleryItem(f"attachment://{picture.name}", description=shorten(picture.alt, MAX_ALT))
    return discord.ui.MediaGallery(item)
