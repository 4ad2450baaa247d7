"""Fights against bosses in a channel: what their tests share."""

import io
from typing import Any

from PIL import Image
from simcord import InteractionResult, MemberActor, ResponseMessage

from sim.boss_fight.battle import State
from tests.bot.battles.fights import stored
from tests.bot.conftest import Table, answer

HERO = "hero: V, Assassin, Elixir, Epic, Fairy"
"""Deals 4000 to a boss that doesn't resist, takes an eighth of its physical damage, has 4000 health."""

WEAK = "mine: Fang (3000/100/0)"
"""Deals 100; of Inu Dogemon's 2000 it takes all."""

BOSSES = (
    "name,level,element,health,physical_damage,magical_damage,magical_resistance,entry,half,fall\n"
    "Frost Giant,3,Water,400,100,0,Y,Who dares?,Impossible!,The ice melts\n"
    "Stone,1,,500,0,0,,,,\n"
    "Bull,1,,100,3000,0,,,,\n"
)


async def begin(table: Table, boss: str = "Inu Dogemon", **options: Any) -> ResponseMessage:  # noqa: ANN401  # options are of all kinds
    """Let Ann open a fight."""
    return answer(await table.ann.slash(table.channel, "boss start", boss=boss, **options))


async def forged(table: Table) -> None:
    """Let Ann forge three bosses."""
    await table.ann.slash(table.channel, "boss forge", bosses=("bosses.csv", BOSSES.encode()))


async def join(
    table: Table,
    panel: ResponseMessage,
    deck: str = WEAK,
    *,
    by: MemberActor | None = None,
    **values: Any,  # noqa: ANN401  # texts and files
) -> InteractionResult:
    """Send the form for a deck of one's own."""
    return await table.fill(panel, "Join with your own", {"deck": deck, **values}, by=by)


async def both(table: Table, boss: str = "Inu Dogemon", deck: str = WEAK, **options: Any) -> ResponseMessage:  # noqa: ANN401  # likewise
    """Open a fight that Ann and then Ben have joined."""
    panel = await begin(table, boss, **options)
    await join(table, panel, deck, name="Ice")
    await join(table, panel, deck, by=table.ben, name="Wind")
    return panel


async def state_of(table: Table, number: int = 1) -> State:
    return State.model_validate((await stored(table, number)).state)


def picture() -> bytes:
    """Return a photograph."""
    out = io.BytesIO()
    Image.new("RGB", (900, 300), "red").save(out, format="JPEG")
    return out.getvalue()
