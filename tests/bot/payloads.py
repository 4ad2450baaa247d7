"""Discord's limits, held against everything the bot sends. Source: Discord's API reference, figures of 2026.

What simcord knows of messages and forms is asked of it: here is what it leaves out.
"""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from simcord import HttpLogEntry
from simcord.components import resolve_attachment_references, validate_message_state, validate_modal, walk_components

MESSAGE_PATHS = ("/callback", "/messages", "/webhooks/")
ACTION_ROW, BUTTON, SELECT, TEXT_INPUT = 1, 2, 3, 4
RADIO, BOXES = 21, 22
SECTION, TEXT, THUMBNAIL, GALLERY, CONTAINER, LABEL = 9, 10, 11, 12, 17, 18
COMPONENTS_V2 = 1 << 15
RED = 4
_COMMAND_NAME = re.compile(r"[-_a-z0-9]{1,32}")
components = walk_components


def label(button: dict[str, Any]) -> str:
    """Return the label of a button, or its emoji."""
    return str(button.get("label") or button["emoji"]["name"])


def pressable(nodes: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the buttons that can be pressed."""
    return [node for node in nodes if node["type"] == BUTTON and not node.get("disabled")]


def counted(body: dict[str, Any]) -> dict[str, Any]:
    """Return a body whose texts are as long for Python as they are for Discord, which counts in UTF-16."""
    text = re.sub("[\U00010000-\U0010ffff]", r"\g<0>\g<0>", json.dumps(body, ensure_ascii=False))
    longer: dict[str, Any] = json.loads(text)
    return longer


def check(entry: HttpLogEntry) -> None:
    """Assert that one request of the bot keeps every limit and pings nobody."""
    body = entry.json if isinstance(entry.json, dict) else {}
    if any(part in entry.path for part in MESSAGE_PATHS):
        check_body(body)


def check_body(body: dict[str, Any]) -> None:
    """Check the body of a message or of an answer to an interaction."""
    kind = body.get("type")
    data = counted(body.get("data", {}) if "type" in body and "data" in body else body)
    if kind == 9:
        check_modal(data)
    elif kind == 8:
        check_choices(data["choices"])
    elif "components" in data or "content" in data:
        check_message(data)


def check_message(data: dict[str, Any]) -> None:
    parts = data.get("components") or []
    validate_message_state(
        parts, flags=data.get("flags", 0), content=data.get("content"), embeds=data.get("embeds", [])
    )
    for node in components(parts):
        if node["type"] == BUTTON:
            assert node.get("label") or node.get("emoji")
        elif node["type"] == TEXT:
            assert node["content"].strip()
    check_mentions(data)


def check_files(data: dict[str, Any], sent: dict[str, str], kept: Iterable[str] = ()) -> None:
    """Check a message's attachments: `sent` files by their number, and the ids that an edited message may keep."""
    assert len(sent) <= 10
    named = {str(entry["id"]): entry for entry in data.get("attachments") or ()}
    assert len(named) == len(data.get("attachments") or ()) <= 10
    assert named.keys() <= sent.keys() | set(kept)
    assert sent.keys() <= named.keys()
    names = {sent[number] for number in sent} | {named[number].get("filename") for number in named}
    attached = [{"filename": name, "url": "", "proxy_url": "", "id": "", "size": 0} for name in names]
    resolve_attachment_references(data.get("components") or [], attached)


def check_commands(commands: list[dict[str, Any]]) -> None:
    """Check the commands of an application as Discord does when they are registered."""
    assert len(commands) <= 100
    menus = [command for command in commands if command.get("type", 1) != 1]
    assert all(sum(menu["type"] == kind for menu in menus) <= 5 for kind in (2, 3)), (
        "five for messages, five for people"
    )
    assert all(1 <= len(menu["name"]) <= 32 and not menu.get("description") for menu in menus)
    for node in (node for command in commands if command not in menus for node in command_nodes(command)):
        assert _COMMAND_NAME.fullmatch(node["name"])
        assert 1 <= len(node["description"]) <= 100
        assert node["description"] != "…", f"{node['name']} is not described"
        options = node.get("options", [])
        assert len(options) <= 25
        assert len({option["name"] for option in options}) == len(options)
        required = [bool(option.get("required")) for option in options]
        assert required == sorted(required, reverse=True), "required options come first"
        check_choices(node.get("choices") or [])


def command_nodes(command: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield command
    for option in command.get("options", ()):
        yield from command_nodes(option)


def check_mentions(data: dict[str, Any]) -> None:
    """Nobody is pinged but who is to act, by a message that says so and mentions nobody else."""
    allowed = dict(data.get("allowed_mentions") or {})
    assert allowed.pop("parse", None) == [], json.dumps(data)[:300]
    assert allowed.pop("replied_user", False) is False
    users = allowed.pop("users", [])
    assert not allowed
    if users:
        assert re.findall(r"<@[^>]*>", data["content"]) == [f"<@{user}>" for user in users]
        asked = ("your turn", "time is up in", "your OK, please")
        assert any(words in data["content"] for words in asked)


def check_modal(data: dict[str, Any]) -> None:
    validate_modal(data)
    for node in components(data["components"]):
        if node["type"] == TEXT_INPUT:
            assert len(node.get("value") or "") <= node.get("max_length", 4000)
        elif node["type"] in {RADIO, BOXES}:
            most = node.get("max_values", len(node["options"])) if node["type"] == BOXES else 1
            assert sum(bool(option.get("default")) for option in node["options"]) <= most <= len(node["options"])


def check_choices(choices: list[dict[str, Any]]) -> None:
    assert len(choices) <= 25
    for choice in choices:
        assert 1 <= len(choice["name"]) <= 100
        assert 1 <= len(str(choice["value"])) <= 100
