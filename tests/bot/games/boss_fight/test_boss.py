"""`/boss forge` with its form and pictures, and `/boss what-if`; the rest is in the scenes (tests/bot/snapshots)."""

import io
from typing import Any

import pytest
from PIL import Image
from simcord import InteractionResult

from bot.games.boss_fight.repositories import BossRepository, Home
from bot.store.queries import MAX_BYTES
from sim.boss_fight.exchange import TranscriptRequest
from tests.bot.conftest import Table, answer, expect_in, files_of, form_values, said, text_of
from tests.bot.games.boss_fight.boss_fights import HERO, begin, forged, join, picture

GIANT = {
    "name": "Frost Giant",
    "figures": "3 / 400 / 100 / 50",
    "nature": ["MR", "Water", "PP"],
    "words": "entry: Who dares?\nfall: The ice melts: all of it",
}

GIANT_LINE = (
    "👹 **Frost Giant** level 3, 💧 Water, 400 health, 100 physical, 50 magical damage, pierces physical, "
    "resists magical"
)


async def forge(table: Table, values: dict[str, Any], **options: Any) -> InteractionResult:  # noqa: ANN401  # texts and files
    form = await table.ann.slash(table.channel, "boss forge", **options)
    return await table.ann.submit_modal(form, values)


async def fought(table: Table, boss: str) -> None:
    """Let Ann fight a boss to the end."""
    panel = await begin(table, boss)
    await join(table, panel)
    await table.press(panel, "Fight to the end")


def noise() -> bytes:
    """Return a picture that no format makes small."""
    out = io.BytesIO()
    Image.merge("RGB", [Image.effect_noise((400, 400), 90) for _ in range(3)]).save(out, format="PNG")
    return out.getvalue()


async def test_a_boss_is_made_mended_and_changed_in_the_form(table: Table) -> None:
    refused = answer(
        await forge(table, {"name": "Mud", "figures": "x / 0", "nature": ["Fire", "Earth"], "words": "hm"})
    )
    assert text_of(refused).startswith("⚠️ **3 problems to fix**")
    made = await table.filled(refused, "Fix it", {**GIANT, "picture": ("giant.jpg", picture())})
    assert said(made).splitlines() == ["🔨 Forged for this server", GIANT_LINE]
    listed = await table.run("boss list", boss="frost giant")
    expect_in(said(listed), "- As it falls: *The ice melts: all of it*", f"Forged by <@{table.ann.id}>")
    (drawn,) = (await files_of(listed)).values()
    image = Image.open(io.BytesIO(drawn))
    assert (image.format, image.size) == ("PNG", (512, 171)), "drawn anew"
    form = await table.ann.slash(table.channel, "boss forge", boss="FROST giant")
    assert form_values(form)["figures"].startswith("Level: 3\nHealth: 400\nPhysical damage: 100")
    await table.ann.submit_modal(form, {**GIANT, "name": "Ice Giant", "words": ""})
    store = table.bot.services[BossRepository]
    (boss,) = await store.at(Home(table.ann.guild.id, table.ann.id))
    assert (boss.boss.name, boss.boss.entry, await store.picture(boss)) == ("Ice Giant", None, drawn)


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"no picture", "I can't read this file as a picture; send a PNG, JPEG, WEBP or GIF."),
        (b"\x89PNG\r\n\x1a\n" + b"x" * 100, "I can't read this file as a picture"),
        (b"x" * (9 << 20), "at most 8,192 KiB are read."),
    ],
)
async def test_what_is_no_picture(table: Table, data: bytes, sentence: str) -> None:
    await forged(table)
    assert sentence in said(await table.run("boss forge", boss="Stone", picture=("a.png", data)))


async def test_a_form_that_loses_records_is_kept_with_its_picture(table: Table) -> None:
    await forged(table)
    await fought(table, "Frost Giant")
    values = {**GIANT, "name": "Ice Giant", "picture": ("noise.png", noise())}
    question = answer(await forge(table, values, boss="frost giant"))
    expect_in(text_of(question), "**Frost Giant**", "all records against it")
    await table.restart()
    made = await table.pressed(question, "Forge anyway")
    assert said(made).splitlines()[0] == "🔨 Forged for this server"
    (drawn,) = (await files_of(made)).values()
    assert len(drawn) > MAX_BYTES, "more than one upload takes"
    assert Image.open(io.BytesIO(drawn)).size == (400, 400)
    assert text_of(await table.run("boss top", boss="frost giant")).startswith("⚠️ There is no boss called")


async def test_the_arithmetic_of_a_file_is_written_by_a_worker(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """A deck of thousands of traits has thousands of lines, and everybody else would wait for them."""
    monkeypatch.setattr(TranscriptRequest, "run", lambda _job: "by a worker")
    message = await table.run("boss what-if", boss="inu dogemon", deck=HERO)
    files = await files_of(await table.pressed(message, "Files"))
    assert files["exchange.txt"] == b"by a worker"
