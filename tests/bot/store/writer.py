"""A program that others kill: for each seed and file on its input it forks a writer, which goes on until SIGKILL.

Forking spares each of the many writers the start of Python. Every line of the output is a JSON list: what the writer
has just done, `["writer", pid]` before, `["dead"]` after it. Its battles are of the real games, in the real store and
without a bot: each step is one of the legal actions, by chance.
"""

import asyncio
import itertools
import json
import os
import random
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from bot.backups import back_up
from bot.campaigns.repository import CampaignRepository
from bot.listening import control_socket
from bot.stats import StatsRepository
from bot.store.battle import Battle, Place
from bot.store.battles import BattleRepository
from bot.store.database import Database
from bot.store.transactions import Commit, PanelRepository
from sim.core.battle import AnySystem, Seat, Team
from sim.core.campaign import ForcesReport
from sim.core.journal import Kind
from sim.core.luck import SeatLuck, Stroke
from sim.jobs.battle import Begin
from sim.jobs.campaign import Taken
from tests.bot.store import toy
from tests.bot.store.databases import open_database
from tests.bot.store.toy import ended, read, switched, went_back
from tests.conformance.example import choice, example_of, job_of, plays, registered

GUILD = 100
CHANNEL = 10
CAMPAIGN_CHANNEL = 11
"""Every battle here is part of a campaign."""
OPEN_AT_ONCE = 3
CAMPAIGN_ROWS = 8
ENTERED = ForcesReport(forces_json="{}", veterans=())
LEFT = Taken(forces_json='{"left":1}', veterans=(), summary="one left", deeds=())
TEAMS = (Team(place=1, seats=("first",)), Team(place=2, seats=("second",)))
STROKE = Stroke(row=1, moment="round 1", dice=2, expected=1, rolled=2, odds=0.25)
LUCKS = [SeatLuck(seat="first", unit="hits", dice=(((1, 1), 2),), rolled=2, best=STROKE, worst=STROKE, tie=7)]
LONGEST = 60


def tell(*words: str | int) -> None:
    # One write, below the size that a pipe takes as a whole: a killed writer leaves no half a line.
    os.write(1, f"{json.dumps(words)}\n".encode())


async def opened(
    battles: BattleRepository,
    choose: random.Random,
    *,
    channel: int,
    seats: Callable[[AnySystem], Mapping[Seat, int | None]] = lambda _: {"first": 1, "second": 2},
    **others: Any,  # noqa: ANN401  # of all kinds
) -> Battle:
    """Open a battle of any game."""
    example = example_of(choose.choice(registered()))
    setup = choose.choice([*example.setups.values()])
    begun = Begin(system=example.system.name, setup_json=example.system.setups.write_json(setup)).run()
    return await toy.opened(
        battles,
        channel=channel,
        system=example.system.name,
        rules=example.system.rules,
        setup_json=begun.setup_json,
        state_json=begun.state_json,
        places=[Place(*each) for each in seats(example.system).items()],
        seed=choose.randbytes(32),
        **others,
    )


async def advance(
    battles: BattleRepository, battle: Battle, choose: random.Random, interaction: int | None = None
) -> Battle:
    """Commit a step of the battle as it was read; end it where no step is possible."""
    example = example_of(battle.system)
    state = example.system.states.read(battle.state)
    chosen = choice(example, state, choose)
    if chosen is None:
        return await ended(battles, battle, interaction)
    _, seat, action = chosen
    result = job_of(example.system, state, action, seat, battle.key or b"", battle.next_step).run()
    after = partial(battle.next_row, seat=seat, state_hash=result.state_hash)
    rows = [after(Kind.STEP, action_json=result.action_json, events_json=result.events_json)]
    if result.outcome is not None:
        rows.append(after(Kind.END, after=rows[0]))
    commit = Commit(rows, result.state_json, result.outcome)
    await battles.commit(battle.id, battle.version, interaction, commit)
    return await read(battles, battle.id)


async def write(path: Path, seed: int) -> None:
    db = await open_database(path)
    async with control_socket(path, {"backup": lambda file: back_up(db, Path(file))}):
        await go_on(db, seed)


async def go_on(db: Database, seed: int) -> None:
    choose = random.Random(seed)
    battles, panels, stats = BattleRepository(db), PanelRepository(db), StatsRepository(db)
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
            await listen(battles, stats, campaigns)


async def listen(battles: BattleRepository, stats: StatsRepository, campaigns: CampaignRepository) -> None:
    """Deal with what has ended."""
    for battle_id in await stats.missing():
        await stats.record(await read(battles, battle_id), TEAMS, {0: LUCKS})
        tell("recorded", battle_id)
    for battle_id in await campaigns.missing():
        await campaigns.take_up(await read(battles, battle_id), "over", LEFT)
        tell("taken-up", battle_id)


async def begun(
    battles: BattleRepository, campaigns: CampaignRepository, choose: random.Random, interaction: int
) -> Battle | None:
    """Open a battle, of the campaign if none of its battles goes on; None if something else was done instead."""
    campaign = next((each for each in await campaigns.of_guild(GUILD) if each.is_open), None)
    if campaign is None:
        campaign = await campaigns.found(GUILD, 1, f"War {interaction}", "any", None, interaction)
        tell("founded", campaign.id, interaction)
        return None
    rows = await campaigns.rows(campaign.id)
    if rows and rows[-1].is_open:
        return await opened(battles, choose, channel=CHANNEL, interaction_id=interaction)
    if len(rows) >= CAMPAIGN_ROWS:
        await campaigns.end(campaign)
        return None
    n = len(rows) + 1
    if choose.random() < 0.3:
        await campaigns.adjust(campaign, n, "a rest", LEFT, interaction)
        tell("adjusted", campaign.id, n, interaction)
        return None
    hook = campaigns.opening(campaign, n, ENTERED)
    return await opened(battles, choose, channel=CAMPAIGN_CHANNEL, interaction_id=interaction, hook=hook)


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
