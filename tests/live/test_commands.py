"""A live bot: commands, files, forms, lists and emojis over the wire; `fracas sync` and `fracas check`."""

import re
from pathlib import Path

import pytest

from bot.games import Games
from sim.marked_for_death.tables import example
from tests.bot import payloads
from tests.bot.test_app import COMMANDS
from tests.live.conftest import Bots, Live, run_command
from tests.live.discord_server import TOKEN, LittleDiscord
from tests.live.wire import Fault
from tests.live.world import Json, Message, User

pytestmark = [pytest.mark.live, pytest.mark.asyncio(loop_scope="session")]


@pytest.mark.parametrize(("arguments", "where"), [(["sync"], ""), (["--sync"], ""), (["sync", "123"], "/guilds/123")])
async def test_sync_registers_them_everywhere_or_in_one_server(
    discord: LittleDiscord, tmp_path: Path, arguments: list[str], where: str
) -> None:
    discord.api.commands = {}
    command = await run_command(discord, tmp_path, *arguments)
    assert await command.ended() == 0, command.err
    assert list(discord.api.commands) == [where]
    assert {command["name"] for command in discord.api.commands[where]} >= COMMANDS


async def test_an_answer_with_its_picture_its_pages_and_its_form(live: Live) -> None:
    assert (await live.ann.complete("aacalc", "battle", battle="6 tan"))[0] == "6 tanks"
    asked = await live.ann.slash("aacalc", battle="30 inf, 6 tanks vs 40 inf")
    answer = asked.message
    assert "30 infantry, 6 tanks" in answer.text
    (picture,) = answer.files
    assert picture.data.startswith(b"\x89PNG")
    assert not answer.private
    await live.ann.press(answer, "Next")
    assert answer.files == [], "a page without a picture drops the one before"
    (last,) = [option["value"] for option in jump_list(answer) if option["label"].startswith("Who hit whom")]
    await live.ann.choose(answer, last)
    assert [option["value"] for option in jump_list(answer) if option["default"]] == [last]
    await live.ann.choose(answer, "0")
    assert len(answer.files) == 1
    other = await live.ben.press(answer, "Next")
    assert other.message.private
    assert other.message is not answer, "who didn't ask gets a copy"
    opened = await live.ann.press(answer, "Edit")
    assert opened.form["title"] == "Edit and run again"
    sent = await live.ann.submit(opened, battle="7 tanks vs 10 inf")
    assert sent.message is answer, "it changes in place"
    assert "7 tanks" in asked.text


def jump_list(answer: Message) -> list[Json]:
    (jump,) = [node for node in answer.components if node["type"] == payloads.SELECT]
    options: list[Json] = jump["options"]
    return options


async def test_two_files_and_their_log(live: Live) -> None:
    asked = await live.ann.slash("mfd run", heroes=("Heroes.csv", example()), villains=("Bad ones.csv", example()))
    assert ": none left" in asked.text, "of one side, whichever the dice favor"
    files = await live.ann.press(asked.message, "Files")
    assert any(file.name.endswith(".csv") for file in files.message.files)


ALL = str(1 << 10 | 1 << 11 | 1 << 15)
NO_FILES = str(1 << 10 | 1 << 11)
ADMINISTRATOR = str(1 << 3)


async def checked(discord: LittleDiscord, folder: Path) -> tuple[int, list[str]]:
    """Return how the command ended, and the lines about Discord."""
    command = await run_command(discord, folder, "check")
    about = ("token", "intents", "commands", "servers")
    return await command.ended(), [line for line in command.out.splitlines() if line[6:].startswith(about)]


async def test_all_in_place(discord: LittleDiscord, tmp_path: Path) -> None:
    discord.api.servers = [{"id": str(number), "name": "x", "permissions": ALL} for number in range(1, 451)]
    discord.api.servers[7]["permissions"] = ADMINISTRATOR
    _, (token, intents, commands, servers) = await checked(discord, tmp_path)
    assert token.startswith("ok    token     signed in as ")
    assert intents == "ok    intents   no privileged one is needed; shards advised: 1; starts left today: 1000"
    assert commands == f"ok    commands  {len(discord.api.commands[''])} registered"
    assert servers == "ok    servers   the bot has its rights in all 450"


async def test_what_is_missing_is_named_with_what_to_do(discord: LittleDiscord, tmp_path: Path) -> None:
    discord.api.commands = {"": discord.api.commands[""][1:]}
    discord.api.servers = [
        {"id": "1", "name": "fine", "permissions": ALL},
        {"id": "2", "name": "no\nfiles", "permissions": NO_FILES},
        {"id": "3", "name": "nothing", "permissions": "0"},
    ]
    status, (_, _, commands, files, nothing) = await checked(discord, tmp_path)
    assert status == 1
    assert commands.startswith("bad   commands  not those of this version (")
    assert commands.endswith("); run: fracas sync")
    assert files == "bad   servers   no?files (2): give the bot's role Attach Files"
    assert nothing == "bad   servers   nothing (3): give the bot's role View Channels, Send Messages, Attach Files"


