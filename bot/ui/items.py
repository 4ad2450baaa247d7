"""Buttons and selects that work after a restart: their custom ids identify them, everything else is read again."""

import re
from abc import abstractmethod
from typing import Any, ClassVar, Generic, Self, TypeVar, cast

import discord

from bot.client import Interaction
from bot.ui.in_flight import InFlight
from bot.ui.interactions import press_boundary

ItemT = TypeVar("ItemT", bound=discord.ui.Button[Any] | discord.ui.Select[Any])


class PersistentItem(discord.ui.DynamicItem[ItemT], Generic[ItemT], template=r"(?!)"):
    """An item that is fully described by its custom id; `match` has the id's parts.

    A subclass defines `template`, `pressed`, and `kind`, the label in the metrics.
    """

    kind: ClassVar[str]

    def __init__(self, item: ItemT, match: re.Match[str]) -> None:
        super().__init__(item)
        self.match = match

    @classmethod
    async def from_custom_id(
        cls, _interaction: discord.Interaction[Any], item: discord.ui.Item[Any], match: re.Match[str], /
    ) -> Self:
        """Build the pressed item."""
        return cls(cast("ItemT", item), match)

    async def interaction_check(self, interaction: discord.Interaction[Any], /) -> bool:
        """Take each press once."""
        in_flight: InFlight = interaction.client.services[InFlight]
        return await in_flight.take(interaction)

    async def callback(self, interaction: discord.Interaction[Any]) -> None:
        """Log and count the press, and reply to errors."""
        async with press_boundary(interaction, self.counted_as):
            await self.pressed(interaction)

    @property
    def counted_as(self) -> str:
        """The label in the metrics."""
        return self.kind

    @abstractmethod
    async def pressed(self, interaction: Interaction) -> None:
        """Handle the press; the interaction is unanswered."""


class PersistentButton(PersistentItem[discord.ui.Button[Any]], template=r"(?!)"):
    """A button that works after a restart."""


class PersistentSelect(PersistentItem[discord.ui.Select[Any]], template=r"(?!)"):
    """A select that works after a restart."""

    @property
    def chosen(self) -> str:
        """The chosen value, empty for none; it may be any text."""
        return "".join(self.item.values[:1])
