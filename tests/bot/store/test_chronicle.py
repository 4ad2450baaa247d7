"""What is remembered of ended battles, on both engines."""

from collections.abc import Sequence

import pytest

from bot.store import chronicle as store
from bot.store.battles.battle import Battle
from bot.store.battles.repository import BattleRepository
from bot.store.chronicle import ChronicleRepository, LadderRepository, Rival, Span, Tally
from bot.store.database import Database
from sim.core.luck import SeatLuck, Stroke
from sim.core.standings import Team
from tests.bot.store.conftest import personal_data_with
from tests.bot.store.toy import advance, count, ended, opened

ANN, BEN = 1 << 60, (1 << 60) + 1
HERE, THERE = 100, 200
WON, TIED = ("attacker", "defender"), ()


def teams(winners: Sequence[str] = WON) -> tuple[Team, ...]:
    return tuple(Team(place=1 if not winners else winners.index(seat) + 1, seats=(seat,)) for seat in WON)


def luck(rolled: int, odds: float = 0.25) -> list[SeatLuck]:
    stroke = Stroke(row=1, moment="round 1", dice=2, expected=1, rolled=rolled, odds=odds)
    worst = stroke.model_copy(update={"odds": 1.0})
    return [SeatLuck(seat="attacker", unit="hits", dice=(((1, 1), 2),), rolled=rolled, best=stroke, worst=worst, tie=7)]


@pytest.fixture
def chronicle(db: Database) -> ChronicleRepository:
    return ChronicleRepository(db)


async def fought(
    battles: BattleRepository, chronicle: ChronicleRepository, found: Sequence[Team] = (), *, guild: int | None = HERE
) -> Battle:
    """Fight a battle of Ann against Ben to its end and remember it."""
    battle = await opened(battles, goal=1, guild=guild, attacker=ANN, defender=BEN)
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
        Tally(system="adding", fought=3, won=1, tied=1, undecided=0, refereed=0)
    ]
    assert await chronicle.rivals(here, ANN, 5) == [Rival(user_id=BEN, fought=3, won=1, lost=1)]
    assert (await chronicle.rivals(Span(None), BEN, 5))[0].lost == 2
    assert await chronicle.rated_games(here, "adding") == [
        ((1, (ANN,)), (2, (BEN,))),
        ((2, (ANN,)), (1, (BEN,))),
        ((1, (ANN,)), (1, (BEN,))),
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
    assert await chronicle.rated_games(Span(HERE), "adding") == [((1, (None,)), (2, (BEN,)))]
    await personal_data_with(db).forget_person(BEN)
    assert await count(db, "results") == await count(db, "result_seats") == 0


async def test_ladders_are_opened_and_closed(db: Database) -> None:
    ladders = LadderRepository(db)
    for is_open in (True, True, False, False):
        await ladders.set_open(HERE, is_open=is_open)
        assert await ladders.is_open(HERE) is is_open
    assert not await ladders.is_open(THERE)
