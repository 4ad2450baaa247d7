"""Which edition a question is about: the option's, the text's, one's own, the server's, 1941; `/aa edition`."""

import json

import pytest
from simcord import MemberActor, ResponseMessage

from bot.games.axis_allies.options import EditionRepository
from bot.games.axis_allies.questions import CalcHandler, CalcQuery
from bot.store.database import Database
from bot.store.personal_data import PersonalDataRepository
from bot.store.queries import QueryRepository
from sim.axis_allies.editions import EDITIONS
from tests.bot.battles.fights import stranger
from tests.bot.conftest import Table, answer, buttons_of, expect_in, text_of

BATTLE = "6 inf, 2 tanks vs 5 inf"


async def edition(table: Table, *, by: MemberActor | None = None, **options: object) -> str:
    """Type `/aa edition`; return the private answer."""
    message = await table.run("aa edition", **options, by=by or table.ann)
    assert message.ephemeral
    return text_of(message)


async def named(table: Table, battle: str = BATTLE, *, by: MemberActor | None = None, **options: str) -> str:
    """Ask, and return the line that names the edition."""
    return text_of(await table.calc(battle, by=by, **options)).splitlines()[1]


async def test_an_option_wins_over_the_text_over_ones_own_over_the_server_s_over_1941(table: Table) -> None:
    assert await named(table) == "-# 📖 1941 · default (`/aa edition`)"
    await edition(table, by=stranger(table, manage_messages=True), edition="1940", server=True)
    assert await named(table) == "-# 📖 1940 second edition · this server's default"
    await edition(table, edition="1942")
    assert await named(table) == "-# 📖 1942 second edition · your default"
    assert await named(table, by=table.ben) == "-# 📖 1940 second edition · this server's default"
    assert await named(table, f"revised: {BATTLE}") == "-# 📖 Revised"
    assert await named(table, f"revised: {BATTLE}", edition="classic") == "-# 📖 Classic"


async def test_the_command_shows_sets_and_removes(table: Table) -> None:
    assert "You play 1941" in await edition(table)
    text = await edition(table, edition="1942")
    expect_in(text, "You play 1942 second edition", "Your default: **1942 second edition**", "server's default: none")
    await table.restart()
    assert "You play 1942 second edition" in await edition(table)
    assert "Your default: none" in await edition(table, edition="none")


async def test_only_somebody_who_may_manage_messages_sets_the_server_s(table: Table) -> None:
    assert "Only somebody who may manage messages" in await edition(table, edition="1942", server=True)
    assert "server's default: none" in await edition(table)
    dana = table.env.create_user("dana")
    assert "Only a server" in text_of(answer(await dana.slash("aa edition", edition="1942", server=True)))
    assert "Your default: **1942 second edition**" in text_of(answer(await dana.slash("aa edition", edition="1942")))


async def test_it_is_exported_and_deleted_with_everything_else(table: Table) -> None:
    await edition(table, edition="1942")
    await edition(table, by=stranger(table, manage_messages=True), edition="1940", server=True)
    export = await table.run("privacy export")
    assert json.loads(await export.attachments[0].read())["aa_editions"] == [{"edition": "1942"}]
    assert "1 default edition" in text_of(await table.surely("privacy delete"))
    db, editions = table.bot.services[Database], table.bot.services[EditionRepository]
    assert await editions.get("user", table.ann.id) is None
    ((guild_id, left),) = await db.fetch_all("SELECT guild_id, edition FROM aa_editions")
    assert left == await editions.get("guild", guild_id) == "1940"
    data = table.bot.services[PersonalDataRepository]
    await data.forget_guild(guild_id)
    assert await editions.get("guild", guild_id) is None


async def test_what_was_stored_before_there_were_editions_stays_1941(table: Table) -> None:
    message = await table.calc(BATTLE)
    await edition(table, edition="1942")
    old = (
        '{"private": false, "battle": "6 tanks vs 10 inf", "rounds": 4, "casualties": "score", "take_territory": false}'
    )
    stored = await table.bot.services[QueryRepository].add("aa", table.ann.id, None, old)
    handler = CalcHandler.query.model_validate_json(stored.request)
    assert handler.question().edition == "1941"
    assert text_of(await table.pressed(message, "Swap sides")).splitlines()[1].startswith("-# 📖 1941")


