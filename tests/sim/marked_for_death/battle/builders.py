"""Short ways to say a battle and its rounds."""

from collections.abc import Sequence

from sim.core.battle import REFEREE, Step
from sim.core.dice import ScriptedDice
from sim.marked_for_death.battle.rules import RosterBattle
from sim.marked_for_death.battle.values import Action, Event, Fell, Fought, NextRound, Setup, State
from sim.marked_for_death.roster import Camp, Roster
from tests.sim.marked_for_death.builders import roster

BATTLE = RosterBattle()

HIT, MISS = 1, 100
"""Faces of a percentile die: always a success, never one."""


def begin(heroes: Roster, villains: Roster, max_rounds: int | None = None) -> State:
    """Begin a battle."""
    return BATTLE.begin(Setup(heroes=heroes, villains=villains, max_rounds=max_rounds))


def act(state: State, action: Action, faces: Sequence[int] = ()) -> Step[State, Event]:
    """Apply an action with these dice, all of them and no more."""
    dice = ScriptedDice(faces)
    step = BATTLE.apply(state, action, REFEREE, dice)
    assert dice.left == 0
    return step


def fight(state: State, faces: Sequence[int]) -> Step[State, Event]:
    """Fight a round with these dice."""
    return act(state, NextRound(), faces)


def hp(state: State) -> dict[str, int]:
    """Return everybody's HP by name."""
    return {combatant.fighter.name: combatant.hp for camp in Camp for combatant in state.force(camp)}


def fallen(step: Step[State, Event]) -> list[Fell]:
    """Return who fell in a step."""
    return [event for event in step.events if isinstance(event, Fell)]


def attacks(step: Step[State, Event], camp: Camp) -> list[tuple[str, str, str]]:
    """Return who attacked, who was drawn and who was struck in the attacks of `camp`, all rounds in a row."""
    found = []
    for event in step.events:
        if isinstance(event, Fought):
            own, other = event.fighters(camp), event.fighters(camp.other)
            found += [
                (own[attacker][0], other[drawn][0], other[hit][0]) for attacker, drawn, hit, _, _ in event.attacks(camp)
            ]
    return found


DUMMY = roster("Dummy")
"""A side of one who throws one die each way."""
