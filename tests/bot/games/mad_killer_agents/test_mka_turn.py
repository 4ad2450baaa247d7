"""A turn of Mad Killer Agents by buttons in the private message, and by orders as text."""

from typing import Any

import pytest
from simcord import ResponseMessage

from bot.games.mad_killer_agents.turn_view import Selection, turn_view
from sim.mad_killer_agents.battle.options import ArmyOptions, army_options, board_of
from sim.mad_killer_agents.battle.values import State
from sim.mad_killer_agents.cards.map import around
from sim.mad_killer_agents.requests import OptionsRequest
from sim.workers import BusyError, Scope, Wait
from tests.bot.battles.fights import click_seen, press_seen, seen, stored, stranger
from tests.bot.conftest import Table, answer, buttons_of, expect_in, form_values, text_of
from tests.bot.games.mad_killer_agents.wars import (
    begin_game,
    choose,
    enabled_label,
    file,
    order,
    orders,
    press_turn,
    state_of,
    turn_message,
)
from tests.bot.payloads import SELECT, components

pytestmark = pytest.mark.usefixtures("fixed_dice")

HILLY = "\n".join(["1,3,1,1,1,1,1,1", "1,5,1,1,1,1,1,1", *[",".join("1" * 8)] * 6])
"""Around A2, where Ann begins: A1 1, B1 3, B2 5, A3 and B3 1."""
HIGH = "\n".join([",".join("5" * 8)] * 8)
_GALLERY = 12


def armies(state: State, player: int = 1) -> dict[int, tuple[int, int]]:
    """Return units and halves of movement points by tile."""
    assert state.world is not None
    return {tile: (units, mp) for tile, owner, units, mp in state.world.armies if owner == player}


def picture_of(message: ResponseMessage) -> str:
    """Return what the message's one picture shows, in words."""
    (found,) = [node["items"] for node in components(message.components) if node["type"] == _GALLERY]
    (picture,) = found
    assert picture["media"]["url"].endswith("map.png"), picture
    assert [attachment.filename for attachment in message.attachments] == ["map.png"]
    return str(picture["description"])


async def approach(table: Table) -> tuple[ResponseMessage, ResponseMessage]:
    """Let both armies come near on the flat map: Ann's 20 on D2, Ben's 26 on E3; return the panel and Ann's message."""
    panel = await begin_game(table)
    await orders(table, "A2-B2-C2; end", table.ann)
    await orders(table, "H4-G4-F4; end", table.ben)
    await orders(table, "C2-D2; end", table.ann)
    await orders(table, "F4-E3; end", table.ben)
    return panel, await turn_message(table, panel)


async def test_the_private_message_tells_how_it_stands_and_lights_what_is_legal(table: Table) -> None:
    panel = await begin_game(table, map=file(HILLY))
    message = await turn_message(table, panel)
    expect_in(
        text_of(message),
        "#1 round 1 of 100: your turn",
        "20 units in 1 army",
        "1 army can still move.",
        "**A2**: 20 units on tile value (TV) 1, 1 movement point (MP) left",
        "all 20",
    )
    labels = {
        direction: enabled_label(message, f"go-{direction}")
        for direction in ("nw", "n", "ne", "w", "e", "sw", "s", "se")
    }
    assert labels == {
        "nw": None,
        "n": "A1 ½ MP",
        "ne": "B1 1 MP",
        "w": None,
        "e": "B2 1 MP",
        "sw": None,
        "s": "A3 ½ MP",
        "se": "B3 ½ MP",
    }
    works = {name: enabled_label(message, name) for name in ("found", "grow", "lower", "raise", "tech", "pass")}
    assert works == {
        "found": "Found a city: costs all 20 units, makes +6 a turn",
        "grow": None,
        "lower": None,
        "raise": "Raise the tile to 2: costs 10 units, 1 MP",
        "tech": None,
        "pass": "Stay",
    }
    assert (enabled_label(message, "undo"), enabled_label(message, "end-turn")) == (None, "End turn")
    (chooser,) = [node for node in components(message.components) if node["type"] == SELECT]
    assert [(option["label"], option["description"]) for option in chooser["options"]] == [
        ("A2: 20 units", "1 MP, TV 1")
    ]


