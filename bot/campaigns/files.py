"""The files of a campaign: for each battle its log and the sides after it, how they stand now, a table of it all."""

import io
import zipfile
from collections.abc import Mapping, Sequence

from bot.client import Client
from bot.cooperative import cooperative
from bot.store.battles.repository import BattleRepository
from bot.store.campaigns import Campaign, CampaignRow
from sim.csv.table import Cell, write_table
from sim.jobs.campaign import MusterFiles
from sim.workers import Caller

HISTORY = "history.csv"
_COLUMNS = (
    *("Entry", "Battle", "What", "Side", "Name", "Left", "Most", "Experience", "Level"),
    *("Kills", "Damage", "Lost", "Worth", "Learned"),
)
_EPOCH = (1980, 1, 1, 0, 0, 0)


async def campaign_files(
    bot: Client, campaign: Campaign, rows: Sequence[CampaignRow], caller: Caller
) -> dict[str, bytes]:
    """Return all files by their paths."""
    rows = [row for row in rows if not row.is_open]  # what enters a battle may be hidden
    files: dict[str, bytes] = {HISTORY: history_csv(rows)}
    number = 0
    for row in rows:
        if row.is_battle:
            number += 1
        if not row.is_battle:
            continue
        for name, data in (await _battle_files(bot, campaign, row, caller)).items():
            files[f"{number:03}/{name}"] = data
    if rows:
        job = MusterFiles(system=campaign.system, muster_json=rows[-1].muster_json)
        for name, data in (await bot.simulator.once(job, caller)).items():
            files[f"now/{name}"] = data
    return files


async def _battle_files(bot: Client, campaign: Campaign, row: CampaignRow, caller: Caller) -> Mapping[str, bytes]:
    steps = () if row.battle_id is None else await bot.services[BattleRepository].latest_steps(row.battle_id)
    job = MusterFiles(
        system=campaign.system,
        muster_json=row.muster_json,
        seed=row.seed,
        events=tuple([step.events_json async for step in cooperative(steps)]) or None,
    )
    return await bot.simulator.once(job, caller)


def history_csv(rows: Sequence[CampaignRow]) -> bytes:
    """Return a row for each fighter after each battle and each care."""
    lines = []
    battle = 0
    for row in rows:
        battle += row.is_battle
        deeds = {(deed.side, deed.name): deed for deed in row.deeds}
        for one in row.veterans:
            deed = deeds.get((one.side, one.name))
            done: tuple[Cell, ...] = ("",) * 5
            if deed is not None:
                done = (deed.kills, deed.damage, deed.lost, deed.worth, deed.experience)
            stands = (one.side, one.name, one.left, one.most, one.experience, one.level)
            lines.append((row.n, battle if row.is_battle else "", row.text, *stands, *done))
    return write_table(_COLUMNS, lines)


def zipped(files: Mapping[str, bytes]) -> bytes:
    """Return the files as one archive, the same for the same files."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name, _EPOCH), data, zipfile.ZIP_DEFLATED)
    return out.getvalue()
