"""What tests of campaigns share."""

import io
import zipfile
from typing import Any

import pytest
from simcord import InteractionResult, ResponseMessage

from bot.battles.ended import EndedBattles
from tests.bot.conftest import Table, answer, fix_seed


async def campaign(table: Table, command: str, **options: Any) -> ResponseMessage:  # noqa: ANN401  # options are of all kinds
    """Give a command of `/campaign` as Ann."""
    return told(await table.ann.slash(table.channel, f"campaign {command}", **options))


def told(result: InteractionResult) -> ResponseMessage:
    """Return the answer, or the private refusal after a deferred one."""
    return result.followups[-1] if result.followups else answer(result)


async def fought(table: Table, panel: ResponseMessage, label: str = "Fight to the end") -> None:
    """Press until the battle is over, and wait until its end is taken up."""
    await table.press(panel, label)
    await table.bot.services[EndedBattles].settled()


async def unzipped(table: Table, **options: Any) -> dict[str, bytes]:  # noqa: ANN401  # likewise
    """Return the files of a campaign by their paths."""
    (sent,) = (await campaign(table, "files", **options)).attachments
    with zipfile.ZipFile(io.BytesIO(await sent.read())) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def seeded(monkeypatch: pytest.MonkeyPatch, number: int) -> bytes:
    """Give the battles that open from now on a seed, and return it."""
    seed = number.to_bytes(32, "big")
    fix_seed(monkeypatch, seed)
    return seed
