"""How few presses are between nothing and fun in each game, and what every game's battles have at their end."""

import json
from typing import Any

import pytest

from bot.store.battles import BattleRepository
from tests.bot.battles.fights import end, stored
from tests.bot.conftest import Table, answer, buttons_of
from tests.bot.games.mad_killer_agents.wars import press_turn

pytestmark = pytest.mark.usefixtures("fixed_dice")

ARMIES = "6 tanks vs 10 inf"
BEGIN, ROLL, ORDER = "Begin", "Next round", "grow"

WAYS: dict[str, tuple[int, dict[str, Any], list[str], str]] = {
    "aa battle": (3, {"setup": ARMIES}, ["Fight Brakk", ROLL], "fire"),
    "aacalc": (4, {"battle": ARMIES}, ["Fight this out", "Fight Vesper", ROLL], "fire"),
    "mfd start": (2, {}, [ROLL], "next-round"),
    "boss start": (3, {}, ["Join", "Strike with the best"], "step"),
    "duel fight": (3, {}, [BEGIN, ROLL], "continue"),
    "duel challenge": (3, {}, [BEGIN, ROLL], "continue"),
    "duel dungeon": (3, {}, ["Enter room 1", ROLL], "continue"),
    "mka new": (2, {}, [ORDER], "give"),
    "help": (4, {}, ["Axis & Allies", "Try it", ROLL], "fire"),
}
"""From nothing to the first roll, exchange or order, by the command that it begins with: how many presses, the command
among them, are asked for; the options; the other presses; and what the last of them does."""


@pytest.mark.parametrize("command", WAYS)
async def test_few_presses_lead_from_nothing_to_the_first_roll_exchange_or_order(table: Table, command: str) -> None:
    most, options, labels, deed = WAYS[command]
    assert 1 + len(labels) <= most
    result = await table.ann.slash(table.channel, command, **options)
    message = answer(result)
    for label in labels:
        if label == ORDER:
            await press_turn(table, result.followups[0], label)
        else:
            message = (await table.press(message, label)).response or message
    steps = await table.bot.services[BattleRepository].latest_steps((await stored(table)).id)
    assert json.loads(steps[-1].action_json)["do"] == deed


BOTH = [ROLL, "Fight to the end"]
VERBS: dict[str, tuple[list[str], list[str], list[str]]] = {
    "aa battle": (["Fight Moss"], BOTH, ["Next chapter"]),
    "mfd start": ([], BOTH, ["Next chapter"]),
    "boss start": (["Join"], ["Strike with the best", "Fight to the end"], ["Next chapter"]),
    "duel fight": ([BEGIN], BOTH, ["Next chapter", "Read it all"]),
    "duel dungeon": (["Enter room 1"], BOTH, ["Next chapter", "Read it all"]),
    "mka new": ([], ["Your turn"], []),
}
"""By the command: what leads to the first exchange, the two buttons then, and what a game adds to the row at its end.

A war has turns of many orders in place of rounds, and no next chapter.
"""


@pytest.mark.parametrize("command", VERBS)
async def test_every_game_has_the_same_verbs_and_the_same_row_at_its_end(table: Table, command: str) -> None:
    labels, verbs, own = VERBS[command]
    panel = await table.run(command, **WAYS[command][1])
    for label in labels:
        await table.press(panel, label)
    assert buttons_of(panel)[: len(verbs)] == verbs
    await end(table)
    assert buttons_of(panel, house=True) == ["Rematch", *own, "Share", "More"]
    *_, log, fair = buttons_of(await table.pressed(panel, "More"), house=True)
    assert (log, fair[:13]) == ("Log and files", "How do I know")
