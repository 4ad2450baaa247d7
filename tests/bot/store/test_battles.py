import hashlib
from pathlib import Path

import pytest
from pydantic import ValidationError

from bot.config import Server
from bot.store import OWN_WORK
from bot.store.battles.battle import Place, Status
from bot.store.battles.repository import BattleRepository
from bot.store.battles.transactions import Commit, SeatChange
from bot.store.database import Database
from bot.store.errors import (
    AlreadyAppliedError,
    BattleGoneError,
    BattleOverError,
    JournalFullError,
    SeatTakenError,
    StaleError,
)
from sim.core.canonical_json import canonical
from sim.core.journal import Journal, JournalRow, Kind, seal
from sim.core.journal_file import dump, load
from sim.core.replay import verify
from tests.bot.store.databases import open_database
from tests.bot.store.toy import SYSTEM, advance, count, ended, expect_sound, opened, read, stepped, went_back

HIGHEST_ID = 2**63 - 1


async def test_a_battle_as_it_opens(battles: BattleRepository) -> None:
    battle = await opened(battles, goal=7, channel=HIGHEST_ID, guild=None, starter=3, attacker=3, bots=("defender",))
    assert (battle.number, battle.channel_id, battle.guild_id, battle.starter_id) == (1, HIGHEST_ID, None, 3)
    assert (battle.system, battle.rules, battle.setup) == ("adding", 1, {"total": 7})
    assert battle.state == {"goal": 7, "total": 0, "rolls": 0}
    assert (battle.version, battle.steps, battle.next_step) == (0, 0, 1)
    assert (battle.status, battle.outcome, battle.is_open) == (Status.OPEN, None, True)
    assert (battle.created_at, battle.updated_at) == (5000, 5000)
    assert (battle.panel_id, battle.panels_retired) == (None, ())
    assert battle.places == (Place("attacker", 3), Place("defender", None, is_bot=True))
    assert [place.is_open for place in battle.places] == [False, False]
    assert battle.seats_of(3) == ("attacker",)
    assert await battles.journal(battle.id) == ()
    assert await battles.last_entry(battle.id) is None
    assert await battles.get(battle.id, OWN_WORK) == battle


async def test_the_seed_is_secret_until_the_end(battles: BattleRepository) -> None:
    battle = await opened(battles)
    assert len(battle.seed) == 32
    assert battle.seed_hash == hashlib.sha256(battle.seed).hexdigest()
    assert battle.revealed is None
    assert repr(battle.seed) not in repr(battle)
    assert (await opened(battles)).seed != battle.seed
    closed = await ended(battles, await advance(battles, battle))
    assert closed.revealed == battle.seed
    assert (closed.status, closed.outcome) == (Status.ENDED, None)


async def test_numbers_are_the_channels_own_and_never_given_twice(db: Database, battles: BattleRepository) -> None:
    made = [await opened(battles, channel=channel) for channel in (1, 2, 1, 1, 2)]
    assert [battle.number for battle in made] == [1, 1, 2, 3, 2]
    assert await battles.by_number(1, 3) == made[3]
    assert await battles.by_number(1, 4) is None
    assert await battles.by_number(3, 1) is None
    await db.write(lambda conn: conn.execute("DELETE FROM battles"))
    again = await opened(battles, channel=1)
    assert again.number == 4
    assert again.id > made[-1].id


async def test_the_open_ones_of_a_channel(battles: BattleRepository) -> None:
    first, second, _elsewhere = [await opened(battles, channel=channel) for channel in (1, 1, 2)]
    third = await opened(battles, channel=1)
    await ended(battles, second)
    assert await battles.open_in(1) == [first, third]
    assert await battles.open_in(3) == []


async def test_what_no_journal_can_begin_with_opens_nothing(db: Database, battles: BattleRepository) -> None:
    with pytest.raises(ValidationError):
        await battles.open(
            system="",
            rules=1,
            setup_json="{}",
            state_json="{}",
            channel_id=1,
            guild_id=None,
            starter_id=1,
            seats={"attacker": 1},
        )
    assert await count(db, "battles") == 0


