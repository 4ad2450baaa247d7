"""What the small Discord knows: channels, messages, interactions, and how it writes them down; and its people.

They type commands, press buttons, choose from lists and fill in forms, as Discord's own client lets them.
"""

import base64
import re
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count
from typing import TYPE_CHECKING, Any

from simcord.components import resolve_attachment_references, validate_components
from simcord.interactions import nest_options, validate_option_value, walk_to_subcommand

from tests.bot import payloads
from tests.tables import kept_texts

if TYPE_CHECKING:
    from tests.live.discord_server import LittleDiscord

Json = dict[str, Any]

EPHEMERAL, LOADING = 1 << 6, 1 << 7
COMMAND, COMPONENT, AUTOCOMPLETE, MODAL = 2, 3, 4, 5
MESSAGE, DEFERRED, DEFERRED_UPDATE, UPDATE, CHOICES, FORM = 4, 5, 6, 7, 8, 9
ALLOWED = {
    COMMAND: {MESSAGE, DEFERRED, FORM},
    COMPONENT: {MESSAGE, DEFERRED, DEFERRED_UPDATE, UPDATE, FORM},
    AUTOCOMPLETE: {CHOICES},
    MODAL: {MESSAGE, DEFERRED, DEFERRED_UPDATE, UPDATE},
}
"""How each kind of interaction may be answered."""

# A progress bar, what stands for a moment where a public answer makes way for a private one, and that dice are awaited.
_PROVISIONAL = re.compile(r"[▰▱]|-# ⏳|-# This one can't be answered|🎲 Your press is taken")
_EPOCH_MS = 1_420_070_400_000
_numbers = count()


def snowflake(seconds_ago: int = 0) -> int:
    """Return a new id, which holds the time as Discord's do."""
    return (int((time.time() - seconds_ago) * 1000) - _EPOCH_MS) << 22 | next(_numbers) % (1 << 22)


def now() -> str:
    return datetime.now(UTC).isoformat()


@dataclass(eq=False)
class User:
    name: str
    bot: bool = False
    permissions: int = 1 << 10 | 1 << 11 | 1 << 15 | 1 << 31  # see, send, attach, use commands
    id: int = field(default_factory=snowflake)

    def json(self) -> Json:
        own = {"id": str(self.id), "username": self.name, "global_name": self.name, "avatar": None, "bot": self.bot}
        return kept_texts(__file__, "user") | own

    def member_json(self, *, permissions: bool = False) -> Json:
        member = kept_texts(__file__, "member") | {"user": self.json(), "joined_at": now()}
        return member | ({"permissions": str(self.permissions)} if permissions else {})


@dataclass(eq=False)
class Channel:
    """A channel of the server, or with `guild_id` None a direct message.

    `reachable`: whether the bot is let in; else its users brought it along. `parent_id`: the channel of a thread.
    `tags`: a forum's, `applied`: the ids of those of a post. `renamed`: when a thread was, by the API's clock.
    """

    name: str
    guild_id: int | None
    reachable: bool = True
    parent_id: int | None = None
    kind: int = 0
    archived: bool = False
    locked: bool = False
    tags: list[Json] = field(default_factory=list)
    applied: list[str] = field(default_factory=list)
    renamed: list[float] = field(default_factory=list)
    id: int = field(default_factory=snowflake)

    def json(self) -> Json:
        if self.guild_id is None:
            return {"id": str(self.id), "type": 1, "recipients": [], "last_message_id": None}
        written = kept_texts(__file__, "channel") | {"guild_id": str(self.guild_id), "name": self.name}
        written |= {"id": str(self.id), "type": self.kind, "available_tags": self.tags}
        if self.parent_id is not None:
            lasts: Json = {"archived": self.archived, "locked": self.locked, "auto_archive_duration": 1440}
            lasts |= {"archive_timestamp": now()}
            written |= {"type": 11, "parent_id": str(self.parent_id), "owner_id": "1", "thread_metadata": lasts}
            written |= {"message_count": 0, "member_count": 1, "applied_tags": self.applied}
        return written


