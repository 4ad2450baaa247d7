"""What is remembered of ended battles, on both engines."""

from collections.abc import Sequence

import pytest

from bot.store import chronicle as store
from bot.store.battles.battle import Battle
from bot.store.battles.repository import BattleRepository
from bot.store.battles.transactions import put_in_seat
from bot.store.chronicle import ChronicleRepository, LadderRepository, Rival, Span, Tally
from bot.store.database import Database
from sim.core.luck import SeatLuck, Stroke
from sim.core.standings import Team
from tests.bot.store.conftest import personal_data_with
from tests.bot.store.toy import advance, count, ended, opened

ANN, BEN, CLEO = 1 << 60, (1 << 60) + 1, (1 << 60) + 2
HERE, THERE = 100, 200
WON, TIED = ("attacker", "defender"), ()


def teams(winners: Sequence[str] = WON) -> tuple[Team, ...]:
    chances = {"attacker": 0.75, "defender": 0.25}
    return tuple(
        Team(place=1 if not winners else winners.index(seat) + 1, seats=(seat,), chance=chances[seat]) for seat in WON
    )


def luck(rolled: int, odds: float = 0.25) -> dict[int, list[SeatLuck]]:
    stroke = Stroke(row=1, moment="round 1", dice=2, expected=1, rolled=rolled, odds=odds)
    worst = stroke.model_copy(update={"odds": 1.0})
    dice = (((1, 1), 2),)
    return {0: [SeatLuck(seat="attacker", unit="hits", dice=dice, rolled=rolled, best=stroke, worst=worst, tie=7)]}


@pytest.fixture
async def chronicle(db: Database) -> ChronicleRepository:
    for guild in (HERE, THERE):
        await LadderRepository(db).set_open(guild, is_open=True)
    return ChronicleRepository(db)


async def fought(
    battles: BattleRepository, chronicle: ChronicleRepository, found: Sequence[Team] = (), *, guild: int | None = HERE
) -> Battle:
    """Fight a battle of Ann against Ben to its end and remember it."""
    battle = await opened(battles, goal=1, guild=guild, attacker=ANN, defender=BEN)
    for person in (ANN, BEN):
        await battles.agree(battle.id, person)
    battle = await ended(battles, await advance(battles, battle))
    assert await chronicle.missing() == [battle.id]
    await chronicle.record(battle, found or teams(), luck(2))
    assert await chronicle.missing() == []
    return battle


async def test_what_was_played_and_against_whom(battles: BattleRepository, chronicle: ChronicleRepository) -> None:
    for found in (teams(), teams(("defender", "attacker")), teams(TIED)):
        await fought(battles, chronicle, found)
    await fought(battles, chronicle, guild=THERE)
    here = Span(HERE)
    assert await chronicle.tallies(here, ANN) == [
        Tally(system="adding", fought=3, won=1, tied=1, undecided=0, alone=0, refereed=0)
    ]
    assert await chronicle.rivals(here, ANN, 5) == [Rival(user_id=BEN, fought=3, won=1, lost=1)]
    assert (await chronicle.rivals(Span(None), BEN, 5))[0].lost == 2
    assert await chronicle.rated_games(here, "adding") == [
        ((1, (ANN,), 0.75), (2, (BEN,), 0.25)),
        ((2, (ANN,), 0.75), (1, (BEN,), 0.25)),
        ((1, (ANN,), 0.75), (1, (BEN,), 0.25)),
    ]
    assert await chronicle.rated_systems(HERE) == ["adding"]


async def test_dice_by_person_span_and_battle(battles: BattleRepository, chronicle: ChronicleRepository) -> None:
    battle = await fought(battles, chronicle)
    (dice,) = await chronicle.dice(Span(HERE), ANN)
    assert (dice.user_id, dice.bag, dice.rolled, dice.tie) == (ANN, "[[[1,1],2]]", 2, 7)
    assert await chronicle.dice(Span(HERE), None) == await chronicle.dice_of_battle(battle.id) == [dice]
    assert await chronicle.dice(Span(HERE), BEN) == await chronicle.dice(Span(THERE), None) == []
    assert await chronicle.dice(Span(HERE, battle.updated_at + 1), None) == []
    best, worst = await chronicle.moments(Span(HERE), ANN)
    assert (best.battle.number, best.user_id, best.stroke.odds, worst.stroke.odds) == (battle.number, ANN, 0.25, 1.0)
    assert await chronicle.moments_of_battle(battle.id) == [best, worst]


