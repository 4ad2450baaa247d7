"""`/mka new`: a war in the channel: how it begins, goes on and ends; whose turn it is, and who plays instead."""

import re

import pytest

from bot.battles.maintenance import MaintenanceTasks
from bot.games.mad_killer_agents.render import war_content
from sim.core.battle import REFEREE
from sim.core.replay import Session
from sim.mad_killer_agents.battle import seat_of
from sim.mad_killer_agents.battle.rules import MapWar
from tests.bot.battles.fights import stranger
from tests.bot.conftest import Table, buttons_of, expect_in, files_of, text_of
from tests.bot.games.mad_killer_agents import wars as w
from tests.sim.mad_killer_agents.builders import Begin, EndTurn, setup

pytestmark = pytest.mark.usefixtures("war_dice")


async def test_names_are_names_wherever_they_are_shown(table: Table) -> None:
    panel = await w.open_game(table)
    await table.press(panel, "Leave")
    await w.join(table, panel, table.ann, "**@everyone** _x_")
    await w.join(table, panel, table.ben, "[a](b.cd) <@1>")
    await table.press(panel, "Begin")
    for shown_text in (text_of(panel), text_of(await w.turn_message(table, panel))):
        assert "\\*\\*\\@everyone" in shown_text
        assert "<@1>" not in shown_text


async def test_a_game_on_a_map_from_a_file_or_a_seed(table: Table) -> None:
    panel = await w.open_game(table)
    assert "🗺️ 8 x 8 tiles\n" in text_of(panel)
    starting_board = await table.run("mka map", size="12x9", kind="plateaus", without=4, seed=7)
    files = await files_of(await table.pressed(starting_board, "Files"))
    await w.open_game(table, map=None, size="12x9", kind="plateaus", without=4, seed=7)
    await w.open_game(table, map=w.file(files["map.csv"]))
    seeded, read = await w.state_of(table, 2), await w.state_of(table, 3)
    assert seeded.setup.terrain is not None
    assert seeded.setup.terrain == read.setup.terrain
    saved = await table.run("roster save", name="My land", kind="Mad Killer Agents map", file=w.file(files["map.csv"]))
    assert "12 x 9 tiles: " in text_of(saved)
    await w.open_game(table, map=None, map_saved="My land")
    assert (await w.state_of(table, 4)).setup.terrain == read.setup.terrain


