"""Marked for Death: a referee fights rounds and changes both sides in between."""

from random import Random

from sim.core.battle import LegalAction, Seat
from sim.marked_for_death.battle import Action, Amend, NextRound, PullOut, Reinforce, Run, Setup, State
from sim.marked_for_death.battle.rules import RosterBattle
from sim.marked_for_death.roster import Camp, Roster
from tests.conformance.example import Example
from tests.sim.marked_for_death.builders import RIDERS, crowd, fighter, legion, read, roster

SYSTEM = RosterBattle()


def summary(state: State) -> str:
    sides = []
    for camp in Camp:
        standing = [f"{member.fighter.name} {member.hp}" for member in state.side(camp) if member.stands]
        sides.append(f"{camp}: {', '.join(standing) or 'nobody'}")
    return f"round {state.round}; {'; '.join(sides)}"


def fill(state: State, offer: LegalAction[Action], _seat: Seat, choose: Random) -> Action | None:
    camp = choose.choice(list(Camp))
    standing = [member.fighter for member in state.side(camp) if member.stands]
    match offer.name:
        case "run":
            return Run(rounds=2)
        case "pull-out":
            return PullOut(camp=camp, name=choose.choice(standing).name) if len(standing) > 1 else None
        case "amend":
            stronger = choose.choice(standing)
            return Amend(camp=camp, fighter=stronger.model_copy(update={"bonus_hp": stronger.bonus_hp + 1}))
    names = {member.fighter.name for member in state.side(camp)}
    new = next(name for number in range(1, 100) if (name := f"Helper {number}") not in names)
    return Reinforce(camp=camp, roster=Roster(fighters=(*standing, fighter(new))))


def size(fighters: int) -> tuple[State, Action]:
    return SYSTEM.begin(Setup(heroes=legion("F", fighters), villains=legion("F", fighters))), NextRound()


EXAMPLE: Example = Example(
    system=SYSTEM,
    setups={
        "riders": Setup(heroes=read(*RIDERS.splitlines()[1:], header=RIDERS.splitlines()[0]), villains=crowd(8)),
        "limited": Setup(heroes=legion("F", 12), villains=legion("F", 12), max_rounds=3),
    },
    story=Setup(heroes=roster("Ann", fighter("Bo", hit="0.3")), villains=roster("Cid"), max_rounds=12),
    seed=b"seven",
    summary=summary,
    fill=fill,
    weights={"next-round": 10, "run-out": 0.2, "run": 2, "pull-out": 0.5},
    sizes=[size(2), size(20), size(100)],
)
