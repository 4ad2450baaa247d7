"""Options of commands and fields of modals: what people give, each declared once.

`Annotated[str, Option("what it means", CompletedBy(…))]` stands at a command's parameters, or at the fields of
`Options`, such as a query. The command itself reads what was typed, so its errors are answered like all others. What
is typed into a modal is read from the interaction, so that modals survive a restart.
"""

import asyncio
import inspect
import secrets
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial, wraps
from inspect import get_annotations
from types import NoneType
from typing import Annotated, Any, Self, TypeVar, cast, get_args, get_origin

import aiohttp
import discord
from discord import AppCommandOptionType, app_commands
from pydantic import BaseModel, ConfigDict, Field
from pydantic.fields import FieldInfo

from bot.client import Client, Interaction
from bot.discord_internals import attachment_of, user_of
from bot.store import UnavailableError
from bot.store.queries import MAX_BYTES, RecentTextRepository
from bot.ui import MAX_CHOICE, MAX_CHOICES, MAX_INTEGER, shorten, utf16_length
from sim.core import RuleError
from sim.csv import read_whole

Offer = Callable[[Interaction, str], Awaitable[Iterable[app_commands.Choice[Any]]]]
"""Returns the choices for what was typed, the best first."""


_TEXT = AppCommandOptionType.string


class CompletedBy(app_commands.Transformer[Client]):
    """An option that a function completes: of 1 to `limit` characters, or of any length; or a number from 1 to that."""

    # As discord.py reads them: what Discord takes, and the least and the most of it.
    type: AppCommandOptionType = _TEXT
    min_value: int | None = None
    max_value: int | None = None

    def __init__(self, limit: int | None, offer: Offer, kind: AppCommandOptionType = _TEXT) -> None:
        self.type = kind
        self.min_value = None if limit is None else 1
        self.max_value = limit
        self._offer = offer

    async def transform(self, _interaction: Interaction, value: float | str, /) -> float | str:
        """Return what was typed."""
        return value

    async def autocomplete(self, interaction: Interaction, value: float | str, /) -> list[app_commands.Choice[Any]]:
        """Return at most 25 choices; none while the database can't be used."""
        try:
            return list(await self._offer(interaction, str(value)))[:MAX_CHOICES]
        except UnavailableError:
            return []


async def recent_texts(interaction: Interaction, typed: str, *kinds: str) -> list[str]:
    """Return the player's texts of these kinds that contain what was typed, kind by kind, newest first."""
    repository, key = interaction.client.services[RecentTextRepository], typed.strip().casefold()
    texts = [await repository.list(interaction.user.id, kind) for kind in kinds]
    return [text for found in texts for text in found if key in text.casefold()]


def text_choices(texts: Iterable[str]) -> Sequence[app_commands.Choice[str]]:
    """Return a choice for each distinct text that can be one, its name and value the same."""
    fitting = (text for text in dict.fromkeys(texts) if 0 < utf16_length(text) <= MAX_CHOICE)
    return [app_commands.Choice(name=text, value=text) for text in fitting]


def choices_with(texts: Iterable[str], typed: str) -> Sequence[app_commands.Choice[str]]:
    """Return a choice for each text that contains what was typed."""
    key = typed.strip().casefold()
    return text_choices(text for text in texts if key in text.casefold())


CallbackT = TypeVar("CallbackT", bound=Callable[..., Coroutine[Any, Any, None]])


@dataclass(frozen=True, slots=True)
class Option:
    """How Discord offers a parameter of a command, or a field of `Options`, to the player.

    `takes`: a range or a CompletedBy, in place of the type; a whole number of `Field(ge=…, le=…)` has that range, and a
    text is no longer than its `Entry` takes.
    `choices`: names by the values that they stand for.
    `left_out`: makes the value if the option is left out; without it, that is the default of the parameter or field.
    `rank`: of `Options`, those of a higher one come later, else in the order of their fields.
    """

    description: str
    takes: Any = None
    choices: Mapping[Any, str] | None = None
    left_out: Callable[[], object] | None = None
    rank: int = 0

    def annotation(self, declared: Any, metadata: Sequence[Any], *, required: bool) -> Any:  # noqa: ANN401  # types
        """Return what discord.py reads from a parameter that is declared as a type with metadata."""
        taken: Any
        if isinstance(self.takes, app_commands.Transformer):
            taken = Annotated[str, self.takes]
        elif self.takes is not None:
            taken = self.takes
        elif self.choices is not None:
            taken = type(next(iter(self.choices)))
        elif (limits := limits_of(declared, metadata)) is not None:
            taken = app_commands.Range[int, limits[0], limits[1]]
        else:
            (taken,) = set(get_args(declared) or [declared]) - {NoneType}
            for entry in metadata:
                if isinstance(entry, Entry) and taken is str:
                    taken = app_commands.Range[str, 1, entry.length]
        return taken if required else taken | None


