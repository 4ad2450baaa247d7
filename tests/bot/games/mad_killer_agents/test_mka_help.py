"""The rules, the map in parts, and how a war went: what the panel's other buttons open."""

import json
import re
from dataclasses import replace

import pytest
from simcord import ResponseMessage

from bot.games.mad_killer_agents.render import rules_page, short_rules
from bot.ui.text import utf16_length
from sim.mad_killer_agents.battle.values import Setup
from sim.mad_killer_agents.requests import FilmRequest, WarCardRequest
from sim.workers import BusyError, Scope, Wait
from tests.bot.battles.fights import Seen, click_seen, end, press_seen, seen, stored, stranger
from tests.bot.conftest import Table, answer, buttons_of, expect_in, files_of, text_of
from tests.bot.games.mad_killer_agents.wars import add_ai, begin_game, open_game, orders, turn_message
from tests.bot.payloads import BUTTON, SELECT, components

pytestmark = pytest.mark.usefixtures("fixed_dice")


def parts_of(message: ResponseMessage) -> dict[str, str]:
    """Return the parts of the map that can be chosen: labels by value."""
    (found,) = [node for node in components(message.components) if node["type"] == SELECT]
    return {option["value"]: option["label"] for option in found["options"]}


def id_of(message: ResponseMessage, label: str) -> str:
    """Return the id of a button."""
    return str(next(node["custom_id"] for node in components(message.components) if node.get("label") == label))


def forged(message: Seen, old: str, new: str) -> tuple[Seen, str]:
    """Put another id in place of one in a message; return the message and the id."""
    return replace(message, payload=json.loads(json.dumps(message.payload).replace(old, new))), new


async def choose_part(table: Table, message: ResponseMessage, value: str) -> None:
    (found,) = [node["custom_id"] for node in components(message.components) if node["type"] == SELECT]
    await table.ann.select(message, [value], custom_id=found)


def description_of(message: ResponseMessage) -> str:
    (gallery,) = [node["items"] for node in components(message.components) if "items" in node]
    return str(gallery[0]["description"])


async def test_five_lines_of_rules_stand_on_the_first_panel(table: Table) -> None:
    panel = await open_game(table, rounds=30)
    lines = [line for line in text_of(panel).splitlines() if re.match(r"\S+ \*\*\w+:\*\* ", line)]
    assert lines == short_rules(Setup(rounds=30))
    assert len(lines) == 5
    expect_in(text_of(panel), "after 30 rounds", "movement point (MP)", "value (TV, 1 to 6)", "20 for each city")
    assert "be the last one left. Points" in short_rules(Setup(rounds=None))[0]


async def test_the_page_of_rules_opens_in_private_at_any_time(table: Table) -> None:
    panel = await open_game(table)
    first = seen(table, panel)
    page = await table.pressed(panel, "How it works", by=stranger(table))
    assert page.ephemeral
    assert text_of(page).startswith("### How a war works\n")
    assert sum(map(utf16_length, rules_page())) < 4000
    rules = id_of(panel, "How it works")
    await add_ai(table, panel)
    await add_ai(table, panel)
    await table.press(panel, "Begin")
    await end(table)
    await table.restart()
    for message, custom_id in ((first, rules), forged(first, rules, "k0:999:rules")):
        (late,) = await click_seen(table, message, (table.ann, custom_id))
        assert text_of(answer(late)).startswith("### How a war works\n"), custom_id


async def test_everybody_looks_at_parts_of_the_map(table: Table) -> None:
    panel = await begin_game(table, map=None, size="24x16", seed=5)
    message = await table.pressed(panel, "Map")
    assert message.ephemeral
    names = parts_of(message)
    assert list(names) == ["army", "front", "all", "0", "1", "2", "3", "4", "5"]
    assert names["0"] == "Tiles A1 to H8"
    assert re.match(r"The tiles \w+ to \w+ in round 1\.", description_of(message))
    await choose_part(table, message, "all")
    assert description_of(message).startswith("The map of 24 x 16 tiles in round 1.")
    await table.restart()
    await choose_part(table, message, "5")
    assert description_of(message).startswith(f"The {names['5'][:1].lower()}{names['5'][1:]} in round 1.")
    assert list(await files_of(message)) == ["map.png"]
    assert "army" not in parts_of(await table.pressed(panel, "Map", by=stranger(table)))
    assert "army" in parts_of(await table.pressed(await turn_message(table, panel), "Map"))


