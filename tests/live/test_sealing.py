"""Sealed dice over the wire: the beacon is the tests' own, on loopback, and so is the Discord where the seal is posted.

`LEAD` leaves a busy machine time to post, or to start again, before the round is due.
"""

import asyncio
import contextlib
import json
import re
import sqlite3
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from bot.config import Server
from sim.__main__ import main
from sim.core.beacon import BEACONS
from sim.core.seal import PostedSeal
from tests.beacon import CHAIN, LittleBeacon, sign
from tests.live.conftest import SETUP, Bots, Live
from tests.live.discord_server import PATIENCE, LittleDiscord
from tests.live.process import BotProcess
from tests.live.test_processes import SHARDS, open_fleet
from tests.live.wire import Fault
from tests.live.world import Channel, Exchange, Json, Message, Player
from tests.sim.workers.waiting import until
from tests.test_deploy import ROOT, run

pytestmark = [pytest.mark.live, pytest.mark.asyncio(loop_scope="session")]

PROGRAM = "tests.live.sealed"
TAKEN = "🎲 Your press is taken <t:"


async def start(
    bots: Bots, *beacons: LittleBeacon, discord: LittleDiscord | None = None, lead: float = 15, stop: str = ""
) -> Live:
    """Start a bot that has a beacon; see `tests.live.sealed`."""
    hosts = ",".join(each.address for each in beacons)
    live = await bots.start(discord, PROGRAM=PROGRAM, FRACAS_BEACON=hosts, LEAD=str(lead), STOP=stop)
    await ready(live.bot)
    for each in beacons:
        each.asked.clear()
    return live


async def ready(bot: BotProcess) -> None:
    """Wait until a round has come, from when on new battles are sealed."""
    await until(lambda: bool(bot.events("beacon_ready")), 0.1, PATIENCE)


def seals(discord: LittleDiscord, channel: Channel) -> list[PostedSeal]:
    """Return the seals that were posted in a channel; each is a message by itself, and nobody changed it."""
    found = []
    for message in discord.posted(channel):
        if digits := re.search(r"\b[0-9a-f]{64}\b", message.body.get("content") or ""):
            assert not message.edits
            found.append(PostedSeal(digits[0], message.id))
    return found


async def pressed_early(discord: LittleDiscord, player: Player, panel: Message) -> Exchange:
    """Press for a step that has no dice yet, and read that the press is taken."""
    pressed = await player.press(panel, "Next round", wait=False)
    await discord.until(lambda: any(TAKEN in told.text and told.private for told in pressed.followups))
    return pressed


async def until_fought(discord: LittleDiscord, panel: Message) -> None:
    await discord.until(lambda: panel.text.startswith("### #1 Axis & Allies: round 1\n"))


async def begin(live: Live, channel: Channel) -> Message:
    """Begin a battle whose last seat is taken by a press, whose first step is pressed before the round has come."""
    discord, ann, ben = live.discord, live.ann.at(channel), live.ben.at(channel)
    panel = (await ann.slash("aa battle", setup=SETUP, attacker=ann)).message
    await ben.press(panel, "Join as defender")
    await discord.until(lambda: "🎲 The dice come <t:" in panel.text)
    await pressed_early(discord, ann, panel)
    assert "before round 1" in panel.text
    return panel


async def come(live: Live, panel: Message) -> None:
    """Wait until the press is taken by itself, and fight to the end."""
    await until_fought(live.discord, panel)
    await live.ann.at(panel.channel).press(panel, "Fight to the end")


