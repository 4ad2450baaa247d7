"""Discord's limits, held against everything the bot sends. Source: Discord's API reference, figures of 2026."""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from simcord import HttpLogEntry

MESSAGE_PATHS = ("/callback", "/messages", "/webhooks/")
ACTION_ROW, BUTTON, SELECT, TEXT_INPUT = 1, 2, 3, 4
RADIO, BOXES = 21, 22
SECTION, TEXT, THUMBNAIL, GALLERY, FILE, CONTAINER, LABEL = 9, 10, 11, 12, 13, 17, 18
LAYOUT_ONLY = {SECTION, TEXT, THUMBNAIL, GALLERY, FILE, CONTAINER}
COMPONENTS_V2 = 1 << 15
RED, LINK = 4, 5
_COMMAND_NAME = re.compile(r"[-_a-z0-9]{1,32}")


def utf16(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def components(nodes: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for node in nodes:
        yield node
        yield from components(node.get("components", []))
        yield from components([node[part] for part in ("component", "accessory") if part in node])


def check(entry: HttpLogEntry) -> None:
    """Assert that one request of the bot keeps every limit and pings nobody."""
    body = entry.json if isinstance(entry.json, dict) else {}
    if any(part in entry.path for part in MESSAGE_PATHS):
        check_body(body)


def check_body(body: dict[str, Any]) -> None:
    """Check the body of a message or of an answer to an interaction."""
    kind = body.get("type")
    data = body.get("data", {}) if "type" in body and "data" in body else body
    if kind == 9:
        check_modal(data)
    elif kind == 8:
        check_choices(data["choices"])
    elif "components" in data or "content" in data:
        check_message(data)


def check_message(data: dict[str, Any]) -> None:
    assert utf16(data.get("content") or "") <= 2000
    nodes = list(components(data.get("components") or []))
    assert len(nodes) <= 40
    assert sum(utf16(node["content"]) for node in nodes if node["type"] == TEXT) <= 4000
    ids = [node["custom_id"] for node in nodes if "custom_id" in node]
    assert len(ids) == len(set(ids))
    assert all(1 <= len(custom_id) <= 100 for custom_id in ids)
    if any(node["type"] in LAYOUT_ONLY for node in nodes):
        assert data.get("flags", 0) & COMPONENTS_V2
        assert not data.get("content")
        assert not data.get("embeds")
    for node in nodes:
        check_component(node)
    check_mentions(data)


def check_component(node: dict[str, Any]) -> None:
    if node["type"] == ACTION_ROW:
        assert 1 <= len(node["components"]) <= 5
    elif node["type"] == BUTTON:
        assert node.get("label") or node.get("emoji")
        assert utf16(node.get("label") or "") <= 80
        assert ("url" in node, "custom_id" in node) == ((True, False) if node["style"] == LINK else (False, True))
        assert len(node.get("url") or "") <= 512
    elif node["type"] == SELECT:
        check_options(node["options"])
        assert utf16(node.get("placeholder") or "") <= 150
    elif node["type"] == TEXT:
        assert node["content"].strip()
    elif node["type"] == SECTION:
        assert 1 <= len(node["components"]) <= 3
    elif node["type"] == GALLERY:
        assert 1 <= len(node["items"]) <= 10
        assert all(utf16(item.get("description") or "") <= 1024 for item in node["items"])
    elif node["type"] == THUMBNAIL:
        assert utf16(node.get("description") or "") <= 1024


def check_files(data: dict[str, Any], sent: dict[str, str], kept: Iterable[str] = ()) -> None:
    """Check a message's attachments: `sent` files by their number, and the ids that an edited message may keep."""
    assert len(sent) <= 10
    named = {str(entry["id"]): entry for entry in data.get("attachments") or ()}
    assert len(named) == len(data.get("attachments") or ()) <= 10
    assert named.keys() <= sent.keys() | set(kept)
    assert sent.keys() <= named.keys()
    names = {sent[number] for number in sent} | {named[number].get("filename") for number in named}
    for url in attached_urls(data):
        assert url.removeprefix("attachment://") in names, f"{url} isn't attached"


def attached_urls(data: dict[str, Any]) -> Iterator[str]:
    """Return the addresses of attached files that a message shows."""
    for node in components(data.get("components") or []):
        for media in (node.get("media"), node.get("file"), *(item["media"] for item in node.get("items", ()))):
            if media is not None and media["url"].startswith("attachment://"):
                yield media["url"]


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


def check_options(options: list[dict[str, Any]]) -> None:
    assert 1 <= len(options) <= 25
    assert len({option["value"] for option in options}) == len(options)
    for option in options:
        assert 1 <= utf16(option["label"]) <= 100
        assert 1 <= utf16(option["value"]) <= 100


def check_modal(data: dict[str, Any]) -> None:
    assert 1 <= utf16(data["title"]) <= 45
    assert 1 <= len(data["custom_id"]) <= 100
    assert 1 <= len(data["components"]) <= 5
    for node in components(data["components"]):
        if node["type"] == LABEL:
            assert 1 <= utf16(node["label"]) <= 45
            assert utf16(node.get("description") or "") <= 100
        elif node["type"] == TEXT_INPUT:
            assert utf16(node.get("value") or "") <= node.get("max_length", 4000) <= 4000
        elif node["type"] in {RADIO, BOXES}:
            check_options(node["options"])
            assert (1 if node["type"] == BOXES else 2) <= len(node["options"]) <= 10
            most = node.get("max_values", len(node["options"])) if node["type"] == BOXES else 1
            assert sum(bool(option.get("default")) for option in node["options"]) <= most <= len(node["options"])


def check_choices(choices: list[dict[str, Any]]) -> None:
    assert len(choices) <= 25
    for choice in choices:
        assert 1 <= utf16(choice["name"]) <= 100
        assert 1 <= utf16(str(choice["value"])) <= 100
