"""A side as it stands now: as in its final file (.docs/rules/marked_for_death.md, "Results")."""

from sim.marked_for_death.battle.values import Combatant, State
from sim.marked_for_death.roster import BASE_HP, MAX_BONUS, Camp, Fighter, Roster
from sim.marked_for_death.stats import EXHAUSTION

FINAL_FILES = {Camp.HEROES: "Heroes-final.csv", Camp.VILLAINS: "Villains-final.csv"}


def current_fighter(combatant: Combatant) -> Fighter:
    """Return a fighter's row in the final file: current HP and exhaustion are bonuses."""
    fighter = combatant.fighter
    # A bonus that low makes no difference, and a file can't hold a lower one.
    to_defend = max(fighter.bonus_to_defend - EXHAUSTION * combatant.fought, -MAX_BONUS)
    return fighter.model_copy(update={"bonus_hp": combatant.hp - BASE_HP, "bonus_to_defend": to_defend})


def current_roster(state: State, camp: Camp) -> Roster:
    """Return a side as in its final file, including the fallen: a battle from there goes on as this one would."""
    fighters = tuple(current_fighter(combatant) for combatant in state.force(camp))
    return Roster(fighters=fighters, spare_buffs=state.spare_buffs(camp))