def limits_of(declared: object, metadata: Sequence[Any]) -> tuple[int, int] | None:
    """Return the limits of a type with metadata, or of its arm, by their `Field(ge=…, le=…)`; None without them."""
    found: dict[str, int] = {}
    for each in (*metadata, *(inner for arm in get_args(declared) for inner in get_args(arm))):
        for limit in each.metadata if isinstance(each, FieldInfo) else [each]:
            found |= {name: getattr(limit, name) for name in ("ge", "le") if hasattr(limit, name)}
    return (found["ge"], found["le"]) if len(found) > 1 else None


def read_number(text: str, what: str, minimum: int, maximum: int) -> int:
    """Return a whole number; RuleError, which names the field `what`, if it isn't one or is out of range."""
    try:
        number = read_whole(text.strip()) if text.strip() else None
    except ValueError as error:
        raise RuleError(f"{what}: {error}.") from None
    if number is None or not minimum <= number <= maximum:
        raise RuleError(f"{what}: from {minimum:,} to {maximum:,}.")
    return number


Private = Annotated[bool, Option("Show the answer only to you", rank=3)]
"""The type of every option `private`."""


class Options(BaseModel):
    """Base of options that a command takes together: those of its fields that carry an `Option`."""

    model_config = ConfigDict(frozen=True, arbitrary_types_allowed=True)

    @classmethod
    async def read(cls, _interaction: Interaction, given: dict[str, Any]) -> Self:
        """Return the values of the given options, which Discord has checked; RuleError for what can't be used here."""
        return cls(**given)

    @classmethod
    def offered(cls) -> dict[str, tuple[Option, FieldInfo]]:
        """Return the options by name, by their ranks, those of a class before those of its base alone."""
        named = (name for each in cls.__mro__ if issubclass(each, Options) for name in get_annotations(each))
        fields = {name: cls.model_fields[name] for name in dict.fromkeys(named) if name in cls.model_fields}
        found = [
            (name, option, field)
            for name, field in fields.items()
            for option in field.metadata
            if isinstance(option, Option)
        ]
        return {name: (option, field) for name, option, field in sorted(found, key=lambda each: each[1].rank)}


Transient = Field(exclude=True)
"""Marks an option that isn't stored with its query, because `read` turns it into another field."""


def with_options(callback: CallbackT, *, as_typed: bool = False) -> CallbackT:
    """Make a command's options of its parameters that carry an `Option` and of its `Options`.

    Must be the innermost decorator. A parameter that was left out, or left blank, has its default; `as_typed`: what is
    blank is given, and texts keep the blanks around them.
    """
    groups: dict[str, type[Options]] = {}
    offered: dict[str, Option] = {}
    parameters: list[inspect.Parameter] = []

    def offer(name: str, option: Option, declared: object, metadata: Sequence[Any], *, required: bool) -> None:
        required = required and option.left_out is None
        default = inspect.Parameter.empty if required else None
        taken = option.annotation(declared, metadata, required=required)
        parameters.append(inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=taken))
        offered[name] = option

    for parameter in inspect.signature(callback).parameters.values():
        annotation = parameter.annotation
        if inspect.isclass(annotation) and issubclass(annotation, Options):
            groups[parameter.name] = annotation
            for name, (option, field) in annotation.offered().items():
                offer(name, option, field.annotation, field.metadata, required=field.is_required())
        elif get_origin(annotation) is Annotated:
            declared, *metadata = get_args(annotation)
            (option,) = (each for each in metadata if isinstance(each, Option))
            offer(parameter.name, option, declared, metadata, required=parameter.default is parameter.empty)
        else:
            parameters.append(parameter)

    needed = {each.name for each in parameters if each.default is inspect.Parameter.empty}

    @wraps(callback)
    async def command(cog: object, interaction: Interaction, **options: object) -> None:
        for name, option in offered.items():
            if options.get(name) is None and option.left_out is not None:
                options[name] = option.left_out()
        trims = not as_typed
        typed = {name: value.strip() if trims and isinstance(value, str) else value for name, value in options.items()}
        given = {name: value for name, value in typed.items() if name in needed or value not in {None, ""}}
        for name, group in groups.items():
            own = {option: given.pop(option) for option in group.offered() if option in given}
            given[name] = await group.read(interaction, own)
        await callback(cog, interaction, **given)

    vars(command)["__signature__"] = inspect.Signature(parameters)
    descriptions = {name: option.description for name, option in offered.items()}
    choices = {
        name: [app_commands.Choice(name=text, value=value) for value, text in option.choices.items()]
        for name, option in offered.items()
        if option.choices is not None
    }
    return cast("CallbackT", app_commands.choices(**choices)(app_commands.describe(**descriptions)(command)))


