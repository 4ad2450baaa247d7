"""Walks through a simulated Discord and writes down all that it shows: messages, forms, files."""

import hashlib
import json
import re
import secrets
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from itertools import count
from typing import Any

import pytest
from simcord import InteractionResult, MemberActor, ResponseMessage
from simcord.builders import UserHandle

from bot.battles.maintenance import MaintenanceTasks
from bot.store.database import Database
from sim import __version__
from tests.bot import payloads
from tests.bot.conftest import HOUSE, Table, chosen
from tests.bot.payloads import BUTTON, RADIO, SELECT, TEXT_INPUT, components

Form = Mapping[str, Any]
"""What to put into a form's fields by their ids; a field that isn't named keeps what stands in it."""

_VERSION = re.compile(re.escape(__version__) + r"[+.0-9a-z]*")
_SNOWFLAKE = re.compile(r"\b\d{15,20}\b")
_FLOAT = re.compile(r"\d+\.\d{10,}(?:e-?\d+)?")
"""A number as a computer writes it: its last digits are not the same on every machine."""

_READABLE = (".csv", ".json", ".jsonl", ".txt", ".md")
_LONG = 3000
"""Characters of a file or a stored text that are written down; of the rest a hash."""


def fix_chance(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make seeds, ids and references the same in every run."""
    numbers = count(1)

    def token_bytes(size: int = 32) -> bytes:
        return next(numbers).to_bytes(size, "big")

    monkeypatch.setattr(secrets, "token_bytes", token_bytes)
    monkeypatch.setattr(secrets, "token_hex", lambda size=3: token_bytes(size).hex())
    monkeypatch.setattr(secrets, "token_urlsafe", lambda size=9: f"token-{next(numbers):0{size}}")
    monkeypatch.setattr(secrets, "randbelow", lambda most: next(numbers) % most)


class Walk:
    """A walk at a table; `lines` grow with everything that changes on the screens of its people."""

    def __init__(self, table: Table, forms: Iterable[Form] = ()) -> None:
        self.table = table
        self.lines: list[str] = []
        self._forms = list(forms)
        self._seen: dict[int, list[str]] = {}
        self._ids: dict[str, str] = {str(table.ann.id): "ann", str(table.ben.id): "ben"}

    async def type(
        self,
        command: str,
        /,
        by: MemberActor | None = None,
        **options: Any,  # noqa: ANN401  # options are of all kinds
    ) -> ResponseMessage:
        """Type a command; return its answer."""
        actor = by or self.table.ann
        typed = " ".join(f"{name}:{_shown(value)}" for name, value in options.items())
        self.lines.append(f"\n> {actor.name}: /{command} {typed}".rstrip())
        return _answer(await self._after(await actor.slash(self.table.channel, command, **options), actor))

    async def surely(self, command: str, /, by: MemberActor | None = None, **options: Any) -> None:  # noqa: ANN401  # likewise
        """Type a command that can't be undone, and press the red button of its question."""
        asked = await self.type(command, by, **options)
        await self.press(asked, next(node for node in _handles(asked) if node.get("style") == payloads.RED), by)

    async def offer(self, command: str, option: str, typed: str, by: MemberActor | None = None) -> None:
        """Write down what is offered while an option is typed."""
        actor = by or self.table.ann
        self.lines.append(f"\n> {actor.name} types {option}:{typed} of /{command}")
        found = await actor.autocomplete(self.table.channel, command, option, typed)
        self.lines += [f"  {choice['name']} = {choice['value']}" for choice in found]

    async def press(
        self, message: ResponseMessage, what: str | Mapping[str, Any], by: MemberActor | None = None
    ) -> ResponseMessage | None:
        """Press a button (or the one with this label), or choose the first entry of a list that isn't chosen."""
        actor = by or self.table.ann
        node = next(each for each in _handles(message) if _name(each) == what) if isinstance(what, str) else what
        if node["type"] == SELECT:
            entry = next((each for each in node["options"] if not each.get("default")), node["options"][0])
            self.lines.append(f"\n> {actor.name} chooses {entry['label']}")
            result = await actor.select(message, [entry["value"]], custom_id=node["custom_id"])
        else:
            self.lines.append(f"\n> {actor.name} presses {_name(node)}")
            result = await actor.click(message, custom_id=node["custom_id"])
        await self._after(result, actor)
        return result.response

    async def press_more(
        self, message: ResponseMessage, what: str, by: MemberActor | None = None
    ) -> ResponseMessage | None:
        """Press a button behind "More" of a battle that is over."""
        more = await self.press(message, "More", by)
        assert more is not None
        return await self.press(more, what, by)

    async def fill(
        self, message: ResponseMessage, what: str, values: Form, by: MemberActor | None = None
    ) -> ResponseMessage | None:
        """Press a button, and put these values into the form that it opens."""
        self._forms.insert(0, values)
        return await self.press(message, what, by)

    async def wait(self, seconds: float) -> None:
        """Let time go by, and let the bot look at the clocks of battles."""
        self.lines.append(f"\n> {seconds:g} seconds later")
        self.table.clock.now += seconds
        again = await self.table.bot.services[MaintenanceTasks].tick()
        await self._write_changes()
        self.lines.append(f"  the next look is in {again} seconds")

    async def clear(self, days: float) -> None:
        """Let days go by, and let the bot close what is idle and forget what is old."""
        self.lines.append(f"\n> {days:g} days later")
        self.table.clock.pass_days(days)
        await self.table.bot.services[MaintenanceTasks].clear()
        await self._write_changes()

    async def explore(self, message: ResponseMessage) -> None:
        """Press all that can be pressed on a message, once each, as long as it is there."""
        for wanted in [_name(node) for node in _handles(message)]:
            for node in _handles(message):
                if _name(node) == wanted:
                    await self.press(message, node)
                    break

    async def turn(self, message: ResponseMessage) -> None:
        """Turn to every page after the one that is shown."""
        while any(_name(node) == "Next" for node in _handles(message)):
            await self.press(message, "Next")

    async def play(self, message: ResponseMessage, steps: int, players: Sequence[MemberActor] = ()) -> None:
        """Play a battle: the players in turn press what they pressed least, until nothing is left to press."""
        pressed: Counter[tuple[str, str]] = Counter()
        people = players or (self.table.ann, self.table.ben)
        for step in range(steps):
            who = people[step % len(people)]
            nodes = [node for node in _handles(message) if HOUSE.match(node["custom_id"]) is None]
            if not nodes:
                return
            node = min(nodes, key=lambda each: pressed[who.name, _kind(each)])
            pressed[who.name, _kind(node)] += 1
            await self.press(message, node, who)

    async def dump(self, title: str, sql: str) -> None:
        """Write down rows of the database."""
        self.lines.append(f"\n== {title}")
        for row in await self.table.bot.services[Database].fetch_all(sql):
            self.lines.append(" | ".join(_short(_sorted(str(value))) for value in row))

    async def _after(self, result: InteractionResult, actor: MemberActor) -> InteractionResult:
        """Write down what has changed, and fill in a form that opened; return what answered last."""
        await self._write_changes()
        if result.modal is not None:
            self.lines += [f"  form {result.modal['title']!r} {result.modal['custom_id']}"]
            self.lines += [f"    {line}" for line in _tree(result.modal["components"])]
            filled = self._filled(result)
            if filled is not None:
                self.lines.append(f"> {actor.name} sends {json.dumps(filled, ensure_ascii=False, default=_shown)}")
                return await self._after(await actor.submit_modal(result, chosen(result, dict(filled))), actor)
        return result

    def _filled(self, result: InteractionResult) -> Form | None:
        """Return the next prepared values that fit a form, or what stands in it; None if it lacks something."""
        assert result.modal is not None
        fields = {node["custom_id"]: node for node in components(result.modal["components"]) if "custom_id" in node}
        found = next((form for form in self._forms if form.keys() <= fields.keys()), None)
        if found is not None:
            self._forms.remove(found)
        filled: dict[str, Any] = {}
        for name, field in fields.items():
            if found is not None and name in found:
                filled[name] = found[name]
            elif field["type"] == TEXT_INPUT:
                filled[name] = field.get("value") or ""
                if field.get("required", True) and not filled[name]:
                    return None
            elif field["type"] in {SELECT, RADIO} and field.get("required", True):
                chosen = [entry["value"] for entry in field["options"] if entry.get("default")]
                chosen = chosen or [field["options"][0]["value"]]
                filled[name] = chosen[0] if field["type"] == RADIO else chosen
        return filled

    async def _write_changes(self) -> None:
        """Write down the messages that are new or changed since the last time."""
        stored = self.table.env.backend.messages
        for message in sorted((each for inside in stored.values() for each in inside.values()), key=lambda one: one.id):
            shown = ResponseMessage(self.table.env, message)
            lines = [line async for line in _message(shown)]
            if self._seen.get(message.id) != lines:
                what = "message" if message.id not in self._seen else "now"
                self._seen[message.id] = lines
                self.lines.append(f"  {what} {message.id}{' (private)' if shown.ephemeral else ''}")
                self.lines += [f"    {line}" for line in lines]

    @property
    def text(self) -> str:
        """All lines, with the long ids of messages and people by their order, and without the version."""

        def name(found: re.Match[str]) -> str:
            return self._ids.setdefault(found[0], f"id{len(self._ids)}")

        text = "\n".join(self.lines).strip() + "\n"
        return _SNOWFLAKE.sub(name, _VERSION.sub("VERSION", text))


async def _message(message: ResponseMessage) -> AsyncIterator[str]:
    for line in message.content.splitlines():
        yield line
    for line in _tree(message.components):
        yield line
    for attached in message.attachments:
        data = await attached.read()
        if attached.filename.endswith(_READABLE):
            text = _FLOAT.sub(lambda found: f"{float(found[0]):.9g}", data.decode())
            yield f"file {attached.filename}"
            for line in (text if len(text) <= _LONG else _short(text)).splitlines():
                yield f"  | {line}"
        else:
            yield f"file {attached.filename} (binary)"


def _tree(nodes: Iterable[Mapping[str, Any]], depth: int = 0) -> Iterator[str]:
    for node in nodes:
        lines = _node(node)
        yield from ("  " * depth + line for line in lines)
        inside = [*node.get("components", ()), *(node[part] for part in ("component", "accessory") if part in node)]
        yield from _tree(inside, depth + bool(lines))


def _node(node: Mapping[str, Any]) -> list[str]:
    match node["type"]:
        case payloads.TEXT:
            return str(node["content"]).splitlines()
        case payloads.BUTTON:
            link = node.get("custom_id") or node.get("url")
            lines = [f"[{_name(node)}] {link} style {node['style']}{' disabled' * bool(node.get('disabled'))}"]
        case payloads.SELECT | payloads.RADIO | payloads.BOXES as kind:
            entries = [_with(entry, "label", "value", "description", "default") for entry in node["options"]]
            shown = _with(node, "custom_id", "placeholder", "min_values", "max_values", "required")
            lines = [f"{'list' if kind == payloads.SELECT else 'choice'} {shown}", *entries]
        case payloads.TEXT_INPUT:
            keys = ("custom_id", "style", "value", "placeholder", "required", "min_length", "max_length")
            lines = [f"text {_with(node, *keys)}"]
        case payloads.LABEL:
            lines = [f"field {_with(node, 'label', 'description')}"]
        case payloads.GALLERY:
            lines = [f"picture: {item.get('description')}" for item in node["items"]]
        case payloads.THUMBNAIL:
            lines = [f"thumbnail: {node.get('description')}"]
        case payloads.ACTION_ROW | payloads.CONTAINER | payloads.SECTION:
            lines = []
        case _:
            lines = [_with(node, "type", "custom_id", "label", "required", "min_values", "max_values")]
    return lines


def _with(node: Mapping[str, Any], *keys: str) -> str:
    return json.dumps({key: node[key] for key in keys if node.get(key) is not None}, ensure_ascii=False)


def _handles(message: ResponseMessage) -> list[dict[str, Any]]:
    return [
        node
        for node in components(message.components)
        if node["type"] in {BUTTON, SELECT} and "custom_id" in node and not node.get("disabled")
    ]


def _name(node: Mapping[str, Any]) -> str:
    return str(node.get("label") or node.get("placeholder") or (node.get("emoji") or {}).get("name"))


def _kind(node: Mapping[str, Any]) -> str:
    return re.sub(r"\d+", "#", _name(node))


def _answer(result: InteractionResult) -> ResponseMessage:
    return result.response or result.followups[-1]


def _shown(value: object) -> str:
    if isinstance(value, tuple):
        return str(value[0])
    return f"@{value.name}" if isinstance(value, MemberActor | UserHandle) else str(value)


def _sorted(text: str) -> str:
    """Return JSON with its keys in order, which says nothing where it is stored."""
    return json.dumps(json.loads(text), sort_keys=True, ensure_ascii=False) if text.startswith("{") else text


def _short(text: str) -> str:
    if len(text) <= _LONG:
        return text
    return f"{text[:_LONG]}… {len(text)} characters, {hashlib.sha256(text.encode()).hexdigest()[:16]}"
