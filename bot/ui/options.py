"""Options of commands: autocompletion, groups of options that several commands share, seeds.

The type of a parameter carries its autocompletion: `Annotated[str, RecentText(…)]`. The command itself reads what was
typed, so its errors are answered like all others.
"""

import inspect
import secrets
from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine, Iterable, Sequence
from dataclasses import fields
from functools import wraps
from typing import Annotated, Any, TypeVar, cast, get_args

from discord import app_commands
from pydantic import Field

from bot.client import Client, Interaction
from bot.store.errors import UnavailableError
from bot.store.queries import RecentTextRepository
from bot.ui.text import MAX_CHOICE, MAX_CHOICES, MAX_INTEGER


class CompletedOption(app_commands.Transformer[Client], ABC):
    """An option with autocompletion, of 1 to `limit` characters, or of any length."""

    def __init__(self, limit: int | None = None) -> None:
        self._limit = limit

    @property
    def min_value(self) -> int | None:
        """The minimum length, or the lowest number."""
        return None if self._limit is None else 1

    @property
    def max_value(self) -> int | None:
        """The maximum length, or the highest number."""
        return self._limit

    async def transform(self, _interaction: Interaction, value: float | str, /) -> float | str:
        """Return what was typed."""
        return value

    async def autocomplete(self, interaction: Interaction, value: float | str, /) -> list[app_commands.Choice[Any]]:
        """Return at most 25 choices; none while the database can't be used."""
        try:
            return list(await self.complete(interaction, str(value)))[:MAX_CHOICES]
        except UnavailableError:
            return []

    @abstractmethod
    async def complete(self, interaction: Interaction, typed: str) -> Iterable[app_commands.Choice[Any]]:
        """Return the choices to offer, the best first."""


class RecentText(CompletedOption):
    """A text, completed from the player's recent queries of these kinds."""

    def __init__(self, *kinds: str, limit: int) -> None:
        super().__init__(limit)
        self._kinds = kinds

    async def complete(self, interaction: Interaction, typed: str) -> Iterable[app_commands.Choice[str]]:
        """Return the texts that contain what was typed."""
        return text_choices(text[:MAX_CHOICE] for text in await self.recent(interaction, typed))

    async def recent(self, interaction: Interaction, typed: str) -> list[str]:
        """Return the player's texts that contain what was typed, kind by kind, newest first."""
        repository, key = interaction.client.services[RecentTextRepository], typed.strip().casefold()
        texts = [await repository.list(interaction.user.id, kind) for kind in self._kinds]
        return [text for found in texts for text in found if key in text.casefold()]


def text_choices(texts: Iterable[str]) -> Sequence[app_commands.Choice[str]]:
    """Return a choice for each distinct text, its name and value the same."""
    return [app_commands.Choice(name=text, value=text) for text in dict.fromkeys(texts)]


PRIVATE = "Show the answer only to you"
"""The description of every option `private`."""

CallbackT = TypeVar("CallbackT", bound=Callable[..., Coroutine[Any, Any, None]])


class OptionGroup:
    """Base of dataclasses of options that several commands share.

    Their fields are `Annotated[type | None, "the description"] = None`.
    """


def with_groups(callback: CallbackT) -> CallbackT:
    """Expand a command's OptionGroup parameters into their options; must be the innermost decorator."""
    groups: dict[str, Any] = {}
    parameters: list[inspect.Parameter] = []
    descriptions: dict[str, str] = {}
    for parameter in inspect.signature(callback).parameters.values():
        group = parameter.annotation
        if not (inspect.isclass(group) and issubclass(group, OptionGroup)):
            parameters.append(parameter)
            continue
        groups[parameter.name] = group
        for option in fields(cast("Any", group)):
            annotation, descriptions[option.name] = get_args(option.type)
            parameters.append(parameter.replace(name=option.name, default=option.default, annotation=annotation))

    @wraps(callback)
    async def command(cog: object, interaction: Interaction, **options: object) -> None:
        for name, group in groups.items():
            options[name] = group(**{option.name: options.pop(option.name) for option in fields(group)})
        await callback(cog, interaction, **options)

    vars(command)["__signature__"] = inspect.Signature(parameters)
    return cast("CallbackT", app_commands.describe(**descriptions)(command))


SeedOption = app_commands.Range[int, 0, MAX_INTEGER]
"""The type of a command's seed option."""

Seed = Annotated[int, Field(ge=0, le=MAX_INTEGER)]
"""A seed in a stored query."""

_DICE_BYTES = 16


def new_seed() -> int:
    """Draw a seed."""
    return secrets.randbelow(MAX_INTEGER + 1)


def new_dice_seed() -> bytes:
    """Draw the seed for the dice that create characters and monsters."""
    return secrets.token_bytes(_DICE_BYTES)