async def test_a_battle_is_sealed_in_a_channel_a_thread_and_a_direct_message(
    bots: Bots,
    beacon: LittleBeacon,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setitem(BEACONS, CHAIN.chain, CHAIN)
    live = await start(bots, beacon)
    discord = live.discord
    places = [live.channel, discord.new_channel(parent=live.channel), discord.new_channel(direct=True)]
    beacon.mood = "away"
    panels = await asyncio.gather(*(begin(live, place) for place in places))
    await discord.until(lambda: all(seals(discord, place) for place in places))
    beacon.mood = "well"
    await asyncio.gather(*(come(live, panel) for panel in panels))
    named = {row.hash: row.action["round"] for battle in (1, 2, 3) for row in rows(tmp_path, battle)[:1]}
    for place, panel in zip(places, panels, strict=True):
        (seal,) = seals(discord, place)
        posts = f"/channels/{place.id}/messages"
        (sent,) = [each for each in discord.api.requests if (each.method, each.path) == ("POST", posts)]
        assert sent.body["allowed_mentions"]["parse"] == []
        said = {part for part, value in sent.body.items() if value}
        assert said == {"content", "allowed_mentions", "nonce", "enforce_nonce"}, "nothing but text"
        guild = "@me" if place.guild_id is None else place.guild_id
        where = f"https://discord.com/channels/{guild}/{place.id}/{seal.message_id}"
        assert f"🎲 [Sealed]({where}) before round {named[seal.hash]}" in panel.text
        ann = live.ann.at(place)
        (last,) = re.findall(r"Final fingerprint `(\w{64})`", (await ann.slash("battle verify", number=1)).text)
        log = await ann.slash("battle log", number=1)
        files = (await ann.press(log.message, "Files")).message.files
        (journal,) = [file for file in files if file.name == "battle-1.jsonl"]
        path = tmp_path / journal.name
        path.write_bytes(journal.data)
        assert main(["verify", "--hash", last, "--seal", f"{seal.hash}@{seal.message_id}", str(path)]) == 0
        assert "The signature belongs to that round." in capsys.readouterr().out


class Row(NamedTuple):
    kind: str
    action: Any
    hash: str


def rows(folder: Path, battle: int = 1) -> list[Row]:
    """Return the rows of a battle as they are stored."""
    with contextlib.closing(sqlite3.connect(folder / "fracas.db")) as db:
        found = db.execute("SELECT kind, action, hash FROM journal WHERE battle_id = ? ORDER BY n", [battle])
        return [Row(kind, json.loads(action), digits) for kind, action, digits in found]


KILLS = {
    "the round is stored": ("after bot.store.battles:BattleRepository.open", "round", 0),
    "the seal is about to be posted": ("before discord.abc:Messageable.send", "round", 0),
    "the seal is posted": ("after discord.abc:Messageable.send", "round", 1),
    "the seal's message is stored": ("after bot.store.transactions:PanelRepository.set_seal", "round", 1),
    "the signature is stored": ("after bot.store.battles:BattleRepository.commit", "beacon", 1),
}
KEPT = [moment for moment, _, posted in KILLS.values() if posted]
"""When the seal's message is there, so that posting it again is the same message."""


@pytest.mark.parametrize(("moment", "last", "posted"), KILLS.values(), ids=KILLS)
async def test_a_bot_that_was_killed_goes_on_with_its_round(
    bots: Bots, beacon: LittleBeacon, tmp_path: Path, moment: str, last: str, posted: int
) -> None:
    live = await start(bots, beacon, lead=20, stop=moment)
    discord = live.discord
    await live.ann.slash("aa battle", setup=SETUP, attacker=live.ann, defender=live.ben, wait=False)
    await live.bot.stopped()
    await kill(bots)
    before = rows(tmp_path)
    assert before[-1].kind == last
    assert len(seals(discord, live.channel)) == posted
    await start(bots, beacon, discord=discord, lead=20)
    await discord.until(lambda: any(message.buttons for message in discord.posted(live.channel)))
    (panel,) = (message for message in discord.posted(live.channel) if message.buttons)
    await discord.until(lambda: "[Sealed](" in panel.text or "🎲 Not sealed" in panel.text)
    sealed = "[Sealed](" in panel.text
    await live.ann.press(panel, "Next round")
    after = rows(tmp_path)
    assert after[: len(before)] == before
    assert [row.kind for row in after] == ["round", "beacon", "step"]
    assert after[1].action == {"signature": sign(after[0].action["round"])}
    now = seals(discord, live.channel)
    assert {seal.hash for seal in now} <= {after[0].hash}
    if moment in KEPT:
        assert (len(now), sealed) == (1, True)
    else:  # it is posted if there is time
        assert (len(now), sealed) in {(1, True), (0, False)}


async def kill(bots: Bots) -> None:
    """Kill the bot that runs, and wait until its Discord knows."""
    *_, live = bots.started
    await live.bot.kill()
    for table in bots.started:  # Python's own processes may say that theirs was killed: no trouble of the bot's
        assert {line["level"] for line in table.new_trouble} <= {"RAW"}
    await live.discord.until(lambda: not live.discord.gateway.connected)


async def fracas(folder: Path, *arguments: str) -> None:
    """Run a command beside the bot."""
    program = (sys.executable, "-m", "bot", *arguments)
    done = await asyncio.to_thread(run, *program, folder=folder, PYTHONPATH=str(ROOT))
    assert done.returncode == 0, done.stderr


def delete(database: Path) -> None:
    for file in database.parent.glob(f"{database.name}*"):
        file.unlink()


async def test_after_a_backup_the_round_is_the_same_or_a_new_one_is_sealed(
    bots: Bots, beacon: LittleBeacon, tmp_path: Path
) -> None:
    live = await start(bots, beacon)
    discord = live.discord

    async def restore(copy: str) -> None:
        await kill(bots)
        delete(tmp_path / "fracas.db")
        await fracas(tmp_path, "restore", copy)
        await start(bots, beacon, discord=discord)

    panel = (await live.ann.slash("aa battle", setup=SETUP, attacker=live.ann)).message
    await fracas(tmp_path, "backup", "before.db")
    beacon.mood = "away"
    await live.ben.press(panel, "Join as defender")
    await discord.until(lambda: seals(discord, live.channel))
    await fracas(tmp_path, "backup", "named.db")
    beacon.mood = "well"
    await live.ann.press(panel, "Next round", wait=False)
    await until_fought(discord, panel)
    rolled, known = panel.text, rows(tmp_path)
    await restore("named.db")
    await live.ann.press(panel, "Next round")  # which is gone: the panel shows what is there
    await live.ann.press(panel, "Next round", wait=False)
    await discord.until(lambda: panel.text == rolled)
    assert rows(tmp_path)[:2] == known[:2]
    assert len(seals(discord, live.channel)) == 1
    await restore("before.db")
    await live.ann.press(panel, "Next round")
    assert rows(tmp_path) == []
    await live.ben.press(panel, "Join as defender")
    await live.ann.press(panel, "Next round", wait=False)
    await until_fought(discord, panel)
    (named, *_), (old, new) = rows(tmp_path), seals(discord, live.channel)
    assert (old.hash, new.hash) == (known[0].hash, named.hash)
    assert named.action["round"] > known[0].action["round"]


async def test_three_processes_name_one_round(
    registered: dict[str, list[Json]], server: Server, beacon: LittleBeacon, tmp_path: Path
) -> None:
    """In one battle every press comes to all of them; while the other's seal is being posted, a third one starts."""
    settings = {"PROGRAM": PROGRAM, "FRACAS_BEACON": beacon.address, "LEAD": "40"}
    async with open_fleet(registered, server, tmp_path, **settings) as fleet:
        discord, db = fleet.discord, fleet.db
        await asyncio.gather(*map(ready, fleet.processes))

        async def everywhere(press: Exchange) -> None:
            for shard in range(SHARDS):
                await discord.send(press, shard)

        async def until_stored(sql: str, *values: int) -> None:
            async def is_stored() -> bool:
                return bool(await db.fetch_all(sql, values))

            await until(is_stored, 0.1, PATIENCE)

        beacon.mood = "away"
        ann, ben = discord.player("ann"), discord.player("ben")
        both, one = (discord.new_channel(server=number) for number in (0, 1))
        panels = [(await ann.at(at).slash("aa battle", setup=SETUP, attacker=ann)).message for at in (both, one)]
        with discord.api.faults.add(Fault("POST", f"^/channels/{one.id}/", delay=12)) as held:
            await everywhere(await ben.at(both).press(panels[0], "Join as defender", wait=False))
            await until_stored("SELECT n FROM journal WHERE kind = 'round'")
            await ben.at(one).press(panels[1], "Join as defender")
            await discord.until(lambda: held.hits)
            await fleet.restart(discord.gateway.shard_of(discord.guild_ids[2]))
            await discord.until(lambda: discord.gateway.connected)
            await until_stored("SELECT id FROM battles WHERE seal_id IS NOT NULL AND channel_id = ?", one.id)
        early = [await pressed_early(discord, ann.at(panel.channel), panel) for panel in panels]
        await everywhere(early[0])
        beacon.mood = "well"
        for panel in panels:
            await until_fought(discord, panel)
            named, came, _ = found = await db.fetch_all(
                "SELECT kind, action, hash FROM journal JOIN battles ON id = battle_id WHERE channel_id = ? ORDER BY n",
                [panel.channel.id],
            )
            assert [row["kind"] for row in found] == ["round", "beacon", "step"]
            assert json.loads(came["action"]) == {"signature": sign(json.loads(named["action"])["round"])}
            assert {seal.hash for seal in seals(discord, panel.channel)} == {named["hash"]}
        assert len(seals(discord, one)) == 1
        await fleet.stop()
        assert not discord.gateway.violations, "sessions began in turn, in all processes"
