"""What goes in and out of a message: files and saved rosters, texts that fit, emojis."""

import asyncio
import io
import json
import re
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, cast

import discord
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from bot.answers.document import LINES_A_PAGE, jump_targets, lazy_pages, line_pages, room
from bot.battles.panel import last_lines
from bot.games import Games
from bot.store.database import Database
from bot.store.personal_data import PersonalDataRepository
from bot.ui import IconWriter, plain, shorten, utf16_length
from bot.ui.emojis import Emojis
from bot.ui.error_replies import error_text
from bot.ui.options import form_values, read_attachment
from sim.core import Problem, RuleError, Span, TextError
from sim.core.cards.stickers import SIDE, StickerRequest, icon, without_icons
from sim.csv import Fault, FilesError, TableError
from tests.bot.conftest import Table, answer, buttons_of, expect_in, files_of, text_of
from tests.sim.marked_for_death.builders import ORCS, RIDERS
from tests.tables import kept_table

CHECK = "mfd check"
"""A command with a file or a saved roster, and without a form."""


async def contents(table: Table) -> list[bytes]:
    """Return the large contents in the database."""
    return [row["data"] for row in await table.bot.services[Database].fetch_all("SELECT data FROM uploads")]


async def test_what_was_asked_keeps_its_roster_whatever_becomes_of_that(table: Table) -> None:
    """An answer's pages are those of the content that was asked about."""
    await table.run("roster save", name="Fox", kind="mfd", file=("fox.csv", RIDERS.encode()))
    message = await table.run(CHECK, roster_saved="Fox")
    await table.run("roster save", name="Fox", kind="mfd", file=("fox.csv", ORCS.encode()))
    await table.surely("roster delete", name="Fox")
    await table.restart()
    expect_in(text_of(await table.pressed(message, "▶️")), "Fox: 3 fighters", "Dragon's ToHit")
    assert b"Dragon" in (await files_of(await table.pressed(message, "Files")))["roster.txt"]


UNREADABLE: list[tuple[dict[str, Any], str]] = [
    ({}, "For roster, attach a file or name a saved roster."),
    ({"roster": ("a.csv", b"Name"), "roster_saved": "x"}, "For roster, give a file or a saved roster, not both."),
    ({"roster_saved": "x"}, "There is no saved roster called x here."),
    ({"roster": ("a_b.csv", b"x" * 300_000)}, "The file a_b\\.csv has 293 KiB; at most 256 KiB are read."),
    ({"roster": ("a.csv", b"Name,XP\nA,x\n")}, "**1 problem to fix**\n- Row 2, XP: 'x' is not a whole number."),
]


@pytest.mark.parametrize("private", [True, False])
async def test_what_can_not_be_read_is_told_privately_and_leaves_nothing(table: Table, private: bool) -> None:
    for options, sentence in UNREADABLE:
        result = await table.ann.slash(table.channel, CHECK, **options, private=private)
        reply = answer(result) if private else result.followups[0]
        assert reply.ephemeral
        assert text_of(reply) == f"⚠️ {sentence}"
        assert buttons_of(reply) == [], "there is no form to mend it in"
    assert table.channel.history() == []
    assert await contents(table) == []
    assert (await table.bot.services[PersonalDataRepository].export(table.ann.id))["calculations"] == []


async def test_where_there_is_a_form_a_file_is_kept_with_the_draft(table: Table) -> None:
    rows = b"token,trait\nhero,Assasin\nhero,V\nhero,nope\n"
    (reply,) = (await table.ann.slash(table.channel, "boss deck", deck_file=("deck.csv", rows))).followups
    assert reply.ephemeral
    expect_in(text_of(reply), "Row 2, trait", "Row 4, trait")
    assert buttons_of(reply) == ["Fix it"]
    assert await contents(table) == [rows]


@dataclass
class Attached:
    """An attachment that a test makes difficult to read."""

    filename: str = "a.csv"
    size: int = 1
    data: bytes = b"x"
    error: Exception | None = None
    hangs: bool = False

    async def read(self) -> bytes:
        if self.hangs:
            await asyncio.sleep(3600)
        if self.error is not None:
            raise self.error
        return self.data


def attached(**given: Any) -> discord.Attachment:  # noqa: ANN401  # fields are of all kinds
    return cast("discord.Attachment", Attached(**given))


