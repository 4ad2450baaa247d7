"""What an older version stored stays valid: its buttons answer, its battles go on and verify, its rosters load."""

import asyncio
import json
import os
import secrets
import shutil
import sqlite3
import zipfile
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from bot.battles.followers import EndedBattles
from bot.battles.maintenance import MaintenanceTasks
from sim.__main__ import main
from sim.workers import Simulator
from tests.bot.conftest import answer, button, insist, text_of
from tests.bot.old_versions.world import OldControl, OldForm, Snapshot, World, old_world
from tests.bot.store.test_personal_data import traces
from tests.tables import kept_table, kept_texts

VERSION = "0.1.0"
OLD = Snapshot.read(VERSION)
CHANNELS = {channel_id: name for name, channel_id in OLD.channels.items()}

IDS = {*kept_table(__file__, "ids")}
"""How the ids of all buttons, lists and forms of the old version begin."""

KINDS = {*kept_table(__file__, "kinds")}
"""Every kind of stored query that the old version knew."""

SYSTEMS = {"aa-battle", "boss-fight", "duel", "dungeon", "mfd-battle", "mka"}

DAY = 24 * 60 * 60
REMINDER = "SELECT message_id FROM reminders JOIN battles ON id = battle_id WHERE channel_id = ? AND number = 1"

Step = OldControl | OldForm
STEPS: list[Step] = [*(control for message in OLD.messages.values() for control in message.controls), *OLD.forms]


def rounds() -> list[list[Step]]:
    """Return the steps that change something, in each list at most one for every thing that is changed."""
    by_target: defaultdict[str, list[Step]] = defaultdict(list)
    for step in STEPS:
        if step.changes is not None:
            by_target[step.changes].append(step)
    most = max(map(len, by_target.values()))
    return [[steps[number] for steps in by_target.values() if number < len(steps)] for number in range(most)]