async def test_the_private_message_shows_the_map_around_the_army(table: Table) -> None:
    panel = await begin_game(table, map=None, size="20x20", seed=5)
    message = await turn_message(table, panel)
    state = await state_of(table)
    (tile,) = armies(state)
    around_it = around(board_of(state), tile)
    assert (around_it.columns, around_it.rows) == (9, 7)
    assert f"The tiles {around_it.name(20)} in round 1." in picture_of(message)
    await press_turn(table, message, "half")
    assert f"The tiles {around_it.name(20)}" in picture_of(message)
    await press_turn(table, message, "found")
    assert "The tiles " in picture_of(message)
    await table.press(message, "End turn")
    assert not message.attachments, "the turn is over, and its picture gone"


async def test_costs_are_told_before_they_are_paid(table: Table) -> None:
    """The city of size 2 has TV 5 and, of its neighbors, 5 and 5: it makes 15 a turn."""
    panel = await begin_game(table, map=file(HIGH))
    message = await turn_message(table, panel)
    assert enabled_label(message, "found") == "Found a city: costs all 20 units, makes +10 a turn"
    assert enabled_label(message, "lower") == "Lower the tile to 4: costs 5 units, 1 MP"
    await press_turn(table, message, "found")
    await press_turn(table, message, "end-turn")
    await orders(table, "end", table.ben)
    message = await turn_message(table, panel)
    assert enabled_label(message, "grow") == "Grow the city to 2: costs all 10 units, makes +5 a turn"
    assert enabled_label(message, "tech") is None
    for _ in range(2):
        await orders(table, "end", table.ann)
        await orders(table, "end", table.ben)
    message = await turn_message(table, panel)
    assert enabled_label(message, "tech") == "Discover: costs all 30 units"
    await press_turn(table, message, "tech")
    (chooser,) = [node for node in components(message.components) if node["type"] == SELECT]
    assert chooser["options"][0]["description"] == "TV 2 costs ½ MP to enter"
    await press_turn(table, message, "back")
    await orders(table, "A2-A3 21", table.ann)
    message = await turn_message(table, panel)
    await choose(table, message, "k2", "8")
    assert enabled_label(message, "grow") is None
    assert "-# Growing from 1 to 2 takes 10 units; the army on A2 has 9." in text_of(message)


async def test_moving_splitting_and_taking_back(table: Table) -> None:
    panel = await begin_game(table)
    message = await turn_message(table, panel)
    await press_turn(table, message, "half")
    assert "sends **10 of 20**" in text_of(message)
    await press_turn(table, message, "go-se")
    assert armies(await state_of(table)) == {8: (10, 2), 17: (10, 1)}
    assert "**B3**: 10 units on tile value (TV) 1, ½ movement point (MP) left" in text_of(message), (
        "the army that moved is selected"
    )
    assert "ann: 10 move A2-B3." in text_of(message).replace("\\", "")
    assert "ann: 10 move A2-B3." in text_of(panel).replace("\\", "")
    await press_turn(table, message, "go-e")
    assert "**A2**: 10 units on tile value (TV) 1, 1 movement point (MP)" in text_of(message), (
        "the next one that can move"
    )
    await choose(table, message, "k2", "18")
    assert "**C3**: 10 units on tile value (TV) 1, no movement points (MP)" in text_of(message)
    await press_turn(table, message, "undo")
    assert armies(await state_of(table)) == {8: (10, 2), 17: (10, 1)}
    await press_turn(table, message, "undo-turn")
    assert armies(await state_of(table)) == {8: (20, 2)}
    assert "**A2**: 20 units on tile value (TV) 1, 1 movement point (MP)" in text_of(message)


