"""Whatever is cut short in a campaign, nothing is lost and nothing is doubled."""

from pathlib import Path

import pytest

from bot.store import campaigns as store
from bot.store.battles.battle import Battle
from bot.store.battles.repository import BattleRepository
from bot.store.campaigns import Campaign, CampaignChangedError, CampaignRepository, Muster
from bot.store.database import Database
from sim.core.campaign import Deed, Veteran
from tests.bot.store.databases import open_database
from tests.bot.store.toy import advance, ended, opened, read

MUSTER = Muster("{}", [Veteran(side="a", name="Tom", left=1, most=2)])
AFTER = Muster('{"left":1}', [Veteran(side="a", name="Tom", left=0, most=2)], "one left")


class CutError(Exception):
    """The bot is killed here."""


async def linked(db: Database) -> tuple[CampaignRepository, Campaign, Battle]:
    battles, campaigns = BattleRepository(db), CampaignRepository(db)
    campaign = await campaigns.found(1, 2, "War", "toy", None)
    battle = await opened(battles, hook=campaigns.opening(campaign, 1, MUSTER))
    return campaigns, campaign, battle


async def closed(db: Database, battle: Battle) -> Battle:
    battles = BattleRepository(db)
    await advance(battles, await read(battles, battle.id))
    return await ended(battles, await read(battles, battle.id))


async def test_a_battle_and_its_row_are_opened_together_or_not_at_all(db: Database) -> None:
    campaigns, campaign, _ = await linked(db)
    with pytest.raises(CampaignChangedError):
        await opened(BattleRepository(db), hook=campaigns.opening(campaign, 1, MUSTER))
    with pytest.raises(CampaignChangedError):
        await opened(BattleRepository(db), hook=campaigns.opening(campaign, 2, MUSTER))
    (counted,) = await db.fetch_all("SELECT count(*) AS n FROM battles")
    assert counted["n"] == 1, "the second battle was not opened"
    assert [row.n for row in await campaigns.rows(campaign.id)] == [1]


async def test_an_end_is_taken_up_once_also_after_a_kill(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "cut.db"
    db = await open_database(path)
    campaigns, campaign, battle = await linked(db)
    battle = await closed(db, battle)
    assert await campaigns.missing() == [battle.id]

    async def cut(*_: object) -> None:
        raise CutError

    with monkeypatch.context() as patch:
        patch.setattr(db, "write", cut)
        with pytest.raises(CutError):
            await campaigns.take_up(battle, "over", AFTER, [])
    await db.close()
    db = await open_database(path)
    campaigns = CampaignRepository(db)
    assert await campaigns.missing() == [battle.id], "it is told of again after the start"
    assert await campaigns.take_up(battle, "over", AFTER, [Deed(side="a", name="Tom", kills=1)])
    assert not await campaigns.take_up(battle, "again", MUSTER, [])
    assert await campaigns.missing() == []
    (row,) = await campaigns.rows(campaign.id)
    assert (row.text, row.sums, row.muster_json, row.seed) == ("over", "one left", AFTER.muster_json, battle.seed.hex())
    assert row.deeds[0].kills == 1
    await db.close()


async def test_care_of_two_at_the_same_time_counts_once(db: Database) -> None:
    campaigns, campaign, battle = await linked(db)
    with pytest.raises(CampaignChangedError):
        await campaigns.care(campaign, 2, "while it goes on", AFTER)
    await campaigns.take_up(await closed(db, battle), "over", MUSTER, [])
    await campaigns.care(campaign, 2, "a rest", AFTER)
    with pytest.raises(CampaignChangedError):
        await campaigns.care(campaign, 2, "a rest", AFTER)
    assert [row.text for row in await campaigns.rows(campaign.id)] == ["over", "a rest"]


async def test_the_history_outlives_its_battles(db: Database) -> None:
    campaigns, campaign, battle = await linked(db)
    battle = await closed(db, battle)
    await campaigns.take_up(battle, "over", AFTER, [])
    await db.write(lambda conn: conn.execute("DELETE FROM battles"))
    (row,) = await campaigns.rows(campaign.id)
    assert (row.battle_id, row.text, row.setup_json) == (battle.id, "over", battle.setup_json)


async def test_the_oldest_that_ended_are_dropped(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "MAX_OPEN", 1)
    monkeypatch.setattr(store, "MAX_KEPT", 3)
    campaigns = CampaignRepository(db)
    for guild, names in ((2, ("Elsewhere",)), (1, ("War", "Siege", "Feud", "Raid"))):
        for name in names:
            campaign = await campaigns.found(guild, 2, name, "toy", None)
            await campaigns.end(campaign)
    await campaigns.found(1, 2, "Now", "toy", None)
    assert [campaign.name for campaign in await campaigns.of_guild(1)] == ["Now", "Raid", "Feud"]
    assert [campaign.name for campaign in await campaigns.of_guild(2)] == ["Elsewhere"]
