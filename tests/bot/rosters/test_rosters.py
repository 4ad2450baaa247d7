"""Saved rosters where one table is not enough: several servers, direct messages, long lists.

What the commands answer is in the scene of rosters (tests/bot/snapshots).
"""

from simcord import MemberActor
from simcord.builders import UserHandle

from bot.rosters.library import RosterRepository
from tests.bot.conftest import Table, answer, expect_in, text_of


async def roster(table: Table, what: str, name: str, *, by: MemberActor | None = None) -> str:
    message = await table.run(f"roster {what}", by=by, name=name)
    assert message.ephemeral
    return text_of(message)


async def test_a_roster_is_shared_with_one_server_at_a_time_and_never_in_direct_messages(table: Table) -> None:
    await table.run("roster save", name="Fleet", kind="aa", text="6 tanks")
    await roster(table, "share", "Fleet")
    other = table.env.create_guild()
    there = other.add_member(table.env.create_user("cleo"))
    user = UserHandle(table.env, table.env.backend.get_user(table.ann.id))
    ann = other.add_member(user)
    channel = other.create_text_channel("elsewhere")
    text = text_of(answer(await ann.slash(channel, "roster share", name="Fleet")))
    assert text.endswith("The server it was shared with can't use it any more.")
    assert text_of(answer(await there.slash(channel, "roster show", name="Fleet"))).startswith("### Fleet\n")
    assert "no saved roster" in await roster(table, "show", "Fleet", by=table.ben)
    expect_in(text_of(answer(await user.slash("roster share", name="Fleet"))), "⚠️", "shared with a server")


async def test_many_rosters_and_versions_stay_within_a_message(table: Table) -> None:
    rosters = table.bot.services[RosterRepository]
    for number in range(50):
        await rosters.save(table.ann.id, "aa", f"{number} {'*' * 37}", b"6 tanks")
    for number in range(20):
        await rosters.save(table.ann.id, "aa", f"0 {'*' * 37}", f"{number} tanks".encode())
    listed = text_of(await table.run("roster list"))
    assert listed.startswith("### 50 saved rosters of yours\n")
    assert "more lines" in listed.splitlines()[-1]
    assert len(await table.ann.autocomplete(table.channel, "roster show", "name", "*")) == 25
    (first,) = [saved for saved in await rosters.own(table.ann.id) if saved.name.startswith("0 ")]
    assert (await roster(table, "show", f"#{first.id}")).splitlines()[-1].startswith("2. <t:")
