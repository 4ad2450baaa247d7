"""Which edition a question is about: the option's, the text's, one's own, the server's, 1941; `/aa edition`."""

from simcord import MemberActor

from bot.games.axis_allies.cog import CalcQuery
from bot.store.queries import QueryRepository
from tests.bot.battles.fights import stranger
from tests.bot.conftest import Table, alt_of, answer, expect_in, text_of

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
    assert "Only a mod" in await edition(table, edition="1942", server=True)
    assert "server's default: none" in await edition(table)
    dana = table.env.create_user("dana")
    assert "Only a server" in text_of(answer(await dana.slash("aa edition", edition="1942", server=True)))
    assert "Your default: **1942 second edition**" in text_of(answer(await dana.slash("aa edition", edition="1942")))


async def test_one_s_own_is_deleted_and_the_server_s_stays(table: Table) -> None:
    await edition(table, edition="1942")
    await edition(table, by=stranger(table, manage_messages=True), edition="1940", server=True)
    assert "1 default edition" in text_of(await table.surely("privacy delete"))
    assert await named(table) == "-# 📖 1940 second edition · this server's default"


async def test_what_was_stored_before_there_were_editions_stays_1941(table: Table) -> None:
    message = await table.calc(BATTLE)
    await edition(table, edition="1942")
    old = (
        '{"private": false, "battle": "6 tanks vs 10 inf", "rounds": 4, "casualties": "score", "take_territory": false}'
    )
    stored = await table.bot.services[QueryRepository].add("aa", table.ann.id, None, old)
    query = CalcQuery.model_validate_json(stored.request)
    assert query.question().edition == "1941"
    assert text_of(await table.pressed(message, "Swap sides")).splitlines()[1].startswith("-# 📖 1941")


async def test_every_command_takes_it(table: Table) -> None:
    battle = "6 inf, 2 art vs 5 inf, 1 aa"
    for command, options in (
        ("aa retreat", {"battle": battle}),
        ("aa luck", {"battle": battle, "attacker_left": "2 art"}),
        ("aa need", {"attacker": "6 inf, 2 art", "defender": "5 inf, 1 aa", "chance": 60.0}),
    ):
        by_option = await table.run(command, edition="1942", **options)
        assert "-# 📖 1942 second edition" in text_of(by_option).splitlines(), command
        first = next(iter(options))
        in_text = await table.run(command, **options | {first: f"1940: {options[first]}"})
        assert "-# 📖 1940 second edition" in text_of(in_text).splitlines(), command
    assert "antiaircraft gun" in alt_of(await table.run("aa battle", setup=battle, edition="1942"))


async def test_units_are_completed_by_the_edition(table: Table) -> None:
    async def offered(**options: str) -> list[str]:
        found = await table.ann.autocomplete(table.channel, "aacalc", "battle", "2 mech", **options)
        return [choice["value"] for choice in found]

    assert await offered() == []
    await edition(table, edition="1940")
    assert await offered() == ["2 mechanized infantry"]


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
