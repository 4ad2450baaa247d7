"""`/puzzle`: a position a day, one answer each, streaks, a board, a post a day; and positions from people's battles."""

import pytest
from simcord import MemberActor, ResponseMessage

from bot.battles.maintenance import Chores
from bot.games.axis_allies.puzzles import PuzzleRepository, PuzzleService
from bot.store.database import Database
from bot.ui import View
from sim.core.numbers import quantity
from tests.bot.battles.fights import begin, click_seen, end, seen, told
from tests.bot.conftest import Table, answer, expect_in, posts, said, text_of

pytestmark = pytest.mark.usefixtures("fixed_dice")


async def answered(table: Table, label: str) -> str:
    """Have Ann answer today's puzzle, and return what she reads."""
    return said(await table.pressed(answer(await table.ann.slash(table.channel, "puzzle today")), label))


def posted(table: Table) -> list[ResponseMessage]:
    """Return the puzzles posted in the channel."""
    return [message for message in posts(table) if "🧩 The puzzle of" in said(message)]


async def test_two_presses_at_once_count_once_and_data_that_were_deleted_are_no_second_chance(table: Table) -> None:
    for day in range(3):
        shown = answer(await table.ann.slash(table.channel, "puzzle today"))
        press = table.ann, f"aq1:{table.bot.services[PuzzleService].today}:0"  # A is right on all these days
        results = await click_seen(table, seen(table, shown), press, press, twice=True)
        assert sum("Your answer for today stands." in told(result) for result in results) == 1
        for result in results:
            expect_in(told(result), f"🔥 {quantity(day + 1, 'day')} in a row · {quantity(day + 1, 'puzzle')} solved")
        table.clock.pass_days(1)
    await answered(table, "B")
    await table.surely("privacy delete")
    expect_in(await answered(table, "A"), "🔥 1 day in a row · 1 puzzle solved in all")


async def test_it_is_posted_once_a_day_where_a_mod_wants_it(table: Table, judge: MemberActor) -> None:
    expect_in(text_of(answer(await table.ann.slash(table.channel, "puzzle channel", post=True))), "Only a mod")
    for post, days, count in ((True, 0, 1), (False, 0, 1), (True, 0, 1), (True, 1, 2), (False, 1, 2), (True, 0, 3)):
        await judge.slash(table.channel, "puzzle channel", post=post)
        table.clock.pass_days(days)
        await table.bot.services[Chores].run()
        assert len(posted(table)) == count
    assert (await table.pressed(posted(table)[0], "A", by=table.ben)).ephemeral


@pytest.mark.parametrize(
    ("status", "code", "counts"),
    [
        pytest.param(200, 0, [1, 1, 2], id="five days missed"),
        pytest.param(403, 50013, [0, 0, 1], id="it may not write there that day"),
        pytest.param(400, 50035, [0, 1, 2], id="refused, and tried again"),
        pytest.param(404, 10003, [0, 0, 0], id="the channel is gone"),
        pytest.param(0, 0, [0, 1, 2], id="its day ends before it is posted"),
    ],
)
async def test_what_was_not_posted_is_made_up_for_at_most_once(
    table: Table, judge: MemberActor, monkeypatch: pytest.MonkeyPatch, status: int, code: int, counts: list[int]
) -> None:
    view, delays = PuzzleService.view, [0, 0, 0 if status else 1]

    async def slow(service: PuzzleService, day: str) -> View:
        table.clock.pass_days(delays.pop())
        return await view(service, day)

    monkeypatch.setattr(PuzzleService, "view", slow)
    await judge.slash(table.channel, "puzzle channel", post=True)
    if code:
        table.env.inject_error("POST", f"/channels/{table.channel.id}/messages", status=status, code=code, times=1)
    for days, count in zip((0, 0, 5), counts, strict=True):
        table.clock.pass_days(days)
        await table.bot.services[Chores].run()
        assert len(posted(table)) == count


async def test_after_the_permission_is_back_a_mod_who_turns_it_on_again_gets_todays(
    table: Table, judge: MemberActor
) -> None:
    table.env.inject_error("POST", f"/channels/{table.channel.id}/messages", status=403, code=50013, times=1)
    for count in (0, 1, 1):
        await judge.slash(table.channel, "puzzle channel", post=True)
        await table.bot.services[Chores].run()
        assert len(posted(table)) == count


BATTLE = "1942: 6 inf, 2 art, 1 tank vs 5 inf, 1 fighter"


async def allow(table: Table, *people: MemberActor, positions: str = "yes") -> None:
    """Have people allow puzzles in their profiles, or no more."""
    for by in people:
        form = await by.click(answer(await by.slash(table.channel, "profile")), custom_id="n1:crest")
        await by.submit_modal(form, {"emblem": ["fox"], "color": "moss", "positions": positions})


async def fought(table: Table) -> None:
    """Fight a battle to its end."""
    panel = await begin(table, BATTLE)
    await table.press(panel, "Fight to the end")


async def waiting(table: Table) -> list[str]:
    """Search, and return the puzzles that wait, each for its battle."""
    await table.bot.services[Chores].run()
    sql = "SELECT puzzle FROM aa_puzzle_finds WHERE puzzle IS NOT NULL ORDER BY battle_id"
    return [row["puzzle"] for row in await table.bot.services[Database].fetch_all(sql)]


async def test_a_battle_whose_people_all_allow_it_gives_the_puzzle_of_the_day_once(table: Table) -> None:
    await allow(table, table.ann, table.ben)
    await fought(table)
    (found,) = await waiting(table)
    assert await waiting(table) == [found], "a battle is searched once"
    shown = said(answer(await table.ann.slash(table.channel, "puzzle today")))
    expect_in(shown, "The position is from a battle that was played.")
    assert not [word for word in (str(table.ann.id), str(table.ben.id), "Ann", "Ben", "#1") if word in shown + found]
    assert await waiting(table) == []
    table.clock.pass_days(1)
    tomorrow = said(answer(await table.ann.slash(table.channel, "puzzle today")))
    assert "from a battle" not in tomorrow


async def test_one_who_does_not_allow_it_is_enough(table: Table) -> None:
    await fought(table)
    assert await waiting(table) == [], "off by default"
    await allow(table, table.ann)
    assert await waiting(table) == []
    await allow(table, table.ben)
    found = await waiting(table)
    assert len(found) == 1, "also of battles before"
    await begin(table, BATTLE)
    await begin(table, BATTLE, defender=None)
    await end(table, number=3)
    assert await waiting(table) == found, "neither an open battle nor one with a free seat is searched"


@pytest.mark.parametrize("how", ["withdrawn", "the attacker deletes", "the defender deletes"])
async def test_what_is_no_longer_allowed_goes_before_it_is_published(table: Table, how: str) -> None:
    await allow(table, table.ann, table.ben)
    await fought(table)
    assert len(await waiting(table)) == 1
    if how == "withdrawn":
        await allow(table, table.ben, positions="no")
    else:
        await table.surely("privacy delete", by=table.ann if how == "the attacker deletes" else table.ben)
        sql = "SELECT count(*) AS number FROM aa_puzzle_finds"
        (row,) = await table.bot.services[Database].fetch_all(sql)
        assert row["number"] == 0
    service = table.bot.services[PuzzleService]
    await table.bot.services[PuzzleRepository].take(service.today)
    assert not (await service.of(service.today)).played, "at once, before anything was cleared"
    assert await waiting(table) == []
    if how != "withdrawn":
        await allow(table, table.ann, table.ben)
        assert await waiting(table) == [], "the battle has lost its people for good"
