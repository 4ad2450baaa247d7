"""What the small Discord knows: people, channels, messages, interactions, and how it writes them down."""

import base64
import re
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count
from typing import Any

from tests.bot import payloads

Json = dict[str, Any]

EPHEMERAL, LOADING = 1 << 6, 1 << 7
COMMAND, COMPONENT, AUTOCOMPLETE, MODAL = 2, 3, 4, 5
MESSAGE, DEFERRED, DEFERRED_UPDATE, UPDATE, CHOICES, FORM = 4, 5, 6, 7, 8, 9

# A progress bar, and what stands for a moment where a public answer makes way for a private one.
_PROVISIONAL = re.compile(r"[▰▱]|-# ⏳|-# This one can't be answered")
_EPOCH_MS = 1_420_070_400_000
_numbers = count()


def snowflake() -> int:
    """Return a new id, which holds the time as Discord's do."""
    return (int(time.time() * 1000) - _EPOCH_MS) << 22 | next(_numbers) % (1 << 22)


def now() -> str:
    return datetime.now(UTC).isoformat()


@dataclass(eq=False)
class User:
    name: str
    bot: bool = False
    permissions: int = 1 << 10 | 1 << 11 | 1 << 15 | 1 << 31  # see, send, attach, use commands
    id: int = field(default_factory=snowflake)

    def json(self) -> Json:
        return {
            "id": str(self.id),
            "username": self.name,
            "global_name": self.name,
            "discriminator": "0",
            "avatar": None,
            "bot": self.bot,
            "public_flags": 0,
        }

    def member_json(self, *, permissions: bool = False) -> Json:
        member: Json = {"user": self.json(), "roles": [], "joined_at": now(), "deaf": False, "mute": False, "flags": 0}
        return member | ({"permissions": str(self.permissions)} if permissions else {})


@dataclass(eq=False)
class Channel:
    """A channel of the server, or with `guild_id` None a direct message; `reachable`: whether the bot is let in."""

    name: str
    guild_id: int | None
    reachable: bool = True
    id: int = field(default_factory=snowflake)

    def json(self) -> Json:
        if self.guild_id is None:
            return {"id": str(self.id), "type": 1, "recipients": [], "last_message_id": None}
        return {
            "id": str(self.id),
            "type": 0,
            "guild_id": str(self.guild_id),
            "name": self.name,
            "position": 0,
            "permission_overwrites": [],
            "nsfw": False,
            "parent_id": None,
            "topic": None,
            "rate_limit_per_user": 0,
            "last_message_id": None,
        }


@dataclass(eq=False)
class Stored:
    """A file that Discord keeps."""

    name: str
    data: bytes
    url: str
    id: int = field(default_factory=snowflake)

    def json(self) -> Json:
        address = f"{self.url}/attachments/{self.id}/{self.name}"
        entry = {"id": str(self.id), "filename": self.name, "size": len(self.data), "url": address}
        return entry | {"proxy_url": address, "content_type": "application/octet-stream"}


@dataclass(eq=False)
class Message:
    """A message of the bot; `edits` counts how often it was changed."""

    channel: Channel
    author: User
    body: Json = field(default_factory=dict)
    files: list[Stored] = field(default_factory=list)
    flags: int = 0
    edits: int = 0
    deleted: bool = False
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
        return [label(node) for node in self.components if node["type"] == payloads.BUTTON and not node.get("disabled")]

    def json(self) -> Json:
        return {
            "id": str(self.id),
            "channel_id": str(self.channel.id),
            "author": self.author.json(),
            "content": self.body.get("content") or "",
            "timestamp": now(),
            "edited_timestamp": now() if self.edits else None,
            "tts": False,
            "mention_everyone": False,
            "mentions": [],
            "mention_roles": [],
            "attachments": [file.json() for file in self.files],
            "embeds": self.body.get("embeds") or [],
            "components": self._resolved(self.body.get("components") or [], count(1)),
            "pinned": False,
            "type": 0,
            "flags": self.flags,
            "application_id": str(self.author.id),
        }

    def _resolved(self, nodes: list[Json], ids: "count[int]") -> list[Json]:
        """Return components as Discord gives them back: numbered, and with the addresses of attached files."""
        addresses = {f"attachment://{file.name}": file.json()["url"] for file in self.files}

        def media(value: Json) -> Json:
            address = addresses.get(value["url"], value["url"])
            return value | {"url": address, "proxy_url": address, "width": 1, "height": 1}

        resolved = []
        for node in nodes:
            copy = node | {"id": node.get("id") or next(ids)}
            copy |= {part: media(node[part]) for part in ("media", "file") if part in node}
            if "items" in node:
                copy["items"] = [item | {"media": media(item["media"])} for item in node["items"]]
            if "components" in node:
                copy["components"] = self._resolved(node["components"], ids)
            if "accessory" in node:
                (copy["accessory"],) = self._resolved([node["accessory"]], ids)
            resolved.append(copy)
        return resolved


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
    answered_after: float | None = None
    ended_after: float | None = None
    id: int = field(default_factory=snowflake)

    @property
    def token(self) -> str:
        return base64.urlsafe_b64encode(f"interaction:{self.id}:{'x' * 40}".encode()).decode().rstrip("=")

    @property
    def deferred_update(self) -> bool:
        return self.response is not None and self.response["type"] == DEFERRED_UPDATE

    @property
    def ended(self) -> bool:
        """Whether the player sees an answer: not only that the bot thinks, or took note, or how far it is."""
        if self.response is None or self.thinking:
            return False
        if self.original is not None and not self.original.deleted and _PROVISIONAL.match(self.original.text):
            return False
        said = [message for message in self.followups if not _PROVISIONAL.match(message.text)]
        return not self.deferred_update or bool(self.edits or said)

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


def label(button: Json) -> str:
    """Return the label of a button, or its emoji."""
    return str(button.get("label") or button["emoji"]["name"])
