"""Helpers for the tests of duels."""

from simcord import MemberActor

from tests.bot.conftest import Table, said

SIDES = (
    b"name,side,hp,strength,dex_mod,armour_class,to_hit,damage,attacks,gender\n"
    b"Brenna,Watch,8,16,1,4,19,2d6+1,1,she\n"
    b"Old Njal,Watch,5,,,,,,,he\n"
    b"Icemaw,Night,12,,-1,6,17,1d8,2,it\n"
)


async def roll(table: Table, *names: str, by: MemberActor | None = None) -> None:
    """Roll characters of these names."""
    for name in names:
        assert "A new character" in said(await table.run("duel roll", by=by, name=name))