async def test_before_the_first_sync_and_the_first_server(discord: LittleDiscord, tmp_path: Path) -> None:
    discord.api.commands = {}
    status, (_, _, commands, servers) = await checked(discord, tmp_path)
    assert status == 1
    assert commands == "bad   commands  none are registered; run: fracas sync"
    assert servers == "note  servers   the bot is in none yet: README, Going live on Discord"


async def test_a_token_that_is_refused(discord: LittleDiscord, tmp_path: Path) -> None:
    with discord.api.faults.add(Fault("GET", "/users/@me", times=None, status=401)):
        status, lines = await checked(discord, tmp_path)
        assert (status, lines) == (1, ["bad   token     Discord refused the token; check DISCORD_TOKEN."])
        for arguments in ([], ["sync"], ["--sync", "123"]):
            (tmp_path / "err").unlink()
            command = await run_command(discord, tmp_path, *arguments)
            assert await command.ended() == 1
            assert "fracas: Discord refused the token; check DISCORD_TOKEN.\n" in command.err
            assert TOKEN not in command.err


async def test_sync_while_discord_is_out_of_reach(discord: LittleDiscord, tmp_path: Path) -> None:
    async with discord.unreachable():
        command = await run_command(discord, tmp_path, "sync")
    assert await command.ended() == 1
    assert "fracas: Discord can't be reached: " in command.err


COUNT = len(Games.discover().emojis)


async def synced(discord: LittleDiscord, folder: Path, command: str = "sync") -> tuple[int, str]:
    """Return how many requests have changed emojis, and what the command says of them."""
    before = len(discord.api.requests)
    process = await run_command(discord, folder, command)
    asked = [seen for seen in discord.api.requests[before:] if seen.path.endswith("/commands") and seen.method == "PUT"]
    assert len(asked) == (command == "sync"), "commands are registered whatever becomes of emojis"
    changes = [seen for seen in discord.api.requests[before:] if "/emojis" in seen.path and seen.method != "GET"]
    *_, line = [line for line in process.out.splitlines() if "emojis" in line]  # earlier ones are of earlier runs
    return len(changes), line


async def test_sync_uploads_what_is_missing_and_replaces_what_has_changed(
    discord: LittleDiscord, tmp_path: Path
) -> None:
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


async def test_a_refusal_is_a_sentence_and_the_next_run_goes_on(discord: LittleDiscord, tmp_path: Path) -> None:
    emojis = discord.api.emojis
    taken = next(f"{name}_{sticker.edition}" for name, sticker in Games.discover().emojis.items())
    others = [emojis.add(name, User("a member of the team")) for name in (taken, "mascot")]
    emojis.most = 5
    changes, line = await synced(discord, tmp_path)
    assert changes == 5
    assert line.startswith(f"{COUNT} emojis: 3 uploaded, then it failed (the application has as many as Discord takes")
    (uploaded, *_) = (emoji for emoji in emojis.all.values() if emoji not in others)
    older = emojis.add(f"{uploaded['name'].rpartition('_')[0]}_ffff", discord.api.app)
    changes, line = await synced(discord, tmp_path)
    assert line.startswith(f"{COUNT} emojis: 1 replaced, then it failed (the application has as many")
    assert older not in emojis.all.values()
    assert len(emojis.all) == 5, "all others stay"
    emojis.most = 2000
    changes, line = await synced(discord, tmp_path)
    assert line.startswith(f"{COUNT} emojis: {COUNT - 4} uploaded, then it failed ({taken}: 400 Bad Request")
    emojis.all.pop(int(others[0]["id"]))
    assert await synced(discord, tmp_path) == (1, f"{COUNT} emojis: 1 uploaded.")


async def test_a_bot_shows_them_with_the_words_beside(bots: Bots, discord: LittleDiscord, tmp_path: Path) -> None:
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


async def test_a_bot_that_can_not_read_them_does_without(bots: Bots, discord: LittleDiscord, tmp_path: Path) -> None:
    await synced(discord, tmp_path)
    with discord.api.faults.add(Fault("GET", r"/applications/\d+/emojis", times=9, status=403)):
        live = await bots.start(discord)
        text = (await live.ann.slash("aacalc", battle="6 tanks vs 10 inf")).text
    assert "**6 tanks** vs 🛡️ **10 infantry**" in text
    assert live.bot.events("emojis_not_read")
    assert {event["event"] for event in live.new_trouble} <= {"emojis_not_read"}
