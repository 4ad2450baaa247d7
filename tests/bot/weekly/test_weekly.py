"""A challenge a week in a channel, or a puzzle a day: one try for everyone, a board, a card, nothing posted twice."""

from contextlib import nullcontext
from datetime import UTC, datetime
from typing import Any

import pytest
from simcord import MemberActor, ResponseMessage

from bot.store.battles import ServerHours, ServerHoursRepository
from bot.store.database import Database
from bot.weekly.repository import Challenge, Standing, WeeklyRepository
from sim.axis_allies.army import pictured
from sim.axis_allies.battle.challenge import PuzzleWeek
from sim.axis_allies.battle.puzzles import Puzzle
from sim.boss_fight.battle.challenge import BossChallenge
from sim.core.challenge import LETTERS, Entry
from tests.bot.battles.fights import (
    click_seen,
    elsewhere,
    end,
    outside,
    press_forged,
    seen,
    stored,
    stranger,
    tick,
    told,
    tools,
    write,
)
from tests.bot.conftest import Table, alt_of, answer, buttons_of, expect_in, posts, said

FRIDAY = datetime(2027, 1, 15, 8, tzinfo=UTC).timestamp()
MONDAY = FRIDAY + 2 * 86_400 + 16 * 3_600
"""The first second of the week after."""


async def tried(
    table: Table, post: ResponseMessage, hand: str = "mage", *, by: MemberActor | None = None
) -> ResponseMessage:
    """Open a try, and return its panel or question, or the refusal; `hand`: against a boss."""
    pressed = await table.press(post, "Try", by=by)
    if pressed.modal is None:
        return pressed.followups[-1] if pressed.followups else answer(pressed)
    return answer(await (by or table.ann).submit_modal(pressed, {"choice": hand}))


async def fought(
    table: Table, post: ResponseMessage, hand: str = "mage", *, by: MemberActor | None = None
) -> ResponseMessage:
    """Fight a try to its end, and return its panel."""
    panel = await tried(table, post, hand, by=by)
    await table.fight_out(panel, by=by)
    return panel


async def week(table: Table) -> Challenge:
    """Return the channel's newest challenge."""
    found = await table.bot.services[WeeklyRepository].latest(table.channel.id)
    assert found is not None
    return found


async def board(table: Table) -> list[Standing]:
    """Return the week's board."""
    return await table.bot.services[WeeklyRepository].board(await week(table))


async def opened(table: Table, by: MemberActor, **options: Any) -> ResponseMessage:  # noqa: ANN401  # options are of all kinds
    """Open boss challenges in the channel."""
    return await table.run("weekly open", by=by, **({"kind": "Boss"} | options))


def heads(table: Table) -> list[str]:
    """Return the first lines of the posts and cards in the channel, in order."""
    first = (said(message).split("\n")[0] for message in posts(table))
    return [line for line in first if line.startswith(("### 🗓️", "🏆"))]


async def test_a_try_is_fought_alone_and_stands_on_the_board(table: Table, judge: MemberActor) -> None:
    for command in ("weekly open", "weekly close"):
        expect_in(said(await table.run(command)), "Only a mod can open or close weekly challenges")
    post = await opened(table, judge)
    expect_in(said(post), "🗓️ Week 2: ", "One try a day; your best one counts.", "Nobody has tried yet.")
    panel = await tried(table, post)
    expect_in(said(panel), "This try counts for the week as it goes: no undo, and a rematch is only practice.")
    assert buttons_of(panel) == ["Strike with the best", "Fight to the end"], "nobody joins, nobody leaves"
    await table.fight_out(panel)
    (first,) = await board(table)
    assert (first.place, first.user_id) == (1, table.ann.id)
    result = f"**1.** <@{table.ann.id}> · {first.score.text}"
    expect_in(said(await table.run("weekly board")), result)
    (shown,) = [message for message in posts(table) if message.id == post.id]
    expect_in(said(shown), result)
    await table.surely("privacy delete")
    assert await board(table) == []
    await tick(table)
    expect_in(said(post), "Nobody has tried yet.")