as_typed = partial(with_options, as_typed=True)
"""Makes a command's options, too, with texts just as they were typed."""


def slash(
    group: app_commands.Group | None,
    options: Callable[[Any], Any] = with_options,
    *,
    name: str | None = None,
    says: str | None = None,
    example: str | None = None,
    more: str | None = None,
) -> "Callable[[Callable[..., Coroutine[Any, Any, None]]], app_commands.Command[Any, ..., None]]":
    """Add a command to a group, or beside all groups, with what `options` makes of its parameters.

    Discord shows its docstring, without the full stop, unless it `says` something else. For `/help`: an `example` that
    can be pasted, and `more` as markdown.
    """
    make: Any = app_commands.command if group is None else group.command
    extras = {key: text for key, text in {"example": example, "more": more}.items() if text is not None}

    def added(callback: Callable[..., Coroutine[Any, Any, None]]) -> "app_commands.Command[Any, ..., None]":
        told = says or str(callback.__doc__).removesuffix(".")
        command = make(name=name or callback.__name__, description=told, extras=extras)(options(callback))
        return cast("app_commands.Command[Any, ..., None]", command)

    return added


async def run(
    command: "app_commands.Command[Any, ..., Any]", cog: object, interaction: Interaction, **options: object
) -> None:
    """Run a command as if it was typed with these options, such as for a menu."""
    callback: Callable[..., Awaitable[None]] = command.callback
    await callback(cog, interaction, **options)


Seed = Annotated[int, Field(ge=0, le=MAX_INTEGER)]
"""A seed of a command or in a stored query."""


def seed_option(description: str) -> Option:
    """Return the option of a seed that is drawn if it is left out."""
    return Option(description, app_commands.Range[int, 0, MAX_INTEGER], left_out=new_seed)


def new_seed() -> int:
    """Draw a seed."""
    return secrets.randbelow(MAX_INTEGER + 1)


def new_dice_seed() -> bytes:
    """Draw the seed for the dice that create characters and monsters."""
    return secrets.token_bytes(16)


READ_SECONDS = 10.0
"""Timeout for downloading an attachment."""

_MAX_NAME = 80


@dataclass(frozen=True, slots=True)
class Upload:
    """The content of a file or a saved roster, and its name as the player gave it (escape it with `plain`)."""

    name: str
    data: bytes


async def read_attachment(attachment: discord.Attachment, *, max_bytes: int = MAX_BYTES) -> Upload:
    """Read an attached file; RuleError when it has more than `max_bytes` bytes, or can't be read in time."""
    name = shorten(attachment.filename, _MAX_NAME)
    if attachment.size > max_bytes:
        raise RuleError(_too_large(name, attachment.size, max_bytes))
    try:
        async with asyncio.timeout(READ_SECONDS):
            data = await attachment.read()
    except (discord.DiscordException, aiohttp.ClientError, TimeoutError, OSError):
        raise RuleError(f"Discord didn't hand over the file {name}; please attach it again.") from None
    if len(data) > max_bytes:  # the size was what the sender said
        raise RuleError(_too_large(name, len(data), max_bytes))
    return Upload(attachment.filename, data)


def _too_large(name: str, size: int, max_bytes: int) -> str:
    return f"The file {name} has {-(-size // 1024):,} KiB; at most {max_bytes // 1024:,} KiB are read."


OptionT = TypeVar("OptionT")

Fields = Sequence[discord.ui.Label[Any]]
"""The fields of a form, 1 to 5."""

Typed = Mapping[str, str]
"""What was typed into a form, by its fields' ids."""

_IN_SIGHT = 10
"""The most options of a group of buttons or boxes."""


def form_values(data: dict[str, Any]) -> dict[str, str]:
    """Return the value of each field in a submitted modal's data, at any depth; several with blanks between."""
    values: dict[str, str] = {}
    for child in (*data.get("components", ()), *filter(None, [data.get("component")])):
        if isinstance(child.get("value"), str):
            values[child["custom_id"]] = child["value"]
        elif isinstance(child.get("values"), list):
            values[child["custom_id"]] = " ".join(map(str, child["values"]))
        values |= form_values(child)
    return values