async def test_a_battle_is_remembered_once(battles: BattleRepository, chronicle: ChronicleRepository) -> None:
    battle = await fought(battles, chronicle)
    await chronicle.record(battle, teams(("defender", "attacker")), luck(0))
    assert [dice.rolled for dice in await chronicle.dice(Span(HERE), ANN)] == [2]
    assert (await chronicle.tallies(Span(HERE), ANN))[0].won == 1


async def test_the_oldest_of_a_server_are_forgotten(
    db: Database, battles: BattleRepository, chronicle: ChronicleRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "KEPT_RESULTS", 2)
    there = await fought(battles, chronicle, guild=THERE)
    made = [await fought(battles, chronicle) for _ in range(4)]
    kept = [row["id"] for row in await db.fetch_all("SELECT id FROM results ORDER BY id")]
    assert kept == [there.id, made[2].id, made[3].id]
    assert await count(db, "dice_luck") == 3
    assert await chronicle.missing() == [], "what is forgotten isn't counted again"


async def test_who_is_forgotten_leaves_opponents_their_results(
    db: Database, battles: BattleRepository, chronicle: ChronicleRepository
) -> None:
    await fought(battles, chronicle)
    await personal_data_with(db).forget_person(ANN)
    assert await count(db, "dice_luck") == 0
    assert await chronicle.rated_games(Span(HERE), "adding") == [((1, (None,), 0.75), (2, (BEN,), 0.25))]
    await personal_data_with(db).forget_person(BEN)
    assert await count(db, "results") == await count(db, "result_seats") == 0


async def test_dice_are_theirs_who_had_the_seat(
    db: Database, battles: BattleRepository, chronicle: ChronicleRepository
) -> None:
    battle = await opened(battles, goal=1, guild=HERE, attacker=ANN, defender=BEN)
    await db.write(put_in_seat(battle.id, "attacker", CLEO, left_at=4))
    battle = await ended(battles, await advance(battles, battle))
    assert await battles.seats_left(battle.id) == [(4, "attacker")]
    await chronicle.record(battle, teams(), {4: luck(1)[0], 0: luck(2)[0]})
    assert [(dice.user_id, dice.rolled) for dice in await chronicle.dice_of_battle(battle.id)] == [(CLEO, 2), (ANN, 1)]
    assert [dice.rolled for dice in await chronicle.dice(Span(HERE), ANN)] == [1]


async def test_only_who_agrees_before_it_begins_is_rated(db: Database, battles: BattleRepository) -> None:
    async def agreed(starter: int) -> set[str]:
        battle = await opened(battles, guild=HERE, starter=starter, attacker=CLEO)
        battle = await battles.take_seat(battle.id, "defender", BEN)
        if starter == ANN:
            await battles.agree(battle.id, CLEO)
        await advance(battles, battle)
        return {place.seat for place in (await battles.agree(battle.id, CLEO)).places if place.agreed}

    await LadderRepository(db).set_open(HERE, is_open=True)
    assert await agreed(ANN) == await agreed(CLEO) == {"attacker", "defender"}
    assert await agreed(BEN) == {"defender"}, "Cleo, whom Ben named, came too late"
    await LadderRepository(db).set_open(HERE, is_open=False)
    assert await agreed(ANN) == set(), "who isn't asked doesn't agree"


async def test_ladders_are_opened_and_closed(db: Database) -> None:
    ladders = LadderRepository(db)
    for is_open in (True, True, False, False):
        await ladders.set_open(HERE, is_open=is_open)
        assert await ladders.is_open(HERE) is is_open
    assert not await ladders.is_open(THERE)
