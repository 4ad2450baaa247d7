"""Options that carry their autocompletion: the types of parameters of commands, as in `Annotated[str, RecentText(…)]`.

The command gets what was typed, and reads it: so its errors are answered like all others.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any

from discord import app_commands

from bot.client import Client, Interaction
from bot.store.recent_texts import RecentTextRepository
from bot.ui.limits import MAX_CHOICE, MAX_CHOICES


class CompletedOption(app_commands.Transformer[Client], ABC):
    """An option of 1 to `limit` characters that is completed while a player types; without a limit, of any length."""

    def __init__(self, limit: int | None = None) -> None:
        self._limit = limit

    @property
    def min_value(self) -> int | None:
        """The fewest characters, or the lowest number."""
        return None if self._limit is None else 1

    @property
    def max_value(self) -> int | None:
        """The most characters, or the highest number."""
        return self._limit

    async def transform(self, _interaction: Interaction, value: float | str, /) -> float | str:
        """Return what was typed."""
        return value

    async def autocomplete(self, interaction: Interaction, value: float | str, /) -> list[app_commands.Choice[Any]]:
        """Return at most 25 choices."""
        return list(await self.complete(interaction, str(value)))[:MAX_CHOICES]

    @abstractmethod
    async def complete(self, interaction: Interaction, typed: str) -> Iterable[app_commands.Choice[Any]]:
        """Return the choices to offer, the best first."""


class RecentText(CompletedOption):
    """A text, completed from those that the player sent lately as queries of these kinds."""

    def __init__(self, *kinds: str, limit: int) -> None:
        super().__init__(limit)
        self._kinds = kinds

    async def complete(self, interaction: Interaction, typed: str) -> Iterable[app_commands.Choice[str]]:
        """Return the texts that hold what was typed."""
        return text_choices(text[:MAX_CHOICE] for text in await self.recent(interaction, typed))

    async def recent(self, interaction: Interaction, typed: str) -> list[str]:
        """Return the player's texts that hold what was typed: kind by kind, the newest first."""
        repository, key = interaction.client.services[RecentTextRepository], typed.strip().casefold()
        texts = [await repository.list(interaction.user.id, kind) for kind in self._kinds]
        return [text for found in texts for text in found if key in text.casefold()]


def text_choices(texts: Iterable[str]) -> Sequence[app_commands.Choice[str]]:
    """Return each text once, as a choice that is called like its value."""
    return [app_commands.Choice(name=text, value=text) for text in dict.fromkeys(texts)]
