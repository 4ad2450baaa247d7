"""Answers that turn page by page, found again from their buttons' ids after a restart.

A button's id holds what it is for, the calculation, and where it leads: `p1:<calculation>:<role>:<page>` turns,
`j1:<calculation>` jumps, `a1:<calculation>:<action>` acts. Everything else is read from the database at each press.
"""

import io
import re
from typing import TYPE_CHECKING, Any, Self

import discord

from bot.answers.document import Action, Document
from bot.store.queries import StoredQuery
from bot.ui.interactions import caller_of, defer, handled
from bot.ui.progress import shown_progress
from bot.ui.text import shortened
from sim.core.errors import RuleError

if TYPE_CHECKING:
    from bot.app import Fracas

MOST_OPTIONS = 25
MOST_LABEL = 100
MOST_ALT = 1024
_NEIGHBOURS = 3
_ID = r"(?P<id>[\w-]{1,32})"

_FILES = Action("files", "Files", "📄")
_SHARE = Action("share", "Share", "📣")


def jump_targets(count: int, current: int, most: int = MOST_OPTIONS) -> list[int]:
    """Choose at most `most` (9 or more) of `count` pages for a jump list: the ends, neighbours and an even spread."""
    if count <= most:
        return list(range(count))
    near = range(max(0, current - _NEIGHBOURS), min(count, current + _NEIGHBOURS + 1))
    spread = most - len(near)
    return sorted({*near, *(round(at * (count - 1) / (spread - 1)) for at in range(spread))})


def answer_view(book: Document, number: int, calculation_id: str, *, share: bool) -> discord.ui.LayoutView:
    """Lay out one page of an answer with its controls; `share` adds the button that makes a private answer public."""
    view: discord.ui.LayoutView = discord.ui.LayoutView(timeout=None)
    container: discord.ui.Container[Any] = discord.ui.Container(
        discord.ui.TextDisplay(book.headline), accent_colour=book.colour
    )
    picture = book.leaves[number].picture
    if picture is None:
        container.add_item(discord.ui.Separator())
    else:
        item = discord.MediaGalleryItem(f"attachment://{picture.name}", description=shortened(picture.alt, MOST_ALT))
        container.add_item(discord.ui.MediaGallery(item))
    container.add_item(discord.ui.TextDisplay(book.page(number)))
    view.add_item(container)
    if len(book) > 1:
        view.add_item(_turn_row(book, number, calculation_id))
        view.add_item(_jump_row(book, number, calculation_id))
    view.add_item(action_row(calculation_id, (*book.actions, _FILES, *((_SHARE,) if share else ()))))
    # The pages answer by their ids alone: a finished view isn't remembered, so no answer ever costs memory.
    view.stop()
    return view


def action_row(calculation_id: str, buttons: tuple[Action, ...]) -> discord.ui.ActionRow[Any]:
    """Lay out buttons that come back to the calculation's desk."""
    return discord.ui.ActionRow(
        *(
            discord.ui.Button(label=one.label, emoji=one.emoji, custom_id=f"a1:{calculation_id}:{one.action}")
            for one in buttons
        )
    )


def _turn_row(book: Document, number: int, calculation_id: str) -> discord.ui.ActionRow[Any]:
    last = len(book) - 1

    def turn(role: str, emoji: str, to: int) -> discord.ui.Button[Any]:
        return discord.ui.Button(emoji=emoji, custom_id=f"p1:{calculation_id}:{role}:{to}", disabled=to == number)

    here: discord.ui.Button[Any] = discord.ui.Button(
        label=f"{number + 1}/{len(book)}", custom_id=f"p1:{calculation_id}:here:{number}", disabled=True
    )
    return discord.ui.ActionRow(
        turn("first", "⏮️", 0),
        turn("back", "◀️", max(0, number - 1)),
        here,
        turn("next", "▶️", min(last, number + 1)),
        turn("last", "⏭️", last),
    )


def _jump_row(book: Document, number: int, calculation_id: str) -> discord.ui.ActionRow[Any]:
    options = [
        discord.SelectOption(label=shortened(book.leaves[to].title, MOST_LABEL), value=str(to), default=to == number)
        for to in jump_targets(len(book), number)
    ]
    return discord.ui.ActionRow(
        discord.ui.Select(custom_id=f"j1:{calculation_id}", placeholder="Go to …", options=options)
    )


async def find(interaction: "discord.Interaction[Fracas]", calculation_id: str) -> StoredQuery:
    """Read the calculation behind a button; RuleError when it is no longer kept."""
    calculation = await interaction.client.calculations.get(calculation_id)
    if calculation is None:
        raise RuleError("This answer is too old to go on with; please run the command again.")
    return calculation


def is_private(interaction: "discord.Interaction[Fracas]") -> bool:
    """Tell whether the pressed message is seen by the one who pressed alone."""
    return interaction.message is not None and interaction.message.flags.ephemeral


async def defer_in_place(interaction: "discord.Interaction[Fracas]", asker_id: int) -> bool:
    """Defer a press: the pressed message is edited where it is the presser's, else a private copy follows.

    Return whether what follows is private.
    """
    private = is_private(interaction)
    if private or interaction.user.id == asker_id:
        await interaction.response.defer()
        return private
    await defer(interaction, private=True)
    return True


