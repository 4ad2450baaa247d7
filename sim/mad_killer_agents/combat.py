"""The battle rule: two armies, their tiles, perhaps a city; no chance."""

from typing import NamedTuple

from sim.mad_killer_agents.constants import DRAFT, DRILL_STRENGTH, MASONRY_FACTOR, STOMP


class Clash(NamedTuple):
    """Who meets whom. `city`: the size of the defender's city, 0 for none. All else are units and tile values.

    `defenders` of an undefended city are 0: it drafts before the battle. `drill` is the attacker's, `masonry` the
    defender's.
    """

    attackers: int
    attacker_tile: int
    defenders: int
    defender_tile: int
    city: int = 0
    drill: bool = False
    masonry: bool = False


class Result(NamedTuple):
    """What came of a clash. `drafted`: units raised for it. `city_left`: the city's size afterwards."""

    attacker_loss: int
    defender_loss: int
    attacker_left: int
    defender_left: int
    drafted: int
    city_left: int

    @property
    def taken(self) -> bool:
        """Whether the attacker's survivors move in: defenders and city are gone, and somebody is left."""
        return self.attacker_left > 0 and not self.defender_left and not self.city_left


def attack_bonus(tile: int, *, drill: bool = False) -> int:
    """Return an attacker's strength beyond its units."""
    return tile + DRILL_STRENGTH * drill


def defence_bonus(tile: int, city: int = 0, *, masonry: bool = False) -> int:
    """Return a defender's strength beyond its units."""
    return tile + city * (MASONRY_FACTOR if masonry else 1)


def fight(clash: Clash) -> Result:
    """Return what the clash leads to (rules page, "Battle").

    Where both sides fall at a city, its size falls by 1, as where the difference of strengths would be less: nobody
    is left to move in even if that destroys it. ValueError for a side without units and no city to draft any.
    """
    drafted = DRAFT if clash.city and not clash.defenders else 0
    attackers, defenders = clash.attackers, clash.defenders + drafted
    if attackers < 1 or defenders < 1:
        raise ValueError("nobody to fight")
    ours = attack_bonus(clash.attacker_tile, drill=clash.drill)
    theirs = defence_bonus(clash.defender_tile, clash.city, masonry=clash.masonry)
    gap = attackers + ours - defenders - theirs
    if attackers >= STOMP * defenders:
        lost, killed = 0, defenders
    elif defenders >= STOMP * attackers:
        lost, killed = attackers, 0
    else:
        least = min(attackers + ours, defenders + theirs)
        lost = min(attackers, max(0, least - ours))
        killed = min(defenders, max(0, least - theirs))
    damage = min(clash.city, max(1, gap)) if killed == defenders else 0
    return Result(lost, killed, attackers - lost, defenders - killed, drafted, clash.city - damage)
