"""`/mka new`: a war on a map in the channel; who plays, how it begins, goes on, ends, and is looked at afterwards."""

import re

import pytest
from simcord import ResponseMessage

from bot.battles.maintenance import MaintenanceTasks
from bot.games.mad_killer_agents.render import war_content
from bot.store.battles.panels import PanelRepository
from bot.store.battles.repository import BattleRepository
from sim.core.battle import REFEREE
from sim.core.session import Session
from sim.mad_killer_agents.battle import MapWar
from sim.mad_killer_agents.battle.values import Begin, EndTurn, seat_of
from tests.bot.battles.fights import end, stored, stranger, undo
from tests.bot.conftest import Table, answer, buttons_of, expect_in, files_of, form_values, text_of
from tests.bot.games.mad_killer_agents.wars import (
    add_ai,
    begin_game,
    enabled_label,
    file,
    join,
    open_game,
    orders,
    press_turn,
    state_of,
    turn_message,
)
from tests.sim.mad_killer_agents.builders import setup

pytestmark = pytest.mark.usefixtures("fixed_dice")


def picture_of(message: ResponseMessage) -> str | None:
    """Return the name of the picture that a message shows."""
    return next((attachment.filename for attachment in message.attachments), None)


async def test_people_sit_down_add_ais_and_begin(table: Table) -> None:
    panel = await open_game(table, map=None, size="16x10", rounds=30, turn_time=5)
    assert text_of(panel).startswith(
        "### #1 Mad Killer Agents: who plays?\n🗺️ 16 x 10 tiles, mountains, drawn when it begins\n"
        "⏱️ 30 rounds, 5 minutes a turn\n🏆 **Win:** have the most points after 30 rounds, or be the last one left."
    )
    assert "\n-# It can begin with 2 more players, people or AIs." in text_of(panel)
    assert buttons_of(panel) == ["Join", "Add an AI", "How it works"]
    await join(table, panel, table.ann)
    await join(table, panel, table.ben, "Ben the Bold")
    await add_ai(table, panel, "pillager")
    text = text_of(panel)
    expect_in(text, f"🟠 **ann** <@{table.ann.id}>", f"🔵 **Ben the Bold** <@{table.ben.id}>", "🟢 **Pillager** 🤖")
    assert buttons_of(panel) == ["Join", "Leave", "Add an AI", "Remove an AI", "Begin", "How it works"]
    await table.press(panel, "Begin", by=table.ben)
    state = await state_of(table)
    assert state.world is not None
    assert (state.world.width, state.world.height, state.round, state.turn) == (16, 10, 1, 1)
    assert text_of(panel).startswith("### #1 Mad Killer Agents: round 1 of 30, 🟠 ann's turn\n▶️ 🟠 **ann** ")
    assert buttons_of(panel) == ["Your turn", "Your place", "Map", "How it works"]
    assert picture_of(panel) == "map.png"
    alt = next(iter(panel.attachments)).description
    assert alt is None or "16 x 10" in alt


async def test_somebody_sits_down_once_under_a_name_of_their_own(table: Table) -> None:
    panel = await open_game(table)
    await join(table, panel, table.ann, "Zoe")
    again = await table.press(panel, "Join", by=table.ann)
    assert text_of(answer(again)) == "⚠️ You are already in this battle."
    (reply,) = (await join(table, panel, table.ben, "ZOE")).followups
    assert "Somebody is already called ZOE." in text_of(reply)
    form = await table.press(reply, "Fix it", by=table.ben)
    assert form_values(form) == {"name": "ZOE"}
    await table.ben.submit_modal(form, {"name": ""})
    assert [player.name for player in (await state_of(table)).players] == ["Zoe", "Player 2"]
    for name in ("\u202e\u202e", "_*_"):
        zoe = stranger(table)
        (reply,) = (await join(table, panel, zoe, name)).followups
        assert text_of(reply).startswith("⚠️ A name ")


async def test_names_are_names_wherever_they_are_shown(table: Table) -> None:
    panel = await open_game(table)
    await join(table, panel, table.ann, "**@everyone** _x_")
    await join(table, panel, table.ben, "[a](b.cd) <@1>")
    await table.press(panel, "Begin")
    for shown_text in (text_of(panel), text_of(await turn_message(table, panel))):
        assert "\\*\\*\\@everyone" in shown_text
        assert "<@1>" not in shown_text


async def test_who_leaves_can_come_back_and_an_ai_is_sent_away(table: Table) -> None:
    panel = await open_game(table)
    for who in (table.ann, table.ben):
        await join(table, panel, who)
    await add_ai(table, panel, "marshal")
    await table.press(panel, "Leave", by=table.ben)
    assert (await stored(table)).seats_of(table.ben.id) == ()
    (reply,) = (await table.press(panel, "Leave", by=table.ben)).followups
    assert text_of(reply).startswith("⚠️ Only player 1 (<@")
    await table.fill(panel, "Remove an AI", {"number": ["3"]})
    await join(table, panel, table.ben)
    assert [player.name for player in (await state_of(table)).players] == ["ann", "ben"]
    assert (await stored(table)).seats_of(table.ben.id) == ("player-2",)