async def show(
    interaction: "discord.Interaction[Fracas]", calculation: StoredQuery, number: int | None, *, private: bool
) -> Document:
    """Put a page of the calculation's answer where the deferred interaction's answer goes; return the book.

    `number`: from 0; None for the one that the book opens at.

    Until then a bar shows how far a long calculation is.
    """
    desk = interaction.client.desks[calculation.kind]
    async with shown_progress(interaction) as progress:
        book = await desk.book(calculation.request, caller_of(interaction), progress)
    number = min(book.opens if number is None else number, len(book) - 1)
    share = private and interaction.user.id == calculation.asker_id
    view = answer_view(book, number, calculation.id, share=share)
    picture = book.leaves[number].picture
    # An edit keeps no picture of another page: each page brings its own, or none.
    attached = [] if picture is None else [discord.File(io.BytesIO(picture.data), picture.name)]
    await interaction.edit_original_response(view=view, attachments=attached)
    return book


class PageTurn(discord.ui.DynamicItem[discord.ui.Button[Any]], template=rf"p1:{_ID}:[a-z]+:(?P<page>[0-9]{{1,6}})"):
    """First, back, next or last."""

    def __init__(self, item: discord.ui.Button[Any], calculation_id: str, page: int) -> None:
        super().__init__(item)
        self.calculation_id = calculation_id
        self.page = page

    @classmethod
    async def from_custom_id(  # type: ignore[override]  # the item is a button, as the template says
        cls, _interaction: "discord.Interaction[Fracas]", item: discord.ui.Button[Any], match: re.Match[str], /
    ) -> Self:
        """Make the button that was pressed."""
        return cls(item, match["id"], int(match["page"]))

    async def callback(self, interaction: "discord.Interaction[Fracas]") -> None:  # type: ignore[override]  # narrower
        """Turn to the page."""
        async with handled(interaction, "turn"):
            calculation = await find(interaction, self.calculation_id)
            private = await defer_in_place(interaction, calculation.asker_id)
            await show(interaction, calculation, self.page, private=private)


class PageJump(discord.ui.DynamicItem[discord.ui.Select[Any]], template=rf"j1:{_ID}"):
    """The jump list."""

    def __init__(self, item: discord.ui.Select[Any], calculation_id: str) -> None:
        super().__init__(item)
        self.calculation_id = calculation_id

    @classmethod
    async def from_custom_id(  # type: ignore[override]  # the item is a select, as the template says
        cls, _interaction: "discord.Interaction[Fracas]", item: discord.ui.Select[Any], match: re.Match[str], /
    ) -> Self:
        """Make the list that was used."""
        return cls(item, match["id"])

    async def callback(self, interaction: "discord.Interaction[Fracas]") -> None:  # type: ignore[override]  # narrower
        """Jump to the chosen page."""
        async with handled(interaction, "jump"):
            chosen = self.item.values[0]
            number = int(chosen) if chosen.isascii() and chosen.isdecimal() and len(chosen) < len("1000000") else 0
            calculation = await find(interaction, self.calculation_id)
            private = await defer_in_place(interaction, calculation.asker_id)
            await show(interaction, calculation, number, private=private)


class HandlerAction(discord.ui.DynamicItem[discord.ui.Button[Any]], template=rf"a1:{_ID}:(?P<action>[a-z]{{1,20}})"):
    """Files, share, and what a desk adds of its own."""

    def __init__(self, item: discord.ui.Button[Any], calculation_id: str, action: str) -> None:
        super().__init__(item)
        self.calculation_id = calculation_id
        self.action = action

    @classmethod
    async def from_custom_id(  # type: ignore[override]  # the item is a button, as the template says
        cls, _interaction: "discord.Interaction[Fracas]", item: discord.ui.Button[Any], match: re.Match[str], /
    ) -> Self:
        """Make the button that was pressed."""
        return cls(item, match["id"], match["action"])

    async def callback(self, interaction: "discord.Interaction[Fracas]") -> None:  # type: ignore[override]  # narrower
        """Do what the button says."""
        async with handled(interaction, self.action):
            calculation = await find(interaction, self.calculation_id)
            if self.action == _FILES.action:
                await defer(interaction, private=True)
                await send_files(interaction, calculation, private=True)
            elif self.action == _SHARE.action:
                await defer(interaction, private=False)
                await show(interaction, calculation, 0, private=False)
            else:
                await interaction.client.desks[calculation.kind].act(interaction, calculation, self.action)


async def send_files(interaction: "discord.Interaction[Fracas]", calculation: StoredQuery, *, private: bool) -> None:
    """Send the calculation's files as a further message of the deferred interaction."""
    desk = interaction.client.desks[calculation.kind]
    files = await desk.files(calculation.request, caller_of(interaction))
    fitting = {name: data for name, data in files.items() if len(data) <= interaction.filesize_limit}
    text = "The whole battle as files."
    if len(fitting) < len(files):
        text = f"Too large to upload here: {', '.join(name for name in files if name not in fitting)}."
    attached = [discord.File(io.BytesIO(data), name) for name, data in fitting.items()]
    await interaction.followup.send(text, files=attached, ephemeral=private)


DYNAMIC_ITEMS = (PageTurn, PageJump, HandlerAction)