async def test_every_command_takes_it(table: Table) -> None:
    battle = "6 inf, 2 art vs 5 inf, 1 aa"
    for command, options in (
        ("aa retreat", {"battle": battle}),
        ("aa luck", {"battle": battle, "attacker_left": "2 art"}),
        ("aa need", {"attacker": "6 inf, 2 art", "defender": "5 inf, 1 aa", "chance": 60.0}),
    ):
        by_option = await table.run(command, edition="1942", **options)
        assert text_of(by_option).splitlines()[1] == "-# 📖 1942 second edition", command
        first = next(iter(options))
        in_text = await table.run(command, **options | {first: f"1940: {options[first]}"})
        assert text_of(in_text).splitlines()[1] == "-# 📖 1940 second edition", command
    assert "antiaircraft gun" in text_of(await table.run("aa battle", setup=battle, edition="1942"))


async def test_units_are_completed_by_the_edition(table: Table) -> None:
    async def offered(**options: str) -> list[str]:
        found = await table.ann.autocomplete(table.channel, "aacalc", "battle", "2 mech", **options)
        return [choice["value"] for choice in found]

    assert await offered() == []
    await edition(table, edition="1940")
    assert await offered() == ["2 mechanized infantry"]


async def test_a_unit_the_edition_lacks_names_the_one_that_has_it(table: Table) -> None:
    refused = await table.calc("1942: 6 inf, 2 mech vs 5 inf")
    assert "1942 has no mechanized infantry; 1940 has: add edition:1940" in text_of(refused)
    mended = await table.filled(refused, "Fix it", {"battle": "1940: 6 inf, 2 mech vs 5 inf"})
    assert text_of(mended).splitlines()[1] == "-# 📖 1940 second edition"


async def test_an_edition_chosen_beside_the_text_goes_with_it_when_it_is_offered_again(table: Table) -> None:
    await table.aacalc(BATTLE, edition="1942")
    offered = await table.ann.autocomplete(table.channel, "aacalc", "battle", "")
    assert [choice["value"] for choice in offered] == [f"1942: {BATTLE}"]


async def save(table: Table, name: str, text: str) -> str:
    return text_of(await table.run("roster save", name=name, kind="aa", text=text))


class TestSavedArmies:
    async def test_they_carry_their_edition(self, table: Table) -> None:
        await edition(table, edition="1942")
        assert "📖 1942 second edition" in await save(table, "Desert", "6 inf, 2 art")
        await edition(table, edition="none")
        assert await named(table, "saved:desert vs 5 inf") == "-# 📖 1942 second edition · as saved"
        assert await named(table, "5 inf vs saved:desert") == "-# 📖 1942 second edition · as saved"

    async def test_in_another_edition_a_sentence_says_so(self, table: Table) -> None:
        await save(table, "Desert", "1942: 6 inf, 2 tanks")
        text = text_of(await table.calc("saved:desert vs 5 inf", edition="1940"))
        assert "ℹ️ The saved army Desert is of 1942 second edition; here it fights by 1940 second edition." in text
        await save(table, "Old", "6 inf, 2 tanks")
        await edition(table, edition="1942")
        text = text_of(await table.calc("saved:old vs 5 inf"))
        assert "ℹ️ The saved army Old is of 1941; here it fights by 1942 second edition." in text
        text = text_of(await table.run("aa retreat", battle="saved:old vs 5 inf"))
        assert "ℹ️ The saved army Old is of 1941" in text

    async def test_what_the_default_lacks_is_of_the_nearest_edition(self, table: Table) -> None:
        assert "📖 1940 second edition" in await save(table, "Desert", "6 inf, 2 mech")


def lines_of(message: ResponseMessage) -> list[str]:
    return text_of(message).splitlines()


