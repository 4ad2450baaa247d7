"""`/boss forge`, `list`, `delete`, `deck`, `what-if`: bosses of a server's own, decks, and what would happen."""

import io
import json
from typing import Any

import pytest
from PIL import Image
from simcord import InteractionResult, ResponseMessage
from simcord.builders import UserHandle

from bot.games.boss_fight.repositories import MAX_BOSSES, BossRepository, Home
from sim.boss_fight.requests import TranscriptRequest
from sim.boss_fight.tables import BOSS_COLUMNS, read_bosses, read_deck
from tests.bot.battles.fights import stranger
from tests.bot.conftest import Table, alt_of, answer, buttons_of, expect_in, files_of, text_of
from tests.bot.games.boss_fight.boss_fights import BOSSES, HERO, WEAK, begin, forged, join, picture, plain_text, refusal
from tests.bot.payloads import SELECT, components

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


async def ask(table: Table, command: str, **options: Any) -> InteractionResult:  # noqa: ANN401  # options are of all kinds
    return await table.ann.slash(table.channel, f"boss {command}", **options)


async def pages_of(table: Table, message: ResponseMessage, count: int) -> str:
    return "\n".join([plain_text(await table.page(message, page)) for page in range(count)])


class TestForge:
    async def test_a_boss_from_the_form(self, table: Table) -> None:
        message = answer(await forge(table, {**GIANT, "picture": ("giant.jpg", picture())}))
        assert message.ephemeral
        assert plain_text(message).splitlines() == [
            "🔨 Forged for this server",
            GIANT_LINE,
        ]
        listed = answer(await ask(table, "list", boss="frost giant"))
        text = await pages_of(table, listed, 2)
        expect_in(text, "- As it enters: *Who dares?*", "- As it falls: *The ice melts: all of it*")
        assert f"Forged by <@{table.ann.id}>" in text
        (drawn,) = (await files_of(await table.page(listed, 1))).values()
        image = Image.open(io.BytesIO(drawn))
        assert (image.format, image.size) == ("PNG", (512, 171)), "drawn anew"

    async def test_everything_wrong_is_told_and_mended_in_the_form(self, table: Table) -> None:
        wrong = {
            "name": "",
            "figures": "x / 0 / -1 / １",
            "nature": ["Fire", "Earth"],
            "words": "half: a\nhalf: b\nnow: c",
        }
        refused = await forge(table, wrong)
        text = plain_text(answer(refused))
        assert text.splitlines()[0] == "⚠️ **8 problems to fix**"
        for sentence in (
            "The name is missing.",
            "Level: 'x' is not a whole number.",
            "Physical damage: '-1' is not from 0 to 1,000,000,000.",
            "Magical damage: '１' is not a whole number.",
            "A boss needs a health of 1 or more.",
            "You wrote half: twice.",
        ):
            assert f"- {sentence}" in text
        form = await table.press(answer(refused), "Fix it")
        assert "x / 0 / -1" in json.dumps(form.modal, default=str)
        assert "Forged for this server" in text_of(answer(await table.ann.submit_modal(form, GIANT)))

    async def test_a_boss_is_edited_in_place(self, table: Table) -> None:
        await forge(table, {**GIANT, "picture": ("giant.jpg", picture())})
        form = await ask(table, "forge", boss="FROST giant")
        assert "Level: 3\\nHealth: 400\\nPhysical damage: 100" in json.dumps(form.modal, default=str)
        assert form.modal is not None
        (menu,) = [node for node in components(form.modal["components"]) if node["type"] == SELECT]
        assert [option["label"] for option in menu["options"] if option.get("default")] == [
            *("Water", "Pierces physical", "Resists magical"),
        ]
        assert menu["max_values"] == 5, "one element, and all four strengths"
        await table.ann.submit_modal(form, {**GIANT, "name": "Ice Giant", "words": ""})
        (boss,) = await table.bot.services[BossRepository].at(Home(table.ann.guild.id, table.ann.id))
        assert (boss.boss.name, boss.boss.entry, boss.has_picture) == ("Ice Giant", None, True)

    async def test_bosses_from_a_file(self, table: Table) -> None:
        message = answer(await ask(table, "forge", bosses=("bosses.csv", BOSSES.encode())))
        assert text_of(message).startswith("🔨 Forged for this server: 3 bosses\n👹 **Frost Giant** level 3")
        listed = answer(await ask(table, "list"))
        assert text_of(listed).startswith("### 👹 11 bosses, 3 forged here\n")
        files = await files_of(await table.pressed(listed, "Files"))
        assert [boss.name for boss in read_bosses(files["bosses.csv"])][-3:] == ["Bull", "Frost Giant", "Stone"]

    async def test_a_file_with_mistakes_forges_nothing(self, table: Table) -> None:
        refused = answer(await ask(table, "forge", bosses=("b.csv", b"name,health\nGood,10\nBad,x\n,5\n")))
        assert "Row 3, health: 'x' is not a whole number." in plain_text(refused)
        assert await table.bot.services[BossRepository].at(Home(table.ann.guild.id, table.ann.id)) == []

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
        assert sentence in plain_text(answer(await ask(table, "forge", boss="Stone", picture=("a.png", data))))

    async def test_the_game_s_own_bosses_stay_as_they_are(self, table: Table) -> None:
        assert "is a built-in boss" in text_of(answer(await forge(table, {**GIANT, "name": "inu  DOGEMON"})))
        assert "is built in and can't be changed" in text_of(answer(await ask(table, "forge", boss="Inu Dogemon")))

    async def test_only_its_maker_or_a_referee_changes_a_boss(self, table: Table) -> None:
        await forged(table)
        rows = ("b.csv", b"name,health\nStone,5\n")
        refused = await table.run("boss forge", bosses=rows, by=table.ben)
        expect_in(text_of(refused), "⚠️ Only Stone's maker", "manage messages")
        refused = await table.surely("boss delete", by=table.ben, boss="Stone")
        assert text_of(refused).startswith("⚠️ Only Stone's maker")
        judge = stranger(table, manage_messages=True)
        assert "Deleted **Stone**" in text_of(await table.surely("boss delete", by=judge, boss="stone"))
        assert "Deleted **Bull**" in text_of(await table.surely("boss delete", boss="Bull"))
        assert "was never forged here" in text_of(await table.surely("boss delete", boss="Bull"))

    async def test_a_server_has_fifty(self, table: Table) -> None:
        rows = "".join(f"Boss {number},{number + 1}\n" for number in range(MAX_BOSSES))
        await ask(table, "forge", bosses=("b.csv", f"name,health\n{rows}".encode()))
        assert "That makes 51 bosses here; at most 50 fit." in text_of(answer(await forge(table, GIANT)))
        listed = await table.ann.autocomplete(table.channel, "boss start", "boss", "boss 4")
        assert [choice["value"] for choice in listed][:2] == ["Boss 4", "Boss 40"]

    async def test_in_direct_messages_everybody_has_their_own(self, table: Table) -> None:
        rows = ("b.csv", b"name,health\nMine,5\n")
        dm, bens = (UserHandle(table.env, table.env.backend.get_user(who.id)) for who in (table.ann, table.ben))
        assert "Forged here" in text_of(answer(await dm.slash("boss forge", bosses=rows)))
        assert "Mine" in text_of(answer(await dm.slash("boss list")))
        assert "Mine" not in text_of(answer(await bens.slash("boss list")))
        assert "Mine" not in text_of(answer(await ask(table, "list")))
        assert "Records are only kept in servers" in text_of(answer(await dm.slash("boss top", boss="Mine")))

    @pytest.mark.parametrize(
        ("options", "sentence"),
        [
            ({"boss": "Stone", "bosses": ("b.csv", b"")}, "Give a boss to change or a file with bosses, not both."),
            ({"picture": ("a.png", b"")}, "Whose picture is it?"),
            ({"bosses": ("b.csv", BOSSES.encode()), "picture": ("a.png", b"")}, "One picture for several bosses?"),
        ],
    )
    async def test_options_that_do_not_go_together(self, table: Table, options: dict[str, Any], sentence: str) -> None:
        await forged(table)
        assert sentence in text_of(answer(await ask(table, "forge", **options)))

    async def test_another_boss_of_the_same_name_begins_without_records(self, table: Table) -> None:
        await forged(table)
        panel = await begin(table, "Bull")
        await join(table, panel)
        await table.press(panel, "Step")
        assert "<@" in text_of(answer(await ask(table, "top", boss="bull")))
        await ask(table, "forge", bosses=("b.csv", b"name,health,physical_damage,entry\nBull,100,3000,Moo\n"))
        assert "<@" in text_of(answer(await ask(table, "top", boss="bull"))), "only its words are others"
        await ask(table, "forge", bosses=("b.csv", b"name,health\nBull,1\n"))
        assert "<@" not in text_of(answer(await ask(table, "top", boss="bull")))

    async def test_what_somebody_forged_is_told_exported_and_forgotten(self, table: Table) -> None:
        await forge(table, {**GIANT, "picture": ("giant.jpg", picture())})
        assert "- 1 boss that you forged" in text_of(await table.run("privacy show"))
        files = await files_of(await table.run("privacy export"))
        (boss,) = json.loads(files["about-you.json"])["bosses"]
        assert (boss["name"], boss["figures"]["health"], boss["picture"]) == ("Frost Giant", 400, "boss-1.png")
        assert boss["words"]["entry"] == "Who dares?"
        assert b"boss-1.png" in files["your-files.zip"]
        assert "1 forged boss" in text_of(await table.surely("privacy delete"))
        assert await table.bot.services[BossRepository].at(Home(table.ann.guild.id, table.ann.id)) == []


