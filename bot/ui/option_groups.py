"""Options that several commands share, as one parameter of each: a dataclass whose fields are the options."""

import inspect
from collections.abc import Callable, Coroutine
from dataclasses import fields
from functools import wraps
from typing import Any, TypeVar, cast, get_args

from discord import app_commands

from bot.client import Interaction

PRIVATE = "Show the answer only to you"
"""The description of every option `private`."""

CallbackT = TypeVar("CallbackT", bound=Callable[..., Coroutine[Any, Any, None]])


class OptionGroup:
    """Base of the dataclasses. Their fields are `Annotated[type | None, "the description"] = None`."""


def with_groups(callback: CallbackT) -> CallbackT:
    """Give a command the options of its OptionGroup parameters in their places; goes right above the function."""
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
