"""`/roster`: armies saved under a name, their versions, who may use, change and delete them, and how they are used."""

from simcord import MemberActor, ResponseMessage
from simcord.builders import UserHandle

from bot.store.rosters import RosterRepository
from tests.bot.battles.fights import stranger
from tests.bot.conftest import Table, answer, buttons_of, expect_in, insist, text_of

FLEET = "2 battleships, 1 carrier, 2 fighters"


async def save(
    table: Table, name: str, text: str = FLEET, *, by: MemberActor | None = None, kind: str = "aa"
) -> ResponseMessage:
    return answer(await (by or table.ann).slash(table.channel, "roster save", name=name, kind=kind, text=text))


async def roster(table: Table, what: str, name: str, *, by: MemberActor | None = None, **options: object) -> str:
    actor = by or table.ann
    message = await insist(actor, await table.run(f"roster {what}", by=actor, name=name, **options))
    assert message.ephemeral
    return text_of(message)


async def offered(table: Table, option: str, typed: str, command: str, by: MemberActor | None = None) -> dict[str, str]:
    found = await (by or table.ann).autocomplete(table.channel, command, option, typed)
    return {choice["name"]: choice["value"] for choice in found}


async def test_saving_tells_what_was_read(table: Table) -> None:
    message = await save(table, "Big fleet")
    assert message.ephemeral
    expect_in(
        text_of(message),
        "💾 Saved **Big fleet**, Axis & Allies army, 36 bytes",
        "2 battleships, 1 aircraft carrier, 2 fighters",
        "64 IPC",
    )


async def test_saving_over_a_name_says_which_version_and_what_changed_in_size(table: Table) -> None:
    await save(table, "Big fleet")
    longer = text_of(await save(table, "BIG  FLEET", f"{FLEET}, 1 sub"))
    assert longer.startswith("💾 **Big fleet** is version 2 now: 43 bytes, 7 bytes more than before\n")
    shorter = text_of(await save(table, "Big fleet", FLEET))
    assert shorter.startswith("💾 **Big fleet** is version 3 now: 36 bytes, 7 bytes less than before\n")
    same = text_of(await save(table, "Big fleet", FLEET))
    assert same.startswith("💾 **Big fleet** stays as it is: version 3 is the same\n")


async def test_a_file_is_saved_as_well_as_a_text(table: Table) -> None:
    file = ("fleet.txt", b"\xef\xbb\xbf6 tanks\r\nvs 10 inf\r\n")
    text = text_of(await table.run("roster save", name="Six", kind="aa", file=file))
    assert "⚔️ **Attacker** 6 tanks\n-# 36 IPC\n🛡️ **Defender** 10 infantry\n-# 30 IPC" in text
    for options in ({}, {"file": file, "text": "6 tanks"}):
        refused = answer(await table.ann.slash(table.channel, "roster save", name="Six", kind="aa", **options))
        assert refused.ephemeral
        expect_in(text_of(refused), "⚠️", "a file or as text")


async def test_what_can_not_be_read_is_refused_with_all_its_errors_and_not_kept(table: Table) -> None:
    refused = await save(table, "Wrong", "6 tonks, 3 imf")
    assert refused.ephemeral
    assert "Did you mean tanks?" in text_of(refused)
    assert text_of(refused).count("No unit has this name.") == 2
    assert buttons_of(refused) == []
    binary = ("army.xlsx", b"PK\x03\x04\xff\xfe")
    text = text_of(await table.run("roster save", name="X", kind="aa", file=binary))
    expect_in(text, "⚠️", "plain text in UTF-8", "6 tanks, 2 inf")
    assert await table.bot.services[RosterRepository].own(table.ann.id) == []


async def test_a_file_that_is_too_large_is_refused_unread(table: Table) -> None:
    large = ("army.txt", b"x" * (256 * 1024 + 1))
    text = text_of(await table.run("roster save", name="X", kind="aa", file=large))
    expect_in(text, "⚠️ The file army\\.txt has 257 KiB", "at most 256 KiB")


async def test_kinds_are_offered_and_an_unknown_one_is_told(table: Table) -> None:
    assert (await offered(table, "kind", "axis", "roster save"))["Axis & Allies army"] == "aa"
    assert await offered(table, "kind", "zzz", "roster save") == {}
    text = text_of(await save(table, "Big fleet", kind="zzz"))
    assert text.startswith("⚠️ There is no such kind of roster. There are aa")


