"""`fracas sync` and the application's emojis, and what a bot makes of them."""

import contextlib
import re
from pathlib import Path

import pytest

from bot.game import Games
from tests.bot import payloads
from tests.live.conftest import Bots, start_bot
from tests.live.discord_server import LittleDiscord
from tests.live.wire import Fault
from tests.live.world import User

pytestmark = [pytest.mark.live, pytest.mark.asyncio(loop_scope="session")]
COUNT = len(Games.discover().emojis)


async def synced(discord: LittleDiscord, folder: Path, command: str = "sync") -> tuple[int, str]:
    """Return how many requests have changed emojis, and what the command says of them."""
    before = len(discord.api.requests)
    async with contextlib.AsyncExitStack() as stack:
        process = await start_bot(stack, discord, folder, command, wait=False)
        await process.ended()
        assert "Traceback" not in process.err, process.err
    assert not discord.api.violations
    asked = [seen for seen in discord.api.requests[before:] if seen.path.endswith("/commands") and seen.method == "PUT"]
    assert len(asked) == (command == "sync"), "commands are registered whatever becomes of emojis"
    changes = [seen for seen in discord.api.requests[before:] if "/emojis" in seen.path and seen.method != "GET"]
    *_, line = [line for line in process.out.splitlines() if "emojis" in line]  # earlier ones are of earlier runs
    return len(changes), line


async def test_sync_uploads_what_is_missing_and_replaces_what_has_changed(bots: Bots, tmp_path: Path) -> None:
    discord = await bots.discord()
    emojis = discord.api.emojis
    others = [emojis.add("tank_0000", User("a member of the team")), emojis.add("mascot_0000", discord.api.app)]
    assert await synced(discord, tmp_path, "check") == (
        0,
        f"note  emojis    {COUNT} of {COUNT} are missing or old, texts do without; run: fracas sync",
    )
    assert await synced(discord, tmp_path) == (COUNT, f"{COUNT} emojis: {COUNT} uploaded.")
    assert await synced(discord, tmp_path) == (0, f"{COUNT} emojis: nothing to upload.")
    assert (await synced(discord, tmp_path, "check"))[1] == f"ok    emojis    {COUNT} are there"
    (tank,) = [emoji for emoji in emojis.all.values() if re.fullmatch("tank_(?!0000).{4}", emoji["name"])]
    now, tank["name"] = tank["name"], "tank_ffff"
    assert await synced(discord, tmp_path) == (2, f"{COUNT} emojis: 1 uploaded and 1 replaced.")
    assert now in emojis.names
    assert "tank_ffff" not in emojis.names
    assert [emoji for emoji in emojis.all.values() if emoji in others] == others


async def test_a_refusal_is_a_sentence_and_the_next_run_goes_on(bots: Bots, tmp_path: Path) -> None:
    discord = await bots.discord()
    discord.api.emojis.most = 3
    changes, line = await synced(discord, tmp_path)
    assert changes == 4
    assert line.startswith("Only 3 emojis uploaded (400 Bad Request (error code: 30008): Maximum number of emojis")
    discord.api.emojis.most = 2000
    assert await synced(discord, tmp_path) == (COUNT - 3, f"{COUNT} emojis: {COUNT - 3} uploaded.")


async def test_a_bot_shows_them_with_the_words_beside(bots: Bots, tmp_path: Path) -> None:
    discord = await bots.discord()
    await synced(discord, tmp_path)
    live = await bots.start(discord)
    asked = await live.ann.slash("aacalc", battle="6 tanks vs 10 inf")
    assert re.search(r"\*\*<:tank_\w{4}:\d+> 6 tanks\*\* vs 🛡️ \*\*<:infantry_\w{4}:\d+> 10 infantry\*\*", asked.text)
    assert "tank_" not in str([node for node in asked.message.components if node["type"] == payloads.GALLERY])
    files = await live.ann.press(asked.message, "Files")
    copied = await live.ann.press(files.message, "As text")
    told = b"".join(file.data for file in copied.message.files).decode()
    assert "6 tanks" in told
    assert not re.search(r"<:|[\ue000-\ue07e]", told)
    panel = (await live.ann.slash("aa battle", setup="6 tanks vs 9 inf", attacker=live.ann, defender=live.ben)).message
    await live.ann.press(panel, "Fight to the end")
    assert re.search(r"<:tank_\w{4}:\d+> \d tanks? \(1–3\) (<:d6_\d_\w{4}:\d+>)+ \(\d", panel.text)


async def test_a_bot_that_can_not_read_them_does_without(bots: Bots, tmp_path: Path) -> None:
    discord = await bots.discord()
    await synced(discord, tmp_path)
    with discord.api.faults.add(Fault("GET", r"/applications/\d+/emojis", times=9, status=403)):
        live = await bots.start(discord)
        text = (await live.ann.slash("aacalc", battle="6 tanks vs 10 inf")).text
    assert "**6 tanks** vs 🛡️ **10 infantry**" in text
    assert live.bot.events("emojis_not_read")
    assert {event["event"] for event in live.new_trouble} <= {"emojis_not_read"}