def form_file(interaction: Interaction, field_id: str) -> discord.Attachment | None:
    """Return the file uploaded in a field of the submitted modal, or None."""
    sent = _resolved(interaction, "attachments", field_id)
    return None if sent is None else attachment_of(interaction, sent)


def _resolved(interaction: Interaction, sort: str, field_id: str) -> Any:  # noqa: ANN401  # as it came
    data: dict[str, Any] = dict(interaction.data or {})
    return data.get("resolved", {}).get(sort, {}).get(form_values(data).get(field_id, ""))


@dataclass(frozen=True, slots=True)
class Entry:
    """A field of a form: a text, a whole number within its limits, one of the `choices`, a file, or a person.

    A text may be left empty, and so may a file; who reads them says what is missing. An empty text is None where the
    type of the query's field has it. `length`: the most characters. `first`: what stands in it before anything was
    given. `if_given`: whether the form has it only if it was given before. `choices`: at most 25, texts by their
    values; all of few are in sight, each a press away, and a list is for more. `most`: of several choices, or none,
    with blanks between them; `notes`: a line below some. `is_file`: the query takes the file, and its field stays.
    `is_user`: a member of the server. `id`: in the form, the name of the query's field without it.
    """

    label: str
    length: int = 16
    hint: str | None = None
    long: bool = False
    choices: Mapping[str, str] | None = None
    notes: Mapping[str, str] | None = None
    most: int | None = None
    if_given: bool = False
    first: str | None = None
    is_file: bool = False
    is_user: bool = False
    id: str | None = None

    def field(self, name: str, value: object = None) -> discord.ui.Label[Any]:
        """Return the form's field, filled with a value."""
        item = self._item(self.id or name, ("" if value is None else str(value)) or self.first)
        return discord.ui.Label(text=self.label, description=self.hint, component=item)

    def _item(self, name: str, text: str | None) -> discord.ui.Item[Any]:
        if self.is_file:
            return discord.ui.FileUpload(custom_id=name, required=False, max_values=1)
        if self.is_user:
            return discord.ui.UserSelect(custom_id=name, required=True)
        if self.choices is not None:
            return self._choice(name, self.choices, text)
        style = discord.TextStyle.paragraph if self.long else discord.TextStyle.short
        return discord.ui.TextInput(custom_id=name, style=style, default=text, required=False, max_length=self.length)

    def _choice(self, name: str, choices: Mapping[str, str], text: str | None) -> discord.ui.Item[Any]:
        marked, notes = [text] if self.most is None else (text or "").split(), self.notes or {}

        def offered(option: Callable[..., OptionT]) -> list[OptionT]:
            return [
                option(label=label, value=value, default=value in marked, description=notes.get(value))
                for value, label in choices.items()
            ]

        required, in_sight = self.most is None, len(choices) <= _IN_SIGHT
        counts: dict[str, Any] = {"required": required, "min_values": int(required), "max_values": self.most or 1}
        if required and in_sight and len(choices) > 1:
            return discord.ui.RadioGroup(custom_id=name, options=offered(discord.RadioGroupOption))
        if not required and in_sight:
            return discord.ui.CheckboxGroup(custom_id=name, options=offered(discord.CheckboxGroupOption), **counts)
        return discord.ui.Select(custom_id=name, options=offered(discord.SelectOption), **counts)

    @staticmethod
    def read(name: str, typed: str, field: FieldInfo) -> object:
        """Return the value of what was typed; RuleError if it isn't a number within the field's limits."""
        optional = NoneType in get_args(field.annotation)
        if optional and not typed.strip():
            return None
        if (limits := limits_of(field.annotation, field.metadata)) is not None:
            return read_number(typed, name.replace("_", " ").capitalize(), *limits)
        return typed.strip() if optional else typed


def entry_fields(entries: Mapping[str, Entry], values: Typed) -> list[discord.ui.Label[Any]]:
    """Return a form's fields, filled with what was typed before."""
    return [entry.field(name, values.get(name)) for name, entry in entries.items()]


def form_user(interaction: Interaction, field_id: str) -> discord.User:
    """Return the user chosen in a field of the submitted modal; RuleError if there is none."""
    if (sent := _resolved(interaction, "users", field_id)) is None:
        raise RuleError("Choose a player.")
    return user_of(interaction, sent)