class TestDeck:
    async def test_totals_and_stacks_against_each_element(self, table: Table) -> None:
        message = answer(await ask(table, "deck", deck=f"{HERO} @Fire"))
        text = plain_text(message)
        assert text.startswith("### 🃏 1 token, 5 traits\n")
        assert alt_of(message) == (
            "1 token, 5 traits. Bars show damage. Health: 4,000. Physical damage: 2,500. Magical damage: 1,500. "
            "hero, Fire: 4,000 damage · 4,000 health. Deals most to Air (5,500), least to Fire (2,500)."
        )
        expect_in(text, "Physical × **0.125**", "Magical × **0.5**")
        assert "- ⚪ no element: × **1**; 2,500 + 1,500 = **4,000**" in text
        expect_in(text, "- 💧 Water: × **32**; 2,500 + 750 = **3,250**", "- 🔥 Fire: × **0**; 2,500 + 0 = **2,500**")
        assert "- 🌪️ Air: × **0.03125**; 2,500 + 3,000 = **5,500**" in text
        pages = await pages_of(table, message, 3)
        assert "- **Epic** " in pages
        assert "physical, 500 magical; pierces magical, resists physical" in pages, "the Assassin"
        files = await files_of(await table.pressed(message, "Files"))
        assert read_deck(files["deck.csv"]).health == 4000
        assert files["deck.txt"].decode() == f"{HERO} @Fire\n"

    async def test_mistakes_are_pointed_at_and_mended(self, table: Table) -> None:
        (reply,) = (await ask(table, "deck", deck="hero: V, Assasin @Fier")).followups
        text = text_of(reply)
        expect_in(text, "hero: V, Assasin @Fier\n         ^^^^^^^", "Did you mean Assassin?", "Did you mean Fire?")
        assert "1 token, 5 traits" in text_of(await table.filled(reply, "Fix it", {"deck": HERO}))

    async def test_an_edited_deck_takes_the_place_of_the_old_one(self, table: Table) -> None:
        message = answer(await ask(table, "deck", deck=HERO))
        apply_form = await table.filled(message, "Edit", {"deck": f"{HERO}; {WEAK}"})
        assert apply_form.id == message.id
        assert "2 tokens, 6 traits" in text_of(apply_form)

    async def test_a_file_and_a_saved_deck(self, table: Table) -> None:
        rows = b"token,trait,element,health,physical_damage,magical_damage\nhero,V,Fire,,,\n,Epic,,,,\n"
        message = answer(await ask(table, "deck", deck_file=("deck.csv", rows)))
        assert "1 token, 2 traits" in text_of(message)
        assert "1 token, 2 traits" in text_of(await table.filled(message, "Edit", {"deck": " "})), "the file stays"
        saved = await table.run("roster save", name="Mine", kind="boss", file=("d", rows))
        assert "🃏 1 token, 2 traits" in text_of(saved)
        ((choice,)) = await table.ann.autocomplete(table.channel, "boss deck", "deck_saved", "mi")
        assert "1 token, 2 traits" in text_of(answer(await ask(table, "deck", deck_saved=choice["value"])))

    async def test_a_bad_file_is_told_row_by_row(self, table: Table) -> None:
        refused = await ask(table, "deck", deck_file=("deck.csv", b"token,trait\nhero,Assasin\nhero,V\nhero,nope\n"))
        (reply,) = refused.followups
        expect_in(plain_text(reply), "Row 2, trait", "Row 4, trait")

    @pytest.mark.parametrize("options", [{}, {"deck": HERO, "deck_saved": "x"}])
    async def test_one_deck_and_no_more(self, table: Table, options: dict[str, str]) -> None:
        assert "Give one deck" in refusal(await ask(table, "deck", **options))

    async def test_private_and_after_a_restart(self, table: Table) -> None:
        message = answer(await ask(table, "deck", deck=HERO, private=True))
        assert message.ephemeral
        await table.restart()
        assert "**hero**" in text_of(await table.pressed(message, "▶️"))

    async def test_completion(self, table: Table) -> None:
        offered = await table.ann.autocomplete(table.channel, "boss deck", "deck", "hero: V, assa")
        assert offered[0]["value"] == "hero: V, Assassin"
        offered = await table.ann.autocomplete(table.channel, "boss what-if", "deck", "hero: V @f")
        assert [choice["value"] for choice in offered] == ["hero: V @Fire"]
        assert await table.ann.autocomplete(table.channel, "boss deck", "deck", f"hero: {'V, ' * 60}a") == []

    async def test_very_long_decks_stay_exact_and_readable(self, table: Table) -> None:
        """Hundreds of halves: a tiny figure is shown as one, never as 0."""
        rows = "".join(f"t{number},R,Earth,1,1,1,N,Y,N,Y\n" for number in range(400))
        head = ",".join(("token", "trait", "element", *BOSS_COLUMNS[3:10]))
        message = answer(await ask(table, "deck", deck_file=("deck.csv", f"{head}\n{rows}".encode())))
        assert "Physical × **3.9e-121**" in plain_text(message)


