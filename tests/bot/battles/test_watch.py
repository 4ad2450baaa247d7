"""Links to the replay of an ended battle: on its panel, in its log, and what they hold."""

import base64
import re
import zlib

import pytest
from simcord import ResponseMessage

from bot.battles.fairness import LABEL, ReplaySite
from bot.store.battles.repository import BattleRepository
from sim.core.journal_link import restore, unpack
from sim.core.replay import verify
from sim.jobs.discovery import system
from tests.bot import payloads
from tests.bot.battles.fights import begin, end, stored
from tests.bot.conftest import Table, answer, buttons_of, text_of

pytestmark = pytest.mark.usefixtures("fixed_dice")

SITE = "https://example.org/replay/"


def links(message: ResponseMessage) -> list[str]:
    nodes = payloads.components(message.components)
    return [node["url"] for node in nodes if node["type"] == payloads.BUTTON and "url" in node]


async def test_an_ended_battle_links_to_its_replay(table: Table) -> None:
    table.bot.services[ReplaySite].address = SITE
    panel = await begin(table)
    await table.press(panel, "Fight round 1")
    assert not links(panel), "the seed is still secret"
    await end(table)
    (link,) = links(panel)
    assert LABEL in buttons_of(panel)
    assert len(link) <= 512
    packed = link.removeprefix(f"{SITE}#j=")
    linked = unpack(zlib.decompress(base64.urlsafe_b64decode(f"{packed}=="), -15).decode())
    journal = restore(system(linked.system), linked)
    assert verify(system("aa-battle"), journal, linked.last).match
    assert linked.last == (await stored(table)).previous_hash
    log = text_of(answer(await table.ann.slash(table.channel, "battle log", number=1)))
    assert f"🎬 [Watch & check this battle]({link})" in log


async def test_a_battle_too_large_for_a_link_is_dropped_on_the_page(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.battles.fairness._MAX_ROWS", 1)
    table.bot.services[ReplaySite].address = SITE
    panel = await begin(table)
    await table.press(panel, "Fight round 1")
    await end(table)
    assert links(panel) == [SITE]
    log = text_of(answer(await table.ann.slash(table.channel, "battle log", number=1)))
    assert f"[Watch & check this battle]({SITE}): drop `battle-1.jsonl` there" in log


async def test_a_link_is_never_longer_than_a_button_allows(table: Table) -> None:
    panel = await begin(table)
    await end(table)
    battles = table.bot.services[BattleRepository]
    battle = await stored(table)
    whole = await ReplaySite(SITE).link(battle, battles)
    assert whole is not None
    assert re.fullmatch(rf"{re.escape(SITE)}#j=[\w-]+", whole)
    assert await ReplaySite(SITE).link(battle, battles, len(whole)) == whole
    assert await ReplaySite(SITE).link(battle, battles, len(whole) - 1) == SITE
    assert await ReplaySite().link(battle, battles) is None
    assert links(panel) == []