async def test_an_army_and_its_part_by_a_form(table: Table) -> None:
    panel = await begin_game(table)
    message = await turn_message(table, panel)
    form = await press_turn(table, message, "form")
    assert form_values(form) == {"place": "A2", "units": ""}
    for values, sentence in (
        ({"place": "H8", "units": ""}, "You have no army on H8."),
        ({"place": "Z99", "units": ""}, "Z99 is not on the map, which goes from A1 to H8."),
        ({"place": "A2", "units": "21"}, "The army on A2 has 20 units, not 21."),
        ({"place": "A2", "units": "１２"}, "How many units: '１２' is not a whole number."),
    ):
        (reply,) = (await table.ann.submit_modal(form, values)).followups
        assert text_of(reply) == f"⚠️ {sentence}"
        form = await table.press(reply, "Fix it")
        assert form_values(form) == values
    await table.ann.submit_modal(await press_turn(table, message, "form"), {"place": "a2", "units": "7"})
    assert "sends **7 of 20**" in text_of(message)
    await press_turn(table, message, "go-s")
    assert armies(await state_of(table)) == {8: (13, 2), 16: (7, 1)}


async def test_forced_marches(table: Table) -> None:
    """Onto TV 3 half a point is enough for 20% of the units."""
    panel = await begin_game(table, map=file(HILLY))
    message = await turn_message(table, panel)
    await press_turn(table, message, "pace")
    assert "🥾 An arrow sends **all 20**" in text_of(message)
    assert (enabled_label(message, "go-ne"), enabled_label(message, "go-n")) == ("B1 ½ MP, 4 lost", "A1 ½ MP")
    await press_turn(table, message, "go-ne")
    assert armies(await state_of(table)) == {1: (16, 1)}
    assert enabled_label(message, "go-sw") == "A2 ½ MP"


async def test_an_attack_is_shown_exactly_before_it_is_made(table: Table) -> None:
    _, message = await approach(table)
    assert enabled_label(message, "go-se") == "E3 vs 26"
    before = await stored(table)
    await press_turn(table, message, "go-se")
    text = text_of(message)
    assert text.startswith(
        "### D2 attacks ben on E3?\n"
        "⚔️ 20 units + 1 (tile value) = strength **21**\n"
        "🛡️ 26 units + 1 (tile value) = strength **27**\n"
    )
    expect_in(text, "**The attack fails, 6 defenders left**", "⚔️ loses **20** of 20\n🛡️ loses **20** of 26")
    assert (await stored(table)).version == before.version, "nothing happens before it is confirmed"
    assert buttons_of(message)[-1] == "Back"
    await press_turn(table, message, "back")
    assert "**D2**: 20 units" in text_of(message)
    await press_turn(table, message, "go-se")
    await press_turn(table, message, "hit-se")
    assert not (await stored(table)).is_open
    assert text_of(message).startswith("### 🏁 Your turn is over\n")


async def test_an_attack_in_the_best_parts(table: Table) -> None:
    """Each part has the bonus of a raised tile anew: 10 at once leave 15 of 26, in parts 9; 1 at first is too few."""
    panel, _ = await approach(table)
    await orders(table, "D2 raise; end", table.ann)
    await orders(table, "end", table.ben)
    message = await turn_message(table, panel)
    await press_turn(table, message, "go-se")
    text = text_of(message)
    assert "**The attack fails, 15 defenders left**" in text
    assert "✂️ **Better in parts:** 3 x 2 + 4 x 1\n10 lost, none left; 9 defenders left" in text
    await table.press(message, "In 7 parts")
    assert not (await stored(table)).is_open
    assert "🏆 🔵 ben wins after 4 rounds" in text_of(panel)
    files = await table.files(await table.ann.slash(table.channel, "battle log"))
    assert files["battle-1.txt"].count(b"ann attacks E3 from D2") == 7


async def test_works_and_technologies(table: Table) -> None:
    panel = await begin_game(table, map=file(HIGH))
    message = await turn_message(table, panel)
    await press_turn(table, message, "lower")
    state = await state_of(table)
    assert state.world is not None
    assert state.world.tiles[1][0] == "4"
    await press_turn(table, message, "undo")
    await press_turn(table, message, "found")
    assert "**ann**: no army, 🏠 +10 a turn\n1 order given. No army can move: end your turn." in text_of(message)
    assert buttons_of(message) == ["Undo", "Undo all", "Write orders …", "Map", "End turn"]
    await press_turn(table, message, "end-turn")
    for _ in range(3):
        await orders(table, "end", table.ben)
        await orders(table, "end", table.ann)
    await orders(table, "end", table.ben)
    message = await turn_message(table, panel)
    assert enabled_label(message, "grow") == "Grow the city to 2: costs 10 units, makes +5 a turn"
    await press_turn(table, message, "tech")
    assert text_of(message).startswith(
        "### What does the army on A2 discover?\nIt costs 30 units, and no MP; the next one costs more.\n- **Roads**: "
    )
    await choose(table, message, "k3", "granary")
    expect_in(text_of(message), "🔬 Granary", "+11 a turn")
    assert "ann discovers Granary for 30 units." in text_of(panel).replace("\\", "")
    await press_turn(table, message, "grow")
    assert "+16 a turn" in text_of(message)


