"""`/boss forge`, `list`, `delete`, `deck`, `what-if`: bosses of a server's own, decks, and what would happen."""

import io
from functools import partial
from typing import Any

import pytest
from PIL import Image
from simcord import InteractionResult

from bot.games.boss_fight.repositories import BossRepository, Home
from bot.store.queries import MAX_BYTES
from sim.boss_fight.exchange import TranscriptRequest
from tests.bot.battles.fights import stranger, told
from tests.bot.conftest import Table, answer, expect_in, files_of, form_values, insist, said, text_of
from tests.bot.games.boss_fight.boss_fights import BOSSES, HERO, WEAK, begin, forged, join, picture

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


class TestForge:
    async def test_a_boss_is_made_mended_and_changed_in_the_form(self, table: Table) -> None:
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
    async def test_what_is_no_picture(self, table: Table, data: bytes, sentence: str) -> None:
        await forged(table)
        assert sentence in said(await table.run("boss forge", boss="Stone", picture=("a.png", data)))

    async def test_the_game_s_own_bosses_stay_as_they_are(self, table: Table) -> None:
        assert "is a built-in boss" in text_of(answer(await forge(table, {**GIANT, "name": "inu  DOGEMON"})))
        assert "is built in and can't be changed" in text_of(await table.run("boss forge", boss="Inu Dogemon"))

    async def test_only_its_maker_or_a_referee_changes_a_boss(self, table: Table) -> None:
        await forged(table)
        rows = ("b.csv", b"name,health\nStone,5\n")
        refused = await table.run("boss forge", bosses=rows, by=table.ben)
        expect_in(text_of(refused), "⚠️ Only Stone's maker or a mod can change it.")
        stone, bull = await table.run("boss list", boss="stone"), await table.run("boss list", boss="Bull")
        assert text_of(await table.pressed(stone, "Delete", by=table.ben)).startswith("⚠️ Only Stone's maker")
        await table.restart()
        for by, page in ((stranger(table, manage_messages=True), stone), (table.ann, bull)):
            expect_in(text_of(await insist(by, await table.pressed(page, "Delete", by=by))), "🗑️ Deleted **")
            assert text_of(await table.pressed(page, "Delete", by=by)) == "⚠️ This boss is gone."

    async def test_records_are_lost_only_after_a_question(self, table: Table) -> None:
        await forged(table)
        for name in ("Bull", "Frost Giant"):
            await fought(table, name)
        assert "<@" in text_of(await table.run("boss top", boss="bull"))
        other = ("b.csv", BOSSES.replace("Water,400", "Fire,999").replace("100,3000", "1,1").encode())
        question = await table.run("boss forge", bosses=other)
        expect_in(text_of(question), "**Frost Giant**, **Bull**", "all records against them", "can't be undone")
        assert "Stone" not in text_of(question)
        told = text_of(await table.pressed(question, "Forge anyway"))
        assert told.startswith("🔨 Forged for this server: 3 bosses")
        assert "<@" not in text_of(await table.run("boss top", boss="bull"))

    async def test_a_fight_with_an_undo_is_no_record(self, table: Table) -> None:
        """Its boss's attacks were rolled again."""
        await forged(table)
        panel = await begin(table, "Stone")
        await join(table, panel)
        await table.press(panel, "Strike with the best")
        expect_in(
            said(await table.run("battle undo")), "one step back. A fight with an undo doesn't count for `/boss top`."
        )
        await table.press(panel, "Fight to the end")
        assert "<@" not in text_of(await table.run("boss top", boss="stone"))

    async def test_a_form_that_loses_records_is_kept_with_its_picture(self, table: Table) -> None:
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


class TestDeck:
    async def test_what_is_not_typed_plainly_is_told(self, table: Table) -> None:
        typed = text_of(await table.run("boss deck", deck="fire hero V, Assassin and Elixir!"))
        assert typed.splitlines()[1] == "-# ✏️ Read as: `hero: V, Assassin, Elixir @Fire`"
        assert "Read as" not in text_of(await table.run("boss deck", deck=HERO))
        tried = await table.run("boss what-if", boss="Inu Dogemon", deck="fire hero V, Assassin and Elixir!")
        assert "-# ✏️ Read as: `hero: V, Assassin, Elixir @Fire`" in text_of(tried)

    async def test_a_file_stays_the_deck_where_nothing_else_is_typed(self, table: Table) -> None:
        rows = b"token,trait,element,health,physical_damage,magical_damage\nhero,V,Fire,,,\n,Epic,,,,\n"
        message = await table.run("boss deck", deck_file=("deck.csv", rows))
        assert "1 token, 2 traits" in text_of(message)
        assert "1 token, 2 traits" in text_of(await table.filled(message, "Edit", {"deck": " "}))


class TestWhatIf:
    async def test_the_arithmetic_of_a_file_is_written_by_a_worker(
        self, table: Table, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A deck of thousands of traits has thousands of lines, and everybody else would wait for them."""
        monkeypatch.setattr(TranscriptRequest, "run", lambda _job: "by a worker")
        message = await table.run("boss what-if", boss="inu dogemon", deck=HERO)
        files = await files_of(await table.pressed(message, "Files"))
        assert files["exchange.txt"] == b"by a worker"

    async def test_where_attacks_are_rolled_no_order_is_the_best(self, table: Table) -> None:
        what_if = partial(table.ann.slash, table.channel, "boss what-if")
        assert "No battle is open" in told(await what_if(party="here"))
        panel = await begin(table)
        assert "Nobody is in this fight" in told(await what_if(party="here"))
        await join(table, panel, WEAK, name="Ice")
        assert "no order is the best" in told(await what_if(party="Here"))
