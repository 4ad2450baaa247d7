"""Whether a battle is what was fought: `/battle verify` in parts, damaged battles, links to the replay."""

import base64
import logging
import zlib
from hashlib import sha256
from unittest.mock import Mock

import pytest
from simcord import ResponseMessage

from bot.battles.maintenance import MaintenanceTasks
from bot.battles.panel import LABEL
from bot.battles.presenter import DICE, HidesInformation, Presenters
from bot.battles.publisher import ReplaySite
from bot.store import OWN_WORK, DamagedBattleError
from bot.store.battles import BattleRepository
from bot.store.database import Database
from sim.core.battle import HiddenInformation
from sim.core.journal import Mismatch
from sim.core.journal_file import restore, unpack
from sim.core.replay import verify
from sim.jobs import system
from sim.jobs.battle import Checkpoint, ReplayChunk
from sim.workers.queue import OverrunError
from tests.bot import payloads
from tests.bot.battles.fights import begin, begun, end, expect_match, more, stored, stranger, the_bot, write
from tests.bot.conftest import SEED, Table, answer, buttons_of, expect_in, text_of
from tests.tables import kept_table

pytestmark = pytest.mark.usefixtures("fixed_dice")

LONG = "40 inf vs 40 inf"


async def test_a_choice_is_void_when_the_battle_goes_on(table: Table) -> None:
    panel = await begun(table, "20 inf vs 20 inf", defender=the_bot(table))
    await begin(table)
    question, battle = await table.run("battle undo"), await stored(table)
    await table.press(panel, "Next round")
    result = await table.ann.select(question, [f"{battle.id}:{battle.version}"], custom_id="b3:undo")
    assert text_of(result.followups[0]) == "⚠️ #1 has changed: it is now at round 2."
    assert (await stored(table)).version == 2


async def test_the_seed_s_hash_is_told_until_the_end_and_then_the_last_row_s_shown_and_compared(table: Table) -> None:
    panel = await begin(table)
    await expect_match(table, 0)
    assert "SHA-256" not in text_of(panel)
    before = await table.pressed(panel, DICE.question, by=stranger(table))
    assert before.ephemeral
    expect_in(text_of(before), f"`{sha256(SEED).hexdigest()}`", "revealed at the end", "`/battle verify number:1`")
    assert SEED.hex() not in text_of(before)
    await table.press(panel, "Next round")
    assert "Last row" not in text_of(panel)
    await end(table)
    last = (await stored(table)).last_hash
    assert last is not None
    for message in (panel, await table.run("battle log", number=1)):
        assert f"-# Final fingerprint `{last[:16]}`… · `/battle verify number:1`" in text_of(message)
    for message in (await more(table, panel, DICE.question), await table.run("battle verify", number=1)):
        assert f"`{last}`" in text_of(message)
    for noted, verdict in ((last, "Match"), (last[:12].upper(), "Match"), ("0" * 64, "No match")):
        assert verdict in text_of(await table.run("battle verify", number=1, hash=noted))
    expect_in(text_of(await table.run("battle verify", number=1, hash=last[:11])), "⚠️ A hash has 64 digits")


@pytest.mark.parametrize("closed", [True, False])
async def test_a_journal_that_was_cut_in_the_database_is_found(table: Table, closed: bool) -> None:
    await begun(table, LONG, 2)
    if closed:
        await end(table)
    last = (await stored(table)).version
    await write(table, "DELETE FROM journal WHERE n = ?", last)
    expect_in(
        text_of(await table.run("battle verify", number=1)), "❌ No match", f"version {last}, but its journal has"
    )
    await write(table, "UPDATE battles SET version = version - 1, steps = ?", last - 1)
    expected = "no row closes the battle" if closed else "✅ Match: #1, 1 row"
    assert expected in text_of(await table.run("battle verify", number=1))


async def test_presenters_hide_only_what_the_rules_hide(table: Table) -> None:
    """Else a terminal would show what a channel doesn't."""
    presenters = table.bot.services[Presenters].values()
    assert presenters
    for presenter in presenters:
        assert isinstance(presenter, HidesInformation) is isinstance(presenter.system, HiddenInformation)


NEWEST = "#2 Axis & Allies, before round 1"


