"""Who may undo and end what alone, what is asked before, and how others check what they were shown."""

import re
from hashlib import sha256
from pathlib import Path

import pytest
from simcord import InteractionResult, MemberActor, ResponseMessage

from bot.battles.fairness import DICE
from bot.battles.presenter import HidesInformation, Presenters
from sim.__main__ import main
from sim.core.battle import HiddenInformation
from tests.bot.battles.fights import (
    begin,
    begun,
    click_seen,
    end,
    seen,
    stored,
    stranger,
    the_bot,
    told,
    undo,
    write,
)
from tests.bot.conftest import SEED, Table, button, buttons_of, expect_in, text_of

pytestmark = pytest.mark.usefixtures("fixed_dice")


async def choose(question: ResponseMessage, value: str, by: MemberActor) -> InteractionResult:
    return await by.select(question, [value], custom_id="b3:undo")


def offered(question: ResponseMessage) -> dict[str, str]:
    """Return the options of a list, the values by their labels."""
    (row,) = (node for node in question.components if node["type"] == 1)
    return {option["label"]: option["value"] for option in row["components"][0]["options"]}


async def test_a_referee_with_a_seat_asks_the_others_before_an_undo(table: Table, judge: MemberActor) -> None:
    panel = await begin(table, attacker=judge)
    await table.press(panel, "Fight round 1", by=judge)
    reply = await table.run("battle undo", by=judge)
    assert text_of(reply) == "↩️ #1: now the other side has to agree."
    assert told(await table.press(panel, "Agree", by=judge)) == "⚠️ The other side has to agree, not you."
    assert (await stored(table)).version == 1
    await table.press(panel, "Agree", by=table.ben)
    assert (await stored(table)).version == 2


async def test_a_referee_with_a_seat_takes_no_step_of_others_back(table: Table, judge: MemberActor) -> None:
    await begun(table, defender=judge)
    expect_in(text_of(await table.run("battle undo", by=judge)), "⚠️ Only the player who made the last step")


async def test_a_referee_without_a_seat_sees_what_is_undone_before(table: Table, judge: MemberActor) -> None:
    await begun(table)
    question = await table.run("battle undo", by=judge, number=1)
    assert question.ephemeral
    text = text_of(question)
    assert text.startswith("### Undo step 1 of #1?\nAxis & Allies, at round 1: <@")
    expect_in(text, str(table.ann.id), str(table.ben.id), "Made by the attacker")
    assert (await stored(table)).version == 1
    await table.press(question, "Keep", by=judge)
    assert (text_of(question), buttons_of(question)) == ("Nothing is changed.", [])
    assert (await stored(table)).version == 1


async def test_a_referee_confirms_an_undo_after_a_restart_and_once(table: Table, judge: MemberActor) -> None:
    await begun(table)
    question = await table.run("battle undo", by=judge)
    before, press = seen(table, question), button(question, "Undo")
    await table.restart()
    await click_seen(table, before, (judge, press), twice=True)
    assert text_of(question) == "↩️ #1: one step back."
    assert (await stored(table)).version == 2
    (late,) = (await click_seen(table, before, (judge, press)))[0].followups
    assert text_of(late) == "⚠️ #1 is already before round 1."
    assert (await stored(table)).version == 2


async def test_a_confirmation_is_void_when_the_battle_goes_on(table: Table, judge: MemberActor) -> None:
    panel = await begun(table, "20 inf vs 20 inf")
    question, closing = await table.run("battle undo", by=judge), await table.run("battle end", by=judge)
    await table.press(panel, "Fight round 2")
    for view, label in ((question, "Undo"), (closing, "End it")):
        assert told(await table.press(view, label, by=judge)) == "⚠️ #1 is already at round 2."
    assert ((await stored(table)).version, (await stored(table)).is_open) == (2, True)


async def test_a_referee_who_took_a_seat_meanwhile_confirms_nothing_alone(table: Table, judge: MemberActor) -> None:
    panel = await begun(table, "20 inf vs 20 inf")
    undoing, ending = await table.run("battle undo", by=judge), await table.run("battle end", by=judge)
    await table.surely("privacy delete", by=table.ben)
    await table.press(panel, "Join as defender", by=judge)
    assert (
        told(await table.press(undoing, "Undo", by=judge))
        == "⚠️ Only a referee who has no seat in #1 can do that alone."
    )
    assert (
        told(await table.press(ending, "End it", by=judge)) == "⚠️ The other side has to agree: ask it with /battle end."
    )
    assert ((await stored(table)).version, (await stored(table)).is_open) == (1, True)


