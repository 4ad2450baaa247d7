"""What time does: clocks and notes of battles, and how long anything is kept."""

import json
from unittest.mock import AsyncMock

import pytest

from bot.store import DAY, OWN_WORK, BattleOverError, database
from bot.store.battle import ClockRepository, Status
from bot.store.battles import BattleRepository, Retention
from bot.store.database import Body, Database
from bot.store.personal_data import PersonalDataRepository
from bot.store.transactions import PanelRepository, UndoRequestRepository
from sim.core.journal import Kind
from tests.bot.conftest import Clock
from tests.bot.store.databases import only_sqlite
from tests.bot.store.toy import advance, count, ended, expect_sound, opened, read, switched, went_back
from tests.tables import kept_table

ALICE, BOB = 987_654_321_001, 987_654_321_002


@pytest.fixture
def retention(db: Database, clock: Clock) -> Retention:
    return Retention(db, clock)


async def test_many_are_forgotten_some_at_a_time(
    db: Database, battles: BattleRepository, retention: Retention, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    for channel in range(7):
        await ended(battles, await opened(battles, channel=channel))
    clock.now += 91 * DAY
    monkeypatch.setattr(database, "ROWS_AT_ONCE", 3)
    left = []
    write = db.write

    async def watched(body: Body[int]) -> int:
        done = await write(body)
        left.append(await count(db, "battles"))
        return done

    monkeypatch.setattr(db, "write", watched)
    assert await retention.forget_finished() == 7
    assert left == [4, 1, 0, 0]


async def test_applied_interactions_are_kept_for_a_day(
    battles: BattleRepository, db: Database, retention: Retention, clock: Clock
) -> None:
    await opened(battles, interaction_id=1)
    clock.now += 1
    await opened(battles, interaction_id=2)
    clock.now += DAY
    assert await retention.forget_interactions() == 1
    rows = await db.fetch_all("SELECT interaction_id FROM applied_interactions")
    assert [row[0] for row in rows] == [2]


async def test_idle_battles_are_closed_by_the_house_but_not_one_that_went_on_meanwhile(
    battles: BattleRepository, retention: Retention, db: Database, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    untouched = await opened(battles)
    decided = await advance(battles, await opened(battles, goal=1))
    over = await ended(battles, await opened(battles))
    seated = await opened(battles)
    going_on = await opened(battles)
    clock.now += 30 * DAY
    await battles.take_seat(seated.id, "attacker", ALICE)
    await PanelRepository(db).set_panel(untouched.id, 11)  # a message put up again is no deed of a player
    assert await retention.close_idle() == []
    clock.now += 1
    found = await retention.idle()
    assert [battle.id for battle in found] == [untouched.id, decided.id, going_on.id]
    going_on = await advance(battles, going_on)  # between the look and the closing
    with monkeypatch.context() as patch:
        patch.setattr(retention, "idle", AsyncMock(return_value=found))
        closed = await retention.close_idle()
    assert await battles.get(going_on.id, OWN_WORK) == going_on
    assert [battle.id for battle in closed] == [untouched.id, decided.id]
    assert [battle.status for battle in closed] == [Status.ENDED, Status.FINISHED]
    for battle in closed:
        assert battle == await expect_sound(battles, battle.id)
        assert battle.revealed == battle.seed
        last = await battles.last_entry(battle.id)
        assert last is not None
        assert (last.kind, last.seat, last.actor) == (Kind.END, "house", None)
    assert await battles.get(over.id, OWN_WORK) == over
    assert {battle.id for battle in closed} <= {battle.id for battle in await PanelRepository(db).pending()}
    with pytest.raises(BattleOverError):
        await advance(battles, untouched)
    assert await retention.close_idle() == []


async def test_of_somebody_elses_battle_a_person_is_shown_their_part(
    battles: BattleRepository, personal_data: PersonalDataRepository
) -> None:
    battle = await advance(battles, await opened(battles, starter=BOB, attacker=BOB), actor=ALICE)
    await advance(battles, battle, actor=BOB)
    (about,) = (await personal_data.export(ALICE))["battles"]
    assert isinstance(about, dict)
    assert about == about | {"started": False, "seats": [], "referee": False, "asked_to_undo": None}
    assert '"acts": [{"n": 1, ' in json.dumps(about)
    assert [str(BOB) in json.dumps(about), '"n": 2' in json.dumps(about)] == [False, False]


@pytest.mark.parametrize(("sql", "index"), kept_table(__file__, "looked_for_found"))
@only_sqlite
async def test_what_is_looked_for_is_found_by_an_index(db: Database, sql: str, index: str) -> None:
    plan = await db.fetch_all(f"EXPLAIN QUERY PLAN {sql}", [1])
    assert index in plan[0]["detail"]


NOW = 1_000 * DAY
"""Where the clock of the tests stands."""


@pytest.fixture
def clocks(db: Database, clock: Clock) -> ClockRepository:
    return ClockRepository(db, clock)


async def test_a_request_to_undo_outlives_notes_alone(db: Database, battles: BattleRepository) -> None:
    battle = await advance(battles, await opened(battles))
    requests = UndoRequestRepository(db)
    await requests.ask(battle.id, 1, 1)
    battle = await switched(battles, battle)
    await expect_sound(battles, battle.id)
    pending = await requests.pending(battle.id)
    assert pending is not None
    assert pending.version == battle.version
    battle = await advance(battles, battle)
    assert await requests.pending(battle.id) is None
    await requests.ask(battle.id, battle.version, 1)
    battle = await went_back(battles, battle, 1)
    assert await requests.pending(battle.id) is None
    assert (battle.was_undone, battle.joining_closed, battle.moved) == (True, True, 4), "also what was before a note"
    await expect_sound(battles, battle.id)


async def test_whatever_happens_a_clock_is_looked_at_at_once(
    db: Database, battles: BattleRepository, clocks: ClockRepository
) -> None:
    battle = await opened(battles)
    assert [found.id for found in await clocks.due()] == [battle.id]
    await clocks.plan([(battle, NOW + 60)])
    assert (await clocks.due(), await clocks.next_at()) == ([], NOW + 60)
    after = await switched(battles, battle)
    assert [found.id for found in await clocks.due()] == [battle.id]
    await clocks.plan([(battle, NOW + 60)])
    assert await clocks.next_at() is None, "it was made for a battle that stands otherwise by now"
    await clocks.plan([(after, None)])
    assert (await clocks.due(), await clocks.next_at()) == ([], None)
    seated = await battles.take_seat(battle.id, "defender", 2)
    assert [found.id for found in await clocks.due()] == [battle.id], "who sits down winds it"
    assert (seated.seated_at, (await switched(battles, seated)).seated_at) == (NOW, NOW)
    await ended(battles, await advance(battles, await read(battles, battle.id)))
    assert (await clocks.due(), await clocks.next_at()) == ([], None)
    (clock,) = await db.fetch_all("SELECT next_at FROM clocks")
    assert clock["next_at"] is None, "one that is over takes no place among so many that are looked at"


async def test_when_a_turn_began(battles: BattleRepository, clocks: ClockRepository) -> None:
    battle = await opened(battles)
    assert await clocks.turn_began(battle, None, None) == (0, NOW)
    battle = await advance(battles, await switched(battles, await advance(battles, battle)))
    assert await clocks.turn_began(battle, None, None) == (3, NOW)
    assert await clocks.turn_began(battle, {"turn"}, None) == (1, NOW), "the first step begins one, too"
    battle = await switched(battles, await went_back(battles, battle, 1))
    assert await clocks.turn_began(battle, {"turn"}, None) == (4, NOW)


async def test_only_a_long_time_without_a_sign_of_life_is_an_outage(db: Database) -> None:
    now = [1000]
    clocks = ClockRepository(db, lambda: now[0])

    async def after(seconds: int, *, back: bool) -> int:
        now[0] += seconds
        return await clocks.sign_of_life(back=back)

    assert await after(0, back=True) == 0, "the first one ever"
    assert await after(9000, back=False) == 0, "it was there all the time"
    assert await after(120, back=True) == 0
    assert await after(121, back=True) == 121
    assert await after(-5000, back=False) == 0, "somebody set the machine's clock"
    assert await after(3600, back=True) == 3600
    assert await clocks.outages(0) == [(5241, 8841), (10120, 10241)]
    assert await clocks.outages(8841) == [(10120, 10241)]
    await after(91 * 24 * 3600, back=False)
    await after(600, back=True)
    assert await clocks.outages(0) == [(now[0] - 600, now[0])], "old ones are gone"
