"""What players, hosters, files and databases see, held against what they saw before.

A scene is a file: what people type and press stands behind "> ", what they see below it, and its rows at the end.
Where a change is meant, `SNAPSHOTS=write pytest tests/bot/snapshots` takes these steps again and writes the files anew;
read the difference before a commit. `walk.py` tells what a step may be: to lengthen a scene, write steps; they are
answered.
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bot.config import Settings
from bot.metrics import Metrics
from bot.store.database import Database
from tests.bot import payloads
from tests.bot.conftest import Table, fix_chance
from tests.bot.snapshots.walk import Walk

FOLDER = Path(__file__).parent
SCENES = sorted(path.stem for path in FOLDER.glob("*.txt") if path.stem != "settings")


def compare(name: str, text: str) -> None:
    """Hold a text against its file."""
    path = FOLDER / name
    if os.environ.get("SNAPSHOTS") == "write":
        path.write_text(text)
    assert text == path.read_text(), f"{name} differs; see this file's docstring"


@pytest.mark.parametrize("name", SCENES)
async def test_a_scene(name: str, table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    fix_chance(monkeypatch)
    walk = Walk(table)
    await walk.go((FOLDER / f"{name}.txt").read_text())
    compare(f"{name}.txt", walk.text)


async def test_the_slash_commands(table: Table) -> None:
    registered = [dict(command.to_dict(table.bot.tree)) for command in table.bot.tree.get_commands()]
    payloads.check_commands(registered)
    compare("commands.json", json.dumps(sorted(registered, key=lambda one: one["name"]), indent=1, ensure_ascii=False))


async def test_the_schema(table: Table) -> None:
    rows = await table.bot.services[Database].fetch_all(
        "SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name"
    )
    compare("schema.sql", "\n".join(f"-- {kind} {name}\n{sql};" for kind, name, sql in rows) + "\n")


def test_settings_and_metrics() -> None:
    compare("settings.txt", "\n".join([*_settings(), "", *_metrics()]) + "\n")


def _settings() -> Iterator[str]:
    for name, field in Settings.model_fields.items():
        alias: Any = field.validation_alias or name
        yield f"{name} {alias} = {field.default!r}"


def _metrics() -> Iterator[str]:
    for family in Metrics("version").registry.collect():
        if not family.name.startswith(("process", "python")):
            yield f"{family.name} {family.type}: {family.documentation}"