GONE = r"Discord didn't hand over the file a\.csv; please attach it again\."


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"hangs": True}, GONE),
        ({"error": OSError("reset")}, GONE),
        ({"error": discord.DiscordException("gone")}, GONE),
        ({"data": b"x" * (256 * 1024 + 1)}, "at most 256 KiB"),  # more than it said
    ],
)
async def test_an_attachment_that_discord_does_not_give_out_or_that_is_too_large(
    monkeypatch: pytest.MonkeyPatch, given: dict[str, Any], why: str
) -> None:
    monkeypatch.setattr("bot.ui.options.READ_SECONDS", 0.01)
    with pytest.raises(RuleError, match=why):
        await read_attachment(attached(**given))


@pytest.mark.parametrize(("name", "shown"), kept_table(__file__, "names"))
def test_plain_names(name: str, shown: str) -> None:
    assert plain(name) == shown


def test_plain_names_of_plain_characters_are_no_exception() -> None:
    printable = "".join(map(chr, range(32, 127)))
    for at in range(0, len(printable), 50):
        part = printable[at : at + 50]
        assert f"{plain(part)}ë" == plain(f"{part}ë")


FAULTS = [Fault(row, "XP", "'x' is not a whole number.") for row in range(2, 52)]


@pytest.mark.parametrize(("more", "total"), [(0, "50"), (126_950, "127,000")])
def test_faults_that_are_only_counted_are_told_as_a_number(more: int, total: str) -> None:
    lines = error_text(TableError(FAULTS, more)).splitlines()
    assert lines[0] == f"⚠️ **{total} problems to fix**"
    assert len(lines) == 1 + 50 + (more > 0)
    assert (lines[-1] == f"-# … and {more:,} more.") is (more > 0)


def test_faults_that_do_not_fit_are_counted_with_the_rest() -> None:
    long = [Fault(row, "XP", "x" * 200) for row in range(2, 52)]
    text = error_text(FilesError({"Heroes": TableError(long, 7), "Villains": TableError(FAULTS, 3)}))
    lines = text.splitlines()
    assert lines[0] == "⚠️ **110 problems to fix**"
    assert lines[-1] == f"-# … and {110 - (len(lines) - 2)} more."
    assert len(text) <= 4000


def test_problems_of_a_text_beyond_the_first_eight_are_a_number_and_a_lone_one_may_have_all_to_paste() -> None:
    problems = [Problem(Span(at, at + 1), "What?") for at in range(50)]
    text = error_text(TextError("?" * 100, problems, 50))
    assert text.count("What?") == 8
    assert text.endswith("-# … and 92 more.")
    paste = Problem(Span(0, 1), "Then paste: " + "x" * 1000)
    assert "x" * 1000 in error_text(TextError("?", [paste]))
    assert "x" * 180 not in error_text(TextError("?", [paste, paste]))


@given(st.integers(1, 40) | st.integers(1, 100_000), st.data())
def test_the_jump_list_has_the_ends_the_page_and_its_neighbours(count: int, data: st.DataObject) -> None:
    current = data.draw(st.integers(0, count - 1))
    targets = jump_targets(count, current)
    assert len(targets) <= 25
    assert targets == sorted(set(targets))
    wanted = {0, count - 1, current, max(0, current - 1), min(count - 1, current + 1)}
    assert wanted <= set(targets) <= set(range(count))
    assert count > 25 or len(targets) == count


@given(st.text(), st.integers(1, 50))
def test_shortened_text_fits_as_discord_counts(text: str, most: int) -> None:
    short = shorten(text, most)
    assert utf16_length(short) <= most
    assert short == text or short.endswith("…")


@given(st.lists(st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), max_size=60)), st.integers(2, 200))
def test_the_ending_of_a_text_fits_and_has_its_last_lines(lines: list[str], most: int) -> None:
    text = "\n".join(lines)
    kept = last_lines(text, most)
    assert utf16_length(kept) <= most
    assert kept == text or kept.startswith("…")
    assert text.endswith(kept.removeprefix("…").removeprefix("\n"))