@pytest.fixture(autouse=True)
def known_chance(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw the seeds that were drawn when the old version's answers were noted."""
    monkeypatch.setattr(secrets, "randbelow", lambda _most: 7)


@pytest.fixture
async def world(tmp_path: Path, simulator: Simulator) -> AsyncIterator[World]:
    async with old_world(VERSION, tmp_path, simulator) as opened:
        yield opened


async def expect_old_answers(world: World, steps: Sequence[Step]) -> None:
    """Take the steps, and check that each answer holds what the old version answered."""
    different = {}
    for step in steps:
        answered = await world.use(step)
        for key, expected in step.does.items():
            found = answered.get(key, "")
            if not (expected in found if isinstance(expected, str) else expected == found):
                different[f"{step.id}: {key}"] = (expected, answered)
    assert different == {}


async def mismatches(world: World) -> list[str]:
    """Verify every battle of the server, and return the answers about those that don't match."""
    found = []
    for channel_id, number in world.rows("SELECT channel_id, number FROM battles WHERE guild_id IS NOT NULL"):
        text = text_of(await world.slash(CHANNELS[channel_id], "battle verify", number=number))
        if not text.startswith(f"### ✅ Match: #{number}, "):
            found.append(f"{CHANNELS[channel_id]}: {text}")
    return found


def journal(world: World, battle_id: int) -> list[Any]:
    return world.rows("SELECT kind, back_to FROM journal WHERE battle_id = ? ORDER BY n", battle_id)


def test_the_old_database_has_something_of_everything(tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    OLD.restore(path, outbox=True)
    conn = sqlite3.connect(path)
    tables = [name for (name,) in conn.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    assert [name for name in tables if not conn.execute(f"SELECT 1 FROM {name}").fetchall()] == []  # noqa: S608  # the schema's names
    battles = set(conn.execute("SELECT system, status = 'open' FROM battles"))
    assert battles == {(system, is_open) for system in SYSTEMS for is_open in (0, 1)}
    undone = conn.execute("SELECT system FROM battles JOIN journal ON battle_id = id WHERE kind = 'undo'")
    assert {system for (system,) in undone} == SYSTEMS
    kinds = dict(conn.execute("SELECT id, kind FROM calculations").fetchall())
    conn.close()
    assert set(kinds.values()) == KINDS
    ids = [step.id.split(":") for step in STEPS]
    assert {prefix for prefix, *_ in ids} == IDS
    assert {kinds[rest[0]] for prefix, *rest in ids if prefix in {"a1", "j1", "m1", "p1"}} == KINDS


async def test_old_buttons_and_forms_that_change_nothing_answer(world: World) -> None:
    await expect_old_answers(world, [step for step in STEPS if step.changes is None])


@pytest.mark.parametrize("steps", rounds())
async def test_old_buttons_and_forms_go_on_with_everything(world: World, steps: list[Step]) -> None:
    """Each open battle goes a step further, a challenge is answered, words are changed, a boss is forged."""
    await expect_old_answers(world, steps)
    assert await mismatches(world) == []


OPEN = "SELECT id, channel_id, number, version FROM battles WHERE status = 'open' AND guild_id IS NOT NULL"


async def test_open_battles_go_a_step_back_and_all_verify(world: World) -> None:
    assert world.rows("SELECT status = 'open', count(*) FROM battles GROUP BY 1") == [(0, 7), (1, 22)]
    for battle_id, channel_id, number, version in world.rows(OPEN):
        asked = await world.slash(CHANNELS[channel_id], "battle undo", by="judy", number=number)
        if version:
            await world.members["judy"].click(asked, custom_id=button(asked, "Undo"))
        text, rows = text_of(asked), journal(world, battle_id)
        if version == 0:
            assert (text, rows) == ("⚠️ There is no step to take back.", [])
        else:
            assert text.startswith(f"↩️ #{number}: one step back.")
            assert len(rows) == version + 1
            assert rows[-1][0] == "undo"
    assert await mismatches(world) == []


async def test_open_battles_get_a_clock(world: World) -> None:
    for battle_id, channel_id, number, version in world.rows(OPEN):
        said = await world.slash(CHANNELS[channel_id], "battle clock", by="judy", number=number, turn="1 h")
        assert "1 hour a turn" in text_of(said)
        assert journal(world, battle_id)[version:] == [("clock", None)]
    world.clock.now += 2 * 60 * 60
    await world.bot.services[MaintenanceTasks].tick()
    assert await mismatches(world) == []
    moved = world.rows("SELECT count(*) FROM journal WHERE seat = 'clock' AND kind = 'step'")
    assert moved[0][0] > 0


async def test_exported_journals_verify_offline(world: World, tmp_path: Path) -> None:
    for channel_id, number in world.rows("SELECT channel_id, number FROM battles WHERE status <> 'open'"):
        log = await world.slash(CHANNELS[channel_id], "battle log", number=number)
        sent = answer(await world.members["ann"].click(log, custom_id=button(log, "Files")))
        (exported,) = [file for file in sent.attachments if file.filename == f"battle-{number}.jsonl"]
        path = tmp_path / f"{channel_id}-{number}.jsonl"
        path.write_bytes(await exported.read())
        assert main(["verify", str(path)]) == 0


async def test_what_was_committed_but_not_published_is_published(tmp_path: Path, simulator: Simulator) -> None:
    async with old_world(VERSION, tmp_path, simulator, outbox=True) as world:
        ((battle_id,),) = world.rows("SELECT id FROM battles WHERE channel_id = ? AND number = 10", OLD.channels["aa"])
        assert world.panel(battle_id).startswith("### #10 Axis & Allies: round 1\n")
        assert world.rows("SELECT * FROM outbox") == []


async def test_time_that_runs_out_is_called(world: World) -> None:
    """Losses go by score, the absent are stepped for, AIs play."""
    world.clock.now += 8 * DAY
    await world.bot.services[MaintenanceTasks].catch_up()
    played = "FROM journal JOIN battles ON id = battle_id WHERE seat = 'clock' AND kind = 'step'"
    systems = f"SELECT system, count(*) {played} GROUP BY 1"
    assert world.rows(systems) == [("aa-battle", 1), ("boss-fight", 1), ("mka", 3)]
    assert await mismatches(world) == []


async def test_an_old_reminder_goes_with_its_turn(world: World) -> None:
    messages = world.env.backend.messages[OLD.channels["mka"]]
    ((old,),) = world.rows(REMINDER, OLD.channels["mka"])
    assert old in messages
    text = text_of(await world.slash("mka", "mka orders", number=1, orders="C8 pass; end"))
    assert text.startswith("✅ Done. #1 is at round 2 of 20, Ben's turn.")
    ((new,),) = world.rows(REMINDER, OLD.channels["mka"])
    assert old not in messages
    assert new in messages


async def test_saved_rosters_are_listed_sent_and_used_and_recent_texts_are_offered(world: World) -> None:
    own = text_of(await world.slash("calc", "roster list"))
    assert all(name in own for name in ("Desert", "Riders", "Strong", "Weak", "Groups", "Flat land"))
    usable = text_of(await world.slash("calc", "roster list", by="ben"))
    assert [name in usable for name in ("Orcs", "Desert", "Riders", "Strong")] == [True, True, True, False]
    for version, data in ((2, b"6 tanks, 1 fighter"), (1, b"6 tanks")):
        (file,) = (await world.slash("calc", "roster show", name="Desert", version=version)).attachments
        assert await file.read() == data
    for by, command, options, says in kept_table(__file__, "saved"):
        assert says in text_of(await world.slash("calc", command, by=by, **options)), command
    offered = await world.members["ann"].autocomplete(world.channels["calc"], "aacalc", "battle", "6 tanks, 2")
    assert "6 tanks, 2 inf vs 10 inf" in [choice["value"] for choice in offered]


KEPT = kept_texts(__file__, "kept")
"""How many things the tables hold for each part of the export; results and dice are those of old battles."""

NEWER = {"aa_editions", "aa_puzzle_answers", "campaigns", "people", "digests", "weekly_tries"}
"""Parts that the version of the database didn't have."""


@pytest.mark.parametrize("name", ["ann", "ben", "judy"])
async def test_what_is_kept_about_a_person_is_shown_and_exported(world: World, name: str) -> None:
    user_id = OLD.people[name]
    await world.bot.services[EndedBattles].settled()
    kept = {part: world.rows(sql, user_id)[0][0] for part, sql in KEPT.items()}
    lines = text_of(await world.slash("calc", "privacy show", by=name)).splitlines()
    counts = Counter(int(line.split()[1]) for line in lines if line.startswith("- "))
    assert Counter(filter(None, kept.values())) <= counts
    data, *archives = (await world.slash("calc", "privacy export", by=name)).attachments
    export = json.loads(await data.read())
    assert export.pop("user_id") == str(user_id)
    assert {part: len(entries) for part, entries in export.items()} == kept
    if name == "ann":
        assert {part for part, number in kept.items() if not number} == NEWER
        with zipfile.ZipFile(BytesIO(await archives[0].read())) as archive:
            assert {Path(file).suffix for file in archive.namelist()} == {".txt", ".png"}


async def test_nobody_is_left_in_any_file(world: World) -> None:
    """Neither an id nor a text; in a copy from before a migration only as long as it is kept."""
    ids = tuple(OLD.people.values())
    texts = tuple(text for (text,) in world.rows("SELECT text FROM recent_texts"))
    assert len(texts) > 10
    folder, copy = world.path.parent, world.path.with_name(f"{world.path.name}.before-0007")
    await asyncio.to_thread(shutil.copyfile, world.path, copy)
    os.utime(copy, (world.clock.now,) * 2)
    for name in OLD.people:
        await insist(world.members[name], await world.slash("calc", "privacy delete", by=name))
    found = await asyncio.to_thread(traces, folder, ids=ids, texts=texts)
    assert found == [copy.name]
    assert "it is deleted after 7 days." in text_of(await world.slash("calc", "privacy show"))
    maintenance = world.bot.services[MaintenanceTasks]
    for days, left in ((6.9, [copy.name]), (0.2, [])):
        world.clock.pass_days(days)
        await maintenance.clear()
        assert await asyncio.to_thread(traces, folder, ids=ids[:1], texts=()) == left
    assert await mismatches(world) == []