async def test_steps_undo_and_the_end_make_a_journal_that_anyone_can_check(battles: BattleRepository) -> None:
    battle = await opened(battles)
    for number in range(1, 4):
        battle = await advance(battles, battle, actor=7)
        assert (battle.version, battle.steps) == (number, number)
    before = battle.state
    battle = await went_back(battles, await advance(battles, battle), 3)
    assert battle.state == before
    assert (battle.version, battle.steps) == (5, 4)
    battle = await advance(battles, battle)
    battle = await expect_sound(battles, (await ended(battles, battle)).id)
    entries = await battles.journal(battle.id)
    assert [entry.kind for entry in entries] == ["step", "step", "step", "step", "undo", "step", "end"]
    assert entries[0].actor == "7"
    assert entries[3].events != entries[5].events  # an undo rolls other dice
    assert await battles.last_entry(battle.id) == entries[-1]
    journal = load(dump(Journal(battle.head, entries, battle.revealed, battle.outcome)))
    assert verify(SYSTEM, journal).match


async def test_a_decisive_step_may_close_the_battle_at_once(battles: BattleRepository) -> None:
    battle = await opened(battles, goal=1)
    entry, state, outcome = stepped(battle, None)
    closing = seal(battle.head, entry, kind=Kind.END, seat="attacker", state=state)
    rows = [JournalRow.of(each) for each in (entry, closing)]
    await battles.commit(battle.id, 0, 1, Commit(rows, canonical(state), outcome))
    closed = await read(battles, battle.id)
    assert (closed.status, closed.version, closed.steps) == (Status.FINISHED, 2, 1)
    assert closed.outcome == outcome
    assert closed.revealed == battle.seed
    await expect_sound(battles, battle.id)


async def test_a_decided_battle_can_be_undone_until_it_is_closed(battles: BattleRepository) -> None:
    battle = await advance(battles, await opened(battles, goal=1))
    assert battle.is_open
    assert battle.outcome is not None
    battle = await went_back(battles, battle, 0)
    assert battle.outcome is None
    battle = await ended(battles, await advance(battles, battle))
    assert battle.status is Status.FINISHED
    await expect_sound(battles, battle.id)


async def test_a_closed_battle_takes_nothing(battles: BattleRepository) -> None:
    battle = await opened(battles, attacker=1)
    closed = await ended(battles, battle)
    for attempt in (
        advance(battles, battle, 5),
        advance(battles, closed, 5),
        went_back(battles, closed, 0, 5),
        ended(battles, closed, 5),
        battles.take_seat(battle.id, "defender", 2, 5),
    ):
        with pytest.raises(BattleOverError):
            await attempt
    assert await battles.get(battle.id, OWN_WORK) == closed


async def test_a_battle_that_is_not_there(battles: BattleRepository) -> None:
    battle = await opened(battles)
    entry, state, _ = stepped(battle, None)
    for attempt in (
        battles.commit(99, 0, 5, Commit([JournalRow.of(entry)], canonical(state))),
        battles.take_seat(99, "attacker", 1, 5),
    ):
        with pytest.raises(BattleGoneError):
            await attempt
    with pytest.raises(BattleGoneError):
        async with battles.locked(99, OWN_WORK):
            pass
    assert await battles.get(99, OWN_WORK) is None
    assert await battles.journal(99) == ()


async def test_an_older_version_is_refused_and_told_the_present_one(db: Database, battles: BattleRepository) -> None:
    battle = await opened(battles)
    later = await advance(battles, battle)
    with pytest.raises(StaleError) as caught:
        await advance(battles, battle, 5)
    assert (caught.value.battle_id, caught.value.version) == (battle.id, 1)
    assert await battles.get(battle.id, OWN_WORK) == later
    assert await count(db, "applied_interactions") == 0


async def test_an_interaction_delivered_twice_is_applied_once(battles: BattleRepository) -> None:
    battle = await opened(battles, interaction=4)
    with pytest.raises(AlreadyAppliedError):
        await opened(battles, interaction=4)
    battle = await advance(battles, battle, 5)
    for attempt in (
        advance(battles, battle, 5),
        went_back(battles, battle, 0, 5),
        ended(battles, battle, 5),
        battles.take_seat(battle.id, "attacker", 1, 5),
        opened(battles, interaction=5),
    ):
        with pytest.raises(AlreadyAppliedError):
            await attempt
    assert await battles.get(battle.id, OWN_WORK) == battle
    assert (await advance(battles, battle, 6)).version == 2


async def test_after_a_refusal_the_same_interaction_may_try_again(battles: BattleRepository) -> None:
    """A stale click changed nothing, so it isn't "applied" either."""
    battle = await opened(battles)
    later = await advance(battles, battle)
    with pytest.raises(StaleError):
        await advance(battles, battle, 5)
    assert (await advance(battles, later, 5)).version == 2