@given(st.lists(st.text("ab*⚀🛡", max_size=80), min_size=1), st.integers(170, 400))
def test_lines_are_parted_into_pages_that_fit_and_none_is_lost(lines: list[str], most: int) -> None:
    parts = [page.text() for page in line_pages("The log", lines, "#" * (room("") - most), "Head")]
    assert [line for part in parts for line in part.split("\n")[1:]] == lines
    for part in parts:
        assert 1 < len(part.split("\n")) <= 1 + LINES_A_PAGE
        assert part.startswith("Head\n")
        assert utf16_length(part) <= most
    later = lazy_pages(lines, plain, 80, most)
    assert [line for _, _, page in later for line in page().split("\n")] == [*map(plain, lines)]
    assert [at for start, end, _ in later for at in range(start, end)] == [*range(len(lines))]
    assert max(utf16_length(page()) for _, _, page in later) <= most


def test_a_forms_values_are_found_wherever_they_are_nested() -> None:
    label = {"type": 18, "component": {"type": 4, "custom_id": "battle", "value": "6 t"}}
    row = {"type": 1, "components": [{"type": 4, "custom_id": "other", "value": "x"}]}
    assert form_values({"custom_id": "m1:x", "components": [label, row]}) == {"battle": "6 t", "other": "x"}


NAMES = ("tank", "fire")


@pytest.fixture
def emojis() -> Emojis:
    found = Emojis(SimpleNamespace())  # type: ignore[arg-type]  # it only reads and uploads by the client
    vars(found)["_known"] = {name: discord.PartialEmoji(name=f"{name}_0a1b", id=10**18) for name in NAMES}
    return found


def text(words: str) -> dict[str, Any]:
    return {"type": 10, "content": words}


def test_every_picture_is_square_light_and_of_its_own() -> None:
    stickers = Games.discover().emojis
    pictures = [StickerRequest(sticker=sticker).run() for sticker in stickers.values()]
    assert len(set(pictures)) == len(stickers)
    assert max(map(len, pictures)) < 10_000
    assert all(re.fullmatch(r"[a-z0-9_]{2,27}", name) for name in stickers), "five more for the edition"
    for picture in pictures:
        image = Image.open(io.BytesIO(picture))
        assert (image.mode, image.size) == ("RGBA", (SIDE, SIDE))
        assert image.getpixel((0, 0))[3] == 0  # type: ignore[index]  # RGBA has four bands
        assert image.getpixel((SIDE // 2, SIDE // 2)) is not None


def test_icons_become_emojis_in_texts_and_on_buttons_and_words_elsewhere(emojis: Emojis) -> None:
    said = f"**{icon('tank')}6 tanks**, {icon('fire', '🔥')} Fire, {icon('none')}x, {icon('none', '⚪')} None"
    body = {
        "components": [
            text(said),
            {"type": 2, "label": said, "emoji": {"id": None, "name": icon("fire", "🔥")}},
            {"type": 2, "label": "a", "emoji": {"id": None, "name": icon("none", "⚪")}},
            {"type": 2, "label": "b", "emoji": {"id": None, "name": icon("none")}},
        ]
    }
    words = "**6 tanks**, 🔥 Fire, x, ⚪ None"
    options = {"payload": body, "multipart": [{"name": "payload_json", "value": json.dumps(body)}]}
    dressed, plainly = emojis.dress(options), IconWriter().dress(options)
    assert json.loads(plainly["multipart"][0]["value"])["components"][0]["content"] == words
    shown, known, standing, without = dressed["payload"]["components"]
    assert shown["content"] == f"**<:tank_0a1b:{10**18}> 6 tanks**, <:fire_0a1b:{10**18}> Fire, x, ⚪ None"
    assert (known["label"], known["emoji"]) == (words, {"id": str(10**18), "name": "fire_0a1b"})
    assert standing["emoji"]["name"] == "⚪"
    assert "emoji" not in without
    assert json.loads(dressed["multipart"][0]["value"]) == dressed["payload"]
    assert without_icons(said) == words
    assert utf16_length(said) == utf16_length(words)
    assert shorten(said, 9) == shorten(words, 9)


@pytest.mark.parametrize(("room", "tank", "fire"), [(100, True, True), (40, True, False), (5, False, False)])
def test_emojis_that_would_not_fit_are_left_out(emojis: Emojis, room: int, tank: bool, fire: bool) -> None:
    words = f"{icon('tank')}6{icon('fire', '🔥')}"
    body = {"components": [text(words), text("x" * (4000 - 3 - room))]}
    shown = emojis.dress({"json": body})["json"]["components"][0]
    assert ("<:tank" in shown["content"], "<:fire" in shown["content"]) == (tank, fire)
    assert without_icons(shown["content"]) == shown["content"]