@dataclass(eq=False)
class Stored:
    """A file that Discord keeps."""

    name: str
    data: bytes
    url: str
    description: str | None = None
    id: int = field(default_factory=snowflake)

    def json(self) -> Json:
        address = f"{self.url}/attachments/{self.id}/{self.name}"
        entry = {"id": str(self.id), "filename": self.name, "size": len(self.data), "url": address}
        entry |= {} if self.description is None else {"description": self.description}
        return entry | {"proxy_url": address, "content_type": "application/octet-stream"}


@dataclass(eq=False)
class Message:
    """A message; `edits` counts how often it was changed, `replies_to` is the one that it answers."""

    channel: Channel
    author: User
    body: Json = field(default_factory=dict)
    files: list[Stored] = field(default_factory=list)
    flags: int = 0
    edits: int = 0
    deleted: bool = False
    replies_to: int | None = None
    sent: str = field(default_factory=now)
    id: int = field(default_factory=snowflake)

    @property
    def components(self) -> list[Json]:
        """All components, nested ones too."""
        return list(payloads.components(self.body.get("components") or []))

    @property
    def text(self) -> str:
        """What a reader reads, without the backslashes and the blanks that never break."""
        texts = [node["content"] for node in self.components if node["type"] == payloads.TEXT]
        whole = "\n".join([self.body.get("content") or "", *texts]).strip()
        return whole.replace("\\", "").replace("\N{NO-BREAK SPACE}", " ")

    @property
    def private(self) -> bool:
        return bool(self.flags & EPHEMERAL)

    @property
    def buttons(self) -> list[str]:
        """The labels, or emoji, of the buttons that can be pressed."""
        return [payloads.label(node) for node in payloads.pressable(self.components)]

    def json(self) -> Json:
        files = [file.json() for file in self.files]
        parts = validate_components(self.body.get("components") or [], flags=self.flags)
        return kept_texts(__file__, "message") | {
            "id": str(self.id),
            "channel_id": str(self.channel.id),
            "author": self.author.json(),
            "content": self.body.get("content") or "",
            "timestamp": self.sent,
            "edited_timestamp": now() if self.edits else None,
            "attachments": files,
            "embeds": self.body.get("embeds") or [],
            "components": resolve_attachment_references(parts, files),
            "flags": self.flags,
            "application_id": str(self.author.id),
        }


@dataclass(eq=False)
class Exchange:
    """An interaction, and all that the bot answered."""

    kind: int
    user: User
    channel: Channel
    data: Json
    pressed: Message | None = None
    response: Json | None = None
    original: Message | None = None
    thinking: bool = False
    followups: list[Message] = field(default_factory=list)
    edits: int = 0
    sent_at: float = 0.0
    id: int = field(default_factory=snowflake)

    @property
    def token(self) -> str:
        return base64.urlsafe_b64encode(f"interaction:{self.id}:{'x' * 40}".encode()).decode().rstrip("=")

    @property
    def ended(self) -> bool:
        """Whether the player sees an answer: not only that the bot thinks, or took note, or how far it is."""
        if self.response is None or self.thinking:
            return False
        if self.original is not None and not self.original.deleted and _PROVISIONAL.match(self.original.text):
            return False
        said = [message for message in self.followups if not _PROVISIONAL.match(message.text)]
        return self.response["type"] != DEFERRED_UPDATE or bool(self.edits or said)

    @property
    def text(self) -> str:
        """What the player reads in all answers together."""
        own = [] if self.original is None or self.original.deleted else [self.original]
        return "\n".join(message.text for message in (*own, *self.followups) if not message.deleted)

    @property
    def message(self) -> Message:
        """The answer."""
        assert self.original is not None, self
        return self.original

    @property
    def form(self) -> Json:
        """The form that was opened."""
        assert self.response is not None
        assert self.response["type"] == FORM, self.text
        form: Json = self.response["data"]
        return form