@pytest.mark.parametrize("flaw", ["state", "seal", "order", "chain", "kind", "closing", "two ends"])
async def test_rows_that_do_not_fit_are_not_written(db: Database, battles: BattleRepository, flaw: str) -> None:
    battle = await opened(battles)
    entry, state, _ = stepped(battle, None)
    end = seal(battle.head, entry, kind=Kind.END, seat="attacker", state=state)
    closing = None
    if flaw == "state":
        state = battle.state
    elif flaw == "seal":
        entry = entry.model_copy(update={"events": ()})
    elif flaw == "order":
        entry = seal(battle.head, entry, seat="attacker", state=state)
    elif flaw == "chain":
        entry, state, _ = stepped(await opened(battles), None)
    elif flaw == "kind":
        entry = seal(battle.head, None, kind=Kind.UNDO, seat="attacker", state=state, back_to=0)
        closing = seal(battle.head, entry, kind=Kind.END, seat="attacker", state=state)
    elif flaw == "closing":
        closing = seal(battle.head, None, kind=Kind.END, seat="attacker", state=state)
    else:
        closing = seal(battle.head, end, kind=Kind.END, seat="attacker", state=state)
    rows = [JournalRow.of(row) for row in (entry, closing) if row is not None]
    with pytest.raises(ValueError, match="row"):
        await battles.commit(battle.id, 0, 5, Commit(rows, canonical(state)))
    assert await battles.get(battle.id, OWN_WORK) == battle
    assert await count(db, "journal") == await count(db, "applied_interactions") == 0


async def test_a_full_journal_has_room_for_its_end(battles: BattleRepository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.store.battles.transactions.MAX_ROWS", 3)
    battle = await opened(battles)
    for _ in range(2):
        battle = await advance(battles, battle)
    with pytest.raises(JournalFullError):
        await advance(battles, battle, 5)
    with pytest.raises(JournalFullError):
        await went_back(battles, battle, 0)
    assert (await ended(battles, battle)).version == 3


async def test_seats_are_taken_and_left(battles: BattleRepository) -> None:
    battle = await opened(battles, bots=("defender",))
    assert battle.places[0].is_open
    battle = await battles.take_seat(battle.id, "attacker", 1)
    assert battle.seats_of(1) == ("attacker",)
    assert await battles.take_seat(battle.id, "attacker", 1) == battle
    with pytest.raises(SeatTakenError) as caught:
        await battles.take_seat(battle.id, "attacker", 2)
    assert caught.value.user_id == 1
    with pytest.raises(SeatTakenError) as caught:
        await battles.take_seat(battle.id, "defender", 2)
    assert caught.value.user_id is None
    with pytest.raises(KeyError):
        await battles.take_seat(battle.id, "referee", 2)
    assert battle.version == 0  # buttons stay good


async def test_people_come_and_go_with_the_step_that_says_so(battles: BattleRepository) -> None:
    battle = await opened(battles, attacker=1)
    come = SeatChange("member-1", 7), SeatChange("member-2", 8)
    entry, state, _ = stepped(battle, None)
    row = JournalRow.of(entry)
    await battles.commit(battle.id, 0, 5, Commit([row], canonical(state), seat_changes=come))
    battle = await read(battles, battle.id)
    assert [(place.seat, place.user_id) for place in battle.places][2:] == [("member-1", 7), ("member-2", 8)]
    with pytest.raises(StaleError):
        await battles.commit(battle.id, 0, 6, Commit([row], canonical(state), seat_changes=come))
    assert battle.seats_of(7) == ("member-1",)
    entry, state, _ = stepped(battle, entry)
    gone = SeatChange("member-1", here=False), SeatChange("member-2", None)
    await battles.commit(battle.id, 1, 6, Commit([JournalRow.of(entry)], canonical(state), seat_changes=gone))
    battle = await read(battles, battle.id)
    assert [(place.seat, place.user_id) for place in battle.places] == [
        ("attacker", 1),
        ("defender", None),
        ("member-2", None),
    ]


async def test_a_person_may_have_several_seats(battles: BattleRepository) -> None:
    battle = await opened(battles, attacker=1, defender=1)
    assert battle.seats_of(1) == ("attacker", "defender")


async def test_everything_is_there_after_a_restart(place: Path | Server) -> None:
    db = await open_database(place)
    battles = BattleRepository(db)
    battle = await advance(battles, await opened(battles, attacker=1), 5, actor=1)
    journal = await battles.journal(battle.id)
    await db.close()
    db = await open_database(place)
    battles = BattleRepository(db)
    assert await battles.get(battle.id, OWN_WORK) == battle
    assert await battles.journal(battle.id) == journal
    with pytest.raises(AlreadyAppliedError):
        await advance(battles, battle, 5)
    await expect_sound(battles, (await advance(battles, battle)).id)
    await db.close()