async def test_a_step_back_brings_those_who_left_back(table: Table) -> None:
    panel = await open_game(table)
    await join(table, panel, table.ann)
    await table.press(panel, "Leave")
    assert (await stored(table)).seats_of(table.ann.id) == ()
    await undo(table, by=stranger(table, manage_messages=True))
    assert (await stored(table)).seats_of(table.ann.id) == ("player-1",)
    assert "🟠 **ann** <@" in text_of(panel)


async def test_who_opened_the_game_does_not_take_back_what_others_did(table: Table) -> None:
    await begin_game(table)
    await orders(table, "end", table.ann)
    await orders(table, "H4 found; end", table.ben)
    expect_in(text_of(await table.run("battle undo")), "⚠️ Only the player who made the last step")


async def test_a_game_on_a_map_from_a_file_or_a_seed(table: Table) -> None:
    panel = await open_game(table)
    assert "🗺️ 8 x 8 tiles\n" in text_of(panel)
    assert picture_of(panel) == "map.png"
    starting_board = await table.run("mka map", size="12x9", kind="plateaus", without=4, seed=7)
    files = await files_of(await table.pressed(starting_board, "Files"))
    await open_game(table, map=None, size="12x9", kind="plateaus", without=4, seed=7)
    await open_game(table, map=file(files["map.csv"]))
    seeded, read = await state_of(table, 2), await state_of(table, 3)
    assert seeded.setup.terrain is not None
    assert seeded.setup.terrain == read.setup.terrain
    await table.ann.slash(table.channel, "roster save", name="My land", kind="mka", file=file(files["map.csv"]))
    await open_game(table, map=None, map_saved="My land")
    assert (await state_of(table, 4)).setup.terrain == read.setup.terrain


async def test_what_is_no_map_is_refused_with_all_that_is_wrong(table: Table) -> None:
    (reply,) = (await table.ann.slash(table.channel, "mka new", map=file("1,2\n3,x\n"))).followups
    assert "A map has 8 to 40 tiles each way" in text_of(reply).replace("\\", "")
    assert "is no tile value from 1 to 6." in text_of(reply).replace("\\", "")
    for options, sentence in (
        ({"size": "7x90"}, "Size: a map has 8 to 40 tiles each way, not 7 x 90."),
        ({"size": "２0x20"}, "Size: write columns x rows, such as 20x16, not ２0x20."),
        ({"without": 3}, "Without: only plateaus leave a value out."),
    ):
        assert text_of(await table.run("mka new", **options)) == f"⚠️ {sentence}"
    assert await table.bot.services[BattleRepository].open_in(table.channel.id) == []


async def test_a_whole_small_game_of_two_people_and_an_ai_by_buttons(table: Table) -> None:
    """Everybody founds, grows and waits: after the last round the best score wins; the journal tells it all."""
    panel = await begin_game(table, "random", map=None, size="8x8", seed=5, rounds=3)
    for turn in range(6):
        who = (table.ann, table.ben)[turn % 2]
        message = await turn_message(table, panel, who)
        if turn < 2:
            await press_turn(table, message, "found", who)
        elif enabled_label(message, "grow") is not None:
            await press_turn(table, message, "grow", who)
        else:
            await press_turn(table, message, "pass", who)
        await table.press(message, "End turn", by=who)
        assert text_of(message).startswith("### 🏁 Your turn is over")
    assert (await stored(table)).status == "finished"
    assert " after 3 rounds" in text_of(panel).splitlines()[0]
    assert buttons_of(panel) == ["Film", "Map"]
    assert text_of(await table.run("battle verify")).startswith("### ✅ Match: #1, ")
    log = await table.ann.slash(table.channel, "battle log")
    assert "founds the city ann 1 at " in text_of(answer(log)).replace("\\", "")
    files = await table.files(log)
    assert list(files) == ["battle-1.txt", "map.csv", "board.csv", "film.gif", "battle-1.jsonl"]
    assert files["film.gif"].startswith(b"GIF89a")
    assert files["board.csv"].decode("utf-8-sig").startswith("tile,value,owner,army,units,city,size")
    assert b"founds the city ben 1 at" in files["battle-1.txt"]
    assert text_of(await table.run("mka map", file=file(files["map.csv"]))).startswith("### 🗺️ map\\.csv")


async def test_a_game_that_goes_on_has_its_files_and_its_film_so_far(table: Table) -> None:
    panel = await open_game(table)
    for who in (table.ann, table.ben):
        await join(table, panel, who)
    log = await table.ann.slash(table.channel, "battle log")
    assert list(await table.files(log)) == ["battle-1.txt", "map.csv", "battle-1.jsonl"]
    await table.press(panel, "Begin")
    files = await table.files(await table.ann.slash(table.channel, "battle log"))
    assert list(files) == ["battle-1.txt", "map.csv", "board.csv", "film.gif", "battle-1.jsonl"]
    assert files["film.gif"].startswith(b"GIF89a")


