"""How a player is told privately that something can't be done, whatever the interaction has been answered with."""

from typing import TYPE_CHECKING

import discord

from bot.answers.document import Action
from bot.answers.handler import FIX_ACTION
from bot.answers.paginator import action_row

if TYPE_CHECKING:
    from bot.app import Fracas

_MEND = Action(FIX_ACTION, "Mend it", "✏️")


async def tell_privately(interaction: "discord.Interaction[Fracas]", text: str, draft: str | None) -> None:
    """Tell a refusal; `draft`: the calculation that keeps what was typed, so that it can be mended."""
    view = _text_view(text)
    if draft is not None:
        view.add_item(action_row(draft, (_MEND,)))
    if not interaction.response.is_done():
        await interaction.response.send_message(view=view, ephemeral=True)
    elif interaction.response.type is not discord.InteractionResponseType.deferred_channel_message:
        await interaction.followup.send(view=view, ephemeral=True)
    elif interaction.extras.get("private"):
        await interaction.edit_original_response(view=view)
    else:
        # A public "thinking" message can't turn private, and while it thinks every followup would take its place:
        # it is settled first, then the player is told, then it goes.
        await interaction.edit_original_response(view=_text_view("-# This one can't be answered."))
        await interaction.followup.send(view=view, ephemeral=True)
        await interaction.delete_original_response()


def _text_view(text: str) -> discord.ui.LayoutView:
    view: discord.ui.LayoutView = discord.ui.LayoutView(timeout=None)
    view.add_item(discord.ui.TextDisplay(text))
    view.stop()  # its buttons answer by their ids alone
    return view