class TestWhatIf:
    async def test_one_boss(self, table: Table) -> None:
        message = answer(await ask(table, "what-if", boss="inu dogemon", deck=HERO))
        text = plain_text(message)
        assert text.startswith("### 🛡️ The boss falls after 1 exchange\n👹 **Inu Dogemon**")
        assert alt_of(message) == (
            "The boss falls after 1 exchange. One exchange. Inu Dogemon defeated. You 3,750 / 4,000. "
            "Deals 4,000, takes 250."
        )
        expect_in(text, "🏅 Score 6,750", "Its health: 1,000 − 4,000 = **down**", "Physical: 2,000 × 0.125 = 250")
        assert "**Score 6,750** = 4,000 − 1,000 + 4,000 − 250" in text
        files = await files_of(await table.pressed(message, "Files"))
        assert "Score: 6,750" in files["exchange.txt"].decode()

    async def test_the_arithmetic_of_a_file_is_written_by_a_worker(
        self, table: Table, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A deck of thousands of traits has thousands of lines, and everybody else would wait for them."""
        monkeypatch.setattr(TranscriptRequest, "run", lambda _job: "by a worker")
        message = answer(await ask(table, "what-if", boss="inu dogemon", deck=HERO))
        files = await files_of(await table.pressed(message, "Files"))
        assert files["exchange.txt"] == b"by a worker"

    @pytest.mark.parametrize(
        ("deck", "sentence"),
        [
            (WEAK, "💀 The player falls after 2 exchanges"),
            ("a: Fang (3000/500/0)", "🛡️ Both fall at once, and the player wins after 2 exchanges"),
            ("a: Fang (0/500/0)", "💀 A deck without health can't fight"),
        ],
    )
    async def test_how_it_would_end(self, table: Table, deck: str, sentence: str) -> None:
        assert text_of(answer(await ask(table, "what-if", boss="Inu Dogemon", deck=deck))).startswith(
            f"### {sentence}\n"
        )

    async def test_a_stalemate(self, table: Table) -> None:
        await forged(table)
        message = answer(await ask(table, "what-if", boss="Stone", deck="a: Fang (1/0/0)"))
        assert text_of(message).startswith("### ⚖️ Neither side can hit the other\n")

    async def test_every_boss(self, table: Table) -> None:
        await forged(table)
        message = answer(await ask(table, "what-if", deck=HERO))
        expect_in(alt_of(message), "One deck against 11 bosses: ", "Inu Dogemon: falls in 1.", "Stone: falls in 1.")
        text = await pages_of(table, message, 2)
        assert text.startswith("### 🃏 One deck against 11 bosses: ")
        for name in ("Inu Dogemon", "Axieom Asmodeus", "Bull", "Frost Giant", "Stone"):
            assert f"👹 **{name}**" in text
        assert "deals 4,000 of 1,000, takes 250 of 4,000, score 6,750" in text
        bull = answer(await ask(table, "what-if", deck=HERO, boss="Bull"))
        assert "One deck against 11 bosses" in text_of(await table.pressed(bull, "Every boss"))

    async def test_the_best_few_tokens(self, table: Table) -> None:
        tokens = "; ".join(f"t{number}: Fang ({number}00/{number}00/0)" for number in range(1, 8))
        message = answer(await ask(table, "what-if", boss="Inu Dogemon", deck=tokens, best=2))
        text = plain_text(message)
        assert text.startswith("### 🖐️ The best 2 of 7 tokens\n")
        assert "**t6** · **t7**" in text
        assert alt_of(message) == (
            "The best 2 of 7 tokens. No score. Inu Dogemon defeated. You down. Deals 1,300, takes 2,000. "
            "Damage: t7 700 · t6 600."
        )
        assert "no other choice of 21 is better" in text
        reply = answer(await ask(table, "what-if", boss="Inu Dogemon", deck=tokens))
        assert "Best five" in buttons_of(reply)
        assert "The best 5 of 7 tokens" in text_of(await table.pressed(reply, "Best five"))

    async def test_best_has_its_limits(self, table: Table) -> None:
        tokens = "; ".join(f"t{number}: Fang (1/1/1)" for number in range(61))
        refused = await ask(table, "what-if", boss="Inu Dogemon", deck=tokens, best=5)
        assert "at most 60 tokens" in refusal(refused)
        assert "against which boss?" in refusal(await ask(table, "what-if", deck=HERO, best=5))

    async def test_the_best_order_of_saved_decks(self, table: Table) -> None:
        for name, deck in (("Weak", "a: Fang (9000/400/0)"), ("Strong", "a: Fang (9000/1000/0)")):
            await table.ann.slash(table.channel, "roster save", name=name, kind="boss", text=deck)
        message = answer(await ask(table, "what-if", boss="Inu Dogemon", party="weak, STRONG"))
        text = plain_text(message)
        assert text.startswith("### 🛡️ The party wins after 1 exchange in 1 round, 2 left standing\n")
        assert "1. **Strong**\n2. **Weak**" in text
        assert alt_of(message) == (
            "The party wins. After 1 exchange. Inu Dogemon defeated. 1. Strong 7,000 / 9,000. 2. Weak 9,000 / 9,000."
        )
        assert "(twice)" not in text
        twice = answer(await ask(table, "what-if", boss="Inu Dogemon", party="weak, strong", health=2))
        assert "after 3 exchanges in 2 rounds" in text_of(twice)
        expect_in(alt_of(twice), "Inu Dogemon × 2 defeated.", "Damage: Strong 2,000 · Weak 400.")

    async def test_the_best_order_of_the_fight_in_the_channel(self, table: Table) -> None:
        assert "No battle is open" in refusal(await ask(table, "what-if", party="here"))
        panel = await begin(table)
        assert "Nobody is in this fight" in refusal(await ask(table, "what-if", party="here"))
        await join(table, panel, WEAK, name="Ice")
        await join(table, panel, HERO, by=table.ben, name="Wind")
        assert "1. **Wind**\n2. **Ice**" in plain_text(answer(await ask(table, "what-if", party="Here")))

    @pytest.mark.parametrize(
        ("options", "sentence"),
        [
            ({"party": "x"}, "The best order against which boss?"),
            ({"party": "x", "boss": "Inu Dogemon"}, "There is no saved roster x"),
            ({"party": ", ,", "boss": "Inu Dogemon"}, "A party has 1 to 12 members, not 0."),
            ({"party": "here", "deck": HERO}, "A party has its own decks"),
            ({"deck": HERO, "boss": "Nobody"}, "There is no boss called Nobody here."),
        ],
    )
    async def test_what_can_not_be_asked(self, table: Table, options: dict[str, str], sentence: str) -> None:
        assert sentence in refusal(await ask(table, "what-if", **options))


async def test_a_name_of_a_boss_can_not_ping(table: Table) -> None:
    await ask(table, "forge", bosses=("b.csv", b"name,health,entry\n<@1> **x**,5,@everyone\n"))
    assert "<@1>" not in text_of(answer(await ask(table, "list")))
    assert "<@1>" not in text_of(await begin(table, "<@1> **x**"))
