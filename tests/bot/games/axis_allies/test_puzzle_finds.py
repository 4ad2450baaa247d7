"""Puzzles from battles: only where all people allow it, once a position each, and gone with the permission."""

from datetime import UTC, datetime

import pytest
from simcord import MemberActor

from bot.battles.maintenance import Chores
from bot.games.axis_allies.puzzle_store import PuzzleRepository
from bot.games.axis_allies.puzzles import PuzzleService
from bot.store.database import Database
from tests.bot.battles.fights import begin, end
from tests.bot.conftest import Table, answer, expect_in, said

BATTLE = "1942: 6 inf, 2 art, 1 tank vs 5 inf, 1 fighter"
pytestmark = pytest.mark.usefixtures("fixed_dice")


async def allow(table: Table, by: MemberActor, positions: str = "yes") -> None:
    """Have somebody allow puzzles in their profile, or no more."""
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
    for person in (table.ann, table.ben):
        await allow(table, person)
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
    assert len(await waiting(table)) == 1, "also of battles before"


async def test_an_open_battle_and_one_with_a_free_seat_are_not_searched(table: Table) -> None:
    for person in (table.ann, table.ben):
        await allow(table, person)
    await begin(table, BATTLE)
    await begin(table, BATTLE, defender=None)
    await end(table, number=2)
    assert await waiting(table) == []


@pytest.mark.parametrize("how", ["withdrawn", "the attacker deletes", "the defender deletes"])
async def test_what_is_no_longer_allowed_goes_before_it_is_published(table: Table, how: str) -> None:
    for person in (table.ann, table.ben):
        await allow(table, person)
    await fought(table)
    assert len(await waiting(table)) == 1
    if how == "withdrawn":
        await allow(table, table.ben, "no")
    else:
        await table.surely("privacy delete", by=table.ann if how == "the attacker deletes" else table.ben)
        sql = "SELECT count(*) AS number FROM aa_puzzle_finds"
        (row,) = await table.bot.services[Database].fetch_all(sql)
        assert row["number"] == 0
    service = table.bot.services[PuzzleService]
    day = datetime.fromtimestamp(table.clock.now, UTC).date().isoformat()
    await table.bot.services[PuzzleRepository].take(day)
    assert not (await service.of(day)).played, "at once, before anything was cleared"
    assert await waiting(table) == []
    if how != "withdrawn":
        for person in (table.ann, table.ben):
            await allow(table, person)
        assert await waiting(table) == [], "the battle has lost its people for good"