async def test_a_hostile_name_can_neither_ping_nor_break_out(table: Table) -> None:
    name = "**@everyone** <@1> [x](http://e.vil) `"
    assert "💾 Saved **\\*\\*\\@everyone\\*\\* \\<\\@1\\> \\[x\\]\\(http\\:\\/\\/e\\.vil\\) '**" in text_of(
        await save(table, name)
    )
    expect_in(text_of(await save(table, "a\u202eb")), "⚠️ The name", "nobody can see")
    assert "\\@everyone" in text_of(await table.run("roster list"))


async def test_the_list_has_ones_own_rosters_and_those_shared_here(table: Table) -> None:
    empty = await table.run("roster list")
    expect_in(text_of(empty), "No roster is saved yet", "`/roster save`")
    await save(table, "Big fleet")
    await save(table, "Ben's", by=table.ben)
    assert "Ben" not in text_of(await table.run("roster list"))
    await roster(table, "share", "Ben's", by=table.ben)
    assert text_of(await table.run("roster list")).splitlines() == [
        "### 1 saved roster of yours",
        "- **Big fleet** Axis & Allies army, v1 <t:1800000000:R>",
        "### Shared with this server",
        f"- **Ben's** Axis & Allies army, v1 <t:1800000000:R>, of <@{table.ben.id}>",
    ]
    theirs = text_of(await table.run("roster list", by=table.ben))
    assert theirs.splitlines()[1] == "- **Ben's** 🤝 Axis & Allies army, v1 <t:1800000000:R>"


async def test_show_has_the_summary_the_versions_and_the_file(table: Table) -> None:
    await save(table, "Größe 1")
    table.clock.pass_days(1)
    await save(table, "Größe 1", "6 tanks")
    message = await table.run("roster show", name="größe 1")
    assert text_of(message).splitlines() == [
        "### Größe 1",
        f"-# Axis & Allies army of <@{table.ann.id}>, version 2",
        "6 tanks",
        "-# 36 IPC",
        "-# 📖 1941",
        "**Versions**",
        "2. <t:1800086400:f>, 7 bytes",
        "1. <t:1800000000:f>, 36 bytes",
    ]
    (file,) = message.attachments
    assert (file.filename, await file.read()) == ("Groe-1-v2.txt", b"6 tanks")
    older = await table.run("roster show", name="Größe 1", version=1)
    (file,) = older.attachments
    assert (file.filename, await file.read()) == ("Groe-1-v1.txt", FLEET.encode())
    assert await roster(table, "show", "Größe 1", version=3) == "⚠️ Version 3 of this roster isn't kept."


async def test_a_roster_of_somebody_else_is_not_there_until_it_is_shared(table: Table) -> None:
    await save(table, "Big fleet")
    hidden = await roster(table, "show", "Big fleet", by=table.ben)
    expect_in(hidden, "⚠️ There is no saved roster Big fleet")
    reply = await roster(table, "share", "Big fleet")
    assert reply.startswith("🤝 Everybody in this server can use **Big fleet**; only you can change it.\n")
    assert (await roster(table, "show", "Big fleet", by=table.ben)).startswith("### Big fleet\n")
    await roster(table, "share", "Big fleet", off=True)
    assert await roster(table, "show", "Big fleet", by=table.ben) == hidden


async def test_by_its_number_a_roster_is_no_easier_to_get_at(table: Table) -> None:
    await save(table, "Big fleet")
    (mine,) = await table.bot.services[RosterRepository].own(table.ann.id)
    for what in ("show", "share", "delete"):
        reply = await roster(table, what, f"#{mine.id}", by=table.ben)
        expect_in(reply, f"⚠️ There is no saved roster #{mine.id}")
    assert (await roster(table, "show", f"#{mine.id}")).startswith("### Big fleet\n")


async def test_only_its_owner_changes_and_shares_a_roster(table: Table) -> None:
    await save(table, "Big fleet")
    await roster(table, "share", "Big fleet")
    own = text_of(await save(table, "Big fleet", "6 tanks", by=table.ben))
    assert own.startswith("💾 Saved **Big fleet**"), "a roster of his own of that name"
    assert (await roster(table, "show", "Big fleet")).startswith(
        f"### Big fleet\n-# Axis & Allies army of <@{table.ann.id}>"
    )
    await roster(table, "delete", "Big fleet", by=table.ben)
    assert await roster(table, "share", "Big fleet", by=table.ben) == "⚠️ Only its owner can share Big fleet."


