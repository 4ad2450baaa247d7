"""`/privacy`: what is kept about a player is shown, exported and deleted everywhere."""

import io
import json
import zipfile

import pytest

from bot.client import Policies
from bot.store.database import Database, Row
from tests.bot.battles.fights import begin, stored
from tests.bot.conftest import Table, buttons_of, expect_in, text_of

pytestmark = pytest.mark.usefixtures("fixed_dice")


async def known(table: Table) -> None:
    """Let the bot know Ann: a calculation, a saved army, a battle that is over, one that goes on."""
    await table.ann.slash(table.channel, "roster save", name="Desert", kind="aa", text="6 tanks")
    await table.aacalc("6 tanks vs 10 inf")
    over = await begin(table)
    await table.press(over, "Fight to the end")
    panel = await begin(table, "20 inf vs 20 inf")
    await table.press(panel, "Fight round 1")


async def test_show_sums_up_what_is_kept(table: Table) -> None:
    empty = await table.run("privacy show")
    assert empty.ephemeral
    assert "- 0 texts sent lately" in text_of(empty)
    await known(table)
    text = text_of(await table.run("privacy show"))
    assert "- 2 texts sent lately" in text
    assert "- 1 calculation with your id" in text
    assert "- 2 battles with your id" in text
    assert "- 1 roster that you saved; until you delete them\n" in text
    assert "- 1 file behind calculations and rosters" in text


async def test_who_has_just_deleted_everything_waits_ten_minutes(table: Table) -> None:
    await table.surely("privacy delete")
    table.clock.now += 60
    pressed = await table.press(await table.run("privacy delete"), "Delete it all")
    assert "you can delete again in 9 minutes" in text_of(pressed.followups[-1])
    assert "Deleted" in text_of(await table.surely("privacy delete", by=table.ben))
    table.clock.now += 541
    assert "Deleted" in text_of(await table.surely("privacy delete"))


async def test_show_tells_of_backups_where_there_are_some(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "ackups" not in text_of(await table.run("privacy show"))
    monkeypatch.setitem(table.bot.services._by_type, Policies, Policies(backup_days=4))
    text = text_of(await table.run("privacy show"))
    assert text.endswith("\n-# Backups are made of everything; what is deleted is in them for 4 days.")


async def test_what_others_keep_with_a_person_s_id_is_shown_and_deleted(table: Table) -> None:
    """Of a challenge by somebody else only that it is there: the rest is the other one's."""
    await table.ann.slash(table.channel, "duel challenge", opponent=table.ben)
    text = text_of(await table.run("privacy show", by=table.ben))
    assert "- 1 calculation with your id" in text
    assert "Fighters' names stay in the logs of their battles" in text
    export = await table.run("privacy export", by=table.ben)
    (named,) = json.loads(await export.attachments[0].read())["calculations"]
    assert (named["kind"], named["request"], named["uploads"]) == ("duel-challenge", None, [])
    reply = await table.surely("privacy delete", by=table.ben)
    assert "1 calculation" in text_of(reply)
    text = text_of(await table.run("privacy show", by=table.ben))
    assert "- 0 calculations with your id" in text


async def test_export_is_a_file_with_everything(table: Table) -> None:
    await known(table)
    message = await table.run("privacy export")
    assert message.ephemeral
    file, packed = message.attachments
    assert (file.filename, packed.filename) == ("about-you.json", "your-files.zip")
    kept = json.loads(await file.read())
    assert kept["user_id"] == str(table.ann.id)
    assert {recent["text"] for recent in kept["recent_texts"]} == {"6 tanks vs 10 inf", "20 inf vs 20 inf"}
    assert kept["calculations"][0]["request"]["battle"] == "6 tanks vs 10 inf"
    (version,) = kept["rosters"][0]["versions"]
    with zipfile.ZipFile(io.BytesIO(await packed.read())) as archive:
        assert {name: archive.read(name) for name in archive.namelist()} == {f"{version['sha256']}.txt": b"6 tanks"}
    assert [battle["number"] for battle in kept["battles"]] == [1, 2]
    assert kept["battles"][1]["seats"] == ["attacker"]
    assert [act["action"] for act in kept["battles"][1]["acts"]] == [{"do": "fire"}]


async def test_delete_takes_a_player_out_of_everything_at_once(table: Table) -> None:
    await known(table)
    panels = [table.env.backend.get_message(table.channel.id, (await stored(table, n)).panel_id or 0) for n in (1, 2)]
    assert all(str(table.ann.id) in str(panel.components) for panel in panels)
    reply = await table.surely("privacy delete")
    assert reply.ephemeral
    expect_in(
        text_of(reply),
        "🗑️ Deleted: 2 texts, 1 calculation, 1 saved roster, 1 dice record, your part in 2 battles, ",
        "your part in 1 result.",
    )
    assert not any(str(table.ann.id) in str(panel.components) for panel in panels), "the panels lose the name, too"
    assert not any(str(table.ann.id) in dump for dump in await dumps(table))
    again = await table.run("privacy show")
    assert "- 0 battles with your id" in text_of(again)
    for number in (1, 2):
        verified = await table.run("battle verify", by=table.ben, number=number)
        assert text_of(verified).startswith(f"### ✅ Match: #{number}, ")


async def test_the_seat_of_who_was_deleted_is_free_for_another(table: Table) -> None:
    panel = await begin(table, "20 inf vs 20 inf")
    await table.press(panel, "Fight round 1")
    await table.surely("privacy delete")
    assert buttons_of(panel) == ["Join as attacker"]
    await table.press(panel, "Join as attacker", by=table.ben)
    await table.press(panel, "Fight round 2", by=table.ben)
    assert text_of(panel).startswith("### #1 Axis & Allies: round 2\n")


async def test_others_keep_what_is_theirs(table: Table) -> None:
    await known(table)
    await table.surely("privacy delete")
    assert (await stored(table, 2)).seats_of(table.ben.id) == ("defender",)


async def dumps(table: Table) -> list[str]:
    """Return every row of every table, as text."""
    db = table.bot.services[Database]
    rows: list[Row] = []
    for name in await db.tables():
        rows += await db.fetch_all(f"SELECT * FROM {name}")  # noqa: S608  # our own tables
    return [str(tuple(row)) for row in rows]


async def test_a_draft_of_somebody_else_that_names_me_goes_too(table: Table) -> None:
    """A refused `/aa battle` is kept to be mended, the other player's id with it."""
    await table.ann.slash(table.channel, "aa battle", setup="6 tonks vs 10 inf", defender=table.ben)
    assert any(str(table.ben.id) in dump for dump in await dumps(table))
    await table.surely("privacy delete", by=table.ben)
    assert not any(str(table.ben.id) in dump for dump in await dumps(table))
