"""Discord's limits, held against everything the bot sends. Source: Discord's API reference, figures of 2026."""

import json
import re
from collections.abc import Iterator
from typing import Any

from simcord import HttpLogEntry

MESSAGE_PATHS = ("/callback", "/messages", "/webhooks/")
BUTTON, SELECT, TEXT_INPUT, TEXT, GALLERY, LABEL, ACTION_ROW = 2, 3, 4, 10, 12, 18, 1


def utf16(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def components(nodes: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for node in nodes:
        yield node
        yield from components(node.get("components", []))
        if "component" in node:
            yield from components([node["component"]])


def check(entry: HttpLogEntry) -> None:
    """Assert that one request of the bot keeps every limit and pings nobody."""
    body = entry.json if isinstance(entry.json, dict) else {}
    if not any(part in entry.path for part in MESSAGE_PATHS):
        return
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
    for node in nodes:
        if node["type"] == ACTION_ROW:
            assert 1 <= len(node["components"]) <= 5
        elif node["type"] == BUTTON:
            assert node.get("label") or node.get("emoji")
            assert utf16(node.get("label") or "") <= 80
        elif node["type"] == SELECT:
            check_options(node["options"])
            assert utf16(node.get("placeholder") or "") <= 150
        elif node["type"] == TEXT:
            assert node["content"].strip()
    check_mentions(data)


def check_mentions(data: dict[str, Any]) -> None:
    """Nobody is pinged but one person whose turn it is, by a message that mentions nobody else."""
    allowed = dict(data.get("allowed_mentions") or {})
    assert allowed.pop("parse", None) == [], json.dumps(data)[:300]
    assert allowed.pop("replied_user", False) is False
    users = allowed.pop("users", [])
    assert not allowed
    if users:
        (user,) = users
        assert re.findall(r"<@[^>]*>", data["content"]) == [f"<@{user}>"]
        assert "your turn" in data["content"]


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


def check_choices(choices: list[dict[str, Any]]) -> None:
    assert len(choices) <= 25
    for choice in choices:
        assert 1 <= utf16(choice["name"]) <= 100
        assert 1 <= utf16(str(choice["value"])) <= 100