async def test_a_shared_roster_is_deleted_by_its_owner_or_a_referee(table: Table) -> None:
    await save(table, "Big fleet")
    await roster(table, "share", "Big fleet")
    refused = await roster(table, "delete", "Big fleet", by=table.ben)
    expect_in(refused, "⚠️ Only its owner", "manage messages", "Big fleet")
    judge = stranger(table, manage_messages=True)
    assert await roster(table, "delete", "Big fleet", by=judge) == "🗑️ **Big fleet** is deleted."
    assert await table.bot.services[RosterRepository].own(table.ann.id) == []
    await save(table, "Secret")
    assert "no saved roster" in await roster(table, "delete", "Secret", by=judge), "what isn't shared is nobody else's"
    assert await roster(table, "delete", "Secret") == "🗑️ **Secret** is deleted."


async def test_a_roster_is_shared_with_one_server_at_a_time(table: Table) -> None:
    await save(table, "Fleet")
    await roster(table, "share", "Fleet")
    other = table.env.create_guild()
    there = other.add_member(table.env.create_user("cleo"))
    ann = other.add_member(UserHandle(table.env, table.env.backend.get_user(table.ann.id)))
    channel = other.create_text_channel("elsewhere")
    text = text_of(answer(await ann.slash(channel, "roster share", name="Fleet")))
    assert text.endswith("The server it was shared with can't use it any more.")
    assert text_of(answer(await there.slash(channel, "roster show", name="Fleet"))).startswith("### Fleet\n")
    assert "no saved roster" in await roster(table, "show", "Fleet", by=table.ben)


async def test_a_roster_of_a_kind_that_this_version_does_not_know(table: Table) -> None:
    await table.bot.services[RosterRepository].save(table.ann.id, "chess", "Fleet", b"Ke1")
    assert "- **Fleet** chess, v1" in text_of(await table.run("roster list"))
    message = await table.run("roster show", name="Fleet")
    assert "⚠️ There is no such kind of roster." in text_of(message)
    assert [attachment.filename for attachment in message.attachments] == ["Fleet-v1.txt"]


async def test_what_was_saved_before_the_rules_changed_still_comes_as_a_file(table: Table) -> None:
    await table.bot.services[RosterRepository].save(table.ann.id, "aa", "Fleet", b"6 dreadnoughts")
    message = await table.run("roster show", name="Fleet")
    assert "I can't read this" in text_of(message)
    (file,) = message.attachments
    assert await file.read() == b"6 dreadnoughts"


async def test_many_rosters_and_versions_stay_within_a_message(table: Table) -> None:
    for number in range(50):
        await table.bot.services[RosterRepository].save(table.ann.id, "aa", f"{number} {'*' * 37}", b"6 tanks")
    for number in range(20):
        await table.bot.services[RosterRepository].save(table.ann.id, "aa", f"0 {'*' * 37}", f"{number} tanks".encode())
    listed = text_of(await table.run("roster list"))
    assert listed.startswith("### 50 saved rosters of yours\n")
    assert "more lines" in listed.splitlines()[-1]
    assert len(await offered(table, "name", "*", "roster show")) == 25
    (first,) = [
        saved for saved in await table.bot.services[RosterRepository].own(table.ann.id) if saved.name.startswith("0 ")
    ]
    reply = await roster(table, "show", f"#{first.id}")
    assert reply.splitlines()[-1].startswith("2. <t:")


async def test_in_direct_messages_nothing_can_be_shared(table: Table) -> None:
    user = table.env.create_user("dora")
    await user.slash("roster save", name="Mine", kind="aa", text="6 tanks")
    text = text_of(answer(await user.slash("roster share", name="Mine")))
    expect_in(text, "⚠️", "shared with a server")


async def test_names_are_offered_while_typing(table: Table) -> None:
    await save(table, "Big fleet")
    await save(table, "Small fleet")
    await save(table, "Desert", by=table.ben)
    await roster(table, "share", "Desert", by=table.ben)
    every = await offered(table, "name", "", "roster show")
    assert list(every) == [
        "Big fleet, Axis & Allies army",
        "Small fleet, Axis & Allies army",
        "Desert, Axis & Allies army (shared here)",
    ]
    assert list(await offered(table, "name", "SMALL", "roster show")) == ["Small fleet, Axis & Allies army"]
    assert "Desert, Axis & Allies army (shared here)" in await offered(table, "name", "dessert", "roster show")
    number = every["Desert, Axis & Allies army (shared here)"]
    assert (await roster(table, "show", number)).startswith("### Desert\n")
    assert await offered(table, "name", "fleet", "roster save") == {
        "Big fleet": "Big fleet",
        "Small fleet": "Small fleet",
    }


