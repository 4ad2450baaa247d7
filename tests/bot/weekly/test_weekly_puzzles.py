"""A week of puzzles: the day's, the same for everyone, answered once and in private; all of them count."""

import discord
from simcord import InteractionResult, MemberActor, ResponseMessage
from simcord.builders import UserHandle

from bot.store.battles import ServerHours, ServerHoursRepository
from sim.axis_allies.army import pictured
from sim.axis_allies.battle.challenge import PuzzleWeek
from sim.axis_allies.puzzles import Puzzle
from sim.core.challenge import LETTERS
from tests.bot.battles.fights import click_seen, seen, tick, told, with_button
from tests.bot.conftest import Table, alt_of, answer, buttons_of, expect_in, said
from tests.bot.weekly.test_weekly import board, heads, history, opened, week

DAY = 86_400


async def puzzles(table: Table) -> tuple[Puzzle, ...]:
    """Return the puzzles of the week."""
    return PuzzleWeek.drawings.read_json((await week(table)).setup_json)


async def asked(table: Table, post: ResponseMessage, *, by: MemberActor | None = None) -> ResponseMessage:
    """Press the challenge's button, and return the question or the refusal."""
    pressed = await table.press(post, "Try", by=by)
    return pressed.followups[-1] if pressed.followups else answer(pressed)


async def answered(
    table: Table, post: ResponseMessage, day: int, *, right: bool = True, by: MemberActor | None = None
) -> ResponseMessage:
    """Answer a day's puzzle, and return what its own player reads."""
    best = (await puzzles(table))[day].best
    letter = LETTERS[best if right else 1 - min(best, 1)]
    return await table.pressed(await asked(table, post, by=by), letter, by=by)


async def forged(table: Table, message: ResponseMessage, custom_id: str) -> InteractionResult:
    """Have Ann press a button that the message doesn't have."""
    (result,) = await click_seen(table, with_button(seen(table, message), custom_id), (table.ann, custom_id))
    return result


async def test_the_days_puzzle_is_answered_in_private_and_stands_on_the_board(table: Table, judge: MemberActor) -> None:
    post = await opened(table, judge, kind="Puzzles")
    expect_in(said(post), "Week 2: Seven puzzles", "One try a day; all of them count.")
    puzzle = (await puzzles(table))[4]  # it is Friday
    question = await asked(table, post)
    expect_in(said(question), "Week 2, day 5", puzzle.question, *(pictured(option.text) for option in puzzle.options))
    assert question.ephemeral, "its answer would tell others"
    result = await table.pressed(question, LETTERS[puzzle.best])
    assert result.ephemeral
    expect_in(said(result), "✅ Right", puzzle.answer, "1 of 1 solved, 0.0 points lost")
    expect_in(alt_of(result), *(option.text for option in puzzle.options))
    await answered(table, post, 4, right=False, by=table.ben)
    assert [one.user_id for one in await board(table)] == [table.ann.id, table.ben.id]
    (shown,) = [message for message in history(table) if message.id == post.id]
    expect_in(said(shown), f"**1.** <@{table.ann.id}> · 1 of 1 solved")


async def test_no_way_gives_a_second_answer_on_the_same_day(table: Table, judge: MemberActor) -> None:
    post = await opened(table, judge, kind="Puzzles")
    first, other = await asked(table, post), await asked(table, post)
    best = (await puzzles(table))[4].best
    wrong, right = LETTERS[1 - min(best, 1)], LETTERS[best]
    await table.pressed(first, wrong)
    for again in (first, other):
        expect_in(told(await table.press(again, right)), "You have had today's try: 0 of 1 solved")
    await table.restart()
    expect_in(said(await asked(table, post)), "You have had today's try: 0 of 1 solved")
    expect_in(told(await forged(table, other, f"w2:1:2027-01-16:{best}")), "You have had today's try")
    table.clock.now += DAY
    expect_in(told(await table.press(other, right)), "This was another day's question.")
    expect_in(said(await answered(table, post, 5)), "✅ Right")
    (mine,) = await board(table)
    expect_in(mine.score.text, "1 of 1 solved")


async def test_a_day_is_the_servers_own_and_none_is_answered_early(table: Table, judge: MemberActor) -> None:
    zone = ServerHours(zone="Pacific/Auckland")  # it is 21:00 there
    await table.bot.services[ServerHoursRepository].put(table.ann.guild.id, zone)
    post = await opened(table, judge, kind="Puzzles")
    question = await asked(table, post)
    early = await forged(table, question, "w2:1:2027-01-16:0")
    expect_in(told(early), "This was another day's question.")
    table.clock.now += 3 * 3_600
    expect_in(said(await asked(table, post)), "Week 2, day 6")


async def test_the_same_puzzle_elsewhere_takes_the_answer_that_was_given(table: Table, judge: MemberActor) -> None:
    """Else somebody could read the answer in one server, and give it in another one."""
    guild = table.env.create_guild()
    there = guild.create_text_channel("elsewhere")
    role = guild.create_role("judge", permissions=discord.Permissions(manage_messages=True))
    ann = guild.add_member(UserHandle(table.env, table.env.backend.get_user(table.ann.id)), roles=[role])
    post = await opened(table, judge, kind="Puzzles")
    far = answer(await ann.slash(there, "weekly open", kind="Puzzles"))
    question = await asked(table, far, by=ann)
    await answered(table, post, 4, right=False)
    pressed = await ann.click(question, custom_id=f"w2:2:2027-01-15:{(await puzzles(table))[4].best}")
    expect_in(told(pressed), "You have had today's try: 0 of 1 solved")
    expect_in(said(far), f"<@{ann.id}> · 0 of 1 solved")


async def test_sunday_has_its_card_with_what_all_days_came_to(table: Table, judge: MemberActor) -> None:
    post = await opened(table, judge, kind="Puzzles")
    for day in (4, 5):
        await answered(table, post, day)
        await answered(table, post, day, right=day == 5, by=table.ben)
        table.clock.now += DAY
    table.clock.now = (await week(table)).ends_at
    await tick(table)
    _, card = heads(table)
    expect_in(card, f"🏆 <@{table.ann.id}> won week 2: **Seven puzzles**")
    (picture,) = [message for message in history(table) if said(message) == card]
    expect_in(alt_of(picture), "1. ", "2 of 2 solved, 0.0 points lost", "2. ", "1 of 2 solved, ")
    assert "Try" not in buttons_of(post)
