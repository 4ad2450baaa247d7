"""Start today's bot on the database of an older version, among the messages and forms that its players still see.

`<version>.sql` is the database as text. `<version>.json` lists the people, each message with its buttons and lists, the
open forms, and how that version answered each of them.
"""

import json
import re
import sqlite3
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import discord
import simcord
from simcord import InteractionResult, MemberActor, ResponseMessage
from simcord.backend import Backend, serializers
from simcord.backend.models import Message
from simcord.builders import ChannelHandle, UserHandle

from bot.app import Fracas
from bot.offline.site import PatientEnv
from sim.workers import Simulator
from tests.bot.battles.fights import Seen, send
from tests.bot.conftest import COMPILING, Clock, expect_nothing_wrong, text_of
from tests.bot.payloads import ACTION_ROW, BUTTON, LABEL, SELECT, TEXT, TEXT_INPUT, components
from tests.bot.store.databases import open_database

FOLDER = Path(__file__).parent
EPHEMERAL, COMPONENTS_V2 = 1 << 6, 1 << 15
MOST_BUTTONS = 5
SECONDS_AWAY = 600.0
UNTOUCHED = "A message of the old version"

Answer = dict[str, Any]


@dataclass(frozen=True)
class OldControl:
    """A button or a list of an old message.

    `by`: who uses it. `value`: what they choose, None for a button. `does`: how the old version answered. `changes`:
    what it changes beside stored queries, such as "battle 3", None for nothing.
    """

    message: str
    id: str
    label: str
    by: str
    does: Answer
    value: str | None = None
    changes: str | None = None


@dataclass(frozen=True)
class OldForm:
    """A form that was open when the old version ended. `values`: what is typed into it; the rest as in a control."""

    id: str
    by: str
    channel: int
    message: int | None
    values: dict[str, str | list[str]]
    does: Answer
    changes: str | None = None


@dataclass(frozen=True)
class OldMessage:
    """A message that the old version sent; only `by` sees a `private` one."""

    id: int
    channel: int
    by: str
    private: bool
    controls: tuple[OldControl, ...]


@dataclass(frozen=True)
class Snapshot:
    """What an old version left behind. `clock`: when, in Unix seconds; `direct`: channels of direct messages."""

    version: str
    clock: float
    guild: int
    channels: dict[str, int]
    people: dict[str, int]
    direct: dict[str, int]
    messages: dict[str, OldMessage]
    forms: tuple[OldForm, ...]

    @classmethod
    def read(cls, version: str) -> "Snapshot":
        """Read the list of a version."""
        found = json.loads((FOLDER / f"{version}.json").read_text(encoding="utf-8"))
        messages, forms = found.pop("messages"), found.pop("forms")
        for name, message in messages.items():
            controls = [OldControl(**{"message": name, "by": message["by"]} | fields) for fields in message["controls"]]
            messages[name] = OldMessage(**message | {"controls": tuple(controls)})
        return cls(version, messages=messages, forms=tuple(OldForm(**fields) for fields in forms.values()), **found)

    def restore(self, path: Path, *, outbox: bool) -> None:
        """Make the database's file; without the `outbox` every panel is up to date."""
        conn = sqlite3.connect(path)
        conn.executescript((FOLDER / f"{self.version}.sql").read_text(encoding="utf-8"))
        if not outbox:
            conn.execute("DELETE FROM outbox")
            conn.commit()
        conn.close()


@dataclass
class World:
    """The server of the old version, with today's bot."""

    old: Snapshot
    env: simcord.Env
    bot: Fracas
    path: Path
    clock: Clock
    channels: dict[str, ChannelHandle]
    users: dict[str, UserHandle]
    members: dict[str, MemberActor]

    async def slash(
        self,
        channel: str,
        command: str,
        *,
        by: str = "ann",
        **options: Any,  # noqa: ANN401  # options are of all kinds
    ) -> ResponseMessage:
        """Type a command and return what answers it, a refusal included."""
        result = await self.members[by].slash(self.channels[channel], command, **options)
        return result.response or result.followups[-1]

    async def use(self, step: OldControl | OldForm) -> Answer:
        """Press a button, choose from a list, or send a form; return how today's bot answers."""
        answer = await (self._send(step) if isinstance(step, OldForm) else self._press(step))
        kind, _, number = (step.changes or "").partition(" ")
        return answer | ({"panel": self.panel(int(number)).splitlines()[0]} if kind == "battle" else {})

    def panel(self, battle_id: int) -> str:
        """Return what the panel of a battle says now."""
        ((channel, message),) = self.rows("SELECT channel_id, panel_id FROM battles WHERE id = ?", battle_id)
        return text_of(ResponseMessage(self.env, self.env.backend.get_message(channel, message)))

    def rows(self, sql: str, *parameters: int) -> list[Any]:
        """Read from the database's file, beside the bot."""
        conn = sqlite3.connect(self.path)
        try:
            return conn.execute(sql, parameters).fetchall()
        finally:
            conn.close()

    def put(self, name: str) -> ResponseMessage:
        """Let a message stand in its channel as the old version left it."""
        old, backend = self.old.messages[name], self.env.backend
        user = serializers.user_payload(backend.get_user(self.old.people[old.by]))
        caused_by = {"id": str(old.id), "type": 2, "user": dict(user), "authorizing_integration_owners": {}}
        message = Message(
            id=old.id,
            channel_id=old.channel,
            author_id=backend.bot_user.id,
            timestamp=backend.now_iso(),
            flags=COMPONENTS_V2 | (EPHEMERAL if old.private else 0),
            components=_layout(old),
            interaction_metadata=caused_by if old.private else None,
        )
        backend.messages[old.channel][old.id] = message
        return ResponseMessage(self.env, message)

    async def _press(self, control: OldControl) -> Answer:
        message = self.put(control.message)
        direct = message.channel_id in self.old.direct.values()
        actor = self.users[control.by] if direct else self.members[control.by]
        if control.value is None:
            result = await actor.click(message, custom_id=control.id)
        else:
            result = await actor.select(message, [control.value], custom_id=control.id)
        return _answer(result, message)

    async def _send(self, form: OldForm) -> Answer:
        fields = [{"type": LABEL, "component": _field(name, value)} for name, value in form.values.items()]
        message = None
        on: Seen | int = form.channel
        if form.message is not None:
            under = self.env.backend.get_message(form.channel, form.message)
            message = ResponseMessage(self.env, under)
            on = Seen(under.id, form.channel, dict(serializers.message_payload(self.env.backend, under)))
        result = send(self.env, self.members[form.by], {"custom_id": form.id, "components": fields}, on)
        await self.env.settle()
        return _answer(result, message)