@pytest.mark.parametrize("nick", ["\u3164", "漢字1", "M\u0336\u0337\u0338\u200de"])
async def test_nobody_is_called_by_a_number(table: Table, judge: MemberActor, nick: str) -> None:
    zoe = table.ann.guild.add_member(table.env.create_user("zoe"), nick=nick)
    name = "M\u0336\u0337e" if nick.startswith("M") else "zoe"
    for panel in (await tried(table, await opened(table, judge), by=zoe), await table.run("mka new", by=zoe)):
        expect_in(said(panel), f"**{name}** <@{zoe.id}>")


async def test_nobody_joins_a_try_before_its_own_player(
    table: Table, judge: MemberActor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As if the first join had been too much for the workers: the panel is there without its player."""
    monkeypatch.setattr(BossChallenge, "enter", lambda _self, setup, _choice, _name: Entry(setup))
    panel = await tried(table, await opened(table, judge))
    pressed = await table.press(panel, "Join", by=table.ben)
    expect_in(told(pressed), "is another player's try. Open your own from the weekly challenge.")
    await table.press(panel, "Join")
    assert (await stored(table)).holders == {"member-1": table.ann.id}


async def test_no_way_gives_a_second_try_on_the_same_day(table: Table, judge: MemberActor) -> None:
    zone = ServerHours(zone="Pacific/Auckland")  # 13 hours ahead: it is 21:00 there
    await table.bot.services[ServerHoursRepository].put(table.ann.guild.id, zone)
    post = await opened(table, judge)
    one, other = [await table.press(post, "Try") for _ in range(2)]
    panel = answer(await table.ann.submit_modal(one, {"choice": "mage"}))
    refused = await table.ann.submit_modal(other, {"choice": "monk"})
    expect_in(said(answer(refused)), "You have had today's try")
    await table.press(panel, "Strike with the best")
    for by in (table.ann, judge):  # the player, and a referee who has no seat
        expect_in(said(await table.run("battle undo", by=by)), "This try counts for the week as it goes: no undo")
    await end(table)
    await table.settled()
    (first,) = await board(table)
    assert first.score.points > 0, "what ends early counts as it stands"
    refusal = said(await tried(table, post))
    expect_in(refusal, "try, [#1]", f"{first.score.text}. The next one opens <t:{int(FRIDAY) + 3 * 3_600}:R>.")
    await table.restart()
    expect_in(said(await tried(table, post)), "You have had today's try")
    old = seen(table, post)
    await table.run("weekly close", by=judge)
    assert "Try" not in buttons_of(post)
    (late,) = await click_seen(table, old, (table.ben, f"w1:{(await week(table)).id}"))
    assert told(late) == "⚠️ The weekly challenges here are closed."
    reopened = await judge.slash(table.channel, "weekly open", kind="Puzzles")
    again, note = answer(reopened), told(reopened)
    assert note == "🗓️ This week keeps its challenge; on Monday the kind changes to Puzzles."
    expect_in(said(await tried(table, again)), "You have had today's try")
    expect_in(said(post), "-# Week 2 is in [a newer message](https://discord.com/channels/", f"/{again.id}).")
    rematch = await table.pressed(panel, "Rematch")
    await table.press(rematch, "Join")
    await table.fight_out(rematch)
    assert "counts for the week" not in said(rematch)
    assert await board(table) == [first]
    table.clock.now += 3 * 3_600
    await fought(table, again, "knight")
    assert len(await board(table)) == 1, "the best try of each person"


async def test_equals_share_a_place(table: Table, judge: MemberActor) -> None:
    post = await opened(table, judge)
    zoe = stranger(table)
    for person in (table.ann, table.ben, zoe):
        await fought(table, post, by=person)
    await write(table, "UPDATE weekly_tries SET points = 900, rounds = 3 WHERE user_id <> ?", zoe.id)
    await write(table, "UPDATE weekly_tries SET points = 900, rounds = 4 WHERE user_id = ?", zoe.id)
    places = {one.user_id: one.place for one in await board(table)}
    assert places == {table.ann.id: 1, table.ben.id: 1, zoe.id: 3}, "of equal damage fewer rounds are better"


async def test_a_try_in_which_somebody_else_took_the_seat_does_not_count(table: Table, judge: MemberActor) -> None:
    panel = await tried(table, await opened(table, judge))
    assert "Take over a seat" not in buttons_of(await tools(table, judge))
    form = await press_forged(table, panel, "b4:1:take", by=judge)
    expect_in(said(answer(await judge.submit_modal(form, {"seat": ["member-1"]}))), "#1 is another player's try.")
    # As a referee could before.
    await write(table, "UPDATE seats SET user_id = ?", table.ben.id)
    await table.fight_out(panel, by=table.ben)
    assert await board(table) == []
    assert await table.bot.services[WeeklyRepository].missing() == []


async def test_sunday_has_its_card_and_monday_a_new_challenge_each_once(table: Table, judge: MemberActor) -> None:
    post = await opened(table, judge)
    await fought(table, post)
    going_on = await tried(table, post, by=table.ben)
    await table.press(going_on, "Strike with the best", by=table.ben)
    first, shown = await week(table), seen(table, post)
    table.clock.now = first.ends_at
    for _ in range(2):
        await tick(table)
        await table.restart()
    old, card = heads(table)
    expect_in(card, "🏆 <@", "won week 2: **")
    (picture,) = [message for message in posts(table) if said(message) == card]
    expect_in(alt_of(picture), "Week 2.", "1. ", "2. ", "damage in ")
    assert len(await board(table)) == 2, "what goes on counts as it stands"
    assert "Try" not in buttons_of(post)
    (late,) = await click_seen(table, shown, (stranger(table), f"w1:{first.id}"))
    assert told(late) == "⚠️ Week 2 is over. A new challenge opens every Monday."
    table.clock.now = MONDAY
    for _ in range(2):
        await tick(table)
        await table.restart()
    assert len(heads(table)) == 3
    assert heads(table)[:2] == [old, card]
    expect_in(heads(table)[2], "### 🗓️ Week 3: ")
    assert (await week(table)).setup_json != first.setup_json
    await table.run("weekly close", by=judge)
    table.clock.pass_days(14)
    await tick(table)
    assert len(heads(table)) == 3, "closed is closed"


async def test_a_message_whose_sending_was_cut_off_is_known_again_or_not_sent(table: Table, judge: MemberActor) -> None:
    await opened(table, judge)
    table.clock.now = MONDAY
    await tick(table)
    for later in (30, 3_600):  # the bot was killed after it had sent the post, and starts that much later
        await write(table, "UPDATE weekly_challenges SET post_id = NULL WHERE week = '2027-W03'")
        await write(table, "UPDATE weeklies SET next_at = ?", int(MONDAY))
        table.clock.now = MONDAY + later
        await tick(table)
    path = f"/channels/{table.channel.id}/messages"
    bodies = [sent.json for sent in table.env.http_requests if sent.method == "POST" and sent.path.endswith(path)]
    nonces = [body["nonce"] for body in bodies if isinstance(body, dict) and body.get("enforce_nonce")]
    assert len(nonces) == 2, "an hour later Discord would take it for another message"
    assert nonces[0] == nonces[1]
    assert "Try" in buttons_of(await table.run("weekly board"))


async def test_what_another_process_is_about_is_left_to_it(
    table: Table, judge: MemberActor, monkeypatch: pytest.MonkeyPatch
) -> None:
    await opened(table, judge)
    table.clock.now = MONDAY
    with monkeypatch.context() as patch:
        patch.setattr(table.bot.services[Database], "alone", lambda _name, *, wait: nullcontext(wait))
        await tick(table)
        assert len(heads(table)) == 1
    await tick(table)
    heads_now = [head[:13] for head in heads(table)]
    assert heads_now == ["### 🗓️ Week 2", "### 🗓️ Week 3"], "a week without tries has no card"


@pytest.mark.parametrize(("status", "code"), [(400, 50035), (404, 10003)])
async def test_what_discord_refuses_is_posted_a_minute_later_unless_the_channel_is_gone(
    table: Table, judge: MemberActor, status: int, code: int
) -> None:
    await opened(table, judge)
    table.clock.now = MONDAY
    table.env.inject_error("POST", f"/channels/{table.channel.id}/messages", status=status, code=code, times=1)
    await tick(table)
    assert len(heads(table)) == 1
    table.clock.now += 60
    await tick(table)
    assert len(heads(table)) == (2 if status == 400 else 1)
    assert ((await week(table)).weekly.next_at is None) is (status == 404)


@pytest.mark.parametrize("shared", [True, False])
async def test_servers_that_share_fight_the_same_and_others_their_own(
    table: Table, judge: MemberActor, shared: bool
) -> None:
    there, other = elsewhere(table, table.env.create_user("other"))
    await opened(table, judge, shared=shared)
    await other.slash(there, "weekly open", kind="Boss", shared=shared)
    table.clock.now = MONDAY
    await tick(table)
    found = [await table.bot.services[WeeklyRepository].latest(channel.id) for channel in (table.channel, there)]
    setups = {one.setup_json for one in found if one is not None and one.week == "2027-W03"}
    assert len(setups) == (1 if shared else 2)


async def test_a_dungeon_has_the_weeks_rooms_and_dice_of_its_own(table: Table, judge: MemberActor) -> None:
    post = await opened(table, judge, kind="Dungeon")
    rooms: list[str] = []
    rolled: list[str] = []
    for by in (table.ann, table.ben):
        panel = answer(await table.press(post, "Try", by=by))
        assert buttons_of(panel) == ["Enter room 1"]
        await table.press(panel, "Enter room 1", by=by)
        number = len(rooms) + 1
        rooms.append((await stored(table, number)).setup_json)
        await table.press(panel, "Fight to the end", by=by)
        rolled.append((await stored(table, number)).state_json)
        await end(table, by=by, number=number)
    await table.settled()
    assert rooms[0] == rooms[1]
    assert rolled[0] != rolled[1]
    assert {one.user_id for one in await board(table)} == {table.ann.id, table.ben.id}
    assert "room" in (await board(table))[0].score.text
    await table.pressed(panel, "Rematch", by=table.ben)
    assert (await stored(table, 3)).setup_json == rooms[0]


DAY = 86_400


async def puzzles(table: Table) -> tuple[Puzzle, ...]:
    """Return the puzzles of the week."""
    return PuzzleWeek.drawings.read_json((await week(table)).setup_json)


async def answered(
    table: Table, post: ResponseMessage, day: int, *, right: bool = True, by: MemberActor | None = None
) -> ResponseMessage:
    """Answer a day's puzzle, and return what its own player reads."""
    best = (await puzzles(table))[day].best
    letter = LETTERS[best if right else 1 - min(best, 1)]
    return await table.pressed(await tried(table, post, by=by), letter, by=by)


async def test_each_days_puzzle_is_answered_in_private_and_all_stand_on_the_board_and_the_card(
    table: Table, judge: MemberActor
) -> None:
    post = await opened(table, judge, kind="Puzzles")
    expect_in(said(post), "Week 2: Seven puzzles", "One try a day; all of them count.")
    puzzle = (await puzzles(table))[4]  # it is Friday
    question = await tried(table, post)
    expect_in(said(question), "Week 2, day 5", puzzle.question, *(pictured(option.text) for option in puzzle.options))
    assert question.ephemeral, "its answer would tell others"
    result = await table.pressed(question, LETTERS[puzzle.best])
    assert result.ephemeral
    expect_in(said(result), "✅ Right", puzzle.answer, "1 of 1 solved, 0.0 points lost")
    expect_in(alt_of(result), *(option.text for option in puzzle.options))
    await answered(table, post, 4, right=False, by=table.ben)
    table.clock.now += DAY
    for by in (table.ann, table.ben):
        await answered(table, post, 5, by=by)
    (shown,) = [message for message in posts(table) if message.id == post.id]
    expect_in(said(shown), f"**1.** <@{table.ann.id}> · 2 of 2 solved")
    table.clock.now = (await week(table)).ends_at
    await tick(table)
    (picture,) = [message for message in posts(table) if said(message) == heads(table)[1]]
    expect_in(alt_of(picture), "1. ", "2 of 2 solved, 0.0 points lost", "2. ", "1 of 2 solved, ")


async def test_no_way_gives_a_second_answer_on_the_same_day(table: Table, judge: MemberActor) -> None:
    post = await opened(table, judge, kind="Puzzles")
    first, other = await tried(table, post), await tried(table, post)
    best = (await puzzles(table))[4].best
    wrong, right = LETTERS[1 - min(best, 1)], LETTERS[best]
    expect_in(told(await press_forged(table, first, "w2:1:2027-01-16:0")), "This was another day's question.")
    await table.pressed(first, wrong)
    for again in (first, other):
        expect_in(told(await table.press(again, right)), "You have had today's try: 0 of 1 solved")
    await table.restart()
    expect_in(said(await tried(table, post)), "You have had today's try: 0 of 1 solved")
    expect_in(told(await press_forged(table, other, f"w2:1:2027-01-16:{best}")), "You have had today's try")
    table.clock.now += DAY
    expect_in(told(await table.press(other, right)), "This was another day's question.")
    expect_in(said(await answered(table, post, 5)), "✅ Right")
    (mine,) = await board(table)
    expect_in(mine.score.text, "1 of 1 solved")


@pytest.mark.parametrize(
    ("zones", "later", "day"),
    [
        (("America/Los_Angeles", "Pacific/Auckland"), -3_600, 7),
        (("Pacific/Auckland", "America/Los_Angeles"), 5 * 3_600, 1),
    ],
)
async def test_a_server_that_moves_to_another_zone_stays_in_its_week(
    table: Table, judge: MemberActor, zones: tuple[str, str], later: int, day: int
) -> None:
    """On Sunday evening it is Monday there, and on Monday Sunday: neither an eighth day, nor the last one first."""
    before, after = map(ServerHours, zones)
    hours = table.bot.services[ServerHoursRepository]
    await hours.put(table.ann.guild.id, before)
    await opened(table, judge, kind="Puzzles")
    table.clock.now = (await week(table)).ends_at + later
    await tick(table)
    await hours.put(table.ann.guild.id, after)
    expect_in(said(await tried(table, posts(table)[-1])), f", day {day}")


async def test_the_same_puzzle_elsewhere_takes_the_answer_that_was_given(table: Table, judge: MemberActor) -> None:
    """Else somebody could read the answer in one server, and give it in another one."""
    there, ann = elsewhere(table, outside(table))
    post = await opened(table, judge, kind="Puzzles")
    far = answer(await ann.slash(there, "weekly open", kind="Puzzles"))
    question = await tried(table, far, by=ann)
    await answered(table, post, 4, right=False)
    pressed = await ann.click(question, custom_id=f"w2:2:2027-01-15:{(await puzzles(table))[4].best}")
    expect_in(told(pressed), "You have had today's try: 0 of 1 solved")
    expect_in(said(far), f"<@{ann.id}> · 0 of 1 solved")
