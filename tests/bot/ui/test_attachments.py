"""What goes in and out of a message: files and saved rosters, in a toy system of one command; and texts that fit."""

import asyncio
import io
import json
import re
from dataclasses import dataclass
from functools import partial
from types import SimpleNamespace
from typing import Annotated, Any, cast

import discord
import pytest
from discord import app_commands
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from simcord import InteractionResult, MemberActor

from bot.answers.document import Document, Page, jump_targets
from bot.answers.handler import UPLOADED, Handlers, Query, QueryHandler
from bot.app import Fracas
from bot.client import Interaction
from bot.game import Games
from bot.rosters.library import roster_content, saved_roster
from bot.store.personal_data import PersonalDataRepository
from bot.store.queries import UploadRepository
from bot.ui.emojis import Emojis
from bot.ui.error_replies import error_text
from bot.ui.interactions import defer
from bot.ui.modals import form_values
from bot.ui.options import Upload, read_attachment
from bot.ui.text import IconWriter, plain, shorten, utf16_length
from sim.axis_allies.answers import CheckRequest
from sim.axis_allies.army import Army, army_text
from sim.core.cards.stickers import SIDE, StickerRequest, icon, without_icons
from sim.core.errors import Problem, RuleError, Span, TextError
from sim.csv.table import Fault, FilesError, TableError
from sim.workers.limits import Caller
from tests.bot.conftest import Table, answer, buttons_of, expect_in, text_of
from tests.tables import kept_table

FILE = ("heroes.txt", b"6 tanks")
HEADLINE = "### 6 tanks"


class ToyQuery(Query):
    """A roster, by its hash."""

    heroes: Annotated[str, UPLOADED]


class ToyHandler(QueryHandler[ToyQuery, tuple[Army, ...]]):
    """Tells what is in the roster."""

    kind = "toy"
    checks_slowly = True
    has_form = False

    async def build_request(self, query: ToyQuery, _caller: Caller) -> CheckRequest:
        return CheckRequest(content=await self._bot.services[UploadRepository].read(query.heroes))

    async def document(self, _query: ToyQuery, armies: tuple[Army, ...], _caller: Caller) -> Document:
        pages = [Page(f"Page {number}", partial("Page {}".format, number)) for number in (1, 2)]
        return Document(f"### {army_text(armies[0])}", 0, pages)

    async def files(self, query: ToyQuery, _armies: tuple[Army, ...], _caller: Caller) -> dict[str, bytes]:
        return {"heroes.txt": await self._bot.services[UploadRepository].read(query.heroes)}


class FormHandler(ToyHandler):
    """The same with a form, whose refusals can be mended."""

    has_form = True


async def add_toy(bot: Fracas, desk: type[ToyHandler] = ToyHandler) -> None:
    """Add the command `/toy` with its desk."""
    toy = desk(bot)
    bot.services[Handlers].add(toy)

    @app_commands.command(name="toy", description="A toy")
    async def command(
        interaction: Interaction,
        heroes: discord.Attachment | None = None,
        heroes_saved: Annotated[str, saved_roster("aa")] | None = None,
        private: bool = False,
    ) -> None:
        await defer(interaction, private=private)
        upload = await roster_content(interaction, "aa", heroes, heroes_saved, "heroes")
        await toy.ask(interaction, ToyQuery(heroes=bot.services[UploadRepository].keep(upload.data), private=private))

    bot.tree.add_command(command)
    await bot.tree.sync()


async def toy(table: Table, *, by: MemberActor | None = None, **options: object) -> InteractionResult:
    return await (by or table.ann).slash(table.channel, "toy", **options)


async def contents(table: Table) -> list[bytes]:
    """Return the large contents in the database."""
    return [
        row["data"]
        for row in await table.bot.services[PersonalDataRepository]._db.fetch_all("SELECT data FROM uploads")
    ]


async def test_a_saved_roster_is_used_in_place_of_a_file(table: Table) -> None:
    await add_toy(table.bot)
    await table.ann.slash(table.channel, "roster save", name="Desert fox", kind="aa", text="6 tanks")
    assert text_of(answer(await toy(table, heroes_saved="desert FOX"))).startswith(HEADLINE)
    ((choice,)) = await table.ann.autocomplete(table.channel, "toy", "heroes_saved", "fox")
    assert choice["name"] == "Desert fox"
    assert text_of(answer(await toy(table, heroes_saved=choice["value"]))).startswith(HEADLINE)
    (reply,) = (await toy(table, heroes_saved="Desert fox", by=table.ben)).followups
    expect_in(text_of(reply), "⚠️ There is no saved roster Desert fox")
    await table.ann.slash(table.channel, "roster share", name="Desert fox")
    assert text_of(answer(await toy(table, heroes_saved="Desert fox", by=table.ben))).startswith(HEADLINE)


async def test_what_was_asked_keeps_its_roster_whatever_becomes_of_that(table: Table) -> None:
    """An answer's pages are those of the content that was asked about."""
    await add_toy(table.bot)
    await table.ann.slash(table.channel, "roster save", name="Fox", kind="aa", text="6 tanks")
    message = answer(await toy(table, heroes_saved="Fox"))
    await table.ann.slash(table.channel, "roster save", name="Fox", kind="aa", text="9 tanks")
    await table.surely("roster delete", name="Fox")
    await table.restart()
    await add_toy(table.bot)
    assert text_of(answer(await table.press(message, "▶️"))).startswith(f"{HEADLINE}\nPage 2")
    (file,) = answer(await table.press(message, "Files")).attachments
    assert await file.read() == b"6 tanks"