async def test_ais_that_pause_go_on_at_a_press_or_by_themselves(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sim.mad_killer_agents.battle.runner.MAX_AI_TURNS", 3)
    panel = await w.open_game(table, rounds=20)
    await table.press(panel, "Leave")
    for _ in range(2):
        await w.add_ai(table, panel)
    await table.press(panel, "Begin")
    assert buttons_of(panel) == [
        *("Let the AIs play on", "Map", "Map as text", "How it works", "Take over from an AI"),
    ]
    before = await w.state_of(table)
    await table.press(panel, "Let the AIs play on", by=stranger(table))
    after = await w.state_of(table)
    assert (after.round, after.turn) > (before.round, before.turn)
    await w.turn_after(table, 60)
    assert (await w.state_of(table)).round > after.round


async def test_who_is_forgotten_leaves_a_free_place_that_the_clock_plays(table: Table) -> None:
    panel = await w.begin_game(table, turn_time=5)
    await table.surely("privacy delete")
    assert "🟠 **ann** *free*" in text_of(panel)
    assert await w.turn_after(table, 301) == 2


def panel_of(play: Session) -> str:
    """Return the state in a game's panel."""
    return war_content(play.state, {}, (), None).state


def test_the_panel_lists_the_players_in_the_order_of_play() -> None:
    play = Session(MapWar(), setup("Anna", "Ben", "Cem"), b"4")
    play.act(Begin(), REFEREE)
    names = [play.state.player(number).name for number in play.state.order]
    assert names != ["Anna", "Ben", "Cem"]
    assert re.findall(r"\*\*(\w+)\*\*", panel_of(play)) == names
    assert panel_of(play).startswith("▶️")


def test_the_panel_warns_before_quiet_rounds_end_the_game() -> None:
    play = Session(MapWar(), setup("Anna", "Ben", rounds=None), b"s")
    play.act(Begin(), REFEREE)
    for _ in range(60):
        assert "No attack" not in panel_of(play)
        play.act(EndTurn(), seat_of(play.state.turn))
    expect_in(panel_of(play), "-# No attack, new city or growth for 30 rounds; after 40 the most points win.")
    while play.outcome is None:
        play.act(EndTurn(), seat_of(play.state.turn))
    assert "No attack" not in panel_of(play)


def reminders(table: Table) -> list[str]:
    """Return the texts of the reminders that stand in the channel."""
    return [message.content for message in table.channel.history() if "your turn" in message.content]


def pings(table: Table) -> list[list[str]]:
    """Return whom each message of the bot pinged, those that pinged nobody left out."""
    found = [
        entry.json["allowed_mentions"].get("users", [])
        for entry in table.env.http_requests
        if isinstance(entry.json, dict) and "allowed_mentions" in entry.json
    ]
    return [[str(user) for user in users] for users in found if users]


async def test_the_player_on_turn_alone_is_reminded_by_one_small_message(table: Table) -> None:
    await w.begin_game(table, rounds=1)
    assert reminders(table) == [], "Ann began, she knows"
    await w.orders(table, "end", table.ann)
    assert (len(reminders(table)), pings(table)) == (1, [[str(table.ben.id)]])
    await w.orders(table, "H4-G4; end", table.ben)
    assert reminders(table) == [], "the game is over"


async def test_one_reminder_stands_whatever_becomes_of_it(table: Table) -> None:
    panel = await w.begin_game(table)
    table.env.inject_error("POST", "/channels/*/messages", status=403, code=50001, times=1)
    await w.orders(table, "end", table.ann)
    assert reminders(table) == [], "it couldn't be posted, which kept nothing from being done"
    assert text_of(panel).startswith("### #1 Mad Killer Agents: round 1 of 100, 🔵 ben")
    await w.orders(table, "end", table.ben)
    before = pings(table)
    await table.restart()
    await table.bot.services[MaintenanceTasks].catch_up()
    await table.ann.slash(table.channel, "battle show")
    assert pings(table) == before, "nobody is reminded twice"
    await w.orders(table, "end", table.ann)
    assert len(reminders(table)) == 1, "the older message is found and goes"
    (message,) = [message for message in table.channel.history() if "your turn" in message.content]
    table.env.backend.delete_message(table.channel.id, message.id)
    await w.orders(table, "end", table.ben)
    await w.orders(table, "end", table.ann)
    assert str(table.ben.id) in reminders(table)[0]
    await table.surely("privacy delete", by=table.ben)
    assert reminders(table) == [], "who is forgotten is mentioned no more"


async def test_neither_small_orders_nor_who_comes_back_make_a_turn_longer(table: Table) -> None:
    panel = await w.begin_game(table, turn_time=2)
    due = next(line for line in text_of(panel).splitlines() if "Time is up" in line)
    for text in ("A2-B2", "B2-C2"):
        table.clock.now += 50
        await w.orders(table, text, table.ann)
    await table.run("mka away", by=table.ben)
    await table.run("mka away", by=table.ben, back=True)
    assert due in text_of(panel)
    assert await w.turn_after(table, 19) == 1
    assert await w.turn_after(table, 2) == 2
    assert await w.turn_after(table, 119) == 2, "the next turn has its own time"


async def test_without_hurry_nobody_s_time_is_ever_up(table: Table) -> None:
    assert "⏰" not in text_of(await w.begin_game(table, turn_time=0))
    table.clock.pass_days(20)
    assert await w.turn_after(table, 0) == 1
