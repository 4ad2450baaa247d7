"""Helpers for the tests of duels."""

from typing import Any

from simcord import MemberActor, ResponseMessage

from sim.duel.battle.rules import Duel
from sim.duel.battle.values import Setup
from tests.bot.battles.fights import stored, told
from tests.bot.conftest import Table, said
from tests.bot.payloads import components

SIDES = (
    b"name,side,hp,strength,dex_mod,armour_class,to_hit,damage,attacks,gender\n"
    b"Brenna,Watch,8,16,1,4,19,2d6+1,1,she\n"
    b"Old Njal,Watch,5,,,,,,,he\n"
    b"Icemaw,Night,12,,-1,6,17,1d8,2,it\n"
)
ONE = b"name,hp\nAlrun,6\n"
OTHER = b"name,hp\nBorri,6\nCaja,5\n"


async def refusal(table: Table, command: str, **options: Any) -> str:  # noqa: ANN401  # options are of all kinds
    """Type `/duel …`, and return the private refusal."""
    text = told(await table.ann.slash(table.channel, f"duel {command}", **options))
    assert text.startswith("⚠️ "), text
    return text.removeprefix("⚠️ ")


def pictured(message: ResponseMessage) -> str:
    """Return what the message's pictures show, in words."""
    galleries = (node for node in components(message.components) if "items" in node)
    return "\n".join(item["description"] for node in galleries for item in node["items"])


async def roll(table: Table, *names: str, by: MemberActor | None = None) -> None:
    """Roll characters of these names."""
    for name in names:
        assert "A new character" in said(await table.run("duel roll", by=by, name=name))


async def setup_of(table: Table, number: int = 1) -> Setup:
    """Return the setup of a duel."""
    return Duel().setups.read((await stored(table, number)).setup)
