"""A program that others kill: for each seed and file on its input it forks a writer, which goes on until SIGKILL.

Forking spares each of the many writers the start of Python. Every line of the output is a JSON list: what the writer
has just done, `["writer", pid]` before, `["dead"]` after it.
"""

import asyncio
import itertools
import json
import os
import random
import sys
from pathlib import Path

from bot.backups import back_up
from bot.control import ControlSocket
from bot.store.battles.battle import Battle
from bot.store.battles.panels import PanelRepository
from bot.store.battles.repository import BattleRepository
from bot.store.campaigns import Campaign, CampaignRepository, Muster
from bot.store.chronicle import ChronicleRepository
from sim.core.luck import SeatLuck, Stroke
from sim.core.standings import Team
from tests.bot.store.databases import open_database
from tests.bot.store.games import GUILD, advance, opened
from tests.bot.store.toy import ended, read, switched, went_back
from tests.conformance.example import registered
from tests.conformance.plays import plays

CHANNEL = 10
CAMPAIGN_CHANNEL = 11
"""Every battle here is part of a campaign."""
OPEN_AT_ONCE = 3
CAMPAIGN_ROWS = 8
ENTERED, LEFT = Muster("{}", []), Muster('{"left":1}', [], "one left")
TEAMS = (Team(place=1, seats=("first",)), Team(place=2, seats=("second",)))
STROKE = Stroke(row=1, moment="round 1", dice=2, expected=1, rolled=2, odds=0.25)
LUCKS = [SeatLuck(seat="first", unit="hits", dice=(((1, 1), 2),), rolled=2, best=STROKE, worst=STROKE, tie=7)]
LONGEST = 60


def tell(*words: str | int) -> None:
    # One write, below the size that a pipe takes as a whole: a killed writer leaves no half a line.
    os.write(1, f"{json.dumps(words)}\n".encode())


async def write(path: Path, seed: int) -> None:
    choose = random.Random(seed)
    db = await open_database(path)
    await ControlSocket(path, {"backup": lambda file: back_up(db, Path(file))}).open()
    battles, panels, chronicle = BattleRepository(db), PanelRepository(db), ChronicleRepository(db)
    campaigns = CampaignRepository(db)
    for interaction in itertools.count(seed << 32):
        going = [*await battles.open_in(CHANNEL), *await battles.open_in(CAMPAIGN_CHANNEL)]
        battle = choose.choice(going) if len(going) == OPEN_AT_ONCE else None
        if battle is None:
            battle = await begun(battles, campaigns, choose, interaction)
            if battle is None:
                continue
        elif battle.version >= LONGEST:
            battle = await ended(battles, battle, interaction)
        elif battle.version and choose.random() < 0.1:
            battle = await went_back(battles, battle, choose.randrange(battle.version), interaction)
        elif choose.random() < 0.1:
            battle = await switched(battles, battle, interaction)
        else:
            battle = await advance(battles, battle, choose, interaction)
        tell("committed", battle.id, battle.version, battle.revision, interaction)
        if choose.random() < 0.5:
            tell("showing", battle.id, battle.revision)
            await panels.mark_published(battle)
            tell("shown", battle.id, battle.revision)
        if choose.random() < 0.3:
            await listen(battles, chronicle, campaigns)


async def listen(battles: BattleRepository, chronicle: ChronicleRepository, campaigns: CampaignRepository) -> None:
    """Deal with what has ended."""
    for battle_id in await chronicle.missing():
        await chronicle.record(await read(battles, battle_id), TEAMS, {0: LUCKS})
        tell("recorded", battle_id)
    for battle_id in await campaigns.missing():
        await campaigns.take_up(await read(battles, battle_id), "over", LEFT, [])
        tell("taken-up", battle_id)


async def begun(
    battles: BattleRepository, campaigns: CampaignRepository, choose: random.Random, interaction: int
) -> Battle | None:
    """Open a battle, of the campaign if none of its battles goes on; None if something else was done instead."""
    going = [campaign for campaign in await campaigns.of_guild(GUILD) if campaign.is_open]
    if not going:
        campaign = await campaigns.found(GUILD, 1, f"War {interaction}", "any", None, interaction)
        tell("founded", campaign.id, interaction)
        return None
    return await begun_in(battles, campaigns, going[0], choose, interaction)


async def begun_in(
    battles: BattleRepository,
    campaigns: CampaignRepository,
    campaign: Campaign,
    choose: random.Random,
    interaction: int,
) -> Battle | None:
    rows = await campaigns.rows(campaign.id)
    if rows and rows[-1].is_open:
        return await opened(battles, choose, channel=CHANNEL, interaction=interaction)
    if len(rows) >= CAMPAIGN_ROWS:
        await campaigns.end(campaign)
        return None
    n = len(rows) + 1
    if choose.random() < 0.3:
        await campaigns.care(campaign, n, "a rest", LEFT, interaction)
        tell("cared", campaign.id, n, interaction)
        return None
    hook = campaigns.opening(campaign, n, ENTERED)
    return await opened(battles, choose, channel=CAMPAIGN_CHANNEL, interaction=interaction, hook=hook)


def main() -> None:
    for system in registered():  # what the rules import once is imported once
        plays(system)
    for line in sys.stdin:
        seed, path = line.strip().split(maxsplit=1)
        pid = os.fork()
        if pid == 0:
            asyncio.run(write(Path(path), int(seed)))
        tell("writer", pid)
        os.waitpid(pid, 0)
        tell("dead")


if __name__ == "__main__":
    main()