USER, CHANNEL, ATTACHMENT = 6, 7, 11
FILE_UPLOAD = 19

File = tuple[str, bytes]
Value = "str | float | bool | File | Player"


class Player:
    """Somebody in a channel. Every deed waits for the answer unless `wait` is False."""

    def __init__(self, discord: "LittleDiscord", user: User, channel: Channel) -> None:
        self._discord = discord
        self.user = user
        self.channel = channel

    def at(self, channel: Channel) -> "Player":
        """Return the same person in another channel."""
        return Player(self._discord, self.user, channel)

    async def slash(self, command: str, *, wait: bool = True, **options: Any) -> Exchange:  # noqa: ANN401  # Value
        """Type a command such as "aa battle"; an option is a text, a number, a file or a player."""
        data, definition = self._command_data(command, options)
        missing = [one["name"] for one in definition.get("options", ()) if one.get("required")]
        assert set(missing) <= options.keys(), f"/{command} needs {missing}"
        return await self._send(Exchange(COMMAND, self.user, self.channel, data), wait=wait)

    async def complete(self, command: str, focused: str, **options: Any) -> list[str]:  # noqa: ANN401  # Value
        """Type into an option, and return what is suggested."""
        data, _ = self._command_data(command, options, focused)
        exchange = await self._send(Exchange(AUTOCOMPLETE, self.user, self.channel, data), wait=True)
        assert exchange.response is not None
        return [choice["value"] for choice in exchange.response["data"]["choices"]]

    async def press(self, message: Message, button: str, *, wait: bool = True) -> Exchange:
        """Press the button with this label or emoji."""
        found = [node for node in payloads.pressable(message.components) if payloads.label(node) == button]
        assert len(found) == 1, f"{button!r} is not one of {message.buttons}"
        return await self.press_id(message, found[0]["custom_id"], wait=wait)

    async def press_id(self, message: Message, custom_id: str, *, wait: bool = True) -> Exchange:
        """Press a button by its id, even one that the message no longer has."""
        data = {"custom_id": custom_id, "component_type": payloads.BUTTON, "id": 1}
        return await self._send(Exchange(COMPONENT, self.user, self.channel, data, pressed=message), wait=wait)

    async def choose(self, message: Message, *values: str, wait: bool = True) -> Exchange:
        """Choose from the list that has these values."""
        lists = [node for node in message.components if node["type"] == payloads.SELECT]
        (chosen,) = [one for one in lists if set(values) <= {option["value"] for option in one["options"]}]
        data = {"custom_id": chosen["custom_id"], "component_type": payloads.SELECT, "values": list(values), "id": 1}
        return await self._send(Exchange(COMPONENT, self.user, self.channel, data, pressed=message), wait=wait)

    async def submit(self, opened: Exchange, *, wait: bool = True, **values: "str | File") -> Exchange:
        """Send the form that an exchange opened; fields without a value keep what stood in them."""
        form = opened.form
        attachments: Json = {}
        fields = [node["component"] for node in form["components"]]
        assert values.keys() <= {each["custom_id"] for each in fields}, [each["custom_id"] for each in fields]
        filled = []
        for number, asked in enumerate(fields, 1):
            value: Any = values.get(asked["custom_id"])
            entry = {"type": asked["type"], "custom_id": asked["custom_id"], "id": 2 * number}
            if asked["type"] == payloads.TEXT_INPUT:
                entry["value"] = asked.get("value") or "" if value is None else value
                assert len(entry["value"]) <= asked.get("max_length", 4000)
            elif asked["type"] == FILE_UPLOAD:
                attachments |= {} if value is None else self._attach(value)
                entry["values"] = [] if value is None else list(attachments)
            else:
                preset = [option["value"] for option in asked["options"] if option.get("default")]
                chosen = preset if value is None else [value]
                entry |= {"value": next(iter(chosen), None)} if asked["type"] == payloads.RADIO else {"values": chosen}
            filled.append({"type": payloads.LABEL, "id": 2 * number - 1, "component": entry})
        data = {"custom_id": form["custom_id"], "components": filled, "resolved": {"attachments": attachments}}
        return await self._send(Exchange(MODAL, self.user, self.channel, data, pressed=opened.pressed), wait=wait)

    async def menu(self, name: str, target: "Message | Player", *, wait: bool = True) -> Exchange:
        """Choose an entry of the menu "Apps" of a message or a person."""
        resolved: Json
        if isinstance(target, Player):
            kind, number, resolved = 2, target.user.id, {"users": {}, "members": {}}
            self._resolve({"type": USER}, target, resolved)
        else:
            kind, number, resolved = 3, target.id, {"messages": {str(target.id): target.json()}}
        known = [(one["name"], one.get("type", 1)) for one in self._discord.api.commands[""]]
        assert (name, kind) in known, known
        data = {"id": "1", "name": name, "type": kind, "target_id": str(number), "resolved": resolved}
        return await self._send(Exchange(COMMAND, self.user, self.channel, data), wait=wait)

    async def say(self, text: str, *files: Stored) -> Message:
        """Write a message, which the bot hears of as far as Discord tells it."""
        message = Message(self.channel, self.user, {"content": text}, list(files))
        await self.repeat(message)
        return message

    async def repeat(self, message: Message, event: str = "MESSAGE_CREATE", *, mentions: bool = False) -> None:
        """Let Discord deliver a message, perhaps again; `mentions`: it replies to the bot."""
        data = self._discord.message_json(message, mentions=mentions)
        await self._discord.gateway.dispatch(event, data, self._discord.gateway.shard_of(self.channel.guild_id))

    async def rewrite(self, message: Message, text: str) -> None:
        """Edit a message of one's own."""
        message.body["content"] = text
        message.edits += 1
        await self.repeat(message, "MESSAGE_UPDATE")

    async def _send(self, exchange: Exchange, *, wait: bool) -> Exchange:
        await self._discord.send(exchange)
        if wait:
            await self._discord.until(lambda: exchange.ended)
        return exchange

    def _command_data(self, command: str, given: Json, focused: str | None = None) -> tuple[Json, Json]:
        """Return what Discord sends of a command, and the definition of the part of it that is meant."""
        first, *rest = command.split()
        (whole,) = [one for one in self._discord.api.commands[""] if one["name"] == first]
        definition, nesting = walk_to_subcommand(whole, rest)
        resolved: Json = {"users": {}, "members": {}, "attachments": {}, "channels": {}}
        known = {option["name"]: option for option in definition.get("options", ())}
        options = []
        for name, value in given.items():
            entry = {"name": name, "type": known[name]["type"], "value": self._resolve(known[name], value, resolved)}
            options.append(entry | ({"focused": True} if name == focused else {}))
        nested = nest_options(whole, nesting, options)
        return {"id": "1", "name": first, "type": 1, "options": nested, "resolved": resolved}, definition

    def _resolve(self, option: Json, value: Any, resolved: Json) -> object:  # noqa: ANN401  # Value
        """Return an option's value as Discord writes it; what it stands for goes into `resolved`."""
        if isinstance(value, Player):
            assert option["type"] == USER
            resolved["users"][str(value.user.id)] = value.user.json()
            member = value.user.member_json(permissions=True)
            resolved["members"][str(value.user.id)] = {part: member[part] for part in member if part != "user"}
            return str(value.user.id)
        if isinstance(value, Channel):
            assert option["type"] == CHANNEL
            resolved["channels"][str(value.id)] = value.json() | {"permissions": "0"}
            return str(value.id)
        if isinstance(value, tuple):
            assert option["type"] == ATTACHMENT
            attached = self._attach(value)
            resolved["attachments"] |= attached
            return next(iter(attached))
        found: object = validate_option_value("", option, value)
        return found

    def _attach(self, file: File) -> Json:
        name, data = file
        stored = self._discord.api.keep(re.sub(r"[^\w.-]", "_", name), data)
        return {str(stored.id): stored.json()}