async def test_a_misspelled_name_gets_a_hint(table: Table) -> None:
    await save(table, "Big fleet")
    reply = await roster(table, "show", "Big flet")
    expect_in(reply, "⚠️ There is no saved roster Big flet", "Did you mean Big fleet?")


async def test_two_shared_rosters_of_one_name_are_told_apart(table: Table) -> None:
    zoe = stranger(table)
    for owner in (table.ann, table.ben):
        await save(table, "Fleet", by=owner)
        await roster(table, "share", "Fleet", by=owner)
    reply = await roster(table, "show", "Fleet", by=zoe)
    expect_in(reply, "⚠️ There are 2 rosters named Fleet", "choose one")
    labels = await offered(table, "name", "fleet", "roster show", by=zoe)
    assert len(labels) == 2
    for number in labels.values():
        assert (await roster(table, "show", number, by=zoe)).startswith("### Fleet\n")


class TestArmies:
    """Saved armies in the commands of Axis & Allies."""

    async def test_a_saved_army_is_offered_as_its_text(self, table: Table) -> None:
        await save(table, "Desert", "6 tanks")
        assert (await offered(table, "battle", "", "aacalc"))["💾 Desert: 6 tanks"] == "6 tanks"
        behind = await offered(table, "battle", "10 inf vs des", "aacalc")
        assert behind["10 inf vs 💾 Desert: 6 tanks"] == "10 inf vs 6 tanks"
        assert (await offered(table, "setup", "desert", "aa battle"))["💾 Desert: 6 tanks"] == "6 tanks"
        assert (await offered(table, "attacker", "desert", "aa need"))["💾 Desert: 6 tanks"] == "6 tanks"

    async def test_a_saved_battle_is_offered_where_a_battle_goes(self, table: Table) -> None:
        await save(table, "Desert", "6 tanks vs 10 inf")
        label = "💾 Desert: 6 tanks vs 10 inf"
        assert (await offered(table, "battle", "", "aacalc"))[label] == "6 tanks vs 10 inf"
        assert label not in await offered(table, "attacker", "", "aa need")

    async def test_a_long_army_is_offered_by_its_name_and_read_in_its_place(self, table: Table) -> None:
        long = " and ".join(["1 tank"] * 14)
        await save(table, "Sahara", long)
        ((label, value),) = (await offered(table, "battle", "sah", "aacalc")).items()
        assert (label[:16], value) == ("💾 Sahara: 1 tank", "saved:Sahara")
        text = text_of(answer(await table.aacalc(f"{value} vs 10 inf")))
        assert "⚔️ **Attacker** 14 tanks" in text

    async def test_references_with_blanks_and_numbers(self, table: Table) -> None:
        await save(table, "The desert", "6 tanks")
        (mine,) = await table.bot.services[RosterRepository].own(table.ann.id)
        for reference in ('saved:"the desert"', f"SAVED:#{mine.id}"):
            text = text_of(answer(await table.aacalc(f"2 inf, {reference} vs {reference}")))
            assert "⚔️ **Attacker** 2 infantry, 6 tanks" in text
            assert "🛡️ **Defender** 6 tanks" in text

    async def test_one_that_is_not_there_is_told_privately(self, table: Table) -> None:
        refused = answer(await table.aacalc("saved:desert vs 10 inf"))
        assert refused.ephemeral
        expect_in(text_of(refused), "⚠️ There is no saved roster desert")

    async def test_a_text_that_becomes_too_long_is_told(self, table: Table) -> None:
        await save(table, "Desert", " and ".join(["1 tank"] * 100))
        text = text_of(answer(await table.aacalc("saved:desert vs saved:desert")))
        expect_in(text, "⚠️", "2,194 characters", "1,980 is the most")

    async def test_in_a_battle_of_dice(self, table: Table) -> None:
        await save(table, "Desert", "6 tanks")
        panel = await table.run("aa battle", setup="saved:desert vs 10 inf")
        assert "6 tanks" in text_of(panel)
