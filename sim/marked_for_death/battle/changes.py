"""What a referee changes between rounds: the roster as it stands, another one in its place, the difference in words."""

from collections.abc import Iterator
from decimal import Decimal

from sim.core.battle import IllegalActionError
from sim.core.names import name_key
from sim.marked_for_death import columns
from sim.marked_for_death.battle.load import expect_bearable
from sim.marked_for_death.battle.runner import combatants, with_ending
from sim.marked_for_death.battle.values import Amend, Combatant, PullOut, Reinforce, State
from sim.marked_for_death.roster import BASE_HP, MAX_BONUS, MAX_FIGHTERS, Buff, Camp, Fighter, Roster, places, trimmed
from sim.marked_for_death.stats import EXHAUSTION

# What a fighter's row holds, HP and buffs aside, and in which column.
_FIELDS = (
    ("xp", columns.XP),
    ("bonus_xp", columns.BONUS_XP),
    ("bonus_to_hit", columns.BONUS_TO_HIT),
    ("bonus_to_defend", columns.BONUS_TO_DEFEND),
    ("aoe", columns.AOE),
    ("bodyguard_for", columns.BODYGUARD_FOR),
    ("linked_to", columns.LINKED_TO),
)


def current_fighter(combatant: Combatant) -> Fighter:
    """Return a fighter's row as its final file has it: its HP and its exhaustion now are bonuses."""
    fighter = combatant.fighter
    # No bonus that could matter is that low; a file couldn't hold a lower one.
    to_defend = max(fighter.bonus_to_defend - EXHAUSTION * combatant.fought, -MAX_BONUS)
    return fighter.model_copy(update={"bonus_hp": combatant.hp - BASE_HP, "bonus_to_defend": to_defend})


def current_roster(state: State, camp: Camp) -> Roster:
    """Return a side as its final file has it, the fallen included: a battle from there goes on as this one would."""
    fighters = tuple(current_fighter(combatant) for combatant in state.force(camp))
    return Roster(fighters=fighters, spare_buffs=state.spare_buffs(camp))


def difference(before: Roster, after: Roster) -> tuple[str, ...]:
    """Return a sentence for each fighter that `after` adds, takes away or changes; their order doesn't matter."""
    known = {fighter.key: fighter for fighter in before.fighters}
    found = []
    for fighter in after.fighters:
        old = known.pop(fighter.key, None)
        if old is None:
            found.append(f"{fighter.name} joins with {fighter.hp} HP.")
        elif changes := list(_changes(old, fighter)):
            found.append(f"{fighter.name}: {', '.join(changes)}.")
    return (*found, *(f"{fighter.name} is gone." for fighter in known.values()))


def reinforced(state: State, action: Reinforce) -> tuple[State, tuple[str, ...]]:
    """Return the state with another roster for a side, and what that changes."""
    changes = difference(current_roster(state, action.camp), action.roster)
    if not changes:
        raise IllegalActionError("This roster changes nothing.")
    grown = state.model_copy(update={f"{action.camp}_spare": action.roster.spare_buffs})
    return _with(grown, action.camp, combatants(action.roster)), changes


def amended(state: State, action: Amend) -> tuple[State, tuple[str, ...]]:
    """Return the state with one fighter changed or added, and what that changes."""
    fighters = list(current_roster(state, action.camp).fighters)
    at = places(fighters).get(action.fighter.key)
    if at is None and len(fighters) == MAX_FIGHTERS:
        raise IllegalActionError(f"The {action.camp} have {MAX_FIGHTERS} fighters already, the most there can be.")
    new = Combatant(fighter=action.fighter, hp=action.fighter.hp)
    if at is None:
        changes = difference(Roster(fighters=tuple(fighters)), Roster(fighters=(*fighters, action.fighter)))
        return _with(state, action.camp, (*state.force(action.camp), new)), changes
    changes = difference(Roster(fighters=(fighters[at],)), Roster(fighters=(action.fighter,)))
    if not changes:
        raise IllegalActionError("This changes nothing.")
    force = list(state.force(action.camp))
    force[at] = new
    return _with(state, action.camp, tuple(force)), changes


def pulled_out(state: State, action: PullOut) -> tuple[State, Combatant]:
    """Return the state without a fighter, and how that one stood."""
    force = state.force(action.camp)
    key = name_key(action.name)
    found = next((combatant for combatant in force if combatant.fighter.key == key), None)
    if found is None:
        raise IllegalActionError(f"Nobody among the {action.camp} is called {action.name}.")
    if not found.stands:
        raise IllegalActionError(f"{found.fighter.name} doesn't stand any more.")
    left = tuple(combatant for combatant in force if combatant is not found)
    if not any(combatant.stands for combatant in left):
        raise IllegalActionError(f"{found.fighter.name} is the last of the {action.camp} who stands.")
    return _with(state, action.camp, left), found


def _with(state: State, camp: Camp, force: tuple[Combatant, ...]) -> State:
    changed = state.model_copy(update={camp.value: force})
    expect_bearable(changed)
    return with_ending(changed)


def _changes(old: Fighter, new: Fighter) -> Iterator[str]:
    if old.name != new.name:
        yield f"written {old.name} before"
    if old.hp != new.hp:
        yield f"{_hp_change(old.hp, new.hp)}, HP {old.hp} → {new.hp}"
    for field, column in _FIELDS:
        was, now = getattr(old, field), getattr(new, field)
        if was != now:
            yield f"{column} {_shown(was)} → {_shown(now)}"
    if old.buffs != new.buffs:
        yield f"buffs {_buffs(old.buffs)} → {_buffs(new.buffs)}"


def _hp_change(old: int, new: int) -> str:
    if new <= 0:
        return "out of the fight"
    if old <= 0:
        return "back in the fight"
    return "healed" if new > old else "weakened"


def _shown(value: object) -> str:
    if value is None:
        return "no one"
    return str(trimmed(value) if isinstance(value, Decimal) else value)


def _buffs(buffs: tuple[Buff, ...]) -> str:
    text = "; ".join(
        f"{buff.name or 'without a name'} for {', '.join(buff.who) or 'nobody'} ({buff.offense:+}, {buff.defense:+})"
        for buff in buffs
    )
    return text or "none"
