"""What if? A battle that goes on from a row of another one: its own dice and file, and it counts for nothing."""

from dataclasses import replace
from itertools import cycle

from simcord import MemberActor, ResponseMessage

from bot.battles.publisher import EndedBattles
from bot.store.battle import Battle
from bot.store.battles import BattleRepository
from bot.store.database import Database
from sim.core.journal import MismatchKind
from sim.core.journal_file import fragment, read, restore, unpack
from sim.core.replay import verify
from sim.core.values import digest
from sim.jobs.discovery import system
from tests.bot.battles.fights import begin, begun, end, expect_match, files_of
from tests.bot.conftest import Table, alt_of, answer, buttons_of, expect_in, said, text_of
from tests.bot.games.boss_fight.boss_fights import both
from tests.sim.core.test_journal import text_in


async def the(table: Table, number: int) -> Battle:
    """Return a battle of the channel."""
    battle = await table.bot.services[BattleRepository].by_number(table.channel.id, number)
    assert battle is not None
    return battle


async def ended(table: Table) -> None:
    """Have Ann and Ben fight a round of a battle, and end it."""
    await begun(table)
    await end(table)


async def test_a_branch_begins_as_the_other_battle_stood_and_is_checked_by_its_own_file(table: Table) -> None:
    await ended(table)
    parent = read((await files_of(table, number=1))["battle-1.jsonl"])
    panel = await table.run("battle branch", number=1, row=1)
    mark = "What if? Goes on from #1 after row 1, with new dice; counts for nothing"
    expect_in(said(panel), "### #2 Axis & Allies", mark)
    expect_in(alt_of(panel), "What if? Goes on from #1 after row 1.")
    await table.press(panel, "Join as defender", by=table.ben)
    await table.press(panel, "Fight to the end")
    await expect_match(table, number=2)
    files = await files_of(table, number=2)
    expect_in(files["battle-2.txt"].decode(), mark)
    journal = read(files["battle-2.jsonl"])
    branch, row = journal.head.branch, parent.entries[0]
    assert branch is not None
    assert (branch.row, branch.hash, digest(branch.state)) == (1, row.hash, row.state_hash)
    rules = system(journal.head.system)
    report = verify(rules, journal)
    assert report.match
    again = restore(rules, unpack(text_in(fragment(journal))))
    assert again.entries[-1].hash == journal.entries[-1].hash
    other = branch.model_copy(update={"state": parent.head.setup})
    forged = verify(rules, replace(journal, head=journal.head.model_copy(update={"branch": other})))
    assert forged.mismatch is not None
    assert forged.mismatch.kind is MismatchKind.CHAIN


async def test_an_undo_of_a_branch_goes_back_to_its_beginning_and_no_further(table: Table) -> None:
    await ended(table)
    panel = await table.run("battle branch", number=1, row=1)
    await table.press(panel, "Join as defender", by=table.ben)
    begins = (await the(table, 2)).state_json
    await table.press(panel, "Next round")
    await table.run("battle undo", number=2)
    await table.press(panel, "Agree", by=table.ben)
    assert (await the(table, 2)).state_json == begins
    expect_in(text_of(await table.run("battle undo", number=2)), "There is no step to take back.")
    await expect_match(table, number=2)


async def test_it_is_asked_behind_more_and_counts_for_nothing(table: Table, judge: MemberActor) -> None:
    await table.run("ladder open", by=judge)
    await ended(table)
    shown = await table.pressed(await table.run("battle show", number=1), "More", by=table.ben)
    result = await table.press(shown, "What if?", by=table.ben)
    panel = answer(await table.ben.submit_modal(result, {"row": "x"}))
    expect_in(said(panel), "Type the number of a row")
    panel = answer(await table.ben.submit_modal(await table.press(shown, "What if?", by=table.ben), {"row": "0"}))
    expect_in(said(panel), "Defender: <@", "after row 0")
    assert "ated" not in said(panel).replace("estimated", "")
    await table.press(panel, "Join as attacker")
    await table.press(panel, "Fight to the end")
    await table.bot.services[EndedBattles].settled()
    assert "Next chapter" not in buttons_of(panel, house=True)
    rows = await table.bot.services[Database].fetch_all("SELECT battle_id FROM chronicled")
    assert [row["battle_id"] for row in rows] == [(await the(table, 1)).id]


async def test_there_is_nothing_to_try_where_there_is_no_such_row_or_all_is_over(table: Table) -> None:
    await table.press(await begin(table, "1 inf vs 1 tank"), "Fight to the end")
    expect_in(said(await table.run("battle branch", number=1, row=9)), "#1 has 2 rows; 0 is the beginning.")
    refused = await table.ann.slash(table.channel, "battle branch", number=1, row=1)
    expect_in(said(refused.followups[-1]), "There is nothing to fight: ")


async def test_a_battle_that_goes_on_has_no_branches(table: Table) -> None:
    await begin(table)
    expect_in(said(await table.run("battle branch", number=1, row=0)), "#1 isn't over yet")


async def test_where_people_come_and_go_one_plays_all_who_were_there(table: Table) -> None:
    await fight_out(table, await both(table), table.ann, table.ben)
    panel = await table.run("battle branch", number=1, row=2)
    assert [place.user_id for place in (await the(table, 2)).places] == [table.ann.id] * 2
    kept = "SELECT count(*) AS records, sum(fights) AS fights FROM boss_records"
    board = [tuple(row) for row in await table.bot.services[Database].fetch_all(kept)]
    await fight_out(table, panel, table.ann, table.ann)
    assert not (await the(table, 2)).is_open
    assert [tuple(row) for row in await table.bot.services[Database].fetch_all(kept)] == board


async def fight_out(table: Table, panel: ResponseMessage, *members: MemberActor) -> None:
    """Have members strike in turns until a fight is over."""
    for member in cycle(members):
        if "Strike with the best" not in buttons_of(panel):
            break
        await table.press(panel, "Strike with the best", by=member)
