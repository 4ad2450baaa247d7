"""Every system of battles by its name."""

from collections.abc import Callable

from sim.axis_allies.battle import DiceBattle
from sim.boss_fight.battle.rules import BossFight
from sim.core.battle import AnySystem
from sim.core.errors import RuleError
from sim.duel.battle import Duel
from sim.duel.dungeon import Dungeon
from sim.mad_killer_agents.battle import MapWar
from sim.marked_for_death.battle import RosterBattle

SYSTEMS: dict[str, Callable[[], AnySystem]] = {
    rules.name: rules for rules in (DiceBattle, RosterBattle, BossFight, Duel, Dungeon, MapWar)
}


def system(name: str) -> AnySystem:
    """Return the system of that name; RuleError when there is none."""
    found = SYSTEMS.get(name)
    if found is None:
        raise RuleError(f"There are no battles of the system {name[:40]!r}.")
    return found()