UNREADABLE: list[tuple[dict[str, Any], str]] = [
    ({}, "Attach a file as heroes, or choose a saved roster as heroes_saved."),
    ({"heroes": FILE, "heroes_saved": "x"}, "Give heroes or heroes_saved, not both."),
    ({"heroes_saved": "x"}, "There is no saved roster x you can use here."),
    ({"heroes": ("a_b.csv", b"x" * 300_000)}, "The file a_b\\.csv has 293 KiB; at most 256 KiB are read."),
    ({"heroes": ("a.csv", b"PK\x03\x04\xff")}, "An army is plain text in UTF-8, such as: 6 tanks, 2 inf"),
]


@pytest.mark.parametrize("private", [True, False])
async def test_what_can_not_be_read_is_told_privately_and_leaves_nothing(table: Table, private: bool) -> None:
    await add_toy(table.bot)
    for options, sentence in UNREADABLE:
        result = await toy(table, **options, private=private)
        reply = answer(result) if private else result.followups[0]
        assert reply.ephemeral
        assert text_of(reply) == f"⚠️ {sentence}"
        assert buttons_of(reply) == [], "there is no form to mend it in"
    assert table.channel.history() == []
    assert await contents(table) == []
    assert (await table.bot.services[PersonalDataRepository].export(table.ann.id))["calculations"] == []


async def test_a_desk_with_a_form_offers_to_mend_what_the_simulator_refused(table: Table) -> None:
    await add_toy(table.bot, FormHandler)
    (reply,) = (await toy(table, heroes=("a.txt", b"6 tonks"))).followups
    assert reply.ephemeral
    assert "Did you mean tanks?" in text_of(reply)
    assert buttons_of(reply) == ["Fix it"]
    assert await contents(table) == [b"6 tonks"], "it is kept with the draft"


async def test_contents_go_with_the_person(table: Table) -> None:
    await add_toy(table.bot)
    message = answer(await toy(table, heroes=FILE))
    assert await contents(table) == [b"6 tanks"]
    await table.surely("privacy delete")
    assert await contents(table) == []
    assert "too old to continue" in text_of(answer(await table.press(message, "▶️")))


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


async def test_an_attachment_is_read() -> None:
    assert await read_attachment(attached(data=b"abc")) == Upload("a.csv", b"abc")


@pytest.mark.parametrize(
    "given", [{"hangs": True}, {"error": OSError("reset")}, {"error": discord.DiscordException("gone")}]
)
async def test_an_attachment_that_discord_does_not_give_out(given: dict[str, Any]) -> None:
    with pytest.raises(RuleError, match=r"Discord didn't hand over the file a\.csv; please attach it again\."):
        await read_attachment(attached(**given), seconds=0.01)


async def test_an_attachment_larger_than_it_said_is_refused() -> None:
    with pytest.raises(RuleError, match="at most 256 KiB"):
        await read_attachment(attached(data=b"x" * (256 * 1024 + 1)))


@pytest.mark.parametrize(("name", "shown"), kept_table(__file__, "names"))
def test_plain_names(name: str, shown: str) -> None:
    assert plain(name) == shown


def test_plain_names_of_plain_characters_are_no_exception() -> None:
    printable = "".join(map(chr, range(32, 127)))
    for at in range(0, len(printable), 50):
        part = printable[at : at + 50]
        assert f"{plain(part)}ë" == plain(f"{part}ë")


FAULTS = [Fault(row, "XP", "'x' is not a whole number.") for row in range(2, 52)]


def test_a_single_sentence_is_the_whole_reply() -> None:
    assert error_text(RuleError("No.")) == "⚠️ No."


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


def test_problems_of_a_text_beyond_the_first_eight_are_a_number() -> None:
    problems = [Problem(Span(at, at + 1), "What?") for at in range(50)]
    text = error_text(TextError("?" * 100, problems, 50))
    assert text.count("What?") == 8
    assert text.endswith("-# … and 92 more.")


def test_a_lone_problem_of_a_text_may_have_a_whole_text_to_paste() -> None:
    paste = Problem(Span(0, 1), "Then paste: " + "x" * 1000)
    assert "x" * 1000 in error_text(TextError("?", [paste]))
    assert "x" * 180 not in error_text(TextError("?", [paste, paste]))


def test_few_pages_are_all_offered() -> None:
    assert jump_targets(25, 3) == list(range(25))


@given(st.integers(1, 100_000), st.data())
def test_the_jump_list_has_the_ends_the_page_and_its_neighbours(count: int, data: st.DataObject) -> None:
    current = data.draw(st.integers(0, count - 1))
    targets = jump_targets(count, current)
    assert len(targets) <= 25
    assert targets == sorted(set(targets))
    wanted = {0, count - 1, current, max(0, current - 1), min(count - 1, current + 1)}
    assert wanted <= set(targets) <= set(range(count))


@given(st.text(), st.integers(1, 50))
def test_shortened_text_fits_as_discord_counts(text: str, most: int) -> None:
    short = shorten(text, most)
    assert utf16_length(short) <= most
    assert short == text or short.endswith("…")


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