async def test_undo_without_a_number_asks_which_battle(table: Table, judge: MemberActor) -> None:
    first = await begin(table, "20 inf vs 20 inf", defender=the_bot(table))
    second = await begin(table, attacker=table.ben, defender=table.ann)
    await table.press(first, "Fight round 1")
    await table.press(second, "Fight round 1", by=table.ben)
    for by in (table.ann, judge):
        question = await table.run("battle undo", by=by)
        assert question.ephemeral
        labels = offered(question)
        assert list(labels) == ["#1 Axis & Allies, at round 1", "#2 Axis & Allies, at round 1"]
    await table.restart()
    await choose(question, labels["#2 Axis & Allies, at round 1"], judge)
    assert text_of(question).startswith("### Undo step 1 of #2?")
    question = await table.run("battle undo")
    await choose(question, labels["#1 Axis & Allies, at round 1"], table.ann)
    assert text_of(question) == "↩️ #1: one step back."
    assert [(await stored(table, number)).version for number in (1, 2)] == [2, 1]


async def test_a_choice_is_void_when_the_battle_goes_on(table: Table) -> None:
    panel = await begun(table, "20 inf vs 20 inf", defender=the_bot(table))
    await begin(table)
    question = await table.run("battle undo")
    await table.press(panel, "Fight round 2")
    result = await choose(question, offered(question)["#1 Axis & Allies, at round 1"], table.ann)
    assert text_of(result.followups[0]) == "⚠️ #1 is already at round 2."
    assert (await stored(table)).version == 2


async def test_only_what_one_may_undo_is_offered(table: Table) -> None:
    await begin(table, defender=the_bot(table))
    await begin(table)
    assert list(offered(await table.run("battle undo", by=table.ben))) == ["#2 Axis & Allies, before round 1"]
    expect_in(text_of(await table.run("battle undo", by=stranger(table))), "⚠️ Only those who fight in a battle")


async def test_ending_says_what_is_lost_before(table: Table) -> None:
    await begun(table)
    question = await table.run("battle end")
    assert question.ephemeral
    text = text_of(question)
    assert text.startswith(f"### End #1 now?\n<@{table.ann.id}> (attacker) v <@{table.ben.id}> (defender)\n")
    expect_in(text, "Axis & Allies, at round 1: 1 step, 2 people.", "Nobody wins", "`/battle log number:1`")
    await table.press(question, "Keep playing")
    assert (await stored(table)).is_open
    question = await table.run("battle end")
    await table.restart()
    await table.press(question, "End it")
    assert text_of(question) == "🏁 #1 has ended, and its seed is revealed."
    assert (await stored(table)).status == "ended"


async def test_who_began_it_does_not_end_it_alone_once_others_have_played(table: Table) -> None:
    panel = await begin(table, "20 inf vs 20 inf", attacker=table.ben, defender=table.ann)
    early = await table.run("battle end")
    assert "End it" in buttons_of(early), "nobody else has played"
    await table.press(panel, "Fight round 1", by=table.ben)
    query = await table.run("battle end")
    assert not query.ephemeral
    assert text_of(query).startswith("The defender wants to end #1 as it stands.")
    assert told(await table.press(query, "Agree to end")) == "⚠️ The other side has to agree."
    assert told(await table.press(early, "End it")) == "⚠️ #1 is already at round 1."
    assert (await stored(table)).is_open
    await table.press(query, "Agree to end", by=table.ben)
    assert (await stored(table)).status == "ended"


async def test_undone_steps_were_played_too(table: Table, judge: MemberActor) -> None:
    panel = await begin(table, attacker=table.ben, defender=table.ann)
    await table.press(panel, "Fight round 1", by=table.ben)
    await undo(table, by=judge)
    assert buttons_of(await table.run("battle end")) == ["Agree to end"]


async def test_who_only_began_it_asks_those_who_fight(table: Table) -> None:
    zoe = stranger(table)
    panel = await begin(table, attacker=table.ben, defender=zoe)
    await table.press(panel, "Fight round 1", by=table.ben)
    query = await table.run("battle end")
    assert text_of(query).startswith("The player who opened it wants to end #1 as it stands.")
    assert told(await table.press(query, "Agree to end")) == "⚠️ The other side has to agree."
    await table.press(query, "Agree to end", by=zoe)
    assert (await stored(table)).status == "ended"


