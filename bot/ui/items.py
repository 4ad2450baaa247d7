"""Buttons and lists that work after a restart: found again by their custom ids, everything else is read anew."""

import re
from abc import abstractmethod
from typing import Any, ClassVar, Generic, Self, TypeVar, cast

import discord

from bot.client import Interaction
from bot.ui.interactions import press_boundary

ItemT = TypeVar("ItemT", bound=discord.ui.Button[Any] | discord.ui.Select[Any])


class PersistentItem(discord.ui.DynamicItem[ItemT], Generic[ItemT], template=r"(?!)"):
    """An item that its custom id alone describes; `match` has the id's parts.

    A subclass gives the `template` and `pressed`, and says what presses count as in the metrics by `kind`.
    """

    kind: ClassVar[str]

    def __init__(self, item: ItemT, match: re.Match[str]) -> None:
        super().__init__(item)
        self.match = match

    @classmethod
    async def from_custom_id(
        cls, _interaction: discord.Interaction[Any], item: discord.ui.Item[Any], match: re.Match[str], /
    ) -> Self:
        """Make the item that was pressed."""
        return cls(cast("ItemT", item), match)

    async def callback(self, interaction: discord.Interaction[Any]) -> None:
        """Log and count the press, and answer whatever goes wrong."""
        async with press_boundary(interaction, self.counted_as):
            await self.pressed(interaction)

    @property
    def counted_as(self) -> str:
        """What the press counts as in the metrics."""
        return self.kind

    @abstractmethod
    async def pressed(self, interaction: Interaction) -> None:
        """Do what the press asks for; the interaction is unanswered."""


class PersistentButton(PersistentItem[discord.ui.Button[Any]], template=r"(?!)"):
    """A button that works after a restart."""


class PersistentSelect(PersistentItem[discord.ui.Select[Any]], template=r"(?!)"):
    """A list that works after a restart."""

    @property
    def chosen(self) -> str:
        """The value that was chosen."""
        return self.item.values[0]