async def test_numbers_are_completed_and_a_battle_just_over_is_meant_without_one(table: Table) -> None:
    async def offered(typed: str = "") -> list[list[object]]:
        names = [f"battle {name}" for name in ("show", "log", "undo", "verify", "end")]
        found = [await table.ann.autocomplete(table.channel, name, "number", typed) for name in names]
        assert {each[0]["name"] for each in found if each} <= {"#1 Axis & Allies, before round 1", NEWEST}
        return [[choice["value"] for choice in each] for each in found]

    panels = [await begin(table), await begin(table)]
    # Logs and checks are wanted of the newest battles, closed ones too; the others of what goes on.
    assert await offered() == [[1, 2], [2, 1], [1, 2], [2, 1], [1, 2]]
    assert await offered("2") == [[2]] * 5
    for panel in panels:
        await table.press(panel, "Fight to the end")
    assert text_of(await table.run("battle verify")).startswith("### ✅ Match: #2")
    assert "#2" in text_of(await table.run("battle log"))
    closed = await table.ann.autocomplete(table.channel, "battle log", "number", "")
    assert [choice["value"] for choice in closed] == [2, 1]
    assert await table.ann.autocomplete(table.channel, "battle show", "number", "") == []


MOST_ROWS = 1


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every replay overrun that does more than a row, and check the chain row by row."""
    run = ReplayChunk.run

    def run_a_row(job: ReplayChunk) -> Checkpoint | Mismatch:
        if len(job.rows) > MOST_ROWS:
            raise OverrunError(5.0)
        return run(job)

    monkeypatch.setattr(ReplayChunk, "run", run_a_row)
    for module in ("bot.battles.journal", "sim.jobs.battle"):
        monkeypatch.setattr(f"{module}.MAX_ROWS", MOST_ROWS)


@pytest.fixture
def replayed(monkeypatch: pytest.MonkeyPatch) -> list[range]:
    """Keep every other state; the list gets the rows of each replay."""
    run = ReplayChunk.run
    seen: list[range] = []

    def run_and_tell(job: ReplayChunk) -> Checkpoint | Mismatch:
        seen.append(range(job.rows[0].n, job.rows[-1].n + 1))
        return run(job)

    monkeypatch.setattr(ReplayChunk, "run", run_and_tell)
    for module in ("battles", "transactions"):
        monkeypatch.setattr(f"bot.store.{module}.KEPT_EVERY", 2)
    return seen


@pytest.mark.usefixtures("slow")
async def test_a_long_battle_is_verified_and_goes_a_step_back(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    panel = await begun(table, rounds=2)
    await table.ann.slash(table.channel, "battle undo")
    await table.press(panel, "Agree", by=table.ben)
    assert (await stored(table)).version == 3
    assert text_of(panel).startswith("### #1 Axis & Allies: round 1")
    await table.press(panel, "Next round")
    await expect_match(table, 5)
    with monkeypatch.context() as patch:
        patch.setattr(ReplayChunk, "run", Mock(side_effect=OverrunError(5.0)))  # also at a single row
        result = await table.ann.slash(table.channel, "battle verify")
    assert "This calculation was stopped after 5 seconds" in text_of(result.followups[0])
    await write(table, "UPDATE journal SET events = '[]' WHERE n = 2")
    told = text_of(await table.run("battle verify"))
    assert told.startswith("### ❌ No match: #1, 5 rows\nThe first difference: Row 2 was changed")


async def test_parts_of_a_battle_and_a_step_back_begin_at_the_states_that_were_kept(
    table: Table, replayed: list[range]
) -> None:
    panel = await begun(table, LONG, 5)
    await expect_match(table, 5)
    assert replayed == [range(1, 3), range(3, 5), range(5, 6)]
    replayed.clear()
    for _ in range(2):
        await table.ann.slash(table.channel, "battle undo")
        await table.press(panel, "Agree", by=table.ben)
    assert replayed == [range(3, 5), range(3, 4)]
    assert (await stored(table)).version == 7
    replayed.clear()
    await expect_match(table, 7)
    assert replayed == [range(1, 3), range(3, 8)], "row 7 goes back to version 3, which wasn't kept"


async def test_a_state_that_was_kept_is_checked(table: Table, replayed: list[range]) -> None:
    await begun(table, LONG, 5)
    assert not replayed
    await write(table, "UPDATE journal SET state = NULL WHERE n = 2")
    await expect_match(table, 5)
    await write(table, "UPDATE journal SET state = '{}' WHERE n = 2")
    verdict, told = text_of(await table.run("battle verify")).splitlines()[:2]
    assert verdict == "### ❌ No match: #1, 5 rows"
    assert told.endswith(": The state that was kept with row 2 is not the one that the row leads to.")


async def test_the_first_difference_is_told_whichever_part_comes_to_it_first(
    table: Table, replayed: list[range], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Row 2 is the second row of its part, which takes a second job; row 3 is the first of the next part."""
    await begun(table, LONG, 5)
    monkeypatch.setattr("sim.jobs.battle.MAX_SECONDS", 0.0)
    run = ReplayChunk.run

    def differ(job: ReplayChunk) -> Checkpoint | Mismatch:
        if (number := job.start.version + 1 if job.start else 1) in {2, 3}:
            return Mismatch(number, f"Row {number} differs.")
        return run(job)

    monkeypatch.setattr(ReplayChunk, "run", differ)
    verdict = await table.run("battle verify")
    assert text_of(verdict).startswith("### ❌ No match: #1, 5 rows\nThe first difference: Row 2 differs.")
    assert replayed == [range(1, 3), range(5, 6)]