@pytest.mark.parametrize("value", ["", "moon", "-1", "6", "99", "\u0665"])
async def test_parts_that_no_list_has_are_refused(table: Table, value: str) -> None:
    message = await table.pressed(await begin_game(table, map=None, size="24x16", seed=5), "Map")
    (found,) = [node["custom_id"] for node in components(message.components) if node["type"] == SELECT]
    result = press_seen(table, seen(table, message), table.ann, found, chosen=value)
    await table.env.settle()
    assert text_of(answer(result)).startswith("⚠️ "), text_of(answer(result))


async def test_a_war_that_has_not_begun_has_no_map_in_parts(table: Table) -> None:
    panel = await open_game(table)
    rules = id_of(panel, "How it works")
    message, custom_id = forged(seen(table, panel), rules, rules.replace("rules", "map"))
    (reply,) = await click_seen(table, message, (table.ann, custom_id))
    assert text_of(answer(reply)) == "⚠️ #1 hasn't begun yet."


async def finished(table: Table) -> ResponseMessage:
    """Play a war of two rounds, which Ben wins: he founds a city, and Ann pays 10 for a tile."""
    panel = await begin_game(table, rounds=2)
    await orders(table, "A2 raise; end", table.ann)
    await orders(table, "H4 found; end", table.ben)
    await orders(table, "end", table.ann)
    await orders(table, "end", table.ben)
    return panel


async def test_a_war_ends_with_a_card_to_share(table: Table) -> None:
    panel = await finished(table)
    assert not (await stored(table)).is_open
    assert list(await files_of(panel)) == ["war.png"]
    assert description_of(panel) == (
        "ben wins by 18 points after 2 rounds. ben led from start to finish. "
        "Biggest loss: ann, 10 points in round 1. Points: ben 28, ann 10."
    )
    assert buttons_of(panel) == ["Film", "Map"]


async def test_the_film_is_for_everybody(table: Table) -> None:
    panel = await finished(table)
    await table.restart()
    film = await table.pressed(panel, "Film", by=stranger(table))
    assert not film.ephemeral
    assert text_of(film) == "### #1 Mad Killer Agents: 🏆 🔵 ben wins after 2 rounds"
    assert (await files_of(film))["war.gif"].startswith(b"GIF89a")


async def test_without_a_worker_the_map_stands_for_the_card_and_the_film_is_refused(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    def busy(_request: object) -> None:
        raise BusyError(Scope.TOTAL, Wait(1, 1))

    monkeypatch.setattr(WarCardRequest, "run", busy)
    monkeypatch.setattr(FilmRequest, "run", busy)
    panel = await finished(table)
    assert list(await files_of(panel)) == ["map.png"]
    reply = (await table.press(panel, "Film")).followups[-1]
    assert reply.ephemeral
    assert text_of(reply).startswith("⚠️ Too many calculations")


async def test_a_panel_from_before_has_its_buttons(table: Table) -> None:
    """Their ids are what older versions gave out."""
    panel = await begin_game(table)
    battle = await stored(table)
    ids = [node["custom_id"] for node in components(panel.components) if node["type"] == BUTTON]
    own = [f"k0:{battle.id}:{what}" for what in ("turn", "place", "map", "rules")]
    assert ids == [*own, f"b2:{battle.id}:{battle.version}:fair:dice"]


async def test_a_war_without_dice_asks_whether_the_draw_is_fair(table: Table) -> None:
    about = await table.pressed(await open_game(table), "How do I know the draw is fair?")
    expect_in(text_of(about), "Every draw follows from it")
    assert " roll" not in text_of(about)
