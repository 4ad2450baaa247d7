"""`/puzzle`: a position a day, one answer each, streaks, a board, and a post a day in a channel."""

from datetime import UTC, datetime

from simcord import MemberActor, ResponseMessage

from bot.battles.maintenance import Chores
from bot.games.axis_allies.puzzle_store import PuzzleRepository
from bot.games.axis_allies.puzzles import PuzzleService
from tests.bot.conftest import Table, alt_of, answer, buttons_of, expect_in, said, text_of

DAY = 86_400


async def right(table: Table) -> int:
    """Return the place of the right choice of today."""
    service = table.bot.services[PuzzleService]
    return (await service.of(service.today)).best


async def answered(table: Table, by: MemberActor, *, correct: bool = True) -> str:
    """Have somebody answer today's puzzle, and return what they read."""
    shown = answer(await by.slash(table.channel, "puzzle today"))
    best = await right(table)
    label = "ABCD"[best if correct else 1 - min(best, 1)]
    return said(await table.pressed(shown, label, by=by))


def posts(table: Table) -> list[ResponseMessage]:
    """Return the puzzles posted in the channel."""
    stored = table.env.backend.messages.get(table.channel.id, {})
    shown = [ResponseMessage(table.env, stored[at]) for at in sorted(stored)]
    return [message for message in shown if not message.ephemeral and "🧩 The puzzle of" in said(message)]


async def test_the_first_answer_of_the_day_counts_and_explains(table: Table) -> None:
    shown = answer(await table.ann.slash(table.channel, "puzzle today"))
    today = datetime.fromtimestamp(table.clock.now, UTC).date().isoformat()
    expect_in(said(shown), f"### 🧩 The puzzle of {today}", "**A** ", "**B** ")
    assert shown.ephemeral
    puzzle = await table.bot.services[PuzzleService].of(today)
    assert buttons_of(shown) == [*"ABCD"[: len(puzzle.options)]]
    best = puzzle.best
    told = await table.pressed(shown, "ABCD"[best])
    expect_in(said(told), "✅ Right", puzzle.answer, "🔥 1 day in a row · 1 puzzle solved in all")
    expect_in(alt_of(told), *(option.text for option in puzzle.options))
    again = await table.pressed(shown, "ABCD"[1 - min(best, 1)])
    expect_in(said(again), "✅ Right", "Your answer of today stands.", "🔥 1 day in a row")


async def test_streaks_grow_by_the_day_and_a_mistake_ends_them(table: Table) -> None:
    for day in (1, 2):
        expect_in(await answered(table, table.ann), f"🔥 {day} day")
        expect_in(await answered(table, table.ben, correct=day == 2), "✅" if day == 2 else "❌ No")
        table.clock.now += DAY
    board = text_of(await table.run("puzzle board"))
    assert board.index(str(table.ann.id)) < board.index(str(table.ben.id))
    expect_in(board, "2 days in a row · 2 puzzles solved", "1 day in a row · 1 puzzle solved")
    table.clock.now += DAY
    expect_in(text_of(await table.run("puzzle board")), "No streak · 2 puzzles solved")


async def test_an_old_puzzle_is_explained_and_counts_no_more(table: Table) -> None:
    shown = answer(await table.ann.slash(table.channel, "puzzle today"))
    table.clock.now += DAY
    expect_in(said(await table.pressed(shown, "A")), "this doesn't count any more")
    service = table.bot.services[PuzzleService]
    assert not (await table.bot.services[PuzzleRepository].streak(table.ann.id, service.today)).right


async def test_it_is_posted_once_a_day_where_a_mod_wants_it(table: Table, judge: MemberActor) -> None:
    expect_in(text_of(answer(await table.ann.slash(table.channel, "puzzle channel", post=True))), "Only a mod")
    await judge.slash(table.channel, "puzzle channel", post=True)
    for _ in range(2):
        await table.bot.services[Chores].run()
    assert len(posts(table)) == 1
    told = await table.pressed(posts(table)[0], "A", by=table.ben)
    assert told.ephemeral
    table.clock.now += DAY
    await table.bot.services[Chores].run()
    assert len(posts(table)) == 2
    await judge.slash(table.channel, "puzzle channel", post=False)
    table.clock.now += DAY
    await table.bot.services[Chores].run()
    assert len(posts(table)) == 2