async def test_orders_as_text_are_all_carried_out_or_none(table: Table) -> None:
    await begin_game(table)
    reply = answer(await orders(table, "A2-B3 12; B3 raise; A2 pass", table.ann))
    assert reply.ephemeral
    text = text_of(reply)
    assert text.startswith("⚠️ **I can't read this**\n```\nA2-B3 12; B3 raise; A2 pass\n          ^^^^^^^^\n```")
    assert "That takes 1 movement point;" in text
    assert armies(await state_of(table)) == {8: (20, 2)}
    form = await table.press(reply, "Fix it")
    assert form_values(form) == {"text": "A2-B3 12; B3 raise; A2 pass"}
    await table.ann.submit_modal(form, {"text": "A2-B3-C4 12; A2 pass; end"})
    state = await state_of(table)
    assert armies(state) == {8: (8, 0), 26: (12, 0)}
    assert state.turn == 2


async def test_what_orders_do_is_told(table: Table) -> None:
    await begin_game(table)
    text = text_of(answer(await orders(table, "A2-B3 12", table.ann))).replace("\\", "")
    expect_in(text, "✅ Done", "#1 is at round 1 of 100, ann's turn", "12 move A2-B3")


async def test_mistakes_in_orders_are_told_with_their_places(table: Table) -> None:
    await begin_game(table)
    for text, sentence in (
        ("A2 fuond", "'fuond' is not an order; use move, march, attack, found,"),
        ("A2-C9", "C9 is not on the map, which goes from A1 to H8."),
        ("end; A2 found", "Your turn has ended here: put 'end' last."),
        ("A2-B3 \u0661\u0662", "How many units? Write a whole number"),
        ("; ;", "Write at least one order, for example"),
        ("@everyone", "Name a tile here, such as C7"),
    ):
        reply = answer(await orders(table, text, table.ann))
        assert sentence in text_of(reply), text_of(reply)
    assert armies(await state_of(table)) == {8: (20, 2)}


async def test_orders_from_the_private_message(table: Table) -> None:
    panel = await begin_game(table)
    message = await turn_message(table, panel)
    await table.ann.submit_modal(await press_turn(table, message, "orders"), {"text": "A2-B3"})
    assert armies(await state_of(table)) == {17: (20, 1)}
    await press_turn(table, message, "go-e")
    assert "⚠️ The game has moved on; this is how it stands now. Nothing was done." in text_of(message)
    assert armies(await state_of(table)) == {17: (20, 1)}
    await press_turn(table, message, "go-e")
    assert armies(await state_of(table)) == {18: (20, 0)}


async def test_only_the_player_on_turn_gives_orders(table: Table) -> None:
    panel = await begin_game(table)
    message = await turn_message(table, panel)
    for who in (table.ben, stranger(table)):
        refused = await table.pressed(panel, "Your turn", by=who)
        assert refused.ephemeral
        assert text_of(refused) == "⚠️ It is ann's turn."
        assert text_of(answer(await orders(table, "end", who))).startswith("⚠️ Only player 1 (<@")
        forged = order(message, "end-turn")["custom_id"]
        (result,) = await click_seen(table, seen(table, message), (who, forged))
        assert text_of(answer(result)) == "⚠️ It is ann's turn."
    assert (await state_of(table)).turn == 1
    await table.press(message, "End turn")
    late = answer(
        await press_turn(table, message, "go-n") if buttons_of(message) else await table.press(panel, "Your turn")
    )
    assert text_of(late) == "⚠️ It is ben's turn."


