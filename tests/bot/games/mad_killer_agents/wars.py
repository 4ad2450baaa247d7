"""What tests of Mad Killer Agents share: a flat small map, games on it, and how their buttons are found."""

import re
from typing import Any

from simcord import InteractionResult, MemberActor, ResponseMessage

from bot.battles.presenter import Presenters
from sim.mad_killer_agents.battle import State
from tests.bot.battles.fights import steps_after, stored
from tests.bot.conftest import Table, answer, form_values, text_of
from tests.bot.payloads import BUTTON, components

FLAT = "\n".join([",".join("1" * 8)] * 8)
"""A map without hills: every step takes half a movement point."""


def file(text: str | bytes = FLAT, name: str = "map.csv") -> tuple[str, bytes]:
    return name, text if isinstance(text, bytes) else text.encode()


async def state_of(table: Table, number: int = 1) -> State:
    """Read how a game stands."""
    battle = await stored(table, number)
    state: State = (await table.bot.services[Presenters].position(battle)).state
    return state


async def turn_after(table: Table, seconds: float) -> int:
    """Let time go by, let the bot look at the clocks, and return whose turn it is then."""
    await steps_after(table, seconds)
    return (await state_of(table)).turn


async def open_game(table: Table, **options: Any) -> ResponseMessage:  # noqa: ANN401  # options are of all kinds
    """Let Ann open a long game and join it, on the flat map unless told otherwise."""
    given = {"map": file(), "length": "long"} | options
    typed = {name: value for name, value in given.items() if value is not None}
    return answer(await table.ann.slash(table.channel, "mka new", **typed))


async def join(table: Table, panel: ResponseMessage, who: MemberActor, name: str | None = None) -> InteractionResult:
    """Press Join and send the form, under the name that stands in it or another one."""
    form = await table.press(panel, "Join", by=who)
    return await who.submit_modal(form, form_values(form) if name is None else {"name": name})


async def add_ai(table: Table, panel: ResponseMessage, kind: str = "random") -> None:
    """Add an AI."""
    form = await table.press(panel, "Add an AI")
    await table.ann.submit_modal(form, {"ai": kind})


async def begin_game(table: Table, *ais: str, **options: Any) -> ResponseMessage:  # noqa: ANN401  # likewise
    """Let Ben join Ann, add AIs, and begin; it is Ann's turn."""
    panel = await open_game(table, **options)
    await join(table, panel, table.ben)
    for kind in ais:
        await add_ai(table, panel, kind)
    await table.press(panel, "Begin")
    return panel


async def orders(table: Table, text: str, who: MemberActor) -> InteractionResult:
    """Type `/mka orders`."""
    return await who.slash(table.channel, "mka orders", orders=text)


def handle(message: ResponseMessage, what: str) -> dict[str, Any]:
    """Return the button whose id ends in `what`, or else the list of what has no button, with that entry alone."""
    nodes = list(components(message.components))
    for node in nodes:
        if node["type"] == BUTTON and re.fullmatch(rf"k1:.*:{what}", node["custom_id"]):
            return node
    (more,) = [node for node in nodes if str(node.get("custom_id")).startswith("k5")]
    return more | {"options": [entry for entry in more["options"] if entry["value"] == what]}


async def press_turn(
    table: Table, message: ResponseMessage, what: str, who: MemberActor | None = None
) -> InteractionResult:
    """Press the button whose id ends in `what`, or choose it from the list of what has no button."""
    actor, found = who or table.ann, handle(message, what)
    if found["type"] == BUTTON:
        return await actor.click(message, custom_id=found["custom_id"])
    assert found["options"], what
    return await actor.select(message, [what], custom_id=found["custom_id"])


async def turn_message(table: Table, panel: ResponseMessage, who: MemberActor | None = None) -> ResponseMessage:
    """Open the private message of a turn."""
    message = answer(await table.press(panel, "Your turn", by=who or table.ann))
    assert message.ephemeral, text_of(message)
    return message
