"""What is remembered of ended battles: nothing is lost and nothing is doubled, whatever is cut short."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from unittest.mock import AsyncMock

import pytest

from bot import stats as stats_store
from bot.campaigns import repository as campaign_store
from bot.campaigns.repository import Campaign, CampaignRepository
from bot.stats import LadderRepository, Rival, Span, StatsRepository, Tally
from bot.store.battle import Battle
from bot.store.battles import BattleRepository
from bot.store.database import Database
from bot.store.transactions import put_in_seat
from sim.core import RuleError
from sim.core.battle import Team
from sim.core.campaign import Deed, ForcesReport, Veteran
from sim.core.luck import SeatLuck, Stroke
from sim.jobs.campaign import Taken
from tests.bot.store.conftest import personal_data_with
from tests.bot.store.databases import database
from tests.bot.store.toy import advance, count, ended, opened, read

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
async def stats(db: Database) -> StatsRepository:
    for guild in (HERE, THERE):
        await LadderRepository(db).set_open(guild, is_open=True)
    return StatsRepository(db)


async def fought(
    battles: BattleRepository, stats: StatsRepository, found: Sequence[Team] = (), *, guild: int | None = HERE
) -> Battle:
    """Fight a battle of Ann against Ben to its end and remember it."""
    battle = await opened(battles, goal=1, guild=guild, attacker=ANN, defender=BEN)
    for person in (ANN, BEN):
        await battles.agree(battle.id, person)
    battle = await ended(battles, await advance(battles, battle))
    assert await stats.missing() == [battle.id]
    await stats.record(battle, found or teams(), luck(2))
    assert await stats.missing() == []
    return battle


async def test_what_was_played_and_against_whom(battles: BattleRepository, stats: StatsRepository) -> None:
    for found in (teams(), teams(("defender", "attacker")), teams(TIED)):
        await fought(battles, stats, found)
    await fought(battles, stats, guild=THERE)
    here = Span(HERE)
    assert await stats.tallies(here, ANN) == [
        Tally(system="adding", fought=3, won=1, tied=1, undecided=0, alone=0, refereed=0)
    ]
    assert await stats.rivals(here, ANN, 5) == [Rival(user_id=BEN, fought=3, won=1, lost=1)]
    assert (await stats.rivals(Span(None), BEN, 5))[0].lost == 2
    assert await stats.rated_games(here, "adding") == [
        ((1, (ANN,), 0.75), (2, (BEN,), 0.25)),
        ((2, (ANN,), 0.75), (1, (BEN,), 0.25)),
        ((1, (ANN,), 0.75), (1, (BEN,), 0.25)),
    ]
    assert await stats.rated_systems(HERE) == ["adding"]


async def test_dice_by_person_span_and_battle(battles: BattleRepository, stats: StatsRepository) -> None:
    battle = await fought(battles, stats)
    (dice,) = await stats.dice(Span(HERE), ANN)
    assert (dice.user_id, dice.bag, dice.rolled, dice.tie) == (ANN, "[[[1,1],2]]", 2, 7)
    assert await stats.dice(Span(HERE), None) == await stats.dice(Span(None, battle_id=battle.id)) == [dice]
    assert await stats.dice(Span(HERE), BEN) == await stats.dice(Span(THERE), None) == []
    assert await stats.dice(Span(HERE, battle.updated_at + 1), None) == []
    best, worst = await stats.moments(Span(HERE), ANN)
    assert (best.number, best.user_id, best.stroke.odds, worst.stroke.odds) == (battle.number, ANN, 0.25, 1.0)
    assert await stats.moments(Span(None, battle_id=battle.id)) == [best, worst]
    await stats.record(battle, teams(("defender", "attacker")), luck(0))
    assert await stats.dice(Span(HERE), ANN) == [dice], "a battle is remembered once"
    assert (await stats.tallies(Span(HERE), ANN))[0].won == 1


async def test_the_oldest_of_a_server_are_forgotten(
    db: Database, battles: BattleRepository, stats: StatsRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stats_store, "KEPT_RESULTS", 2)
    there = await fought(battles, stats, guild=THERE)
    made = [await fought(battles, stats) for _ in range(4)]
    kept = [row["id"] for row in await db.fetch_all("SELECT id FROM results ORDER BY id")]
    assert kept == [there.id, made[2].id, made[3].id]
    assert await count(db, "dice_luck") == 3
    assert await stats.missing() == [], "what is forgotten isn't counted again"


async def test_who_is_forgotten_leaves_opponents_their_results(
    db: Database, battles: BattleRepository, stats: StatsRepository
) -> None:
    await fought(battles, stats)
    await personal_data_with(db).forget_person(ANN)
    assert await count(db, "dice_luck") == 0
    assert await stats.rated_games(Span(HERE), "adding") == [((1, (None,), 0.75), (2, (BEN,), 0.25))]
    await personal_data_with(db).forget_person(BEN)
    assert await count(db, "results") == await count(db, "result_seats") == 0
    assert await stats.missing() == [], "it isn't recorded again"


async def test_dice_are_theirs_who_had_the_seat(
    db: Database, battles: BattleRepository, stats: StatsRepository
) -> None:
    battle = await opened(battles, goal=1, guild=HERE, attacker=ANN, defender=BEN)
    await db.write(put_in_seat(battle.id, "attacker", CLEO, left_at=4))
    battle = await ended(battles, await advance(battles, battle))
    assert await battles.seats_left(battle.id) == [(4, "attacker")]
    await stats.record(battle, teams(), {4: luck(1)[0], 0: luck(2)[0]})
    assert [(dice.user_id, dice.rolled) for dice in await stats.dice(Span(None, battle_id=battle.id))] == [
        (CLEO, 2),
        (ANN, 1),
    ]
    assert [dice.rolled for dice in await stats.dice(Span(HERE), ANN)] == [1]


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


ENTERED = ForcesReport(forces_json="{}", veterans=(Veteran(side="a", name="Tom", left=1, most=2),))
AFTER = Taken(
    forces_json='{"left":1}',
    veterans=(Veteran(side="a", name="Tom", left=0, most=2),),
    summary="one left",
    deeds=(Deed(side="a", name="Tom", kills=1),),
)


async def linked(db: Database) -> tuple[CampaignRepository, Campaign, Battle]:
    battles, campaigns = BattleRepository(db), CampaignRepository(db)
    campaign = await campaigns.found(1, 2, "War", "toy", None)
    battle = await opened(battles, hook=campaigns.opening(campaign, 1, ENTERED))
    return campaigns, campaign, battle


async def closed(db: Database, battle: Battle) -> Battle:
    battles = BattleRepository(db)
    await advance(battles, await read(battles, battle.id))
    return await ended(battles, await read(battles, battle.id))


async def test_a_battle_and_its_row_are_opened_together_or_not_at_all(db: Database) -> None:
    campaigns, campaign, _ = await linked(db)
    with pytest.raises(RuleError, match="has just changed"):
        await opened(BattleRepository(db), hook=campaigns.opening(campaign, 1, ENTERED))
    with pytest.raises(RuleError, match="has just changed"):
        await opened(BattleRepository(db), hook=campaigns.opening(campaign, 2, ENTERED))
    assert await count(db, "battles") == 1, "the second battle was not opened"
    assert [row.n for row in await campaigns.rows(campaign.id)] == [1]


async def test_an_end_is_taken_up_once_also_after_a_kill(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "cut.db"
    async with database(path) as db:
        campaigns, campaign, battle = await linked(db)
        battle = await closed(db, battle)
        assert await campaigns.missing() == [battle.id]
        monkeypatch.setattr(db, "write", AsyncMock(side_effect=asyncio.CancelledError))  # the bot is killed
        with pytest.raises(asyncio.CancelledError):
            await campaigns.take_up(battle, "over", AFTER)
    async with database(path) as db:
        campaigns = CampaignRepository(db)
        assert await campaigns.missing() == [battle.id], "it is told of again after the start"
        await campaigns.take_up(battle, "over", AFTER)
        await campaigns.take_up(battle, "again", AFTER)
        assert await campaigns.missing() == []
        (row,) = await campaigns.rows(campaign.id)
    assert Taken(**dict(row.forces), deeds=row.deeds) == AFTER
    assert (row.text, row.seed) == ("over", battle.seed.hex())


async def test_adjustments_of_two_at_the_same_time_count_once_and_the_history_outlives_its_battles(
    db: Database,
) -> None:
    campaigns, campaign, battle = await linked(db)
    with pytest.raises(RuleError, match="has just changed"):
        await campaigns.adjust(campaign, 2, "while it goes on", AFTER)
    await campaigns.take_up(await closed(db, battle), "over", AFTER)
    await campaigns.adjust(campaign, 2, "a rest", AFTER)
    with pytest.raises(RuleError, match="has just changed"):
        await campaigns.adjust(campaign, 2, "a rest", AFTER)
    await db.write(lambda conn: conn.execute("DELETE FROM battles"))
    row, adjusted = await campaigns.rows(campaign.id)
    assert (row.battle_id, row.text, row.setup_json, adjusted.text) == (battle.id, "over", battle.setup_json, "a rest")


async def test_the_oldest_that_ended_are_dropped(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(campaign_store, "MAX_OPEN", 1)
    monkeypatch.setattr(campaign_store, "MAX_KEPT", 3)
    campaigns = CampaignRepository(db)
    for guild, names in ((2, ("Elsewhere",)), (1, ("War", "Siege", "Feud", "Raid"))):
        for name in names:
            campaign = await campaigns.found(guild, 2, name, "toy", None)
            await campaigns.end(campaign)
    await campaigns.found(1, 2, "Now", "toy", None)
    assert [campaign.name for campaign in await campaigns.of_guild(1)] == ["Now", "Raid", "Feud"]
    assert [campaign.name for campaign in await campaigns.of_guild(2)] == ["Elsewhere"]


async def test_limits(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    campaigns, campaign, battle = await linked(db)
    await campaigns.take_up(await closed(db, battle), "over", AFTER)
    monkeypatch.setattr(campaign_store, "MAX_OPEN", 1)
    with pytest.raises(RuleError, match="1 campaigns are open in this server"):
        await campaigns.found(1, 2, "Other", "toy", None)
    monkeypatch.setattr(campaign_store, "MAX_BATTLES", 1)
    with pytest.raises(RuleError, match="This campaign has 1 battle, the most allowed"):
        await opened(BattleRepository(db), hook=campaigns.opening(campaign, 2, ENTERED))
    monkeypatch.setattr(campaign_store, "MAX_BATTLES", 2)
    monkeypatch.setattr(campaign_store, "MAX_CHARACTERS", len(AFTER.forces_json))
    with pytest.raises(RuleError, match="has grown too large"):
        await campaigns.adjust(campaign, 2, "a rest", AFTER)