@asynccontextmanager
async def old_world(version: str, folder: Path, simulator: Simulator, *, outbox: bool = False) -> AsyncIterator[World]:
    """Start today's bot where an old version was, ten minutes later.

    `outbox`: with panels to be published at once.
    """
    old = Snapshot.read(version)
    path = folder / "fracas.db"
    old.restore(path, outbox=outbox)
    db = await open_database(path)
    clock = Clock(old.clock + SECONDS_AWAY)
    bot = Fracas(simulator=simulator, db=db, clock=clock)
    env = PatientEnv(bot, settle_timeout=COMPILING)
    try:
        world = World(old, env, bot, path, clock, *_rebuilt(old, env))
        for name in old.messages:
            world.put(name)
        await env.start()
        await bot.tree.sync()
        await env.settle()
        yield world
    finally:
        await env.shutdown()
        await db.close()
    expect_nothing_wrong(env)


def _rebuilt(
    old: Snapshot, env: simcord.Env
) -> tuple[dict[str, ChannelHandle], dict[str, UserHandle], dict[str, MemberActor]]:
    """Make the server, its channels and its people with the ids that they had; Judy may manage messages."""
    backend = env.backend
    guild = env.create_guild("Fracas", id=old.guild)
    with _given_ids(backend, old.channels.values()):
        channels = {name: guild.create_text_channel(name) for name in old.channels}
    with _given_ids(backend, old.people.values()):
        users = {name: env.create_user(name) for name in old.people}
    with _given_ids(backend, old.direct.values()):
        for name in old.direct:
            backend.get_dm_channel(users[name].id)
    backend.advance_clock(SECONDS_AWAY)  # no new id is an old one
    judge = guild.create_role("judge", permissions=discord.Permissions(manage_messages=True))
    members = {name: guild.add_member(user, roles=[judge] if name == "judy" else []) for name, user in users.items()}
    return channels, users, members


@contextmanager
def _given_ids(backend: Backend, ids: Iterable[int]) -> Iterator[None]:
    waiting = iter(ids)
    backend.__dict__["snowflake"] = lambda: next(waiting)
    try:
        yield
    finally:
        del backend.__dict__["snowflake"]


def _layout(old: OldMessage) -> list[dict[str, Any]]:
    buttons = [
        {"type": BUTTON, "style": 2, "label": control.label, "custom_id": control.id}
        for control in old.controls
        if control.value is None
    ]
    rows: list[list[dict[str, Any]]] = [
        buttons[start : start + MOST_BUTTONS] for start in range(0, len(buttons), MOST_BUTTONS)
    ]
    for control in old.controls:
        if control.value is not None:
            options = [{"label": control.value, "value": control.value}]
            rows.append([{"type": SELECT, "custom_id": control.id, "options": options}])
    nodes = [{"type": TEXT, "content": UNTOUCHED}, *({"type": ACTION_ROW, "components": row} for row in rows)]
    for number, node in enumerate(components(nodes), start=1):
        node["id"] = number
    return nodes


def _field(name: str, value: str | list[str]) -> dict[str, Any]:
    if isinstance(value, str):
        return {"type": TEXT_INPUT, "custom_id": name, "value": value}
    return {"type": SELECT, "custom_id": name, "values": value}


def _answer(result: InteractionResult, message: ResponseMessage | None) -> Answer:
    """Return a form's fields; or the first line that is said, the page and the files; nothing if a panel has it all."""
    if result.modal is not None:
        nodes = components(result.modal["components"])
        return {"form": [node["component"]["custom_id"] for node in nodes if "component" in node]}
    answers = [*result.followups, *filter(None, [result.response, message])]
    new = next((found for found in answers if not text_of(found).startswith(UNTOUCHED)), None)
    if new is None:
        return {}
    labels = [str(node.get("label")) for node in components(new.components) if node["type"] == BUTTON]
    pages = [label for label in labels if re.fullmatch("[0-9]+/[0-9]+", label)]
    files = [file.filename for file in new.attachments]
    return {
        "says": text_of(new).splitlines()[0],
        **({"page": pages[0]} if pages else {}),
        **({"files": files} if files else {}),
    }
