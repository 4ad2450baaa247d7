"""What a war's panel opens: a turn by buttons and by orders as text, the rules, the map in parts, the film."""

from typing import Any

import pytest
from simcord import ResponseMessage

from bot.games.mad_killer_agents.render import RULES, short_rules
from bot.games.mad_killer_agents.turn_view import Selection, TurnMessage
from bot.ui import utf16_length
from sim.mad_killer_agents.battle import Setup, State
from sim.mad_killer_agents.battle.board import board_of
from sim.mad_killer_agents.battle.order_input import ArmyOptions, army_options
from sim.mad_killer_agents.requests import FilmRequest, OptionsRequest, WarCardRequest
from sim.workers.queue import BusyError, Scope, Wait
from tests.bot.battles.fights import click_seen, end, press_forged, press_seen, seen, stored, stranger
from tests.bot.conftest import Table, alt_of, answer, button, buttons_of, files_of, said, text_of
from tests.bot.games.mad_killer_agents import wars as w
from tests.bot.payloads import SELECT, components

pytestmark = pytest.mark.usefixtures("war_dice")


def armies(state: State, player: int = 1) -> dict[int, tuple[int, int]]:
    """Return units and halves of movement points by tile."""
    assert state.world is not None
    return {tile: (units, mp) for tile, owner, units, mp in state.world.armies if owner == player}


async def test_only_the_player_on_turn_gives_orders(table: Table) -> None:
    panel = await w.begin_game(table)
    message = await w.turn_message(table, panel)
    for who in (table.ben, stranger(table)):
        refused = await table.pressed(panel, "Your turn", by=who)
        assert refused.ephemeral
        assert text_of(refused) == "⚠️ It's ann's turn."
        assert text_of(answer(await w.orders(table, "end", who))).startswith("⚠️ It's <@")
        forged = w.handle(message, "end-turn")["custom_id"]
        (result,) = await click_seen(table, seen(table, message), (who, forged))
        assert text_of(answer(result)) == "⚠️ It's ann's turn."
    assert (await w.state_of(table)).turn == 1
    await table.press(message, "End turn")
    late = answer(
        await w.press_turn(table, message, "go-n") if buttons_of(message) else await table.press(panel, "Your turn")
    )
    assert text_of(late) == "⚠️ It's ben's turn."


async def test_presses_that_no_button_has_are_refused(table: Table) -> None:
    """Ids are the player's to forge: the rules look at every one."""
    message = await w.turn_message(table, await w.begin_game(table))
    battle = await stored(table)
    before = armies(await w.state_of(table))
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
        told = await press_forged(table, message, forged)
        assert "⚠️ " in text_of(told.followups[-1] if told.followups else message), forged
        assert armies(await w.state_of(table)) == before, forged


async def test_a_private_message_that_was_dismissed_keeps_nothing_from_being_done(table: Table) -> None:
    panel = await w.begin_game(table)
    message = await w.turn_message(table, panel)
    table.env.inject_error("PATCH", "/webhooks/*/messages/@original", status=404, code=10008, times=1)
    await w.press_turn(table, message, "go-s")
    assert armies(await w.state_of(table)) == {16: (20, 1)}
    assert "ann: 20 move A2-A3." in said(panel)


async def test_what_was_done_is_told_when_the_bot_is_too_busy_to_say_what_can_be_done(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    message = await w.turn_message(table, await w.begin_game(table))
    look = OptionsRequest.run

    def busy(job: OptionsRequest) -> ArmyOptions:
        if job.at == 17:
            raise BusyError(Scope.TOTAL, Wait(1, 1))
        return look(job)

    monkeypatch.setattr(OptionsRequest, "run", busy)
    await w.press_turn(table, message, "go-se")
    assert "ann: 20 move A2-B3." in said(message)
    assert "⚠️ " in text_of(message)
    assert buttons_of(message) == ["Undo", "Map", "End turn"]


async def test_more_armies_than_a_list_holds(table: Table) -> None:
    """The selected one and those that can still move are listed; the form finds the others."""
    await w.begin_game(table)
    state = await w.state_of(table)
    assert state.world is not None
    many = tuple((tile, 1, 5, 2 * (tile >= 10)) for tile in range(40))
    crowded = state.model_copy(update={"world": state.world.model_copy(update={"armies": many})})
    selection = Selection(1, 1, at=3)
    laid_out: Any = TurnMessage(1, crowded, board_of(crowded), selection, army_options(crowded, 3)).view()
    nodes = list(components(laid_out.to_components()))
    chooser, _ = [node for node in nodes if node["type"] == SELECT]
    assert [int(option["value"]) for option in chooser["options"]] == [3, *range(10, 34)]
    assert len(nodes) <= 40


async def test_the_page_of_rules_opens_in_private_at_any_time(table: Table) -> None:
    panel = await w.open_game(table)
    first = seen(table, panel)
    assert sum(map(utf16_length, RULES)) < 4000
    assert "be the last one left. Points" in short_rules(Setup(rounds=None))[0]
    rules = button(panel, "How it works")
    await w.add_ai(table, panel)
    await w.add_ai(table, panel)
    await table.press(panel, "Begin")
    await end(table)
    await table.restart()
    for custom_id in (rules, "k0:999:rules"):
        late = await press_forged(table, first, custom_id)
        assert text_of(answer(late)).startswith("### How a war works\n"), custom_id


async def test_the_map_in_parts(table: Table) -> None:
    """Strangers have no army to look at; no part is shown that the list doesn't have, and none before the beginning."""
    panel = await w.open_game(table, map=None, size="24x16", seed=5)
    reply = await press_forged(table, panel, button(panel, "How it works").replace("rules", "map"))
    assert text_of(answer(reply)) == "⚠️ #1 hasn't begun yet."
    await w.join(table, panel, table.ben)
    await table.press(panel, "Begin")
    opened = await table.pressed(panel, "Map")
    assert opened.ephemeral
    (chooser,) = [node for node in components(opened.components) if node["type"] == SELECT]
    assert [option["value"] for option in chooser["options"]] == ["army", "front", "all", *"012345"]
    await table.restart()
    await table.ann.select(opened, ["5"], custom_id=chooser["custom_id"])
    assert alt_of(opened).startswith("The tiles Q9 to X16 in round 1.")
    for value in ("", "moon", "-1", "6", "99", "\u0665"):
        result = press_seen(table, seen(table, opened), table.ann, chooser["custom_id"], chosen=value)
        await table.env.settle()
        assert text_of(answer(result)).startswith("⚠️ "), text_of(answer(result))
    assert "My strongest army" not in str((await table.pressed(panel, "Map", by=stranger(table))).components)


async def finished(table: Table) -> ResponseMessage:
    """Play a war of two rounds, which Ben wins: he founds a city, and Ann pays 10 for a tile."""
    panel = await w.begin_game(table, rounds=2)
    await w.orders(table, "A2 raise; end", table.ann)
    await w.orders(table, "H4 found; end", table.ben)
    await w.orders(table, "end", table.ann)
    await w.orders(table, "end", table.ben)
    return panel


async def test_without_a_worker_the_map_stands_for_the_card_and_the_film_is_refused(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    def busy(_request: object) -> None:
        raise BusyError(Scope.TOTAL, Wait(1, 1))

    monkeypatch.setattr(WarCardRequest, "run", busy)
    monkeypatch.setattr(FilmRequest, "run", busy)
    panel = await finished(table)
    assert list(await files_of(panel)) == ["map.png"]
    reply = (await table.press(await table.pressed(panel, "More"), "Film")).followups[-1]
    assert reply.ephemeral
    assert text_of(reply).startswith("⚠️ Too many calculations")