SENTENCE = (
    "⚠️ #1 is damaged in the database and can't be used; all other battles go on."
    " The people who run this bot can restore a backup."
)

DAMAGES = kept_table(__file__, "damages")


async def damage_first_of_two(table: Table, sql: str) -> list[ResponseMessage]:
    """Begin two battles, damage #1, restart the bot, and return their panels."""
    panels = [await begun(table, "20 inf vs 20 inf") for _ in range(2)]
    await table.bot.services[Database].write(lambda conn: conn.fetch_all(sql, [1]))
    await table.restart()
    return panels


@pytest.mark.parametrize("sql", DAMAGES)
async def test_only_the_damaged_battle_is_refused(table: Table, sql: str, caplog: pytest.LogCaptureFixture) -> None:
    panels = await damage_first_of_two(table, sql)
    caplog.set_level(logging.ERROR, "fracas")
    pressed = await table.press(panels[0], "Next round")
    assert [text_of(each) for each in pressed.followups or [answer(pressed)]] == [SENTENCE]
    assert "battle_damaged" in caplog.text
    shown = await table.ann.slash(table.channel, "battle show", number=1)
    assert text_of(shown.followups[-1] if shown.followups else answer(shown)) == SENTENCE
    with pytest.raises(DamagedBattleError):
        await table.bot.services[BattleRepository].get(1, OWN_WORK)

    await table.press(panels[1], "Next round")
    assert (await stored(table, 2)).version == 2
    listed = text_of(await table.run("battle list"))
    assert "#2 Axis & Allies" in listed
    assert ("#1 Axis & Allies, damaged" in listed) is ("outcome" not in sql)
    offered = await table.ann.autocomplete(table.channel, "battle show", "number", "")
    assert "#2" in " ".join(str(choice["name"]) for choice in offered)


async def test_maintenance_passes_a_damaged_battle_by(table: Table) -> None:
    await damage_first_of_two(table, DAMAGES[4])
    tasks = table.bot.services[MaintenanceTasks]
    table.clock.pass_days(2)
    await tasks.catch_up()
    table.clock.pass_days(31)
    await tasks.clear()
    statuses = await table.bot.services[Database].fetch_all("SELECT status FROM battles ORDER BY id")
    assert [row["status"] for row in statuses] == ["open", "ended"]


SITE = "https://example.org/replay/"


def links(message: ResponseMessage) -> list[str]:
    nodes = payloads.components(message.components)
    return [node["url"] for node in nodes if node["type"] == payloads.BUTTON and "url" in node]


async def test_an_ended_battle_links_to_its_replay(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    site, battles = table.bot.services[ReplaySite], table.bot.services[BattleRepository]
    site.address = SITE
    panel = await begun(table)
    assert not links(panel), "the seed is still secret"
    await end(table)
    (link,) = links(panel)
    assert LABEL in buttons_of(panel)
    assert len(link) <= 512
    packed = link.removeprefix(f"{SITE}#j=").removesuffix("&n=1")
    linked = unpack(zlib.decompress(base64.urlsafe_b64decode(f"{packed}=="), -15).decode())
    journal = restore(system(linked.system), linked)
    assert verify(system("aa-battle"), journal, linked.last).match
    battle = await stored(table)
    assert linked.last == battle.previous_hash
    log = text_of(await table.run("battle log", number=1))
    assert f"🎬 [Watch & check this battle]({link})" in log
    assert await site.link(battle, battles, len(link)) == link
    assert await site.link(battle, battles, len(link) - 1) == SITE, "longer than a button allows"
    monkeypatch.setattr("bot.battles.publisher._MAX_ROWS", 1)
    assert await site.line(battle, battles) == f"🎬 [Watch & check this battle]({SITE}): drop `battle-1.jsonl` there"