async def test_a_war_of_ais_is_played_in_one_go(table: Table) -> None:
    panel = await open_game(table, rounds=4)
    for kind in ("marshal", "pillager"):
        await add_ai(table, panel, kind)
    await table.press(panel, "Begin")
    while "Let the AIs play on" in buttons_of(panel):
        await table.press(panel, "Let the AIs play on", by=stranger(table))
    assert not (await stored(table)).is_open
    assert re.search(r": (🏆|🤝) .+ after 4 rounds\n", text_of(panel))


async def test_ais_that_pause_go_on_at_a_press_or_by_themselves(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sim.mad_killer_agents.battle.runner.MAX_AI_TURNS", 3)
    panel = await open_game(table, rounds=20)
    for _ in range(2):
        await add_ai(table, panel)
    await table.press(panel, "Begin")
    assert buttons_of(panel) == ["Let the AIs play on", "Map", "How it works"]
    before = await state_of(table)
    await table.press(panel, "Let the AIs play on", by=stranger(table))
    after = await state_of(table)
    assert (after.round, after.turn) > (before.round, before.turn)
    table.clock.now += 60
    await table.bot.services[MaintenanceTasks].tick()
    assert (await state_of(table)).round > after.round


async def test_a_barbarian_needs_more_than_one_enemy(table: Table) -> None:
    panel = await open_game(table)
    await join(table, panel, table.ann)
    await add_ai(table, panel, "barbarian")
    (reply,) = (await table.press(panel, "Begin")).followups
    expect_in(text_of(reply), "⚠️", "barbarian", "more than 2 players")


async def test_a_step_is_taken_back_by_agreement(table: Table) -> None:
    panel = await begin_game(table)
    await orders(table, "A2-B3 12; end", table.ann)
    assert (await state_of(table)).turn == 2
    await table.ann.slash(table.channel, "battle undo")
    await table.press(panel, "Agree", by=table.ben)
    state = await state_of(table)
    assert (state.turn, state.orders) == (1, ())
    assert text_of(await table.run("battle verify")).startswith("### ✅ Match")
    message = await turn_message(table, panel)
    assert "**A2**: 20 units on tile value (TV) 1, 1 movement point (MP) left" in text_of(message)


async def test_everything_works_after_a_restart(table: Table) -> None:
    panel = await open_game(table)
    form = await table.press(panel, "Join")
    await table.restart()
    await table.ann.submit_modal(form, {"name": "ann"})
    await join(table, panel, table.ben)
    await table.press(panel, "Begin")
    message = await turn_message(table, panel)
    await table.restart()
    await press_turn(table, message, "go-se")
    assert "**B3**: 20 units on tile value (TV) 1, ½ movement point (MP) left" in text_of(message)
    army = await table.press(message, "Other …")
    await table.restart()
    await table.ann.submit_modal(army, {"place": "B3", "units": "7"})
    await press_turn(table, message, "go-e")
    assert "Your turn" in buttons_of(panel)
    await table.press(message, "End turn")
    assert (await state_of(table)).turn == 2


async def test_a_game_is_ended_and_listed_like_every_battle(table: Table) -> None:
    panel = await begin_game(table)
    assert "**#1 Mad Killer Agents, at round 1 of 100, ann's turn**" in text_of(await table.run("battle list"))
    await end(table)
    assert text_of(panel).startswith("### #1 Mad Killer Agents: ended, round 1 of 100")
    assert buttons_of(panel) == ["Film", "Map"]
    expect_in(text_of(answer(await orders(table, "A2 found", table.ann))), "⚠️ No battle is open", "number")


async def test_who_is_forgotten_leaves_a_free_place_that_the_clock_plays(table: Table) -> None:
    panel = await begin_game(table, turn_time=5)
    await table.surely("privacy delete")
    assert "🟠 **ann** *free*" in text_of(panel)
    table.clock.now += 301
    await table.bot.services[MaintenanceTasks].tick()
    assert (await state_of(table)).turn == 2


async def test_a_game_without_room_for_its_players_is_refused(table: Table) -> None:
    rows = [["6"] * 8 for _ in range(8)]
    rows[0][0] = "1"
    panel = await open_game(table, map=file("\n".join(",".join(row) for row in rows)))
    for who in (table.ann, table.ben):
        await join(table, panel, who)
    (reply,) = (await table.press(panel, "Begin")).followups
    assert text_of(reply).startswith("⚠️ ")
    assert (await state_of(table)).world is None


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


async def test_orders_show_their_lines_and_the_panel_where_the_bot_is_no_member(table: Table) -> None:
    await begin_game(table)
    table.env.inject_error("*", "/channels/*", status=403, code=50001, times=None)
    result = await orders(table, "A2 found", table.ann)
    text = text_of(answer(result))
    assert text.startswith("✅ Done. #1 is at round 1 of 100")
    assert "found" in text
    (panel,) = result.followups
    assert text_of(panel).startswith("### #1 Mad Killer Agents: round 1")
    assert await table.bot.services[PanelRepository].pending() == []
