"""The bosses that the game is known by (rules page, "What fights").

Only those whose name and figures are both on record; every other boss is forged by the players.
"""

from sim.boss_fight.values import Boss, Element
from sim.core.names import name_key

KNOWN: tuple[Boss, ...] = (
    Boss(name="Inu Dogemon", level=1, health=1000, physical_damage=2000),
    Boss(
        name="Axieom Asmodeus",
        level=4,
        element=Element.WATER,
        health=6500,
        physical_damage=3500,
        magical_damage=4500,
        physical_resistance=True,
        magical_penetration=True,
    ),
)
"""In the order of their levels."""


def known_boss(name: str) -> Boss | None:
    """Return the built-in boss of that name, in whatever case; None when there is none."""
    return next((boss for boss in KNOWN if name_key(boss.name) == name_key(name)), None)
