"""The layout of a paged answer: one page and its controls.

Custom ids: `p1:<query>:<role>:<page>` turns the page, `j1:<query>` jumps, `a1:<query>:<action>` acts. Everything else
is read from the database at each press.
"""

from typing import Any

import discord

from bot.answers.document import Action, Document
from bot.ui.layout import button_rows, gallery
from bot.ui.text import MAX_CHOICE, MAX_CHOICES, shorten

_NEIGHBORS = 3

FILES = Action("files", "Files", "📄")
SHARE = Action("share", "Share", "📣")


def jump_targets(count: int, current: int, limit: int = MAX_CHOICES) -> list[int]:
    """Choose at most `limit` (9 or more) of `count` pages: the neighbors and an even spread from end to end."""
    if count <= limit:
        return list(range(count))
    near = range(max(0, current - _NEIGHBORS), min(count, current + _NEIGHBORS + 1))
    spread = limit - len(near)
    return sorted({*near, *(round(at * (count - 1) / (spread - 1)) for at in range(spread))})


def answer_view(document: Document, number: int, query_id: str, *, share: bool) -> discord.ui.LayoutView:
    """Lay out one page of an answer with its controls; `share` adds the button that makes a private answer public."""
    view: discord.ui.LayoutView = discord.ui.LayoutView(timeout=None)
    container: discord.ui.Container[Any] = discord.ui.Container(
        discord.ui.TextDisplay(document.headline), accent_colour=document.colour
    )
    picture = document.pages[number].picture
    if picture is None:
        container.add_item(discord.ui.Separator())
    else:
        container.add_item(gallery(picture))
    container.add_item(discord.ui.TextDisplay(document.page(number)))
    view.add_item(container)
    if len(document) > 1:
        view.add_item(_turn_row(document, number, query_id))
        view.add_item(_jump_row(document, number, query_id))
    actions = (*document.actions, FILES, *((SHARE,) if share else ()))
    for row in button_rows(_action_buttons(query_id, actions)):
        view.add_item(row)
    # The items work by their ids alone; a stopped view isn't kept in memory.
    view.stop()
    return view


def action_row(query_id: str, buttons: tuple[Action, ...]) -> discord.ui.ActionRow[Any]:
    """Lay out buttons that the stored query's handler acts on."""
    return discord.ui.ActionRow(*_action_buttons(query_id, buttons))


def _action_buttons(query_id: str, buttons: tuple[Action, ...]) -> list[discord.ui.Button[Any]]:
    return [
        discord.ui.Button(
            label=button.label,
            emoji=button.emoji,
            style=discord.ButtonStyle.danger if button.is_dangerous else discord.ButtonStyle.secondary,
            custom_id=f"a1:{query_id}:{button.action}",
        )
        for button in buttons
    ]


def _turn_row(document: Document, number: int, query_id: str) -> discord.ui.ActionRow[Any]:
    last = len(document) - 1

    def turn(role: str, emoji: str, to: int) -> discord.ui.Button[Any]:
        return discord.ui.Button(emoji=emoji, custom_id=f"p1:{query_id}:{role}:{to}", disabled=to == number)

    here: discord.ui.Button[Any] = discord.ui.Button(
        label=f"{number + 1}/{len(document)}", custom_id=f"p1:{query_id}:here:{number}", disabled=True
    )
    return discord.ui.ActionRow(
        turn("first", "⏮️", 0),
        turn("back", "◀️", max(0, number - 1)),
        here,
        turn("next", "▶️", min(last, number + 1)),
        turn("last", "⏭️", last),
    )


def _jump_row(document: Document, number: int, query_id: str) -> discord.ui.ActionRow[Any]:
    options = [
        discord.SelectOption(label=shorten(document.pages[to].title, MAX_CHOICE), value=str(to), default=to == number)
        for to in jump_targets(len(document), number)
    ]
    return discord.ui.ActionRow(discord.ui.Select(custom_id=f"j1:{query_id}", placeholder="Go to …", options=options))
