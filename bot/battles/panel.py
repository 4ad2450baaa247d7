"""The panel of a battle: how it stands, what happened last, and buttons that work after a restart.

A choice's button is `b1:<battle>:<version>:<choice>`, what every battle offers is `b2:<battle>:<version>:<what>:<of>`.
Everything else is read from the database at each press.
"""

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Self

import discord

from bot.answers.paginator import MOST_ALT
from bot.battles.presenter import BattlePresenter
from bot.battles.render import PanelText, PanelContent, seat_name
from bot.store.battles.battle import Battle
from bot.store.battles.undo import UndoRequest
from bot.ui.interactions import handled
from bot.ui.text import shortened
from sim.core.battle import LegalAction

if TYPE_CHECKING:
    from bot.app import Fracas

MOST_BUTTONS = 5
MOST_LABEL = 80
_BATTLE = r"(?P<battle>[0-9]{1,18}):(?P<version>[0-9]{1,6})"


def panel_view(
    battle: Battle, face: BattlePresenter, shown: PanelContent, text: PanelText, asked: UndoRequest | None
) -> discord.ui.LayoutView:
    """Lay out a panel with all its buttons."""
    view = text_view(text.parts, shown)
    for row in _rows(_buttons(battle, face, asked)):
        view.add_item(row)
    view.stop()  # the buttons answer by their ids alone
    return view


def text_view(parts: Sequence[str], shown: PanelContent | None = None) -> discord.ui.LayoutView:
    """Lay out texts one below the other, a picture under the first where there is one, a portrait beside it."""
    view: discord.ui.LayoutView = discord.ui.LayoutView(timeout=None)
    container: discord.ui.Container[Any] = discord.ui.Container(accent_colour=None if shown is None else shown.colour)
    for at, part in enumerate(parts):
        if at:
            container.add_item(discord.ui.Separator())
        if not at and shown is not None and (portrait := shown.portrait) is not None:
            thumbnail: discord.ui.Thumbnail[Any] = discord.ui.Thumbnail(
                f"attachment://{portrait.name}", description=shortened(portrait.alt, MOST_ALT)
            )
            container.add_item(discord.ui.Section(part, accessory=thumbnail))
        else:
            container.add_item(discord.ui.TextDisplay(part))
        if not at and shown is not None and (picture := shown.picture) is not None:
            item = discord.MediaGalleryItem(
                f"attachment://{picture.name}", description=shortened(picture.alt, MOST_ALT)
            )
            container.add_item(discord.ui.MediaGallery(item))
    view.add_item(container)
    view.stop()
    return view


def retired_view(battle: Battle, name: str) -> discord.ui.LayoutView:
    """Lay out what stands in the place of an older panel: a link to the new one."""
    place = battle.guild_id or "@me"
    link = f"https://discord.com/channels/{place}/{battle.channel_id}/{battle.panel_id}"
    where = f"is in [a newer message]({link})" if battle.panel_id else "is elsewhere"
    return text_view([f"-# The panel of #{battle.number} {name} {where}."])


def _rows(buttons: Iterator[discord.ui.Button[Any]]) -> Iterator[discord.ui.ActionRow[Any]]:
    every = list(buttons)
    for start in range(0, len(every), MOST_BUTTONS):
        yield discord.ui.ActionRow(*every[start : start + MOST_BUTTONS])


def _buttons(battle: Battle, face: BattlePresenter, asked: UndoRequest | None) -> Iterator[discord.ui.Button[Any]]:
    if battle.is_open:
        yield from _open_buttons(battle, face, asked)
    yield from face.buttons(battle)


def _open_buttons(battle: Battle, face: BattlePresenter, asked: UndoRequest | None) -> Iterator[discord.ui.Button[Any]]:
    free = [] if face.party else [place.seat for place in battle.places if place.is_open]
    for seat in free:
        yield table_button(battle, "join", seat, f"Join as {seat_name(seat)}", "🙋", discord.ButtonStyle.success)
    if not free:
        for at, choice in enumerate(face.offered(battle)):
            yield choice_button(battle, choice, first=at == 0)
    if asked is not None and asked.version == battle.version:
        yield table_button(battle, "agree", "undo", "Agree", "✅")
        yield table_button(battle, "refuse", "undo", "Refuse", "✖️")
    if any(face.secret(battle, [place.seat]) is not None for place in battle.places):
        yield table_button(battle, "look", "own", "Your army", "👁️")


def choice_button(battle: Battle, choice: LegalAction[Any], *, first: bool = False) -> discord.ui.Button[Any]:
    """Make the button of a choice; the first one stands out."""
    style = discord.ButtonStyle.primary if first else discord.ButtonStyle.secondary
    return discord.ui.Button(
        label=shortened(choice.label, MOST_LABEL),
        style=style,
        custom_id=f"b1:{battle.id}:{battle.version}:{choice.name}",
    )


def table_button(
    battle: Battle,
    what: str,
    of: str,
    label: str,
    emoji: str,
    style: discord.ButtonStyle = discord.ButtonStyle.secondary,
) -> discord.ui.Button[Any]:
    """Make a button of what every battle offers."""
    custom_id = f"b2:{battle.id}:{battle.version}:{what}:{of}"
    return discord.ui.Button(label=label, emoji=emoji, style=style, custom_id=custom_id)


class ChoiceButton(
    discord.ui.DynamicItem[discord.ui.Button[Any]], template=rf"b1:{_BATTLE}:(?P<choice>[a-z0-9-]{{1,40}})"
):
    """Something that may be done in a battle."""

    def __init__(self, item: discord.ui.Button[Any], battle_id: int, version: int, choice: str) -> None:
        super().__init__(item)
        self.battle_id, self.version, self.choice = battle_id, version, choice

    @classmethod
    async def from_custom_id(  # type: ignore[override]  # the item is a button, as the template says
        cls, _interaction: "discord.Interaction[Fracas]", item: discord.ui.Button[Any], match: re.Match[str], /
    ) -> Self:
        """Make the button that was pressed."""
        return cls(item, int(match["battle"]), int(match["version"]), match["choice"])

    async def callback(self, interaction: "discord.Interaction[Fracas]") -> None:  # type: ignore[override]  # narrower
        """Do it, or ask for more."""
        async with handled(interaction, "battle"):
            await interaction.client.arena.press(interaction, self.battle_id, self.version, self.choice)


class TableButton(
    discord.ui.DynamicItem[discord.ui.Button[Any]],
    template=rf"b2:{_BATTLE}:(?P<what>[a-z]{{1,20}}):(?P<of>[a-z0-9-]{{1,40}})",
):
    """What every battle offers: join, agree, refuse, look."""

    def __init__(self, item: discord.ui.Button[Any], battle_id: int, version: int, what: str, of: str) -> None:
        super().__init__(item)
        self.battle_id, self.version, self.what, self.of = battle_id, version, what, of

    @classmethod
    async def from_custom_id(  # type: ignore[override]  # the item is a button, as the template says
        cls, _interaction: "discord.Interaction[Fracas]", item: discord.ui.Button[Any], match: re.Match[str], /
    ) -> Self:
        """Make the button that was pressed."""
        return cls(item, int(match["battle"]), int(match["version"]), match["what"], match["of"])

    async def callback(self, interaction: "discord.Interaction[Fracas]") -> None:  # type: ignore[override]  # narrower
        """Do what the button says."""
        async with handled(interaction, self.what):
            await interaction.client.arena.agreements.press(
                interaction, self.battle_id, self.version, self.what, self.of
            )


BATTLE_ITEMS = (ChoiceButton, TableButton)