async def test_presses_that_no_button_has_are_refused(table: Table) -> None:
    """Ids are the player's to forge: the rules look at every one."""
    panel = await begin_game(table)
    message = await turn_message(table, panel)
    battle = await stored(table)
    before = armies(await state_of(table))
    where = f"{battle.id}:{battle.version}"
    for forged in (
        f"k1:{where}:9999:0:s:go-n",
        f"k1:{where}:31:0:s:go-n",
        f"k1:{where}:8:999999999:s:go-n",
        f"k1:{where}:8:0:s:go-nw",
        f"k1:{where}:8:0:s:hit-n",
        f"k1:{where}:8:0:s:grow",
        f"k1:{where}:8:0:s:dance",
        f"k1:{where}:8:0:f:parts-s",
        f"k1:{where}:-1:0:s:found",
        f"k1:{battle.id}:999999:8:0:s:found",
    ):
        await click_seen(table, seen(table, message), (table.ann, forged))
        assert armies(await state_of(table)) == before, forged


async def test_two_presses_on_the_same_button_count_once(table: Table) -> None:
    panel = await begin_game(table)
    message = await turn_message(table, panel)
    kept = seen(table, message)
    half = order(message, "go-s")["custom_id"]
    await click_seen(table, kept, (table.ann, half), (table.ann, half))
    assert armies(await state_of(table)) == {16: (20, 1)}
    again = order(message, "go-s")["custom_id"]
    press_seen(table, seen(table, message), table.ann, again, twice=True)
    await table.env.settle()
    assert armies(await state_of(table)) == {24: (20, 0)}
    assert (await stored(table)).version == 5


async def test_a_private_message_that_was_dismissed_keeps_nothing_from_being_done(table: Table) -> None:
    panel = await begin_game(table)
    message = await turn_message(table, panel)
    table.env.inject_error("PATCH", "/webhooks/*/messages/@original", status=404, code=10008, times=1)
    await press_turn(table, message, "go-s")
    assert armies(await state_of(table)) == {16: (20, 1)}
    assert "ann: 20 move A2-A3." in text_of(panel).replace("\\", "")


async def test_what_was_done_is_told_when_the_bot_is_too_busy_to_say_what_can_be_done(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    panel = await begin_game(table)
    message = await turn_message(table, panel)
    look = OptionsRequest.run

    def busy(job: OptionsRequest) -> ArmyOptions:
        if job.at == 17:
            raise BusyError(Scope.TOTAL, Wait(1, 1))
        return look(job)

    monkeypatch.setattr(OptionsRequest, "run", busy)
    await press_turn(table, message, "go-se")
    assert "ann: 20 move A2-B3." in text_of(message).replace("\\", "")
    assert "⚠️ " in text_of(message)
    assert buttons_of(message) == ["Undo", "Undo all", "Write orders …", "Map", "End turn"]


async def test_a_private_message_of_an_older_turn_is_brought_up_to_date(table: Table) -> None:
    panel = await begin_game(table)
    message = await turn_message(table, panel)
    kept = seen(table, message)
    found = order(message, "found")["custom_id"]
    await orders(table, "end", table.ann)
    await orders(table, "end", table.ben)
    await click_seen(table, kept, (table.ann, found))
    assert armies(await state_of(table)) == {8: (20, 2)}
    expect_in(text_of(message), "round 2 of 100: your turn", "Nothing was done.")
    await press_turn(table, message, "found")
    assert armies(await state_of(table)) == {}


async def test_more_armies_than_a_list_holds(table: Table) -> None:
    """The selected one and those that can still move are listed; the form finds the others."""
    await begin_game(table)
    state = await state_of(table)
    assert state.world is not None
    many = tuple((tile, 1, 5, 2 * (tile >= 10)) for tile in range(40))
    crowded = state.model_copy(update={"world": state.world.model_copy(update={"armies": many})})
    selection = Selection(1, 1, at=3)
    laid_out: Any = turn_view(1, crowded, board_of(crowded), selection, army_options(crowded, 3))
    nodes = list(components(laid_out.to_components()))
    (chooser,) = [node for node in nodes if node["type"] == SELECT]
    assert [int(option["value"]) for option in chooser["options"]] == [3, *range(10, 34)]
    assert len(nodes) <= 40