class TestAnswers:
    async def test_bombardment_and_antiaircraft_fire_in_a_line_each(self, table: Table) -> None:
        battle = "1942: 6 inf, 2 art, 1 tank, 2 ftr + 2 bb bombard vs 5 inf, 1 art, 2 aa, 1 ftr"
        message = await table.calc(battle)
        lines = lines_of(message)
        assert lines[:2] == ["### ⚔️ Attacker wins 90.6% of the time", "-# 📖 1942 second edition"]
        assert " · 🏴 takes 85.3% · " in lines[2]
        expect_in(
            "\n".join(lines),
            "⚔️ **Attacker** 6 infantry, 2 artillery, 1 tank, 2 fighters + 2 battleships bombarding\n",
            "ℹ️ Antiaircraft fire: 2 guns, 2 dice: 0.33 planes fall on average.",
            "ℹ️ Bombardment: 2 battleships: 1.33 hits on average; who is hit still fires.",
        )
        assert "Average dice" not in text_of(message)
        assert "Swap sides" not in buttons_of(message)
        assert set(await table.files(await table.aacalc(battle))) == {"odds.csv", "odds.json"}

    async def test_the_chance_to_take_stands_first_where_a_territory_is_to_be_taken(self, table: Table) -> None:
        message = await table.calc("1942: 3 inf, 4 ftr vs 6 inf", take_territory=True)
        assert lines_of(message)[0].startswith("### ⚔️ Attacker takes the territory ")
        assert "⚙️ take territory" in text_of(message)

    async def test_the_share_text_asks_the_same_again(self, table: Table) -> None:
        asked = await table.calc(
            "6 inf, 2 art, 2 ftr + 1 bb bombard vs 5 inf, 2 aa",
            edition="1940",
            casualties="score",
            stop_after=3,
            retreat_below=2,
            low_luck=True,
            landing=4,
            tech="attacker: jets",
        )
        before = text_of(asked)
        shared = text_of(await table.pressed(asked, "⏭️")).split("```")[1].strip()
        assert text_of(await table.calc(shared)) == before
        query = CalcQuery(battle=shared)
        assert query.question().low_luck
        assert query.question().edition == "1940"

    async def test_waves_are_answered_with_each_wave_s_chance(self, table: Table) -> None:
        message = await table.calc("6 inf, 2 tanks then 3 ftr, 1 bmr vs 10 inf")
        text = text_of(message)
        expect_in(text, "⚔️ **Wave 1** 6 infantry, 2 tanks", "⚔️ **Wave 2** 3 fighters, 1 bomber", "⚔️ Wave 2 wins 38.6%")
        assert "Planes alone take no territory (wave 2)." in text
        assert [picture.filename for picture in message.attachments] == ["waves.png"]
        assert buttons_of(message) == ["▶️", "⏭️", "Edit", "Files"]
        assert set(await table.files(await table.aacalc("6 inf then 3 ftr vs 10 inf"))) == {"waves.json"}

    async def test_take_and_hold(self, table: Table) -> None:
        message = await table.calc("6 inf, 2 tanks vs 4 inf", counter="3 inf, 1 ftr", edition="1942")
        text = text_of(message)
        assert text.startswith("### 🏴 Taken and held ")
        expect_in(text, "🛡️ **Counterattack** 3 infantry, 1 fighter", "taken back ")
        assert "| counter 3 infantry, 1 fighter" in text_of(await table.pressed(message, "⏭️"))

    async def test_sides_and_technologies_are_swapped(self, table: Table) -> None:
        message = await table.calc("1940: 3 inf, 2 ftr vs 4 inf", tech="attacker: jets")
        swapped = text_of(await table.pressed(message, "Swap sides"))
        expect_in(swapped, "⚔️ **Attacker** 4 infantry", "⚙️ tech defender: jets", "📖 1940 second edition")

    async def test_a_fight_keeps_the_edition_and_the_ships(self, table: Table) -> None:
        message = await table.calc("1942: 6 inf + 1 bb bombard vs 5 inf, 1 aa | rounds 3")
        assert "antiaircraft gun" in text_of(await table.pressed(message, "Fight this out"))

    @pytest.mark.parametrize("name", EDITIONS)
    async def test_every_edition_answers(self, table: Table, name: str) -> None:
        for battle in ("6 inf, 2 tanks, 1 ftr vs 5 inf, 1 ftr", "2 sub, 1 bb, 1 ftr vs 1 sub, 1 car, 2 tr"):
            message = await table.calc(battle, edition=name)
            assert lines_of(message)[1] == f"-# 📖 {EDITIONS[name].title}"
            assert "Fight this out" in buttons_of(message)


async def test_ships_beside_land_units_are_asked_about_with_a_text_to_paste(table: Table) -> None:
    long = "1942: 60 infantry, 20 artillery, 10 tanks, 14 fighters, 8 bombers, 5 battleships and 12 cruisers vs 50 inf"
    text = text_of(await table.calc(long))
    assert "5 battleships bombard and 12 cruisers bombard vs 50 inf" in text
    assert "…" not in text.rsplit("```", 1)[-1]