async def test_a_referee_with_a_seat_ends_nothing_alone(table: Table, judge: MemberActor) -> None:
    await begin(table, defender=judge)
    query = await table.run("battle end", by=judge)
    assert buttons_of(query) == ["Agree to end"]
    assert told(await table.press(query, "Agree to end", by=judge)) == "⚠️ The other side has to agree."
    assert (await stored(table)).is_open


async def test_the_last_row_s_hash_is_shown_at_the_end_and_compared(
    table: Table, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    panel = await begun(table)
    assert "Last row" not in text_of(panel)
    await end(table)
    last = (await stored(table)).last_hash
    assert last is not None
    for message in (panel, await table.run("battle log", number=1)):
        assert f"-# Last row's hash `{last[:16]}`… · `/battle verify number:1`" in text_of(message)
    for message in (await table.pressed(panel, DICE.question), await table.run("battle verify", number=1)):
        assert f"`{last}`" in text_of(message)
    log = await table.ann.slash(table.channel, "battle log", number=1)
    files = await table.files(log)
    path = tmp_path / "battle-1.jsonl"
    path.write_bytes(files[path.name])
    for noted, status, verdict in ((last, 0, "Match"), (last[:12].upper(), 0, "Match"), ("0" * 64, 1, "No match")):
        assert main(["verify", "--hash", noted, str(path)]) == status
        assert verdict in text_of(await table.run("battle verify", number=1, hash=noted))
    assert "the last row's hash is the one that was noted" in capsys.readouterr().out
    expect_in(text_of(await table.run("battle verify", number=1, hash=last[:11])), "⚠️ A hash has 64 digits")


async def test_the_button_about_the_dice_tells_the_seed_s_hash_at_first_and_the_seed_at_the_end(table: Table) -> None:
    panel = await begin(table)
    assert "SHA-256" not in text_of(panel)
    before = await table.pressed(panel, DICE.question, by=stranger(table))
    assert before.ephemeral
    expect_in(text_of(before), f"`{sha256(SEED).hexdigest()}`", "revealed at the end", "`/battle verify number:1`")
    assert SEED.hex() not in text_of(before)
    await table.press(panel, "Fight to the end")
    await table.restart()
    after = text_of(await table.pressed(panel, DICE.question))
    last = (await stored(table)).last_hash
    expect_in(after, f"`{SEED.hex()}`", f"`{sha256(SEED).hexdigest()}`", f"`{last}`", "battle-1.jsonl")
    assert max(map(len, re.findall("[0-9a-f]+", text_of(panel)))) <= 20, "ids and the digits of the last row's hash"


async def test_what_only_a_referee_may_do_is_no_button_but_a_command(table: Table, judge: MemberActor) -> None:
    panel = await begin(table, "4 inf, 4 tanks vs 6 inf, 6 tanks", casualties="manual")
    early = await table.run("battle referee", by=judge)
    table_tools = buttons_of(early)
    assert table_tools[0] == "Set the clock"
    expect_in(text_of(early), "### #1 Axis & Allies, before round 1: for the referee")
    await table.press(panel, "Fight round 1")
    assert "Time is up" not in buttons_of(panel)
    expect_in(
        text_of(await table.run("battle referee")), "⚠️ Only somebody who may manage messages, or was made its referee"
    )
    question = await table.run("battle referee", by=judge)
    assert question.ephemeral
    assert buttons_of(question)[0] == "Time is up"
    assert "Time is up" not in table_tools
    await table.restart()
    await table.press(question, "Time is up", by=judge)
    assert (await stored(table)).version == 2
    assert "🛡️ loses " in text_of(panel)


@pytest.mark.parametrize("closed", [True, False])
async def test_a_journal_that_was_cut_in_the_database_is_found(table: Table, closed: bool) -> None:
    panel = await begin(table, "20 inf vs 20 inf")
    for number in (1, 2):
        await table.press(panel, f"Fight round {number}")
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
    presenters = table.bot.services[Presenters].all
    assert presenters
    for presenter in presenters:
        assert isinstance(presenter, HidesInformation) is isinstance(presenter.system, HiddenInformation)
